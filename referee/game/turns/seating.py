"""Players' names, which may change at any time, and their seats, which may change between games."""

from dataclasses import replace

from referee.game.endgame.starter import is_untouched
from referee.game.events import NamesChanged, SeatsChanged
from referee.game.inputs import PlayersRenamed, PlayersReseated
from referee.game.player_names import wrong_with_names
from referee.game.state import Match, Phase, Step, forget_judged, forget_undo


def rename(match: Match, command: PlayersRenamed) -> Step:
    """Rename the players; scores and turns stay with their seats."""
    names = match.setup.names
    if len(command.names) != len(names) or command.names == names or wrong_with_names(command.names):
        return match, ()
    start = replace(match.setup.start, names=command.names)
    event = NamesChanged(**match.event_header, names=command.names, by=command.by)
    return replace(match, seated=replace(match.setup, start=start)), (event,)


def may_reseat(match: Match) -> bool:
    """Return whether the players may change places: between games, or before anything was judged in one."""
    return match.phase in {Phase.GAME_OVER, Phase.CLEARING} or (match.phase is Phase.TURN and is_untouched(match))


def reseat(match: Match, command: PlayersReseated) -> Step:
    """Seat the players in a new order; a finished game then stays finished."""
    setup = match.setup
    if not may_reseat(match) or command.order == setup.clockwise or sorted(command.order) != list(setup.seats):
        return match, ()
    event = SeatsChanged(**match.event_header, order=command.order, by=command.by)
    after = replace(forget_judged(forget_undo(match)), seated=replace(setup, clockwise=command.order))
    return after, (event,)
