from collections.abc import Callable

import pytest

from referee.rules.editions import rule_set
from referee.rules.notation import parse_tiles
from referee.rules.scoring import GameResult, rack_value, score_game, score_match
from referee.rules.tiles import Joker
from referee.rules.verdict import JudgedSet

EDITION = "twist"
BOOKLET = "twist-lemada-2015"
MANIPULATION = "Examples of manipulating tiles"
CLEARING = "4 ways to clear the Regular Joker"
RULES = rule_set(EDITION)

Faults = Callable[..., list[str]]
Read = Callable[[str], JudgedSet]


def test_manipulations_are_legal(manipulation: tuple[str, str], faults: Faults) -> None:
    assert faults(*manipulation) == []


def test_manipulations_wait_for_the_opening(manipulation: tuple[str, str], faults: Faults) -> None:
    assert "table_used_before_opening" in faults(*manipulation, opened=False)


def test_four_ways_to_clear_a_joker(clearing: tuple[str, str], faults: Faults) -> None:
    assert faults(*clearing) == []


def test_a_joker_is_not_cleared_before_the_opening(clearing: tuple[str, str], faults: Faults) -> None:
    assert "table_used_before_opening" in faults(*clearing, opened=False)


@pytest.mark.parametrize(
    ("tiles", "kind", "worth"),
    [
        pytest.param("R7 B7 K7", "group", 21, id="twist-lemada-2015, Sets: three of a number in different colours"),
        pytest.param("R7 B7 K7 O7", "group", 28, id="twist-lemada-2015, Sets: four of a number in different colours"),
        pytest.param("B3 B4 B5 B6", "run", 18, id="twist-lemada-2015, Sets: consecutive numbers in one colour"),
        pytest.param("R1 R2 R3", "run", 6, id="twist-lemada-2015, Sets: 1 is the lowest"),
        pytest.param("R12 R13 R1", None, None, id="twist-lemada-2015, Sets: 1 cannot follow 13"),
        pytest.param("R7 B7 R7", None, None, id="twist-lemada-2015, Sets: a group has different colours"),
        pytest.param("R7 R8 B9", None, None, id="twist-lemada-2015, Sets: a run has one colour"),
        pytest.param("R7 R8", None, None, id="twist-lemada-2015, Sets: three tiles at least"),
    ],
)
def test_sets(tiles: str, kind: str | None, worth: int | None, read: Read) -> None:
    judged = read(tiles)
    assert (judged.kind, judged.worth) == (kind, worth)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param("", "R9 R10 R11", [], id="twist-lemada-2015, Playing the Game: 30 are enough"),
        pytest.param(
            "", "R2 R3 R4 / K7 R7 B7", [], id="twist-lemada-2015, Playing the Game: several sets add up to 30"
        ),
        pytest.param(
            "", "K9 B9 R9", ["initial_meld_too_low"], id="twist-lemada-2015, Playing the Game: 27 are too few"
        ),
        pytest.param("", "R10 J R12", [], id="twist-lemada-2015, Playing the Game: a joker scores what it represents"),
        pytest.param(
            "",
            "R8 J R10",
            ["initial_meld_too_low"],
            id="twist-lemada-2015, Playing the Game: a joker scores no more than it represents",
        ),
        pytest.param(
            "B4 B5 B6",
            "B4 B5 B6 B7 / R9 R10 R11",
            ["table_used_before_opening"],
            id="twist-lemada-2015, Playing the Game: own tiles only",
        ),
        pytest.param(
            "B4 B5 B6", "B4 B5 B6", [], id="twist-lemada-2015, Playing the Game: who cannot or will not open draws"
        ),
    ],
)
def test_opening(before: str, after: str, expected: list[str], faults: Faults) -> None:
    assert faults(before, after, opened=False) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            "R3 J R5",
            "R3 R4 R5",
            ["tile_taken"],
            id="twist-lemada-2015, Regular Joker: a joker freed is played in the same turn",
        ),
        pytest.param(
            "R3 J R5 / R4 B4 K4 O4",
            "R3 R4 R5 / J B4 K4 O4",
            ["nothing_played"],
            id="twist-lemada-2015, Regular Joker: at least one tile of the rack",
        ),
        pytest.param(
            "R3 J R5",
            "R3 R4 R5 / J K9 K10",
            [],
            id="twist-lemada-2015, Regular Joker: freed and used with tiles of the rack",
        ),
        pytest.param(
            "R3 J R5 / R4 B4 K4 O4",
            "R3 R4 R5 / B4 K4 O4 / J K9 K10",
            [],
            id="twist-lemada-2015, Regular Joker: replaced by a tile of the table",
        ),
        pytest.param(
            "R5 B5 J",
            "R5 B5 K5 / J K9 K10",
            [],
            id="twist-lemada-2015, Regular Joker: in a group of three one missing colour",
        ),
        pytest.param(
            "R5 B5 J",
            "R5 B5 O5 / J K9 K10",
            [],
            id="twist-lemada-2015, Regular Joker: in a group of three the other missing colour",
        ),
    ],
)
def test_the_joker(before: str, after: str, expected: list[str], faults: Faults) -> None:
    assert faults(before, after) == expected


def test_no_loose_tile_is_left(faults: Faults) -> None:
    assert faults("R3 R4 R5 R6", "R4 R5 R6 / R3") == ["loose_tile", "nothing_played"]


def test_time_and_penalties() -> None:
    """twist-lemada-2015, Time Limit and Incomplete Runs: one minute; draw 1, or 3 for a move undone."""
    assert (RULES.turn_seconds, RULES.overrun_draw, RULES.incomplete_draw, RULES.pass_draw) == (60, 1, 3, 1)
    assert RULES.timed_in_friendly_games
    assert RULES.drawn_tile_waits


def test_rounds() -> None:
    """twist-lemada-2015, Set Up: as many games as players; the highest tile starts; racks of 14."""
    assert [RULES.games_per_round(players) for players in (2, 3, 4)] == [2, 3, 4]
    assert (RULES.next_starter, RULES.rack_tiles) == ("highest_tile", 14)


def test_sample_score_table() -> None:
    """twist-lemada-2015, Scoring: the sample table of players A to D, and who wins."""
    games = [
        GameResult(winner="A", racks={"B": 5, "C": 16, "D": 3}),
        GameResult(winner="C", racks={"A": 6, "B": 11, "D": 5}),
        GameResult(winner="D", racks={"A": parse_tiles("J R2"), "B": 13, "C": 2}),
        GameResult(winner="C", racks={"A": 10, "B": 25, "D": 6}, unopened=frozenset("B")),
    ]
    score = score_match("ABCD", games, RULES, lambda _: False)
    assert [tuple(game.values()) for game in score.games] == [
        (24, -5, -16, -3),
        (-6, -11, 22, -5),
        (-32, -13, -2, 47),
        (-10, -25, 41, -6),
    ]
    assert score.totals == {"A": -24, "B": -54, "C": 45, "D": 33}
    assert score.games_won == {"A": 1, "B": 0, "C": 2, "D": 1}
    assert score.ranking == ("C", "D", "A", "B")


def test_joker_penalty() -> None:
    """twist-lemada-2015, Scoring, note: 30 for a joker left on a rack."""
    assert {rack_value((tile,), RULES) for tile in RULES.box if isinstance(tile, Joker)} == {30}


def test_blocked_game() -> None:
    """twist-lemada-2015, Scoring: the lowest rack wins the sum of what the others hold more."""
    game = GameResult(winner=None, racks={"A": 12, "B": 5, "C": 40, "D": 6})
    assert score_game("ABCD", game, RULES, lambda _: False) == {"A": -7, "B": 43, "C": -35, "D": -1}


@pytest.mark.parametrize(
    ("tiles", "kind", "worth"),
    [
        pytest.param(
            "R2 JD R5", "run", 14, id="twist-lemada-2015, Double Joker: 2, double, 5 stands for 3 and 4, worth 7"
        ),
        pytest.param(
            "B3 R3 JD",
            "group",
            12,
            id="twist-lemada-2015, Double Joker: in a group it is both missing colours, worth 6",
        ),
        pytest.param("JD R3 R4", "run", 10, id="twist-lemada-2015, Double Joker: first in a run"),
        pytest.param("R3 R4 JD", "run", 18, id="twist-lemada-2015, Double Joker: last in a run"),
        pytest.param("R3 JD", None, None, id="twist-lemada-2015, Special Jokers, reminder: two tiles are no set"),
        pytest.param("JD B2 JC R4", None, None, id="twist-lemada-2015, Double Joker: never before 2"),
        pytest.param("B10 JC R12 JD", None, None, id="twist-lemada-2015, Double Joker: never after 12"),
        pytest.param("R2 JD R4", None, None, id="twist-lemada-2015, Double Joker: never for one number"),
        pytest.param("R3 R4 JC B6", "run", 18, id="twist-lemada-2015, Colour Change Joker: another colour after it"),
        pytest.param("R3 R4 JC R6", None, None, id="twist-lemada-2015, Colour Change Joker: the colour has to change"),
        pytest.param("R3 R4 JC", "run", 12, id="twist-lemada-2015, Colour Change Joker: at the end"),
        pytest.param("JC R3 R4", None, None, id="twist-lemada-2015, Colour Change Joker: not at the beginning"),
        pytest.param("R3 B3 JC", None, None, id="twist-lemada-2015, Colour Change Joker: only in runs"),
        pytest.param("R2 R3 JM R3 R2", "mirror", 10, id="twist-lemada-2015, Mirror Joker: in runs, 2 3 mirror 3 2"),
        pytest.param("R3 B3 JM R3 B3", "mirror", 12, id="twist-lemada-2015, Mirror Joker: in groups, 3 3 mirror 3 3"),
        pytest.param("R3 R4 JM R4 R3", "mirror", 14, id="twist-lemada-2015, Mirror Joker: its worth in 3 4 mirror 4 3"),
        pytest.param(
            "R2 R3 JM R3",
            None,
            None,
            id="twist-lemada-2015, Mirror Joker: what is added to one side is added to the other",
        ),
        pytest.param("R2 R3 JM R3 B2", None, None, id="twist-lemada-2015, Mirror Joker: the sides are the same"),
        pytest.param("R3 R4 JM", None, None, id="twist-lemada-2015, Mirror Joker: it can only be used as a mirror"),
        pytest.param("R4 J R6 JM R6 R4", None, None, id="twist-lemada-2015, Mirror Joker: three numbers and two"),
        pytest.param(
            "R4 J R6 JM JD R4", "mirror", 30, id="twist-lemada-2015, Special Jokers, note: several jokers in a set"
        ),
        pytest.param(
            "R3 J R5 JM R5 R4 R3", "mirror", 24, id="twist-lemada-2015, Special Jokers, note: 3 joker 5 mirror 5 4 3"
        ),
    ],
)
def test_special_jokers(tiles: str, kind: str | None, worth: int | None, read: Read) -> None:
    judged = read(tiles)
    assert (judged.kind, judged.worth) == (kind, worth)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            "R3 R4 J",
            "R3 R4 JD / J K9 K10",
            ["joker_for_joker"],
            id="twist-lemada-2015, Special Jokers: not for a regular",
        ),
        pytest.param(
            "R3 R4 JD",
            "R3 R4 JC / K9 K10 JD",
            ["joker_for_joker"],
            id="twist-lemada-2015, Special Jokers: not for another",
        ),
        pytest.param(
            "R3 R4 JC",
            "R3 R4 J / K9 K10 JC",
            ["joker_for_joker"],
            id="twist-lemada-2015, Special Jokers: nor a regular for one",
        ),
        pytest.param(
            "R2 JD R5",
            "R2 R3 R4 R5 / JD K9 K10",
            [],
            id="twist-lemada-2015, Double Joker: replaced with both of its tiles",
        ),
        pytest.param(
            "R1 R2 JD R5 R6",
            "R1 R2 R3 / R5 R6 R7 / JD K9 K10",
            [],
            id="twist-lemada-2015, Double Joker: freed by moving the set",
        ),
        pytest.param(
            "R3 R4 JC", "R2 R3 R4 / K9 K10 JC", [], id="twist-lemada-2015, Special Jokers: freed by changing the set"
        ),
        pytest.param("R5 JM R5", "R4 R5 JM R5 R4", [], id="twist-lemada-2015, Mirror Joker: both sides get the same"),
    ],
)
def test_special_jokers_in_a_turn(before: str, after: str, expected: list[str], faults: Faults) -> None:
    assert faults(before, after) == expected


def test_box() -> None:
    """twist-lemada-2015, Contents: 104 number tiles, and two of each of the four jokers."""
    assert (RULES.tile_count, len(RULES.box), set(RULES.box.values())) == (112, 56, {2})


def test_only_the_joker_changes_its_worth_in_the_opening(faults: Faults) -> None:
    """twist-lemada-2015, Special Jokers: worth what it replaces in the opening, a mirror nothing."""
    assert faults("", "R4 JD R7 / R4 B4 K4", opened=False) == []
    assert faults("", "R7 R8 JM R8 R7", opened=False) == []
    assert faults("", "R6 R7 JM R7 R6", opened=False) == ["initial_meld_too_low"]
