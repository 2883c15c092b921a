"""Within one turn: the press, the look, the verdict, and what follows when time runs out."""

from dataclasses import replace
from typing import assert_never

from referee.game.endgame.games import ask_to_clear, finish_game, has_leftover_tiles, next_turn
from referee.game.event_parts import Reason
from referee.game.events import (
    ClockRuns,
    CountDiffers,
    Judged,
    LookingAgain,
    MeldCounted,
    TableWatched,
    TimeOver,
    Warned,
    WrongSeat,
)
from referee.game.inputs import (
    RummikubCalled,
    Seconds,
    TableMoving,
    TableSettled,
    TableStill,
    TurnEnded,
)
from referee.game.jokers import jokers_in_play
from referee.game.state import (
    JudgedTurn,
    Match,
    Phase,
    Step,
    TableObservation,
    TurnStart,
    forget_judged,
    forget_undo,
    is_double_press,
    none_passed,
    prepend,
    with_clock_running,
    with_clock_stopped,
    with_player,
)
from referee.game.table.certainty import ALL_READ
from referee.game.table.differences import same_sets
from referee.game.table.hypotheses import TableHypotheses, merge
from referee.game.table.judging import TableJudgement, judge_hypotheses
from referee.game.turns.drawing import draw_and_play_on, draw_for_no_play, may_play_on
from referee.game.turns.restoring import begin_restore, restore
from referee.rules.choices import OutOfTime
from referee.rules.verdict import Illegal, Legal, Outcome, Undecided

# The button -------------------------------------------------------------------------------------------------------


def press(match: Match, pressed: TurnEnded | RummikubCalled) -> Step:
    """End the turn: the clock is stopped and the table is judged as soon as a look confirms it."""
    if is_double_press(match) or pressed.seat not in {None, *match.setup.seats}:  # a button where nobody sits
        return match, ()
    if pressed.seat is not None and pressed.seat != match.seat:
        return match, (WrongSeat(**match.event_header, pressed=pressed.seat),)
    match = forget_judged(replace(match, play=with_clock_stopped(match)))
    play = replace(match.play, claims_win=isinstance(pressed, RummikubCalled), first_look=None)
    waiting = replace(
        match,
        phase=Phase.LOOKING,
        pressed_at=match.now,
        play=replace(play, wait_until=_in(match, match.limits.settle_seconds)),
        undo=match.checkpoint,
    )
    return look(waiting)


def press_while_waiting(match: Match, pressed: TurnEnded | RummikubCalled) -> Step:
    """Take a press while the table is being looked at as a call of "Rummikub!", if it is one."""
    called = match.play.claims_win or isinstance(pressed, RummikubCalled)
    return replace(match, play=replace(match.play, claims_win=called)), ()


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


def report_hands(match: Match, _moving: TableMoving) -> Step:
    """Report that hands over the table delay the verdict."""
    return match, (LookingAgain(**match.event_header, reason=Reason.HANDS),)


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
    step: Step = replace(_looked_at(match), play=play), ()
    if verdict.meld is not None and verdict.meld != match.play.meld_told:
        step = prepend(step, MeldCounted(**match.event_header, points=verdict.meld, needed=match.rules.initial_meld))
    if legal != match.play.watched_legal:
        frame_id = now.reading.frame_id
        step = prepend(step, TableWatched(**match.event_header, legal=legal, verdict=verdict, frame_id=frame_id))
    return step


def _begun_for_sure(match: Match, now: TableObservation) -> Match:
    """Return the match without a doubt of its turn's beginning, once a look is sure of the one table that began it."""
    start, seen = match.turn_start, now.hypotheses
    if start.observation is None or start.observation.hypotheses.sure or not seen.sure:
        return match
    if len(start.tables) > 1 or not all(same_sets(start.best, table) for table in seen.tables):
        return match
    return replace(match, turn_start=replace(start, tables=seen.tables, observation=now))


# The verdict ------------------------------------------------------------------------------------------------------


def judge_seen(match: Match, seen: TableHypotheses) -> TableJudgement:
    """Judge the table seen against the table at the start of the turn."""
    start = match.turn_start
    began = None if start.observation is None else start.observation.hypotheses
    return judge_hypotheses(
        start.tables,
        seen,
        opened=match.player.opened,
        rules=match.rules,
        unlikely=start.disputed if began is None else start.disputed | began.improbable,
        began=ALL_READ if began is None else began.certain,
    )


def judge(match: Match, _seen: TableSettled | None = None) -> Step:
    """Judge the table: legal ends the turn, illegal continues it, undecided reads again; one reading accuses nobody."""
    if match.table.current is None:
        return match, ()
    since = match.table.current.since
    seen = merge(match.play.first_look, match.table.current.hypotheses)
    judgement = judge_seen(match, seen)
    if isinstance(judgement.verdict, Illegal) and match.play.first_look is None:
        twice = _judge_twice(match, match.table.current)
        if twice is None:
            play = replace(match.play, first_look=match.table.current.hypotheses)
            return replace(match, play=play, table=replace(match.table, current=None)), ()
        judgement = twice
    match = keep_judged(replace(match, play=replace(match.play, first_look=None, doubt=None)), match.table.current)
    match judgement.verdict:
        case Legal(outcome=Outcome.NO_PLAY) if may_play_on(match):
            return prepend(draw_and_play_on(match), _judged(match, judgement, stands=False))
        case Legal():
            return pass_on(match, judgement, since)
        case Illegal():
            return send_back(match, judgement)
        case Undecided():
            return _doubt(match, judgement)
        case _:
            assert_never(judgement.verdict)


def _judge_twice(match: Match, observation: TableObservation) -> TableJudgement | None:
    """Return the accusation that two looks before the press agree on, without motion between them."""
    if observation.earlier is None:
        return None
    seen = merge(observation.earlier, observation.hypotheses)
    judgement = judge_seen(match, seen)
    return judgement if isinstance(judgement.verdict, Illegal) else None


def keep_judged(match: Match, observation: TableObservation, *, ordered: bool = False) -> Match:
    """Return the match with its turn recorded as judged by this look, so that it can be judged again."""
    judged = JudgedTurn(checkpoint=match.checkpoint, observation=observation, undo=match.undo, ordered=ordered)
    return replace(match, dispute=replace(match.dispute, judged=judged))


def send_back(match: Match, judgement: TableJudgement) -> Step:
    """Announce an illegal turn; its player continues, or restores the table where the time is over."""
    unfit = replace(match, play=replace(match.play, watched_legal=False))
    after = begin_restore(match) if match.play.late or match.seat in match.gone else play_on(unfit)
    return prepend(after, _judged(match, judgement, stands=False))


def pass_on(match: Match, judgement: TableJudgement, since: Seconds) -> Step:
    """End a legal turn: draw where nothing was played; restore where the play came too late."""
    if judgement.verdict.outcome is Outcome.NO_PLAY:
        return prepend(draw_for_no_play(_begin_from(match, judgement)), _judged(match, judgement, stands=True))
    if match.play.late and since > match.play.deadline + match.limits.grace_seconds:
        return prepend(begin_restore(match), _judged(match, judgement, stands=False))
    return accept(match, judgement)


def accept(match: Match, judgement: TableJudgement, by: str = "") -> Step:
    """Accept the table: count its tiles as played and move on, unless the rack is empty."""
    played = len(judgement.verdict.played)
    counted = max(0, match.player.rack - played)
    left = 0 if match.play.claims_win and played else counted
    over = none_passed(_begin_from(match, judgement) if by else _begin_in_doubt(match, judgement))
    over = with_player(over, replace(over.player, rack=left, opened=over.player.opened or played > 0))
    event = _judged(match, judgement, stands=True, by=by)
    if played and left == 0:
        won, news = finish_game(over, Reason.CALLED if match.play.claims_win else Reason.EMPTY_RACK)
        differs = (CountDiffers(**won.event_header, left=counted),) if counted else ()
        return won, (event, *news, *differs)
    return prepend(next_turn(over), event)


def _begin_from(match: Match, judgement: TableJudgement) -> Match:
    """Return the match with the table seen as the one the next turn begins with."""
    return replace(match, turn_start=TurnStart(tables=judgement.tables, observation=match.table.current))


def _begin_in_doubt(match: Match, judgement: TableJudgement) -> Match:
    """Return the match in which the table before a doubtful turn is still possible, as the turn may be taken back."""
    begun = _begin_from(match, judgement)
    if not isinstance(judgement.verdict, Undecided):
        return begun
    known = {*match.turn_start.disputed, *judgement.tables}
    taken_back = tuple(table for table in match.turn_start.tables if table not in known)
    tables = (*judgement.tables, *taken_back)
    return replace(begun, turn_start=replace(begun.turn_start, tables=tables, disputed=frozenset(taken_back)))


def play_on(match: Match) -> Step:
    """Resume the turn of the player to move, with the clock as it was."""
    play = replace(with_clock_running(match), wait_until=None, claims_win=False, first_look=None)
    runs = replace(forget_undo(match), phase=Phase.TURN, play=play)
    if runs.pauses.halted:
        return runs, ()
    return runs, (ClockRuns(**runs.event_header, seconds_left=runs.play.clock.left_at(runs.now)),)


def _doubt(match: Match, judgement: TableJudgement) -> Step:
    covered = judgement.seen.certain.covered and not judgement.seen.doubts
    reason = Reason.HANDS if covered else Reason.DOUBT
    asked = LookingAgain(**match.event_header, reason=reason, doubts=judgement.seen.doubts)
    play = replace(match.play, doubt=judgement)
    if match.phase is Phase.DOUBT:
        return replace(match, play=play), ()
    waiting = replace(match, phase=Phase.DOUBT, play=replace(play, wait_until=_in(match, match.limits.doubt_seconds)))
    return waiting, (_judged(match, judgement, stands=False), asked)


def _judged(match: Match, judgement: TableJudgement, *, stands: bool, by: str = "") -> Judged:
    return Judged(
        **match.event_header,
        verdict=judgement.verdict,
        before=judgement.before,
        table=judgement.table,
        frame_id=judgement.seen.frame_id,
        frame_at=Seconds(judgement.seen.frame_at),
        stands=stands,
        doubts=judgement.seen.doubts,
        late=match.play.late,
        by=by,
        jokers=jokers_in_play(judgement.table, match.rules),
    )


def _in(match: Match, seconds: float) -> Seconds:
    return Seconds(match.now + seconds)


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
    play = replace(play, wait_until=_in(match, match.limits.settle_seconds))
    over = replace(forget_judged(forget_undo(match)), phase=Phase.TIME_UP, play=play)
    return over, (TimeOver(**over.event_header),)


def wait_over(match: Match) -> Step:
    """Give up waiting for hands to go or for a doubt to be settled; a doubt never becomes an accusation."""
    longer = replace(match, play=replace(match.play, wait_until=_in(match, match.limits.settle_seconds)))
    if match.play.first_look is not None:
        return longer, ()  # the second look is on its way
    if match.phase is Phase.DOUBT and match.play.doubt is not None and match.table.current is not None:
        return accept(match, match.play.doubt)
    event = LookingAgain(**match.event_header, reason=Reason.HANDS)
    if match.play.late or match.seat in match.gone:
        return longer, (event,)
    return prepend(play_on(match), event)
