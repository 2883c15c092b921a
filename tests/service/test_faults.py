"""The fault table of docs/operations.md, row by row: the light, the line in the log, and the way back.

Camera, lamps and buttons are stand-ins at the edge (a driver told what to do, gpiozero's mock pins); all between is the
service as it runs: camera thread, reader, match, journal, safe mode.
"""

import errno
import hashlib
import itertools
import json
import logging
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import gpiozero
import numpy as np
import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from referee.cli.main import main
from referee.errors import CameraError, StorageError
from referee.game.inputs import Restarted
from referee.hardware import system
from referee.hardware.live import LiveCamera
from referee.reading.inputs import Input
from referee.rules.tiles import Joker, JokerKind
from referee.service import health, sources
from referee.service import safe_mode as safe
from referee.service.loop import Loop
from referee.service.safe_mode import StartCounter, serve
from referee.service.table import RunOptions
from referee.service.wiring import run_referee
from referee.settings.config import load_config
from referee.storage.profile import load_profile, save_profile
from referee.storage.recovery import find_unfinished
from referee.vision.image.frame import Image
from referee.vision.networks.sidecar import find_models
from referee.vision.profile import EnrolledFace, Enrolment, Profile

from ..conftest import PATIENCE_SECONDS, comes_true, failing, refuse  # isort: skip

ROOT = Path(__file__).parents[2]
GREEN, AMBER, RED, BUTTON = 17, 27, 22, 23
LAMPS = {"green": GREEN, "amber": AMBER, "red": RED}
SETTINGS = """
[camera]
source = "usb:7"
width = 640
height = 360
looks_per_second = 10.0
limit_seconds = 1.0
retry_seconds = 0.1
[vision]
looks = 2
"""
pytestmark = pytest.mark.skipif(not (find_models() / "tiles-read.onnx").exists(), reason="the models are not here")
FAULT = re.compile(r'\bfault\("([^"]+)"\)')
fault = pytest.mark.fault


class Device:
    """A camera over a bare table; `does` says what is wrong with it now."""

    def __init__(self) -> None:
        self.does = "well"
        self.opened = 0
        self._number = 0
        rng = np.random.default_rng(0)
        self._noise = [rng.integers(0, 5, (360, 640, 3), np.uint8) for _ in range(4)]
        self._tables = [noise + np.array((70, 110, 60), np.uint8) for noise in self._noise]

    def __call__(self, *_: Any) -> Callable[[], "Device"]:
        return self._open

    def _open(self) -> Self:
        if self.does == "missing":
            raise CameraError("camera usb:7 is not there; plug it in, or list what is: referee calibrate camera --list")
        self.opened += 1
        return self

    def read(self) -> Image:
        time.sleep(0.02)
        match self.does:
            case "missing":
                raise CameraError("camera usb:7 gives no picture; is its cable plugged in?")
            case "stalls":
                while self.does == "stalls":
                    time.sleep(0.01)
            case "freezes":
                pass
            case _:
                self._number += 1
        pictures = self._noise if self.does == "black" else self._tables
        picture = pictures[self._number % len(pictures)].copy()
        picture[0, 0] = self._number % 251  # whoever looks at each fourth only sees no camera that stands
        return np.ascontiguousarray(picture.swapaxes(0, 1)) if self.does == "turns" else picture

    def close(self) -> None:
        return None


class Bench:
    """A service at work in a thread, with everything a person would see of it."""

    def __init__(self, folder: Path, pins: MockFactory, device: Device, caplog: pytest.LogCaptureFixture) -> None:
        self.state, self.pins, self.device, self.caplog = folder / "state", pins, device, caplog
        self.config = folder / "referee.toml"
        self.config.write_text(SETTINGS, "utf-8")
        self.state.mkdir()
        self.stop = threading.Event()
        self.raised: BaseException | None = None
        self._thread: threading.Thread | None = None

    def start(self, *, serving: bool = False) -> None:
        self.stop = threading.Event()
        self.raised = None
        self._thread = threading.Thread(target=self._run, args=(serving,))
        self._thread.start()

    def _run(self, serving: bool) -> None:  # noqa: FBT001 - a thread's target takes no names
        try:
            if serving:
                serve(self._referee, self.config, self.stop)
            else:
                self._referee()
        except Exception as error:
            self.raised = error
            logging.getLogger("tests").warning("the service ended", exc_info=error)

    def _referee(self) -> int:
        config = load_config(self.config)
        run_referee(config, RunOptions(camera="usb:7", signals="gpio", state=self.state), self.stop)
        return 0

    def end(self) -> str:
        """Stop it, or wait until it has ended; the line it ended with."""
        if self._thread is not None:
            self._thread.join(PATIENCE_SECONDS)
            assert not self._thread.is_alive()
        return "" if self.raised is None else str(self.raised)

    def fail_to_start(self) -> str:
        """Let it start as often as it takes to reach safe mode; the line it failed with."""
        lines = set()
        for _ in range(safe.MAX_FAILED):
            self.start(serving=True)
            lines.add(self.end())
        (line,) = lines
        self.start(serving=True)
        return line

    def lit(self) -> set[str]:
        return {name for name, pin in LAMPS.items() if self.pins.pin(pin).state}

    def shows(self, *lamps: str) -> bool:
        """Whether just these lamps shine soon, each at its time."""
        seen: set[str] = set()
        return comes_true(lambda: seen.update(self.lit()) or seen == set(lamps))

    def steady(self, lamp: str) -> bool:
        return comes_true(lambda: self.lit() == {lamp}) and all(
            self.lit() == {lamp} for _ in range(50) if time.sleep(0.02) is None
        )

    def begins(self) -> bool:
        """The match waits for the button, and a press begins it."""
        waits = self.says("the match begins when a button is pressed")  # safe mode, which may just end, is amber too
        waits = waits and comes_true(lambda: self.lit() == {"amber"}) and comes_true(lambda: not self.lit())
        button = self.pins.pin(BUTTON)
        button.drive_low()
        time.sleep(0.1)
        button.drive_high()
        return waits and self.steady("green")

    def beats(self, lamp: str) -> bool:
        """Three beats and a rest, again and again, and no other lamp."""
        return comes_true(lambda: self._rhythm(lamp) == ["on", "off", "on", "off", "on", "rest"]) and self.lit() <= {
            lamp
        }

    def _rhythm(self, lamp: str) -> list[str]:
        """How the lamp's last six changes followed each other, from the end of the last rest but one."""
        states = self.pins.pin(LAMPS[lamp]).states[-13:]  # each with the time since the one before
        names = [
            "rest" if then.timestamp > 0.5 else "on" if now.state else "off" for now, then in itertools.pairwise(states)
        ]
        rests = [place for place, name in enumerate(names) if name == "rest"]
        return names[rests[-2] + 1 : rests[-1] + 1] if len(rests) > 1 else []

    def says(self, line: str) -> bool:
        return comes_true(lambda: any(line in message for message in self.caplog.messages))

    def health(self) -> dict[str, Any]:
        path = self.state.parent / "run" / "health.json"
        assert comes_true(path.exists)
        return dict(json.loads(path.read_text("utf-8")))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[Bench]:
    before = gpiozero.Device.pin_factory
    pins = MockFactory(pin_class=MockPWMPin)
    gpiozero.Device.pin_factory = pins
    device = Device()
    for name, value in {
        "GPIOZERO_PIN_FACTORY": "mock",
        "STATE_DIRECTORY": str(tmp_path / "state"),
        "RUNTIME_DIRECTORY": str(tmp_path / "run"),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    monkeypatch.setattr(sources, "live_driver", device)
    monkeypatch.setattr(safe, "TELL_SECONDS", 0.05)
    monkeypatch.setattr(safe, "FIRST_TRY_SECONDS", 0.3)
    caplog.set_level("INFO", "referee")
    bench = Bench(tmp_path, pins, device, caplog)
    yield bench
    device.does = "well"
    bench.stop.set()
    bench.end()
    pins.reset()
    gpiozero.Device.pin_factory = before


# Cameras ----------------------------------------------------------------------------------------------------------


@fault("the camera is missing at the start")
def test_a_camera_that_is_missing_is_waited_for(bench: Bench) -> None:
    bench.device.does = "missing"
    bench.start()
    assert bench.beats("amber")
    assert bench.says("camera usb:7 is not there; plug it in")
    bench.device.does = "well"
    assert bench.says("camera usb:7 is back")
    assert bench.begins()


@pytest.mark.parametrize(
    ("does", "line"),
    [
        pytest.param("missing", "camera usb:7 gives no picture", marks=fault("the camera is unplugged in play")),
        pytest.param("freezes", "shows the same picture again and again", marks=fault("the camera is frozen")),
        pytest.param("black", "camera usb:7 shows black; switch the lamp on", marks=fault("the camera is black")),
        pytest.param("turns", "camera usb:7 was turned or mirrored", marks=fault("the camera is turned")),
        pytest.param("stalls", "camera usb:7 is silent for 1 s; restarting it", marks=fault("the camera is stalled")),
    ],
)
def test_a_camera_lost_in_play_comes_back(bench: Bench, does: str, line: str) -> None:
    bench.start()
    assert bench.begins()
    assert comes_true(lambda: bench.device.opened)
    bench.device.does = does
    assert bench.says(line)
    assert bench.beats("amber")
    assert bench.health()["state"] == "running"
    bench.device.does = "well"
    assert bench.says("camera usb:7 is back")
    assert bench.steady("green")


# What a start needs -----------------------------------------------------------------------------------------------


def busy(_: MockFactory) -> Callable[[], object]:
    """Another program has the amber lamp's pin; what gives it back."""
    return gpiozero.LED(AMBER).close


def refused(pins: MockFactory) -> Callable[[], object]:
    """The chip does not let its driver have the amber lamp's pin; what mends it."""
    refuse(pins, AMBER)
    return lambda: setattr(pins, "pin_class", MockPWMPin)


@fault("a pin is busy, or its driver refuses it")
@pytest.mark.parametrize(("spoil", "place"), [(busy, "pin 27"), (refused, "pin 27 of gpiochip0")])
def test_a_pin_that_cannot_be_had(bench: Bench, spoil: Callable[[Any], Callable[[], object]], place: str) -> None:
    mend = spoil(bench.pins)
    assert f"the amber lamp on {place} cannot be driven" in bench.fail_to_start()
    assert bench.says("safe mode: 3 starts in a row failed")
    assert bench.health()["state"] == "safe"
    mend()
    assert bench.says("safe mode ends: everything a start needs is back")
    assert bench.begins()


def profile_of(camera: str, reader: str | None = None) -> Profile:
    face = EnrolledFace(Joker(JokerKind.DOUBLE), ((1.0, *[0.0] * 31),))
    enrolment = None if reader is None else Enrolment(reader=reader, faces=(face,), near=0.9)
    return Profile(camera=camera, size=(640, 360), enrolment=enrolment)


def written(path: Path, version: int) -> None:
    """A profile as a referee of another version wrote it."""
    save_profile(profile_of("usb:7"), path)
    content = {**json.loads(path.read_text("utf-8")), "version": version}
    content.pop("checksum")
    if version == 1:
        content.pop("locked")
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    path.write_text(json.dumps({**content, "checksum": hashlib.sha256(plain.encode()).hexdigest()}), "utf-8")


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        pytest.param(
            lambda path: path.write_text("{"), "profile.json is damaged", marks=fault("the profile is damaged")
        ),
        pytest.param(
            lambda path: save_profile(profile_of("picamera"), path),
            "is of camera 'picamera', not 'usb:7'",
            marks=fault("the profile is another camera's"),
        ),
        pytest.param(
            lambda path: written(path, 9),
            "is of version 9, and this referee reads up to 2; calibrate again",
            marks=fault("the profile is of a version that is not known"),
        ),
        pytest.param(
            lambda path: save_profile(profile_of("usb:7", "fedcba9876543210"), path),
            "learnt by reader fedcba9876543210, and this is",
            marks=fault("the profile's faces are another model's"),
        ),
    ],
)
def test_a_profile_that_cannot_be_used(bench: Bench, spoil: Callable[[Path], object], line: str) -> None:
    spoil(bench.state / "profile.json")
    assert line in bench.fail_to_start()
    assert bench.shows("amber", "red")
    assert line in bench.health()["reason"]
    (bench.state / "profile.json").unlink()
    assert bench.says("safe mode ends")
    assert bench.begins()


@fault("the profile is of an older version")
def test_a_profile_of_the_version_before_is_used(bench: Bench) -> None:
    written(bench.state / "profile.json", 1)
    bench.start()
    assert bench.says("knows no focus and light; lock them with: referee calibrate camera --light")
    assert bench.begins()


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        pytest.param(
            lambda folder: (folder / "tiles-read.onnx").write_bytes(b"\0" * 100),
            "model tiles-read",
            marks=fault("a model is damaged"),
        ),
        pytest.param(
            lambda folder: _relabel(folder / "tiles-locate.json"),
            "model tiles-locate",
            marks=fault("a model is of another version"),
        ),
    ],
)
def test_a_model_that_cannot_be_used(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], object], line: str
) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    for file in find_models().glob("tiles-*.*"):
        shutil.copy(file, folder)
    spoil(folder)
    monkeypatch.setattr("referee.vision.pipeline.find_models", lambda: folder)
    said = bench.fail_to_start()
    assert line in said
    assert "\n" not in said
    assert bench.shows("amber", "red")
    assert line in bench.health()["reason"]
    for file in find_models().glob("tiles-*.*"):
        shutil.copy(file, folder)
    assert bench.says("safe mode ends")
    assert bench.begins()


def _relabel(path: Path) -> None:
    """The sidecar of an update that went only half way."""
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**content, "sha256": "0" * 64, "version": "99"}), "utf-8")


@fault("the settings hold ten mistakes")
def test_settings_with_ten_mistakes(bench: Bench) -> None:
    wrong = [f"key_{number} = {number}" for number in range(10)]
    bench.config.write_text(SETTINGS + "\n".join(wrong))
    said = bench.fail_to_start()
    assert len(said.splitlines()) == 10
    assert all(f"vision.key_{number} is not a setting" in said for number in range(10))
    assert bench.shows("amber", "red")
    assert "vision.key_9 is not a setting" in bench.health()["reason"]
    bench.config.write_text(SETTINGS)
    assert bench.says("safe mode ends")
    assert bench.begins()


# In play ----------------------------------------------------------------------------------------------------------


def test_a_service_with_the_example_profile_starts_as_the_manual_shows(bench: Bench) -> None:
    example = replace(load_profile(ROOT / "calibration" / "example-profile.json"), camera="usb:7")
    save_profile(example, bench.state / "profile.json")
    bench.start(serving=True)
    assert bench.says(f"camera usb:7, profile {bench.state / 'profile.json'}: camera, table, colours")
    assert bench.begins()
    told = bench.health()
    assert (told["state"], told["camera"]) == ("running", "usb:7")
    assert told["profile"][:3] == ["camera", "table", "colours"]
    assert "read " in told["models"]
    assert StartCounter(bench.state).tally().failed == 1  # until it has lasted


@fault("a pin fails in play")
def test_a_pin_that_fails_in_play_keeps_nothing_from_its_work(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.start(serving=True)
    assert bench.begins()
    line = "the amber lamp on pin 27 cannot be driven ('GPIO write failed'); it is tried again; look at its wires"
    with failing(bench.pins.pin(AMBER)):
        bench.device.does = "missing"  # amber's three beats fail, one after the other
        assert bench.says(line)
        assert comes_true(lambda: main(["status"]) == 0 and f"FAULT: {line}" in capsys.readouterr().out)
        bench.device.does = "well"
        assert bench.says("camera usb:7 is back")
        assert bench.steady("green")
        bench.device.does = "missing"
        assert comes_true(lambda: bench.lit() == set())
    assert bench.beats("amber")
    assert bench.says("the amber lamp on pin 27 is driven again")
    assert bench.caplog.messages.count(line) == 1


@fault("the supply is weak")
def test_a_weak_supply_halves_the_looks_of_the_service(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    cameras: list[LiveCamera] = []

    class Remembered(LiveCamera):
        def __init__(self, *parts: Any, **more: Any) -> None:
            super().__init__(*parts, **more)
            cameras.append(self)

    monkeypatch.setattr(sources, "LiveCamera", Remembered)
    monkeypatch.setattr(health, "throttling", lambda: ("under-voltage",))
    bench.start()
    assert bench.says("the machine is throttled (under-voltage): looking half as often")
    assert comes_true(lambda: cameras[0].sparing)
    assert bench.begins()


@fault("the clock jumps by hours")
def test_a_clock_that_jumps_is_not_noticed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.start()
    assert bench.begins()
    truth = time.time
    for hours in (5, -7):
        monkeypatch.setattr(time, "time", lambda hours=hours: truth() + 3600 * hours)
        monkeypatch.setattr(system.time, "localtime", lambda hours=hours: time.gmtime(truth() + 3600 * hours))
        assert bench.steady("green")
    left = bench.health()["match"]["seconds_left"]
    assert 0 < left <= 60
    assert [record.getMessage() for record in bench.caplog.records if record.levelname != "INFO"] == []


def test_a_clock_that_stands_after_a_restart_is_never_said_to_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.start()
    assert bench.begins()
    bench.stop.set()
    assert bench.end() == ""
    told: list[list[str]] = []
    enter = Loop.enter

    def enter_late(loop: Loop, entered: Input) -> None:
        if isinstance(entered, Restarted):
            time.sleep(0.5)
        enter(loop, entered)

    monkeypatch.setattr(Loop, "enter", enter_late)
    monkeypatch.setattr(health, "write_health", lambda said: told.append(said["match"]["halted"]))
    bench.start()
    assert comes_true(lambda: bool(told))
    assert told[0]


@fault("two referees are started")
def test_the_second_referee_is_refused_and_the_first_goes_on(bench: Bench) -> None:
    bench.start()
    assert bench.begins()
    with pytest.raises(StorageError, match="is in use by another referee; stop that one first"):
        bench._referee()
    assert bench.steady("green")
    assert StartCounter(bench.state).tally().failed == 0


def referee(*words: str, **more: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "referee", "run", "--camera", "sim", *words]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


@pytest.mark.slow
@fault("SIGTERM comes at any moment")
def test_a_stop_at_any_moment_is_clean(tmp_path: Path) -> None:
    random.seed(7)
    for moment in (0.0, *(random.uniform(0.1, 6.0) for _ in range(6))):
        process = referee("--state", str(tmp_path), "--signals", "none")
        time.sleep(moment)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        assert "match is over" not in out
        assert process.returncode in {0, -signal.SIGTERM}, err
        assert "Traceback" not in err
    process = referee("--state", str(tmp_path), "--signals", "none", "--until-end")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err


@fault("the card turns read-only in play")
def test_a_card_that_turns_read_only_in_play(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.start()
    assert bench.begins()
    really = os.write

    def store_and_fail(descriptor: int, content: bytes) -> int:
        really(descriptor, content)
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "write", store_and_fail)
    assert bench.says("match-00001.jsonl is not kept: Read-only file system; check the disk")
    assert bench.steady("green")
    assert comes_true(lambda: main(["status"]) == 0 and "NOT KEPT: journal" in capsys.readouterr().out)
    assert sum("is not kept" in message for message in bench.caplog.messages) == 1
    bench.stop.set()
    bench.end()
    monkeypatch.undo()
    found = find_unfinished(bench.state)
    assert found is not None
    assert found.match.seated is not None


def _can_mount() -> bool:
    command = ["unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    try:
        return subprocess.run(command, capture_output=True, timeout=20, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


@pytest.mark.slow
@fault("the disk is full")
@pytest.mark.skipif(not _can_mount(), reason="no small disk can be mounted here (unshare and tmpfs are needed)")
def test_a_full_disk_does_not_end_a_match(tmp_path: Path) -> None:
    script = (
        'mount -t tmpfs -o size=600k tmpfs "$1" || exit 9; '
        '(until [ -s "$1/match-00001.jsonl" ]; do sleep 0.1; done; cat /dev/zero > "$1/fill" 2>/dev/null; true) & '
        'exec "$2" -m referee run --camera sim --signals console --until-end --state "$1"'
    )
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", str(disk), sys.executable]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    assert "wins game 1" in run.stdout
    assert "is not kept: No space left on device" in run.stderr
    assert run.stderr.count("No space left on device") <= 4  # said, not repeated


def test_every_fault_is_a_row_of_the_manual_and_every_row_is_tried() -> None:
    """The rows of the table by their first column, against the markers in the tests."""
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    table = page.partition("## Faults")[2].partition("\n## ")[0]
    rows = {line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")} - {"fault", "---"}
    sources = [*(ROOT / "tests/hardware").glob("*.py"), *(ROOT / "tests/service").glob("*.py")]
    tried = {name for path in sources for name in FAULT.findall(path.read_text("utf-8"))}
    assert rows == tried
