"""Rendered pictures of the printed calibration targets, from a camera with known optics and pose."""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.calibrate.markers import CORNER_MM, CORNERS, SQUARE_MM, SQUARES, board, dictionary
from referee.vision.geometry.homography import project_points
from referee.vision.geometry.optics import Intrinsics, Points
from referee.vision.image.frame import Image

Grey = npt.NDArray[np.uint8]
_SAMPLES: Final = 2  # rows and columns of samples a pixel
_TABLE_GREY: Final = 96
_MARGIN_PX: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class PrintedSheet:
    """A printed flat sheet: brightness at `pixels_per_mm`, its top left at `corner` in mm."""

    print: Grey
    pixels_per_mm: float
    corner: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanePose:
    """The pose of a plane: the point seen at `at` (fractions of the picture), its distance, its rotations.

    Millimetres and degrees. Without rotation the plane faces the camera, x to the right and y down; `lean` tips its
    lower end away, `yaw` its right end.
    """

    point: tuple[float, float]
    distance: float
    at: tuple[float, float] = (0.5, 0.5)
    lean: float = 0.0
    yaw: float = 0.0
    roll: float = 0.0

    @property
    def rotation(self) -> npt.NDArray[np.float64]:
        """The rotation [3, 3] from the plane to the camera."""
        a, b, c = np.radians([self.lean, self.yaw, self.roll])
        about_x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
        about_y = np.array([[np.cos(b), 0, -np.sin(b)], [0, 1, 0], [np.sin(b), 0, np.cos(b)]])
        about_z = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
        return np.asarray(about_x @ about_y @ about_z)

    def to_rays(self, optics: Intrinsics) -> npt.NDArray[np.float64]:
        """Return the homography [3, 3] from the plane in millimetres to rays."""
        ray = optics.to_rays(np.array([self.at]) * optics.size)[0]
        shift = self.distance * np.array([*ray, 1.0]) - self.rotation @ np.array([*self.point, 0.0])
        return np.column_stack([self.rotation[:, :2], shift])

    def pixels(self, optics: Intrinsics, places: Points) -> Points:
        """Return the pixels of points [n, 2] of the plane in millimetres."""
        return optics.project(project_points(self.to_rays(optics), places))


@cache
def board_sheet(pixels_per_mm: float = 4.0) -> PrintedSheet:
    """Return the ChArUco board on its white page."""
    edge = 10.0
    size = (round(SQUARES[0] * SQUARE_MM * pixels_per_mm), round(SQUARES[1] * SQUARE_MM * pixels_per_mm))
    return _with_border(np.asarray(board().generateImage(size), np.uint8), pixels_per_mm, edge)


def _with_border(picture: Grey, pixels_per_mm: float, edge: float) -> PrintedSheet:
    border = round(edge * pixels_per_mm)
    return PrintedSheet(np.pad(picture, border, constant_values=255), pixels_per_mm, (-edge, -edge))


@lru_cache(2)
def table_sheet(
    size_mm: tuple[float, float],
    turns: tuple[float, ...] = (0, 0, 0, 0),
    *,
    inward: float = 0.0,
    pixels_per_mm: float = 2.5,
) -> PrintedSheet:
    """Return a bare table with a marker in each corner, turned by degrees; `size_mm` from outer to outer corner.

    The near right marker lies `inward` millimetres further left, because no hand lays an exact rectangle.
    """
    edge = 90.0
    width, depth = size_mm
    sheet = np.full(
        (round((depth + 2 * edge) * pixels_per_mm), round((width + 2 * edge) * pixels_per_mm)), _TABLE_GREY, np.uint8
    )
    outer = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    for marker, turn, corner in zip(CORNERS, turns, outer, strict=True):
        angle = np.radians(turn)
        to_sheet = np.eye(3)
        to_sheet[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        to_sheet[:2, 2] = (
            corner * size_mm - to_sheet[:2, :2] @ (corner * CORNER_MM) + edge - [inward * corner.prod(), 0]
        )
        _print_marker(sheet, marker, to_sheet, pixels_per_mm)
    return PrintedSheet(sheet, pixels_per_mm, (-edge, -edge))


def _print_marker(sheet: Grey, marker: int, to_sheet: npt.NDArray[np.float64], pixels_per_mm: float) -> None:
    """Print a marker with its white border into the sheet; `to_sheet` maps the marker's millimetres to the sheet's."""
    quiet = 10.0
    picture = np.asarray(
        cv2.aruco.generateImageMarker(dictionary(), marker, round(CORNER_MM * pixels_per_mm)), np.uint8
    )
    picture = np.pad(picture, round(quiet * pixels_per_mm), constant_values=255)
    to_marker = np.array([[1 / pixels_per_mm, 0, -quiet], [0, 1 / pixels_per_mm, -quiet], [0, 0, 1]])
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])  # OpenCV counts from the middle of the first pixel
    matrix = (np.linalg.inv(half) @ np.diag([pixels_per_mm, pixels_per_mm, 1]) @ to_sheet @ to_marker @ half)[:2]
    size = (sheet.shape[1], sheet.shape[0])
    cover = np.asarray(cv2.warpAffine(np.full_like(picture, 255), matrix, size)) > 127
    sheet[cover] = np.asarray(cv2.warpAffine(picture, matrix, size, borderMode=cv2.BORDER_REPLICATE))[cover]


def render_sheet(
    sheet: PrintedSheet, pose: PlanePose, optics: Intrinsics, *, blur_px: float = 0.6, noise: float = 2.0, seed: int = 0
) -> Image:
    """Return a picture [height, width, BGR] of the sheet; `blur_px` of the lens, `noise` of the sensor in levels."""
    width, height = optics.size
    region = _visible_region(sheet, pose, optics)
    region_rays = _rays(optics)[region]
    rays = cv2.resize(region_rays, None, fx=_SAMPLES, fy=_SAMPLES, interpolation=cv2.INTER_LINEAR)
    left, top = sheet.corner
    to_print = np.diag([sheet.pixels_per_mm, sheet.pixels_per_mm, 1.0]) @ np.array(
        [[1, 0, -left], [0, 1, -top], [0, 0, 1.0]]
    )
    x, y = cv2.split(cv2.perspectiveTransform(rays, to_print @ np.linalg.inv(pose.to_rays(optics))) - 0.5)
    samples = cv2.remap(sheet.print, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=_TABLE_GREY)
    picture = np.full((height, width), _TABLE_GREY, np.float64)
    picture[region] = cv2.resize(samples, region_rays.shape[1::-1], interpolation=cv2.INTER_AREA)
    if blur_px > 0:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur_px), np.float64)
    # Paper reflects nine tenths and ink a twentieth: nothing in a good picture is pure white or black.
    picture = 14 + picture * 0.85 + np.random.default_rng(seed).normal(0, noise, picture.shape)
    return np.asarray(cv2.cvtColor(np.clip(picture, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR), np.uint8)


def _visible_region(sheet: PrintedSheet, pose: PlanePose, optics: Intrinsics) -> tuple[slice, slice]:
    """Return the rows and columns of the picture in which the sheet is seen."""
    size = np.array(sheet.print.shape[::-1]) / sheet.pixels_per_mm
    side = np.linspace(0, 1, 33)
    edge = np.concatenate(
        [
            np.stack(np.broadcast_arrays(*fractions), axis=1)
            for fractions in ((side, 0), (side, 1), (0, side), (1, side))
        ]
    )
    pixels = pose.pixels(optics, np.array(sheet.corner) + edge * size)
    low, high = np.floor(pixels.min(axis=0)) - _MARGIN_PX, np.ceil(pixels.max(axis=0)) + _MARGIN_PX
    (left, top), (right, bottom) = (np.clip(bound, 0, optics.size).astype(int) for bound in (low, high))
    return slice(top, bottom), slice(left, right)


@cache
def _rays(optics: Intrinsics) -> npt.NDArray[np.float32]:
    """Return the ray [height, width, 2] of each pixel's middle, interpolated between every fourth."""
    (width, height), step = optics.size, 4
    across, down = np.arange(-1, width + step + 1, step) + 0.5, np.arange(-1, height + step + 1, step) + 0.5
    coarse = optics.to_rays(np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)).reshape(
        len(down), len(across), 2
    )
    x, y = np.meshgrid(
        (np.arange(width, dtype=np.float32) + 1) / step, (np.arange(height, dtype=np.float32) + 1) / step
    )
    return np.asarray(cv2.remap(coarse.astype(np.float32), x, y, cv2.INTER_LINEAR), np.float32)
