"""Readings of tiles as a set: the kind, what every tile stands for, and the worth."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from referee.rules.tiles import ALL_TILES, HIGHEST, LOWEST, Colour, Joker, JokerKind, NumberTile
from referee.rules.verdict import SetKind

MIN_SET_TILES: Final = 3
MAX_IN_GROUP: Final = len(Colour)
COLOURS: Final = tuple(Colour)
NO_COLOUR: Final = -1

_WIDTHS: Final = {JokerKind.DOUBLE: 2, JokerKind.MIRROR: 0}

# By a tile's code: its number (0: a joker), its colour's place in COLOURS, how many numbers it stands for, its kind.
NUMBER: Final = tuple(tile.number if isinstance(tile, NumberTile) else 0 for tile in ALL_TILES)
COLOUR: Final = tuple(NO_COLOUR if tile.colour is None else COLOURS.index(tile.colour) for tile in ALL_TILES)
WIDTH: Final = tuple(_WIDTHS.get(tile.kind, 1) if isinstance(tile, Joker) else 1 for tile in ALL_TILES)
CHANGES: Final = tuple(isinstance(tile, Joker) and tile.kind is JokerKind.COLOUR_CHANGE for tile in ALL_TILES)
MIRRORS: Final = tuple(isinstance(tile, Joker) and tile.kind is JokerKind.MIRROR for tile in ALL_TILES)


class HowRead(NamedTuple):
    """What an edition says of the sets with a colour-change or mirror joker."""

    counts_middle: bool
    """The mirror joker is worth the number in the middle."""
    change_may_begin: bool
    """A colour-change joker may lie at the low end of a run, too."""
    reflected: bool
    """The sides of a mirror group lie in reflected order."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """What a tile of a set stands for: its numbers (a double joker two, a mirror none or one) and its colour.

    A joker in a group of three, or in a stretch without a number tile, may be of any of several colours.
    """

    numbers: tuple[int, ...]
    colours: tuple[Colour, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetReading:
    """One way to read some tiles as a set."""

    kind: SetKind
    stands_for: tuple[StandIn, ...]
    """For every tile, in laid order, what it stands for."""
    worth: int
    ascends: bool
    """The numbers ascend in laid order, in a mirror set toward the mirror; groups count as ascending."""
    untidy: bool
    """A run laid in no order: neither ascending nor, as seen from across the table, descending."""


@lru_cache(maxsize=4096)
def stand_in(numbers: tuple[int, ...], colours: tuple[Colour, ...]) -> StandIn:
    """Return the stand-in, made only once."""
    return StandIn(numbers, colours)


def stretch_worth(first: int, length: int) -> int:
    """Return the sum of `length` numbers from `first` on."""
    return length * first + length * (length - 1) // 2


def walk(codes: list[int]) -> tuple[int, int] | None:
    """Return first number and length of the unbroken ascending stretch the tiles make in this order, or None.

    Colours are not looked at. None, too, if there is no number tile or the stretch leaves 1 to 13.
    """
    first = length = 0
    for code in codes:
        number = NUMBER[code]
        if number:
            if not first:
                first = number - length
                if first < LOWEST:
                    return None
            elif number != first + length:
                return None
        length += WIDTH[code]
    return (first, length) if first and first + length - 1 <= HIGHEST else None
