"""A row that hardly was two sets when the turn began: that protects from accusations, and excuses no fault."""

from typing import Any

import pytest

from referee.game.events import Judged
from referee.game.table.hypotheses import TableHypotheses
from referee.game.table.judging import judge_hypotheses
from referee.rules.editions import rule_set
from referee.rules.notation import parse_table
from referee.rules.table import Table
from referee.rules.verdict import Fault, Illegal, Legal, Undecided, Verdict

ONE = "R10 R11 R12 / B10 K10 O10"
TWO = "R10 / R11 R12 / B10 K10 O10"
MORE = "K1 K2 K3"


def judged(after: str, *others: str, edition: str = "original", began: tuple[str, str] = (ONE, TWO)) -> Verdict:
    """Judge a turn that began with the first of two tables, or hardly with the second; `others` are hardly seen."""
    first, second = map(parse_table, began)
    tables = tuple(map(parse_table, (after, *others)))
    seen = TableHypotheses(tables, unlikely=frozenset(tables[1:]))
    return judge_hypotheses(
        (first, second), seen, opened=True, rules=rule_set(edition), unlikely=frozenset({second})
    ).verdict


def test_a_set_that_hardly_was_two_may_not_be_left_divided() -> None:
    assert isinstance(judged(f"{TWO} / {MORE}"), Undecided)


def test_nor_may_it_be_divided_without_playing() -> None:
    six = "R7 R8 R9 R10 R11 R12", "R7 R8 R9 / R10 R11 R12"
    assert isinstance(judged(six[1], began=six), Undecided)
    assert isinstance(judged(six[1], began=six[::-1]), Legal)


@pytest.mark.parametrize("others", [(), (f"{TWO} / {MORE}",)], ids=["", "and is hardly divided still"])
def test_who_leaves_it_alone_may_play(others: tuple[str, ...]) -> None:
    assert isinstance(judged(f"{ONE} / {MORE}", *others), Legal)


def test_nobody_is_accused_of_it() -> None:
    assert isinstance(judged(TWO), Undecided)


def test_what_else_is_wrong_is_told() -> None:
    verdict = judged(f"{ONE} / K1 K2 K4", f"{TWO} / K1 K2 K4")
    assert isinstance(verdict, Illegal)
    assert [violation.fault for violation in verdict.violations] == [Fault.NOT_A_SET]


def test_a_joker_taken_for_another_is_told_though_its_set_hardly_lies_divided() -> None:
    """Season, twist-pressman 1092, turn 51: of two beginnings the one with fewer new sets is the nearer."""
    began = ("O3 O4 J / B1 B2 B3", "O3 / O4 J / B1 B2 B3")
    verdict = judged("O3 O4 JC / B1 B2 B3", "O3 / O4 JC / B1 B2 B3", edition="twist-pressman", began=began)
    assert isinstance(verdict, Illegal)
    assert {violation.fault for violation in verdict.violations} == {Fault.TILE_TAKEN, Fault.JOKER_FOR_JOKER}


def test_where_no_beginning_is_likely_all_are() -> None:
    tables = tuple(map(parse_table, (ONE, TWO)))
    seen = TableHypotheses((Table((*tables[0].sets, *parse_table(MORE).sets)),))
    rules = rule_set("original")
    found = judge_hypotheses(tables, seen, opened=True, rules=rules, unlikely=frozenset(tables))
    assert isinstance(found.verdict, Legal)


SEVEN, EIGHT = "B3 B4 B5 B6 B7 B8 B9 / B7 B8 B9 B10", "B3 B4 B5 B6 B7 B8 B9 B10 / B7 B8 B9"


def test_a_tile_moved_between_rows_is_told_though_both_hardly_are_the_same_sets() -> None:
    """Pressman, evening 9, turn 69: B10 moves, and B3 B4 B5 B6 may stand apart from B7 B8 B9 and B7 B8 B9 B10."""
    began = (SEVEN, "B3 B4 B5 B6 / B7 B8 B9 / B7 B8 B9 B10")
    verdict = judged(EIGHT, "B3 B4 B5 B6 / B7 B8 B9 B10 / B7 B8 B9", began=began)
    assert isinstance(verdict, Illegal)
    assert [violation.fault for violation in verdict.violations] == [Fault.NOTHING_PLAYED]


def test_who_pushes_whole_sets_about_is_not_accused_though_both_tables_hardly_lie_so() -> None:
    began = ("R1 R2 R3 R4 R5 R6 / R7 R8 R9", "R1 R2 R3 / R4 R5 R6 / R7 R8 R9")
    assert isinstance(judged("R1 R2 R3 / R4 R5 R6 R7 R8 R9", began[1], began=began), Undecided)


def test_in_a_match_too(evening: Any) -> None:
    evening.opened()
    hardly = [[0], [1, 2], [3, 4, 5], [6, 7, 8]]
    evening.play(f"{ONE} / {MORE}", others=[hardly], rival=0.03)
    told = evening.play(f"{TWO} / {MORE} / R1 R2 R3")
    assert [type(event.verdict) for event in told if isinstance(event, Judged)] == [Undecided]
