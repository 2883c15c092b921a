"""Judging a turn again after a correction.

A verdict can be disputed until the next press, or until the next player's time is over. The corrected reading is
judged against the same earlier table, with the clock as at the press:

    the player was sent back    the press counts again if the table is unchanged, otherwise another press is needed
    the turn has passed on      the next turn's start, openings, racks and draws are corrected; the next player's clock
                                is not
    ... and was illegal         the turn returns to its player if the table is untouched since, otherwise it stands
    ... and is in doubt         it stands, and the next turn begins with every possible table
    the game was won            the same, until its racks are scored; a refuted win returns the turn
"""

from dataclasses import replace
from typing import assert_never

from referee.game.correction_events import Claim, ProposalEnded, RowsNamed, SetAdded, TileAdded, TileNamed
from referee.game.correction_types import RowParted, RowsJoined, SetMissed, StatedCorrection, TileIs, TileMissed
from referee.game.corrections.corrections import Corrections, add_stated_correction, correct
from referee.game.endgame.games import begin_when_cleared
from referee.game.endgame.shown_racks import look_at_rack
from referee.game.event_parts import Reason
from referee.game.events import (
    CountDiffers,
    Drew,
    GameWon,
    TurnStarted,
    TurnTakenBack,
)
from referee.game.inputs import TableCorrected
from referee.game.state import (
    Checkpoint,
    JudgedTurn,
    Match,
    Phase,
    Step,
    TableObservation,
    TurnStart,
    prepend,
    with_clock_stopped,
)
from referee.game.table.hypotheses import hypotheses
from referee.game.table.tile_position import position_message
from referee.game.turns.drawing import take_back_draw
from referee.game.turns.pauses import look_halted
from referee.game.turns.play import (
    look,
    watch,
)
from referee.game.turns.restoring import restore
from referee.game.turns.verdict import accept, judge, judge_seen, pass_on, send_back
from referee.reading.observation import TableReading
from referee.reading.tracks import same_faces
from referee.rules.table import Table, TileSet
from referee.rules.verdict import Illegal, Undecided


def correct_table(match: Match, command: TableCorrected) -> Step:
    """Correct the settled or judged table by one person's word; drop any open proposal."""
    observation = observation_of(match, command.frame_id)
    changed = None if observation is None else correction(match, observation, command.said, command.by)
    if changed is None:
        return match, ()
    done = apply_correction(replace(match, dispute=replace(match.dispute, proposal=None)), *changed)
    if match.dispute.proposal is None:
        return done
    return prepend(
        done, ProposalEnded(**match.event_header, proposer=match.dispute.proposal.made.seat, reason=Reason.CHANGED)
    )


def observation_of(match: Match, frame_id: str) -> TableObservation | None:
    """Return the observation of a frame: the current or the judged table; None for an older frame."""
    judged = match.dispute.judged
    looks = [match.table.shown, None if judged is None else judged.observation, *match.table.looks]
    known = [observation for observation in looks if observation is not None]
    if not frame_id:
        return known[0] if known else None
    return next((observation for observation in known if observation.reading.frame_id == frame_id), None)


def correction(
    match: Match, observation: TableObservation, statement: StatedCorrection, by: str
) -> tuple[Corrections, Claim] | None:
    """Return the corrections with a person's statement, and its event; None if it does not fit the table."""
    corrections = add_stated_correction(
        match.dispute.corrections, observation.read, observation.reading, observation.since, statement
    )
    if corrections is None:
        return None
    return corrections, _claim_event(match, observation, corrections, statement, by)


def _claim_event(
    match: Match, observation: TableObservation, corrections: Corrections, statement: StatedCorrection, by: str
) -> Claim:
    was, frame_id = observation.reading, observation.reading.frame_id
    now = correct(observation.read, corrections.at(observation.at), was)
    match statement:
        case TileIs(index=index, tile=tile):
            named = was.tiles[index].tile
            return TileNamed(**match.event_header, index=index, was=named, tile=tile, by=by, frame_id=frame_id)
        case TileMissed(tile=tile):
            index = len(now.tiles) - 1
            return TileAdded(
                **match.event_header,
                index=index,
                tile=tile,
                where=position_message(now, index),
                by=by,
                frame_id=frame_id,
            )
        case SetMissed(tiles=tiles):
            index = [tile.track for tile in now.tiles].index(corrections.sets[-1].tiles[0].track)
            return SetAdded(**match.event_header, index=index, tiles=tiles, by=by, frame_id=frame_id)
        case RowsJoined() | RowParted():
            indices = tiles_of(statement, was)
        case _:
            assert_never(statement)
    return RowsNamed(**match.event_header, was=_rows(was, indices), rows=_rows(now, indices), by=by, frame_id=frame_id)


def tiles_of(statement: StatedCorrection, reading: TableReading) -> tuple[int, ...]:
    """Return the indices of the tiles that a statement is about."""
    match statement:
        case TileIs(index=index) | TileMissed(beside=index):
            return (index,)
        case SetMissed():
            return ()
        case RowsJoined(one=one, other=other):
            return (one, other)
        case RowParted(after=after):
            return reading.layouts[0].row_of(after)
        case _:
            assert_never(statement)


def _rows(reading: TableReading, indices: tuple[int, ...]) -> tuple[TileSet, ...]:
    """Return the rows that hold any of these tiles."""
    rows = dict.fromkeys(reading.layouts[0].row_of(index) for index in indices)
    return tuple(tuple(tile for index in row if (tile := reading.tiles[index].tile) is not None) for row in rows)


def apply_correction(match: Match, corrections: Corrections, event: Claim) -> Step:
    """Apply a correction, and judge again what depends on it."""
    return prepend(_rejudge(match, _corrected(match, corrections)), event)


def _corrected(match: Match, corrections: Corrections) -> Match:
    """Return the match as if the reader had read the corrected tiles since the disputed turn began."""
    judged, shown = match.dispute.judged, match.table.shown and _corrected_look(match.table.shown, corrections)
    ended = shown if judged is None else _corrected_look(judged.observation, corrections)

    def at(checkpoint: Checkpoint | None) -> Checkpoint | None:
        return checkpoint and _corrected_checkpoint(checkpoint, corrections, ended)

    if judged is not None and ended is not None:
        checkpoint = _corrected_checkpoint(judged.checkpoint, corrections, ended)
        judged = replace(judged, checkpoint=checkpoint, observation=ended, undo=at(judged.undo))
    current = match.table.current and _corrected_look(match.table.current, corrections)
    return replace(
        match,
        turn_start=_corrected_start(match.turn_start, corrections, shown),
        play=replace(match.play, first_look=None),
        table=replace(match.table, shown=shown, current=current),
        undo=at(match.undo),
        dispute=replace(match.dispute, corrections=corrections, judged=judged),
        pauses=replace(match.pauses, reference=_reference(match, shown)),
    )


def _corrected_checkpoint(
    checkpoint: Checkpoint, corrections: Corrections, ended: TableObservation | None
) -> Checkpoint:
    turn_start = _corrected_start(checkpoint.turn_start, corrections, ended)
    return replace(checkpoint, turn_start=turn_start, play=replace(checkpoint.play, first_look=None))


def _corrected_start(start: TurnStart, corrections: Corrections, later: TableObservation | None) -> TurnStart:
    """Return the start of a turn with its look corrected, given a later look, and the tables then possible."""
    first = start.observation
    if first is None:
        return start
    known = None if later is None else later.reading
    reading = correct(first.read, corrections.at(first.at), known, earlier=True)
    observation = _with_reading(first, reading, corrections)
    if observation == first:
        return replace(start, observation=observation)
    tables = observation.hypotheses.tables
    undecided = tuple(table for table in start.tables if table in start.disputed and table not in tables)
    return replace(start, tables=(*tables, *undecided), observation=observation)


def _reference(match: Match, shown: TableObservation | None) -> tuple[Table, ...]:
    """Return the tables to compare with after a break: a renamed tile is not a change."""
    if match.table.shown is None or shown is None or match.pauses.reference != match.table.shown.hypotheses.tables:
        return match.pauses.reference
    return shown.hypotheses.tables


def _corrected_look(observation: TableObservation, corrections: Corrections) -> TableObservation:
    reading = correct(observation.read, corrections.at(observation.at), observation.reading)
    return _with_reading(observation, reading, corrections)


def _with_reading(observation: TableObservation, reading: TableReading, corrections: Corrections) -> TableObservation:
    earlier = observation.earlier if reading == observation.reading else None
    seen = hypotheses(reading, corrections.at(observation.at).links, observation.read)
    return replace(observation, reading=reading, hypotheses=seen, earlier=earlier)


def _rejudge(earlier: Match, match: Match) -> Step:
    """Apply the corrected table like a new look; a person's word counts as two looks."""
    if Reason.RESTART in match.pauses.halted:
        return look_halted(match)
    judged = match.dispute.judged
    if judged is not None and _is_past(match, judged) and _differ(judged, earlier.dispute.judged):
        return _judge_past(match, judged)
    match match.phase:
        case Phase.GAME_OVER | Phase.CLEARING:
            cleared = match.phase is Phase.CLEARING and match.showing.owner is None
            return begin_when_cleared(match) if cleared else look_at_rack(match, sure=True)
        case Phase.TURN | Phase.RESTORE:
            return _judge_present(match)
        case Phase.LOOKING | Phase.TIME_UP | Phase.DOUBT:
            return _judge_waiting(match)
        case _:
            return match, ()


def _differ(one: JudgedTurn, other: JudgedTurn | None) -> bool:
    """Return whether the correction concerns the verdict."""
    return other is None or _judged_from(one) != _judged_from(other)


def _judged_from(turn: JudgedTurn) -> tuple[TableObservation, tuple[Table, ...]]:
    return turn.observation, turn.checkpoint.turn_start.tables


def _is_past(match: Match, judged: JudgedTurn) -> bool:
    """Return whether the verdict ended its turn and can still be changed."""
    if match.phase is Phase.GAME_OVER:
        return match.results[-1].scores is None
    return match.phase is Phase.TURN and judged.checkpoint.turn != match.turn


def _judge_waiting(match: Match) -> Step:
    if match.table.current is None:
        return match, ()
    sure = replace(match, play=replace(match.play, first_look=match.table.current.hypotheses))
    if match.phase is not Phase.DOUBT:
        after, events = look(sure)
        return replace(after, play=replace(after.play, first_look=None)), events
    # Somebody is answering: ask about the remaining doubts again, and restart the wait.
    return judge(replace(sure, phase=Phase.LOOKING))


def _judge_present(match: Match) -> Step:
    """Judge the turn that was sent back as if its press still waited, unless the table has changed since."""
    judged, observation = match.dispute.judged, match.table.current
    past = None if judged is None or judged.checkpoint.turn != match.turn else judged
    if past is None or observation is None or not same_faces(past.observation.read, observation.read):
        return watch(match) if match.phase is Phase.TURN else restore(match)
    pressed = past.checkpoint.play
    play = replace(
        with_clock_stopped(match),
        deadline=pressed.deadline,
        claims_win=pressed.claims_win,
        first_look=observation.hypotheses,
        guided=None,
    )
    table = replace(match.table, current=replace(observation, since=past.observation.since))
    return judge(replace(match, phase=Phase.LOOKING, play=play, table=table, undo=past.undo))


def _judge_past(match: Match, judged: JudgedTurn) -> Step:
    """Judge the last turn again, and correct what followed from it."""
    past = match.back_at(judged.checkpoint, judged.undo)
    past = replace(past, table=replace(match.table, current=judged.observation))
    after, events = _verdict_again(match, past, judged)
    after = replace(after, table=match.table)
    if (after.phase, after.turn) != (match.phase, match.turn):
        return after, (*events, *take_back_draw(past, match.turn_start.drawn))
    players = tuple(replace(then, bank=now.bank) for then, now in zip(after.players, match.players, strict=True))
    same = replace(match, turn_start=after.turn_start, players=players, results=after.results)
    known: tuple[type, ...] = (TurnStarted, GameWon, CountDiffers)
    if after.turn_start.drawn == match.turn_start.drawn:
        known = (*known, Drew)
    else:
        events = (*take_back_draw(past, match.turn_start.drawn), *events)
    news = tuple(event for event in events if not isinstance(event, known))
    return prepend(watch(same) if same.phase is Phase.TURN else (same, ()), *news)


def _verdict_again(match: Match, past: Match, judged: JudgedTurn) -> Step:
    observation = judged.observation
    judgement = judge_seen(past, observation.hypotheses)
    if judged.ordered or isinstance(judgement.verdict, Undecided):
        return accept(past, judgement)
    if not isinstance(judgement.verdict, Illegal):
        return pass_on(past, judgement, observation.since)
    if match.table.current is None or not same_faces(observation.read, match.table.current.read):
        return accept(past, judgement)
    after, events = send_back(past, judgement)
    if after.phase is not Phase.TURN:
        return after, events
    return after, (events[0], TurnTakenBack(**after.event_header, seconds_left=after.play.clock.left_at(after.now)))
