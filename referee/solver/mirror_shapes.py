"""The shapes of mirror sets: every way to lay one that is not simply a smaller one with runs beside it.

A shape is its two sides, each read toward the mirror joker in the direction in which the numbers ascend. Two sides
can be cut at a number where both have a tile's edge: the outer or the inner tiles of both sides go off as two runs,
and what stays is a mirror set still.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import accumulate, combinations, product
from typing import Final, NamedTuple

from referee.rules.set_reading import MAX_IN_GROUP
from referee.rules.tiles import HIGHEST, Colour, JokerKind
from referee.solver.deadline import NO_DEADLINE, Deadline
from referee.solver.shapes import GroupShape, Limits, Shape, is_part, width

Sides = tuple[Shape, Shape]
MirrorGroup = tuple[GroupShape, GroupShape]
"""For each side the colours of its number tiles, and how many double jokers."""

_IN_A_SIDE: Final = (None, JokerKind.DOUBLE, JokerKind.COLOUR_CHANGE)
_CHANGE: Final = JokerKind.COLOUR_CHANGE


@lru_cache(maxsize=32)
def mirror_run_shapes(
    jokers: Limits, spare: int = 0, until: Deadline = NO_DEADLINE, *, begins: bool = True
) -> tuple[Sides, ...]:
    """Return every shape of a mirror run that cannot be cut; the first side is the one with the colours in order."""
    left = dict(jokers)
    if not left.get(JokerKind.MIRROR):
        return ()
    found: dict[object, Sides] = {}
    for sides in until.over(_grow((), (), (0, 0), left, _Cuts(spare, begins))):
        found.setdefault(_tiles_of(sides), sides)
    return tuple(found.values())


class _Cuts(NamedTuple):
    """What the parts of a set that could be cut must have: see `shapes`."""

    spare: int
    begins: bool

    def is_run(self, shape: Shape) -> bool:
        """Return whether this much of a side could lie as a run."""
        return is_part(shape, self.spare, begins=self.begins)

    def is_mirrored(self, one: Shape, other: Shape) -> bool:
        """Return whether two sides cut off such a shape make a mirror set."""
        if one.count(None) + other.count(None) <= self.spare or (one[0] is _CHANGE and not self.begins):
            return False
        return len(one) > 1 or len(other) > 1 or _CHANGE not in {one[0], other[0]}


def _grow(
    one: Shape, other: Shape, lengths: tuple[int, int], left: Mapping[JokerKind, int], cuts: _Cuts
) -> Iterator[Sides]:
    """Lengthen the shorter side toward the mirror until the two sides can be cut."""
    if lengths[0] == lengths[1] > 0:
        if _may_be_cut(one, other, cuts):
            return  # and so may all that begin like this
        if lengths[0] > 1 and (None in one or None in other):
            yield one, other
    first = lengths[0] <= lengths[1]
    for kind in _IN_A_SIDE:
        if (kind is not None and not left.get(kind)) or (kind is _CHANGE and first and not one and not cuts.begins):
            continue
        longer = (lengths[0] + first * width(kind), lengths[1] + (not first) * width(kind))
        if max(longer) > HIGHEST:
            continue
        fewer = left if kind is None else {**left, kind: left[kind] - 1}
        yield from _grow((*one, kind) if first else one, other if first else (*other, kind), longer, fewer, cuts)


def _may_be_cut(one: Shape, other: Shape, cuts: _Cuts) -> bool:
    edges = {number: place for place, number in enumerate(accumulate(map(width, other)), 1)}
    for place, number in enumerate(accumulate(map(width, one)), 1):
        if place < len(one) and number in edges:
            (outer, inner), (facing, beside) = _cut(one, place), _cut(other, edges[number])
            if cuts.is_run(outer) and cuts.is_run(facing) and cuts.is_mirrored(inner, beside):
                return True
            if cuts.is_run(inner) and cuts.is_run(beside) and cuts.is_mirrored(outer, facing):
                return True
    return False


def _cut(shape: Shape, place: int) -> tuple[Shape, Shape]:
    return shape[:place], shape[place:]


def _tiles_of(sides: Sides) -> object:
    """Return what two shapes share if they lay the same tiles, each joker standing for the same numbers."""
    one, other = ([kind for kind in side for _ in range(width(kind))] for side in sides)
    slots = [
        (tuple(sorted("" if kind is None else kind for kind in facing)), facing[0] is _CHANGE)
        for facing in zip(one, other, strict=True)
    ]
    return tuple(slots)


def long_mirror_run_shapes(jokers: Limits) -> tuple[Sides, ...]:
    """Return the mirror runs without other special jokers that can be cut."""
    sides = [((None,) * length,) * 2 for length in range(2, HIGHEST + 1)]
    known = mirror_run_shapes(jokers)
    return tuple((one, other) for one, other in sides if known and (one, other) not in known)


@lru_cache(maxsize=32)
def mirror_group_shapes(jokers: Limits) -> tuple[MirrorGroup, ...]:
    """Return every shape of a mirror group."""
    left = dict(jokers)
    if not left.get(JokerKind.MIRROR):
        return ()
    most = left.get(JokerKind.DOUBLE, 0)
    found: dict[object, MirrorGroup] = {}
    for length in range(1, MAX_IN_GROUP + 1):
        sides = [
            (colours, doubles)
            for doubles in range(min(most, length // 2) + 1)
            for colours in combinations(Colour, length - 2 * doubles)
        ]
        for one, other in product(sides, repeat=2):
            colours = (*one[0], *other[0])
            if colours and one[1] + other[1] <= most and len(set(colours)) <= length:
                found.setdefault((tuple(sorted(colours)), one[1] + other[1]), (one, other))
    return tuple(found.values())
