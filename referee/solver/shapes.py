"""The shapes of runs and groups: every way to lay one that is not simply two sets side by side.

A shape says tile by tile what lies there: a special joker, or None, which is a number tile or a joker that stands in
for one (see `question`). Where a run begins and in which colours comes later. A run that could be cut into two runs
needs no shape of its own: the two of them lay the same tiles for the same worth. So a run without special jokers is
never longer than five tiles. What remains longer cannot be cut, because one of the parts would hold only jokers, or
would begin with a colour-change joker where it may not (`begins` says whether it may).

A part may turn out to hold only jokers, too, if all its number tiles are stood in for. `spare` says how many a part
must have beyond the first for that not to happen: none where such plans are mended afterwards, all jokers that stand
in where they are to be left out.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations, product
from typing import Final

from referee.rules.set_reading import MAX_IN_GROUP, MIN_SET_TILES
from referee.rules.tiles import HIGHEST, Colour, JokerKind
from referee.solver.deadline import NO_DEADLINE, Deadline

Shape = tuple[JokerKind | None, ...]
GroupShape = tuple[tuple[Colour, ...], int]
"""The colours of its number tiles, and how many double jokers."""
Limits = tuple[tuple[JokerKind, int], ...]
"""How often each kind of special joker may lie in one set."""

_MAX_IN_LONG_RUN: Final = 2
_IN_A_RUN: Final = (None, JokerKind.DOUBLE, JokerKind.COLOUR_CHANGE)


def width(kind: JokerKind | None) -> int:
    """Return how many numbers a tile of a run fills."""
    return 2 if kind is JokerKind.DOUBLE else 1


def is_part(shape: Shape, spare: int = 0, *, begins: bool = True) -> bool:
    """Return whether this much of a run could lie as a run of its own."""
    may_begin = begins or shape[0] is not JokerKind.COLOUR_CHANGE
    return len(shape) >= MIN_SET_TILES and shape.count(None) > spare and may_begin


@lru_cache(maxsize=64)
def run_shapes(
    limits: Limits, spare: int = 0, until: Deadline = NO_DEADLINE, *, begins: bool = True
) -> tuple[Shape, ...]:
    """Return every shape of a run, colour-change runs among them, that cannot be cut."""
    return tuple(until.over(_grow((), dict(limits), 0, spare, begins=begins)))


def _grow(shape: Shape, left: Mapping[JokerKind, int], length: int, spare: int, *, begins: bool) -> Iterator[Shape]:
    if any(
        is_part(shape[:cut], spare, begins=begins) and is_part(shape[cut:], spare, begins=begins)
        for cut in range(MIN_SET_TILES, len(shape))
    ):
        return  # and all that begins like this can be cut there too
    if shape and is_part(shape, begins=begins):
        yield shape
    for kind in _IN_A_RUN:
        if length + width(kind) > HIGHEST or (kind and not left.get(kind)):
            continue
        if kind is JokerKind.COLOUR_CHANGE and not shape and not begins:
            continue
        fewer = left if kind is None else {**left, kind: left[kind] - 1}
        yield from _grow((*shape, kind), fewer, length + width(kind), spare, begins=begins)


@lru_cache(maxsize=64)
def long_run_shapes(limits: Limits, until: Deadline = NO_DEADLINE, *, begins: bool = True) -> tuple[Shape, ...]:
    """Return the runs that can be cut, for those who want them whole: with double jokers, or with one colour change."""
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
            if is_part(tuple(shape), begins=begins) and sum(map(width, shape)) <= HIGHEST:
                shapes.add(tuple(shape))
    return tuple(shapes - set(run_shapes(limits, begins=begins)))


def leaves_out_long_sets(limits: Limits) -> bool:
    """Return whether there are long sets with these special jokers that the long shapes leave out."""
    most = dict(limits)
    changes, mirrors = most.get(JokerKind.COLOUR_CHANGE, 0), most.get(JokerKind.MIRROR, 0)
    return changes + mirrors > 1 or bool((changes or mirrors) and most.get(JokerKind.DOUBLE))


@lru_cache(maxsize=64)
def group_shapes(limits: Limits) -> tuple[GroupShape, ...]:
    """Return every shape of a group."""
    shapes: list[GroupShape] = []
    for doubles in range(dict(limits).get(JokerKind.DOUBLE, 0) + 1):
        for shown in range(max(1, MIN_SET_TILES - doubles), MAX_IN_GROUP - 2 * doubles + 1):
            shapes += [(colours, doubles) for colours in combinations(Colour, shown)]
    return tuple(shapes)
