"""Values of a whole match: players, seats and the result of each game."""

from dataclasses import dataclass

from referee.game.inputs import MatchStarted, Seat
from referee.rules.editions import RuleSet


def seats_of(start: MatchStarted) -> tuple[Seat, ...]:
    """Return the seats as the players sat down, clockwise."""
    return tuple(Seat(index) for index in range(len(start.names)))


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSetup:
    """The setup of a match; only names and seats may change before its end."""

    start: MatchStarted
    rules: RuleSet
    clockwise: tuple[Seat, ...]
    """The seats as the players sit now, from the first place on."""

    @property
    def names(self) -> tuple[str, ...]:
        """The players by seat."""
        return self.start.names

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats by their numbers."""
        return seats_of(self.start)

    def after(self, seat: Seat) -> tuple[Seat, ...]:
        """Return all seats clockwise: first the one to the left of this seat, last the seat itself."""
        place = self.clockwise.index(seat) + 1
        return (*self.clockwise[place:], *self.clockwise[:place])

    @property
    def games(self) -> int:
        """How many games the match has; "as many as players" unless it was said otherwise."""
        return self.start.games or self.rules.games_per_round(len(self.names))


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One finished game: its winners (of a blocked game, by the racks) and the scores, once entered.

    `on_time`: the loser's time had run out.
    """

    blocked: bool
    winners: tuple[Seat, ...]
    unopened: tuple[Seat, ...]
    scores: tuple[tuple[Seat, int], ...] | None = None
    on_time: bool = False
    present: tuple[Seat, ...] = ()
