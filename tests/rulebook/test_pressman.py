from collections.abc import Callable

import pytest

from referee.rules.editions import rule_set
from referee.rules.notation import parse_tiles
from referee.rules.scoring import GameResult, rack_value, score_game, score_match
from referee.rules.tiles import Joker
from referee.rules.verdict import JudgedSet

EDITION = "pressman"
BOOKLET = "classic-pressman-2015"
MANIPULATION = "Building onto Sets"
RULES = rule_set(EDITION)

Faults = Callable[..., list[str]]
Read = Callable[[str], JudgedSet]


def test_manipulations_are_legal(manipulation: tuple[str, str], faults: Faults) -> None:
    assert faults(*manipulation) == []


def test_manipulations_wait_for_the_opening(manipulation: tuple[str, str], faults: Faults) -> None:
    assert "table_used_before_opening" in faults(*manipulation, opened=False)


@pytest.mark.parametrize(
    ("tiles", "kind", "worth"),
    [
        pytest.param("R7 B7 K7", "group", 21, id="classic-pressman-2015, Sets: three of a number in different colours"),
        pytest.param(
            "R7 B7 K7 O7", "group", 28, id="classic-pressman-2015, Sets: four of a number in different colours"
        ),
        pytest.param("B3 B4 B5 B6", "run", 18, id="classic-pressman-2015, Sets: consecutive numbers in one colour"),
        pytest.param("R1 R2 R3", "run", 6, id="classic-pressman-2015, Sets: 1 is the lowest"),
        pytest.param("R12 R13 R1", None, None, id="classic-pressman-2015, Sets: 1 cannot follow 13"),
        pytest.param("R7 B7 R7", None, None, id="classic-pressman-2015, Sets: a group has different colours"),
        pytest.param("R7 R8 B9", None, None, id="classic-pressman-2015, Sets: a run has one colour"),
        pytest.param("R7 R8", None, None, id="classic-pressman-2015, Sets: three tiles at least"),
    ],
)
def test_sets(tiles: str, kind: str | None, worth: int | None, read: Read) -> None:
    judged = read(tiles)
    assert (judged.kind, judged.worth) == (kind, worth)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param("", "R9 R10 R11", [], id="classic-pressman-2015, Playing the Game: 30 are enough"),
        pytest.param(
            "", "R2 R3 R4 / K7 R7 B7", [], id="classic-pressman-2015, Playing the Game: several sets add up to 30"
        ),
        pytest.param(
            "", "K9 B9 R9", ["initial_meld_too_low"], id="classic-pressman-2015, Playing the Game: 27 are too few"
        ),
        pytest.param(
            "", "R10 J R12", [], id="classic-pressman-2015, Playing the Game: a joker scores what it represents"
        ),
        pytest.param(
            "",
            "R8 J R10",
            ["initial_meld_too_low"],
            id="classic-pressman-2015, Playing the Game: a joker scores no more than it represents",
        ),
        pytest.param(
            "B4 B5 B6",
            "B4 B5 B6 B7 / R9 R10 R11",
            ["table_used_before_opening"],
            id="classic-pressman-2015, Playing the Game: own tiles only",
        ),
        pytest.param(
            "B4 B5 B6", "B4 B5 B6", [], id="classic-pressman-2015, Playing the Game: who cannot or will not open draws"
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
            id="classic-pressman-2015, The Joker: a joker freed is played in the same turn",
        ),
        pytest.param(
            "R3 J R5 / R4 B4 K4 O4",
            "R3 R4 R5 / J B4 K4 O4",
            ["nothing_played"],
            id="classic-pressman-2015, The Joker: at least one tile of the rack",
        ),
        pytest.param(
            "R3 J R5",
            "R3 R4 R5 / J K9 K10",
            [],
            id="classic-pressman-2015, The Joker: freed and used with tiles of the rack",
        ),
        pytest.param(
            "R3 J R5 / R4 B4 K4 O4",
            "R3 R4 R5 / B4 K4 O4 / J K9 K10",
            [],
            id="classic-pressman-2015, The Joker: replaced by a tile of the table",
        ),
        pytest.param(
            "R5 B5 J",
            "R5 B5 K5 / J K9 K10",
            [],
            id="classic-pressman-2015, The Joker: in a group of three one missing colour",
        ),
        pytest.param(
            "R5 B5 J",
            "R5 B5 O5 / J K9 K10",
            [],
            id="classic-pressman-2015, The Joker: in a group of three the other missing colour",
        ),
    ],
)
def test_the_joker(before: str, after: str, expected: list[str], faults: Faults) -> None:
    assert faults(before, after) == expected


def test_no_loose_tile_is_left(faults: Faults) -> None:
    assert faults("R3 R4 R5 R6", "R4 R5 R6 / R3") == ["loose_tile", "nothing_played"]


def test_time_and_penalties() -> None:
    """classic-pressman-2015, Time Limit and Incomplete Runs: one minute; draw 1, or 3 for a move undone."""
    assert (RULES.turn_seconds, RULES.overrun_draw, RULES.incomplete_draw, RULES.pass_draw) == (60, 1, 3, 1)
    assert RULES.timed_in_friendly_games
    assert RULES.drawn_tile_waits


def test_rounds() -> None:
    """classic-pressman-2015, Set Up: as many games as players; the highest tile starts; racks of 14."""
    assert [RULES.games_per_round(players) for players in (2, 3, 4)] == [2, 3, 4]
    assert (RULES.next_starter, RULES.rack_tiles) == ("highest_tile", 14)


def test_sample_score_table() -> None:
    """classic-pressman-2015, Scoring: the sample table of players A to D, and who wins."""
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
    """classic-pressman-2015, Scoring, note: 30 for a joker left on a rack."""
    assert {rack_value((tile,), RULES) for tile in RULES.box if isinstance(tile, Joker)} == {30}


def test_blocked_game() -> None:
    """classic-pressman-2015, Scoring: the lowest rack wins the sum of what the others hold more."""
    game = GameResult(winner=None, racks={"A": 12, "B": 5, "C": 40, "D": 6})
    assert score_game("ABCD", game, RULES, lambda _: False) == {"A": -7, "B": 43, "C": -35, "D": -1}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            "B2 B3 J B5 B6",
            "B1 B2 B3 / B5 B6 B7 / J O10 O11",
            ["joker_not_replaced"],
            id="classic-pressman-2015, The Joker: splitting the run does not free it",
        ),
        pytest.param(
            "B2 B3 J B5 B6 / B4 R4 O4 K4",
            "B1 B2 B3 / B5 B6 B7 / B4 R4 O4 K4 / J O10 O11",
            [],
            id="classic-pressman-2015, The Joker, our reading: its tile lies on the table",
        ),
        pytest.param(
            "B2 B3 J B5 B6",
            "B2 B3 J / B5 B6 B7",
            [],
            id="classic-pressman-2015, The Joker: it still stands for the 4",
        ),
        pytest.param(
            "R5 B5 J",
            "J R5 R6 / B5 B6 B7",
            ["joker_not_replaced"],
            id="classic-pressman-2015, The Joker: neither missing colour of the group",
        ),
        pytest.param(
            "K1 K2 J / R1 B1 O1 / R2 B2 O2",
            "R1 B1 O1 K1 / R2 B2 O2 K2 / J O10 O11",
            ["joker_not_replaced"],
            id="classic-pressman-2015, The Joker: dissolving the run does not free it",
        ),
    ],
)
def test_strict_release(before: str, after: str, expected: list[str], faults: Faults) -> None:
    assert faults(before, after) == expected


def test_box() -> None:
    """classic-pressman-2015, Contents: 106 tiles, two of them jokers."""
    assert (RULES.tile_count, len(RULES.box)) == (106, 53)
