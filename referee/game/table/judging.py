"""Judge every table that a reading allows: only what all of them agree on is a verdict.

Unsure tiles and doubtful row ends allow several tables. A turn is legal if it is legal on all of them, illegal if it
is illegal on all, and otherwise undecided. Two kinds do not count: tables with more of a tile than the box holds, and
beginnings that need more vanished tiles or more changed sets than another.

- A set that is unlikely to have been two may not be left divided.
- Where a reading offers as many layouts as it can, there may be others: before an accusation new rows are divided anew.
- Where a tile may be anything, or there are too many tables to judge, those judged are only examples. Then a turn is
  illegal only for what is wrong whatever those tiles are (see `certainty`). Tiles that lie as they did when the turn
  began are no doubt of this turn.
- Under a hand more may lie than the tiles that lay there before: no turn passes on a person's word of these alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from typing import NamedTuple

from referee.game.table.certainty import ALL_READ, OF_A_SET, Certainty, holds
from referee.game.table.differences import as_laid, new_sets, tiles_moved
from referee.game.table.hypotheses import TableHypotheses
from referee.rules.editions import RuleSet
from referee.rules.judge import judge_turn
from referee.rules.set_reading import MIN_SET_TILES
from referee.rules.table import Table, TileSet
from referee.rules.verdict import Fault, Illegal, Legal, Outcome, Undecided, Verdict, Violation, recast


@dataclass(frozen=True, slots=True)
class TableJudgement:
    """A verdict over all hypotheses, the tables compared, and those still possible."""

    verdict: Verdict
    before: Table
    table: Table
    tables: tuple[Table, ...]
    seen: TableHypotheses


class _Case(NamedTuple):
    """One beginning, one table it may have led to, and the verdict."""

    verdict: Verdict
    start: Table
    table: Table


def _likely_befores(before: Sequence[Table], after: Table) -> tuple[Table, ...]:
    """Keep the beginnings from which the fewest tiles have vanished and the fewest sets have changed."""
    laid = as_laid(after)

    def change(table: Table) -> tuple[int, int, int]:
        vanished, was = (table.counts() - after.counts()).total(), as_laid(table)
        return vanished, (was - laid).total(), (laid - was).total()

    changes = [change(table) for table in before]
    return tuple(table for table, changed in zip(before, changes, strict=True) if changed == min(changes))


def _beginnings(
    before: tuple[Table, ...], after: Table, seen: TableHypotheses, unlikely: frozenset[Table]
) -> Iterable[Table]:
    """Return the beginnings to judge a table against: the nearest, and of the likely ones the nearest."""
    nearest = _likely_befores(before, after)
    likely = tuple(table for table in before if table not in unlikely)
    if after in seen.unlikely or not likely:
        return nearest
    return dict.fromkeys((*_likely_befores(likely, after), *nearest))


def judge_hypotheses(
    before: tuple[Table, ...],
    seen: TableHypotheses,
    *,
    opened: bool,
    rules: RuleSet,
    unlikely: frozenset[Table] = frozenset(),
    began: Certainty = ALL_READ,
) -> TableJudgement:
    """Judge every table; legal or illegal only where all that count agree, and on whether tiles were played.

    `unlikely` are those tables before on which no turn passes, `hardly` of what was seen then, `began` what was certain
    then.
    """
    unlikely = frozenset() if unlikely.issuperset(before) else unlikely
    judged = [
        _as_far_as_read(judge_turn(start, table, opened=opened, rules=rules), start, table, seen, rules)
        for table in seen.tables
        for start in _beginnings(began.beginnings(before, table), table, seen, unlikely)
    ]
    possible = [case for case in judged if not isinstance(case.verdict, Undecided)]
    verdict, start, table = (possible or judged)[0]
    tables = tuple(dict.fromkeys(case.table for case in possible)) or seen.tables
    likely = [case for case in possible if case.start not in unlikely and case.table not in seen.unlikely]
    as_read = seen.complete or began.unread_as(seen.certain)
    if as_read and not seen.certain.covers_more(began) and (legal := _legal_as_laid(likely, seen)):
        return TableJudgement(*legal, tables, seen)
    excuses = _excuses(likely, seen, unlikely)
    if _decides(possible, seen) and not any(map(excuses, possible)):
        laid = [case for case in possible if case.table not in seen.unlikely]
        divided = _divided(laid, seen.whole, opened=opened, rules=rules) if seen.cut_short else []
        blameless = [case.table for case in divided if excuses(case)]
        accused = None if blameless else _common_faults(verdict, [case.verdict for case in (*possible, *divided)])
        if accused := accused and _certain(accused, began, seen):
            return TableJudgement(accused, start, table, tables, seen)
        tables = tuple(dict.fromkeys((*tables, *blameless)))
    return TableJudgement(_undecided(verdict, seen, tables), start, table, tables, seen)


def _as_far_as_read(verdict: Verdict, start: Table, table: Table, seen: TableHypotheses, rules: RuleSet) -> _Case:
    """Judge a table that cannot be only for what was guessed of tiles that were not read by its other faults."""
    if isinstance(verdict, Undecided) and not seen.complete:
        faults = tuple(one for one in verdict.violations if one.fault is not Fault.IMPOSSIBLE_TILES)
        if faults and all(seen.certain.least(tile) <= rules.box.get(tile, 0) for tile in verdict.unsure_of):
            verdict = recast(verdict, Illegal, violations=faults)
    return _Case(_own_faults(verdict, start, table), start, table)


def _certain(verdict: Illegal, began: Certainty, seen: TableHypotheses) -> Illegal | None:
    """Accuse only of what is a fault whatever the tiles are that were not read."""
    if seen.complete and began.whole and not seen.certain.covers_more(began):
        return verdict
    kept = tuple(one for one in verdict.violations if holds(one, _tiles_of(one, verdict), began, seen.certain))
    return replace(verdict, violations=kept) if kept else None


def _divided(cases: Sequence[_Case], whole: frozenset[TileSet], *, opened: bool, rules: RuleSet) -> list[_Case]:
    """Judge what was laid once more, taken for sets pushed together."""
    pairs = dict.fromkeys((start, table) for _, start, one in cases for table in _pushed_together(one, start, whole))
    judged = ((judge_turn(start, table, opened=opened, rules=rules), start, table) for start, table in pairs)
    return [_Case(_own_faults(*case), *case[1:]) for case in judged]


def _pushed_together(table: Table, start: Table, whole: frozenset[TileSet]) -> Iterator[Table]:
    """Yield the table with one or two of the rows that did not lie there at the start divided into two sets each."""
    new = new_sets(start, table)
    ways = {
        place: [(tiles[:cut], tiles[cut:]) for cut in range(MIN_SET_TILES, len(tiles) - MIN_SET_TILES + 1)]
        for place in new
        for tiles in [table.sets[place]]
        if tiles not in whole
    }
    for places in (*combinations(ways, 1), *combinations(ways, 2)):
        for parts in product(*(ways[place] for place in places)):
            pieces = dict(zip(places, parts, strict=True))
            yield Table(tuple(one for place, tiles in enumerate(table.sets) for one in pieces.get(place, (tiles,))))


def _excuses(likely: list[_Case], seen: TableHypotheses, unlikely: frozenset[Table]) -> Callable[[_Case], bool]:
    """Return what tells whether a case speaks against an accusation.

    Any case does that is not illegal, but for one: both tables divided in an unlikely way, so that the same sets lay
    there before and after. Then whole sets were moved. Where fewer tiles than a set holds changed rows, none was.
    """
    sets_stayed = bool(likely) and all(tiles_moved(case.start, case.table) < MIN_SET_TILES for case in likely)

    def excuses(case: _Case) -> bool:
        verdict, start, table = case
        same_sets = isinstance(verdict, Legal) and verdict.outcome is Outcome.NO_PLAY
        hardly = start in unlikely and (table in seen.unlikely or table not in seen.tables)
        return not isinstance(verdict, Illegal) and not (sets_stayed and same_sets and hardly)

    return excuses


def _decides(cases: list[_Case], seen: TableHypotheses) -> bool:
    """Return whether anything is left once the tables that lack a tile which was read are taken away."""
    return any(case.table not in seen.bare for case in cases)


def _legal_as_laid(likely: list[_Case], seen: TableHypotheses) -> _Case | None:
    """Return the likeliest case if all likely ones are legal and agree on whether tiles were played."""
    legal = _decides(likely, seen) and all(isinstance(case.verdict, Legal) for case in likely)
    return likely[0] if legal and len({case.verdict.outcome for case in likely}) == 1 else None


def _own_faults(verdict: Verdict, start: Table, table: Table) -> Verdict:
    """Leave out what is wrong with sets that lay there when the turn began: they stood, and nobody answers for them."""
    if not isinstance(verdict, Illegal):
        return verdict
    new = {None, *new_sets(start, table)}
    own = tuple(one for one in verdict.violations if one.fault not in OF_A_SET or one.set_index in new)
    return replace(verdict, violations=own) if own else recast(verdict, Legal)


def _common_faults(verdict: Verdict, verdicts: list[Verdict]) -> Illegal | None:
    """Accuse only of what is a fault in every case; of nothing where the cases have no fault in common.

    Of several sets those are named that are no sets in any case; what is wrong with others hangs on a doubtful tile.
    """
    if not isinstance(verdict, Illegal):
        return None
    faults = [{_named(one, other) for one in other.violations} for other in verdicts if isinstance(other, Illegal)]
    common = frozenset[Fault].intersection(*(frozenset(fault for fault, _ in names) for names in faults))
    always = set.intersection(*faults)
    kept = tuple(
        violation
        for violation in verdict.violations
        if violation.fault in common
        and (_named(violation, verdict) in always or all(fault is not violation.fault for fault, _ in always))
    )
    return replace(verdict, violations=kept) if kept else None


def _named(violation: Violation, verdict: Verdict) -> tuple[Fault, TileSet]:
    """Return a fault with the set it is of, by which it is known in other cases."""
    return violation.fault, _tiles_of(violation, verdict) or violation.tiles


def _tiles_of(violation: Violation, verdict: Verdict) -> TileSet | None:
    """Return the set a fault is of."""
    return None if violation.set_index is None else verdict.sets[violation.set_index].tiles


def _undecided(verdict: Verdict, seen: TableHypotheses, tables: tuple[Table, ...]) -> Undecided:
    unsure = tuple(doubt.may_be[0] for doubt in seen.doubts if doubt.may_be)
    if isinstance(verdict, Undecided):
        unsure += verdict.unsure_of
    elif not unsure and len(tables) > 1:  # the tiles are sure, the sets are not
        sets = (one for table in tables for one in table.sets if any(one not in other.sets for other in tables))
        unsure = tuple(dict.fromkeys(chain.from_iterable(sets)))
    return recast(verdict, Undecided, unsure_of=unsure, violations=verdict.violations)
