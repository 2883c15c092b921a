"""The time a player has, as values: what a turn may take, what is left of it; none looks at a real clock."""

from dataclasses import dataclass
from typing import Final

from referee.game.inputs import Seconds
from referee.rules.choices import ClockKind
from referee.rules.editions import RuleSet


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The kinds of clock as data: every turn has `turn_seconds`, and takes from the player's bank when they are over.

    The turn clock of the booklets has no bank, and a bank alone is a clock whose turns have no seconds of their own. A
    Bronstein clock has both and forgets what a turn did not need; a Fischer clock keeps it in the bank.
    """

    turn_seconds: float | None
    """None: turns are not timed, unless there is a bank."""
    bank_seconds: float = 0.0
    """What every player has when a game begins."""
    keeps_unused: bool = False

    @property
    def banked(self) -> bool:
        """Whether what one turn takes is missing in the next."""
        return bool(self.bank_seconds) or (self.keeps_unused and self.turn_seconds is not None)

    def limit(self, bank: float) -> float | None:
        """How long a turn may take that begins with so much in the bank; None: without limit."""
        if self.turn_seconds is None:
            return bank if self.bank_seconds else None
        return bank + self.turn_seconds

    def bank_after(self, bank: float, left: float | None) -> float:
        """What is in the bank after a turn that began with so much there, and ended with so much of its limit left."""
        if left is None:
            return bank
        return left if self.keeps_unused else min(bank, left)


def time_control(rules: RuleSet) -> TimeControl:
    """Give the kind of clock that the rules ask for."""
    seconds = None if rules.turn_seconds is None else float(rules.turn_seconds)
    return TimeControl(seconds, float(rules.bank_seconds), rules.clock is ClockKind.FISCHER)


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
