"""The nearest legal table, with answers worked out by hand."""

import pytest

from referee.rules.editions import rule_set
from referee.rules.notation import format_tiles, parse_table
from referee.rules.sets import is_set
from referee.solver import NearestTable, nearest_legal_table
from referee.solver.catalogue import set_catalogue


@pytest.mark.parametrize(
    ("table", "moved"),
    [
        pytest.param("", "", id="an empty table is legal"),
        pytest.param("R3 R4 R5 / K7 B7 O7", "", id="so is a legal one"),
        pytest.param("R3 R4 R5 / R6 / K7 B7 O7", "R6", id="a loose tile goes to its run"),
        pytest.param("R3 R4 R5 K7 / B7 O7 R7", "K7", id="a tile in the wrong set goes to the right one"),
        pytest.param("R1 R2 R3 R4 R5 R7 R8 R9 / B6 O6 K6 R6", "R6", id="a gap is filled, the long run stays whole"),
        pytest.param("R3 R4 / R5 R6", "R3 R4", id="of two halves one moves"),
        pytest.param("K1 R3 R4 R5 R6 R7 R8 R9 / K2 K3 K4", "K1", id="a stranger leaves a long run"),
    ],
)
def test_fewest_tiles_move(table: str, moved: str) -> None:
    rules, broken = rule_set("original"), parse_table(table)
    nearest = nearest_legal_table(broken, rules)
    assert nearest is not None
    assert nearest.optimal
    assert len(nearest.moved) == len(moved.split())
    if len(moved.split()) == 1:
        assert format_tiles(nearest.moved) == moved
    assert nearest.table.counts() == broken.counts()
    assert [tiles for tiles in nearest.table.sets if not is_set(tiles, rules)] == []


@pytest.mark.parametrize(
    ("edition", "table", "moved"),
    [
        pytest.param("twist", "R1 R2 R3 JC B5 B6 / B7 / K1 K2 K3", "B7", id="to a long colour-change run"),
        pytest.param("twist", "R1 R2 R3 R4 JM R4 R3 R2 / R1 / K1 K2 K3", "R1", id="to a long mirror set"),
        pytest.param("twist", "R1 R2 R3 JD R6 R7 / R8 / K1 K2 K3", "R8", id="to a long run with a double joker"),
        pytest.param("xp", "J J J R4 R5 R6 R7 K1 / K2 K3 K4", "K1", id="out of a run with three jokers"),
        pytest.param("original", "R1 R2 R3 / J / K1 K2 K3 K4 / B4 R4 O4 / K9 B9 O9", "J", id="a loose joker"),
        pytest.param("original", "R5 J / R7 R8 R9 R10 / B5 B6 B7", "R7", id="to a joker and its neighbour"),
        pytest.param("3in1-expert", "JR R5 R6 B1 / B2 B3 B4", "B1", id="out of a run with a red joker"),
    ],
)
def test_one_tile_moves_with_any_joker(edition: str, table: str, moved: str) -> None:
    nearest = nearest_legal_table(parse_table(table), rule_set(edition))
    assert nearest is not None
    assert (format_tiles(nearest.moved), nearest.optimal) == (moved, True)


def test_no_proof_is_claimed_where_long_sets_are_not_looked_at() -> None:
    table = parse_table("R1 R2 R3 JC B5 B6 B7 B8 JC K10 K11 K12 / K13 / R7 K5 O5 B5 / O7 B7")
    nearest = nearest_legal_table(table, rule_set("twist"))
    assert nearest is not None
    assert len(nearest.moved) > 1
    assert not nearest.optimal


@pytest.mark.parametrize(
    ("table", "moved"),
    [
        pytest.param("R1 R2 R3 JC B5 B6 B7 / K1 K2 K3", "", id="a legal table needs none"),
        pytest.param("R1 R2 R3 JC / K1 K2 K3 / K4", "K4", id="a loose tile needs one"),
    ],
)
def test_none_or_one_is_proven_with_any_joker(table: str, moved: str) -> None:
    nearest = nearest_legal_table(parse_table(table), rule_set("twist"))
    assert nearest is not None
    assert (format_tiles(nearest.moved), nearest.optimal) == (moved, True)


def test_sets_that_are_whole_keep_their_place_and_order() -> None:
    nearest = nearest_legal_table(parse_table("K9 K7 K8 / R3 R4 / R5 / O1 B1 K1"), rule_set("original"))
    assert nearest is not None
    assert nearest.table.sets[0] == parse_table("K9 K7 K8").sets[0]
    assert nearest.table.sets[-1] == parse_table("O1 B1 K1").sets[0]


@pytest.mark.parametrize("table", ["R3", "R1 R2 / B6 O6 K6 R6", "R5 R5 B5"])
def test_some_tiles_make_no_table(table: str) -> None:
    assert nearest_legal_table(parse_table(table), rule_set("original")) is None


@pytest.mark.parametrize("known", [False, True])
def test_without_time_there_is_a_table_only_if_it_lies_there(*, known: bool) -> None:
    rules = rule_set("twist")
    legal, broken = parse_table("R1 R2 R3 JC B5 B6 B7 / K1 K2 K3"), parse_table("R1 R2 R3 JC / K1 K2 K3 / K4")
    set_catalogue.cache_clear()
    if known:
        assert nearest_legal_table(broken, rules, seconds=600) is not None
    assert nearest_legal_table(legal, rules, seconds=-1) == NearestTable(legal, (), optimal=True)
    assert nearest_legal_table(broken, rules, seconds=-1) is None
