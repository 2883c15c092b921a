"""Undoing the last press."""

from dataclasses import replace

from referee.game.events import TurnTakenBack
from referee.game.inputs import Undone
from referee.game.state import Checkpoint, Match, Phase, Step, forget_judged, with_clock_running, with_player
from referee.game.turns.drawing import take_back_draw
from referee.game.turns.observe import changes_since


def take_back(match: Match, undone: Undone) -> Step:
    """Undo the last press, if it is recent or a person asks: its player continues with the time left then.

    Tell what the next player has laid meanwhile: the player who goes on does not answer for it.
    """
    if match.undo is None or match.lost_on_time or not (undone.by or match.may_undo(match.now)):
        return match, ()
    return return_turn(match, match.undo)


def return_turn(match: Match, to: Checkpoint) -> Step:
    """Return the match to the undone turn, with the table as seen now."""
    again = replace(forget_judged(match.back_at(to)), phase=Phase.TURN)
    again = replace(again, play=with_clock_running(again))
    if match.phase is Phase.GAME_OVER and match.results[-1].winners:
        # A player who takes back a win has a tile left, however few the referee had counted.
        laid = len(match.turn_start.best.tiles) - len(again.turn_start.best.tiles)
        again = with_player(again, replace(again.player, rack=max(laid + 1, again.player.rack)))
    event = TurnTakenBack(**again.event_header, seconds_left=again.play.clock.left_at(match.now))
    laid_since = changes_since(again, match.turn_start.tables) if match.phase is Phase.TURN else ()
    drawn = 0 if match.waits_for_verdict else match.turn_start.drawn
    return again, (event, *take_back_draw(again, drawn), *laid_since)
