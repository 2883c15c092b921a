"""House rules that are stricter or freer than the booklets' readings, each beside the reading without it."""

import pytest

from referee.rules.editions import rule_set
from referee.rules.house_rules import with_house_rules
from referee.rules.judge import judge_turn
from referee.rules.notation import parse_table


def faults(before: str, after: str, edition: str, *, opened: bool = True, **house_rules: object) -> list[str]:
    rules = with_house_rules(rule_set(edition), house_rules)
    verdict = judge_turn(parse_table(before), parse_table(after), opened=opened, rules=rules)
    return [found.fault.value for found in verdict.violations]


@pytest.mark.parametrize(
    ("before", "after", "strict"),
    [
        pytest.param("J K5 K6 / R9 R10 R11", "K4 K5 K6 / J R9 R10 R11", True, id="to a whole old set"),
        pytest.param("J K5 K6 / R9 R10 R11", "K4 K5 K6 / R9 R10 R11 / J R1 R2", False, id="to a set of the rack"),
        pytest.param("J K5 K6 / R9 R10 R11 R12", "K4 K5 K6 / R9 R10 R11 / J R12 R13", False, id="to a part of one"),
        pytest.param("J K5 K6 / K7 K8 K9", "J K5 K6 K7 K8 K9 K10", False, id="it stays with its own"),
        pytest.param("J K5 K6 / R9 R10 R11", "J K5 K6 / J R9 R10 R11", False, id="another joker from the rack"),
    ],
)
def test_a_freed_joker_makes_a_new_set(before: str, after: str, *, strict: bool) -> None:
    assert faults(before, after, "original") == []
    assert faults(before, after, "original", freed_joker="new_set") == ["freed_joker_in_old_set"] * strict


@pytest.mark.parametrize(
    ("before", "after", "lenient", "strict"),
    [
        pytest.param("R3 R4 J", "R3 R4 JC B6 / J K7 K8", [], ["joker_for_joker"], id="a set laid anew"),
        pytest.param("R3 R4 J", "R3 R4 JC / J K7 K8", ["joker_for_joker"], ["joker_for_joker"], id="as it stood"),
        pytest.param("R3 R4 J", "R3 R4 R5 JC / J K7 K8", [], [], id="a number tile in its place"),
        pytest.param("R3 R4 J", "R3 R4 R5 / JC R5 R6 / J K7 K8", [], [], id="elsewhere"),
    ],
)
def test_another_kind_of_joker_in_a_jokers_place(
    before: str, after: str, lenient: list[str], strict: list[str]
) -> None:
    assert faults(before, after, "twist") == lenient
    assert faults(before, after, "twist", joker_swaps="strict") == strict


@pytest.mark.parametrize(
    ("before", "after", "is_fault"),
    [
        pytest.param("R10 J J", "R9 R10 J / J K1 K2", False, id="as 9 10 11, and the other is the 11"),
        pytest.param("R10 J J", "R10 R11 J / J K1 K2", False, id="as 10 11 12"),
        pytest.param("J J R1", "R1 R2 J / J K1 K2", False, id="as 1 2 3"),
        pytest.param("R10 J J", "R10 B10 J / J K1 K2", False, id="as a group"),
        pytest.param("R10 J J", "R10 R9 R8 / J J K1", False, id="as 8 9 10"),
        pytest.param("R10 J J", "R10 R5 B5 / J J K1", True, id="for no tile of any reading"),
        pytest.param("R5 R6 J", "R4 R5 R6 / J K9 K10", True, id="two numbers: the reading that counts"),
    ],
)
def test_two_jokers_and_one_number(before: str, after: str, *, is_fault: bool) -> None:
    assert ("joker_not_replaced" in faults(before, after, "pressman")) == is_fault


@pytest.mark.parametrize(
    ("before", "after", "is_fault"),
    [
        pytest.param("R3 J R5", "R3 R4 R5 / J K1 K2", False, id="a tile of the rack"),
        pytest.param("R3 J R5 / R4 B4 K4 O4", "R3 R4 R5 / B4 K4 O4 / J K1 K2", True, id="a tile of the table"),
    ],
)
def test_a_joker_is_replaced_only_from_the_rack(before: str, after: str, *, is_fault: bool) -> None:
    assert faults(before, after, "original") == []
    assert faults(before, after, "original", joker_from="rack") == ["joker_not_replaced"] * is_fault


@pytest.mark.parametrize(
    ("after", "is_fault"),
    [
        pytest.param("R5 B5 K5 / J K1 K2", True, id="one of the two colours"),
        pytest.param("R5 B5 K5 O5 / J K1 K2", False, id="both"),
    ],
)
def test_the_joker_of_a_group_leaves_for_both_colours(after: str, *, is_fault: bool) -> None:
    assert faults("R5 B5 J", after, "pressman") == []
    assert faults("R5 B5 J", after, "pressman", group_joker="both_colours") == ["joker_not_replaced"] * is_fault


@pytest.mark.parametrize(
    ("before", "after", "is_fault"),
    [
        pytest.param("R3 J R5 R6", "R3 J R5 / R6 B6 K6", True, id="a tile leaves"),
        pytest.param("R3 J R5 R6", "R3 R4 R5 R6 / J B1 B2", False, id="the joker is replaced"),
        pytest.param("R3 J R5 R6", "R3 J R5 R6 R7", False, id="a tile is added"),
        pytest.param("R3 R4 R5 R6", "R3 R4 R5 / R6 B6 K6", False, id="a set without a joker"),
        pytest.param("R3 J R5 R6", "R4 R5 R6 / J R3 R2", True, id="replaced, but a tile left too"),
    ],
)
def test_no_tile_leaves_a_set_with_a_joker(before: str, after: str, *, is_fault: bool) -> None:
    assert faults(before, after, "original") == []
    assert faults(before, after, "original", joker_sets_stay=True) == ["set_rearranged"] * is_fault


@pytest.mark.parametrize(
    ("before", "after", "broken"),
    [
        pytest.param("R3 R4 R5", "R3 R4 R5 R6", 0, id="a tile is added"),
        pytest.param("R3 R4 R5 / R7 R8 R9", "R3 R4 R5 R6 R7 R8 R9", 0, id="two whole sets and a tile"),
        pytest.param("R3 R4 R5 R6", "R3 R4 R5 / R6 B6 K6", 1, id="a tile leaves"),
        pytest.param("R3 J R5", "R3 R4 R5 / J K1 K2", 1, id="a joker leaves"),
        pytest.param("R3 R4 R5 / R3 R4 R5", "R3 R4 R5 / R3 R4 / R5 B5 K5", 1, id="one of two equal sets"),
    ],
)
def test_no_rearranging(before: str, after: str, broken: int) -> None:
    assert faults(before, after, "original", rearranging=False).count("set_rearranged") == broken


def test_the_table_may_be_used_in_the_turn_of_the_opening() -> None:
    before = "K7 K8 K9"
    assert faults(before, "K7 K8 K9 K10 / R10 B10 O10", "original", opened=False) == ["table_used_before_opening"]
    assert faults(before, "K7 K8 K9 K10 / R10 B10 O10", "original", opened=False, table_in_meld_turn=True) == []
    too_low = faults(before, "K7 K8 K9 K10 / R9 B9 O9", "original", opened=False, table_in_meld_turn=True)
    assert too_low == ["table_used_before_opening", "initial_meld_too_low"]
