"""Foreshortening undone: a picture is stretched in the direction in which its tiles look too short.

An oblique view shortens what points away from the camera, and a resized picture may be squeezed. The locate model knows
tiles of about their true proportions; others it misses or takes for turned by 90 degrees. Every upright tile measures
the foreshortening, whichever way it lies: its half height, and its half width scaled to the same length, are
conjugate radii of a circle, or of an ellipse if the picture is foreshortened.
"""

import math
from typing import Final, NamedTuple

import cv2
import numpy as np

from referee.vision.detect.tuning import TUNING
from referee.vision.geometry.crops import CROP_SIZE
from referee.vision.geometry.detections import Doubles, Floats
from referee.vision.geometry.quads import half_vectors
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid, drop_fourth_channel


class Stretch(NamedTuple):
    """A stretch by a factor along a direction, in radians clockwise from the right."""

    factor: float
    direction: float

    @property
    def matrix(self) -> Doubles:
        """The linear map [2, 2] of vectors in pixels."""
        along = np.array([math.cos(self.direction), math.sin(self.direction)])
        return np.asarray(np.eye(2) + (self.factor - 1) * np.outer(along, along))

    def apply(self, quads: Floats) -> Floats:
        """Return the quads [n, 4, 2] in the stretched picture, up to its origin."""
        return np.asarray(quads @ self.matrix.T, np.float32)


NO_STRETCH: Final = Stretch(1.0, 0.0)


def estimate_stretch(quads: Floats, proportion: float = CROP_SIZE[0] / CROP_SIZE[1]) -> Stretch:
    """Return the stretch that restores the ratio of width to height of upright quads [n ≥ 1, 4, 2] in pixels."""
    _, up, right = (part.astype(np.float64) for part in half_vectors(quads))
    radii = np.stack([up, right / proportion], axis=1)
    ellipses = radii.transpose(0, 2, 1) @ radii
    sizes = np.sqrt(np.maximum(np.linalg.det(ellipses), 1e-9))
    squares, ways = np.linalg.eigh(np.median(ellipses / sizes[:, None, None], axis=0))
    short_x, short_y = ways[:, 0]
    times = math.sqrt(squares[1] / max(squares[0], 1e-9))
    return Stretch(min(times, TUNING.max_stretch), math.atan2(short_y, short_x))


def stretch_image(image: Pyramid, scale: float, stretch: Stretch) -> tuple[Image, Doubles]:
    """Return the picture scaled and stretched, and the affine map [2, 3] back to the picture's pixels."""
    fineness = -math.log2(min(1.0, scale * math.sqrt(stretch.factor)))
    number = min(math.floor(fineness), min(image.size).bit_length() - 1)
    level = image.level(number)
    across = image.size[0] / level.shape[1], image.size[1] / level.shape[0]
    there = scale * stretch.matrix
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * image.size @ there.T
    low, size = corners.min(axis=0), np.ceil(np.ptp(corners, axis=0)).astype(int)
    back = np.linalg.inv(there)
    home = np.column_stack([back, back @ low])
    onto = home / np.array(across)[:, None]  # continuous coordinates; OpenCV's number pixel centres
    onto[:, 2] += onto[:, :2].sum(axis=1) / 2 - 0.5
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    picture = cv2.warpAffine(level, onto, (max(int(size[0]), 1), max(int(size[1]), 1)), flags=flags)
    return drop_fourth_channel(np.asarray(picture, np.uint8)), home
