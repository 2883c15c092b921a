from collections.abc import Callable

import pytest

from referee.rules.editions import RuleSet

EDITION = "pressman"

Faults = Callable[..., list[str]]


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
            ["joker_not_replaced"],
            id="classic-pressman-2015, The Joker: its tile lies on the table and took no part",
        ),
        pytest.param(
            "J R5 R6 R7 / R4 B4 K4",
            "R5 R6 R7 / R4 B4 K4 O4 / J O9 K9",
            ["joker_not_replaced"],
            id="classic-pressman-2015, The Joker: nor did it where its set only grew",
        ),
        pytest.param(
            "J R5 R6 R7 / R4 B4 K4 O4",
            "R4 R5 R6 R7 / B4 K4 O4 / J O9 K9",
            [],
            id="classic-pressman-2015, The Joker: its tile may come from the table",
        ),
        pytest.param(
            "J R5 R6 / R4 R5 R6 R7 R8",
            "R4 R5 R6 / R5 R6 R7 R8 / J O9 K9",
            [],
            id="classic-pressman-2015, The Joker, our reading: which R5 and R6 lie beside it cannot be seen",
        ),
        pytest.param(
            "J R5 R6 / R2 R3 R4",
            "R2 R3 R4 R5 R6 / J O9 K9",
            [],
            id="classic-pressman-2015, The Joker, our reading: the tile lies where the joker lay",
        ),
        pytest.param(
            "J R5 R6 R7 / R4 B4 K4",
            "R4 R5 R6 R7 / B4 K4 J",
            ["nothing_played"],
            id="classic-pressman-2015, The Joker: the two exchange their places",
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


def test_box(rules: RuleSet) -> None:
    """classic-pressman-2015, Contents: 106 tiles, two of them jokers."""
    assert (rules.tile_count, len(rules.box)) == (106, 53)
