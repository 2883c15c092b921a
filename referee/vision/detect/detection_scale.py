"""How a camera that keeps still sees its tiles best: at which scale, and in which direction made longer.

Found once, from tiles that were read, it saves the search for a good scale from then on.
"""

from typing import Final, NamedTuple

import numpy as np

from referee.reading.observation import TableReading
from referee.vision.detect.foreshortening import AS_IT_IS, Lengthening, lengthening
from referee.vision.detect.tuning import TUNING
from referee.vision.geometry.detections import Floats
from referee.vision.geometry.quads import heights_and_widths, long_sides
from referee.vision.networks.models import MULTIPLE
from referee.vision.profile import Profile

SHIFTS: Final = (0, MULTIPLE // 3, 2 * MULTIPLE // 3)  # of a zoom, for looks at a table that keeps still


class Zoom(NamedTuple):
    """At which scale a picture is looked at, and in which direction it is made longer beyond that.

    `shift`, one of SHIFTS, moves what is looked at by so many pixels right and down: what the locate model hardly sees
    it may see or overlook by how the squares lie that it sums up. Each look also cuts out otherwise what is in doubt.
    """

    scale: float
    longer: Lengthening = AS_IT_IS
    shift: int = 0


def zoom_of(reading: TableReading) -> Zoom | None:
    """Return how these tiles are seen best, for a camera that keeps still; None where too few tell.

    Backs do not show which way up they lie, and so not how short; of two faces that look short one may be half hidden.
    """
    quads = np.array([tile.quad for tile in reading.tiles], np.float32)
    upright = quads[[tile.tile is not None for tile in reading.tiles]]
    if not len(upright):
        return None
    longer = _worth_it(lengthening(upright))
    return (
        _zoom(long_sides(longer.applied(quads)), longer)
        if longer == AS_IT_IS or len(upright) >= TUNING.min_tiles_for_stretch
        else None
    )


def over_all_of_the_table(zoom: Zoom | None, profile: Profile | None) -> Zoom | None:
    """Return the zoom, or that of the profile, by which a tile is seen at the far end of the table too."""
    squares = profile.tile_squares() if profile else None
    if squares is None:
        return zoom
    longer = zoom.longer if zoom else _worth_it(lengthening(squares[:1], proportion=1.0))
    wanted = _zoom(heights_and_widths(longer.applied(squares)).mean(axis=1), longer)
    return zoom._replace(scale=max(zoom.scale, wanted.scale)) if zoom else wanted


def _worth_it(longer: Lengthening) -> Lengthening:
    return longer if longer.times > TUNING.min_stretch else AS_IT_IS


def _zoom(sides: Floats, longer: Lengthening) -> Zoom:
    """Return the scale at which tiles of these long sides, small far ones too, are seen best."""
    usual, small = (float(side) for side in np.percentile(sides, (50, TUNING.small_percentile)))
    return Zoom(min(1.0, max(TUNING.target_long_side / usual, TUNING.min_long_side / small)), longer)
