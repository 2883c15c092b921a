"""Finds the fonts of this machine that can print a tile, and says how often each is taken.

Another font more, and other tables are drawn. So of those installed the ones of `fontfiles.txt` are taken, with which
the published scores were measured; where none of them is installed, any that fit.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import ImageFont

HELD_OUT_FONTS = ("Cabin", "Lato", "FjallaOne", "URWGothic", "NotoSansDisplay", "Veranda")
"""Families kept out of training, for a second look at boxes never seen."""

KNOWN_FONTS = frozenset((Path(__file__).parents[2] / "fontfiles.txt").read_text(encoding="utf-8").splitlines())
_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts")
_SLANTED = re.compile(r"ital|obliq|slant|[a-z]It\b|-It$|BdIt|inclined", re.IGNORECASE)
_UNFIT = re.compile(
    r"symbol|D050|Z003|abecedario|alfa-beta|Mac$|emoji|math|guiada|punt|pautad|tamil|hairline|fontawesome|"
    r"(api|eleg|elle|ipa)[a-z]+$|Thin|^cm|^STIX.*(Siz|Non)|DejaVuSansDisplay|Variable|\[wght\]|CondLight|Breip|breip",
    re.IGNORECASE,
)
_FOREIGN = re.compile(r"^Noto(?!(Sans|Serif|SansDisplay|SerifDisplay|SansMono)-)")
_BOLD = re.compile(r"bold|black|heavy|demi|title|FredokaOne|FjallaOne|Bd$", re.IGNORECASE)
_SERIF = re.compile(r"serif|roman|tymes|bookman|C059|P052|elleni|quercus|caladea", re.IGNORECASE)
_THIN = re.compile(r"light|mono|code", re.IGNORECASE)


@functools.cache
def fonts(*, held_out: bool = False) -> tuple[Path, ...]:
    """Upright fonts with digits found on this machine, in a stable order; held_out gives those kept from training."""
    folders = [Path(folder) for folder in _FOLDERS] + _packaged_folders()
    found = {path.name: path for folder in folders for suffix in ("ttf", "otf") for path in folder.rglob(f"*.{suffix}")}
    fit = [
        path
        for name, path in sorted(found.items())
        if not (_SLANTED.search(path.stem) or _UNFIT.search(path.stem) or _FOREIGN.search(name) or _digitless(path))
    ]
    known = [path for path in fit if path.name in KNOWN_FONTS] or fit
    return tuple(path for path in known if path.stem.startswith(HELD_OUT_FONTS) == held_out)


def _digitless(path: Path) -> bool:
    """Whether digits look alike, or leave little of their place blank: some fonts show boxes, or white on black.

    So is a file that is no font after all, or none of outlines.
    """
    try:
        font = ImageFont.truetype(str(path), 24)
    except OSError:
        return True
    shapes = [font.getmask(digit, mode="L") for digit in "0123456789"]
    inked = [np.asarray(shape, np.float32).mean() / 255 if all(shape.size) else 0.0 for shape in shapes]
    return len({bytes(shape) for shape in shapes}) < 10 or min(inked) == 0 or max(inked) > 0.75


def _packaged_folders() -> list[Path]:
    site = Path(ImageFont.__file__).parent.parent
    return [site / "matplotlib" / "mpl-data" / "fonts" / "ttf", site / "font_roboto", *sorted(site.glob("font_*"))]


def _family(path: Path) -> str:
    return re.split(r"[-_ ]|(?<=[a-z])(?=Bold|Bd|Condensed|Narrow)", path.stem)[0]


@functools.cache
def weighted_fonts(*, held_out: bool) -> tuple[tuple[Path, ...], npt.NDArray[np.float64]]:
    """Each family counts about the same however many cuts it has; bold sans, which real boxes have, counts most."""
    paths = fonts(held_out=held_out)
    families = [_family(path) for path in paths]
    weights = []
    for path, family in zip(paths, families, strict=True):
        weight = 1.0 if _BOLD.search(path.stem) else 0.3 if _THIN.search(path.stem) else 0.5
        weight *= 0.3 if _SERIF.search(path.stem) or "Mono" in path.stem else 1.0
        weights.append(weight / families.count(family) ** 0.6)
    array = np.asarray(weights)
    return paths, array / array.sum()
