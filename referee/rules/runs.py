"""Runs: unbroken stretches in one colour, in any order, and colour-change runs, read in laid order.

The hard case is a run in any order with jokers: which jokers fill which holes? Let the number tiles and jokers
fill `length` numbers together. Each first number fixes the stretch and its holes. Single jokers fit
anywhere; double jokers need two neighbouring holes each, and a row of n holes takes n // 2 of them. So a first number
is possible exactly if the sum of those halves is at least the number of double jokers.
"""

from collections.abc import Iterator
from itertools import pairwise

from referee.rules.set_reading import (
    COLOUR_BY_CODE,
    COLOURS_IN_ORDER,
    IS_COLOUR_CHANGE,
    NO_COLOUR,
    NUMBER_BY_CODE,
    WIDTH_BY_CODE,
    SetReading,
    SpecialJokerRules,
    StandIn,
    ascending_stretch,
    stand_in,
    stretch_worth,
)
from referee.rules.tiles import HIGHEST, LOWEST, Colour
from referee.rules.verdict import SetKind

# ---- runs in one colour, laid in any order -------------------------------------------------------------------------


def read_runs(codes: list[int]) -> Iterator[SetReading]:
    """Yield every reading of at least three tiles, without colour-change or mirror jokers, as a run."""
    colours = {COLOUR_BY_CODE[code] for code in codes if COLOUR_BY_CODE[code] != NO_COLOUR}
    numbers = [NUMBER_BY_CODE[code] for code in codes if NUMBER_BY_CODE[code]]
    if len(colours) != 1 or not numbers or len(set(numbers)) < len(numbers):
        return
    colour = (COLOURS_IN_ORDER[colours.pop()],)
    length = sum(WIDTH_BY_CODE[code] for code in codes)
    rising = ascending_stretch(codes)
    falling = ascending_stretch(codes[::-1])
    for first in range(max(LOWEST, max(numbers) - length + 1), min(*numbers, HIGHEST - length + 1) + 1):
        if rising and rising[0] == first:
            stands_for = _stand_ins_in_order(codes, first, colour)
        elif falling and falling[0] == first:
            stands_for = _stand_ins_in_order(codes[::-1], first, colour)[::-1]
        else:
            filled = _numbers_taken(codes, numbers, first, length)
            if filled is None:
                continue
            stands_for = tuple(stand_in(taken, colour) for taken in filled)
        ascends = rising is not None and rising[0] == first
        yield SetReading(
            kind=SetKind.RUN,
            stands_for=stands_for,
            worth=stretch_worth(first, length),
            ascends=ascends,
            untidy=not ascends and (falling is None or falling[0] != first),
        )


def _stand_ins_in_order(codes: list[int], first: int, colour: tuple[Colour, ...]) -> tuple[StandIn, ...]:
    stands_for = []
    for code in codes:
        stands_for.append(stand_in(tuple(range(first, first + WIDTH_BY_CODE[code])), colour))
        first += WIDTH_BY_CODE[code]
    return tuple(stands_for)


def _numbers_taken(codes: list[int], numbers: list[int], first: int, length: int) -> list[tuple[int, ...]] | None:
    """Return the numbers of each tile, jokers in the lowest holes first; None if double jokers do not fit."""
    doubles = sum(WIDTH_BY_CODE[code] == 2 for code in codes)
    taken = set(numbers)
    singles: list[tuple[int, ...]] = []
    pairs: list[tuple[int, ...]] = []
    number = first
    while number < first + length:
        if number in taken:
            number += 1
        elif len(pairs) < doubles and number + 1 < first + length and number + 1 not in taken:
            pairs.append((number, number + 1))
            number += 2
        else:
            singles.append((number,))
            number += 1
    if len(pairs) < doubles:
        return None
    lowest_first = {1: iter(singles), 2: iter(pairs)}
    return [
        (NUMBER_BY_CODE[code],) if NUMBER_BY_CODE[code] else next(lowest_first[WIDTH_BY_CODE[code]]) for code in codes
    ]


# ---- colour-change runs, read as laid or wholly reversed -----------------------------------------------------------


def read_colour_change_runs(codes: list[int], how: SpecialJokerRules) -> Iterator[SetReading]:
    """Yield the readings of at least three tiles with a colour-change joker as a run, in laid and reversed order."""
    for ascends in (True, False):
        rising = codes if ascends else codes[::-1]
        found = ascending_stretch(rising)
        if found is None or (IS_COLOUR_CHANGE[rising[0]] and not how.change_may_begin):
            continue
        first, length = found
        colours = stretch_colours(
            [IS_COLOUR_CHANGE[code] for code in rising], [COLOUR_BY_CODE[code] for code in rising]
        )
        if colours is None:
            continue
        stands_for = []
        for code, possible in zip(rising, colours, strict=True):
            stands_for.append(stand_in(tuple(range(first, first + WIDTH_BY_CODE[code])), possible))
            first += WIDTH_BY_CODE[code]
        yield SetReading(
            kind=SetKind.RUN,
            stands_for=tuple(stands_for if ascends else stands_for[::-1]),
            worth=stretch_worth(found[0], length),
            ascends=ascends,
            untidy=False,
        )


def stretch_colours(changes: list[bool], colours: list[int]) -> list[tuple[Colour, ...]] | None:
    """Return the possible colours of each place of a stretch; None if they break the colour-change rule.

    `changes` tells which places are colour-change jokers, `colours` the colour shown at each, if any. Between two
    colour changes there is one colour, another than beyond either of them; where no tile shows it, any that fits. As
    there are four colours, one always fits between two neighbours, so only neighbours that show theirs can clash.
    """
    shown = [NO_COLOUR]
    for change, colour in zip(changes, colours, strict=True):
        if change:
            shown.append(NO_COLOUR)
        elif colour != NO_COLOUR:
            if shown[-1] not in {NO_COLOUR, colour}:
                return None
            shown[-1] = colour
    if any(colour != NO_COLOUR and colour == after for colour, after in pairwise(shown)):
        return None
    places = []
    stretch = 0
    for change in changes:
        stretch += change
        places.append(() if change else _possible_colours(shown, stretch))
    return places


def _possible_colours(shown: list[int], stretch: int) -> tuple[Colour, ...]:
    if shown[stretch] != NO_COLOUR:
        return (COLOURS_IN_ORDER[shown[stretch]],)
    beside = {*shown[max(stretch - 1, 0) : stretch], *shown[stretch + 1 : stretch + 2]}
    return tuple(colour for place, colour in enumerate(COLOURS_IN_ORDER) if place not in beside)
