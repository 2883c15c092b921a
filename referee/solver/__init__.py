"""Exact search for best plays, initial melds and nearest legal tables."""

from referee.solver.blocked import can_play, has_initial_meld, is_blocked
from referee.solver.fewest_moves import with_fewest_moves
from referee.solver.nearest import NearestTable, nearest_legal_table
from referee.solver.play import MAX_SECONDS, Play, best_play

__all__ = [
    "MAX_SECONDS",
    "NearestTable",
    "Play",
    "best_play",
    "can_play",
    "has_initial_meld",
    "is_blocked",
    "nearest_legal_table",
    "with_fewest_moves",
]
