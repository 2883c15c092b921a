"""What a strict release of jokers asks of the next table: the tile a joker stood for, or another joker for it."""

from collections.abc import Iterator, Sequence

import numpy as np

from referee.rules.editions import RuleSet
from referee.rules.joker_release import stood_for
from referee.rules.table import Table, TileSet
from referee.rules.tiles import ALL_TILES, Joker, JokerKind, NumberTile
from referee.solver.catalogue import Sets
from referee.solver.laying import FREE, NOTHING, Small

_DOUBLE = Joker(JokerKind.DOUBLE).code


def released_by(sets: Sets, table: Table, rules: RuleSet) -> Small:
    """Return, for each joker of the table whose tile is not there (columns), the sets of which one must lie (rows).

    A tile of such a set may be stood in for by a joker; that would do, too.
    """
    asked = _asked(table, rules)
    released = np.zeros((len(sets.codes), len(asked)), np.int8)
    for place, codes in enumerate(asked):
        released[:, place] = np.isin(sets.codes, list(codes)).any(axis=1)
    for row in np.flatnonzero((sets.codes == _DOUBLE).any(axis=1)) if asked else ():
        codes = sets.codes[row][sets.codes[row] != NOTHING]
        if (codes >= FREE).any():
            released[row] = 1  # it might; the judge will tell
            continue
        shown = frozenset[int]().union(*_codes_stood_for(tuple(ALL_TILES[code] for code in codes), rules))
        released[row] |= [not shown.isdisjoint(codes) for codes in asked]
    return released


def released_by_tile(
    free: Sequence[NumberTile], stand_ins: Sequence[tuple[Joker, NumberTile]], table: Table, rules: RuleSet
) -> Small:
    """Return the same for tiles that face a colour-change joker; what stands in is in a set, and counted there."""
    asked = _asked(table, rules)
    released = [[tile.code in codes for codes in asked] for tile in free]
    none = [[False] * len(asked)] * len(stand_ins)
    return np.array([*released, *none], np.int8).reshape(len(free) + len(stand_ins), len(asked))


def _asked(table: Table, rules: RuleSet) -> list[frozenset[int]]:
    """Return the tiles of which one must be there, once for each joker that none of the table's tiles replaces."""
    if not rules.strict_joker_release:
        return []
    there = {tile.code for tile in table.tiles}
    asked = (codes for tiles in table.sets for codes in _codes_stood_for(tiles, rules))
    return [codes for codes in asked if codes.isdisjoint(there)]


def _codes_stood_for(tiles: TileSet, rules: RuleSet) -> Iterator[frozenset[int]]:
    """Yield the codes of the tiles for which each joker of a set may stand, once for each of its numbers."""
    for _, possible in stood_for(tiles, rules):
        yield frozenset(tile.code for tile in possible)
