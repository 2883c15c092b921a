"""Best plays, initial melds in a rack and nearest legal tables, found exactly."""

from referee.solver.blocked import can_play, has_initial_meld, nobody_can_go_on
from referee.solver.nearest import NearestTable, nearest_legal_table
from referee.solver.play import SECONDS, Play, best_play

__all__ = [
    "SECONDS",
    "NearestTable",
    "Play",
    "best_play",
    "can_play",
    "has_initial_meld",
    "nearest_legal_table",
    "nobody_can_go_on",
]
