"""The hall's desk: receives every table's messages, keeps records, and sends the staff's commands to tables."""

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from math import ceil
from pathlib import Path
from queue import Empty, SimpleQueue
from secrets import token_hex
from time import monotonic
from typing import Any, Final

from paho.mqtt.client import MQTTMessage

from referee.errors import StorageError
from referee.hall.bodies import Body, OfRound
from referee.hall.ledger import Ledger, Plain, told_result
from referee.hall.picture import natural
from referee.hall.records import EventStore, HallJournal
from referee.hall.tables import Cut, NewEvent, News, Resend, Tables, Whole, asked, due, earlier_in, hear, restore
from referee.hall.tournament_entries import seated
from referee.link.broker import BrokerClient, mark_of
from referee.link.settings import HallSettings
from referee.link.topics import KINDS, REPLY, ROOT, Received, TableAddress, parse_message, parse_payload

ANSWER_SECONDS: Final = 5.0
LOOK_SECONDS: Final = 0.1
"""So often all tables are looked through for what they miss: messages come in hundreds a second."""
MAX_QUEUED: Final = 2000
MAX_WAITING: Final = 2000
_FORGOTTEN: Final = ("state", "alert", "result", "health", "status")

log = logging.getLogger("referee")


class Desk:
    """The hall at work; its thread alone changes what is known, others read whole values."""

    def __init__(self, settings: HallSettings, folder: Path, wall: Callable[[], str]) -> None:
        """Make a desk that keeps its records in this folder; nothing is heard before `start`."""
        self.tables: Tables = {}
        self._hall, self._wall = settings.hall, wall
        self._journal = HallJournal(folder / "hall.jsonl")
        self.events = EventStore(folder / "events")
        self._lock = threading.Lock()  # of the journal: staff write too
        self._queue: SimpleQueue[MQTTMessage | None] = SimpleQueue()
        self._waiting: dict[bytes, Future[dict[str, Any]]] = {}
        self._name = f"{settings.hall}-desk-{token_hex(4)}"
        self._answers = f"{ROOT}/{settings.hall}/{REPLY}/{self._name}"
        self._stop = threading.Event()
        self._fault, self._looked_at = "", 0.0
        topics = (*(f"{ROOT}/{settings.hall}/+/{kind}" for kind in sorted(KINDS)), self._answers)
        self._broker = BrokerClient(
            settings, self._name, topics, heard=self._queue.put, linked=lambda: self._queue.put(None), queued=MAX_QUEUED
        )
        self._thread = threading.Thread(target=self._run, name="referee-desk", daemon=True)

    @property
    def ledger(self) -> Ledger:
        """The entries that only the hall knows, folded."""
        return self._journal.ledger

    @property
    def linked(self) -> bool:
        """Whether the broker is there."""
        return self._broker.connected

    def start(self) -> "Desk":
        """Connect to the broker and begin to receive."""
        self._broker.start()
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop after everything received is kept."""
        self._stop.set()
        self._queue.put(None)
        self._thread.join(ANSWER_SECONDS)
        self._broker.close()
        self._journal.close()

    # By whoever decides -----------------------------------------------------------------------------------------------

    def ask(self, table: str, verb: str, said: Mapping[str, Any], by: str) -> "Future[dict[str, Any]]":
        """Send a table a command in somebody's name; the future may never resolve, so wait for a limited time."""
        answer: Future[dict[str, Any]] = Future()
        if not self.linked or len(self._waiting) >= MAX_WAITING:
            answer.set_result({"error": "the broker does not answer; ask again"})
            return answer
        mark = token_hex(8).encode()
        self._waiting[mark] = answer
        answer.add_done_callback(lambda _: self._waiting.pop(mark, None))
        topic = TableAddress(self._hall, table).command(verb)
        if not self._broker.ask(topic, {**said, "by": by}, self._answers, mark):
            answer.set_result({"error": "the broker does not take it; ask again"})
        return answer

    async def answered(self, asked: "Future[dict[str, Any]]") -> dict[str, Any]:
        """Return a table's answer, or after a time limit an error."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                said = await asyncio.wrap_future(asked)
        except TimeoutError:
            return {"error": f"no answer within {ceil(ANSWER_SECONDS)} s; look at the table before you ask again"}
        return {key: said[key] for key in ("ok", "error") if key in said}

    def enter(self, make: Callable[[Any, Ledger, str, str], Plain], said: Body, by: str) -> Ledger:
        """Enter what somebody decides; ConfigError where it cannot be, StorageError where it cannot be kept."""
        return self._enter(lambda ledger: make(said, ledger, by, self._wall()))

    def seat(self, said: OfRound, by: str) -> Ledger:
        """Seat the next round of a tournament at the tables that are linked; errors as `enter`."""
        tables = sorted((name for name, table in self.tables.items() if table.online), key=natural)
        entry = seated(said, self.ledger, tables, by, self._wall())  # takes seconds: nobody waits for the journal
        return self._enter(lambda _: entry)

    def forget(self, table: str) -> None:
        """Remove a table from the wall and the broker; its records stay."""
        for kind in _FORGOTTEN:
            self._broker.publish(TableAddress(self._hall, table).topic(kind), None, retain=True)

    def _enter(self, make: Callable[[Ledger], Mapping[str, Any]]) -> Ledger:
        with self._lock:
            return self._journal.append(make(self._journal.ledger))

    # By the desk's own thread -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                message = self._queue.get(timeout=LOOK_SECONDS)
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
        if message.topic == self._answers:
            answer, value = self._waiting.get(mark_of(message) or b""), parse_payload(message.payload)
            if answer is not None and not answer.done():
                answer.set_result(value if isinstance(value, dict) else {"error": "the table's answer is no JSON"})
            return
        received = parse_message(self._hall, message.topic, message.payload, kept=message.retain)
        if received is None:
            return
        tables = self._restore(received)
        after, news = hear(tables, received, monotonic())
        for one in news:
            self._keep(one)
        self.tables = after  # only now: what is not kept is not known, and comes again

    def _restore(self, received: Received) -> Tables:
        """Count the events of a match that were kept before this start."""
        key = {"event": "match", "state": "journal"}.get(received.kind)
        if key is None or not isinstance(received.value, dict):
            return self.tables
        tables = self.tables
        for match in (*earlier_in(received.value), received.value.get(key)):
            known = tables.get(received.table)
            if isinstance(match, str) and (known is None or match not in known.had):
                tables = restore(tables, received.table, match, self.events.had(received.table, match))
        return tables

    def _keep(self, news: News) -> None:
        if isinstance(news, NewEvent):
            self.events.append(news.table, news.match, news.event)
        elif isinstance(news, Cut):
            self.events.cut(news.table, news.match)
        elif isinstance(news, Whole):
            self.events.finish(news.table, news.match, news.had)
        else:
            self._enter(lambda _: told_result(news.table, news.result, self._wall()))

    def _ask_for_missing(self) -> None:
        now = monotonic()
        if not self.linked or now - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at = now
        for request in tuple(due(self.tables, now)):
            self._resend(request)
            self.tables = asked(self.tables, request, now)

    def _resend(self, request: Resend) -> None:
        topic = TableAddress(self._hall, request.table).command("resend")
        self._broker.publish(topic, {"match": request.match, "from": request.number})
