"""Readings of tiles as a set: kind, what each tile stands for, and worth."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from referee.rules.tiles import ALL_TILES, HIGHEST, LOWEST, Colour, Joker, JokerKind, NumberTile
from referee.rules.verdict import SetKind

MIN_SET_TILES: Final = 3
MAX_SET_TILES: Final = 2 * HIGHEST + 1  # a mirror run of all numbers
MAX_GROUP_TILES: Final = len(Colour)
COLOURS_IN_ORDER: Final = tuple(Colour)
NO_COLOUR: Final = -1

_JOKER_WIDTHS: Final = {JokerKind.DOUBLE: 2, JokerKind.MIRROR: 0}

# By a tile's code: its number (0: a joker), its colour's place in COLOURS, how many numbers it stands for, its kind.
NUMBER_BY_CODE: Final = tuple(tile.number if isinstance(tile, NumberTile) else 0 for tile in ALL_TILES)
COLOUR_BY_CODE: Final = tuple(
    NO_COLOUR if tile.colour is None else COLOURS_IN_ORDER.index(tile.colour) for tile in ALL_TILES
)
WIDTH_BY_CODE: Final = tuple(_JOKER_WIDTHS.get(tile.kind, 1) if isinstance(tile, Joker) else 1 for tile in ALL_TILES)
IS_COLOUR_CHANGE: Final = tuple(isinstance(tile, Joker) and tile.kind is JokerKind.COLOUR_CHANGE for tile in ALL_TILES)
IS_MIRROR: Final = tuple(isinstance(tile, Joker) and tile.kind is JokerKind.MIRROR for tile in ALL_TILES)


class SpecialJokerRules(NamedTuple):
    """An edition's rules for sets with a colour-change or mirror joker."""

    counts_middle: bool
    """The mirror joker is worth the number in the middle."""
    change_may_begin: bool
    """A colour-change joker may lie at the low end of a run, too."""
    reflected: bool
    """The sides of a mirror group lie in reflected order."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """What a tile of a set stands for: its numbers (a double joker two, a mirror none or one) and colours.

    A joker in a group of three, or in a stretch without a number tile, has several possible colours.
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
    """Return the stand-in; cached."""
    return StandIn(numbers, colours)


def stretch_worth(first: int, length: int) -> int:
    """Return the sum of `length` numbers from `first` on."""
    return length * first + length * (length - 1) // 2


def ascending_stretch(codes: list[int]) -> tuple[int, int] | None:
    """Return first number and length of the unbroken ascending stretch of the tiles in this order, or None.

    Colours are ignored. None also without number tiles, and if the stretch leaves 1 to 13.
    """
    first = length = 0
    for code in codes:
        number = NUMBER_BY_CODE[code]
        if number:
            if not first:
                first = number - length
                if first < LOWEST:
                    return None
            elif number != first + length:
                return None
        length += WIDTH_BY_CODE[code]
    return (first, length) if first and first + length - 1 <= HIGHEST else None
