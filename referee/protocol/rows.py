"""The rows of a reading, and the rows that a verdict refers to."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from referee.reading.observation import TableReading
from referee.rules.table import Table, TileSet
from referee.rules.tiles import Tile
from referee.rules.verdict import Verdict, Violation


@dataclass(frozen=True, slots=True)
class TableRow:
    """A set on the table: the indices of its tiles in the reading, and the tiles."""

    indices: tuple[int, ...]
    tiles: TileSet

    @property
    def key(self) -> tuple[int, ...]:
        """A key that does not depend on the tiles' order."""
        return set_key(self.tiles)


def set_key(tiles: TileSet) -> tuple[int, ...]:
    """Return a key that is equal for sets of the same tiles."""
    return tuple(sorted(tile.code for tile in tiles))


def table_rows(reading: TableReading) -> tuple[TableRow, ...]:
    """Return the rows of the likeliest layout in the order of `reading.table()`, without tiles lying face down."""
    rows = []
    for group in reading.layouts[0].rows:
        seen = [(index, tile) for index in group if (tile := reading.tiles[index].tile) is not None]
        if seen:
            rows.append(TableRow(tuple(index for index, _ in seen), tuple(tile for _, tile in seen)))
    return tuple(rows)


def row_of_violation(violation: Violation, table: Table, rows: Sequence[TableRow]) -> int | None:
    """Return the index of a violation's row; None if the row has changed."""
    if violation.set_index is None or violation.set_index >= len(table.sets):
        return None
    tiles = table.sets[violation.set_index]
    places = [place for place, row in enumerate(rows) if row.tiles in (tiles, tiles[::-1])]
    if violation.set_index in places:
        return violation.set_index
    return places[0] if places else None


def new_rows(before: Table, rows: Sequence[TableRow]) -> frozenset[int]:
    """Return the indices of rows that were not on the table before."""
    old = Counter(map(set_key, before.sets))
    new = set()
    for place, row in enumerate(rows):
        if old[row.key]:
            old[row.key] -= 1
        else:
            new.add(place)
    return frozenset(new)


def played_tiles(verdict: Verdict, rows: Sequence[TableRow], new: frozenset[int]) -> frozenset[int]:
    """Return the indices of tiles played this turn; of two equal tiles, one in a new set."""
    left = Counter[Tile](verdict.played)
    found = set()
    for place in sorted(range(len(rows)), key=lambda place: place not in new):
        for index, tile in zip(rows[place].indices, rows[place].tiles, strict=True):
            if left[tile]:
                left[tile] -= 1
                found.add(index)
    return frozenset(found)
