"""Rows lie apart, stay where they are, and hold the tiles they should."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from referee.rules.notation import format_tiles, parse_table
from referee.sim.layout import Arrangement, PhysicalTile, PlayArea, arrange, footprints_overlap
from referee.sim.view import rectangle

AREA = PlayArea(90, 90, 1080, 800)


def laid(before: Arrangement, text: str, *, side: int = 0, seed: int = 1) -> Arrangement:
    after = parse_table(text)
    missing = after.counts() - before.table.counts()
    added = [PhysicalTile(tile, 10 + copy) for tile, count in missing.items() for copy in range(count)]
    return arrange(before, after.sets, added, side=side, area=AREA, rng=Random(seed))


def test_a_set_that_did_not_change_stays_exactly_where_it_lies() -> None:
    before = laid(Arrangement(), "R3 R4 R5 / K7 R7 B7")
    after = laid(before, "R3 R4 R5 / K7 R7 B7 / B1 B2 B3", side=2)
    assert set(before.rows) < set(after.rows)


def test_a_run_grows_at_its_end_and_its_old_tiles_do_not_move() -> None:
    before = laid(Arrangement(), "R3 R4 R5")
    after = laid(before, "R3 R4 R5 R6")
    assert set(before.tiles) < set(after.tiles)
    assert format_tiles(after.rows[0].tile_set) == "R3 R4 R5 R6"


def test_a_run_that_loses_an_end_keeps_the_rest_in_place() -> None:
    before = laid(Arrangement(), "R3 R4 R5 R6")
    after = laid(before, "R4 R5 R6 / R3 K3 B3")
    assert set(after.rows[0].tiles) < set(before.tiles)


def test_the_very_tile_moves_when_a_tile_changes_sets() -> None:
    before = laid(Arrangement(), "R3 R4 R5 R6 / K3 B3 O3")
    after = laid(before, "R4 R5 R6 / R3 K3 B3 O3")
    assert Counter(after.pieces) == Counter(before.pieces)


@pytest.mark.parametrize("side", range(4))
def test_a_set_is_upright_for_the_player_who_lays_it(side: int) -> None:
    row = laid(Arrangement(), "R3 R4 R5", side=side).rows[0]
    assert row.angle == pytest.approx(side * 1.5708, abs=0.3)


@pytest.mark.parametrize("seed", range(3))
def test_no_two_tiles_overlap_on_a_table_of_106(seed: int) -> None:
    runs = [f"{colour}{n} {colour}{n + 1} {colour}{n + 2}" for colour in "KRBO" for n in (1, 4, 7, 10)] * 2
    groups = [" ".join(f"{colour}13" for colour in "KRBO")] * 2 + ["J J K2"]
    sets = Random(seed).sample([*runs, *groups], len(runs) + len(groups))
    table = Arrangement()
    for count in range(1, len(sets) + 1):
        table = laid(table, " / ".join(sets[:count]), side=count % 4, seed=seed)
    assert len(table.tiles) == 107
    for one, other in combinations(table.tiles, 2):
        if abs(one.x - other.x) < 50 and abs(one.y - other.y) < 50:
            # A hair narrower than the tile: neighbours in a row may touch.
            assert not footprints_overlap(
                rectangle(one.x, one.y, one.angle, 26.6, 37.4), rectangle(other.x, other.y, other.angle, 26.6, 37.4)
            ), (one, other)


def test_a_table_too_small_is_said_so() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        arrange(
            Arrangement(),
            parse_table("R3 R4 R5 / K7 R7 B7").sets,
            [PhysicalTile(tile, 0) for tile in parse_table("R3 R4 R5 / K7 R7 B7").tiles],
            side=0,
            area=PlayArea(0, 0, 100, 50),
            rng=Random(0),
        )
