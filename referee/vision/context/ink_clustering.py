"""The ink colours of a whole table judged together: tiles printed alike look alike, whatever the lamp does to them.

One crop alone cannot always tell red from orange or black from blue under a lamp the model has not met. On a table
there are many tiles of each ink. So the hue of each print is measured: the direction in which it differs from the body
of its own tile in blue, green and red (logarithms), for how far it differs depends on how thin and how sharp it is,
which way does not. The model's opinions say which prints belong together; and each opinion is then weighed against how
its print looks beside the others: a mixture of four inks with hues about the usual ones, whose means are fitted by
expectation and maximisation from the model's opinions. The weight is bounded: what the model is sure of is doubted at
most, and an ink of which the table shows few tiles says little. Where it shows but one, the usual hues are left.
"""

import numpy as np

from referee.rules.tiles import Colour
from referee.vision.geometry.detections import INKS, NUMBERS, Doubles, Faces, Floats
from referee.vision.image.colour_channels import PRINTED, on_white
from referee.vision.profile import Inks

_PRIOR_SPREAD = 0.11  # of an ink's hue from box to box and lamp to lamp (272 rendered tables)
_HUE_SPREAD = 0.015  # of one ink's hue on one table
_CONTRAST_NOISE = 0.02  # and what is added to it for a print that differs by 1
_MIN_CONTRAST = 0.05  # difference below which a print's hue is noise
_MIN_CHANCE = 1e-3  # of an ink, however sure the model is of another
_MAX_LOG_ODDS = 6.0  # logarithm of the odds by which the table may shift an opinion
_DEGREES_OF_FREEDOM = 4.0  # degrees of freedom: a misread crop must not draw an ink's hue to itself
_ITERATIONS = 6
_MEASURED_INK_WEIGHT = 3.0  # tiles that a measured ink is worth: the lamp may have changed since


def cluster_inks(colours: Doubles, faces: Faces, known: Inks | None = None) -> Floats:
    """Ink probabilities [n, 4] of prints with these `print_colours`, given those the model gave each alone.

    `known` inks of this box under this lamp count like a few more tiles of each.
    """
    is_number = faces.symbol[:, NUMBERS].sum(axis=1) > 0.5
    hues, noise = _hues(colours)
    inks = _usual_inks(known)
    clear = (is_number / noise)[:, None]
    together = faces.ink.astype(np.float64)
    alone = np.log(np.maximum(together, _MIN_CHANCE))
    near = np.ones_like(together)
    for _ in range(_ITERATIONS):
        like, near = _likeness(hues, noise, inks, together * (near * clear))
        chances = alone + like
        together = np.exp(chances - chances.max(axis=1, keepdims=True))
        together /= together.sum(axis=1, keepdims=True)
    return np.asarray(together, np.float32)


def _likeness(
    hues: Doubles, noise: Doubles, inks: tuple[Doubles, Doubles], members: Doubles
) -> tuple[Doubles, Doubles]:
    """Return how like each ink [n, 4] each print is (logarithm, bounded), and how near: 1 and more within its spread.

    An ink's mean is that of the other prints: a print must not find an ink like itself because it was counted in.
    """
    counts, sums = (those.T[:, None] for those in inks)  # [3, 1, 4]: numpy is slow along an axis of three
    seen = hues.T[:, :, None]
    precision = counts + members.sum(axis=0) - members
    apart = seen - (sums + (hues.T @ members)[:, None] - members * seen) / precision
    blue, green, red = 1 / precision
    variance = noise[:, None] + (blue + green + red) / 3
    blue, green, red = apart * apart
    distance = (blue + green + red) / variance
    like = -0.5 * (_DEGREES_OF_FREEDOM + 2) * np.log1p(distance / _DEGREES_OF_FREEDOM) - np.log(variance)
    return np.maximum(like - like.max(axis=1, keepdims=True), -_MAX_LOG_ODDS), (_DEGREES_OF_FREEDOM + 2) / (
        _DEGREES_OF_FREEDOM + distance
    )


def _usual_inks(known: Inks | None) -> tuple[Doubles, Doubles]:
    """Return what is held of each ink's hue before the table is seen: precisions [4, 3], and hues times precisions.

    Calibration may have measured the prints of all four.
    """
    printed, _ = _hues(on_white(np.array([PRINTED[Colour(letter)] for letter in INKS], np.float64)))
    counts = np.full(printed.shape, _PRIOR_SPREAD**-2)
    sums = printed * counts
    if known is None or len(known.prints) < len(INKS):
        return counts, sums
    hues, noise = _hues(np.array([known.prints[Colour(letter)] for letter in INKS], np.float64))
    weight = (_MEASURED_INK_WEIGHT / noise)[:, None]
    return counts + weight, sums + hues * weight


def _hues(colours: Doubles) -> tuple[Doubles, Doubles]:
    """Return the directions [n, 3] of `print_colours`, and the variance [n] with which each is seen."""
    length = np.maximum(np.linalg.norm(colours, axis=1), _MIN_CONTRAST)
    return colours / length[:, None], _HUE_SPREAD**2 + (_CONTRAST_NOISE / length) ** 2
