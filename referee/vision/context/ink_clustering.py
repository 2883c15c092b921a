"""The ink colours of a whole table judged together: tiles printed alike look alike, whatever the lamp does to them.

One crop alone cannot always tell red from orange or black from blue under a lamp the model has not met. On a table
there are many tiles of each ink. So the hue of each print is measured: the direction in which it differs from the body
of its own tile in blue, green and red (logarithms), for how far it differs depends on how thin and how sharp it is,
which way does not. The model's opinions say which prints belong together; and each opinion is then weighed against how
its print looks beside the others: a mixture of four inks with hues about the usual ones, whose means are fitted by
expectation and maximisation from the model's opinions. The weight is bounded: what the model is sure of is doubted at
most, and an ink of which the table shows few tiles says little. Where it shows but one, the usual hues are left.
Prints may also agree on an ink that none of them has: black under a blue shadow. So none is surer of an ink than the
model was, alone, of the print that it was surest of; nor is it sure of one that the model held for another, or that is
pale and that the model was in doubt about; unless calibration has measured the inks of the box. And prints of one name
may fall apart into two hues: orange and red under a yellow lamp, all called red. Then which is which is asked.
"""

import numpy as np
import numpy.typing as npt

from referee.rules.tiles import Colour
from referee.vision.geometry.detections import INKS, Doubles, Faces, Floats
from referee.vision.profile import Inks

_Places = npt.NDArray[np.intp]
_Mask = npt.NDArray[np.bool_]

# Hues of black, red, blue and orange inks, and how they vary from box to box and lamp to lamp: means and spreads over
# 272 rendered tables.
_PRIOR_HUES = np.array([(-0.57, -0.58, -0.58), (-0.57, -0.8, -0.08), (-0.15, -0.44, -0.85), (-0.94, -0.3, -0.03)])
_PRIOR_SPREADS = np.array([(0.04, 0.03, 0.04), (0.16, 0.1, 0.1), (0.16, 0.19, 0.11), (0.08, 0.14, 0.08)])
_HUE_SPREAD = 0.015  # of one ink's hue on one table
_CONTRAST_NOISE = 0.02  # and what is added to it for a print that differs by 1
_MIN_CONTRAST = 0.05  # difference below which a print's hue is noise
_MODEL_WEIGHT = 0.7  # of the model's opinion: its errors on one table are alike
_MIN_CHANCE = 1e-3  # of an ink, however sure the model is of another
_MAX_LOG_ODDS = 6.0  # logarithm of the odds by which the table may shift an opinion
_JOKER_WEIGHT = 0.5  # of that for jokers, whose colours are their own
_DEGREES_OF_FREEDOM = 4.0  # degrees of freedom: a misread crop must not draw an ink's hue to itself
_ITERATIONS = 6
_MIN_CAP = 0.5  # what the table says is doubted, not overruled
# How far apart hues are hardly of one ink, in itself and in times their noise, and from what share of the prints of one
# name such a one is doubted: of pairs of prints of one ink on a table 99 % lie less than 0.12 to 0.2 apart, of pairs of
# red and orange or black and blue more than 0.16 to 0.21 (376 pictures, photographs under many lamps among them).
_MIN_HUE_DISTANCE, _MIN_NOISE_RATIO, _MIN_SHARE_UNLIKE = 0.2, 3.0, 0.2
_SAME_HUE_DISTANCE = 0.1  # and so near they look the same
_MIN_OTHER_PRINTS = 2  # prints: where so many surely bear the name of the other ink, the two were told apart
_CONFUSED_WITH = np.array(
    [INKS.index(letter) for letter in "BOKR"]
)  # the ink that each of KRBO is taken for under poor lamps
_MAX_DOUBTED_CHANCE = 0.8  # of that name, for most who are doubted so are named rightly; the rest is the other ink's
_PALE_CONTRAST = 0.55  # difference from the body below which what a lamp mixes in may turn a hue
_MODEL_IN_DOUBT = 0.9  # chance below which the model was in doubt, and for a pale print the table leaves it so
_MEASURED_INK_WEIGHT = 3.0  # tiles that a measured ink is worth: the lamp may have changed since


def cluster_inks(colours: Doubles, faces: Faces, known: Inks | None = None) -> Floats:
    """Ink probabilities [n, 4] of prints with these `print_colours`, given those the model gave each alone.

    `known` inks of this box under this lamp count like a few more tiles of each.
    """
    is_number = faces.symbol[:, :13].sum(axis=1) > 0.5
    weight = np.where(is_number, 1.0, _JOKER_WEIGHT)[:, None]
    hues, noise = _hues(colours)
    inks = _usual_inks(_known_prints(known))
    clear = (is_number / noise)[:, None]
    together = faces.ink.astype(np.float64)
    alone = _MODEL_WEIGHT * np.log(np.maximum(together, _MIN_CHANCE))
    near = np.ones_like(together)
    for _ in range(_ITERATIONS):
        like, near = _likeness(hues, noise, inks, together * (near * clear))
        chances = alone + weight * like
        together = np.exp(chances - chances.max(axis=1, keepdims=True))
        together /= together.sum(axis=1, keepdims=True)
    if known is None:
        together = _as_sure_as_one(together, faces.ink)
    names = together.argmax(axis=1)
    named = np.where(is_number, names, -1)
    two_hues = _of_two_hues(named, together.max(axis=1, initial=0) >= _MAX_DOUBTED_CHANCE, hues, noise)
    together = _at_most(_MAX_DOUBTED_CHANCE, together, two_hues, _CONFUSED_WITH[names])
    if known is None:
        each = np.arange(len(names))
        alone_says = faces.ink[each, names]
        others = faces.ink.copy()
        others[each, names] = -1
        second = others.argmax(axis=1)
        pale = np.linalg.norm(colours, axis=1) < _PALE_CONTRAST
        together = _at_most(_MODEL_IN_DOUBT, together, pale & (alone_says < _MODEL_IN_DOUBT), second)
        together = _at_most(_MAX_DOUBTED_CHANCE, together, alone_says < others[each, second], second)
    return np.asarray(together, np.float32)


def _at_most(most: float, chances: Doubles, doubted: _Mask, other: _Places) -> Doubles:
    """The chances [n, 4], those doubted [n] of no ink above the `most`: what is beyond goes to another ink [n]."""
    given = chances.copy()
    (rows,) = np.nonzero(doubted)
    names = chances[rows].argmax(axis=1)
    beyond = np.maximum(chances[rows, names] - most, 0)
    given[rows, names] -= beyond
    given[rows, other[rows]] += beyond
    return given


def _as_sure_as_one(together: Doubles, alone: Floats) -> Doubles:
    """The chances, none of an ink above the highest that the model gave it `alone` on any print of the table."""
    capped = np.minimum(together, np.maximum(alone.max(axis=0, initial=0), _MIN_CAP))
    left = together - capped
    others = np.where(left > 0, 0.0, together + 1e-9)
    return np.asarray(capped + left.sum(axis=1, keepdims=True) * others / others.sum(axis=1, keepdims=True))


def _of_two_hues(names: _Places, sure: _Mask, hues: Doubles, noise: Doubles) -> _Mask:
    """Which prints [n] look unlike too many of the same name, and may as well have the ink that is most like it.

    That is so where hardly any is surely named so, or where one that is looks the same. Names are places in INKS, or -1
    for a print that none is to be held against.
    """
    other = _CONFUSED_WITH[names]
    named: _Mask = names >= 0
    same = (names[:, None] == names) & named
    np.fill_diagonal(same, val=False)
    blue, green, red = ((hue[:, None] - hue) ** 2 for hue in hues.T)
    squared = blue + green + red
    unlike = same & (squared > np.maximum(_MIN_HUE_DISTANCE**2, _MIN_NOISE_RATIO**2 * (noise[:, None] + noise)))
    in_two = named & (unlike.sum(axis=1) >= np.maximum(_MIN_SHARE_UNLIKE * same.sum(axis=1), 1))
    others = (names == other[:, None]) & sure
    nearest = np.where(others, squared, np.inf).min(axis=1, initial=np.inf)
    return np.asarray(in_two & ((others.sum(axis=1) < _MIN_OTHER_PRINTS) | (nearest < _SAME_HUE_DISTANCE**2)))


def _likeness(
    hues: Doubles, noise: Doubles, inks: tuple[Doubles, Doubles], members: Doubles
) -> tuple[Doubles, Doubles]:
    """How like each ink [n, 4] each print is (logarithm, bounded), and how near: 1 and more within its spread.

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


def _usual_inks(known: Doubles | None) -> tuple[Doubles, Doubles]:
    """What is held of each ink's hue before the table is seen: precisions [4, 3], and hues times precisions."""
    counts, sums = _PRIOR_SPREADS**-2, _PRIOR_HUES * _PRIOR_SPREADS**-2
    if known is None:
        return counts, sums
    hues, noise = _hues(known)
    return counts + (_MEASURED_INK_WEIGHT / noise)[:, None], sums + hues * (_MEASURED_INK_WEIGHT / noise)[:, None]


def _known_prints(inks: Inks | None) -> Doubles | None:
    """The colours of prints [4, 3] that calibration measured, in the order of INKS; None where it did not."""
    if inks is None or len(inks.prints) < len(INKS):
        return None
    return np.array([inks.prints[Colour(letter)] for letter in INKS], np.float64)


def _hues(colours: Doubles) -> tuple[Doubles, Doubles]:
    """The directions [n, 3] of `print_colours`, and the variance [n] with which each is seen."""
    length = np.maximum(np.linalg.norm(colours, axis=1), _MIN_CONTRAST)
    return colours / length[:, None], _HUE_SPREAD**2 + (_CONTRAST_NOISE / length) ** 2
