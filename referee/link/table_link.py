"""The link itself: a publisher and an organiser of the loop, and a thread that talks to the broker.

The thread that owns the match hands over references and returns at once, as with the page. All else, JSON, sockets,
certificates, happens here; a broker that is down, slow, full or hostile costs the table nothing.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any, Final

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from referee.errors import StorageError
from referee.game.events import MatchOver, TurnEvent
from referee.game.inputs import Input, Seconds
from referee.game.limits import Limits
from referee.game.state import Match, Phase
from referee.link.alerts import Alerts
from referee.link.outbox import Outbox
from referee.link.settings import HallSettings
from referee.link.topics import TableAddress, format_payload, parse_payload
from referee.storage.journal import told_in
from referee.storage.plain import event_to_plain
from referee.web.allowed_commands import WORDS
from referee.web.bridge import Bridge, Entered, TooManyWordsError
from referee.web.commands import understand
from referee.web.recent import Recent, go_on
from referee.web.state import Sighting, state
from referee.web.words_said import Speaker, WrongWordError

STATE_SECONDS: Final = 1.0  # between two states
HEALTH_SECONDS: Final = 30.0
POLL_SECONDS: Final = 0.1
KEEPALIVE_SECONDS: Final = 15
MAX_RECONNECT_SECONDS: Final = 10
MAX_WAITING_COMMANDS: Final = 32
JOIN_SECONDS: Final = 2.0
_HIDDEN: Final = ("racks", "rack_asked", "asked", "restore", "can", "proposal")
"""What of a match no hall needs: racks are the players' own, the rest is for the page of the table itself."""

log = logging.getLogger("referee")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """What the link tells of its table beside the match."""

    device: str
    """Tells this device from every other one, whatever they are called."""
    version: str
    journal: Path | None
    journal_id: str
    told: int
    """How many events the journal holds already."""
    limits: Limits
    now: Callable[[], float]
    sighting: Callable[[], Sighting]
    health: Callable[[], Mapping[str, Any]]


@dataclass(slots=True)
class _Due:
    """What is to be published as soon as the broker takes it."""

    state: bool = True
    health_at: float = 0.0
    state_at: float = 0.0
    alerts: list[dict[str, object]] | None = None
    result: Any | None = None
    in_flight: dict[int, int] = field(default_factory=dict)


class TableLink:
    """One table's link to the hall."""

    def __init__(self, settings: HallSettings, match: Match, facts: TableFacts) -> None:
        """Begin with this match; nothing is sent before `start`."""
        self._settings = settings
        self._facts = facts
        self._address = TableAddress(settings.hall, settings.table_name)
        self._bridge = Bridge(match)
        self._recent = Recent()
        self._alerts = Alerts()
        self._lock = threading.Lock()
        self._outbox = Outbox(facts.told, self._from_journal)
        self._due = _Due()
        self._asked: deque[MQTTMessage] = deque(maxlen=MAX_WAITING_COMMANDS)
        self._arrived: deque[int] = deque()
        self._reconnected = False
        self._connected = threading.Event()
        self._rival = ""
        self._fault = ""
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._client = self._make_client()
        self._thread = threading.Thread(target=self._run, name="referee-hall", daemon=True)

    # By the thread of the match ---------------------------------------------------------------------------------------

    def publish(self, entered: Input, told: tuple[TurnEvent, ...], match: Match) -> None:
        """Take one step."""
        if told:
            with self._lock:
                self._outbox.add(told)
            self._wake.set()
        self._bridge.publish(entered, told, match)

    def said(self, until: Seconds) -> tuple[Input, ...]:
        """Give what the hall asked for."""
        return self._bridge.said(until)

    # By whoever opens and closes it -----------------------------------------------------------------------------------

    def start(self) -> "TableLink":
        """Begin to talk to the broker, now or whenever it is there."""
        self._client.connect_async(self._settings.host, self._settings.port, KEEPALIVE_SECONDS)
        self._client.loop_start()
        self._thread.start()
        return self

    def close(self) -> None:
        """Say what is left to say, and goodbye, to a broker that answers; to no other one."""
        until = monotonic() + JOIN_SECONDS
        while self._connected.is_set() and not self._rival and self._is_behind() and monotonic() < until:
            self._wake.set()
            self._stop.wait(POLL_SECONDS / 2)
        self._stop.set()
        self._wake.set()
        self._thread.join(JOIN_SECONDS)
        if self._connected.is_set() and not self._rival:
            self._client.publish(self._address.topic("status"), self._status("offline"), qos=1, retain=True)
            self._client.disconnect()
        self._client.loop_stop()

    def _is_behind(self) -> bool:
        return self._due.result is not None or self._outbox.acknowledged < self._outbox.told

    # By the client's thread -------------------------------------------------------------------------------------------

    def _make_client(self) -> Client:
        name = f"{self._address.hall}-{self._address.table}-{self._facts.device}"
        client = Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=MQTTProtocolVersion.MQTTv5)
        self._settings.secure(client)
        client.will_set(self._address.topic("status"), self._status("offline"), qos=1, retain=True)
        client.reconnect_delay_set(1, MAX_RECONNECT_SECONDS)
        client.max_queued_messages_set(100)
        client.max_inflight_messages_set(20)
        client.on_connect = self._on_connect
        client.on_connect_fail = lambda *_: self._tell(f"the broker {self._settings.broker} does not answer")
        client.on_disconnect = lambda *_: self._connected.clear()
        client.on_message = lambda _client, _data, message: self._on_message(message)
        client.on_publish = lambda _client, _data, number, *_: self._on_publish(number)
        return client

    def _on_connect(self, client: Client, _data: object, _flags: object, reason: ReasonCode, *_: object) -> None:
        if reason.is_failure:
            self._tell(f"the broker {self._settings.broker} refuses table {self._address.table}: {reason}")
            return
        self._tell("")
        client.subscribe([(self._address.command("+"), _quality(1)), (self._address.topic("status"), _quality(1))])
        self._reconnected = True
        self._connected.set()
        self._wake.set()
        if not self._rival:
            client.publish(self._address.topic("status"), self._status("online"), qos=1, retain=True)

    def _on_publish(self, number: int) -> None:
        self._arrived.append(number)  # the client holds a lock of its own here: nothing may be waited for
        self._wake.set()

    def _on_message(self, message: MQTTMessage) -> None:
        if message.topic == self._address.topic("status"):
            self._mind_rival(parse_payload(message.payload))
            return
        self._asked.append(message)
        self._wake.set()

    def _mind_rival(self, status: Any) -> None:
        """Two devices of one name would both be right and both be wrong: the one that came later keeps silent."""
        if not isinstance(status, dict) or status.get("device") == self._facts.device:
            return
        online = status.get("status") == "online"
        rival = str(status.get("device", "?"))[:40] if online else ""
        if rival and not self._rival:
            log.warning(
                "another device (%s) is table %s of hall %s already; give one of them another name under [hall]",
                rival,
                self._address.table,
                self._address.hall,
            )
        came_back = self._rival and not rival
        self._rival = rival
        if came_back:
            self._client.publish(self._address.topic("status"), self._status("online"), qos=1, retain=True)
            self._reconnected = True

    def _tell(self, fault: str) -> None:
        """Say a fault once, and that it is over."""
        if fault and fault != self._fault:
            log.warning("%s; the table referees without the hall", fault)
        elif self._fault and not fault:
            log.info("table %s is linked to hall %s", self._address.table, self._address.hall)
        self._fault = fault

    # By the link's own thread -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(POLL_SECONDS if self._connected.is_set() else HEALTH_SECONDS)
            self._wake.clear()
            self._follow()
            self._acknowledge()
            while self._asked:
                self._answer(self._asked.popleft())
            if self._connected.is_set() and not self._rival:
                self._send()

    def _acknowledge(self) -> None:
        """Take note of what arrived, and send again what did not where the broker had been away."""
        with self._lock:
            if self._reconnected:
                self._reconnected = False
                self._outbox.reconnected()
                self._due = _Due(result=self._due.result)
            while self._arrived:
                event = self._due.in_flight.pop(self._arrived.popleft(), None)
                if event is not None:
                    self._outbox.acknowledge(event)

    def _follow(self) -> None:
        """Fold the steps since the last time into what is told of the match."""
        for happened in self._bridge.steps():
            self._recent = go_on(self._recent, happened)
            self._alerts = self._alerts.follow(happened.told, happened.match)
            self._due.state = True
            if any(isinstance(event, MatchOver) for event in happened.told):
                self._due.result = self._result(happened.match)
        self._alerts = self._alerts.follow((), self._bridge.match)

    def _send(self) -> None:
        now = monotonic()
        with self._lock:
            events = tuple(self._outbox.due())
        for number, event in events:
            told = event if isinstance(event, dict) else event_to_plain(event)
            value = {"match": self._facts.journal_id, "seq": number, "event": told}
            sent = self._client.publish(self._address.topic("event"), format_payload(value), qos=1)
            self._due.in_flight[sent.mid] = number
        if self._due.state and now - self._due.state_at >= STATE_SECONDS:
            self._due.state, self._due.state_at = False, now
            self._retain("state", self._state())
        alerts = self._alerts.to_plain()
        if alerts != self._due.alerts:
            self._due.alerts = alerts
            self._retain("alert", {"at": self._at(), "alerts": alerts} if alerts else None)
        if self._due.result is not None:
            self._retain("result", self._due.result)
            self._due.result = None
        if now >= self._due.health_at:
            self._due.health_at = now + HEALTH_SECONDS
            self._retain("health", dict(self._facts.health()))
            self._due.state = True  # clocks go on though nothing happens

    def _retain(self, kind: str, value: Any | None) -> None:
        payload = b"" if value is None else format_payload(value)
        self._client.publish(self._address.topic(kind), payload, qos=1, retain=True)

    def _answer(self, message: MQTTMessage) -> None:
        """Do what was asked and tell whoever asked; an answer that nobody can be told of is left out."""
        verb, said = message.topic.rpartition("/")[2], parse_payload(message.payload) if message.payload else {}
        by = said.pop("by", "hall") if isinstance(said, dict) else "hall"
        answer = self._do(verb, said, f"hall: {by!s:.40}")
        if isinstance(answer, Future):
            answer.add_done_callback(lambda done: self._reply(message, _outcome(done)))
        else:
            self._reply(message, answer)

    def _do(self, verb: str, said: Any, by: str) -> "Future[Entered] | dict[str, Any]":
        if not isinstance(said, dict):
            return {"error": f"what was sent with {verb!r:.40} is no JSON object; send {{}}"}
        if verb in WORDS:
            return self._say({**said, "say": verb}, by)
        if verb == "resend":
            return self._resend(said)
        if verb in {"call", "answer_call"}:
            self._alerts = self._alerts.call(self._facts.now() if verb == "call" else None)
            return {"ok": True}
        return {"error": f"{verb!r:.40} is nothing that can be asked of a table"}

    def _say(self, said: Mapping[str, Any], by: str) -> "Future[Entered] | dict[str, Any]":
        try:
            return self._bridge.say(understand(said, self._bridge.match, Speaker(by), self._facts.limits))
        except WrongWordError as error:
            return {"error": str(error)}
        except TooManyWordsError:
            return {"error": "the table has not taken what was asked before; ask again"}

    def _resend(self, said: Mapping[str, Any]) -> dict[str, Any]:
        number, ours = said.get("from"), self._facts.journal_id
        if said.get("match") != ours or not isinstance(number, int) or isinstance(number, bool):
            return {"error": f"this table tells of match {ours!r}; ask for that, and 'from' a number"}
        with self._lock:
            self._outbox.resend(number)
        return {"ok": True}

    def _reply(self, message: MQTTMessage, answer: Mapping[str, Any]) -> None:
        asked = message.properties
        topic = getattr(asked, "ResponseTopic", None)
        if not isinstance(topic, str) or not self._address.may_answer_on(topic):
            return
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        if isinstance(mark := getattr(asked, "CorrelationData", None), bytes):
            properties.CorrelationData = mark
        self._client.publish(
            topic, format_payload({"table": self._address.table, **answer}), qos=1, properties=properties
        )

    # What is told -----------------------------------------------------------------------------------------------------

    def _at(self) -> float:
        return round(self._facts.now(), 1)

    def _status(self, status: str) -> bytes:
        said = {"status": status, "device": self._facts.device, "version": self._facts.version}
        return format_payload(said)

    def _state(self) -> Any:
        """The page's State without pictures, places of tiles and racks, and the number of the next event."""
        match = self._bridge.match
        said = state(match, self._recent, self._facts.sighting(), None, self._facts.now())
        table, shown = said["table"], said["match"]
        sets = [[table["tiles"][index]["tile"] for index in one["tiles"]] for one in table["sets"]]
        return {
            "at": said["at"],
            "journal": self._facts.journal_id,
            "seq": self._outbox.told,
            "match": None if shown is None else {key: value for key, value in shown.items() if key not in _HIDDEN},
            "table": {"camera": table["camera"], "sets": sets},
        }

    def _result(self, match: Match) -> Any | None:
        if match.phase is not Phase.MATCH_OVER:
            return None
        shown = self._state()["match"]
        kept = self._facts.journal
        try:
            checksum = None if kept is None else sha256(kept.read_bytes()).hexdigest()
        except OSError:
            checksum = None
        wanted = ("edition", "players", "results", "ranking", "ranks")
        return {
            "journal": self._facts.journal_id,
            "sha256": checksum,
            **{key: shown[key] for key in wanted},
        }

    def _from_journal(self, first: int, most: int) -> tuple[Any, ...]:
        if self._facts.journal is None:
            return ()
        try:
            return tuple(islice(told_in(self._facts.journal), first, first + most))
        except StorageError as error:
            log.warning("%s; the hall misses events from number %d on", error, first)
            return ()


def _outcome(done: "Future[Entered]") -> dict[str, Any]:
    if done.cancelled() or done.exception() is not None:
        return {"error": "the table did not take it; ask again"}
    entered = done.result()
    return {"ok": entered.changed, "told": [event_to_plain(event) for event in entered.told]}


def _quality(level: int) -> Any:
    from paho.mqtt.subscribeoptions import SubscribeOptions  # noqa: PLC0415 - beside its one use

    return SubscribeOptions(qos=level)
