"""Taking the last press back."""

from dataclasses import replace

from referee.game.events import DrawTakenBack, TurnTakenBack
from referee.game.inputs import Undone
from referee.game.state import Match, Phase, Step, running, with_item
from referee.game.turns.observe import changes_since


def take_back(match: Match, undone: Undone) -> Step:
    """Undo the last press, if it is not too long ago or a person asks: its player goes on with the time left then.

    What the next player has laid meanwhile is told, for the player who goes on will not answer for it.
    """
    waiting = match.phase in {Phase.LOOKING, Phase.DOUBT}
    if match.undo is None or match.lost_on_time or not (waiting or undone.by or match.now <= match.undo_until):
        return match, ()
    return give_back(match, match.undo)


def give_back(match: Match, to: Match) -> Step:
    """Return the match to the undone turn, with the table as seen now."""
    earlier = replace(
        to,
        seated=match.seated,
        now=match.now,
        pressed_at=match.pressed_at,
        table=match.table,
        dispute=replace(match.dispute, judged=to.dispute.judged),
        pauses=match.pauses,
    )
    again = replace(earlier, play=running(earlier), racks=_racks(match, earlier))
    told = TurnTakenBack(**again.event_header, seconds_left=again.play.clock.left_at(match.now))
    laid = changes_since(again, match.before) if match.phase is Phase.TURN else ()
    return again, (told, *_drawn_since(match, again), *laid)


def _racks(match: Match, again: Match) -> tuple[int, ...]:
    """Return what is on the racks; whoever takes back a win has a tile left, however few the referee had counted."""
    if match.phase is not Phase.GAME_OVER or not match.results[-1].winners:
        return again.racks
    laid = len(match.before[0].tiles) - len(again.before[0].tiles)
    return with_item(again.racks, again.seat, max(laid + 1, again.racks[again.seat]))


def _drawn_since(match: Match, again: Match) -> tuple[DrawTakenBack, ...]:
    ended = match.phase not in {Phase.LOOKING, Phase.DOUBT}
    return (DrawTakenBack(**again.event_header, tiles=match.drawn),) if ended and match.drawn else ()
