"""The one tile to blame that some tiles are no set: without it, or with it elsewhere, they are.

Of three tiles two are left without the guilty one; they are to go together, so that a third could make them a set.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from referee.rules.editions import RuleSet
from referee.rules.set_reading import CHANGES, MIN_SET_TILES, MIRRORS, SetReading
from referee.rules.sets import is_set, readings
from referee.rules.table import TileSet
from referee.rules.tiles import Joker, JokerKind, Tile

Suspects = Sequence[Collection[Tile]]
"""Tiles that are more likely to blame than others, the most likely first: those played, then those that came here."""

_FILLER: Final = Joker(JokerKind.REGULAR)


@dataclass(frozen=True, slots=True)
class Culprit:
    """A tile that is alone to blame: at which place it lies, and how the other tiles are read as a set, or part of one.

    No readings: the tiles are a set once it lies elsewhere among them.
    """

    place: int
    readings: tuple[SetReading, ...]


def culprits(tiles: TileSet, rules: RuleSet, suspects: Suspects = ()) -> tuple[Culprit, ...]:
    """Return the tiles each of which is alone to blame, one of those that are alike; of them only the likeliest."""
    found = list(_mended_without(tiles, rules)) if len(tiles) > MIN_SET_TILES else []
    if not found and any(CHANGES[tile.code] or MIRRORS[tile.code] for tile in tiles):
        found = list(_mended_elsewhere(tiles, rules))
    if not found and len(tiles) == MIN_SET_TILES:
        found = list(_going_together_without(tiles, rules))
    for likely in suspects:
        among = [culprit for culprit in found if tiles[culprit.place] in likely]
        if among:
            found = among
            break
    return tuple({tiles[culprit.place]: culprit for culprit in found}.values())


def _mended_without(tiles: TileSet, rules: RuleSet) -> Iterator[Culprit]:
    for place in range(len(tiles)):
        found = readings((*tiles[:place], *tiles[place + 1 :]), rules)
        if found:
            yield Culprit(place, found)


def _mended_elsewhere(tiles: TileSet, rules: RuleSet) -> Iterator[Culprit]:
    for place, tile in enumerate(tiles):
        others = (*tiles[:place], *tiles[place + 1 :])
        if any(is_set((*others[:at], tile, *others[at:]), rules) for at in range(len(tiles)) if at != place):
            yield Culprit(place, ())


def _going_together_without(tiles: TileSet, rules: RuleSet) -> Iterator[Culprit]:
    """Yield the tiles without which two are left that some third tile would make a set."""
    for place in range(len(tiles)):
        others = (*tiles[:place], *tiles[place + 1 :])
        found = tuple(
            replace(reading, stands_for=(*reading.stands_for[:at], *reading.stands_for[at + 1 :]))
            for at in range(len(tiles))
            for reading in readings((*others[:at], _FILLER, *others[at:]), rules)
        )
        if found:
            yield Culprit(place, found)
