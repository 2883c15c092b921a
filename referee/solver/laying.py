"""From shapes to sets: each shape with every first number and choice of colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.rules.set_reading import MAX_GROUP_TILES
from referee.rules.tiles import ALL_TILES, HIGHEST, LOWEST, PLAIN_JOKERS, Colour, Joker, JokerKind, NumberTile, Tile
from referee.solver.deadline import Deadline
from referee.solver.mirror_shapes import MirrorGroup, MirrorSides
from referee.solver.shapes import GroupShape, Shape, width

Counts = NDArray[np.int8]
SmallInts = NDArray[np.int8]
LaidSets = tuple[Counts, Counts]
"""(sets, tiles): the codes of the tiles in the order to lay them, and what each counts."""

FIRST_FREE_CODE: Final = len(ALL_TILES)
"""From here on the codes of a number in whatever colour, as it may face a colour-change joker."""
CODE_COUNT: Final = FIRST_FREE_CODE + HIGHEST
NO_TILE: Final = CODE_COUNT
"""The code that stands beyond the last tile of a set."""

_COLOURS: Final = len(Colour)
_NUMBERS: Final = range(LOWEST, HIGHEST + 1)
_CHANGE: Final = JokerKind.COLOUR_CHANGE
_LOWEST_CODES: Final[dict[JokerKind | None, int]] = {None: 0} | {joker.kind: joker.code for joker in PLAIN_JOKERS}
MIRROR: Final = Joker(JokerKind.MIRROR)
DOUBLE: Final = Joker(JokerKind.DOUBLE)


@dataclass(frozen=True, slots=True)
class _ShapeTile:
    """A tile of a shape: kind, offset of its lowest number from the first, and index of its colour in the set."""

    kind: JokerKind | None
    offset: int
    colour: int
    free: bool = False
    """It may have any colour, whatever the set's are."""

    @property
    def base(self) -> int:
        """The lowest code of the tile."""
        return FIRST_FREE_CODE if self.free else _LOWEST_CODES[self.kind]


def lay_runs(shapes: Sequence[Shape], until: Deadline) -> LaidSets:
    """Return all runs of these shapes, ascending."""
    rows = []
    for shape in until.over(shapes):
        places, stretches = _stretch_tiles(shape)
        rows.append(_ShapeRow(places, sum(map(width, shape)), stretches))
    return _without_groups(*_lay_rows(rows), counts_middle=False)


def lay_groups(shapes: Sequence[GroupShape]) -> LaidSets:
    """Return all groups of these shapes."""
    return _padded(
        [_codes_and_values(_group_tiles(shape, number), number, 0) for shape in shapes for number in _NUMBERS]
    )


def lay_mirror_runs(shapes: Sequence[MirrorSides], until: Deadline, *, counts_middle: bool) -> LaidSets:
    """Return all mirror runs of these shapes, ascending toward the mirror, or descending if that is worth more."""
    rows = []
    for sides in until.over(shapes):
        one, other, stretches = _facing_tiles(sides)
        length = sum(map(width, sides[0]))
        rows.append(_ShapeRow([*one, _ShapeTile(JokerKind.MIRROR, length, 0), *reversed(other)], length, stretches))
        if counts_middle and length < HIGHEST:
            falling = [*reversed(one), _ShapeTile(JokerKind.MIRROR, -1, 0), *other]
            rows.append(_ShapeRow(falling, length, stretches, last_only=True))
    codes, values = _lay_rows(rows)
    values[(codes == MIRROR.code) & ((values > HIGHEST) | (not counts_middle))] = 0
    return _without_groups(codes, values, counts_middle=counts_middle)


def lay_mirror_groups(shapes: Sequence[MirrorGroup], *, counts_middle: bool) -> LaidSets:
    """Return all mirror groups of these shapes."""
    return _padded(
        [
            _codes_and_values([*one, MIRROR, *reversed(other)], number, number if counts_middle else 0)
            for shape in shapes
            for number in _NUMBERS
            for one, other in [_reflected(*(_group_tiles(side, number) for side in shape))]
        ]
    )


def _reflected(one: Sequence[Tile], other: Sequence[Tile]) -> tuple[Sequence[Tile], Sequence[Tile]]:
    """Return the sides of a mirror group, read toward the mirror, so that each tile faces an equal one or a joker."""
    shown = {*one, *other} - {DOUBLE}
    for left, right in product(permutations(one), permutations(other)):
        slots = ([tile for tile in side for _ in range(1 + (tile == DOUBLE))] for side in (left, right))
        facing = [set(pair) - {DOUBLE} for pair in zip(*slots, strict=True)]
        if sum(map(len, facing)) == len(shown) and max(map(len, facing)) == 1:
            return left, right
    raise AssertionError((one, other))  # pragma: no cover - the sides show no more colours than there is room for


# ---- shapes with numbers: where each tile lies and which of the set's colours it has -------------------------------


def _stretch_tiles(shape: Shape) -> tuple[list[_ShapeTile], int]:
    """Return the tiles of a stretch, with colours numbered from 0 at each change, and the number of colours."""
    places, offset, stretch = [], 0, 0
    for kind in shape:
        stretch += kind is _CHANGE
        places.append(_ShapeTile(kind, offset, stretch))
        offset += width(kind)
    return places, stretch + 1


def _facing_tiles(sides: MirrorSides) -> tuple[list[_ShapeTile], list[_ShapeTile], int]:
    """Return the tiles of both sides: each has the colour of the tile it faces, or any if that is a colour change."""
    one, stretches = _stretch_tiles(sides[0])
    faced = {place.offset + more: place for place in one for more in range(width(place.kind))}
    other, offset = [], 0
    for kind in sides[1]:
        facing = faced[offset]
        other.append(_ShapeTile(kind, offset, facing.colour, free=kind is None and facing.kind is _CHANGE))
        offset += width(kind)
    return one, other, stretches


@dataclass(frozen=True, slots=True)
class _ShapeRow:
    """A shape's tiles in laid order."""

    places: list[_ShapeTile]
    length: int
    """How many numbers it spans."""
    stretches: int
    """How many colours follow on one another."""
    last_only: bool = False
    """Laid only up to the highest number."""

    def firsts(self) -> range:
        """Return its possible first numbers."""
        last = HIGHEST - self.length + 1
        return range(last if self.last_only else LOWEST, last + 1)

    def colours(self) -> Counts:
        """Return every choice of colours, shape (choices, colours); colours that no tile shows are not varied."""
        shown = {place.colour for place in self.places if place.kind is None and not place.free}
        return _colour_choices(tuple(colour in shown for colour in range(self.stretches)))


@cache
def _colour_choices(shown: tuple[bool, ...]) -> Counts:
    """Return every choice of colours; adjacent stretches that show a colour differ."""
    choices = product(*[range(_COLOURS) if shows else [0] for shows in shown])
    beside = [(one, one + 1) for one in range(len(shown) - 1) if shown[one] and shown[one + 1]]
    return np.array([choice for choice in choices if all(choice[one] != choice[two] for one, two in beside)], np.int8)


def _lay_rows(rows: Sequence[_ShapeRow]) -> LaidSets:
    """Return every shape with every first number and choice of colours, vectorised."""
    longest = max(len(row.places) for row in rows)
    beyond = _ShapeTile(None, 0, 0)
    places = [[*row.places, *[beyond] * (longest - len(row.places))] for row in rows]
    kinds = np.array([[place.base for place in row] for row in places], np.int8)
    offsets = np.array([[place.offset for place in row] for row in places], np.int8)
    colours = np.array([[place.colour for place in row] for row in places], np.intp)
    lengths = np.array([len(row.places) for row in rows])
    choices = [row.colours() for row in rows]
    spread = [len(row.firsts()) * len(choice) for row, choice in zip(rows, choices, strict=True)]
    shape = np.repeat(np.arange(len(rows)), spread)
    each = list(zip(rows, choices, strict=True))
    firsts = np.concatenate([np.repeat(row.firsts(), len(choice)) for row, choice in each]).astype(np.int8)
    chosen = _stacked([np.tile(choice, (len(row.firsts()), 1)) for row, choice in each])
    numbers = firsts[:, None] + offsets[shape]
    shades = np.take_along_axis(chosen, colours[shape], axis=1)
    kind = kinds[shape]
    codes = kind + np.where(kind == 0, shades * np.int8(HIGHEST) + numbers - np.int8(LOWEST), 0)
    codes += np.where(kind == FIRST_FREE_CODE, numbers - np.int8(LOWEST), np.int8(0))
    values = np.where(kind == _LOWEST_CODES[JokerKind.DOUBLE], 2 * numbers + np.int8(1), numbers)
    past = np.arange(longest) >= lengths[shape][:, None]
    codes[past], values[past] = NO_TILE, 0
    return codes.astype(np.int8), values.astype(np.int8)


def _without_groups(codes: Counts, values: Counts, *, counts_middle: bool) -> LaidSets:
    """Drop mirror runs that are groups too: number tiles of one number, and jokers worth no more in the run."""
    numbers = np.where((codes < FIRST_FREE_CODE) & (codes >= _LOWEST_CODES[JokerKind.REGULAR]), 0, values)
    number = numbers.max(axis=1)
    alike = ((numbers == 0) | (numbers == number[:, None])).all(axis=1)
    changes = (codes == _LOWEST_CODES[_CHANGE]).any(axis=1)
    mirrors = (codes == MIRROR.code).any(axis=1)
    doubles = (codes == DOUBLE.code).sum(axis=1)
    length = (numbers > 0).sum(axis=1) + 2 * doubles
    fits = length <= np.where(mirrors, 2 * MAX_GROUP_TILES, MAX_GROUP_TILES)
    worth = number.astype(np.int16) * (length + (mirrors & counts_middle))
    kept = ~(alike & ~changes & fits & (values.sum(axis=1, dtype=np.int16) <= worth))
    return codes[kept], values[kept]


def _stacked(parts: Sequence[Counts]) -> Counts:
    most = max(part.shape[1] for part in parts)
    return np.concatenate([np.pad(part, ((0, 0), (0, most - part.shape[1]))) for part in parts])


# ---- shapes of one number ------------------------------------------------------------------------------------------


def _group_tiles(shape: GroupShape, number: int) -> list[Tile]:
    colours, doubles = shape
    return [*(NumberTile(colour, number) for colour in colours), *[DOUBLE] * doubles]


def _codes_and_values(tiles: Sequence[Tile], number: int, middle: int) -> tuple[list[int], list[int]]:
    worth = {JokerKind.DOUBLE: 2 * number, JokerKind.MIRROR: middle}
    values = [worth[tile.kind] if isinstance(tile, Joker) else number for tile in tiles]
    return [tile.code for tile in tiles], values


def _padded(rows: Sequence[tuple[list[int], list[int]]]) -> LaidSets:
    longest = max(len(codes) for codes, _ in rows)
    codes = [[*codes, *[NO_TILE] * (longest - len(codes))] for codes, _ in rows]
    values = [[*values, *[0] * (longest - len(values))] for _, values in rows]
    return np.array(codes, np.int8), np.array(values, np.int8)
