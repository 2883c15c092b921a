"""The relaxation of an integer programme, in which columns may be taken by halves: HiGHS's simplex, kept warm.

Most columns never matter. So HiGHS begins with a few, and its prices for the rows tell which of the others would
gain; those are handed in until none would.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import highspy
import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
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
_MOST_AT_ONCE: Final = 1000


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
    likely: NDArray[np.bool_]
    """The columns to begin with."""


@dataclass(frozen=True, slots=True)
class Relaxed:
    """The best that can be done by halves."""

    amounts: Floats
    gain: float


class Relaxation:
    """The relaxation as HiGHS holds it, with rows added as branches ask for them."""

    def __init__(self, programme: Programme) -> None:
        """Hand the likely columns to HiGHS."""
        self._matrix: Floats = programme.columns.astype(np.float64)
        self._costs: Floats = -(programme.gains + programme.leanings)  # HiGHS minimises
        self._own = np.stack((programme.lower, programme.upper), axis=1)
        self._added: dict[bytes, int] = {}
        self._bounds: Bounds = {}
        self._inside = np.zeros(0, np.intp)
        library: Any = highspy
        self._highs = library.Highs()
        for option, value in _OPTIONS:
            self._highs.setOptionValue(option, value)
        none = np.zeros(0, np.int32)
        self._highs.addRows(len(self._own), *self._own.T.copy(), 0, np.zeros(len(self._own), np.int32), none, none)
        likely = np.flatnonzero(programme.likely)
        self._hand_in(likely if len(likely) else np.arange(len(programme.gains)))

    def solve(self, bounds: Bounds) -> Relaxed | None:
        """Return the best within the bounds, or None if there is none."""
        self._change_to(bounds)
        while True:
            self._highs.run()
            status = self._highs.getModelStatus()
            outside = self._outside()
            if status == highspy.HighsModelStatus.kOptimal:
                solution = self._highs.getSolution()
                short = self._costs[outside] - self._matrix[outside] @ np.array(solution.row_dual)
                wanted = outside[short < -_GAINFUL]
                if len(wanted) > _MOST_AT_ONCE:
                    wanted = outside[np.argpartition(short, _MOST_AT_ONCE)[:_MOST_AT_ONCE]]
                if not len(wanted):
                    amounts = np.zeros(len(self._costs))
                    amounts[self._inside] = solution.col_value
                    return Relaxed(amounts, -float(self._highs.getInfo().objective_function_value))
            elif len(outside):
                wanted = outside
            else:
                return None
            self._hand_in(wanted)

    def row_of(self, weights: NDArray[np.int8]) -> int:
        """Return the row, added if it is new, that sums the columns by these weights."""
        key = weights.tobytes()
        if key not in self._added:
            factors = weights[self._inside]
            taking = np.flatnonzero(factors).astype(np.int32)
            self._highs.addRow(-WITHOUT_BOUND, WITHOUT_BOUND, len(taking), taking, factors[taking].astype(np.float64))
            self._added[key] = len(self._own)
            self._own = np.vstack((self._own, [-WITHOUT_BOUND, WITHOUT_BOUND]))
            self._matrix = np.column_stack((self._matrix, weights))
        return self._added[key]

    def own_bounds(self, row: int) -> tuple[float, float]:
        """Return the bounds that a row has outside all branches."""
        return float(self._own[row, 0]), float(self._own[row, 1])

    def _outside(self) -> NDArray[np.intp]:
        outside = np.ones(len(self._costs), np.bool_)
        outside[self._inside] = False
        return np.flatnonzero(outside)

    def _hand_in(self, columns: NDArray[np.intp]) -> None:
        entries = self._matrix[columns]
        column, row = np.nonzero(entries)
        count = len(columns)
        self._highs.addCols(
            count,
            self._costs[columns],
            np.zeros(count),
            np.full(count, WITHOUT_BOUND),
            len(row),
            np.searchsorted(column, np.arange(count)).astype(np.int32),
            row.astype(np.int32),
            entries[column, row],
        )
        self._inside = np.concatenate((self._inside, columns))

    def _change_to(self, bounds: Bounds) -> None:
        """Put the bounds of a branch in the place of those of the last one."""
        for row in self._bounds.keys() - bounds.keys():
            self._highs.changeRowBounds(row, *self.own_bounds(row))
        for row, limits in bounds.items():
            if self._bounds.get(row) != limits:
                self._highs.changeRowBounds(row, *limits)
        self._bounds = bounds
