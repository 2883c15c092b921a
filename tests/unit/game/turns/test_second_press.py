"""Two people end one turn: a press on a second device just after it was over counts as the same."""

from typing import Any

import pytest

from referee.game.inputs import BUTTON, LetStand, Paused, Resumed, RummikubCalled, Seat, TurnEnded, Undone
from referee.game.state import Phase
from referee.reading.inputs import Input, Seconds, TableStill
from referee.storage.json_codec import input_from_json, input_to_json

ANN, BEN, CEM = Seat(0), Seat(1), Seat(2)
PHONE, TABLET = ("phone",), ("tablet",)


def enter_after(evening: Any, seconds: float, entered: Input) -> None:
    """So many seconds later, and a tenth of a second later a look that finds the table as it was."""
    evening.now += seconds
    evening.enter(entered)
    evening.now += 0.1
    evening.enter(TableStill(evening.at, f"still at {evening.now:g}"))


def press_after(evening: Any, seconds: float, voice: tuple[str, ...], seat: Seat | None = None) -> None:
    enter_after(evening, seconds, TurnEnded(Seconds(evening.now + seconds), seat, voice=voice))


def bens_turn(evening: Any) -> Any:
    """Ben is to move; what he lays is settled, so that a press is answered at the next look."""
    evening.start("Ann Ben Cem").play("R10 R11 R12")
    evening.lay("R10 R11 R12 / B10 K10 O10")
    return evening


@pytest.mark.parametrize(
    ("first", "second"),
    [(PHONE, BUTTON), (BUTTON, PHONE), (PHONE, TABLET)],
    ids=["phone, then button", "button, then phone", "phone, then tablet"],
)
def test_two_devices_1_3_seconds_apart_end_one_turn(evening: Any, first: Any, second: Any) -> None:
    bens_turn(evening)
    press_after(evening, 2.0, first)
    assert evening.match.seat == CEM
    press_after(evening, 1.3, second)
    assert evening.match.seat == CEM


@pytest.mark.parametrize("voice", [PHONE, BUTTON])
def test_one_device_ends_two_turns_1_3_seconds_apart(evening: Any, voice: Any) -> None:
    bens_turn(evening)
    press_after(evening, 2.0, voice)
    press_after(evening, 1.3, voice)
    assert evening.match.seat == ANN


def test_two_devices_more_than_two_seconds_apart_end_two_turns(evening: Any) -> None:
    bens_turn(evening)
    press_after(evening, 2.0, PHONE)
    press_after(evening, 1.9, BUTTON)
    assert evening.match.seat == CEM
    press_after(evening, 0.1, BUTTON)  # 2.1 s after the turn was over
    assert evening.match.seat == ANN


def test_the_grace_begins_when_the_turn_is_over(evening: Any) -> None:
    bens_turn(evening)
    evening.now += 2.0
    evening.enter(TurnEnded(evening.at, voice=PHONE))  # a hand is over the table for five seconds
    evening.now += 5.0
    evening.enter(TableStill(evening.at, "at last"))
    assert evening.match.seat == CEM
    press_after(evening, 1.3, BUTTON)
    assert evening.match.seat == CEM


def test_a_press_just_after_the_time_ran_out_is_not_the_next_players(evening: Any) -> None:
    evening.start("Ann Ben Cem").lay("")
    evening.wait(60.0)
    enter_after(evening, 0.5, TableStill(evening.at))
    assert (evening.match.seat, evening.match.turn) == (BEN, 2)
    press_after(evening, 0.5, BUTTON)
    assert (evening.match.seat, evening.match.turn) == (BEN, 2)


def test_the_seat_to_move_ends_its_turn_at_once(evening: Any) -> None:
    bens_turn(evening)
    press_after(evening, 2.0, PHONE)
    press_after(evening, 1.3, BUTTON, CEM)
    assert evening.match.seat == ANN


def test_a_second_call_of_rummikub_does_not_give_the_game_to_the_next_player(evening: Any) -> None:
    bens_turn(evening)
    press_after(evening, 2.0, PHONE)
    enter_after(evening, 1.3, RummikubCalled(Seconds(evening.now + 1.3), voice=BUTTON))
    assert (evening.match.seat, evening.match.phase) == (CEM, Phase.TURN)


def test_a_break_ended_by_two_ends_no_turn(evening: Any) -> None:
    bens_turn(evening)
    enter_after(evening, 2.0, Paused(Seconds(evening.now + 2.0), "organiser", voice=PHONE))
    enter_after(evening, 9.0, Resumed(Seconds(evening.now + 9.0), "organiser", voice=PHONE))
    press_after(evening, 1.3, BUTTON)
    assert (evening.match.seat, evening.match.phase) == (BEN, Phase.TURN)


def test_a_turn_that_the_organiser_ended_is_not_followed_by_the_next(evening: Any) -> None:
    bens_turn(evening)
    enter_after(evening, 2.0, LetStand(Seconds(evening.now + 2.0), "organiser", voice=PHONE))
    press_after(evening, 1.3, BUTTON)
    assert evening.match.seat == CEM


def test_a_press_taken_back_is_made_again_by_the_same_hand(evening: Any) -> None:
    bens_turn(evening)
    press_after(evening, 2.0, BUTTON)
    enter_after(evening, 1.3, Undone(Seconds(evening.now + 1.3), voice=BUTTON))
    assert evening.match.seat == BEN
    press_after(evening, 1.3, BUTTON)
    assert evening.match.seat == CEM


def test_old_journals_know_no_devices_and_give_the_same_as_then(evening: Any) -> None:
    bens_turn(evening)
    press_after(evening, 2.0, ())
    press_after(evening, 1.3, ())
    assert evening.match.seat == ANN
    old = {"input": "TurnEnded", "at": 1.5, "seat": None, "by": "organiser"}
    assert input_from_json(old) == TurnEnded(Seconds(1.5), None, "organiser")
    assert input_to_json(TurnEnded(Seconds(1.5), None, "organiser")) == old
    assert input_to_json(TurnEnded(Seconds(1.5), voice=BUTTON))["voice"] == ["button"]
