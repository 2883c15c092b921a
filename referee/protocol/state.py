"""The State for pages, computed from the match, the view state and the camera's status."""

from dataclasses import dataclass
from typing import Final, cast

from referee.game.clock import time_control
from referee.game.endgame.games import faces_to_clear, match_over, ranks
from referee.game.event_parts import Reason
from referee.game.state import Match, Phase
from referee.game.table.hypotheses import may_be_none
from referee.game.table.judging import TableJudgement
from referee.game.turns.verdict import judge_seen
from referee.protocol import schema
from referee.protocol.allowed_commands import allowed_commands
from referee.protocol.proposal import proposal_state
from referee.protocol.restore_guide import mark_done, restore_moves, tiles_before
from referee.protocol.rows import TableRow, new_rows, played_tiles, row_of_violation, table_rows
from referee.protocol.score import game_results, games_won, open_racks, seats_without_racks
from referee.protocol.shown_values import (
    fault_states,
    judgement_state,
    move_state,
    notation,
    rounded_corners,
)
from referee.protocol.subject import Moment
from referee.protocol.table_state import (
    TableView,
    crop_address,
    joker_states,
    picture_key,
    set_states,
    tile_states,
)
from referee.protocol.view_state import ViewState
from referee.rules.scoring import players_by_rank, rack_value
from referee.rules.table import EMPTY_TABLE, Table
from referee.rules.verdict import VERDICT_NAMES, Fault, Legal, Verdict

STALE_TABLE_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraStatus:
    """The camera's status: id and size (pixels) of the settled frame, time of the last frame, and hands in view."""

    frame_id: str | None = None
    size: tuple[int, int] | None = None
    seen_at: float | None = None
    hands: bool = False
    private: bool = False
    """Nobody knows where the table lies in the pictures, so they may show racks: they are the organiser's alone."""


def judge_current_table(match: Match) -> TableJudgement | None:
    """Return the judgement of the current table during a turn; it causes no event."""
    if match.table.current is None or not match.in_play:
        return None
    return judge_seen(match, match.table.current.hypotheses)


def state_of(
    now: Moment, view: ViewState, camera: CameraStatus, judgement: TableJudgement | None, at: float
) -> schema.State:
    """Return the State before a page adds what is its own; `judgement` is `judge_current_table(now.match)`."""
    match = now.match
    table = _table_view(match, view, judgement)
    return schema.State(
        rev=0,
        wall="",
        safe_mode=None,
        safe_mode_message=None,
        arbiter=None,
        at=round(at, 3),
        match=None if match.seated is None else _match(now, view, table, judgement, at),
        table=_table(match, table, camera, at),
    )


def _table_view(match: Match, view: ViewState, judgement: TableJudgement | None) -> TableView | None:
    if match.table.shown is None:
        return None
    reading = match.table.shown.reading
    rows = table_rows(reading)
    if match.seated is None:
        return TableView(reading=reading, rows=rows)
    new = new_rows(match.turn_start.best, rows) if match.in_play else frozenset[int]()
    return TableView(
        reading=reading,
        rows=rows,
        new=new,
        faulty=_faulty_rows(match, view, judgement, rows),
        unfinished=_unfinished_rows(judgement, rows),
        played=frozenset() if judgement is None else played_tiles(judgement.verdict, rows, new),
        corrections=match.dispute.corrections,
        named=view.named,
    )


def _faulty_rows(
    match: Match, view: ViewState, judgement: TableJudgement | None, rows: tuple[TableRow, ...]
) -> frozenset[int]:
    """Return the indices of rows that this turn's verdict blames and that still lie there."""
    last = view.last
    if last is None or last.stands or VERDICT_NAMES[type(last.verdict)] != "illegal":
        return frozenset()
    if (last.game, last.turn) != (match.game, match.turn) or not match.in_play:
        return frozenset()
    named = _rows_named_by(last.verdict, last.table, rows)
    low = _is_too_low(last.verdict) and (judgement is None or _is_too_low(judgement.verdict))
    return new_rows(match.turn_start.best, rows) if low and not named else named


def _is_too_low(verdict: Verdict) -> bool:
    """Return whether the initial meld is worth too little, although each set is legal."""
    return any(violation.fault is Fault.INITIAL_MELD_TOO_LOW for violation in verdict.violations)


def _unfinished_rows(judgement: TableJudgement | None, rows: tuple[TableRow, ...]) -> frozenset[int]:
    if judgement is None or isinstance(judgement.verdict, Legal):
        return frozenset()
    return _rows_named_by(judgement.verdict, judgement.table, rows)


def _rows_named_by(verdict: Verdict, table: Table, rows: tuple[TableRow, ...]) -> frozenset[int]:
    places = (row_of_violation(violation, table, rows) for violation in verdict.violations)
    return frozenset(place for place in places if place is not None)


# The match --------------------------------------------------------------------------------------------------------


def _match(
    now: Moment, view: ViewState, table: TableView | None, judgement: TableJudgement | None, at: float
) -> schema.MatchState:
    match, start = now.match, now.match.setup.start
    return schema.MatchState(
        id=now.match_id or "",
        edition=start.edition,
        edition_name=match.rules.name,
        format=start.format,
        joker_penalty=match.rules.joker_penalty,
        could_open_penalty=match.rules.could_open_penalty,
        began_at=round(start.at, 3),
        phase=match.phase.value,
        halted=cast("list[schema.Halt]", sorted(reason.value for reason in match.pauses.halted)),
        game=match.game,
        games=match.setup.games,
        turn=match.turn,
        seat=match.seat,
        starter=match.starter,
        players=_players(match),
        order=list(match.setup.clockwise),
        clock=_clock(match, at),
        pool=match.pool,
        meld=_meld(match, judgement),
        played=[] if judgement is None else notation(judgement.verdict.played),
        jokers=[] if table is None else list(joker_states(table.rows, match.rules)),
        can=sorted(allowed_commands(match)),
        undo_turn=None if match.undo is None else match.undo.turn,
        undo_until=round(match.undo.until, 3) if match.undo is not None and at <= match.undo.until else None,
        verdict=_verdict(view, table),
        now=_current_verdict(judgement, table),
        asked=_doubtful_tiles(match, view),
        proposal=None
        if match.dispute.proposal is None
        else proposal_state(match.dispute.proposal, match.table.shown, at),
        changed=_changed(view),
        restore=_restore(match, view),
        results=game_results(match),
        waiting_for_racks=seats_without_racks(match),
        racks=_racks(match),
        open_racks=open_racks(match),
        may_be_empty=match.turn_start.may_be_empty,
        rack_asked=_rack_asked(view),
        ranking=_ranking(match),
        ranks=_ranks(match),
    )


def _changed(view: ViewState) -> schema.Changed | None:
    changed = view.changed
    if changed is None:
        return None
    return schema.Changed(missing=notation(changed.missing), added=notation(changed.added))


def _ranking(match: Match) -> list[int] | None:
    """Return the ranking after the match; empty if a recording ended in a game."""
    if match.phase is not Phase.MATCH_OVER:
        return None
    order = () if match.cut else players_by_rank(ranks(match))
    return [*order]


def _ranks(match: Match) -> list[int] | None:
    """Return each seat's rank after a match in which a game was won."""
    if match.phase is not Phase.MATCH_OVER or match.cut or not match_over(match).ranks:
        return None
    places = ranks(match)
    return [places[seat] for seat in match.setup.seats]


def _players(match: Match) -> list[schema.PlayerState]:
    won, banks = games_won(match), match.banks_now
    return [
        schema.PlayerState(
            seat=seat,
            name=name,
            opened=match.players[seat].opened,
            rack=match.players[seat].rack,
            total=match.total(seat),
            games_won=won[seat],
            gone=seat in match.gone,
            bank=round(banks[seat], 2) if banks else None,
        )
        for seat, name in zip(match.setup.seats, match.setup.names, strict=True)
    ]


def _clock(match: Match, at: float) -> schema.ClockState:
    clock, control = match.play.clock, time_control(match.rules)
    left = clock.left_at(match.now)
    running = clock.left is not None and clock.since is not None
    ends_at = clock.since + clock.left if clock.left is not None and clock.since is not None else None
    if ends_at is not None:
        left = max(0.0, ends_at - at)
    return schema.ClockState(
        running=running,
        of=control.limit(match.player.bank),
        seconds_left=None if left is None else round(left, 2),
        ends_at=None if ends_at is None else round(ends_at, 3),
    )


def _meld(match: Match, judgement: TableJudgement | None) -> schema.Meld | None:
    if match.player.opened or not match.in_play:
        return None
    points = (judgement.verdict.meld or 0) if judgement is not None else match.play.meld_told
    return schema.Meld(points=points, needed=match.rules.initial_meld)


def _verdict(view: ViewState, table: TableView | None) -> schema.Judgement | None:
    if view.last is None:
        return None
    rows = () if table is None else table.rows
    return judgement_state(view.last, fault_states(view.last.verdict, view.last.table, rows))


def _current_verdict(judgement: TableJudgement | None, table: TableView | None) -> schema.Now | None:
    if judgement is None or table is None:
        return None
    verdict = judgement.verdict
    return schema.Now(
        verdict=VERDICT_NAMES[type(verdict)],
        faults=fault_states(verdict, judgement.table, table.rows),
    )


def _doubtful_tiles(match: Match, view: ViewState) -> list[schema.Asked]:
    """Return the tiles that a person should name: of the table, or of the rack shown last."""
    if match.table.shown is None:
        return []
    doubts = match.table.shown.hypotheses.doubts if match.table.current is not None and match.in_play else ()
    if view.rack is not None and match.phase is Phase.GAME_OVER:
        doubts = view.rack.doubts
    if match.phase is Phase.CLEARING:
        doubts = faces_to_clear(match).doubts
    reading, clearing = match.table.shown.reading, match.phase is Phase.CLEARING
    return [
        schema.Asked(
            index=doubt.index,
            may_be=notation(doubt.may_be),
            or_none=clearing or (doubt.index < len(reading.tiles) and may_be_none(reading, doubt.index)),
            where=str(doubt.where or ""),
            crop=crop_address(reading, doubt.index),
        )
        for doubt in doubts
    ]


def _racks(match: Match) -> list[schema.ShownRack]:
    """Return the racks of the last game that were shown to the camera."""
    return [
        schema.ShownRack(seat=rack.seat, tiles=notation(rack.tiles), value=rack_value(rack.tiles, match.rules))
        for rack in match.showing.racks
    ]


def _rack_asked(view: ViewState) -> schema.RackAsked | None:
    asked = view.rack
    if asked is None:
        return None
    return schema.RackAsked(
        seat=asked.owner,
        reason=cast("schema.RackDoubt", asked.reason.value),
        tiles=notation(asked.tiles),
        expected=asked.expected,
    )


def _restore(match: Match, view: ViewState) -> schema.Restore | None:
    if match.phase is not Phase.RESTORE:
        return None
    before, start = match.turn_start.best, match.turn_start.observation
    if match.table.current is None:
        listed = view.guide_moves
    else:
        began = None if start is None else start.reading
        listed = mark_done(view.guide_moves, restore_moves(before.sets, match.table.current.reading, began))
    now = EMPTY_TABLE if match.table.current is None else match.table.current.hypotheses.best
    return schema.Restore(
        sets=[notation(tiles) for tiles in before.sets],
        before=_table_before(match),
        moves=[move_state(move) for move in listed],
        missing=notation((before.counts() - now.counts()).elements()) if match.table.current else [],
        surplus=notation((now.counts() - before.counts()).elements()),
    )


def _table_before(match: Match) -> schema.TableBefore | None:
    start = match.turn_start
    if start.observation is None:
        return None
    reading = start.observation.reading
    tiles = [
        schema.TileBefore(tile=str(tile.tile), quad=rounded_corners(tile.quad), set=place)
        for place, row in tiles_before(start.best.sets, reading).items()
        for tile in row
    ]
    return schema.TableBefore(picture=f"/api/picture/{picture_key(reading.frame_id)}.jpg", tiles=tiles)


# The table --------------------------------------------------------------------------------------------------------


def _table(match: Match, table: TableView | None, camera: CameraStatus, at: float) -> schema.TableState:
    lost = Reason.CAMERA in match.pauses.halted
    reading = None if table is None else table.reading
    old = camera.seen_at is None or at - camera.seen_at > STALE_TABLE_SECONDS
    known = reading is not None and reading.frame_id == camera.frame_id
    seated = None if match.seated is None else table
    status: schema.CameraState = "lost" if lost else "none" if camera.seen_at is None else "ok"
    return schema.TableState(
        frame_id=None if reading is None else reading.frame_id,
        settled_at=None if reading is None else round(reading.at, 3),
        seen_at=None if camera.seen_at is None else round(camera.seen_at, 3),
        camera=status,
        hands=camera.hands and not lost,
        stale=match.table.current is None or lost or old,
        size=list(camera.size) if camera.size else None,
        picture=f"/api/picture/{picture_key(reading.frame_id)}.jpg" if reading and known else None,
        live=None if camera.seen_at is None else "/api/live.jpg",
        private=camera.private,
        tiles=[] if table is None else tile_states(table),
        sets=[] if seated is None else set_states(seated, match.rules),
        loose=[] if seated is None else [row.indices[0] for row in seated.rows if len(row.indices) == 1],
    )
