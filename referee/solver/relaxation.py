"""The relaxation of an integer programme, in which columns may be taken by halves: HiGHS's simplex, kept warm.

Most columns never matter. So HiGHS begins with a few, and its prices for the rows tell which of the others would
gain; those are handed in until none would.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import highspy
import numpy as np
from numpy.typing import NDArray

from referee.solver.deadline import OutOfTimeError

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
Small = NDArray[np.int8]
Places = NDArray[np.int16]
Bounds = Mapping[int, tuple[float, float]]
"""The lower and the upper bound of some rows."""

WITHOUT_BOUND: Final = float(highspy.kHighsInf)
_OPTIONS: Final = (
    ("output_flag", False),
    ("presolve", "off"),
    ("solver", "simplex"),
    ("simplex_scale_strategy", 0),  # all entries are small whole numbers
    ("threads", 1),
    ("dual_simplex_cost_perturbation_multiplier", 0.0),  # the leanings break ties already
)
_GAINFUL: Final = 1e-6
_ERROR: Final = 1e-4
_GAP: Final = 0.4  # gains are whole, and leanings add up to less than a half
_INTEGER: Final = np.uint8(1)  # highspy.HighsVarType.kInteger
_MAX_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Programme:
    """Maximise gains @ x for whole x >= 0, where what the x add to each row keeps within lower and upper."""

    places: Places
    """(columns, most): the rows to which a column adds, as often as it adds one; beyond them the number of these."""
    takes: Places
    """(columns, most): likewise the rows from which it takes one; a column that does is likely."""
    sums: NDArray[np.int8] | NDArray[np.int16]
    """(columns, more): more rows, to which most columns add something."""
    gains: Whole
    lower: Floats
    upper: Floats
    leanings: Floats
    """What is preferred among plans that gain the same; in any plan they add up to less than a half."""
    slight: float
    """So much more for every column of a plan adds up to less than a half, too."""
    labels: NDArray[np.int16]
    """(columns, any): how often a label is taken is whole in every plan, too, to branch on; -1: none."""
    likely: NDArray[np.bool_]
    """The columns to begin with."""

    def entries(self, columns: NDArray[np.intp]) -> Whole:
        """Return what some columns add to every row, (columns, rows)."""
        rows = len(self.lower) - self.sums.shape[1] + 1
        begins = np.arange(len(columns))[:, None] * rows
        adds, takes = (
            np.bincount((places[columns] + begins).ravel(), minlength=len(columns) * rows).reshape(len(columns), rows)
            for places in (self.places, self.takes)
        )
        return np.column_stack(((adds - takes)[:, :-1], self.sums[columns]))


@dataclass(frozen=True, slots=True)
class Relaxed:
    """The best that can be done by halves."""

    amounts: Floats
    rows: Floats
    """What is added to each row."""
    gain: float


class _Silent(highspy.Highs):
    """HiGHS, told to be quiet before it prints a word: from 1.16 on a banner is printed where callbacks are set up."""

    def enableCallbacks(self) -> None:  # noqa: N802 - its name
        """Set them up in silence: standard output is for answers."""
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]


class Relaxation:
    """The relaxation as HiGHS holds it, with rows added as branches ask for them."""

    def __init__(self, programme: Programme) -> None:
        """Hand the likely columns to HiGHS."""
        self.programme = programme
        self._costs: Floats = -(programme.gains + programme.leanings)  # HiGHS minimises
        self._own = list(zip(programme.lower.tolist(), programme.upper.tolist(), strict=True))
        self._added: dict[bytes, int] = {}
        self._sums: list[Small] = []
        self._bounds: Bounds = {}
        self._inside = np.zeros(0, np.intp)
        self._outside = np.arange(len(programme.gains))
        self._waits = np.ones(len(programme.gains), np.bool_)
        self._ceilings: Floats = np.full(len(programme.gains), np.inf)
        self._highs = quiet_highs()
        none, count = np.zeros(0, np.int32), len(self._own)
        self._highs.addRows(count, programme.lower, programme.upper, 0, np.zeros(count, np.int32), none, none)
        likely = np.flatnonzero(programme.likely)
        self._hand_in(likely if len(likely) else np.arange(len(programme.gains)))
        self._look_outside()

    def solve(self, bounds: Bounds, *, for_all: bool = False) -> Relaxed | None:
        """Return the best within the bounds, or None if there is none; `for_all`: every plan keeps these bounds."""
        self._change_to(bounds)
        while True:
            self._highs.run()
            if self._highs.getModelStatus() == highspy.HighsModelStatus.kOptimal:
                solution = self._highs.getSolution()
                short = self._costs[self._outside] - self._priced(np.array(solution.row_dual))
                wanted = self._best(short)
                if not len(wanted):
                    amounts = np.zeros(len(self._costs))
                    amounts[self._inside] = solution.col_value
                    gain = -float(self._highs.getInfo().objective_function_value)
                    if for_all:
                        self._lower_ceilings(self._inside, gain - np.array(solution.col_dual))
                        self._lower_ceilings(self._outside, gain - short)
                    return Relaxed(amounts, np.array(solution.row_value), gain)
            else:
                wanted = self._helpful()
                if not len(wanted):
                    return None
            self._hand_in(wanted)

    def leave_out(self, gain: float) -> None:
        """Leave out the columns that no plan takes which gains more."""
        useless = self._ceilings < gain + 1 - _ERROR
        out = np.flatnonzero(useless[self._inside]).astype(np.int32)
        self._highs.changeColsBounds(len(out), out, np.zeros(len(out)), np.zeros(len(out)))
        self._waits[useless] = False
        self._look_outside()

    def highest_ceilings(self, most: int) -> tuple[float, NDArray[np.intp]]:
        """Return the lowest gain that no more than so many columns allow plans to reach, and these columns."""
        highest = np.sort(self._ceilings)[::-1]
        least = float(np.floor(highest[most] + _ERROR)) + 1 if len(highest) > most else -WITHOUT_BOUND
        return least, np.flatnonzero(self._ceilings >= least - _ERROR)

    def whole(self, bounds: Bounds, columns: NDArray[np.intp], least: float, seconds: float) -> Whole | None:
        """Return the best plan of whole amounts of these columns that gains at least so much, or None if there is none.

        HiGHS's own search, which is slow to begin, but cuts off what ours tries in thousands of branches. Raise
        OutOfTimeError if the time does not do.
        """
        programme = self.programme
        highs = quiet_highs()
        for option, value in (("presolve", "on"), ("time_limit", max(seconds, 0.0)), ("mip_abs_gap", _GAP)):
            highs.setOptionValue(option, value)
        rows = [*range(len(programme.lower)), *(row for row in bounds if row >= len(programme.lower))]
        limits = [bounds.get(row) or self._own[row] for row in rows] + [(least, WITHOUT_BOUND)]
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
            raise OutOfTimeError
        amounts = np.zeros(len(self._costs), np.int64)
        amounts[columns] = np.rint(highs.getSolution().col_value)
        return amounts

    def lean(self, leanings: Floats) -> None:
        """Prefer other plans among those that gain the same."""
        self._costs = -(self.programme.gains + leanings)
        inside = np.arange(len(self._inside), dtype=np.int32)
        self._highs.changeColsCost(len(inside), inside, self._costs[self._inside])

    def seek(self, gains: Whole) -> None:
        """Gain by other things from now on, among all plans again; HiGHS goes on from where it stopped."""
        self.programme = replace(self.programme, gains=gains)
        self._ceilings = np.full(len(gains), np.inf)
        self._waits[:] = True
        self._waits[self._inside] = False
        inside = np.arange(len(self._inside), dtype=np.int32)
        self._highs.changeColsBounds(len(inside), inside, np.zeros(len(inside)), np.full(len(inside), WITHOUT_BOUND))
        self.lean(self.programme.leanings)
        self._look_outside()

    def row_of(self, sums: Small) -> int:
        """Return the row, added if it is new, that sums the columns by these weights."""
        key = sums.tobytes()
        if key not in self._added:
            factors = sums[self._inside]
            taking = np.flatnonzero(factors).astype(np.int32)
            self._highs.addRow(-WITHOUT_BOUND, WITHOUT_BOUND, len(taking), taking, factors[taking].astype(np.float64))
            self._added[key] = len(self._own)
            self._own.append((-WITHOUT_BOUND, WITHOUT_BOUND))
            self._sums.append(sums)
        return self._added[key]

    def own_bounds(self, row: int) -> tuple[float, float]:
        """Return the bounds that a row has outside all branches."""
        return self._own[row]

    def _helpful(self) -> NDArray[np.intp]:
        """Return the columns outside that may make rows keep their bounds which those inside cannot; none if none."""
        if not self._waits.any():
            return np.zeros(0, np.intp)
        _, known, ray = self._highs.getDualRay()
        # The ray proves that none of the columns inside help: by it, all of them add nothing or less than nothing.
        return self._best(-self._priced(np.array(ray))) if known else np.flatnonzero(self._waits)

    def _best(self, short: Floats) -> NDArray[np.intp]:
        """Return the columns outside that are short of what they should cost; of very many the best."""
        wanted = np.flatnonzero((short < -_GAINFUL) & self._waits[self._outside])
        if len(wanted) > _MAX_AT_ONCE:
            wanted = wanted[np.argpartition(short[wanted], _MAX_AT_ONCE)[:_MAX_AT_ONCE]]
        return self._outside[wanted]

    def _look_outside(self) -> None:
        """Keep at hand what prices the columns that wait."""
        programme = self.programme
        self._outside = np.flatnonzero(self._waits)
        self._places = programme.places[self._outside].T.astype(np.intp)
        self._own_sums = programme.sums[self._outside].astype(np.float64)

    def _priced(self, prices: Floats) -> Floats:
        """Return what the rows of each column outside are priced at; none of those takes from a row."""
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

    def _hand_in(self, columns: NDArray[np.intp]) -> None:
        entries = np.column_stack((self.programme.entries(columns), *(sums[columns] for sums in self._sums)))
        _add_columns(self._highs, self._costs[columns], entries)
        self._inside = np.concatenate((self._inside, columns))
        self._waits[columns] = False

    def _change_to(self, bounds: Bounds) -> None:
        """Put the bounds of a branch in the place of those of the last one."""
        for row in self._bounds.keys() - bounds.keys():
            self._highs.changeRowBounds(row, *self.own_bounds(row))
        for row, limits in bounds.items():
            if self._bounds.get(row) != limits:
                self._highs.changeRowBounds(row, *limits)
        self._bounds = bounds

    def _lower_ceilings(self, columns: NDArray[np.intp], ceilings: Floats) -> None:
        self._ceilings[columns] = np.minimum(self._ceilings[columns], ceilings)


def quiet_highs() -> Any:
    """Return HiGHS with our options."""
    library: Any = _Silent
    highs = library()
    for option, value in _OPTIONS:
        highs.setOptionValue(option, value)
    return highs


def _add_columns(highs: Any, costs: Floats, entries: Whole) -> None:
    """Add columns with what they add to every row, (columns, rows)."""
    column, row = np.nonzero(entries)
    count = len(costs)
    highs.addCols(
        count,
        costs,
        np.zeros(count),
        np.full(count, WITHOUT_BOUND),
        len(row),
        np.searchsorted(column, np.arange(count)).astype(np.int32),
        row.astype(np.int32),
        entries[column, row].astype(np.float64),
    )
