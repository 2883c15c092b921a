"""Whether players who never opened could have: a search of their racks after a game."""

from referee.game.events import RacksShown
from referee.game.inputs import RacksTold, Seat
from referee.game.state import Match
from referee.rules.tiles import Tile
from referee.solver import has_initial_meld


def racks_to_score(match: Match, shown: RacksShown) -> RacksTold:
    """Return the input that scores the racks shown to the camera, with the result of the search."""
    return RacksTold(match.now, shown.racks, could_open(match, shown.racks), by="camera")


def could_open(match: Match, racks: tuple[tuple[Seat, tuple[Tile, ...]], ...]) -> tuple[Seat, ...]:
    """Return the seats that had not opened in the game just ended though they held an initial meld."""
    unopened = match.results[-1].unopened
    return tuple(seat for seat, rack in racks if seat in unopened and has_initial_meld(rack, match.rules))
