"""Racks at the edge of the table, with the tile backs that stand in them."""

import cv2
import numpy as np

from referee.sim.faces import Bgr, Image
from referee.sim.view import Points, View

RACK_DEPTH_MM = 62.0
_RACK_HALF_MM = 205.0


def seat_angle(seat: int) -> float:
    """Where the table's middle lies as seen from a seat: 0 is north, seats run clockwise from the south."""
    return seat * np.pi / 2


def _placed(points: Points, seat: int, view: View, lift: float) -> Points:
    """Pixels of points given along (x) and toward the player from (y) the edge of the table at a seat."""
    angle = seat_angle(seat)
    right = np.array([np.cos(angle), np.sin(angle)])
    toward = np.array([-np.sin(angle), np.cos(angle)])
    reach = view.height_mm / 2 if seat % 2 == 0 else view.width_mm / 2
    middle = np.array([view.width_mm, view.height_mm]) / 2 + toward * reach
    return view.project_flat(middle + points[:, :1] * right + points[:, 1:] * toward, lift)


def _block(image: Image, corners: tuple[float, float, float, float], seat: int, view: View, lift: float, colour: Bgr) -> None:
    left, top, right, bottom = corners
    points = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    pixels = np.round(_placed(points, seat, view, lift) * 16).astype(np.int32)
    cv2.fillConvexPoly(image, pixels, colour, cv2.LINE_AA, 4)


def paint_racks(image: Image, view: View, seats: tuple[int, ...], light: float, rng: np.random.Generator) -> None:
    """Draw a rack before each seat, half out of the picture, the backs of its tiles turned to the table."""
    for seat in seats:
        shift = float(rng.uniform(-60, 60))
        shine = 1 + 0.12 * float(np.cos(light - seat_angle(seat) - np.pi / 2))
        wood = tuple(int(channel * shine) for channel in (44, 52, 62))
        back = tuple(int(channel * shine) for channel in (178, 192, 196))
        rim = tuple(int(channel * shine * 1.12) for channel in (186, 200, 204))
        depth = RACK_DEPTH_MM * 0.72
        shade = (shift - _RACK_HALF_MM - 6, -depth - 12, shift + _RACK_HALF_MM + 10, 0.0)
        dark = image.copy()
        _block(dark, shade, seat, view, 0, (16, 18, 22))
        image[:] = cv2.addWeighted(image, 0.55, cv2.GaussianBlur(dark, (0, 0), 3.5 * view.scale), 0.45, 0)
        _block(image, (shift - _RACK_HALF_MM, -depth, shift + _RACK_HALF_MM, 40.0), seat, view, 6, wood)
        count = int(rng.integers(9, 14))
        start = shift - _RACK_HALF_MM + float(rng.uniform(4, 40))
        for index in range(count):
            left = start + index * 27.8 + float(rng.uniform(-0.4, 0.4))
            _block(image, (left, -depth + 8, left + 26.6, -depth + 21), seat, view, 30, back)
            _block(image, (left, -depth + 21, left + 26.6, -depth + 28), seat, view, 34, rim)
