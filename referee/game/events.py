"""What a match tells: every turn event names the seat, the turn, the game and the time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from re import sub

from referee.game.event_parts import Doubt, Guide, Reason
from referee.game.inputs import Seat, Seconds
from referee.game.jokers import JokerInPlay
from referee.rules.formats import BOOKLET
from referee.rules.house_rules import HouseValue
from referee.rules.table import Table
from referee.rules.tiles import Tile
from referee.rules.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEvent:
    """What every event says: when, whose turn, the turn's number in the game and the game's in the match."""

    at: Seconds
    seat: Seat
    turn: int
    game: int

    @property
    def name(self) -> str:
        """What it is called in journals and cues."""
        return sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()


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
    """Nobody has said who drew the highest tile for this game; the seat begins until it is said."""

    ties_draw_again: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StartTied(TurnEvent):
    """Several players drew the highest number for the start, and draw again."""

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
    """A turn was judged; `stands` says that it is over, `late` that its time was, `by` who let it stand.

    The verdict rests on a reading of frame `frame_id`, taken `frame_at`: never before the press or the end of the time.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Drew(TurnEvent):
    """The player has to draw this many tiles, fewer where the pool holds no more; `PLAYS_ON`: and is still to move."""

    tiles: int
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawTakenBack(TurnEvent):
    """What the player had to draw was wrong: so many tiles go back to the pool."""

    tiles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LookingAgain(TurnEvent):
    """No verdict yet: hands over the table, or tiles that could not be told; the clock waits."""

    reason: Reason
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned(TurnEvent):
    """So many seconds are left."""

    seconds_left: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOver(TurnEvent):
    """The time for the turn has run out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreNeeded(TurnEvent):
    """The table has to go back to what it was when the turn began; sets count, not places."""

    table: Table
    guide: Guide
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored(TurnEvent):
    """The table is again what it was."""

    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableWatched(TurnEvent):
    """The table as it lies now, in the middle of a turn, is or is not one that could be left so; no accusation."""

    legal: bool
    verdict: Verdict
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeldCounted(TurnEvent):
    """What the new sets of a player who has not opened are worth so far."""

    points: int
    needed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TilesChanged(TurnEvent):
    """The table changed while it was nobody's to change: in a break, or while the referee was off."""

    missing: tuple[Tile, ...]
    added: tuple[Tile, ...]
    frame_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongSeat(TurnEvent):
    """Another player's button was pressed."""

    pressed: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTakenBack(TurnEvent):
    """The last press was undone: the seat named is to move again."""

    seconds_left: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockStopped(TurnEvent):
    """The clock stands."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRuns(TurnEvent):
    """The clock runs again, with so much left (None: without limit)."""

    seconds_left: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraMoved(TurnEvent):
    """The camera was pushed; `registered`: its place is known again, else it should be calibrated again."""

    registered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeGiven(TurnEvent):
    """The organiser set the clock: so much is left."""

    seconds_left: float
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerGone(TurnEvent):
    """A player has left; the others go on."""

    left: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesChanged(TurnEvent):
    """The players are called otherwise from now on: all names, by seat."""

    names: tuple[str, ...]
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatsChanged(TurnEvent):
    """The players sit otherwise from now on: all seats, clockwise from the first place."""

    order: tuple[Seat, ...]
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameWon(TurnEvent):
    """A game is over; the seat won it, unless nobody could go on. `TIME_OVER`: the other player's time ran out."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class CountDiffers(TurnEvent):
    """The game was called won, though by the referee's count so many tiles are left on the rack."""

    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RackAsked(TurnEvent):
    """A rack is not known for sure: nothing lies there, the table is not whole, the box or the count forbid it, doubts.

    `tiles` is what was seen of it, `expected` how many the referee counts on it.
    """

    owner: Seat
    reason: Reason
    tiles: tuple[Tile, ...]
    expected: int
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RackRead(TurnEvent):
    """What a player had left was seen twice alike, and counts so much."""

    owner: Seat
    tiles: tuple[Tile, ...]
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RacksShown(TurnEvent):
    """All racks are seen; whether those who never opened could have is still to be found out."""

    racks: tuple[tuple[Seat, tuple[Tile, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameScored(TurnEvent):
    """The scores of the game, and of the match so far."""

    scores: Mapping[str, int]
    totals: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOver(TurnEvent):
    """The match is over, best player first; nobody where a recording ended in the middle of a game.

    `ranks`: each player's place, none where nobody has won a game; `totals`: none where no rack was told.
    """

    ranking: tuple[str, ...]
    ranks: Mapping[str, int]
    totals: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LookWanted:
    """What a match asks to be seen: a frame taken at `due` or later; with `anew` the table read otherwise than before.

    It is told to whoever looks, not to people: no journal holds it, for it follows from the inputs.
    """

    due: Seconds | None = None
    anew: bool = False
