"""Corrections that a person may state; tiles are given by their index in the corrected reading."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.rules.tiles import Tile


class _StatedCorrection:
    """The base of all kinds, for reading files: msgspec cannot tell dataclasses in a union apart."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TileIs(_StatedCorrection):
    """A tile shows `tile`; None: no face lies there (face down, or no tile at all)."""

    index: int
    tile: Tile | None


@dataclass(frozen=True, slots=True)
class TileMissed(_StatedCorrection):
    """A tile that was not seen, before or after a seen tile of its set, in reading order."""

    beside: int
    tile: Tile
    after: bool = True


@dataclass(frozen=True, slots=True)
class SetMissed(_StatedCorrection):
    """A set of which no tile was seen: its tiles in reading order."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class RowsJoined(_StatedCorrection):
    """The rows of two tiles are one set; of two tiles in one row: that row is right."""

    one: int
    other: int


@dataclass(frozen=True, slots=True)
class RowParted(_StatedCorrection):
    """A row is two sets; the first ends with this tile, in reading order."""

    after: int


if TYPE_CHECKING:
    StatedCorrection = TileIs | TileMissed | SetMissed | RowsJoined | RowParted
else:
    StatedCorrection = _StatedCorrection
