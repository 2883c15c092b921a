"""Tiles from the pool: who draws how many, and whether that ends the turn.

In every edition it does: a drawn tile waits until the next turn, and only the end of the turn keeps it from being laid,
since the referee cannot see which tile was drawn. A house rule may let it be laid at once: a player who plays nothing
then draws and plays on, once per turn, with the time left at the press.
"""

from dataclasses import replace

from referee.game.endgame.games import finish_game, next_turn
from referee.game.event_parts import Reason
from referee.game.events import ClockRuns, DrawTakenBack, Drew
from referee.game.state import Match, Phase, Step, forget_judged, none_passed, prepend, with_clock_running, with_player


def draw(match: Match, tiles: int, reason: Reason) -> Step:
    """Let the player draw and the next one move; the game is blocked once all have passed with an empty pool."""
    if match.seat in match.gone:
        return next_turn(_drawing(match, 0))
    drawer, drew = _drawn(match, tiles, reason)
    stuck = all(drawer.players[seat].passed for seat in match.present)
    after = finish_game(drawer, Reason.BLOCKED) if stuck else next_turn(drawer)
    return prepend(after, drew)


def draw_for_no_play(match: Match) -> Step:
    """Let a player who played nothing draw and end the turn; nobody draws for that twice in one turn."""
    if match.play.has_drawn:
        return next_turn(_drawing(match, 0))
    tiles, why = match.rules.pass_draw, Reason.NO_PLAY
    if match.play.late:
        tiles, why = match.rules.overrun_draw, Reason.TIME_OVER
    return draw(match, tiles, why)


def may_play_on(match: Match) -> bool:
    """Return whether a player who plays nothing draws a tile that may be laid in the same turn."""
    rules = match.rules
    draws = min(rules.pass_draw, match.pool) > 0 and not match.play.has_drawn
    return draws and not rules.drawn_tile_waits and not match.play.late and match.seat not in match.gone


def draw_and_play_on(match: Match) -> Step:
    """Let a player who played nothing draw and play on, with the time left at the press."""
    drawer, drew = _drawn(match, match.rules.pass_draw, Reason.PLAYS_ON)
    on = replace(
        forget_judged(drawer),
        phase=Phase.TURN,
        play=replace(with_clock_running(drawer), has_drawn=True, wait_until=None, claims_win=False),
        undo=match.undo_from_now(),
    )
    runs = () if on.pauses.halted else (ClockRuns(**on.event_header, seconds_left=on.play.clock.left_at(on.now)),)
    return on, (drew, *runs)


def take_back_draw(match: Match, drawn: int) -> tuple[DrawTakenBack, ...]:
    """Return the event that takes back the player's draw; none if nothing was drawn."""
    return (DrawTakenBack(**match.event_header, tiles=drawn),) if drawn else ()


def _drawn(match: Match, tiles: int, reason: Reason) -> tuple[Match, Drew]:
    drawn = min(tiles, match.pool)
    still = match if match.pool == 0 else none_passed(match)
    could_play = reason is Reason.PENALTY  # the tiles were playable, though not as laid
    passed = still.player.passed or (match.pool == 0 and not could_play)
    drawer = with_player(still, replace(still.player, rack=still.player.rack + drawn, passed=passed))
    return _drawing(drawer, drawn), Drew(**match.event_header, tiles=drawn, reason=reason)


def _drawing(match: Match, tiles: int) -> Match:
    return replace(match, turn_start=replace(match.turn_start, drawn=tiles))
