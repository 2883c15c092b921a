"""From shapes to sets: each shape laid from every first number and in every choice of colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.rules.set_reading import MOST_IN_GROUP
from referee.rules.tiles import ALL_TILES, HIGHEST, LOWEST, Colour, Joker, JokerKind, NumberTile, Tile
from referee.solver.mirror_shapes import MirrorGroup, Sides
from referee.solver.shapes import GroupShape, Shape, width

Counts = NDArray[np.int8]
Laid = tuple[Counts, Counts]
"""(sets, tiles): the codes of the tiles in the order to lay them, and what each counts."""

CODES: Final = len(ALL_TILES)
NOTHING: Final = CODES
"""The code that stands beyond the last tile of a set."""

_COLOURS: Final = len(Colour)
_CHANGE: Final = JokerKind.COLOUR_CHANGE
_SHOWING: Final = frozenset({None, JokerKind.COLOURED})
_BASE: Final[dict[JokerKind | None, int]] = {None: 0} | {
    kind: Joker(kind, Colour.BLACK if kind is JokerKind.COLOURED else None).code for kind in JokerKind
}
_MIRROR: Final = Joker(JokerKind.MIRROR)

_OF_A_GROUP: Final = [*range(_BASE[JokerKind.REGULAR] + 1), _BASE[JokerKind.DOUBLE]]


@dataclass(frozen=True, slots=True)
class _Place:
    """A tile of a shape: its kind, how far its lowest number is from the first, and which colour of the set it has."""

    kind: JokerKind | None
    offset: int
    colour: int


def lay_runs(shapes: Sequence[Shape]) -> Laid:
    """Lay runs, ascending."""
    rows = []
    for shape in shapes:
        places, stretches = _along(shape)
        rows.append(_Row(places, sum(map(width, shape)), stretches))
    return _without_groups(*_lay(rows), counts_middle=False)


def lay_groups(shapes: Sequence[GroupShape]) -> Laid:
    """Lay groups."""
    rows = []
    for tiles, singles, doubles in shapes:
        for number in range(LOWEST, HIGHEST + 1):
            shown = [NumberTile(colour, number) if kind is None else Joker(kind, colour) for colour, kind in tiles]
            rows.append(_valued([*shown, *_jokers(singles, doubles)], number, 0))
    return _padded(rows)


def lay_mirror_runs(shapes: Sequence[Sides], *, counts_middle: bool) -> Laid:
    """Lay mirror runs, ascending toward the mirror; or descending, from the last number, to be worth more."""
    rows = []
    for sides in shapes:
        one, other, stretches = _facing(sides)
        length = sum(map(width, sides[0]))
        rows.append(_Row([*one, _Place(JokerKind.MIRROR, length, 0), *reversed(other)], length, stretches))
        # Number tiles at one distance from the mirror alone would not tell that the sides descend.
        tells = len({place.offset for place in (*one, *other) if place.kind is None}) > 1
        if counts_middle and tells and length < HIGHEST:
            falling = [*reversed(one), _Place(JokerKind.MIRROR, -1, 0), *other]
            rows.append(_Row(falling, length, stretches, last_only=True))
    codes, values = _lay(rows)
    values[(codes == _MIRROR.code) & ((values > HIGHEST) | (not counts_middle))] = 0
    return _without_groups(codes, values, counts_middle=counts_middle)


def lay_mirror_groups(shapes: Sequence[MirrorGroup], *, counts_middle: bool) -> Laid:
    """Lay mirror groups."""
    rows = []
    for one, other in shapes:
        for number in range(LOWEST, HIGHEST + 1):
            left, right = (
                [*(NumberTile(colour, number) for colour in colours), *_jokers(singles, doubles)]
                for colours, singles, doubles in (one, other)
            )
            rows.append(_valued([*left, _MIRROR, *right], number, number if counts_middle else 0))
    return _padded(rows)


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
    other, offset, colours = [], 0, stretches
    for kind in sides[1]:
        colour = faced[offset].colour
        if kind is None and faced[offset].kind is _CHANGE:
            colour, colours = colours, colours + 1
        other.append(_Place(kind, offset, colour))
        offset += width(kind)
    return one, other, stretches


@dataclass(frozen=True, slots=True)
class _Row:
    """A shape in the order to lay it."""

    places: list[_Place]
    length: int
    """How many numbers it spans."""
    stretches: int
    """How many of its colours follow on one another; those beyond are each of a single tile."""
    last_only: bool = False
    """Laid only up to the highest number."""

    def firsts(self) -> range:
        """Return the first numbers it can have."""
        last = HIGHEST - self.length + 1
        return range(last if self.last_only else LOWEST, last + 1)

    def colours(self) -> Counts:
        """Return every choice of colours (choices, colours); a colour that no tile shows is not chosen."""
        shown = {place.colour for place in self.places if place.kind in _SHOWING}
        colours = 1 + max(place.colour for place in self.places)
        return _choices(tuple(colour in shown for colour in range(colours)), self.stretches)


@cache
def _choices(shown: tuple[bool, ...], stretches: int) -> Counts:
    """Return every choice of colours; stretches side by side differ where both show theirs."""
    choices = product(*[range(_COLOURS) if shows else [0] for shows in shown])
    beside = [(one, one + 1) for one in range(stretches - 1) if shown[one] and shown[one + 1]]
    return np.array([choice for choice in choices if all(choice[one] != choice[two] for one, two in beside)], np.int8)


def _lay(rows: Sequence[_Row]) -> Laid:
    """Lay every shape from every first number in every choice of colours, all at once."""
    longest = max(len(row.places) for row in rows)
    beyond = _Place(None, 0, 0)
    places = [[*row.places, *[beyond] * (longest - len(row.places))] for row in rows]
    kinds = np.array([[_BASE[place.kind] for place in row] for row in places], np.int8)
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
    codes += np.where(kind == _BASE[JokerKind.COLOURED], shades, np.int8(0))
    values = np.where(kind == _BASE[JokerKind.DOUBLE], 2 * numbers + np.int8(1), numbers)
    past = np.arange(longest) >= lengths[shape][:, None]
    codes[past], values[past] = NOTHING, 0
    return codes.astype(np.int8), values.astype(np.int8)


def _without_groups(codes: Counts, values: Counts, *, counts_middle: bool) -> Laid:
    """Leave out what is read as a group: number tiles of one number, and jokers that count no more in the run."""
    numbers = np.where(codes < _BASE[JokerKind.REGULAR], values, 0)
    number = numbers.max(axis=1)
    alike = ((numbers == 0) | (numbers == number[:, None])).all(axis=1)
    mirrors = (codes == _MIRROR.code).any(axis=1)
    length = np.isin(codes, _OF_A_GROUP).sum(axis=1) + (codes == _BASE[JokerKind.DOUBLE]).sum(axis=1)
    in_a_group = np.isin(codes, [*_OF_A_GROUP, _MIRROR.code, NOTHING]).all(axis=1)
    fits = length <= np.where(mirrors, 2 * MOST_IN_GROUP, MOST_IN_GROUP)
    worth = number.astype(np.int16) * (length + (mirrors & counts_middle))
    kept = ~(alike & in_a_group & fits & (values.sum(axis=1, dtype=np.int16) <= worth))
    return codes[kept], values[kept]


def _stacked(parts: Sequence[Counts]) -> Counts:
    most = max(part.shape[1] for part in parts)
    return np.concatenate([np.pad(part, ((0, 0), (0, most - part.shape[1]))) for part in parts])


# ---- shapes of one number ------------------------------------------------------------------------------------------


def _jokers(singles: int, doubles: int) -> list[Tile]:
    return [*[Joker(JokerKind.REGULAR)] * singles, *[Joker(JokerKind.DOUBLE)] * doubles]


def _valued(tiles: Sequence[Tile], number: int, middle: int) -> tuple[list[int], list[int]]:
    worth = {JokerKind.DOUBLE: 2 * number, JokerKind.MIRROR: middle}
    values = [worth.get(tile.kind, number) if isinstance(tile, Joker) else number for tile in tiles]
    return [tile.code for tile in tiles], values


def _padded(rows: Sequence[tuple[list[int], list[int]]]) -> Laid:
    longest = max(len(codes) for codes, _ in rows)
    codes = [[*codes, *[NOTHING] * (longest - len(codes))] for codes, _ in rows]
    values = [[*values, *[0] * (longest - len(values))] for _, values in rows]
    return np.array(codes, np.int8), np.array(values, np.int8)
