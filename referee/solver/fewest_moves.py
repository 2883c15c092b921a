"""The best play with the fewest moves: the same tiles laid so that few tiles of the table leave their sets."""

from dataclasses import replace

from referee.rules.editions import RuleSet
from referee.rules.judge import judge_turn
from referee.rules.table import Table
from referee.rules.verdict import Legal
from referee.solver.nearest import nearest_legal_table
from referee.solver.play import MAX_SECONDS, Play, worth_of_play


def with_fewest_moves(
    play: Play, table: Table, rules: RuleSet, *, opened: bool = True, seconds: float = MAX_SECONDS
) -> Play:
    """Return a play of the same tiles and worth that moves the fewest tiles of the table; unchanged if in doubt."""
    if not play.tiles or not opened:
        return play

    def is_as_good(after: Table) -> bool:
        verdict = judge_turn(table, after, opened=opened, rules=rules)
        return isinstance(verdict, Legal) and worth_of_play(table, after, rules) >= play.worth

    found = nearest_legal_table(table, rules, seconds=seconds, added=play.tiles, accepts=is_as_good)
    return play if found is None else replace(play, table=found.table)
