"""From shapes to sets: each shape laid from every first number and in every choice of colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.rules.set_reading import MAX_IN_GROUP
from referee.rules.tiles import ALL_TILES, HIGHEST, LOWEST, PLAIN_JOKERS, Colour, Joker, JokerKind, NumberTile, Tile
from referee.solver.deadline import Deadline
from referee.solver.mirror_shapes import MirrorGroup, Sides
from referee.solver.shapes import GroupShape, Shape, width

Counts = NDArray[np.int8]
Small = NDArray[np.int8]
Laid = tuple[Counts, Counts]
"""(sets, tiles): the codes of the tiles in the order to lay them, and what each counts."""

FREE: Final = len(ALL_TILES)
"""From here on the codes of a number in whatever colour, as it may face a colour-change joker."""
CODES: Final = FREE + HIGHEST
NOTHING: Final = CODES
"""The code that stands beyond the last tile of a set."""

_COLOURS: Final = len(Colour)
_NUMBERS: Final = range(LOWEST, HIGHEST + 1)
_CHANGE: Final = JokerKind.COLOUR_CHANGE
_BASE: Final[dict[JokerKind | None, int]] = {None: 0} | {joker.kind: joker.code for joker in PLAIN_JOKERS}
_MIRROR: Final = Joker(JokerKind.MIRROR)
_DOUBLE: Final = Joker(JokerKind.DOUBLE)


@dataclass(frozen=True, slots=True)
class _Place:
    """A tile of a shape: its kind, how far its lowest number is from the first, and which colour of the set it has."""

    kind: JokerKind | None
    offset: int
    colour: int
    free: bool = False
    """It may have any colour, whatever the set's are."""

    @property
    def base(self) -> int:
        """The lowest code it can have."""
        return FREE if self.free else _BASE[self.kind]


def lay_runs(shapes: Sequence[Shape], until: Deadline) -> Laid:
    """Lay runs, ascending."""
    rows = []
    for shape in until.over(shapes):
        places, stretches = _along(shape)
        rows.append(_Row(places, sum(map(width, shape)), stretches))
    return _without_groups(*_lay(rows), counts_middle=False)


def lay_groups(shapes: Sequence[GroupShape]) -> Laid:
    """Lay groups."""
    return _padded([_valued(_shown(shape, number), number, 0) for shape in shapes for number in _NUMBERS])


def lay_mirror_runs(shapes: Sequence[Sides], until: Deadline, *, counts_middle: bool) -> Laid:
    """Lay mirror runs, ascending toward the mirror; or descending, from the last number, to be worth more."""
    rows = []
    for sides in until.over(shapes):
        one, other, stretches = _facing(sides)
        length = sum(map(width, sides[0]))
        rows.append(_Row([*one, _Place(JokerKind.MIRROR, length, 0), *reversed(other)], length, stretches))
        if counts_middle and length < HIGHEST:
            falling = [*reversed(one), _Place(JokerKind.MIRROR, -1, 0), *other]
            rows.append(_Row(falling, length, stretches, last_only=True))
    codes, values = _lay(rows)
    values[(codes == _MIRROR.code) & ((values > HIGHEST) | (not counts_middle))] = 0
    return _without_groups(codes, values, counts_middle=counts_middle)


def lay_mirror_groups(shapes: Sequence[MirrorGroup], *, counts_middle: bool) -> Laid:
    """Lay mirror groups."""
    return _padded(
        [
            _valued([*one, _MIRROR, *reversed(other)], number, number if counts_middle else 0)
            for shape in shapes
            for number in _NUMBERS
            for one, other in [_reflected(*(_shown(side, number) for side in shape))]
        ]
    )


def _reflected(one: Sequence[Tile], other: Sequence[Tile]) -> tuple[Sequence[Tile], Sequence[Tile]]:
    """Return the sides of a mirror group, read toward the mirror, so that each tile faces its like or a joker."""
    shown = {*one, *other} - {_DOUBLE}
    for left, right in product(permutations(one), permutations(other)):
        slots = ([tile for tile in side for _ in range(1 + (tile == _DOUBLE))] for side in (left, right))
        facing = [set(pair) - {_DOUBLE} for pair in zip(*slots, strict=True)]
        if sum(map(len, facing)) == len(shown) and max(map(len, facing)) == 1:
            return left, right
    raise AssertionError((one, other))  # pragma: no cover - the sides show no more colours than there is room for


# ---- shapes with numbers: where each tile lies and which of the set's colours it has -------------------------------


def _along(shape: Shape) -> tuple[list[_Place], int]:
    """Return the places of a stretch, its colours numbered from 0 at every change, and how many there are."""
    places, offset, stretch = [], 0, 0
    for kind in shape:
        stretch += kind is _CHANGE
        places.append(_Place(kind, offset, stretch))
        offset += width(kind)
    return places, stretch + 1


def _facing(sides: Sides) -> tuple[list[_Place], list[_Place], int]:
    """Return the places of both sides: a tile has the colour of what it faces, or any if it faces a colour change."""
    one, stretches = _along(sides[0])
    faced = {place.offset + more: place for place in one for more in range(width(place.kind))}
    other, offset = [], 0
    for kind in sides[1]:
        facing = faced[offset]
        other.append(_Place(kind, offset, facing.colour, free=kind is None and facing.kind is _CHANGE))
        offset += width(kind)
    return one, other, stretches


@dataclass(frozen=True, slots=True)
class _Row:
    """A shape in the order to lay it."""

    places: list[_Place]
    length: int
    """How many numbers it spans."""
    stretches: int
    """How many colours follow on one another."""
    last_only: bool = False
    """Laid only up to the highest number."""

    def firsts(self) -> range:
        """Return the first numbers it can have."""
        last = HIGHEST - self.length + 1
        return range(last if self.last_only else LOWEST, last + 1)

    def colours(self) -> Counts:
        """Return every choice of colours (choices, colours); a colour that no tile shows is not chosen."""
        shown = {place.colour for place in self.places if place.kind is None and not place.free}
        return _choices(tuple(colour in shown for colour in range(self.stretches)))


@cache
def _choices(shown: tuple[bool, ...]) -> Counts:
    """Return every choice of colours; stretches side by side differ where both show theirs."""
    choices = product(*[range(_COLOURS) if shows else [0] for shows in shown])
    beside = [(one, one + 1) for one in range(len(shown) - 1) if shown[one] and shown[one + 1]]
    return np.array([choice for choice in choices if all(choice[one] != choice[two] for one, two in beside)], np.int8)


def _lay(rows: Sequence[_Row]) -> Laid:
    """Lay every shape from every first number in every choice of colours, all at once."""
    longest = max(len(row.places) for row in rows)
    beyond = _Place(None, 0, 0)
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
    codes += np.where(kind == FREE, numbers - np.int8(LOWEST), np.int8(0))
    values = np.where(kind == _BASE[JokerKind.DOUBLE], 2 * numbers + np.int8(1), numbers)
    past = np.arange(longest) >= lengths[shape][:, None]
    codes[past], values[past] = NOTHING, 0
    return codes.astype(np.int8), values.astype(np.int8)


def _without_groups(codes: Counts, values: Counts, *, counts_middle: bool) -> Laid:
    """Leave out what is read as a group: number tiles of one number, and jokers that count no more in the run."""
    numbers = np.where((codes < FREE) & (codes >= _BASE[JokerKind.REGULAR]), 0, values)
    number = numbers.max(axis=1)
    alike = ((numbers == 0) | (numbers == number[:, None])).all(axis=1)
    changes = (codes == _BASE[_CHANGE]).any(axis=1)
    mirrors = (codes == _MIRROR.code).any(axis=1)
    doubles = (codes == _DOUBLE.code).sum(axis=1)
    length = (numbers > 0).sum(axis=1) + 2 * doubles
    fits = length <= np.where(mirrors, 2 * MAX_IN_GROUP, MAX_IN_GROUP)
    worth = number.astype(np.int16) * (length + (mirrors & counts_middle))
    kept = ~(alike & ~changes & fits & (values.sum(axis=1, dtype=np.int16) <= worth))
    return codes[kept], values[kept]


def _stacked(parts: Sequence[Counts]) -> Counts:
    most = max(part.shape[1] for part in parts)
    return np.concatenate([np.pad(part, ((0, 0), (0, most - part.shape[1]))) for part in parts])


# ---- shapes of one number ------------------------------------------------------------------------------------------


def _shown(shape: GroupShape, number: int) -> list[Tile]:
    colours, doubles = shape
    return [*(NumberTile(colour, number) for colour in colours), *[_DOUBLE] * doubles]


def _valued(tiles: Sequence[Tile], number: int, middle: int) -> tuple[list[int], list[int]]:
    worth = {JokerKind.DOUBLE: 2 * number, JokerKind.MIRROR: middle}
    values = [worth[tile.kind] if isinstance(tile, Joker) else number for tile in tiles]
    return [tile.code for tile in tiles], values


def _padded(rows: Sequence[tuple[list[int], list[int]]]) -> Laid:
    longest = max(len(codes) for codes, _ in rows)
    codes = [[*codes, *[NOTHING] * (longest - len(codes))] for codes, _ in rows]
    values = [[*values, *[0] * (longest - len(values))] for _, values in rows]
    return np.array(codes, np.int8), np.array(values, np.int8)
