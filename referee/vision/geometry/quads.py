"""Quads: the four corners of each tile in a picture, their sides, and duplicates.

Coordinates are continuous: pixel (i, j) covers the square from (i, j) to (i + 1, j + 1). OpenCV's coordinates, which
number pixel centres, are half a pixel less.
"""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from referee.vision.geometry.detections import Detections, Floats

# Widths and heights from one centre to the other, below which two detections are one tile; overlapping tiles are
# farther apart.
_DUPLICATE_DISTANCE = 0.55
_Real = TypeVar("_Real", np.float32, np.float64)


def quads_of(centre: npt.NDArray[np.floating], up: Floats, right: Floats) -> Floats:
    """Return quads [n, 4, 2] from centres and half vectors; `right` is reversed where needed to keep them clockwise."""
    right = np.where((up[:, 0] * right[:, 1] < up[:, 1] * right[:, 0])[:, None], -right, right)
    top_left, top_right = up - right, up + right
    return np.asarray(centre[:, None] + np.stack([top_left, top_right, -top_left, -top_right], axis=1), np.float32)


def half_vectors(quads: npt.NDArray[_Real]) -> tuple[npt.NDArray[_Real], npt.NDArray[_Real], npt.NDArray[_Real]]:
    """Return each quad's centre, half height (upward) and half width (rightward), each [n, 2]."""
    a, b, c, d = np.moveaxis(quads, 1, 0) / 4
    return a + b + c + d, a + b - c - d, b + c - a - d


def areas(quads: Floats) -> Floats:
    """Return the areas [n] in square pixels, positive for clockwise quads."""
    one, other = quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]  # diagonals
    return np.asarray((one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]) / 2, np.float32)


def heights_and_widths(quads: npt.NDArray[_Real]) -> npt.NDArray[_Real]:
    """Return the height and the width [n, 2] of each quad [n, 4, 2]."""
    _, up, right = half_vectors(quads)
    return np.asarray(2 * np.stack([np.hypot(*up.T), np.hypot(*right.T)], axis=1), quads.dtype)


def long_sides(quads: Floats) -> Floats:
    """Return the longer side [n] of each quad in pixels."""
    return np.asarray(heights_and_widths(quads).max(axis=1), np.float32)


def rotate_quads_180(quads: Floats) -> Floats:
    """Return the same quads, read the other way up."""
    return np.roll(quads, 2, axis=1)


def contains_centres(quads: Floats, others: Floats) -> npt.NDArray[np.bool_]:
    """Return whether the centre of each quad [n, 4, 2] lies well within each of the others [m, 4, 2]: [m, n]."""
    centre, up, right = (part.astype(np.float64) for part in half_vectors(others))
    area = 2 * (right[:, 0] * up[:, 1] - right[:, 1] * up[:, 0])[:, None]
    across, along = (up[:, ::-1] * (1, -1)) / area, (right[:, ::-1] * (-1, 1)) / area  # of a step of one pixel
    there = quads.mean(axis=1).astype(np.float64).T
    steps = (unit @ there - (unit * centre).sum(axis=1, keepdims=True) for unit in (across, along))
    return np.asarray(np.logical_and.reduce([np.abs(step) < _DUPLICATE_DISTANCE for step in steps]))


def suppress_duplicates(found: Detections) -> Detections:
    """Return the detections, best first, without the weaker of any two whose centres lie well within each other."""
    found = found.pick(np.argsort(-found.scores, kind="stable"))
    within = contains_centres(found.quads, found.quads)
    within |= within.T
    np.fill_diagonal(within, val=False)
    keep = np.ones(len(found), bool)
    for i in np.nonzero(within.any(axis=1))[0]:
        if keep[i]:
            keep[i + 1 :] &= ~within[i, i + 1 :]
    return found.pick(keep)
