"""The table: the sets that lie on it, each a row of tiles in the order laid."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from referee.rules.tiles import Tile

TileSet = tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The sets on the table; a single tile is a set of one, and no set is empty."""

    sets: tuple[TileSet, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a set without tiles."""
        if not all(self.sets):
            raise ValueError("a set on the table has at least one tile")

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """Every tile on the table, set after set."""
        return tuple(tile for tiles in self.sets for tile in tiles)

    def counts(self) -> Counter[Tile]:
        """Return how many there are of each tile."""
        return Counter(self.tiles)


EMPTY_TABLE: Final = Table()


def surplus(keys: Iterable[Hashable], others: Iterable[Hashable]) -> Iterator[int]:
    """Yield the places of the keys that are not matched, one to one, by the others."""
    left = Counter(others)
    for place, key in enumerate(keys):
        if left[key]:
            left[key] -= 1
        else:
            yield place
