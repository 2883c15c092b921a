"""Tablecloths with squares like tiles: the real models find the tiles among them, however many there are."""

from random import Random

import cv2
import numpy as np
import pytest

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


@pytest.mark.parametrize("side", [18, 24, 46, 60])
def test_tiles_are_found_on_a_cloth_of_pale_squares(table: Image, side: int) -> None:
    image = on_squares(table, side)
    assert set(TableReader().read_table(Frame("cloth", 0.0, image)).table().sets) == set(parse_table(SETS).sets)


def on_squares(table: Image, side: int) -> Image:
    """The picture in the middle of a cloth of pale squares of two colours with green between them."""
    cloth = np.full((900, 1600, 3), (90, 160, 90), np.uint8)
    for row, top in enumerate(range(0, cloth.shape[0], side)):
        for column, left in enumerate(range(0, cloth.shape[1], side)):
            colour = ((205, 222, 228), (190, 210, 220))[(row + column) % 2]
            cloth[top + 2 : top + side - 2, left + 2 : left + side - 2] = colour
    grain = np.random.default_rng(side).normal(0, 4, cloth.shape)
    cloth = np.clip(cv2.GaussianBlur(cloth, (0, 0), 1.0) + grain, 0, 255).astype(np.uint8)
    top, left = (cloth.shape[0] - table.shape[0]) // 2, (cloth.shape[1] - table.shape[1]) // 2
    cloth[top : top + table.shape[0], left : left + table.shape[1]] = table
    return cloth
