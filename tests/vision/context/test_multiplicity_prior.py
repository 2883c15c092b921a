"""Readings held against the box: no tile is on the table more often than the box holds, and what follows for others."""

import numpy as np
import pytest

from referee.game.table.hypotheses import hypotheses
from referee.reading.observation import Layout, TableReading, TileReading
from referee.rules.editions import rule_set
from referee.rules.notation import parse_table, parse_tile
from referee.vision.classify.naming import MIN_PROBABILITY, LogOdds, read_names
from referee.vision.context.multiplicity_prior import apply_multiplicity, read_with_multiplicity
from referee.vision.geometry.detections import Floats

BOX = rule_set("original").box
TILES = tuple(BOX)
SURE = 0.94
QUAD = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
BACK = "back"
Chances = dict[str, float]


def crop(name: str | None, chance: float = 0.999, **others: float) -> Chances:
    """What one crop may show; the rest is no face at all."""
    return {BACK if name is None else name: chance, **others}


def names_of(*crops: Chances) -> LogOdds:
    chances = np.zeros((len(crops), len(TILES) + 2))
    for row, one in enumerate(crops):
        for name, chance in one.items():
            chances[row, -2 if name == BACK else TILES.index(parse_tile(name))] = chance
    chances[:, -1] = 1 - chances.sum(axis=1)
    return LogOdds(TILES, np.log(np.maximum(chances, MIN_PROBABILITY)))


def quads(names: LogOdds) -> Floats:
    return np.repeat(QUAD[None], len(names.odds), axis=0)


def read(*crops: Chances) -> tuple[TileReading, ...]:
    names = names_of(*crops)
    return read_with_multiplicity(names, BOX, quads(names), sure=SURE)


def doubted(*crops: Chances) -> list[bool]:
    return [one.unsure for one in read(*crops)]


def named(*crops: Chances) -> list[str]:
    return [str(one.tile) for one in read(*crops)]


def test_as_many_as_the_box_holds_are_left_alone() -> None:
    names = names_of(crop("R7"), crop("R7", 0.95, B7=0.02), crop("J"), crop("J"), crop(None))
    assert read_with_multiplicity(names, BOX, quads(names), sure=SURE) == read_names(names, quads(names), sure=SURE)


def test_of_three_copies_the_one_read_worst_is_doubted_where_the_others_are_far_surer() -> None:
    assert doubted(crop("R7"), crop("R7", 0.95), crop("R7")) == [False, True, False]


def test_copies_read_equally_surely_are_doubted_alike() -> None:
    assert doubted(crop("R7"), crop("R7"), crop("R7"), crop("B7")) == [True, True, True, False]
    one, *_ = read(*[crop("R7")] * 3)
    assert one.confidence == pytest.approx(2 / 3, rel=0.01), "one of three is wrong"
    assert str(one.tile) == "R7", "and stays what it was read as"


def test_beside_two_sure_copies_a_third_is_what_else_it_may_be() -> None:
    *_, third = read(crop("K6"), crop("K6"), crop("K6", 0.6, K8=0.35))
    assert (str(third.tile), third.unsure) == ("K8", True)
    assert third.confidence == pytest.approx(0.35 / 0.4, abs=0.01), "it may still be no face at all"


def test_what_only_others_made_another_tile_is_asked_about_however_sure() -> None:
    """Somebody may have mixed two boxes: then it is a third `K6` after all."""
    *_, third = read(crop("K6"), crop("K6"), crop("K6", 0.55, K8=0.449))
    assert (str(third.tile), third.unsure) == ("K8", True)
    assert third.confidence > 0.99
    assert "K6" in {str(tile) for tile, _ in third.alternatives}


def test_a_smudge_is_no_question_where_all_copies_of_its_other_face_lie_there() -> None:
    assert doubted(crop("K6"), crop("K6"), crop("K8", 0.7, K6=0.299)) == [False, False, False]


def test_one_tile_that_gives_way_makes_the_next_one_give_way() -> None:
    """The third `O5` is an `O6`, so the third `O6` is an `O8`."""
    chain = [crop("O5"), crop("O5"), crop("O5", 0.7, O6=0.29), crop("O6", 0.7, O8=0.29)]
    assert named(*chain) == ["O5", "O5", "O6", "O6"]
    assert named(*chain, crop("O6")) == ["O5", "O5", "O6", "O8", "O6"]


def test_who_is_right_of_four_is_told_by_small_differences_and_all_are_asked_about() -> None:
    blue_or_black = [crop("K5", 0.9999), crop("K5", 0.997, B5=0.003), crop("K5", 0.9999), crop("K5", 0.998, B5=0.002)]
    assert named(*blue_or_black) == ["K5", "B5", "K5", "B5"]
    assert doubted(*blue_or_black)[1::2] == [True, True]


def test_where_a_whole_colour_wavers_the_tiles_are_still_shared() -> None:
    numbers = range(1, 14)
    wavering = [crop(f"R{one}", 0.7, **{f"R{one % 13 + 1}": 0.29}) for one in numbers for _ in range(3)]
    readings = read(*wavering)
    assert all(one.unsure for one in readings)
    assert max(sum(str(one.tile) == f"R{number}" for one in readings) for number in numbers) <= 3


def knot(bare: float, chance: float = 0.25, **others: float) -> Chances:
    """What looks a little like a joker, and mostly like nothing."""
    assert chance + bare + sum(others.values()) == pytest.approx(1.0, abs=0.011)
    return crop("J", chance, **others)


def test_where_the_tiles_of_many_boxes_lie_no_box_tells_their_number() -> None:
    few, many = (names_of(*[{"R6": 0.9, "R8": 0.1}] * count) for count in (3, 1 + 2 * sum(BOX.values())))
    assert apply_multiplicity(few, BOX) is not few
    assert apply_multiplicity(many, BOX) is many


def test_a_knot_in_the_wood_beside_two_jokers_is_no_third_joker() -> None:
    *jokers, none = read(crop("J"), crop("J"), knot(0.74, O1=0.01))
    assert [str(one.tile) for one in jokers] == ["J", "J"]
    assert (none.tile, none.unsure, none.doubtful) == (None, True, False)
    assert none.confidence == none.bare > 0.9
    seen = hypotheses(
        TableReading(frame_id="", at=0.0, tiles=(*jokers, none), layouts=(Layout(((0, 1, 2),), (), 1.0),))
    )
    assert seen.complete
    assert seen.tables == (parse_table("J J"),)


@pytest.mark.parametrize("chances", [(0.999,) * 4, (0.9999, 0.9999, 0.9999, 0.95), (0.9999999,) * 2 + (0.8,) * 2])
def test_of_four_jokers_in_a_box_with_two_none_vanishes(chances: tuple[float, ...]) -> None:
    tiles = read(*(crop("J", chance) for chance in chances))
    assert [str(tile.tile) for tile in tiles] == ["J"] * 4
    assert sum(tile.doubtful for tile in tiles) >= 2


def test_what_may_be_another_face_than_the_surplus_one_is_asked_about() -> None:
    *_, tile = read(crop("J"), crop("J"), knot(0.35, O1=0.4))
    assert str(tile.tile) == "O1"
    assert tile.doubtful


def test_a_knot_in_the_wood_that_may_be_the_second_joker_keeps_its_name() -> None:
    names = names_of(crop("J"), knot(0.74))
    assert read_with_multiplicity(names, BOX, quads(names), sure=SURE) == read_names(names, quads(names), sure=SURE)


def test_a_tile_that_the_box_does_not_have_is_still_told() -> None:
    names = names_of(crop("K6"), crop("K6"), crop("K6", 0.6, K8=0.38), crop("J"))
    box = {tile: count for tile, count in BOX.items() if str(tile) != "J"}
    assert [str(one.tile) for one in read_with_multiplicity(names, box, quads(names), sure=SURE)] == [
        "K6",
        "K6",
        "K8",
        "J",
    ]
