"""Which way up a 6 or a 9 lies, by what the other tiles of the table have in common.

A 6 is a 9 upside down, and only where the digit sits on the tile, or what is printed or pressed into it beside the
digit, tells the two apart. The model has seen many boxes and may be mistaken about this one; but the other digits of
the table show how its tiles look upright: in which of their rows of pixels much changes, whatever the digit, the lamp
and the side that the camera looks from. A 6 that would look like them if it lay the other way up is rather a 9.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.vision.detections import Faces, Floats, are_named
from referee.vision.frame import Image
from referee.vision.looks import DOUBTFUL, certainty
from referee.vision.six_or_nine import IN_PAIR, way_is_plain, weighed

_TELLING: Final = are_named("2", "3", "4", "5", "7", "10", "12", "13")
_RATHER = 0.7  # chance of a way up from which it is what the face was read by
_FEW, _MANY = 10, 24  # of them tell how tiles look upright; and as many are enough
_ALIKE: Final = 0.9  # share of them that must look upright by this rule for it to be worth anything
_INNER: Final = (slice(None), slice(5, 43), slice(5, 27), 1)  # of a crop, in green: without edges, which lean tells of
_BODY: Final = 0.7  # of the pixels by brightness are darker
_FLAT: Final = 1e-4  # squared contrast: less is noise
_LEAST_SPREAD, _FAR = 0.3, 3.0  # of a row among tiles, in logarithms; and spreads further than which is no worse
_WEIGHT, _MOST = 10.0, 6.0  # logarithms of odds: for looking as upright as most do (measured), and at most
_TELLS = 15.0  # how upright most must look, as a logarithm, for it not to be chance


Cut = Callable[[npt.NDArray[np.intp]], Image]
"""Gives crops [k, 48, 32, 3] of k of the tiles, cut out at their corners, the way up that their faces were read."""


def weigh_way_up(cut: Cut, faces: Faces) -> Faces:
    """The faces, those of a 6 or a 9 weighed by how the tiles of this table look upright."""
    guess = faces.symbol.argmax(axis=1)
    (rows,) = np.nonzero(IN_PAIR[guess] & way_is_plain(faces, _RATHER))
    (others,) = np.nonzero(_TELLING[guess] & way_is_plain(faces) & (certainty(faces) >= DOUBTFUL))
    if not len(rows) or len(others) < _FEW:
        return faces
    others = others[:: -(-len(others) // _MANY)]
    looks = _rough_rows(cut(others), faces.upright[others])
    usual = np.median(looks, axis=0)
    spread = np.maximum(1.48 * np.median(np.abs(looks - usual), axis=0), _LEAST_SPREAD)
    known = _uprightness(looks, usual, spread)
    usually = float(np.median(known))
    if np.mean(known > 0) < _ALIKE or usually < _TELLS:
        return faces
    odds = _uprightness(_rough_rows(cut(rows), faces.upright[rows]), usual, spread)
    return weighed(faces, rows, np.clip(_WEIGHT * odds / usually, -_MOST, _MOST))


def _rough_rows(crops: Image, upright: Floats) -> Floats:
    """How much changes within each row of pixels of each crop [k, 36], as logarithms, in shares of its brightness.

    Each crop is turned first as its face says, which is `upright` [k] or not.
    """
    grey = crops[_INNER].astype(np.float32)
    grey[upright < 0.5] = grey[upright < 0.5, ::-1, ::-1]
    samples = grey[:, ::3, ::3].reshape(len(grey), -1)
    place = round(_BODY * (samples.shape[1] - 1))
    grey /= np.partition(samples, place, axis=1)[:, place, None, None] + 1
    down, across = grey[:, 2:, 1:-1] - grey[:, :-2, 1:-1], grey[:, 1:-1, 2:] - grey[:, 1:-1, :-2]
    return np.asarray(np.log((down**2 + across**2).mean(axis=2) + _FLAT), np.float32)


def _uprightness(looks: Floats, usual: Floats, spread: Floats) -> Floats:
    """How much likelier each of the looks [k, 36] is upright than upside down, as a logarithm."""
    unlike, turned = (np.minimum(((those - usual) / spread) ** 2, _FAR**2) for those in (looks, looks[:, ::-1]))
    return np.asarray((turned - unlike).sum(axis=1) / 2, np.float32)
