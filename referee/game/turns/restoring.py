"""Restoring the table: what is left to do, and the penalty once it is done."""

from dataclasses import replace

from referee.game.event_parts import Reason
from referee.game.events import Restored, RestoreNeeded
from referee.game.inputs import RummikubCalled, TurnEnded
from referee.game.state import Match, Phase, Step, forget_judged, forget_undo, prepend
from referee.game.table.differences import guide
from referee.game.turns.drawing import draw
from referee.game.turns.observe import lies_as


def begin_restore(match: Match) -> Step:
    """Ask for the table as it was when the turn began."""
    play = replace(match.play, wait_until=None, guided=None)
    return restore(replace(forget_undo(match), phase=Phase.RESTORE, play=play))


def restore(match: Match) -> Step:
    """Compare the table with what it must be again; then announce the penalty, or say what is still to do."""
    if match.table.current is None:
        return match, ()
    frame_id = match.table.current.reading.frame_id
    if lies_as(match, match.turn_start.tables):
        settled = forget_judged(match)  # the tiles are back on the rack: there is nothing left to dispute
        return prepend(
            draw(settled, match.rules.incomplete_draw, Reason.PENALTY),
            Restored(**match.event_header, frame_id=frame_id),
        )
    before, seen = match.turn_start.best, match.table.current.hypotheses
    todo = guide(before, seen.best)
    asked = tuple(doubt.may_be for doubt in seen.doubts)
    if (todo, asked) == match.play.guided:
        return match, ()
    needed = RestoreNeeded(**match.event_header, table=before, guide=todo, frame_id=frame_id, doubts=seen.doubts)
    return replace(match, play=replace(match.play, guided=(todo, asked))), (needed,)


def remind(match: Match, ahead: TurnEnded | RummikubCalled | None) -> Step:
    """Say again what is still to be restored; the press ahead of it is kept until it is."""
    return restore(replace(match, play=replace(match.play, guided=None, ahead=ahead)))
