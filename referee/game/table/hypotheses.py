"""Judge every table that a reading allows: only what all of them agree on is a verdict.

Unsure tiles and doubtful row ends allow several tables. A turn is legal if it is legal on all of them, illegal if it
is illegal on all, and otherwise undecided. Two kinds do not count: tables with more of a tile than the box holds, and
beginnings that need more vanished tiles or more changed sets than another.

- `bare`: a table without something that was read as a tile. It speaks against both verdicts and decides nothing alone.
- `unlikely`: a table that only an unlikely layout gives, such as a tight row taken for two sets, or one without an
  unsure tile that lies alone, however surely it is some tile. It speaks against an accusation, not against a pass. A
  set that is unlikely to have been two may not be left divided.
- Where a reading offers as many layouts as it can, there may be others: before an accusation new rows are divided anew.
- A face-down tile in a set may be any tile, so its set is in doubt. Outside every set it changes nothing.
- Where a tile may be anything, or there are too many tables to judge, those judged are only examples. Then a turn is
  illegal only for what is wrong whatever those tiles are (see `certainty`). Tiles that lie as they did when the turn
  began are no doubt of this turn.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, groupby, islice, product
from math import prod
from typing import NamedTuple

from referee.game.corrections.adjacency import Joint, rows_said
from referee.game.event_parts import Doubt
from referee.game.table.certainty import ALL_READ, OF_A_SET, Certainty, certainty, holds
from referee.game.table.differences import as_laid, new_sets, tiles_moved
from referee.game.table.tile_position import where
from referee.reading.observation import Layout, TableReading, TileReading
from referee.reading.rows import MAX_LAYOUTS, rows_with_backs
from referee.rules.editions import RuleSet
from referee.rules.judge import judge_turn
from referee.rules.set_reading import FEWEST_TILES
from referee.rules.table import Table, TileSet
from referee.rules.tiles import Tile
from referee.rules.verdict import Fault, Illegal, Legal, Outcome, Undecided, Verdict, Violation, recast

PLAUSIBLE = 0.02  # an unsure tile may be any alternative the reader gives at least this much
UNLIKELY = 0.05  # a layout scored below: possible, but not how the tiles lie
MAX_TABLES = 24  # where doubts allow more, the referee asks


@dataclass(frozen=True, slots=True)
class TableHypotheses:
    """The tables a reading allows, likeliest first; not `complete` where there are too many or a tile is unknown.

    `unlikely` are those that hardly lie there, `bare` those in which something read as a tile is none;
    `cut_short` where there may be other layouts; `whole` are rows of which people said that each is one; `certain` is
    what holds in them all, complete or not.
    """

    tables: tuple[Table, ...]
    doubts: tuple[Doubt, ...] = ()
    complete: bool = True
    frame_id: str = ""
    unlikely: frozenset[Table] = frozenset()
    bare: frozenset[Table] = frozenset()
    cut_short: bool = False
    whole: frozenset[TileSet] = field(default=frozenset(), compare=False)
    certain: Certainty = field(default=Certainty(), compare=False)
    frame_at: float = 0.0

    @property
    def hardly(self) -> frozenset[Table]:
        """Those on which no turn passes, though they keep anybody from being accused."""
        return self.unlikely | self.bare

    @property
    def best(self) -> Table:
        """The likeliest."""
        return self.tables[0]


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict over all that was seen, the tables it compared, and those that stay possible."""

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


def may_be(tile: TileReading) -> tuple[Tile | None, ...]:
    """Give what a tile may be, likeliest first; None: no face lies there."""
    if not tile.unsure or tile.tile is None:  # what looks most like a back is no face that anybody laid
        return (tile.tile,)
    others = (other for other, chance in tile.alternatives if chance >= PLAUSIBLE and other != tile.tile)
    nothing = (None,) if tile.bare >= PLAUSIBLE or tile.hidden else ()  # under what hides it it may be gone
    return (tile.tile, *others, *nothing)


def may_be_none(reading: TableReading, index: int) -> bool:
    """Tell whether no tile at all may lie there: the reader thinks so, or it is unsure of a thing that lies alone."""
    tile = reading.tiles[index]
    return tile.unsure and (tile.bare >= PLAUSIBLE or index in reading.layouts[0].loose)


def hypotheses(
    reading: TableReading, joints: Sequence[Joint] = (), read: TableReading | None = None
) -> TableHypotheses:
    """List the tables a reading allows: its layouts, times what each unsure tile may be.

    `joints` are what people said of its rows, and `read` is what was read before people said anything: tiles beyond
    those in it nobody but them has seen.
    """
    read = read or reading
    choices = tuple(may_be(tile) for tile in reading.tiles)
    unsure = tuple(index for index in reading.unsure if reading.tiles[index].tile is not None)
    doubts = tuple(
        Doubt(index, tuple(tile for tile in choices[index] if tile is not None), where(reading, index))
        for index in unsure
    )
    count = prod(map(len, choices)) * len(reading.layouts)
    unknown = frozenset(
        doubt.index for doubt in doubts if len(doubt.may_be) == 1 and not reading.tiles[doubt.index].hidden
    )
    tables: dict[Table, float] = {}
    faces: set[Table] = set()
    for tiles in islice(product(*choices), max(1, MAX_TABLES // len(reading.layouts))):
        seen = tuple(replace(old, tile=new) for old, new in zip(reading.tiles, tiles, strict=True))
        none = frozenset(index for index in unsure if tiles[index] is None)
        for layout in reading.layouts:
            table = replace(reading, tiles=seen, layouts=(without(layout, none),)).table()
            tables[table] = max(tables.get(table, 0.0), layout.score)
            faces |= set() if none else {table}
    for index in (index for index in unsure if may_be_none(reading, index)):
        table = replace(reading, layouts=(without(reading.layouts[0], frozenset({index})),)).table()
        if table not in tables:
            tables[table] = 0.0
            faces.add(table)
    unlikely = frozenset(table for table, score in tables.items() if score < UNLIKELY)
    bare = frozenset(tables) - faces
    whole = frozenset(
        tuple(tile for index in row if (tile := reading.tiles[index].tile) is not None)
        for row in rows_said(reading, joints)
    )
    cut_short = max(len(read.layouts), len(reading.layouts)) >= MAX_LAYOUTS
    backs = frozenset(
        index
        for index, (tile, was) in enumerate(zip(reading.tiles, read.tiles, strict=False))
        if tile.tile is None and was.tile is None
    )
    turned = rows_with_backs(reading.tiles, backs)
    doubts += tuple(Doubt(index, (), where(reading, index)) for row in turned for index in row if index in backs)
    unread = (unknown if count <= MAX_TABLES else frozenset(unsure)) | {
        index for row in turned for index in row if reading.tiles[index].tile is not None
    }
    complete = not unknown and count <= MAX_TABLES and not turned
    certain = certainty(reading, unread, len(read.tiles))
    return TableHypotheses(
        tuple(tables), doubts, complete, reading.frame_id, unlikely, bare, cut_short, whole, certain, reading.at
    )


def without(layout: Layout, none: frozenset[int]) -> Layout:
    """Give the layout with these places empty: a hole as large as a tile divides a row."""
    if not none:
        return layout
    parts = [
        tuple(part) for row in layout.sets for empty, part in groupby(row, lambda index: index in none) if not empty
    ]
    loose = (*(index for index in layout.loose if index not in none), *(part[0] for part in parts if len(part) == 1))
    return Layout(tuple(part for part in parts if len(part) > 1), loose, layout.score)


def merge(first: TableHypotheses | None, second: TableHypotheses) -> TableHypotheses:
    """Give all that two looks at one table allow; what only one of them saw so is in doubt."""
    if first is None:
        return second
    tables = tuple(dict.fromkeys((*second.tables, *first.tables)))
    likely = {table for seen in (first, second) for table in seen.tables if table not in seen.unlikely}
    faces = {table for seen in (first, second) for table in seen.tables if table not in seen.bare}
    complete = first.complete and second.complete
    unlikely, bare = frozenset(tables) - likely, frozenset(tables) - faces
    certain = first.certain.also(second.certain)
    return replace(second, tables=tables, complete=complete, unlikely=unlikely, bare=bare, certain=certain)


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
    """Give the beginnings to judge a table against: the nearest, and of the likely ones the nearest."""
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
) -> Finding:
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
    if (seen.complete or began.unread_as(seen.certain)) and (legal := _legal_as_laid(likely, seen)):
        return Finding(*legal, tables, seen)
    excuses = _excuses(likely, seen, unlikely)
    if _decides(possible, seen) and not any(map(excuses, possible)):
        laid = [case for case in possible if case.table not in seen.unlikely]
        divided = _divided(laid, seen.whole, opened=opened, rules=rules) if seen.cut_short else []
        blameless = [case.table for case in divided if excuses(case)]
        told = None if blameless else _told_in_all(verdict, [case.verdict for case in (*possible, *divided)])
        if told := told and _certain(told, began, seen):
            return Finding(told, start, table, tables, seen)
        tables = tuple(dict.fromkeys((*tables, *blameless)))
    return Finding(_undecided(verdict, seen, tables), start, table, tables, seen)


def _as_far_as_read(verdict: Verdict, start: Table, table: Table, seen: TableHypotheses, rules: RuleSet) -> _Case:
    """Judge a table that cannot be only for what was guessed of tiles that were not read by its other faults."""
    if isinstance(verdict, Undecided) and not seen.complete:
        faults = tuple(one for one in verdict.violations if one.fault is not Fault.IMPOSSIBLE_TILES)
        if faults and all(seen.certain.least(tile) <= rules.box.get(tile, 0) for tile in verdict.unsure_of):
            verdict = recast(verdict, Illegal, violations=faults)
    return _Case(_own_faults(verdict, start, table), start, table)


def _certain(verdict: Illegal, began: Certainty, seen: TableHypotheses) -> Illegal | None:
    """Accuse only of what is a fault whatever the tiles are that were not read."""
    if seen.complete and began.whole:
        return verdict
    kept = tuple(one for one in verdict.violations if holds(one, _tiles_of(one, verdict), began, seen.certain))
    return replace(verdict, violations=kept) if kept else None


def _divided(cases: Sequence[_Case], whole: frozenset[TileSet], *, opened: bool, rules: RuleSet) -> list[_Case]:
    """Judge what was laid once more, taken for sets pushed together."""
    pairs = dict.fromkeys((start, table) for _, start, one in cases for table in _pushed_together(one, start, whole))
    judged = ((judge_turn(start, table, opened=opened, rules=rules), start, table) for start, table in pairs)
    return [_Case(_own_faults(*case), *case[1:]) for case in judged]


def _pushed_together(table: Table, start: Table, whole: frozenset[TileSet]) -> Iterator[Table]:
    """Give the table with one or two of the rows that did not lie there at the start divided into two sets each."""
    new = new_sets(start, table)
    ways = {
        place: [(tiles[:cut], tiles[cut:]) for cut in range(FEWEST_TILES, len(tiles) - FEWEST_TILES + 1)]
        for place in new
        for tiles in [table.sets[place]]
        if tiles not in whole
    }
    for places in (*combinations(ways, 1), *combinations(ways, 2)):
        for parts in product(*(ways[place] for place in places)):
            pieces = dict(zip(places, parts, strict=True))
            yield Table(tuple(one for place, tiles in enumerate(table.sets) for one in pieces.get(place, (tiles,))))


def _excuses(likely: list[_Case], seen: TableHypotheses, unlikely: frozenset[Table]) -> Callable[[_Case], bool]:
    """Give what tells whether a case speaks against an accusation.

    Any case does that is not illegal, but for one: both tables divided in an unlikely way, so that the same sets lay
    there before and after. Then whole sets were moved. Where fewer tiles than a set holds changed rows, none was.
    """
    sets_stayed = bool(likely) and all(tiles_moved(case.start, case.table) < FEWEST_TILES for case in likely)

    def excuses(case: _Case) -> bool:
        verdict, start, table = case
        same_sets = isinstance(verdict, Legal) and verdict.outcome is Outcome.NO_PLAY
        hardly = start in unlikely and (table in seen.unlikely or table not in seen.tables)
        return not isinstance(verdict, Illegal) and not (sets_stayed and same_sets and hardly)

    return excuses


def _decides(cases: list[_Case], seen: TableHypotheses) -> bool:
    """Tell whether anything is left once the tables that lack a tile which was read are taken away."""
    return any(case.table not in seen.bare for case in cases)


def _legal_as_laid(likely: list[_Case], seen: TableHypotheses) -> _Case | None:
    """Give the first likely case if all that are likely are legal, and tiles were played in all of them or in none."""
    legal = _decides(likely, seen) and all(isinstance(case.verdict, Legal) for case in likely)
    return likely[0] if legal and len({case.verdict.outcome for case in likely}) == 1 else None


def _own_faults(verdict: Verdict, start: Table, table: Table) -> Verdict:
    """Leave out what is wrong with sets that lay there when the turn began: they stood, and nobody answers for them."""
    if not isinstance(verdict, Illegal):
        return verdict
    new = {None, *new_sets(start, table)}
    own = tuple(one for one in verdict.violations if one.fault not in OF_A_SET or one.set_index in new)
    return replace(verdict, violations=own) if own else recast(verdict, Legal)


def _told_in_all(verdict: Verdict, verdicts: list[Verdict]) -> Illegal | None:
    """Accuse only of what is a fault in every case; of nothing where the cases have no fault in common.

    Of several sets those are named that are no sets in any case; what is wrong with others hangs on a doubtful tile.
    """
    if not isinstance(verdict, Illegal):
        return None
    told = [{_named(one, other) for one in other.violations} for other in verdicts if isinstance(other, Illegal)]
    common = frozenset[Fault].intersection(*(frozenset(fault for fault, _ in names) for names in told))
    always = set.intersection(*told)
    kept = tuple(
        violation
        for violation in verdict.violations
        if violation.fault in common
        and (_named(violation, verdict) in always or all(fault is not violation.fault for fault, _ in always))
    )
    return replace(verdict, violations=kept) if kept else None


def _named(violation: Violation, verdict: Verdict) -> tuple[Fault, TileSet]:
    """Give a fault with the set it is of, by which it is known in other cases."""
    return violation.fault, _tiles_of(violation, verdict) or violation.tiles


def _tiles_of(violation: Violation, verdict: Verdict) -> TileSet | None:
    """Give the set a fault is of."""
    return None if violation.set_index is None else verdict.sets[violation.set_index].tiles


def _undecided(verdict: Verdict, seen: TableHypotheses, tables: tuple[Table, ...]) -> Undecided:
    unsure = tuple(doubt.may_be[0] for doubt in seen.doubts if doubt.may_be)
    if isinstance(verdict, Undecided):
        unsure += verdict.unsure_of
    elif not unsure and len(tables) > 1:  # the tiles are sure, the sets are not
        sets = (one for table in tables for one in table.sets if any(one not in other.sets for other in tables))
        unsure = tuple(dict.fromkeys(chain.from_iterable(sets)))
    return recast(verdict, Undecided, unsure_of=unsure, violations=verdict.violations)
