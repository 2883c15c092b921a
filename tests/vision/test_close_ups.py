"""Near and far: one tile may fill the picture, or a set be lost in it, and the real models read them nonetheless."""

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest

from models.training.data.corruptions import close_up
from referee.vision.geometry.crops import MARGIN
from referee.vision.image.frame import Frame
from referee.vision.pipeline import TableReader


@pytest.mark.parametrize("lengths", [1.5, 5.0, *(pytest.param(one, marks=pytest.mark.slow) for one in (2.0, 3.0))])
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


@pytest.mark.parametrize("height", [26, *(pytest.param(height, marks=pytest.mark.slow) for height in (30, 40))])
@pytest.mark.parametrize("row", ["B11 K12 B13", "K7 B7 O7"])
def test_a_small_set_that_lies_alone_in_a_wide_picture_is_read(
    paint_sets: Callable[..., Any], row: str, height: float
) -> None:
    """Seen no wider than 640 pixels, its three tiles may look like one."""
    image, tiles, quads = paint_sets(row, (1920, 1080))
    times = height / np.linalg.norm(quads[0, 0] - quads[0, 3])
    small = cv2.resize(image, None, fx=times, fy=times, interpolation=cv2.INTER_AREA)
    below, beside = 1080 - small.shape[0], 1920 - small.shape[1]
    far = cv2.copyMakeBorder(small, 0, below, 0, beside, cv2.BORDER_REPLICATE)
    read = TableReader().read_table(Frame("far", 0.0, np.asarray(far, np.uint8))).tiles
    assert {(one.tile, one.unsure) for one in read} == {(tile, False) for tile in tiles}
