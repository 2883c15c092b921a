"""Mirror sets: one mirror joker, and what lies left of it mirrored right of it."""

from collections.abc import Iterator

from referee.rules.groups import stand_in_group
from referee.rules.runs import stretch_colours
from referee.rules.set_reading import (
    CHANGES,
    COLOUR,
    COLOURS,
    MIRRORS,
    MOST_IN_GROUP,
    NO_COLOUR,
    NUMBER,
    WIDTH,
    SetReading,
    StandIn,
    stand_in,
    stretch_worth,
)
from referee.rules.tiles import HIGHEST, LOWEST, Colour
from referee.rules.verdict import SetKind


def read_mirrors(codes: list[int], *, counts_middle: bool) -> Iterator[SetReading]:
    """Read at least three tiles with one mirror joker in every way; `counts_middle`: the mirror has a worth."""
    middle = next(place for place, code in enumerate(codes) if MIRRORS[code])
    left, right = codes[:middle], codes[:middle:-1]  # both read toward the mirror
    length = sum(WIDTH[code] for code in left)
    if not length or length != sum(WIDTH[code] for code in right):
        return
    group = _read_group(left, right, length, counts_middle=counts_middle)
    if group is not None:
        yield group
    if length > 1:  # a single number on each side neither ascends nor descends: that is a group
        for step in (1, -1):
            run = _read_run(left, right, length, step, counts_middle=counts_middle)
            if run is not None:
                yield run


def _read_group(left: list[int], right: list[int], length: int, *, counts_middle: bool) -> SetReading | None:
    numbers = {NUMBER[code] for code in (*left, *right)} - {0}
    shown = [[COLOUR[code] for code in side if COLOUR[code] != NO_COLOUR] for side in (left, right)]
    colours = {*shown[0], *shown[1]}
    if (
        len(numbers) != 1
        or any(CHANGES[code] for code in (*left, *right))
        or not len(colours) <= length <= MOST_IN_GROUP
    ):
        return None
    if any(len(set(side)) < len(side) for side in shown):
        return None
    number = numbers.pop()
    sides = []
    for side, own in ((left, shown[0]), (right, shown[1])):
        # Every colour must be on both sides; with all of them shown somewhere, a joker is one its own side lacks.
        choice = colours if len(colours) == length else range(len(COLOURS))
        missing = tuple(COLOURS[place] for place in sorted(choice) if place not in own)
        sides.append([stand_in_group(code, number, missing) for code in side])
    mirror = stand_in((number,) if counts_middle else (), ())
    return SetReading(
        kind=SetKind.MIRROR,
        stands_for=(*sides[0], mirror, *sides[1][::-1]),
        worth=2 * length * number + sum(mirror.numbers),
        ascends=True,
        untidy=False,
    )


def _read_run(left: list[int], right: list[int], length: int, step: int, *, counts_middle: bool) -> SetReading | None:
    slots = (_slots(left), _slots(right))
    outer = _outer_number(slots, step)
    if outer is None:
        return None
    inner = outer + step * (length - 1)
    if min(outer, inner) < LOWEST or max(outer, inner) > HIGHEST:
        return None
    if any(NUMBER[one] and NUMBER[other] and COLOUR[one] != COLOUR[other] for one, other in zip(*slots, strict=True)):
        return None
    proper = [_side_colours(slots[0], slots[1], step), _side_colours(slots[1], slots[0], step)]
    if proper == [None, None]:
        return None
    # Where both sides are a stretch by themselves, either may be the one that is mirrored.
    colours = [_either(*slot) for slot in zip(*(side for side in proper if side is not None), strict=True)]
    beyond = inner + step
    mirror = stand_in((beyond,) if counts_middle and LOWEST <= beyond <= HIGHEST else (), ())
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
    return [code for code in side for _ in range(WIDTH[code])]


def _outer_number(slots: tuple[list[int], list[int]], step: int) -> int | None:
    """Return the number farthest from the mirror, or None if the number tiles do not agree on one."""
    outer = {NUMBER[code] - step * place for side in slots for place, code in enumerate(side) if NUMBER[code]}
    return outer.pop() if len(outer) == 1 else None


def _side_colours(side: list[int], facing: list[int], step: int) -> list[tuple[Colour, ...]] | None:
    """Return the colours every slot of a side may have if the side is a stretch, else None.

    A joker stands for what faces it, so a tile facing a regular or double joker shows that joker's colour.
    """
    if CHANGES[side[0 if step > 0 else -1]]:
        return None
    shown = [
        COLOUR[own] if COLOUR[own] != NO_COLOUR else COLOUR[other] for own, other in zip(side, facing, strict=True)
    ]
    return stretch_colours([CHANGES[code] for code in side], shown)


def _either(one: tuple[Colour, ...], other: tuple[Colour, ...] = ()) -> tuple[Colour, ...]:
    return tuple(colour for colour in COLOURS if colour in one or colour in other)


def _stand_ins(side: list[int], numbers: range, colours: list[tuple[Colour, ...]]) -> list[StandIn]:
    stand_ins = []
    slot = 0
    for code in side:
        taken = tuple(sorted(numbers[slot : slot + WIDTH[code]]))
        possible = colours[slot] if COLOUR[code] == NO_COLOUR else (COLOURS[COLOUR[code]],)
        stand_ins.append(stand_in(taken, () if CHANGES[code] else possible))
        slot += WIDTH[code]
    return stand_ins
