"""Racks at the edge of the picture, seen almost from above."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from referee.sim.view import View
from referee.vision.image.frame import Image

_DEPTH_MM = 20.0
_HALF_MM = 205.0
_WOOD, _BACK, _RIM = (44, 52, 62), (178, 192, 196), (204, 220, 226)


def seat_angle(seat: int) -> float:
    """Return the direction from a seat to the table's middle, in radians: 0 is north, seat 0 is south, clockwise."""
    return seat * np.pi / 2


@dataclass(frozen=True, slots=True)
class _TableEdge:
    """The edge of the table at a seat."""

    seat: int
    view: View

    def block(self, image: Image, box: tuple[float, float, float, float], height: float, colour: Sequence[int]) -> None:
        """Fill a box (left, top, right, bottom: along and toward the player from the edge) `height` above the table."""
        left, top, right, bottom = box
        angle, view = seat_angle(self.seat), self.view
        along, toward = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        half_extent = view.height_mm / 2 if self.seat % 2 == 0 else view.width_mm / 2
        middle = np.array([view.width_mm, view.height_mm]) / 2 + toward * half_extent
        corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        points_mm = middle + corners[:, :1] * along + corners[:, 1:] * toward
        pixels = np.round(view.project_flat(points_mm, height) * 16).astype(np.int32)
        cv2.fillConvexPoly(image, pixels, tuple(colour), cv2.LINE_AA, 4)


def paint_racks(image: Image, view: View, seats: Sequence[int], light: float, rng: np.random.Generator) -> None:
    """Draw a rack before each seat, half out of the picture, the backs of its tiles turned to the table."""
    shadow = np.full(image.shape[:2], 255, np.uint8)
    racks = [(_TableEdge(seat, view), float(rng.uniform(-60, 60))) for seat in seats]
    for edge, middle in racks:
        edge.block(shadow, (middle - _HALF_MM - 6, -_DEPTH_MM - 10, middle + _HALF_MM + 10, 40.0), 0, (120,))
    soft_shadow = cv2.GaussianBlur(shadow, (0, 0), 3.5 * view.scale)
    image[:] = cv2.multiply(image, cv2.merge([soft_shadow] * 3), scale=1 / 255, dtype=cv2.CV_8U)
    for edge, middle in racks:
        shine = 1 + 0.12 * float(np.cos(light - seat_angle(edge.seat) - np.pi / 2))
        wood, back, rim = ([round(channel * shine) for channel in colour] for colour in (_WOOD, _BACK, _RIM))
        edge.block(image, (middle - _HALF_MM, -_DEPTH_MM, middle + _HALF_MM, 40.0), 6, wood)
        start = middle - _HALF_MM + float(rng.uniform(4, 40))
        for index in range(int(rng.integers(9, 14))):
            spot = start + index * 27.8 + float(rng.uniform(-0.4, 0.4))
            edge.block(image, (spot, -_DEPTH_MM + 13, spot + 26.6, -_DEPTH_MM + 26), 30, back)
            edge.block(image, (spot, -_DEPTH_MM + 26, spot + 26.6, -_DEPTH_MM + 33), 34, rim)
