"""What can happen to a match (inputs) and what the match tells about it (turn events)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NewType

from referee.reading.observation import TableReading
from referee.rules.table import Table, TileSet
from referee.rules.tiles import Tile
from referee.rules.verdict import Verdict

Seat = NewType("Seat", int)
"""A place at the table, counted clockwise from 0."""
Seconds = NewType("Seconds", float)
"""Seconds since the service started, monotonic."""

NEVER = Seconds(float("-inf"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long the referee waits for what; the time for a turn itself comes from the edition."""

    warn_seconds: tuple[float, ...] = (15.0, 5.0)
    undo_seconds: float = 5.0
    double_press_seconds: float = 1.0
    settle_seconds: float = 10.0
    doubt_seconds: float = 15.0
    grace_seconds: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a wait that is negative."""
        waits = (self.undo_seconds, self.double_press_seconds, self.settle_seconds, self.doubt_seconds,
                 self.grace_seconds, *self.warn_seconds)
        if min(waits) < 0:
            raise ValueError(f"a limit is negative: {self}")


# Inputs -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted:
    """The players sit down: who, which edition with which house rules, who begins, how many games (None: the edition's)."""

    at: Seconds
    names: tuple[str, ...]
    edition: str
    house_rules: tuple[tuple[str, int | None], ...] = ()
    first: Seat = Seat(0)
    games: int | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        """Refuse a match nobody can play."""
        if len(self.names) < 2 or len(set(self.names)) != len(self.names):
            raise ValueError(f"a match needs two or more different names, not {self.names}")
        if not 0 <= self.first < len(self.names):
            raise ValueError(f"seat {self.first} is not one of {len(self.names)}")


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A button was pressed: the player to move says the turn is over (seat None: the common button)."""

    at: Seconds
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class RummikubCalled:
    """The player to move ends the turn with the rack empty."""

    at: Seconds
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class TableMoving:
    """Something moves over the table: what was read no longer counts."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class TableSettled:
    """Enough looks agree on what lies there; nothing has moved from `since` to `at`."""

    at: Seconds
    since: Seconds
    reading: TableReading


@dataclass(frozen=True, slots=True)
class TableStill:
    """A look at `at` found the table as it was settled."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class Ticked:
    """Time passed."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class Paused:
    """The players take a break: the clock stops."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class Resumed:
    """The break is over."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class Restarted:
    """The referee itself was switched off in the middle of a match and is back."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class Undone:
    """The last press was a mistake."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class TileCorrected:
    """The organiser says what the tile with this index in the last reading is."""

    at: Seconds
    index: int
    tile: Tile


@dataclass(frozen=True, slots=True)
class LetStand:
    """The organiser takes the table as it is now and lets the next player go on."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    """A player leaves the match for good."""

    at: Seconds
    seat: Seat


@dataclass(frozen=True, slots=True)
class CameraLost:
    """The camera stopped answering: the clock stops until it is back."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class CameraBack:
    """The camera answers again."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The players say that nobody can go on: the game is blocked."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class RacksTold:
    """The racks at the end of a game: the tiles, or only their value, of every seat that has any left."""

    at: Seconds
    racks: tuple[tuple[Seat, tuple[Tile, ...] | int], ...]


@dataclass(frozen=True, slots=True)
class NextGame:
    """The next game begins (first None: the edition says who)."""

    at: Seconds
    first: Seat | None = None


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The players stop for the evening."""

    at: Seconds


Input = (
    MatchStarted | TurnEnded | RummikubCalled | TableMoving | TableSettled | TableStill | Ticked | Paused | Resumed
    | Restarted | Undone | TileCorrected | LetStand | PlayerLeft | CameraLost | CameraBack | GameEnded | RacksTold
    | NextGame | MatchEnded
)

# Turn events ------------------------------------------------------------------------------------------------------


class Reason(StrEnum):
    """Why something was told; one word, fit for a log and for a table of cues."""

    NO_PLAY = "no_play"
    TIME_OVER = "time_over"
    PENALTY = "penalty"
    HANDS = "hands"
    DOUBT = "doubt"
    PAUSE = "pause"
    CAMERA = "camera"
    RESTART = "restart"
    EMPTY_RACK = "empty_rack"
    CALLED = "called"
    BLOCKED = "blocked"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Doubt:
    """A tile that could not be read for sure: its index in the reading and what it may be, likeliest first."""

    index: int
    may_be: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Guide:
    """How the table differs from what it must be again: sets to rebuild, tiles to fetch and tiles to take back."""

    rebuild: tuple[TileSet, ...]
    missing: tuple[Tile, ...]
    surplus: tuple[Tile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What every turn event says: when, whose turn, the turn's number in the game and the game's in the match."""

    at: Seconds
    seat: Seat
    turn: int
    game: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStarted(Told):
    """A game begins; the seat is the one that starts."""

    names: tuple[str, ...]
    edition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(Told):
    """A turn begins with this much time (None: without limit)."""

    seconds: float | None
    opened: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged(Told):
    """A turn was judged; `stands` says that it is over, `missing_look` that the doubt made no difference."""

    verdict: Verdict
    before: Table
    table: Table
    frame_id: str
    stands: bool
    doubts: tuple[Doubt, ...] = ()
    late: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Drew(Told):
    """The player has to draw this many tiles; fewer where the pool holds no more."""

    tiles: int
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class LookingAgain(Told):
    """No verdict yet: hands over the table, or tiles that could not be told; the clock waits."""

    reason: Reason
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned(Told):
    """So many seconds are left."""

    seconds_left: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOver(Told):
    """The time for the turn has run out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreNeeded(Told):
    """The table has to go back to what it was when the turn began; sets count, not places."""

    table: Table
    guide: Guide
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored(Told):
    """The table is again what it was."""

    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableWatched(Told):
    """The table as it lies now, in the middle of a turn, is or is not one that could be left so; no accusation."""

    legal: bool
    verdict: Verdict
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeldCounted(Told):
    """What the new sets of a player who has not opened are worth so far."""

    points: int
    needed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TilesChanged(Told):
    """The table changed while it was nobody's to change: in a break, or while the referee was off."""

    missing: tuple[Tile, ...]
    added: tuple[Tile, ...]
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongSeat(Told):
    """Another player's button was pressed."""

    pressed: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTakenBack(Told):
    """The last press was undone: the seat named is to move again."""

    seconds_left: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockStopped(Told):
    """The clock stands."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRuns(Told):
    """The clock runs again, with so much left (None: without limit)."""

    seconds_left: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerGone(Told):
    """A player has left; the others go on."""

    left: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class GameWon(Told):
    """A game is over; the seat won it, unless nobody could go on."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class GameScored(Told):
    """The scores of the game, and of the match so far."""

    scores: Mapping[str, int]
    totals: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOver(Told):
    """The match is over, best player first."""

    ranking: tuple[str, ...]


TurnEvent = (
    GameStarted | TurnStarted | Judged | Drew | LookingAgain | Warned | TimeOver | RestoreNeeded | Restored
    | TableWatched | MeldCounted | TilesChanged | WrongSeat | TurnTakenBack | ClockStopped | ClockRuns | PlayerGone
    | GameWon | GameScored | MatchOver
)
