"""The catalogue: every set worth looking at, as rows of arrays, and those that some tiles can form.

A row is a set: the codes of its tiles in the order to lay them, and what each counts when the set lies so. Where
jokers may stand for this or that, each choice is a row. Runs are laid ascending.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.solver.laying import CODES, NOTHING, Counts, lay_groups, lay_mirror_groups, lay_mirror_runs, lay_runs
from referee.solver.mirror_shapes import mirror_group_shapes, mirror_run_shapes
from referee.solver.shapes import Limits, group_shapes, long_run_shapes, run_shapes

Whole = NDArray[np.int64]

_MOST_ALIKE: Final = 4  # no set takes more of one tile than the four jokers of the largest box
_POWERS: Final = np.uint64(1) << np.arange(CODES, dtype=np.uint64)
# Sets are told apart by a number in which every tile has a random weight; 64 bits keep tens of thousands apart.
_WEIGHTS: Final = np.random.default_rng(13).integers(1, 2**63, CODES, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every set that a number of jokers allows, as rows of arrays."""

    codes: Counts
    """(sets, longest): the tiles' codes in the order to lay them, NOTHING beyond the last."""
    values: Counts
    """(sets, longest): what each tile counts."""
    counts: Counts
    """(sets, CODES): how many of each tile lie in the set."""
    keys: Whole
    """(sets,): a number that only sets of the same tiles share."""
    needs: tuple[NDArray[np.uint64], ...]
    """(sets,) each: bit c of the k-th is set if more than k tiles of code c lie in the set."""

    def formable(self, have: Counts) -> "Sets":
        """Return the sets that the tiles at hand can form; `have`: (CODES,) how many there are of each."""
        lacking = np.zeros(len(self.codes), np.uint64)
        for alike, need in enumerate(self.needs):
            lacking |= need & ((have <= alike) * _POWERS).sum(dtype=np.uint64)
        rows = np.flatnonzero(lacking == 0)
        return Sets(codes=self.codes[rows], values=self.values[rows], counts=self.counts[rows], keys=self.keys[rows])


@dataclass(frozen=True, slots=True, kw_only=True)
class Sets:
    """Sets as rows of arrays, their tiles counted."""

    codes: Counts
    """As in the catalogue."""
    values: Counts
    """As in the catalogue."""
    counts: Counts
    """As in the catalogue."""
    keys: Whole
    """As in the catalogue."""

    def take(self, rows: NDArray[np.intp]) -> "Sets":
        """Return only these sets."""
        return Sets(codes=self.codes[rows], values=self.values[rows], counts=self.counts[rows], keys=self.keys[rows])

    def joined(self, codes: Sequence[Sequence[int]], values: Sequence[Sequence[int]]) -> "Sets":
        """Return these sets and then others, given as codes and values of any length."""
        more = sets_of(
            _stacked([np.array([row], np.int8) for row in codes], NOTHING),
            _stacked([np.array([row], np.int8) for row in values], 0),
        )
        return Sets(
            codes=_stacked([self.codes, more.codes], NOTHING),
            values=_stacked([self.values, more.values], 0),
            counts=np.concatenate((self.counts, more.counts)),
            keys=np.concatenate((self.keys, more.keys)),
        )


def sets_of(codes: Counts, values: Counts) -> Sets:
    """Return sets given as codes and values."""
    counts = np.zeros((len(codes), CODES + 1), np.int8)
    row = np.arange(len(codes))
    for column in codes.T:
        counts[row, column] += 1
    counts = np.ascontiguousarray(counts[:, :CODES])
    return Sets(codes=codes, values=values, counts=counts, keys=key_of(counts))


def key_of(counts: Counts) -> Whole:
    """Return the key of the tiles that are counted; of many at once, along the last axis."""
    keys: Whole = counts.astype(np.int64) @ _WEIGHTS
    return keys


@lru_cache(maxsize=32)
def catalogue(jokers: Limits, *, counts_middle: bool, long_runs: bool = False) -> Catalogue:
    """Return every set worth looking at with no more than these jokers.

    `counts_middle`: a mirror joker has a worth. `long_runs`: also runs that could be cut in two.
    """
    shapes = [*run_shapes(jokers), *(long_run_shapes(jokers) if long_runs else ())]
    parts = [lay_runs(shapes), lay_groups(group_shapes(jokers))]
    if mirror_group_shapes(jokers):
        parts.append(lay_mirror_groups(mirror_group_shapes(jokers), counts_middle=counts_middle))
        parts.append(lay_mirror_runs(mirror_run_shapes(jokers), counts_middle=counts_middle))
    codes = _stacked([codes for codes, _ in parts], NOTHING)
    sets = sets_of(codes, _stacked([values for _, values in parts], 0))
    return Catalogue(sets.codes, sets.values, sets.counts, sets.keys, tuple(_needs(sets.counts)))


def _needs(counts: Counts) -> Iterator[NDArray[np.uint64]]:
    for alike in range(_MOST_ALIKE):
        need = np.zeros(len(counts), np.uint64)
        for bit, column in zip(_POWERS, counts.T, strict=True):
            need |= np.where(column > alike, bit, np.uint64(0))
        yield need


def _stacked(parts: Sequence[Counts], filling: int) -> Counts:
    longest = max(part.shape[1] for part in parts)
    stacked = np.full((sum(map(len, parts)), longest), filling, np.int8)
    begin = 0
    for part in parts:
        stacked[begin : begin + len(part), : part.shape[1]] = part
        begin += len(part)
    return stacked
