"""What can happen to a match: the players' presses, looks at the table, the passing of time, the organiser's words.

Whatever a person may say carries who said it (`by`: "organiser", "players", or nothing where nobody asked).
"""

from dataclasses import dataclass, field
from typing import Final, NewType

from referee.game.correction_types import StatedCorrection
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


@dataclass(frozen=True, slots=True)
class Input:
    """What can happen to a match, and when it did."""

    at: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted(Input):
    """The players sit down: who, which edition, format and house rules, who begins, how many games.

    `games` None: as the edition or the format says.
    """

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
class TurnEnded(Input):
    """A button was pressed: the player to move says the turn is over (seat None: the common button)."""

    seat: Seat | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class RummikubCalled(Input):
    """The player to move ends the turn with the rack empty."""

    seat: Seat | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class TableMoving(Input):
    """Something moves over the table: what was read no longer counts."""


@dataclass(frozen=True, slots=True)
class TableSettled(Input):
    """Enough looks agree on what lies there, the last at a frame taken `at`; nothing has moved from `since` on."""

    since: Seconds
    reading: TableReading


@dataclass(frozen=True, slots=True)
class TableStill(Input):
    """A frame taken `at` was read and shows the table as it settled; its name, in old journals empty."""

    frame_id: str = ""


@dataclass(frozen=True, slots=True)
class Ticked(Input):
    """Time passed."""


@dataclass(frozen=True, slots=True)
class Paused(Input):
    """The players take a break: the clock stops."""

    by: str = ""


@dataclass(frozen=True, slots=True)
class Resumed(Input):
    """The break is over."""

    by: str = ""


@dataclass(frozen=True, slots=True)
class Restarted(Input):
    """The referee itself was switched off in the middle of a match and is back."""


@dataclass(frozen=True, slots=True)
class Undone(Input):
    """The last press was a mistake."""

    by: str = ""


@dataclass(frozen=True, slots=True)
class TableCorrected(Input):
    """A person says how the table is otherwise than it was read.

    `frame_id` names the reading: the last settled one, or the one judged last. Empty, it is the last settled one.
    """

    said: StatedCorrection
    by: str = ""
    frame_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionProposed(Input):
    """A player says how the table is otherwise than it was read; it holds once another one agrees.

    `voice` holds marks of the device that spoke: two voices that share one are taken for the same.
    """

    said: StatedCorrection
    seat: Seat
    voice: tuple[str, ...] = ()
    by: str = ""
    frame_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalAnswered(Input):
    """Somebody agrees with what was proposed, or does not; no seat where the organiser answers."""

    agrees: bool
    seat: Seat | None = None
    voice: tuple[str, ...] = ()
    by: str = ""


@dataclass(frozen=True, slots=True)
class ClockSet(Input):
    """The organiser says how much time the player to move has left."""

    seconds_left: float
    by: str = ""

    def __post_init__(self) -> None:
        """Refuse less than no time, and more than an hour."""
        if not 0.0 <= self.seconds_left <= LONGEST_TURN:
            raise ValueError(f"a clock is set to 0 to {LONGEST_TURN:.0f} s, not {self.seconds_left}")


@dataclass(frozen=True, slots=True)
class LetStand(Input):
    """The organiser takes the table as it is now and lets the next player go on."""

    by: str = ""


@dataclass(frozen=True, slots=True)
class PlayerLeft(Input):
    """A player leaves the match for good."""

    seat: Seat
    by: str = ""


@dataclass(frozen=True, slots=True)
class PlayersRenamed(Input):
    """The players are called otherwise: every name, by seat."""

    names: tuple[str, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class PlayersReseated(Input):
    """The players sit otherwise from now on: all seats, clockwise from the first place."""

    order: tuple[Seat, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class CameraLost(Input):
    """The camera stopped answering: the clock stops until it is back."""


@dataclass(frozen=True, slots=True)
class CameraBack(Input):
    """The camera answers again."""


@dataclass(frozen=True, slots=True)
class CameraBumped(Input):
    """The camera or the table was pushed; `seen`: markers or tiles say how, so that places are known."""

    seen: bool


@dataclass(frozen=True, slots=True)
class GameEnded(Input):
    """The players say that nobody can go on: the game is blocked."""

    by: str = ""


@dataclass(frozen=True, slots=True)
class RacksTold(Input):
    """The racks at the end of a game: the tiles, or only their value, of every seat that has any left.

    `could_open` names the seats that had not opened though their rack held an initial meld; `announced` those who are
    spared that because the missing tile came last. `game` None is the game that ended last.
    """

    racks: tuple[tuple[Seat, tuple[Tile, ...] | int], ...]
    could_open: tuple[Seat, ...] = ()
    announced: tuple[Seat, ...] = ()
    by: str = ""
    game: int | None = None


@dataclass(frozen=True, slots=True)
class RackShown(Input):
    """What lies beyond the table is this player's rack (seat None: the next one's whose rack is not known)."""

    seat: Seat | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class NextGame(Input):
    """The next game begins, with this player or with who drew the highest of these numbers; else the rules say who."""

    first: Seat | None = None
    by: str = ""
    drawn: tuple[tuple[Seat, int], ...] = ()


@dataclass(frozen=True, slots=True)
class MatchEnded(Input):
    """The players stop for the evening, or a recording of them has ended (`cut`): it tells nothing of the rest."""

    by: str = ""
    cut: bool = False
