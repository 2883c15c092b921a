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
from referee.solver.catalogue import CODES, NOTHING, Catalogue, Counts, catalogue, catalogue_of
from referee.solver.programme import WITHOUT_BOUND, Programme, Whole
from referee.solver.release import release_rows
from referee.solver.shapes import Limits

_VALUES: Final = np.array(NUMBER, np.int64)
_MOST_WORTH: Final = np.array([number or HIGHEST * max(WIDTH) for number in NUMBER], np.int64)
_JOKERS: Final = tuple(code for code, tile in enumerate(ALL_TILES) if isinstance(tile, Joker))


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A programme and what its columns are."""

    programme: Programme
    sets: Catalogue
    """The set that each column lays."""
    tile_gain: int
    """What one more tile gains; the worth of everything together is less."""
    standing_worth: int
    """What the number tiles on the table are worth."""

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
        return tuple(map(int, np.flatnonzero((self.sets.counts == counted(tiles)).all(axis=1))))


def counted(tiles: Iterable[Tile]) -> Counts:
    """Return how many there are of each code."""
    return np.bincount([tile.code for tile in tiles], minlength=CODES).astype(np.int16)


def joker_limits(rules: RuleSet) -> Limits:
    """Return how many of each kind of joker the box holds; of the coloured ones, how many of a colour."""
    most: dict[JokerKind, int] = {}
    for tile, count in rules.box.items():
        if isinstance(tile, Joker):
            most[tile.kind] = max(count, most.get(tile.kind, 0))
    return tuple(sorted(most.items()))


def ask(table: Table, rack: Iterable[Tile], rules: RuleSet, *, opening: bool = False) -> Question:
    """Return the question what to lay; `opening`: the sets must be worth an initial meld."""
    on_table, on_rack = counted(table.tiles), counted(rack)
    have = on_table + on_rack
    sets = _with_those_that_stand(catalogue(joker_limits(rules)).formable(have), table, rules)
    columns = _Columns(sets.counts, sets.counts @ _VALUES, np.arange(len(sets.codes)))
    lower, upper = list(on_table), list(have)
    for code in _JOKERS:
        if on_rack[code] and on_table[code]:
            columns = columns.told_apart(sets, code, int(on_table[code]), int(on_rack[code]))
            upper[code] = on_table[code]
            lower.append(0)
            upper.append(on_rack[code])
        elif on_rack[code]:
            columns = columns.worth_more(_values_of(sets, code).sum(axis=1)[columns.rows])
    for flags in release_rows(table, sets, rules):
        columns = columns.with_row(flags[columns.rows])
        lower.append(1)
        upper.append(WITHOUT_BOUND)
    columns = columns.best_of_alike()
    if opening:
        columns = columns.with_row(sets.values.sum(axis=1)[columns.rows])
        lower.append(rules.initial_meld)
        upper.append(WITHOUT_BOUND)
    tile_gain = 1 + int(have @ _MOST_WORTH)
    chosen = sets.take(columns.rows)
    used = columns.amounts.any(axis=0) | (np.array(lower) > 0)
    programme = Programme(
        columns=columns.amounts[:, used].astype(np.int64),
        gains=tile_gain * chosen.counts.sum(axis=1, dtype=np.int64) + columns.worth,
        lower=np.array(lower, np.float64)[used],
        upper=np.array(upper, np.float64)[used],
        watched=_standing_sums(chosen, on_rack),
    )
    return Question(programme=programme, sets=chosen, tile_gain=tile_gain, standing_worth=int(on_table @ _VALUES))


@dataclass(frozen=True, slots=True)
class _Columns:
    """Columns in the making."""

    amounts: Counts
    """(columns, rows)."""
    worth: Whole
    """What the tiles of a column are worth, jokers of the table left out."""
    rows: NDArray[np.intp]
    """The set that each column lays."""

    def worth_more(self, worth: Whole) -> "_Columns":
        return _Columns(self.amounts, self.worth + worth, self.rows)

    def with_row(self, amounts: Counts) -> "_Columns":
        return _Columns(np.column_stack((self.amounts, amounts)), self.worth, self.rows)

    def told_apart(self, sets: Catalogue, code: int, on_table: int, on_rack: int) -> "_Columns":
        """Let each set take every share of its jokers from the rack; these are the ones that count the most."""
        values = -np.sort(-_values_of(sets, code)[self.rows], axis=1)
        parts = []
        for own in range(on_rack + 1):
            shared = np.flatnonzero((self.amounts[:, code] >= own) & (self.amounts[:, code] - own <= on_table))
            amounts = np.column_stack((self.amounts[shared], np.full(len(shared), own, np.int16)))
            amounts[:, code] -= own
            parts.append(_Columns(amounts, self.worth[shared] + values[shared, :own].sum(axis=1), self.rows[shared]))
        return _Columns(
            np.concatenate([part.amounts for part in parts]),
            np.concatenate([part.worth for part in parts]),
            np.concatenate([part.rows for part in parts]),
        )

    def best_of_alike(self) -> "_Columns":
        """Keep, of columns with the same amounts, the one worth most."""
        falling = np.argsort(-self.worth, kind="stable")
        amounts = np.ascontiguousarray(self.amounts[falling].astype(np.int8))
        _, first = np.unique(amounts.view(f"V{amounts.shape[1]}"), return_index=True)
        kept = np.sort(falling[first])
        return _Columns(self.amounts[kept], self.worth[kept], self.rows[kept])


def _values_of(sets: Catalogue, code: int) -> Whole:
    """Return what every tile of this code counts, 0 for other tiles."""
    return np.where(sets.codes == code, sets.values, 0).astype(np.int64)


def _standing_sums(sets: Catalogue, on_rack: Counts) -> Whole:
    """Return, for each joker of the rack and each value, how often a set lets the joker count just that."""
    sums = [
        ((sets.codes == code) & (sets.values == value)).sum(axis=1)
        for code in _JOKERS
        if on_rack[code]
        for value in range(1, int(_MOST_WORTH[code]) + 1)
    ]
    watched = np.stack(sums, axis=1) if sums else np.zeros((len(sets.codes), 0), np.int64)
    return watched[:, watched.any(axis=0)].astype(np.int64)


def _with_those_that_stand(sets: Catalogue, table: Table, rules: RuleSet) -> Catalogue:
    """Add the table's own sets where a rule about jokers asks whether they still stand."""
    if rules.joker_may_replace_joker and not rules.fixed_jokers:
        return sets
    codes, values = [], []
    for tiles in dict.fromkeys(table.sets):
        reading = preferred_reading(tiles, rules)
        if reading is not None and any(isinstance(tile, Joker) for tile in tiles):
            codes.append([tile.code for tile in tiles])
            values.append([sum(stand_in.numbers) for stand_in in reading.stands_for])
    return sets.joined(catalogue_of(codes, values)) if codes else sets
