"""Homographies: flat things seen by a camera, and the table's among them, from pixels to millimetres.

Millimetres start at the table's far left corner, x to the far right one, y toward the players on the near side.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from referee.vision.geometry.optics import Matrix, Points


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlane:
    """Where the table lies: homography [3, 3] from undistorted pixels to millimetres, outline in mm, and error.

    `error_mm` is None where nothing was left over to check by; `tile_mm` (width, height) where tiles were measured.
    """

    homography: tuple[tuple[float, float, float], ...]
    outline: tuple[tuple[float, float], ...]
    error_mm: float | None
    source: str
    tile_mm: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Refuse a map that maps nothing."""
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
        """How long each side of the outline is, from its first corner on; hand-laid markers make no exact rectangle."""
        return tuple(float(side) for side in sides_of(np.array(self.outline)))

    @property
    def size_mm(self) -> tuple[float, float]:
        """How wide and deep the outline is."""
        spread = np.ptp(np.array(self.outline), axis=0)
        return (float(spread[0]), float(spread[1]))


def project_points(matrix: Matrix, points: Points) -> Points:
    """Return points [n, 2] moved by a homography [3, 3]."""
    moved = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(moved[:, :2] / moved[:, 2:])


def homography(start: Points, end: Points) -> Matrix | None:
    """Return the homography [3, 3] that brings four or more points nearest to others; None where there is none."""
    matrix: object = cv2.findHomography(start, end)[0]  # its annotation knows no None
    return np.asarray(matrix, np.float64) if isinstance(matrix, np.ndarray) else None


def square(side: float) -> Points:
    """Return the corners [4, 2] of a square about the origin, clockwise from its top left."""
    return np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side / 2


def sides_of(corners: Points) -> Points:
    """Return how long the sides [..., n] of polygons [..., n, 2] are, from the first corner on."""
    return np.asarray(np.linalg.norm(corners - np.roll(corners, -1, axis=-2), axis=-1))
