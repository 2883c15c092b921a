"""The ink colours of a whole table judged together: tiles printed alike look alike, whatever the lamp does to them.

One crop alone cannot always tell red from orange or black from blue under a lamp the model has not met. On a table
there are many tiles of each ink. So the colour of each print, relative to the body of its own tile, is measured; the
model's opinions say which prints belong together; and each opinion is then weighed against how its print looks beside
the others (a mixture of four Gaussians with one spread, fitted by expectation and maximisation from the model's
opinions). The weight is bounded: what the model is sure of cannot be overruled, and a table of few tiles says little.
"""

import numpy as np
import numpy.typing as npt

from referee.rules.tiles import Colour
from referee.vision.detections import INKS, Faces, Floats
from referee.vision.frame import Image
from referee.vision.profile import Inks

_INNER = (slice(None), slice(8, 56, 3), slice(7, 41, 3))  # every third pixel of the tile's face, its rim left out
_BODY = (0.55, 0.95)  # of the pixels by brightness: neither print nor glare
_PRINT = 0.05  # of the pixels: what differs most from the body
_DARK = 8.0  # grey levels below which colours are noise
_LOGARITHMS = np.log(np.arange(256, dtype=np.float32) + np.float32(_DARK))
_SPREAD, _WORTH = (
    0.12,
    12.0,
)  # of one ink's colour (logarithmic) where nothing is known, and how many tiles that is worth
_TRUST = 0.85  # of the model's opinion: its errors on one table are alike
_MOST = 2.0  # logarithm of the odds by which the table may shift an opinion
_CERTAIN = 0.98  # a table without a doubt needs no judging
_TAILS = 8.0  # degrees of freedom: a misread crop must not draw an ink's colour to itself
_ROUNDS = 6
_KNOWN = 3.0  # tiles that a measured ink is worth: the lamp may have changed since
_LEAST = 0.7  # tiles of an ink below which its colour is unknown

_Doubles = npt.NDArray[np.float64]


def judge_together(colours: _Doubles, faces: Faces, known: Inks | None = None) -> Floats:
    """Ink probabilities [n, 4] of prints with these `print_colours`, given those the model gave each alone.

    `known` inks of this box under this lamp count like a few more tiles of each.
    """
    prints = known_prints(known)
    if (len(faces) < 2 and prints is None) or not len(faces) or faces.ink.max(axis=1).min() > _CERTAIN:
        return faces.ink
    numbers = faces.symbol[:, :13].sum(axis=1).astype(np.float64)  # jokers and backs have colours of their own
    alone = _TRUST * np.log(np.maximum(faces.ink.astype(np.float64), 1e-5))
    together = faces.ink.astype(np.float64)
    for _ in range(_ROUNDS):
        chances = alone + _likeness(colours, together * numbers[:, None], prints)
        together = np.exp(chances - chances.max(axis=1, keepdims=True))
        together /= together.sum(axis=1, keepdims=True)
    return np.where(numbers[:, None] > 0.5, together, faces.ink).astype(np.float32)


def known_prints(inks: Inks | None) -> _Doubles | None:
    """The colours of prints [4, 3] that calibration measured, in the order of INKS; None where it did not."""
    if inks is None or len(inks.prints) < len(INKS):
        return None
    return np.array([inks.prints[Colour(letter)] for letter in INKS], np.float64)


def print_colours(crops: Image) -> _Doubles:
    """The colour of each print [n, 3]: logarithms of blue, green and red relative to the tile's body."""
    pixels = _faces_of(crops)
    count = pixels.shape[1]
    relative = _LOGARITHMS[pixels] - np.log(_bodies(pixels) + _DARK)[:, None]
    printed = np.argsort(-_of_channels(np.abs(relative)), axis=1)[:, : max(4, round(count * _PRINT))]
    return np.asarray(_mean_of(relative, printed), np.float64)


def body_colours(crops: Image) -> Floats:
    """The colour of each tile's body [n, 3]: blue, green and red."""
    return _bodies(_faces_of(crops))


def _bodies(pixels: Image) -> Floats:
    count = pixels.shape[1]
    values = pixels.astype(np.float32)
    order = np.argsort(_of_channels(values), axis=1)[:, round(count * _BODY[0]) : round(count * _BODY[1])]
    return _mean_of(values, order)


def _mean_of(values: Floats, chosen: npt.NDArray[np.intp]) -> Floats:
    """The mean [n, 3] of the chosen of each tile's values [n, count, 3]."""
    rows = chosen + np.arange(len(values))[:, None] * values.shape[1]
    return np.asarray(np.einsum("nkc->nc", values.reshape(-1, 3)[rows]) / chosen.shape[1], np.float32)


def _of_channels(pixels: Floats) -> Floats:
    """The sum over the channels; to add up three planes is ten times as quick as to sum along the shortest axis."""
    return np.asarray(pixels[..., 0] + pixels[..., 1] + pixels[..., 2], np.float32)


def _faces_of(crops: Image) -> Image:
    return crops[_INNER].reshape(len(crops), -1, 3)


def _likeness(colours: _Doubles, members: _Doubles, known: _Doubles | None) -> _Doubles:
    """How like each ink [n, 4] each print is (logarithm, bounded), given who belongs to it how surely."""
    counts, sums = members.sum(axis=0), members.T @ colours
    if known is not None:
        counts, sums = counts + _KNOWN, sums + _KNOWN * known
    means = sums / np.maximum(counts, 1e-6)[:, None]
    apart = colours[:, None] - means
    spread = np.einsum("nk,nki,nkj->ij", members, apart, apart) + np.eye(3) * _WORTH * _SPREAD**2
    inverse = np.linalg.inv(spread / (members.sum() + _WORTH))
    distance = np.einsum("nki,ij,nkj->nk", apart, inverse, apart)
    distance[:, counts < _LEAST] = 9.0  # an ink not seen yet: as if three spreads away
    like = -0.5 * (_TAILS + 3) * np.log1p(distance / _TAILS)
    return np.asarray(np.maximum(like - like.max(axis=1, keepdims=True), -_MOST))
