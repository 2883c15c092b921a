"""Upright crops of tiles, cut out of a picture by their quads.

Coordinates are continuous, as in `quads`; OpenCV's, which number pixel centres, are half a pixel less.
"""

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.geometry.detections import Floats
from referee.vision.geometry.quads import half_vectors, heights_and_widths, quads_of
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid, drop_fourth_channel

CROP_SIZE: Final = (48, 64)  # width, height
READ_CROP_SIZE: Final = (32, 48)  # of the same crop, for the quick reader
CORNER_CROP_SIZE: Final = (24, 32)  # for the corner model
MARGIN: Final = 0.08  # of the tile's width and height, on each side
FACE: Final = (slice(6, 58), slice(6, 42))  # of a CROP_SIZE crop: without the rim and its shadow
_MAX_DOWNSCALE = (
    1.6  # image pixels per crop pixel; more are reduced by halving the image first, or thin digits break up
)


def rectify(image: Image | Pyramid, quads: Floats, size: tuple[int, int] = CROP_SIZE) -> Image:
    """Return upright crops [n, height, width, 3] of the quads widened by the margin, antialiased.

    `size` is their width and height. In memory they are transposed (see `transpose_crops`).
    """
    if not len(quads):
        return np.empty((0, *size[::-1], 3), np.uint8)
    pyramid = image if isinstance(image, Pyramid) else Pyramid(image)
    centre, up, right = half_vectors(quads)
    fineness = (heights_and_widths(quads) / np.array(size[::-1], np.float32)).max(axis=1) * (1 + 2 * MARGIN)
    halved = np.ceil(np.log2(np.maximum(fineness / _MAX_DOWNSCALE, 1))).astype(np.intp)
    levels = np.minimum(halved, min(pyramid.size).bit_length() - 1)
    matrices = _crop_to_image(centre, up, right, size) / (1 << levels)[:, None, None]
    # OpenCV numbers pixel centres on both sides: add half a pixel in the crop, subtract half a pixel in the image.
    matrices[:, :, 2] += (matrices[:, :, 0] + matrices[:, :, 1]) / 2 - 0.5
    needed = set(levels.tolist())
    if len(needed) == 1:
        return _warp_crops(pyramid.level(needed.pop()), matrices, size)
    crops = transpose_crops(np.empty((len(quads), *size, 3), np.uint8))
    for number in needed:
        (rows,) = np.nonzero(levels == number)
        crops[rows] = _warp_crops(pyramid.level(number), matrices[rows], size)
    return crops


def crop_around(image: Image | Pyramid, quads: Floats, span: float, size: tuple[int, int] = CROP_SIZE) -> Image:
    """Return upright crops [n, height, width, 3] around each quad, `span` times its width and height."""
    centre, up, right = half_vectors(quads)
    wider = np.float32(span / (1 + 2 * MARGIN))
    return rectify(image, quads_of(centre, up * wider, right * wider), size)


def _warp_crops(level: Image, matrices: npt.NDArray[np.float64], size: tuple[int, int]) -> Image:
    """Return crops [n, height, width, 3] of a pyramid level, by affine maps [n, 2, 3] from crop to level pixels.

    Rows are 32, 48 or 64 pixels long: for other than multiples of 16, OpenCV takes ten times as long for the remainder.
    """
    width, height = size
    crops = np.empty((len(matrices), width, height, level.shape[2]), np.uint8)
    warp, flags, beyond = cv2.warpAffine, cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, cv2.BORDER_REPLICATE
    for crop, matrix in zip(crops, matrices, strict=True):
        warp(level, matrix, (height, width), crop, flags, beyond)
    return transpose_crops(drop_fourth_channel(crops.reshape(-1, height, crops.shape[3])).reshape(*crops.shape[:3], 3))


def transpose_crops(crops: Image) -> Image:
    """Return crops [n, height, width, 3] as [n, width, height, 3]; applied twice, they are upright again.

    The models take transposed crops, and in memory crops are transposed: few long rows are faster than many short ones.
    """
    return crops.swapaxes(1, 2)


def rotate_crops_180(crops: Image) -> Image:
    """Return crops [n, height, width, 3] rotated by 180 degrees."""
    if not len(crops):
        return crops
    # Reversing the pixels of each crop; NumPy takes thirty times as long.
    lying = np.ascontiguousarray(transpose_crops(crops))
    reverse = cv2.flip(lying.reshape(len(lying), -1, 3), 1)
    return transpose_crops(np.asarray(reverse, np.uint8).reshape(lying.shape))


def downscale_crops(crops: Image, size: tuple[int, int]) -> Image:
    """Return crops [n, height, width, 3] downscaled by 3/4 to `size`, or unchanged if they have that size."""
    count, height, width = crops.shape[:3]
    if (width, height) == size or not count:
        return crops
    # As one column of crops: at this ratio no pixel straddles two.
    column = crops.reshape(count * height, width, 3)
    smaller = cv2.resize(column, (size[0], count * size[1]), interpolation=cv2.INTER_LINEAR_EXACT)
    return np.asarray(smaller.reshape(count, size[1], size[0], 3), np.uint8)


def _crop_to_image(centre: Floats, up: Floats, right: Floats, size: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Return affine maps [n, 2, 3] from the coordinates of a transposed crop of `size` to those of the image."""
    wide = 1 + 2 * MARGIN
    maps = np.empty((len(centre), 2, 3))
    maps[:, :, 0] = up * (-2 * wide / size[1])
    maps[:, :, 1] = right * (2 * wide / size[0])
    maps[:, :, 2] = centre + wide * (up - right)
    return maps
