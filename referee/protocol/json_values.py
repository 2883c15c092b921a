"""Verdicts, faults and moves as JSON values."""

from collections.abc import Iterable, Sequence

from referee.game.events import Judged
from referee.plain_json import JsonObject
from referee.protocol.restore_guide import Move
from referee.protocol.rows import TableRow, row_of_violation
from referee.reading.observation import Quad
from referee.rules.table import Table
from referee.rules.tiles import Tile
from referee.rules.verdict import VERDICT_NAMES, Verdict, Violation
from referee.rules.verdict_json import message_to_json


def notation(tiles: Iterable[Tile]) -> list[str]:
    """Return tiles in notation."""
    return [str(tile) for tile in tiles]


def quad_to_json(quad: Quad | None) -> list[list[float]] | None:
    """Return a quad's corners, rounded to a tenth of a pixel."""
    return None if quad is None else [[round(x, 1), round(y, 1)] for x, y in quad]


def fault_to_json(violation: Violation, place: int | None) -> JsonObject:
    """Return a fault with the index of its set on the table."""
    return {
        "fault": violation.fault.value,
        "set": place,
        "tiles": notation(violation.tiles),
        **message_to_json(violation.wording),
    }


def faults_to_json(verdict: Verdict, table: Table, rows: Sequence[TableRow]) -> list[JsonObject]:
    """Return the faults of a judged table, with the indices of their sets on the current table."""
    return [fault_to_json(violation, row_of_violation(violation, table, rows)) for violation in verdict.violations]


def judgement_to_json(event: Judged, faults: list[JsonObject]) -> JsonObject:
    """Return a judgement with these faults."""
    verdict = event.verdict
    return {
        "verdict": VERDICT_NAMES[type(verdict)],
        "outcome": verdict.outcome.value,
        "stands": event.stands,
        "late": event.late,
        "game": event.game,
        "turn": event.turn,
        "seat": event.seat,
        "judged_at": round(event.at, 3),
        "frame_id": event.frame_id,
        "faults": faults,
        "played": notation(verdict.played),
        "meld": verdict.meld,
    }


def move_to_json(move: Move) -> JsonObject:
    """Return a step of the restore guide."""
    return {
        "what": move.kind.value,
        "tile": str(move.tile),
        "set": move.to_set,
        "index": move.index,
        "from": quad_to_json(move.quad),
        "to": quad_to_json(move.target_quad),
        "done": move.done,
    }
