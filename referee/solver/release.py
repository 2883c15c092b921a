"""Rows for the strict release of jokers: the next table needs the tile that a joker stood for, or a joker for it."""

from collections.abc import Iterator, Sequence

import numpy as np

from referee.rules.editions import RuleSet
from referee.rules.joker_release import represented_tiles, represented_ways
from referee.rules.table import Table, TileSet
from referee.rules.tiles import ALL_TILES, Joker, NumberTile
from referee.solver.catalogue import SetTable
from referee.solver.laying import DOUBLE, FIRST_FREE_CODE, NO_TILE, SmallInts


def released_by_set(sets: SetTable, table: Table, rules: RuleSet) -> SmallInts:
    """Return, for each joker whose tile the table lacks (columns), the sets (rows) one of which must be laid.

    A joker may replace a tile of such a set; that suffices too.
    """
    asked = _replacement_tiles(table, rules)
    released = np.zeros((len(sets.codes), len(asked)), np.int8)
    for place, codes in enumerate(asked):
        released[:, place] = np.isin(sets.codes, list(codes)).any(axis=1)
    for row in np.flatnonzero((sets.codes == DOUBLE.code).any(axis=1)) if asked else ():
        codes = sets.codes[row][sets.codes[row] != NO_TILE]
        if (codes >= FIRST_FREE_CODE).any():
            released[row] = 1  # possibly; the judge decides
            continue
        shown = frozenset[int]().union(*_codes_stood_for(tuple(ALL_TILES[code] for code in codes), rules))
        released[row] |= [not shown.isdisjoint(codes) for codes in asked]
    return released


def released_by_tile(
    free: Sequence[NumberTile], stand_ins: Sequence[tuple[Joker, NumberTile]], table: Table, rules: RuleSet
) -> SmallInts:
    """Return the same for tiles that face a colour-change joker; stand-ins are counted in their sets."""
    asked = _replacement_tiles(table, rules)
    released = [[tile.code in codes for codes in asked] for tile in free]
    none = [[False] * len(asked)] * len(stand_ins)
    return np.array([*released, *none], np.int8).reshape(len(free) + len(stand_ins), len(asked))


def _replacement_tiles(table: Table, rules: RuleSet) -> list[frozenset[int]]:
    """Return, for each joker that no tile of the table replaces, the tiles one of which must be there."""
    if not rules.strict_joker_release:
        return []
    there = {tile.code for tile in table.tiles}
    # Of a set with several releasing readings, and of a rule that asks for more than a tile, the judge decides.
    known = (tiles for tiles in table.sets if len(represented_ways(tiles, rules)) == 1)
    asked = (codes for tiles in known for codes in _codes_stood_for(tiles, rules))
    return [codes for codes in asked if codes.isdisjoint(there)]


def _codes_stood_for(tiles: TileSet, rules: RuleSet) -> Iterator[frozenset[int]]:
    """Yield the codes of the tiles that each joker of a set may stand for, once per number."""
    for _, possible in represented_tiles(tiles, rules):
        yield frozenset(tile.code for tile in possible)
