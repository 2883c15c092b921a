"""Events of corrections: what people say tiles and rows are, and what players propose."""

from dataclasses import dataclass

from referee.game.event_parts import Reason
from referee.game.events import TurnEvent
from referee.game.inputs import Seat
from referee.rules.table import TileSet
from referee.rules.tiles import Tile
from referee.rules.wording import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class TileNamed(TurnEvent):
    """A person named a tile: its index in the reading of the frame, its new name and its old one."""

    index: int
    was: Tile | None
    tile: Tile | None
    by: str
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TileAdded(TurnEvent):
    """A person added a tile that was not seen: its index in the reading, and where it lies."""

    index: int
    tile: Tile
    where: Message
    by: str
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAdded(TurnEvent):
    """A person added a set that was not seen: the index of its first tile in the reading."""

    index: int
    tiles: TileSet
    by: str
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsNamed(TurnEvent):
    """A person divided or joined rows: the rows as read, and as they are."""

    was: tuple[TileSet, ...]
    rows: tuple[TileSet, ...]
    by: str
    frame_id: str


Claim = TileNamed | TileAdded | SetAdded | RowsNamed


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalMade(TurnEvent):
    """A player proposes a correction; another player may agree within `seconds`."""

    proposer: Seat
    seconds: float
    says: Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalEnded(TurnEvent):
    """A proposal was agreed to, refused, not answered in time, or its tiles have changed."""

    proposer: Seat
    reason: Reason
    answerer: Seat | None = None
