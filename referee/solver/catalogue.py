"""The catalogue: every relevant set as rows of arrays, and the sets that given tiles can form.

A row is a set: the codes of its tiles in laid order, and the value of each tile in it. If
special jokers have several meanings, each one is a row. Runs are laid ascending.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.solver.deadline import NO_DEADLINE, Deadline
from referee.solver.laying import (
    CODE_COUNT,
    FIRST_FREE_CODE,
    NO_TILE,
    Counts,
    lay_groups,
    lay_mirror_groups,
    lay_mirror_runs,
    lay_runs,
)
from referee.solver.mirror_shapes import long_mirror_run_shapes, mirror_group_shapes, mirror_run_shapes
from referee.solver.shapes import JokerLimits, group_shapes, long_run_shapes, run_shapes

Ints = NDArray[np.int64]

_MAX_COPIES_IN_SET: Final = 2  # mirror sets may have two equal tiles; no set has more
_CODE_BITS: Final = np.uint64(1) << np.arange(FIRST_FREE_CODE, dtype=np.uint64)
_BIT_COUNTS: Final = np.array([value.bit_count() for value in range(1 << 16)], np.int8)
# A set's key is the sum of its tiles' random weights; 64 bits distinguish tens of thousands of sets.
_HASH_WEIGHTS: Final = np.random.default_rng(13).integers(1, 2**63, CODE_COUNT + 1, dtype=np.int64)
_HASH_WEIGHTS[NO_TILE] = 0


@dataclass(frozen=True, slots=True)
class SetTable:
    """Sets as rows of arrays."""

    codes: Counts
    """(sets, longest): the tiles' codes in the order to lay them, NOTHING beyond the last."""
    values: Counts
    """(sets, longest): what each tile counts."""
    keys: Ints
    """(sets,): a number that only sets of the same tiles share."""

    def take(self, rows: NDArray[np.intp]) -> "SetTable":
        """Return these rows."""
        return SetTable(self.codes[rows], self.values[rows], self.keys[rows])

    def joined(self, codes: Sequence[Sequence[int]], values: Sequence[Sequence[int]]) -> "SetTable":
        """Return these sets followed by others, given as codes and values of any length."""
        more = _stacked_padded([np.array([row], np.int8) for row in codes], NO_TILE)
        worth = _stacked_padded([np.array([row], np.int8) for row in values], 0)
        return SetTable(
            _stacked_padded([self.codes, more], NO_TILE),
            _stacked_padded([self.values, worth], 0),
            np.append(self.keys, codes_key(more)),
        )


def codes_key(codes: Counts) -> Ints:
    """Return the keys of sets of tile codes, computed along the last axis."""
    keys: Ints = _HASH_WEIGHTS[codes].sum(axis=-1)
    return keys


@dataclass(frozen=True, slots=True)
class SetCatalogue:
    """Every set that a given number of special jokers allows."""

    sets: SetTable
    needs: tuple[NDArray[np.uint64], ...]
    """(sets,) each: bit c of the k-th is set if more than k tiles of code c lie in the set."""

    def formable(self, have: Counts, stand_ins: int) -> SetTable:
        """Return the sets that tiles can form with stand-ins; `have`, shape (FIRST_FREE_CODE,): the count of each tile.

        Sets that lack more tiles than there are stand-ins are left out.
        """
        lacking = np.zeros(len(self.sets.codes), np.int8)
        for alike, need in enumerate(self.needs):
            missing = need & ((have <= alike) * _CODE_BITS).sum(dtype=np.uint64)
            lacking += _BIT_COUNTS[missing.view(np.uint16)].reshape(-1, 4).sum(axis=1, dtype=np.int8)
        return self.sets.take(np.flatnonzero(lacking <= stand_ins))


@lru_cache(maxsize=32)
def set_catalogue(
    jokers: JokerLimits,
    *,
    counts_middle: bool,
    begins: bool = True,
    spare: int = 0,
    long: bool = False,
    until: Deadline = NO_DEADLINE,
) -> SetCatalogue:
    """Return every relevant set with at most these special jokers; `spare`, `begins`: see `shapes`.

    `counts_middle`: a mirror joker has a value. `long`: also divisible sets with few of these jokers. Raise
    DeadlineError if the deadline passes first; then only finished shapes are cached.
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
    codes = _stacked_padded([codes for codes, _ in parts], NO_TILE)
    values = _stacked_padded([values for _, values in parts], 0)
    keys = codes_key(codes)
    order = np.argsort(keys)  # puts sets of equal tiles side by side
    sets = SetTable(codes[order], values[order], keys[order])
    return SetCatalogue(sets, _needs(sets.codes))


def _needs(codes: Counts) -> tuple[NDArray[np.uint64], ...]:
    needs = [np.zeros(len(codes), np.uint64) for _ in range(_MAX_COPIES_IN_SET)]
    for column in codes.T:
        bit = np.where(
            column < FIRST_FREE_CODE, np.uint64(1) << column.clip(max=FIRST_FREE_CODE).astype(np.uint64), np.uint64(0)
        )
        again = needs[0] & bit
        needs[1] |= again
        needs[0] |= bit
    return tuple(needs)


def _stacked_padded(parts: Sequence[Counts], filling: int) -> Counts:
    longest = max(part.shape[1] for part in parts)
    stacked = np.full((sum(map(len, parts)), longest), filling, np.int8)
    begin = 0
    for part in parts:
        stacked[begin : begin + len(part), : part.shape[1]] = part
        begin += len(part)
    return stacked
