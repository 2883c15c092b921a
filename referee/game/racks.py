"""The racks at the end of a game: the scores they give."""

from referee.game.inputs import RacksTold
from referee.game.state import Match, Step


def score_game(match: Match, _racks: RacksTold) -> Step:
    """Score the game just ended from the racks told."""
    return match, ()
