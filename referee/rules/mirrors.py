"""Mirror sets: one mirror joker between tiles and their mirror image."""

from collections.abc import Iterator
from itertools import chain

from referee.rules.groups import group_stand_in
from referee.rules.runs import stretch_colours
from referee.rules.set_reading import (
    COLOUR_BY_CODE,
    COLOURS_IN_ORDER,
    IS_COLOUR_CHANGE,
    IS_MIRROR,
    MAX_GROUP_TILES,
    NO_COLOUR,
    NUMBER_BY_CODE,
    WIDTH_BY_CODE,
    SetReading,
    SpecialJokerRules,
    StandIn,
    stand_in,
    stretch_worth,
)
from referee.rules.tiles import HIGHEST, LOWEST, Colour
from referee.rules.verdict import SetKind


def read_mirrors(codes: list[int], how: SpecialJokerRules) -> Iterator[SetReading]:
    """Yield every reading of at least three tiles with one mirror joker."""
    middle = next(place for place, code in enumerate(codes) if IS_MIRROR[code])
    left, right = codes[:middle], codes[:middle:-1]  # both read toward the mirror
    length = sum(WIDTH_BY_CODE[code] for code in left)
    if not length or length != sum(WIDTH_BY_CODE[code] for code in right):
        return
    group = _read_group(left, right, length, how)
    if group is not None:
        yield group
    if length > 1:  # a single number on each side neither ascends nor descends: that is a group
        for step in (1, -1):
            run = _read_run(left, right, length, step, how)
            if run is not None:
                yield run


def _read_group(left: list[int], right: list[int], length: int, how: SpecialJokerRules) -> SetReading | None:
    numbers = {NUMBER_BY_CODE[code] for code in (*left, *right)} - {0}
    shown = [[COLOUR_BY_CODE[code] for code in side if COLOUR_BY_CODE[code] != NO_COLOUR] for side in (left, right)]
    colours = {*shown[0], *shown[1]}
    if (
        len(numbers) != 1
        or any(IS_COLOUR_CHANGE[code] for code in (*left, *right))
        or not len(colours) <= length <= MAX_GROUP_TILES
    ):
        return None
    if any(len(set(side)) < len(side) for side in shown):
        return None
    number = numbers.pop()
    sides = _facing_colours(left, right, colours) if how.reflected else _own_colours(left, right, shown, length)
    if sides is None:
        return None
    stands_for = [
        [group_stand_in(code, number, missing) for code, missing in zip(side, choices, strict=True)]
        for side, choices in zip((left, right), sides, strict=True)
    ]
    mirror = stand_in((number,) if how.counts_middle else (), ())
    return SetReading(
        kind=SetKind.MIRROR,
        stands_for=(*stands_for[0], mirror, *stands_for[1][::-1]),
        worth=2 * length * number + sum(mirror.numbers),
        ascends=True,
        untidy=False,
    )


ColourChoices = tuple[list[tuple[Colour, ...]], ...]
"""For either side the colours that a joker in each tile's place may have."""


def _own_colours(left: list[int], right: list[int], shown: list[list[int]], length: int) -> ColourChoices:
    """Return the jokers' colours if every colour must be on both sides, in any order.

    If all colours are shown, a joker has a colour that its own side lacks.
    """
    colours = {*shown[0], *shown[1]}
    choice = colours if len(colours) == length else range(len(COLOURS_IN_ORDER))
    missing = [tuple(COLOURS_IN_ORDER[place] for place in sorted(choice) if place not in own) for own in shown]
    return [missing[0]] * len(left), [missing[1]] * len(right)


def _facing_colours(left: list[int], right: list[int], colours: set[int]) -> ColourChoices | None:
    """Return the jokers' colours if each tile equals the one it faces; None if the sides differ."""
    slots = (_slots(left), _slots(right))
    facing = [{COLOUR_BY_CODE[code] for code in pair} - {NO_COLOUR} for pair in zip(*slots, strict=True)]
    if any(len(pair) > 1 for pair in facing) or sum(map(len, facing)) > len(colours):
        return None
    others = tuple(COLOURS_IN_ORDER[place] for place in range(len(COLOURS_IN_ORDER)) if place not in colours)
    possible = [tuple(COLOURS_IN_ORDER[place] for place in pair) or others for pair in facing]
    sides: list[list[tuple[Colour, ...]]] = []
    for side in (left, right):
        slot, choices = 0, []
        for code in side:
            choices.append(tuple(dict.fromkeys(chain(*possible[slot : slot + WIDTH_BY_CODE[code]]))))
            slot += WIDTH_BY_CODE[code]
        sides.append(choices)
    return tuple(sides)


def _read_run(left: list[int], right: list[int], length: int, step: int, how: SpecialJokerRules) -> SetReading | None:
    slots = (_slots(left), _slots(right))
    outer = _outer_number(slots, step)
    if outer is None:
        return None
    inner = outer + step * (length - 1)
    if min(outer, inner) < LOWEST or max(outer, inner) > HIGHEST:
        return None
    if any(
        NUMBER_BY_CODE[one] and NUMBER_BY_CODE[other] and COLOUR_BY_CODE[one] != COLOUR_BY_CODE[other]
        for one, other in zip(*slots, strict=True)
    ):
        return None
    proper = [_side_colours(*sides, step, how) for sides in (slots, slots[::-1])]
    if proper == [None, None]:
        return None
    # Where both sides are a stretch by themselves, either may be the one that is mirrored.
    colours = [_union(*slot) for slot in zip(*(side for side in proper if side is not None), strict=True)]
    beyond = inner + step
    mirror = stand_in((beyond,) if how.counts_middle and LOWEST <= beyond <= HIGHEST else (), ())
    numbers = range(outer, beyond, step)
    return SetReading(
        kind=SetKind.MIRROR,
        stands_for=(*_stand_ins(left, numbers, colours), mirror, *_stand_ins(right, numbers, colours)[::-1]),
        worth=2 * stretch_worth(min(outer, inner), length) + sum(mirror.numbers),
        ascends=step > 0,
        untidy=False,
    )


def _slots(side: list[int]) -> list[int]:
    """Return the codes of a side, one for each number: a double joker fills two slots."""
    return [code for code in side for _ in range(WIDTH_BY_CODE[code])]


def _outer_number(slots: tuple[list[int], list[int]], step: int) -> int | None:
    """Return the number farthest from the mirror; None if the number tiles disagree."""
    outer = {
        NUMBER_BY_CODE[code] - step * place for side in slots for place, code in enumerate(side) if NUMBER_BY_CODE[code]
    }
    return outer.pop() if len(outer) == 1 else None


def _side_colours(
    side: list[int], facing: list[int], step: int, how: SpecialJokerRules
) -> list[tuple[Colour, ...]] | None:
    """Return the possible colours of each slot of a side if it is a stretch, else None.

    A joker stands for what faces it, so a tile facing a regular or double joker shows that joker's colour.
    """
    if IS_COLOUR_CHANGE[side[0 if step > 0 else -1]] and not how.change_may_begin:
        return None
    shown = [
        COLOUR_BY_CODE[own] if COLOUR_BY_CODE[own] != NO_COLOUR else COLOUR_BY_CODE[other]
        for own, other in zip(side, facing, strict=True)
    ]
    return stretch_colours([IS_COLOUR_CHANGE[code] for code in side], shown)


def _union(one: tuple[Colour, ...], other: tuple[Colour, ...] = ()) -> tuple[Colour, ...]:
    return tuple(colour for colour in COLOURS_IN_ORDER if colour in one or colour in other)


def _stand_ins(side: list[int], numbers: range, colours: list[tuple[Colour, ...]]) -> list[StandIn]:
    stand_ins = []
    slot = 0
    for code in side:
        taken = tuple(sorted(numbers[slot : slot + WIDTH_BY_CODE[code]]))
        possible = colours[slot] if COLOUR_BY_CODE[code] == NO_COLOUR else (COLOURS_IN_ORDER[COLOUR_BY_CODE[code]],)
        stand_ins.append(stand_in(taken, () if IS_COLOUR_CHANGE[code] else possible))
        slot += WIDTH_BY_CODE[code]
    return stand_ins
