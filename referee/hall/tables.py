"""The hall's tables: a pure fold of their messages.

Any message may be repeated, late, or lost. The state with the highest number of a match counts, so a
repeated one changes nothing. Events are taken in order, each once; missing ones are requested. Therefore
the same messages give the same tables in any order, once the gaps are filled.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from referee.link.topics import MAX_IN_FLIGHT, Received, digest_of
from referee.plain_json import JsonObject

RESEND_SECONDS: Final = 2.0
"""How long events may be late before they are requested, and how long before they are requested again."""
MAX_RESENT_MESSAGES: Final = 320
"""Resent messages in flight from all tables: a broker queues 1,000 for the hall and drops the rest."""
MAX_COUNTED_MATCHES: Final = 20
"""Matches per table whose event counts stay in memory."""
_MAX_RUNS: Final = 8
_MAX_EARLIER_MATCHES: Final = 8


@dataclass(frozen=True, slots=True)
class StoredEvents:
    """The number of a match's events that the hall has stored, without gaps from the first, and their digest."""

    count: int = 0
    digest: int = 0
    is_complete: bool = False
    """Whether the table confirmed that there are no more."""

    def followed_by(self, event: JsonObject) -> "StoredEvents":
        """Return the count and digest with one more event."""
        return StoredEvents(self.count + 1, digest_of(event, self.digest))


NO_EVENTS: Final = StoredEvents()


@dataclass(frozen=True, slots=True, kw_only=True)
class HallTable:
    """One table as the hall knows it; times are seconds of the hall's own clock."""

    name: str
    status: JsonObject = field(default_factory=dict)
    """The device's link status and id."""
    state: JsonObject = field(default_factory=dict)
    heard_at: float = 0.0
    """When the state arrived."""
    alerts: tuple[JsonObject, ...] = ()
    result: JsonObject = field(default_factory=dict)
    health: JsonObject = field(default_factory=dict)
    stored_events: Mapping[str, StoredEvents] = field(default_factory=dict)
    """The stored events of each match."""
    missing_since: float | None = None
    """When the first event was found missing."""
    requested_at: float | None = None
    """When missing events were last requested."""
    judged: "NewEvent | None" = None
    """The last judgement received as an event."""
    runs: tuple[str, ...] = ()
    """The ids of the device's known runs, newest last."""
    rival: str = ""
    """The id of another device that used the same name."""

    @property
    def match(self) -> str:
        """The match the table is playing."""
        return str(self.state.get("journal", ""))

    @property
    def online(self) -> bool:
        """Whether its device is linked."""
        return self.status.get("status") == "online"

    @property
    def events(self) -> int:
        """The number of stored events of this match."""
        return self.stored_events.get(self.match, NO_EVENTS).count

    @property
    def has_missing_events(self) -> bool:
        """Whether the hall lacks events of this match."""
        return bool(self.match) and self.events < int(self.state.get("seq", 0))

    @property
    def earlier_matches(self) -> tuple[str, ...]:
        """Earlier matches that the table can still send, oldest first."""
        return earlier_matches_in(self.state)

    @property
    def match_to_request(self) -> str | None:
        """The match whose missing events to request next, the current one first; None if none is missing."""
        if self.has_missing_events:
            return self.match
        return next(
            (match for match in self.earlier_matches if not self.stored_events.get(match, NO_EVENTS).is_complete), None
        )

    @property
    def messages_per_request(self) -> int:
        """The number of messages that one request brings: events and the state."""
        return (
            min(MAX_IN_FLIGHT, int(self.state["seq"]) - self.events + 1) if self.has_missing_events else MAX_IN_FLIGHT
        )


Tables = Mapping[str, HallTable]


@dataclass(frozen=True, slots=True)
class NewEvent:
    """The next event of a match, to be stored."""

    table: str
    match: str
    number: int
    event: JsonObject


@dataclass(frozen=True, slots=True)
class NewResult:
    """The result of a match, to be stored; the table drops it with its next match."""

    table: str
    result: JsonObject


@dataclass(frozen=True, slots=True)
class EventsReset:
    """The stored events of a match differ from the table's, as after a power cut: delete and request them again."""

    table: str
    match: str


@dataclass(frozen=True, slots=True)
class EventsComplete:
    """All events of a finished match are stored."""

    table: str
    match: str
    stored_events: StoredEvents


RecordChange = NewEvent | NewResult | EventsReset | EventsComplete
Folded = tuple[HallTable, tuple[RecordChange, ...]]
"""The table after a message, and the changes to store."""


@dataclass(frozen=True, slots=True)
class ResendRequest:
    """A request for a match's events from this number on."""

    table: str
    match: str
    number: int


def earlier_matches_in(state: JsonObject) -> tuple[str, ...]:
    """Return the earlier matches that a state message names."""
    named = state.get("earlier")
    return (
        tuple(name for name in named if isinstance(name, str))[-_MAX_EARLIER_MATCHES:]
        if isinstance(named, list)
        else ()
    )


def with_stored_events(tables: Tables, name: str, match: str, stored: StoredEvents) -> Tables:
    """Return the tables with the events of a match that are stored already."""
    table = tables.get(name, HallTable(name=name))
    return _with_table(tables, replace(table, stored_events=_with_count(table, match, stored)))


def receive(tables: Tables, message: Received, now: float) -> tuple[Tables, tuple[RecordChange, ...]]:
    """Return the tables after a message, and the changes to store."""
    known, value = tables.get(message.table), message.value
    if value is None and (known is None or message.kind == "status"):
        return (tables if known is None else _without_table(tables, message.table)), ()  # removed from the wall
    table = known or HallTable(name=message.table)
    fold = _FOLDS.get(message.kind)
    if fold is None or not (value is None or isinstance(value, dict)):
        return tables, ()
    after, news = fold(table, value or {}, now)
    since = now - RESEND_SECONDS if message.retained else now  # a retained message's events are no longer in flight
    return (tables if after is table else _with_table(tables, _note_gaps(table, after, since))), news


def due_requests(tables: Tables, now: float) -> Iterator[ResendRequest]:
    """Yield the requests to send now, at most MAX_RESENT_MESSAGES in flight; matches in play come first."""
    late = [table for table in tables.values() if table.online and _is_overdue(table.missing_since, now)]
    free = [table for table in late if table.requested_at is None or _is_overdue(table.requested_at, now)]
    free.sort(key=lambda table: (not table.has_missing_events, table.missing_since))
    room = (
        MAX_RESENT_MESSAGES
        - sum(table.messages_per_request for table in late)
        + sum(table.messages_per_request for table in free)
    )
    for table in free:
        room -= table.messages_per_request
        if room < 0:
            return
        if (match := table.match_to_request) is not None:
            yield ResendRequest(table.name, match, table.stored_events.get(match, NO_EVENTS).count)


def _is_overdue(began: float | None, now: float) -> bool:
    return began is not None and now - began >= RESEND_SECONDS


def with_request(tables: Tables, request: ResendRequest, now: float) -> Tables:
    """Return the tables after this request was sent."""
    return _with_table(tables, replace(tables[request.table], requested_at=now))


def _without_table(tables: Tables, name: str) -> Tables:
    return {key: table for key, table in tables.items() if key != name}


def _with_table(tables: Tables, table: HallTable) -> Tables:
    return {**tables, table.name: table}


def _with_count(table: HallTable, match: str, count: StoredEvents) -> Mapping[str, StoredEvents]:
    """Return the counts with this one; matches stay in the order of their first message, and the oldest are dropped."""
    return dict(list({**table.stored_events, match: count}.items())[-MAX_COUNTED_MATCHES:])


def _note_gaps(before: HallTable, table: HallTable, now: float) -> HallTable:
    if table.match_to_request is None:
        return table if table.missing_since is None else replace(table, missing_since=None, requested_at=None)
    if table.missing_since is None:
        return replace(table, missing_since=now)
    return table if table.match_to_request == before.match_to_request else replace(table, requested_at=None)


# One fold per kind of message -----------------------------------------------------------------------------------------


def _status(table: HallTable, payload: JsonObject, _now: float) -> Folded:
    own_device, other_device = table.status.get("device"), payload.get("device")
    if table.online and other_device != own_device:
        if payload.get("status") != "online":  # the silent rival has left
            return replace(table, rival=""), ()
        return replace(table, status=payload, requested_at=None, rival=str(own_device)[:40]), ()
    return replace(table, status=payload, requested_at=None), ()  # it reconnected: earlier requests may be lost


def _state(table: HallTable, payload: JsonObject, now: float) -> Folded:
    match, order, run = payload.get("journal"), _sequence_key(payload), str(payload.get("run", ""))
    if not isinstance(match, str) or order is None:
        return table, ()
    if run in table.runs[:-1] or match in table.earlier_matches or _is_earlier(table, match):
        return table, ()  # sent before the device restarted, or before this match
    is_new_run = run not in table.runs
    if not is_new_run and match == table.match and order < (_sequence_key(table.state) or (0, 0.0)):
        return table, ()
    stored, digest = table.stored_events.get(match, NO_EVENTS), payload.get("digest")
    differs = isinstance(digest, int) and stored.count == order[0] and stored.digest != digest
    after = replace(
        table,
        state=payload,
        heard_at=now,
        stored_events=_with_count(table, match, NO_EVENTS if differs else stored),
        runs=(*table.runs, run)[-_MAX_RUNS:] if is_new_run else table.runs,
        judged=None if differs else table.judged,
    )
    return after, (EventsReset(table.name, match),) if differs else ()


def _is_earlier(table: HallTable, match: str) -> bool:
    """Return whether a match came before the table's current one."""
    known = list(table.stored_events)
    return match in known and table.match in known and known.index(match) < known.index(table.match)


def _sequence_key(state: JsonObject) -> tuple[int, float] | None:
    number, at = state.get("seq"), state.get("at")
    if not isinstance(number, int) or not isinstance(at, int | float):
        return None
    return number, float(at)


def _event(table: HallTable, payload: JsonObject, now: float) -> Folded:
    match, number, event = payload.get("match"), payload.get("seq"), payload.get("event")
    if payload.get("end") is True and isinstance(match, str) and isinstance(number, int):
        return _history_end(table, match, StoredEvents(number, int(payload.get("digest") or 0)))
    if not isinstance(match, str) or not isinstance(number, int) or not isinstance(event, dict):
        return table, ()
    stored = table.stored_events.get(match, NO_EVENTS)
    if number != stored.count:
        return table, ()  # known already, or it comes again after the missing ones
    is_now = match not in table.earlier_matches
    news = NewEvent(table.name, match, number, event)
    after = replace(
        table,
        stored_events=_with_count(table, match, stored.followed_by(event)),
        judged=news if is_now and event.get("event") == "judged" else table.judged,
        requested_at=now
        if match == table.match_to_request and table.requested_at is not None
        else table.requested_at,  # the answer is still arriving
    )
    return after, (news,)


def _history_end(table: HallTable, match: str, reported: StoredEvents) -> Folded:
    """Mark an earlier match complete if its stored events equal the reported ones; reset it if they differ."""
    stored = table.stored_events.get(match, NO_EVENTS)
    if match not in table.earlier_matches or stored.is_complete or stored.count < reported.count:
        return table, ()
    if stored != reported:
        return replace(table, stored_events=_with_count(table, match, NO_EVENTS)), (EventsReset(table.name, match),)
    return replace(table, stored_events=_with_count(table, match, replace(stored, is_complete=True))), (
        EventsComplete(table.name, match, stored),
    )


def _alert(table: HallTable, payload: JsonObject, _now: float) -> Folded:
    listed = payload.get("alerts", [])
    alerts = (
        tuple(alert for alert in listed if isinstance(alert, dict) and "kind" in alert)
        if isinstance(listed, list)
        else ()
    )
    return (table if alerts == table.alerts else replace(table, alerts=alerts)), ()


def _result(table: HallTable, payload: JsonObject, _now: float) -> Folded:
    if payload == table.result or (payload and not _is_result(payload)):
        return table, ()
    return replace(table, result=payload), ((NewResult(table.name, payload),) if payload else ())


def _is_result(payload: JsonObject) -> bool:
    players = payload.get("players")
    return (
        isinstance(payload.get("journal"), str)
        and isinstance(players, list)
        and all(isinstance(player, dict) for player in players)
        and all(type(player.get("total")) is int and isinstance(player.get("name"), str) for player in players)
    )


def _health(table: HallTable, payload: JsonObject, _now: float) -> Folded:
    return (table if payload == table.health else replace(table, health=payload)), ()


_FOLDS: Final[Mapping[str, Callable[[HallTable, JsonObject, float], Folded]]] = MappingProxyType(
    {"status": _status, "state": _state, "event": _event, "alert": _alert, "result": _result, "health": _health}
)
