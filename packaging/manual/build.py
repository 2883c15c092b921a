"""Build the manual: every page that leads on from the README as one site with a search, packed for the page at /manual.

    python packaging/manual/build.py [FILE.zip]

Needs mkdocs. A link that leads nowhere, or a page that the menu lacks, ends it. The same pages give the same file.
"""

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Final

import yaml

ROOT: Final = Path(__file__).resolve().parents[2]
PACKED: Final = ROOT / "referee/page/manual.zip"
_SETTINGS: Final = Path(__file__).with_name("mkdocs.yml")
_LINK: Final = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")
_INLINE: Final = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_UNUSED: Final = re.compile(r'\s*<link href="[./]*css/(?:fontawesome|v4-|brands|solid)[^>]*>| style="[^"]*"')
_STYLES: Final = '<link id="hljs-light"><link id="hljs-dark">'
"""What the theme's switch to dark asks for, though nothing highlights code here."""
_LEFT_OUT: Final = (
    "*.map",
    "webfonts/*",
    "css/fontawesome*",
    "css/v4-*",
    "css/brands*",
    "css/solid*",
    "sitemap.xml*",
    "404.html",
)


def main() -> None:
    """Build it and say where it lies."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("packed", nargs="?", type=Path, default=PACKED, metavar="FILE.zip")
    packed: Path = parser.parse_args().packed
    with tempfile.TemporaryDirectory() as folder:
        pages, site = Path(folder) / "pages", Path(folder) / "site"
        gather(pages)
        settings = Path(folder) / "mkdocs.yml"
        settings.write_text(f"{_SETTINGS.read_text('utf-8')}docs_dir: {pages}\n", "utf-8")
        build = ["-m", "mkdocs", "build", "--strict", "--config-file", str(settings), "--site-dir", str(site)]
        # Quiet, it would count no warning as a fault.
        built = subprocess.run([sys.executable, *build], check=False, capture_output=True, text=True)
        if built.returncode:
            sys.exit(f"{built.stderr}the manual is not built")
        suit_the_page(site)
        pack(site, packed)
    print(packed)


def gather(pages: Path) -> None:
    """Copy the pages of the menu, and every file they lead to, as they lie in the sources."""
    left = [ROOT / name for name in _named(yaml.safe_load(_SETTINGS.read_text("utf-8"))["nav"])]
    seen = set(left)
    while left:
        file = left.pop()
        copy = pages / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        if file.suffix == ".md":
            linked = {(file.parent / link).resolve() for link in _LINK.findall(file.read_text("utf-8"))}
            left += (found := {path for path in linked - seen if path.is_file()})
            seen |= found


def suit_the_page(site: Path) -> None:
    """Leave nothing out of the page's bounds: no script within a page, no style of its own, no fonts."""
    for pattern in _LEFT_OUT:
        for path in site.rglob(pattern):
            path.unlink()
    for path in site.rglob("*.html"):
        up = "../" * (len(path.relative_to(site).parts) - 1)

        def outside(found: re.Match[str], up: str = up) -> str:
            name = f"js/{hashlib.sha256(found[1].encode()).hexdigest()[:12]}.js"
            (site / name).write_text(found[1], "utf-8")
            return f'<script src="{up}{name}"></script>'

        text = path.read_text("utf-8").replace("</head>", f"{_STYLES}</head>")
        path.write_text(_UNUSED.sub("", _INLINE.sub(outside, text)), "utf-8")


def pack(site: Path, packed: Path) -> None:
    """Pack the site into one file."""
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as into:
        for path in sorted(path for path in site.rglob("*") if path.is_file()):
            into.writestr(zipfile.ZipInfo(path.relative_to(site).as_posix()), path.read_bytes(), zipfile.ZIP_DEFLATED)


def _named(menu: object) -> list[str]:
    """Give the pages of a menu."""
    if isinstance(menu, str):
        return [menu]
    below = menu.values() if isinstance(menu, dict) else menu if isinstance(menu, list) else []
    return [name for part in below for name in _named(part)]


if __name__ == "__main__":
    main()
