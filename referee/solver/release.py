"""What a strict release of jokers asks of the next table: the tile a joker stood for, or another joker for it."""

from collections.abc import Iterator

import numpy as np

from referee.rules.editions import RuleSet
from referee.rules.joker_release import stood_for
from referee.rules.table import Table, TileSet
from referee.rules.tiles import ALL_TILES
from referee.solver.catalogue import Sets
from referee.solver.laying import NOTHING, Counts


def release_rows(table: Table, sets: Sets, rules: RuleSet) -> Counts:
    """Return, for each joker of the table whose tile is not there (columns), the sets of which one must lie (rows)."""
    none = np.zeros((len(sets.codes), 0), np.int8)
    if not rules.strict_joker_release:
        return none
    there = {tile.code for tile in table.tiles}
    asked = [codes for tiles in table.sets for codes in _codes_stood_for(tiles, rules) if codes.isdisjoint(there)]
    if not asked:
        return none
    shown = [_shown(row, rules) for row in sets.codes]
    return np.array([[not codes.isdisjoint(tiles) for codes in asked] for tiles in shown], np.int8)


def _shown(row: Counts, rules: RuleSet) -> frozenset[int]:
    """Return the number tiles that lie in a set or for which one of its jokers may stand."""
    tiles = tuple(ALL_TILES[code] for code in row if code != NOTHING)
    return frozenset(tile.code for tile in tiles).union(*_codes_stood_for(tiles, rules))


def _codes_stood_for(tiles: TileSet, rules: RuleSet) -> Iterator[frozenset[int]]:
    """Give the codes of the tiles for which each joker of a set may stand, once for each of its numbers."""
    for _, possible in stood_for(tiles, rules):
        yield frozenset(tile.code for tile in possible)
