"""The table: its sets, each a row of tiles in laid order."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from referee.rules.tiles import Tile

TileSet = tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The sets on the table; a loose tile is a set of one, and no set is empty."""

    sets: tuple[TileSet, ...] = ()

    def __post_init__(self) -> None:
        """Raise ValueError for an empty set."""
        if not all(self.sets):
            raise ValueError("a set on the table has at least one tile")

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """All tiles on the table, set by set."""
        return tuple(tile for tiles in self.sets for tile in tiles)

    def counts(self) -> Counter[Tile]:
        """Return the number of each tile."""
        return Counter(self.tiles)


EMPTY_TABLE: Final = Table()


def unmatched(keys: Iterable[Hashable], others: Iterable[Hashable]) -> Iterator[int]:
    """Yield the indices of keys without a counterpart, one to one, among the others."""
    left = Counter(others)
    for place, key in enumerate(keys):
        if left[key]:
            left[key] -= 1
        else:
            yield place
