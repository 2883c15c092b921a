"""Tricks: each breaks exactly the rules it is said to break."""

from collections import Counter
from random import Random

import pytest

from referee.rules.editions import rule_set
from referee.rules.judge import judge_turn
from referee.rules.notation import format_table, parse_table, parse_tiles
from referee.rules.table import Table
from referee.sim.cheats import CHEATS, find_hidden_loss
from referee.sim.position import Position


def position(edition: str, table: str, rack: str, *, opened: bool = True) -> Position:
    return Position(table=parse_table(table), rack=parse_tiles(rack), opened=opened, rules=rule_set(edition))


@pytest.mark.parametrize(
    ("kind", "here", "after", "faults"),
    [
        pytest.param(
            "bluff",
            position("original", "", "R3 R4 R5 K9", opened=False),
            "R3 R4 R5",
            {"initial_meld_too_low"},
            id="12 points",
        ),
        pytest.param(
            "table_used",
            position("original", "R3 R4 R5", "R6 K9", opened=False),
            "R3 R4 R5 R6",
            {"table_used_before_opening", "initial_meld_too_low"},
            id="extended before opening, 18 points",
        ),
        pytest.param(
            "table_used",
            position("original", "R10 R11 R12", "R13 K9", opened=False),
            "R10 R11 R12 R13",
            {"table_used_before_opening", "initial_meld_too_low"},
            id="extended before opening, 46 points",
        ),
        pytest.param(
            "joker_kept", position("original", "R3 J R5", "R4 K9"), "R3 R4 R5", {"tile_taken"}, id="joker to the rack"
        ),
        pytest.param("wrong_set", position("original", "", "R3 R3 K3"), "R3 K3 R3", {"not_a_set"}, id="red twice"),
        pytest.param(
            "rearranged",
            position("original", "R6 K6 B6 O6 / R3 R4 R5", ""),
            "K6 B6 O6 / R3 R4 R5 R6",
            {"nothing_played"},
            id="nothing added",
        ),
        pytest.param(
            "joker_swapped",
            position("twist", "R3 R4 J", "JD K9"),
            "R3 R4 JD",
            {"joker_for_joker", "tile_taken"},
            id="double joker for a regular one",
        ),
        pytest.param(
            "joker_swapped",
            position("3in1-twist", "R3 R4 JC", "R5"),
            "R3 R4 R5",
            {"joker_not_replaceable", "tile_taken"},
            id="colour-change joker replaced",
        ),
        pytest.param(
            "joker_kept",
            position("pressman", "J R8 R9", "R10 R7"),
            "R7 R8 R9",
            {"tile_taken"},
            id="the red 7 and not the red 10",
        ),
        pytest.param(
            "joker_moved",
            position("pressman", "R8 R9 J", "R7 K2 B2"),
            "R7 R8 R9 / K2 B2 J",
            {"joker_not_replaced"},
            id="red 10 is nowhere",
        ),
    ],
)
def test_a_trick_breaks_the_rules_it_is_said_to_break(kind: str, here: Position, after: str, faults: set[str]) -> None:
    tried = [CHEATS[kind](here, Random(seed)) for seed in range(20)]
    found = [trick for trick in tried if trick is not None]
    assert found
    shown = {format_table(Table(trick.play.sets)) for trick in found}
    assert as_sets(after) in [as_sets(table) for table in shown]
    for trick in found:
        assert {fault.value for fault in trick.faults} == faults
        verdict = judge_turn(here.table, Table(trick.play.sets), opened=here.opened, rules=here.rules)
        assert {violation.fault for violation in verdict.violations} == trick.faults


def as_sets(table: str) -> Counter[tuple[str, ...]]:
    return Counter(tuple(sorted(map(str, tiles))) for tiles in parse_table(table).sets)


@pytest.mark.parametrize(
    ("kind", "here"),
    [
        pytest.param("bluff", position("original", "", "R3 R4 R5"), id="one who has opened cannot bluff"),
        pytest.param("bluff", position("original", "", "R3 K4 R5", opened=False), id="nothing to lay"),
        pytest.param("tile_taken", position("original", "R3 R4 R5", "K1"), id="no set can spare a tile"),
        pytest.param("tile_taken", position("original", "R3 R4 R5 R6", "K1", opened=False), id="not opened"),
        pytest.param("joker_moved", position("original", "R8 R9 J", "R7 K2 B2"), id="allowed in this edition"),
        pytest.param("joker_moved", position("pressman", "R8 R9 J / R10 K10 B10", "R7 K2 B2"), id="red 10 is there"),
        pytest.param("joker_swapped", position("original", "R3 R4 J", "J R5"), id="one kind of joker only"),
    ],
)
def test_no_trick_where_there_is_none_to_play(kind: str, here: Position) -> None:
    assert [CHEATS[kind](here, Random(seed)) for seed in range(10)] == [None] * 10


def test_a_slipped_tile_leaves_a_set_and_an_honest_play() -> None:
    here = position("original", "R3 R4 R5 R6 / K9 R9 B9", "O9 K1", opened=True)
    for seed in range(10):
        lost = find_hidden_loss(here, Random(seed))
        assert lost is not None
        assert len(lost.short_set) == 3
        assert lost.honest_play.played == parse_tiles("O9")
        assert {fault.value for fault in lost.faults} == {"tile_taken"}


def test_no_tile_slips_from_a_row_that_would_break_without_it() -> None:
    turned = position("original", "K8 K9 K10 K5 K6 K7", "O9 K1", opened=True)
    half = position("original", "K6 K7 K8 K5", "O9 K1", opened=True)
    assert [find_hidden_loss(turned, Random(seed)) for seed in range(10)] == [None] * 10, (
        "7 and 8 at its ends lie within the run"
    )
    shorts = {lost.short_set for lost in (find_hidden_loss(half, Random(seed)) for seed in range(10)) if lost}
    assert shorts == {parse_tiles("K6 K7 K8")}, "only the 5 at its end can go"
