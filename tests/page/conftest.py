"""A real server on loopback before a real loop; a test lays tables and presses, and asks like a browser."""

import http.client
import json
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import cv2
import msgspec
import numpy as np
import pytest

from tests.conftest import PATIENCE_SECONDS, comes_true

pytest.importorskip("uvicorn", reason="needs the extra 'web': pip install -e '.[web]'")

from referee.errors import CalibrationError
from referee.game.cues import CUES
from referee.game.events import Judged
from referee.game.inputs import MatchStarted, Ticked, TurnEnded
from referee.game.limits import Limits
from referee.game.state import Match, Phase
from referee.hardware.ports import Journal
from referee.hardware.system import SystemClock
from referee.history.archive import ServiceArchive
from referee.history.evidence import Evidence
from referee.history.evidence_pictures import EvidencePictures
from referee.history.history import History
from referee.history.missed_plays import MissedPlays
from referee.page.dependencies import Dependencies
from referee.page.pictures import Pictures, VisibleArea
from referee.page.server import Server
from referee.protocol.answers import Error
from referee.protocol.bridge import Bridge
from referee.protocol.state import CameraStatus
from referee.reading.inputs import Input, Seconds, TableMoving, TableSettled, TableStill
from referee.reading.observation import Layout, Quad, TableReading, TileReading
from referee.rules.editions import RuleSet
from referee.rules.notation import parse_table, parse_tile
from referee.rules.verdict_json import message_to_json
from referee.rules.wording import say
from referee.server.connection_limits import ConnectionLimits
from referee.server.openapi import ApiRoute
from referee.server.pin import hash_pin, load_pin, save_pin
from referee.service.loop import Loop
from referee.service.publishers import EvidencePublisher
from referee.settings.page import WebSettings
from referee.sim.faces import STYLES, face
from referee.storage.journal import NoJournal
from referee.storage.match_step import MatchStep
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader
from referee.vision.watch.watcher import SettledLook

PIN = "271828"
WIDTH, HEIGHT = 1600, 900
PIN_HASH = hash_pin(PIN, cost=2)  # what it costs on a device takes longer than most tests
ALL = VisibleArea(((0, 0), (WIDTH, 0), (WIDTH, HEIGHT), (0, HEIGHT)), (WIDTH, HEIGHT))
LIMITS = Limits(double_press_seconds=0.05)
NO_DOUBTS: Mapping[int, str] = {}


def reading(text: str, frame_id: str, at: float, doubts: Mapping[int, str] = NO_DOUBTS) -> TableReading:
    """A table in notation, laid out in rows; a tile by its place may be in doubt with another, or with none ("-")."""
    tiles: list[TileReading] = []
    rows = []
    x, y = 40.0, 40.0
    for row in parse_table(text).sets:
        if x + 44 * len(row) > WIDTH - 40:
            x, y = 40.0, y + 80
        rows.append(tuple(range(len(tiles), len(tiles) + len(row))))
        for tile in row:
            quad: Quad = ((x, y), (x + 40, y), (x + 40, y + 60), (x, y + 60))
            tiles.append(TileReading(quad=quad, tile=tile, confidence=0.999))
            x += 44
        x += 60
    for place, name in doubts.items():
        unsure = replace(tiles[place], confidence=0.55, unsure=True)
        other = {"bare": 0.4} if name == "-" else {"alternatives": ((parse_tile(name), 0.4),)}
        tiles[place] = replace(unsure, **other)
    sets = tuple(row for row in rows if len(row) > 1)
    loose = tuple(row[0] for row in rows if len(row) == 1)
    return TableReading(frame_id=frame_id, at=at, tiles=tuple(tiles), layouts=(Layout(sets, loose, 1.0),))


def picture(seen: TableReading) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Green baize with every tile that was read; a lamp shines on those that are in doubt."""
    image = np.full((HEIGHT, WIDTH, 3), (70, 110, 50), np.uint8)
    for tile in seen.tiles:
        (left, top), _, (right, bottom), _ = (tuple(map(int, corner)) for corner in tile.quad)
        drawn, _ = face(tile.tile, 0, STYLES["classic"], 2.0, 0)
        drawn = cv2.resize(drawn, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
        image[top:bottom, left:right] = drawn // 4 + 180 if tile.unsure else drawn
    return image


class Eyes:
    """What a watcher shows, as a test says."""

    def __init__(self) -> None:
        self.settled: SettledLook | None = None
        self.moving = False

    def see(self, seen: TableReading) -> None:
        self.settled = SettledLook(Frame(seen.frame_id, seen.at, picture(seen)), seen)

    @property
    def settled_frame(self) -> Frame | None:
        return self.settled and self.settled.frame


class Admin:
    """An administration that remembers what it was asked for."""

    def __init__(self) -> None:
        self.changed: dict[str, Any] = {}
        self.played: list[str] = []

    def settings(self) -> dict[str, Any]:
        return {"settings": [], "file": None, "restart_needed": bool(self.changed)}

    def show(self) -> dict[str, Any]:
        return self.settings()

    def change(self, changes: Mapping[str, Any]) -> Mapping[str, dict[str, Any]]:
        wrong = {
            key: message_to_json(say("settings.no_key", "{setting} is no setting; write section.key", setting=key[:40]))
            for key in changes
            if key != "signals.volume"
        }
        if not wrong:
            self.changed |= changes
        return wrong

    def calibration(self) -> dict[str, Any]:
        return {"profile": None, "report": None}

    def check(self) -> dict[str, Any]:
        return {"checks": [], "at": 0.0}

    def calibrate(self, step: str, table_mm: Any, tile_mm: Any, order: str | None) -> dict[str, Any]:
        if step == "table":
            raise CalibrationError("not seen of the corner markers: 1 (far left); uncover and light them")
        if step == "light":
            return {"step": step, "not_set": ["focus"]}
        if step == "tiles":
            return {"step": step, "tiles": (order or "").split(), "alike": [["J", "JD"]]}
        self.played.append(f"{step} {table_mm} {tile_mm}")
        return {"step": step, "size_mm": [1200, 900], "error_mm": 4.2, "inks_why": None}

    def guide(self) -> dict[str, Any]:
        quad = [[40, 40], [80, 40], [80, 100], [40, 100]]
        glare = {"symptom": "glare", "seen": True, "value": 0.2, "limit": 0.03, "quads": [quad]}
        dark = {"symptom": "dark", "seen": False, "value": 120.0, "limit": 70.0, "quads": []}
        return {"size": [WIDTH, HEIGHT], "findings": [glare, dark]}

    def calibration_picture(self) -> bytes | None:
        return None

    def cues(self) -> Sequence[str]:
        return [cue.name for cue in CUES.values() if cue.blinks or cue.tones]

    def play_cue(self, cue: str) -> None:
        self.played.append(cue)

    def health(self) -> dict[str, Any]:
        return {"state": "running"}

    def end(self, *, power_off: bool) -> None:
        self.played.append("power_off" if power_off else "restart")


class Export:
    """Writes a line."""

    def record(self, told: Sequence[dict[str, Any]]) -> str:
        return f"{len(told)} events\n"

    def report(self, into: Path, pictures: int) -> None:
        into.write_bytes(b"PK%d" % pictures)

    def bundle(self, into: Path, scores: str) -> None:
        into.write_bytes(b"PK" + scores.encode())


@dataclass
class Answer:
    """What the server said."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)


def as_declared(content: bytes, kind: Any) -> bool:
    """Whether JSON is of this type and holds nothing beside it."""
    return bool(json.loads(msgspec.json.encode(msgspec.json.decode(content, type=kind))) == json.loads(content))


@dataclass
class Browser:
    """Keeps its cookie and token like a browser."""

    port: int
    cookie: str = ""
    token: str = ""
    device: str = ""
    routes: Sequence[Any] = ()

    def ask(
        self, path: str, *, method: str = "GET", body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        kept = {"referee": self.cookie, "referee-device": self.device}
        cookies = "; ".join(f"{name}={value}" for name, value in kept.items() if value)
        sent = {"Cookie": cookies} if cookies else {}
        try:
            connection.request(method, path, body, {**sent, **(headers or {})})
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        self._hold_to_schema(method, path, response.status, content)
        given = {name.lower(): value for name, value in response.getheaders()}
        for name, value in response.getheaders():
            if name.lower() == "set-cookie":
                cookie, _, proof = value.partition(";")[0].partition("=")
                setattr(self, "cookie" if cookie == "referee" else "device", proof)
        return Answer(response.status, given, content)

    def _hold_to_schema(self, method: str, path: str, status: int, content: bytes) -> None:
        """What is answered is what the route declares."""
        path = unquote(path.partition("?")[0])
        for route in self.routes:
            if content and isinstance(route, ApiRoute) and method in route.methods and route.path_regex.match(path):
                if status != 200:
                    assert as_declared(content, Error), (path, content[:500])
                elif not isinstance(route.returns, str):
                    assert as_declared(content, route.returns), (path, content[:2000])
                return

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask(path, headers=headers)

    def post(self, path: str, value: Any, **headers: str) -> Answer:
        answer = self.send(path, json.dumps(value).encode(), "application/json", **headers)
        if path in {"/api/login", "/api/logout"} and answer.status == 200:
            self.token = answer.json["csrf"]
        return answer

    def send(self, path: str, body: bytes, kind: str, **headers: str) -> Answer:
        if not self.token:
            self.token = self.get("/api/session").json["csrf"]
        own = {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": kind, "X-CSRF-Token": self.token}
        return self.ask(path, method="POST", body=body, headers={**own, **headers})

    def say(self, word: str, **more: Any) -> Answer:
        return self.post("/api/say", {"say": word, **more})

    def login(self, pin: str = PIN) -> Answer:
        return self.post("/api/login", {"pin": pin})

    def state(self) -> Any:
        return self.get("/api/state").json


@dataclass
class Page:
    """A referee without camera, and the page of it."""

    loop: Loop
    bridge: Bridge
    eyes: Eyes
    admin: Admin
    server: Server
    clock: SystemClock
    told: list[Any]
    inputs: "queue.SimpleQueue[tuple[Input, threading.Event]]" = field(default_factory=queue.SimpleQueue)
    _frames: int = 0
    _looked_at: float = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}/"

    @property
    def pin(self) -> str:
        return PIN

    @property
    def match(self) -> Match:
        return self.loop.match

    @property
    def judged(self) -> list[Judged]:
        """Every verdict so far."""
        return [event for event in self.told if isinstance(event, Judged)]

    @property
    def routes(self) -> list[Any]:
        """Every route the server knows."""
        server = self.server._server
        assert server is not None
        app: Any = server.config.app  # the checks that stand before the application
        while not hasattr(app, "routes"):
            app = app._app
        return list(app.routes)

    def browser(self) -> Browser:
        return Browser(self.server.port, routes=self.routes)

    def organiser(self) -> Browser:
        browser = self.browser()
        assert browser.login().status == 200
        return browser

    def enter(self, entered: Input) -> None:
        """Enter an input as the loop would, and wait until it has been taken."""
        taken = threading.Event()
        self.inputs.put((entered, taken))
        assert taken.wait(PATIENCE_SECONDS), "the loop takes no input"

    def now(self) -> Seconds:
        return self.clock.now()

    def start(self, names: tuple[str, ...] = ("Ann", "Ben"), edition: str = "original", **more: Any) -> None:
        self.enter(MatchStarted(at=self.now(), names=names, edition=edition, limits=LIMITS, **more))

    def move(self) -> None:
        """Put a hand over the table."""
        self.eyes.moving = True
        self.enter(TableMoving(self.now()))

    def settle(self, text: str, doubts: Mapping[int, str] = NO_DOUBTS) -> TableReading:
        """Lay this table, and wait until the page shows it."""
        seen = self.lay(text, doubts)
        self.wait_for(lambda state: state["table"]["frame_id"] == seen.frame_id)
        return seen

    def lay(self, text: str, doubts: Mapping[int, str] = NO_DOUBTS) -> TableReading:
        """Lay this table and take the hands away."""
        self._frames += 1
        at = self.now()
        seen = reading(text, f"frame-{self._frames:03d}", at, doubts)
        self.eyes.moving = False
        self.eyes.see(seen)
        self.enter(TableSettled(at, Seconds(at - 0.5), seen))
        return seen

    def press(self) -> None:
        """Press, and wait until the table has been looked at."""
        self.enter(TurnEnded(self.now()))
        assert comes_true(lambda: self.match.phase is not Phase.LOOKING), "nobody looks at the table"
        self.enter(Ticked(self.now()))  # all publishers have been told once this has been taken

    def play(self, text: str) -> None:
        """Lay a table and press."""
        self.lay(text)
        time.sleep(0.06)  # a second press at once counts as one with the first
        self.press()

    def wait_for(self, holds: Callable[[Any], bool]) -> Any:
        """Ask for the State until something holds of it."""
        browser, end = self.browser(), time.monotonic() + PATIENCE_SECONDS
        while True:
            state = browser.state()
            if holds(state):
                return state
            assert time.monotonic() < end, state
            time.sleep(0.01)

    # The loop's thread ------------------------------------------------------------------------------------------------

    def publish(self, step: MatchStep) -> None:
        self.told += step.events

    def _look(self) -> None:
        """Look as the watcher would, whenever the match wants a look."""
        seen, at = self.eyes.settled and self.eyes.settled.reading, self.clock.now()
        if (
            seen is None
            or self.eyes.moving
            or self.match.look_due is self.match.wants_fresh_look is None
            or at - self._looked_at < 0.05
        ):
            return
        self._looked_at = at
        fresh = self.match.wants_fresh_look
        self.loop.enter(TableSettled(at, Seconds(at - 0.5), seen) if fresh else TableStill(at))

    def run(self, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                entered, taken = self.inputs.get(timeout=0.02)
                self.loop.enter(entered)
                taken.set()
            except queue.Empty:
                pass
            self._look()
            for word in self.bridge.poll(self.clock.now()):
                self.loop.enter(word)
            self.loop.enter(Ticked(self.clock.now()))


@pytest.fixture
def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


@cache
def _reader() -> TableReader:
    return TableReader()


def read_photo(image: Image, rules: RuleSet) -> TableReading:
    """Read a photograph with the real models."""
    return _reader().read_table(Frame("photograph", 0.0, image), rules.box)


def open_page(
    folder: Path,
    *,
    corrections: str = "organiser",
    bounds: ConnectionLimits | None = None,
    journal: Journal | None = None,
    behind_proxy: bool = False,
    private: bool = False,
) -> Iterator[Page]:
    clock, eyes, admin = SystemClock(), Eyes(), Admin()
    bridge = Bridge(Match())
    told: list[Any] = []
    settings = WebSettings(
        enabled=True,
        host="127.0.0.1",
        port=0,
        names=("table.example",),
        corrections=corrections,
        start_on_page=True,
        behind_proxy=behind_proxy,
    )
    history = History()
    missed = MissedPlays(history)
    evidence = Evidence(folder / "evidence", 50)
    parts = Dependencies(
        settings=settings,
        bridge=bridge,
        pictures=Pictures(lambda: eyes.settled_frame, lambda: eyes.settled_frame, lambda: None if private else ALL),
        session_file=folder / "sessions",
        album=EvidencePictures(folder / "evidence"),
        page_settings=admin,
        setup=admin,
        read_photo=read_photo,
        health=admin.health,
        end=admin.end,
        export=Export(),
        report=Export().report,
        archive=ServiceArchive(folder, kept=True),
        limits=LIMITS,
        pin_hash=lambda: load_pin(folder) or PIN_HASH,
        set_pin=lambda pin: save_pin(folder, pin),
        now=clock.now,
        camera_status=lambda: CameraStatus(
            frame_id=eyes.settled_frame and eyes.settled_frame.frame_id,
            size=(WIDTH, HEIGHT) if eyes.settled_frame else None,
            seen_at=clock.now() if eyes.settled_frame else None,  # however late a busy machine is
            hands=eyes.moving,
            private=private,
        ),
        history=history,
        missed_plays=missed.progress,
    )
    server = Server(parts, bounds)
    publishers: list[Any] = [history, bridge, missed, EvidencePublisher(evidence, eyes, print)]  # type: ignore[arg-type]  # as a watcher
    loop = Loop(Match(), journal or NoJournal(), (), print, organiser=bridge)
    page = Page(loop, bridge, eyes, admin, server, clock, told)
    loop._publishers = (*publishers, page)
    stop = threading.Event()
    thread = threading.Thread(target=page.run, args=(stop,))
    thread.start()
    try:
        yield page
    finally:
        stop.set()
        thread.join(PATIENCE_SECONDS)
        missed.close()
        server.close()
        assert not server._thread.is_alive(), "the page did not stop"


@pytest.fixture
def read() -> Callable[..., TableReading]:
    """Lays a table in notation out as a reading."""
    return reading


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    """A page before a match has begun."""
    yield from open_page(tmp_path)


@pytest.fixture
def proxied_page(tmp_path: Path) -> Iterator[Page]:
    """A page behind a proxy on the same machine."""
    yield from open_page(tmp_path, behind_proxy=True)


@pytest.fixture
def private_page(tmp_path: Path) -> Iterator[Page]:
    """A page whose camera knows no table yet, so that its pictures may show racks."""
    yield from open_page(tmp_path, private=True)


@pytest.fixture
def players_correct(tmp_path: Path) -> Iterator[Page]:
    """A page on which whoever looks may correct a tile."""
    yield from open_page(tmp_path, corrections="players")


@pytest.fixture
def players_agree(tmp_path: Path) -> Iterator[Page]:
    """A page on which two players correct by agreement."""
    yield from open_page(tmp_path, corrections="agreement")


@pytest.fixture
def patient_page(tmp_path: Path) -> Iterator[Page]:
    """A page that takes requests as fast as they come."""
    yield from open_page(
        tmp_path, bounds=ConnectionLimits(requests_per_second=1e6, requests_per_second_per_address=1e6)
    )


@pytest.fixture
def small_page(tmp_path: Path) -> Iterator[Page]:
    """A page with little patience and few connections."""
    bounds = ConnectionLimits(
        max_connections=12,
        max_connections_per_address=8,
        max_silent_seconds=1.0,
        max_unread_seconds=3.0,
        requests_per_second_per_address=5,
    )
    yield from open_page(tmp_path, bounds=bounds)
