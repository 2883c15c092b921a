"""The best play, with answers worked out by hand."""

import pytest

from referee.errors import NotationError
from referee.rules.editions import rule_set
from referee.rules.judge import judge_turn
from referee.rules.notation import format_table, parse_table, parse_tiles
from referee.rules.table import EMPTY_TABLE
from referee.rules.verdict import Legal
from referee.solver import best_play, can_play, has_initial_meld, is_blocked
from referee.solver.catalogue import set_catalogue

PLAYS = [
    pytest.param("original", "R3 R4 R5", "R6 K1", 1, 6, id="one tile at the end of a run"),
    pytest.param("original", "R5 B5 K5 J", "K1 K2 K3", 3, 6, id="a group of four with a joker stays"),
    pytest.param("original", "R4 B4 K4 O4 / R7 R8 R9", "R5 R6", 2, 11, id="R4 leaves its group: R4 to R9"),
    pytest.param("original", "K1 K2 K3 K4 K5", "K3", 1, 3, id="a run split in two around a second 3"),
    pytest.param("original", "R5 R6 J", "R7 B9 K9", 3, 25, id="the joker, freed by R7, becomes O9"),
    pytest.param("original", "", "R1 B1 K1 R13 B13 K13 O13", 7, 55, id="two groups"),
    pytest.param("original", "", "R1 R2 R3 B3 K3", 3, 9, id="three tiles either way: the group is worth more"),
    pytest.param("original", "", "R12 R13 J", 3, 36, id="1 does not follow 13, so the joker is 11"),
    pytest.param("original", "", "R5 R6 J", 3, 18, id="the joker stands where it counts most"),
    pytest.param("original", "R3 R4 J", "J O13 K13", 3, 39, id="of two jokers the one laid counts the most"),
    pytest.param("original", "R3 R4 R5", "K1 B7", 0, 0, id="nothing fits"),
    pytest.param("xp", "", "R5 R5 R5 B5 B5 B5 K5 K5 K5", 9, 45, id="three groups of the same tiles"),
    pytest.param("xp", "", "J J J J R1", 5, 15, id="four jokers and a tile: 1 to 5"),
    pytest.param("pressman", "R5 B5 J", "K7 K8", 0, 0, id="the joker stands for K5 or O5, and neither is there"),
    pytest.param("pressman", "R5 B5 J", "K5 K7 K8", 3, 20, id="K5 replaces the joker: K7 K8 J"),
    pytest.param("pressman", "R5 B5 J / R6 B6 O6", "K7 K8", 0, 0, id="still nothing frees it"),
    pytest.param("pressman", "R5 B5 J / O4 O5 O6 O7", "K7 K8", 0, 0, id="O5 is there, but the group would be two"),
    pytest.param("original", "R5 B5 K5 J", "K7 K8", 2, 15, id="elsewhere the joker may leave a group of four"),
    pytest.param("pressman", "R5 B5 K5 J", "K7 K8", 0, 0, id="in pressman only for O5"),
    pytest.param("3in1-expert", "", "R3 JR R5", 3, 12, id="a red joker in a red run"),
    pytest.param("3in1-expert", "", "R3 JB R5", 0, 0, id="no blue joker in a red run"),
    pytest.param("3in1-expert", "", "R8 JB K8", 3, 24, id="a blue joker in a group without blue"),
    pytest.param("twist", "", "R7 JD R10", 3, 34, id="the double joker is 8 and 9"),
    pytest.param("twist", "", "R7 B7 JD", 3, 28, id="the double joker is two colours"),
    pytest.param("twist", "", "R7 JC B9", 3, 24, id="red changes to blue at 8"),
    pytest.param("twist", "", "R7 JC R9", 0, 0, id="the colour must change"),
    pytest.param("twist", "", "R7 R8 JC", 3, 24, id="a colour change may end a run"),
    pytest.param("twist", "", "JM R5 R5", 3, 10, id="a mirror alone in the middle is worth nothing"),
    pytest.param("3in1-twist", "", "JM R5 R5", 3, 15, id="but in the Polish booklet the group's number"),
    pytest.param("3in1-twist", "", "JM R3 R3 R4 R4", 5, 19, id="and in a run the one in the middle: 5"),
    pytest.param("3in1-twist", "", "JM R12 R12 R13 R13", 5, 61, id="13 has none after it: laid falling, 11"),
    pytest.param("twist", "R5 B5 J", "JD", 0, 0, id="a double joker may not take the place of a regular one"),
    pytest.param("twist", "R5 B5 J", "JD K1 K2", 3, 10, id="but it may be 3 and 4 after K1 and K2"),
]


@pytest.mark.parametrize(("edition", "table", "rack", "tiles", "worth"), PLAYS)
def test_best_play(edition: str, table: str, rack: str, tiles: int, worth: int) -> None:
    rules, before = rule_set(edition), parse_table(table)
    play = best_play(before, parse_tiles(rack), rules)
    assert (len(play.tiles), play.worth, play.optimal) == (tiles, worth, True)
    assert isinstance(judge_turn(before, play.table, opened=True, rules=rules), Legal)


@pytest.mark.parametrize(
    ("edition", "table", "rack", "tiles", "worth"),
    [
        pytest.param("original", "R3 R4 R5", "R6 R9 B9 K9", 0, 0, id="27 are too few, and R6 must wait"),
        pytest.param("original", "R3 R4 R5", "R6 R10 B10 K10", 3, 30, id="30 are enough, and R6 must wait"),
        pytest.param("original", "", "R9 B9 K9 O1 O2 O3", 6, 33, id="two sets together"),
        pytest.param("original", "R9 J B9", "R12 R13 J", 3, 36, id="the joker counts what it stands for"),
        pytest.param("twist", "", "JM R7 R7 R8 R8", 5, 30, id="a mirror run of 30"),
        pytest.param("3in1-twist", "", "JM R10 R10", 3, 30, id="where the mirror counts the middle"),
        pytest.param("twist", "", "JM R10 R10", 0, 0, id="where it does not"),
    ],
)
def test_opening_leaves_the_table_alone(edition: str, table: str, rack: str, tiles: int, worth: int) -> None:
    before = parse_table(table)
    play = best_play(before, parse_tiles(rack), rule_set(edition), opened=False)
    assert (len(play.tiles), play.worth, play.optimal) == (tiles, worth, True)
    assert play.table.sets[: len(before.sets)] == before.sets
    assert has_initial_meld(parse_tiles(rack), rule_set(edition)) == bool(tiles)


def test_sets_that_need_not_change_stay_as_they_lie() -> None:
    play = best_play(parse_table("R7 R5 R6 / K1 K2 K3 K4 K5 K6 K7 / B9 O9 K9"), parse_tiles("B2"), rule_set("original"))
    assert play.table == parse_table("R7 R5 R6 / K1 K2 K3 K4 K5 K6 K7 / B9 O9 K9")
    play = best_play(parse_table("K1 K2 K3 K4 K5 K6 K7 / B9 O9 K9"), parse_tiles("R9"), rule_set("original"))
    assert play.table.sets[0] == parse_tiles("K1 K2 K3 K4 K5 K6 K7")


def test_nobody_can_go_on() -> None:
    rules, table = rule_set("original"), parse_table("R3 R4 R5")
    assert can_play(table, parse_tiles("R6"), rules)
    assert not can_play(table, parse_tiles("R6"), rules, opened=False)
    assert is_blocked(table, [(parse_tiles("R6"), False), (parse_tiles("B6"), True)], rules)
    assert not is_blocked(table, [(parse_tiles("R6"), True), (parse_tiles("B6"), True)], rules)


def test_tiles_beyond_the_box_are_named() -> None:
    with pytest.raises(NotationError, match=r"3 × R5 is more than the 2 in the box of original"):
        best_play(parse_table("R5 B5 K5 / R5 O5 B5"), parse_tiles("R5"), rule_set("original"))
    with pytest.raises(NotationError, match=r"1 × JD is more than the 0 in the box of original"):
        best_play(parse_table(""), parse_tiles("JD"), rule_set("original"))


def test_no_time_gives_no_proof_and_no_wrong_play() -> None:
    play = best_play(parse_table("R3 R4 R5 R6"), parse_tiles("K6 B6"), rule_set("original"), seconds=0)
    assert (play.tiles, play.optimal) == ((), False)


def test_the_time_bounds_the_making_of_the_sets_too() -> None:
    table, rack, rules = parse_table("R3 R4 R5"), parse_tiles("R6 JD JC JM"), rule_set("twist")
    set_catalogue.cache_clear()
    play = best_play(table, rack, rules, seconds=0)
    assert (format_table(play.table), play.optimal) == ("R3 R4 R5 / R6 JD JC", False), "what is plain to see"
    assert set_catalogue.cache_info().currsize == 0, "a part is not kept for the whole"
    assert best_play(table, rack, rules, seconds=600).optimal
    assert best_play(table, rack, rules, seconds=0) == play, "not a play that nobody looked for"
    assert set_catalogue.cache_info().hits > 0, "what was made once is found again, whatever the time"


@pytest.mark.parametrize(
    "tiles",
    [
        pytest.param("J J JD JD JC JC R5 R6 B7 K9", id="six"),
        pytest.param("J J JD JD JC JC JM JM R5 R6 B7 K9 O2 O3", id="eight", marks=pytest.mark.slow),
    ],
)
def test_many_jokers_on_a_rack_are_all_laid(tiles: str) -> None:
    rules, rack = rule_set("twist"), parse_tiles(tiles)
    play = best_play(EMPTY_TABLE, rack, rules, seconds=60, any_worth=True)
    assert (len(play.tiles), play.tiles_proven) == (len(rack), True)
    assert isinstance(judge_turn(EMPTY_TABLE, play.table, opened=True, rules=rules), Legal)


def test_any_worth_will_do_where_only_tiles_count() -> None:
    play = best_play(EMPTY_TABLE, parse_tiles("R1 R2 R3 B3 K3"), rule_set("original"), any_worth=True)
    assert (len(play.tiles), play.tiles_proven, play.optimal) == (3, True, False)
