"""The catalogue: every set that an edition's box can form, as arrays, and those that some tiles can form.

A row of the catalogue is a set: the codes of its tiles in the order to lay them, and what each counts in the reading
that counts then. Runs are laid ascending, so that a joker at an end stands where it is worth most.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.rules.tiles import ALL_TILES, HIGHEST, LOWEST, Colour, Joker, JokerKind, NumberTile
from referee.solver.shapes import Limits, Shape, group_shapes, run_shapes, width

Codes = NDArray[np.int16]
Counts = NDArray[np.int16]

CODES: Final = len(ALL_TILES)
NOTHING: Final = CODES
"""The code that fills a row beyond the last tile of its set."""

_COLOURS: Final = len(Colour)
_MOST_ALIKE: Final = 4  # no set takes more of one tile: the four jokers of the largest box


def joker_code(kind: JokerKind, colour: int = 0) -> int:
    """Return the code of a joker; `colour`: the place of a coloured one's colour."""
    return Joker(kind, tuple(Colour)[colour]).code if kind is JokerKind.COLOURED else Joker(kind).code


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """Sets as rows of arrays."""

    codes: Codes
    """(sets, longest): the tiles' codes in the order to lay them, NOTHING beyond the last."""
    values: Counts
    """(sets, longest): what each tile counts."""
    counts: Counts
    """(sets, CODES): how many of each tile lie in the set."""
    needs: NDArray[np.uint64]
    """(most alike, sets): bit c of row k is set if more than k tiles of code c lie in the set."""

    def formable(self, have: Counts) -> "Catalogue":
        """Return the sets that the tiles at hand can form; `have`: (CODES,) how many there are of each."""
        lacks = [~np.uint64(_bits(have > alike)) for alike in range(len(self.needs))]
        lacking = np.bitwise_or.reduce([need & lack for need, lack in zip(self.needs, lacks, strict=True)])
        return self.take(np.flatnonzero(lacking == 0))

    def take(self, rows: NDArray[np.intp]) -> "Catalogue":
        """Return only these sets."""
        return Catalogue(
            codes=self.codes[rows], values=self.values[rows], counts=self.counts[rows], needs=self.needs[:, rows]
        )

    def joined(self, other: "Catalogue") -> "Catalogue":
        """Return these sets and then the others."""
        return Catalogue(
            codes=_stacked(self.codes, other.codes, NOTHING),
            values=_stacked(self.values, other.values, 0),
            counts=np.concatenate([self.counts, other.counts]),
            needs=np.concatenate([self.needs, other.needs], axis=1),
        )


def _bits(flags: NDArray[np.bool_]) -> int:
    return sum(1 << int(code) for code in np.flatnonzero(flags))


def catalogue_of(codes: Sequence[Sequence[int]], values: Sequence[Sequence[int]]) -> Catalogue:
    """Return some sets, given as codes and values of any length, as a catalogue."""
    longest = max(map(len, codes))
    return _catalogue(
        np.array([[*row, *[NOTHING] * (longest - len(row))] for row in codes], np.int16),
        np.array([[*row, *[0] * (longest - len(row))] for row in values], np.int16),
    )


def _catalogue(codes: Codes, values: Counts) -> Catalogue:
    counts = np.zeros((len(codes), CODES + 1), np.int16)
    for column in codes.T:
        counts[np.arange(len(codes)), column] += 1
    counts = np.ascontiguousarray(counts[:, :CODES])
    powers = np.uint64(1) << np.arange(CODES, dtype=np.uint64)
    needs = np.stack([((counts > alike) * powers).sum(axis=1, dtype=np.uint64) for alike in range(_MOST_ALIKE)])
    return Catalogue(codes=codes, values=values, counts=counts, needs=needs)


def _stacked(one: Codes, other: Codes, filling: int) -> Codes:
    longest = max(one.shape[1], other.shape[1])
    return np.concatenate([_widened(rows, longest, filling) for rows in (one, other)])


@lru_cache(maxsize=16)
def catalogue(limits: Limits) -> Catalogue:
    """Return every set worth looking at of a box with so many jokers of each kind."""
    parts = [_runs(run_shapes(limits)), _groups(limits)]
    longest = max(codes.shape[1] for codes, _ in parts)
    return _catalogue(
        np.concatenate([_widened(codes, longest, NOTHING) for codes, _ in parts]),
        np.concatenate([_widened(values, longest, 0) for _, values in parts]),
    )


def _widened(rows: Codes, longest: int, filling: int) -> Codes:
    return np.pad(rows, ((0, 0), (0, longest - rows.shape[1])), constant_values=filling)


# ---- runs: every shape at every first number in every choice of colours --------------------------------------------


def _runs(shapes: Sequence[Shape]) -> tuple[Codes, Counts]:
    longest = max(map(len, shapes))
    codes, values = [], []
    for shape in shapes:
        length = sum(map(width, shape))
        firsts = np.arange(LOWEST, HIGHEST - length + 2, dtype=np.int16)
        for colours in _stretch_colours(shape):
            run, worth = _laid(shape, firsts, colours)
            codes.append(_widened(run, longest, NOTHING))
            values.append(_widened(worth, longest, 0))
    return np.concatenate(codes), np.concatenate(values)


def _laid(shape: Shape, firsts: Codes, colours: Sequence[int]) -> tuple[Codes, Counts]:
    codes, values = [], []
    number, stretch = firsts, 0
    for kind in shape:
        stretch += kind is JokerKind.COLOUR_CHANGE
        if kind is None:
            codes.append(colours[stretch] * HIGHEST + number - LOWEST)
        else:
            codes.append(np.full_like(firsts, joker_code(kind, colours[stretch])))
        values.append(2 * number + 1 if width(kind) == 2 else number)
        number = number + width(kind)
    return np.stack(codes, axis=1), np.stack(values, axis=1)


def _stretch_colours(shape: Shape) -> Iterator[tuple[int, ...]]:
    """Give every choice of colours for the stretches between colour changes; those that show none get the first."""
    shows = [False]
    for kind in shape:
        if kind is JokerKind.COLOUR_CHANGE:
            shows.append(False)
        elif kind in {None, JokerKind.COLOURED}:
            shows[-1] = True
    choices: list[tuple[int, ...]] = [()]
    for place, shown in enumerate(shows):
        choices = [
            (*choice, colour)
            for choice in choices
            for colour in (range(_COLOURS) if shown else (0,))
            if not (shown and place and shows[place - 1] and choice[-1] == colour)
        ]
    yield from choices


# ---- groups --------------------------------------------------------------------------------------------------------


def _groups(limits: Limits) -> tuple[Codes, Counts]:
    codes, values = [], []
    for tiles, singles, doubles in group_shapes(limits):
        jokers = [joker_code(JokerKind.REGULAR)] * singles + [joker_code(JokerKind.DOUBLE)] * doubles
        for number in range(LOWEST, HIGHEST + 1):
            shown = [
                NumberTile(colour, number).code if kind is None else Joker(kind, colour).code for colour, kind in tiles
            ]
            row = [*shown, *jokers]
            worth = [number] * (len(shown) + singles) + [2 * number] * doubles
            codes.append(row + [NOTHING] * (_COLOURS - len(row)))
            values.append(worth + [0] * (_COLOURS - len(row)))
    return np.array(codes, np.int16), np.array(values, np.int16)
