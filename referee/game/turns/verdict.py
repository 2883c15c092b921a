"""The verdict of a turn, and what follows from it: the next player, the same one, a won game, or a doubt."""

from dataclasses import replace
from typing import assert_never

from referee.game.endgame.games import finish_game, next_turn
from referee.game.event_parts import Reason
from referee.game.events import ClockRuns, CountDiffers, EmptyRackAsked, Judged, LookingAgain, ThreadLost
from referee.game.jokers import jokers_in_play
from referee.game.openings import perhaps_opened, surely_opened
from referee.game.state import (
    JudgedTurn,
    Match,
    Phase,
    Player,
    Step,
    TableObservation,
    TurnStart,
    forget_undo,
    none_passed,
    prepend,
    with_clock_running,
    with_item,
    with_player,
)
from referee.game.table.certainty import ALL_READ
from referee.game.table.hypotheses import TableHypotheses, merge
from referee.game.table.judging import TableJudgement, as_unseen, either_beginning, judge_hypotheses
from referee.game.turns.counting import (
    count_turn_before,
    laid_nothing,
    lower_count,
    not_empty,
    uncertain_count,
    uncounted,
)
from referee.game.turns.drawing import draw_and_play_on, draw_for_no_play, may_play_on
from referee.game.turns.restoring import begin_restore
from referee.reading.inputs import Seconds, TableSettled
from referee.rules.table import Table
from referee.rules.verdict import Illegal, Legal, Outcome, Undecided


def judge_seen(match: Match, seen: TableHypotheses) -> TableJudgement:
    """Judge the table seen against the table at the start of the turn."""
    start = match.turn_start
    judged = _judge_from(match, start.tables, seen)
    if match.play.mixed and isinstance(judged.verdict, Illegal):
        return as_unseen(judged)
    if not start.open or _covered_as_then(start, seen):
        return judged
    return either_beginning(judged, _judge_from(match, start.first_seen or judged.tables, seen))


def _covered_as_then(start: TurnStart, seen: TableHypotheses) -> bool:
    """Return whether all that was covered when the turn began still is: none of it can have come to light."""
    covered = frozenset() if start.observation is None else start.observation.hypotheses.certain.covered
    return bool(covered) and covered <= seen.certain.covered


def _judge_from(match: Match, tables: tuple[Table, ...], seen: TableHypotheses) -> TableJudgement:
    start = match.turn_start
    began = None if start.observation is None else start.observation.hypotheses
    return judge_hypotheses(
        tables,
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
        case Undecided():  # another look cannot tell which of two turns laid what
            return accept(match, judgement) if judgement.unseen else _doubt(match, judgement)
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
        counted = _begin_from(_counted_before(match, judgement), judgement)
        return prepend(draw_for_no_play(counted), _judged(match, judgement, stands=True))
    if match.play.late and since > match.play.deadline + match.limits.grace_seconds:
        return prepend(begin_restore(match), _judged(match, judgement, stands=False))
    return accept(match, judgement)


def accept(match: Match, judgement: TableJudgement, by: str = "") -> Step:
    """Accept the table: count its tiles as played and move on, unless the rack is empty."""
    event = _judged(match, judgement, stands=True, by=by)
    if isinstance(judgement.verdict, Undecided):
        return prepend(_leave_undecided(match, judgement, ordered=bool(by)), event)
    counted = _counted_before(match, judgement)
    played = len(judgement.verdict.played)
    player = lower_count(surely_opened(counted.player, judgement, match.rules), played)
    over = with_player(none_passed(_begin_from(match, judgement)), player)
    over = replace(over, players=with_item(counted.players, match.seat, over.player))
    if played and match.play.claims_win:
        return prepend(_called(over, player), event)
    if played and player.rack == 0:
        ends = _ask_whether_empty(over, player) if player.spare else finish_game(over, Reason.EMPTY_RACK)
        return prepend(ends, event)
    return prepend(next_turn(over), event)


def _counted_before(match: Match, judgement: TableJudgement) -> Match:
    """Return the match with the rack counted of an undecided turn before, as far as this verdict tells."""
    return match if match.turn_start.open else count_turn_before(match, judgement.before)


def _called(over: Match, player: Player) -> Step:
    """End the game of a player who calls "Rummikub!", and tell if the count differs."""
    won, news = finish_game(with_player(over, replace(player, rack=0, spare=0)), Reason.CALLED)
    differs = (CountDiffers(**won.event_header, left=player.rack),) if player.rack else ()
    return won, (*news, *differs)


def _leave_undecided(match: Match, judgement: TableJudgement, *, ordered: bool) -> Step:
    """Let an undecided table stand and the next player move: nobody is accused, and no count of tiles ends the game."""
    begun = _begin_from(match, judgement) if ordered else _begin_in_doubt(match, judgement)
    if not ordered and laid_nothing(match, judgement):
        return draw_for_no_play(begun)
    begun = begun if ordered else one_more_astray(begun)
    counted = uncertain_count(match, judgement)
    laid = counted.rack < match.player.rack
    by_order = replace(counted, opened=True, opened_after=()) if laid else counted
    player = by_order if ordered else perhaps_opened(match, counted)
    certain = judgement.seen.certain
    unseen = bool(certain.covered) or certain.hidden or certain.astray
    start = replace(begun.turn_start, uncounted=uncounted(match), open=unseen and not ordered)
    over = with_player(none_passed(replace(begun, turn_start=start)), player)
    asks = laid and (player.rack == 0 or match.play.claims_win)
    return tell_if_lost(_ask_whether_empty(over, player) if asks else next_turn(over))


def one_more_astray(match: Match) -> Match:
    """Return the match with one more turn that stood without a verdict."""
    return replace(match, astray=match.astray + 1)


def tell_if_lost(step: Step) -> Step:
    """Add to the end of a turn that the referee has lost the thread, if it has."""
    match, events = step
    seen = match.table.current or match.table.shown
    if not match.has_lost_thread or seen is None:
        return step
    lost = ThreadLost(
        **match.event_header,
        turns=match.astray,
        before=match.turn_start.best,
        table=seen.hypotheses.best,
        frame_id=seen.reading.frame_id,
    )
    return match, (*events, lost)


def _ask_whether_empty(match: Match, player: Player) -> Step:
    """Give the next player the turn, and ask whether this one has won it: the count alone cannot tell."""
    start = replace(match.turn_start, may_be_empty=match.seat)
    asked = EmptyRackAsked(**match.event_header, owner=match.seat, at_most=player.rack + player.spare)
    return prepend(next_turn(with_player(replace(match, turn_start=start), not_empty(player))), asked)


def _begin_from(match: Match, judgement: TableJudgement) -> Match:
    """Return the match with the table seen as the one the next turn begins with."""
    astray = match.astray if isinstance(judgement.verdict, Undecided) else 0
    return replace(match, turn_start=TurnStart(tables=judgement.tables, observation=match.table.current), astray=astray)


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
    reason = Reason.HANDS if judgement.undecided_by is Reason.HANDS else Reason.DOUBT
    asked = LookingAgain(**match.event_header, reason=reason, doubts=judgement.seen.doubts)
    play = replace(match.play, doubt=judgement)
    if match.phase is Phase.DOUBT:
        return replace(match, play=play), ()
    waiting = replace(
        match, phase=Phase.DOUBT, play=replace(play, wait_until=match.in_seconds(match.limits.doubt_seconds))
    )
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
        reason=judgement.undecided_by,
    )
