"""Parts of turn events: the reason, doubts, and the guide back to the table before."""

from dataclasses import dataclass
from enum import StrEnum

from referee.rules.table import TileSet
from referee.rules.tiles import Tile
from referee.rules.wording import Message


class Reason(StrEnum):
    """The reason of an event, one word for logs and cues."""

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
    ROWS = "rows"
    UNSEEN = "unseen"
    LOOK = "look"


@dataclass(frozen=True, slots=True)
class Doubt:
    """A tile that could not be read surely: its index, its possible names, likeliest first, and its place."""

    index: int
    may_be: tuple[Tile, ...]
    where: Message | None = None


@dataclass(frozen=True, slots=True)
class Guide:
    """What restores the table: sets to rebuild, tiles to bring back and tiles to take back."""

    rebuild: tuple[TileSet, ...]
    missing: tuple[Tile, ...]
    surplus: tuple[Tile, ...]
