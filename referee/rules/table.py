"""The table: its sets, each a row of tiles in laid order."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
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

    def __str__(self) -> str:
        """Return the table in notation, which `parse_table` reads back."""
        return " / ".join(map(_row_text, self.sets))

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """All tiles on the table, set by set."""
        return tuple(tile for tiles in self.sets for tile in tiles)

    def counts(self) -> Counter[Tile]:
        """Return the number of each tile."""
        return Counter(self.tiles)


@lru_cache(maxsize=2048)
def _row_text(tiles: TileSet) -> str:
    """Return a row in notation; it mostly lies on the table for many turns."""
    return " ".join(map(str, tiles))


def expect_table(value: object, name: str) -> None:
    """Raise TypeError, naming the way out, for what is no table: it is often the text of one."""
    if not isinstance(value, Table):
        raise TypeError(f"{name} is {type(value).__name__} {value!r:.40}, not a Table; give parse_table('R3 R4 R5')")


EMPTY_TABLE: Final = Table()


def unmatched(keys: Iterable[Hashable], others: Iterable[Hashable]) -> Iterator[int]:
    """Yield the indices of keys without a counterpart, one to one, among the others."""
    left = Counter(others)
    for place, key in enumerate(keys):
        if left[key]:
            left[key] -= 1
        else:
            yield place
