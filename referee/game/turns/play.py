"""Within one turn: the press, the look that it waits for, and what follows when time runs out."""

from dataclasses import replace

from referee.game.endgame.games import ask_to_clear, finish_game, has_leftover_tiles
from referee.game.event_parts import Reason
from referee.game.events import (
    ClockRuns,
    LookingAgain,
    MeldCounted,
    TableWatched,
    TimeOver,
    Warned,
    WrongSeat,
)
from referee.game.inputs import RummikubCalled, Seat, TurnEnded
from referee.game.openings import settle_openings
from referee.game.state import (
    Match,
    Phase,
    Step,
    TableObservation,
    TurnState,
    forget_judged,
    forget_undo,
    is_double_press,
    prepend,
    with_clock_running,
    with_clock_stopped,
    with_player,
)
from referee.game.table.differences import same_sets
from referee.game.turns.pauses import resume_by_press
from referee.game.turns.restoring import restore
from referee.game.turns.verdict import accept, judge, judge_seen
from referee.reading.inputs import TableMoving, TableSettled, TableStill
from referee.rules.choices import OutOfTime
from referee.rules.verdict import Legal, Undecided

_MANY_SETS = 4  # nobody takes so many off the table in one turn: the game is over

# The button -------------------------------------------------------------------------------------------------------


def press(match: Match, pressed: TurnEnded | RummikubCalled) -> Step:
    """End the turn: the clock is stopped and the table is judged as soon as a look confirms it."""
    if is_double_press(match) or pressed.seat not in {None, *match.setup.seats}:  # a button where nobody sits
        return match, ()
    if pressed.seat is not None and pressed.seat != match.seat:
        return match, (WrongSeat(**match.event_header, pressed=pressed.seat),)
    match = forget_judged(replace(match, play=with_clock_stopped(match), strayed=None))
    play = replace(match.play, claims_win=isinstance(pressed, RummikubCalled), first_look=None)
    waiting = replace(
        match,
        phase=Phase.LOOKING,
        pressed_at=match.now,
        play=replace(play, wait_until=match.in_seconds(match.limits.settle_seconds)),
        undo=match.checkpoint,
    )
    return look(waiting)


def press_halted(match: Match, pressed: TurnEnded | RummikubCalled) -> Step:
    """End the turn if only the camera is lost: the first look once it is back judges it; in a break, resume."""
    if match.phase is not Phase.TURN or match.pauses.halted != {Reason.CAMERA}:
        return resume_by_press(match, pressed)
    waiting, events = press(match, pressed)
    return replace(waiting, play=replace(waiting.play, wait_until=None)), events


def call(match: Match, called: RummikubCalled) -> Step:
    """End the turn with "Rummikub!"; or the game, where the player before is asked and answers so."""
    owner = match.turn_start.may_be_empty
    if owner is None or not match.asks_whether_empty(called.seat):
        return press(match, called)
    return won_before(match, owner)


def won_before(match: Match, owner: Seat) -> Step:
    """End the game with the turn before, whose player is known now to have emptied the rack."""
    before = forget_judged(replace(match, seat=owner, turn=match.turn - 1, play=TurnState(), pressed_at=match.now))
    return finish_game(with_player(before, replace(before.player, rack=0, spare=0)), Reason.CALLED)


# Looks ------------------------------------------------------------------------------------------------------------


def look(match: Match, _seen: TableSettled | TableStill | None = None) -> Step:
    """Judge the table if there was a look since the press, or since the time ran out."""
    if match.table.current is None or match.table.current.at < match.judged_from:
        return match, ()
    if has_leftover_tiles(match):
        return ask_to_clear(match)
    return judge(_looked_at(match))


def _looked_at(match: Match) -> Match:
    return replace(match, table=replace(match.table, unseen=False))


def look_restored(match: Match, settled: TableSettled) -> Step:
    """Look whether the table is restored; a press that its next player made once it lay so counts then."""
    ahead = match.play.ahead
    after, events = restore(match)
    if ahead is None or after.phase is not Phase.TURN or after.seat != ahead.seat or settled.since > ahead.at:
        return after, events
    return prepend(press(after, ahead), *events)


def hands_reach_in(match: Match) -> bool:
    """Return whether something as large as a hand moves or lies over the table, as far as anybody knows."""
    seen = match.table.current
    return match.table.reached is not False if seen is None else bool(seen.read.reached)


def report_hands(match: Match, moving: TableMoving) -> Step:
    """Report that hands, or something else that moves, delay the verdict."""
    reason = Reason.LOOK if moving.reached is False else Reason.HANDS
    return match, (LookingAgain(**match.event_header, reason=reason),)


def watch(match: Match, _settled: TableSettled | None = None) -> Step:
    """Report during a turn whether the table could be left, and what an opening is worth so far."""
    now = match.table.current
    if now is None:
        return match, ()
    if has_leftover_tiles(match):
        return ask_to_clear(match)
    match = _begun_for_sure(match, now)
    verdict = judge_seen(match, now.hypotheses).verdict
    if isinstance(verdict, Undecided):
        return _looked_at(match), ()
    legal = isinstance(verdict, Legal)
    play = replace(match.play, watched_legal=legal, meld_told=verdict.meld or 0)
    bared = match.bared or (now.is_cleared and len(match.turn_start.best.sets) >= _MANY_SETS)
    step: Step = replace(_looked_at(match), play=play, bared=bared), ()
    if verdict.meld is not None and verdict.meld != match.play.meld_told:
        step = prepend(step, MeldCounted(**match.event_header, points=verdict.meld, needed=match.rules.initial_meld))
    if legal != match.play.watched_legal:
        frame_id = now.reading.frame_id
        step = prepend(step, TableWatched(**match.event_header, legal=legal, verdict=verdict, frame_id=frame_id))
    return step


def _begun_for_sure(match: Match, now: TableObservation) -> Match:
    """Return the match without a doubt of its turn's beginning, once a look is sure of the one table that began it."""
    start, seen, began = match.turn_start, now.hypotheses, match.turn_start.observation
    if began is None or not seen.sure:
        return match
    same = all(same_sets(start.best, table) for table in seen.tables)
    if start.open and not start.first_seen:
        legal = not same and isinstance(judge_seen(match, seen).verdict, Legal | Undecided)
        start = replace(start, open=not same, first_seen=seen.tables if legal else ())
    if same and len(start.tables) == 1 and not began.hypotheses.sure:
        start = replace(start, tables=seen.tables, observation=now)
    match = replace(match, turn_start=start)
    return settle_openings(match) if same else match


# Time -------------------------------------------------------------------------------------------------------------


def warn(match: Match) -> Step:
    """Warn that little time is left."""
    first, *rest = match.play.warnings
    return replace(match, play=replace(match.play, warnings=tuple(rest))), (
        Warned(**match.event_header, seconds_left=first),
    )


def time_over(match: Match) -> Step:
    """Stop the turn: the table is judged as it lies, or as soon as the hands are away. Where time loses, stop the game.

    Such a game lost on time can be taken up again by the organiser, who sets the clock.
    """
    if match.rules.out_of_time is OutOfTime.LOSE:
        stopped = forget_judged(forget_undo(replace(match, play=replace(with_clock_stopped(match), warnings=()))))
        lost, events = finish_game(replace(stopped, undo=stopped.checkpoint), Reason.TIME_OVER)
        return lost, (TimeOver(**match.event_header), *events)
    play = replace(with_clock_stopped(match), deadline=match.now, warnings=())
    play = replace(play, wait_until=match.in_seconds(match.limits.settle_seconds))
    over = replace(forget_judged(forget_undo(match)), phase=Phase.TIME_UP, play=play)
    return over, (TimeOver(**over.event_header),)


def wait_over(match: Match) -> Step:
    """Give up waiting for a doubt to be settled, which never becomes an accusation; a press waits for a look."""
    longer = replace(match, play=replace(match.play, wait_until=match.in_seconds(match.limits.settle_seconds)))
    if match.play.first_look is not None:
        return longer, ()  # the second look is on its way
    if match.phase is Phase.DOUBT and match.play.doubt is not None and match.table.current is not None:
        return accept(match, match.play.doubt)
    reason = Reason.HANDS if hands_reach_in(match) else Reason.LOOK
    told = LookingAgain(**match.event_header, reason=reason)
    if match.play.late or match.seat in match.gone or match.play.clock.since is not None:
        return longer, (told,)
    runs = replace(longer, play=with_clock_running(longer))  # or a hand over the table would stop it for good
    return runs, (told, ClockRuns(**match.event_header, seconds_left=runs.play.clock.left_at(runs.now)))
