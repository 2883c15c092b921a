"""Values of a whole match: players, seats and the result of each game."""

from dataclasses import dataclass

from referee.game.inputs import MatchStarted, Seat
from referee.rules.editions import RuleSet
from referee.rules.tiles import Tile


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

    `on_time`: the loser's time had run out. `shown` are the racks known of a game that is not scored yet; `lost` says
    that nobody waits for the others.
    """

    blocked: bool
    winners: tuple[Seat, ...]
    unopened: tuple[Seat, ...]
    scores: tuple[tuple[Seat, int], ...] | None = None
    on_time: bool = False
    present: tuple[Seat, ...] = ()
    shown: tuple[tuple[Seat, tuple[Tile, ...]], ...] = ()
    lost: bool = False

    @property
    def owners(self) -> tuple[Seat, ...]:
        """The seats whose racks score the game: all who were there at its end, except the winner's."""
        return tuple(seat for seat in self.present if self.blocked or seat not in self.winners)

    @property
    def missing_racks(self) -> tuple[Seat, ...]:
        """The seats whose racks the game still waits for; none once it is scored or they are lost."""
        known = {seat for seat, _ in self.shown}
        open_still = self.scores is None and not self.lost
        return tuple(seat for seat in self.owners if open_still and seat not in known)
