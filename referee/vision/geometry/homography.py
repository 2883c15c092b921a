"""Homographies, among them the table's, from pixels to millimetres.

The origin is the table's far left corner; x points to the far right corner, y toward the near side.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from referee.vision.geometry.optics import Matrix, Points

GRID_CELLS: Final = 32  # per side of the grid that samples a picture


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlane:
    """The table: homography [3, 3] from undistorted pixels to millimetres, outline in mm, and error.

    `error_mm` is None if nothing was left to check by; `tile_mm` is (width, height), None if not measured.
    """

    homography: tuple[tuple[float, float, float], ...]
    outline: tuple[tuple[float, float], ...]
    error_mm: float | None
    source: str
    tile_mm: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for a degenerate homography or outline."""
        if np.array(self.homography).shape != (3, 3) or not np.isfinite(self.homography).all():
            raise ValueError("a homography has 3 × 3 finite numbers")
        if abs(np.linalg.det(np.array(self.homography))) < 1e-15 or len(self.outline) < 3:
            raise ValueError("the table's map or its outline is flat")

    @property
    def matrix(self) -> Matrix:
        """The homography as an array."""
        return np.array(self.homography)

    @property
    def sides_mm(self) -> tuple[float, ...]:
        """The length of each side of the outline, from its first corner on: it need not be an exact rectangle."""
        return tuple(float(side) for side in sides_of(np.array(self.outline)))

    @property
    def size_mm(self) -> tuple[float, float]:
        """The width and depth of the outline."""
        spread = np.ptp(np.array(self.outline), axis=0)
        return (float(spread[0]), float(spread[1]))


def project_points(matrix: Matrix, points: Points) -> Points:
    """Return points [n, 2] mapped by a homography [3, 3]."""
    moved = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(moved[:, :2] / moved[:, 2:])


def homography(start: Points, end: Points) -> Matrix | None:
    """Return the least-squares homography [3, 3] from `start` to `end` points [n ≥ 4, 2]; None if there is none."""
    matrix: object = cv2.findHomography(start, end)[0]  # its annotation lacks None
    return np.asarray(matrix, np.float64) if isinstance(matrix, np.ndarray) else None


def grid(size: tuple[int, int]) -> Points:
    """Return a grid of pixels [1089, 2] over a picture of `size`, from corner to corner, row by row."""
    x, y = (np.linspace(0, side, GRID_CELLS + 1) for side in size)
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def square(side: float) -> Points:
    """Return the corners [4, 2] of a square about the origin, clockwise from its top left."""
    return np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side / 2


def sides_of(corners: Points) -> Points:
    """Return the lengths [..., n] of the sides of polygons [..., n, 2], from the first corner on."""
    return np.asarray(np.linalg.norm(corners - np.roll(corners, -1, axis=-2), axis=-1))
