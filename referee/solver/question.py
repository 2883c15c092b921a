"""The question put to the search: which sets, and how many of each, from a table and a rack.

A column is a set that the tiles at hand can form, a row is a kind of tile: what lay on the table must lie in some
set, what is on the rack may. The gain counts tiles first and their worth second. Jokers of which some lie on the
table and some on the rack are two kinds of tiles: a set that takes one is two columns, for only the joker from the
rack adds to the worth of the play.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.rules.editions import RuleSet
from referee.rules.set_reading import NUMBER, WIDTH
from referee.rules.sets import preferred_reading
from referee.rules.table import Table, TileSet
from referee.rules.tiles import ALL_TILES, HIGHEST, Joker, JokerKind, Tile
from referee.solver.catalogue import Sets, Whole, catalogue, key_of
from referee.solver.laying import CODES, NOTHING, Counts
from referee.solver.mirror_shapes import leaves_out
from referee.solver.relaxation import WITHOUT_BOUND, Floats, Programme
from referee.solver.release import release_rows
from referee.solver.shapes import Limits

_VALUES: Final = np.array(NUMBER, np.int64)
_MOST_WORTH: Final = np.array([number or HIGHEST * max(WIDTH) for number in NUMBER], np.int64)
_JOKERS: Final = tuple(tile.code for tile in ALL_TILES if isinstance(tile, Joker))
_STANDING: Final = 8
_LONGEST: Final = 5
_ODD: Final = np.int64(1_000_003)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A programme and what its columns are."""

    programme: Programme
    sets: Sets
    """The set that each column lays."""
    tile_gain: int
    """What one more tile gains; the worth of everything together is less."""
    standing_worth: int
    """What the number tiles on the table are worth."""
    complete: bool
    """Every set that these tiles can form is looked at."""

    def worth(self, amounts: Whole) -> int:
        """Return what a plan's tiles from the rack are worth."""
        tiles = int(self.sets.counts.sum(axis=1, dtype=np.int64) @ amounts)
        return int(self.programme.gains @ amounts) - self.tile_gain * tiles - self.standing_worth

    def sets_of(self, amounts: Whole) -> tuple[TileSet, ...]:
        """Return the sets of a plan as tiles in the order to lay them."""
        taken = np.repeat(np.arange(len(amounts)), amounts)
        return tuple(tuple(ALL_TILES[code] for code in row if code != NOTHING) for row in self.sets.codes[taken])

    def columns_of(self, tiles: Iterable[Tile]) -> tuple[int, ...]:
        """Return the columns that lay just these tiles."""
        return tuple(np.flatnonzero(self.sets.keys == key_of(counted(tiles))).tolist())


def counted(tiles: Iterable[Tile]) -> Counts:
    """Return how many there are of each code."""
    return np.bincount([tile.code for tile in tiles], minlength=CODES).astype(np.int16)


def ask(table: Table, rack: Iterable[Tile], rules: RuleSet, *, opening: bool = False) -> Question:
    """Return the question what to lay; `opening`: the new sets must be worth an initial meld."""
    on_table, on_rack = counted(table.tiles), counted(rack)
    have = on_table + on_rack
    columns = _columns(sets_at_hand(have, table, rules), on_table, on_rack)
    asked = release_rows(table, columns.sets, rules)
    best = columns.best_of_alike(asked)
    columns, asked = columns.take(best), asked[best]
    matrix, lower, upper = columns.rows(on_table, on_rack)
    if opening:
        matrix = np.column_stack((matrix, columns.sets.values.sum(axis=1)))
        lower, upper = np.append(lower, rules.initial_meld), np.append(upper, WITHOUT_BOUND)
    lies = (columns.sets.keys[:, None] == _lying(table)).any(axis=1)
    tile_gain = 1 + int(have @ _MOST_WORTH)
    programme = Programme(
        columns=np.column_stack((matrix, asked)),
        gains=tile_gain * columns.sets.counts.sum(axis=1, dtype=np.int64) + columns.worth,
        lower=np.concatenate((lower, np.ones(asked.shape[1]))),
        upper=np.concatenate((upper, np.full(asked.shape[1], WITHOUT_BOUND))),
        leanings=_leanings(columns.sets, lies, int(have.sum())),
        watched=_standing_sums(columns.sets, on_rack),
        likely=_likely(columns.sets, lies),
    )
    return Question(
        programme=programme,
        sets=columns.sets,
        tile_gain=tile_gain,
        standing_worth=int(on_table @ _VALUES),
        complete=not leaves_out(jokers_of(have)),
    )


def sets_at_hand(have: Counts, table: Table, rules: RuleSet, *, long_runs: bool = False) -> Sets:
    """Return the sets that these tiles can form, among them those that lie on the table; with long runs if asked."""
    jokers = jokers_of(have)
    sets = catalogue(jokers, counts_middle=rules.mirror_counts_middle, long_runs=long_runs).formable(have)
    return _with_long_sets(sets, table, rules)


def jokers_of(have: Counts) -> Limits:
    """Return how many jokers of each kind there are; of the coloured ones, how many of one colour at most."""
    most: dict[JokerKind, int] = {}
    for code in _JOKERS:
        tile = ALL_TILES[code]
        if have[code] and isinstance(tile, Joker):
            most[tile.kind] = max(most.get(tile.kind, 0), 1 if tile.kind is JokerKind.MIRROR else int(have[code]))
    return tuple(most.items())


def _with_long_sets(sets: Sets, table: Table, rules: RuleSet) -> Sets:
    """Add those sets of the table that the catalogue does not hold in one piece, so that they may stay."""
    known = (_lying(table)[:, None] == sets.keys).any(axis=1)
    codes, values = [], []
    for tiles in dict.fromkeys(tiles for tiles, one in zip(table.sets, known.tolist(), strict=True) if not one):
        reading = preferred_reading(tiles, rules)
        if reading is not None:
            codes.append([tile.code for tile in tiles])
            values.append([sum(stand_in.numbers) for stand_in in reading.stands_for])
    return sets.joined(codes, values) if codes else sets


def _lying(table: Table) -> Whole:
    """Return the keys of the table's sets."""
    counts = np.zeros((len(table.sets), CODES), np.int8)
    for place, tiles in enumerate(table.sets):
        for tile in tiles:
            counts[place, tile.code] += 1
    return key_of(counts)


def _likely(sets: Sets, lies: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the sets without jokers, and those on the table."""
    likely: NDArray[np.bool_] = lies | ~(sets.counts[:, _JOKERS[0] :].any(axis=1))
    return likely


def _leanings(sets: Sets, lies: NDArray[np.bool_], tiles: int) -> Floats:
    """Prefer sets that lie on the table, which is less to move, and long ones: both leave fewer halves to search."""
    lengths = sets.counts.sum(axis=1, dtype=np.int64).clip(max=_LONGEST)
    leanings: Floats = (lengths**2 + _STANDING * lies) / (2 * tiles * (_LONGEST + _STANDING))
    return leanings


def _standing_sums(sets: Sets, on_rack: Counts) -> Counts:
    """Return, for each joker of the rack and each value, how often a set lets the joker count just that."""
    sums = [np.zeros((len(sets.codes), 0), np.int8)]
    for code in _JOKERS:
        if on_rack[code]:
            values = _values_of(sets, code)
            different = np.unique(values)
            sums.append((values[:, :, None] == different[different > 0]).sum(axis=1, dtype=np.int8))
    return np.concatenate(sums, axis=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Columns:
    """Columns in the making."""

    sets: Sets
    split: tuple[int, ...]
    """The jokers of which some lie on the table and some on the rack."""
    own: Counts
    """(columns, split): how many of these jokers come from the rack."""
    worth: Whole
    """(columns,): what the tiles are worth, the table's jokers left out."""

    def take(self, kept: NDArray[np.intp]) -> "_Columns":
        """Return only these columns."""
        return _Columns(sets=self.sets.take(kept), split=self.split, own=self.own[kept], worth=self.worth[kept])

    def best_of_alike(self, asked: Counts) -> NDArray[np.intp]:
        """Return, of columns that are alike in all the rows, the ones worth most."""
        keys = self.sets.keys
        for difference in (*self.own.T, *asked.T):
            keys = keys * _ODD + difference
        order = np.lexsort((-self.worth, keys))
        first = np.ones(len(order), np.bool_)
        first[1:] = keys[order][1:] != keys[order][:-1]
        return np.sort(order[first])

    def rows(self, on_table: Counts, on_rack: Counts) -> tuple[Counts, Floats, Floats]:
        """Return the rows of tiles at hand, then those of the split jokers from the rack, with their bounds."""
        split = list(self.split)
        counts = self.sets.counts.copy()
        counts[:, split] -= self.own
        most = on_table + on_rack
        most[split] = on_table[split]
        used = most > 0
        return (
            np.column_stack((counts[:, used], self.own)),
            np.concatenate((on_table[used], np.zeros(len(split)))),
            np.concatenate((most[used], on_rack[split])),
        )


def _columns(sets: Sets, on_table: Counts, on_rack: Counts) -> _Columns:
    """Return a column for every set and every share of its jokers that may come from the rack."""
    worth = sets.counts @ _VALUES
    split = tuple(code for code in _JOKERS if on_table[code] and on_rack[code])
    for code in _JOKERS:
        if on_rack[code] and not on_table[code]:
            worth = worth + _values_of(sets, code).sum(axis=1)
    columns = _Columns(sets=sets, split=(), own=np.zeros((len(worth), 0), np.int8), worth=worth)
    for code in split:
        columns = _shared(columns, code, int(on_table[code]), int(on_rack[code]))
    return columns


def _shared(columns: _Columns, code: int, on_table: int, on_rack: int) -> _Columns:
    """Let each set take every share of these jokers from the rack; those are the ones that count most."""
    falling = -np.sort(-_values_of(columns.sets, code), axis=1)
    rows, own = [], []
    for share in range(on_rack + 1):
        taking = columns.sets.counts[:, code] - share
        fits = np.flatnonzero((taking >= 0) & (taking <= on_table))
        rows.append(fits)
        own.append(np.full(len(fits), share, np.int8))
    row, shares = np.concatenate(rows), np.concatenate(own)
    worth = np.pad(falling.cumsum(axis=1), ((0, 0), (1, 0)))[row, shares]
    chosen = columns.take(row)
    return _Columns(
        sets=chosen.sets,
        split=(*columns.split, code),
        own=np.column_stack((chosen.own, shares)),
        worth=chosen.worth + worth,
    )


def _values_of(sets: Sets, code: int) -> Whole:
    """Return what every tile of this code counts, 0 for other tiles."""
    return np.where(sets.codes == code, sets.values, 0).astype(np.int64)
