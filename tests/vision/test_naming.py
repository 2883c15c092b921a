"""Readings held against the box and against each other: too many copies, inks mixed up, poor pictures."""

from dataclasses import replace

import pytest

from referee.game.worlds import worlds
from referee.reading.observation import Layout, TableReading, TileReading
from referee.rules.editions import rule_set
from referee.rules.notation import parse_table, parse_tile
from referee.vision.naming import doubt_poor_table, doubt_surplus

BOX = rule_set("original").box
SURE = 0.94
QUAD = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def said(name: str | None, confidence: float = 0.999) -> TileReading:
    tile = None if name is None else parse_tile(name)
    return TileReading(quad=QUAD, tile=tile, confidence=confidence, unsure=confidence < SURE)


def doubted(*tiles: TileReading) -> list[bool]:
    return [one.unsure for one in doubt_surplus(tiles, BOX, sure=SURE)]


def test_as_many_as_the_box_holds_are_left_alone() -> None:
    tiles = (said("R7"), said("R7", 0.95), said("J"), said("J"), said(None))
    assert doubt_surplus(tiles, BOX, sure=SURE) == tiles


def test_of_three_copies_the_one_read_worst_is_doubted_where_the_others_are_far_surer() -> None:
    assert doubted(said("R7"), said("R7", 0.95), said("R7")) == [False, True, False]


def test_copies_read_equally_surely_are_doubted_alike() -> None:
    assert doubted(said("R7"), said("R7"), said("R7"), said("B7")) == [True, True, True, False]
    one, *_ = doubt_surplus([said("R7")] * 3, BOX, sure=SURE)
    assert one.confidence == pytest.approx(2 / 3), "one of three is wrong"
    assert str(one.tile) == "R7", "and stays what it was read as"


def knot(bare: float, *others: tuple[str, float], confidence: float = 0.25) -> TileReading:
    """What looks a little like a joker, and mostly like nothing."""
    alternatives = tuple((parse_tile(name), chance) for name, chance in others)
    return replace(said("J", confidence), bare=bare, alternatives=alternatives)


def test_a_knot_in_the_wood_beside_two_jokers_is_no_third_joker() -> None:
    *jokers, none = doubt_surplus([said("J"), said("J"), knot(0.74, ("O1", 0.01))], BOX, sure=SURE)
    assert [str(one.tile) for one in jokers] == ["J", "J"]
    assert (none.tile, none.unsure, none.doubtful) == (None, True, False)
    assert none.confidence == none.bare > 0.9
    seen = worlds(TableReading(frame_id="", at=0.0, tiles=(*jokers, none), layouts=(Layout(((0, 1, 2),), (), 1.0),)))
    assert seen.complete
    assert seen.tables == (parse_table("J J"),)


def test_what_may_be_another_face_than_the_surplus_one_is_asked_about() -> None:
    *_, tile = doubt_surplus([said("J"), said("J"), knot(0.35, ("O1", 0.4), confidence=0.25)], BOX, sure=SURE)
    assert str(tile.tile) == "J"
    assert tile.doubtful


def test_a_knot_in_the_wood_that_may_be_the_second_joker_keeps_its_name() -> None:
    tiles = (said("J"), knot(0.74))
    assert doubt_surplus(tiles, BOX, sure=SURE) == tiles


def test_a_colour_that_is_too_often_too_many_is_doubted_throughout() -> None:
    mixed = [said(name) for name in ("R7", "R7", "R7", "R8", "R8", "R8", "R2", "K2", "O3", "J")]
    assert doubted(*mixed) == [True] * 7 + [False] * 3


def test_a_good_picture_with_a_few_doubts_is_left_alone() -> None:
    tiles = (*[said("K3")] * 40, *[said("B8", 0.5)] * 5)
    assert doubt_poor_table(tiles) == tiles
    few = (said("K3"), said("B8", 0.4), said("R9"))
    assert doubt_poor_table(few) == few


def test_in_a_poor_picture_everything_is_doubted() -> None:
    tiles = [*[said("K3")] * 40, *[said("B8", 0.4)] * 20]
    assert all(one.unsure for one in doubt_poor_table(tiles))


def test_backs_that_are_hardly_seen_do_not_make_a_picture_poor() -> None:
    tiles = (*[said("K3")] * 10, *[said(None, 0.5)] * 40)
    assert doubt_poor_table(tiles) == tiles
