"""Integer programmes: choose how many of each column, so that rows keep within bounds and the gain is the most.

HiGHS solves the relaxation, in which a set may be laid by halves; the search for whole numbers is our own. HiGHS's
is made for programmes that take minutes, and spends tens of milliseconds before it begins; ours are small, and need
a few relaxations, each begun where the last one ended (measured in docs/decisions/solver.md).

The search goes depth first. Where a relaxation leaves a fraction, both sides of it are tried: first of a row (is
this tile laid or not?), then of a watched sum (what does a joker stand for?), last of a column. All gains are whole,
so a branch whose relaxation does not reach one more than the best plan is closed; when all are closed, that plan is
proven. A plan may be refused from outside with alternatives that cover all others; these become branches.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import highspy
import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]

WITHOUT_BOUND: Final = float(highspy.kHighsInf)
_OPTIONS: Final = (("output_flag", False), ("presolve", "off"), ("threads", 1))
_FRACTION: Final = 1e-6
_ROUNDING: Final = 1e-4  # far above the error of sums of some hundred thousand, far below one


@dataclass(frozen=True, slots=True, kw_only=True)
class Programme:
    """Maximise gains @ x for whole x >= 0 with lower <= x @ columns <= upper."""

    columns: NDArray[np.int8] | NDArray[np.int16]
    """(columns, rows): what one of a column adds to each row."""
    gains: Whole
    lower: Floats
    upper: Floats
    leanings: Floats
    """What is preferred among plans that gain the same; in any plan they add up to less than one."""
    watched: NDArray[np.int8]
    """(columns, sums): more sums that are whole in every plan, to branch on."""


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
Branch = tuple[tuple[int, float, float], ...]
"""Bounds on HiGHS's columns (their index) and rows (-1 less their index)."""


def maximise(
    programme: Programme, *, deadline: float, refuse: Callable[[Whole], Refusal | None] = lambda _: None
) -> Plan:
    """Return the plan that gains most and is not refused; without a proof if the deadline (monotonic) comes first."""
    if not len(programme.gains):
        return Plan(None, proven=True)
    search = _Search(programme)
    best: Whole | None = None
    most = -np.inf
    waiting: list[tuple[Branch, float]] = [((), np.inf)]
    while waiting:
        if time.monotonic() > deadline:
            return Plan(best, proven=False)
        branch, ceiling = waiting.pop()
        if ceiling <= most:
            continue
        relaxed = search.relax(branch)
        if relaxed is None or relaxed.ceiling <= most:
            continue
        split = search.split(relaxed, branch)
        if not split:
            amounts = np.rint(relaxed.amounts).astype(np.int64)
            refusal = refuse(amounts)
            if refusal is None:
                best, most = amounts, float(programme.gains @ amounts)
                continue
            split = [(*branch, *(search.bound(bound) for bound in bounds)) for bounds in refusal]
        waiting.extend((further, relaxed.ceiling) for further in split)
    return Plan(best, proven=True)


@dataclass(frozen=True, slots=True)
class _Relaxed:
    amounts: Floats
    rows: Floats
    ceiling: float
    """What a whole plan can gain at most."""


class _Search:
    """The relaxation as HiGHS holds it, kept from branch to branch."""

    def __init__(self, programme: Programme) -> None:
        self._programme = programme
        self._bounds: dict[int, tuple[float, float]] = {}
        self._extra: dict[tuple[tuple[int, int], ...], int] = {}
        self._rows = programme.columns.shape[1]
        self._branch: Branch = ()
        library: Any = highspy
        self._highs = library.Highs()
        for option, value in _OPTIONS:
            self._highs.setOptionValue(option, value)
        _pass_model(self._highs, programme)

    def relax(self, branch: Branch) -> _Relaxed | None:
        """Return the best plan that may take columns by halves, or None if there is none."""
        self._enter(branch)
        self._highs.run()
        if self._highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = self._highs.getSolution()
        gain = -self._highs.getInfo().objective_function_value
        rows = np.array(solution.row_value[: self._programme.columns.shape[1]])
        return _Relaxed(np.array(solution.col_value), rows, float(np.floor(gain + _ROUNDING)))

    def split(self, relaxed: _Relaxed, branch: Branch) -> list[Branch]:
        """Return the two sides of a fraction, the one to be tried first last; none if all is whole."""
        if not _fractions(relaxed.amounts).any():
            return []
        target, value = self._fraction(relaxed)
        lower, upper = _tightest(branch).get(target) or self._own_bounds(target)
        below = float(np.floor(value))
        return [(*branch, (target, lower, below)), (*branch, (target, below + 1, upper))]

    def bound(self, bound: Bound) -> tuple[int, float, float]:
        """Return a bound from outside as a bound on a row, added if it is new."""
        row = self._row_of(tuple((column, 1) for column in bound.columns))
        return row, bound.lower, bound.upper

    def _fraction(self, relaxed: _Relaxed) -> tuple[int, float]:
        rows = _fractions(relaxed.rows)
        if rows.any():
            row = int(rows.argmax())
            return -1 - row, float(relaxed.rows[row])
        sums = relaxed.amounts @ self._programme.watched
        watched = _fractions(sums)
        if watched.any():
            place = int(watched.argmax())
            weights = self._programme.watched[:, place]
            taking = np.flatnonzero(weights)
            row = self._row_of(tuple((int(column), int(weights[column])) for column in taking))
            return row, float(sums[place])
        column = int(_fractions(relaxed.amounts).argmax())
        return column, float(relaxed.amounts[column])

    def _row_of(self, weights: tuple[tuple[int, int], ...]) -> int:
        """Return the target that bounds a weighted sum of columns."""
        if weights not in self._extra:
            columns = np.array([column for column, _ in weights], np.int32)
            factors = np.array([factor for _, factor in weights], np.float64)
            self._highs.addRow(-WITHOUT_BOUND, WITHOUT_BOUND, len(columns), columns, factors)
            self._extra[weights] = -1 - self._rows
            self._rows += 1
        return self._extra[weights]

    def _own_bounds(self, target: int) -> tuple[float, float]:
        """Return the bounds a column or row has outside all branches."""
        if target >= 0:
            return 0.0, WITHOUT_BOUND
        row = -1 - target
        if row < len(self._programme.lower):
            return float(self._programme.lower[row]), float(self._programme.upper[row])
        return -WITHOUT_BOUND, WITHOUT_BOUND

    def _enter(self, branch: Branch) -> None:
        """Put the bounds of a branch in the place of those of the last one."""
        before, after = _tightest(self._branch), _tightest(branch)
        for target in before.keys() - after.keys():
            self._change(target, *self._own_bounds(target))
        for target, bounds in after.items():
            if before.get(target) != bounds:
                self._change(target, *bounds)
        self._branch = branch

    def _change(self, target: int, lower: float, upper: float) -> None:
        if target >= 0:
            self._highs.changeColBounds(target, lower, upper)
        else:
            self._highs.changeRowBounds(-1 - target, lower, upper)


def _tightest(branch: Branch) -> dict[int, tuple[float, float]]:
    """Return the bounds in force: of one target the last, for each further one lies within those before it."""
    return {target: (lower, upper) for target, lower, upper in branch}


def _fractions(values: Floats) -> Floats:
    """Return how far each value is from a whole number; what is no more than an error counts as nothing."""
    distances = np.abs(values - np.rint(values))
    distances[distances < _FRACTION] = 0
    return distances


def _pass_model(highs: Any, programme: Programme) -> None:
    """Hand the relaxation to HiGHS, which minimises."""
    count, rows = programme.columns.shape
    columns, index = np.nonzero(programme.columns)
    highs.passModel(
        count,
        rows,
        len(index),
        int(highspy.MatrixFormat.kColwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        -(programme.gains + programme.leanings),
        np.zeros(count),
        np.full(count, WITHOUT_BOUND),
        programme.lower,
        programme.upper,
        np.searchsorted(columns, np.arange(count + 1)).astype(np.int32),
        index.astype(np.int32),
        programme.columns[columns, index].astype(np.float64),
        np.zeros(count, np.int32),
    )
