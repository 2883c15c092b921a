"""Digits as strokes of a broad pen: outlines of the numbers 1 to 13 in a bold grotesque, without any font file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Outline = npt.NDArray[np.float64]  # shape (n, 2); digit height is 1, y runs down


@dataclass(frozen=True, slots=True, kw_only=True)
class Lettering:
    """How a box prints its digits: stroke width and digit width in digit heights, and whether strokes end round."""

    weight: float = 0.21
    width: float = 0.69
    contrast: float = 0.86  # level strokes are this much thinner than upright ones
    spacing: float = 0.08
    rounded: bool = False


def _ellipse(centre: tuple[float, float], radii: tuple[float, float], start: float, end: float) -> Outline:
    """Return points along a slightly squared ellipse, angles in degrees clockwise from the right."""
    angles = np.radians(np.linspace(start, end, 48))
    ray = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    radius = np.sum(np.abs(ray) ** 2.25, axis=1) ** (-1 / 2.25)
    return np.asarray(np.array(centre) + np.array(radii) * ray * radius[:, None])


def _curve(*points: tuple[float, float]) -> Outline:
    """Return points along a cubic Bézier curve."""
    t = np.linspace(0, 1, 24)[:, None]
    a, b, c, d = (np.array(point) for point in points)
    return np.asarray((1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d)


def stroke(path: Outline, across: float, down: float, *, rounded: bool = False) -> list[Outline]:
    """Return outlines that cover a path drawn by a pen `across` wide on upright and `down` on level strokes."""
    steps = np.diff(path, axis=0)
    keep = np.hypot(steps[:, 0], steps[:, 1]) > 1e-6
    path = np.concatenate([path[:1], path[1:][keep]])
    tangent = np.gradient(path, axis=0)
    tangent /= np.hypot(tangent[:, 0], tangent[:, 1])[:, None]
    offsets = np.stack([-tangent[:, 1] * across / 2, tangent[:, 0] * down / 2], axis=1)
    left, right = path + offsets, path - offsets
    pieces = [np.stack([left[i], left[i + 1], right[i + 1], right[i]]) for i in range(len(path) - 1)]
    if rounded:
        disc = _ellipse((0, 0), (across / 2, down / 2), 0, 360)
        pieces += [disc + path[0], disc + path[-1]]
    return pieces


@dataclass(frozen=True, slots=True)
class _Pen:
    """The pen of a lettering, and the box that the middle of its strokes stays in."""

    lettering: Lettering

    @property
    def across(self) -> float:
        return self.lettering.weight

    @property
    def down(self) -> float:
        return self.lettering.weight * self.lettering.contrast

    @property
    def left(self) -> float:
        return self.across / 2

    @property
    def right(self) -> float:
        return self.lettering.width - self.across / 2

    @property
    def top(self) -> float:
        return self.down / 2

    @property
    def bottom(self) -> float:
        return 1 - self.down / 2

    @property
    def middle(self) -> float:
        return self.lettering.width / 2

    @property
    def half(self) -> float:
        return (self.right - self.left) / 2

    def draw(self, *paths: Outline) -> list[Outline]:
        return [
            piece for path in paths for piece in stroke(path, self.across, self.down, rounded=self.lettering.rounded)
        ]

    def bar(self, left: float, top: float, right: float, bottom: float) -> Outline:
        return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype=np.float64)


def _zero(pen: _Pen) -> list[Outline]:
    return pen.draw(_ellipse((pen.middle, 0.5), (pen.half, pen.bottom - 0.5), 0, 360))


def _one(pen: _Pen) -> list[Outline]:
    stem = 0.34 * pen.lettering.width / 0.66
    flag = np.concatenate(
        [
            _curve((stem + 0.05, 0.0), (stem - 0.01, 0.13), (stem - 0.1, 0.165), (stem - 0.27, 0.17)),
            np.array([[stem - 0.27, 0.165 + 0.68 * pen.down], [stem + 0.04, 0.165 + 0.68 * pen.down]]),
        ]
    )
    return [pen.bar(stem - 0.01, 0, stem - 0.01 + pen.across * 1.06, 1), flag]


def _two(pen: _Pen) -> list[Outline]:
    bowl = _ellipse((pen.middle - 0.005, 0.3), (pen.half - 0.005, 0.3 - pen.top), 186, 372)
    tail = _curve(
        (float(bowl[-1, 0]), float(bowl[-1, 1])),
        (pen.right - 0.04, 0.56),
        (pen.left + 0.09, 0.64),
        (pen.left + 0.03, 0.92),
    )
    base = pen.bar(0, 1 - pen.down, pen.lettering.width, 1)
    return [*pen.draw(np.concatenate([bowl, tail[1:]])), base]


def _three(pen: _Pen) -> list[Outline]:
    waist = 0.475
    upper = _ellipse((pen.middle - 0.01, (pen.top + waist) / 2), (pen.half - 0.025, (waist - pen.top) / 2), 192, 448)
    lower = _ellipse((pen.middle - 0.01, (pen.bottom + waist) / 2), (pen.half, (pen.bottom - waist) / 2), -88, 172)
    join = pen.bar(pen.middle - 0.1, waist - 0.43 * pen.down, pen.middle + 0.02, waist + 0.43 * pen.down)
    return [*pen.draw(upper, lower), join]


def _four(pen: _Pen) -> list[Outline]:
    right = pen.lettering.width + 0.02
    stem = right - 0.12 - pen.across
    bar_top = 0.6
    diagonal = np.array(
        [
            [stem + 0.01, 0],
            [stem + 0.01 + pen.across * 0.2, 0.19],
            [pen.across * 0.96, bar_top + 0.04],
            [0, bar_top + 0.02],
        ]
    )
    return [
        pen.bar(stem, 0, stem + pen.across, 1),
        pen.bar(0, bar_top, right, bar_top + pen.down * 0.95),
        np.array([[stem, 0], [stem + 0.02, 0], [stem + 0.02, 0.24], [stem, 0.24]]),
        diagonal,
    ]


def _five(pen: _Pen) -> list[Outline]:
    bowl = _ellipse((pen.middle, 0.66), (pen.half, pen.bottom - 0.66), 232, 528)
    width = pen.lettering.width
    back = np.array(
        [[0.09, 0.0], [0.09 + pen.across * 0.92, 0.0], [0.05 + pen.across * 0.9, 0.5], [0.1, 0.57], [0.02, 0.55]]
    )
    return [*pen.draw(bowl), pen.bar(0.1, 0, width - 0.03, pen.down), back]


def _six(pen: _Pen) -> list[Outline]:
    bowl = _ellipse((pen.middle, 0.665), (pen.half, pen.bottom - 0.665), 0, 360)
    back = _ellipse((pen.middle + 0.01, 0.5), (pen.half + 0.01, 0.5 - pen.top), 180, 318)
    side = np.array([[pen.left, 0.68], [pen.left, 0.49]])
    return pen.draw(bowl, back, side)


def _seven(pen: _Pen) -> list[Outline]:
    width = pen.lettering.width
    leg = _curve((width - 0.1, pen.down * 0.6), (width - 0.26, 0.3), (pen.left + 0.12, 0.6), (pen.left + 0.1, 1.0))
    corner = np.array(
        [[width - 0.22, 0], [width, 0], [width, pen.down], [width - 0.1, pen.down * 1.55], [width - 0.2, 0.16]]
    )
    return [*stroke(leg, pen.across * 1.08, pen.down), pen.bar(0.0, 0, width, pen.down), corner]


def _eight(pen: _Pen) -> list[Outline]:
    waist = 0.475
    upper = _ellipse((pen.middle, (pen.top + waist) / 2), (pen.half - 0.03, (waist - pen.top) / 2), 0, 360)
    lower = _ellipse((pen.middle, (pen.bottom + waist) / 2), (pen.half, (pen.bottom - waist) / 2), 0, 360)
    return pen.draw(upper, lower)


def _nine(pen: _Pen) -> list[Outline]:
    turned = np.array([pen.lettering.width, 1.0])
    return [turned - piece for piece in _six(pen)]


_DIGITS: tuple[Callable[[_Pen], list[Outline]], ...] = (
    _zero, _one, _two, _three, _four, _five, _six, _seven, _eight, _nine,
)  # fmt: skip


def number_outlines(number: int, lettering: Lettering) -> list[Outline]:
    """Return outlines whose union is the number, one digit height tall, its middle at the origin."""
    pen = _Pen(lettering)
    pieces: list[Outline] = []
    cursor = 0.0
    for digit in str(number):
        outlines = _DIGITS[int(digit)](pen)
        left_edge = min(float(piece[:, 0].min()) for piece in outlines)
        right_edge = max(float(piece[:, 0].max()) for piece in outlines)
        pieces += [piece + np.array([cursor - left_edge, 0]) for piece in outlines]
        cursor += right_edge - left_edge + lettering.spacing
    return _centred(pieces)


def _centred(pieces: Sequence[Outline]) -> list[Outline]:
    points = np.concatenate(pieces)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    return [piece - middle for piece in pieces]
