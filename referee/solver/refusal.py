"""Bounds that exclude a plan which the judge refused or devalued."""

from collections.abc import Sequence

import numpy as np

from referee.rules.editions import RuleSet
from referee.rules.joker_release import joker_violations
from referee.rules.sets import readings
from referee.rules.table import Table, TileSet
from referee.rules.tiles import HIGHEST, NumberTile
from referee.rules.verdict import Fault, Violation
from referee.solver.catalogue import codes_key
from referee.solver.columns import STAND_IN_JOKERS
from referee.solver.laying import DOUBLE, MIRROR, NO_TILE
from referee.solver.placing import rotated_rows
from referee.solver.programme import Bound
from referee.solver.question import PlayProgramme, stand_in_variants
from referee.solver.relaxation import INFINITY, Ints, SmallInts

Alternatives = Sequence[Sequence[Bound]]

_SWAPS = frozenset({Fault.JOKER_FOR_JOKER, Fault.JOKER_NOT_REPLACEABLE})


def alternatives_to_refused(
    question: PlayProgramme, amounts: Ints, after: Table, violations: tuple[Violation, ...], rules: RuleSet
) -> Alternatives:
    """Return the bounds of alternatives to a plan that the judge refused for these violations."""
    for violation in violations:
        if violation.fault in _SWAPS and violation.set_index is not None:
            joker, other = violation.tiles
            laid = after.sets[violation.set_index]
            place = laid.index(other)
            stood = (*laid[:place], joker, *laid[place + 1 :])
            if any(_keeps_jokers(stood, other, rules) for other in rotated_rows(laid, rules)):
                return any_other_plan(amounts)
            return _without_swap(question, amounts, laid, stood, rules) or any_other_plan(amounts)
    return any_other_plan(amounts)


def _keeps_jokers(stood: TileSet, laid: TileSet, rules: RuleSet) -> bool:
    """Return whether no joker of the old set is swapped in this order."""
    return not any(joker_violations(Table((laid,)), (stood,), ((0, laid),), laid, rules))


def _without_swap(
    question: PlayProgramme, amounts: Ints, laid: TileSet, stood: TileSet, rules: RuleSet
) -> Alternatives | None:
    """Return the alternatives: the swapped set is not laid, has the joker, or its old set still stands.

    Or it is part of a longer set with another part that the plan lacks. None if the plan fulfils one of
    the first three already.
    """
    swapped = _columns_of_sets(question, [laid])
    standing = _columns_of_sets(question, stand_in_variants(stood, rules))
    within = np.zeros(len(amounts), np.int8)
    tiles = {tile for tile in laid if isinstance(tile, NumberTile)}
    within[len(amounts) - len(question.stand_ins) :] = [tile in tiles for _, tile in question.stand_ins]
    count = int(swapped @ amounts)
    if not count or any(tile in STAND_IN_JOKERS for tile in laid) or within @ amounts or standing @ amounts:
        return None
    as_many = Bound(swapped, count, INFINITY)
    longer = np.zeros(len(amounts), np.int8)
    longer[: len(question.sets.keys)] = _extending_columns(question, laid, rules)
    longer[amounts > 0] = 0
    one = tuple(Bound(sums, 1, INFINITY) for sums in (within, standing, longer) if sums.any())
    return [[Bound(swapped, 0, count - 1)], *([as_many, bound] for bound in one)]


def _extending_columns(question: PlayProgramme, laid: TileSet, rules: RuleSet) -> SmallInts:
    """Return the columns that might extend this set to a longer one (a superset of those that can)."""
    codes, values = question.sets.codes, question.sets.values.astype(np.int16)
    doubles, mirrors = codes == DOUBLE.code, codes == MIRROR.code
    counts = (codes != NO_TILE) & ~mirrors
    lowest = np.where(counts, np.where(doubles, (values - 1) // 2, values), HIGHEST).min(axis=1)
    highest = np.where(counts, np.where(doubles, (values + 1) // 2, values), 0).max(axis=1)
    beside = mirrors.any(axis=1)
    for reading in readings(laid, rules):
        stood_for = zip(laid, reading.stands_for, strict=True)
        numbers = [number for tile, stand_in in stood_for if tile.code != MIRROR.code for number in stand_in.numbers]
        beside |= (lowest == max(numbers) + 1) | (highest == min(numbers) - 1)
    found: SmallInts = beside.astype(np.int8)
    return found


def _columns_of_sets(question: PlayProgramme, sets: Sequence[TileSet]) -> SmallInts:
    """Return the columns with exactly the tiles of one of these sets."""
    columns = np.zeros(len(question.programme.gains), np.int8)
    for tiles in sets:
        key = codes_key(np.array([tile.code for tile in tiles]))
        columns[: len(question.sets.keys)] |= question.sets.keys == key
    return columns


def any_other_plan(amounts: Ints) -> Alternatives:
    """Return the bounds of all other plans: less of one column and no less of those before it, or all and more."""
    at_least: list[Bound] = []
    others = []
    for column in np.flatnonzero(amounts).tolist():
        alone = np.zeros(len(amounts), np.int8)
        alone[column] = 1
        amount = int(amounts[column])
        others.append([*at_least, Bound(alone, 0, amount - 1)])
        at_least.append(Bound(alone, amount, INFINITY))
    more = Bound(np.ones(len(amounts), np.int8), int(amounts.sum()) + 1, INFINITY)
    return [*others, [*at_least, more]]
