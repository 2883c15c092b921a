"""Whether a player has opened whose turn stood unseen or undecided: what lies there at the next sure look tells."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.game.events import Judged
from referee.game.inputs import LetStand, Seat, TableTaken, TurnEnded
from referee.game.openings import settle_openings
from referee.game.state import TurnStart
from referee.reading.inputs import TableMoving
from referee.rules.editions import EDITIONS
from referee.rules.judge import judge_turn
from referee.rules.notation import format_table, parse_table
from referee.rules.table import Table
from referee.rules.verdict import Fault, Illegal, Legal, Outcome
from tests.conftest import examples

from .conftest import one, reading  # isort: skip

ONE = "R10 R11 R12"


@pytest.fixture
def opened(evening: Any) -> Any:
    """Ann has opened with ONE, and Ben is to move."""
    evening.start("Ann Ben Cem").play(ONE)
    return evening


def unseen(evening: Any, laid: str) -> None:
    """Ben presses under a hand, which stays until Cem presses; then this lies there."""
    evening.now += 1.0
    evening.enter(TableMoving(evening.at))
    evening.enter(TurnEnded(evening.at, Seat(1)))
    evening.now += 8.0
    evening.enter(TurnEnded(evening.at, Seat(2)))
    evening.lay(laid)
    assert evening.names().count("TurnUnseen") == 1
    assert evening.match.seat == 0


def next_of_ben(evening: Any, before: str, laid: str) -> Any:
    """The verdict on what Ben lays in his next turn, after Ann and Cem have passed."""
    while evening.match.seat != 1:
        evening.play(before)
    return one(evening.play(laid), Judged).verdict


def faults(verdict: Any) -> set[Fault]:
    return {violation.fault for violation in verdict.violations} if isinstance(verdict, Illegal) else set()


def test_who_laid_nothing_unseen_has_not_opened(opened: Any) -> None:
    unseen(opened, ONE)
    assert [player.opened for player in opened.match.players] == [True, False, False]
    assert faults(next_of_ben(opened, ONE, f"{ONE} R13")) == {
        Fault.TABLE_USED_BEFORE_OPENING,
        Fault.INITIAL_MELD_TOO_LOW,
    }


def test_who_laid_too_little_unseen_has_not_opened(opened: Any) -> None:
    lies = f"{ONE} / B9 K9 O9"  # 27 points, of Ben, of Cem, or of both
    unseen(opened, lies)
    assert faults(next_of_ben(opened, lies, f"{lies} / K1 K2 K3")) == {Fault.INITIAL_MELD_TOO_LOW}


@pytest.mark.parametrize("set_laid", ["B10 K10 O10", "J K3 O3"], ids=["30 points", "a joker may be worth any"])
def test_who_may_have_opened_unseen_is_accused_of_nothing_that_an_opening_allows(opened: Any, set_laid: str) -> None:
    lies = f"{ONE} / {set_laid}"
    unseen(opened, lies)
    assert [player.opened for player in opened.match.players] == [True, True, True]
    assert isinstance(next_of_ben(opened, lies, f"{ONE} R13 / {set_laid}"), Legal)


def test_who_may_have_opened_under_a_hand_is_accused_of_nothing_that_an_opening_allows(opened: Any) -> None:
    covered = reading(ONE)
    hidden = (*covered.tiles[:2], replace(covered.tiles[2], unsure=True, confidence=0.0))
    opened.show(replace(covered, tiles=hidden))
    opened.press()
    opened.wait(16.0)
    lies = f"{ONE} / B10 K10 O10"
    opened.play(lies)
    assert isinstance(next_of_ben(opened, lies, f"{ONE} R13 / B10 K10 O10"), Legal)


def test_who_may_have_opened_is_accused_of_what_no_opening_allows(opened: Any) -> None:
    lies = f"{ONE} / B10 K10 O10"
    unseen(opened, lies)
    assert faults(next_of_ben(opened, lies, f"{lies} / K1 K2")) == {Fault.NOT_A_SET}


def test_who_may_have_opened_has_for_sure_with_an_opening(opened: Any) -> None:
    lies = f"{ONE} / B10 K10 O10"
    unseen(opened, lies)
    assert opened.match.players[1].opened_after
    assert isinstance(next_of_ben(opened, lies, f"{lies} / K11 K12 K13"), Legal)
    assert (opened.match.players[1].opened, opened.match.players[1].opened_after) == (True, ())


def test_tiles_of_another_player_are_no_opening(opened: Any) -> None:
    """Ben's press is not heard; Ann lays a tile and presses, and then Ben."""
    opened.lay(f"{ONE} R13")
    opened.press(0)
    assert one(opened.press(1), Judged).stands
    assert not opened.match.players[1].opened


def test_who_presses_out_of_turn_on_new_tiles_may_have_opened(opened: Any) -> None:
    """Ben lays nothing and his press is not heard; Cem opens and presses; then Ben's press ends the turn of both."""
    lies = f"{ONE} / B10 K10 O10"
    opened.lay(lies)
    opened.press(2)
    assert one(opened.press(1), Judged).stands
    assert [player.opened for player in opened.match.players] == [True, True, True]
    assert isinstance(one(opened.play(f"{ONE} R13 / B10 K10 O10"), Judged).verdict, Legal)


@pytest.mark.parametrize("lies", [ONE, f"{ONE} R13", f"{ONE} / B9 K9 O9"])
def test_who_presses_out_of_turn_on_too_little_has_not_opened(opened: Any, lies: str) -> None:
    opened.lay(lies)
    opened.press(2)
    opened.press(1)
    assert [player.opened for player in opened.match.players] == [True, False, False]


def test_who_presses_out_of_turn_on_tiles_that_are_taken_back_has_not_opened(opened: Any) -> None:
    opened.lay(f"{ONE} / B10 K10 O10")
    opened.press(2)
    opened.lay(ONE)
    assert not opened.match.players[2].opened


def test_a_table_that_no_box_holds_tells_of_no_opening(opened: Any) -> None:
    opened.play(f"{ONE} / R9 R9 R9")
    opened.wait(16.0)
    assert opened.match.seat == 2
    assert opened.match.players[1].opened


@pytest.mark.parametrize(("laid", "seats"), [("B10 K10 O10", (0, 1, 2)), ("K1 K2 K3", (0,))])
def test_a_table_taken_as_it_lies_may_hold_an_opening_of_anybody(opened: Any, laid: str, seats: Any) -> None:
    for seat in (1, 2, 0):
        opened.lay(f"{ONE} / K{seat + 1}", doubts={0: "R9", 3: "R7"})
        opened.press(seat)
        opened.wait(16.0)
    assert opened.match.has_lost_thread
    opened.lay(f"{ONE} / {laid}")
    opened.enter(TableTaken(opened.at, Seat(1)))
    assert tuple(seat for seat in opened.match.present if opened.match.players[seat].opened) == seats


def test_a_turn_that_the_organiser_lets_stand_is_an_opening_whatever_it_is_worth(opened: Any) -> None:
    opened.lay(f"{ONE} R13")
    opened.press(0)  # so that nobody knows whose tile it is
    opened.enter(LetStand(opened.at, "organiser"))
    assert opened.match.players[1].opened


SETS = [
    "R10 R11 R12",
    "B1 B2 B3",
    "B1 B2 B3 B4 B5 B6 B7 B8",
    "K7 R7 O7",
    "K10 R10 O10",
    "J J K4",
    "J O3 O4 O5",
    "K13 J",
]
tables = st.lists(st.sampled_from(SETS), max_size=3, unique=True).map(lambda sets: parse_table(" / ".join(sets)))


@settings(max_examples=examples(200), deadline=None)
@given(before=tables, after=tables, edition=st.sampled_from(sorted(EDITIONS)))
def test_no_opening_is_taken_back(new_evening: Any, before: Table, after: Table, edition: str) -> None:
    verdict = judge_turn(before, after, opened=False, rules=EDITIONS[edition])
    if not isinstance(verdict, Legal) or verdict.outcome is not Outcome.PLAYED:
        return
    evening = new_evening().start("Ann Ben", edition)
    evening.lay(format_table(after))
    start = TurnStart(tables=(after,), observation=evening.match.table.current)
    ann = replace(evening.match.player, opened=True, opened_after=(before,))
    match = replace(evening.match, players=(ann, *evening.match.players[1:]), turn_start=start)
    assert settle_openings(match).player.opened
