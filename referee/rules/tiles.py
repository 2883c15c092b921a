"""The tiles: numbers in four colours and every kind of joker; `notation` parses them from text."""

from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TYPE_CHECKING, Final

LOWEST: Final = 1
HIGHEST: Final = 13


@unique
class Colour(StrEnum):
    """One of the four colours; an edition may use another name (`RuleSet.colour_names`)."""

    BLACK = "K"
    RED = "R"
    BLUE = "B"
    ORANGE = "O"

    @property
    def letter(self) -> str:
        """The colour's letter in the notation."""
        return self.value


@unique
class JokerKind(StrEnum):
    """The kind of a joker; its value is its notation (`J*`: J and the letter of its colour)."""

    REGULAR = "J"
    DOUBLE = "JD"
    COLOUR_CHANGE = "JC"
    MIRROR = "JM"
    COLOURED = "J*"


_COLOURS: Final = tuple(Colour)
_JOKER_KINDS: Final = tuple(JokerKind)


class _Tile:
    """The base of both kinds of tile, for decoding: msgspec cannot tell dataclasses in a union apart."""

    __slots__ = ()


# Tables are counted and sets looked up many times a turn, so a tile stores its hash.
@dataclass(frozen=True, slots=True)
class NumberTile(_Tile):
    """A tile with a number from 1 to 13 in a colour."""

    colour: Colour
    number: int
    code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raise ValueError for a number that no tile has."""
        if not LOWEST <= self.number <= HIGHEST:
            raise ValueError(f"a tile's number is {LOWEST} to {HIGHEST}, not {self.number}")
        object.__setattr__(self, "code", _COLOURS.index(self.colour) * HIGHEST + self.number - LOWEST)

    def __hash__(self) -> int:
        return self.code

    def __str__(self) -> str:
        return f"{self.colour.letter}{self.number}"


@dataclass(frozen=True, slots=True)
class Joker(_Tile):
    """A joker; only a coloured one (`3in1-expert`) has a colour that counts."""

    kind: JokerKind
    colour: Colour | None = None
    code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raise ValueError for a coloured joker without a colour, or a colour on another joker."""
        if (self.kind is JokerKind.COLOURED) != (self.colour is not None):
            raise ValueError(f"only a coloured joker has a colour, and always: not {self.kind.name} {self.colour}")
        offset = _JOKER_KINDS.index(self.kind) + (_COLOURS.index(self.colour) if self.colour else 0)
        object.__setattr__(self, "code", len(_COLOURS) * HIGHEST + offset)

    def __hash__(self) -> int:
        return self.code

    def __str__(self) -> str:
        return self.kind.value if self.colour is None else f"J{self.colour.letter}"


if TYPE_CHECKING:
    Tile = NumberTile | Joker
else:
    Tile = _Tile

NUMBER_TILES: Final = tuple(NumberTile(colour, number) for colour in Colour for number in range(LOWEST, HIGHEST + 1))
PLAIN_JOKERS: Final = tuple(Joker(kind) for kind in JokerKind if kind is not JokerKind.COLOURED)
COLOURED_JOKERS: Final = tuple(Joker(JokerKind.COLOURED, colour) for colour in Colour)
ALL_TILES: Final[tuple[Tile, ...]] = (*NUMBER_TILES, *PLAIN_JOKERS, *COLOURED_JOKERS)
