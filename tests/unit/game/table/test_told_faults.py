"""A player is accused of what is wrong on every table that may lie there, and of nothing that hangs on a doubt."""

import pytest

from referee.game.table.hypotheses import TableHypotheses
from referee.game.table.judging import judge_hypotheses
from referee.rules.editions import rule_set
from referee.rules.notation import parse_table
from referee.rules.verdict import Fault, Illegal, Undecided, Verdict

BEFORE = "K10 R10 O10 B10 / B11 B12 B13"


def judged(*tables: str) -> Verdict:
    """Judge a turn after which one of these tables lies there."""
    seen = TableHypotheses(tuple(map(parse_table, tables)))
    return judge_hypotheses((parse_table(BEFORE),), seen, opened=True, rules=rule_set("original")).verdict


def test_where_every_table_is_illegal_for_another_reason_it_is_asked_which_lies_there() -> None:
    """Hardships, pressman 6002, turn 14: half a B10 hidden behind its neighbour may have been a B1."""
    b10_moved, b1_laid = "K10 R10 O10 / B10 B11 B12 B13", "K10 R10 O10 / B1 B11 B12 B13"
    faults = [judged(table) for table in (b10_moved, b1_laid)]
    assert all(isinstance(verdict, Illegal) for verdict in faults)
    assert isinstance(judged(b1_laid, b10_moved), Undecided)
    assert isinstance(judged(b10_moved, b1_laid), Undecided)


@pytest.mark.parametrize("order", [1, -1])
def test_what_is_wrong_on_every_table_is_told(order: int) -> None:
    verdict = judged(*[f"{BEFORE} / K1 K2 {third}" for third in ("K4", "R3")][::order])
    assert isinstance(verdict, Illegal)
    assert {violation.fault for violation in verdict.violations} == {Fault.NOT_A_SET}


def test_of_several_faults_that_one_alone_is_told_which_is_there_on_every_table() -> None:
    verdict = judged("K10 R10 O10 / B11 B12 B13 / K1 K2 K4", f"{BEFORE} / K1 K2 K4")
    assert isinstance(verdict, Illegal)
    assert {violation.fault for violation in verdict.violations} == {Fault.NOT_A_SET}
