"""The LP relaxation of an integer programme, solved by HiGHS's simplex with warm starts and column generation.

Most columns never matter. So HiGHS begins with a few, and the rows' dual prices show which others would
improve the gain; those are added until none would.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import highspy
import numpy as np
from numpy.typing import NDArray

from referee.solver.deadline import DeadlineError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
SmallInts = NDArray[np.int8]
ColumnRows = NDArray[np.int16]
Bounds = Mapping[int, tuple[float, float]]
"""The lower and the upper bound of some rows."""

INFINITY: Final = float(highspy.kHighsInf)
_OPTIONS: Final = (
    ("output_flag", False),
    ("presolve", "off"),
    ("solver", "simplex"),
    ("simplex_scale_strategy", 0),  # all entries are small whole numbers
    ("threads", 1),
    ("dual_simplex_cost_perturbation_multiplier", 0.0),  # our tie-breaks suffice
)
_REDUCED_COST_TOLERANCE: Final = 1e-6
GAIN_TOLERANCE: Final = 1e-4  # far above the error of sums of some hundred thousand, far below one
_MIP_GAP: Final = 0.4  # gains are integers, and tie-breaks sum to less than a half
_INTEGER: Final = np.uint8(1)  # highspy.HighsVarType.kInteger
_MAX_COLUMNS_PER_ROUND: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerProgramme:
    """Maximise gains @ x for integers x >= 0, with each row's sum between lower and upper."""

    places: ColumnRows
    """(columns, most): the rows to which a column adds, as often as it adds one; beyond them the number of these."""
    takes: ColumnRows
    """(columns, most): likewise the rows from which it takes one; a column that does is likely."""
    sums: NDArray[np.int8] | NDArray[np.int16]
    """(columns, more): more rows, to which most columns add something."""
    gains: Ints
    lower: Floats
    upper: Floats
    tie_breaks: Floats
    """What is preferred among plans that gain the same; in any plan they add up to less than a half."""
    tie_break_scale: float
    """So much more for every column of a plan adds up to less than a half, too."""
    labels: NDArray[np.int16]
    """(columns, any): how often a label is taken is whole in every plan, too, to branch on; -1: none."""
    likely: NDArray[np.bool_]
    """The columns to begin with."""

    def entries(self, columns: NDArray[np.intp]) -> Ints:
        """Return the entries of these columns, shape (columns, rows)."""
        rows = len(self.lower) - self.sums.shape[1] + 1
        begins = np.arange(len(columns))[:, None] * rows
        adds, takes = (
            np.bincount((places[columns] + begins).ravel(), minlength=len(columns) * rows).reshape(len(columns), rows)
            for places in (self.places, self.takes)
        )
        return np.column_stack(((adds - takes)[:, :-1], self.sums[columns]))


@dataclass(frozen=True, slots=True)
class RelaxedPlan:
    """The optimum of the relaxation."""

    amounts: Floats
    rows: Floats
    """What is added to each row."""
    gain: float


class _SilentHighs(highspy.Highs):
    """HiGHS without output: from 1.16 on it prints a banner when callbacks are enabled."""

    def enableCallbacks(self) -> None:  # noqa: N802 - its name
        """Enable callbacks without output: standard output is for answers."""
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]


class Relaxation:
    """The relaxation in HiGHS; branches add rows."""

    def __init__(self, programme: IntegerProgramme) -> None:
        """Add the likely columns to HiGHS."""
        self.programme = programme
        self._costs: Floats = -(programme.gains + programme.tie_breaks)  # HiGHS minimises
        self._own = list(zip(programme.lower.tolist(), programme.upper.tolist(), strict=True))
        self._added: dict[bytes, int] = {}
        self._sums: list[SmallInts] = []
        self._bounds: Bounds = {}
        self._inside = np.zeros(0, np.intp)
        self._outside = np.arange(len(programme.gains))
        self._waits = np.ones(len(programme.gains), np.bool_)
        self._ceilings: Floats = np.full(len(programme.gains), np.inf)
        self._highs = quiet_highs()
        none, count = np.zeros(0, np.int32), len(self._own)
        self._highs.addRows(count, programme.lower, programme.upper, 0, np.zeros(count, np.int32), none, none)
        likely = np.flatnonzero(programme.likely)
        self._add_to_model(likely if len(likely) else np.arange(len(programme.gains)))
        self._index_outside()

    def solve(self, bounds: Bounds, *, for_all: bool = False) -> RelaxedPlan | None:
        """Return the optimum within the bounds, None if infeasible; `for_all`: the bounds hold for every plan."""
        self._change_to(bounds)
        while True:
            self._highs.run()
            if self._highs.getModelStatus() == highspy.HighsModelStatus.kOptimal:
                solution = self._highs.getSolution()
                short = self._costs[self._outside] - self._row_prices(np.array(solution.row_dual))
                wanted = self._improving_columns(short)
                if not len(wanted):
                    amounts = np.zeros(len(self._costs))
                    amounts[self._inside] = solution.col_value
                    gain = -float(self._highs.getInfo().objective_function_value)
                    if for_all:
                        self._lower_ceilings(self._inside, gain - np.array(solution.col_dual))
                        self._lower_ceilings(self._outside, gain - short)
                    return RelaxedPlan(amounts, np.array(solution.row_value), gain)
            else:
                wanted = self._feasibility_columns()
                if not len(wanted):
                    return None
            self._add_to_model(wanted)

    def drop_columns(self, gain: float) -> None:
        """Drop the columns that no plan with a higher gain uses."""
        useless = self._ceilings < gain + 1 - GAIN_TOLERANCE
        out = np.flatnonzero(useless[self._inside]).astype(np.int32)
        self._highs.changeColsBounds(len(out), out, np.zeros(len(out)), np.zeros(len(out)))
        self._waits[useless] = False
        self._index_outside()

    def highest_ceilings(self, most: int) -> tuple[float, NDArray[np.intp]]:
        """Return the lowest gain that at most `most` columns can reach, and these columns."""
        highest = np.sort(self._ceilings)[::-1]
        least = float(np.floor(highest[most] + GAIN_TOLERANCE)) + 1 if len(highest) > most else -INFINITY
        return least, np.flatnonzero(self._ceilings >= least - GAIN_TOLERANCE)

    def solve_integer(self, bounds: Bounds, columns: NDArray[np.intp], least: float, seconds: float) -> Ints | None:
        """Return the best integer plan of these columns that gains at least `least`, or None.

        It uses HiGHS's own search, which starts slowly but prunes what ours tries in thousands of branches. Raise
        DeadlineError if the time does not suffice.
        """
        programme = self.programme
        highs = quiet_highs()
        for option, value in (("presolve", "on"), ("time_limit", max(seconds, 0.0)), ("mip_abs_gap", _MIP_GAP)):
            highs.setOptionValue(option, value)
        rows = [*range(len(programme.lower)), *(row for row in bounds if row >= len(programme.lower))]
        limits = [bounds.get(row) or self._own[row] for row in rows] + [(least, INFINITY)]
        lower, upper = np.array(limits).T
        none = np.zeros(0, np.int32)
        highs.addRows(len(limits), lower, upper, 0, np.zeros(len(limits), np.int32), none, none)
        sums = [self._sums[row - len(programme.lower)][columns] for row in rows[len(programme.lower) :]]
        entries = np.column_stack((programme.entries(columns), *sums, programme.gains[columns]))
        _add_columns(highs, self._costs[columns], entries)
        numbers = np.arange(len(columns), dtype=np.int32)
        highs.changeColsIntegrality(len(columns), numbers, np.full(len(columns), _INTEGER))
        highs.run()
        status = highs.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            raise DeadlineError
        amounts = np.zeros(len(self._costs), np.int64)
        amounts[columns] = np.rint(highs.getSolution().col_value)
        return amounts

    def set_tie_breaks(self, leanings: Floats) -> None:
        """Set other tie-breaks between plans of equal gain."""
        self._costs = -(self.programme.gains + leanings)
        inside = np.arange(len(self._inside), dtype=np.int32)
        self._highs.changeColsCost(len(inside), inside, self._costs[self._inside])

    def set_gains(self, gains: Ints) -> None:
        """Set new gains for all plans; HiGHS continues from its last solution."""
        self.programme = replace(self.programme, gains=gains)
        self._ceilings = np.full(len(gains), np.inf)
        self._waits[:] = True
        self._waits[self._inside] = False
        inside = np.arange(len(self._inside), dtype=np.int32)
        self._highs.changeColsBounds(len(inside), inside, np.zeros(len(inside)), np.full(len(inside), INFINITY))
        self.set_tie_breaks(self.programme.tie_breaks)
        self._index_outside()

    def row_of(self, sums: SmallInts) -> int:
        """Return the index of the row that sums the columns with these weights; add it if it is new."""
        key = sums.tobytes()
        if key not in self._added:
            factors = sums[self._inside]
            taking = np.flatnonzero(factors).astype(np.int32)
            self._highs.addRow(-INFINITY, INFINITY, len(taking), taking, factors[taking].astype(np.float64))
            self._added[key] = len(self._own)
            self._own.append((-INFINITY, INFINITY))
            self._sums.append(sums)
        return self._added[key]

    def own_bounds(self, row: int) -> tuple[float, float]:
        """Return a row's bounds outside all branches."""
        return self._own[row]

    def _feasibility_columns(self) -> NDArray[np.intp]:
        """Return the outside columns that may restore feasibility; empty if none can."""
        if not self._waits.any():
            return np.zeros(0, np.intp)
        _, known, ray = self._highs.getDualRay()
        # The dual ray proves that the inside columns cannot help: each contributes at most 0 to it.
        return self._improving_columns(-self._row_prices(np.array(ray))) if known else np.flatnonzero(self._waits)

    def _improving_columns(self, short: Floats) -> NDArray[np.intp]:
        """Return the outside columns with negative reduced cost; only the best if they are many."""
        wanted = np.flatnonzero((short < -_REDUCED_COST_TOLERANCE) & self._waits[self._outside])
        if len(wanted) > _MAX_COLUMNS_PER_ROUND:
            wanted = wanted[np.argpartition(short[wanted], _MAX_COLUMNS_PER_ROUND)[:_MAX_COLUMNS_PER_ROUND]]
        return self._outside[wanted]

    def _index_outside(self) -> None:
        """Index the outside columns for pricing."""
        programme = self.programme
        self._outside = np.flatnonzero(self._waits)
        self._places = programme.places[self._outside].T.astype(np.intp)
        self._own_sums = programme.sums[self._outside].astype(np.float64)

    def _row_prices(self, prices: Floats) -> Floats:
        """Return the dual price of each outside column's rows; none of them has negative entries."""
        own = len(prices) - len(self._sums)
        placed = own - self._own_sums.shape[1]
        padded = np.append(prices[:placed], 0.0)
        priced: Floats = self._own_sums @ prices[placed:own]
        for places in self._places:
            priced += padded[places]
        for price, sums in zip(prices[own:].tolist(), self._sums, strict=True):
            if price:
                priced += price * sums[self._outside]
        return priced

    def _add_to_model(self, columns: NDArray[np.intp]) -> None:
        entries = np.column_stack((self.programme.entries(columns), *(sums[columns] for sums in self._sums)))
        _add_columns(self._highs, self._costs[columns], entries)
        self._inside = np.concatenate((self._inside, columns))
        self._waits[columns] = False

    def _change_to(self, bounds: Bounds) -> None:
        """Replace the bounds of the last branch with those of this one."""
        for row in self._bounds.keys() - bounds.keys():
            self._highs.changeRowBounds(row, *self.own_bounds(row))
        for row, limits in bounds.items():
            if self._bounds.get(row) != limits:
                self._highs.changeRowBounds(row, *limits)
        self._bounds = bounds

    def _lower_ceilings(self, columns: NDArray[np.intp], ceilings: Floats) -> None:
        self._ceilings[columns] = np.minimum(self._ceilings[columns], ceilings)


def quiet_highs() -> Any:
    """Return a HiGHS instance with our options."""
    library: Any = _SilentHighs
    highs = library()
    for option, value in _OPTIONS:
        highs.setOptionValue(option, value)
    return highs


def _add_columns(highs: Any, costs: Floats, entries: Ints) -> None:
    """Add columns with these entries, shape (columns, rows)."""
    column, row = np.nonzero(entries)
    count = len(costs)
    highs.addCols(
        count,
        costs,
        np.zeros(count),
        np.full(count, INFINITY),
        len(row),
        np.searchsorted(column, np.arange(count)).astype(np.int32),
        row.astype(np.int32),
        entries[column, row].astype(np.float64),
    )
