"""Verdicts, faults and moves as pages show them."""

from collections.abc import Iterable, Sequence

from referee.game.events import Judged
from referee.protocol import schema
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


def rounded_corners(quad: Quad) -> list[list[float]]:
    """Return a quad's corners, rounded to a tenth of a pixel."""
    return [[round(x, 1), round(y, 1)] for x, y in quad]


def fault_state(violation: Violation, place: int | None) -> schema.Fault:
    """Return a fault with the index of its set on the table."""
    return schema.Fault(
        fault=violation.fault.value,
        set=place,
        tiles=notation(violation.tiles),
        **message_to_json(violation.wording),
    )


def fault_states(verdict: Verdict, table: Table, rows: Sequence[TableRow]) -> list[schema.Fault]:
    """Return the faults of a judged table, with the indices of their sets on the current table."""
    return [fault_state(violation, row_of_violation(violation, table, rows)) for violation in verdict.violations]


def judgement_state(event: Judged, faults: list[schema.Fault]) -> schema.Judgement:
    """Return a judgement with these faults."""
    verdict = event.verdict
    return schema.Judgement(
        verdict=VERDICT_NAMES[type(verdict)],
        outcome=verdict.outcome.value,
        stands=event.stands,
        late=event.late,
        game=event.game,
        turn=event.turn,
        seat=event.seat,
        judged_at=round(event.at, 3),
        frame_id=event.frame_id,
        faults=faults,
        played=notation(verdict.played),
        meld=verdict.meld,
    )


def move_state(move: Move) -> schema.Move:
    """Return a step of the restore guide."""
    return schema.Move(
        what=move.kind.value,
        tile=str(move.tile),
        set=move.to_set,
        index=move.index,
        from_=move.quad and rounded_corners(move.quad),
        to=move.target_quad and rounded_corners(move.target_quad),
        done=move.done,
    )
