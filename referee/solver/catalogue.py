"""The catalogue: every set worth looking at, as rows of arrays, and those that some tiles can form.

A row is a set: the codes of its tiles in the order to lay them, and what each counts when the set lies so. Where
special jokers may stand for this or that, each choice is a row. Runs are laid ascending.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.solver.deadline import NO_DEADLINE, Deadline
from referee.solver.laying import (
    CODES,
    FREE,
    NOTHING,
    Counts,
    lay_groups,
    lay_mirror_groups,
    lay_mirror_runs,
    lay_runs,
)
from referee.solver.mirror_shapes import long_mirror_run_shapes, mirror_group_shapes, mirror_run_shapes
from referee.solver.shapes import Limits, group_shapes, long_run_shapes, run_shapes

Whole = NDArray[np.int64]

_MAX_COPIES: Final = 2  # only mirror sets take two of a tile, and none takes more
_POWERS: Final = np.uint64(1) << np.arange(FREE, dtype=np.uint64)
_BITS: Final = np.array([value.bit_count() for value in range(1 << 16)], np.int8)
# Sets are told apart by a number in which every tile has a random weight; 64 bits keep tens of thousands apart.
_WEIGHTS: Final = np.random.default_rng(13).integers(1, 2**63, CODES + 1, dtype=np.int64)
_WEIGHTS[NOTHING] = 0


@dataclass(frozen=True, slots=True)
class Sets:
    """Sets as rows of arrays."""

    codes: Counts
    """(sets, longest): the tiles' codes in the order to lay them, NOTHING beyond the last."""
    values: Counts
    """(sets, longest): what each tile counts."""
    keys: Whole
    """(sets,): a number that only sets of the same tiles share."""

    def take(self, rows: NDArray[np.intp]) -> "Sets":
        """Return only these sets."""
        return Sets(self.codes[rows], self.values[rows], self.keys[rows])

    def joined(self, codes: Sequence[Sequence[int]], values: Sequence[Sequence[int]]) -> "Sets":
        """Return these sets and then others, given as codes and values of any length."""
        more = _stacked([np.array([row], np.int8) for row in codes], NOTHING)
        worth = _stacked([np.array([row], np.int8) for row in values], 0)
        return Sets(
            _stacked([self.codes, more], NOTHING),
            _stacked([self.values, worth], 0),
            np.append(self.keys, key_of(more)),
        )


def key_of(codes: Counts) -> Whole:
    """Return the key of the tiles with these codes; of many sets at once, along the last axis."""
    keys: Whole = _WEIGHTS[codes].sum(axis=-1)
    return keys


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every set that a number of special jokers allows."""

    sets: Sets
    needs: tuple[NDArray[np.uint64], ...]
    """(sets,) each: bit c of the k-th is set if more than k tiles of code c lie in the set."""

    def formable(self, have: Counts, stand_ins: int) -> Sets:
        """Return the sets that the tiles at hand can form, some tiles stood in for; `have`: (FREE,) how many of each.

        More than the stand-ins can fill at once are left out, whether or not they can fill them.
        """
        lacking = np.zeros(len(self.sets.codes), np.int8)
        for alike, need in enumerate(self.needs):
            missing = need & ((have <= alike) * _POWERS).sum(dtype=np.uint64)
            lacking += _BITS[missing.view(np.uint16)].reshape(-1, 4).sum(axis=1, dtype=np.int8)
        return self.sets.take(np.flatnonzero(lacking <= stand_ins))


@lru_cache(maxsize=32)
def catalogue(
    jokers: Limits,
    *,
    counts_middle: bool,
    begins: bool = True,
    spare: int = 0,
    long: bool = False,
    until: Deadline = NO_DEADLINE,
) -> Catalogue:
    """Return every set worth looking at with no more than these special jokers; `spare`, `begins`: see `shapes`.

    `counts_middle`: a mirror joker has a worth. `long`: also sets that could be cut, with few of these jokers. Raise
    OutOfTimeError if the deadline comes first; then nothing is kept but the shapes that are ready.
    """
    runs = run_shapes(jokers, spare, until, begins=begins)
    if long:
        runs += long_run_shapes(jokers, until, begins=begins)
    parts = [lay_runs(runs, until), lay_groups(group_shapes(jokers))]
    if mirror_group_shapes(jokers):
        mirrors = (
            *mirror_run_shapes(jokers, spare, until, begins=begins),
            *(long_mirror_run_shapes(jokers) if long else ()),
        )
        parts.append(lay_mirror_groups(mirror_group_shapes(jokers), counts_middle=counts_middle))
        parts.append(lay_mirror_runs(mirrors, until, counts_middle=counts_middle))
    codes = _stacked([codes for codes, _ in parts], NOTHING)
    values = _stacked([values for _, values in parts], 0)
    keys = key_of(codes)
    order = np.argsort(keys)  # sets of the same tiles side by side
    sets = Sets(codes[order], values[order], keys[order])
    return Catalogue(sets, _needs(sets.codes))


def _needs(codes: Counts) -> tuple[NDArray[np.uint64], ...]:
    needs = [np.zeros(len(codes), np.uint64) for _ in range(_MAX_COPIES)]
    for column in codes.T:
        bit = np.where(column < FREE, np.uint64(1) << column.clip(max=FREE).astype(np.uint64), np.uint64(0))
        again = needs[0] & bit
        needs[1] |= again
        needs[0] |= bit
    return tuple(needs)


def _stacked(parts: Sequence[Counts], filling: int) -> Counts:
    longest = max(part.shape[1] for part in parts)
    stacked = np.full((sum(map(len, parts)), longest), filling, np.int8)
    begin = 0
    for part in parts:
        stacked[begin : begin + len(part), : part.shape[1]] = part
        begin += len(part)
    return stacked
