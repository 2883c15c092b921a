"""The zoom at which tiles are located best: flattened to the tiles' plane, at one scale.

The locate model knows tiles of about their true proportions; others it misses or takes for turned by 90 degrees. An
oblique view shortens what points away from the camera and shows far tiles smaller, and a resized picture may be
squeezed. A homography undoes all of that. A fixed camera has one zoom: that of its profile, or of the last reading.
"""

from typing import Final, NamedTuple, Self

import numpy as np

from referee.reading.observation import TableReading
from referee.vision.detect.tuning import TUNING
from referee.vision.geometry.detections import Doubles, Floats
from referee.vision.geometry.homography import grid, homography, project_points
from referee.vision.geometry.optics import Matrix, Points
from referee.vision.geometry.plane import Plane, fit_plane
from referee.vision.geometry.quads import long_sides
from referee.vision.networks.models import MULTIPLE
from referee.vision.profile import Profile

SHIFTS: Final = (0, MULTIPLE // 3, 2 * MULTIPLE // 3)  # pixels, for successive looks at a still table
_Rows = tuple[tuple[float, ...], ...]
_AS_IT_IS: Final[_Rows] = tuple(map(tuple, np.eye(3).tolist()))


class Zoom(NamedTuple):
    """How a picture is shown to the locate model.

    `flat` [3, 3] maps the picture's pixels to the plane, in lengths of a tile; `scale` is in shown pixels a length. If
    the picture is not flattened, both lengths are pixels. Places whose homogeneous weight is below `least_weight` lie
    toward the horizon and are not shown. `shift`, one of SHIFTS, moves the picture right and down by that many pixels:
    whether the model finds a faint tile depends on how its pooling grid lies. Each shift also uses another crop jitter
    for doubtful tiles.
    """

    scale: float
    flat: _Rows = _AS_IT_IS
    least_weight: float = 0.0
    shift: int = 0

    @property
    def matrix(self) -> Matrix:
        """The homography [3, 3] from the picture's pixels to those shown, up to their origin."""
        return np.asarray(np.diag([self.scale, self.scale, 1.0]) @ np.array(self.flat))

    def shown(self, size: tuple[int, int], places: Points | None = None) -> Doubles:
        """Return a low and a high corner [2, 2], in shown pixels, about these `places` [n, 2] of a picture of `size`.

        Without places all of the picture is shown.
        """
        places = grid(size) if places is None else places
        in_view = places[_weights(np.array(self.flat), places) >= self.least_weight]
        at = project_points(self.matrix, in_view if len(in_view) else places)
        return np.array([at.min(axis=0), at.max(axis=0)])

    def onto(self, plane: Plane, places: Points) -> Self | None:
        """Return the zoom with the picture flattened to a plane, as seen at pixels [n ≥ 4, 2]; None if none fits."""
        flat = homography(places, plane.to_mm(places) / plane.tile_mm[1])
        if flat is None:
            return None
        weights = _weights(flat, places)
        middle = float(np.median(weights))
        least = float(weights.min()) / middle * TUNING.least_weight_share
        return self._replace(flat=tuple(map(tuple, (flat / middle).tolist())), least_weight=least)


def fit_zoom(reading: TableReading) -> Zoom | None:
    """Return the zoom that suits these tiles, for a fixed camera; None if there are too few.

    Only faces count, as a back's orientation is unknown; of two foreshortened faces one may be half hidden.
    """
    upright = np.array([tile.quad for tile in reading.tiles if tile.tile is not None], np.float32)
    if not len(upright):
        return None
    plane, enough = fit_plane(upright), len(upright) >= TUNING.min_tiles_for_flattening
    most = TUNING.max_distortion if enough else TUNING.min_distortion
    return flatten(upright, plane, TUNING.target_long_side) if plane.distortion(upright.mean(axis=1)) <= most else None


def flatten(upright: Floats, plane: Plane, side: float) -> Zoom | None:
    """Return the zoom at which upright quads [n, 4, 2] of a plane are `side` pixels long, or as long as they are."""
    places = upright.reshape(-1, 2).astype(np.float64)
    return Zoom(min(side, float(np.median(long_sides(upright))))).onto(plane, places)


def calibrated_zoom(profile: Profile, places: Points) -> Zoom | None:
    """Return the zoom flattened to the profile's plane, if it has one, as seen at pixels [n ≥ 4, 2]."""
    flat = Zoom(TUNING.target_long_side).onto(profile.plane, places) if profile.plane else None
    return flat and flat._replace(least_weight=0.0)


def _weights(matrix: Matrix, places: Points) -> Doubles:
    """Return the homogeneous weights [n] of points [n, 2]: the smaller, the nearer to the horizon."""
    return np.asarray(places @ matrix[2, :2] + matrix[2, 2])
