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
            "R3 R4 R5", "R3 R4 R5 J", ["impossible_tiles"], id="three-in-one-polish, Wersja Expert: no plain joker"
        ),
    ],
)
def test_jokers_in_a_turn(before: str, after: str, expected: list[str], faults: Faults) -> None:
    assert faults(before, after) == expected


def test_box(rules: RuleSet) -> None:
    """three-in-one-polish, Wersja Expert: eight jokers, two of each colour."""
    assert (rules.tile_count, len(rules.box), set(rules.box.values())) == (112, 56, {2})
