"""The hall's door: every message of a table is read once into a checked record, or refused whole.

A record's fields are what the hall uses; what else a newer table sends is ignored. JSON that is not strict (NaN, half a
surrogate pair), numbers that no page can hold, and texts, lists or depths beyond any use are refused.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from referee.addresses import showable
from referee.declared import whole_text
from referee.link.topics import MAX_PAYLOAD_BYTES, ROOT
from referee.plain_json import JsonObject
from referee.settings.hall import NAME

MATCH_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}", re.ASCII)
"""A match's name, which is a file name too."""
_MAX_NUMBER: Final = 2**53 - 1
_MAX_DEPTH: Final = 12
_MAX_EARLIER_MATCHES: Final = 8

Word = Annotated[str, Meta(max_length=200)]
Text = Annotated[str, Meta(max_length=2000)]
MatchName = Annotated[str, Meta(pattern=whole_text(MATCH_NAME.pattern))]
Count = Annotated[int, Meta(ge=0, le=_MAX_NUMBER)]
Points = Annotated[int, Meta(ge=-1_000_000_000, le=1_000_000_000)]
Seconds = Annotated[float, Meta(ge=-1e12, le=1e12)]


class Record(Struct, frozen=True, kw_only=True):
    """What a table sent."""


class Status(Record, frozen=True, kw_only=True):
    """Whether a device is linked."""

    status: Literal["online", "offline"]
    device: Word | None = None
    version: Word | None = None
    page: Word | None = None

    @property
    def web_address(self) -> str | None:
        """Its page, if that is a web address; a table can send anything."""
        return self.page if self.page is not None and self.page.startswith(("http://", "https://")) else None


class Fault(Record, frozen=True, kw_only=True):
    """Why a table is not legal."""

    message: Text | None = None
    message_id: Word | None = None
    values: dict[str, Any] | None = None


class Judgement(Record, frozen=True, kw_only=True):
    """A verdict on a turn."""

    verdict: Word | None = None
    outcome: Word | None = None
    seat: Count | None = None
    turn: Count | None = None
    stands: bool | None = None
    faults: tuple[Fault, ...] = ()


class ToldEvent(Judgement, frozen=True, kw_only=True):
    """A turn event: the parts that the wall shows."""

    event: Word
    at: Seconds | None = None
    played: tuple[Word | None, ...] | Word | None = None
    tiles: tuple[Word | None, ...] | Count | Word | None = None
    points: Points | None = None
    needed: Points | None = None
    seconds_left: Seconds | None = None
    scores: dict[Word, Points | None] | tuple[Points | None, ...] | None = None


class Player(Record, frozen=True, kw_only=True):
    """A player at a table."""

    name: Word | None = None
    rack: Count | None = None
    opened: bool | None = None
    total: Points | None = None
    gone: bool | None = None


class TurnClock(Record, frozen=True, kw_only=True):
    """A turn's clock, in seconds."""

    running: bool = False
    seconds_left: Seconds | None = None
    of: Seconds | None = None


class MatchState(Record, frozen=True, kw_only=True):
    """A match in play."""

    id: Word | None = None
    players: tuple[Player, ...] = ()
    seat: Count | None = None
    phase: Word | None = None
    halted: tuple[Word, ...] = ()
    game: Count | None = None
    games: Count | None = None
    turn: Count | None = None
    pool: Count | None = None
    clock: TurnClock | None = TurnClock()
    verdict: Judgement | None = None
    ranks: tuple[Count, ...] | None = None


class Sets(Record, frozen=True, kw_only=True):
    """The sets on a table."""

    sets: tuple[tuple[Word | None, ...], ...] = ()


class State(Record, frozen=True, kw_only=True):
    """A table's match, its events so far, and the earlier matches it can still send."""

    journal: MatchName
    seq: Count
    at: Seconds
    run: Word = ""
    digest: Count | None = None
    earlier: tuple[MatchName, ...] = ()
    match: MatchState | None = None
    table: Sets | None = None

    @property
    def earlier_matches(self) -> tuple[str, ...]:
        """The newest of the earlier matches, oldest first."""
        return self.earlier[-_MAX_EARLIER_MATCHES:]


class Event(Record, frozen=True, kw_only=True):
    """The event of this number: what the wall shows of it, and, to be kept, as sent."""

    match: MatchName
    seq: Count
    event: ToldEvent
    sent: JsonObject = {}


class HistoryEnd(Record, frozen=True, kw_only=True):
    """A match has so many events, and this is their digest."""

    match: MatchName
    seq: Count
    digest: Count = 0


class Alert(Record, frozen=True, kw_only=True):
    """A reason for the staff to come, and since when, in seconds of the match."""

    kind: Word
    since: Seconds = 0.0


class Alerts(Record, frozen=True, kw_only=True):
    """All open alerts of a table."""

    alerts: tuple[Alert, ...] = ()


class ResultPlayer(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A player's result."""

    name: Word
    total: Points
    games_won: Count | None = None


class Result(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The result of a match, by seat."""

    journal: MatchName
    players: tuple[ResultPlayer, ...]
    device: Word | None = None
    began_at: Seconds | None = None
    sha256: Word | None = None
    edition: Word | None = None
    format: Word | None = None
    ranks: tuple[Count, ...] | None = None

    @property
    def totals(self) -> tuple[int, ...]:
        """The players' totals."""
        return tuple(player.total for player in self.players)


class Health(Record, frozen=True, kw_only=True):
    """A device's health, as `referee status --json`."""

    clock_synchronised: bool | None = None
    report: JsonObject = {}


class Reply(Record, frozen=True, kw_only=True):
    """A table's answer to a command."""

    ok: bool | None = None
    error: Text | None = None
    error_id: Word | None = None
    message_id: Word | None = None
    values: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A message that is not as declared."""

    why: str


@dataclass(frozen=True, slots=True)
class Received:
    """A message of a table: its kind and record; None if the topic was cleared."""

    table: str
    kind: str
    record: Record | Unreadable | None
    retained: bool = False
    """Whether the broker retained it from before the hall's connection."""


def read_message(hall: str, topic: str, payload: bytes | bytearray, *, retained: bool = False) -> Received | None:
    """Return a message of one of this hall's tables; None for anything else."""
    prefix = f"{ROOT}/{hall}/"
    table, _, kind = topic.removeprefix(prefix).partition("/")
    if not topic.startswith(prefix) or not NAME.fullmatch(table) or kind not in _READERS:
        return None
    return Received(table, kind, _read(_READERS[kind], payload) if payload else None, retained)


def read_reply(payload: bytes | bytearray) -> Reply | None:
    """Return a table's answer; None if it cannot be read."""
    reply = _read(lambda sent: msgspec.convert(sent, Reply), payload)
    return reply if isinstance(reply, Reply) else None


def read_event(event: JsonObject) -> ToldEvent | None:
    """Return what the wall shows of an event; None if it cannot be read."""
    try:
        return msgspec.convert(event, ToldEvent)
    except msgspec.ValidationError:
        return None


def _read(convert: Callable[[JsonObject], Record], payload: bytes | bytearray) -> Record | Unreadable:
    if len(payload) > MAX_PAYLOAD_BYTES:
        return Unreadable(f"{len(payload)} bytes, more than {MAX_PAYLOAD_BYTES}")
    try:
        sent = _OBJECT.decode(payload)
        _check_plain(sent, _MAX_DEPTH)
        return convert(sent)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return Unreadable(f"{error!s:.100}")


def _check_plain(value: object, depth: int) -> None:
    """Raise ValueError for a number that no page can hold, or for parts within too many others."""
    if isinstance(value, int) and abs(value) > _MAX_NUMBER:
        raise ValueError(f"a number above {_MAX_NUMBER}")
    if not isinstance(value, dict | list):
        return
    if depth == 0:
        raise ValueError(f"parts within more than {_MAX_DEPTH} others")
    for part in value.values() if isinstance(value, dict) else value:
        _check_plain(part, depth - 1)


def _event(sent: JsonObject) -> Event | HistoryEnd:
    if sent.get("end") is True:
        return msgspec.convert(sent, HistoryEnd)
    return msgspec.structs.replace(msgspec.convert(sent, Event), sent=sent["event"])


def _health(sent: JsonObject) -> Health:
    report = {**sent, "camera": showable(sent["camera"])} if isinstance(sent.get("camera"), str) else sent
    return msgspec.structs.replace(msgspec.convert(sent, Health), report=report)


_OBJECT: Final = msgspec.json.Decoder(JsonObject)
_READERS: Final[Mapping[str, Callable[[JsonObject], Record]]] = MappingProxyType(
    {
        "status": lambda sent: msgspec.convert(sent, Status),
        "state": lambda sent: msgspec.convert(sent, State),
        "event": _event,
        "alert": lambda sent: msgspec.convert(sent, Alerts),
        "result": lambda sent: msgspec.convert(sent, Result),
        "health": _health,
    }
)
KINDS: Final = tuple(sorted(_READERS))
"""The kinds of messages of a table; its status, without which it is forgotten, is the last."""
