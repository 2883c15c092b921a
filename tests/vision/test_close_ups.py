"""Close-ups: a tile or two may fill the picture, and the real models read them as they read a whole table."""

from random import Random

import numpy as np
import pytest

from models.training.spoilt import close_up
from referee.rules.editions import rule_set
from referee.rules.notation import parse_table
from referee.sim.layout import Arrangement, Piece, arrange
from referee.sim.render import Painter
from referee.sim.season import setting_for
from referee.sim.stage import play_area
from referee.vision.frame import Frame
from referee.vision.pipeline import TableReader

SETS = parse_table("R3 R4 R5 / K7 B7 O7").sets


@pytest.mark.parametrize("lengths", [1.5, 2.0, 3.0, 5.0])
@pytest.mark.parametrize("index", [0, 4])
def test_the_tile_in_the_middle_of_a_close_up_is_read(index: int, lengths: float) -> None:
    setting = setting_for(rule_set("original"), 5, (2304, 1296), (0, 1))
    sets = tuple(tuple(row) for row in SETS)
    pieces = [Piece(tile, 0) for row in sets for tile in row]
    laid = arrange(Arrangement(), sets, pieces, side=0, area=play_area(setting.view), rng=Random(1))
    image = Painter(setting).paint(laid.tiles, shot=0)
    tile = laid.tiles[index]
    outline = np.asarray(setting.view.quad(tile, setting.style.thickness), np.float32)
    near, (outline,) = close_up(lengths)(image, [outline])
    nearest = min(
        TableReader().read_table(Frame("near", 0.0, near)).tiles,
        key=lambda one: float(np.hypot(*(np.mean(one.quad, axis=0) - outline.mean(axis=0)))),
    )
    assert (nearest.tile, nearest.unsure) == (tile.tile, False)
    assert np.abs(np.mean(nearest.quad, axis=0) - outline.mean(axis=0)).max() < 0.03 * max(near.shape)
