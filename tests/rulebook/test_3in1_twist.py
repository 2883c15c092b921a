from collections.abc import Callable

import pytest

from referee.rules.editions import rule_set
from referee.rules.notation import parse_tiles
from referee.rules.scoring import GameResult, rack_value, score_game, score_match
from referee.rules.tiles import Joker
from referee.rules.verdict import JudgedSet

EDITION = "3in1-twist"
BOOKLET = "three-in-one-polish"
MANIPULATION = "Przyklady manipulacji kostkami"
CLEARING = "4 sposoby pozbycia sie Zwyklego Jokera"
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
        pytest.param("R7 B7 K7", "group", 21, id="three-in-one-polish, Sets: three of a number in different colours"),
        pytest.param("R7 B7 K7 O7", "group", 28, id="three-in-one-polish, Sets: four of a number in different colours"),
        pytest.param("B3 B4 B5 B6", "run", 18, id="three-in-one-polish, Sets: consecutive numbers in one colour"),
        pytest.param("R1 R2 R3", "run", 6, id="three-in-one-polish, Sets: 1 is the lowest"),
        pytest.param("R12 R13 R1", None, None, id="three-in-one-polish, Sets: 1 cannot follow 13"),
        pytest.param("R7 B7 R7", None, None, id="three-in-one-polish, Sets: a group has different colours"),
        pytest.param("R7 R8 B9", None, None, id="three-in-one-polish, Sets: a run has one colour"),
        pytest.param("R7 R8", None, None, id="three-in-one-polish, Sets: three tiles at least"),
    ],
)
def test_sets(tiles: str, kind: str | None, worth: int | None, read: Read) -> None:
    judged = read(tiles)
    assert (judged.kind, judged.worth) == (kind, worth)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param("", "R9 R10 R11", [], id="three-in-one-polish, Otwarcie: 30 are enough"),
        pytest.param("", "R2 R3 R4 / K7 R7 B7", [], id="three-in-one-polish, Otwarcie: several sets add up to 30"),
        pytest.param("", "K9 B9 R9", ["initial_meld_too_low"], id="three-in-one-polish, Otwarcie: 27 are too few"),
        pytest.param("", "R10 J R12", [], id="three-in-one-polish, Otwarcie: a joker scores what it represents"),
        pytest.param(
            "",
            "R8 J R10",
            ["initial_meld_too_low"],
            id="three-in-one-polish, Otwarcie: a joker scores no more than it represents",
        ),
        pytest.param(
            "B4 B5 B6",
            "B4 B5 B6 B7 / R9 R10 R11",
            ["table_used_before_opening"],
            id="three-in-one-polish, Otwarcie: own tiles only",
        ),
        pytest.param("B4 B5 B6", "B4 B5 B6", [], id="three-in-one-polish, Otwarcie: who cannot or will not open draws"),
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
            id="three-in-one-polish, Jokery: a joker freed is played in the same turn",
        ),
        pytest.param(
            "R3 J R5 / R4 B4 K4 O4",
            "R3 R4 R5 / J B4 K4 O4",
            ["nothing_played"],
            id="three-in-one-polish, Jokery: at least one tile of the rack",
        ),
        pytest.param(
            "R3 J R5",
            "R3 R4 R5 / J K9 K10",
            [],
            id="three-in-one-polish, Jokery: freed and used with tiles of the rack",
        ),
        pytest.param(
            "R3 J R5 / R4 B4 K4 O4",
            "R3 R4 R5 / B4 K4 O4 / J K9 K10",
            [],
            id="three-in-one-polish, Jokery: replaced by a tile of the table",
        ),
        pytest.param(
            "R5 B5 J",
            "R5 B5 K5 / J K9 K10",
            [],
            id="three-in-one-polish, Jokery: in a group of three one missing colour",
        ),
        pytest.param(
            "R5 B5 J",
            "R5 B5 O5 / J K9 K10",
            [],
            id="three-in-one-polish, Jokery: in a group of three the other missing colour",
        ),
    ],
)
def test_the_joker(before: str, after: str, expected: list[str], faults: Faults) -> None:
    assert faults(before, after) == expected


def test_no_loose_tile_is_left(faults: Faults) -> None:
    assert faults("R3 R4 R5 R6", "R4 R5 R6 / R3") == ["loose_tile", "nothing_played"]


def test_time_and_penalties() -> None:
    """three-in-one-polish, Limit czasowy: a minute in tournaments; draw 1, also if the table had to be put back."""
    assert (RULES.turn_seconds, RULES.overrun_draw, RULES.incomplete_draw, RULES.pass_draw) == (60, 1, 1, 1)
    assert not RULES.timed_in_friendly_games


def test_rounds() -> None:
    """three-in-one-polish, Przygotowanie gry 2 and 6: ties draw again; then the player to the left starts."""
    assert [RULES.games_per_round(players) for players in (2, 3, 4)] == [2, 3, 4]
    assert RULES.ties_draw_again
    assert RULES.next_starter == "left_of_last_starter"


def test_blocked_game() -> None:
    """three-in-one-polish, Zakonczenie pojedynczej gry 2: racks 1, 5, 10 and 15."""
    game = GameResult(winner=None, racks={"1": 1, "2": 5, "3": 10, "4": 15})
    assert score_game("1234", game, RULES, lambda _: False) == {"1": 29, "2": -5, "3": -10, "4": -15}


def test_sample_score_table() -> None:
    """three-in-one-polish, Przykladowy wynik: the sample match; game 3 has lost two figures, the sums give 1 and 1."""
    games = [
        GameResult(winner=None, racks={"1": 1, "2": 5, "3": 10, "4": 15}),
        GameResult(winner="4", racks={"1": parse_tiles("R1 K2"), "2": 1, "3": 2}, unopened=frozenset("1")),
        GameResult(winner="4", racks={"1": 10, "2": 1, "3": 1}),
        GameResult(winner="1", racks={"2": 1, "3": 13, "4": 11}),
    ]
    score = score_match("1234", games, RULES, lambda _: False)
    assert [tuple(game.values()) for game in score.games] == [
        (29, -5, -10, -15),
        (-100, -1, -2, 103),
        (-10, -1, -1, 12),
        (25, -1, -13, -11),
    ]
    assert score.totals == {"1": -56, "2": -8, "3": -26, "4": 89}
    assert score.ranking == ("4", "1", "2", "3")


@pytest.mark.parametrize(
    ("rack", "could_open", "announced", "lost"),
    [
        pytest.param("K10 R10 B10 O2", "", "", 200, id="three-in-one-polish, gry 1c: the rack held an opening"),
        pytest.param("K10 R10 O1 O2", "", "", 100, id="three-in-one-polish, gry 1b: the rack held none"),
        pytest.param("K10 R10 B10 O2", "", "A", 100, id="three-in-one-polish, gry 1c: drawn last and announced"),
        pytest.param(35, "A", "", 200, id="three-in-one-polish, gry 1c: known to have held an opening"),
        pytest.param(35, "", "", 100, id="three-in-one-polish, gry 1b: not known to have held one"),
    ],
)
def test_unopened(rack: str | int, could_open: str, announced: str, lost: int) -> None:
    tiles = parse_tiles(rack) if isinstance(rack, str) else rack
    game = GameResult(
        winner="B",
        racks={"A": tiles, "C": 4},
        unopened=frozenset("A"),
        could_open=frozenset(could_open),
        announced=frozenset(announced),
    )
    score = score_game("ABC", game, RULES, lambda held: len({tile for tile in held if str(tile)[1:] == "10"}) >= 3)
    assert score == {"A": -lost, "B": lost + 4, "C": -4}


def test_joker_penalty() -> None:
    """three-in-one-polish, Zakonczenie pojedynczej gry 1a: 50 for a joker."""
    assert {rack_value((tile,), RULES) for tile in RULES.box if isinstance(tile, Joker)} == {50}


@pytest.mark.parametrize(
    ("tiles", "kind", "worth"),
    [
        pytest.param(
            "R2 JD R5", "run", 14, id="three-in-one-polish, Double Joker: 2, double, 5 stands for 3 and 4, worth 7"
        ),
        pytest.param(
            "B3 R3 JD",
            "group",
            12,
            id="three-in-one-polish, Double Joker: in a group it is both missing colours, worth 6",
        ),
        pytest.param("JD R3 R4", "run", 10, id="three-in-one-polish, Double Joker: first in a run"),
        pytest.param("R3 R4 JD", "run", 18, id="three-in-one-polish, Double Joker: last in a run"),
        pytest.param("R3 JD", None, None, id="three-in-one-polish, Special Jokers, reminder: two tiles are no set"),
        pytest.param("JD B2 JC R4", None, None, id="three-in-one-polish, Double Joker: never before 2"),
        pytest.param("B10 JC R12 JD", None, None, id="three-in-one-polish, Double Joker: never after 12"),
        pytest.param("R2 JD R4", None, None, id="three-in-one-polish, Double Joker: never for one number"),
        pytest.param("R3 R4 JC B6", "run", 18, id="three-in-one-polish, Colour Change Joker: another colour after it"),
        pytest.param(
            "R3 R4 JC R6", None, None, id="three-in-one-polish, Colour Change Joker: the colour has to change"
        ),
        pytest.param("R3 R4 JC", "run", 12, id="three-in-one-polish, Colour Change Joker: at the end"),
        pytest.param("JC R3 R4", None, None, id="three-in-one-polish, Colour Change Joker: not at the beginning"),
        pytest.param("R3 B3 JC", None, None, id="three-in-one-polish, Colour Change Joker: only in runs"),
        pytest.param("R2 R3 JM R3 R2", "mirror", 14, id="three-in-one-polish, Mirror Joker: in runs, 2 3 mirror 3 2"),
        pytest.param("R3 B3 JM R3 B3", "mirror", 15, id="three-in-one-polish, Mirror Joker: in groups, 3 3 mirror 3 3"),
        pytest.param(
            "R3 R4 JM R4 R3", "mirror", 19, id="three-in-one-polish, Mirror Joker: its worth in 3 4 mirror 4 3"
        ),
        pytest.param(
            "R2 R3 JM R3",
            None,
            None,
            id="three-in-one-polish, Mirror Joker: what is added to one side is added to the other",
        ),
        pytest.param("R2 R3 JM R3 B2", None, None, id="three-in-one-polish, Mirror Joker: the sides are the same"),
        pytest.param("R3 R4 JM", None, None, id="three-in-one-polish, Mirror Joker: it can only be used as a mirror"),
        pytest.param("R4 J R6 JM R6 R4", None, None, id="three-in-one-polish, Mirror Joker: three numbers and two"),
        pytest.param(
            "R4 J R6 JM JD R4", "mirror", 37, id="three-in-one-polish, Special Jokers, note: several jokers in a set"
        ),
        pytest.param(
            "R3 J R5 JM R5 R4 R3", "mirror", 30, id="three-in-one-polish, Special Jokers, note: 3 joker 5 mirror 5 4 3"
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
            id="three-in-one-polish, Special Jokers: not for a regular",
        ),
        pytest.param(
            "R3 R4 JD",
            "R3 R4 JC / K9 K10 JD",
            ["joker_for_joker"],
            id="three-in-one-polish, Special Jokers: not for another",
        ),
        pytest.param(
            "R4 R5 JC",
            "R4 R5 J / K9 K10 JC",
            ["joker_not_replaceable", "joker_for_joker"],
            id="three-in-one-polish, Special Jokers: nor a regular for one",
        ),
        pytest.param(
            "R2 JD R5",
            "R2 R3 R4 R5 / JD K9 K10",
            [],
            id="three-in-one-polish, Double Joker: replaced with both of its tiles",
        ),
        pytest.param(
            "R1 R2 JD R5 R6",
            "R1 R2 R3 / R5 R6 R7 / JD K9 K10",
            [],
            id="three-in-one-polish, Double Joker: freed by moving the set",
        ),
        pytest.param(
            "R3 R4 JC B6",
            "R2 R3 R4 / B6 B7 B8 / K9 K10 JC",
            [],
            id="three-in-one-polish, Joker Zmiany koloru: freed by breaking up the set",
        ),
        pytest.param(
            "R3 R4 JC",
            "R3 R4 R5 / K9 K10 JC",
            ["joker_not_replaceable"],
            id="three-in-one-polish, Joker Zmiany koloru: replaced by no tile",
        ),
        pytest.param(
            "R3 R4 JC",
            "R5 R4 R3 / K9 K10 JC",
            ["joker_not_replaceable"],
            id="three-in-one-polish, Joker Zmiany koloru: nor when the run is turned",
        ),
        pytest.param(
            "R3 R4 JC",
            "R3 R4 J / K9 K10 JC",
            ["joker_not_replaceable", "joker_for_joker"],
            id="three-in-one-polish, Joker Zmiany koloru: replaced by no joker",
        ),
        pytest.param(
            "J JM R5",
            "J K5 R5 / K9 JM K9",
            ["joker_not_replaceable"],
            id="three-in-one-polish, Lustrzany Joker: replaced by no tile",
        ),
        pytest.param("R5 JM R5", "R4 R5 JM R5 R4", [], id="three-in-one-polish, Mirror Joker: both sides get the same"),
    ],
)
def test_special_jokers_in_a_turn(before: str, after: str, expected: list[str], faults: Faults) -> None:
    assert faults(before, after) == expected


def test_box() -> None:
    """three-in-one-polish, Wersja Twist: two of each of the four jokers."""
    assert (RULES.tile_count, len(RULES.box), set(RULES.box.values())) == (112, 56, {2})
