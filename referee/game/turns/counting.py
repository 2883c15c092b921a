"""How many tiles a rack holds after a turn: a number, or a range after an undecided turn until the next one is decided.

A rack holds `rack` tiles, and up to `spare` more. Only a number ends a game by counting; where a range begins at zero,
the player is asked. A later turn that is decided tells which of the possible tables its player began with, and so what
the undecided turn had laid.
"""

from collections.abc import Iterable
from dataclasses import replace

from referee.game.state import Match, Player, Uncounted, with_item
from referee.game.table.certainty import Certainty
from referee.game.table.judging import TableJudgement
from referee.rules.table import Table


def laid_between(befores: Iterable[Table], afters: Iterable[Table]) -> tuple[int, int]:
    """Return the least and the greatest number of tiles that a turn may have added."""
    afters = tuple(afters)
    added = [len(after.tiles) - len(before.tiles) for before in befores for after in afters]
    return max(0, min(added)), max(0, *added)


def laid_nothing(match: Match, judgement: TableJudgement) -> bool:
    """Return whether an undecided turn surely added no tile: only names are in doubt, and nothing covers the table."""
    return laid_between(match.turn_start.tables, judgement.tables)[1] == 0 and not _covers(judgement.seen.certain)


def _covers(certain: Certainty) -> bool:
    return bool(certain.covered) or certain.hidden or certain.astray


def lower_count(player: Player, played: int) -> Player:
    """Return the player with that many tiles fewer, opened if there were any; a range if the count was too low."""
    opened = player.opened or played > 0
    too_low = played > player.rack + player.spare
    spare = max(1, player.spare) if too_low else player.spare
    return replace(player, rack=max(0, player.rack - played), spare=spare, opened=opened)


def uncertain_count(match: Match, judgement: TableJudgement) -> Player:
    """Return the player to move after an undecided turn: from all laid that may be to nothing laid and a tile drawn."""
    player = match.player
    _, most = laid_between(match.turn_start.tables, judgement.tables)
    least = max(0, player.rack - most)
    greatest = player.rack + player.spare + min(match.rules.pass_draw, match.pool)
    return replace(player, rack=least, spare=greatest - least)


def uncounted(match: Match) -> Uncounted:
    """Return what the next decided turn needs to count the turn that now stands undecided."""
    return Uncounted(seat=match.seat, player=match.player, tiles=len(match.turn_start.best.tiles))


def count_turn_before(match: Match, before: Table) -> Match:
    """Return the match once it is known with which table the turn began: what the undecided turn before had laid."""
    turn = match.turn_start.uncounted
    if turn is None:
        return match
    laid = len(before.tiles) - turn.tiles
    was, now = turn.player, match.players[turn.seat]
    if laid > 0:
        rack = max(1, was.rack - laid)
        counted = replace(was, rack=rack, opened=now.opened, opened_after=now.opened_after)
    else:
        counted = replace(was, spare=was.spare + min(match.rules.pass_draw, match.pool))
    players = with_item(match.players, turn.seat, replace(counted, bank=now.bank, passed=now.passed))
    return replace(match, players=players, turn_start=replace(match.turn_start, uncounted=None))


def not_empty(player: Player) -> Player:
    """Return the player with at least one tile, within the range."""
    missing = 1 if player.rack == 0 else 0
    return replace(player, rack=player.rack + missing, spare=max(0, player.spare - missing))
