"""Judging of all tables that a reading allows: a verdict needs all of them to agree.

Unsure tiles and doubtful row ends allow several tables. A turn is legal if it is legal on all of them, illegal if it is
illegal on all, and undecided otherwise. Two kinds do not count: tables with more copies of a tile than the box holds,
and beginnings that need more vanished tiles or more changed sets than another.

- A set that was hardly two sets before may not be left divided.
- If a reading reaches the maximum of layouts, there may be others: before an accusation, new rows are also divided.
- If a tile is unread, or there are too many tables to judge, those judged are only examples: a turn is illegal only for
  faults that hold whatever those tiles are (see `certainty`). Unread tiles that lie as they did when the turn began
  cast no doubt on this turn.
- A hand may cover more than the tiles that lay there before: people's word on those alone does not let a turn pass.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from typing import NamedTuple

from referee.game.event_parts import Reason
from referee.game.table.certainty import ALL_READ, SET_FAULTS, Certainty, holds_whatever_unread
from referee.game.table.differences import as_laid, new_sets, tiles_moved
from referee.game.table.hypotheses import TableHypotheses
from referee.rules.editions import RuleSet
from referee.rules.judge import judge_turn
from referee.rules.set_reading import MIN_SET_TILES
from referee.rules.table import Table, TileSet
from referee.rules.verdict import Fault, Illegal, Legal, Outcome, Undecided, Verdict, Violation, with_kind


@dataclass(frozen=True, slots=True)
class TableJudgement:
    """A verdict over all hypotheses, the tables compared, and those still possible.

    `unseen`: it is undecided because nobody saw which of two turns laid the tiles.
    """

    verdict: Verdict
    before: Table
    table: Table
    tables: tuple[Table, ...]
    seen: TableHypotheses
    unseen: bool = False

    @property
    def undecided_by(self) -> Reason | None:
        """Why the verdict is undecided; None if it is not."""
        if not isinstance(self.verdict, Undecided):
            return None
        if self.unseen:
            return Reason.UNSEEN
        if self.seen.doubts:
            return Reason.DOUBT
        if self.seen.certain.covered:
            return Reason.HANDS
        impossible = any(violation.fault is Fault.IMPOSSIBLE_TILES for violation in self.verdict.violations)
        return Reason.BOX if impossible else Reason.ROWS


class _Case(NamedTuple):
    """One beginning, one table it may have led to, and the verdict."""

    verdict: Verdict
    start: Table
    table: Table


def _likely_befores(before: Sequence[Table], after: Table) -> tuple[Table, ...]:
    """Return the beginnings with the fewest vanished tiles, then the fewest changed sets."""
    laid = as_laid(after)

    def change(table: Table) -> tuple[int, int, int]:
        vanished, was = (table.counts() - after.counts()).total(), as_laid(table)
        return vanished, (was - laid).total(), (laid - was).total()

    changes = [change(table) for table in before]
    return tuple(table for table, changed in zip(before, changes, strict=True) if changed == min(changes))


def _beginnings(
    before: tuple[Table, ...], after: Table, seen: TableHypotheses, unlikely: frozenset[Table]
) -> Iterable[Table]:
    """Return the beginnings to judge a table against: the nearest of all, and the nearest of the likely ones."""
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

    `unlikely` are the earlier tables that let no turn pass, `began` is what was certain then.
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
        divided = _divided(laid, seen.confirmed_rows, opened=opened, rules=rules) if seen.cut_short else []
        blameless = [case.table for case in divided if excuses(case)]
        accused = None if blameless else _common_faults(verdict, [case.verdict for case in (*possible, *divided)])
        certain = None if accused is None else _certain_faults(accused, began, seen)
        if certain is not None:
            return TableJudgement(certain, start, table, tables, seen)
        tables = tuple(dict.fromkeys((*tables, *blameless)))
    return TableJudgement(_undecided(verdict, seen, tables), start, table, tables, seen)


def either_beginning(early: TableJudgement, late: TableJudgement) -> TableJudgement:
    """Return the judgement of a turn that may have begun with either of two tables; undecided where they disagree."""
    one, other = early.verdict, late.verdict
    if isinstance(one, Undecided) or (type(one) is type(other) and one.outcome is other.outcome):
        return late if type(one) is type(other) else early
    return as_unseen(early)


def as_unseen(judged: TableJudgement) -> TableJudgement:
    """Return the judgement undecided, as nobody saw which of two turns laid what."""
    unsure = tuple((judged.table.counts() - judged.before.counts()).elements())
    verdict = with_kind(judged.verdict, Undecided, doubtful_tiles=unsure, violations=())
    return replace(judged, verdict=verdict, unseen=True)


def _as_far_as_read(verdict: Verdict, start: Table, table: Table, seen: TableHypotheses, rules: RuleSet) -> _Case:
    """Judge a table by its other faults if it is impossible only because of guessed tiles."""
    if isinstance(verdict, Undecided) and not seen.complete:
        faults = tuple(violation for violation in verdict.violations if violation.fault is not Fault.IMPOSSIBLE_TILES)
        if faults and all(seen.certain.min_count(tile) <= rules.box.get(tile, 0) for tile in verdict.doubtful_tiles):
            verdict = with_kind(verdict, Illegal, violations=faults)
    return _Case(_own_faults(verdict, start, table), start, table)


def _certain_faults(verdict: Illegal, began: Certainty, seen: TableHypotheses) -> Illegal | None:
    """Return the verdict with the faults that hold whatever the unread tiles are; None if there are none."""
    if seen.complete and began.all_read and not seen.certain.covers_more(began):
        return verdict
    kept = tuple(
        violation
        for violation in verdict.violations
        if holds_whatever_unread(violation, _tiles_of(violation, verdict), began, seen.certain)
    )
    return replace(verdict, violations=kept) if kept else None


def _divided(cases: Sequence[_Case], whole: frozenset[TileSet], *, opened: bool, rules: RuleSet) -> list[_Case]:
    """Judge each table again with new rows divided, as sets pushed together."""
    pairs = dict.fromkeys(
        (start, table) for _, start, after in cases for table in _pushed_together(after, start, whole)
    )
    judged = ((judge_turn(start, table, opened=opened, rules=rules), start, table) for start, table in pairs)
    return [_Case(_own_faults(*case), *case[1:]) for case in judged]


def _pushed_together(table: Table, start: Table, whole: frozenset[TileSet]) -> Iterator[Table]:
    """Yield the table with one or two of its new rows divided into two sets each."""
    new = new_sets(start, table)
    divisions = {
        place: [(tiles[:cut], tiles[cut:]) for cut in range(MIN_SET_TILES, len(tiles) - MIN_SET_TILES + 1)]
        for place in new
        for tiles in [table.sets[place]]
        if tiles not in whole
    }
    for places in (*combinations(divisions, 1), *combinations(divisions, 2)):
        for parts in product(*(divisions[place] for place in places)):
            pieces = dict(zip(places, parts, strict=True))
            yield Table(tuple(piece for place, tiles in enumerate(table.sets) for piece in pieces.get(place, (tiles,))))


def _excuses(likely: list[_Case], seen: TableHypotheses, unlikely: frozenset[Table]) -> Callable[[_Case], bool]:
    """Return a predicate: whether a case speaks against an accusation.

    Every case that is not illegal does, except one: both tables divided in an unlikely way, so that the same sets lie
    there before and after. That would mean whole sets were moved, and too few tiles changed rows for that.
    """
    sets_stayed = bool(likely) and all(tiles_moved(case.start, case.table) < MIN_SET_TILES for case in likely)

    def excuses(case: _Case) -> bool:
        verdict, start, table = case
        same_sets = isinstance(verdict, Legal) and verdict.outcome is Outcome.NO_PLAY
        hardly = start in unlikely and (table in seen.unlikely or table not in seen.tables)
        return not isinstance(verdict, Illegal) and not (sets_stayed and same_sets and hardly)

    return excuses


def _decides(cases: list[_Case], seen: TableHypotheses) -> bool:
    """Return whether any case remains without the tables that omit a tile that was read."""
    return any(case.table not in seen.omitting for case in cases)


def _legal_as_laid(likely: list[_Case], seen: TableHypotheses) -> _Case | None:
    """Return the likeliest case if all likely ones are legal and agree on the outcome."""
    legal = _decides(likely, seen) and all(isinstance(case.verdict, Legal) for case in likely)
    return likely[0] if legal and len({case.verdict.outcome for case in likely}) == 1 else None


def _own_faults(verdict: Verdict, start: Table, table: Table) -> Verdict:
    """Return the verdict without faults of sets that lay there when the turn began."""
    if not isinstance(verdict, Illegal):
        return verdict
    new = {None, *new_sets(start, table)}
    own = tuple(
        violation for violation in verdict.violations if violation.fault not in SET_FAULTS or violation.set_index in new
    )
    return replace(verdict, violations=own) if own else with_kind(verdict, Legal)


def _common_faults(verdict: Verdict, verdicts: list[Verdict]) -> Illegal | None:
    """Return the verdict with the faults common to all cases; None if there is none.

    Of several faulty sets, those are kept that are faulty in every case; the others depend on a doubtful tile.
    """
    if not isinstance(verdict, Illegal):
        return None
    faults = [
        {_fault_and_set(violation, other) for violation in other.violations}
        for other in verdicts
        if isinstance(other, Illegal)
    ]
    common = frozenset[Fault].intersection(*(frozenset(fault for fault, _ in names) for names in faults))
    always = set.intersection(*faults)
    kept = tuple(
        violation
        for violation in verdict.violations
        if violation.fault in common
        and (_fault_and_set(violation, verdict) in always or all(fault is not violation.fault for fault, _ in always))
    )
    return replace(verdict, violations=kept) if kept else None


def _fault_and_set(violation: Violation, verdict: Verdict) -> tuple[Fault, TileSet]:
    """Return a fault and its set, which identify it across cases."""
    return violation.fault, _tiles_of(violation, verdict) or violation.tiles


def _tiles_of(violation: Violation, verdict: Verdict) -> TileSet | None:
    """Return the set a fault is of."""
    return None if violation.set_index is None else verdict.sets[violation.set_index].tiles


def _undecided(verdict: Verdict, seen: TableHypotheses, tables: tuple[Table, ...]) -> Undecided:
    unsure = tuple(doubt.may_be[0] for doubt in seen.doubts if doubt.may_be)
    if isinstance(verdict, Undecided):
        unsure += verdict.doubtful_tiles
    elif not unsure and len(tables) > 1:  # the tiles are sure, the sets are not
        sets = (
            tile_set
            for table in tables
            for tile_set in table.sets
            if any(tile_set not in other.sets for other in tables)
        )
        unsure = tuple(dict.fromkeys(chain.from_iterable(sets)))
    return with_kind(verdict, Undecided, doubtful_tiles=unsure, violations=verdict.violations)
