"""The plane in which tiles lie: a map of a picture's pixels to millimetres, known by calibration or fitted to tiles.

An oblique camera sees far tiles smaller and foreshortens what points away from it. Tiles of one box have one size, so a
few of them tell the plane: five numbers of its homography (its turn and place tell nothing), and one of the lens.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from referee.vision.geometry.detections import Doubles, Floats
from referee.vision.geometry.optics import Points
from referee.vision.geometry.quads import half_vectors, heights_and_widths, quads_of

TILE_MM: Final = (27.0, 38.0)  # width and height in most boxes
_SMALL_ERROR = 0.1  # log residual, up to which a quad is a tile's size
# The steps of the fit: larger residuals weigh little, and the numbers before `first` stay as they are. The perspective
# comes first, from all tiles: far ones may be half as large as near ones, and would count as something else.
_FIT_STEPS = ((1.0, 3), (_SMALL_ERROR, 0), (_SMALL_ERROR, 0))
# Spans, in lengths of a tile, over which tiles tell the perspective and the bend of the lens as surely as caution does:
# from a few that lie together both would be extrapolated over the whole table.
_PERSPECTIVE_SPAN, _LENS_SPAN = 4.0, 10.0


class Plane(NamedTuple):
    """A map of pixels [n, 2] to millimetres on the plane, and the width and height of its tiles."""

    to_mm: Callable[[Points], Points]
    tile_mm: tuple[float, float] = TILE_MM

    def sizes(self, quads: Floats) -> Floats:
        """Return the height and the width [n, 2] in millimetres of quads [n, 4, 2]."""
        flat = self.to_mm(quads.reshape(-1, 2).astype(np.float64))
        return np.maximum(heights_and_widths(flat.reshape(-1, 4, 2).astype(np.float32)), np.float32(1e-6))

    def residuals(self, quads: Floats) -> Doubles:
        """Return by how much log heights and widths [n, 2] of quads [n, 4, 2] exceed those of tiles."""
        return np.asarray(np.log(self.sizes(quads) / self.tile_mm[::-1]))

    def share(self, quads: Floats) -> float:
        """Return the share of quads [n ≥ 1, 4, 2] that are a tile's size but for a small error."""
        return float(np.mean(np.abs(self.residuals(quads)).max(axis=1) < _SMALL_ERROR))

    def steps(self, places: Points) -> Doubles:
        """Return the linear maps [n, 2, 2] of steps in pixels to millimetres, at pixels [n, 2]."""
        ends = places[:, None] + np.array([[0.5, 0], [0, 0.5], [-0.5, 0], [0, -0.5]])
        flat = self.to_mm(ends.reshape(-1, 2)).reshape(-1, 4, 2)
        return np.asarray((flat[:, :2] - flat[:, 2:]).swapaxes(1, 2))

    def distortion(self, places: Floats) -> float:
        """Return the ratio of the largest to the smallest scale, in any direction at any of these pixels [n, 2]."""
        scales = np.linalg.svd(self.steps(places.astype(np.float64)), compute_uv=False)
        return float(scales.max() / max(float(scales.min()), 1e-9))


def scale_quads(quads: Floats, log_factors: Doubles) -> Floats:
    """Return the quads [n, 4, 2] scaled about their centres; `log_factors` [n, 2] are of height and width."""
    centre, up, right = half_vectors(quads)
    factors = np.exp(log_factors).astype(np.float32)
    return quads_of(centre, up * factors[:, :1], right * factors[:, 1:])


def fit_plane(quads: Floats) -> Plane:
    """Return the plane fitted to quads [n ≥ 1, 4, 2] in pixels, of which some may be other things than tiles.

    It starts from the usual shape: a tile's half height, and its half width scaled to the same length, are conjugate
    radii of a circle, or of an ellipse where the plane is foreshortened.
    """
    exact = quads.astype(np.float64)
    centre, up, right = half_vectors(exact)
    radii = np.stack([up * 2 / TILE_MM[1], right * 2 / TILE_MM[0]], axis=1)
    ellipses = radii.transpose(0, 2, 1) @ radii
    sizes = np.sqrt(np.maximum(np.linalg.det(ellipses), 1e-9))
    squares, ways = np.linalg.eigh(np.median(ellipses / sizes[:, None, None], axis=0))
    ((across, skew), (_, down)) = (ways / np.sqrt(np.maximum(squares, 1e-9) * np.median(sizes))) @ ways.T
    middle, spread = centre.mean(axis=0), max(float(np.ptp(quads.reshape(-1, 2), axis=0).max()), 1.0)

    def to_mm(pixels: Points, x: Doubles) -> Points:
        a, d, b, tilt_x, tilt_y, bend = np.moveaxis(x, -1, 0)
        u, v = np.moveaxis((pixels - middle) / spread, -1, 0)
        straight = 1 + bend * (u * u + v * v)
        u, v = u * straight, v * straight
        nearer = spread / np.maximum(1 + tilt_x * u + tilt_y * v, 0.1)  # short of the horizon
        return np.stack([(a * u + b * v) * nearer, (b * u + d * v) * nearer], axis=-1)

    def misfits(x: Doubles) -> Doubles:
        _, up, right = half_vectors(to_mm(exact, x[:, None, None]).reshape(-1, 4, 2))
        tall, wide = (np.maximum(2 * np.hypot(*side.T), 1e-6) for side in (up, right))
        off = np.log(tall / TILE_MM[1]), np.log(wide / TILE_MM[0]), 4 * (up * right).sum(axis=1) / (tall * wide)
        return np.concatenate([part.reshape(len(x), -1) for part in off], axis=1)

    x, steps = np.array([across, down, skew, 0, 0, 0]), 1e-6 * np.eye(7, 6, -1)
    span = spread / (TILE_MM[1] * float(np.sqrt(np.median(sizes))))
    perspective, bend = (_PERSPECTIVE_SPAN / span) ** 2, (_LENS_SPAN / span) ** 4
    caution = np.diag([0, 0, 0, perspective, perspective, bend])
    for error, first in _FIT_STEPS:
        off, *moved = misfits(x + steps)
        slope = (np.array(moved) - off) / steps.max()
        slope[:first] = 0
        weighed = slope / (1 + (off / error) ** 2)
        x = x - np.linalg.pinv(weighed @ slope.T + caution, hermitian=True) @ (weighed @ off + caution @ x)
    return Plane(lambda pixels: to_mm(pixels, x))
