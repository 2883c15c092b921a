"""Pauses: a break, a lost camera, and a restart of the referee stop the clock."""

from dataclasses import replace

from referee.game.endgame.games import ask_to_clear, begin_when_cleared, is_table_clear
from referee.game.event_parts import Reason
from referee.game.events import CameraMoved, ClockRuns, ClockStopped
from referee.game.inputs import NEVER, CameraBack, CameraLost, Paused, Restarted, Resumed, RummikubCalled, TurnEnded
from referee.game.state import Match, Phase, Step, is_double_press, prepend, with_clock_running, with_clock_stopped
from referee.game.turns.observe import changes_since, lies_as
from referee.reading.inputs import CameraBumped, Seconds, TableSettled


def pause(match: Match, _paused: Paused) -> Step:
    """Stop the clock for a break."""
    return _halt(match, Reason.PAUSE)


def lose_camera(match: Match, _lost: CameraLost) -> Step:
    """Stop the clock until the camera is back: nobody may lose time because the referee is blind."""
    return _halt(replace(match, table=replace(match.table, still_since=None)), Reason.CAMERA)


def bump_camera(match: Match, bumped: CameraBumped) -> Step:
    """Note that the camera was pushed: play goes on, but the table must be seen again first."""
    blind = _in_time(replace(match, table=match.table.moved(), play=replace(match.play, first_look=None)))
    return blind, (CameraMoved(**match.event_header, registered=bumped.seen),)


def restart(match: Match, _restarted: Restarted) -> Step:
    """Resume after the referee was off; the table is compared before the clock runs again."""
    seeing = replace(match.pauses, halted=match.pauses.halted - {Reason.CAMERA})
    match, events = _halt(replace(match, pauses=seeing), Reason.RESTART)
    blind = replace(
        match,
        pressed_at=NEVER,
        play=replace(match.play, deadline=min(match.play.deadline, match.now)),
        table=replace(match.table.moved(), unseen=False),
        dispute=replace(match.dispute, proposal=None),
    )
    return blind, events


def _halt(match: Match, reason: Reason) -> Step:
    if reason in match.pauses.halted:
        return match, ()
    pauses = replace(match.pauses, halted=match.pauses.halted | {reason})
    if not match.pauses.halted:
        known = match.turn_start.tables if match.table.current is None else match.table.current.hypotheses.tables
        pauses = replace(pauses, reference=known, change_told=False)
    halted = replace(match, pauses=pauses, play=replace(with_clock_stopped(match), wait_until=None))
    return halted, (ClockStopped(**halted.event_header, reason=reason),)


def pause_before_game(match: Match, _paused: Paused) -> Step:
    """Take a break before a game that waits for a cleared table; between games there is always one."""
    return pause(match, _paused) if match.game > len(match.results) else (match, ())


def resume(match: Match, _resumed: Resumed) -> Step:
    """Resume after a break, and report what has changed on the table; a game begins on a cleared table."""
    if match.pauses.halted <= {Reason.PAUSE} and (match.table.unseen or match.phase is Phase.CLEARING):
        awake = replace(match, pauses=replace(match.pauses, halted=frozenset()))
        if not is_table_clear(match):
            return ask_to_clear(awake)
        if match.phase is Phase.CLEARING and match.table.current is not None:
            return begin_when_cleared(awake)
    return _lift(match, Reason.PAUSE, Reason.RESTART)


def resume_by_press(match: Match, _pressed: TurnEnded | RummikubCalled) -> Step:
    """Resume at any press in a break."""
    return (match, ()) if is_double_press(match) else resume(replace(match, pressed_at=match.now), Resumed(match.now))


def camera_back(match: Match, _back: CameraBack) -> Step:
    """Go on as soon as the camera answers again."""
    return _lift(match, Reason.CAMERA)


def look_halted(match: Match, _settled: TableSettled | None = None) -> Step:
    """Resume after a restart if the table is unchanged; otherwise report the changes and wait."""
    if Reason.RESTART not in match.pauses.halted or match.table.current is None:
        return match, ()
    if lies_as(match, match.pauses.reference):
        return _lift(match, Reason.RESTART)
    return _tell_changes(match)


def _tell_changes(match: Match) -> Step:
    changes = () if match.pauses.change_told else changes_since(match, match.pauses.reference)
    return replace(match, pauses=replace(match.pauses, change_told=True)) if changes else match, changes


def _in_time(match: Match) -> Match:
    """Count the table as laid in time: nobody saw when it came to rest."""
    return replace(match, play=replace(match.play, deadline=match.now)) if match.play.late else match


def _lift(match: Match, *reasons: Reason) -> Step:
    left = match.pauses.halted.difference(reasons)
    if left == match.pauses.halted:
        return match, ()
    if match.pauses.halted - left != {Reason.PAUSE}:
        match = _in_time(match)
    if left:
        halted = replace(match, pauses=replace(match.pauses, halted=left))
        return halted, (ClockStopped(**match.event_header, reason=min(left)),)
    known, changes = _tell_changes(match)
    freed = replace(known, pauses=replace(known.pauses, halted=left))
    wait = {
        Phase.LOOKING: freed.limits.settle_seconds,
        Phase.TIME_UP: freed.limits.settle_seconds,
        Phase.DOUBT: freed.limits.doubt_seconds,
    }.get(freed.phase)
    play = with_clock_running(freed) if freed.phase is Phase.TURN else freed.play
    freed = replace(freed, play=replace(play, wait_until=None if wait is None else Seconds(freed.now + wait)))
    return prepend(
        (freed, ()), *changes, ClockRuns(**freed.event_header, seconds_left=freed.play.clock.left_at(freed.now))
    )
