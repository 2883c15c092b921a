"""Runs: unbroken stretches in one colour, laid in any order, and colour-change runs, which are read as they lie.

The hard place is a run with jokers laid in any order: which jokers fill which holes. Let the number tiles and jokers
need `length` numbers together. For every first number the stretch is fixed, and so are its holes. Single jokers fit
anywhere; double jokers need two neighbouring holes each, and a row of n holes takes n // 2 of them. So a first number
fits exactly if the sum of those halves is not less than the number of double jokers; the rest is bookkeeping.
"""

from collections.abc import Iterator
from itertools import pairwise

from referee.rules.set_reading import (
    CHANGES,
    COLOUR,
    COLOURS,
    NO_COLOUR,
    NUMBER,
    WIDTH,
    HowRead,
    SetReading,
    StandIn,
    stand_in,
    stretch_worth,
    walk,
)
from referee.rules.tiles import HIGHEST, LOWEST, Colour
from referee.rules.verdict import SetKind

# ---- runs in one colour, laid in any order -------------------------------------------------------------------------


def read_runs(codes: list[int]) -> Iterator[SetReading]:
    """Read at least three tiles, none a colour-change or mirror joker, as a run in every way."""
    colours = {COLOUR[code] for code in codes if COLOUR[code] != NO_COLOUR}
    numbers = [NUMBER[code] for code in codes if NUMBER[code]]
    if len(colours) != 1 or not numbers or len(set(numbers)) < len(numbers):
        return
    colour = (COLOURS[colours.pop()],)
    length = sum(WIDTH[code] for code in codes)
    rising = walk(codes)
    falling = walk(codes[::-1])
    for first in range(max(LOWEST, max(numbers) - length + 1), min(*numbers, HIGHEST - length + 1) + 1):
        if rising and rising[0] == first:
            stands_for = _in_order(codes, first, colour)
        elif falling and falling[0] == first:
            stands_for = _in_order(codes[::-1], first, colour)[::-1]
        else:
            filled = _fill(codes, numbers, first, length)
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


def _in_order(codes: list[int], first: int, colour: tuple[Colour, ...]) -> tuple[StandIn, ...]:
    stands_for = []
    for code in codes:
        stands_for.append(stand_in(tuple(range(first, first + WIDTH[code])), colour))
        first += WIDTH[code]
    return tuple(stands_for)


def _fill(codes: list[int], numbers: list[int], first: int, length: int) -> list[tuple[int, ...]] | None:
    """Return the numbers every tile takes, jokers the lowest holes first, or None where the double ones do not fit."""
    doubles = sum(WIDTH[code] == 2 for code in codes)
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
    return [(NUMBER[code],) if NUMBER[code] else next(lowest_first[WIDTH[code]]) for code in codes]


# ---- colour-change runs, read as laid or wholly reversed -----------------------------------------------------------


def read_colour_change_runs(codes: list[int], how: HowRead) -> Iterator[SetReading]:
    """Read at least three tiles with a colour-change joker and no mirror as a run, as laid and reversed."""
    for ascends in (True, False):
        rising = codes if ascends else codes[::-1]
        found = walk(rising)
        if found is None or (CHANGES[rising[0]] and not how.change_may_begin):
            continue
        first, length = found
        colours = stretch_colours([CHANGES[code] for code in rising], [COLOUR[code] for code in rising])
        if colours is None:
            continue
        stands_for = []
        for code, possible in zip(rising, colours, strict=True):
            stands_for.append(stand_in(tuple(range(first, first + WIDTH[code])), possible))
            first += WIDTH[code]
        yield SetReading(
            kind=SetKind.RUN,
            stands_for=tuple(stands_for if ascends else stands_for[::-1]),
            worth=stretch_worth(found[0], length),
            ascends=ascends,
            untidy=False,
        )


def stretch_colours(changes: list[bool], colours: list[int]) -> list[tuple[Colour, ...]] | None:
    """Return the colours every place of a stretch may have, or None if they break the colour-change rule.

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
        return (COLOURS[shown[stretch]],)
    beside = {*shown[max(stretch - 1, 0) : stretch], *shown[stretch + 1 : stretch + 2]}
    return tuple(colour for place, colour in enumerate(COLOURS) if place not in beside)
