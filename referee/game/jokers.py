"""Jokers in play: where they lie and what they stand for, in all their kinds."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

from referee.rules.editions import RuleSet
from referee.rules.sets import preferred_reading
from referee.rules.table import Table
from referee.rules.tiles import Colour, Joker, NumberTile
from referee.rules.wording import Value, any_of, comma_list, say


@dataclass(frozen=True, slots=True)
class JokerInPlay:
    """A joker in the set of this index, at this place in it, and what it stands for in the reading that counts.

    It stands for as many tiles as it has numbers (a double joker two, a mirror none or one), each in any of the colours
    that are left for it; a colour-change joker has a number and no colour.
    """

    joker: Joker
    set_index: int
    place: int
    numbers: tuple[int, ...]
    colours: tuple[Colour, ...]

    @property
    def stands_for(self) -> Value:
        """What it stands for, to be said: `R4`, `B5 or O5`, `R3 and R4`, `two of R5, B5, O5`."""
        if not self.numbers:
            return say("joker.nothing", "nothing")
        if len(set(self.numbers)) < len(self.numbers):  # a double joker in a group
            tiles = self._tiles(self.numbers[0])
            if len(tiles) == len(self.numbers):
                return tiles
            return say("joker.two_of", "two of {tiles}", tiles=comma_list([(tile,) for tile in tiles]))
        parts = [any_of(self._tiles(number)) if self.colours else _number(number) for number in self.numbers]
        return reduce(lambda first, last: say("list.and", "{first} and {last}", first=first, last=last), parts)

    def _tiles(self, number: int) -> tuple[NumberTile, ...]:
        return tuple(NumberTile(colour, number) for colour in self.colours)


def _number(number: int) -> Value:
    return say("joker.a_number", "a {number}", number=number)


def jokers_in_play(table: Table, rules: RuleSet) -> tuple[JokerInPlay, ...]:
    """Return the jokers of a table; one in a row that is no set stands for nothing and is left out."""
    return tuple(_jokers(table, rules))


def _jokers(table: Table, rules: RuleSet) -> Iterator[JokerInPlay]:
    for set_index, tiles in enumerate(table.sets):
        if not any(isinstance(tile, Joker) for tile in tiles):
            continue
        reading = preferred_reading(tiles, rules)
        if reading is None:
            continue
        for place, (tile, stands) in enumerate(zip(tiles, reading.stands_for, strict=True)):
            if isinstance(tile, Joker):
                yield JokerInPlay(tile, set_index, place, stands.numbers, stands.colours)
