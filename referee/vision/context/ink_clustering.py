"""Ink clustering: the ink colours of a whole table judged together, whatever the lamp does to them.

Under an unfamiliar lamp a single crop may not tell red from orange or black from blue, but a table has many tiles of
each ink. Each print's hue is the direction in which log(blue, green, red) differs from the body of its own tile; the
distance depends on stroke width and sharpness, the direction does not. A mixture of four inks with priors on their
hues is fitted by expectation maximisation, starting from the reader's ink probabilities. An outlier term keeps the
table from overruling a confident reader; an ink with few tiles says little, and one with a single tile keeps its prior.
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
    """Return the log-odds, with the evidence of all `print_colours` [n, 3] for each crop's ink added.

    Without them, in a picture without colour, all inks become equally likely. Calibrated inks `known` count like a few
    more tiles of each.
    """
    of_ink = np.array([[tile.colour is Colour(letter) for tile in names.tiles] for letter in INKS])
    alone = np.stack([np.logaddexp.reduce(names.odds[:, :-2][:, tiles], axis=1) for tiles in of_ink], axis=1)
    alone -= np.logaddexp.reduce(alone, axis=1, keepdims=True)
    if prints is None:
        term = -np.log(len(INKS)) - alone
    else:
        numbers = [isinstance(tile, NumberTile) for tile in names.tiles]
        is_number = names.probabilities[:, :-2][:, numbers].sum(axis=1) > 0.5
        like = _ink_log_likelihood(prints, alone, is_number, _prior_hues(known))
        term = like - np.logaddexp.reduce(alone + like, axis=1, keepdims=True)
    return names.add(np.column_stack([term @ of_ink, np.zeros((len(term), 2))]))


def _ink_log_likelihood(
    prints: Doubles, alone: Doubles, is_number: npt.NDArray[np.bool_], inks: tuple[Doubles, Doubles]
) -> Doubles:
    """Return the log-likelihood [n, 4] of each print under each ink; only numbers define the inks.

    `alone` [n, 4] are the log-probabilities of the inks from each crop alone, from which the fit starts.
    """
    hues, noise = _hues(prints)
    clear = (is_number / noise)[:, None]
    like, near = np.zeros_like(alone), np.ones_like(alone)
    for _ in range(TUNING.em_rounds):
        chances = alone + like
        together = np.exp(chances - np.logaddexp.reduce(chances, axis=1, keepdims=True))
        like, near = _expectation_step(hues, noise, inks, together * (near * clear))
    return like


def _expectation_step(
    hues: Doubles, noise: Doubles, inks: tuple[Doubles, Doubles], members: Doubles
) -> tuple[Doubles, Doubles]:
    """Return the log-likelihood [n, 4] of each print under each ink, and its weight [n, 4] in a robust mean.

    `members` [n, 4] weigh the prints in each ink's mean. A print's own weight is left out, or it would match itself.
    """
    counts, sums = (those.T[:, None] for those in inks)  # [3, 1, 4]: NumPy is slow along a length-3 axis
    seen = hues.T[:, :, None]
    precision = counts + members.sum(axis=0) - members
    apart = seen - (sums + (hues.T @ members)[:, None] - members * seen) / precision
    blue, green, red = 1 / precision
    variance = noise[:, None] + (blue + green + red) / 3
    blue, green, red = apart * apart
    distance, freedom = (blue + green + red) / variance, TUNING.degrees_of_freedom
    like = -0.5 * (freedom + 2) * np.log1p(distance / freedom) - np.log(variance)
    shares = np.exp(like - like.max(axis=1, keepdims=True))
    return np.log(shares + TUNING.outlier_share), (freedom + 2) / (freedom + distance)


def _prior_hues(known: Inks | None) -> tuple[Doubles, Doubles]:
    """Return the prior on the inks' hues: precisions [4, 3], and hues times precisions [4, 3].

    Calibrated prints, if all four are known, sharpen it.
    """
    printed, _ = _hues(print_colours_on_white(np.array([PRINTED[Colour(letter)] for letter in INKS], np.float64)))
    counts = np.full(printed.shape, TUNING.prior_spread**-2)
    sums = printed * counts
    if known is None or len(known.prints) < len(INKS):
        return counts, sums
    hues, noise = _hues(np.array([known.prints[Colour(letter)] for letter in INKS], np.float64))
    weight = (TUNING.measured_ink_tiles / noise)[:, None]
    return counts + weight, sums + hues * weight


def _hues(colours: Doubles) -> tuple[Doubles, Doubles]:
    """Return the directions [n, 3] of `print_colours`, shorter for faint prints, and their variances [n]."""
    length = np.hypot(np.linalg.norm(colours, axis=1), TUNING.contrast_noise)
    return colours / length[:, None], TUNING.hue_spread**2 + (TUNING.contrast_noise / length) ** 2
