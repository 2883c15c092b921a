"""Back to the table before, tile by tile: what moves where, what comes back and what goes back to the rack."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique

from referee.reading.observation import Quad, TableReading, TileReading
from referee.rules.table import TileSet
from referee.rules.tiles import Tile
from referee.web.view.rows import Row, key_of, rows_of


@unique
class What(StrEnum):
    """What is to be done with a tile."""

    MOVE = "move"
    BRING = "bring"
    TAKE_BACK = "take_back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One tile on its way: to which set of the table before, where it lies now and where it lay then, if known."""

    what: What
    tile: Tile
    to_set: int | None = None
    index: int | None = None
    lies: Quad | None = None
    lay: Quad | None = None
    done: bool = False

    @property
    def key(self) -> tuple[What, Tile, int | None]:
        """The same for the same task, wherever the tile lies meanwhile."""
        return self.what, self.tile, self.to_set


def moves(target: Sequence[TileSet], now: TableReading, before: TableReading | None) -> tuple[Move, ...]:
    """List what is still to do until these sets lie on the table again; nothing once they do.

    Each set to be is built where most of it lies; what stays there stays, every other tile has to move.
    """
    rows = rows_of(now)
    stays, lacking = _stay(target, rows)
    spare = [index for row in rows for index in row.indices if index not in stays]
    as_they_lay = sets_as_they_lay(target, before)
    found: list[Move] = []
    for to_set, tile in lacking:
        there = next((old for old in as_they_lay.get(to_set, ()) if old.tile == tile), None)
        lay = None if there is None else there.quad
        alike = [index for index in spare if now.tiles[index].tile == tile]
        if not alike:
            found.append(Move(what=What.BRING, tile=tile, to_set=to_set, lay=lay))
            continue
        index = min(alike, key=lambda index: there is None or now.tiles[index].track != there.track)
        spare.remove(index)
        lies = now.tiles[index].quad
        found.append(Move(what=What.MOVE, tile=tile, to_set=to_set, index=index, lies=lies, lay=lay))
    for index in spare:
        tile_seen = now.tiles[index].tile
        if tile_seen is not None:
            found.append(Move(what=What.TAKE_BACK, tile=tile_seen, index=index, lies=now.tiles[index].quad))
    return tuple(found)


def tick_off(first: Iterable[Move], left: Iterable[Move]) -> tuple[Move, ...]:
    """Return the moves as they were first listed, those not left any more as done; new ones come last."""
    waiting: dict[object, list[Move]] = {}
    for move in left:
        waiting.setdefault(move.key, []).append(move)
    listed = [
        waiting[move.key].pop(0) if waiting.get(move.key) else replace(move, done=True, index=None, lies=None)
        for move in first
    ]
    return (*listed, *(move for more in waiting.values() for move in more))


def _stay(target: Sequence[TileSet], rows: Sequence[Row]) -> tuple[set[int], list[tuple[int, Tile]]]:
    """Return which tiles stay where they lie, and which each set to be still lacks."""
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


def sets_as_they_lay(target: Sequence[TileSet], before: TableReading | None) -> dict[int, list[TileReading]]:
    """Return the tiles of each set to be as they lay when the turn began; without sets that lay there otherwise."""
    rows = [] if before is None else list(rows_of(before))
    found: dict[int, list[TileReading]] = {}
    for place, tiles in enumerate(target):
        row = next((row for row in rows if row.key == key_of(tiles)), None)
        if row is not None and before is not None:
            rows.remove(row)
            found[place] = [before.tiles[index] for index in row.indices]
    return found
