"""What can happen to a match: the players' presses, looks at the table, the passing of time, the organiser's words.

Whatever a person may say carries who said it (`by`: "organiser", "players", or nothing where nobody asked).
"""

from dataclasses import dataclass, field
from typing import Final, NewType

from referee.game.correction_types import Said
from referee.game.limits import Limits
from referee.reading.observation import TableReading
from referee.rules.formats import BOOKLET
from referee.rules.house_rules import HouseValue
from referee.rules.tiles import Tile

Seat = NewType("Seat", int)
"""A player's number: the place at the table, counted clockwise from 0, where the match began."""
Seconds = NewType("Seconds", float)
"""Seconds since the service started, monotonic."""

FIRST_SEAT: Final = Seat(0)
NEVER: Final = Seconds(float("-inf"))
ALWAYS: Final = Seconds(0.0)  # since when a table lies still that nobody has ever seen otherwise
LONGEST_TURN: Final = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted:
    """The players sit down: who, which edition, format and house rules, who begins, how many games.

    `games` None: as the edition or the format says.
    """

    at: Seconds
    names: tuple[str, ...]
    edition: str
    house_rules: tuple[tuple[str, HouseValue], ...] = ()
    first: Seat = FIRST_SEAT
    games: int | None = None
    limits: Limits = field(default_factory=Limits)
    by: str = ""
    format: str = BOOKLET

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
    by: str = ""


@dataclass(frozen=True, slots=True)
class RummikubCalled:
    """The player to move ends the turn with the rack empty."""

    at: Seconds
    seat: Seat | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class TableMoving:
    """Something moves over the table: what was read no longer counts."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class TableSettled:
    """Enough looks agree on what lies there, the last at a frame taken `at`; nothing has moved from `since` on."""

    at: Seconds
    since: Seconds
    reading: TableReading


@dataclass(frozen=True, slots=True)
class TableStill:
    """A frame taken `at` was read and shows the table as it settled; its name, in old journals empty."""

    at: Seconds
    frame_id: str = ""


@dataclass(frozen=True, slots=True)
class Ticked:
    """Time passed."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class Paused:
    """The players take a break: the clock stops."""

    at: Seconds
    by: str = ""


@dataclass(frozen=True, slots=True)
class Resumed:
    """The break is over."""

    at: Seconds
    by: str = ""


@dataclass(frozen=True, slots=True)
class Restarted:
    """The referee itself was switched off in the middle of a match and is back."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class Undone:
    """The last press was a mistake."""

    at: Seconds
    by: str = ""


@dataclass(frozen=True, slots=True)
class TileCorrected:
    """A person says what the tile with this index in a reading is; None where no face lies.

    `frame_id` names the reading: the last settled one, or the one judged last. Empty, it is the last settled one.
    """

    at: Seconds
    index: int
    tile: Tile | None
    by: str = ""
    frame_id: str = ""


@dataclass(frozen=True, slots=True)
class TableCorrected:
    """A person says how the table is otherwise than it was read; `frame_id` as for a tile."""

    at: Seconds
    said: Said
    by: str = ""
    frame_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionProposed:
    """A player says how the table is otherwise than it was read; it holds once another one agrees.

    `voice` holds marks of the device that spoke: two voices that share one are taken for the same.
    """

    at: Seconds
    said: Said
    seat: Seat
    voice: tuple[str, ...] = ()
    by: str = ""
    frame_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalAnswered:
    """Somebody agrees with what was proposed, or does not; no seat where the organiser answers."""

    at: Seconds
    agrees: bool
    seat: Seat | None = None
    voice: tuple[str, ...] = ()
    by: str = ""


@dataclass(frozen=True, slots=True)
class ClockSet:
    """The organiser says how much time the player to move has left."""

    at: Seconds
    seconds_left: float
    by: str = ""

    def __post_init__(self) -> None:
        """Refuse less than no time, and more than an hour."""
        if not 0.0 <= self.seconds_left <= LONGEST_TURN:
            raise ValueError(f"a clock is set to 0 to {LONGEST_TURN:.0f} s, not {self.seconds_left}")


@dataclass(frozen=True, slots=True)
class LetStand:
    """The organiser takes the table as it is now and lets the next player go on."""

    at: Seconds
    by: str = ""


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    """A player leaves the match for good."""

    at: Seconds
    seat: Seat
    by: str = ""


@dataclass(frozen=True, slots=True)
class PlayersRenamed:
    """The players are called otherwise: every name, by seat."""

    at: Seconds
    names: tuple[str, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class PlayersReseated:
    """The players sit otherwise from now on: all seats, clockwise from the first place."""

    at: Seconds
    order: tuple[Seat, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class CameraLost:
    """The camera stopped answering: the clock stops until it is back."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class CameraBack:
    """The camera answers again."""

    at: Seconds


@dataclass(frozen=True, slots=True)
class CameraBumped:
    """The camera or the table was pushed; `seen`: markers or tiles say how, so that places are known."""

    at: Seconds
    seen: bool


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The players say that nobody can go on: the game is blocked."""

    at: Seconds
    by: str = ""


@dataclass(frozen=True, slots=True)
class RacksTold:
    """The racks at the end of a game: the tiles, or only their value, of every seat that has any left.

    `could_open` names the seats that had not opened though their rack held an initial meld; `announced` those who are
    spared that because the missing tile came last. `game` None is the game that ended last.
    """

    at: Seconds
    racks: tuple[tuple[Seat, tuple[Tile, ...] | int], ...]
    could_open: tuple[Seat, ...] = ()
    announced: tuple[Seat, ...] = ()
    by: str = ""
    game: int | None = None


@dataclass(frozen=True, slots=True)
class RackShown:
    """What lies beyond the table is this player's rack (seat None: the next one's whose rack is not known)."""

    at: Seconds
    seat: Seat | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class NextGame:
    """The next game begins, with this player or with who drew the highest of these numbers; else the rules say who."""

    at: Seconds
    first: Seat | None = None
    by: str = ""
    drawn: tuple[tuple[Seat, int], ...] = ()


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The players stop for the evening, or a recording of them has ended (`cut`): it tells nothing of the rest."""

    at: Seconds
    by: str = ""
    cut: bool = False


Input = (
    MatchStarted
    | TurnEnded
    | RummikubCalled
    | TableMoving
    | TableSettled
    | TableStill
    | Ticked
    | Paused
    | Resumed
    | Restarted
    | Undone
    | TileCorrected
    | TableCorrected
    | CorrectionProposed
    | ProposalAnswered
    | ClockSet
    | LetStand
    | PlayerLeft
    | PlayersRenamed
    | PlayersReseated
    | CameraLost
    | CameraBack
    | CameraBumped
    | GameEnded
    | RacksTold
    | RackShown
    | NextGame
    | MatchEnded
)
