"""The detection scale of a fixed camera: the scale and stretch at which its tiles are located best.

It is fitted once to tiles that were read and saves the scale search from then on.
"""

from typing import Final, NamedTuple

import numpy as np

from referee.reading.observation import TableReading
from referee.vision.detect.foreshortening import NO_STRETCH, Stretch, estimate_stretch
from referee.vision.detect.tuning import TUNING
from referee.vision.geometry.detections import Floats
from referee.vision.geometry.quads import heights_and_widths, long_sides
from referee.vision.networks.models import MULTIPLE
from referee.vision.profile import Profile

SHIFTS: Final = (0, MULTIPLE // 3, 2 * MULTIPLE // 3)  # pixels, for successive looks at a still table


class Zoom(NamedTuple):
    """The scale at which a picture is shown to the locate model, and an additional stretch.

    `shift`, one of SHIFTS, moves the picture right and down by that many pixels: whether the model finds a faint tile
    depends on how its pooling grid lies. Each shift also uses another crop jitter for doubtful tiles.
    """

    scale: float
    stretch: Stretch = NO_STRETCH
    shift: int = 0


def fit_zoom(reading: TableReading) -> Zoom | None:
    """Return the zoom that suits these tiles, for a fixed camera; None if there are too few.

    Only faces count, as a back's orientation is unknown; of two foreshortened faces one may be half hidden.
    """
    quads = np.array([tile.quad for tile in reading.tiles], np.float32)
    upright = quads[[tile.tile is not None for tile in reading.tiles]]
    if not len(upright):
        return None
    stretch = _if_significant(estimate_stretch(upright))
    return (
        _fit_scale(long_sides(stretch.apply(quads)), stretch)
        if stretch == NO_STRETCH or len(upright) >= TUNING.min_tiles_for_stretch
        else None
    )


def cover_whole_table(zoom: Zoom | None, profile: Profile | None) -> Zoom | None:
    """Return the zoom, or the profile's, at a scale that also suits tiles at the far end of the table."""
    squares = profile.tile_squares() if profile else None
    if squares is None:
        return zoom
    stretch = zoom.stretch if zoom else _if_significant(estimate_stretch(squares[:1], proportion=1.0))
    wanted = _fit_scale(heights_and_widths(stretch.apply(squares)).mean(axis=1), stretch)
    return zoom._replace(scale=max(zoom.scale, wanted.scale)) if zoom else wanted


def _if_significant(stretch: Stretch) -> Stretch:
    return stretch if stretch.factor > TUNING.min_stretch else NO_STRETCH


def _fit_scale(sides: Floats, stretch: Stretch) -> Zoom:
    """Return the zoom that suits tiles of these long sides [n] in pixels, small distant ones included."""
    usual, small = (float(side) for side in np.percentile(sides, (50, TUNING.small_percentile)))
    return Zoom(min(1.0, max(TUNING.target_long_side / usual, TUNING.min_long_side / small)), stretch)
