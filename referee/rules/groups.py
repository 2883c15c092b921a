"""Groups: tiles of one number in different colours, with jokers for the colours that are missing."""

from referee.rules.set_reading import (
    COLOUR,
    COLOURS,
    MAX_IN_GROUP,
    NO_COLOUR,
    NUMBER,
    WIDTH,
    SetReading,
    StandIn,
    stand_in,
)
from referee.rules.tiles import Colour
from referee.rules.verdict import SetKind


def read_group(codes: list[int]) -> SetReading | None:
    """Read at least three tiles, none a colour-change or mirror joker, as a group; None if they are none."""
    number = width = 0
    colours = set()
    coloured = 0
    for code in codes:
        if NUMBER[code]:
            if number and NUMBER[code] != number:
                return None
            number = NUMBER[code]
        if COLOUR[code] != NO_COLOUR:
            colours.add(COLOUR[code])
            coloured += 1
        width += WIDTH[code]
    if not number or width > MAX_IN_GROUP or len(colours) < coloured:
        return None
    missing = tuple(colour for place, colour in enumerate(COLOURS) if place not in colours)
    return SetReading(
        kind=SetKind.GROUP,
        stands_for=tuple(stand_in_group(code, number, missing) for code in codes),
        worth=width * number,
        ascends=True,
        untidy=False,
    )


def stand_in_group(code: int, number: int, missing: tuple[Colour, ...]) -> StandIn:
    """Return what a tile of a group stands for, `missing` being the colours that no tile shows."""
    colours = missing if COLOUR[code] == NO_COLOUR else (COLOURS[COLOUR[code]],)
    return stand_in((number,) * WIDTH[code], colours)
