"""Corner refinement: located quads moved to the tile corners in the full-resolution picture.

The locate model sees a downscaled frame and errs by a twentieth of a tile, more for small tiles and oblique views. A
second small model looks at each widened quad in the full picture and predicts six moves in half widths and half heights
of the quad: of the centre (right, up), and of both half vectors (right, up each).

Where the light hides an edge, a quad may end up on part of a tile. Tiles of one box have one size on their plane, so an
odd-sized quad is refined again, starting from that size, and the result is kept if it agrees better.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.vision.detect.tuning import TUNING
from referee.vision.geometry.crops import CORNER_CROP_SIZE, crop_around
from referee.vision.geometry.detections import Floats
from referee.vision.geometry.plane import Plane, fit_plane, scale_quads
from referee.vision.geometry.quads import half_vectors, quads_of
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid

SPAN: Final = 1.4  # widths and heights of the quad that the model sees

CornerMoves = Callable[[Image], Floats]
"""Predicts moves [n, 6] from crops [n, 32, 24, 3] of quads widened to SPAN."""


def refine_corners(image: Image | Pyramid, quads: Floats, moves_of: CornerMoves) -> Floats:
    """Return the quads [n, 4, 2] moved to the corners of their tiles."""
    centre, up, right = half_vectors(quads)
    moves = moves_of(crop_around(image, quads, SPAN, CORNER_CROP_SIZE)).clip(-TUNING.max_move, TUNING.max_move)
    axes = np.stack([right, up], axis=1)  # [n, 2 axes, 2]
    middle, sides = moves[:, None, :2], moves[:, 2:].reshape(-1, 2, 2) + np.eye(2, dtype=np.float32)
    moved = np.concatenate([middle, sides], axis=1) @ axes
    return quads_of(centre + moved[:, 0], moved[:, 2], moved[:, 1])


def refine_odd_sized(
    image: Image | Pyramid,
    quads: Floats,
    moves_of: CornerMoves,
    clear: npt.NDArray[np.bool_],
    plane: Plane | None = None,
) -> Floats:
    """Return the quads [n, 4, 2], those of an odd size on the plane refined again.

    If it is not known, the `clear` ones [n] tell it, if most agree: pale squares of a cloth may be among them.
    """
    if plane is None:
        if np.count_nonzero(clear) < TUNING.min_tiles_for_plane:
            return quads
        plane = fit_plane(quads[clear])
        if plane.share(quads[clear]) < TUNING.min_share_on_plane:
            return quads
    return refine_outliers(image, quads, moves_of, plane)


def refine_outliers(image: Image | Pyramid, quads: Floats, moves_of: CornerMoves, plane: Plane) -> Floats:
    """Return the quads [n, 4, 2], odd-sized ones refined again if that brings them closer to a tile's size."""
    off = plane.residuals(quads)
    before = np.abs(off).max(axis=1)
    (rows,) = np.nonzero((before > TUNING.min_size_error) & (before < TUNING.max_size_error))
    if not len(rows):
        return quads
    moved = refine_corners(image, scale_quads(quads[rows], -off[rows]), moves_of)
    better = np.abs(plane.residuals(moved)).max(axis=1) < TUNING.max_error_left * before[rows]
    corrected = quads.copy()
    corrected[rows[better]] = moved[better]
    return corrected
