"""The tuned numbers of what tiles tell of one another."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Try another value by `python -m models.training.ablate --photos ../shared/photos --set context.NAME=VALUE`."""

    # Hues of prints, lengths of unit vectors (ink_clustering)
    prior_spread: float = 0.11  # of an ink's hue from box to box and lamp to lamp (272 rendered tables)
    hue_spread: float = 0.015  # of one ink's hue on one table
    contrast_noise: float = 0.02  # and what is added to it for a print that differs by 1 (logarithm) from its tile
    degrees_of_freedom: float = 4.0  # a misread crop must not draw an ink's hue to itself
    outliers: float = 0.0025  # how likely a print looks like no ink, beside one that looks like its own
    measured_ink_weight: float = 3.0  # tiles that a measured ink is worth: the lamp may have changed since
    ink_rounds: int = 6

    # Copies of a box (multiplicity_prior)
    message_rounds: int = 6  # more change nothing that counts
    max_boxes: int = 2  # of as many tiles as these hold, or more, no box tells how many of each there are


TUNING: Final = Tuning()
