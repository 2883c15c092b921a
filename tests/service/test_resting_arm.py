"""A table over which an arm rests has not settled: nobody sees what lies under it; what stays there belongs to it."""

from itertools import count
from typing import Any

import numpy as np
import pytest

from referee.reading.inputs import Input, LookWanted, Seconds, TableMoving, TableSettled, TableStill
from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import parse_tile
from referee.sim.demo import demo_setting
from referee.sim.hands import Hand
from referee.sim.render import Painter
from referee.sim.scene import area_in_picture
from referee.sim.view import LaidTile
from referee.vision.image.frame import Frame
from referee.vision.watch.table_region import inside_outline
from referee.vision.watch.watcher import Watcher

SETTING = demo_setting()
ROW = tuple(
    LaidTile(tile=parse_tile(name), copy=0, x=400 + 27 * place, y=300, angle=0.0)
    for place, name in enumerate(("R7", "R8", "R9"))
)
LAID = LaidTile(tile=parse_tile("O10"), copy=0, x=600, y=250, angle=0.0)
ARM = Hand(x=600, y=250, angle=0.1, skin=(120, 150, 206), sleeve=(70, 190, 90))


class Table:
    """What a camera sees five times a second, read as it is but for what an arm lies over."""

    def __init__(self) -> None:
        self.painter, self.frames = Painter(SETTING), count(1)
        self.watcher = Watcher(self, {}, on_table=inside_outline(area_in_picture(SETTING.view)))
        self.laid, self.hands = ROW, ()
        self.now = 0.0

    def read_table(self, frame: Frame, *_: Any) -> TableReading:
        tiles = tuple(
            TileReading(
                quad=tuple(map(tuple, SETTING.view.quad(tile, SETTING.style.thickness).tolist())),  # type: ignore[arg-type]
                tile=tile.tile,
                confidence=1.0,
            )
            for tile in self.laid
            if not (self.hands and tile is LAID)
        )
        return TableReading(frame_id=frame.frame_id, at=frame.at, tiles=tiles, layouts=lay_out_tiles(tiles))

    def see(self, seconds: float) -> list[Input]:
        told: list[Input] = []
        for _ in range(round(seconds / 0.2)):
            self.now = round(self.now + 0.2, 3)
            shot = next(self.frames)
            image = np.asarray(self.painter.paint(self.laid, self.hands, noise_index=shot))
            told += self.watcher.watch(Frame(str(shot), self.now, image))
        return told


@pytest.fixture
def table() -> Table:
    found = Table()
    assert [type(one) for one in found.see(2.0)] == [TableSettled]
    return found


def names(told: list[Input]) -> list[set[str]]:
    return [{str(tile.tile) for tile in one.reading.tiles} for one in told if isinstance(one, TableSettled)]


def test_what_a_resting_hand_has_laid_is_not_overlooked(table: Table) -> None:
    table.laid, table.hands = (*ROW, LAID), (ARM,)
    table.watcher.look_for(LookWanted(due=Seconds(table.now)))
    assert [type(one) for one in table.see(2.0)] == [TableMoving]
    table.hands = ()
    told = table.see(3.0)
    assert names(told) == [{"R7", "R8", "R9", "O10"}]
    assert not any(isinstance(one, TableStill) for one in told)


def test_an_arm_that_stays_belongs_to_the_table(table: Table) -> None:
    table.hands = (ARM,)
    assert [type(one) for one in table.see(2.0)] == [TableMoving]
    assert names(table.see(4.0)) == [{"R7", "R8", "R9"}]
    table.watcher.look_for(LookWanted(due=Seconds(table.now)))
    assert [type(one) for one in table.see(1.0)] == [TableStill]
    table.hands = ()
    assert names(table.see(3.0)) == [{"R7", "R8", "R9"}]


def test_only_what_reaches_in_from_the_edge_is_told_to_be_a_hand(table: Table) -> None:
    table.laid = (*ROW, LAID)
    (moving, settled) = table.see(3.0)
    assert isinstance(moving, TableMoving)
    assert isinstance(settled, TableSettled)
    assert (moving.reached, settled.reading.reached) == (False, False)
    table.hands = (ARM,)
    moving, settled = table.see(6.0)
    assert isinstance(moving, TableMoving)
    assert isinstance(settled, TableSettled)
    assert (moving.reached, settled.reading.reached) == (True, True)
