"""Which way up a 6 or a 9 lies, for the one is the other upside down: two opinions, weighed in as odds.

What the tiles of the table have in common. Only where the digit sits on the tile, or what is printed or pressed into it
beside the digit, tells the two apart. The model has seen many boxes and may be mistaken about this one; but the other
digits of the table show how its tiles look upright: in which of their rows of pixels much changes, whatever the
digit, the lamp and the side that the camera looks from. A 6 that would look like them the other way up is rather a 9.

The tiles beside it. A set is laid by one hand, so hardly ever does one of its tiles alone lie upside down. Where a tile
would have to, to be the 9 it looks like, a 6 that lies as its neighbours do is so much the likelier. Which of them
makes a set is not asked.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.reading.row_segmentation import UPSIDE_DOWN
from referee.vision.classify.augmented_reading import DOUBTFUL, certainty, show_faces
from referee.vision.geometry.detections import SYMBOLS, Faces, Floats, are_named
from referee.vision.geometry.quads import half_vectors, steps
from referee.vision.image.frame import Image

_PAIR: Final = (SYMBOLS.index("6"), SYMBOLS.index("9"))
IN_PAIR: Final = are_named("6", "9")
"""Which of SYMBOLS [19] are those two."""
_MIN_OTHER_CHANCE: Final = 0.0003  # chance of the other digit below which the reader cannot vouch for it
_NEIGHBOUR_WIDTHS, _NEIGHBOUR_HEIGHTS = 2.5, 0.3  # of the tile: how far to the tiles of its row
_MIN_NEIGHBOURS = 2  # of them tell which way up the row lies
_ALONE_LOG_ODDS: Final = math.log(UPSIDE_DOWN / (1 - UPSIDE_DOWN))
_SURE_WAY = 0.9  # chance of a way up from which a tile is said to lie so
_REFERENCE_DIGITS: Final = are_named("2", "3", "4", "5", "7", "10", "12", "13")
_PLAUSIBLE_WAY = 0.7  # chance of a way up from which it is what the face was read by
_MIN_REFERENCES, _MAX_REFERENCES = 10, 24  # of them tell how tiles look upright; and as many are enough
_MIN_AGREEMENT: Final = 0.9  # share of them that must look upright by this rule for it to be worth anything
# Of a crop, in green, without its edges, whose rows tell of the camera's lean.
_GREEN_INSIDE: Final = (slice(None), slice(5, 43), slice(5, 27), 1)
_BODY_QUANTILE: Final = 0.7  # of the pixels by brightness are darker
_CONTRAST_FLOOR: Final = 1e-4  # squared contrast: less is noise
_MIN_SPREAD = 0.3  # of a row of pixels among tiles, as a logarithm
_MAX_DEVIATION = 3.0  # spreads: what differs more is no worse
_APPEARANCE_WEIGHT = 10.0  # logarithm of the odds for looking as upright as most do (measured)
_MAX_LOG_ODDS = 6.0
_MIN_TYPICAL_LOG_ODDS = 15.0  # how upright most must look, as a logarithm, for it not to be chance

_Mask = npt.NDArray[np.bool_]
CropRows = Callable[[npt.NDArray[np.intp]], Image]
"""Gives crops [k, 48, 32, 3] of k of the tiles, cut out at their corners, the way up that their faces were read."""


def weigh_by_appearance(cut: CropRows, faces: Faces) -> Faces:
    """The faces, those of a 6 or a 9 weighed by how the tiles of this table look upright."""
    guess = faces.symbol.argmax(axis=1)
    (rows,) = np.nonzero(IN_PAIR[guess] & way_is_plain(faces, _PLAUSIBLE_WAY))
    (others,) = np.nonzero(_REFERENCE_DIGITS[guess] & way_is_plain(faces) & (certainty(faces) >= DOUBTFUL))
    if not len(rows) or len(others) < _MIN_REFERENCES:
        return faces
    others = others[:: -(-len(others) // _MAX_REFERENCES)]
    looks = _rough_rows(cut(others), faces.upright[others])
    usual = np.median(looks, axis=0)
    spread = np.maximum(1.48 * np.median(np.abs(looks - usual), axis=0), _MIN_SPREAD)
    known = _uprightness(looks, usual, spread)
    usually = float(np.median(known))
    if np.mean(known > 0) < _MIN_AGREEMENT or usually < _MIN_TYPICAL_LOG_ODDS:
        return faces
    odds = _uprightness(_rough_rows(cut(rows), faces.upright[rows]), usual, spread)
    return weighed(faces, rows, np.clip(_APPEARANCE_WEIGHT * odds / usually, -_MAX_LOG_ODDS, _MAX_LOG_ODDS))


def _rough_rows(crops: Image, upright: Floats) -> Floats:
    """How much changes within each row of pixels of each crop [k, 36], as logarithms, in shares of its brightness.

    Each crop is turned first as its face says, which is `upright` [k] or not.
    """
    grey = crops[_GREEN_INSIDE].astype(np.float32)
    grey[upright < 0.5] = grey[upright < 0.5, ::-1, ::-1]
    samples = grey[:, ::3, ::3].reshape(len(grey), -1)
    place = round(_BODY_QUANTILE * (samples.shape[1] - 1))
    grey /= np.partition(samples, place, axis=1)[:, place, None, None] + 1
    down, across = grey[:, 2:, 1:-1] - grey[:, :-2, 1:-1], grey[:, 1:-1, 2:] - grey[:, 1:-1, :-2]
    return np.asarray(np.log((down**2 + across**2).mean(axis=2) + _CONTRAST_FLOOR), np.float32)


def _uprightness(looks: Floats, usual: Floats, spread: Floats) -> Floats:
    """How much likelier each of the looks [k, 36] is upright than upside down, as a logarithm."""
    unlike, turned = (
        np.minimum(((those - usual) / spread) ** 2, _MAX_DEVIATION**2) for those in (looks, looks[:, ::-1])
    )
    return np.asarray((turned - unlike).sum(axis=1) / 2, np.float32)


def weigh_by_neighbours(quads: Floats, faces: Faces) -> Faces:
    """The faces of quads [n, 4, 2], those of a 6 or a 9 that alone lies upside down in its row weighed anew."""
    guess = faces.symbol.argmax(axis=1)
    (rows,) = np.nonzero(IN_PAIR[guess] & way_is_plain(faces))
    rows = rows[_alone_upside_down(quads, faces, rows)]
    return weighed(faces, rows, np.full(len(rows), _ALONE_LOG_ODDS, np.float32))


def weighed(faces: Faces, rows: npt.NDArray[np.intp], odds: Floats) -> Faces:
    """The faces, those of rows [k] weighed by the odds [k], as logarithms, that each lies the way up it seems to.

    Each of the rows shows one of the pair; if it lies the other way up it shows the other one.
    """
    guess = faces.symbol[rows].argmax(axis=1)
    other = sum(_PAIR) - guess
    symbol, upright = faces.symbol.copy(), faces.upright.copy()
    seems, turned = symbol[rows, guess], symbol[rows, other]
    share, both = 1 / (1 + np.maximum(turned, _MIN_OTHER_CHANCE) / seems * np.exp(-odds)), seems + turned
    symbol[rows, guess], symbol[rows, other] = both * share, both * (1 - share)
    upright[rows] = upright[rows] * share + (1 - upright[rows]) * (1 - share)
    return replace(faces, symbol=symbol, upright=upright)


def way_is_plain(faces: Faces, chance: float = _SURE_WAY) -> _Mask:
    """Of which it is plain, to that chance, which way up they lie."""
    return np.asarray(np.abs(faces.upright - 0.5) >= chance - 0.5)


def _alone_upside_down(quads: Floats, faces: Faces, rows: npt.NDArray[np.intp]) -> _Mask:
    """Which of some rows lie the other way up than all tiles of their row nearby that surely show what they show."""
    centre, up, _ = half_vectors(quads)
    up = np.where((faces.upright < 0.5)[:, None], -up, up)
    along, across = steps(quads[rows], centre)
    sure = way_is_plain(faces) & show_faces(faces) & (certainty(faces) >= DOUBTFUL)
    beside = (np.abs(along) < _NEIGHBOUR_WIDTHS) & (np.abs(across) < _NEIGHBOUR_HEIGHTS) & sure
    beside[np.arange(len(rows)), rows] = False
    other_way = up[rows] @ up.T < 0
    return np.asarray((np.count_nonzero(beside, axis=1) >= _MIN_NEIGHBOURS) & ~(beside & ~other_way).any(axis=1))
