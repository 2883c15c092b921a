"""What reaches over the table from beside it is an arm, until it has rested there for long; what lies there is none."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from referee.reading.observation import TileReading
from referee.rules.notation import parse_tile
from referee.sim.demo import demo_setting
from referee.sim.hands import Hand
from referee.sim.hardship_kinds import Hardship
from referee.sim.light_faults import LightFaults
from referee.sim.render import Painter
from referee.sim.scene import area_in_picture, outlined_area
from referee.sim.table_objects import ObjectKind, TableObject
from referee.sim.view import LaidTile
from referee.vision.image.frame import Image
from referee.vision.watch.change import downscale
from referee.vision.watch.reach import ReachWatch
from referee.vision.watch.table_region import OnTable, TableView, inside_outline

SETTING = demo_setting()
SKIN: Any = {"skin": (120, 150, 206), "sleeve": (70, 190, 90)}
ROW = tuple(
    LaidTile(tile=parse_tile(name), copy=0, x=400 + 27 * place, y=300, angle=0.0)
    for place, name in enumerate(("R7", "R8", "R9"))
)


def read(tiles: tuple[LaidTile, ...]) -> tuple[TileReading, ...]:
    def quad(tile: LaidTile) -> Any:
        return tuple(map(tuple, SETTING.view.quad(tile, SETTING.style.thickness).tolist()))

    return tuple(TileReading(quad=quad(tile), tile=tile.tile, confidence=1.0) for tile in tiles)


@pytest.fixture(scope="module", params=["wood", "cloth", "painted", "stone"])
def painter(request: Any) -> Painter:
    return Painter(replace(SETTING, surface=request.param))


def watching(image: Image) -> ReachWatch:
    reach = ReachWatch(TableView(inside_outline(area_in_picture(SETTING.view))))
    reach.remember(downscale(image, 36.0))
    return reach


def since(reach: ReachWatch, image: Image, at: float, tiles: Iterable[TileReading]) -> float | None:
    return reach.arm_since(image, downscale(image, 36.0), at, tiles)


def arm(angle: float, x: float = 420.0, y: float = 330.0) -> Hand:
    return Hand(x=x, y=y, angle=angle, **SKIN)


@pytest.mark.parametrize("angle", [0.0, -0.7, *(pytest.param(angle, marks=pytest.mark.slow) for angle in (0.9, 2.8))])
def test_an_arm_reaches_over_the_table_until_it_is_gone(painter: Painter, angle: float) -> None:
    reach = watching(painter.paint(ROW, noise_index=1))
    rests = painter.paint(ROW, (arm(angle),), noise_index=2)
    assert since(reach, rests, 1.0, ()) == 1.0
    assert since(reach, painter.paint(ROW, noise_index=3), 2.0, read(ROW)) is None
    assert since(reach, rests, 3.0, ()) == 3.0
    assert since(reach, painter.paint(ROW, (arm(angle),), noise_index=4), 4.0, ()) == 3.0
    reach.remember(downscale(rests, 36.0))
    assert since(reach, painter.paint(ROW, (arm(angle),), noise_index=5), 5.0, ()) is None, "it has lain there"
    reach.remember(downscale(rests, 36.0))
    assert since(reach, painter.paint(ROW, noise_index=6), 6.0, read(ROW)) is None, "what it lay over is seen as before"
    reach.remember(downscale(rests, 36.0))
    elsewhere = painter.paint(ROW, (arm(angle, 650.0, 400.0),), noise_index=7)
    assert since(reach, elsewhere, 7.0, read(ROW)) == 7.0


def shaded(image: Image, seed: int) -> Image:
    light = LightFaults.random(seed, {Hardship.SHADOW})
    return next(lit for at in range(0, 600, 12) if not np.array_equal(lit := light.lit(image, at), image))


@pytest.mark.parametrize("seed", [1, 3, 8, 13])
def test_a_shadow_that_falls_over_the_table_or_goes_is_no_arm(painter: Painter, seed: int) -> None:
    bright, dark = painter.paint(ROW, noise_index=1), shaded(painter.paint(ROW, noise_index=2), seed)
    assert since(watching(bright), dark, 1.0, read(ROW)) is None
    assert since(watching(dark), bright, 1.0, read(ROW)) is None


def test_a_dark_sleeve_is_an_arm_though_it_darkens_all_colours_alike(painter: Painter) -> None:
    reach = watching(painter.paint(ROW, noise_index=1))
    sleeve = replace(arm(-0.7), sleeve=(40, 40, 40))
    assert since(reach, painter.paint(ROW, (sleeve,), noise_index=2), 1.0, ()) == 1.0


def test_what_goes_on_reaching_while_a_hand_moves_elsewhere_is_timed_from_the_first(painter: Painter) -> None:
    reach = watching(painter.paint((), noise_index=1))
    cable = arm(0.9)
    assert since(reach, painter.paint((), (cable,), noise_index=2), 1.0, ()) == 1.0
    assert since(reach, painter.paint(ROW, (cable,), noise_index=3), 2.0, read(ROW)) == 1.0
    assert since(reach, painter.paint(ROW, (cable, arm(-0.7, 650.0, 400.0)), noise_index=4), 3.0, read(ROW)) == 3.0


def test_what_is_laid_or_put_down_or_taken_reaches_over_nothing(painter: Painter) -> None:
    reach = watching(painter.paint(ROW, noise_index=1))
    laid = tuple(replace(tile, x=tile.x + 130, y=tile.y + 90) for tile in ROW)
    things = tuple(
        TableObject(kind=kind, x=x, y=520.0, angle=0.4, seed=1)
        for kind, x in ((ObjectKind.CARD, 300.0), (ObjectKind.PHONE, 560.0))
    )
    image = painter.paint(laid, objects=things, noise_index=2)
    assert since(reach, image, 1.0, (*read(ROW), *read(laid))) is None


@pytest.mark.parametrize("side", ["left", "top"])
@pytest.mark.parametrize("off", [-10.0, 10.0, 24.0])
def test_a_row_at_the_edge_of_the_table_is_no_arm(painter: Painter, side: str, off: float) -> None:
    """It may lie half beside the table, where its tiles are not read."""
    off += {"left": outlined_area(SETTING.view).left, "top": outlined_area(SETTING.view).top}[side]
    turned = np.pi / 2 if side == "top" else 0.0
    at = {"left": (off, 300.0), "top": (400.0, off)}[side]
    row = tuple(
        replace(tile, x=at[0] + 27 * place * np.cos(turned), y=at[1] + 27 * place * np.sin(turned), angle=turned)
        for place, tile in enumerate(ROW)
    )
    empty, laid = painter.paint((), noise_index=1), painter.paint(row, noise_index=2)
    on_table = [one for one in read(row) if all(inside_outline(area_in_picture(SETTING.view))([one.centre]))]
    assert since(watching(empty), laid, 1.0, on_table) is None
    assert since(watching(laid), empty, 1.0, on_table) is None, "when it has been taken away"


def test_a_lamp_that_dims_and_reddens_is_no_arm(painter: Painter) -> None:
    image = painter.paint(ROW, noise_index=1)
    reach = watching(image)
    assert since(reach, np.asarray(image * np.array([0.7, 0.75, 0.8]), np.uint8), 1.0, ()) is None


def test_where_nobody_knows_the_edge_of_the_table_nothing_reaches_over_it() -> None:
    painter = Painter(SETTING)
    image = painter.paint(ROW, noise_index=1)
    reach = ReachWatch(TableView())
    reach.remember(downscale(image, 36.0))
    assert since(reach, painter.paint(ROW, (arm(0.0),), noise_index=2), 1.0, ()) is None


@pytest.mark.parametrize("table", [inside_outline(area_in_picture(SETTING.view)), None], ids=["table", "picture"])
def test_a_hand_reaches_in_and_a_card_or_a_lamp_does_not(painter: Painter, table: OnTable | None) -> None:
    reach, image = ReachWatch(TableView(table)), painter.paint(ROW, noise_index=1)
    assert reach.reaches(image, downscale(image, 36.0), ()) is None
    reach.remember(downscale(image, 36.0))
    card = TableObject(kind=ObjectKind.CARD, x=500.0, y=450.0, angle=0.4, seed=1)
    shown = {
        "hand": painter.paint(ROW, (arm(0.0),), noise_index=2),
        "card": painter.paint(ROW, objects=(card,), noise_index=3),
        "lamp": np.asarray(image * 0.5, np.uint8),
    }
    assert [kind for kind, picture in shown.items() if reach.reaches(picture, downscale(picture, 36.0), read(ROW))] == [
        "hand"
    ]


def test_what_has_lain_over_the_edge_for_minutes_is_no_hand(painter: Painter) -> None:
    reach = watching(painter.paint(ROW, noise_index=1))
    rests = painter.paint(ROW, (arm(0.0),), noise_index=2)
    for at, reached in ((1.0, True), (40.0, True), (62.0, False)):
        since(reach, rests, at, ())
        reach.remember(downscale(rests, 36.0))
        assert reach.reached is reached
