"""The catalogue: every set worth looking at, as rows of arrays, and those that some tiles can form.

A row is a set: the codes of its tiles in the order to lay them, and what each counts when the set lies so. Where
jokers may stand for this or that, each choice is a row. Runs are laid ascending.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.solver.laying import CODES, NOTHING, Counts, lay_groups, lay_mirror_groups, lay_mirror_runs, lay_run
from referee.solver.mirror_shapes import mirror_group_shapes, mirror_run_shapes
from referee.solver.shapes import Limits, group_shapes, long_run_shapes, run_shapes

Whole = NDArray[np.int64]

_MOST_ALIKE: Final = 4  # no set takes more of one tile than the four jokers of the largest box
_POWERS: Final = np.uint64(1) << np.arange(CODES, dtype=np.uint64)
# Sets are told apart by a number in which every tile has a random weight; 64 bits keep tens of thousands apart.
_WEIGHTS: Final = np.random.default_rng(13).integers(1, 2**63, CODES, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """Sets as rows of arrays."""

    codes: Counts
    """(sets, longest): the tiles' codes in the order to lay them, NOTHING beyond the last."""
    values: Counts
    """(sets, longest): what each tile counts."""
    counts: Counts
    """(sets, CODES): how many of each tile lie in the set."""
    keys: Whole
    """(sets,): a number that only sets of the same tiles share."""
    needs: NDArray[np.uint64]
    """(most alike, sets): bit c of row k is set if more than k tiles of code c lie in the set."""

    def formable(self, have: Counts) -> "Catalogue":
        """Return the sets that the tiles at hand can form; `have`: (CODES,) how many there are of each."""
        lacking = np.zeros(len(self.codes), np.uint64)
        for alike, need in enumerate(self.needs):
            lacking |= need & ((have <= alike) * _POWERS).sum(dtype=np.uint64)
        return self.take(np.flatnonzero(lacking == 0))

    def take(self, rows: NDArray[np.intp]) -> "Catalogue":
        """Return only these sets."""
        return Catalogue(
            codes=self.codes[rows],
            values=self.values[rows],
            counts=self.counts[rows],
            keys=self.keys[rows],
            needs=self.needs[:, rows],
        )

    def joined(self, other: "Catalogue") -> "Catalogue":
        """Return these sets and then the others."""
        return Catalogue(
            codes=_stacked([self.codes, other.codes], NOTHING),
            values=_stacked([self.values, other.values], 0),
            counts=np.concatenate([self.counts, other.counts]),
            keys=np.concatenate([self.keys, other.keys]),
            needs=np.concatenate([self.needs, other.needs], axis=1),
        )


def key_of(counts: Counts) -> Whole:
    """Return the key of the tiles that are counted; of many at once, along the last axis."""
    keys: Whole = counts.astype(np.int64) @ _WEIGHTS
    return keys


def catalogue_of(codes: Sequence[Sequence[int]], values: Sequence[Sequence[int]]) -> Catalogue:
    """Return some sets, given as codes and values of any length, as a catalogue."""
    longest = max(map(len, codes))
    return _catalogue(
        np.array([[*row, *[NOTHING] * (longest - len(row))] for row in codes], np.int8),
        np.array([[*row, *[0] * (longest - len(row))] for row in values], np.int8),
    )


@lru_cache(maxsize=32)
def catalogue(jokers: Limits, *, counts_middle: bool, long_runs: bool = False) -> Catalogue:
    """Return every set worth looking at with no more than these jokers.

    `counts_middle`: a mirror joker has a worth. `long_runs`: also runs that could be cut in two.
    """
    shapes = [*run_shapes(jokers), *(long_run_shapes(jokers) if long_runs else ())]
    parts = [*map(lay_run, shapes), lay_groups(group_shapes(jokers))]
    for sides in mirror_run_shapes(jokers):
        parts += lay_mirror_runs(sides, counts_middle=counts_middle)
    mirror_groups = mirror_group_shapes(jokers)
    if mirror_groups:
        parts.append(lay_mirror_groups(mirror_groups, counts_middle=counts_middle))
    return _catalogue(_stacked([codes for codes, _ in parts], NOTHING), _stacked([values for _, values in parts], 0))


def _catalogue(codes: Counts, values: Counts) -> Catalogue:
    counts = np.zeros((len(codes), CODES + 1), np.int8)
    for column in codes.T:
        counts[np.arange(len(codes)), column] += 1
    counts = np.ascontiguousarray(counts[:, :CODES])
    needs = np.stack([((counts > alike) * _POWERS).sum(axis=1, dtype=np.uint64) for alike in range(_MOST_ALIKE)])
    return Catalogue(codes=codes, values=values, counts=counts, keys=key_of(counts), needs=needs)


def _stacked(parts: Sequence[Counts], filling: int) -> Counts:
    longest = max(part.shape[1] for part in parts)
    stacked = np.full((sum(map(len, parts)), longest), filling, np.int8)
    begin = 0
    for part in parts:
        stacked[begin : begin + len(part), : part.shape[1]] = part
        begin += len(part)
    return stacked
