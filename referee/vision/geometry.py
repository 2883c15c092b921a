"""The plane geometry of seeing tiles: peaks into quads, quads that are one tile twice, quads into upright crops.

Coordinates are continuous: pixel (i, j) covers the square from (i, j) to (i + 1, j + 1), so OpenCV's whole numbers,
which name the middles of pixels, are half a pixel less.
"""

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.detections import Detections, Doubles, Floats
from referee.vision.frame import Image
from referee.vision.pyramid import Pyramid, without_fourth

STRIDE: Final = 4
CROP_SIZE: Final = (48, 64)  # width, height
GLANCE_SIZE: Final = (32, 48)  # of the same crop, for a first look
SMALL_CROP: Final = (24, 32)  # of the same tile, for what does not read it
MARGIN: Final = 0.08  # of the tile's width and height, on each side
_SAME_TILE = 0.55  # widths and heights: a middle nearer to another tile's is that tile; overlapping ones are further
# A quad's eight numbers into those of its middle, half height upward and half width to the right.
_HALVES = np.kron(np.array([[1, 1, -1], [1, 1, 1], [1, -1, 1], [1, -1, -1]]), np.eye(2)).astype(np.float32) / 4
_TOO_FINE = 1.6  # image pixels a crop pixel: beyond that the image is halved first, or thin digits break up
_HALVED_FROM = _TOO_FINE * 2.0 ** np.arange(16)  # and beyond each of these once more


def decode(heat: Floats, geometry: Floats, threshold: float, most: int = 1000) -> Detections:
    """Peaks of the heat map [h, w] as quads in pixels of the locate input; geometry [6, h, w]: see the model card."""
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero((heat >= top) & (heat > threshold))
    scores = heat[rows, columns]
    best = np.argsort(-scores, kind="stable")[:most]
    rows, columns, scores = rows[best], columns[best], scores[best]
    dx, dy, ux, uy, vx, vy = geometry[:, rows, columns]
    centre = np.stack([columns + 0.5 + dx, rows + 0.5 + dy], axis=1)
    quads = quads_of(centre * STRIDE, halved(ux, uy) * STRIDE, halved(vx, vy) * STRIDE)
    good = np.isfinite(quads).all(axis=(1, 2)) & (np.abs(areas(quads)) > 1)
    return Detections(quads[good], scores[good].astype(np.float32))


def halved(x: Floats, y: Floats) -> Floats:
    """Vectors [n, 2] from their doubled-angle code; which of the two opposite ones is open."""
    angle, length = np.arctan2(y, x) / 2, np.hypot(x, y)
    return np.asarray(np.stack([length * np.cos(angle), length * np.sin(angle)], axis=1), np.float32)


def doubled(vectors: Floats) -> Floats:
    """The doubled-angle code [n, 2] of vectors, the same for a vector and its opposite."""
    angle, length = 2 * np.arctan2(vectors[:, 1], vectors[:, 0]), np.hypot(vectors[:, 0], vectors[:, 1])
    return np.asarray(np.stack([length * np.cos(angle), length * np.sin(angle)], axis=1), np.float32)


def quads_of(centre: npt.NDArray[np.floating], up: Floats, right: Floats) -> Floats:
    """Quads [n, 4, 2] of middles and half vectors; `right` is turned about where the quad would run anticlockwise."""
    right = np.where((up[:, 0] * right[:, 1] < up[:, 1] * right[:, 0])[:, None], -right, right)
    top_left, top_right = up - right, up + right
    return np.asarray(centre[:, None] + np.stack([top_left, top_right, -top_left, -top_right], axis=1), np.float32)


def half_vectors(quads: Floats) -> tuple[Floats, Floats, Floats]:
    """Middle, half height upward and half width to the right of each quad, each [n, 2]."""
    halves: Floats = np.asarray(quads.reshape(-1, 8) @ _HALVES, np.float32)
    return halves[:, :2], halves[:, 2:4], halves[:, 4:]


def areas(quads: Floats) -> Floats:
    """Areas in square pixels, positive for clockwise quads."""
    one, other = quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]  # diagonals
    return np.asarray((one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]) / 2, np.float32)


def long_sides(quads: Floats) -> Floats:
    """The longer side of each quad in pixels."""
    _, up, right = half_vectors(quads)
    return np.asarray(2 * np.maximum(np.hypot(*up.T), np.hypot(*right.T)), np.float32)


def turned(quads: Floats) -> Floats:
    """The same quads with their digits read the other way up."""
    return np.roll(quads, 2, axis=1)


def quarter_turned(quads: Floats, rows: npt.NDArray[np.bool_]) -> Floats:
    """The quads [n, 4, 2] with some of them, given by rows [n], taken for lying on another side."""
    return np.where(rows[:, None, None], np.roll(quads, 1, axis=1), quads)


def steps(quads: Floats, places: npt.NDArray[np.floating]) -> tuple[Doubles, Doubles]:
    """How far each place [m, 2] lies from the middle of each quad [n, 4, 2], both [n, m].

    In widths of that tile to its right, and in heights of it upward: in these units rows look alike from any camera.
    """
    centre, up, right = (part.astype(np.float64) for part in half_vectors(quads))
    area = 2 * (right[:, 0] * up[:, 1] - right[:, 1] * up[:, 0])[:, None]
    there = places.astype(np.float64).T
    across, along = (up[:, ::-1] * (1, -1)) / area, (right[:, ::-1] * (-1, 1)) / area  # of a step of one pixel
    here_across, here_along = ((unit * centre).sum(axis=1, keepdims=True) for unit in (across, along))
    return across @ there - here_across, along @ there - here_along


def lie_within(quads: Floats, others: Floats) -> npt.NDArray[np.bool_]:
    """Whether the middle of each quad [n, 4, 2] lies well within each of the others [m, 4, 2]: [m, n]."""
    across, along = steps(others, quads.mean(axis=1))
    return np.asarray((np.abs(across) < _SAME_TILE) & (np.abs(along) < _SAME_TILE))


def distinct(found: Detections, preferred: npt.NDArray[np.bool_] | None = None) -> Detections:
    """Without the weaker of any two detections whose middle lies well within the other tile.

    Those `preferred` [n] are stronger, whatever their scores.
    """
    return found.pick(distinct_rows(found, preferred))


def distinct_rows(found: Detections, preferred: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.intp]:
    """Which of the detections `distinct` keeps, the stronger first."""
    order = np.lexsort((-found.scores, np.zeros(len(found)) if preferred is None else ~preferred))
    found = found.pick(order)
    within = lie_within(found.quads, found.quads)
    within |= within.T
    np.fill_diagonal(within, val=False)
    keep = np.ones(len(found), bool)
    for i in np.nonzero(within.any(axis=1))[0]:
        if keep[i]:
            keep[i + 1 :] &= ~within[i, i + 1 :]
    return order[keep]


def rectify(image: Image | Pyramid, quads: Floats, size: tuple[int, int] = CROP_SIZE) -> Image:
    """Upright crops [n, height, width, 3] of the quads widened by the margin; what is much larger is smoothed first.

    `size`: their width and height. They are views of `exchanged` ones.
    """
    if not len(quads):
        return np.empty((0, *size[::-1], 3), np.uint8)
    pyramid = image if isinstance(image, Pyramid) else Pyramid(image)
    centre, up, right = half_vectors(quads)
    high, wide = np.hypot(up[:, 0], up[:, 1]), np.hypot(right[:, 0], right[:, 1])
    fineness = np.maximum(high / size[1], wide / size[0]) * (2 * (1 + 2 * MARGIN))
    levels = np.minimum(np.searchsorted(_HALVED_FROM, fineness), min(pyramid.size).bit_length() - 1)
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


def _cut(level: Image, matrices: npt.NDArray[np.float64], size: tuple[int, int]) -> Image:
    """Crops [n, height, width, 3] of a level of a pyramid, by affine maps [n, 2, 3] to its pixels from their exchanged.

    Their long rows are 32, 48 or 64 pixels: of other than multiples of 16 OpenCV takes ten times as long for the rest.
    """
    width, height = size
    crops = np.empty((len(matrices), width, height, level.shape[2]), np.uint8)
    warp, flags, beyond = cv2.warpAffine, cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, cv2.BORDER_REPLICATE
    for crop, matrix in zip(crops, matrices, strict=True):
        warp(level, matrix, (height, width), crop, flags, beyond)
    return exchanged(without_fourth(crops.reshape(-1, height, crops.shape[3])).reshape(*crops.shape[:3], 3))


def exchanged(crops: Image) -> Image:
    """Crops [n, height, width, 3] as [n, width, height, 3]: rows are columns, and columns rows.

    So the models take them, and so they lie in memory, for a processor is quicker with few long rows than with many
    short ones. Exchanged once more they are upright.
    """
    return crops.swapaxes(1, 2)


def turned_round(crops: Image) -> Image:
    """Crops [n, height, width, 3] by half a turn."""
    if not len(crops):
        return crops
    # All pixels of each in reverse: numpy takes thirty times as long.
    lying = np.ascontiguousarray(exchanged(crops))
    reverse = cv2.flip(lying.reshape(len(lying), -1, 3), 1)
    return exchanged(np.asarray(reverse, np.uint8).reshape(lying.shape))


def shrunk(crops: Image, size: tuple[int, int]) -> Image:
    """Crops [n, height, width, 3] made smaller, to a `size` of which theirs is 4 : 3 times, or left as they are."""
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
