"""A 6 is a 9 upside down: which of the two a tile shows, the way up of the tiles beside it tells as well.

A set is laid by one hand, so hardly ever does one of its tiles alone lie upside down. Where a tile would have to, to be
the 9 it looks like, a 6 that lies as its neighbours do is so much the likelier. Which of them makes a set is not asked.
"""

import math
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.reading.divisions import UPSIDE_DOWN
from referee.vision.detections import SYMBOLS, Faces, Floats, are_named
from referee.vision.geometry import half_vectors, steps
from referee.vision.looks import DOUBTFUL, certainty, show_faces

_PAIR: Final = (SYMBOLS.index("6"), SYMBOLS.index("9"))
IN_PAIR: Final = are_named("6", "9")
"""Which of SYMBOLS [19] are those two."""
_NEVER: Final = 0.0003  # chance of the other digit below which the reader cannot vouch for it
_WITHIN, _ACROSS = 2.5, 0.3  # widths and heights to the tiles of a row that tell which way up they lie
_FEW = 2  # of them tell
_ALONE: Final = math.log(UPSIDE_DOWN / (1 - UPSIDE_DOWN))
_SURE_WAY = 0.9  # chance of a way up from which a tile is said to lie so

_Mask = npt.NDArray[np.bool_]


def six_or_nine(quads: Floats, faces: Faces) -> Faces:
    """The faces of quads [n, 4, 2], those of a 6 or a 9 that alone lies upside down in its row weighed anew."""
    guess = faces.symbol.argmax(axis=1)
    (rows,) = np.nonzero(IN_PAIR[guess] & way_is_plain(faces))
    rows = rows[_alone_upside_down(quads, faces, rows)]
    return weighed(faces, rows, np.full(len(rows), _ALONE, np.float32))


def weighed(faces: Faces, rows: npt.NDArray[np.intp], odds: Floats) -> Faces:
    """The faces, those of rows [k] weighed by the odds [k], as logarithms, that each lies the way up it seems to.

    Each of the rows shows one of the pair; if it lies the other way up it shows the other one.
    """
    guess = faces.symbol[rows].argmax(axis=1)
    other = sum(_PAIR) - guess
    symbol, upright = faces.symbol.copy(), faces.upright.copy()
    seems, turned = symbol[rows, guess], symbol[rows, other]
    share, both = 1 / (1 + np.maximum(turned, _NEVER) / seems * np.exp(-odds)), seems + turned
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
    beside = (np.abs(along) < _WITHIN) & (np.abs(across) < _ACROSS) & sure
    beside[np.arange(len(rows)), rows] = False
    other_way = up[rows] @ up.T < 0
    return np.asarray((np.count_nonzero(beside, axis=1) >= _FEW) & ~(beside & ~other_way).any(axis=1))
