"""Turn clocks as values: how long a turn may take and how much is left; none reads a real clock."""

from dataclasses import dataclass
from typing import Final

from referee.reading.inputs import Seconds
from referee.rules.choices import ClockKind
from referee.rules.editions import RuleSet


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The kinds of clock as data: every turn has `turn_seconds`, then uses the player's bank.

    The booklets' clock has no bank; a pure bank has no turn seconds. A Bronstein clock has both and discards unused
    turn seconds; a Fischer clock adds them to the bank.
    """

    turn_seconds: float | None
    """None if turns are not timed, except by a bank."""
    bank_seconds: float = 0.0
    """Each player's bank when a game begins."""
    keeps_unused: bool = False

    @property
    def banked(self) -> bool:
        """Whether time used in one turn is missing in the next."""
        return bool(self.bank_seconds) or (self.keeps_unused and self.turn_seconds is not None)

    def limit(self, bank: float) -> float | None:
        """Return how long a turn may take with this bank, in seconds; None without a limit."""
        if self.turn_seconds is None:
            return bank if self.bank_seconds else None
        return bank + self.turn_seconds

    def bank_after(self, bank: float, left: float | None) -> float:
        """Return the bank, in seconds, after a turn that began with `bank` and ended with `left` of its limit."""
        if left is None:
            return bank
        return left if self.keeps_unused else min(bank, left)


def time_control(rules: RuleSet) -> TimeControl:
    """Return the clock that the rules prescribe."""
    seconds = None if rules.turn_seconds is None else float(rules.turn_seconds)
    return TimeControl(seconds, float(rules.bank_seconds), rules.clock is ClockKind.FISCHER)


@dataclass(frozen=True, slots=True)
class TurnClock:
    """Seconds `left` at `since`; stopped if `since` is None, without a limit if `left` is None."""

    left: float | None = None
    since: Seconds | None = None

    def left_at(self, at: Seconds) -> float | None:
        """Return the seconds left at this time, never below zero."""
        if self.left is None or self.since is None:
            return self.left
        return max(0.0, self.left - max(0.0, at - self.since))

    def running(self, at: Seconds) -> "TurnClock":
        """Return the clock, running from this time on."""
        return TurnClock(self.left_at(at), at)

    def stopped(self, at: Seconds) -> "TurnClock":
        """Return the clock, stopped at this time."""
        return TurnClock(self.left_at(at), None)

    def time_of(self, seconds_left: float) -> Seconds | None:
        """Return when `seconds_left` remain, at once if fewer do; None if stopped or without limit."""
        if self.left is None or self.since is None:
            return None
        return Seconds(self.since + max(0.0, self.left - seconds_left))


NO_CLOCK: Final = TurnClock()
