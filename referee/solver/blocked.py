"""Questions at a game's end: whether a rack holds an initial meld, and whether the game is blocked."""

from collections.abc import Iterable

from referee.rules.editions import RuleSet
from referee.rules.table import EMPTY_TABLE, Table
from referee.rules.tiles import Tile
from referee.solver.play import MAX_SECONDS, best_play


def has_initial_meld(rack: Iterable[Tile], rules: RuleSet, *, seconds: float = MAX_SECONDS) -> bool:
    """Return whether these tiles contain an initial meld."""
    return bool(best_play(EMPTY_TABLE, rack, rules, opened=False, seconds=seconds, any_worth=True).tiles)


def can_play(
    table: Table, rack: Iterable[Tile], rules: RuleSet, *, opened: bool = True, seconds: float = MAX_SECONDS
) -> bool:
    """Return whether a player can play any tile."""
    return bool(best_play(table, rack, rules, opened=opened, seconds=seconds, any_worth=True).tiles)


def is_blocked(table: Table, racks: Iterable[tuple[Iterable[Tile], bool]], rules: RuleSet) -> bool:
    """Return whether no player can play any tile; `racks`: each player's rack and whether the player has opened."""
    return not any(can_play(table, rack, rules, opened=opened) for rack, opened in racks)
