"""Integer programmes: choose the amount of each column to maximise the gain within the rows' bounds.

HiGHS solves the relaxation; the branch and bound is our own. HiGHS's own is made for programmes that take
minutes and spends tens of milliseconds on its start; ours are small and need a few relaxations, each
started from the last solution (measured in docs/decisions/solver.md).

The search is depth first. A fraction in the relaxation gives two branches: first of a row (is
this tile played or not?), then of a label (what does a joker stand for?), last of a column. Gains are integers, so a
branch whose relaxation does not reach one more than the best plan is closed; when all are closed, that plan is
proven. The caller examines each plan, which may gain less than computed or be impossible; then
the caller returns bounds that cover all better plans, and they become branches.

Often a fractional plan gains as much as any integer plan, and a search on a wrong path tries thousands like
it. So after some branches the search restarts with other tie-breaks between plans of equal gain
and with twice as many branches.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from referee.solver.deadline import DeadlineError
from referee.solver.relaxation import (
    GAIN_TOLERANCE,
    Bounds,
    Floats,
    IntegerProgramme,
    Ints,
    Relaxation,
    RelaxedPlan,
    SmallInts,
)

_INTEGRALITY_TOLERANCE: Final = 1e-6
_FIRST_BRANCHES: Final = 30
_FIRST_COLUMNS: Final = 600
_COLUMN_GROWTH: Final = 1.4
_TIE_BREAK_SEED: Final = 5


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower and an upper bound of a weighted sum of columns."""

    sums: SmallInts
    """(columns,): how often each column counts."""
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class ExaminedPlan:
    """The result of examining a plan."""

    gain: float
    """Its actual gain; minus infinity if it cannot be laid."""
    alternatives: Sequence[Sequence[Bound]] = ()
    """Every better plan satisfies one of these rows of bounds. Unused if the gain is as predicted."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The amount of each column, None without a plan, and whether its gain is proven maximal."""

    amounts: Ints | None
    proven: bool


Examine = Callable[[Ints, int], ExaminedPlan] | None
"""Tells what a plan comes to, given what it says to gain."""


def maximise(
    relaxation: Relaxation,
    *,
    deadline: float,
    examine: Examine = None,
    must_exceed: float = -np.inf,
    within: Sequence[Bound] = (),
) -> Plan:
    """Return the plan with the highest examined gain; unproven if the deadline (monotonic seconds) passes first.

    `examine` gets a plan and its gain. Plans that gain no more than `must_exceed`, or are not `within` all
    these bounds, are ignored.
    """
    if not len(relaxation.programme.gains):
        return Plan(None, proven=True)
    search = _BranchAndBound(relaxation, deadline, examine, must_exceed, within)
    try:
        search.run()
    except DeadlineError:
        return Plan(search.best, proven=False)
    return Plan(search.best, proven=True)


class _BranchAndBound:
    """One branch-and-bound search with its best plan so far."""

    def __init__(
        self, relaxation: Relaxation, deadline: float, examine: Examine, more_than: float, within: Sequence[Bound]
    ) -> None:
        """Begin with no plan."""
        self._programme, self._deadline, self._examine = relaxation.programme, deadline, examine
        self._relaxation = relaxation
        self._root = _with_bounds(relaxation, within, {})
        self._ceiling = np.inf
        self._most = more_than
        self.best: Ints | None = None

    def run(self) -> None:
        """Search until the best plan is proven; raise DeadlineError after the deadline."""
        chance = np.random.default_rng(_TIE_BREAK_SEED)
        programme = self._programme
        branches, columns = _FIRST_BRANCHES, float(_FIRST_COLUMNS)
        while not self._dive(branches):
            branches, columns = branches * 2, columns * _COLUMN_GROWTH
            self._relaxation.set_tie_breaks(
                programme.tie_breaks + chance.random(len(programme.gains)) * programme.tie_break_scale
            )
            relaxed = self._relaxation.solve(self._root, for_all=True)
            if relaxed is None:
                return
            self._ceiling = min(self._ceiling, float(np.floor(relaxed.gain + GAIN_TOLERANCE)))
            if self._search_top(int(columns)):
                return

    def _dive(self, branches: int) -> bool:
        """Search up to `branches` branches; return whether the search is complete."""
        waiting: list[tuple[Bounds, float]] = [(self._root, self._ceiling)]
        while waiting:
            if not branches:
                return False
            branches -= 1
            branch, ceiling = waiting.pop()
            if min(ceiling, self._ceiling) <= self._most:
                continue
            if time.monotonic() > self._deadline:
                raise DeadlineError
            relaxed = self._relaxation.solve(branch, for_all=branch is self._root)
            if relaxed is None:
                continue
            ceiling = float(np.floor(relaxed.gain + GAIN_TOLERANCE))
            if ceiling <= self._most:
                continue
            sides = _branches_of(self._programme, self._relaxation, relaxed, branch)
            if not sides:
                others = self._examined(np.rint(relaxed.amounts).astype(np.int64))
                sides = [_with_bounds(self._relaxation, bounds, branch) for bounds in others]
            waiting.extend((side, ceiling) for side in sides)
        return True

    def _search_top(self, columns: int) -> bool:
        """Let HiGHS search the most promising columns, at most `columns`; return whether that proves the best plan."""
        while True:
            least, allowed = self._relaxation.highest_ceilings(columns)
            least = max(least, self._most + 1)
            if least > self._ceiling:
                return self._ceiling <= self._most
            left = self._deadline - time.monotonic()
            amounts = self._relaxation.solve_integer(self._root, allowed, least, left)
            if amounts is None:
                self._ceiling = least - 1
                return self._ceiling <= self._most
            self._ceiling = float(self._programme.gains @ amounts)
            others = self._examined(amounts)
            if self._ceiling <= self._most:
                return True
            if len(others) != 1:
                return False
            self._root = _with_bounds(self._relaxation, others[0], self._root)

    def _examined(self, amounts: Ints) -> Sequence[Sequence[Bound]]:
        """Keep a plan if it is the best; return the bounds of better plans if it gained less than computed."""
        gain = int(self._programme.gains @ amounts)
        finding = ExaminedPlan(gain) if self._examine is None else self._examine(amounts, gain)
        if finding.gain > self._most:
            self.best, self._most = amounts, finding.gain
            self._relaxation.drop_columns(self._most)
        return finding.alternatives if finding.gain < gain else ()


def _branches_of(
    programme: IntegerProgramme, relaxation: Relaxation, relaxed: RelaxedPlan, branch: Bounds
) -> list[Bounds]:
    """Return the two branches of a fraction, the first to try last; empty if the plan is integral."""
    fractions = _fractions(relaxed.amounts)
    if not fractions.any():
        return []
    rows = _fractions(relaxed.rows)
    labels = _label_amounts(programme, relaxed.amounts)
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


def _label_amounts(programme: IntegerProgramme, amounts: Floats) -> Floats:
    """Return the amount of each label."""
    taken = np.flatnonzero(amounts)
    labels = programme.labels[taken]
    weights = np.broadcast_to(amounts[taken, None], labels.shape)
    sums: Floats = np.bincount(labels[labels >= 0], weights=weights[labels >= 0], minlength=1).astype(np.float64)
    return sums


def _with_bounds(relaxation: Relaxation, bounds: Sequence[Bound], branch: Bounds) -> Bounds:
    """Return the branch with additional bounds."""
    narrowed = dict(branch)
    for bound in bounds:
        row = relaxation.row_of(bound.sums)
        lower, upper = narrowed.get(row) or relaxation.own_bounds(row)
        narrowed[row] = (max(lower, bound.lower), min(upper, bound.upper))
    return narrowed


def _fractions(values: Floats) -> Floats:
    """Return each value's distance from the nearest integer; rounding errors give 0."""
    distances = np.abs(values - np.rint(values))
    distances[distances < _INTEGRALITY_TOLERANCE] = 0
    return distances
