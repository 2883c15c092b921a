"""Tuning of classification."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Try another value by `python -m models.training.ablate --photos ../shared/photos --set classify.NAME=VALUE`."""

    # Test-time augmentation (augmented_reading)
    min_first_confidence: float = 0.995  # from which the quick reader's output is final
    min_confidence: float = 0.98  # below which a tile is re-read
    max_recrops: int = 48  # tiles per look, most doubtful first: bounds the time on a small machine
    recrop_shift: float = 0.04  # tile widths, in both directions

    # A detection is dropped if both models doubt it (pipeline)
    min_locate_score: float = 0.65  # a lower score is doubtful
    max_no_face: float = 0.1  # a higher no-face probability is doubtful

    # Names of faces (naming)
    special_joker_share: float = 0.02  # prior that an unknown box has special jokers
    drawn_joker_weight: float = 0.4  # of the reader's log-odds between jokers, in a box that was not shown to it

    # Enrolment: `python benchmarks/enrol.py` measures other values
    training_looks: int = 48  # per tile, in each orientation
    extra_looks: int = 6  # per crop that may show an enrolled face
    size_error: float = 0.08  # log error of a located quad's sides on rendered tables,
    turn_error: float = 3.0  # of its angle in degrees,
    place_error: float = 1.8  # and of its centre in crop pixels
    min_similarity: float = 0.7  # cosine, below which a crop never matches an enrolled face
    similarity_slack: float = 0.1  # cosine: real crops differ slightly more than simulated ones
    same: float = 0.965  # cosine, from which a crop shows an enrolled face: drawn jokers have 0.974, others up to 0.950
    max_confused: float = 0.05  # mean probability of another face, above which a pair is reported
    min_number_confidence: float = 0.9  # above it a crop is a number, unless its cosine to an enrolled face is as high
    max_confidence: float = 0.995  # that a crop similar to an enrolled face shows one, whatever the reader says
    reader_weight: float = 0.15  # of the reader's log-odds for enrolled faces, which may be new to it
    shrinkage: float = 0.003  # of the covariance: 32 dimensions from about a hundred looks
    log_odds_divisor: float = 1.2  # simulated jitter underestimates the real spread


TUNING: Final = Tuning()
