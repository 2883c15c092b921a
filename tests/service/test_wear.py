"""An hour of faults, played in a moment: nothing is written to the card while nothing happens."""

import itertools
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from referee.errors import StorageError
from referee.game.inputs import CameraLost, MatchStarted, Ticked
from referee.game.state import Match
from referee.hardware import usb
from referee.hardware.driver import Driver
from referee.hardware.live import LiveCamera
from referee.hardware.usb import UsbDriver
from referee.page.logs import TURN_LOGGER
from referee.reading.consensus import ConsensusPolicy
from referee.reading.inputs import Input, Seconds
from referee.reading.observation import Layout, TableReading
from referee.rules.editions import rule_set
from referee.service import health
from referee.service.loop import Live, Loop, _look
from referee.service.publishers import TextLines
from referee.settings import hardware as hardware_settings
from referee.settings.config import load_config
from referee.storage.journal import FileJournal, NoJournal, load_journal
from referee.vision.image.frame import Frame, Image
from referee.vision.watch.watcher import Watcher

HOUR = 3600.0


class Hour:
    """A clock that passes when somebody waits; as an event it is set when the hour is over."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> Seconds:
        return Seconds(self.at)

    def wait(self, seconds: float) -> None:
        self.at += max(1.0, seconds)

    def is_set(self) -> bool:
        return self.at >= HOUR

    def set(self) -> None:
        return None


class Bare:
    """A reader of a bare table."""

    def read_table(self, frame: Frame, *_: object) -> TableReading:
        return TableReading(frame_id=frame.frame_id, at=frame.at, tiles=(), layouts=(Layout((), (), 1.0),))


class NoButton:
    faults = ()

    def presses(self, _until: Seconds) -> tuple[()]:
        return ()

    def close(self) -> None:
        return None


class Video:
    """A stalled camera, as OpenCV shows it."""

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def set(self, *_: float) -> bool:
        return True

    def read(self) -> tuple[bool, None]:
        return False, None

    def release(self) -> None:
        return None


class Sensor:
    """A driver that gives one picture for ever."""

    def __init__(self, picture: Image) -> None:
        self._picture = picture

    def read(self) -> Image:
        time.sleep(0.001)
        return self._picture

    def close(self) -> None:
        return None


class LooseContact:
    """A driver that gives ten pictures and fails."""

    noise = np.random.default_rng(7)

    def __init__(self) -> None:
        self._left = 10

    def read(self) -> Image:
        self._left -= 1
        if self._left < 0:
            raise usb.CameraError("camera usb:7 gives no picture; is its cable plugged in?")
        time.sleep(0.001)
        return self.noise.integers(98, 103, (48, 64, 3), np.uint8)  # as a sensor's: no two pictures alike

    def close(self) -> None:
        return None


CAMERA = load_config(None).camera
FAULTS: dict[str, Callable[[], Driver]] = {
    "missing": lambda: UsbDriver(8, CAMERA),
    "cannot be opened": lambda: UsbDriver(7, CAMERA),
    "silent": lambda: UsbDriver(7, CAMERA, open_video=lambda *_: Video()),
    "black": lambda: Sensor(np.zeros((48, 64, 3), np.uint8)),
    "frozen": lambda: Sensor(np.full((48, 64, 3), 90, np.uint8)),
}


@pytest.fixture
def hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Hour:
    (tmp_path / "video7").write_text("no device of V4L2")
    monkeypatch.setattr(usb, "_DEVICES", tmp_path)
    monkeypatch.setattr(hardware_settings, "_FIRST_PICTURE_SECONDS", 0.0)
    monkeypatch.setattr(usb, "monotonic", itertools.count().__next__)
    monkeypatch.setattr(usb, "sleep", lambda _: None)
    caplog.set_level(logging.INFO, "referee")
    return Hour()


def watch_for(hour: Hour, open_driver: Callable[[], Driver], enter: Callable[[Input], None]) -> None:
    """Look for an hour as the service does."""
    camera = LiveCamera("usb:7", open_driver, CAMERA, hour)
    camera._pause = hour  # type: ignore[assignment]
    watcher = Watcher(Bare(), rule_set("original").box, ConsensusPolicy())

    def put(seen: tuple[Input, ...] | Exception) -> None:
        assert not isinstance(seen, Exception)
        for entered in (*seen, Ticked(hour.now())):
            enter(entered)

    live = Live(camera=camera, button=NoButton(), watcher=watcher, clock=hour)
    _look(live, lambda _frame_at: None, put, hour)  # type: ignore[arg-type]
    camera.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_an_hour_of_a_fault_writes_its_beginning_and_no_more(
    hour: Hour, fault: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "match-00001.jsonl"
    with FileJournal(path) as journal:
        loop = Loop(Match(), journal, (), logging.getLogger("referee").warning)
        loop.enter(MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="original"))
        watch_for(hour, FAULTS[fault], loop.enter)
    entered = [entry.entered for entry in load_journal(path).entries]
    assert isinstance(entered[-1], CameraLost)
    assert entered[-1].at < 60.0
    assert len(entered) <= 10  # the ticks of the turn before the camera was missed
    assert len(caplog.messages) == 1
    assert capfd.readouterr().err == ""


@pytest.mark.fault("a camera has a loose contact")
def test_a_camera_that_comes_and_goes_is_told_six_times_an_hour_at_most(
    hour: Hour, caplog: pytest.LogCaptureFixture
) -> None:
    lost: list[Input] = []
    lines = TextLines(logging.getLogger(TURN_LOGGER).info)
    loop = Loop(Match(), NoJournal(), (lines,), logging.getLogger("referee").warning)
    calm = (("turn_seconds", 0),)
    loop.enter(MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="original", house_rules=calm))
    begun = len(caplog.messages)

    def enter(entered: Input) -> None:
        loop.enter(entered)
        lost.extend([entered] if isinstance(entered, CameraLost) else [])

    watch_for(hour, LooseContact, enter)
    assert len(lost) > 100
    told = [message for message in caplog.messages if "is its cable plugged in" in message]
    assert 1 <= len(told) <= 6
    assert len(caplog.messages) - begun <= 2 * len(told)


class FullByTurns(NoJournal):
    """A journal on a disk that takes each other step."""

    full = False

    def append(self, *_: object) -> None:
        self.full = not self.full
        if self.full:
            raise StorageError("journal /x is not kept: No space left on device; check the disk")


def test_a_disk_that_is_full_by_turns_is_told_six_times_an_hour_at_most(
    hour: Hour, caplog: pytest.LogCaptureFixture
) -> None:
    loop = Loop(Match(), FullByTurns(), (), logging.getLogger("referee").warning)
    loop.enter(MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="original"))
    while not hour.is_set():
        loop.enter(Ticked(hour.now()))
        hour.wait(5.0)
    assert 1 <= len(caplog.messages) <= 6


def test_a_supply_that_sags_each_other_minute_is_told_once_and_spared_all_the_hour(
    hour: Hour, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    found = itertools.cycle([("under-voltage",), ("under-voltage since boot",)])
    monkeypatch.setattr(health, "throttling", lambda: next(found))
    monkeypatch.setattr(health, "time", SimpleNamespace(monotonic=hour.now))
    spared: list[bool] = []
    watcher = Watcher(Bare(), rule_set("original").box)
    loop = Loop(Match(), NoJournal(), (), logging.getLogger("referee").warning)
    told = health.Health(loop, watcher, hour, {}, tmp_path, spare=spared.append)
    while not hour.is_set():
        told._look()
        hour.wait(health.MACHINE_SECONDS)
    assert spared == [True]
    assert len(caplog.messages) == 1


LIBRARY = """
import logging, os, sys
from referee.service import stderr_capture
stderr_capture.EVERY_SECONDS = 0.05
log = stderr_capture.StderrCapture()
logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
for number in range(18000):
    os.write(2, b"Corrupt JPEG data: %d extraneous bytes before marker 0xd%d\\n" % (number, number % 8))
    if number == 9000:
        os.write(2, b"[0:12:33.120] [812] ERROR V4L2 v4l2_videodevice.cpp:2115 unable to start\\n")
logging.getLogger("referee").info("a line of the referee")
if sys.argv[1:] == ["crash"]:
    os.write(2, b"terminate called after throwing an instance\\n")
    os.abort()
log.close()
os.write(2, b"as before\\n")
"""


def say(folder: Path, *words: str) -> list[str]:
    environment = {**os.environ, "RUNTIME_DIRECTORY": str(folder), "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", LIBRARY, *words]
    return subprocess.run(
        command, env=environment, stderr=subprocess.PIPE, text=True, timeout=120, check=False
    ).stderr.splitlines()


@pytest.mark.fault("a camera's library complains of each picture")
def test_what_a_library_says_again_and_again_is_logged_once(tmp_path: Path) -> None:
    said = say(tmp_path)
    assert sorted(said) == sorted(
        [
            "a library wrote (logged once): Corrupt JPEG data: 0 extraneous bytes before marker 0xd0",
            "a library wrote (logged once): [0:12:33.120] [812] ERROR V4L2 v4l2_videodevice.cpp:2115 unable to start",
            "a line of the referee",
            "as before",
        ]
    )
    assert list(tmp_path.iterdir()) == []


def test_the_last_words_of_a_process_that_crashed_are_told_by_the_next(tmp_path: Path) -> None:
    assert not any("terminate" in line for line in say(tmp_path, "crash"))
    said = say(tmp_path)
    assert "the previous process wrote: terminate called after throwing an instance" in said
    assert len(said) <= 20 + 4
