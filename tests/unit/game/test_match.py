"""Turns, told in notation: what the table shows, what the referee says."""

from dataclasses import replace
from typing import Any

import pytest

from referee.game.correction_types import TileIs
from referee.game.event_parts import Reason
from referee.game.events import (
    ClockRuns,
    ClockStopped,
    Drew,
    GameStarted,
    GameWon,
    Judged,
    LookingAgain,
    MatchOver,
    MeldCounted,
    PlayerGone,
    Restored,
    RestoreNeeded,
    TableWatched,
    TilesChanged,
    TimeOver,
    TurnStarted,
    TurnTakenBack,
    Warned,
    WrongSeat,
)
from referee.game.inputs import (
    CameraBack,
    CameraLost,
    LetStand,
    NextGame,
    Paused,
    PlayerLeft,
    Restarted,
    Resumed,
    Seat,
    TableCorrected,
    Ticked,
    TurnEnded,
    Undone,
)
from referee.game.state import Phase
from referee.game.texts.messages import words
from referee.reading.inputs import TableMoving, TableSettled, TableStill
from referee.rules.notation import format_table, parse_tile, parse_tiles
from referee.rules.verdict import Fault, Illegal, Legal, Undecided

from .conftest import OPEN, TABLE, kinds, one, reading  # isort: skip

MORE = f"{OPEN} / B9 K9 O9"
GAME_TURN = 60.0


def test_a_match_begins_with_the_first_seat_and_its_clock(evening: Any) -> None:
    evening.start(first=Seat(1))
    assert kinds(tuple(evening.told)) == ["GameStarted", "TurnStarted"]
    assert one(tuple(evening.told), GameStarted).seat == 1
    assert one(tuple(evening.told), TurnStarted).seconds == GAME_TURN


def test_a_legal_turn_passes_to_the_left(evening: Any) -> None:
    told = evening.start().play(OPEN)
    assert kinds(told) == ["MeldCounted", "Judged", "TurnStarted"]
    judged = one(told, Judged)
    assert (judged.seat, judged.verdict.meld, judged.stands) == (0, 33, True)
    assert (judged.frame_id, judged.frame_at) == (f"frame of {OPEN} at 4.1", 4.1)  # the one that was read after 4.0 s
    assert (one(told, TurnStarted).seat, one(told, TurnStarted).turn) == (1, 2)


def test_a_turn_without_a_play_draws_one(evening: Any) -> None:
    evening.start().play(OPEN)
    told = evening.press()
    assert kinds(told) == ["Judged", "Drew", "TurnStarted"]
    assert (one(told, Drew).tiles, one(told, Drew).reason, one(told, Drew).seat) == (1, Reason.NO_PLAY, 1)


def test_sets_moved_about_are_no_play(evening: Any) -> None:
    evening.start().play(MORE)
    told = evening.play("O9 K9 B9 / R12 R11 R10")
    assert one(told, Drew).reason is Reason.NO_PLAY


def test_an_illegal_turn_goes_on_with_the_clock_where_it_stood(evening: Any) -> None:
    evening.start()
    told = evening.play("R7 R8 R9")
    judged = one(told, Judged)
    assert isinstance(judged.verdict, Illegal)
    assert [violation.fault for violation in judged.verdict.violations] == [Fault.INITIAL_MELD_TOO_LOW]
    assert not judged.stands
    assert evening.match.seat == 0
    assert one(told, ClockRuns).seconds_left == pytest.approx(GAME_TURN - 4.0)  # 2 s laying, 2 s until the press
    assert one(evening.play(OPEN), Judged).stands


def test_the_verdict_waits_for_a_look_after_the_press(evening: Any) -> None:
    evening.start().lay(OPEN)
    evening.now += 1.0
    assert evening.enter(TurnEnded(evening.at)) == ()
    evening.now += 0.2
    assert "Judged" in kinds(evening.enter(TableStill(evening.at)))


def test_a_look_from_before_the_press_is_not_enough(evening: Any) -> None:
    evening.start().lay(OPEN)
    evening.now += 1.0
    evening.enter(TurnEnded(evening.at))
    evening.now -= 0.5
    assert evening.enter(TableStill(evening.at)) == ()
    assert evening.match.phase is Phase.LOOKING


def test_hands_on_the_table_after_the_press_hold_the_verdict(evening: Any) -> None:
    evening.start().lay(OPEN)
    evening.now += 1.0
    evening.enter(TurnEnded(evening.at))
    told = evening.lay(MORE)
    assert kinds(told) == ["LookingAgain", "Judged", "TurnStarted"]
    assert format_table(one(told, Judged).table) == MORE


def test_hands_that_do_not_go_stop_the_clock_no_longer_and_the_press_still_counts(evening: Any) -> None:
    evening.start()
    evening.now += 20.0
    evening.enter(TurnEnded(evening.at))
    told = evening.wait(10.0)
    assert kinds(told) == ["LookingAgain", "ClockRuns"]
    assert one(told, ClockRuns).seconds_left == pytest.approx(40.0)
    assert evening.match.phase is Phase.LOOKING
    assert kinds(evening.wait(10.0)) == ["LookingAgain"]
    assert one(evening.lay(OPEN), Judged).stands


def test_nobody_is_told_of_hands_while_a_frame_without_them_is_read(evening: Any) -> None:
    evening.start().lay(OPEN)
    evening.now += 5.0
    pressed = evening.at
    evening.enter(TurnEnded(pressed))
    evening.now += 13.0
    assert evening.enter(Ticked(evening.at, pressed + 9.0)) == ()
    told = evening.enter(TableSettled(pressed + 9.0, pressed + 9.0, reading(OPEN)))
    assert kinds(told) == ["Judged", "TurnStarted"]


def test_a_frame_taken_after_the_wait_does_not_prolong_it(evening: Any) -> None:
    evening.start()
    evening.enter(TurnEnded(evening.at))
    over = evening.now + 10.0
    evening.now += 13.0
    assert kinds(evening.enter(Ticked(evening.at, over + 0.5))) == ["LookingAgain", "ClockRuns"]


@pytest.mark.parametrize("later", [0.05, 0.9])
def test_pressed_twice_counts_once(evening: Any, later: Any) -> None:
    evening.start().play(OPEN)
    evening.now += later - 0.1
    assert evening.enter(TurnEnded(evening.at)) == ()
    assert evening.match.seat == 1


def test_another_seats_button_is_told_and_ignored(evening: Any) -> None:
    evening.start().lay(OPEN)
    told = evening.press(seat=2)
    assert one(told, WrongSeat).pressed == 2
    assert evening.match.phase is Phase.TURN


# Doubt ------------------------------------------------------------------------------------------------------------


def test_a_doubt_that_matters_is_asked_about_and_the_clock_waits(evening: Any) -> None:
    evening.start()
    told = evening.play(OPEN, doubts={2: "B12"})
    judged = one(told, Judged)
    assert isinstance(judged.verdict, Undecided)
    assert judged.verdict.doubtful_tiles == (parse_tile("R12"),)
    assert one(told, LookingAgain).doubts[0].may_be == (parse_tile("R12"), parse_tile("B12"))
    assert evening.match.play.clock.since is None


def test_a_better_look_settles_the_doubt(evening: Any) -> None:
    evening.start().play(OPEN, doubts={2: "B12"})
    assert kinds(evening.lay(OPEN)) == ["Judged", "TurnStarted"]


def test_a_doubt_that_makes_no_difference_is_no_doubt(evening: Any) -> None:
    told = evening.opened().play(f"{TABLE} / K5 R5 O5", doubts={8: "B5"})
    assert isinstance(one(told, Judged).verdict, Legal)


def test_what_was_doubtful_before_is_no_theft_later(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K5 R5 O5", doubts={8: "B5"})
    told = evening.play(f"{TABLE} / K5 R5 B5 / K1 K2 K3")
    assert isinstance(one(told, Judged).verdict, Legal)
    assert one(told, Judged).verdict.played == parse_tiles("K1 K2 K3")


def test_illegal_whatever_the_doubtful_tile_is(evening: Any) -> None:
    evening.start().play(OPEN)
    told = evening.play(f"{OPEN} / B1 B2", doubts={4: "B3"})
    assert isinstance(one(told, Judged).verdict, Illegal)


def test_sets_that_lie_too_near_each_other_are_undecided_if_only_one_layout_is_legal(evening: Any) -> None:
    rival = [[0, 1, 2], [3, 4, 5], [6, 7], [8, 9, 10, 11]]
    told = evening.opened().play(f"{TABLE} / K4 K5 K6 / K7 K8 K9", others=[rival])
    assert isinstance(one(told, Judged).verdict, Undecided)


def test_a_tight_row_that_is_a_set_is_no_doubt_though_it_may_be_two_pushed_together(evening: Any) -> None:
    pushed = [[0, 1, 2], [3, 4, 5], [6, 7], [8, 9, 10]]
    told = evening.opened().play(f"{TABLE} / K4 K5 K6 K7 K8", others=[pushed], rival=0.02)
    assert isinstance(one(told, Judged).verdict, Legal)
    assert one(told, Judged).verdict.played == parse_tiles("K4 K5 K6 K7 K8")


def test_a_tight_row_that_is_no_set_accuses_nobody_where_two_sets_may_be_pushed_together(evening: Any) -> None:
    pushed = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    told = evening.opened().play(f"{TABLE} / K4 K5 K6 B7 B8 B9", others=[pushed], rival=0.02)
    assert isinstance(one(told, Judged).verdict, Undecided)


def test_a_third_red_seven_is_looked_at_again(evening: Any) -> None:
    told = evening.opened().play(f"{TABLE} / R7 K7 O7 / R7 B7 K7 / R7 R8 R9")
    assert isinstance(one(told, Judged).verdict, Undecided)


def test_a_doubt_that_stays_lets_the_table_stand_and_accuses_nobody(evening: Any) -> None:
    evening.start().play(OPEN, doubts={2: "B12"})
    told = evening.wait(15.0)
    judged = one(told, Judged)
    assert isinstance(judged.verdict, Undecided)
    assert judged.stands
    assert evening.match.seat == 1


def test_an_undecided_opening_that_stands_counts(evening: Any) -> None:
    evening.start("Ann Ben").play(OPEN, doubts={2: "B12"})
    evening.wait(15.0)
    evening.lay(OPEN)
    evening.press()
    told = evening.play("R10 R11 R12 R13")  # an extension: legal only for a player who has opened
    assert isinstance(one(told, Judged).verdict, Legal)


def test_the_organiser_says_what_a_tile_is(evening: Any) -> None:
    evening.start().play(OPEN, doubts={2: "B12"})
    told = evening.enter(TableCorrected(evening.at, TileIs(2, parse_tile("R12"))))
    assert isinstance(one(told, Judged).verdict, Legal)


def test_the_organiser_lets_a_table_stand(evening: Any) -> None:
    evening.start().play("R7 R8 R9")
    told = evening.enter(LetStand(evening.at))
    assert one(told, Judged).stands
    assert evening.match.seat == 1


def test_nobody_is_accused_on_one_look(evening: Any) -> None:
    evening.second_looks = False
    assert "Judged" not in kinds(evening.opened().play(f"{TABLE} / K1 K2"))
    assert evening.match.wants_fresh_look
    evening.now += 1.0
    told = evening.enter(TableSettled(evening.at, evening.at, evening.seen))
    assert isinstance(one(told, Judged).verdict, Illegal)


def test_the_second_look_may_be_taken_before_the_press(evening: Any) -> None:
    evening.second_looks = False
    evening.opened().lay(f"{TABLE} / K1 K2")
    assert evening.match.wants_fresh_look
    evening.now += 1.0
    evening.enter(TableSettled(evening.at, evening.at, evening.seen))
    assert not evening.match.wants_fresh_look
    assert isinstance(one(evening.press(), Judged).verdict, Illegal)


def test_a_doubt_before_the_press_is_looked_at_once_more_after_it(evening: Any, read_table: Any) -> None:
    evening.second_looks = False
    evening.opened().lay(f"{TABLE} / K1 K2 K3")
    evening.now += 1.0
    evening.enter(TableSettled(evening.at, evening.at, read_table(f"{TABLE} / K1 K2 B3")))
    assert "Judged" not in kinds(evening.press())
    evening.now += 1.0
    told = evening.enter(TableSettled(evening.at, evening.at, read_table(f"{TABLE} / K1 K2 K3")))
    assert isinstance(one(told, Judged).verdict, Undecided)


def test_looks_before_the_table_moved_do_not_count(evening: Any) -> None:
    evening.second_looks = False
    evening.opened().lay(f"{TABLE} / K1 K2")
    evening.lay(f"{TABLE} / K1 K2")
    assert "Judged" not in kinds(evening.press())


def test_a_tile_found_only_by_the_second_look_is_a_doubt(evening: Any, read_table: Any) -> None:
    evening.second_looks = False
    evening.opened().play(f"{TABLE} / K1 K2")
    evening.now += 1.0
    told = evening.enter(TableSettled(evening.at, evening.at, read_table(f"{TABLE} / K1 K2 K3")))
    assert isinstance(one(told, Judged).verdict, Undecided)
    assert isinstance(one(evening.lay(f"{TABLE} / K1 K2 K3"), Judged).verdict, Legal)


def test_a_table_that_moves_between_two_looks_is_looked_at_afresh(evening: Any) -> None:
    evening.second_looks = False
    evening.opened().play(f"{TABLE} / K1 K2")
    evening.lay(f"{TABLE} / K1 K2")
    assert not [event for event in evening.told[-3:] if isinstance(event, Judged)]
    assert evening.match.phase is Phase.LOOKING


def test_nobody_answers_for_a_set_that_stood_before_the_turn(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2")
    evening.enter(LetStand(evening.at))
    assert isinstance(one(evening.press(), Judged).verdict, Legal)
    evening.now += 2.0
    assert isinstance(one(evening.play(f"{TABLE} / K1 K2 / O1 O2 O3"), Judged).verdict, Legal)
    told = evening.play(f"{TABLE} / K1 / O1 O2 O3 / K2 K3")
    assert isinstance(one(told, Judged).verdict, Illegal)


def test_an_old_doubt_is_not_asked_about_again(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 K3", doubts={8: "B3"})
    evening.wait(15.0)
    evening.lay(f"{TABLE} / K1 K2 K3", doubts={8: "B3"})
    assert isinstance(one(evening.press(), Judged).verdict, Legal)


# Time -------------------------------------------------------------------------------------------------------------


def test_warnings_come_at_their_time_however_late_the_tick(evening: Any) -> None:
    told = evening.start().wait(59.0)
    assert [(event.seconds_left, event.at) for event in told] == [(15.0, 45.0), (5.0, 55.0)]


def test_a_press_counts_when_it_was_made(evening: Any) -> None:
    evening.start().lay(OPEN)
    evening.now = 59.99
    assert "TimeOver" not in kinds(evening.enter(TurnEnded(evening.at)))


def test_time_over_on_an_unchanged_table_draws_one(evening: Any) -> None:
    evening.start().lay("")
    told = evening.wait(60.0)
    assert kinds(told)[-1] == "TimeOver"
    told = evening.enter(TableStill(evening.at))
    assert kinds(told) == ["Judged", "Drew", "TurnStarted"]
    assert (one(told, Drew).tiles, one(told, Drew).reason) == (1, Reason.TIME_OVER)


def test_forgot_to_press(evening: Any) -> None:
    evening.start().lay(OPEN)
    evening.wait(60.0)
    told = evening.enter(TableStill(evening.at))
    assert isinstance(one(told, Judged).verdict, Legal)
    assert one(told, Judged).stands


@pytest.mark.parametrize(("edition", "penalty"), [("original", 3), ("3in1-standard", 1)])
def test_time_over_on_a_broken_table_restores_it(evening: Any, edition: Any, penalty: Any) -> None:
    evening.opened(edition).lay("R10 R11 / B10 K10 O10 / R12 R13")
    evening.wait(60.0)
    told = evening.enter(TableStill(evening.at))
    assert kinds(told) == ["Judged", "RestoreNeeded"]
    guide = one(told, RestoreNeeded).guide
    assert guide.surplus == parse_tiles("R13")
    assert guide.missing == ()
    assert guide.rebuild == (parse_tiles("R10 R11 R12"),)
    told = evening.lay("B10 O10 K10 / R12 R11 R10")
    assert kinds(told) == ["Restored", "Drew", "TurnStarted"]
    assert (one(told, Drew).tiles, one(told, Drew).seat) == (penalty, 0)
    assert evening.match.seat == 1


@pytest.mark.parametrize(
    ("seat", "rested", "counts"),
    [(1, 0.5, True), (1, -0.5, False), (2, 0.5, False), (None, 0.5, False)],
    ids=["the next player", "before the table lay so", "where nobody sits", "the common button"],
)
def test_who_presses_before_the_restored_table_is_read_is_not_passed_over(
    evening: Any, seat: Any, rested: float, counts: Any
) -> None:
    evening.opened().lay("R10 R11 / B10 K10 O10 / R12 R13")
    evening.wait(60.0)
    evening.enter(TableStill(evening.at))
    evening.now += 3.0
    since = evening.at - rested
    assert kinds(evening.enter(TurnEnded(evening.at, seat))) == ["RestoreNeeded"]
    evening.now += 2.0
    told = evening.enter(TableSettled(evening.at, since, reading(TABLE)))
    assert kinds(told)[:3] == ["Restored", "Drew", "TurnStarted"]
    assert kinds(told)[3:] == (["Judged", "Drew", "TurnStarted"] if counts else [])
    assert (evening.match.seat, evening.match.phase) == (0 if counts else 1, Phase.TURN)


def test_the_guide_follows_the_table_and_does_not_repeat_itself(evening: Any) -> None:
    evening.start().play(MORE)
    evening.lay("R10 R11 / B9 K9 O9 / R12 R13")
    evening.wait(60.0)
    evening.enter(TableStill(evening.at))
    assert evening.lay("R10 R11 / B9 K9 O9 / R12 R13") == ()
    told = evening.lay("R10 R11 / B9 K9 O9 / R12")
    assert one(told, RestoreNeeded).guide.surplus == ()


def test_a_tile_turned_over_while_the_table_is_put_back_is_asked_about(evening: Any, read_table: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2")
    evening.wait(60.0)
    assert one(evening.enter(TableStill(evening.at)), RestoreNeeded).doubts == ()
    whole, lacking = read_table(TABLE), read_table("R10 R11 / B10 K10 O10")
    over = replace(whole.tiles[2], tile=None)
    turned = replace(lacking, tiles=(*lacking.tiles, over))
    needed = one(evening.show(turned), RestoreNeeded)
    assert needed.guide.missing == parse_tiles("R12")
    assert [doubt.may_be for doubt in needed.doubts] == [()]
    assert "turn over: 1 tile that may lie face down" in words(needed, ("Ann", "Ben"))
    assert evening.show(turned) == ()
    assert one(evening.press(), RestoreNeeded).doubts == needed.doubts
    doubtful = read_table("R10 R11 / B10 K10 O10 / R12 K1", {5: "R13"})
    assert "I cannot tell R12 or R13" in words(one(evening.show(doubtful), RestoreNeeded), ("Ann", "Ben"))
    evening.show(turned)
    assert kinds(evening.say(TileIs(5, parse_tiles("R12")[0])))[-3:] == ["Restored", "Drew", "TurnStarted"]


def test_a_play_finished_after_the_time_is_too_late(evening: Any) -> None:
    evening.opened().lay("R10 R11 / B10 K10 O10 / R12 R13")
    evening.now += 57.0
    told = evening.lay("R10 R11 R12 R13 / B10 K10 O10", after=6.0)
    judged = one(told, Judged)
    assert isinstance(judged.verdict, Legal)
    assert (judged.late, judged.stands) == (True, False)
    assert "RestoreNeeded" in kinds(told)


def test_a_second_look_at_a_still_table_is_not_too_late(evening: Any, read_table: Any) -> None:
    evening.second_looks = False
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    evening.wait(70.0)
    assert evening.enter(TableStill(evening.at)) == ()  # illegal as it was read first
    evening.now += 1.0
    settled = TableSettled(evening.at, evening.at, read_table(f"{TABLE} / K1 K2 K3", doubts={8: "B3"}))
    assert isinstance(one(evening.enter(settled), Judged).verdict, Undecided)
    evening.now += 1.0
    told = evening.enter(TableSettled(evening.at, evening.at, read_table(f"{TABLE} / K1 K2 K3")))
    assert (one(told, Judged).late, one(told, Judged).stands) == (True, True)


def test_a_doubt_about_a_table_that_is_being_changed_runs_the_clock_until_it_settles(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K5 R5 O5 O5", doubts={9: "B5"})
    evening.now += 10.0
    evening.enter(TableMoving(evening.at))
    assert kinds(evening.wait(10.0)) == ["LookingAgain", "ClockRuns"]
    assert (evening.match.phase, evening.match.seat) == (Phase.DOUBT, 0)
    assert one(evening.lay(f"{TABLE} / K5 R5 O5"), Judged).stands


def test_time_over_in_doubt_accuses_nobody(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K5 R5 K5", doubts={8: "O5"})
    evening.wait(60.0)
    told = evening.enter(TableStill(evening.at))
    assert isinstance(one(told, Judged).verdict, Undecided)
    assert one(evening.wait(15.0), Judged).stands


def test_backs_that_are_hardly_seen_leave_no_doubt(evening: Any) -> None:
    judged = one(evening.opened().play(f"{TABLE} / K5 R5 O5", backs=3), Judged)
    assert isinstance(judged.verdict, Legal)
    assert (judged.doubts, judged.stands) == ((), True)


def test_without_a_clock_nothing_runs_out(evening: Any) -> None:
    evening.start(house_rules=(("turn_seconds", 0),))
    assert evening.wait(5000.0) == ()
    assert one(evening.play(OPEN), Judged).stands


# Watching ---------------------------------------------------------------------------------------------------------


def test_the_table_is_watched_during_the_turn(evening: Any) -> None:
    told = evening.opened().lay(f"{TABLE} / K1 K2")
    assert not one(told, TableWatched).legal
    assert evening.lay(f"{TABLE} / K1 K2") == ()
    assert one(evening.lay(f"{TABLE} / K1 K2 K3"), TableWatched).legal


def test_the_opening_is_counted(evening: Any) -> None:
    evening.start()
    assert one(evening.lay("R7 R8 R9"), MeldCounted).points == 24
    assert one(evening.lay("R7 R8 R9 / K2 R2 O2"), MeldCounted).points == 30


# Undo, breaks, camera ---------------------------------------------------------------------------------------------


def test_a_press_by_mistake_is_taken_back(evening: Any) -> None:
    evening.start().play(OPEN)
    told = evening.enter(Undone(evening.at))
    assert one(told, TurnTakenBack).seconds_left == pytest.approx(56.0)
    assert (evening.match.seat, evening.match.turn) == (0, 1)
    assert one(evening.play(MORE), Judged).verdict.meld == 60


def test_an_undo_too_late_does_nothing(evening: Any) -> None:
    evening.start().play(OPEN)
    evening.wait(5.2)
    assert evening.enter(Undone(evening.at)) == ()


def test_a_break_stops_the_clock_and_a_press_ends_it(evening: Any) -> None:
    evening.start()
    evening.now += 10.0
    assert one(evening.enter(Paused(evening.at)), ClockStopped).reason is Reason.PAUSE
    assert evening.wait(500.0) == ()
    told = evening.enter(TurnEnded(evening.at))
    assert one(told, ClockRuns).seconds_left == pytest.approx(50.0)


def test_what_changed_in_a_break_is_told(evening: Any) -> None:
    evening.start().play(MORE)
    evening.enter(Paused(evening.at))
    evening.lay("R10 R11 R12 / B9 K9")
    told = evening.enter(Resumed(evening.at))
    assert one(told, TilesChanged).missing == parse_tiles("O9")


def test_a_lost_camera_stops_the_clock(evening: Any) -> None:
    evening.start()
    evening.now += 10.0
    evening.enter(CameraLost(evening.at))
    evening.now += 100.0
    assert one(evening.enter(CameraBack(evening.at)), ClockRuns).seconds_left == pytest.approx(50.0)


def test_a_press_while_the_camera_is_lost_is_judged_by_the_first_look_once_it_is_back(evening: Any) -> None:
    evening.start()
    evening.now += 10.0
    evening.enter(CameraLost(evening.at))
    assert evening.enter(TurnEnded(evening.at)) == ()
    evening.now += 100.0
    evening.enter(CameraBack(evening.at))
    assert isinstance(one(evening.lay("R10 R11 R12"), Judged).verdict, Legal)


def test_after_a_power_cut_the_same_table_goes_on_by_itself(evening: Any) -> None:
    evening.start().play(MORE)
    evening.now += 10.0
    evening.enter(Restarted(evening.at))
    told = evening.lay("K9 B9 O9 / R10 R11 R12")
    assert kinds(told) == ["ClockRuns"]
    assert one(told, ClockRuns).seconds_left == pytest.approx(50.0)


def test_after_a_power_cut_a_changed_table_waits_for_the_players(evening: Any) -> None:
    evening.start().play(MORE)
    evening.enter(Restarted(evening.at))
    told = evening.lay("K9 B9 O9 / R10 R11")
    assert one(told, TilesChanged).missing == parse_tiles("R12")
    assert evening.match.pauses.halted
    evening.now += 3.0
    assert "ClockRuns" in kinds(evening.enter(TurnEnded(evening.at)))


def test_a_player_leaves(evening: Any) -> None:
    evening.start().play(OPEN)
    told = evening.enter(PlayerLeft(evening.at, Seat(1)))
    assert kinds(told) == ["PlayerGone", "Restored", "TurnStarted"]
    assert one(told, PlayerGone).left == 1
    assert evening.match.seat == 2
    assert "MatchOver" in kinds(evening.enter(PlayerLeft(evening.at, Seat(0))))


# Games ------------------------------------------------------------------------------------------------------------


def test_rummikub_is_called(evening: Any) -> None:
    evening.start().lay(OPEN)
    told = evening.press(call=True)
    assert (one(told, GameWon).seat, one(told, GameWon).reason) == (0, Reason.CALLED)


def test_a_rack_that_must_be_empty_wins_without_a_call(evening: Any) -> None:
    evening.start()
    fourteen = "R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 / K5 B5 O5"
    assert one(evening.play(fourteen), GameWon).reason is Reason.EMPTY_RACK


def test_the_next_game_begins_when_the_table_is_cleared(evening: Any) -> None:
    evening.start(games=2).lay(OPEN)
    evening.press(call=True)
    evening.wait(6.0)
    told = evening.lay("")
    assert (one(told, GameStarted).game, one(told, GameStarted).seat) == (2, 1)


def test_the_next_game_waits_for_an_empty_table(evening: Any) -> None:
    evening.start(games=2).lay(OPEN)
    evening.press(call=True)
    assert one(evening.enter(NextGame(evening.at, Seat(2))), LookingAgain).reason is Reason.CLEAR
    evening.now += 6
    assert one(evening.lay(""), GameStarted).seat == 2


def test_tiles_shuffled_face_down_do_not_hold_up_the_next_game(evening: Any) -> None:
    evening.start(games=2).lay(OPEN)
    evening.press(call=True)
    evening.wait(6.0)
    assert evening.lay("R10", backs=40) == ()
    assert one(evening.lay("", backs=40), GameStarted).game == 2


def test_nor_do_they_once_it_is_wanted(evening: Any) -> None:
    evening.start(games=2).lay(OPEN)
    evening.press(call=True)
    evening.lay("", backs=40)
    assert one(evening.enter(NextGame(evening.at, Seat(2))), GameStarted).seat == 2


def test_the_match_ends_after_its_last_game(evening: Any) -> None:
    evening.start(games=1).lay(OPEN)
    evening.press(call=True)
    evening.wait(6.0)
    assert one(evening.lay(""), MatchOver).ranking[0] == "Ann"


def test_nobody_can_go_on_once_all_pass_with_the_pool_empty(evening: Any) -> None:
    evening.start("Ann Ben")
    evening.lay("")
    for _ in range(106 - 28):
        assert evening.press()[1].tiles == 1
    assert evening.press()[1].tiles == 0
    assert one(evening.press(), GameWon).reason is Reason.BLOCKED


def test_restored_is_told_with_the_frame(evening: Any) -> None:
    evening.start().play(MORE)
    evening.lay("R10 R11 / B9 K9 O9")
    evening.wait(60.0)
    evening.enter(TableStill(evening.at))
    assert one(evening.lay(MORE), Restored).frame_id == f"frame of {MORE}"


def test_time_over_says_when(evening: Any) -> None:
    evening.start()
    assert one(evening.wait(75.0), TimeOver).at == GAME_TURN
    assert isinstance(evening.told[-1], LookingAgain)
    assert [event.at for event in evening.told if isinstance(event, Warned)] == [45.0, 55.0]
