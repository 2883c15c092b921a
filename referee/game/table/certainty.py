"""What stays certain of a table on which some tiles may be anything: sets without them, and counts of the others."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from referee.game.table.differences import either_way
from referee.reading.observation import Layout, TableReading
from referee.rules.table import Table, TileSet, surplus
from referee.rules.tiles import Tile
from referee.rules.verdict import Fault, Violation

OF_A_SET = frozenset({Fault.NOT_A_SET, Fault.LOOSE_TILE})

Pattern = tuple[tuple[Tile, bool], ...]
"""A set in reading order: each tile, and whether it was read; where it was not, the tile is only a guess."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """The sets of a reading, one tuple for each layout.

    `hidden` where a tile that was not read cannot be seen, `astray` where nobody knows in which place it lies.
    """

    layouts: tuple[tuple[Pattern, ...], ...] = ((),)
    hidden: bool = False
    astray: bool = False

    def also(self, other: "Certainty") -> "Certainty":
        """Give what is certain by two readings of one table."""
        return Certainty((*self.layouts, *other.layouts), self.hidden or other.hidden, self.astray or other.astray)

    @property
    def whole(self) -> bool:
        """Whether every tile was read."""
        return not any(self._unread(layout) for layout in self.layouts)

    def lies(self, tiles: TileSet) -> bool:
        """Tell whether this set was read and lies there however the rows are divided."""
        return not self.astray and all(
            any(all(read for _, read in pattern) and _names(pattern) in (tiles, tiles[::-1]) for pattern in layout)
            for layout in self.layouts
        )

    def may_hold(self, tiles: TileSet) -> bool:
        """Tell whether a set with tiles that were not read may be this one."""
        return any(
            _fits(pattern, tiles) or _fits(pattern, tiles[::-1])
            for layout in self.layouts
            for pattern in self._unread(layout)
        )

    def least(self, tile: Tile) -> int:
        """Give how many of a tile were read."""
        counts = (sum((name, read) == (tile, True) for one in layout for name, read in one) for layout in self.layouts)
        return min(counts)

    def most(self, tile: Tile) -> int:
        """Give how many of a tile there may be."""
        counts = (sum(name == tile or not read for one in layout for name, read in one) for layout in self.layouts)
        return max(counts)

    def beginnings(self, before: tuple[Table, ...], after: Table) -> tuple[Table, ...]:
        """Give the tables before, and with what was not read then as it is if that is what lies there now."""
        if self.whole:
            return before
        return tuple(dict.fromkeys((*(self._resolved(table, after) for table in before), *before)))

    def _resolved(self, before: Table, after: Table) -> Table:
        sets = list(before.sets)
        new = [after.sets[place] for place in surplus(after.sets, before.sets)]
        for pattern in {one for layout in self.layouts for one in self._unread(layout)}:
            fits = next((tiles for tiles in new if _fits(pattern, tiles) or _fits(pattern[::-1], tiles)), None)
            if fits is not None and _names(pattern) in sets:
                sets[sets.index(_names(pattern))] = fits
                new.remove(fits)
        return Table(tuple(sets))

    def unread_as(self, other: "Certainty") -> bool:
        """Tell whether the tiles that were not read are seen in both, and lie in the same sets however these lie."""
        sets = [Counter(map(either_way, self._unread(layout))) for layout in (*self.layouts, *other.layouts)]
        unseen = self.hidden or self.astray or other.hidden or other.astray
        return not unseen and all(one == sets[0] for one in sets)

    @staticmethod
    def _unread(layout: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
        return tuple(pattern for pattern in layout if not all(read for _, read in pattern))


ALL_READ: Final = Certainty()


def certainty(reading: TableReading, unread: frozenset[int], seen: int) -> Certainty:
    """Give what is certain of a reading in which these tiles may be anything; the first so many of all were seen."""

    def pattern(row: Sequence[int]) -> Pattern:
        return tuple((tile, index not in unread) for index in row if (tile := reading.tiles[index].tile) is not None)

    def patterns(layout: Layout) -> tuple[Pattern, ...]:
        return tuple(found for row in layout.rows if (found := pattern(row)))

    hidden = any(reading.tiles[index].hidden for index in unread)
    return Certainty(tuple(map(patterns, reading.layouts)), hidden, any(index >= seen for index in unread))


def holds(violation: Violation, tiles: TileSet | None, before: Certainty, after: Certainty) -> bool:
    """Tell whether a fault, of this set if it is of one, is there whatever the tiles are that were not read."""
    if before.unread_as(after):
        return True
    if violation.fault in OF_A_SET and tiles is not None:
        return after.lies(tiles) and not before.may_hold(tiles)
    if violation.fault is Fault.TILE_TAKEN:
        taken = Counter(violation.tiles)
        return all(before.least(tile) - after.most(tile) >= count for tile, count in taken.items())
    return False


def _names(pattern: Pattern) -> TileSet:
    return tuple(tile for tile, _ in pattern)


def _fits(pattern: Pattern, tiles: TileSet) -> bool:
    return len(pattern) == len(tiles) and all(
        name == tile or not read for (name, read), tile in zip(pattern, tiles, strict=True)
    )
