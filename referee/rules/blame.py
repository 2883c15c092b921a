"""The one tile to blame if tiles are no set: without it, or with it elsewhere, they are one.

Of three tiles, the two others must be compatible: some third tile would make them a set.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from referee.rules.editions import RuleSet
from referee.rules.set_reading import IS_COLOUR_CHANGE, IS_MIRROR, MIN_SET_TILES, SetReading
from referee.rules.sets import is_set, readings
from referee.rules.table import TileSet
from referee.rules.tiles import Joker, JokerKind, Tile

SuspectTiles = Sequence[Collection[Tile]]
"""Tiles that are more likely to blame than others, the most likely first: those played, then those that came here."""

_WILDCARD: Final = Joker(JokerKind.REGULAR)


@dataclass(frozen=True, slots=True)
class Culprit:
    """The only tile to blame: its index, and the readings of the other tiles as a set or part of one.

    Without readings, the tiles are a set if it is moved within them.
    """

    place: int
    readings: tuple[SetReading, ...]


def culprits(tiles: TileSet, rules: RuleSet, suspects: SuspectTiles = ()) -> tuple[Culprit, ...]:
    """Return the tiles that are each alone to blame, without equal tiles; only the likeliest if `suspects` decide."""
    found = list(_legal_without(tiles, rules)) if len(tiles) > MIN_SET_TILES else []
    if not found and any(IS_COLOUR_CHANGE[tile.code] or IS_MIRROR[tile.code] for tile in tiles):
        found = list(_legal_elsewhere(tiles, rules))
    if not found and len(tiles) == MIN_SET_TILES:
        found = list(_compatible_without(tiles, rules))
    for likely in suspects:
        among = [culprit for culprit in found if tiles[culprit.place] in likely]
        if among:
            found = among
            break
    return tuple({tiles[culprit.place]: culprit for culprit in found}.values())


def _legal_without(tiles: TileSet, rules: RuleSet) -> Iterator[Culprit]:
    for place in range(len(tiles)):
        found = readings((*tiles[:place], *tiles[place + 1 :]), rules)
        if found:
            yield Culprit(place, found)


def _legal_elsewhere(tiles: TileSet, rules: RuleSet) -> Iterator[Culprit]:
    for place, tile in enumerate(tiles):
        others = (*tiles[:place], *tiles[place + 1 :])
        if any(is_set((*others[:at], tile, *others[at:]), rules) for at in range(len(tiles)) if at != place):
            yield Culprit(place, ())


def _compatible_without(tiles: TileSet, rules: RuleSet) -> Iterator[Culprit]:
    """Yield each tile without which the two others are compatible."""
    for place in range(len(tiles)):
        others = (*tiles[:place], *tiles[place + 1 :])
        found = tuple(
            replace(reading, stands_for=(*reading.stands_for[:at], *reading.stands_for[at + 1 :]))
            for at in range(len(tiles))
            for reading in readings((*others[:at], _WILDCARD, *others[at:]), rules)
        )
        if found:
            yield Culprit(place, found)
