"""What several booklets say in the same words, asked of each of their editions; ids name edition, booklet and clause.

What one edition has to itself stands in its own file. The scans have lost the pictures, so tiles are put together again
from the captions and what can be read of them; they have lost the Polish letters too.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from referee.rules.editions import RuleSet
from referee.rules.notation import parse_tiles
from referee.rules.scoring import GameResult, rack_value, score_game, score_match
from referee.rules.tiles import Joker
from referee.rules.verdict import JudgedSet

Faults = Callable[..., list[str]]
Read = Callable[[str], JudgedSet]


@dataclass(frozen=True, slots=True, kw_only=True)
class Booklet:
    """A booklet's name, and the headings of the clauses it shares with others; empty where it has none."""

    name: str
    sets: str = "Sets"
    opening: str = "Playing the Game"
    manipulation: str
    joker: str = "The Joker"
    clearing: str = ""
    special: str = ""
    double: str = ""
    change: str = ""
    mirror: str = ""
    time: str = "Time Limit and Incomplete Runs"
    rounds: str = "Set Up"
    scoring: str = "Scoring"
    blocked: str = "Scoring"
    joker_left: str = "Scoring, note"


CLASSIC = Booklet(
    name="original-and-xp-2025", manipulation="Manipulation", clearing="4 ways to clear the joker", joker="The Joker"
)
TWIST = {
    "manipulation": "Examples of manipulating tiles",
    "joker": "Regular Joker",
    "clearing": "4 ways to clear the Regular Joker",
    "special": "Special Jokers",
    "double": "Double Joker",
    "change": "Colour Change Joker",
    "mirror": "Mirror Joker",
}
THREE_IN_ONE = {
    "name": "three-in-one-polish",
    "sets": "Grupa i Seria",
    "opening": "Otwarcie",
    "manipulation": "Przyklady manipulacji kostkami",
    "time": "Limit czasowy",
    "rounds": "Przygotowanie gry 2 and 6",
    "scoring": "Przykladowy wynik",
    "blocked": "Zakonczenie pojedynczej gry 2",
}
PLAIN_JOKERS = {
    "joker": "Jokery",
    "clearing": "4 sposoby pozbycia sie Zwyklego Jokera",
    "joker_left": "Zakonczenie pojedynczej gry 1a",
}
BOOKLETS = {
    "original": CLASSIC,
    "xp": CLASSIC,
    "pressman": Booklet(name="classic-pressman-2015", manipulation="Building onto Sets"),
    "twist": Booklet(name="twist-lemada-2015", **TWIST),
    "twist-pressman": Booklet(name="twist-pressman-2017", **TWIST),
    "3in1-standard": Booklet(**THREE_IN_ONE, **PLAIN_JOKERS),
    "3in1-twist": Booklet(
        **THREE_IN_ONE,
        **PLAIN_JOKERS,
        special="Jokery Specjalne",
        double="Podwojny Joker",
        change="Joker Zmiany koloru",
        mirror="Lustrzany Joker",
    ),
    "3in1-expert": Booklet(**THREE_IN_ONE, joker="", joker_left="Wersja Expert, exception on counting points"),
}
EVERY = tuple(BOOKLETS)
WESTERN, POLISH = EVERY[:5], EVERY[5:]


def asked(clause: str, cases: Mapping[str, tuple[Any, ...]], editions: Iterable[str] = EVERY) -> list[Any]:
    """The cases for each edition whose booklet has the clause."""
    return [
        pytest.param(edition, *case, id=f"{edition}: {BOOKLETS[edition].name}, {heading}: {what}")
        for edition in editions
        if (heading := getattr(BOOKLETS[edition], clause))
        for what, case in cases.items()
    ]


# Sets and moves -------------------------------------------------------------------------------------------------------

SETS = {
    "three of a number in different colours": ("R7 B7 K7", "group", 21),
    "four of a number in different colours": ("R7 B7 K7 O7", "group", 28),
    "consecutive numbers in one colour": ("B3 B4 B5 B6", "run", 18),
    "1 is the lowest": ("R1 R2 R3", "run", 6),
    "1 cannot follow 13": ("R12 R13 R1", None, None),
    "a group has different colours": ("R7 B7 R7", None, None),
    "a run has one colour": ("R7 R8 B9", None, None),
    "a run from 1 to 13": ("O1 O2 O3 O4 O5 O6 O7 O8 O9 O10 O11 O12 O13", "run", 91),
    "three tiles at least": ("R7 R8", None, None),
}


@pytest.mark.parametrize(("edition", "tiles", "kind", "worth"), asked("sets", SETS))
def test_sets(tiles: str, kind: str | None, worth: int | None, read: Read) -> None:
    judged = read(tiles)
    assert (judged.kind, judged.worth) == (kind, worth)


MANIPULATIONS = {
    "add tiles from the rack to a run and to a group": ("B4 B5 B6 / O8 R8 K8", "B3 B4 B5 B6 / O8 R8 K8 B8"),
    "take the fourth tile of a group for a new run": ("B4 R4 O4 K4", "R4 O4 K4 / B3 B4 B5 B6"),
    "add a fourth tile and take one for a new group": ("B8 B9 B10", "B9 B10 B11 / B8 R8 O8"),
    "split a run": ("R4 R5 R6 R7 R8", "R4 R5 R6 / R6 R7 R8"),
    "combined split": ("O1 O2 O3 O4 / R1 K1 B1 O1", "B1 O1 R1 / O2 O3 O4 / K1 B1 O1"),
    "multiple split": (
        "R5 R6 R7 / O5 O6 O7 / K5 K6 K7 K8 K9",
        "R5 O5 K5 B5 / R6 O6 K6 / R7 O7 K7 / K8 K9 K10",
    ),
}
FOUR_WAYS = {
    "1, replaced by one tile of the rack": ("R3 B3 J", "R3 B3 K3 / J O10 O11"),
    "1, replaced by both tiles of the rack": ("R3 B3 J", "R3 B3 K3 O3 / J O10 O11"),
    "2, the run is split": ("B2 B3 J B5 B6", "B1 B2 B3 / B5 B6 B7 / J O10 O11"),
    "3, the blue 5 is added": ("J B6 B7", "B5 B6 B7 / J O10 O11"),
    "4, the run is dissolved into groups": (
        "K1 K2 J / R1 B1 O1 / R2 B2 O2",
        "R1 B1 O1 K1 / R2 B2 O2 K2 / J O10 O11",
    ),
}


@pytest.mark.parametrize(
    ("edition", "before", "after"), [*asked("manipulation", MANIPULATIONS), *asked("clearing", FOUR_WAYS)]
)
def test_moves_on_the_table(before: str, after: str, faults: Faults) -> None:
    assert faults(before, after) == []
    assert "table_used_before_opening" in faults(before, after, opened=False)


OPENINGS = {
    "30 are enough": ("", "R9 R10 R11", []),
    "several sets add up to 30": ("", "R2 R3 R4 / K7 R7 B7", []),
    "27 are too few": ("", "K9 B9 R9", ["initial_meld_too_low"]),
    "the sets of one's own tiles alone count": ("B4 B5 B6", "B4 B5 B6 / B4 B5 B6", ["initial_meld_too_low"]),
    "own tiles only": ("B4 B5 B6", "B4 B5 B6 B7 / R9 R10 R11", ["table_used_before_opening"]),
    "who cannot or will not open draws": ("B4 B5 B6", "B4 B5 B6", []),
}
OPENINGS_WITH_A_JOKER = {
    "a joker scores what it represents": ("", "R10 J R12", []),
    "a joker scores no more than it represents": ("", "R8 J R10", ["initial_meld_too_low"]),
}
OPENINGS_WITH_A_RED_JOKER = {
    what: (before, after.replace("J", "JR"), expected)
    for what, (before, after, expected) in OPENINGS_WITH_A_JOKER.items()
}


@pytest.mark.parametrize(
    ("edition", "before", "after", "expected"),
    [
        *asked("opening", OPENINGS),
        *asked("opening", OPENINGS_WITH_A_JOKER, EVERY[:-1]),
        *asked("opening", OPENINGS_WITH_A_RED_JOKER, EVERY[-1:]),
    ],
)
def test_opening(before: str, after: str, expected: list[str], faults: Faults) -> None:
    assert faults(before, after, opened=False) == expected


JOKER = {
    "a joker freed is played in the same turn": ("R3 J R5", "R3 R4 R5", ["tile_taken"]),
    "at least one tile of the rack": ("R3 J R5 / R4 B4 K4 O4", "R3 R4 R5 / J B4 K4 O4", ["nothing_played"]),
    "freed and used with tiles of the rack": ("R3 J R5", "R3 R4 R5 / J K9 K10", []),
    "replaced by a tile of the table": ("R3 J R5 / R4 B4 K4 O4", "R3 R4 R5 / B4 K4 O4 / J K9 K10", []),
    "in a group of three one missing colour": ("R5 B5 J", "R5 B5 K5 / J K9 K10", []),
    "in a group of three the other missing colour": ("R5 B5 J", "R5 B5 O5 / J K9 K10", []),
}


@pytest.mark.parametrize(("edition", "before", "after", "expected"), asked("joker", JOKER))
def test_the_joker(before: str, after: str, expected: list[str], faults: Faults) -> None:
    assert faults(before, after) == expected


@pytest.mark.parametrize("edition", EVERY)
def test_no_loose_tile_is_left(faults: Faults) -> None:
    assert faults("R3 R4 R5 R6", "R4 R5 R6 / R3") == ["loose_tile", "nothing_played"]


# The jokers of the twist editions -------------------------------------------------------------------------------------

TWO_TILES = {"reminder: two tiles are no set": ("R3 JD", None, None)}
DOUBLE = {
    "2, double, 5 stands for 3 and 4, worth 7": ("R2 JD R5", "run", 14),
    "in a group it is both missing colours, worth 6": ("B3 R3 JD", "group", 12),
    "first in a run": ("JD R3 R4", "run", 10),
    "last in a run": ("R3 R4 JD", "run", 18),
    "never before 2": ("JD B2 JC R4", None, None),
    "never after 12": ("B10 JC R12 JD", None, None),
    "never for one number": ("R2 JD R4", None, None),
    "never a fifth colour": ("R3 B3 K3 JD", None, None),
    "two of them after a 3": ("R3 JD JD", "run", 25),
    "with a regular joker a group of four": ("J JD R5", "group", 20),
    "after 5 and a regular joker rather a run": ("R5 J JD", "run", 26),
}
CHANGE = {
    "another colour after it": ("R3 R4 JC B6", "run", 18),
    "the colour has to change": ("R3 R4 JC R6", None, None),
    "at the end": ("R3 R4 JC", "run", 12),
    "our reading: at the beginning, too": ("JC R3 R4", "run", 9),
    "our reading: but not before 1": ("JC R1 R2", None, None),
    "only in runs": ("R3 B3 JC", None, None),
    "never before 1 seen from the other side": ("R2 R1 JC", None, None),
    "nor after 13": ("R12 R13 JC", None, None),
    "laid from high to low": ("R13 JC B11", "run", 36),
    "the colour before may come again after the next": ("R1 JC O3 JC R5", "run", 15),
    "two in a row": ("R4 R5 JC JC B8", "run", 30),
    "beside a double joker": ("R5 JC JD B9", "run", 35),
    "beside a regular joker at the end": ("R5 J JC R8", None, None),
}
MIRROR = {
    "what is added to one side is added to the other": ("R2 R3 JM R3", None, None),
    "the sides are the same": ("R2 R3 JM R3 B2", None, None),
    "it can only be used as a mirror": ("R3 R4 JM", None, None),
    "three numbers and two": ("R4 J R6 JM R6 R4", None, None),
    "not the same colour": ("R5 JM B5", None, None),
    "not the same colours": ("R5 B5 JM J K5", None, None),
    "the same order, not reflected": ("R3 R4 JM R3 R4", None, None),
    "two mirrors": ("R5 JM JM R5", None, None),
    "no number tile": ("J JM J", None, None),
}
MIRROR_WORTH_NOTHING = {
    "in runs, 2 3 mirror 3 2": ("R2 R3 JM R3 R2", "mirror", 10),
    "in groups, 3 3 mirror 3 3": ("R3 B3 JM R3 B3", "mirror", 12),
    "its worth in 3 4 mirror 4 3": ("R3 R4 JM R4 R3", "mirror", 14),
    "several jokers in a set": ("R4 J R6 JM JD R4", "mirror", 30),
    "3 joker 5 mirror 5 4 3": ("R3 J R5 JM R5 R4 R3", "mirror", 24),
    "all four colours on each side": ("R3 B3 K3 O3 JM R3 B3 K3 O3", "mirror", 24),
    "toward 13": ("R12 R13 JM R13 R12", "mirror", 50),
    "toward 1": ("K2 K1 JM K1 K2", "mirror", 6),
    "a double joker is the better reading": ("R9 J JM JD", "mirror", 38),
    "a double joker faces a run": ("JD JM R5 R6", "mirror", 22),
}
MIRROR_WORTH_ITS_MIDDLE = {
    "in runs, 2 3 mirror 3 2": ("R2 R3 JM R3 R2", "mirror", 14),
    "in groups, 3 3 mirror 3 3": ("R3 B3 JM R3 B3", "mirror", 15),
    "its worth in 3 4 mirror 4 3": ("R3 R4 JM R4 R3", "mirror", 19),
    "several jokers in a set": ("R4 J R6 JM JD R4", "mirror", 37),
    "3 joker 5 mirror 5 4 3": ("R3 J R5 JM R5 R4 R3", "mirror", 30),
    "all four colours on each side": ("R3 B3 K3 O3 JM R3 B3 K3 O3", "mirror", 27),
    "toward 13 there is no middle": ("R12 R13 JM R13 R12", "mirror", 50),
    "toward 1 there is none": ("K2 K1 JM K1 K2", "mirror", 6),
    "a double joker is the better reading": ("R9 J JM JD", "mirror", 49),
    "a double joker faces a run": ("JD JM R5 R6", "mirror", 26),
}


@pytest.mark.parametrize(
    ("edition", "tiles", "kind", "worth"),
    [
        *asked("special", TWO_TILES),
        *asked("double", DOUBLE),
        *asked("change", CHANGE),
        *asked("mirror", MIRROR),
        *asked("mirror", MIRROR_WORTH_NOTHING, WESTERN),
        *asked("mirror", MIRROR_WORTH_ITS_MIDDLE, POLISH),
    ],
)
def test_special_jokers(tiles: str, kind: str | None, worth: int | None, read: Read) -> None:
    judged = read(tiles)
    assert (judged.kind, judged.worth) == (kind, worth)


SPECIAL_MOVES = {
    "not for a regular": ("R3 R4 J", "R3 R4 JD / J K9 K10", ["joker_for_joker"]),
    "not for another": ("R3 R4 JD", "R3 R4 JC / K9 K10 JD", ["joker_for_joker"]),
}
SPECIAL_MOVES_WESTERN = {
    "nor a regular for one": ("R3 R4 JC", "R3 R4 J / K9 K10 JC", ["joker_for_joker"]),
    "freed by changing the set": ("R3 R4 JC", "R2 R3 R4 / K9 K10 JC", []),
}
DOUBLE_MOVES = {
    "one of its tiles is enough where the group stays one": ("R3 B3 JD", "R3 B3 K3 / JD K9 K10", []),
    "replaced by two regular jokers": ("R5 JD R8", "R5 J J R8 / JD K9 K10", []),
    "replaced with both of its tiles": ("R2 JD R5", "R2 R3 R4 R5 / JD K9 K10", []),
    "freed by moving the set": ("R1 R2 JD R5 R6", "R1 R2 R3 / R5 R6 R7 / JD K9 K10", []),
}
MIRROR_MOVES = {
    "both sides get the same": ("R5 JM R5", "R4 R5 JM R5 R4", []),
    "one side alone": ("R5 JM R5", "R5 R6 JM R5", ["not_a_set"]),
    "both sides lose the same": ("R5 R6 JM R6 R5", "R6 JM R6 / R5 B5 K5 / R5 O5 B5", []),
}


@pytest.mark.parametrize(
    ("edition", "before", "after", "expected"),
    [
        *asked("special", SPECIAL_MOVES),
        *asked("special", SPECIAL_MOVES_WESTERN, WESTERN),
        *asked("double", DOUBLE_MOVES),
        *asked("mirror", MIRROR_MOVES),
    ],
)
def test_special_jokers_in_a_turn(before: str, after: str, expected: list[str], faults: Faults) -> None:
    assert faults(before, after) == expected


MIRROR_OPENINGS = {
    "worth what it replaces": ("R4 JD R7 / R4 B4 K4", []),
    "a mirror is worth nothing, 30 without it": ("R7 R8 JM R8 R7", []),
    "a mirror is worth nothing, 26 without it": ("R6 R7 JM R7 R6", ["initial_meld_too_low"]),
}


@pytest.mark.parametrize(("edition", "after", "expected"), asked("special", MIRROR_OPENINGS, WESTERN))
def test_special_jokers_in_the_opening(after: str, expected: list[str], faults: Faults) -> None:
    assert faults("", after, opened=False) == expected


# Time, rounds and scores ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edition", "incomplete", "friendly"),
    [
        *asked("time", {"one minute; draw 1, or 3 for a move undone": (3, True)}, WESTERN),
        *asked("time", {"a minute in tournaments; draw 1, also for a move undone": (1, False)}, POLISH),
    ],
)
def test_time_and_penalties(*, incomplete: int, friendly: bool, rules: RuleSet) -> None:
    assert (rules.turn_seconds, rules.overrun_draw, rules.pass_draw) == (60, 1, 1)
    assert (rules.incomplete_draw, rules.timed_in_friendly_games) == (incomplete, friendly)
    assert rules.drawn_tile_waits


@pytest.mark.parametrize(
    ("edition", "next_starter"),
    [
        *asked("rounds", {"the highest tile starts each game": ("highest_tile",)}, WESTERN),
        *asked("rounds", {"then the player to the left starts": ("left_of_last_starter",)}, POLISH),
    ],
)
def test_rounds(next_starter: str, rules: RuleSet) -> None:
    assert [rules.games_per_round(players) for players in (2, 3, 4)] == [2, 3, 4]
    assert (rules.next_starter, rules.rack_tiles, rules.ties_draw_again) == (next_starter, 14, True)


@pytest.mark.parametrize("edition", asked("scoring", {"the sample table of players A to D": ()}, WESTERN))
def test_sample_score_table(rules: RuleSet) -> None:
    games = [
        GameResult(winner="A", racks={"B": 5, "C": 16, "D": 3}),
        GameResult(winner="C", racks={"A": 6, "B": 11, "D": 5}),
        GameResult(winner="D", racks={"A": parse_tiles("J R2"), "B": 13, "C": 2}),
        GameResult(winner="C", racks={"A": 10, "B": 25, "D": 6}, unopened=frozenset("B")),
    ]
    score = score_match("ABCD", games, rules, lambda _: False)
    assert [tuple(game.values()) for game in score.games] == [
        (24, -5, -16, -3),
        (-6, -11, 22, -5),
        (-32, -13, -2, 47),
        (-10, -25, 41, -6),
    ]
    assert score.totals == {"A": -24, "B": -54, "C": 45, "D": 33}
    assert score.games_won == {"A": 1, "B": 0, "C": 2, "D": 1}
    assert score.ranking == ("C", "D", "A", "B")


@pytest.mark.parametrize("edition", asked("scoring", {"the sample match": ()}, POLISH))
def test_polish_sample_score_table(rules: RuleSet) -> None:
    """Game 3 has lost two figures in the scan; the sums give 1 and 1."""
    games = [
        GameResult(winner=None, racks={"1": 1, "2": 5, "3": 10, "4": 15}),
        GameResult(winner="4", racks={"1": parse_tiles("R1 K2"), "2": 1, "3": 2}, unopened=frozenset("1")),
        GameResult(winner="4", racks={"1": 10, "2": 1, "3": 1}),
        GameResult(winner="1", racks={"2": 1, "3": 13, "4": 11}),
    ]
    score = score_match("1234", games, rules, lambda _: False)
    assert [tuple(game.values()) for game in score.games] == [
        (29, -5, -10, -15),
        (-100, -1, -2, 103),
        (-10, -1, -1, 12),
        (25, -1, -13, -11),
    ]
    assert score.totals == {"1": -56, "2": -8, "3": -26, "4": 89}
    assert score.ranking == ("4", "1", "2", "3")


@pytest.mark.parametrize(
    ("edition", "racks", "scores"),
    [
        *asked(
            "blocked",
            {"the lowest rack wins the sum of what the others hold more": ((12, 5, 40, 6), (-7, 43, -35, -1))},
            WESTERN,
        ),
        *asked("blocked", {"racks 1, 5, 10 and 15": ((1, 5, 10, 15), (29, -5, -10, -15))}, POLISH),
    ],
)
def test_blocked_game(racks: tuple[int, ...], scores: tuple[int, ...], rules: RuleSet) -> None:
    game = GameResult(winner=None, racks=dict(zip("ABCD", racks, strict=True)))
    assert score_game("ABCD", game, rules, lambda _: False) == dict(zip("ABCD", scores, strict=True))


@pytest.mark.parametrize(
    ("edition", "each"),
    [
        *asked("joker_left", {"30 for a joker left on a rack": (30,)}, WESTERN),
        *asked("joker_left", {"50 for a joker": (50,)}, POLISH[:2]),
        *asked("joker_left", {"20 for a joker": (20,)}, POLISH[2:]),
    ],
)
def test_joker_penalty(each: int, rules: RuleSet) -> None:
    assert {rack_value((tile,), rules) for tile in rules.box if isinstance(tile, Joker)} == {each}


@pytest.mark.parametrize("edition", POLISH)
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
def test_unopened(rack: str | int, could_open: str, announced: str, lost: int, rules: RuleSet) -> None:
    tiles = parse_tiles(rack) if isinstance(rack, str) else rack
    game = GameResult(
        winner="B",
        racks={"A": tiles, "C": 4},
        unopened=frozenset("A"),
        could_open=frozenset(could_open),
        announced=frozenset(announced),
    )
    score = score_game("ABC", game, rules, lambda held: len({tile for tile in held if str(tile)[1:] == "10"}) >= 3)
    assert score == {"A": -lost, "B": lost + 4, "C": -4}
