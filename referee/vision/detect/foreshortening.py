"""Undoes foreshortening: a picture is lengthened in the direction in which its tiles look too short.

A camera that leans far sees what points away from it shortened, and a picture that was made square is squeezed. The
locate model knows tiles of about their own proportions; others it overlooks, or takes for lying on another side. Every
upright tile tells by how much, whichever way it lies: its half height, and its half width made as long as that, are
two radii of a circle at right angles; of an ellipse where the picture is shortened.
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


class Lengthening(NamedTuple):
    """How many times longer a picture is made, and in which direction (radians from the right, downward)."""

    times: float
    direction: float

    @property
    def matrix(self) -> Doubles:
        """The map [2, 2] of vectors in pixels."""
        along = np.array([math.cos(self.direction), math.sin(self.direction)])
        return np.asarray(np.eye(2) + (self.times - 1) * np.outer(along, along))

    def applied(self, quads: Floats) -> Floats:
        """Return the quads [n, 4, 2] as they are in the longer picture, but for where its corner lies."""
        return np.asarray(quads @ self.matrix.T, np.float32)


AS_IT_IS: Final = Lengthening(1.0, 0.0)


def lengthening(quads: Floats, proportion: float = CROP_SIZE[0] / CROP_SIZE[1]) -> Lengthening:
    """Return what gives upright quads [n, 4, 2] in pixels their proportion of width to height again; n is 1 or more."""
    _, up, right = (part.astype(np.float64) for part in half_vectors(quads))
    radii = np.stack([up, right / proportion], axis=1)
    ellipses = radii.transpose(0, 2, 1) @ radii
    sizes = np.sqrt(np.maximum(np.linalg.det(ellipses), 1e-9))
    squares, ways = np.linalg.eigh(np.median(ellipses / sizes[:, None, None], axis=0))
    short_x, short_y = ways[:, 0]
    times = math.sqrt(squares[1] / max(squares[0], 1e-9))
    return Lengthening(min(times, TUNING.max_stretch), math.atan2(short_y, short_x))


def lengthened(image: Pyramid, scale: float, longer: Lengthening) -> tuple[Image, Doubles]:
    """Return the picture scaled and stretched, and the affine map [2, 3] back to the picture's pixels."""
    fineness = -math.log2(min(1.0, scale * math.sqrt(longer.times)))
    number = min(math.floor(fineness), min(image.size).bit_length() - 1)
    level = image.level(number)
    across = image.size[0] / level.shape[1], image.size[1] / level.shape[0]
    there = scale * longer.matrix
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * image.size @ there.T
    low, size = corners.min(axis=0), np.ceil(np.ptp(corners, axis=0)).astype(int)
    back = np.linalg.inv(there)
    home = np.column_stack([back, back @ low])
    onto = home / np.array(across)[:, None]  # continuous coordinates of the level; OpenCV's name the middles of pixels
    onto[:, 2] += onto[:, :2].sum(axis=1) / 2 - 0.5
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    picture = cv2.warpAffine(level, onto, (max(int(size[0]), 1), max(int(size[1]), 1)), flags=flags)
    return drop_fourth_channel(np.asarray(picture, np.uint8)), home
