"""What to try instead of a plan that the judge refused: the alternatives that together leave out no other plan."""

from collections import Counter

import numpy as np

from referee.rules.table import Table
from referee.rules.tiles import Tile
from referee.rules.verdict import Fault, Violation
from referee.solver.programme import Bound, Refusal
from referee.solver.question import Question
from referee.solver.relaxation import WITHOUT_BOUND, Whole

_SWAPS = frozenset({Fault.JOKER_FOR_JOKER, Fault.JOKER_NOT_REPLACEABLE})


def alternatives(
    question: Question, amounts: Whole, violations: tuple[Violation, ...], before: Table, after: Table
) -> Refusal:
    """Return the alternatives to a plan that has these faults."""
    for violation in violations:
        if violation.fault in _SWAPS and violation.set_index is not None:
            joker, other = violation.tiles
            return _without_swap(question, before, after.sets[violation.set_index], joker, other)
    return _anything_else(amounts)


def _without_swap(question: Question, before: Table, laid: tuple[Tile, ...], joker: Tile, other: Tile) -> Refusal:
    """Either the set in which the joker was swapped is not laid anew, or the set it was before still stands."""
    stood = Counter(laid)
    stood[other] -= 1
    stood[joker] += 1
    tables = [Counter(tiles) for tiles in before.sets]
    not_laid = Bound(question.columns_of(laid), 0, tables.count(Counter(laid)))
    still_stands = Bound(question.columns_of(stood.elements()), tables.count(+stood), WITHOUT_BOUND)
    return [[not_laid], [still_stands]]


def _anything_else(amounts: Whole) -> Refusal:
    """Less of one column (and at least as much of those before it), or as much of all and more beside."""
    at_least: list[Bound] = []
    branches = []
    for column in map(int, np.flatnonzero(amounts)):
        amount = int(amounts[column])
        branches.append([*at_least, Bound((column,), 0, amount - 1)])
        at_least.append(Bound((column,), amount, WITHOUT_BOUND))
    more = Bound(tuple(range(len(amounts))), int(amounts.sum()) + 1, WITHOUT_BOUND)
    return [*branches, [*at_least, more]]
