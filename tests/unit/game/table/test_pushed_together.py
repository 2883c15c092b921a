"""Two sets pushed together: nobody is accused of them, however many rows lie so tightly that they might be two."""

from typing import Any

import pytest

from referee.game.correction_types import RowsJoined
from referee.game.events import Judged
from referee.game.table.hypotheses import hypotheses
from referee.game.table.judging import judge_hypotheses
from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.editions import rule_set
from referee.rules.notation import parse_table, parse_tiles
from referee.rules.verdict import Fault, Illegal, Undecided, Verdict

from ..conftest import one, place  # isort: skip

CROWD = ("R1 R2 R3 R4 R5 R6 R7 R8", "B1 B2 B3 B4 B5 B6 B7", "O1 O2 O3 O4 O5 O6 O7 O8 O9", "R7 R8 R9 R10 R11 R12")
TWO_RUNS = "K10 K11 K12 K13 R10 R11 R12 R13"


def tight(*rows: str) -> TableReading:
    """Rows of tiles that all touch, divided as they lie."""
    tiles = tuple(
        TileReading(quad=place(number, column), tile=tile, confidence=1.0)
        for number, row in enumerate(rows)
        for column, tile in enumerate(parse_tiles(row))
    )
    return TableReading(frame_id="", at=0.0, tiles=tiles, layouts=lay_out_tiles(tiles))


def judged(*laid: str, before: tuple[str, ...] = CROWD) -> Verdict:
    """Judge a turn in which these rows are laid beside those that lay there."""
    began = (parse_table(" / ".join(before)),)
    return judge_hypotheses(began, hypotheses(tight(*laid, *before)), opened=True, rules=rule_set("original")).verdict


@pytest.mark.parametrize("crowd", range(len(CROWD) + 1))
def test_nobody_is_accused_of_two_sets_pushed_together(crowd: int) -> None:
    assert isinstance(judged(TWO_RUNS, before=CROWD[:crowd]), Undecided)


def test_nor_of_two_such_rows_in_one_turn() -> None:
    assert isinstance(judged(TWO_RUNS, "O10 O11 O12 B10 B11 B12"), Undecided)


def test_the_rows_that_may_be_two_are_asked_about() -> None:
    verdict = judged(TWO_RUNS)
    assert isinstance(verdict, Undecided)
    assert set(parse_tiles(TWO_RUNS)) <= set(verdict.doubtful_tiles)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param("K10 K11 K12 K13 R10 R11 R13", id="a gap in the second"),
        pytest.param("K1 K2 R1 R2 R3", id="no three tiles for the first"),
        pytest.param("K9 K10 K11 K12 K13 B9 B9 R9", id="B9 twice"),
    ],
)
def test_what_is_no_two_sets_either_is_told(row: str) -> None:
    verdict = judged(row)
    assert isinstance(verdict, Illegal)
    assert {violation.fault for violation in verdict.violations} == {Fault.NOT_A_SET}


def test_of_several_faults_only_those_are_told_that_are_none_of_sets_pushed_together() -> None:
    verdict = judged(TWO_RUNS, "K1 K2 K4")
    assert isinstance(verdict, Illegal)
    assert [violation.set_index for violation in verdict.violations] == [1]


BESIDE = ("R10 R11 R12", "B10 K10 O10", *CROWD[:3])


def test_it_is_one_row_if_people_say_so(evening: Any) -> None:
    evening.opened()
    evening.show(tight(TWO_RUNS, *BESIDE))
    assert isinstance(one(evening.press(), Judged).verdict, Undecided)
    assert isinstance(one(evening.say(RowsJoined(0, 7)), Judged).verdict, Illegal)


def test_what_people_say_of_other_rows_accuses_nobody_of_it(evening: Any) -> None:
    """Of the layouts that were offered some become the same; those that were not offered are possible all the same."""
    evening.opened()
    seen = tight(TWO_RUNS, *BESIDE)
    evening.show(seen)
    for row in seen.layouts[0].sets[3:]:
        evening.say(RowsJoined(row[0], row[-1]))
    assert len(evening.match.table.current.reading.layouts) < len(seen.layouts)
    assert isinstance(one(evening.press(), Judged).verdict, Undecided)
