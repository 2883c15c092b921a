"""Tuning of the evidence that tiles provide about one another."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Try another value by `python -m models.training.ablate --photos ../shared/photos --set context.NAME=VALUE`."""

    # Hues of prints, in units of unit vectors (ink_clustering)
    prior_spread: float = 0.11  # of an ink's hue between boxes and lamps (272 rendered tables)
    hue_spread: float = 0.015  # of an ink's hue on one table
    contrast_noise: float = 0.02  # added to it for a print that differs from its tile by 1 (log)
    degrees_of_freedom: float = 4.0  # Student's t: a misread crop must not attract an ink's hue
    outlier_share: float = 0.0025  # likelihood of a print that fits no ink, relative to one that fits its own
    measured_ink_tiles: float = 3.0  # weight of a calibrated ink: the lamp may have changed since
    em_rounds: int = 6

    # Copies of a box (multiplicity_prior)
    message_rounds: int = 6  # more change nothing significant
    max_boxes: int = 2  # with more tiles than these boxes hold, the prior does not apply

    # The way up of a 6 or 9 (way_up)
    way_up_weight: float = 4.6  # log-odds of four neighbours: 16 of 17 misread ones lie against them, 4 of 443 others
    voters: int = 4
    min_decisive: float = 0.9  # probability of a number that tells its way up

    # What is no tile (guards)
    max_size_error: float = 0.09  # log of the geometric mean of a tile's sides; of 1,000 tiles one is off by 0.068
    max_shape_error: float = 0.15  # log of the height over the width; of 1,000 tiles one is off by 0.10
    min_sure_share: float = 0.6  # of a picture's faces; below it none is sure


TUNING: Final = Tuning()
