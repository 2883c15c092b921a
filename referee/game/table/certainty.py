"""What is certain of a table with unread tiles: the sets without them, and the counts of the other tiles."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from referee.game.table.differences import either_way
from referee.reading.observation import Layout, TableReading, TrackId
from referee.reading.rows import covers
from referee.rules.table import Table, TileSet, unmatched
from referee.rules.tiles import Tile
from referee.rules.verdict import Fault, Violation

SET_FAULTS = frozenset({Fault.NOT_A_SET, Fault.LOOSE_TILE})

Pattern = tuple[tuple[Tile | None, bool], ...]
"""A set in reading order: each tile, and whether it was read; otherwise the tile is only a guess.

None is a face-down tile, or the unseen part of the set.
"""


@dataclass(frozen=True, slots=True)
class Certainty:
    """The sets of a reading, one tuple per layout.

    `hidden` says that an unread tile is covered, `astray` that its place is unknown; `covered` are the places hidden
    by something other than tiles, whatever people call the tile there.
    """

    layouts: tuple[tuple[Pattern, ...], ...] = ((),)
    hidden: bool = False
    astray: bool = False
    covered: frozenset[TrackId] = frozenset()

    def merge(self, other: "Certainty") -> "Certainty":
        """Return what two readings of one table agree on."""
        return Certainty(
            (*self.layouts, *other.layouts),
            self.hidden or other.hidden,
            self.astray or other.astray,
            self.covered | other.covered,
        )

    @property
    def all_read(self) -> bool:
        """Whether every tile was read."""
        return not any(self._unread(layout) for layout in self.layouts)

    def has_set(self, tiles: TileSet) -> bool:
        """Return whether every layout has this set, completely read."""
        return not self.astray and all(
            any(all(read for _, read in pattern) and _names(pattern) in (tiles, tiles[::-1]) for pattern in layout)
            for layout in self.layouts
        )

    def may_have_set(self, tiles: TileSet) -> bool:
        """Return whether some set with unread tiles may be this one."""
        return any(
            _fits(pattern, tiles) or _fits(pattern, tiles[::-1])
            for layout in self.layouts
            for pattern in self._unread(layout)
        )

    def min_count(self, tile: Tile) -> int:
        """Return the least number of copies of a tile: those read."""
        counts = (sum((name, read) == (tile, True) for row in layout for name, read in row) for layout in self.layouts)
        return min(counts)

    def max_count(self, tile: Tile) -> int:
        """Return the greatest possible number of copies of a tile."""
        counts = (
            sum(name == tile or not read or _is_open(row) for row in layout for name, read in row)
            for layout in self.layouts
        )
        return max(counts)

    def beginnings(self, before: tuple[Table, ...], after: Table) -> tuple[Table, ...]:
        """Return the earlier tables, and each with its unread sets resolved by new sets that fit them."""
        if self.all_read:
            return before
        return tuple(dict.fromkeys((*(self._resolved(table, after) for table in before), *before)))

    def _resolved(self, before: Table, after: Table) -> Table:
        sets = list(before.sets)
        new = [after.sets[place] for place in unmatched(after.sets, before.sets)]
        for pattern in {pattern_of_layout for layout in self.layouts for pattern_of_layout in self._unread(layout)}:
            fits = next((tiles for tiles in new if _fits(pattern, tiles) or _fits(pattern[::-1], tiles)), None)
            pieces = _pieces(pattern, sets)
            if fits is not None and pieces:
                for piece in pieces[1:]:
                    sets.remove(piece)
                sets[sets.index(pieces[0])] = fits
                new.remove(fits)
        return Table(tuple(sets))

    def unread_as(self, other: "Certainty") -> bool:
        """Return whether the unread tiles are visible in both, in the same sets in either direction."""
        sets = [Counter(map(either_way, self._unread(layout))) for layout in (*self.layouts, *other.layouts)]
        unseen = self.hidden or self.astray or other.hidden or other.astray
        return not unseen and all(counts == sets[0] for counts in sets)

    def covers_more(self, before: "Certainty") -> bool:
        """Return whether something covers places that were visible before: more tiles may lie under it."""
        return not self.covered <= before.covered

    @staticmethod
    def _unread(layout: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
        return tuple(pattern for pattern in layout if not all(read for _, read in pattern))


ALL_READ: Final = Certainty()


def certainty(
    reading: TableReading, unread: frozenset[int], read: TableReading, turned: Sequence[Sequence[int]] = ()
) -> Certainty:
    """Return what is certain of a reading with these `unread` tiles; `read` is the reading before corrections.

    `turned` are the rows with face-down tiles.
    """
    in_turned = {index for row in turned for index in row}
    covered = _covered(read, reading)
    guessed = unread.union(index for index, tile in enumerate(read.tiles) if tile.place in covered)

    def pattern(row: Sequence[int]) -> Pattern:
        return tuple((tile := reading.tiles[index].tile, tile is not None and index not in guessed) for index in row)

    def patterns(layout: Layout) -> tuple[Pattern, ...]:
        rows = [tuple(index for index in row if reading.tiles[index].tile is not None) for row in layout.rows]
        return tuple(pattern(row) for row in (*(row for row in rows if in_turned.isdisjoint(row)), *turned) if row)

    hidden = any(reading.tiles[index].hidden for index in unread)
    astray = any(index >= len(read.tiles) for index in unread)
    return Certainty(tuple(map(patterns, reading.layouts)), hidden, astray, covered)


def _covered(read: TableReading, reading: TableReading) -> frozenset[TrackId]:
    """Return the places of hidden faces that no visible tile covers; none of which a person says that it is empty.

    A name does not uncover a place: whoever knows the tile there does not say that nothing more lies there.
    """
    seen = [tile for tile in read.tiles if not tile.hidden]
    empty = {index for index, tile in enumerate(reading.tiles) if tile.tile is None}
    hidden = [tile for index, tile in enumerate(read.tiles) if tile.hidden and tile.tile and index not in empty]
    return frozenset(tile.place for tile in hidden if not any(covers(other, tile.centre) for other in seen))


def holds_whatever_unread(violation: Violation, tiles: TileSet | None, before: Certainty, after: Certainty) -> bool:
    """Return whether a fault (of this set, if any) is one whatever the unread tiles are."""
    covered = after.covers_more(before)
    if not covered and before.unread_as(after):
        return True
    if violation.fault in SET_FAULTS and tiles is not None:
        return after.has_set(tiles) and not before.may_have_set(tiles)
    if violation.fault is Fault.TILE_TAKEN and not covered:
        taken = Counter(violation.tiles)
        return all(before.min_count(tile) - after.max_count(tile) >= count for tile, count in taken.items())
    return False


def _names(pattern: Pattern) -> TileSet:
    return tuple(tile for tile, _ in pattern if tile is not None)


def _is_open(pattern: Pattern) -> bool:
    return any(tile is None for tile, _ in pattern)


def _fits(pattern: Pattern, tiles: TileSet) -> bool:
    """Return whether the set may be these tiles; an open set has unseen tiles of unknown number and place."""
    if _is_open(pattern):
        rest: Iterator[Tile | None] = iter(tiles)
        return len(tiles) >= len(pattern) and all(name in rest for name, read in pattern if read)
    return len(pattern) == len(tiles) and all(
        name == tile or not read for (name, read), tile in zip(pattern, tiles, strict=True)
    )


def _pieces(pattern: Pattern, sets: Sequence[TileSet]) -> list[TileSet]:
    """Return the sets of the table that make up this one: an open set may be read in several pieces."""
    names = _names(pattern)
    if not _is_open(pattern):
        return [names] if names in sets else []
    left, pieces = Counter(names), []
    for tiles in sets:
        if Counter(tiles) <= left:
            left -= Counter(tiles)
            pieces.append(tiles)
    return pieces if not left else []
