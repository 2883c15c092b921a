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
        pytest.param(
            "R5 R6 J",
            "R4 R5 R6 / J K9 O9",
            ["joker_not_replaced"],
            id="classic-pressman-2015, The Joker: after 6 it stands for the 7, not the 4",
        ),
        pytest.param(
            "R5 B5 K5 J",
            "R5 B5 K5 / J K9 O9",
            ["joker_not_replaced"],
            id="classic-pressman-2015, The Joker: of four it stands for the one missing colour",
        ),
        pytest.param(
            "R5 B5 K5 J",
            "R5 B5 O5 / J K5 K6",
            [],
            id="classic-pressman-2015, The Joker: that colour takes its place, whichever tile leaves",
        ),
        pytest.param(
            "R3 R4 R5 J",
            "R3 R4 R5 / J K9 O9",
            ["joker_not_replaced"],
            id="classic-pressman-2015, The Joker: nor is it taken from an end",
        ),
        pytest.param(
            "R3 R4 R5 J",
            "R3 R4 R5 R6 J",
            [],
            id="classic-pressman-2015, The Joker: it gives way to the 6 and is the 7",
        ),
        pytest.param(
            "R12 R13 J",
            "R11 R12 R13 / J K9 O9",
            [],
            id="classic-pressman-2015, The Joker: after 13 it stands for the 11",
        ),
        pytest.param(
            "R5 J J",
            "R5 R6 R7 / J J K9",
            [],
            id="classic-pressman-2015, The Joker: both are replaced",
        ),
        pytest.param(
            "K4 J K6 J K8",
            "K4 K5 K6 J K8 / J K9 O9",
            [],
            id="classic-pressman-2015, The Joker: one of two is replaced",
        ),
        pytest.param(
            "K4 J K6 J K8",
            "K3 K4 J K6 / K8 K9 K10 / J R1 R2",
            ["joker_not_replaced"],
            id="classic-pressman-2015, The Joker: the other of two is not",
        ),
        pytest.param(
            "R9 B9 J / K7 K8 K9 / O9 O10 O11",
            "R9 B9 K9 / K6 K7 K8 / O9 O10 O11 J",
            [],
            id="classic-pressman-2015, The Joker: its tile comes from a run that gets another",
        ),
        pytest.param(
            "R3 J R5 / R4 B4 K4 O4",
            "R3 R4 R5 / J B4 K4 O4",
            ["nothing_played"],
            id="classic-pressman-2015, The Joker: exchanged with its tile, and nothing from the rack",
        ),
        pytest.param(
            "R3 J R5",
            "R3 R4 R5",
            ["tile_taken"],
            id="classic-pressman-2015, The Joker: never kept on the rack",
        ),
        pytest.param(
            "R5 B5 J",
            "R5 R6 R7 / B5 B6 B7 / J K9 O9",
            ["joker_not_replaced"],
            id="classic-pressman-2015, The Joker: breaking up the group does not free it",
        ),
    ],
)
def test_strict_release(before: str, after: str, expected: list[str], faults: Faults) -> None:
    assert faults(before, after) == expected


def test_no_joker_is_retrieved_before_the_initial_meld(faults: Faults) -> None:
    """classic-pressman-2015, The Joker, last sentence."""
    found = faults("R3 J R5", "R3 R4 R5 / J K12 K13", opened=False)
    assert found == ["table_used_before_opening", "initial_meld_too_low"]


def test_box(rules: RuleSet) -> None:
    """classic-pressman-2015, Contents: 106 tiles, two of them jokers."""
    assert (rules.tile_count, len(rules.box)) == (106, 53)
