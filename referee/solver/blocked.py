"""Questions at a game's end: whether a rack held an initial meld, and whether anybody can go on."""

from collections.abc import Iterable

from referee.rules.editions import RuleSet
from referee.rules.table import EMPTY_TABLE, Table
from referee.rules.tiles import Tile
from referee.solver.play import SECONDS, best_play


def has_initial_meld(rack: Iterable[Tile], rules: RuleSet, *, seconds: float = SECONDS) -> bool:
    """Return whether a player could have opened with these tiles alone."""
    return bool(best_play(EMPTY_TABLE, rack, rules, opened=False, seconds=seconds, any_worth=True).tiles)


def can_play(
    table: Table, rack: Iterable[Tile], rules: RuleSet, *, opened: bool = True, seconds: float = SECONDS
) -> bool:
    """Return whether a player can lay anything."""
    return bool(best_play(table, rack, rules, opened=opened, seconds=seconds, any_worth=True).tiles)


def nobody_can_go_on(table: Table, racks: Iterable[tuple[Iterable[Tile], bool]], rules: RuleSet) -> bool:
    """Return whether none of the players can lay anything; for each the rack, and whether that player has opened."""
    return not any(can_play(table, rack, rules, opened=opened) for rack, opened in racks)
