"""Turn events, the output of a match; each names seat, turn, game and time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from re import sub
from typing import ClassVar

from referee.game.event_parts import Doubt, Guide, Reason
from referee.game.inputs import Seat
from referee.game.jokers import JokerInPlay
from referee.reading.inputs import Seconds
from referee.rules.formats import BOOKLET
from referee.rules.house_rules import HouseValue
from referee.rules.table import Table
from referee.rules.tiles import Tile
from referee.rules.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEvent:
    """An event: its time, the seat to move, the turn's number in its game and the game's in the match."""

    at: Seconds
    seat: Seat
    turn: int
    game: int

    name: ClassVar[str]
    """The event's name in journals and cues."""

    def __init_subclass__(cls) -> None:
        """Name the event after its class."""
        cls.name = sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStarted(TurnEvent):
    """A game begins; the seat is the one that starts. Each player takes `dealt_jokers` before the other tiles."""

    names: tuple[str, ...]
    edition: str
    house_rules: Mapping[str, HouseValue] = field(default_factory=dict)
    format: str = BOOKLET
    dealt_jokers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterAssumed(TurnEvent):
    """Nobody has named the starter of this game; this seat begins until somebody does."""

    ties_draw_again: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StartTied(TurnEvent):
    """Several players drew the highest number for the start and draw again."""

    seats: tuple[Seat, ...]
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(TurnEvent):
    """A turn begins with this much time (None: without limit); `banks`: each player's own time, if there is any."""

    seconds: float | None
    opened: bool
    banks: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged(TurnEvent):
    """A turn was judged; `stands`: the turn is over, `late`: its time was over, `by`: who let it stand.

    The verdict rests on a reading of frame `frame_id`, taken `frame_at`: never before the press or the end of the time.
    An undecided one has `doubts`, or the `reason` why none can be named.
    """

    verdict: Verdict
    before: Table
    table: Table
    frame_id: str
    frame_at: Seconds
    stands: bool
    doubts: tuple[Doubt, ...] = ()
    late: bool = False
    by: str = ""
    jokers: tuple[JokerInPlay, ...] = ()
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drew(TurnEvent):
    """The player draws this many tiles, or what is left in the pool; with `PLAYS_ON` the player is still to move."""

    tiles: int
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawTakenBack(TurnEvent):
    """A draw was wrong: this many tiles go back to the pool."""

    tiles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LookingAgain(TurnEvent):
    """No verdict yet, because of hands over the table or unreadable tiles; the clock is stopped."""

    reason: Reason
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned(TurnEvent):
    """This many seconds are left."""

    seconds_left: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOver(TurnEvent):
    """The time for the turn has run out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreNeeded(TurnEvent):
    """The table must be restored to the start of the turn; sets count, not places.

    `doubts` are the tiles that may be among the missing ones: turned over, or unsure.
    """

    table: Table
    guide: Guide
    frame_id: str
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored(TurnEvent):
    """The table is restored."""

    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableWatched(TurnEvent):
    """Whether the table could be left as it lies in mid-turn; no accusation."""

    legal: bool
    verdict: Verdict
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeldCounted(TurnEvent):
    """The worth so far of the new sets of a player who has not opened."""

    points: int
    needed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TilesChanged(TurnEvent):
    """The table changed during a break, or while the referee was off."""

    missing: tuple[Tile, ...]
    added: tuple[Tile, ...]
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongSeat(TurnEvent):
    """Another player's button was pressed."""

    pressed: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnUnseen(TurnEvent):
    """A turn was over before there was a look at it; it stands, and nobody is accused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadLost(TurnEvent):
    """Several turns in a row stood without a verdict: people are asked to confirm the table and who is to move.

    `turns` is how many; `before` is the table as it was believed, `table` as it is seen, in frame `frame_id`.
    """

    turns: int
    before: Table
    table: Table
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableConfirmed(TurnEvent):
    """People say that the table as it lies is the table, and that this seat is to move."""

    table: Table
    frame_id: str
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTakenBack(TurnEvent):
    """The last press was undone: this seat is to move again."""

    seconds_left: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockStopped(TurnEvent):
    """The clock was stopped."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRuns(TurnEvent):
    """The clock runs again; `seconds_left` is None without a limit."""

    seconds_left: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraMoved(TurnEvent):
    """The camera was pushed; `registered`: the table was found again, otherwise calibrate."""

    registered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeGiven(TurnEvent):
    """The organiser set the clock."""

    seconds_left: float
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerGone(TurnEvent):
    """A player has left; the others go on."""

    left: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesChanged(TurnEvent):
    """The players have new names; all of them, by seat."""

    names: tuple[str, ...]
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatsChanged(TurnEvent):
    """The players sit in a new order; all seats, clockwise from the first place."""

    order: tuple[Seat, ...]
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameWon(TurnEvent):
    """A game is over; the seat won it, unless nobody could go on. `TIME_OVER`: the other player's time ran out."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyRackAsked(TurnEvent):
    """A turn may have emptied its player's rack, but the count is too low or rests on a turn that stood undecided.

    The rack holds at most `at_most` tiles. "Rummikub!" ends the game; the next player's judged turn answers no.
    """

    owner: Seat
    at_most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CountDiffers(TurnEvent):
    """Rummikub was called, though by the referee's count this many tiles are left on the rack."""

    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RackAsked(TurnEvent):
    """A rack is uncertain: it is missing, the table is incomplete, box or count contradict it, or tiles are unsure.

    `tiles` is what was seen of it, `expected` how many the referee counts on it.
    """

    owner: Seat
    reason: Reason
    tiles: tuple[Tile, ...]
    expected: int
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RackRead(TurnEvent):
    """A rack on which two looks agree, and its value."""

    owner: Seat
    tiles: tuple[Tile, ...]
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RacksShown(TurnEvent):
    """All racks are known; whether players without an opening could have opened is still open."""

    racks: tuple[tuple[Seat, tuple[Tile, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RacksMissing(TurnEvent):
    """The next game begins though these racks of an earlier one are unknown; `lost`: nobody waits for them now."""

    of_game: int
    owners: tuple[Seat, ...]
    lost: bool = False
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameScored(TurnEvent):
    """The scores of the game, and of the match so far."""

    scores: Mapping[str, int]
    totals: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOver(TurnEvent):
    """The match is over, best player first; empty if a recording ended in mid-game.

    `ranks` are the players' places, empty if nobody won a game; `totals` are empty if no rack was entered.
    """

    ranking: tuple[str, ...]
    ranks: Mapping[str, int] = field(default_factory=dict)
    totals: Mapping[str, int] = field(default_factory=dict)
