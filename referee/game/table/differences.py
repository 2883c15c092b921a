"""Back to the table before: whether it is the same again, and what is still to do."""

from collections import Counter

from referee.game.event_parts import Guide
from referee.rules.table import Table, TileSet, surplus
from referee.rules.tiles import Tile


def as_laid(table: Table) -> Counter[tuple[int, ...]]:
    """The sets of a table without regard to place, direction and order."""
    return Counter(map(_tiles_of, table.sets))


def same_sets(one: Table, other: Table) -> bool:
    """Tell whether two tables hold the same sets, wherever and whichever way round they lie."""
    return as_laid(one) == as_laid(other)


def differences(before: Table, now: Table) -> tuple[tuple[Tile, ...], tuple[Tile, ...]]:
    """Give the tiles missing from the table before, and the tiles that have come to it."""
    return tuple((before.counts() - now.counts()).elements()), tuple((now.counts() - before.counts()).elements())


def guide(before: Table, now: Table) -> Guide:
    """Say which sets are to be built again, which tiles must come back and which go back to the rack."""
    fallen = surplus(map(_tiles_of, before.sets), map(_tiles_of, now.sets))
    return Guide(tuple(before.sets[place] for place in fallen), *differences(before, now))


def _tiles_of(tiles: TileSet) -> tuple[int, ...]:
    return tuple(sorted(tile.code for tile in tiles))
