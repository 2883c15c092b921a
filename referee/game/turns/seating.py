"""What the players are called, which may be changed at any time, and where they sit, which changes between games."""

from dataclasses import replace

from referee.game.endgame.starter import is_untouched
from referee.game.events import NamesChanged, SeatsChanged
from referee.game.inputs import PlayersRenamed, PlayersReseated
from referee.game.player_names import wrong_with_names
from referee.game.state import Match, Phase, Step, forget_judged, forget_undo


def rename(match: Match, said: PlayersRenamed) -> Step:
    """Rename the players; scores and turns stay with their seats."""
    names = match.setup.names
    if len(said.names) != len(names) or said.names == names or wrong_with_names(said.names):
        return match, ()
    start = replace(match.setup.start, names=said.names)
    told = NamesChanged(**match.event_header, names=said.names, by=said.by)
    return replace(match, seated=replace(match.setup, start=start)), (told,)


def may_reseat(match: Match) -> bool:
    """Return whether the players may change places: between games, or before anything was judged in one."""
    return match.phase in {Phase.GAME_OVER, Phase.CLEARING} or (match.phase is Phase.TURN and is_untouched(match))


def reseat(match: Match, said: PlayersReseated) -> Step:
    """Seat the players in a new order; a finished game then stays finished."""
    setup = match.setup
    if not may_reseat(match) or said.order == setup.clockwise or sorted(said.order) != list(setup.seats):
        return match, ()
    told = SeatsChanged(**match.event_header, order=said.order, by=said.by)
    after = replace(forget_judged(forget_undo(match)), seated=replace(setup, clockwise=said.order))
    return after, (told,)
