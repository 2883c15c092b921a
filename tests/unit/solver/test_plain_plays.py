"""A play that is plain to see is found at once, and of equal plays the one that moves least."""

import pytest

from referee.errors import ConfigError
from referee.rules.editions import rule_set
from referee.rules.house_rules import with_house_rules
from referee.rules.judge import judge_turn
from referee.rules.notation import format_table, parse_table, parse_tiles
from referee.rules.table import EMPTY_TABLE
from referee.rules.verdict import Legal
from referee.solver import best_play, with_fewest_moves


@pytest.mark.parametrize(
    ("edition", "table", "rack", "tiles"),
    [
        pytest.param("original", "", "R5 R6 R7 K1", 3, id="a run of the rack"),
        pytest.param("original", "", "K13 R2 B9 J O2", 3, id="a group with a joker"),
        pytest.param("original", "R3 R4 R5", "R6 R7 K1", 2, id="tiles for a set on the table"),
        pytest.param("twist", "", "JM R5 J K9 B1", 3, id="a set with a mirror"),
        pytest.param("twist", "", "J J JD JD JC JC JM JM R5 R6 B7 K9 O2 O3", 9, id="a rack of jokers"),
        pytest.param("3in1-expert", "", "JK JB R5 R9 K1", 3, id="coloured jokers"),
    ],
)
def test_a_plain_play_stands_without_any_time(edition: str, table: str, rack: str, tiles: int) -> None:
    rules, before = rule_set(edition), parse_table(table)
    play = best_play(before, parse_tiles(rack), rules, seconds=0)
    assert len(play.tiles) >= tiles
    assert isinstance(judge_turn(before, play.table, opened=True, rules=rules), Legal)


def test_an_opening_that_the_rack_holds_stands_without_any_time() -> None:
    play = best_play(EMPTY_TABLE, parse_tiles("R10 R11 R12 K1"), rule_set("original"), opened=False, seconds=0)
    assert format_table(play.table) == "R10 R11 R12"


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_a_negative_time_is_refused(seconds: float) -> None:
    with pytest.raises(ConfigError, match="give 0 or more"):
        best_play(EMPTY_TABLE, (), rule_set("original"), seconds=seconds)


def test_where_all_usable_tiles_are_laid_the_play_is_proven_at_once() -> None:
    play = best_play(parse_table("R3 R4 R5"), parse_tiles("R6 K1 B9"), rule_set("original"), seconds=0)
    assert (format_table(play.table), play.optimal) == ("R3 R4 R5 R6", True)
    assert best_play(EMPTY_TABLE, parse_tiles("R6 K1 B9 R8"), rule_set("original"), seconds=0).optimal


def test_of_equal_plays_the_one_that_moves_least() -> None:
    """K7 joins the group or the run; nothing has to leave its set."""
    table, rules = parse_table("R7 B7 O7 / K8 K9 K10"), rule_set("original")
    least = with_fewest_moves(best_play(table, parse_tiles("K7"), rules), table, rules)
    assert least.tiles == parse_tiles("K7")
    before = [set(tiles) for tiles in table.sets]
    assert all(any(was <= set(tiles) for tiles in least.table.sets) for was in before)


def test_a_play_keeps_the_house_rules() -> None:
    rules = with_house_rules(rule_set("original"), {"rearranging": False})
    table = parse_table("R3 R4 R5 R6 / K1 B1 O1")
    play = best_play(table, parse_tiles("B6 O6 R1"), rules, seconds=2)
    assert [*map(str, play.tiles)] == ["R1"]
    assert len(best_play(table, parse_tiles("B6 O6 R1"), rule_set("original")).tiles) == 3


def test_the_table_is_used_in_the_turn_of_the_opening_where_it_may_be() -> None:
    table, rack = parse_table("K7 K8 K9"), parse_tiles("R10 B10 O10 K10 B1")
    usual = best_play(table, rack, rule_set("original"), opened=False)
    assert (len(usual.tiles), usual.optimal) == (4, True)  # the four 10s
    free = with_house_rules(rule_set("original"), {"table_in_meld_turn": True})
    rack = parse_tiles("R10 B10 O10 K6 B1")
    assert len(best_play(table, rack, rule_set("original"), opened=False).tiles) == 3
    play = best_play(table, rack, free, opened=False)
    assert {frozenset(map(str, tiles)) for tiles in play.table.sets} == {
        frozenset(("K6", "K7", "K8", "K9")),
        frozenset(("R10", "B10", "O10")),
    }
    assert isinstance(judge_turn(table, play.table, opened=False, rules=free), Legal)
