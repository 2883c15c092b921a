"""Inputs of a match: presses, looks at the table, the passing of time, the organiser's commands.

`by` says who asked: "organiser", "players", or empty.
"""

from dataclasses import dataclass, field
from typing import Final, NewType

from referee.game.correction_types import StatedCorrection
from referee.game.limits import Limits
from referee.reading.inputs import CameraBumped, Input, Seconds, TableMoving, TableSettled, TableStill
from referee.rules.formats import BOOKLET
from referee.rules.house_rules import HouseValue
from referee.rules.tiles import Tile

Seat = NewType("Seat", int)
"""A player's number: the place at the table, counted clockwise from 0, where the match began."""

FIRST_SEAT: Final = Seat(0)
NEVER: Final = Seconds(float("-inf"))
MAX_TURN_SECONDS: Final = 3600.0


BUTTON: Final = ("button",)


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
        """Refuse a match that cannot be played."""
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
class Ticked(Input):
    """Time passed; `frame_at` is when the newest frame was taken that is being read, None if that takes no time."""

    frame_at: Seconds | None = None


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
    """A person corrects a reading.

    `frame_id` names it: the last settled one (also where empty) or the one judged last.
    """

    said: StatedCorrection
    by: str = ""
    frame_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionProposed(Input):
    """A player proposes a correction, which takes effect once another player agrees."""

    said: StatedCorrection
    seat: Seat
    by: str = ""
    frame_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalAnswered(Input):
    """Somebody agrees with a proposal or refuses it; no seat: the organiser."""

    agrees: bool
    seat: Seat | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class ClockSet(Input):
    """The organiser sets how much time the player to move has left."""

    seconds_left: float
    by: str = ""

    def __post_init__(self) -> None:
        """Refuse a time below 0 s or above an hour."""
        if not 0.0 <= self.seconds_left <= MAX_TURN_SECONDS:
            raise ValueError(f"a clock is set to 0 to {MAX_TURN_SECONDS:.0f} s, not {self.seconds_left}")


@dataclass(frozen=True, slots=True)
class TimeAdded(Input):
    """The organiser gives the player to move more seconds, or takes some."""

    seconds: float
    by: str = ""


@dataclass(frozen=True, slots=True)
class LetStand(Input):
    """The organiser takes the table as it is now and lets the next player go on."""

    by: str = ""


@dataclass(frozen=True, slots=True)
class TableTaken(Input):
    """The table as it lies is the table, and this player is to move with a full clock; seat None: the one to move."""

    seat: Seat | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class PlayerLeft(Input):
    """A player leaves the match for good."""

    seat: Seat
    by: str = ""


@dataclass(frozen=True, slots=True)
class PlayersRenamed(Input):
    """The players get new names, by seat."""

    names: tuple[str, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class PlayersReseated(Input):
    """The players sit in a new order: all seats, clockwise from the first place."""

    order: tuple[Seat, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class CameraLost(Input):
    """The camera stopped answering: the clock stops until it is back."""


@dataclass(frozen=True, slots=True)
class CameraBack(Input):
    """The camera answers again."""


@dataclass(frozen=True, slots=True)
class GameEnded(Input):
    """The players say that nobody can go on: the game is blocked."""

    by: str = ""


@dataclass(frozen=True, slots=True)
class RacksTold(Input):
    """The racks at the end of a game: the tiles, or only their value, of every seat that has any left.

    `could_open` are the seats that had not opened although they held an initial meld; `announced` those that are exempt
    because the missing tile came last. `game` None is the last finished game. No racks at all: they are lost.
    """

    racks: tuple[tuple[Seat, tuple[Tile, ...] | int], ...]
    could_open: tuple[Seat, ...] = ()
    announced: tuple[Seat, ...] = ()
    by: str = ""
    game: int | None = None


@dataclass(frozen=True, slots=True)
class RackShown(Input):
    """The tiles beyond the table are this player's rack; seat None: the next unknown rack."""

    seat: Seat | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class NextGame(Input):
    """Begin the next game with this player, or the one who drew the highest number, or as the rules say."""

    first: Seat | None = None
    by: str = ""
    drawn: tuple[tuple[Seat, int], ...] = ()


@dataclass(frozen=True, slots=True)
class MatchEnded(Input):
    """The players stop; `cut`: a recording ended in the middle."""

    by: str = ""
    cut: bool = False


UNATTENDED_INPUTS: Final = (Ticked, TableStill, TableMoving, TableSettled, CameraLost, CameraBack, CameraBumped)
"""Inputs that occur even when nobody is there."""
