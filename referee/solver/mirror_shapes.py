"""The shapes of mirror sets that are not a smaller mirror set plus runs.

A shape is its two sides, each read toward the mirror joker in the direction in which the numbers ascend. Two sides
can be cut at a number where both have a tile's edge: the outer or the inner tiles of both sides go off as two runs,
and what stays is a mirror set still.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import accumulate, combinations, product
from typing import Final, NamedTuple

from referee.rules.set_reading import MAX_GROUP_TILES
from referee.rules.tiles import HIGHEST, Colour, JokerKind
from referee.solver.deadline import NO_DEADLINE, Deadline
from referee.solver.shapes import GroupShape, JokerLimits, Shape, can_be_run, width

MirrorSides = tuple[Shape, Shape]
MirrorGroup = tuple[GroupShape, GroupShape]
"""For each side the colours of its number tiles, and how many double jokers."""

_SIDE_TILES: Final = (None, JokerKind.DOUBLE, JokerKind.COLOUR_CHANGE)
_CHANGE: Final = JokerKind.COLOUR_CHANGE


@lru_cache(maxsize=32)
def mirror_run_shapes(
    jokers: JokerLimits, spare: int = 0, until: Deadline = NO_DEADLINE, *, begins: bool = True
) -> tuple[MirrorSides, ...]:
    """Return every indivisible shape of a mirror run; the first side has the colours in order."""
    left = dict(jokers)
    if not left.get(JokerKind.MIRROR):
        return ()
    found: dict[object, MirrorSides] = {}
    for sides in until.over(_grow((), (), (0, 0), left, _CutRules(spare, begins))):
        found.setdefault(_tiles_key(sides), sides)
    return tuple(found.values())


class _CutRules(NamedTuple):
    """The conditions on the parts of a divisible set: see `shapes`."""

    spare: int
    begins: bool

    def is_run(self, shape: Shape) -> bool:
        """Return whether this part of a side is a legal run."""
        return can_be_run(shape, self.spare, begins=self.begins)

    def is_mirrored(self, one: Shape, other: Shape) -> bool:
        """Return whether two such parts of the sides make a mirror set."""
        if one.count(None) + other.count(None) <= self.spare or (one[0] is _CHANGE and not self.begins):
            return False
        return len(one) > 1 or len(other) > 1 or _CHANGE not in {one[0], other[0]}


def _grow(
    one: Shape, other: Shape, lengths: tuple[int, int], left: Mapping[JokerKind, int], cuts: _CutRules
) -> Iterator[MirrorSides]:
    """Yield the shapes that extend the shorter side toward the mirror, while they are indivisible."""
    if lengths[0] == lengths[1] > 0:
        if _may_be_cut(one, other, cuts):
            return  # and so are all shapes that begin like this
        if lengths[0] > 1 and (None in one or None in other):
            yield one, other
    first = lengths[0] <= lengths[1]
    for kind in _SIDE_TILES:
        if (kind is not None and not left.get(kind)) or (kind is _CHANGE and first and not one and not cuts.begins):
            continue
        longer = (lengths[0] + first * width(kind), lengths[1] + (not first) * width(kind))
        if max(longer) > HIGHEST:
            continue
        fewer = left if kind is None else {**left, kind: left[kind] - 1}
        yield from _grow((*one, kind) if first else one, other if first else (*other, kind), longer, fewer, cuts)


def _may_be_cut(one: Shape, other: Shape, cuts: _CutRules) -> bool:
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


def _tiles_key(sides: MirrorSides) -> object:
    """Return a key that is equal for shapes with equal tiles and jokers for the same numbers."""
    one, other = ([kind for kind in side for _ in range(width(kind))] for side in sides)
    slots = [
        (tuple(sorted("" if kind is None else kind for kind in facing)), facing[0] is _CHANGE)
        for facing in zip(one, other, strict=True)
    ]
    return tuple(slots)


def long_mirror_run_shapes(jokers: JokerLimits) -> tuple[MirrorSides, ...]:
    """Return the divisible mirror runs without other special jokers."""
    sides = [((None,) * length,) * 2 for length in range(2, HIGHEST + 1)]
    known = mirror_run_shapes(jokers)
    return tuple((one, other) for one, other in sides if known and (one, other) not in known)


@lru_cache(maxsize=32)
def mirror_group_shapes(jokers: JokerLimits) -> tuple[MirrorGroup, ...]:
    """Return every shape of a mirror group."""
    left = dict(jokers)
    if not left.get(JokerKind.MIRROR):
        return ()
    most = left.get(JokerKind.DOUBLE, 0)
    found: dict[object, MirrorGroup] = {}
    for length in range(1, MAX_GROUP_TILES + 1):
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
