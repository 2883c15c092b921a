"""Presses of players who play on though the match stands elsewhere: they bring it to the turn that is really played.

Nobody is accused, penalised or counted out for a turn that was never seen by itself; it stands, and what it laid is
looked at with the turn that follows (`TurnStart.open`).
"""

from dataclasses import replace

from referee.game.endgame.games import end_match, start_game
from referee.game.endgame.shown_racks import show_rack, waiting_racks
from referee.game.endgame.starter import next_starters, tiles_decide
from referee.game.inputs import NEVER, NextGame, RummikubCalled, Seat, TurnEnded
from referee.game.state import Match, Phase, Step, is_double_press, prepend, seat_after
from referee.game.turns.drawing import draw_for_no_play
from referee.game.turns.play import press
from referee.rules.judge import judge_turn
from referee.rules.table import EMPTY_TABLE
from referee.rules.verdict import Legal, Outcome


def press_after_game(match: Match, pressed: TurnEnded) -> Step:
    """Take a press after a game as a rack shown, or as the first turn of the next game where that is being played."""
    if is_double_press(match) or not _plays_next_game(match, pressed.seat):
        return show_rack(match, pressed)
    return begin_with_press(match, pressed)


def _plays_next_game(match: Match, seat: Seat | None) -> bool:
    """Return whether the players have gone on: a bare table though every rack was asked, or an opening on one."""
    observation, waiting = match.table.current, waiting_racks(match)
    if observation is None or not waiting or not match.showing.racks:
        return False
    if observation.is_cleared:
        return set(waiting) <= set(match.showing.asks)
    laid = len(observation.hypotheses.best.tiles)
    owner = match.players[seat if seat in waiting else waiting[0]]
    if not match.showing.cleared or owner.rack <= laid <= owner.rack + owner.spare:
        return False
    verdict = judge_turn(EMPTY_TABLE, observation.hypotheses.best, opened=False, rules=match.rules)
    return isinstance(verdict, Legal) and verdict.outcome is Outcome.PLAYED


def begin_with_press(match: Match, pressed: TurnEnded | RummikubCalled) -> Step:
    """Begin the next game with the turn that this press ends; players before it on a bare table have passed."""
    if match.game >= match.setup.games:
        return end_match(match, None)
    named = pressed.seat if tiles_decide(match) and pressed.seat in match.present else None
    starters = next_starters(match, match.starter, NextGame(match.now, named))
    first = starters[0] if starters else seat_after(match, match.starter)
    step: Step = start_game(replace(match, last_starter=match.starter, phase=Phase.GAME_OVER), first)
    bare = match.table.current is not None and match.table.current.is_cleared
    for _ in match.present if bare else ():
        begun, events = step
        behind = pressed.seat is not None and begun.seat != pressed.seat and begun.phase is Phase.TURN
        if not behind:
            break
        step = prepend(draw_for_no_play(begun), *events)
    begun, events = step
    return prepend(press(replace(begun, pressed_at=NEVER), pressed), *events)
