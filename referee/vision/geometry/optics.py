"""A camera's optics: focal length, centre and lens distortion."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Points = npt.NDArray[np.float64]
"""Rows [n, 2]: pixels in continuous coordinates (pixel (i, j) covers i to i + 1 and j to j + 1), or millimetres."""

_EXACT: Final = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 200, 1e-8)  # steps to undo a lens, and pixels left


@dataclass(frozen=True, slots=True, kw_only=True)
class Intrinsics:
    """The optics of one camera at one picture size; distortion in OpenCV's order (k1, k2, p1, p2, k3, …).

    `error_px` and `pictures` say how well and from how many pictures they were found.
    """

    size: tuple[int, int]
    focal: tuple[float, float]
    centre: tuple[float, float]
    distortion: tuple[float, ...] = ()
    error_px: float = 0.0
    pictures: int = 0

    def __post_init__(self) -> None:
        """Refuse optics no camera has."""
        if min(self.size) <= 0 or min(self.focal) <= 0:
            raise ValueError(f"size and focal length are positive: {self.size}, {self.focal}")
        if len(self.distortion) not in (0, 4, 5, 8, 12, 14):
            raise ValueError(f"distortion has 0, 4, 5, 8, 12 or 14 coefficients, not {len(self.distortion)}")

    @property
    def matrix(self) -> npt.NDArray[np.float64]:
        """The camera matrix [3, 3]."""
        return np.array([[self.focal[0], 0, self.centre[0]], [0, self.focal[1], self.centre[1]], [0, 0, 1]])

    def bend(self, rays: Points) -> Points:
        """Return pixels of rays [n, 2], given where they cross the plane one unit before the camera."""
        ahead = np.column_stack([rays, np.ones(len(rays))])
        pixels, _ = cv2.projectPoints(ahead, np.zeros(3), np.zeros(3), self.matrix, np.array(self.distortion))
        return np.asarray(pixels, np.float64).reshape(-1, 2)

    def rays(self, pixels: Points) -> Points:
        """Return the rays [n, 2] seen at some pixels: `bend` undone."""
        return np.asarray((self.straight(pixels) - self.centre) / self.focal)

    def straight(self, pixels: Points) -> Points:
        """Return where the points would lie in the picture of a camera without distortion, in pixels."""
        if not self.distortion or not len(pixels):
            return pixels
        lens = np.array(self.distortion)
        straight = cv2.undistortImagePoints(pixels.reshape(-1, 1, 2), self.matrix, lens, None, _EXACT)
        return np.asarray(straight, np.float64).reshape(-1, 2)

    def bent(self, straight: Points) -> Points:
        """Return where points of the undistorted picture lie in the true one, in pixels."""
        return self.bend((straight - self.centre) / self.focal)

    def scaled(self, size: tuple[int, int]) -> "Intrinsics":
        """Return the same optics for pictures of another size and the same shape."""
        across, down = size[0] / self.size[0], size[1] / self.size[1]
        return Intrinsics(
            size=size,
            focal=(self.focal[0] * across, self.focal[1] * down),
            centre=(self.centre[0] * across, self.centre[1] * down),
            distortion=self.distortion,
            error_px=self.error_px * across,
            pictures=self.pictures,
        )
