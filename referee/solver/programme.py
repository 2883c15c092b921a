"""Integer programmes: choose how many of each column, so that rows keep within bounds and the gain is the most.

HiGHS solves the relaxation; the search for whole numbers is our own. HiGHS's is made for programmes that take
minutes, and spends tens of milliseconds before it begins; ours are small, and need a few relaxations, each begun
where the last one ended (measured in docs/decisions/solver.md).

The search goes depth first. Where a relaxation leaves a fraction, both sides of it are tried: first of a row (is
this tile laid or not?), then of a watched sum (what does a joker stand for?), last of a column. All gains are whole,
so a branch whose relaxation does not reach one more than the best plan is closed; when all are closed, that plan is
proven. A plan may be refused from outside with alternatives that cover all others; these become branches.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from referee.solver.relaxation import Bounds, Floats, Programme, Relaxation, Whole

_FRACTION: Final = 1e-6
_ROUNDING: Final = 1e-4  # far above the error of sums of some hundred thousand, far below one


@dataclass(frozen=True, slots=True)
class Bound:
    """Keeps a sum, in which each of these columns counts once, between two numbers."""

    columns: tuple[int, ...]
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Plan:
    """How many of each column to take, None if there is no plan, and whether that is proven to gain the most."""

    amounts: Whole | None
    proven: bool


Refusal = Sequence[Sequence[Bound]]


def maximise(
    programme: Programme, *, deadline: float, refuse: Callable[[Whole], Refusal | None] = lambda _: None
) -> Plan:
    """Return the plan that gains most and is not refused; without a proof if the deadline (monotonic) comes first."""
    if not len(programme.gains):
        return Plan(None, proven=True)
    relaxation = Relaxation(programme)
    best: Whole | None = None
    most = -np.inf
    waiting: list[tuple[Bounds, float]] = [({}, np.inf)]
    while waiting:
        if time.monotonic() > deadline:
            return Plan(best, proven=False)
        branch, ceiling = waiting.pop()
        relaxed = relaxation.solve(branch) if ceiling > most else None
        if relaxed is None:
            continue
        ceiling = float(np.floor(relaxed.gain + _ROUNDING))
        if ceiling <= most:
            continue
        sides = _sides(programme, relaxation, relaxed.amounts, branch)
        if not sides:
            amounts = np.rint(relaxed.amounts).astype(np.int64)
            refusal = refuse(amounts)
            if refusal is None:
                best, most = amounts, float(programme.gains @ amounts)
                continue
            sides = [_bounded(relaxation, bounds, branch, len(amounts)) for bounds in refusal]
        waiting.extend((side, ceiling) for side in sides)
    return Plan(best, proven=True)


def _sides(programme: Programme, relaxation: Relaxation, amounts: Floats, branch: Bounds) -> list[Bounds]:
    """Return the two sides of a fraction, the one to be tried first last; none if all is whole."""
    fractions = _fractions(amounts)
    if not fractions.any():
        return []
    rows, sums = amounts @ programme.columns, amounts @ programme.watched
    if _fractions(rows).any():
        row = int(_fractions(rows).argmax())
        value = float(rows[row])
    elif _fractions(sums).any():
        place = int(_fractions(sums).argmax())
        row, value = relaxation.row_of(programme.watched[:, place]), float(sums[place])
    else:
        column = int(fractions.argmax())
        alone = np.zeros(len(amounts), np.int8)
        alone[column] = 1
        row, value = relaxation.row_of(alone), float(amounts[column])
    lower, upper = branch.get(row) or relaxation.own_bounds(row)
    below = float(np.floor(value))
    return [{**branch, row: (lower, below)}, {**branch, row: (below + 1, upper)}]


def _bounded(relaxation: Relaxation, bounds: Sequence[Bound], branch: Bounds, columns: int) -> Bounds:
    """Return the branch with bounds from outside."""
    narrowed = dict(branch)
    for bound in bounds:
        weights = np.zeros(columns, np.int8)
        weights[list(bound.columns)] = 1
        row = relaxation.row_of(weights)
        lower, upper = narrowed.get(row) or relaxation.own_bounds(row)
        narrowed[row] = (max(lower, bound.lower), min(upper, bound.upper))
    return narrowed


def _fractions(values: Floats) -> Floats:
    """Return how far each value is from a whole number; what is no more than an error counts as nothing."""
    distances = np.abs(values - np.rint(values))
    distances[distances < _FRACTION] = 0
    return distances
