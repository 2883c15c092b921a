"""A simulated player's position, and illegal plays from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from referee.rules.editions import RuleSet
from referee.rules.table import Table, TileSet
from referee.rules.tiles import Joker, Tile
from referee.rules.verdict import Fault
from referee.sim.players import PlannedPlay

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """The position of the player to move."""

    table: Table
    rack: tuple[Tile, ...]
    opened: bool
    rules: RuleSet


@dataclass(frozen=True, slots=True)
class Cheat:
    """An illegal play: the table afterwards, its faults, and the kind of cheat."""

    kind: str
    play: PlannedPlay
    faults: frozenset[Fault]


def is_plain(tiles: TileSet) -> bool:
    """Return whether there is no joker in a set."""
    return not any(isinstance(tile, Joker) for tile in tiles)


def shuffled_copy(items: Iterable[_Item], rng: Random) -> list[_Item]:
    """Return the items in random order."""
    pool = list(items)
    return rng.sample(pool, len(pool))


def with_replaced_set(sets: Sequence[TileSet], index: int, tiles: TileSet) -> tuple[TileSet, ...]:
    """Return the sets with one of them changed."""
    return (*sets[:index], tiles, *sets[index + 1 :])
