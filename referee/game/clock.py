"""The time a player has left, as a value: it runs or stands, and never looks at a real clock."""

from dataclasses import dataclass
from typing import Final

from referee.game.inputs import Seconds


@dataclass(frozen=True, slots=True)
class TurnClock:
    """So much was left at `since` (None: the clock stands); `left` None is a turn without limit."""

    left: float | None = None
    since: Seconds | None = None

    def left_at(self, at: Seconds) -> float | None:
        """How much is left at this time, never below zero."""
        if self.left is None or self.since is None:
            return self.left
        return max(0.0, self.left - max(0.0, at - self.since))

    def running(self, at: Seconds) -> "TurnClock":
        """The clock, running from this time on."""
        return TurnClock(self.left_at(at), at)

    def standing(self, at: Seconds) -> "TurnClock":
        """The clock, stopped at this time."""
        return TurnClock(self.left_at(at), None)

    def due(self, seconds_left: float) -> Seconds | None:
        """When so much will be left, at once if it is less already; None if the clock stands or has no limit."""
        if self.left is None or self.since is None:
            return None
        return Seconds(self.since + max(0.0, self.left - seconds_left))


NO_CLOCK: Final = TurnClock()
