"""The columns and rows of an integer programme: sets with their jokers' shares, and columns that reuse a tile.

A row is a tile code, or from `_FIRST_RACK_ROW` on a joker of the rack with equal ones on the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.rules.tiles import ALL_TILES, HIGHEST, LOWEST, NUMBER_TILES, Colour, Joker, JokerKind, NumberTile
from referee.solver.catalogue import SetTable
from referee.solver.laying import CODE_COUNT, FIRST_FREE_CODE, NO_TILE, Counts
from referee.solver.relaxation import INFINITY, ColumnRows, Floats, Ints, SmallInts

StandIns = Sequence[tuple[Joker, NumberTile]]
"""A joker and the tile it stands for."""

NUMBER_TILE_COUNT: Final = len(NUMBER_TILES)
SPECIAL_JOKERS: Final = tuple(
    tile for tile in ALL_TILES if isinstance(tile, Joker) and tile.kind not in {JokerKind.REGULAR, JokerKind.COLOURED}
)
STAND_IN_JOKERS: Final = tuple(tile for tile in ALL_TILES if isinstance(tile, Joker) and tile not in SPECIAL_JOKERS)
_FIRST_RACK_ROW: Final = CODE_COUNT + 1
"""From here on the rows of jokers on the rack that are also on the table."""
_ROW_COUNT: Final = _FIRST_RACK_ROW + FIRST_FREE_CODE - NUMBER_TILE_COUNT
_LABELS_PER_JOKER: Final = 2 * HIGHEST
_STANDING_BONUS: Final = 8
_MAX_PREFERRED_LENGTH: Final = 5
_MIN_SETS_TO_CHOOSE_FROM: Final = 400
MAX_NUMBERS_FOR_SET_ROW: Final = 10
_HASH_MULTIPLIER: Final = np.int64(1_000_003)
_HASH_WEIGHTS: Final = np.random.default_rng(17).integers(1, 2**63, _ROW_COUNT, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class JokerShares:
    """Sets, each with the special jokers it takes from the rack."""

    sets: SetTable
    is_laid: NDArray[np.bool_]
    places: ColumnRows
    """(columns, longest): the codes, or from _RACK on for a joker of which others lie on the table."""
    worth: Ints
    """(columns,): what the tiles are worth, the table's jokers left out."""
    released: SmallInts
    """(columns, asked): what `released_by` says of them."""

    def labels(self) -> ColumnRows:
        """Return a label for each special joker's value."""
        labels = np.full(self.places.shape, -1, np.int16)
        for joker in SPECIAL_JOKERS:
            for row in (joker.code, _rack_row(joker)):
                counts = (self.places == row) & (self.sets.values > 0)
                labels[counts] = np.int16(_label(row, 0)) + self.sets.values[counts]
        return labels


def _number_codes(codes: Counts | ColumnRows) -> NDArray[np.bool_]:
    """Return a mask of the codes of number tiles."""
    numbers: NDArray[np.bool_] = (codes < NUMBER_TILE_COUNT) | ((codes >= FIRST_FREE_CODE) & (codes < NO_TILE))
    return numbers


def _rack_row(joker: Joker) -> int:
    return _FIRST_RACK_ROW + joker.code - NUMBER_TILE_COUNT


def _label(row: int, value: int) -> int:
    return (row - NUMBER_TILE_COUNT) * _LABELS_PER_JOKER + value


def joker_shares(
    sets: SetTable, is_laid: NDArray[np.bool_], on_table: Counts, on_rack: Counts, released: SmallInts
) -> JokerShares:
    """Return a column for every set and every choice of its special jokers from the rack."""
    places = sets.codes.astype(np.int16)
    row = np.arange(len(places))
    counts = _number_codes(places)
    for joker in SPECIAL_JOKERS:
        if on_rack[joker.code] and not on_table[joker.code]:
            counts |= places == joker.code
    for joker in SPECIAL_JOKERS:
        worth = (sets.codes == joker.code) & (sets.values > 0)
        if on_rack[joker.code] and on_table[joker.code] and worth.any():
            held = (int(on_table[joker.code]), int(on_rack[joker.code]))
            row, places = _with_shares(joker, row, places, sets.values, held)
    chosen = sets.take(row)
    worth = np.where(counts[row] | (places > NO_TILE), chosen.values, 0).sum(axis=1, dtype=np.int64)
    best = _best_duplicates(places, worth, released[row])
    return JokerShares(
        sets=chosen.take(best),
        is_laid=is_laid[row][best],
        places=places[best],
        worth=worth[best],
        released=released[row][best],
    )


def _with_shares(
    joker: Joker, row: NDArray[np.intp], places: ColumnRows, values: Counts, held: tuple[int, int]
) -> tuple[NDArray[np.intp], ColumnRows]:
    """Return a column for each number of these jokers that may come from the rack, highest values first.

    `held`: their numbers on the table and on the rack.
    """
    on_table, on_rack = held
    is_joker = places == joker.code
    many = is_joker.sum(axis=1)
    falling = np.argsort(-np.where(is_joker, values[row], -1), axis=1, kind="stable")
    rows, shares = [], []
    for share in range(on_rack + 1):
        fits = np.flatnonzero((many >= share) & (many - share <= on_table))
        shared = places[fits]
        np.put_along_axis(shared, falling[fits, :share], np.int16(_rack_row(joker)), axis=1)
        rows.append(row[fits])
        shares.append(shared)
    return np.concatenate(rows), np.concatenate(shares)


def _best_duplicates(places: ColumnRows, worth: Ints, released: SmallInts) -> NDArray[np.intp]:
    """Return, of columns with equal rows, the ones with the highest worth; equal columns are neighbours."""
    if not len(places):
        return np.zeros(0, np.intp)
    keys = _HASH_WEIGHTS[places].sum(axis=1)
    for asked in released.T:
        keys = keys * _HASH_MULTIPLIER + asked
    first = np.append(True, keys[1:] != keys[:-1])
    run = np.cumsum(first) - 1
    most = np.maximum.reduceat(worth, np.flatnonzero(first))
    best = np.flatnonzero(worth == most[run])
    once: NDArray[np.intp] = best[np.append(True, run[best][1:] != run[best][:-1])]
    return once


@dataclass(frozen=True, slots=True, kw_only=True)
class ReuseColumns:
    """The columns that are no sets: each subtracts one from a row and adds one to another."""

    free: tuple[NumberTile, ...]
    stand_ins: StandIns
    places: ColumnRows
    """(columns, longest): the row that is added to, and NOTHING."""
    takes: ColumnRows
    """(columns,): the row that is taken from."""
    gains: Ints
    labels: ColumnRows
    """(columns, any)."""


def reuse_columns(shares: JokerShares, on_table: Counts, on_rack: Counts) -> ReuseColumns:
    """Return the columns of free tiles and of the tiles that stand-in jokers may replace."""
    numbers = [number for number in range(HIGHEST) if (shares.places == FIRST_FREE_CODE + number).any()]
    free = tuple(NumberTile(colour, LOWEST + number) for number in numbers for colour in Colour)
    moves = [(FIRST_FREE_CODE + tile.number - LOWEST, tile.code) for tile in free]
    gains, labels = [0] * len(free), [-1] * len(free)
    stand_ins: list[tuple[Joker, NumberTile]] = []
    for joker in STAND_IN_JOKERS:
        for held, row in ((on_table, joker.code), (on_rack, _rack_row(joker) if on_table[joker.code] else joker.code)):
            if not held[joker.code]:
                continue
            for tile in NUMBER_TILES:
                if joker.colour in {None, tile.colour}:
                    stand_ins.append((joker, tile))
                    moves.append((tile.code, row))
                    gains.append(-tile.number if held is on_table else 0)
                    labels.append(_label(row, tile.number))
    takes, adds = np.array(moves, np.int16).reshape(-1, 2).T
    places = np.full((len(moves), shares.places.shape[1]), NO_TILE, np.int16)
    places[:, 0] = adds
    marked = np.full_like(places, -1)
    marked[:, 0] = labels
    return ReuseColumns(
        free=free,
        stand_ins=tuple(stand_ins),
        places=places,
        takes=takes,
        gains=np.array(gains, np.int64),
        labels=marked,
    )


def shared_rows(
    shares: JokerShares, extras: ReuseColumns, released: SmallInts, numbers: int
) -> tuple[ColumnRows, Floats, Floats]:
    """Return the dense rows with their bounds: released jokers, and a number tile for each set.

    With few number tiles (`numbers`), too many plans violate the latter to refuse them one by one; in that case
    the sets must not be split into parts.
    """
    sums = np.concatenate((shares.released, released)).astype(np.int16)
    lower, upper = np.ones(sums.shape[1]), np.full(sums.shape[1], INFINITY)
    if extras.stand_ins and numbers <= MAX_NUMBERS_FOR_SET_ROW:
        own = 1 - _number_codes(shares.sets.codes).sum(axis=1, dtype=np.int16)
        none, one = np.zeros(len(extras.free), np.int16), np.ones(len(extras.stand_ins), np.int16)
        sums = np.column_stack((sums, np.concatenate((own, none, one))))
        lower, upper = np.append(lower, -INFINITY), np.append(upper, 0)
    return sums, lower, upper


def used_rows(
    places: tuple[ColumnRows, ColumnRows], on_table: Counts, on_rack: Counts
) -> tuple[tuple[ColumnRows, ColumnRows], Floats, Floats]:
    """Return the columns' rows renumbered without unused ones, plus one row for none, and the rows' bounds."""
    lower, upper = np.zeros(_ROW_COUNT), np.zeros(_ROW_COUNT)
    lower[:FIRST_FREE_CODE], upper[:FIRST_FREE_CODE] = on_table, on_table + on_rack
    used = np.zeros(_ROW_COUNT, np.bool_)
    used[places[0]] = True
    used[places[1]] = True
    for joker in (*SPECIAL_JOKERS, *STAND_IN_JOKERS):
        if used[_rack_row(joker)]:
            upper[joker.code] = on_table[joker.code]
            upper[_rack_row(joker)] = on_rack[joker.code]
    used[:FIRST_FREE_CODE] |= on_table > 0
    used[NO_TILE] = False
    row = np.where(used, np.cumsum(used) - 1, used.sum()).astype(np.int16)
    return (row[places[0]], row[places[1]]), lower[used], upper[used]


def likely_columns(shares: JokerShares) -> NDArray[np.bool_]:
    """Return a mask of the sets without special jokers or on the table."""
    if len(shares.is_laid) < _MIN_SETS_TO_CHOOSE_FROM:
        return np.ones(len(shares.is_laid), np.bool_)
    special = (shares.sets.codes >= NUMBER_TILE_COUNT) & (shares.sets.codes != NO_TILE)
    likely: NDArray[np.bool_] = shares.is_laid | ~special.any(axis=1)
    return likely


def tie_breaks(lengths: Ints, is_laid: NDArray[np.bool_], tiles: int) -> Floats:
    """Return tie-breaks that prefer sets on the table and long sets: both give fewer fractional plans."""
    leanings: Floats = (lengths.clip(max=_MAX_PREFERRED_LENGTH) ** 2 + _STANDING_BONUS * is_laid) / (
        2 * tiles * (_MAX_PREFERRED_LENGTH + _STANDING_BONUS)
    )
    return leanings
