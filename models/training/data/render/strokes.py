"""Digits drawn from strokes of our own, for boxes whose lettering no font at hand has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

Points = list[tuple[float, float]]
WIDE = 0.58
"""Width of a digit whose height is 1, between the middles of its strokes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StrokeStyle:
    """How the ten digits of one box are drawn."""

    thickness: float
    width: float
    square: float  # 0 round bowls, 1 nearly rectangular ones
    slant: float
    open_four: bool
    flat_three: bool
    straight_six: bool
    flag: float
    base: bool
    seven_bar: bool
    seven_bend: float
    hand: int | None  # seed of a shaky hand


def stroke_style(rng: np.random.Generator) -> StrokeStyle:
    """A style by chance, from thin to bold."""
    return StrokeStyle(
        thickness=float(rng.uniform(0.06, 0.27)),
        width=float(rng.uniform(0.7, 1.25)),
        square=float(rng.choice([0.0, rng.uniform(0, 1)])),
        slant=float(rng.normal(0, 0.04)),
        open_four=bool(rng.random() < 0.35),
        flat_three=bool(rng.random() < 0.2),
        straight_six=bool(rng.random() < 0.4),
        flag=float(rng.choice([0.0, rng.uniform(0.12, 0.36)], p=[0.25, 0.75])),
        base=bool(rng.random() < 0.2),
        seven_bar=bool(rng.random() < 0.12),
        seven_bend=float(rng.uniform(0, 0.25)),
        hand=int(rng.integers(2**31)) if rng.random() < 0.3 else None,
    )


def _arc(middle: tuple[float, float], radii: tuple[float, float], span: tuple[float, float], square: float) -> Points:
    """A stretch of an ellipse in degrees (0 right, 90 down), squared off as a superellipse."""
    power = 1 - 0.55 * square
    points = []
    for angle in np.radians(np.linspace(*span, 28)):
        c, s = math.cos(angle), math.sin(angle)
        x = middle[0] + radii[0] * math.copysign(abs(c) ** power, c)
        points.append((x, middle[1] + radii[1] * math.copysign(abs(s) ** power, s)))
    return points


def _six(style: StrokeStyle) -> list[Points]:
    w, q = WIDE, style.square
    bowl = _arc((w / 2, 0.69), (w / 2, 0.31), (0, 360), q)
    if style.straight_six:
        return [bowl, [(w * 0.72, 0.0), (w * 0.03, 0.6)]]
    return [bowl, [*_arc((w / 2, 0.38), (w / 2, 0.38), (310, 180), q), (0.0, 0.69)]]


def _one(style: StrokeStyle) -> list[Points]:
    half = WIDE / 2
    paths: list[Points] = [[(half, 0.0), (half, 1.0)]]
    if style.flag:
        paths.append([(half, 0.0), (half - style.flag, style.flag * 0.8)])
    if style.base:
        paths.append([(half - 0.22, 1.0), (half + 0.22, 1.0)])
    return paths


def _three(style: StrokeStyle) -> list[Points]:
    half, q = WIDE / 2, style.square
    lower = _arc((half * 0.95, 0.71), (half, 0.29), (270, 510), q)
    if style.flat_three:
        return [[(0.02, 0.0), (WIDE, 0.0), (half * 0.8, 0.42), *lower[2:]]]
    return [_arc((half * 0.95, 0.21), (half * 0.92, 0.21), (205, 450), q), lower]


def _four(style: StrokeStyle) -> list[Points]:
    w = WIDE
    if style.open_four:
        return [[(w * 0.2, 0.0), (0.0, 0.62), (w, 0.62)], [(w * 0.72, 0.3), (w * 0.72, 1.0)]]
    return [[(w * 0.75, 1.0), (w * 0.75, 0.0), (0.0, 0.7), (w * 1.05, 0.7)]]


def _seven(style: StrokeStyle) -> list[Points]:
    w = WIDE
    paths = [[(0.0, 0.0), (w, 0.0), (w * 0.55 - style.seven_bend * 0.4, 0.45), (w * 0.3, 1.0)]]
    if style.seven_bar:
        paths.append([(w * 0.2, 0.5), (w * 0.85, 0.5)])
    return paths


def _paths(digit: str, style: StrokeStyle) -> list[Points]:
    w, half, q = WIDE, WIDE / 2, style.square
    drawings: dict[str, Callable[[], list[Points]]] = {
        "0": lambda: [_arc((half, 0.5), (half, 0.5), (0, 360), q)],
        "1": lambda: _one(style),
        "2": lambda: [[*_arc((half, 0.29), (half, 0.29), (185, 390), q), (0.0, 1.0), (w, 1.0)]],
        "3": lambda: _three(style),
        "4": lambda: _four(style),
        "5": lambda: [
            [
                (w * 0.92, 0.0),
                (w * 0.12, 0.0),
                (w * 0.05, 0.45),
                *_arc((half * 0.95, 0.68), (half, 0.32), (225, 510), q),
            ]
        ],
        "6": lambda: _six(style),
        "7": lambda: _seven(style),
        "8": lambda: [
            _arc((half, 0.24), (half * 0.88, 0.24), (0, 360), q),
            _arc((half, 0.73), (half, 0.27), (0, 360), q),
        ],
        "9": lambda: [[(w - x, 1 - y) for x, y in path] for path in _six(style)],
    }
    return drawings[digit]()


def stroke_digit(digit: str, style: StrokeStyle, size: int) -> npt.NDArray[np.float32]:
    """One digit cropped to its ink, about size pixels high, 0..1."""
    thick = max(1, round(style.thickness * size))
    span = size - thick
    canvas = np.zeros((size * 2, size * 2), np.uint8)
    rng = np.random.default_rng(None if style.hand is None else style.hand + ord(digit))
    for path in _paths(digit, style):
        points = np.asarray(path, np.float64)
        if style.hand is not None:
            points = points + rng.normal(0, 0.02, 2) + np.cumsum(rng.normal(0, 0.004, points.shape), axis=0)
        x = points[:, 0] * style.width + (0.5 - points[:, 1]) * style.slant
        pixels = np.column_stack([x * span + size * 0.6, points[:, 1] * span + size * 0.5])
        cv2.polylines(canvas, [np.round(pixels * 16).astype(np.int32)], False, 255, thick, cv2.LINE_AA, 4)
    rows, columns = np.nonzero(canvas.max(1))[0], np.nonzero(canvas.max(0))[0]
    return canvas[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].astype(np.float32) / np.float32(255)
