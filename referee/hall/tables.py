"""The hall's tables: a pure fold of their messages.

Any message may be repeated, late, or lost. The state with the highest number of a match counts, so a
repeated one changes nothing. Events are taken in order, each once; missing ones are requested. Therefore
the same messages give the same tables in any order, once the gaps are filled.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from referee.hall.messages import (
    Alert,
    Alerts,
    Event,
    Health,
    HistoryEnd,
    Received,
    Result,
    State,
    Status,
    ToldEvent,
    Unreadable,
)
from referee.link.topics import MAX_IN_FLIGHT, digest_of
from referee.plain_json import JsonObject

RESEND_SECONDS: Final = 2.0
"""How long events may be late before they are requested, and how long before they are requested again."""
UNREADABLE_RESEND_SECONDS: Final = 60.0
SILENT_SECONDS: Final = 75.0
"""How old a table's health may be: it is due every 30 s."""
MAX_TABLES: Final = 2000
MAX_RESENT_MESSAGES: Final = 320
"""Resent messages in flight from all tables: a broker queues 1,000 for the hall and drops the rest."""
MAX_COUNTED_MATCHES: Final = 20
"""Matches per table whose event counts stay in memory."""
_MAX_RUNS: Final = 8
_NO_STATUS: Final = Status(status="offline")
_NO_HEALTH: Final = Health()
_NO_STATE: Final = State(journal="", seq=0, at=0.0)


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
    status: Status = _NO_STATUS
    state: State = _NO_STATE
    heard_at: float = 0.0
    """When the state arrived."""
    alerts: tuple[Alert, ...] = ()
    result: Result | None = None
    health: Health = _NO_HEALTH
    health_at: float = 0.0
    """When its health arrived, or when it was linked."""
    is_silent: bool = False
    """Whether its health is overdue, though nobody said that it left."""
    unreadable: int = 0
    """How many of its messages could not be read since it was linked."""
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
        return self.state.journal

    @property
    def online(self) -> bool:
        """Whether its device is linked and lets hear of it."""
        return self.is_linked and not self.is_silent

    @property
    def is_linked(self) -> bool:
        """Whether its device is linked, by the broker's account."""
        return self.status.status == "online"

    @property
    def events(self) -> int:
        """The number of stored events of this match."""
        return self.stored_events.get(self.match, NO_EVENTS).count

    @property
    def has_missing_events(self) -> bool:
        """Whether the hall lacks events of this match."""
        return self.events < self.state.seq

    @property
    def match_to_request(self) -> str | None:
        """The match whose missing events to request next, the current one first; None if none is missing."""
        if self.has_missing_events:
            return self.match
        return next(
            (match for match in self.state.earlier_matches if not self.stored_events.get(match, NO_EVENTS).is_complete),
            None,
        )

    @property
    def resend_seconds(self) -> float:
        """How long to wait for an answer to a request: longer where it may be one that cannot be read."""
        return UNREADABLE_RESEND_SECONDS if self.unreadable else RESEND_SECONDS

    @property
    def messages_per_request(self) -> int:
        """The number of messages that one request brings: events and the state."""
        return min(MAX_IN_FLIGHT, self.state.seq - self.events + 1) if self.has_missing_events else MAX_IN_FLIGHT


Tables = Mapping[str, HallTable]


@dataclass(frozen=True, slots=True)
class NewEvent:
    """The next event of a match, to be stored."""

    table: str
    match: str
    number: int
    sent: JsonObject
    told: ToldEvent


@dataclass(frozen=True, slots=True)
class NewResult:
    """The result of a match, to be stored; the table drops it with its next match."""

    table: str
    result: Result


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


def with_stored_events(tables: Tables, name: str, match: str, stored: StoredEvents) -> Tables:
    """Return the tables with the events of a match that are stored already."""
    table = tables.get(name, HallTable(name=name))
    return _with_table(tables, replace(table, stored_events=_with_count(table, match, stored)))


def receive(tables: Tables, message: Received, now: float) -> tuple[Tables, tuple[RecordChange, ...]]:
    """Return the tables after a message, and the changes to store."""
    known = tables.get(message.table)
    if message.record is None and (known is None or message.kind == "status"):
        return (tables if known is None else _without_table(tables, message.table)), ()  # removed from the wall
    if known is None and len(tables) >= MAX_TABLES:
        return tables, ()
    table = known or HallTable(name=message.table)
    after, news = _fold(table, message, now)
    since = now - RESEND_SECONDS if message.retained else now  # a retained message's events are no longer in flight
    return (tables if after is table else _with_table(tables, _note_gaps(table, after, since))), news


def due_requests(tables: Tables, now: float) -> Iterator[ResendRequest]:
    """Yield the requests to send now, at most MAX_RESENT_MESSAGES in flight; matches in play come first."""
    late = [table for table in tables.values() if table.online and _is_overdue(table.missing_since, now)]
    free = [table for table in late if table.requested_at is None or now - table.requested_at >= table.resend_seconds]
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


def with_silent_tables(tables: Tables, now: float, linked_at: float) -> Tables:
    """Return the tables, those marked as silent whose health is overdue; the hall hears them since `linked_at`."""
    silent = {
        table.name: replace(table, is_silent=True)
        for table in tables.values()
        if table.online and now - max(table.health_at, linked_at) > SILENT_SECONDS
    }
    return {**tables, **silent} if silent else tables


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


def _fold(table: HallTable, message: Received, now: float) -> Folded:
    after, news = table, ()
    match message.record:
        case Status() as status:
            after = _with_status(table, status, now)
        case State() as state:
            return _with_state(table, state, now)
        case Event() as event:
            return _with_event(table, event, now)
        case HistoryEnd() as end:
            return _with_history_end(table, end)
        case Alerts(alerts=alerts) if alerts != table.alerts:
            after = replace(table, alerts=alerts)
        case Result() as result if result != table.result:
            return replace(table, result=result), (NewResult(table.name, result),)
        case Health() as health:
            after = replace(table, health=health, health_at=now, is_silent=False)
        case Unreadable():
            after = replace(table, unreadable=table.unreadable + 1)
        case None:
            after = _without_kind(table, message.kind)
    return after, news


def _without_kind(table: HallTable, kind: str) -> HallTable:
    """Return the table after a retained message was cleared."""
    if kind == "alert":
        return replace(table, alerts=())
    return replace(table, result=None) if kind == "result" else table


def _with_status(table: HallTable, status: Status, now: float) -> HallTable:
    own_device = table.status.device
    if table.is_linked and status.device != own_device:
        if status.status != "online":  # the silent rival has left
            return replace(table, rival="")
        return replace(table, status=status, requested_at=None, rival=str(own_device)[:40])
    if table.is_linked or status.status != "online":
        return replace(table, status=status, requested_at=None)  # it reconnected: earlier requests may be lost
    return replace(table, status=status, requested_at=None, health_at=now, is_silent=False, unreadable=0)


def _with_state(table: HallTable, state: State, now: float) -> Folded:
    match, run = state.journal, state.run
    if run in table.runs[:-1] or match in table.state.earlier_matches or _is_earlier(table, match):
        return table, ()  # sent before the device restarted, or before this match
    is_new_run = run not in table.runs
    if not is_new_run and match == table.match and (state.seq, state.at) < (table.state.seq, table.state.at):
        return table, ()
    stored = table.stored_events.get(match, NO_EVENTS)
    differs = state.digest is not None and stored.count == state.seq and stored.digest != state.digest
    after = replace(
        table,
        state=state,
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


def _with_event(table: HallTable, event: Event, now: float) -> Folded:
    match = event.match
    stored = table.stored_events.get(match, NO_EVENTS)
    if event.seq != stored.count:
        return table, ()  # known already, or it comes again after the missing ones
    news = NewEvent(table.name, match, event.seq, event.sent, event.event)
    is_verdict = event.event.event == "judged" and match not in table.state.earlier_matches
    after = replace(
        table,
        stored_events=_with_count(table, match, stored.followed_by(event.sent)),
        judged=news if is_verdict else table.judged,
        requested_at=now
        if match == table.match_to_request and table.requested_at is not None
        else table.requested_at,  # the answer is still arriving
    )
    return after, (news,)


def _with_history_end(table: HallTable, end: HistoryEnd) -> Folded:
    """Mark an earlier match complete if its stored events equal the reported ones; reset it if they differ."""
    match, reported = end.match, StoredEvents(end.seq, end.digest)
    stored = table.stored_events.get(match, NO_EVENTS)
    if match not in table.state.earlier_matches or stored.is_complete or stored.count < reported.count:
        return table, ()
    if stored != reported:
        return replace(table, stored_events=_with_count(table, match, NO_EVENTS)), (EventsReset(table.name, match),)
    return replace(table, stored_events=_with_count(table, match, replace(stored, is_complete=True))), (
        EventsComplete(table.name, match, stored),
    )
