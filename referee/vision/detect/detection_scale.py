"""The scale and the stretch at which tiles are located best; for a fixed camera fitted once, to tiles that were read.

The locate model knows tiles of about their true proportions; others it misses or takes for turned by 90 degrees. An
oblique view shortens what points away from the camera, and a resized picture may be squeezed.
"""

import math
from typing import Final, NamedTuple

import numpy as np

from referee.reading.observation import TableReading
from referee.vision.detect.tuning import TUNING
from referee.vision.geometry.detections import Doubles, Floats
from referee.vision.geometry.optics import Points
from referee.vision.geometry.plane import Plane, fit_plane
from referee.vision.geometry.quads import long_sides
from referee.vision.networks.models import MULTIPLE
from referee.vision.profile import Profile

SHIFTS: Final = (0, MULTIPLE // 3, 2 * MULTIPLE // 3)  # pixels, for successive looks at a still table


class Stretch(NamedTuple):
    """A stretch by a factor along a direction, in radians clockwise from the right."""

    factor: float
    direction: float

    @property
    def matrix(self) -> Doubles:
        """The linear map [2, 2] of vectors in pixels."""
        along = np.array([math.cos(self.direction), math.sin(self.direction)])
        return np.asarray(np.eye(2) + (self.factor - 1) * np.outer(along, along))

    def apply(self, quads: Floats) -> Floats:
        """Return the quads [n, 4, 2] in the stretched picture, up to its origin."""
        return np.asarray(quads @ self.matrix.T, np.float32)


NO_STRETCH: Final = Stretch(1.0, 0.0)


def stretch_at(plane: Plane, place: Points) -> Stretch:
    """Return the stretch that gives tiles of a plane their proportions at a pixel [2]."""
    _, (most, least), ways = np.linalg.svd(plane.steps(place[None])[0])
    return Stretch(min(float(most / max(least, 1e-9)), TUNING.max_stretch), math.atan2(ways[0, 1], ways[0, 0]))


def estimate_stretch(upright: Floats) -> Stretch:
    """Return the stretch that gives most upright quads [n ≥ 1, 4, 2] in pixels the proportions of tiles."""
    return stretch_at(fit_plane(upright), upright.mean(axis=(0, 1)))


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
    plane = profile.plane if profile else None
    if profile is None or plane is None:
        return zoom
    places = profile.visible_corners()
    stretch = zoom.stretch if zoom else _if_significant(stretch_at(plane, places[0]))
    larger = np.sqrt(np.abs(np.linalg.det(plane.steps(places) @ np.linalg.inv(stretch.matrix))))
    wanted = _fit_scale((plane.tile_mm[1] / larger).astype(np.float32), stretch)
    return zoom._replace(scale=max(zoom.scale, wanted.scale)) if zoom else wanted


def _if_significant(stretch: Stretch) -> Stretch:
    return stretch if stretch.factor > TUNING.min_stretch else NO_STRETCH


def _fit_scale(sides: Floats, stretch: Stretch) -> Zoom:
    """Return the zoom that suits tiles of these long sides [n] in pixels, small distant ones included."""
    usual, small = (float(side) for side in np.percentile(sides, (50, TUNING.small_percentile)))
    return Zoom(min(1.0, max(TUNING.target_long_side / usual, TUNING.min_long_side / small)), stretch)
