"""The link itself: a publisher and an organiser of the loop, and a thread that talks to the broker.

The thread that owns the match hands over references and returns at once, as with the page. Everything else (JSON,
sockets, certificates) happens in other threads; a broker that is down, slow, full or hostile costs the table nothing.
"""

import logging
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from paho.mqtt.client import MQTTMessage

from referee.game.events import MatchOver, NamesChanged
from referee.game.state import Match
from referee.link.alerts import Alerts
from referee.link.broker import BrokerClient
from referee.link.home_assistant import discovery, discovery_topic
from referee.link.outbox import Outbox
from referee.link.past import PastMatches
from referee.link.table_report import TableFacts
from referee.link.topics import TableAddress, digest_of, parse_payload
from referee.log_limit import LogLimit
from referee.plain_json import json_bytes
from referee.protocol.allowed_commands import COMMAND_INPUTS
from referee.protocol.bridge import Bridge, CommandResult, TooManyCommandsError
from referee.protocol.command import InvalidCommandError, Sender
from referee.protocol.commands import parse_command
from referee.protocol.view_state import ViewState, next_view_state
from referee.reading.inputs import Input, Seconds
from referee.rules.verdict_json import error_to_json
from referee.rules.wording import message_of, only_english, say
from referee.settings.hall import HallSettings
from referee.storage.match_step import MatchStep

STATE_SECONDS: Final = 1.0  # between two states
HEALTH_SECONDS: Final = 30.0
POLL_SECONDS: Final = 0.1
CLAIM_SECONDS: Final = 0.5
MAX_WAITING_COMMANDS: Final = 32
JOIN_SECONDS: Final = 2.0

log = logging.getLogger("referee")


@dataclass(slots=True)
class _Due:
    """What to publish as soon as the broker accepts it."""

    state: bool = True
    health_at: float = 0.0
    state_at: float = 0.0
    alerts: list[dict[str, object]] | None = None
    result: Any | None = None
    in_flight: dict[int, int | None] = field(default_factory=dict)
    """The event of each message in flight; None for an earlier match's."""


class TableLink:
    """One table's link to the hall."""

    def __init__(self, settings: HallSettings, match: Match, facts: TableFacts) -> None:
        """Begin with this match; nothing is sent before `start`."""
        self._facts, self._settings = facts, settings
        self._address = TableAddress(settings.hall, settings.table_name)
        self._bridge = Bridge(match, facts.journal_id)
        self._view_state = ViewState()
        self._alerts = Alerts()
        self._lock = threading.Lock()
        self._outbox = Outbox(facts.event_count, facts.from_journal)
        self._past = PastMatches(facts.journal)
        self._sent, self._digest = facts.event_count, facts.digest
        # The power may have been cut before a result was sent.
        self._due = _Due(result=facts.result(self._bridge.now, self._view_state))
        self._commands: deque[MQTTMessage] = deque(maxlen=MAX_WAITING_COMMANDS)
        self._acknowledged: deque[int] = deque()
        self._reconnected = False
        self._called_at: float | None = None
        self._rival = ""
        self._claim_at = 0.0
        self._claimed = False
        self._log_limit = LogLimit()
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._broker = BrokerClient(
            settings,
            f"{self._address.hall}-{self._address.table}-{facts.device}",
            (self._address.command("+"), self._address.topic("status")),
            on_message=self._receive,
            on_connected=self._on_connected,
            on_acknowledged=self._on_acknowledged,
            is_rate_limited=True,
            will=(self._address.topic("status"), json_bytes(facts.status("offline"))),
        )
        self._thread = threading.Thread(target=self._run, name="referee-hall", daemon=True)

    # By the thread of the match ---------------------------------------------------------------------------------------

    def publish(self, step: MatchStep) -> None:
        """Take one step of the match."""
        if step.events:
            with self._lock:
                self._outbox.add(step.told)
            self._wake.set()
        self._bridge.publish(step)

    def poll(self, until: Seconds) -> Iterable[Input]:
        """Give the hall's commands since the last call."""
        return self._bridge.poll(until)

    # By the service and the page -------------------------------------------------------------------------------------

    def start(self) -> "TableLink":
        """Connect as soon as the broker answers."""
        self._broker.start()
        self._thread.start()
        return self

    def close(self) -> None:
        """Send the rest and the offline status if the broker answers, then disconnect."""
        until = monotonic() + JOIN_SECONDS
        while self._can_send and self.is_behind and monotonic() < until:
            self._wake.set()
            self._stop.wait(POLL_SECONDS / 2)
        self._stop.set()
        self._wake.set()
        self._thread.join(JOIN_SECONDS)
        if self._can_send:
            self._retain("status", self._facts.status("offline"))
        self._broker.close()

    @property
    def called_at(self) -> float | None:
        """The match time of the open call for the arbiter; None without one."""
        return self._called_at

    def call(self, *, is_open: bool) -> None:
        """Call the arbiter, or note that the call is answered; a second call keeps the first one's time."""
        self._called_at = (self._called_at or self._facts.now()) if is_open else None
        self._wake.set()

    @property
    def is_behind(self) -> bool:
        """Whether events or a result still have to be sent."""
        return self._due.result is not None or self._outbox.acknowledged < self._outbox.event_count

    @property
    def _can_send(self) -> bool:
        return self._broker.is_connected and self._claimed

    # By the client's thread -------------------------------------------------------------------------------------------

    def _on_connected(self) -> None:
        self._claimed, self._claim_at = False, monotonic() + CLAIM_SECONDS
        self._reconnected = True
        self._wake.set()

    def _on_acknowledged(self, number: int) -> None:
        self._acknowledged.append(number)  # the client holds its own lock here, so this must not block
        self._wake.set()

    def _receive(self, message: MQTTMessage) -> None:
        if message.topic == self._address.topic("status"):
            self._check_rival(parse_payload(message.payload))
            return
        self._commands.append(message)
        self._wake.set()

    def _check_rival(self, status: Any) -> None:
        """Stay silent if another device had this table's name first."""
        if not isinstance(status, dict) or status.get("device") == self._facts.device:
            return
        rival = str(status.get("device", "?"))[:40] if status.get("status") == "online" else ""
        if self._claimed and not (rival and rival < self._facts.device):
            self._claimed = False  # both came at once and the other one yields, or its offline status replaced ours
            return
        if rival and not self._rival:
            log.warning(
                "another device (%s) is table %s of hall %s already; give one of them another name under [hall]",
                rival,
                self._address.table,
                self._address.hall,
            )
        self._rival, self._claimed = rival, False
        self._reconnected = True

    def _claim(self) -> None:
        """Claim the table's name if no other device has it, after giving the broker time to say so."""
        if self._rival or self._claimed or not self._broker.is_connected or monotonic() < self._claim_at:
            return
        self._claimed = True
        self._retain("status", self._facts.status("online"))
        if self._settings.home_assistant:
            message = discovery(self._address, self._facts.version, self._facts.page)
            self._broker.publish(discovery_topic(self._address), message, retain=True)

    # By the link's own thread -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(POLL_SECONDS if self._broker.is_connected else HEALTH_SECONDS)
            self._wake.clear()
            try:
                self._take_turn()
            except Exception as error:
                if self._log_limit.may_log(type(error).__name__, monotonic()):
                    log.exception("the link to the hall failed and goes on; please report this")

    def _take_turn(self) -> None:
        """Take in what came from match and hall, and send what is due."""
        self._fold_steps()
        self._acknowledge()
        while self._commands:
            self._answer(self._commands.popleft())
        self._claim()
        if self._can_send:
            self._send()

    def _acknowledge(self) -> None:
        """Note what arrived; after a reconnection, send the rest again."""
        with self._lock:
            if self._reconnected:
                self._reconnected = False
                self._outbox.reconnected()
                self._past.drop()
                self._due = _Due(result=self._due.result)
            while self._acknowledged:
                message = self._acknowledged.popleft()
                if message not in self._due.in_flight:
                    continue
                event = self._due.in_flight.pop(message)
                if event is None:
                    self._past.acknowledge()
                else:
                    self._outbox.acknowledge(event)

    def _fold_steps(self) -> None:
        """Fold the new steps into the report of the match."""
        for match_step in self._bridge.steps():
            self._view_state = next_view_state(self._view_state, match_step)
            self._alerts = self._alerts.follow(match_step.events, match_step.match)
            self._due.state = True
            if any(isinstance(event, MatchOver | NamesChanged) for event in match_step.events):
                self._due.result = (
                    self._facts.result(self._bridge.at(match_step.match), self._view_state) or self._due.result
                )
        self._alerts = self._alerts.call(self._called_at).follow((), self._bridge.match)

    def _send(self) -> None:
        now = monotonic()
        with self._lock:
            events = tuple(self._outbox.due())
        for number, event in events:
            value = self._facts.event(number, event)
            if number == self._sent:
                self._sent, self._digest = number + 1, digest_of(event, self._digest)
            self._due.in_flight[self._broker.publish(self._address.topic("event"), value)] = number
        for value in self._past.due():
            self._due.in_flight[self._broker.publish(self._address.topic("event"), value)] = None
        if self._due.state and now - self._due.state_at >= STATE_SECONDS:
            self._due.state, self._due.state_at = False, now
            self._retain("state", self._state())
        alerts = self._alerts.to_json()
        if alerts != self._due.alerts:
            self._due.alerts = alerts
            self._retain("alert", {"at": round(self._facts.now(), 1), "alerts": alerts} if alerts else None)
        if self._due.result is not None:
            self._retain("result", self._due.result)
            self._due.result = None
        if now >= self._due.health_at:
            self._due.health_at = now + HEALTH_SECONDS
            self._retain("health", dict(self._facts.health()))
            self._due.state = True  # clocks run even if nothing happens

    def _state(self) -> dict[str, Any]:
        state = self._facts.state(self._bridge.now, self._view_state, self._sent, self._digest)
        return {**state, "earlier": self._past.names}

    def _retain(self, kind: str, value: Any | None) -> None:
        self._broker.publish(self._address.topic(kind), value, retain=True)

    def _answer(self, message: MQTTMessage) -> None:
        """Execute a command and answer on its response topic, if any."""
        verb, arguments = message.topic.rpartition("/")[2], parse_payload(message.payload) if message.payload else {}
        by = arguments.pop("by", "hall") if isinstance(arguments, dict) else "hall"
        answer = self._execute(verb, arguments, f"hall: {by!s:.40}")
        if isinstance(answer, Future):
            answer.add_done_callback(lambda future: self._reply(message, _outcome(future)))
        else:
            self._reply(message, answer)

    def _execute(self, verb: str, arguments: Any, by: str) -> "Future[CommandResult] | dict[str, Any]":
        if not isinstance(arguments, dict):
            return error_to_json(only_english(f"what was sent with {verb!r:.40} is no JSON object; send {{}}"))
        if verb in COMMAND_INPUTS:
            return self._submit({**arguments, "say": verb}, by)
        if verb == "resend":
            return self._resend(arguments)
        if verb in {"call", "answer_call"}:
            self.call(is_open=verb == "call")
            return {"ok": True}
        return error_to_json(only_english(f"{verb!r:.40} is nothing that can be asked of a table"))

    def _submit(self, command: dict[str, Any], by: str) -> "Future[CommandResult] | dict[str, Any]":
        bridge = self._bridge
        try:
            return bridge.result_of(command) or bridge.submit(
                parse_command(command, bridge.now, Sender(by, (by,)), self._facts.limits)
            )
        except InvalidCommandError as error:
            return {**error_to_json(message_of(error)), "error": str(error)}
        except TooManyCommandsError:
            return error_to_json(say("ask.queue", "the table has not taken what was asked before; ask again"))

    def _resend(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        match, number, own_match = str(arguments.get("match")), arguments.get("from"), self._facts.journal_id
        has_match = match == own_match or match in self._past.names
        if not has_match or not isinstance(number, int) or isinstance(number, bool):
            return error_to_json(
                only_english(
                    f"this table has match {own_match!r} and those before it; ask for one, and 'from' a number"
                )
            )
        if match != own_match:
            self._past.resend(match, number)
            return {"ok": True}
        with self._lock:
            self._outbox.resend(number)
            self._due.state = True  # the hall's is out of date
        return {"ok": True}

    def _reply(self, message: MQTTMessage, answer: Mapping[str, Any]) -> None:
        self._broker.answer(message, {"table": self._address.table, **answer}, self._address.can_answer_on)


def _outcome(future: "Future[CommandResult]") -> dict[str, Any]:
    if future.cancelled() or future.exception() is not None:
        return error_to_json(say("ask.dropped", "the table did not take it; ask again"))
    result = future.result()
    if result.over is not None:
        return {"ok": False, "error_id": "stale", **error_to_json(result.over)}
    return {"ok": result.changed, "told": result.told}
