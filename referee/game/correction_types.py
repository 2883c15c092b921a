"""What a person may say of the tiles on the table; a tile is named by its index in the reading spoken of."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.rules.tiles import Tile


class _StatedCorrection:
    """What every kind is, for a reader of files: msgspec tells no two dataclasses apart."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TileIs(_StatedCorrection):
    """This tile is that one; None where no face lies: a tile face down, or no tile at all."""

    index: int
    tile: Tile | None


@dataclass(frozen=True, slots=True)
class TileMissed(_StatedCorrection):
    """A tile was not seen: it lies beside this one in its set, after it or before it as the set is read."""

    beside: int
    tile: Tile
    after: bool = True


@dataclass(frozen=True, slots=True)
class SetMissed(_StatedCorrection):
    """A set was not seen, none of it: its tiles as it is read."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class RowsJoined(_StatedCorrection):
    """The rows of these two tiles are one set; where it is one row already, that this is right."""

    one: int
    other: int


@dataclass(frozen=True, slots=True)
class RowParted(_StatedCorrection):
    """The row of this tile is two sets, and the first of them ends with it as the row is read."""

    after: int


if TYPE_CHECKING:
    StatedCorrection = TileIs | TileMissed | SetMissed | RowsJoined | RowParted
else:
    StatedCorrection = _StatedCorrection
