"""Bounds to add after a plan that came to less than it promised."""

from collections.abc import Sequence

import numpy as np

from referee.rules.editions import RuleSet
from referee.rules.joker_release import joker_violations
from referee.rules.sets import readings
from referee.rules.table import Table, TileSet
from referee.rules.tiles import HIGHEST, Joker, JokerKind, NumberTile
from referee.rules.verdict import Fault, Violation
from referee.solver.catalogue import key_of
from referee.solver.columns import STAND_INS
from referee.solver.laying import NOTHING
from referee.solver.placing import laid_otherwise
from referee.solver.programme import Bound
from referee.solver.question import Question, stood_in
from referee.solver.relaxation import WITHOUT_BOUND, Small, Whole

Others = Sequence[Sequence[Bound]]

_DOUBLE = Joker(JokerKind.DOUBLE).code
_MIRROR = Joker(JokerKind.MIRROR).code
_SWAPS = frozenset({Fault.JOKER_FOR_JOKER, Fault.JOKER_NOT_REPLACEABLE})


def instead_of(
    question: Question, amounts: Whole, after: Table, violations: tuple[Violation, ...], rules: RuleSet
) -> Others:
    """Return the bounds for a plan that the judge refused for these faults."""
    for violation in violations:
        if violation.fault in _SWAPS and violation.set_index is not None:
            joker, other = violation.tiles
            laid = after.sets[violation.set_index]
            place = laid.index(other)
            stood = (*laid[:place], joker, *laid[place + 1 :])
            if any(_stands_otherwise(stood, other, rules) for other in laid_otherwise(laid, rules)):
                return anything_else(amounts)
            return _without_swap(question, amounts, laid, stood, rules) or anything_else(amounts)
    return anything_else(amounts)


def _stands_otherwise(stood: TileSet, laid: TileSet, rules: RuleSet) -> bool:
    """Return whether no joker of the set as it stood was swapped if it is laid so."""
    return not any(joker_violations(Table((laid,)), (stood,), ((0, laid),), laid, rules))


def _without_swap(question: Question, amounts: Whole, laid: TileSet, stood: TileSet, rules: RuleSet) -> Others | None:
    """Require that the swapped set is not laid, has a joker in it, or that its old set still stands.

    Or it lies in a longer set, and another part of that is laid which is not in the plan. None if the plan has one of
    the first three already.
    """
    swapped = _columns(question, [laid])
    standing = _columns(question, stood_in(stood, rules))
    within = np.zeros(len(amounts), np.int8)
    tiles = {tile for tile in laid if isinstance(tile, NumberTile)}
    within[len(amounts) - len(question.stand_ins) :] = [tile in tiles for _, tile in question.stand_ins]
    count = int(swapped @ amounts)
    if not count or any(tile in STAND_INS for tile in laid) or within @ amounts or standing @ amounts:
        return None
    as_many = Bound(swapped, count, WITHOUT_BOUND)
    longer = np.zeros(len(amounts), np.int8)
    longer[: len(question.sets.keys)] = _beside(question, laid, rules)
    longer[amounts > 0] = 0
    one = tuple(Bound(sums, 1, WITHOUT_BOUND) for sums in (within, standing, longer) if sums.any())
    return [[Bound(swapped, 0, count - 1)], *([as_many, bound] for bound in one)]


def _beside(question: Question, laid: TileSet, rules: RuleSet) -> Small:
    """Return the columns that could make a longer set with this one, and some that could not."""
    codes, values = question.sets.codes, question.sets.values.astype(np.int16)
    doubles, mirrors = codes == _DOUBLE, codes == _MIRROR
    counts = (codes != NOTHING) & ~mirrors
    lowest = np.where(counts, np.where(doubles, (values - 1) // 2, values), HIGHEST).min(axis=1)
    highest = np.where(counts, np.where(doubles, (values + 1) // 2, values), 0).max(axis=1)
    beside = mirrors.any(axis=1)
    for reading in readings(laid, rules):
        stood_for = zip(laid, reading.stands_for, strict=True)
        numbers = [number for tile, stand_in in stood_for if tile.code != _MIRROR for number in stand_in.numbers]
        beside |= (lowest == max(numbers) + 1) | (highest == min(numbers) - 1)
    found: Small = beside.astype(np.int8)
    return found


def _columns(question: Question, sets: Sequence[TileSet]) -> Small:
    """Return which columns lay just the tiles of one of these sets."""
    columns = np.zeros(len(question.programme.gains), np.int8)
    for tiles in sets:
        key = key_of(np.array([tile.code for tile in tiles]))
        columns[: len(question.sets.keys)] |= question.sets.keys == key
    return columns


def anything_else(amounts: Whole) -> Others:
    """Less of one column (and at least as much of those before it), or as much of all and more beside."""
    at_least: list[Bound] = []
    others = []
    for column in np.flatnonzero(amounts).tolist():
        alone = np.zeros(len(amounts), np.int8)
        alone[column] = 1
        amount = int(amounts[column])
        others.append([*at_least, Bound(alone, 0, amount - 1)])
        at_least.append(Bound(alone, amount, WITHOUT_BOUND))
    more = Bound(np.ones(len(amounts), np.int8), int(amounts.sum()) + 1, WITHOUT_BOUND)
    return [*others, [*at_least, more]]
