from collections.abc import Callable

import pytest

from referee.rules.editions import RuleSet
from referee.rules.verdict import JudgedSet

EDITION = "3in1-expert"

Faults = Callable[..., list[str]]
Read = Callable[[str], JudgedSet]


@pytest.mark.parametrize(
    ("tiles", "kind", "worth"),
    [
        pytest.param("B4 B5 JB", "run", 15, id="three-in-one-polish, Wersja Expert: 4, 5 and the blue joker"),
        pytest.param("R4 R5 JB", None, None, id="three-in-one-polish, Wersja Expert: no blue joker in a red run"),
        pytest.param("R4 R5 JR", "run", 15, id="three-in-one-polish, Wersja Expert: a red joker in a red run"),
        pytest.param("O4 JO O6", "run", 15, id="three-in-one-polish, Wersja Expert: a yellow joker in a yellow run"),
        pytest.param("K4 JK JK", "run", 15, id="three-in-one-polish, Wersja Expert: both black jokers in a black run"),
        pytest.param("R10 O10 JB", "group", 30, id="three-in-one-polish, Wersja Expert: a blue joker for the blue 10"),
        pytest.param("B10 R10 K10 JB", None, None, id="three-in-one-polish, Wersja Expert: blue is already there"),
        pytest.param("R10 JB JB", None, None, id="three-in-one-polish, Wersja Expert: two blue jokers in a group"),
        pytest.param("R10 JB JK JO", "group", 40, id="three-in-one-polish, Wersja Expert: three jokers in a group"),
        pytest.param("JR JR R5", "run", 12, id="three-in-one-polish, Wersja Expert: both red jokers before a red 5"),
        pytest.param("R5 JR JR", "run", 18, id="three-in-one-polish, Wersja Expert: both red jokers after it"),
        pytest.param("R11 JR JR", "run", 36, id="three-in-one-polish, Wersja Expert: a run ends at 13"),
        pytest.param("JR R1 R2", "run", 6, id="three-in-one-polish, Wersja Expert: nor begins before 1"),
        pytest.param("JK JR JB JO", None, None, id="three-in-one-polish, Wersja Expert: jokers alone are no set"),
        pytest.param("JK R7 JB", "group", 21, id="three-in-one-polish, Wersja Expert: a joker of either other colour"),
        pytest.param("K5 JK JR", None, None, id="three-in-one-polish, Wersja Expert: black is already there"),
        pytest.param("R1 JB R3", None, None, id="three-in-one-polish, Wersja Expert: no blue joker inside a red run"),
        pytest.param("R13 R1 JR", None, None, id="three-in-one-polish, Wersja Expert: 1 does not follow 13"),
    ],
)
def test_coloured_jokers(tiles: str, kind: str | None, worth: int | None, read: Read) -> None:
    judged = read(tiles)
    assert (judged.kind, judged.worth) == (kind, worth)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param("B3 JB B5", "B3 B4 B5 / JB B9 B10", [], id="three-in-one-polish, Jokery: replaced and used again"),
        pytest.param("B3 JB B5", "B3 B4 B5", ["tile_taken"], id="three-in-one-polish, Jokery: never kept on the rack"),
        pytest.param(
            "B3 JB B5",
            "B3 B4 B5 / JB R9 R10",
            ["not_a_set"],
            id="three-in-one-polish, Wersja Expert: used in its colour",
        ),
        pytest.param(
            "R5 B5 JK",
            "R5 B5 JO / JK K9 K10",
            [],
            id="three-in-one-polish, Wersja Expert: any joker that keeps the group",
        ),
        pytest.param(
            "B10 R10 JK",
            "B10 R10 O10 / JK K3 K4",
            [],
            id="three-in-one-polish, Wersja Expert: any tile that keeps the group",
        ),
        pytest.param(
            "B10 R10 JK",
            "B10 R10 K10 JK",
            ["not_a_set"],
            id="three-in-one-polish, Wersja Expert: its own colour beside it",
        ),
        pytest.param(
            "R5 B5 K5 JO",
            "R5 B5 K5 / JO O8 O9",
            [],
            id="three-in-one-polish, Wersja Expert: a fourth tile may be taken away",
        ),
        pytest.param(
            "R3 R4 JR R6 R7",
            "R2 R3 R4 / R6 R7 R8 / JR R12 R13",
            [],
            id="three-in-one-polish, Wersja Expert: freed by splitting the run",
        ),
        pytest.param(
            "R3 R4 R5 / JR R7 R8",
            "R3 R4 R5 JR R7 R8",
            ["nothing_played"],
            id="three-in-one-polish, Wersja Expert: two runs put together",
        ),
        pytest.param(
            "JR R7 R8 / JR R10 R11",
            "JR R7 R8 / JR R10 R11 / JR R2 R3",
            ["impossible_tiles"],
            id="three-in-one-polish, Wersja Expert: two of each joker",
        ),
        pytest.param(
            "R3 R4 R5", "R3 R4 R5 J", ["impossible_tiles"], id="three-in-one-polish, Wersja Expert: no plain joker"
        ),
    ],
)
def test_jokers_in_a_turn(before: str, after: str, expected: list[str], faults: Faults) -> None:
    assert faults(before, after) == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param("R9 R10 JR", [], id="three-in-one-polish, Otwarcie: the joker after 10 counts 11"),
        pytest.param("JR R9 R10", ["initial_meld_too_low"], id="three-in-one-polish, Otwarcie: before 9 it counts 8"),
        pytest.param("K10 JK JK", [], id="three-in-one-polish, Otwarcie: two jokers count 11 and 12"),
        pytest.param("R10 JB JB", ["not_a_set", "initial_meld_too_low"], id="three-in-one-polish, Otwarcie: no set"),
    ],
)
def test_jokers_in_an_opening(after: str, expected: list[str], faults: Faults) -> None:
    assert faults("", after, opened=False) == expected


def test_box(rules: RuleSet) -> None:
    """three-in-one-polish, Wersja Expert: eight jokers, two of each colour."""
    assert (rules.tile_count, len(rules.box), set(rules.box.values())) == (112, 56, {2})
