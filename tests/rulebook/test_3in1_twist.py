from collections.abc import Callable

import pytest

from referee.rules.editions import RuleSet

EDITION = "3in1-twist"

Faults = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            "R4 R5 JC",
            "R4 R5 J / K9 K10 JC",
            ["joker_not_replaceable", "joker_for_joker"],
            id="three-in-one-polish, Jokery Specjalne: nor a regular for one",
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
    ],
)
def test_change_and_mirror_are_replaced_by_no_tile(
    before: str, after: str, expected: list[str], faults: Faults
) -> None:
    assert faults(before, after) == expected


def test_box(rules: RuleSet) -> None:
    """three-in-one-polish, Wersja Twist: two of each of the four jokers."""
    assert (rules.tile_count, len(rules.box), set(rules.box.values())) == (112, 56, {2})
