"""The restore guide: the moves that bring the table back to its state at the turn's start."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique

from referee.protocol.rows import TableRow, set_key, table_rows
from referee.reading.observation import Quad, TableReading, TileReading
from referee.rules.table import TileSet
from referee.rules.tiles import Tile


@unique
class MoveKind(StrEnum):
    """How to move a tile."""

    MOVE = "move"
    BRING = "bring"
    TAKE_BACK = "take_back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One tile to move: its target set, and its quads now and at the turn's start, if known."""

    kind: MoveKind
    tile: Tile
    to_set: int | None = None
    index: int | None = None
    quad: Quad | None = None
    target_quad: Quad | None = None
    done: bool = False

    @property
    def key(self) -> tuple[MoveKind, Tile, int | None]:
        """A key that stays the same while the tile is moved."""
        return self.kind, self.tile, self.to_set


def restore_moves(target: Sequence[TileSet], now: TableReading, before: TableReading | None) -> tuple[Move, ...]:
    """Return the moves that restore these sets; empty if they lie on the table.

    Each target set is built where most of its tiles lie; those tiles stay, every other tile moves.
    """
    rows = table_rows(now)
    stays, lacking = _staying_tiles(target, rows)
    spare = [index for row in rows for index in row.indices if index not in stays]
    as_they_lay = tiles_before(target, before)
    found: list[Move] = []
    for to_set, tile in lacking:
        there = next((old for old in as_they_lay.get(to_set, ()) if old.tile == tile), None)
        lay = None if there is None else there.quad
        alike = [index for index in spare if now.tiles[index].tile == tile]
        if not alike:
            found.append(Move(kind=MoveKind.BRING, tile=tile, to_set=to_set, target_quad=lay))
            continue
        index = min(alike, key=lambda index: there is None or now.tiles[index].track != there.track)
        spare.remove(index)
        quad_now = now.tiles[index].quad
        found.append(Move(kind=MoveKind.MOVE, tile=tile, to_set=to_set, index=index, quad=quad_now, target_quad=lay))
    for index in spare:
        tile_seen = now.tiles[index].tile
        if tile_seen is not None:
            found.append(Move(kind=MoveKind.TAKE_BACK, tile=tile_seen, index=index, quad=now.tiles[index].quad))
    return tuple(found)


def mark_done(first: Iterable[Move], left: Iterable[Move]) -> tuple[Move, ...]:
    """Return the first list of moves, those no longer left marked as done; new moves come last."""
    waiting: dict[object, list[Move]] = {}
    for move in left:
        waiting.setdefault(move.key, []).append(move)
    listed = [
        waiting[move.key].pop(0) if waiting.get(move.key) else replace(move, done=True, index=None, quad=None)
        for move in first
    ]
    return (*listed, *(move for more in waiting.values() for move in more))


def _staying_tiles(target: Sequence[TileSet], rows: Sequence[TableRow]) -> tuple[set[int], list[tuple[int, Tile]]]:
    """Return the indices of tiles that stay, and the missing tiles of each target set."""
    wanted = [Counter(tiles) for tiles in target]
    shared = sorted(
        (-(wanted[place] & Counter(row.tiles)).total(), len(row.tiles), place, number)
        for place in range(len(target))
        for number, row in enumerate(rows)
    )
    stays: set[int] = set()
    built: dict[int, int] = {}
    for overlap, _, place, number in shared:
        if overlap and place not in built and number not in built.values():
            built[place] = number
            for index, tile in zip(rows[number].indices, rows[number].tiles, strict=True):
                if wanted[place][tile]:
                    wanted[place][tile] -= 1
                    stays.add(index)
    return stays, [(place, tile) for place, tiles in enumerate(wanted) for tile in tiles.elements()]


def tiles_before(target: Sequence[TileSet], before: TableReading | None) -> dict[int, list[TileReading]]:
    """Return each target set's tiles as they lay at the turn's start; sets that lay there otherwise are omitted."""
    rows = [] if before is None else list(table_rows(before))
    found: dict[int, list[TileReading]] = {}
    for place, tiles in enumerate(target):
        row = next((row for row in rows if row.key == set_key(tiles)), None)
        if row is not None and before is not None:
            rows.remove(row)
            found[place] = [before.tiles[index] for index in row.indices]
    return found
