"""The tuned numbers of reading faces."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Try another value by `python -m models.training.ablate --photos ../shared/photos --set classify.NAME=VALUE`."""

    # Which faces are looked at again (augmented_reading)
    sure_at_first: float = 0.995  # certainty from which a look of the quick reader tells by itself
    doubtful: float = 0.98  # certainty below which a crop does not tell by itself what it shows
    max_recrops: int = 48  # tiles cut out anew, the most doubtful first: a small machine has its limits
    recrop_shift: float = 0.04  # tile widths by which a tile is cut out beside its place, across and along

    # What both models doubt is a tile (pipeline)
    hardly_located: float = 0.65  # score of the locate model below which
    hardly_a_face: float = 0.1  # and chance of no face above which it is none

    # What a tile may be called (naming)
    special_share: float = 0.02  # how often a box that nobody named has special jokers

    # Faces learnt from one picture (enrolment): `python benchmarks/enrol.py` tells what another value does
    learnt_looks: int = 48  # each both ways up
    more_looks: int = 6  # at a face that may be an enrolled one
    size_error: float = 0.08  # how far a located quad is off, on rendered tables: its sides (logarithmic),
    turn_error: float = 3.0  # its turn in degrees,
    place_error: float = 1.8  # and its middle in pixels of the crop
    min_near: float = 0.7  # cosine: less alike than this is another face whatever the others are
    slack: float = 0.1  # of the cosine: another look differs a little more than the looks we made up
    max_confused: float = 0.05  # the chance that looks at one face give another may not be larger on average
    surely_a_number: float = 0.9  # what is read so surely is no new joker, unless it looks so much (cosine) like one
    max_confidence: float = 0.995  # that what looks like an enrolled face is one, whatever number the reader sees
    reader_weight: float = 0.15  # of the reader's log-odds of enrolled faces: it may never have seen such
    shrinkage: float = 0.003  # of the spread of looks, for 32 directions and a hundred looks
    caution: float = 1.2  # looks that are made up differ less than true ones: log-odds are divided by this


TUNING: Final = Tuning()
