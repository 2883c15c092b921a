"""The nearest legal table: the same tiles in legal sets, with as few as possible moved out of the sets they lie in.

Every legal set may grow out of one set of the table, and each of those into one legal set; what they share stays
where it is. So a column is a legal set together with the set it grows from, and its gain is the tiles that stay.
"""

import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from referee.rules.editions import RuleSet
from referee.rules.sets import is_set
from referee.rules.table import Table, TileSet
from referee.rules.tiles import ALL_TILES, Joker, JokerKind, Tile
from referee.solver.catalogue import Sets
from referee.solver.laying import NOTHING, Counts
from referee.solver.play import SECONDS, check_box
from referee.solver.programme import maximise
from referee.solver.question import counted, jokers_of, sets_at_hand
from referee.solver.relaxation import Programme, Whole
from referee.solver.shapes import Limits, leaves_out_long_runs

_ORDERED: Final = frozenset({JokerKind.COLOUR_CHANGE, JokerKind.MIRROR})
"""With these a set is one only in the order laid."""


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
    """Return the legal table of all these tiles that moves the fewest, or None if they make none.

    A set that could be cut in two is looked at whole only if it lies so already, or is a run in one colour with at most
    two jokers; with other jokers on the table the fewest are proven only where none or one had to be moved.
    Raise NotationError for tiles that the edition's box does not hold.
    """
    check_box(table.tiles, rules)
    if not table.sets:
        return NearestTable(table, (), optimal=True)
    have = counted(table.tiles)
    lying = np.stack([counted(tiles) for tiles in table.sets])
    sets = sets_at_hand(have, table, rules, long_runs=True)
    rows, grown_from, staying = _growths(sets, lying)
    used = have > 0
    based = (grown_from[:, None] == np.arange(len(lying))).astype(np.int8)
    programme = Programme(
        columns=np.column_stack((sets.counts[rows][:, used], based)),
        gains=staying,
        lower=np.concatenate((have[used], np.zeros(len(lying)))),
        upper=np.concatenate((have[used], np.ones(len(lying)))),
        leanings=np.zeros(len(rows)),
        watched=np.zeros((len(rows), 0), np.int8),
        likely=staying > 1,
    )
    plan = maximise(programme, deadline=time.monotonic() + seconds)
    if plan.amounts is None:
        return None
    taken = np.repeat(np.arange(len(rows)), plan.amounts)
    nearest = _nearest(table, sets, [(int(rows[one]), int(grown_from[one])) for one in taken])
    least = len(nearest.moved) if _all_looked_at(jokers_of(have)) else _surely_moved(table, rules)
    return replace(nearest, optimal=plan.proven and len(nearest.moved) <= least)


def _all_looked_at(jokers: Limits) -> bool:
    """Tell whether every set with these jokers is in the programme: long mirror sets are not."""
    return JokerKind.MIRROR not in dict(jokers) and not leaves_out_long_runs(jokers)


def _surely_moved(table: Table, rules: RuleSet) -> int:
    """Return how many tiles every legal table moves: one at least if these are no sets in whatever order."""
    return int(
        any(
            not is_set(tiles, rules) and not _ORDERED & {tile.kind for tile in tiles if isinstance(tile, Joker)}
            for tiles in table.sets
        )
    )


def _growths(sets: Sets, lying: Counts) -> tuple[Whole, Whole, Whole]:
    """Return every way for a set to grow from one of those lying (-1: from none): the set, from which, what stays."""
    shared = np.stack([np.minimum(sets.counts, tiles).sum(axis=1, dtype=np.int64) for tiles in lying], axis=1)
    rows, grown_from = np.nonzero(shared)
    new = np.arange(len(sets.codes))
    return (
        np.concatenate((rows, new)),
        np.concatenate((grown_from, np.full(len(new), -1))),
        np.concatenate((shared[rows, grown_from], np.zeros(len(new), np.int64))),
    )


def _nearest(table: Table, sets: Sets, taken: list[tuple[int, int]]) -> NearestTable:
    laid = {row: tuple(ALL_TILES[code] for code in sets.codes[row] if code != NOTHING) for row, _ in taken}
    grown: dict[int, TileSet] = {place: laid[row] for row, place in taken if place >= 0}
    moved: list[Tile] = []
    result: list[TileSet] = []
    for place, tiles in enumerate(table.sets):
        after = grown.get(place, ())
        moved += (Counter(tiles) - Counter(after)).elements()
        if after:
            result.append(tiles if Counter(tiles) == Counter(after) else after)
    result += [laid[row] for row, place in taken if place < 0]
    return NearestTable(Table(tuple(result)), tuple(moved), optimal=False)
