"""The columns and rows of a question: sets with shares of their jokers, and what hands a tile out once more.

A row is a code, or from `_RACK` on a joker on the rack of which there are others on the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.rules.tiles import ALL_TILES, HIGHEST, LOWEST, NUMBER_TILES, Colour, Joker, JokerKind, NumberTile
from referee.solver.catalogue import Sets
from referee.solver.laying import CODES, FREE, NOTHING, Counts
from referee.solver.relaxation import WITHOUT_BOUND, Floats, Places, Small, Whole

StandIns = Sequence[tuple[Joker, NumberTile]]
"""A joker and the tile it stands for."""

_NUMBER_TILES: Final = len(NUMBER_TILES)
SPECIAL: Final = tuple(
    tile for tile in ALL_TILES if isinstance(tile, Joker) and tile.kind not in {JokerKind.REGULAR, JokerKind.COLOURED}
)
STAND_INS: Final = tuple(tile for tile in ALL_TILES if isinstance(tile, Joker) and tile not in SPECIAL)
_RACK: Final = CODES + 1
"""From here on the rows of jokers on the rack of which there are others on the table."""
_ROWS: Final = _RACK + FREE - _NUMBER_TILES
_VALUES_APART: Final = 2 * HIGHEST
_STANDING: Final = 8
_LONGEST: Final = 5
_MIN_SETS_TO_CHOOSE_FROM: Final = 400
FEW_NUMBERS: Final = 10
_ODD: Final = np.int64(1_000_003)
_WEIGHTS: Final = np.random.default_rng(17).integers(1, 2**63, _ROWS, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Sets, each with a share of its special jokers from the rack."""

    sets: Sets
    lies: NDArray[np.bool_]
    places: Places
    """(columns, longest): the codes, or from _RACK on for a joker of which others lie on the table."""
    worth: Whole
    """(columns,): what the tiles are worth, the table's jokers left out."""
    released: Small
    """(columns, asked): what `released_by` says of them."""

    def labels(self) -> Places:
        """Return a label for what each special joker counts."""
        labels = np.full(self.places.shape, -1, np.int16)
        for joker in SPECIAL:
            for row in (joker.code, _rack_row(joker)):
                counts = (self.places == row) & (self.sets.values > 0)
                labels[counts] = np.int16(_label(row, 0)) + self.sets.values[counts]
        return labels


def _number_codes(codes: Counts | Places) -> NDArray[np.bool_]:
    """Return which codes are of number tiles."""
    numbers: NDArray[np.bool_] = (codes < _NUMBER_TILES) | ((codes >= FREE) & (codes < NOTHING))
    return numbers


def _rack_row(joker: Joker) -> int:
    return _RACK + joker.code - _NUMBER_TILES


def _label(row: int, value: int) -> int:
    return (row - _NUMBER_TILES) * _VALUES_APART + value


def shares_of(sets: Sets, lies: NDArray[np.bool_], on_table: Counts, on_rack: Counts, released: Small) -> Shares:
    """Return a column for every set and every share of its special jokers that may come from the rack."""
    places = sets.codes.astype(np.int16)
    row = np.arange(len(places))
    counts = _number_codes(places)
    for joker in SPECIAL:
        if on_rack[joker.code] and not on_table[joker.code]:
            counts |= places == joker.code
    for joker in SPECIAL:
        worth = (sets.codes == joker.code) & (sets.values > 0)
        if on_rack[joker.code] and on_table[joker.code] and worth.any():
            held = (int(on_table[joker.code]), int(on_rack[joker.code]))
            row, places = _shared(joker, row, places, sets.values, held)
    chosen = sets.take(row)
    worth = np.where(counts[row] | (places > NOTHING), chosen.values, 0).sum(axis=1, dtype=np.int64)
    best = _best_of_alike(places, worth, released[row])
    return Shares(
        sets=chosen.take(best),
        lies=lies[row][best],
        places=places[best],
        worth=worth[best],
        released=released[row][best],
    )


def _shared(
    joker: Joker, row: NDArray[np.intp], places: Places, values: Counts, held: tuple[int, int]
) -> tuple[NDArray[np.intp], Places]:
    """Let each set take every share of these jokers from the rack; those are the ones that count most.

    `held`: how many of them are on the table and on the rack.
    """
    on_table, on_rack = held
    lies = places == joker.code
    many = lies.sum(axis=1)
    falling = np.argsort(-np.where(lies, values[row], -1), axis=1, kind="stable")
    rows, shares = [], []
    for share in range(on_rack + 1):
        fits = np.flatnonzero((many >= share) & (many - share <= on_table))
        shared = places[fits]
        np.put_along_axis(shared, falling[fits, :share], np.int16(_rack_row(joker)), axis=1)
        rows.append(row[fits])
        shares.append(shared)
    return np.concatenate(rows), np.concatenate(shares)


def _best_of_alike(places: Places, worth: Whole, released: Small) -> NDArray[np.intp]:
    """Return, of columns that are alike in all the rows, the ones worth most; such columns are neighbours."""
    if not len(places):
        return np.zeros(0, np.intp)
    keys = _WEIGHTS[places].sum(axis=1)
    for asked in released.T:
        keys = keys * _ODD + asked
    first = np.append(True, keys[1:] != keys[:-1])
    run = np.cumsum(first) - 1
    most = np.maximum.reduceat(worth, np.flatnonzero(first))
    best = np.flatnonzero(worth == most[run])
    once: NDArray[np.intp] = best[np.append(True, run[best][1:] != run[best][:-1])]
    return once


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """The columns that are no sets: each takes one from a row and adds one to another."""

    free: tuple[NumberTile, ...]
    stand_ins: StandIns
    places: Places
    """(columns, longest): the row that is added to, and NOTHING."""
    takes: Places
    """(columns,): the row that is taken from."""
    gains: Whole
    labels: Places
    """(columns, any)."""


def extras_of(shares: Shares, on_table: Counts, on_rack: Counts) -> Extras:
    """Return the columns for the free tiles, and for what each joker that stands in may stand for."""
    numbers = [number for number in range(HIGHEST) if (shares.places == FREE + number).any()]
    free = tuple(NumberTile(colour, LOWEST + number) for number in numbers for colour in Colour)
    moves = [(FREE + tile.number - LOWEST, tile.code) for tile in free]
    gains, labels = [0] * len(free), [-1] * len(free)
    stand_ins: list[tuple[Joker, NumberTile]] = []
    for joker in STAND_INS:
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
    places = np.full((len(moves), shares.places.shape[1]), NOTHING, np.int16)
    places[:, 0] = adds
    marked = np.full_like(places, -1)
    marked[:, 0] = labels
    return Extras(
        free=free,
        stand_ins=tuple(stand_ins),
        places=places,
        takes=takes,
        gains=np.array(gains, np.int64),
        labels=marked,
    )


def sums_of(shares: Shares, extras: Extras, released: Small, numbers: int) -> tuple[Places, Floats, Floats]:
    """Return the rows to which most columns add, with their bounds: what is released; a number tile for each set.

    Where `numbers`, the number tiles at hand, are few, plans that forget the latter are too many to be refused singly;
    no set may then be held only in parts.
    """
    sums = np.concatenate((shares.released, released)).astype(np.int16)
    lower, upper = np.ones(sums.shape[1]), np.full(sums.shape[1], WITHOUT_BOUND)
    if extras.stand_ins and numbers <= FEW_NUMBERS:
        own = 1 - _number_codes(shares.sets.codes).sum(axis=1, dtype=np.int16)
        none, one = np.zeros(len(extras.free), np.int16), np.ones(len(extras.stand_ins), np.int16)
        sums = np.column_stack((sums, np.concatenate((own, none, one))))
        lower, upper = np.append(lower, -WITHOUT_BOUND), np.append(upper, 0)
    return sums, lower, upper


def rows_of(
    places: tuple[Places, Places], on_table: Counts, on_rack: Counts
) -> tuple[tuple[Places, Places], Floats, Floats]:
    """Return the places as rows that are used, one more standing for none, and the bounds of the rows."""
    lower, upper = np.zeros(_ROWS), np.zeros(_ROWS)
    lower[:FREE], upper[:FREE] = on_table, on_table + on_rack
    used = np.zeros(_ROWS, np.bool_)
    used[places[0]] = True
    used[places[1]] = True
    for joker in (*SPECIAL, *STAND_INS):
        if used[_rack_row(joker)]:
            upper[joker.code] = on_table[joker.code]
            upper[_rack_row(joker)] = on_rack[joker.code]
    used[:FREE] |= on_table > 0
    used[NOTHING] = False
    row = np.where(used, np.cumsum(used) - 1, used.sum()).astype(np.int16)
    return (row[places[0]], row[places[1]]), lower[used], upper[used]


def likely_of(shares: Shares) -> NDArray[np.bool_]:
    """Return the sets without special jokers, and those on the table."""
    if len(shares.lies) < _MIN_SETS_TO_CHOOSE_FROM:
        return np.ones(len(shares.lies), np.bool_)
    special = (shares.sets.codes >= _NUMBER_TILES) & (shares.sets.codes != NOTHING)
    likely: NDArray[np.bool_] = shares.lies | ~special.any(axis=1)
    return likely


def leanings_of(lengths: Whole, lies: NDArray[np.bool_], tiles: int) -> Floats:
    """Prefer sets that lie on the table, which is less to move, and long ones: both leave fewer halves to search."""
    leanings: Floats = (lengths.clip(max=_LONGEST) ** 2 + _STANDING * lies) / (2 * tiles * (_LONGEST + _STANDING))
    return leanings
