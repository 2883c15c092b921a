"""Close-ups: a tile or two may fill the picture, and the real models read them as they read a whole table."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from models.training.spoilt import close_up
from referee.vision.frame import Frame
from referee.vision.geometry import MARGIN
from referee.vision.pipeline import TableReader


@pytest.mark.parametrize("lengths", [1.5, 2.0, 3.0, 5.0])
@pytest.mark.parametrize("index", [0, 4])
def test_the_tile_in_the_middle_of_a_close_up_is_read(
    paint_sets: Callable[..., Any], index: int, lengths: float
) -> None:
    image, tiles, quads = paint_sets("R3 R4 R5 / K7 B7 O7", (2304, 1296))
    near, (outline,) = close_up(lengths)(image, [quads[index]])
    nearest = min(
        TableReader().read_table(Frame("near", 0.0, near)).tiles,
        key=lambda one: float(np.hypot(*(np.mean(one.quad, axis=0) - outline.mean(axis=0)))),
    )
    assert (nearest.tile, nearest.unsure) == (tiles[index], False)
    off = np.linalg.norm(np.mean(nearest.quad, axis=0) - outline.mean(axis=0))
    assert off < MARGIN * np.linalg.norm(outline[0] - outline[3]), "all of its face is in its crop"
