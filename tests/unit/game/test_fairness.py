"""Nobody gains or loses by what is not theirs: a blind referee, another's undo or clock, a call with nothing laid."""

from dataclasses import replace

from referee.game.correction_types import TileIs
from referee.game.event_parts import Reason
from referee.game.events import Drew, GameWon, Judged, RestoreNeeded, TurnTakenBack
from referee.game.inputs import (
    CameraBack,
    CameraLost,
    ClockSet,
    LetStand,
    NextGame,
    Paused,
    RacksTold,
    Resumed,
    Ticked,
    Undone,
)
from referee.game.limits import Limits
from referee.game.state import Phase
from referee.protocol.command import Sender
from referee.protocol.commands import parse_command
from referee.protocol.subject import Moment
from referee.reading.inputs import Seconds, TableMoving, TableSettled
from referee.rules.notation import parse_table, parse_tile
from referee.rules.verdict import Undecided

from .conftest import TABLE, Evening, kinds, one, reading  # isort: skip


def test_a_call_with_nothing_laid_where_only_names_are_in_doubt_is_a_turn_without_a_play(evening: Evening) -> None:
    evening.opened().lay(f"{TABLE} / K1", doubts={6: "K7"})
    evening.lay(TABLE, doubts={5: "O1"})
    evening.press(call=True)
    assert one(evening.wait(16), Drew).tiles == 1
    assert evening.match.racks == (12, 11)


def test_a_table_let_stand_is_not_taken_back_by_the_undo_of_the_press_before(evening: Evening) -> None:
    evening.start("Ann Ben Cem")
    evening.play("R10 R11 R12")
    evening.press()
    evening.lay(TABLE)
    evening.enter(LetStand(evening.at, "organiser"))
    evening.now += 3
    assert evening.enter(Undone(evening.at)) == ()
    assert (evening.match.seat, [player.opened for player in evening.match.players]) == (0, [True, False, True])


def test_the_clock_set_in_a_turn_is_not_that_of_the_turn_before(evening: Evening) -> None:
    evening.start("Ann Ben Cem")
    evening.wait(50)
    evening.play("R10 R11 R12")
    left = evening.match.undo.play.clock.left if evening.match.undo else None
    evening.now += 0.5
    evening.enter(ClockSet(evening.at, 300.0, "organiser"))
    told = one(evening.enter(Undone(evening.at)), TurnTakenBack)
    assert told.seconds_left == left
    assert left is not None
    assert left < 20


def test_who_laid_what_does_not_stand_could_have_played_though_the_pool_is_empty(evening: Evening) -> None:
    evening.opened()
    full = tuple(replace(player, rack=50) for player in evening.match.players)
    evening.match = replace(evening.match, players=full)
    evening.press()
    evening.lay("R10 R11 R12 R13 / B10 K10 O10 / K1 K2")
    evening.wait(61)
    evening.enter(TableSettled(evening.at, Seconds(evening.now - 0.2), evening.seen))
    told = evening.lay(TABLE)
    assert one(told, Drew).reason is Reason.PENALTY
    assert GameWon.__name__ not in kinds(told)
    assert evening.match.phase is Phase.TURN


def test_a_table_that_came_to_rest_while_the_camera_was_silent_is_in_time(evening: Evening) -> None:
    start = evening.opened().now
    evening.now = start + 56
    evening.enter(TableMoving(evening.at))
    for at, entered in ((60.5, Ticked), (61.5, CameraLost), (70.0, CameraBack)):
        evening.now = start + at
        evening.enter(entered(evening.at))
    told = evening.enter(TableSettled(evening.at, evening.at, reading("R10 R11 R12 R13 / B10 K10 O10")))
    assert one(told, Judged).stands
    assert RestoreNeeded.__name__ not in kinds(told)


def test_a_break_after_the_time_is_over_gives_no_more_of_it(evening: Evening) -> None:
    evening.opened().lay(f"{TABLE} / K1")
    evening.wait(58)
    evening.enter(TableMoving(evening.at))
    evening.wait(5)
    assert evening.match.play.late
    evening.enter(Paused(evening.at))
    evening.wait(30)
    evening.enter(Resumed(evening.at))
    assert not one(evening.lay("R10 R11 R12 R13 / B10 K10 O10"), Judged).stands


def test_a_second_set_like_one_that_was_let_stand_is_answered_for(evening: Evening) -> None:
    evening.opened().lay(f"{TABLE} / R1 R2")
    evening.press()
    evening.enter(LetStand(evening.at, "organiser"))
    assert evening.match.seat == 1
    assert not one(evening.play(f"{TABLE} / R1 R2 / R1 R2"), Judged).stands
    assert one(evening.play(f"{TABLE} / R1 R2 / O1 O2 O3"), Judged).stands


def test_the_racks_of_a_game_before_are_searched_by_who_had_not_opened_in_it(evening: Evening) -> None:
    evening.start("Ann Ben Cem", edition="3in1-standard", games=4)
    evening.lay("R10 R11 R12")
    evening.press(call=True)  # Ben and Cem never opened
    evening.now += 6
    evening.lay("")
    if evening.match.game == 1:
        evening.enter(NextGame(evening.at))
    for table in ("R10 R11 R12", "R10 R11 R12 / B10 B11 B12", "R10 R11 R12 / B10 B11 B12 / K10 K11 K12"):
        evening.play(table)
    evening.lay("R10 R11 R12 R13 / B10 B11 B12 / K10 K11 K12")
    evening.press(call=True)  # in this game all did
    said = {"say": "racks", "game": 1, "racks": {"1": "K9 R9 B9 O9 K5", "2": "K1 K2 R1"}}
    told = parse_command(said, Moment(evening.match, "evening"), Sender("organiser"), Limits()).entered
    assert isinstance(told, RacksTold)
    assert told.could_open == (1,)
    latest = parse_command({**said, "game": 2}, Moment(evening.match, "evening"), Sender("organiser"), Limits()).entered
    assert isinstance(latest, RacksTold)
    assert latest.could_open == ()


def test_a_tile_named_later_leaves_what_may_have_been_taken_back_possible(evening: Evening) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 K3", doubts={8: "K7"})
    evening.press()
    evening.wait(16)
    evening.lay(f"{TABLE} / O1 O2 O3", doubts={0: "R9"})  # the black tiles were wrong, or were taken
    evening.press()
    evening.wait(16)
    evening.lay(f"{TABLE} / K1 K2 K3", doubts={0: "R9"})
    evening.press()
    told = evening.say(TileIs(0, parse_tile("R10")))
    assert isinstance(one(told, Judged).verdict, Undecided)
    assert parse_table(f"{TABLE} / K1 K2 K3") in evening.match.turn_start.tables
