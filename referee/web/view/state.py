"""The State a page shows, from a match, what came before and what the camera gives: pure values without a server."""

from dataclasses import dataclass
from typing import Final

from referee.game.clock import time_control
from referee.game.endgame.games import match_over, ranks
from referee.game.event_parts import Reason
from referee.game.state import Match, Phase
from referee.game.table.hypotheses import may_be_none
from referee.game.table.judging import TableJudgement
from referee.game.turns.play import judge_seen
from referee.rules.scoring import by_rank, rack_value
from referee.rules.table import EMPTY_TABLE, Table
from referee.rules.verdict import VERDICT_NAMES, Fault, Legal, Verdict
from referee.web.view.allowed_commands import words_that_fit
from referee.web.view.json_values import (
    JsonObject,
    faults_to_json,
    judgement_to_json,
    move_to_json,
    notation,
    quad_to_json,
)
from referee.web.view.proposal import proposal_to_plain
from referee.web.view.restore_guide import moves, sets_as_they_lay, tick_off
from referee.web.view.rows import Row, new_rows, place_of, played_tiles, rows_of
from referee.web.view.score import games_won, results_to_plain, waiting_for_racks
from referee.web.view.table_state import (
    Drawn,
    crop_address,
    jokers_to_plain,
    key_of_picture,
    sets_to_plain,
    tiles_to_plain,
)
from referee.web.view.view_state import Recent

STALE_SECONDS: Final = 2.0
_PLAYING: Final = frozenset({Phase.TURN, Phase.LOOKING, Phase.DOUBT, Phase.TIME_UP, Phase.RESTORE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What the camera gives at one moment: the settled frame's name and size, when it looked last, and hands."""

    frame_id: str | None = None
    size: tuple[int, int] | None = None
    seen_at: float | None = None
    hands: bool = False
    private: bool = False
    """Nobody knows where the table lies in the pictures, so they may show racks: they are the organiser's alone."""


def find_now(match: Match) -> TableJudgement | None:
    """Return the judgement of the current table during a turn; it causes no event."""
    if match.table.current is None or match.phase not in _PLAYING:
        return None
    return judge_seen(match, match.table.current.hypotheses)


def state(match: Match, recent: Recent, sighting: Sighting, judgement: TableJudgement | None, at: float) -> JsonObject:
    """Return the State but for its number and the wall clock; `judgement` is `find_now(match)`."""
    drawn = _drawn(match, recent, judgement)
    return {
        "at": round(at, 3),
        "match": None if match.seated is None else _match(match, recent, drawn, judgement, at),
        "table": _table(match, drawn, sighting, at),
    }


def _drawn(match: Match, recent: Recent, judgement: TableJudgement | None) -> Drawn | None:
    if match.table.shown is None:
        return None
    reading = match.table.shown.reading
    rows = rows_of(reading)
    if match.seated is None:
        return Drawn(reading=reading, rows=rows)
    new = new_rows(match.turn_start.best, rows) if match.phase in _PLAYING else frozenset[int]()
    return Drawn(
        reading=reading,
        rows=rows,
        new=new,
        accused=_accused(match, recent, judgement, rows),
        unfit=_unfit(judgement, rows),
        played=frozenset() if judgement is None else played_tiles(judgement.verdict, rows, new),
        corrections=match.dispute.corrections,
        named=recent.named,
    )


def _accused(match: Match, recent: Recent, judgement: TableJudgement | None, rows: tuple[Row, ...]) -> frozenset[int]:
    """Return which rows the verdict on this very turn blamed; one that has been mended lies there no more."""
    last = recent.last
    if last is None or last.stands or VERDICT_NAMES[type(last.verdict)] != "illegal":
        return frozenset()
    if (last.game, last.turn) != (match.game, match.turn) or match.phase not in _PLAYING:
        return frozenset()
    named = _named(last.verdict, last.table, rows)
    low = _is_too_low(last.verdict) and (judgement is None or _is_too_low(judgement.verdict))
    return new_rows(match.turn_start.best, rows) if low and not named else named


def _is_too_low(verdict: Verdict) -> bool:
    """Return whether the new sets are worth too little together, though each of them is a set."""
    return any(violation.fault is Fault.INITIAL_MELD_TOO_LOW for violation in verdict.violations)


def _unfit(judgement: TableJudgement | None, rows: tuple[Row, ...]) -> frozenset[int]:
    if judgement is None or isinstance(judgement.verdict, Legal):
        return frozenset()
    return _named(judgement.verdict, judgement.table, rows)


def _named(verdict: Verdict, table: Table, rows: tuple[Row, ...]) -> frozenset[int]:
    places = (place_of(violation, table, rows) for violation in verdict.violations)
    return frozenset(place for place in places if place is not None)


# The match --------------------------------------------------------------------------------------------------------


def _match(
    match: Match, recent: Recent, drawn: Drawn | None, judgement: TableJudgement | None, at: float
) -> JsonObject:
    start = match.setup.start
    return {
        "edition": start.edition,
        "edition_name": match.rules.name,
        "format": start.format,
        "joker_penalty": match.rules.joker_penalty,
        "could_open_penalty": match.rules.could_open_penalty,
        "began_at": round(start.at, 3),
        "phase": match.phase.value,
        "halted": sorted(reason.value for reason in match.pauses.halted),
        "game": match.game,
        "games": match.setup.games,
        "turn": match.turn,
        "seat": match.seat,
        "starter": match.starter,
        "players": _players(match),
        "order": list(match.setup.clockwise),
        "clock": _clock(match, at),
        "pool": match.pool,
        "meld": _meld(match, judgement),
        "played": [] if judgement is None else notation(judgement.verdict.played),
        "jokers": [] if drawn is None else list(jokers_to_plain(drawn.rows, match.rules)),
        "can": sorted(words_that_fit(match)),
        "undo_until": round(match.undo.until, 3) if match.undo is not None and at <= match.undo.until else None,
        "verdict": _verdict(recent, drawn),
        "now": _now(judgement, drawn),
        "asked": _asked(match, recent),
        "proposal": None
        if match.dispute.proposal is None
        else proposal_to_plain(match.dispute.proposal, match.table.shown, at),
        "changed": recent.changed
        and {"missing": notation(recent.changed.missing), "added": notation(recent.changed.added)},
        "restore": _restore(match, recent),
        "results": results_to_plain(match),
        "waiting_for_racks": waiting_for_racks(match),
        "racks": _racks(match),
        "rack_asked": _rack_asked(recent),
        **_ranking(match),
    }


def _ranking(match: Match) -> JsonObject:
    """Return the seats in the order of their places and each seat's place, once the match is over; none after a cut."""
    if match.phase is not Phase.MATCH_OVER:
        return {"ranking": None, "ranks": None}
    if match.cut:
        return {"ranking": [], "ranks": None}
    places = ranks(match)
    won = bool(match_over(match).ranks)
    return {"ranking": list(by_rank(places)), "ranks": [places[seat] for seat in match.setup.seats] if won else None}


def _players(match: Match) -> list[JsonObject]:
    won, banks = games_won(match), match.banks_now
    return [
        {
            "seat": seat,
            "name": name,
            "opened": match.players[seat].opened,
            "rack": match.players[seat].rack,
            "total": match.total(seat),
            "games_won": won[seat],
            "gone": seat in match.gone,
            "bank": round(banks[seat], 2) if banks else None,
        }
        for seat, name in zip(match.setup.seats, match.setup.names, strict=True)
    ]


def _clock(match: Match, at: float) -> JsonObject:
    clock, control = match.play.clock, time_control(match.rules)
    left = clock.left_at(match.now)
    running = clock.left is not None and clock.since is not None
    ends_at = clock.since + clock.left if clock.left is not None and clock.since is not None else None
    if ends_at is not None:
        left = max(0.0, ends_at - at)
    return {
        "running": running,
        "of": control.limit(match.player.bank),
        "seconds_left": None if left is None else round(left, 2),
        "ends_at": None if ends_at is None else round(ends_at, 3),
    }


def _meld(match: Match, judgement: TableJudgement | None) -> JsonObject | None:
    if match.player.opened or match.phase not in _PLAYING:
        return None
    points = (judgement.verdict.meld or 0) if judgement is not None else match.play.meld_told
    return {"points": points, "needed": match.rules.initial_meld}


def _verdict(recent: Recent, drawn: Drawn | None) -> JsonObject | None:
    if recent.last is None:
        return None
    rows = () if drawn is None else drawn.rows
    return judgement_to_json(recent.last, faults_to_json(recent.last.verdict, recent.last.table, rows))


def _now(judgement: TableJudgement | None, drawn: Drawn | None) -> JsonObject | None:
    if judgement is None or drawn is None:
        return None
    verdict = judgement.verdict
    return {
        "verdict": VERDICT_NAMES[type(verdict)],
        "faults": faults_to_json(verdict, judgement.table, drawn.rows),
    }


def _asked(match: Match, recent: Recent) -> list[JsonObject]:
    """Return the tiles somebody should name: those of the table, or of the rack that was shown."""
    if match.table.shown is None:
        return []
    doubts = match.table.shown.hypotheses.doubts if match.table.current is not None and match.phase in _PLAYING else ()
    if recent.rack is not None and match.phase is Phase.GAME_OVER:
        doubts = recent.rack.doubts
    reading = match.table.shown.reading
    return [
        {
            "index": doubt.index,
            "may_be": notation(doubt.may_be),
            "or_none": doubt.index < len(reading.tiles) and may_be_none(reading, doubt.index),
            "where": str(doubt.where or ""),
            "crop": crop_address(reading, doubt.index),
        }
        for doubt in doubts
    ]


def _racks(match: Match) -> list[JsonObject]:
    """Return the racks of the last game that were shown to the camera."""
    return [
        {"seat": rack.seat, "tiles": notation(rack.tiles), "value": rack_value(rack.tiles, match.rules)}
        for rack in match.showing.racks
    ]


def _rack_asked(recent: Recent) -> JsonObject | None:
    asked = recent.rack
    if asked is None:
        return None
    return {
        "seat": asked.owner,
        "reason": asked.reason.value,
        "tiles": notation(asked.tiles),
        "expected": asked.expected,
    }


def _restore(match: Match, recent: Recent) -> JsonObject | None:
    if match.phase is not Phase.RESTORE:
        return None
    before, start = match.turn_start.best, match.turn_start.observation
    if match.table.current is None:
        listed = recent.to_do
    else:
        began = None if start is None else start.reading
        listed = tick_off(recent.to_do, moves(before.sets, match.table.current.reading, began))
    now = EMPTY_TABLE if match.table.current is None else match.table.current.hypotheses.best
    return {
        "sets": [notation(tiles) for tiles in before.sets],
        "before": _before(match),
        "moves": [move_to_json(move) for move in listed],
        "missing": notation((before.counts() - now.counts()).elements()) if match.table.current else [],
        "surplus": notation((now.counts() - before.counts()).elements()),
    }


def _before(match: Match) -> JsonObject | None:
    start = match.turn_start
    if start.observation is None:
        return None
    reading = start.observation.reading
    tiles = [
        {"tile": str(tile.tile), "quad": quad_to_json(tile.quad), "set": place}
        for place, row in sets_as_they_lay(start.best.sets, reading).items()
        for tile in row
    ]
    return {"picture": f"/api/picture/{key_of_picture(reading.frame_id)}.jpg", "tiles": tiles}


# The table --------------------------------------------------------------------------------------------------------


def _table(match: Match, drawn: Drawn | None, sighting: Sighting, at: float) -> JsonObject:
    lost = Reason.CAMERA in match.pauses.halted
    reading = None if drawn is None else drawn.reading
    old = sighting.seen_at is None or at - sighting.seen_at > STALE_SECONDS
    known = reading is not None and reading.frame_id == sighting.frame_id
    camera = "lost" if lost else "none" if sighting.seen_at is None else "ok"
    shown: JsonObject = {
        "frame_id": None if reading is None else reading.frame_id,
        "settled_at": None if reading is None else round(reading.at, 3),
        "seen_at": None if sighting.seen_at is None else round(sighting.seen_at, 3),
        "camera": camera,
        "hands": sighting.hands and not lost,
        "stale": match.table.current is None or lost or old,
        "size": list(sighting.size) if sighting.size else None,
        "picture": f"/api/picture/{key_of_picture(reading.frame_id)}.jpg" if reading and known else None,
        "live": None if sighting.seen_at is None else "/api/live.jpg",
        "private": sighting.private,
        "tiles": [],
        "sets": [],
        "loose": [],
    }
    if drawn is None:
        return shown
    shown["tiles"] = tiles_to_plain(drawn)
    if match.seated is not None:
        shown["sets"] = sets_to_plain(drawn, match.rules)
        shown["loose"] = [row.indices[0] for row in drawn.rows if len(row.indices) == 1]
    return shown
