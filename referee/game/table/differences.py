"""Differences between two tables: whether they are the same, and what is left to restore."""

from collections import Counter
from collections.abc import Iterator
from typing import TypeVar

from referee.game.event_parts import Guide
from referee.rules.table import Table, TileSet, unmatched
from referee.rules.tiles import Tile

T = TypeVar("T")


def as_laid(table: Table) -> Counter[tuple[int, ...]]:
    """Return the sets of a table without regard to place, direction and order."""
    return Counter(map(_tiles_of, table.sets))


def either_way(row: tuple[T, ...]) -> frozenset[tuple[T, ...]]:
    """Return a value that a row shares with its reverse."""
    return frozenset((row, row[::-1]))


def new_sets(before: Table, now: Table) -> Iterator[int]:
    """Yield the indices of sets that did not lie there in this order before, read from either seat."""
    return unmatched(map(either_way, now.sets), map(either_way, before.sets))


def same_sets(one: Table, other: Table) -> bool:
    """Return whether two tables hold the same sets, wherever and whichever way round they lie."""
    return as_laid(one) == as_laid(other)


def differences(before: Table, now: Table) -> tuple[tuple[Tile, ...], tuple[Tile, ...]]:
    """Return the tiles missing from the table before, and the tiles that have come to it."""
    return tuple((before.counts() - now.counts()).elements()), tuple((now.counts() - before.counts()).elements())


def tiles_moved(before: Table, now: Table) -> int:
    """Return an upper bound of how many tiles changed sets; each set continues the one it shares most with."""
    left = [Counter(row) for row in (as_laid(before) - as_laid(now)).elements()]
    moved = 0
    for row in sorted(map(Counter, (as_laid(now) - as_laid(before)).elements()), key=Counter.total, reverse=True):
        was = max(left, key=lambda other: (row & other).total(), default=Counter())
        moved += (row - was).total()
        if was in left:
            left.remove(was)
    return moved


def guide(before: Table, now: Table) -> Guide:
    """Return which sets to rebuild, which tiles must come back and which go back to the rack."""
    fallen = unmatched(map(_tiles_of, before.sets), map(_tiles_of, now.sets))
    return Guide(tuple(before.sets[place] for place in fallen), *differences(before, now))


def _tiles_of(tiles: TileSet) -> tuple[int, ...]:
    return tuple(sorted(tile.code for tile in tiles))
