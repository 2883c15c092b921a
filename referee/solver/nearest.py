"""The nearest legal table: the same tiles in legal sets, with as few as possible moved out of the sets they lie in.

Every legal set may grow out of one set of the table, and each of those into one legal set; what they share stays
where it is. So a column is a legal set together with the set it grows from, and its gain is the tiles that stay. A
joker that stands in for a tile (see `question`) gains if it does so in a set grown from the one it lies in.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from referee.rules.editions import RuleSet
from referee.rules.sets import is_set
from referee.rules.table import Table, TileSet
from referee.rules.tiles import LOWEST, NUMBER_TILES, Colour, Joker, JokerKind, NumberTile, Tile
from referee.solver.catalogue import Sets
from referee.solver.columns import STAND_INS
from referee.solver.deadline import Deadline, OutOfTimeError
from referee.solver.laying import CODES, FREE, NOTHING
from referee.solver.placing import Rows, filled, repeated, rough_sets
from referee.solver.play import SECONDS, check_box
from referee.solver.programme import ExaminedPlan, maximise
from referee.solver.question import counts_of, sets_at_hand, special_jokers
from referee.solver.refusal import anything_else
from referee.solver.relaxation import WITHOUT_BOUND, Floats, Places, Programme, Relaxation, Whole
from referee.solver.shapes import leaves_out_long_sets

_ORDERED: Final = frozenset({JokerKind.COLOUR_CHANGE, JokerKind.MIRROR})
"""With these a set is one only in the order laid."""
_WAYS: Final = 200
_NUMBER_TILES: Final = len(NUMBER_TILES)
_BASE: Final = CODES + 1
"""From here on the rows of the sets on the table: each may grow into one."""


@dataclass(frozen=True, slots=True)
class NearestTable:
    """A legal table, and what must be moved for it."""

    table: Table
    """Each set in the place of the one it grows from; sets that are all new come last."""
    moved: tuple[Tile, ...]
    """The tiles that leave the set they lie in."""
    optimal: bool
    """No legal table moves fewer tiles. Not claimed where sets that were not looked at might move fewer."""


def nearest_legal_table(table: Table, rules: RuleSet, *, seconds: float = SECONDS) -> NearestTable | None:
    """Return the legal table of all these tiles that moves the fewest; None if they make none, or none in time.

    A set that could be cut in two is looked at whole only if it lies so already, or holds no special jokers but double
    ones or a single other one; with more of them on the table the fewest are proven only where none or one had to move.
    Raise NotationError for tiles that the edition's box does not hold.
    """
    check_box(table.tiles, rules)
    if not table.sets:
        return NearestTable(table, (), optimal=True)
    until = Deadline(time.monotonic() + seconds)
    try:
        search = _Search(table, rules, until)
    except OutOfTimeError:
        return _as_it_lies(table, rules)
    plan = maximise(Relaxation(search.programme()), deadline=until.at, examine=search.examine)
    if search.best is None:
        return None if plan.proven else _as_it_lies(table, rules)
    moved = len(search.best.moved)
    proven = plan.proven and search.doubt <= len(table.tiles) - moved
    complete = not leaves_out_long_sets(special_jokers(counts_of(table.tiles)))
    optimal = proven and (complete or moved <= _surely_moved(table, rules))
    return NearestTable(search.best.table, search.best.moved, optimal=optimal)


def _as_it_lies(table: Table, rules: RuleSet) -> NearestTable | None:
    """Return the table if it is legal; what no search is needed for."""
    if not all(is_set(tiles, rules) for tiles in table.sets):
        return None
    return NearestTable(table, (), optimal=True)


def _surely_moved(table: Table, rules: RuleSet) -> int:
    """Return how many tiles every legal table moves: one at least if these are no sets in whatever order."""
    return int(
        any(
            not is_set(tiles, rules) and not _ORDERED & {tile.kind for tile in tiles if isinstance(tile, Joker)}
            for tiles in table.sets
        )
    )


@dataclass(frozen=True, slots=True)
class _StandIn:
    """A joker that stands for a tile, in a set that grows from this one of the table, or in any (-1)."""

    joker: Joker
    tile: NumberTile
    grown_from: int


class _Search:
    """One search for the nearest table, and the nearest found."""

    def __init__(self, table: Table, rules: RuleSet, until: Deadline) -> None:
        """Find the sets that may lie and what each may grow from."""
        self._table, self._rules = table, rules
        self._sets, _ = sets_at_hand(counts_of(table.tiles), table, rules, long=True, until=until)
        self._rows, self._grown_from, self._staying = _growths(self._sets, table)
        numbers = [code - FREE + LOWEST for code in range(FREE, CODES) if (self._sets.codes == code).any()]
        self._free = tuple(NumberTile(colour, number) for number in numbers for colour in Colour)
        self._stand_ins = tuple(_stand_ins(table))
        self.best: NearestTable | None = None
        self.doubt = -np.inf

    def programme(self) -> Programme:
        """Return the programme: the sets with what they grow from, the free tiles, the jokers that stand in."""
        base = np.where(self._grown_from < 0, NOTHING, _BASE + self._grown_from).astype(np.int16)
        codes = self._sets.codes[self._rows].astype(np.int16)
        extras = [([tile.code], [FREE + tile.number - LOWEST]) for tile in self._free]
        extras += [_rows_of(stand_in, len(self._table.sets)) for stand_in in self._stand_ins]
        places = _joined(np.column_stack((codes, base)), [adds for adds, _ in extras])
        takes = _joined(self._shown(codes), [taken for _, taken in extras])
        used = np.zeros(_BASE + len(self._table.sets) * (1 + _ROWS_EACH), np.bool_)
        used[places] = True
        used[takes] = True
        used[:FREE] |= counts_of(self._table.tiles) > 0
        used[NOTHING] = False
        row = np.where(used, np.cumsum(used) - 1, used.sum()).astype(np.int16)
        lower, upper = self._bounds(len(used))
        stays = np.array([stand_in.grown_from >= 0 for stand_in in self._stand_ins], np.int64)
        gains = np.concatenate((self._staying, np.zeros(len(self._free), np.int64), stays))
        return Programme(
            places=row[places],
            takes=row[takes],
            sums=np.zeros((len(gains), 0), np.int8),
            gains=gains,
            lower=lower[used],
            upper=upper[used],
            leanings=np.zeros(len(gains)),
            slight=0.3 / (len(self._table.tiles) + 4),
            labels=np.full((len(gains), 1), -1, np.int16),
            likely=np.append(self._staying > 1, np.ones(len(extras), np.bool_)),
        )

    def _shown(self, codes: Places) -> Places:
        """Return, for sets grown from one with jokers that stand in, the rows that let them stand for its tiles."""
        jokers = [any(tile in STAND_INS for tile in tiles) for tiles in self._table.sets]
        lets = np.append(jokers, False)[self._grown_from][:, None] & (codes < _NUMBER_TILES)
        first = _BASE + len(jokers) + self._grown_from[:, None] * _ROWS_EACH
        return np.where(lets, first + codes, NOTHING).astype(np.int16)

    def _bounds(self, count: int) -> tuple[Floats, Floats]:
        lower, upper = np.zeros(count), np.zeros(count)
        lower[:FREE] = upper[:FREE] = counts_of(self._table.tiles)
        own = len(self._table.sets)
        upper[_BASE : _BASE + own] = 1
        lower[_BASE + own :] = -WITHOUT_BOUND
        for place, tiles in enumerate(self._table.sets):
            for joker in STAND_INS:
                row = _rows_of(_StandIn(joker, NUMBER_TILES[0], place), own)[0][1]
                upper[row : row + 1] = tiles.count(joker)
        return lower, upper

    def examine(self, amounts: Whole, claimed: int) -> ExaminedPlan:
        """Find the table that a plan means, with its jokers laid so that the fewest tiles move."""
        count, jokers = len(self._rows), len(self._rows) + len(self._free)
        taken = np.repeat(np.arange(count), amounts[:count])
        free = repeated(self._free, amounts[count:jokers])
        stand_ins = repeated(self._stand_ins, amounts[jokers:])
        others = [(one.joker, one.tile) for one in stand_ins if one.grown_from < 0]
        plan = rough_sets(self._sets, self._rows[taken], free, others)
        grown_from = self._grown_from[taken].tolist()
        gain = -np.inf
        rows = _in_place(plan.sets, grown_from, [one for one in stand_ins if one.grown_from >= 0])
        for laid in islice(map(plan.in_order, filled(rows, plan.stand_ins)), _WAYS):
            if all(is_set(tiles, self._rules) for tiles in laid):
                nearest = _nearest(self._table, laid, grown_from)
                gain = max(gain, len(self._table.tiles) - len(nearest.moved))
                if self.best is None or len(nearest.moved) < len(self.best.moved):
                    self.best = nearest
            if gain >= claimed:
                return ExaminedPlan(gain)
        self.doubt = max(self.doubt, claimed)
        return ExaminedPlan(gain, anything_else(amounts))


_ROWS_EACH: Final = _NUMBER_TILES + len(STAND_INS)
"""For each set of the table: does a tile lie in what grows from it; and how many jokers of a kind may stay in it."""


def _rows_of(stand_in: _StandIn, lying: int) -> tuple[list[int], list[int]]:
    """Return the rows to which a joker that stands in adds one, and those from which it takes one."""
    adds = [stand_in.joker.code]
    if stand_in.grown_from >= 0:
        first = _BASE + lying + stand_in.grown_from * _ROWS_EACH
        adds += [first + _NUMBER_TILES + STAND_INS.index(stand_in.joker), first + stand_in.tile.code]
    return adds, [stand_in.tile.code]


def _stand_ins(table: Table) -> Iterator[_StandIn]:
    """Yield everything that jokers may stand for; in a set grown from their own only what did not lie there."""
    held = {tile for tile in table.tiles if tile in STAND_INS}
    for joker in STAND_INS:
        for tile in NUMBER_TILES if joker in held else ():
            if joker.colour in {None, tile.colour}:
                yield _StandIn(joker, tile, -1)
                for place, tiles in enumerate(table.sets):
                    if joker in tiles and tile not in tiles:
                        yield _StandIn(joker, tile, place)


def _growths(sets: Sets, table: Table) -> tuple[Whole, Whole, Whole]:
    """Return every way for a set to grow from one of those lying (-1: from none): the set, from which, what stays.

    Where the set lying has a joker that stands in, that alone may stay.
    """
    rows, grown_from, staying = [np.arange(len(sets.codes))], [-1], [np.zeros(len(sets.codes), np.int64)]
    for place, tiles in enumerate(table.sets):
        shared = np.zeros(len(sets.codes), np.int64)
        for tile, count in Counter(tiles).items():
            shared += np.minimum((sets.codes == tile.code).sum(axis=1), count)
        kept = np.arange(len(shared)) if any(tile in STAND_INS for tile in tiles) else np.flatnonzero(shared)
        rows.append(kept)
        grown_from.append(place)
        staying.append(shared[kept])
    return np.concatenate(rows), np.repeat(grown_from, [len(kept) for kept in rows]), np.concatenate(staying)


def _joined(places: Places, more: Sequence[Sequence[int]]) -> Places:
    """Return the rows of some columns and then those of others."""
    padded = np.full((len(more), max(places.shape[1], 3)), NOTHING, np.int16)
    for row, own in zip(padded, more, strict=True):
        row[: len(own)] = own
    wider = np.pad(places, ((0, 0), (0, padded.shape[1] - places.shape[1])), constant_values=NOTHING)
    return np.concatenate((wider, padded))


def _in_place(sets: Rows, grown_from: Sequence[int], stand_ins: Sequence[_StandIn]) -> Rows:
    """Put the jokers that stay into the sets grown from theirs."""
    rows = list(sets)
    for one in stand_ins:
        place = grown_from.index(one.grown_from)
        where = rows[place].index(one.tile)
        rows[place] = (*rows[place][:where], one.joker, *rows[place][where + 1 :])
    return tuple(rows)


def _nearest(table: Table, laid: Rows, grown_from: Sequence[int]) -> NearestTable:
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
