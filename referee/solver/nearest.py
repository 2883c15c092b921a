"""The nearest legal table: the same tiles in legal sets, with as few tiles moved as possible.

Every legal set may grow out of one set of the table, and each of those into one legal set; what they share stays
where it is. So a column is a legal set together with the set it grows from, and its gain is the tiles that stay. A
joker that stands in for a tile (see `question`) gains if it does so in a set grown from the one it lies in.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from referee.rules.editions import RuleSet
from referee.rules.sets import is_set
from referee.rules.table import Table, TileSet
from referee.rules.tiles import LOWEST, NUMBER_TILES, Colour, Joker, JokerKind, NumberTile, Tile
from referee.solver.catalogue import SetTable
from referee.solver.columns import NUMBER_TILE_COUNT, STAND_IN_JOKERS
from referee.solver.deadline import Deadline, DeadlineError
from referee.solver.laying import CODE_COUNT, FIRST_FREE_CODE, NO_TILE
from referee.solver.placing import SetRows, filled_rows, repeated_items, unplaced_sets
from referee.solver.play import MAX_SECONDS, check_tiles_in_box
from referee.solver.programme import ExaminedPlan, maximise
from referee.solver.question import count_tiles, formable_sets, special_jokers
from referee.solver.refusal import any_other_plan
from referee.solver.relaxation import INFINITY, ColumnRows, Floats, IntegerProgramme, Ints, Relaxation
from referee.solver.shapes import leaves_out_long_sets

_ORDERED: Final = frozenset({JokerKind.COLOUR_CHANGE, JokerKind.MIRROR})
"""With these a set is one only in the order laid."""
_MAX_LAYOUTS: Final = 200
_FIRST_SET_ROW: Final = CODE_COUNT + 1
"""From here on the rows of the sets on the table: each may grow into one."""


@dataclass(frozen=True, slots=True)
class NearestTable:
    """A legal table and the tiles moved for it."""

    table: Table
    """Each set in the place of the one it grows from; sets that are all new come last."""
    moved: tuple[Tile, ...]
    """The tiles that leave the set they lie in."""
    optimal: bool
    """No legal table moves fewer tiles. Not claimed where sets that were not looked at might move fewer."""


def nearest_legal_table(
    table: Table,
    rules: RuleSet,
    *,
    seconds: float = MAX_SECONDS,
    added: TileSet = (),
    accepts: Callable[[Table], bool] = lambda _: True,
) -> NearestTable | None:
    """Return the legal table of all these tiles with the fewest moved; None if there is none or none was found in time.

    A divisible set is considered as a whole only if it lies so already, or has no special jokers other than double
    ones or a single one; with more of them on the table, the minimum is proven only for zero or one moved tile.
    `added`: tiles that lie nowhere yet and must be laid too. `accepts`: what else a table must fulfil.
    Raise NotationError for tiles that the edition's box lacks.
    """
    check_tiles_in_box((*table.tiles, *added), rules)
    if not table.sets and not added:
        return NearestTable(table, (), optimal=True)
    until = Deadline(time.monotonic() + seconds)
    try:
        search = _NearestSearch(table, rules, until, added, accepts)
    except DeadlineError:
        return None if added else _unchanged_if_legal(table, rules)
    plan = maximise(Relaxation(search.programme()), deadline=until.at, examine=search.examine)
    if search.best is None:
        return None if plan.proven or added else _unchanged_if_legal(table, rules)
    moved = len(search.best.moved)
    proven = plan.proven and search.doubt <= len(table.tiles) - moved
    complete = not leaves_out_long_sets(special_jokers(count_tiles((*table.tiles, *added))))
    optimal = proven and (complete or moved <= _min_moved(table, rules))
    return NearestTable(search.best.table, search.best.moved, optimal=optimal)


def _unchanged_if_legal(table: Table, rules: RuleSet) -> NearestTable | None:
    """Return the table unchanged if it is legal, else None."""
    if not all(is_set(tiles, rules) for tiles in table.sets):
        return None
    return NearestTable(table, (), optimal=True)


def _min_moved(table: Table, rules: RuleSet) -> int:
    """Return a lower bound of moved tiles: 1 if some set is illegal in every order, else 0."""
    return int(
        any(
            not is_set(tiles, rules) and not _ORDERED & {tile.kind for tile in tiles if isinstance(tile, Joker)}
            for tiles in table.sets
        )
    )


@dataclass(frozen=True, slots=True)
class _StandIn:
    """A joker that stands for a tile, in a set grown from this set of the table, or in any (-1)."""

    joker: Joker
    tile: NumberTile
    grown_from: int


class _NearestSearch:
    """One search for the nearest table and its best result."""

    def __init__(
        self, table: Table, rules: RuleSet, until: Deadline, added: TileSet, accepts: Callable[[Table], bool]
    ) -> None:
        """Find the formable sets and the sets that each may grow from."""
        self._table, self._rules, self._accepts = table, rules, accepts
        self._have = count_tiles((*table.tiles, *added))
        self._sets, _ = formable_sets(self._have, table, rules, long=True, until=until)
        self._rows, self._grown_from, self._staying = _growths(self._sets, table)
        numbers = [
            code - FIRST_FREE_CODE + LOWEST
            for code in range(FIRST_FREE_CODE, CODE_COUNT)
            if (self._sets.codes == code).any()
        ]
        self._free = tuple(NumberTile(colour, number) for number in numbers for colour in Colour)
        self._stand_ins = tuple(_stand_ins(table, added))
        self.best: NearestTable | None = None
        self.doubt = -np.inf

    def programme(self) -> IntegerProgramme:
        """Return the integer programme: sets with the sets they grow from, free tiles, stand-in jokers."""
        base = np.where(self._grown_from < 0, NO_TILE, _FIRST_SET_ROW + self._grown_from).astype(np.int16)
        codes = self._sets.codes[self._rows].astype(np.int16)
        extras = [([tile.code], [FIRST_FREE_CODE + tile.number - LOWEST]) for tile in self._free]
        extras += [_rows_of(stand_in, len(self._table.sets)) for stand_in in self._stand_ins]
        places = _concatenated(np.column_stack((codes, base)), [adds for adds, _ in extras])
        takes = _concatenated(self._shown(codes), [taken for _, taken in extras])
        used = np.zeros(_FIRST_SET_ROW + len(self._table.sets) * (1 + _ROWS_EACH), np.bool_)
        used[places] = True
        used[takes] = True
        used[:FIRST_FREE_CODE] |= self._have > 0
        used[NO_TILE] = False
        row = np.where(used, np.cumsum(used) - 1, used.sum()).astype(np.int16)
        lower, upper = self._bounds(len(used))
        stays = np.array([stand_in.grown_from >= 0 for stand_in in self._stand_ins], np.int64)
        gains = np.concatenate((self._staying, np.zeros(len(self._free), np.int64), stays))
        return IntegerProgramme(
            places=row[places],
            takes=row[takes],
            sums=np.zeros((len(gains), 0), np.int8),
            gains=gains,
            lower=lower[used],
            upper=upper[used],
            tie_breaks=np.zeros(len(gains)),
            tie_break_scale=0.3 / (len(self._table.tiles) + 4),
            labels=np.full((len(gains), 1), -1, np.int16),
            likely=np.append(self._staying > 1, np.ones(len(extras), np.bool_)),
        )

    def _shown(self, codes: ColumnRows) -> ColumnRows:
        """Return, for sets grown from one with stand-in jokers, the rows that let the jokers stand for its tiles."""
        jokers = [any(tile in STAND_IN_JOKERS for tile in tiles) for tiles in self._table.sets]
        lets = np.append(jokers, False)[self._grown_from][:, None] & (codes < NUMBER_TILE_COUNT)
        first = _FIRST_SET_ROW + len(jokers) + self._grown_from[:, None] * _ROWS_EACH
        return np.where(lets, first + codes, NO_TILE).astype(np.int16)

    def _bounds(self, count: int) -> tuple[Floats, Floats]:
        lower, upper = np.zeros(count), np.zeros(count)
        lower[:FIRST_FREE_CODE] = upper[:FIRST_FREE_CODE] = self._have
        own = len(self._table.sets)
        upper[_FIRST_SET_ROW : _FIRST_SET_ROW + own] = 1
        lower[_FIRST_SET_ROW + own :] = -INFINITY
        for place, tiles in enumerate(self._table.sets):
            for joker in STAND_IN_JOKERS:
                row = _rows_of(_StandIn(joker, NUMBER_TILES[0], place), own)[0][1]
                upper[row : row + 1] = tiles.count(joker)
        return lower, upper

    def examine(self, amounts: Ints, claimed: int) -> ExaminedPlan:
        """Find the plan's table with its jokers placed so that the fewest tiles move."""
        count, jokers = len(self._rows), len(self._rows) + len(self._free)
        taken = np.repeat(np.arange(count), amounts[:count])
        free = repeated_items(self._free, amounts[count:jokers])
        stand_ins = repeated_items(self._stand_ins, amounts[jokers:])
        others = [(stand_in.joker, stand_in.tile) for stand_in in stand_ins if stand_in.grown_from < 0]
        plan = unplaced_sets(self._sets, self._rows[taken], free, others)
        grown_from = self._grown_from[taken].tolist()
        gain = -np.inf
        rows = _with_staying_jokers(
            plan.sets, grown_from, [stand_in for stand_in in stand_ins if stand_in.grown_from >= 0]
        )
        for laid in islice(map(plan.in_order, filled_rows(rows, plan.stand_ins)), _MAX_LAYOUTS):
            if all(is_set(tiles, self._rules) for tiles in laid):
                nearest = _nearest_table(self._table, laid, grown_from)
                if not self._accepts(nearest.table):
                    continue
                gain = max(gain, len(self._table.tiles) - len(nearest.moved))
                if self.best is None or len(nearest.moved) < len(self.best.moved):
                    self.best = nearest
            if gain >= claimed:
                return ExaminedPlan(gain)
        self.doubt = max(self.doubt, claimed)
        return ExaminedPlan(gain, any_other_plan(amounts))


_ROWS_EACH: Final = NUMBER_TILE_COUNT + len(STAND_IN_JOKERS)
"""For each set of the table: does a tile lie in what grows from it; and how many jokers of a kind may stay in it."""


def _rows_of(stand_in: _StandIn, lying: int) -> tuple[list[int], list[int]]:
    """Return the rows to which a stand-in joker adds one, and those from which it subtracts one."""
    adds = [stand_in.joker.code]
    if stand_in.grown_from >= 0:
        first = _FIRST_SET_ROW + lying + stand_in.grown_from * _ROWS_EACH
        adds += [first + NUMBER_TILE_COUNT + STAND_IN_JOKERS.index(stand_in.joker), first + stand_in.tile.code]
    return adds, [stand_in.tile.code]


def _stand_ins(table: Table, added: TileSet) -> Iterator[_StandIn]:
    """Yield every tile that jokers may replace; in a set grown from their own only tiles that were not in it."""
    held = {tile for tile in (*table.tiles, *added) if tile in STAND_IN_JOKERS}
    for joker in STAND_IN_JOKERS:
        for tile in NUMBER_TILES if joker in held else ():
            if joker.colour in {None, tile.colour}:
                yield _StandIn(joker, tile, -1)
                for place, tiles in enumerate(table.sets):
                    if joker in tiles and tile not in tiles:
                        yield _StandIn(joker, tile, place)


def _growths(sets: SetTable, table: Table) -> tuple[Ints, Ints, Ints]:
    """Return every pair of a set and the table's set that it grows from (-1: none), with the number of staying tiles.

    In a set with a stand-in joker, the joker alone may stay.
    """
    rows, grown_from, staying = [np.arange(len(sets.codes))], [-1], [np.zeros(len(sets.codes), np.int64)]
    for place, tiles in enumerate(table.sets):
        shared = np.zeros(len(sets.codes), np.int64)
        for tile, count in Counter(tiles).items():
            shared += np.minimum((sets.codes == tile.code).sum(axis=1), count)
        kept = np.arange(len(shared)) if any(tile in STAND_IN_JOKERS for tile in tiles) else np.flatnonzero(shared)
        rows.append(kept)
        grown_from.append(place)
        staying.append(shared[kept])
    return np.concatenate(rows), np.repeat(grown_from, [len(kept) for kept in rows]), np.concatenate(staying)


def _concatenated(places: ColumnRows, more: Sequence[Sequence[int]]) -> ColumnRows:
    """Return the rows of columns followed by those of others."""
    padded = np.full((len(more), max(places.shape[1], 3)), NO_TILE, np.int16)
    for row, own in zip(padded, more, strict=True):
        row[: len(own)] = own
    wider = np.pad(places, ((0, 0), (0, padded.shape[1] - places.shape[1])), constant_values=NO_TILE)
    return np.concatenate((wider, padded))


def _with_staying_jokers(sets: SetRows, grown_from: Sequence[int], stand_ins: Sequence[_StandIn]) -> SetRows:
    """Return the sets with staying jokers placed in the sets grown from theirs."""
    rows = list(sets)
    for stand_in in stand_ins:
        place = grown_from.index(stand_in.grown_from)
        position = rows[place].index(stand_in.tile)
        rows[place] = (*rows[place][:position], stand_in.joker, *rows[place][position + 1 :])
    return tuple(rows)


def _nearest_table(table: Table, laid: SetRows, grown_from: Sequence[int]) -> NearestTable:
    grown = {place: tiles for tiles, place in zip(laid, grown_from, strict=True) if place >= 0}
    moved: list[Tile] = []
    result: list[TileSet] = []
    for place, tiles in enumerate(table.sets):
        after = grown.get(place, ())
        moved += (Counter(tiles) - Counter(after)).elements()
        if after:
            result.append(tiles if Counter(tiles) == Counter(after) else after)
    result += [tiles for tiles, place in zip(laid, grown_from, strict=True) if place < 0]
    return NearestTable(Table(tuple(result)), tuple(moved), optimal=False)
