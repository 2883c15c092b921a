"""Draws located quads to where the full picture shows the tiles' corners.

The locate model sees a shrunken frame and errs by a twentieth of a tile, by more where tiles are small or the camera
leans. Another small model looks at each quad, widened, in the full picture and says how it is to be moved: the middle
to the right and up, and the half vectors to the right and up each, all in half widths and half heights of the quad.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from referee.vision.detections import Floats
from referee.vision.frame import Image
from referee.vision.geometry import MARGIN, half_vectors, quads_of, rectify
from referee.vision.pyramid import Pyramid

SPAN: Final = 1.4  # widths and heights of a quad that the model sees
_MOST = 0.6  # half sides: further it is not to be trusted

Moves = Callable[[Image], Floats]
"""How quads are to be moved [n, 6], from crops [n, 64, 48, 3] of them widened to SPAN."""


def at_corners(image: Image | Pyramid, quads: Floats, moves_of: Moves) -> Floats:
    """The quads [n, 4, 2] moved to the corners of the tiles that they show."""
    centre, up, right = half_vectors(quads)
    wider = np.float32(SPAN / (1 + 2 * MARGIN))
    moves = moves_of(rectify(image, quads_of(centre, up * wider, right * wider))).clip(-_MOST, _MOST)
    axes = np.stack([right, up], axis=1)  # [n, 2 axes, 2]
    middle, sides = moves[:, None, :2], moves[:, 2:].reshape(-1, 2, 2) + np.eye(2, dtype=np.float32)
    moved = np.concatenate([middle, sides], axis=1) @ axes
    return quads_of(centre + moved[:, 0], moved[:, 2], moved[:, 1])
