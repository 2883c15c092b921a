"""Corrections that a person may state; tiles are given by their index in the corrected reading."""

from msgspec import Struct

from referee.rules.tiles import Tile


class _Correction(Struct, frozen=True, tag=True, tag_field="correction"):
    """The base of all kinds; a journal tells them apart by their names under `correction`."""


class TileIs(_Correction, frozen=True):
    """A tile shows `tile`; None: no face lies there (face down, or no tile at all)."""

    index: int
    tile: Tile | None


class TileMissed(_Correction, frozen=True):
    """A tile that was not seen, before or after a seen tile of its set, in reading order."""

    beside: int
    tile: Tile
    after: bool = True


class SetMissed(_Correction, frozen=True):
    """A set of which no tile was seen: its tiles in reading order."""

    tiles: tuple[Tile, ...]


class RowsJoined(_Correction, frozen=True):
    """The rows of two tiles are one set; of two tiles in one row: that row is right."""

    one: int
    other: int


class RowParted(_Correction, frozen=True):
    """A row is two sets; the first ends with this tile, in reading order."""

    after: int


StatedCorrection = TileIs | TileMissed | SetMissed | RowsJoined | RowParted
