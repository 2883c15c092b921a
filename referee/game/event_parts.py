"""What turn events are made of: why something was told, and the parts that several carry."""

from dataclasses import dataclass
from enum import StrEnum

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
