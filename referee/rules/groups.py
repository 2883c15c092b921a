"""Groups: tiles of one number in different colours, with jokers for missing colours."""

from referee.rules.set_reading import (
    COLOUR_BY_CODE,
    COLOURS_IN_ORDER,
    MAX_GROUP_TILES,
    NO_COLOUR,
    NUMBER_BY_CODE,
    WIDTH_BY_CODE,
    SetReading,
    StandIn,
    stand_in,
)
from referee.rules.tiles import Colour
from referee.rules.verdict import SetKind


def read_group(codes: list[int]) -> SetReading | None:
    """Read at least three tiles, without colour-change or mirror jokers, as a group; None if they are no group."""
    number = width = 0
    colours = set()
    coloured = 0
    for code in codes:
        if NUMBER_BY_CODE[code]:
            if number and NUMBER_BY_CODE[code] != number:
                return None
            number = NUMBER_BY_CODE[code]
        if COLOUR_BY_CODE[code] != NO_COLOUR:
            colours.add(COLOUR_BY_CODE[code])
            coloured += 1
        width += WIDTH_BY_CODE[code]
    if not number or width > MAX_GROUP_TILES or len(colours) < coloured:
        return None
    missing = tuple(colour for place, colour in enumerate(COLOURS_IN_ORDER) if place not in colours)
    return SetReading(
        kind=SetKind.GROUP,
        stands_for=tuple(group_stand_in(code, number, missing) for code in codes),
        worth=width * number,
        ascends=True,
        untidy=False,
    )


def group_stand_in(code: int, number: int, missing: tuple[Colour, ...]) -> StandIn:
    """Return what a tile of a group stands for; `missing` are the colours that no tile shows."""
    colours = missing if COLOUR_BY_CODE[code] == NO_COLOUR else (COLOURS_IN_ORDER[COLOUR_BY_CODE[code]],)
    return stand_in((number,) * WIDTH_BY_CODE[code], colours)
