"""Integer programmes: choose how many of each column, so that rows keep within bounds and the gain is the most.

HiGHS solves the relaxation; the search for whole numbers is our own. HiGHS's is made for programmes that take
minutes, and spends tens of milliseconds before it begins; ours are small, and need a few relaxations, each begun
where the last one ended (measured in docs/decisions/solver.md).

The search goes depth first. Where a relaxation leaves a fraction, both sides of it are tried: first of a row (is
this tile laid or not?), then of a label (what does a joker stand for?), last of a column. All gains are whole, so a
branch whose relaxation does not reach one more than the best plan is closed; when all are closed, that plan is
proven. A plan is examined from outside, and may turn out to gain less than it said, or to be no plan at all; then
bounds that cover all better plans are given with the answer, and become branches.

Often a plan of halves gains as much as any whole one, and a search that has turned the wrong way tries thousands like
it. So after some branches the search begins anew with other leanings, by which plans that gain the same are told
apart, and is given twice as many.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from referee.solver.deadline import OutOfTimeError
from referee.solver.relaxation import Bounds, Floats, Programme, Relaxation, Relaxed, Small, Whole

_FRACTION: Final = 1e-6
_BRANCHES: Final = 30
_COLUMNS: Final = 600
_MORE: Final = 1.4
_SEED: Final = 5
_ROUNDING: Final = 1e-4  # far above the error of sums of some hundred thousand, far below one


@dataclass(frozen=True, slots=True)
class Bound:
    """Keeps a sum of columns between two numbers."""

    sums: Small
    """(columns,): how often each column counts."""
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class ExaminedPlan:
    """What a plan comes to."""

    gain: float
    """What it gains when all is told; nothing at all: minus infinity."""
    others: Sequence[Sequence[Bound]] = ()
    """Bounds of which every better plan keeps one of these rows of them; not asked for if the gain is what it said."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many of each column to take, None if there is no plan, and whether that is proven to gain the most."""

    amounts: Whole | None
    proven: bool


Examine = Callable[[Whole, int], ExaminedPlan] | None
"""Tells what a plan comes to, given what it says to gain."""


def maximise(
    relaxation: Relaxation,
    *,
    deadline: float,
    examine: Examine = None,
    more_than: float = -np.inf,
    within: Sequence[Bound] = (),
) -> Plan:
    """Return the plan that gains most when examined; without a proof if the deadline (monotonic) comes first.

    `examine` is given the plan and what it gains. Plans that gain no more than `more_than`, or are not `within` all
    these bounds, are not looked for.
    """
    if not len(relaxation.programme.gains):
        return Plan(None, proven=True)
    search = _Search(relaxation, deadline, examine, more_than, within)
    try:
        search.run()
    except OutOfTimeError:
        return Plan(search.best, proven=False)
    return Plan(search.best, proven=True)


class _Search:
    """One search: the best plan so far, and the bounds that every better one keeps."""

    def __init__(
        self, relaxation: Relaxation, deadline: float, examine: Examine, more_than: float, within: Sequence[Bound]
    ) -> None:
        """Begin with no plan."""
        self._programme, self._deadline, self._examine = relaxation.programme, deadline, examine
        self._relaxation = relaxation
        self._root = _bounded(relaxation, within, {})
        self._ceiling = np.inf
        self._most = more_than
        self.best: Whole | None = None

    def run(self) -> None:
        """Search till the best plan is proven; raise OutOfTimeError if the deadline comes first."""
        chance = np.random.default_rng(_SEED)
        programme = self._programme
        branches, columns = _BRANCHES, float(_COLUMNS)
        while not self._dive(branches):
            branches, columns = branches * 2, columns * _MORE
            self._relaxation.lean(programme.leanings + chance.random(len(programme.gains)) * programme.slight)
            relaxed = self._relaxation.solve(self._root, for_all=True)
            if relaxed is None:
                return
            self._ceiling = min(self._ceiling, float(np.floor(relaxed.gain + _ROUNDING)))
            if self._search_top(int(columns)):
                return

    def _dive(self, branches: int) -> bool:
        """Go through so many branches; tell whether they were all."""
        waiting: list[tuple[Bounds, float]] = [(self._root, self._ceiling)]
        while waiting:
            if not branches:
                return False
            branches -= 1
            branch, ceiling = waiting.pop()
            if min(ceiling, self._ceiling) <= self._most:
                continue
            if time.monotonic() > self._deadline:
                raise OutOfTimeError
            relaxed = self._relaxation.solve(branch, for_all=branch is self._root)
            if relaxed is None:
                continue
            ceiling = float(np.floor(relaxed.gain + _ROUNDING))
            if ceiling <= self._most:
                continue
            sides = _sides(self._programme, self._relaxation, relaxed, branch)
            if not sides:
                others = self._examined(np.rint(relaxed.amounts).astype(np.int64))
                sides = [_bounded(self._relaxation, bounds, branch) for bounds in others]
            waiting.extend((side, ceiling) for side in sides)
        return True

    def _search_top(self, columns: int) -> bool:
        """Have HiGHS search among the plans that gain most, of no more than so many columns; tell if that proves it."""
        while True:
            least, allowed = self._relaxation.highest_ceilings(columns)
            least = max(least, self._most + 1)
            if least > self._ceiling:
                return self._ceiling <= self._most
            left = self._deadline - time.monotonic()
            amounts = self._relaxation.whole(self._root, allowed, least, left)
            if amounts is None:
                self._ceiling = least - 1
                return self._ceiling <= self._most
            self._ceiling = float(self._programme.gains @ amounts)
            others = self._examined(amounts)
            if self._ceiling <= self._most:
                return True
            if len(others) != 1:
                return False
            self._root = _bounded(self._relaxation, others[0], self._root)

    def _examined(self, amounts: Whole) -> Sequence[Sequence[Bound]]:
        """Keep a plan if it is the best; return the bounds of better ones where it came to less than it said."""
        gain = int(self._programme.gains @ amounts)
        finding = ExaminedPlan(gain) if self._examine is None else self._examine(amounts, gain)
        if finding.gain > self._most:
            self.best, self._most = amounts, finding.gain
            self._relaxation.leave_out(self._most)
        return finding.others if finding.gain < gain else ()


def _sides(programme: Programme, relaxation: Relaxation, relaxed: Relaxed, branch: Bounds) -> list[Bounds]:
    """Return the two sides of a fraction, the one to be tried first last; none if all is whole."""
    fractions = _fractions(relaxed.amounts)
    if not fractions.any():
        return []
    rows = _fractions(relaxed.rows)
    labels = _labels(programme, relaxed.amounts)
    if rows.any():
        row = int(rows.argmax())
        value = float(relaxed.rows[row])
    elif _fractions(labels).any():
        label = int(_fractions(labels).argmax())
        row = relaxation.row_of((programme.labels == label).sum(axis=1, dtype=np.int8))
        value = float(labels[label])
    else:
        column = int(fractions.argmax())
        alone = np.zeros(len(relaxed.amounts), np.int8)
        alone[column] = 1
        row, value = relaxation.row_of(alone), float(relaxed.amounts[column])
    lower, upper = branch.get(row) or relaxation.own_bounds(row)
    below = float(np.floor(value))
    return [{**branch, row: (lower, below)}, {**branch, row: (below + 1, upper)}]


def _labels(programme: Programme, amounts: Floats) -> Floats:
    """Return how often each label is taken."""
    taken = np.flatnonzero(amounts)
    labels = programme.labels[taken]
    weights = np.broadcast_to(amounts[taken, None], labels.shape)
    sums: Floats = np.bincount(labels[labels >= 0], weights=weights[labels >= 0], minlength=1).astype(np.float64)
    return sums


def _bounded(relaxation: Relaxation, bounds: Sequence[Bound], branch: Bounds) -> Bounds:
    """Return the branch with bounds from outside."""
    narrowed = dict(branch)
    for bound in bounds:
        row = relaxation.row_of(bound.sums)
        lower, upper = narrowed.get(row) or relaxation.own_bounds(row)
        narrowed[row] = (max(lower, bound.lower), min(upper, bound.upper))
    return narrowed


def _fractions(values: Floats) -> Floats:
    """Return how far each value is from a whole number; what is no more than an error counts as nothing."""
    distances = np.abs(values - np.rint(values))
    distances[distances < _FRACTION] = 0
    return distances
