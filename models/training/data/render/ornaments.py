"""What some boxes print below the digit in its ink: a disc, a ring, a heart, a star, or the number once more, small."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import cv2
import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.float32]
Kind = Literal["disc", "ring", "heart", "diamond", "star", "flower", "number", "number turned"]

KINDS: tuple[Kind, ...] = get_args(Kind)
_MIN_ROOM = 0.14  # of the tile's height below the digit: where there is less, nothing fits
_SUPERSAMPLING = 4  # times as fine as the face: shapes are drawn so, and shrunk
_MAX_NUMBER_SCALE = 0.7  # the number once more is at most so large


@dataclass(frozen=True, slots=True)
class Ornament:
    """The ornament of one box."""

    kind: Kind
    size: float  # of the room below the digit, 0 to 1
    thickness: float  # of a ring's line, of its radius

    @classmethod
    def some(cls, rng: np.random.Generator) -> Ornament:
        """One by chance."""
        kind = KINDS[int(rng.integers(len(KINDS)))]
        return cls(kind, size=float(rng.uniform(0.4, 0.9)), thickness=float(rng.uniform(0.12, 0.5)))


def add_ornament(mask: Mask, ornament: Ornament) -> Mask:
    """A number's ink on a face [rows, columns] in 0..1, and its ornament where there is room for it."""
    rows, columns = (np.nonzero(mask.max(axis=axis) > 0.3)[0] for axis in (1, 0))
    if not len(rows) or 1 - (foot := (rows[-1] + 1) / len(mask)) < _MIN_ROOM:
        return mask
    middle = np.array([mask.shape[1] / 2, (foot + 0.97) / 2 * len(mask)])
    radius = min((0.97 - foot) / 2 * ornament.size * len(mask), mask.shape[1] * 0.3)
    if ornament.kind in ("number", "number turned"):
        number = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        shape = _once_more(number[::-1, ::-1] if ornament.kind == "number turned" else number, mask, middle, radius)
    else:
        shape = _shape(ornament, mask, middle, radius)
    return np.maximum(mask, shape)


def _once_more(number: Mask, mask: Mask, middle: npt.NDArray[np.float64], radius: float) -> Mask:
    scale = min(2 * radius / number.shape[0], 2.5 * radius / number.shape[1], _MAX_NUMBER_SCALE)
    corner = middle - np.array([number.shape[1], number.shape[0]]) * scale / 2
    matrix = np.array([[scale, 0, corner[0]], [0, scale, corner[1]]])
    smooth = cv2.GaussianBlur(number, (0, 0), max(0.01, 0.35 / scale))
    return np.asarray(cv2.warpAffine(smooth, matrix, mask.shape[::-1], flags=cv2.INTER_LINEAR), np.float32)


def _shape(ornament: Ornament, mask: Mask, middle: npt.NDArray[np.float64], radius: float) -> Mask:
    fine = np.zeros((mask.shape[0] * _SUPERSAMPLING, mask.shape[1] * _SUPERSAMPLING), np.uint8)
    for outline in _OUTLINES.get(ornament.kind, _OUTLINES["disc"]):
        cv2.fillPoly(fine, [np.round((outline * radius + middle) * _SUPERSAMPLING).astype(np.int32)], 255)
    if ornament.kind == "ring":
        inside = _ELLIPSE * radius * (1 - ornament.thickness) + middle
        cv2.fillPoly(fine, [np.round(inside * _SUPERSAMPLING).astype(np.int32)], 0)
    small = cv2.resize(fine, mask.shape[::-1], interpolation=cv2.INTER_AREA)
    return small.astype(np.float32) / np.float32(255)


def _round(count: int, radius: float = 1.0, middle: tuple[float, float] = (0.0, 0.0)) -> npt.NDArray[np.float64]:
    angles = np.arange(count) * (2 * math.pi / count) - math.pi / 2
    return np.column_stack([np.cos(angles), np.sin(angles)]) * radius + middle


_ELLIPSE = _round(48)
_STAR = _round(10) * np.where(np.arange(10) % 2, 0.45, 1.0)[:, None]
_HEART = [
    _round(32, 0.5, (-0.44, -0.3)),
    _round(32, 0.5, (0.44, -0.3)),
    np.array([(-0.9, -0.1), (0.9, -0.1), (0, 0.95)]),
]
_FLOWER = [_round(24, 0.42, (x, y)) for x, y in _round(5, 0.55)]
# Outlines to be filled, for a radius of one; y runs down.
_OUTLINES = {"disc": [_ELLIPSE], "heart": _HEART, "diamond": [_round(4)], "star": [_STAR], "flower": _FLOWER}
