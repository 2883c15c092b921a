"""What is told of corrections: what people say that a tile is or how rows lie, and what a player proposes."""

from dataclasses import dataclass

from referee.game.event_parts import Reason
from referee.game.events import TurnEvent
from referee.game.inputs import Seat
from referee.rules.table import TileSet
from referee.rules.tiles import Tile
from referee.rules.wording import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class TileNamed(TurnEvent):
    """A person said what a tile is; its index in the reading of the frame, and what it had been taken for."""

    index: int
    was: Tile | None
    tile: Tile | None
    by: str
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TileAdded(TurnEvent):
    """A person said that a tile lies there which was not seen; its index in the reading, and where it lies."""

    index: int
    tile: Tile
    where: Message
    by: str
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAdded(TurnEvent):
    """A person said that a set lies there of which nothing was seen; the index of its first tile in the reading."""

    index: int
    tiles: TileSet
    by: str
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsNamed(TurnEvent):
    """A person said how tiles lie in sets: the rows as they were read, and as they are."""

    was: tuple[TileSet, ...]
    rows: tuple[TileSet, ...]
    by: str
    frame_id: str


Claim = TileNamed | TileAdded | SetAdded | RowsNamed


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalMade(TurnEvent):
    """A player proposes a correction, and another one has so long to agree; what it would tell."""

    proposer: Seat
    seconds: float
    says: Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalEnded(TurnEvent):
    """A proposal was agreed to or refused, nobody answered in time, or the table is no longer what it spoke of."""

    proposer: Seat
    reason: Reason
    answerer: Seat | None = None
