"""Openings that nobody saw for sure: a turn that stood unseen or undecided, or a press out of turn, may have been one.

Its player counts as opened, and so is accused of nothing that an opening allows, until a look that reads every tile
tells that too little was laid since: it was taken back, or is another player's.
"""

from collections import Counter
from dataclasses import replace
from itertools import product

from referee.game.state import Match, Player
from referee.game.table.judging import TableJudgement
from referee.rules.editions import RuleSet
from referee.rules.judge import judge_turn
from referee.rules.table import Table
from referee.rules.tiles import NumberTile
from referee.rules.verdict import Legal, Outcome


def perhaps_opened(match: Match, player: Player) -> Player:
    """Return the player as one who may have opened since the turn to move began."""
    return player if player.opened else replace(player, opened=True, opened_after=match.turn_start.tables)


def surely_opened(player: Player, judgement: TableJudgement, rules: RuleSet) -> Player:
    """Return a player who may have opened as one who has, if this legal turn alone would be an opening."""
    if not player.opened_after:
        return player
    alone = judge_turn(judgement.before, judgement.table, opened=False, rules=rules)
    opens = isinstance(alone, Legal) and alone.outcome is Outcome.PLAYED
    return replace(player, opened_after=()) if opens else player


def settle_openings(match: Match) -> Match:
    """Return the match in which only those count as opened who may be, now that it is known how this turn began."""
    start = match.turn_start
    if start.open or start.observation is None or not start.observation.hypotheses.sure:
        return match
    return replace(match, players=tuple(_settled(player, start.tables, match.rules) for player in match.players))


def _settled(player: Player, tables: tuple[Table, ...], rules: RuleSet) -> Player:
    if not player.opened_after or any(_may_open(*pair, rules) for pair in product(player.opened_after, tables)):
        return player
    return replace(player, opened=False, opened_after=())


def _may_open(before: Table, after: Table, rules: RuleSet) -> bool:
    """Return whether the tiles laid since may be worth an opening, whatever a joker among them stands for.

    A table that holds more of a tile than the box was misread: it tells nothing.
    """
    if after.counts() - Counter(rules.box):
        return True
    laid = [*(after.counts() - before.counts()).elements()]
    numbers = [tile.number for tile in laid if isinstance(tile, NumberTile)]
    return len(numbers) < len(laid) or (bool(laid) and sum(numbers) >= rules.initial_meld)
