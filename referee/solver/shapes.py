"""The shapes of runs and groups that are not two sets side by side.

A shape lists the tiles of a set: a special joker, or None, which is a number tile or a joker that stands in
for one (see `question`). First number and colours are chosen later. A run that can be cut into two runs
needs no shape: the two runs lay the same tiles for the same worth. So a run without special jokers is
never longer than five tiles. Longer shapes are indivisible because one part would have only jokers, or
would begin with a colour-change joker where the rules forbid it (`begins`: they allow it).

A part may also have only jokers if all its number tiles are replaced. `spare` is the number of number tiles a part
must have beyond the first: 0 if such plans are repaired later, the number of stand-in
jokers if such plans must not occur.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations, product
from typing import Final

from referee.rules.set_reading import MAX_GROUP_TILES, MIN_SET_TILES
from referee.rules.tiles import HIGHEST, Colour, JokerKind
from referee.solver.deadline import NO_DEADLINE, Deadline

Shape = tuple[JokerKind | None, ...]
GroupShape = tuple[tuple[Colour, ...], int]
"""The colours of its number tiles, and how many double jokers."""
JokerLimits = tuple[tuple[JokerKind, int], ...]
"""How often each kind of special joker may lie in one set."""

_MAX_IN_LONG_RUN: Final = 2
_RUN_TILES: Final = (None, JokerKind.DOUBLE, JokerKind.COLOUR_CHANGE)


def width(kind: JokerKind | None) -> int:
    """Return the count of numbers that a tile of a run covers."""
    return 2 if kind is JokerKind.DOUBLE else 1


def can_be_run(shape: Shape, spare: int = 0, *, begins: bool = True) -> bool:
    """Return whether this part of a run is a run by itself."""
    may_begin = begins or shape[0] is not JokerKind.COLOUR_CHANGE
    return len(shape) >= MIN_SET_TILES and shape.count(None) > spare and may_begin


@lru_cache(maxsize=64)
def run_shapes(
    limits: JokerLimits, spare: int = 0, until: Deadline = NO_DEADLINE, *, begins: bool = True
) -> tuple[Shape, ...]:
    """Return every indivisible shape of a run, including colour-change runs."""
    return tuple(until.over(_grow((), dict(limits), 0, spare, begins=begins)))


def _grow(shape: Shape, left: Mapping[JokerKind, int], length: int, spare: int, *, begins: bool) -> Iterator[Shape]:
    if any(
        can_be_run(shape[:cut], spare, begins=begins) and can_be_run(shape[cut:], spare, begins=begins)
        for cut in range(MIN_SET_TILES, len(shape))
    ):
        return  # all shapes that begin like this can be cut here too
    if shape and can_be_run(shape, begins=begins):
        yield shape
    for kind in _RUN_TILES:
        if length + width(kind) > HIGHEST or (kind and not left.get(kind)):
            continue
        if kind is JokerKind.COLOUR_CHANGE and not shape and not begins:
            continue
        fewer = left if kind is None else {**left, kind: left[kind] - 1}
        yield from _grow((*shape, kind), fewer, length + width(kind), spare, begins=begins)


@lru_cache(maxsize=64)
def long_run_shapes(limits: JokerLimits, until: Deadline = NO_DEADLINE, *, begins: bool = True) -> tuple[Shape, ...]:
    """Return the divisible runs with double jokers or one colour change, for callers that need them whole."""
    most = dict(limits)
    kinds = [JokerKind.DOUBLE] * min(most.get(JokerKind.DOUBLE, 0), _MAX_IN_LONG_RUN)
    chosen = [kinds[:count] for count in range(len(kinds) + 1)]
    if JokerKind.COLOUR_CHANGE in most:
        chosen.append([JokerKind.COLOUR_CHANGE])
    shapes = set[Shape]()
    for length, jokers in until.over(product(range(MIN_SET_TILES, HIGHEST + 1), chosen)):
        for places in combinations(range(length), len(jokers)):
            shape: list[JokerKind | None] = [None] * length
            for place, kind in zip(places, jokers, strict=True):
                shape[place] = kind
            if can_be_run(tuple(shape), begins=begins) and sum(map(width, shape)) <= HIGHEST:
                shapes.add(tuple(shape))
    return tuple(shapes - set(run_shapes(limits, begins=begins)))


def leaves_out_long_sets(limits: JokerLimits) -> bool:
    """Return whether the long shapes omit some long sets with these special jokers."""
    most = dict(limits)
    changes, mirrors = most.get(JokerKind.COLOUR_CHANGE, 0), most.get(JokerKind.MIRROR, 0)
    return changes + mirrors > 1 or bool((changes or mirrors) and most.get(JokerKind.DOUBLE))


@lru_cache(maxsize=64)
def group_shapes(limits: JokerLimits) -> tuple[GroupShape, ...]:
    """Return every shape of a group."""
    shapes: list[GroupShape] = []
    for doubles in range(dict(limits).get(JokerKind.DOUBLE, 0) + 1):
        for shown in range(max(1, MIN_SET_TILES - doubles), MAX_GROUP_TILES - 2 * doubles + 1):
            shapes += [(colours, doubles) for colours in combinations(Colour, shown)]
    return tuple(shapes)
