"""Tablecloths with squares like tiles: the real models find the tiles among them, however many there are."""

from random import Random

import numpy as np
import pytest

from models.training.spoilt import PALE, on_cloth
from referee.rules.editions import rule_set
from referee.rules.notation import parse_table
from referee.sim.layout import Arrangement, Piece, arrange
from referee.sim.render import Painter
from referee.sim.season import setting_for
from referee.sim.stage import play_area
from referee.vision.frame import Frame, Image
from referee.vision.pipeline import TableReader

SETS = "R3 R4 R5 / K7 B7 O7 / B9 B10 B11 B12"


@pytest.fixture(scope="module")
def table() -> Image:
    """Three sets, painted by the simulator, and as little as can be of the table around them."""
    setting = setting_for(rule_set("original"), 5, (1280, 720), (0, 1))
    sets = tuple(tuple(row) for row in parse_table(SETS).sets)
    pieces = [Piece(tile, 0) for row in sets for tile in row]
    laid = arrange(Arrangement(), sets, pieces, side=0, area=play_area(setting.view), rng=Random(1))
    image = Painter(setting).paint(laid.tiles, shot=0)
    corners = np.concatenate([setting.view.quad(tile, setting.style.thickness) for tile in laid.tiles])
    (left, top), (right, bottom) = corners.min(axis=0).astype(int) - 12, corners.max(axis=0).astype(int) + 12
    return image[top:bottom, left:right]


@pytest.mark.parametrize("side", [18, 22, 46, 60])  # at 22 squares had outnumbered the tiles
def test_tiles_are_found_on_a_cloth_of_pale_squares(table: Image, side: int) -> None:
    image, _ = on_cloth(side, PALE, times=5.5)(table, [])
    assert set(TableReader().read_table(Frame("cloth", 0.0, image)).table().sets) == set(parse_table(SETS).sets)
