"""What was read as a tile and may be none, as rings in the wood beside a row: it never decides a turn alone."""

from dataclasses import replace
from typing import Any

import pytest

from referee.game.correction_types import TileIs
from referee.game.events import Judged
from referee.game.inputs import TableCorrected
from referee.game.table.hypotheses import hypotheses, without
from referee.reading.inputs import Seconds, TableMoving, TableSettled
from referee.reading.observation import Layout
from referee.rules.notation import format_table
from referee.rules.verdict import Illegal, Legal, Outcome, Undecided

TABLE = "R10 R11 R12 / B10 K10 O10"  # what `opened` leaves


def play(evening: Any, seen: Any) -> Any:
    """Lay the table as it is seen and press."""
    evening.now += 1.0
    evening.enter(TableMoving(evening.at))
    evening.now += 1.0
    evening.enter(TableSettled(evening.at, Seconds(evening.now - 0.5), seen))
    return next(event.verdict for event in evening.press() if isinstance(event, Judged))


def moved(quad: Any, across: float, down: float) -> Any:
    return tuple((x + across, y + down) for x, y in quad)


def hardly(seen: Any, index: int, bare: float = 0.7) -> Any:
    """The reading with a tile that the reader takes more for the table than for any tile."""
    tiles = tuple(replace(tile, bare=bare) if at == index else tile for at, tile in enumerate(seen.tiles))
    return replace(seen, tiles=tiles)


@pytest.mark.parametrize(
    ("laid", "index"),
    [
        pytest.param("R10 R11 R12 O5 / B10 K10 O10", 3, id="at the end of a row"),
        pytest.param("O5 R10 R11 R12 / B10 K10 O10", 0, id="before a row"),
        pytest.param("R10 R11 R12 O5 B10 K10 O10", 3, id="between two rows"),
        pytest.param("R10 R11 R12 / B10 K10 O10 / O5", 6, id="by itself"),
    ],
)
def test_nobody_is_accused_of_a_tile_that_may_be_none(evening: Any, read_table: Any, laid: str, index: int) -> None:
    evening.opened()
    assert isinstance(play(evening, hardly(read_table(laid, doubts={index: "O1"}), index)), Undecided)


def test_nobody_is_accused_of_an_unsure_thing_that_lies_alone(evening: Any, read_table: Any) -> None:
    """Such as a number on a score sheet, though the reader thinks it some tile."""
    evening.opened()
    seen = read_table(f"{TABLE} / B11", doubts={6: "B10"})
    assert seen.tiles[6].bare == 0.0
    assert isinstance(play(evening, seen), Undecided)


def test_a_tile_that_is_surely_read_and_lies_alone_is_a_fault(evening: Any, read_table: Any) -> None:
    evening.opened()
    verdict = play(evening, read_table(f"{TABLE} / B11"))
    assert isinstance(verdict, Illegal)
    assert [violation.fault for violation in verdict.violations] == ["loose_tile"]


def test_an_unsure_thing_that_lies_alone_keeps_no_other_fault_from_being_told(evening: Any, read_table: Any) -> None:
    evening.opened()
    verdict = play(evening, read_table(f"{TABLE} / R1 R3 R4 / B11", doubts={9: "B10"}))
    assert isinstance(verdict, Illegal)
    assert [violation.fault for violation in verdict.violations] == ["not_a_set"]


def test_whoever_is_at_fault_without_that_tile_too_is_told_so(evening: Any, read_table: Any) -> None:
    evening.opened()
    verdict = play(evening, hardly(read_table(f"{TABLE} O5 / R1 R3 R4", doubts={6: "O1"}), 6))
    assert isinstance(verdict, Illegal)
    assert [violation.fault for violation in verdict.violations] == ["not_a_set"]


def test_no_turn_passes_on_a_tile_that_may_be_none(evening: Any, read_table: Any) -> None:
    """With the joker or the king it is a set of three; without, two tiles."""
    evening.opened()
    assert isinstance(play(evening, hardly(read_table(f"{TABLE} / B5 O5 J", doubts={8: "K5"}), 8)), Undecided)


def test_a_turn_that_is_legal_with_it_and_without_is_in_doubt_where_it_is_all_that_was_played(
    evening: Any, read_table: Any
) -> None:
    evening.opened()
    verdict = play(evening, hardly(read_table("R10 R11 R12 J / B10 K10 O10", doubts={3: "R13"}), 3))
    assert isinstance(verdict, Undecided)


def test_it_makes_no_doubt_of_what_else_was_played(evening: Any, read_table: Any) -> None:
    evening.opened()
    verdict = play(evening, hardly(read_table("R10 R11 R12 J / B10 K10 O10 / K1 K2 K3", doubts={3: "R13"}), 3))
    assert isinstance(verdict, Legal)
    assert verdict.outcome is Outcome.PLAYED


@pytest.mark.parametrize("rest", ["", " / R1 R3 R4"], ids=["legal without it", "illegal without it"])
def test_a_table_that_cannot_be_with_it_is_not_judged_by_the_one_without(
    evening: Any, read_table: Any, rest: str
) -> None:
    """Three red tens are one too many: what lies there may be any other tile."""
    evening.opened()
    seen = hardly(read_table(f"R10 R11 R12 / B10 K10 O10{rest} / R10 R10", doubts={6: "R10"}), 6)
    both_are_tens = replace(seen.tiles[-2], alternatives=((seen.tiles[0].tile, 0.2), (seen.tiles[0].tile, 0.2)))
    seen = replace(seen, tiles=(*seen.tiles[:-2], both_are_tens, seen.tiles[-1]))
    assert isinstance(play(evening, seen), Undecided)


def test_a_tile_read_for_sure_is_there(read_table: Any) -> None:
    seen = hardly(read_table(TABLE), 2, bare=0.05)
    assert [format_table(table) for table in hypotheses(seen).tables] == [TABLE]


def test_what_may_be_none_is_told_apart(read_table: Any) -> None:
    seen = hypotheses(hardly(read_table("R10 R11 R12 R13", doubts={3: "R1"}), 3))
    assert [format_table(table) for table in seen.tables] == ["R10 R11 R12 R13", "R10 R11 R12 R1", "R10 R11 R12"]
    assert [format_table(table) for table in seen.omitting] == ["R10 R11 R12"]
    assert seen.complete


def test_a_tile_that_may_have_been_none_is_not_taken_away_unsaid(evening: Any, read_table: Any) -> None:
    evening.opened()
    assert isinstance(play(evening, hardly(read_table(f"{TABLE} J", doubts={6: "R10"}), 6, bare=0.3)), Undecided)
    evening.wait(15.0)
    assert isinstance(play(evening, read_table(f"{TABLE} / R1 R2 R3")), Undecided)


def test_a_hole_divides_a_row() -> None:
    rows = Layout(((0, 1, 2, 3, 4), (5, 6, 7)), (8, 9), 0.5)
    assert without(rows, frozenset({3, 6, 8})) == Layout(((0, 1, 2),), (9, 4, 5, 7), 0.5)


def test_a_hidden_tile_that_is_said_to_be_gone_lay_there_when_the_turn_began_and_may_come_back(
    evening: Any, read_table: Any
) -> None:
    """A tile was taken and others were laid half over its place: by the answer it had never lain there, and a thief
    passed; once it was back the next player was accused of it."""
    evening.opened()
    evening.play("R10 R11 R12 R13 / B10 K10 O10")
    hidden = read_table("R10 R11 R12 R13 / B10 K10 O10 / K1 K2 K3")
    under = replace(hidden.tiles[3], unsure=True, confidence=0.0)
    over = tuple(replace(tile, quad=moved(tile.quad, 30.0, -34.0)) for tile in hidden.tiles[7:])
    tiles = (*hidden.tiles[:3], under, *hidden.tiles[4:7], *over)
    assert tiles[3].hidden
    assert isinstance(play(evening, replace(hidden, tiles=tiles)), Undecided)
    told = evening.enter(TableCorrected(evening.at, TileIs(3, None), "organiser"))
    verdict = next(event.verdict for event in told if isinstance(event, Judged))
    assert isinstance(verdict, Illegal)
    assert [violation.fault for violation in verdict.violations] == ["tile_taken"]
    back = play(evening, read_table("R10 R11 R12 R13 / B10 K10 O10"))
    assert (back.outcome, isinstance(back, Legal)) == (Outcome.NO_PLAY, True)
