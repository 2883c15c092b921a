"""A player's proposed correction as pages show it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from referee.game.correction_events import RowsNamed, SetAdded, TileAdded, TileNamed
from referee.game.correction_types import RowParted, RowsJoined, SetMissed, StatedCorrection, TileIs, TileMissed
from referee.game.disputes.rejudging import tiles_of
from referee.game.state import Proposal, TableObservation
from referee.plain_json import JsonObject
from referee.protocol import schema
from referee.protocol.shown_values import notation, rounded_corners
from referee.protocol.table_state import crop_address

CORRECTION_NAMES: Final[Mapping[type[StatedCorrection], schema.CorrectionName]] = MappingProxyType(
    {TileIs: "correct", TileMissed: "add", SetMissed: "add_set", RowsJoined: "join", RowParted: "part"}
)


def proposal_state(proposal: Proposal, shown: TableObservation | None, at: float) -> schema.Proposal:
    """Return a proposal: proposer, correction, deadline, and its tiles as they lie now."""
    return schema.Proposal(
        seat=proposal.made.seat,
        say=CORRECTION_NAMES[type(proposal.made.said)],
        **_correction(proposal.event.says),
        tiles=[_tile(proposal, index, shown) for index in tiles_of(proposal.made.said, proposal.observation.reading)],
        ends_at=round(proposal.until, 3),
        seconds_left=round(max(0.0, proposal.until - at), 2),
    )


def _correction(says: TileNamed | TileAdded | SetAdded | RowsNamed) -> JsonObject:
    match says:
        case TileNamed(was=was, tile=tile):
            return {"was": None if was is None else str(was), "tile": None if tile is None else str(tile)}
        case TileAdded(tile=tile, where=where):
            return {"was": None, "tile": str(tile), "where": str(where)}
        case SetAdded(tiles=tiles):
            return {"rows_were": [], "rows": [notation(tiles)]}
        case RowsNamed(was=was, rows=rows):
            return {"rows_were": [notation(row) for row in was], "rows": [notation(row) for row in rows]}


def _tile(proposal: Proposal, index: int, shown: TableObservation | None) -> schema.SpokenOf:
    """Return a tile's quad and the URL of its picture in the newest frame."""
    meant = proposal.observation.reading.tiles[index]
    lying = [] if shown is None else [tile.track for tile in shown.reading.tiles]
    here = None if shown is None or meant.track not in lying else crop_address(shown.reading, lying.index(meant.track))
    return schema.SpokenOf(quad=rounded_corners(meant.quad), crop=here)
