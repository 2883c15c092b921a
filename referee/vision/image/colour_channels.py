"""Colours of many tiles at once: the body's, the print's, and whether there is any.

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
"""The inks of most boxes (blue, green, red), averaged over 272 tables rendered under many lamps."""

# Every second pixel around the print, without rims and gaps.
_PRINT_REGION = (slice(None), slice(8, 41), slice(9, 23, 2))
_BODY_QUANTILES = (0.55, 0.95)  # of the pixels by brightness: between print and glare
_PRINT_SHARE = 0.1  # of the pixels, those that differ most from the body
_STEPS_PER_UNIT = 2.0**14  # quantisation of colour differences
_BRIGHTNESS_FLOOR = 8.0  # grey levels, below which colour is noise
_LOG_LEVELS = np.log(np.arange(256, dtype=np.float32) + np.float32(_BRIGHTNESS_FLOOR))
_MIN_CHROMA, _MIN_COLOURED_SHARE = 6, 0.01  # grey levels between channels; a smaller share of such pixels is noise


def channels_of(pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return pixels [n, …, 3] as [n, 3, count]."""
    channels = np.ascontiguousarray(np.moveaxis(pixels, -1, 1))  # of a part, twice as fast as copying it first
    return channels.reshape(len(pixels), 3, math.prod(pixels.shape[1:-1]))


def sum_channels(channels: npt.NDArray[np.float32]) -> _Floats:
    """Return the sums over the channels [n, count]."""
    return np.asarray(channels[:, 0] + channels[:, 1] + channels[:, 2], np.float32)


def mean_of_ranks(channels: _Floats, keys: npt.NDArray[np.floating], first: int, end: int) -> _Floats:
    """Return the mean [n, 3] of each tile's values [n, 3, count] ranked `first` up to before `end` by their keys.

    The keys [n, count] are below 2^22 and are rounded down. Each is combined with its index, so that no two are equal:
    NumPy sorts values five times as fast as `argsort` and, unlike it, equally on every processor.
    """
    count = keys.shape[1]
    distinct = keys.astype(np.uint32) << count.bit_length() | np.arange(count, dtype=np.uint32)
    in_order = np.sort(distinct, axis=1)
    chosen = (distinct >= in_order[:, first, None]) & (distinct <= in_order[:, end - 1, None])
    return np.asarray((channels @ chosen.astype(np.float32)[..., None])[..., 0] / (end - first), np.float32)


def print_colours(crops: Image) -> npt.NDArray[np.float64]:
    """Return the print's colour [n, 3] in crops [n, 48, 32, 3]: log(blue, green, red) relative to the tile's body."""
    channels = channels_of(crops[_PRINT_REGION])
    count = channels.shape[2]
    relative = _LOG_LEVELS[channels] - np.log(_body_colours(channels) + _BRIGHTNESS_FLOOR)[..., None]
    differ = sum_channels(np.abs(relative)) * _STEPS_PER_UNIT
    return np.asarray(mean_of_ranks(relative, differ, count - max(4, round(count * _PRINT_SHARE)), count), np.float64)


def print_colours_on_white(colours: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the `print_colours` of inks [n, 3] on a white tile in white light."""
    return np.asarray(np.log(colours + _BRIGHTNESS_FLOOR) - _LOG_LEVELS[-1], np.float64)


def is_colourless(crops: Image) -> bool:
    """Return whether crops [n, 48, 32, 3] are black and white, so that inks cannot be told apart."""
    blue, green, red = np.moveaxis(crops[_PRINT_REGION], 3, 0)
    most, least = np.maximum(np.maximum(blue, green), red), np.minimum(np.minimum(blue, green), red)
    return bool(len(crops)) and float(np.mean(most - least >= _MIN_CHROMA)) < _MIN_COLOURED_SHARE


def _body_colours(channels: Image) -> _Floats:
    values, count = channels.astype(np.float32), channels.shape[2]
    return mean_of_ranks(
        values, sum_channels(values), round(count * _BODY_QUANTILES[0]), round(count * _BODY_QUANTILES[1])
    )
