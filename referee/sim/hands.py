"""An arm reaching over the table: a hand of rounded limbs and a sleeve with folds, seen from above."""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from referee.sim.faces import Bgr
from referee.sim.surfaces import smooth_noise
from referee.sim.view import View
from referee.vision.geometry.detections import Floats
from referee.vision.image.frame import Image

ARM_LENGTH_MM = 760.0
_HALF_WIDTH_MM = 110.0
_MARGIN_MM = 20.0
_ABOVE_TABLE_MM = 35.0

# Limbs of a right hand pointing up, palm down, its fingertips about y = 0: from, to (mm) and radius at either end.
_FINGERS = (
    ((-24.0, 58.0), (-34.0, 12.0), 9.5, 7.6),
    ((-8.0, 52.0), (-10.0, -2.0), 9.8, 7.8),
    ((9.0, 56.0), (13.0, 4.0), 9.4, 7.5),
    ((25.0, 66.0), (36.0, 26.0), 8.6, 6.8),
)
_THUMB = (((-34.0, 108.0), (-52.0, 84.0), 13.0, 10.5), ((-52.0, 84.0), (-46.0, 46.0), 10.5, 8.2))
_PALM = (
    ((-20.0, 66.0), (-14.0, 128.0), 15.0, 24.0),
    ((0.0, 62.0), (0.0, 134.0), 16.0, 26.0),
    ((20.0, 74.0), (12.0, 130.0), 15.0, 23.0),
    ((0.0, 130.0), (0.0, 200.0), 27.0, 27.0),
    ((0.0, 200.0), (0.0, 800.0), 27.0, 42.0),
)
_SLEEVE = (((0.0, 250.0), (0.0, 820.0), 45.0, 66.0),)
_CUFF_MM = 225.0
_NAILS = ((-34.5, 10.0, 12.0), (-10.2, -4.0, 2.0), (13.3, 2.0, -5.0), (36.6, 24.0, -15.0), (-45.6, 42.0, 8.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """A hand over the table: its fingertips in millimetres and where it points, radians clockwise from north."""

    x: float
    y: float
    angle: float
    skin: Bgr = (120, 150, 206)
    sleeve: Bgr = (92, 62, 44)
    left: bool = False


def _limbs(
    limbs: tuple[tuple[tuple[float, float], tuple[float, float], float, float], ...], x: Floats, y: Floats
) -> Floats:
    """Return the height of a bundle of limbs above their middle, negative outside them."""
    height = np.full(x.shape, -1.0, np.float32)
    for start, end, first, last in limbs:
        axis = np.array(end) - np.array(start)
        fraction = np.clip(((x - start[0]) * axis[0] + (y - start[1]) * axis[1]) / float(axis @ axis), 0, 1)
        squared = (x - start[0] - fraction * axis[0]) ** 2 + (y - start[1] - fraction * axis[1]) ** 2
        radius = first + (last - first) * fraction
        inside = radius**2 - squared
        height = np.maximum(height, np.where(inside > 0, np.sqrt(np.maximum(inside, 0)), -1.0).astype(np.float32))
    return height


def _shade(height: Floats, light: float, scale: float, strength: float) -> Floats:
    down, across = np.gradient(cv2.GaussianBlur(height, (0, 0), 1.1 * scale), 1 / scale)
    facing = across * np.cos(light) + down * np.sin(light)
    lit = 1 - strength * np.tanh(facing) - 0.10 * np.tanh(np.hypot(across, down) * 0.6)
    return np.asarray(lit, dtype=np.float32)


def _nails(x: Floats, y: Floats) -> Floats:
    shine = np.zeros(x.shape, np.float32)
    for middle_x, middle_y, turn in _NAILS:
        angle = np.radians(turn)
        u = (x - middle_x) * np.cos(angle) + (y - middle_y) * np.sin(angle)
        v = -(x - middle_x) * np.sin(angle) + (y - middle_y) * np.cos(angle)
        shine = np.maximum(shine, np.clip(1.4 - (u / 4.2) ** 2 - (v / 5.4) ** 2, 0, 1).astype(np.float32))
    return shine


@lru_cache(maxsize=64)
def _arm(skin: Bgr, sleeve: Bgr, left: bool, scale: float, light: int) -> tuple[Image, Image]:  # noqa: FBT001
    """Return the arm pointing up and its coverage, light coming from `light` * 15 degrees in its own frame."""
    columns = round(2 * _HALF_WIDTH_MM * scale)
    rows = round((ARM_LENGTH_MM + _MARGIN_MM) * scale)
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32) / np.float32(scale)
    x, y = x - np.float32(_HALF_WIDTH_MM), y - np.float32(_MARGIN_MM)
    if left:
        x = -x
    rng = np.random.default_rng(7)
    wobble = smooth_noise(rng, (columns, rows), (6, 20), 3)
    hand_height = _limbs((*_FINGERS, *_THUMB, *_PALM), x, y)
    folds = smooth_noise(rng, (columns, rows), (5, 14), 3)
    sleeve_height = np.where(y > _CUFF_MM + 4 * wobble, _limbs(_SLEEVE, x + 3 * wobble, y), np.float32(-1))
    angle = float(np.radians(light * 15))
    blush = np.clip(1 + 0.05 * wobble, 0.85, 1.15)[..., None] * np.array([1 - 0.03, 1, 1.0])
    skin_pixels = np.array(skin) * blush * _shade(hand_height, angle, scale, 0.26)[..., None]
    skin_pixels += _nails(x, y)[..., None] * np.array([26, 22, 16])
    sleeve_pixels = np.array(sleeve) * _shade(np.maximum(sleeve_height, 0) + 7 * folds, angle, scale, 0.34)[..., None]
    sleeve_pixels *= (1 + 0.06 * smooth_noise(rng, (columns, rows), (columns / 2, rows / 2), 1))[..., None]
    colour = np.where((sleeve_height > 0)[..., None], sleeve_pixels, skin_pixels)
    cover = ((np.maximum(hand_height, sleeve_height) > 0) * np.uint8(255)).astype(np.uint8)
    cover = np.asarray(cv2.GaussianBlur(cover, (0, 0), 0.55 * scale), dtype=np.uint8)
    return np.clip(colour, 0, 255).astype(np.uint8), cover


def paint_hand(image: Image, hand: Hand, view: View, light: float, brightness: Floats) -> tuple[int, int, int, int]:
    """Draw the arm and its shadow into a picture; `brightness` is the light on the table, pixel by pixel.

    Gives the box that was painted: left, top, right, bottom.
    """
    scale = view.scale * 1.08
    light_step = round(np.degrees(light - hand.angle) / 15) % 24
    picture, cover = _arm(hand.skin, hand.sleeve, hand.left, scale, light_step)
    tip = view.project(np.array([[hand.x, hand.y, _ABOVE_TABLE_MM]]))[0]
    cosine, sine = np.cos(hand.angle), np.sin(hand.angle)
    anchor = np.array([_HALF_WIDTH_MM * scale, _MARGIN_MM * scale])
    turn = np.array([[cosine, -sine], [sine, cosine]])
    matrix = np.column_stack([turn, tip - turn @ anchor])
    size = (image.shape[1], image.shape[0])
    left, top, right, bottom = _bounds(matrix, picture.shape[:2], size)
    if left >= right or top >= bottom:
        return 0, 0, 0, 0
    matrix[:, 2] -= (left, top)
    size = (right - left, bottom - top)
    alpha = cv2.warpAffine(cover, matrix, size, flags=cv2.INTER_LINEAR)
    arm = cv2.warpAffine(picture, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    offset = -0.8 * _ABOVE_TABLE_MM * view.scale * np.array([np.cos(light), np.sin(light)])
    matrix[:, 2] += offset
    shadow = cv2.warpAffine(cover, matrix, size, flags=cv2.INTER_LINEAR)
    shadow = cv2.blur(shadow, (int(9 * view.scale) | 1,) * 2)
    box = image[top:bottom, left:right]
    shaded = cv2.multiply(box, cv2.merge([1 - shadow.astype(np.float32) * (0.5 / 255)] * 3), dtype=cv2.CV_8U)
    lit = cv2.multiply(arm, brightness[top:bottom, left:right], dtype=cv2.CV_8U)
    opacity = cv2.merge([alpha.astype(np.float32) / 255] * 3)
    box[:] = (shaded + (lit.astype(np.float32) - shaded) * opacity).astype(np.uint8)
    return left, top, right, bottom


def _bounds(matrix: np.ndarray, shape: tuple[int, ...], size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return the box of the picture that the turned arm and its shadow can touch."""
    rows, columns = shape
    corners = np.array([[0, 0, 1], [columns, 0, 1], [columns, rows, 1], [0, rows, 1]]) @ matrix.T
    low = np.maximum(np.floor(corners.min(axis=0)) - 40, 0).astype(int)
    high = np.minimum(np.ceil(corners.max(axis=0)) + 40, size).astype(int)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])
