"""A camera's optics: focal length, centre and lens distortion."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Points = npt.NDArray[np.float64]
"""Points [n, 2]: pixels in continuous coordinates (pixel (i, j) covers i to i + 1 and j to j + 1), or millimetres."""

_UNDISTORT_CRITERIA: Final = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 200, 1e-8)  # iterations, pixels


@dataclass(frozen=True, slots=True, kw_only=True)
class Intrinsics:
    """The optics of one camera at one picture size; distortion in OpenCV's order (k1, k2, p1, p2, k3, …).

    `error_px` is the calibration's RMS reprojection error, `pictures` the number of pictures used.
    """

    size: tuple[int, int]
    focal: tuple[float, float]
    centre: tuple[float, float]
    distortion: tuple[float, ...] = ()
    error_px: float = 0.0
    pictures: int = 0

    def __post_init__(self) -> None:
        """Raise ValueError for impossible optics."""
        if min(self.size) <= 0 or min(self.focal) <= 0:
            raise ValueError(f"size and focal length are positive: {self.size}, {self.focal}")
        if len(self.distortion) not in (0, 4, 5, 8, 12, 14):
            raise ValueError(f"distortion has 0, 4, 5, 8, 12 or 14 coefficients, not {len(self.distortion)}")

    @property
    def matrix(self) -> npt.NDArray[np.float64]:
        """The camera matrix [3, 3]."""
        return np.array([[self.focal[0], 0, self.centre[0]], [0, self.focal[1], self.centre[1]], [0, 0, 1]])

    def project(self, rays: Points) -> Points:
        """Return the pixels [n, 2] of rays [n, 2], given by where they cross the plane at distance 1."""
        ahead = np.column_stack([rays, np.ones(len(rays))])
        pixels, _ = cv2.projectPoints(ahead, np.zeros(3), np.zeros(3), self.matrix, np.array(self.distortion))
        return np.asarray(pixels, np.float64).reshape(-1, 2)

    def to_rays(self, pixels: Points) -> Points:
        """Return the rays [n, 2] of pixels [n, 2]: the inverse of `project`."""
        return np.asarray((self.undistort(pixels) - self.centre) / self.focal)

    def undistort(self, pixels: Points) -> Points:
        """Return the pixels [n, 2] without lens distortion."""
        if not self.distortion or not len(pixels):
            return pixels
        lens = np.array(self.distortion)
        straight = cv2.undistortImagePoints(pixels.reshape(-1, 1, 2), self.matrix, lens, None, _UNDISTORT_CRITERIA)
        return np.asarray(straight, np.float64).reshape(-1, 2)

    def distort(self, straight: Points) -> Points:
        """Return the pixels [n, 2] with lens distortion: the inverse of `undistort`."""
        return self.project((straight - self.centre) / self.focal)

    def scaled(self, size: tuple[int, int]) -> "Intrinsics":
        """Return the optics for pictures of another size and the same aspect ratio."""
        across, down = size[0] / self.size[0], size[1] / self.size[1]
        return Intrinsics(
            size=size,
            focal=(self.focal[0] * across, self.focal[1] * down),
            centre=(self.centre[0] * across, self.centre[1] * down),
            distortion=self.distortion,
            error_px=self.error_px * across,
            pictures=self.pictures,
        )
