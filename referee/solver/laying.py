"""From shapes to sets: each shape laid from every first number and in every choice of colours."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

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
_MIRROR: Final = Joker(JokerKind.MIRROR)


@dataclass(frozen=True, slots=True)
class _Place:
    """A tile of a shape: its kind, how far its lowest number is from the first, and which colour of the set it has."""

    kind: JokerKind | None
    offset: int
    colour: int


def lay_run(shape: Shape) -> Laid:
    """Lay a run, ascending."""
    places, stretches = _along(shape)
    firsts = _firsts(sum(map(width, shape)))
    return _lay(places, firsts, _choices(places, stretches))


def lay_groups(shapes: Sequence[GroupShape]) -> Laid:
    """Lay groups."""
    rows = []
    for tiles, singles, doubles in shapes:
        for number in range(LOWEST, HIGHEST + 1):
            shown = [NumberTile(colour, number) if kind is None else Joker(kind, colour) for colour, kind in tiles]
            rows.append(_valued([*shown, *_jokers(singles, doubles)], number, 0))
    return _padded(rows)


def lay_mirror_runs(sides: Sides, *, counts_middle: bool) -> Iterator[Laid]:
    """Lay a mirror run, its sides ascending toward the mirror; descending where the middle is then worth more."""
    one, other, stretches = _facing(sides)
    length = sum(map(width, sides[0]))
    firsts, colours = _firsts(length), _choices([*one, *other], stretches)
    rising = [*one, _Place(JokerKind.MIRROR, length, 0), *reversed(other)]
    codes, values = _lay(rising, firsts, colours)
    middle = len(one)
    if not counts_middle:
        values[:, middle] = 0
    values[values[:, middle] > HIGHEST, middle] = 0
    yield codes, values
    # Number tiles at one distance from the mirror alone would not tell that the sides descend.
    if counts_middle and firsts[-1] > LOWEST and len({place.offset for place in (*one, *other) if not place.kind}) > 1:
        yield _lay([*reversed(one), _Place(JokerKind.MIRROR, -1, 0), *other], firsts[-1:], colours)


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


def _choices(places: Sequence[_Place], stretches: int) -> Counts:
    """Return every choice of colours (choices, colours): stretches side by side differ where both show theirs."""
    shown = {place.colour for place in places if place.kind in {None, JokerKind.COLOURED}}
    colours = 1 + max(place.colour for place in places)
    choices = product(*[range(_COLOURS) if colour in shown else [0] for colour in range(colours)])
    beside = [(one, one + 1) for one in range(stretches - 1) if one in shown and one + 1 in shown]
    return np.array([choice for choice in choices if all(choice[one] != choice[two] for one, two in beside)], np.int8)


def _firsts(length: int) -> Counts:
    return np.arange(LOWEST, HIGHEST - length + 2, dtype=np.int8)


def _lay(places: Sequence[_Place], firsts: Counts, choices: Counts) -> Laid:
    codes, values = [], []
    for place in places:
        number, colour = np.meshgrid(firsts + np.int8(place.offset), choices[:, place.colour], indexing="ij")
        codes.append(_codes(place.kind, number, colour).ravel())
        values.append((number if width(place.kind) == 1 else 2 * number + 1).ravel())
    return np.stack(codes, axis=1), np.stack(values, axis=1)


def _codes(kind: JokerKind | None, number: Counts, colour: Counts) -> Counts:
    if kind is None:
        return colour * np.int8(HIGHEST) + number - np.int8(LOWEST)
    if kind is JokerKind.COLOURED:
        return colour + np.int8(Joker(kind, next(iter(Colour))).code)
    return np.full_like(number, Joker(kind).code)


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
