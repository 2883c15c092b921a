"""What a watched table tells a match, and the look that a match asks for."""

from dataclasses import dataclass, field
from typing import Final, NewType

from referee.reading.observation import TableReading

Seconds = NewType("Seconds", float)
"""Seconds since the service started, monotonic."""


SINCE_START: Final = Seconds(0.0)  # since when a table lies still that has never been seen to change


@dataclass(frozen=True, slots=True)
class Input:
    """Something that happened to a match, and when.

    `voice` identifies the device that a person used, `BUTTON` or a phone: two voices that share an element count as
    one. It is empty where nobody asked, and in old journals.
    """

    at: Seconds
    voice: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class TableMoving(Input):
    """Something moves over the table: the last reading no longer counts.

    `reached` says whether it is as large as a hand and comes in over the table's edge; None if nobody knows.
    """

    reached: bool | None = None


@dataclass(frozen=True, slots=True)
class TableSettled(Input):
    """Enough looks agree on the table; the last frame was taken `at`, and nothing has moved since `since`."""

    since: Seconds
    reading: TableReading


@dataclass(frozen=True, slots=True)
class TableStill(Input):
    """A frame taken `at` still shows the settled table; `frame_id` is empty in old journals."""

    frame_id: str = ""


@dataclass(frozen=True, slots=True)
class CameraBumped(Input):
    """The camera or the table was pushed; `seen`: markers or tiles show the new position."""

    seen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LookWanted:
    """A requested look: at a frame taken at `due` or later; `anew`: independent of the last look.

    Only the watcher receives it. The journal does not hold it, as it follows from the inputs.
    """

    due: Seconds | None = None
    anew: bool = False
