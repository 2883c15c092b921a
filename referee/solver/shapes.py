"""The shapes of runs and groups: every way to lay one that is not simply two sets side by side.

A shape says tile by tile what lies there, None being a number tile; where a run begins and in which colours comes
later. A run that could be cut into two runs needs no shape of its own: the two of them lay the same tiles for the
same worth. So a run without jokers is never longer than five tiles. What remains longer cannot be cut, because one
of the parts would hold only jokers or would begin with a colour-change joker.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import Final

from referee.rules.set_reading import FEWEST_TILES, MOST_IN_GROUP
from referee.rules.tiles import HIGHEST, Colour, JokerKind

Shape = tuple[JokerKind | None, ...]
GroupShape = tuple[tuple[tuple[Colour, JokerKind | None], ...], int, int]
Limits = tuple[tuple[JokerKind, int], ...]
"""How often each kind of joker may lie in one set (a coloured one: in one set and colour)."""

_MOST_IN_LONG_RUN: Final = 2
_IN_A_RUN: Final = (None, JokerKind.REGULAR, JokerKind.DOUBLE, JokerKind.COLOUR_CHANGE, JokerKind.COLOURED)


def width(kind: JokerKind | None) -> int:
    """Return how many numbers a tile of a run fills."""
    return 2 if kind is JokerKind.DOUBLE else 1


def is_part(shape: Shape) -> bool:
    """Tell whether this much of a run could lie as a run of its own."""
    return len(shape) >= FEWEST_TILES and None in shape and shape[0] is not JokerKind.COLOUR_CHANGE


@lru_cache(maxsize=64)
def run_shapes(limits: Limits) -> tuple[Shape, ...]:
    """Return every shape of a run, colour-change runs among them, that cannot be cut."""
    return tuple(_grow((), dict(limits), 0))


def _grow(shape: Shape, left: Mapping[JokerKind, int], length: int) -> Iterator[Shape]:
    if _may_be_cut(shape):
        return  # and all that begins like this can be cut there too
    if is_part(shape):
        yield shape
    for kind in _IN_A_RUN:
        if length + width(kind) > HIGHEST or (kind and not left.get(kind)):
            continue
        if kind is JokerKind.COLOUR_CHANGE and not shape:
            continue
        fewer = left if kind is None else {**left, kind: left[kind] - 1}
        yield from _grow((*shape, kind), fewer, length + width(kind))


def _may_be_cut(shape: Shape) -> bool:
    return any(is_part(shape[:cut]) and is_part(shape[cut:]) for cut in range(FEWEST_TILES, len(shape)))


@lru_cache(maxsize=64)
def long_run_shapes(jokers: Limits) -> tuple[Shape, ...]:
    """Return the runs in one colour with at most two jokers that can be cut, for those who want them whole."""
    most = dict(jokers)
    kinds = [
        kind for kind in _IN_A_RUN if kind and kind is not JokerKind.COLOUR_CHANGE for _ in range(most.get(kind, 0))
    ]
    shapes = set()
    for length in range(2 * FEWEST_TILES, HIGHEST + 1):
        for count in range(_MOST_IN_LONG_RUN + 1):
            for places, chosen in product(combinations(range(length), count), set(permutations(kinds, count))):
                shape: list[JokerKind | None] = [None] * length
                for place, kind in zip(places, chosen, strict=True):
                    shape[place] = kind
                if sum(map(width, shape)) <= HIGHEST and _may_be_cut(tuple(shape)):
                    shapes.add(tuple(shape))
    return tuple(shapes)


def leaves_out_long_runs(jokers: Limits) -> bool:
    """Tell whether there are long runs with these jokers that `long_run_shapes` does not return."""
    most = dict(jokers)
    of_one_colour = sum(most.get(kind, 0) for kind in _IN_A_RUN if kind is not None)
    return JokerKind.COLOUR_CHANGE in most or of_one_colour > _MOST_IN_LONG_RUN


@lru_cache(maxsize=64)
def group_shapes(limits: Limits) -> tuple[GroupShape, ...]:
    """Return every shape of a group: the tiles that show their colour, how many regular and how many double jokers."""
    left = dict(limits)
    singles, doubles = left.get(JokerKind.REGULAR, 0), left.get(JokerKind.DOUBLE, 0)
    marks: list[JokerKind | None] = [None, JokerKind.COLOURED] if left.get(JokerKind.COLOURED) else [None]
    shapes: list[GroupShape] = []
    for colours in (chosen for size in range(1, len(Colour) + 1) for chosen in combinations(Colour, size)):
        for shown in product(marks, repeat=len(colours)):
            for single, double in product(range(singles + 1), range(doubles + 1)):
                tiles = len(colours) + single + double
                if None in shown and tiles >= FEWEST_TILES and tiles + double <= MOST_IN_GROUP:
                    shapes.append((tuple(zip(colours, shown, strict=True)), single, double))
    return tuple(shapes)
