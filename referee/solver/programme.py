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

from referee.solver.relaxation import Bounds, Floats, Programme, Relaxation, Relaxed, Small, Whole

_FRACTION: Final = 1e-6
_BRANCHES: Final = 30
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
class Finding:
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


def maximise(programme: Programme, *, deadline: float, examine: Callable[[Whole, int], Finding] | None = None) -> Plan:
    """Return the plan that gains most when examined; without a proof if the deadline (monotonic) comes first.

    `examine` is given the plan and what it gains.
    """
    if not len(programme.gains):
        return Plan(None, proven=True)
    relaxation = Relaxation(programme)
    chance = np.random.default_rng(_SEED)
    best: Whole | None = None
    most = -np.inf
    root: list[tuple[Bounds, float]] = [({}, np.inf)]
    waiting, left, budget = list(root), _BRANCHES, _BRANCHES
    while waiting:
        if time.monotonic() > deadline:
            return Plan(best, proven=False)
        if not left:
            budget *= 2
            waiting, left = list(root), budget
            relaxation.lean(programme.leanings + chance.random(len(programme.gains)) * programme.slight)
        left -= 1
        branch, ceiling = waiting.pop()
        relaxed = relaxation.solve(branch) if ceiling > most else None
        if relaxed is None:
            continue
        ceiling = float(np.floor(relaxed.gain + _ROUNDING))
        if ceiling <= most:
            continue
        sides = _sides(programme, relaxation, relaxed, branch)
        if not sides:
            amounts = np.rint(relaxed.amounts).astype(np.int64)
            gain = int(programme.gains @ amounts)
            finding = Finding(gain) if examine is None else examine(amounts, gain)
            if finding.gain > most:
                best, most = amounts, finding.gain
            if finding.gain < gain:
                sides = [_bounded(relaxation, bounds, branch) for bounds in finding.others]
        waiting.extend((side, ceiling) for side in sides)
    return Plan(best, proven=True)


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
