"""Tiles taken for lying on another side: seen far aslant they look wider than high, and the digit lies on its side.

Such a tile hardly shows a face, or it shows another one: a 2 on its side may pass for a 10. So what hardly shows a
face, and what lies across the tiles around it, is read after a quarter turn as well. What then surely shows a face is
turned; where it shows one either way, more surely so when turned, neither is to be believed.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from referee.vision.detections import Faces, Floats, are_named
from referee.vision.geometry import GLANCE_SIZE, half_vectors, quarter_turned, rectify
from referee.vision.looks import DOUBTFUL, Read, certainty, show_faces
from referee.vision.pyramid import Pyramid
from referee.vision.sizes import as_large

_JOKERS = are_named("J", "JD", "JC", "JM")
_HARDLY_A_FACE = 0.5  # certainty below which a tile may lie on another side than was thought
_SURELY_TURNED: Final = 0.99  # and from which a face that shows after a quarter turn is one
_ALMOST_SURE = 0.9  # as surely as this a face shows the way a tile was thought to lie
_NEIGHBOURS, _FEW = 4, 2  # sure tiles nearest by that tell which way tiles lie here; fewer do not
_ACROSS = -0.5  # cosine of twice the angle to them, on average: from 60 degrees on

_Mask = npt.NDArray[np.bool_]


class Sidelong(NamedTuple):
    """Which tiles [n] lie on another side than was thought, and which may lie either way."""

    turned: _Mask
    either: _Mask


def sidelong(image: Pyramid, quads: Floats, faces: Faces, read: Read) -> Sidelong:
    """Which of the quads [n, 4, 2], which show these faces, are to be turned by a quarter, and which may have to be.

    A digit that lies on its side may pass for a joker, so one in doubt is turned as well; but not into another. Nor is
    what would then lie across the tiles around it: an 8 on its side may pass for a 10.
    """
    shown, jokers = show_faces(faces), _show_jokers(faces)
    now, then = np.where(shown, certainty(faces), 0), np.zeros(len(quads), np.float32)

    def turn(which: _Mask) -> None:
        if not which.any():
            return
        otherwise = read(rectify(image, quarter_turned(quads, which)[which], GLANCE_SIZE))
        into_a_joker = jokers[which] & _show_jokers(otherwise)
        then[which] = np.where(show_faces(otherwise) & ~into_a_joker, certainty(otherwise), 0)

    hardly = now < np.where(jokers, DOUBTFUL, _HARDLY_A_FACE)
    turn(hardly & as_large(quads, ~hardly))
    turned, sure = then > _SURELY_TURNED, now >= DOUBTFUL
    if turned.any():
        askew = turned & _lie_across(quarter_turned(quads, turned), sure) & ~_lie_across(quads, sure)
        turned, then[askew] = turned & ~askew, 0
    turn(~turned & _lie_across(quarter_turned(quads, turned), turned | sure))
    turned = (then > _SURELY_TURNED) & (then > now)
    either = (then >= DOUBTFUL) & (then > now) & (now >= np.where(turned, _ALMOST_SURE, _HARDLY_A_FACE))
    return Sidelong(turned, either)


def _show_jokers(faces: Faces) -> _Mask:
    """Which are most likely jokers of any kind."""
    return np.asarray(_JOKERS[faces.symbol.argmax(axis=1)])


def _lie_across(quads: Floats, sure: _Mask) -> _Mask:
    """Which of the quads [n, 4, 2] lie across the sure ones nearest by."""
    count = min(_NEIGHBOURS, int(np.count_nonzero(sure)) - 1)
    if count < _FEW:
        return np.zeros(len(quads), bool)
    centre, up, _ = half_vectors(quads)
    x, y = (here[:, None] - here[sure] for here in centre.T)
    far = x * x + y * y  # [n, sure]
    far[np.nonzero(sure)[0], np.arange(far.shape[1])] = np.inf
    nearest = far <= np.partition(far, count - 1, axis=1)[:, count - 1, None]
    twice = 2 * np.arctan2(up[:, 1], up[:, 0])
    ways = np.stack([np.cos(twice), np.sin(twice)], axis=1)
    alike = ((nearest.astype(np.float32) @ ways[sure]) * ways).sum(axis=1) / nearest.sum(axis=1)
    return np.asarray(alike < _ACROSS)
