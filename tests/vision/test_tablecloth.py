"""Tablecloths with squares like tiles: the real models find the tiles among them, however many there are."""

from collections.abc import Callable
from typing import Any

import pytest

from models.training.data.corruptions import PALE, on_cloth
from referee.rules.notation import parse_table
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader

SETS = "R3 R4 R5 / K7 B7 O7 / B9 B10 B11 B12"


@pytest.fixture(scope="module")
def table(paint_sets: Callable[..., Any]) -> Image:
    """Three sets, painted by the simulator, and as little as can be of the table around them."""
    image, _, quads = paint_sets(SETS, (1280, 720))
    corners = quads.reshape(-1, 2)
    (left, top), (right, bottom) = corners.min(axis=0).astype(int) - 12, corners.max(axis=0).astype(int) + 12
    alone: Image = image[top:bottom, left:right]
    return alone


@pytest.mark.parametrize("side", [18, 22, 46, 60])  # at 22 squares had outnumbered the tiles
def test_tiles_are_found_on_a_cloth_of_pale_squares(table: Image, side: int) -> None:
    image, _ = on_cloth(side, PALE, times=5.5)(table, [])
    assert set(TableReader().read_table(Frame("cloth", 0.0, image)).table().sets) == set(parse_table(SETS).sets)
