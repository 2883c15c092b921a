"""The ink colours of a whole table judged together: tiles printed alike look alike, whatever the lamp does to them.

One crop alone cannot always tell red from orange or black from blue under a lamp the model has not met. On a table
there are many tiles of each ink. So the hue of each print is measured: the direction in which it differs from the body
of its own tile in blue, green and red (logarithms), for how far it differs depends on how thin and how sharp it is,
which way does not. What is known of the tiles says which prints belong together; how each print looks beside the others
is added to it: a mixture of four inks with hues about the usual ones, whose means are fitted by expectation and
maximisation. Now and then a print looks like no ink at all, so the table alone overrules nobody who is sure, and an ink
of which the table shows few tiles says little. Where it shows but one, the usual hues are left.
"""

import numpy as np
import numpy.typing as npt

from referee.rules.tiles import Colour, NumberTile
from referee.vision.classify.naming import LogOdds
from referee.vision.context.tuning import TUNING
from referee.vision.geometry.detections import INKS, Doubles
from referee.vision.image.colour_channels import PRINTED, print_colours_on_white
from referee.vision.profile import Inks


def apply_inks(names: LogOdds, prints: Doubles | None, known: Inks | None = None) -> LogOdds:
    """Return the log-odds, and what the table tells of the ink of each crop, by its `print_colours` [n, 3].

    Without any, for a picture that has no colour, all inks are as likely. `known` inks of this box under this lamp
    count like a few more tiles of each.
    """
    of_ink = np.array([[tile.colour is Colour(letter) for tile in names.tiles] for letter in INKS])
    alone = np.stack([np.logaddexp.reduce(names.odds[:, :-2][:, tiles], axis=1) for tiles in of_ink], axis=1)
    alone -= np.logaddexp.reduce(alone, axis=1, keepdims=True)
    if prints is None:
        term = -np.log(len(INKS)) - alone
    else:
        numbers = [isinstance(tile, NumberTile) for tile in names.tiles]
        is_number = names.chances[:, :-2][:, numbers].sum(axis=1) > 0.5
        like = _likeness(prints, alone, is_number, _usual_inks(known))
        term = like - np.logaddexp.reduce(alone + like, axis=1, keepdims=True)
    return names.plus(np.column_stack([term @ of_ink, np.zeros((len(term), 2))]))


def _likeness(
    prints: Doubles, alone: Doubles, is_number: npt.NDArray[np.bool_], inks: tuple[Doubles, Doubles]
) -> Doubles:
    """Return how like each ink [n, 4] each print is (logarithm); numbers show what the inks look like here.

    What is known of the ink of each `alone` [n, 4] (logarithm) says which prints are of one ink.
    """
    hues, noise = _hues(prints)
    clear = (is_number / noise)[:, None]
    like, near = np.zeros_like(alone), np.ones_like(alone)
    for _ in range(TUNING.ink_rounds):
        chances = alone + like
        together = np.exp(chances - np.logaddexp.reduce(chances, axis=1, keepdims=True))
        like, near = _likeness_beside(hues, noise, inks, together * (near * clear))
    return like


def _likeness_beside(
    hues: Doubles, noise: Doubles, inks: tuple[Doubles, Doubles], members: Doubles
) -> tuple[Doubles, Doubles]:
    """Return how like each ink [n, 4] each print is (logarithm) beside its `members`, and how near: 1 in a spread.

    An ink's mean is that of the other prints: a print must not find an ink like itself because it was counted in.
    """
    counts, sums = (those.T[:, None] for those in inks)  # [3, 1, 4]: numpy is slow along an axis of three
    seen = hues.T[:, :, None]
    precision = counts + members.sum(axis=0) - members
    apart = seen - (sums + (hues.T @ members)[:, None] - members * seen) / precision
    blue, green, red = 1 / precision
    variance = noise[:, None] + (blue + green + red) / 3
    blue, green, red = apart * apart
    distance, freedom = (blue + green + red) / variance, TUNING.degrees_of_freedom
    like = -0.5 * (freedom + 2) * np.log1p(distance / freedom) - np.log(variance)
    shares = np.exp(like - like.max(axis=1, keepdims=True))
    return np.log(shares + TUNING.outliers), (freedom + 2) / (freedom + distance)


def _usual_inks(known: Inks | None) -> tuple[Doubles, Doubles]:
    """Return what is held of each ink's hue before the table is seen: precisions [4, 3], and hues times precisions.

    Calibration may have measured the prints of all four.
    """
    printed, _ = _hues(print_colours_on_white(np.array([PRINTED[Colour(letter)] for letter in INKS], np.float64)))
    counts = np.full(printed.shape, TUNING.prior_spread**-2)
    sums = printed * counts
    if known is None or len(known.prints) < len(INKS):
        return counts, sums
    hues, noise = _hues(np.array([known.prints[Colour(letter)] for letter in INKS], np.float64))
    weight = (TUNING.measured_ink_weight / noise)[:, None]
    return counts + weight, sums + hues * weight


def _hues(colours: Doubles) -> tuple[Doubles, Doubles]:
    """Return the directions [n, 3] of `print_colours`, shorter where they are faint, and the variance [n] of each."""
    length = np.hypot(np.linalg.norm(colours, axis=1), TUNING.contrast_noise)
    return colours / length[:, None], TUNING.hue_spread**2 + (TUNING.contrast_noise / length) ** 2
