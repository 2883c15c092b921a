"""What turn events are made of: what each of them says, why it was told, and the parts that several carry."""

from dataclasses import dataclass
from enum import StrEnum

from referee.game.inputs import Seat, Seconds
from referee.rules.table import TileSet
from referee.rules.tiles import Tile
from referee.rules.wording import Message


class Reason(StrEnum):
    """Why something was told; one word, fit for a log and for a table of cues."""

    NO_PLAY = "no_play"
    PLAYS_ON = "plays_on"
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
    CLEAR = "clear"
    NOTHING = "nothing"
    TABLE = "table"
    BOX = "box"
    COUNT = "count"
    AGREED = "agreed"
    REFUSED = "refused"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Doubt:
    """A tile that could not be read for sure: its index in the reading, what it may be, likeliest first, and where."""

    index: int
    may_be: tuple[Tile, ...]
    where: Message | None = None


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
