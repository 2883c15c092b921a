"""What a simulated player sees, and the illegal plays made from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from referee.rules.editions import RuleSet
from referee.rules.table import Table, TileSet
from referee.rules.tiles import Joker, Tile
from referee.rules.verdict import Fault
from referee.sim.players import PlannedPlay

_Thing = TypeVar("_Thing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What the player to move has before them."""

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


def shuffled(things: Iterable[_Thing], rng: Random) -> list[_Thing]:
    """Return the same things in another order."""
    drawn = list(things)
    return rng.sample(drawn, len(drawn))


def replaced(sets: Sequence[TileSet], index: int, tiles: TileSet) -> tuple[TileSet, ...]:
    """Return the sets with one of them changed."""
    return (*sets[:index], tiles, *sets[index + 1 :])
