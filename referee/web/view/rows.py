"""The rows of a reading as the table has them, and which of them a verdict speaks of."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from referee.reading.observation import TableReading
from referee.rules.table import Table, TileSet
from referee.rules.tiles import Tile
from referee.rules.verdict import Verdict, Violation


@dataclass(frozen=True, slots=True)
class Row:
    """A set on the table: the indices of its tiles in the reading, and the tiles."""

    indices: tuple[int, ...]
    tiles: TileSet

    @property
    def key(self) -> tuple[int, ...]:
        """The same for the same tiles, whichever way round they lie."""
        return key_of(self.tiles)


def key_of(tiles: TileSet) -> tuple[int, ...]:
    """Return what two sets of the same tiles have in common."""
    return tuple(sorted(tile.code for tile in tiles))


def rows_of(reading: TableReading) -> tuple[Row, ...]:
    """List the rows of the likeliest layout in the order of `reading.table()`; tiles lying face down are left out."""
    rows = []
    for group in reading.layouts[0].rows:
        seen = [(index, tile) for index in group if (tile := reading.tiles[index].tile) is not None]
        if seen:
            rows.append(Row(tuple(index for index, _ in seen), tuple(tile for _, tile in seen)))
    return tuple(rows)


def place_of(violation: Violation, table: Table, rows: Sequence[Row]) -> int | None:
    """Return which row a violation of a judged table speaks of; None where none of them lies there so any more."""
    if violation.set_index is None or violation.set_index >= len(table.sets):
        return None
    tiles = table.sets[violation.set_index]
    places = [place for place, row in enumerate(rows) if row.tiles in (tiles, tiles[::-1])]
    if violation.set_index in places:
        return violation.set_index
    return places[0] if places else None


def new_rows(before: Table, rows: Sequence[Row]) -> frozenset[int]:
    """Return which rows did not lie on the table before."""
    old = Counter(map(key_of, before.sets))
    new = set()
    for place, row in enumerate(rows):
        if old[row.key]:
            old[row.key] -= 1
        else:
            new.add(place)
    return frozenset(new)


def played_tiles(verdict: Verdict, rows: Sequence[Row], new: frozenset[int]) -> frozenset[int]:
    """Return which tiles of the reading were laid this turn; of two alike, one in a set that is new."""
    left = Counter[Tile](verdict.played)
    found = set()
    for place in sorted(range(len(rows)), key=lambda place: place not in new):
        for index, tile in zip(rows[place].indices, rows[place].tiles, strict=True):
            if left[tile]:
                left[tile] -= 1
                found.add(index)
    return frozenset(found)
