"""Best plays, initial melds in a rack and nearest legal tables, found exactly."""

from referee.solver.play import Play, best_play

__all__ = ["Play", "best_play"]
