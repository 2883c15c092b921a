"""The hall's desk: receives every table's messages, keeps records, and sends the staff's commands to tables."""

import asyncio
import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from math import ceil
from pathlib import Path
from queue import Empty, SimpleQueue
from secrets import token_hex
from time import monotonic
from typing import Any, Final

from msgspec.structs import asdict
from paho.mqtt.client import MQTTMessage

from referee.errors import StorageError
from referee.hall.bodies import CommandBody, RoundBody
from referee.hall.ledger import Ledger, result_entry
from referee.hall.messages import KINDS, Event, HistoryEnd, Received, State, Unreadable, read_message, read_reply
from referee.hall.records import EventStore, HallJournal
from referee.hall.tables import (
    MAX_TABLES,
    EventsComplete,
    EventsReset,
    NewEvent,
    RecordChange,
    ResendRequest,
    Tables,
    due_requests,
    receive,
    with_request,
    with_silent_tables,
    with_stored_events,
)
from referee.hall.tournament_entries import round_entry
from referee.hall.wall_view import natural_key
from referee.link.broker import BrokerClient, correlation_of
from referee.link.topics import REPLY, ROOT, TableAddress
from referee.log_limit import LogLimit
from referee.plain_json import JsonObject
from referee.rules.verdict_json import error_to_json
from referee.rules.wording import say
from referee.settings.hall import HallSettings

ANSWER_TIMEOUT_SECONDS: Final = 5.0
GAP_CHECK_SECONDS: Final = 0.1
"""The interval between searches for missing events; hundreds of messages may arrive per second."""
MAX_QUEUED_MESSAGES: Final = 2000
MAX_PENDING_COMMANDS: Final = 2000

log = logging.getLogger("referee")


class Desk:
    """Keeps the state of the hall; only its own thread changes the tables, other threads read immutable values."""

    def __init__(self, settings: HallSettings, folder: Path, wall: Callable[[], str]) -> None:
        """Open the records in this folder; messages arrive only after `start`."""
        self.tables: Tables = {}
        self._hall, self._wall = settings.hall, wall
        self._journal = HallJournal(folder / "hall.jsonl")
        self.events = EventStore(folder / "events")
        self._lock = threading.Lock()  # guards the journal: request threads write to it too
        self._queue: SimpleQueue[MQTTMessage | None] = SimpleQueue()
        self._pending: dict[bytes, Future[dict[str, Any]]] = {}
        self._name = f"{settings.hall}-desk-{token_hex(4)}"
        self._answer_topic = f"{ROOT}/{settings.hall}/{REPLY}/{self._name}"
        self._stop = threading.Event()
        self._fault, self._checked_at, self._linked_at = "", 0.0, monotonic()
        self._unreadable: defaultdict[str, LogLimit] = defaultdict(LogLimit)
        topics = (*(f"{ROOT}/{settings.hall}/+/{kind}" for kind in KINDS), self._answer_topic)
        self._broker = BrokerClient(
            settings,
            self._name,
            topics,
            on_message=self._queue.put,
            on_connected=self._on_connected,
            queued=MAX_QUEUED_MESSAGES,
        )
        self._thread = threading.Thread(target=self._run, name="referee-desk", daemon=True)

    @property
    def ledger(self) -> Ledger:
        """The hall's own entries: penalties, corrections, tournaments."""
        return self._journal.ledger

    @property
    def linked(self) -> bool:
        """Whether the broker is connected."""
        return self._broker.is_connected

    @property
    def is_alive(self) -> bool:
        """Whether it takes messages."""
        return self._thread.is_alive()

    def start(self) -> "Desk":
        """Connect to the broker and begin to receive."""
        self._broker.start()
        self._thread.start()
        return self

    def close(self) -> None:
        """Store every received message, then stop."""
        self._stop.set()
        self._queue.put(None)
        self._thread.join(ANSWER_TIMEOUT_SECONDS)
        self._broker.close()
        self._journal.close()

    # Called from requests of the staff --------------------------------------------------------------------------------

    def send_command(self, table: str, verb: str, details: Mapping[str, Any], actor: str) -> "Future[dict[str, Any]]":
        """Send a table a command in the name of `actor`, a role; the future may never resolve, so limit the wait."""
        answer: Future[dict[str, Any]] = Future()
        if not self.linked or len(self._pending) >= MAX_PENDING_COMMANDS:
            answer.set_result(error_to_json(say("ask.no_broker", "the broker does not answer; ask again")))
            return answer
        mark = token_hex(8).encode()
        self._pending[mark] = answer
        answer.add_done_callback(lambda _: self._pending.pop(mark, None))
        topic = TableAddress(self._hall, table).command(verb)
        if not self._broker.ask(topic, {**details, "by": actor}, self._answer_topic, mark):
            answer.set_result(error_to_json(say("ask.broker_full", "the broker does not take it; ask again")))
        return answer

    async def wait_for_answer(self, pending: "Future[dict[str, Any]]") -> dict[str, Any]:
        """Return a table's answer, or an error after ANSWER_TIMEOUT_SECONDS."""
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_SECONDS):
                reply = await asyncio.wrap_future(pending)
        except TimeoutError:
            return error_to_json(
                say(
                    "ask.no_answer",
                    "no answer within {seconds} s; look at the table before you ask again",
                    seconds=ceil(ANSWER_TIMEOUT_SECONDS),
                )
            )
        return reply

    def enter(self, make: Callable[[Any, Ledger, str, str], JsonObject], body: CommandBody, actor: str) -> Ledger:
        """Append a staff decision to the journal; ConfigError if impossible, StorageError if not stored."""
        return self._enter(lambda ledger: make(body, ledger, actor, self._wall()))

    def seat(self, body: RoundBody, actor: str) -> Ledger:
        """Seat the next round of a tournament at the linked tables; raises the errors of `enter`."""
        tables = sorted((name for name, table in self.tables.items() if table.online), key=natural_key)
        # Takes seconds, so it is made outside the journal's lock.
        entry = round_entry(body, self.ledger, tables, actor, self._wall())
        return self._enter(lambda _: entry)

    def forget(self, table: str) -> None:
        """Remove a table from the wall and its retained messages from the broker; its records stay."""
        for kind in KINDS:
            self._broker.publish(TableAddress(self._hall, table).topic(kind), None, retain=True)

    def _enter(self, make: Callable[[Ledger], JsonObject]) -> Ledger:
        with self._lock:
            return self._journal.append(make(self._journal.ledger))

    # On the broker client's thread ------------------------------------------------------------------------------------

    def _on_connected(self) -> None:
        self._linked_at = monotonic()
        self._queue.put(None)

    # On the desk's own thread -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                message = self._queue.get(timeout=GAP_CHECK_SECONDS)
            except Empty:
                message = None
            try:
                if message is not None:
                    self._take(message)
                if message is None or self._queue.empty():
                    self._ask_for_missing()
                self._fault = ""
            except StorageError as error:
                if str(error) != self._fault:
                    log.warning("%s", error)
                self._fault = str(error)

    def _take(self, message: MQTTMessage) -> None:
        if message.topic == self._answer_topic:
            self._resolve(self._pending.get(correlation_of(message) or b""), message.payload)
            return
        received = read_message(self._hall, message.topic, message.payload, retained=message.retain)
        if received is None:
            return
        if isinstance(received.record, Unreadable):
            self._log_unreadable(received, received.record.why)
        try:
            self._receive(received)
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - our own fault must not stop what other tables send
            self._log_unreadable(received, f"{type(error).__name__}: {error!s:.100}; please report this")
            self._receive(replace(received, record=Unreadable("")))

    def _log_unreadable(self, received: Received, why: str) -> None:
        if received.table not in self._unreadable and len(self._unreadable) >= MAX_TABLES:
            return
        if self._unreadable[received.table].may_log(received.kind, monotonic()):
            log.warning("table %s sends what the hall cannot read (%s: %s)", received.table, received.kind, why)

    def _resolve(self, answer: "Future[dict[str, Any]] | None", payload: bytes | bytearray) -> None:
        reply = read_reply(payload)
        if answer is None or answer.done():
            return
        if reply is None:
            answer.set_result(error_to_json(say("ask.unreadable", "the table's answer cannot be read")))
        else:
            answer.set_result({key: part for key, part in asdict(reply).items() if part is not None})

    def _receive(self, received: Received) -> None:
        tables = self._restore(received)
        after, changes = receive(tables, received, monotonic())
        for change in changes:
            self._keep(change)
        self.tables = after  # only after storing: an event that was not stored is requested again

    def _restore(self, received: Received) -> Tables:
        """Return the tables with the events that an earlier run stored of this message's matches."""
        tables, matches = self.tables, _matches_of(received)
        if len(tables) >= MAX_TABLES and received.table not in tables:
            return tables
        for match in matches:
            known = tables.get(received.table)
            if known is None or match not in known.stored_events:
                tables = with_stored_events(
                    tables, received.table, match, self.events.stored_events(received.table, match)
                )
        return tables

    def _keep(self, change: RecordChange) -> None:
        if isinstance(change, NewEvent):
            self.events.append(change.table, change.match, change.sent)
        elif isinstance(change, EventsReset):
            self.events.reset_events(change.table, change.match)
        elif isinstance(change, EventsComplete):
            self.events.finish(change.table, change.match, change.stored_events)
        else:
            self._enter(lambda _: result_entry(change.table, change.result, self._wall()))

    def _ask_for_missing(self) -> None:
        now = monotonic()
        if not self.linked or now - self._checked_at < GAP_CHECK_SECONDS:
            return
        self._checked_at = now
        self.tables = with_silent_tables(self.tables, now, self._linked_at)
        for request in tuple(due_requests(self.tables, now)):
            self._resend(request)
            self.tables = with_request(self.tables, request, now)

    def _resend(self, request: ResendRequest) -> None:
        topic = TableAddress(self._hall, request.table).command("resend")
        self._broker.publish(topic, {"match": request.match, "from": request.number})


def _matches_of(received: Received) -> tuple[str, ...]:
    """Return the matches that a message is about, the present one last."""
    match received.record:
        case State() as state:
            return (*state.earlier_matches, state.journal)
        case Event(match=name) | HistoryEnd(match=name):
            return (name,)
    return ()
