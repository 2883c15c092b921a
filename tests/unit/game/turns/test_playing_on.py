"""Players who play on bring the match to the turn they play: after a game, and after a press that was not heard."""

from typing import Any

import pytest

from referee.game.endgame.racks import open_games
from referee.game.event_parts import Reason
from referee.game.events import Drew, GameScored, Judged, RackAsked, RackRead, RacksMissing, ThreadLost, WrongSeat
from referee.game.inputs import Paused, RacksTold, Seat, TableTaken, TurnEnded
from referee.game.state import Phase
from referee.game.texts.messages import words
from referee.hardware.ports import Press, PressKind
from referee.reading.inputs import Seconds, TableMoving, TableSettled
from referee.rules.notation import parse_tiles
from referee.rules.verdict import Illegal, Legal, Outcome
from referee.service.button_mapping import meaning

from ..conftest import kinds, one, reading  # isort: skip

WON = "R10 R11 R12 / B10 K10 O10"
BENS = "R1 R2 K5 K6"


@pytest.fixture
def between(evening: Any) -> Any:
    """Ann has won; Ben's rack is read, and of Cem's, who holds four tiles, three were seen: the referee asks."""
    evening.start("Ann Ben Cem", house_rules=(("rack_tiles", 4),), games=3)
    evening.lay(WON)
    evening.press(call=True)
    evening.wait(10.0)
    assert one(show(evening, f"{WON} / {BENS}", 1), RackRead).owner == 1
    assert one(show(evening, f"{WON} / {BENS} / J B1 B1", 2), RackAsked).owner == 2
    return evening


def show(evening: Any, text: str, seat: int) -> tuple[Any, ...]:
    return evening.lay(text) + press(evening, seat)  # type: ignore[no-any-return]


def press(evening: Any, seat: int, after: float = 2.0) -> tuple[Any, ...]:
    """A press, and the looks that follow it."""
    evening.now += after
    told = evening.enter(TurnEnded(evening.at, Seat(seat)))
    for _ in range(2):
        evening.now += 0.5
        told += evening.enter(TableSettled(evening.at, evening.at, evening.seen))
    return told


def test_an_opening_on_the_cleared_table_is_the_first_turn_of_the_next_game(between: Any) -> None:
    between.lay("")
    between.wait(40.0)
    told = show(between, "K11 K12 K13", 1)
    assert kinds(told)[:2] == ["GameStarted", "StarterAssumed"] or "GameStarted" in kinds(told)
    missing = one(told, RacksMissing)
    assert (missing.of_game, missing.owners) == (1, (2,))
    verdict = one(told, Judged)
    assert (verdict.game, verdict.seat, type(verdict.verdict)) == (2, 1, Legal)
    assert (between.match.phase, between.match.seat, open_games(between.match)) == (Phase.TURN, 2, (1,))


def test_a_first_turn_that_is_no_opening_is_judged_too_and_not_taken_for_another_player_s_rack(between: Any) -> None:
    between.lay("")
    verdict = one(show(between, "B7 B8 B9", 1), Judged)
    assert (verdict.game, verdict.seat, type(verdict.verdict), verdict.stands) == (2, 1, Illegal, False)
    between.lay("")
    assert one(press(between, 1), Judged).verdict.outcome is Outcome.NO_PLAY


def test_what_lies_there_when_the_player_whose_rack_is_missing_presses_is_a_rack(between: Any) -> None:
    between.lay("")
    assert one(show(between, "J B1", 2), RackAsked).owner == 2


def test_a_press_on_the_cleared_table_though_every_rack_was_asked_is_a_turn_without_a_play(between: Any) -> None:
    between.lay("")
    told = press(between, 1)
    assert one(told, Judged).verdict.outcome is Outcome.NO_PLAY
    assert (between.match.game, between.match.seat) == (2, 2)


def test_where_the_player_to_the_left_begins_the_players_before_have_passed(evening: Any) -> None:
    evening.start("Ann Ben Cem", edition="3in1-standard", house_rules=(("rack_tiles", 4),), games=3)
    evening.lay(WON)
    evening.press(call=True)
    evening.wait(10.0)
    show(evening, f"{WON} / {BENS}", 1)
    show(evening, f"{WON} / {BENS} / J B1 B1", 2)
    evening.lay("")
    told = press(evening, 2)
    assert [event.seat for event in told if isinstance(event, Drew)] == [1, 2]
    assert one(told, Judged).seat == 2
    assert (evening.match.game, evening.match.seat) == (2, 0)


def test_a_rack_asked_twice_waits_no_longer_once_the_table_is_cleared(between: Any) -> None:
    assert one(show(between, f"{WON} / {BENS} / J B1", 2), RackAsked).owner == 2
    told = between.lay("")
    assert "GameStarted" in kinds(told)
    assert one(told, RacksMissing).owners == (2,)


def test_a_table_bare_between_two_racks_begins_nothing(between: Any) -> None:
    between.lay("")
    between.wait(30.0)
    assert one(show(between, "J B1 B1 O7", 2), GameScored).scores == {"Ann": 53, "Ben": -14, "Cem": -39}


def test_missing_racks_are_entered_later_or_lost(between: Any) -> None:
    between.lay("")
    press(between, 1)
    racks = ((Seat(1), between.match.results[0].shown[0][1]), (Seat(2), parse_tiles("J B1 B1 O7")))
    assert between.match.results[0].missing_racks == (2,)
    lost = between.enter(RacksTold(between.at, (), by="organiser", game=1))
    assert one(lost, RacksMissing).lost
    assert open_games(between.match) == ()
    assert one(between.enter(RacksTold(between.at, racks, game=1)), GameScored).scores["Cem"] == -39


def test_the_rack_of_who_laid_an_opening_by_chance_is_still_a_rack(evening: Any) -> None:
    evening.start("Ann Ben Cem", house_rules=(("rack_tiles", 3),), games=3)
    evening.lay(WON)
    evening.press(call=True)
    evening.wait(10.0)
    show(evening, f"{WON} / R1 R2 K5", 1)
    show(evening, f"{WON} / R1 R2 K5 / J J", 2)
    evening.lay("")
    assert one(show(evening, "K11 K12 K13", 2), RackRead).owner == 2


# In a game ---------------------------------------------------------------------------------------------------------

ONE = "R10 R11 R12"
TWO = f"{ONE} / B10 K10 O10"
FIRST = f"{TWO} / K11 K12 K13"


@pytest.fixture
def three(evening: Any) -> Any:
    """Ann, Ben and Cem have opened, and Ann is to move on FIRST."""
    evening.start("Ann Ben Cem")
    for seat, table in enumerate((ONE, TWO, FIRST)):
        assert one(show(evening, table, seat), Judged).stands
    assert evening.match.seat == 0
    return evening


def test_a_lost_press_is_caught_up_with_once_two_others_have_pressed(three: Any) -> None:
    three.lay(f"{FIRST} / K1 K2 K3")  # Ann's press is not heard
    assert kinds(show(three, f"{FIRST} / K1 K2 K3 / B1 B2 B3", 1)) == ["WrongSeat"]
    told = show(three, f"{FIRST} / K1 K2 K3 / B1 B2 B3 / O1 O2 O3", 2)
    assert kinds(told)[:4] == ["TurnUnseen", "TurnStarted", "TurnUnseen", "TurnStarted"]
    assert not any(isinstance(event.verdict, Illegal) for event in told if isinstance(event, Judged))
    assert (three.match.phase, three.match.seat) == (Phase.TURN, 0)
    after = one(show(three, f"{FIRST} / K1 K2 K3 / B1 B2 B3 / O1 O2 O3 / R1 R2 R3", 0), Judged)
    assert (type(after.verdict), after.stands, len(after.verdict.played)) == (Legal, True, 3)


def test_one_press_of_another_player_only_tells_whose_turn_it_is(three: Any) -> None:
    three.lay(f"{FIRST} / K1 K2 K3")
    assert kinds(press(three, 2)) == ["WrongSeat"]
    assert kinds(press(three, 2)) == ["WrongSeat"]
    assert one(press(three, 0), Judged).stands


def test_the_wrong_seat_that_is_told_is_the_one_that_pressed(three: Any) -> None:
    show(three, f"{FIRST} / K1 K2 K3", 0)
    assert one(press(three, 0), WrongSeat).pressed == 0


def test_a_press_under_a_hand_waits_for_its_look_and_is_judged_then(three: Any) -> None:
    three.now += 1.0
    three.enter(TableMoving(three.at))
    three.enter(TurnEnded(three.at, Seat(0)))
    three.wait(25.0)
    assert three.match.phase is Phase.LOOKING
    verdict = one(three.lay(f"{FIRST} / K1 K2 K3"), Judged)
    assert (type(verdict.verdict), verdict.seat, three.match.seat) == (Legal, 0, 1)


def test_the_next_player_s_press_ends_a_turn_that_was_never_seen(three: Any) -> None:
    three.now += 1.0
    three.enter(TableMoving(three.at))
    three.enter(TurnEnded(three.at, Seat(0)))
    three.now += 8.0
    told = three.enter(TurnEnded(three.at, Seat(1)))
    assert kinds(told) == ["TurnUnseen", "TurnStarted"]
    judged = one(three.lay(f"{FIRST} / K1 K2 K3 / B1 B2 B3"), Judged)
    assert (judged.reason, judged.stands, three.match.seat) == (Reason.UNSEEN, True, 2)


def test_a_player_who_mends_the_table_and_presses_again_is_judged_by_the_mended_one(three: Any) -> None:
    """A slow reader accused eight seconds after the press, and the second press was lost."""
    bad, good = f"{FIRST} / K1 K2 B3", f"{FIRST} / K1 K2 K3"
    three.lay(bad)
    three.now += 1.0
    three.enter(TurnEnded(three.at, Seat(0)))
    three.now += 2.0
    three.enter(TableMoving(three.at))
    three.now += 1.0
    three.enter(TurnEnded(three.at, Seat(0)))
    late = Seconds(three.now - 2.5)
    assert not any(isinstance(e, Judged) for e in three.enter(TableSettled(late, late, reading(bad))))
    assert one(three.lay(good), Judged).stands


def test_a_press_again_on_a_table_at_rest_changes_nothing(three: Any) -> None:
    three.lay(f"{FIRST} / K1 K2 K3")
    three.now += 1.0
    three.enter(TurnEnded(three.at, Seat(0)))
    pressed = three.match.pressed_at
    three.now += 1.5
    assert three.enter(TurnEnded(three.at, Seat(0))) == ()
    assert three.match.pressed_at == pressed


def test_a_game_that_was_won_unnoticed_ends_with_the_next_one_s_opening_on_a_cleared_table(three: Any) -> None:
    show(three, f"{FIRST} / K1 K2 K3", 0)
    three.lay("")
    told = show(three, "B11 B12 B13", 2)
    assert [kind for kind in kinds(told) if kind in {"GameWon", "GameStarted"}] == ["GameWon", "GameStarted"]
    assert (one(told, Judged).seat, three.match.game, three.match.seat) == (2, 2, 0)


def test_the_only_set_of_a_table_that_is_taken_is_an_accusation(evening: Any) -> None:
    evening.start("Ann Ben Cem")
    show(evening, ONE, 0)
    assert isinstance(one(show(evening, "", 1), Judged).verdict, Illegal)


@pytest.fixture
def restoring(evening: Any) -> Any:
    """Ben's time is over, and the opening that he took is to be laid again."""
    evening.start("Ann Ben Cem")
    show(evening, ONE, 0)
    evening.lay("")
    evening.wait(61.0)
    evening.lay("", after=0.5)
    assert (evening.match.phase, evening.match.seat) == (Phase.RESTORE, 1)
    return evening


def test_three_players_who_press_in_turn_play_on_without_restoring(restoring: Any) -> None:
    assert "TurnUnseen" not in kinds((*show(restoring, "B11 B12 B13", 0), *press(restoring, 1)))
    told = show(restoring, "B11 B12 B13 / K11 K12 K13", 2)
    assert "TurnUnseen" in kinds(told)
    assert one(told, Judged).reason is Reason.UNSEEN
    assert (restoring.match.phase, restoring.match.seat) == (Phase.TURN, 0)


@pytest.mark.parametrize("seats", [(1, 2), (1, 1, 2), (0, 0, 2), (2, 1, 2), (0, 1, 1, 2)])
def test_presses_out_of_turn_leave_the_table_to_be_restored(restoring: Any, seats: tuple[int, ...]) -> None:
    for seat in seats:
        press(restoring, seat)
    assert (restoring.match.phase, restoring.match.seat) == (Phase.RESTORE, 1)


# The lost thread ---------------------------------------------------------------------------------------------------


def lost(three: Any) -> Any:
    """Three turns stand undecided."""
    for seat in range(3):
        three.lay(f"{FIRST} / K{seat + 1}", doubts={9: "R7"})
        press(three, seat)
        told = three.wait(16.0)
    return told


def test_three_turns_without_a_verdict_lose_the_thread_and_a_long_hold_takes_it_up(three: Any) -> None:
    told = lost(three)
    event = one(told, ThreadLost)
    assert event.turns == 3
    assert "hold the button long" in words(event, three.match.setup.names)
    three.lay(f"{FIRST} / K1 K2 K3")
    held = meaning(Press(three.at, PressKind.LONG_HOLD, Seat(1)), three.match)
    assert isinstance(held, TableTaken)
    told = three.enter(held)
    assert kinds(told) == ["TableConfirmed", "TurnStarted"]
    assert (three.match.seat, three.match.play.clock.left_at(three.match.now)) == (1, 60.0)
    after = one(show(three, f"{FIRST} / K1 K2 K3 K4", 1), Judged)
    assert (type(after.verdict), len(after.verdict.played), three.match.has_lost_thread) == (Legal, 1, False)


def test_a_decided_turn_finds_the_thread_again(three: Any) -> None:
    lost(three)
    assert three.match.has_lost_thread
    three.lay(f"{FIRST} / K3")
    assert "GameWon" not in three.names()
    show(three, f"{FIRST} / K1 K2 K3", 0)
    assert not three.match.has_lost_thread
    assert isinstance(meaning(Press(three.at, PressKind.LONG_HOLD, Seat(1)), three.match), Paused)


def test_who_presses_after_another_player_laid_tiles_does_not_answer_for_them(evening: Any) -> None:
    """Cem has not opened, and his press was not heard; Ann lays tiles and presses, and then he."""
    evening.start("Ann Ben Cem")
    show(evening, ONE, 0)
    show(evening, TWO, 1)
    assert kinds(show(evening, f"{ONE} R13 / B10 K10 O10", 0))[-1] == "WrongSeat"
    judged = one(press(evening, 2), Judged)
    assert (judged.stands, judged.reason, evening.match.seat) == (True, Reason.UNSEEN, 0)
