"""Draws located quads to where the full picture shows the tiles' corners.

The locate model sees a shrunken frame and errs by a twentieth of a tile, by more where tiles are small or the camera
leans. Another small model looks at each quad, widened, in the full picture and says how it is to be moved: the middle
to the right and up, and the half vectors to the right and up each, all in half widths and half heights of the quad.

Where light hides an edge, a quad may end up with a part of a tile. Tiles of one box are of one size, so one of another
size is looked at once more from the size that the others have, and keeps what then agrees better with theirs.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from referee.vision.detect.tuning import TUNING
from referee.vision.geometry.crops import CORNER_CROP_SIZE, crop_around
from referee.vision.geometry.detections import Floats
from referee.vision.geometry.quads import half_vectors, quads_of
from referee.vision.geometry.size_model import fit_sizes, scale_quads
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid

SPAN: Final = 1.4  # widths and heights of a quad that the model sees

Moves = Callable[[Image], Floats]
"""How quads are to be moved [n, 6], from crops [n, 32, 24, 3] of them widened to SPAN."""


def at_corners(image: Image | Pyramid, quads: Floats, moves_of: Moves) -> Floats:
    """Return the quads [n, 4, 2] moved to the corners of the tiles that they show."""
    return like_others(image, _moved(image, quads, moves_of), moves_of)


def like_others(image: Image | Pyramid, quads: Floats, moves_of: Moves) -> Floats:
    """Return the quads [n, 4, 2]; odd-sized ones are refined again if that makes them like the others."""
    fit = fit_sizes(quads)
    if fit is None:
        return quads
    usual, off = fit
    before = np.abs(off).max(axis=1)
    (rows,) = np.nonzero((before > TUNING.min_size_error) & (before < TUNING.max_size_error))
    if not len(rows):
        return quads
    moved = _moved(image, scale_quads(quads[rows], -off[rows]), moves_of)
    better = np.abs(usual.residuals(moved)).max(axis=1) < TUNING.max_error_left * before[rows]
    corrected = quads.copy()
    corrected[rows[better]] = moved[better]
    return corrected


def _moved(image: Image | Pyramid, quads: Floats, moves_of: Moves) -> Floats:
    centre, up, right = half_vectors(quads)
    moves = moves_of(crop_around(image, quads, SPAN, CORNER_CROP_SIZE)).clip(-TUNING.max_move, TUNING.max_move)
    axes = np.stack([right, up], axis=1)  # [n, 2 axes, 2]
    middle, sides = moves[:, None, :2], moves[:, 2:].reshape(-1, 2, 2) + np.eye(2, dtype=np.float32)
    moved = np.concatenate([middle, sides], axis=1) @ axes
    return quads_of(centre + moved[:, 0], moved[:, 2], moved[:, 1])
