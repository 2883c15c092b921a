"""The meaning of a press, by how long it was held and how the match stands."""

from referee.game.inputs import BUTTON, Paused, Resumed, RummikubCalled, Seat, TableTaken, TurnEnded, Undone
from referee.game.state import Match
from referee.hardware.ports import Press, PressKind
from referee.reading.inputs import Input


def meaning(press: Press, match: Match) -> Input:
    """Return the input for a press: short ends the turn, held is "Rummikub!" or an undo, held long is a break.

    Held where a rack may be empty, it answers that it is. Held long where the referee has lost the thread, it makes the
    table as it lies the table, and its player the one to move.
    """
    seat = _sits_at(press, match)
    match press.kind:
        case PressKind.PRESS:
            return TurnEnded(press.at, seat, voice=BUTTON)
        case PressKind.LONG_HOLD if match.has_lost_thread and not match.pauses.halted:
            return TableTaken(press.at, seat, voice=BUTTON)
        case PressKind.LONG_HOLD:
            return (Resumed if match.pauses.halted else Paused)(press.at, voice=BUTTON)
        case PressKind.HOLD:
            undoes = match.may_undo(press.at) and not match.asks_whether_empty(seat)
            return Undone(press.at, voice=BUTTON) if undoes else RummikubCalled(press.at, seat, voice=BUTTON)


def _sits_at(press: Press, match: Match) -> Seat | None:
    """Return the seat of the player at this button: buttons stay where they are when players change places."""
    if press.seat is None or match.seated is None or press.seat not in match.setup.seats:
        return press.seat
    return match.setup.clockwise[press.seat]
