"""What a command is meant for: a match, a game, a turn; and why it is refused once that is over."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from referee.game.state import Match
from referee.rules.wording import Message, say

MAX_NAMED_TURNS: Final = 1000


class Scope(StrEnum):
    """What a kind of command refers to."""

    NOTHING = "nothing"
    MATCH = "match"
    GAME = "game"
    TURN = "turn"


@dataclass(frozen=True, slots=True)
class Meant:
    """The match, the game and the turn that a command is meant for; None: any."""

    match: str | None = None
    game: int | None = None
    turn: int | None = None

    def within(self, scope: Scope) -> "Meant":
        """Return what a command of this scope refers to."""
        match scope:
            case Scope.NOTHING:
                return Meant()
            case Scope.MATCH:
                return Meant(self.match)
            case Scope.GAME:
                return Meant(self.match, self.game)
            case Scope.TURN:
                return self

    def or_else(self, other: "Meant") -> "Meant":
        """Return this, where it names nothing as the other does."""
        return Meant(
            other.match if self.match is None else self.match,
            other.game if self.game is None else self.game,
            other.turn if self.turn is None else self.turn,
        )


@dataclass(frozen=True, slots=True)
class Moment:
    """A match at one moment, with the id under which pages know it; None before the first match."""

    match: Match
    match_id: str | None

    @property
    def meant(self) -> Meant:
        """What a command is meant for that is given now."""
        return Meant(self.match_id, self.match.game, self.match.turn)


class TurnNames:
    """The names of those whose turns a match has seen."""

    def __init__(self) -> None:
        """Know no turn."""
        self._names: dict[tuple[int, int], str] = {}

    def note(self, match: Match) -> None:
        """Note whose turn it is."""
        if match.in_play:
            self._names[match.game, match.turn] = match.setup.names[match.seat]
            if len(self._names) > MAX_NAMED_TURNS:
                del self._names[next(iter(self._names))]

    def what_is_over(self, meant: Meant, now: Moment) -> Message | None:
        """Say what a command was meant for that is over now; None if all of it is still there."""
        if meant.match not in {None, now.match_id}:
            return say("stale.match", "This was meant for a match that is over.")
        game = now.match.game if meant.game is None else meant.game
        if meant.turn not in {None, now.match.turn} or (meant.turn is not None and game != now.match.game):
            return turn_is_over(self._names.get((game, meant.turn)), meant.turn)
        if game != now.match.game:
            return say("stale.game", "This was meant for game {game}, which is over.", game=game)
        return None


def turn_is_over(name: str | None, turn: int) -> Message:
    """Say that somebody's turn is over."""
    if name is None:
        return say("stale.turn_number", "This was meant for turn {turn}, which is over.", turn=turn)
    return say("stale.turn", "This was meant for {name}'s turn, which is over.", name=name)
