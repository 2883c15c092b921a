"""What the hall knows of its tables: a pure fold of their messages.

Every kind of message may come again, late, or not at all. Of a match the state with the highest number holds, so a
repeated one changes nothing; events are taken in their order, each once, and those that are missing are asked for. So
the same messages give the same picture in whatever order they come, once the gaps are filled.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from referee.link.outbox import MAX_IN_FLIGHT
from referee.link.topics import Received, digest_of

Plain = Mapping[str, Any]
Judged = tuple[str, int, Plain]
"""A judgement with its match and number."""
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
RESEND_SECONDS: Final = 2.0
"""So long events may be on their way before they count as missing, and so long an answer is waited for."""
MAX_SENT_AGAIN: Final = 320
"""Messages that tables send again at once: a broker keeps 1,000 for the hall and drops the rest."""
MAX_MATCHES: Final = 20
"""Matches of a table whose numbers of events are kept in memory."""
_MAX_RUNS: Final = 8
_MAX_EARLIER: Final = 8


@dataclass(frozen=True, slots=True)
class Had:
    """The number of events the hall has of a match, from the first on, and their digest."""

    count: int = 0
    digest: int = 0
    whole: bool = False
    """Whether the table said that there are no more."""

    def followed_by(self, event: Plain) -> "Had":
        """Return the count and digest with one more event."""
        return Had(self.count + 1, digest_of(event, self.digest))


NO_EVENTS: Final = Had()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """One table as the hall knows it; times are seconds of the hall's own clock."""

    name: str
    status: Plain = field(default_factory=dict)
    """Whether its device is there, and which."""
    state: Plain = field(default_factory=dict)
    heard_at: float = 0.0
    """When the state came."""
    alerts: tuple[Plain, ...] = ()
    result: Plain = field(default_factory=dict)
    health: Plain = field(default_factory=dict)
    had: Mapping[str, "Had"] = field(default_factory=dict)
    """The events of each match that the hall has."""
    missing_since: float | None = None
    """Since when events are known to be missing."""
    asked_at: float | None = None
    """When they were last asked for."""
    judged: Judged | None = None
    """The last judgement that came as an event."""
    runs: tuple[str, ...] = ()
    """The runs of the device that were heard of, the newest last."""
    rival: str = ""
    """Another device that used the same name."""

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
        """How many events of this match the hall has."""
        return self.had.get(self.match, NO_EVENTS).count

    @property
    def missing(self) -> bool:
        """Whether the hall lacks events of this match."""
        return bool(self.match) and self.events < int(self.state.get("seq", 0))

    @property
    def earlier(self) -> tuple[str, ...]:
        """Earlier matches that the table can still send, the oldest first."""
        return earlier_in(self.state)

    @property
    def wanted(self) -> str | None:
        """The match whose missing events to request first: the present one before earlier ones."""
        if self.missing:
            return self.match
        return next((match for match in self.earlier if not self.had.get(match, NO_EVENTS).whole), None)

    @property
    def sends(self) -> int:
        """How many messages a request brings at once: events, and the state."""
        return min(MAX_IN_FLIGHT, int(self.state["seq"]) - self.events + 1) if self.missing else MAX_IN_FLIGHT


Tables = Mapping[str, TableState]


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event that follows those kept: keep it."""

    table: str
    match: str
    number: int
    event: Plain


@dataclass(frozen=True, slots=True)
class NewResult:
    """The result of a match: keep it, as the table forgets it with its next match."""

    table: str
    result: Plain


@dataclass(frozen=True, slots=True)
class Cut:
    """The events kept of a match differ from the table's after a power cut: begin again."""

    table: str
    match: str


@dataclass(frozen=True, slots=True)
class Whole:
    """All events of a finished match are kept."""

    table: str
    match: str
    had: Had


News = NewEvent | NewResult | Cut | Whole


@dataclass(frozen=True, slots=True)
class Resend:
    """Request events from this number on."""

    table: str
    match: str
    number: int


def earlier_in(state: Plain) -> tuple[str, ...]:
    """Return the earlier matches that a state names."""
    named = state.get("earlier")
    return tuple(one for one in named if isinstance(one, str))[-_MAX_EARLIER:] if isinstance(named, list) else ()


def restore(tables: Tables, name: str, match: str, had: Had) -> Tables:
    """Return the tables with the events of a match that are kept already."""
    table = tables.get(name, TableState(name=name))
    return _with(tables, replace(table, had=_counted(table, match, had)))


def hear(tables: Tables, message: Received, now: float) -> tuple[Tables, tuple[News, ...]]:
    """Return the tables after a message, and what must be kept."""
    known, value = tables.get(message.table), message.value
    if value is None and (known is None or message.kind == "status"):
        return (tables if known is None else _without(tables, message.table)), ()  # taken off the wall
    table = known or TableState(name=message.table)
    fold = _FOLDS.get(message.kind)
    if fold is None or not (value is None or isinstance(value, dict)):
        return tables, ()
    after, news = fold(table, value or NOTHING, now)
    since = now - RESEND_SECONDS if message.kept else now  # what was told before this link is on its way no more
    return (tables if after is table else _with(tables, _look_for_gaps(table, after, since))), news


def due(tables: Tables, now: float) -> Iterator[Resend]:
    """Yield what is to be asked for now, as much as linked tables may send at once: matches in play come first."""
    late = [table for table in tables.values() if table.online and _is_over(table.missing_since, now)]
    free = [table for table in late if table.asked_at is None or _is_over(table.asked_at, now)]
    free.sort(key=lambda table: (not table.missing, table.missing_since))
    room = MAX_SENT_AGAIN - sum(table.sends for table in late) + sum(table.sends for table in free)
    for table in free:
        room -= table.sends
        if room < 0:
            return
        if (match := table.wanted) is not None:
            yield Resend(table.name, match, table.had.get(match, NO_EVENTS).count)


def _is_over(began: float | None, now: float) -> bool:
    return began is not None and now - began >= RESEND_SECONDS


def asked(tables: Tables, request: Resend, now: float) -> Tables:
    """Return the tables after events were requested."""
    return _with(tables, replace(tables[request.table], asked_at=now))


def _without(tables: Tables, name: str) -> Tables:
    return {key: table for key, table in tables.items() if key != name}


def _with(tables: Tables, table: TableState) -> Tables:
    return {**tables, table.name: table}


def _counted(table: TableState, match: str, count: Had) -> Mapping[str, Had]:
    had = {key: number for key, number in table.had.items() if key != match}
    for key in list(had)[: max(0, len(had) - MAX_MATCHES + 1)]:
        del had[key]
    return {**had, match: count}


def _look_for_gaps(before: TableState, table: TableState, now: float) -> TableState:
    if table.wanted is None:
        return table if table.missing_since is None else replace(table, missing_since=None, asked_at=None)
    if table.missing_since is None:
        return replace(table, missing_since=now)
    return table if table.wanted == before.wanted else replace(table, asked_at=None)


# One kind of message each ---------------------------------------------------------------------------------------------


def _status(table: TableState, said: Plain, _now: float) -> tuple[TableState, tuple[News, ...]]:
    ours, theirs = table.status.get("device"), said.get("device")
    if table.online and theirs != ours:
        if said.get("status") != "online":  # a rival that kept silent has gone
            return replace(table, rival=""), ()
        return replace(table, status=said, asked_at=None, rival=str(ours)[:40]), ()
    return replace(table, status=said, asked_at=None), ()  # it linked anew: what it was asked before may be lost


def _state(table: TableState, said: Plain, now: float) -> tuple[TableState, tuple[News, ...]]:
    match, order, run = said.get("journal"), _order(said), str(said.get("run", ""))
    if not isinstance(match, str) or order is None:
        return table, ()
    if run in table.runs[:-1] or match in table.earlier or _is_earlier(table, match):
        return table, ()  # told before the device was started again, or before this match
    is_new_run = run not in table.runs
    if not is_new_run and match == table.match and order < (_order(table.state) or (0, 0.0)):
        return table, ()
    had, digest = table.had.get(match, NO_EVENTS), said.get("digest")
    differs = isinstance(digest, int) and had.count == order[0] and had.digest != digest
    after = replace(
        table,
        state=said,
        heard_at=now,
        had=_in_place(table, match, NO_EVENTS if differs else had),
        runs=(*table.runs, run)[-_MAX_RUNS:] if is_new_run else table.runs,
        judged=None if differs else table.judged,
    )
    return after, (Cut(table.name, match),) if differs else ()


def _is_earlier(table: TableState, match: str) -> bool:
    """Return whether a match came before the table's current one."""
    known = list(table.had)
    return match in known and table.match in known and known.index(match) < known.index(table.match)


def _order(state: Plain) -> tuple[int, float] | None:
    number, at = state.get("seq"), state.get("at")
    if not isinstance(number, int) or not isinstance(at, int | float):
        return None
    return number, float(at)


def _event(table: TableState, said: Plain, now: float) -> tuple[TableState, tuple[News, ...]]:
    match, number, event = said.get("match"), said.get("seq"), said.get("event")
    if said.get("end") is True and isinstance(match, str) and isinstance(number, int):
        return _end(table, match, Had(number, int(said.get("digest") or 0)))
    if not isinstance(match, str) or not isinstance(number, int) or not isinstance(event, dict):
        return table, ()
    had = table.had.get(match, NO_EVENTS)
    if number != had.count:
        return table, ()  # had already, or to come again after those before it
    is_now = match not in table.earlier
    after = replace(
        table,
        had=_in_place(table, match, had.followed_by(event)),
        judged=(match, number, event) if is_now and event.get("event") == "judged" else table.judged,
        asked_at=now if match == table.wanted and table.asked_at is not None else table.asked_at,  # more are coming
    )
    return after, (NewEvent(table.name, match, number, event),)


def _end(table: TableState, match: str, told: Had) -> tuple[TableState, tuple[News, ...]]:
    """Take note that an earlier match has so many events; one that was kept otherwise is begun anew."""
    had = table.had.get(match, NO_EVENTS)
    if match not in table.earlier or had.whole or had.count < told.count:
        return table, ()
    if had != told:
        return replace(table, had=_in_place(table, match, NO_EVENTS)), (Cut(table.name, match),)
    return replace(table, had=_in_place(table, match, replace(had, whole=True))), (Whole(table.name, match, had),)


def _in_place(table: TableState, match: str, count: Had) -> Mapping[str, Had]:
    """Return the counts with this one changed; matches stay in the order they were first heard of."""
    return {**table.had, match: count} if match in table.had else _counted(table, match, count)


def _alert(table: TableState, said: Plain, _now: float) -> tuple[TableState, tuple[News, ...]]:
    listed = said.get("alerts", [])
    alerts = tuple(one for one in listed if isinstance(one, dict) and "kind" in one) if isinstance(listed, list) else ()
    return (table if alerts == table.alerts else replace(table, alerts=alerts)), ()


def _result(table: TableState, said: Plain, _now: float) -> tuple[TableState, tuple[News, ...]]:
    if said == table.result or (said and not _is_result(said)):
        return table, ()
    return replace(table, result=said), ((NewResult(table.name, said),) if said else ())


def _is_result(said: Plain) -> bool:
    players = said.get("players")
    return (
        isinstance(said.get("journal"), str)
        and isinstance(players, list)
        and all(isinstance(player, dict) for player in players)
        and all(type(player.get("total")) is int and isinstance(player.get("name"), str) for player in players)
    )


def _health(table: TableState, said: Plain, _now: float) -> tuple[TableState, tuple[News, ...]]:
    return (table if said == table.health else replace(table, health=said)), ()


_FOLDS: Final[Mapping[str, Callable[[TableState, Plain, float], tuple[TableState, tuple[News, ...]]]]] = (
    MappingProxyType(
        {"status": _status, "state": _state, "event": _event, "alert": _alert, "result": _result, "health": _health}
    )
)
