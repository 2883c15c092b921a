"""Upright crops of tiles, cut out of a picture by their quads.

Coordinates are continuous, as in `quads`; OpenCV's name the middles of pixels and are half a pixel less.
"""

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.geometry.detections import Floats
from referee.vision.geometry.quads import half_vectors, heights_and_widths, quads_of
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid, without_fourth

CROP_SIZE: Final = (48, 64)  # width, height
GLANCE_SIZE: Final = (32, 48)  # of the same crop, for a first look
SMALL_CROP: Final = (24, 32)  # of the same tile, for what does not read it
MARGIN: Final = 0.08  # of the tile's width and height, on each side
FACE: Final = (slice(6, 58), slice(6, 42))  # of a crop of CROP_SIZE: without the rim and its shadow
_TOO_FINE = 1.6  # image pixels a crop pixel: beyond that the image is halved until it is none, or thin digits break up


def rectify(image: Image | Pyramid, quads: Floats, size: tuple[int, int] = CROP_SIZE) -> Image:
    """Upright crops [n, height, width, 3] of the quads widened by the margin; what is much larger is smoothed first.

    `size`: their width and height. They are views of `exchanged` ones.
    """
    if not len(quads):
        return np.empty((0, *size[::-1], 3), np.uint8)
    pyramid = image if isinstance(image, Pyramid) else Pyramid(image)
    centre, up, right = half_vectors(quads)
    fineness = (heights_and_widths(quads) / np.array(size[::-1], np.float32)).max(axis=1) * (1 + 2 * MARGIN)
    halved = np.ceil(np.log2(np.maximum(fineness / _TOO_FINE, 1))).astype(np.intp)
    levels = np.minimum(halved, min(pyramid.size).bit_length() - 1)
    matrices = _crop_to_image(centre, up, right, size) / (1 << levels)[:, None, None]
    # Middles of pixels on both sides: half a pixel to the corner of the crop's, half a pixel back in the image.
    matrices[:, :, 2] += (matrices[:, :, 0] + matrices[:, :, 1]) / 2 - 0.5
    needed = set(levels.tolist())
    if len(needed) == 1:
        return _cut(pyramid.level(needed.pop()), matrices, size)
    crops = exchanged(np.empty((len(quads), *size, 3), np.uint8))
    for number in needed:
        (rows,) = np.nonzero(levels == number)
        crops[rows] = _cut(pyramid.level(number), matrices[rows], size)
    return crops


def surroundings(image: Image | Pyramid, quads: Floats, span: float, size: tuple[int, int] = CROP_SIZE) -> Image:
    """Return upright crops [n, height, width, 3] of so many widths and heights about the middle of each quad."""
    centre, up, right = half_vectors(quads)
    wider = np.float32(span / (1 + 2 * MARGIN))
    return rectify(image, quads_of(centre, up * wider, right * wider), size)


def _cut(level: Image, matrices: npt.NDArray[np.float64], size: tuple[int, int]) -> Image:
    """Return crops [n, height, width, 3] of a pyramid level, by affine maps [n, 2, 3] from crop to level pixels.

    Their long rows are 32, 48 or 64 pixels: of other than multiples of 16 OpenCV takes ten times as long for the rest.
    """
    width, height = size
    crops = np.empty((len(matrices), width, height, level.shape[2]), np.uint8)
    warp, flags, beyond = cv2.warpAffine, cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, cv2.BORDER_REPLICATE
    for crop, matrix in zip(crops, matrices, strict=True):
        warp(level, matrix, (height, width), crop, flags, beyond)
    return exchanged(without_fourth(crops.reshape(-1, height, crops.shape[3])).reshape(*crops.shape[:3], 3))


def exchanged(crops: Image) -> Image:
    """Return crops [n, height, width, 3] as [n, width, height, 3]: rows are columns, and columns rows.

    So the models take them, and so they lie in memory, for a processor is quicker with few long rows than with many
    short ones. Exchanged once more they are upright.
    """
    return crops.swapaxes(1, 2)


def turned_round(crops: Image) -> Image:
    """Return crops [n, height, width, 3] by half a turn."""
    if not len(crops):
        return crops
    # All pixels of each in reverse: numpy takes thirty times as long.
    lying = np.ascontiguousarray(exchanged(crops))
    reverse = cv2.flip(lying.reshape(len(lying), -1, 3), 1)
    return exchanged(np.asarray(reverse, np.uint8).reshape(lying.shape))


def shrunk(crops: Image, size: tuple[int, int]) -> Image:
    """Return crops [n, height, width, 3] shrunk by 3 : 4 to `size`, or unchanged if they have it."""
    count, height, width = crops.shape[:3]
    if (width, height) == size or not count:
        return crops
    # One below the other: at 4 : 3 no pixel lies across two crops.
    column = crops.reshape(count * height, width, 3)
    smaller = cv2.resize(column, (size[0], count * size[1]), interpolation=cv2.INTER_LINEAR_EXACT)
    return np.asarray(smaller.reshape(count, size[1], size[0], 3), np.uint8)


def _crop_to_image(centre: Floats, up: Floats, right: Floats, size: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Affine maps [n, 2, 3] to the image's continuous coordinates from those of a crop of a size, exchanged."""
    wide = 1 + 2 * MARGIN
    maps = np.empty((len(centre), 2, 3))
    maps[:, :, 0] = up * (-2 * wide / size[1])
    maps[:, :, 1] = right * (2 * wide / size[0])
    maps[:, :, 2] = centre + wide * (up - right)
    return maps
