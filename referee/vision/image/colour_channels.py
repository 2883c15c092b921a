"""Colour channels of many tiles, and the mean colour of pixels between two ranks of brightness.

NumPy reductions over a length-3 axis are about ten times slower than over the axis of the pixels.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.rules.tiles import Colour
from referee.vision.image.frame import Image

_Floats = npt.NDArray[np.float32]
PRINTED: Final[Mapping[Colour, tuple[int, int, int]]] = MappingProxyType(
    {
        Colour.BLACK: (30, 30, 30),
        Colour.RED: (59, 31, 209),
        Colour.BLUE: (175, 83, 26),
        Colour.ORANGE: (22, 124, 237),
    }
)
"""The inks of most boxes (blue, green, red), as 272 rendered tables under many lamps have them on average."""

_INNER = (slice(None), slice(8, 41), slice(9, 23, 2))  # every second pixel about the print; rims and gaps left out
_BODY_QUANTILES = (0.55, 0.95)  # of the pixels by brightness: neither print nor glare
_PRINT_SHARE = 0.1  # of the pixels: what differs most from the body
_STEPS = 2.0**14  # of a difference of 1, by which pixels are told apart
_BRIGHTNESS_FLOOR = 8.0  # grey levels below which colours are noise
_LOG_LEVELS = np.log(np.arange(256, dtype=np.float32) + np.float32(_BRIGHTNESS_FLOOR))
_COLOUR_LEVELS, _MIN_COLOURED_SHARE = 6, 0.01  # grey levels between the channels; fewer pixels that have them are noise


def channels_of(pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return pixels [n, …, 3] as [n, 3, count]."""
    planes = np.ascontiguousarray(np.moveaxis(pixels, -1, 1))  # of part of a picture, half the time of a copy first
    return planes.reshape(len(pixels), 3, math.prod(pixels.shape[1:-1]))


def summed(planes: npt.NDArray[np.float32]) -> _Floats:
    """Return the sum over the channels [n, count]."""
    return np.asarray(planes[:, 0] + planes[:, 1] + planes[:, 2], np.float32)


def mean_between(planes: _Floats, sizes: npt.NDArray[np.floating], first: int, end: int) -> _Floats:
    """Return the mean [n, 3] of those of each tile's values [n, 3, count] that come `first` to before `end` by size.

    Sizes [n, count], below 2^22, count in whole numbers. They are sorted with their places in the last bits, so that no
    two are equal: numpy sorts numbers five times as fast as it finds their order, and finds another order of equal ones
    on another processor.
    """
    count = sizes.shape[1]
    distinct = sizes.astype(np.uint32) << count.bit_length() | np.arange(count, dtype=np.uint32)
    in_order = np.sort(distinct, axis=1)
    chosen = (distinct >= in_order[:, first, None]) & (distinct <= in_order[:, end - 1, None])
    return np.asarray((planes @ chosen.astype(np.float32)[..., None])[..., 0] / (end - first), np.float32)


def print_colours(crops: Image) -> npt.NDArray[np.float64]:
    """Return each print's colour [n, 3] in crops [n, 48, 32, 3]: logarithms relative to the tile's body."""
    planes = channels_of(crops[_INNER])
    count = planes.shape[2]
    relative = _LOG_LEVELS[planes] - np.log(_bodies(planes) + _BRIGHTNESS_FLOOR)[..., None]
    differ = summed(np.abs(relative)) * _STEPS
    return np.asarray(mean_between(relative, differ, count - max(4, round(count * _PRINT_SHARE)), count), np.float64)


def on_white(colours: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return what `print_colours` tells of inks [n, 3] on a white tile in white light."""
    return np.asarray(np.log(colours + _BRIGHTNESS_FLOOR) - _LOG_LEVELS[-1], np.float64)


def is_colourless(crops: Image) -> bool:
    """Return whether crops [n, 48, 32, 3] are of a picture in black and white, where inks cannot be told."""
    blue, green, red = np.moveaxis(crops[_INNER], 3, 0)
    most, least = np.maximum(np.maximum(blue, green), red), np.minimum(np.minimum(blue, green), red)
    return bool(len(crops)) and float(np.mean(most - least >= _COLOUR_LEVELS)) < _MIN_COLOURED_SHARE


def _bodies(planes: Image) -> _Floats:
    values, count = planes.astype(np.float32), planes.shape[2]
    return mean_between(values, summed(values), round(count * _BODY_QUANTILES[0]), round(count * _BODY_QUANTILES[1]))
