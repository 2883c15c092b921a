"""A real broker, and a table that plays a recorded match through a real link."""

import http.client
import json
import multiprocessing
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from referee.cli.main import main
from referee.game.events import TurnEvent
from referee.game.limits import Limits
from referee.game.match import step
from referee.game.state import Match
from referee.link.past import match_name
from referee.link.table_link import TableLink
from referee.link.table_report import TableFacts
from referee.link.topics import digest_of, parse_payload
from referee.plain_json import json_bytes
from referee.protocol.state import CameraStatus
from referee.reading.inputs import Input, Seconds
from referee.server.pin import PIN_FILE, hash_pin
from referee.settings.hall import HallSettings
from referee.storage.journal import FileJournal, load_journal
from referee.storage.match_step import MatchStep
from tests.conftest import PATIENCE_SECONDS
from tests.page.drawn import closed

DEMO = Path(__file__).parent.parent / "matches" / "demo.jsonl"
# Processes of their own, that need not load the package anew.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["referee.cli.main", "referee.cli.hall", "referee.hall.server"])
PINS = {"organiser": "271828", "arbiter": "314159", "display": "161803"}
PIN_HASHES = {role: hash_pin(pin, cost=2) for role, pin in PINS.items()}  # a device's cost is of no use here


class Broker:
    """Mosquitto on a port of its own, that can be killed and started again."""

    def __init__(self, folder: Path, more: str = "allow_anonymous true") -> None:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = int(one.getsockname()[1])
        self._file = folder / "mosquitto.conf"
        self._file.write_text(
            f"listener {self.port} 127.0.0.1\npersistence true\npersistence_location {folder}/\nuser root\n{more}\n"
        )
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        self._running = subprocess.Popen(
            [program, "-c", self._file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        await_that(self._answers)

    def _answers(self) -> bool:
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        if self._running is not None:
            self._running.kill()
            self._running.wait()
        self._running = None


@pytest.fixture
def make_broker(tmp_path: Path) -> Iterator[Callable[..., Broker]]:
    """Makes running brokers; what else is in their settings may be said."""
    if shutil.which("mosquitto") is None and not Path("/usr/sbin/mosquitto").exists():
        pytest.skip("mosquitto is not installed: sudo apt install mosquitto")
    made: list[Broker] = []

    def make(*more: str) -> Broker:
        folder = tmp_path / f"broker-{len(made)}"
        folder.mkdir()
        made.append(Broker(folder, *more))
        made[-1].start()
        return made[-1]

    yield make
    for one in made:
        one.kill()


@pytest.fixture
def broker(make_broker: Callable[..., Broker]) -> Broker:
    return make_broker()


class Listener:
    """Whoever listens at the broker: the hall, in its barest form."""

    def __init__(self, port: int, topics: str = "referee/v1/#") -> None:
        self.heard: list[tuple[str, Any]] = []
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self._client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        self._client.on_message = lambda _client, _data, message: self._hear(message.topic, bytes(message.payload))
        self._client.on_connect = lambda client, *_: client.subscribe(topics, qos=1)
        self._client.reconnect_delay_set(1, 1)
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()

    def _hear(self, topic: str, payload: bytes) -> None:
        value = parse_payload(payload) if payload else None
        if "/reply/" in topic:
            self._answers.put(value)
        else:
            self.heard.append((topic, value))

    def newest(self, kind: str, table: str = "t1") -> Any:
        """The newest message of a kind, None where there is none."""
        return next((value for topic, value in reversed(self.heard) if topic == f"referee/v1/h/{table}/{kind}"), None)

    def events(self, table: str = "t1") -> dict[int, Any]:
        """Every event heard, by its number."""
        return {
            said["seq"]: said["event"] for topic, said in list(self.heard) if topic == f"referee/v1/h/{table}/event"
        }

    def send_command(
        self,
        verb: str,
        said: Any,
        table: str = "t1",
        reply: str = "referee/v1/h/reply/1",
        patience: float = PATIENCE_SECONDS,
    ) -> Any:
        """Ask a table for something; its answer, None where none comes."""
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic = reply
        properties.CorrelationData = b"1"
        topic = f"referee/v1/h/{table}/cmd/{verb}"
        self._client.publish(topic, json_bytes(said), qos=1, properties=properties)
        try:
            return self._answers.get(timeout=patience)
        except Empty:
            return None

    def say(self, topic: str, payload: str | bytes) -> None:
        """Send what somebody sends who wants no answer."""
        self._client.publish(topic, payload, qos=1)

    def retain(self, topic: str, payload: bytes) -> None:
        """Send what the broker keeps for who comes later."""
        self._client.publish(topic, payload, qos=1, retain=True)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


@pytest.fixture
def home(broker: Broker) -> Iterator[Listener]:
    """Home Assistant's ear."""
    one = Listener(broker.port, "#")
    yield one
    one.close()


@pytest.fixture
def listener(broker: Broker) -> Iterator[Listener]:
    one = Listener(broker.port)
    yield one
    one.close()


class Table:
    """A table that plays a recorded match, as the loop would, and writes its journal."""

    def __init__(
        self, port: int, folder: Path, *, name: str = "t1", device: str = "", number: int = 1, **settings: str
    ) -> None:
        device = device or ("d1" if name == "t1" else f"d-{name}")
        self.match, self.told, digest = Match(), 0, 0
        (folder / f"{name}-{device}").mkdir(exist_ok=True)
        self.path = folder / f"{name}-{device}" / f"match-{number:05d}.jsonl"
        kept = load_journal(self.path) if self.path.exists() else None
        past = () if kept is None else kept.entries
        for entry in past:
            self.match, _, _ = step(self.match, entry.entered)
            self.told += len(entry.events)
            for event in entry.events:
                digest = digest_of(event, digest)
        head = {"referee": "test"}
        self._journal = FileJournal(
            self.path, head=None if kept else head, keep_bytes=kept.good_bytes if kept else None
        )
        self.id = match_name(self.path)
        said: dict[str, Any] = {
            "user": "",
            "password_file": "",
            "ca_file": "",
            "home_assistant": True,
            "hall": "h",
        } | settings
        hall = HallSettings(
            broker=f"mqtt://127.0.0.1:{port}",
            table=name,
            public_delay_seconds=0.0,
            **said,
        )
        facts = TableFacts(
            device=device,
            version="test",
            journal=self.path,
            journal_id=self.id,
            event_count=self.told,
            digest=digest,
            limits=Limits(),
            now=lambda: self.match.now,
            camera_status=CameraStatus,
            health=lambda: {"state": "running"},
        )
        self.link = TableLink(hall, self.match, facts).start()
        self._inputs = [entry.entered for entry in load_journal(DEMO).entries][len(past) :]

    def play(self, steps: int | None = None) -> tuple[TurnEvent, ...]:
        """Play so many steps of the recorded match, or what is left of it."""
        now, self._inputs = (self._inputs[:steps], self._inputs[steps:]) if steps is not None else (self._inputs, [])
        return tuple(event for entered in now for event in self.enter(entered))

    def enter(self, entered: Input) -> tuple[TurnEvent, ...]:
        taken = MatchStep.of(self.match, entered)
        self.match = taken.match
        self._journal.append(taken)
        self.told += len(taken.events)
        self.link.publish(taken)
        return taken.events

    def listen(self) -> None:
        """Take what the hall asked for."""
        for entered in self.link.poll(Seconds(max(self.match.now, 0.0))):
            self.enter(entered)

    def close(self) -> None:
        self.link.close()
        self._journal.close()


@pytest.fixture
def make_table(broker: Broker, tmp_path: Path) -> Iterator[Callable[..., Table]]:
    """Makes tables of this broker; a table of the same name and device goes on with its journal."""
    made: list[Table] = []

    def make(**said: Any) -> Table:
        made.append(Table(broker.port, tmp_path, **said))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def table(make_table: Callable[..., Table]) -> Table:
    return make_table()


class Hall:
    """A running `referee hall`."""

    def __init__(self, broker_port: int, folder: Path, delay: float = 0.0) -> None:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = int(one.getsockname()[1])
        self.folder = folder / "hall"
        for role, kept in PIN_HASHES.items():
            (self.folder / role).mkdir(parents=True)
            (self.folder / role / PIN_FILE).write_text(kept)
        settings = folder / "hall.toml"
        settings.write_text(
            f'[hall]\nbroker = "mqtt://127.0.0.1:{broker_port}"\nhall = "h"\npublic_delay_seconds = {delay}\n'
        )
        self.words = ["hall", "--config", str(settings), "--state", str(folder), "--web", f"127.0.0.1:{self.port}"]
        self.start()

    def start(self) -> None:
        self._process = PROCESSES.Process(target=main, args=(self.words,))
        self._process.start()
        self.await_listening()

    def await_listening(self) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.01)
        pytest.fail("the hall does not listen")

    def kill(self) -> None:
        self._process.kill()
        self._process.join()

    def events(self, table: str, match: str) -> list[Any]:
        """The events that it keeps of a match."""
        file = self.folder / "events" / table / f"{match}.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def browser(self, role: str = "") -> "Browser":
        one = Browser(self.port)
        if role:
            assert one.post("/api/login", pin=PINS[role])[0] == 200
        return one


class Browser:
    """Asks as a page does: with its cookie and its token."""

    def __init__(self, port: int) -> None:
        self._port, self._cookie, self._token = port, "", ""
        self._document: Any = None
        self.get("/api/session")

    def get(self, path: str) -> tuple[int, Any]:
        return self._ask("GET", path, None)

    def post(self, path: str, **said: Any) -> tuple[int, Any]:
        return self._ask("POST", path, said)

    def _ask(self, method: str, path: str, said: Any) -> tuple[int, Any]:
        link = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_SECONDS)
        headers = {"cookie": self._cookie, "x-csrf-token": self._token}
        if said is not None:
            headers |= {"content-type": "application/json", "origin": f"http://127.0.0.1:{self._port}"}
        link.request(method, path, None if said is None else json.dumps(said), headers)
        answer = link.getresponse()
        for cookie in answer.headers.get_all("set-cookie") or ():
            if cookie.startswith("referee="):
                self._cookie = cookie.partition(";")[0]
        content = answer.read()
        link.close()
        is_json = "json" in answer.headers.get("content-type", "")
        value = json.loads(content) if is_json else content.decode(errors="replace")
        if is_json:
            self._hold(method, path.partition("?")[0], answer.status, value)
        if is_json and "csrf" in value:
            self._token = value["csrf"]
        return answer.status, value

    def _hold(self, method: str, path: str, status: int, value: Any) -> None:
        """An answer is as the hall's own document says, and holds nothing beside."""
        if path == "/api/openapi.json":
            return
        self._document = self._document or closed(self.get("/api/openapi.json")[1])
        for known, operations in self._document["paths"].items():
            if re.fullmatch(re.sub(r"{\w+}", "[^/]+", known), path) and method.lower() in operations:
                said = operations[method.lower()]["responses"]["200" if status == 200 else "default"]["content"]
                if "application/json" in said:
                    schema = {**said["application/json"]["schema"], "components": self._document["components"]}
                    Draft202012Validator(schema).validate(value)

    def tables(self) -> dict[str, Any]:
        return {table["name"]: table for table in self.get("/api/wall")[1]["tables"]}


@pytest.fixture
def make_hall(broker: Broker, tmp_path: Path) -> Iterator[Callable[..., Hall]]:
    """Makes halls of this broker."""
    made: list[Hall] = []

    def make(delay: float = 0.0) -> Hall:
        made.append(Hall(broker.port, tmp_path, delay))
        return made[-1]

    yield make
    for one in made:
        one.kill()


@pytest.fixture
def hall(make_hall: Callable[..., Hall]) -> Hall:
    return make_hall()


@pytest.fixture(name="await_that")
def await_that_fixture() -> Callable[[Callable[[], Any]], Any]:
    return await_that


def await_that(holds: Callable[[], Any]) -> Any:
    """Wait until this holds, and give what it gave."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not (found := holds()):
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.05)
    return found
