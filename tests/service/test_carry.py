"""A tile that is not seen any more: gone, hidden by a hand, or only missed; on rendered tables, with true readings."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import pytest

from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import parse_tile
from referee.sim.demo import demo_scene, demo_setting
from referee.sim.hands import Hand
from referee.sim.render import Painter
from referee.sim.table_objects import ObjectKind, TableObject
from referee.sim.view import LaidTile
from referee.vision.image.frame import Image
from referee.vision.watch.background_model import matches_background, update_background
from referee.vision.watch.change import downscale
from referee.vision.watch.occlusion import add_occluded, drop_background_marks
from referee.vision.watch.picture_edge import EdgeWatch
from referee.vision.watch.table_region import OnTable, TableView, inside_outline

SETTING = demo_setting()
Paint = Callable[..., Image]
PainterOf = Callable[..., Painter]


@pytest.fixture(scope="module")
def laid() -> tuple[Any, ...]:
    shots = [shot for shot in demo_scene(SETTING).moments if not shot.hands]
    return tuple(tile for tile in shots[200].laid if tile.tile is not None)


@pytest.fixture(scope="module")
def painter_of() -> PainterOf:
    """Gives who paints such a table; making one takes far longer than a picture, so a few are kept."""
    return lru_cache(8)(lambda **table: Painter(replace(SETTING, **table)))


@pytest.fixture(scope="module")
def paint(painter_of: PainterOf) -> Paint:
    painter = painter_of()
    return lambda tiles, *hands, shot=1: painter.paint(tiles, hands, noise_index=shot)


def read(tiles: Any) -> TableReading:
    seen = tuple(TileReading(quad=_quad(tile), tile=tile.tile, confidence=1.0) for tile in tiles)
    return TableReading(frame_id="f", at=0.0, tiles=seen, layouts=lay_out_tiles(seen))


def _quad(tile: Any) -> Any:
    return tuple(tuple(corner) for corner in np.round(SETTING.view.quad(tile, SETTING.style.thickness), 1).tolist())


def without(tiles: Any, *numbers: int) -> Any:
    return tuple(tile for number, tile in enumerate(tiles) if number not in numbers)


@pytest.mark.parametrize("number", [0, 4, 9, 13, 21])
def test_a_tile_that_was_taken_is_gone(laid: Any, paint: Paint, number: int) -> None:
    rest = without(laid, number)
    now = add_occluded(read(laid), paint(laid), read(rest), paint(rest, shot=2))
    assert len(now.tiles) == len(laid) - 1


@pytest.mark.parametrize("surface", ["wood", "cloth", "painted", "stone"])
@pytest.mark.parametrize("number", [0, 9, 21])
def test_a_tile_that_lay_there_when_the_table_was_first_seen_is_gone_once_taken(
    painter_of: PainterOf, laid: Any, surface: str, number: int
) -> None:
    """Hardships, twist 5003, turns 8 and 10: after a power cut or a push nobody has seen the table under its tiles."""
    painter = painter_of(surface=surface)
    before, image = read(laid), painter.paint(laid, noise_index=1)
    bare = update_background(None, before, image)
    for taken in ((number,), before.layouts[0].row_of(number)):
        rest = without(laid, *taken)
        assert add_occluded(before, image, read(rest), painter.paint(rest, noise_index=2), bare) == read(rest)


@pytest.mark.parametrize(("light", "number"), [(0.0, 4), (0.0, 22), (0.73, 0), (0.73, 20), (1.57, 7), (1.57, 16)])
def test_a_tile_that_was_taken_is_gone_though_a_neighbour_shades_its_place(
    painter_of: PainterOf, laid: Any, light: float, number: int
) -> None:
    painter = painter_of(surface="painted", light=light)
    rest, before = without(laid, number), read(laid)
    inexact = tuple(replace(tile, quad=moved(tile.quad, 3.0, 2.0)) for tile in before.tiles)
    before = replace(before, tiles=inexact)
    now = add_occluded(before, painter.paint(laid, noise_index=1), read(rest), painter.paint(rest, noise_index=2))
    assert len(now.tiles) == len(laid) - 1


def moved(quad: Any, across: float, down: float) -> Any:
    return tuple((x + across, y + down) for x, y in quad)


@pytest.mark.parametrize("number", [0, 4, 9, 13, 21])
def test_a_tile_that_was_only_missed_is_kept(laid: Any, paint: Paint, number: int) -> None:
    now = add_occluded(read(laid), paint(laid), read(without(laid, number)), paint(laid, shot=2))
    assert now.tiles[-1].tile == laid[number].tile
    assert not now.tiles[-1].unsure
    assert sorted(map(str, now.table().tiles)) == sorted(str(tile.tile) for tile in laid)


@pytest.mark.parametrize("number", [0, 4, 9, 13, 21])
def test_a_tile_under_a_hand_is_in_doubt(laid: Any, paint: Paint, number: int) -> None:
    spot = laid[number]
    hand = Hand(x=spot.x, y=spot.y, angle=0.2, skin=(120, 150, 206), sleeve=(92, 62, 44))
    now = add_occluded(read(laid), paint(laid), read(without(laid, number)), paint(laid, hand, shot=2))
    assert now.tiles[-1].tile == spot.tile
    assert now.tiles[-1].unsure


@pytest.mark.parametrize("surface", ["wood", "cloth", "painted", "stone"])
@pytest.mark.parametrize("angle", [0.0, *(pytest.param(angle, marks=pytest.mark.slow) for angle in (-0.7, 0.9, 2.8))])
def test_a_hand_at_rest_takes_no_tile_wherever_it_lies(painter_of: PainterOf, surface: str, angle: float) -> None:
    painter = painter_of(surface=surface)
    row = tuple(tile(name, 400 + 27 * place, 300) for place, name in enumerate(("R7", "R8", "R9", "R10")))
    empty, before = painter.paint((), noise_index=0), painter.paint(row, noise_index=1)
    bare = update_background(update_background(None, read(()), empty), read(row), before)
    alone = painter.paint(row, noise_index=2)
    for x, y in itertools.product(range(400, 500, 20), (270, 320)):
        hand = Hand(x=x, y=y, angle=angle, skin=(120, 150, 206), sleeve=(92, 62, 44))
        image = painter.paint(row, (hand,), noise_index=2)
        free = [number for number, one in enumerate(row) if not touched(one, image, alone)]
        now = add_occluded(read(row), before, read([row[number] for number in free]), image, bare)
        assert len(now.tiles) == len(row), f"hand at {x}, {y}"


def touched(one: LaidTile, image: Image, without_hand: Image) -> bool:
    quad = np.array(_quad(one)).round().astype(np.int32)
    left, top, width, height = cv2.boundingRect(quad)
    place = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(place, quad - (left, top), 255)
    inside, part = place > 0, np.s_[top : top + height, left : left + width]
    return bool((np.abs(image[part][inside].astype(int) - without_hand[part][inside]).max(axis=1) > 25).mean() > 0.1)


@pytest.mark.parametrize("surface", ["wood", "cloth", "painted", "stone"])
@pytest.mark.parametrize(("across", "down"), [(18.0, 4.0), (-14.0, 22.0), (3.0, 30.0), (-17.0, -20.0)])
def test_a_tile_is_gone_where_others_lie_now_over_a_part_of_its_place(
    painter_of: PainterOf, surface: str, across: float, down: float
) -> None:
    painter = painter_of(surface=surface)
    row = (tile("O4", 400, 300),)
    fresh = tuple(tile(name, 400 + across + 27 * place, 300 + down) for place, name in enumerate(("R13", "B13", "K13")))
    before, now = read(row), read(fresh)
    assert add_occluded(before, painter.paint(row, noise_index=1), now, painter.paint(fresh, noise_index=2)) == now


def test_a_tile_is_gone_where_rows_lie_so_close_that_the_table_is_not_seen_about_its_place(paint: Paint) -> None:
    """Season, 3in1-standard 51013, turn 2."""
    row = (tile("O11", 400, 300),)
    fresh = tuple(
        tile(f"{colour}{number}", 386.5 + 27 * (place - 1), 303 + down)
        for colour, down in (("R", -42), ("B", 0), ("K", 42))
        for place, number in enumerate((6, 7, 8, 9))
    )
    assert add_occluded(read(row), paint(row), read(fresh), paint(fresh, shot=2)) == read(fresh)


@pytest.mark.parametrize("surface", ["wood", "cloth", "painted", "stone"])
@pytest.mark.parametrize("nudge", [6.0, 9.0, 12.0, 15.0])
def test_a_tile_that_is_missed_in_a_row_that_was_pushed_is_never_gone(
    painter_of: PainterOf, surface: str, nudge: float
) -> None:
    painter = painter_of(surface=surface)
    row = tuple(tile(name, 400 + 27 * place, 300) for place, name in enumerate(("R4", "R5", "R6", "R7")))
    pushed = tuple(replace(one, x=one.x + nudge) for one in row)
    now = add_occluded(
        read(row), painter.paint(row, noise_index=1), read(without(pushed, 1)), painter.paint(pushed, noise_index=2)
    )
    assert [str(one.tile) for one in now.tiles if one.unsure] == ["R5"]


def test_what_was_held_for_hidden_is_gone_once_its_place_is_seen_to_be_bare(laid: Any, paint: Paint) -> None:
    rest = without(laid, 4)
    hidden = replace(read(laid).tiles[4], confidence=0.0, alternatives=(), unsure=True)
    before = replace(read(rest), tiles=(*read(rest).tiles, hidden))
    assert add_occluded(before, paint(rest), read(rest), paint(rest, shot=2)) == read(rest)


def test_what_a_hand_hides_stays_in_doubt_as_long_as_it_lies_there(laid: Any, paint: Paint) -> None:
    hand = Hand(x=laid[4].x, y=laid[4].y, angle=0.2, skin=(120, 150, 206), sleeve=(92, 62, 44))
    rest = without(laid, 4)
    first = add_occluded(read(laid), paint(laid), read(rest), paint(laid, hand, shot=2))
    then = add_occluded(first, paint(laid, hand, shot=2), read(rest), paint(laid, hand, shot=3))
    assert then.tiles[-1].tile == laid[4].tile
    assert then.tiles[-1].unsure


def tile(name: str, x: float, y: float) -> LaidTile:
    return LaidTile(tile=parse_tile(name), copy=0, x=x, y=y, angle=0.0)


def test_a_tile_that_moved_is_not_missed(laid: Any, paint: Paint) -> None:
    moved = (replace(laid[0], x=laid[0].x + 5.0), *laid[1:])
    assert add_occluded(read(laid), paint(laid), read(moved), paint(moved, shot=2)) == read(moved)


def test_a_cleared_table_is_empty(laid: Any, paint: Paint) -> None:
    assert add_occluded(read(laid), paint(laid), read(()), paint((), shot=2)).tiles == ()


@pytest.mark.parametrize("surface", ["wood", "stone"])
@pytest.mark.parametrize("chance", [0.2, 0.44, 0.7])
@pytest.mark.parametrize("steps", [1.0, *(pytest.param(steps, marks=pytest.mark.slow) for steps in (0.8, 1.2))])
@pytest.mark.parametrize("light", [0.0, 3.1])
def test_what_looked_the_same_when_no_tile_lay_there_is_none(
    painter_of: PainterOf, surface: str, chance: float, steps: float, light: float
) -> None:
    painter = painter_of(surface=surface, light=light)
    row = tuple(tile(name, 400 + 27 * place, 300) for place, name in enumerate(("R4", "R5", "R6")))
    beside = tile("J", 400 + 27 * (2 + steps), 300)
    mark = replace(read((beside,)).tiles[0], confidence=0.2, unsure=True, bare=chance)
    seen = replace(read(row), tiles=(*read(row).tiles, mark))
    seen = replace(seen, layouts=lay_out_tiles(seen.tiles))
    bare = update_background(None, read(()), painter.paint((), noise_index=1))
    assert drop_background_marks(seen, painter.paint(row, noise_index=2), bare) == (read(row) if chance > 0.3 else seen)
    laid = painter.paint((*row, beside), noise_index=2)
    assert drop_background_marks(seen, laid, bare) == seen, "a tile was laid there"
    assert drop_background_marks(seen, painter.paint(row, noise_index=2), None) == seen, "nobody knows how it looked"


@pytest.mark.parametrize("hole", [1.05, 1.15, 1.3])
@pytest.mark.parametrize("light", [0.0, 1.6, 3.1])
def test_a_hole_between_two_rows_shows_the_table(painter_of: PainterOf, hole: float, light: float) -> None:
    """Season, twist-pressman 1116, turn 13."""
    painter = painter_of(surface="wood", light=light)
    beside = tile("R6", 400, 300), tile("B6", 400 + 27 * (1 + hole), 300)
    between = tile("J", 400 + 27 * (1 + hole) / 2, 300)
    bare = update_background(None, read(()), painter.paint((), noise_index=1))
    others, mark = read(beside).tiles, read((between,)).tiles[0]
    assert matches_background(bare, mark, others, painter.paint(beside, noise_index=2))
    assert not matches_background(bare, mark, others, painter.paint((*beside, between), noise_index=2))


def test_a_place_is_known_again_though_tiles_have_lain_there_since(painter_of: PainterOf) -> None:
    painter = painter_of(surface="wood")
    row = tuple(tile(name, 400 + 27 * place, 300) for place, name in enumerate(("R4", "R5", "R6")))
    bare = update_background(None, read(()), painter.paint((), noise_index=1))
    bare = update_background(bare, read(row), painter.paint(row, noise_index=2))
    mark = replace(read(row).tiles[1], confidence=0.2, unsure=True, bare=0.7)
    seen = replace(read(()), tiles=(mark,), layouts=lay_out_tiles((mark,)))
    assert drop_background_marks(seen, painter.paint((), noise_index=3), bare) == read(())


def test_what_was_never_seen_bare_is_not_known(painter_of: PainterOf) -> None:
    painter = painter_of(surface="wood")
    row = tuple(tile(name, 400 + 27 * place, 300) for place, name in enumerate(("R4", "R5", "R6")))
    bare = update_background(None, read(row), painter.paint(row, noise_index=2))
    assert not matches_background(bare, read(row).tiles[1], (), painter.paint(row, noise_index=3))
    assert matches_background(bare, read((tile("R9", 600, 500),)).tiles[0], (), painter.paint(row, noise_index=3))


@pytest.mark.parametrize("light", [0.0, 3.1])
def test_a_tile_that_was_taken_back_from_a_dark_mark_of_the_table_is_gone(painter_of: PainterOf, light: float) -> None:
    """Season, pressman 1146, turn 21: a spot in a vein of the stone was held for something over the tile."""
    painter = painter_of(surface="stone", light=light)
    dark = tile("K8", 400, 300)
    spot = np.round(np.array(_quad(dark)).mean(axis=0)).astype(int)
    empty, laid, after = (painter.paint(tiles, noise_index=shot) for shot, tiles in enumerate(((), (dark,), ())))
    for picture in (empty, after):
        cv2.ellipse(picture, tuple(map(int, spot)), (14, 8), 20.0, 0.0, 360.0, (70, 72, 75), -1, cv2.LINE_AA)
    assert [one.unsure for one in add_occluded(read((dark,)), laid, read(()), after).tiles] == [True]
    bare = update_background(update_background(None, read(()), empty), read((dark,)), laid)
    assert add_occluded(read((dark,)), laid, read(()), after, bare) == read(())


@pytest.mark.parametrize("surface", ["wood", "cloth", "painted", "stone"])
def test_a_tile_turned_over_where_it_lies_is_not_gone(painter_of: PainterOf, surface: str) -> None:
    painter = painter_of(surface=surface)
    face = tile("K8", 400, 300)
    bare = update_background(None, read(()), painter.paint((), noise_index=0))
    turned = painter.paint((replace(face, tile=None),), noise_index=2)
    assert not matches_background(bare, read((face,)).tiles[0], (), turned)


@pytest.mark.parametrize("seed", range(6))
def test_a_tile_turned_over_on_a_coaster_is_not_gone(painter_of: PainterOf, seed: int) -> None:
    """A back is as pale as a part of the coaster: season, twist 53051, turn 5, was an accusation of taking it."""
    painter = painter_of(surface="cloth")
    row = [tile(name, 400 + 27 * place, 300) for place, name in enumerate(("J", "O12", "K12"))]
    row_turned = [*row[:2], replace(row[2], tile=None)]
    coaster = (
        TableObject(kind=ObjectKind.COASTER, x=row[2].x + 4, y=row[2].y + 10 * (seed - 3), angle=0.4 * seed, seed=seed),
    )
    empty, laid, turned, after = (
        painter.paint(tiles, noise_index=shot, objects=coaster)
        for shot, tiles in enumerate(((), row, row_turned, row[:2]))
    )
    bare = update_background(update_background(None, read(()), empty), read(row), laid)
    now = add_occluded(read(row), laid, read(row[:2]), turned, bare)
    assert [(str(one.tile), one.unsure) for one in now.tiles[2:]] == [("K12", True)]
    assert add_occluded(read(row), laid, read(row[:2]), after, bare) == read(row[:2])
    never_seen = update_background(None, read(row), laid)
    assert add_occluded(read(row), laid, read(row[:2]), turned, never_seen).tiles[-1].unsure, "after a push, say"


@pytest.mark.parametrize("surface", ["wood", "cloth", "painted", "stone"])
def test_a_back_in_a_row_that_a_look_misses_lies_there_still(painter_of: PainterOf, surface: str) -> None:
    """Without it the row would be two, and whoever plays next accused of taking a tile."""
    painter = painter_of(surface=surface)
    row = [tile(name, 400 + 27 * place, 300) for place, name in enumerate(("B8", "B9", "J", "B11", "B12"))]
    row[2] = replace(row[2], tile=None)
    settled, missed = read(row), read(without(row, 2))
    now = add_occluded(settled, painter.paint(row, noise_index=1), missed, painter.paint(row, noise_index=2))
    assert sorted(str(one.tile) for one in now.tiles) == sorted(str(one.tile) for one in settled.tiles)
    taken = without(row, 2)
    assert (
        add_occluded(settled, painter.paint(row, noise_index=1), missed, painter.paint(taken, noise_index=2)) == missed
    )


def watched_edge(reading: TableReading, image: Image, on_table: OnTable | None = None) -> EdgeWatch:
    """Knows how the edge looked while every tile was seen; unless told, the table ends where the picture does."""
    edge = EdgeWatch(TableView(on_table))
    tile_px = float(np.hypot(*np.subtract(*reading.tiles[0].quad[:2])))
    edge.remember(downscale(image, tile_px), reading, tile_px)
    return edge


def test_what_has_left_its_place_while_a_part_of_a_tile_came_to_the_edge_is_in_doubt(laid: Any, paint: Paint) -> None:
    before, image = read(laid), paint(laid)
    pushed = replace(laid[4], x=0.0, y=SETTING.view.height_mm / 2)  # half of it is outside the picture
    rest = without(laid, 4)
    now_image = paint((*rest, pushed), shot=2)
    now = add_occluded(before, image, read(rest), now_image, None, watched_edge(before, image))
    (hidden,) = (tile for tile in now.tiles if tile.hidden)
    assert hidden.tile == laid[4].tile
    later = add_occluded(now, now_image, read(rest), paint((*rest, pushed), shot=3), None, watched_edge(before, image))
    assert any(tile.hidden for tile in later.tiles), "as long as it lies there"
    gone = add_occluded(now, now_image, read(rest), paint(rest, shot=4), None, watched_edge(before, image))
    assert not any(tile.hidden for tile in gone.tiles), "what lay at the edge was taken away, too"


def test_what_moves_beside_the_table_hides_nothing_that_lay_on_it(laid: Any, paint: Paint) -> None:
    """At the edge of the picture sit the players, with their racks."""
    before, image = read(laid), paint(laid)
    rest, beside = without(laid, 4), replace(laid[4], x=0.0, y=SETTING.view.height_mm / 2)
    edge = watched_edge(before, image, inside_outline([(60.0, 60.0), (1540.0, 60.0), (1540.0, 1140.0), (60.0, 1140.0)]))
    now = add_occluded(before, image, read(rest), paint((*rest, beside), shot=2), None, edge)
    assert not any(tile.hidden for tile in now.tiles)
    assert len(now.tiles) == len(rest)


def test_a_row_that_was_pushed_across_the_edge_of_the_table_has_lost_nothing_for_sure(laid: Any, paint: Paint) -> None:
    before, image = read(laid), paint(laid)
    edge = watched_edge(before, image, inside_outline([(60.0, 60.0), (1540.0, 60.0), (1540.0, 1140.0), (60.0, 1140.0)]))
    (mover, *_), rest = laid, without(laid, 0, 1)
    last = replace(
        mover, x=(SETTING.view.width_mm * 80) / SETTING.view.size[0], y=SETTING.view.height_mm / 2, angle=0.0
    )
    seen = read((*rest, last))
    now = add_occluded(before, image, seen, paint((*rest, last), shot=2), None, edge)
    assert [(one.tile, one.hidden) for one in now.tiles[len(seen.tiles) :]] == [(None, False), (laid[1].tile, True)]


def test_a_row_that_runs_across_the_edge_of_the_table_is_in_doubt_only_while_something_is_missing(
    laid: Any, paint: Paint
) -> None:
    before, image = read(laid), paint(laid)
    edge = watched_edge(before, image)
    tile = TileReading(quad=((2, 300), (32, 300), (32, 340), (2, 340)), tile=laid[4].tile, confidence=1.0)
    inside = replace(tile, quad=tuple((x + 200, y) for x, y in tile.quad))
    now = replace(before, tiles=(tile, inside, *before.tiles))
    across = edge.add_backs_beyond(replace(now, layouts=lay_out_tiles(now.tiles)), image)
    (beyond,) = across.tiles[len(now.tiles) :]
    assert (beyond.tile, beyond.centre) == (None, (pytest.approx(17 - 31.5), 320))
    assert not edge.has_new_at_edge(paint(laid, shot=5)), "noise alone is nothing new"


@pytest.mark.parametrize("surface", ["painted", "wood"])
@pytest.mark.parametrize("light", [0.0, *(pytest.param(light, marks=pytest.mark.slow) for light in (1.6, 3.1))])
def test_what_lies_in_the_place_of_a_joker_is_not_gone_because_another_joker_was_laid(
    painter_of: PainterOf, surface: str, light: float
) -> None:
    """Season, pressman 47002, turn 5: the joker lay face down, and the reader had overlooked it."""
    painter = painter_of(surface=surface, light=light)
    ends, joker, other = (tile("K11", 400, 300), tile("K13", 454, 300)), tile("J", 427, 300), tile("J", 600, 500)
    bare = update_background(None, read(()), painter.paint((), noise_index=1))
    row = (ends[0], joker, ends[1])
    before, before_image = read(row), painter.paint(row, noise_index=2)
    turned = painter.paint((*ends, replace(joker, tile=None), other), noise_index=3)
    now = add_occluded(before, before_image, read((*ends, other)), turned, bare)
    assert len(now.tiles) == len(row) + 1
    moved_away = painter.paint((*ends, other), noise_index=3)
    assert add_occluded(before, before_image, read((*ends, other)), moved_away, bare) == read((*ends, other))


@pytest.mark.parametrize("surface", ["wood", "cloth", "painted", "stone"])
@pytest.mark.parametrize("off", [0.0, 0.25, 0.35])
def test_a_tile_that_was_turned_over_is_not_hidden_under_itself(
    painter_of: PainterOf, surface: str, off: float
) -> None:
    """Season, xp 49017: it was outlined too narrow before, and a person was asked of one tile twice."""
    painter = painter_of(surface=surface)
    row = tuple(tile(name, 400 + 27 * place, 300) for place, name in enumerate(("K5", "K6", "K7")))
    over = (replace(row[0], tile=None), *row[1:])
    before = read(row)
    width = float(np.hypot(*np.subtract(*before.tiles[0].quad[:2])))
    before = replace(
        before,
        tiles=(replace(before.tiles[0], quad=moved(before.tiles[0].quad, off * width, 0.0)), *before.tiles[1:]),
    )
    now = add_occluded(before, painter.paint(row, noise_index=1), read(over), painter.paint(over, noise_index=2))
    assert [one.tile for one in now.tiles] == [one.tile for one in over]
