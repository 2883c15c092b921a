"""Pixels of many tiles channel by channel, and the mean colour of those that come between two places by size.

Along an axis of three numpy reckons ten times as slowly as along the axis of the pixels.
"""

import math

import numpy as np
import numpy.typing as npt

from referee.vision.detections import Floats


def planes_of(pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Pixels [n, …, 3] as [n, 3, count]."""
    planes = np.ascontiguousarray(np.moveaxis(pixels, -1, 1))  # of part of a picture, half the time of a copy first
    return planes.reshape(len(pixels), 3, math.prod(pixels.shape[1:-1]))


def summed(planes: npt.NDArray[np.float32]) -> Floats:
    """The sum over the channels [n, count]."""
    return np.asarray(planes[:, 0] + planes[:, 1] + planes[:, 2], np.float32)


def mean_between(planes: Floats, sizes: npt.NDArray[np.floating], first: int, end: int) -> Floats:
    """The mean [n, 3] of those of each tile's values [n, 3, count] that come `first` to before `end` by size.

    Sizes [n, count], below 2^22, count in whole numbers. They are sorted with their places in the last bits, so that no
    two are equal: numpy sorts numbers five times as fast as it finds their order, and finds another order of equal ones
    on another processor.
    """
    count = sizes.shape[1]
    distinct = sizes.astype(np.uint32) << count.bit_length() | np.arange(count, dtype=np.uint32)
    in_order = np.sort(distinct, axis=1)
    chosen = (distinct >= in_order[:, first, None]) & (distinct <= in_order[:, end - 1, None])
    return np.asarray((planes @ chosen.astype(np.float32)[..., None])[..., 0] / (end - first), np.float32)
