"""Live cameras that stall, freeze, vanish and come back; and recordings that are whole, broken or missing."""

import json
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.errors import CameraError
from referee.hardware.live import LiveCamera
from referee.hardware.ports import EndOfFrames, PlannedButton, PressKind
from referee.hardware.replay import (
    FRAMES_PER_PICTURE,
    RecordedCamera,
    Recording,
    VideoCamera,
    open_recording,
)
from referee.hardware.system import SystemClock
from referee.reading.inputs import Seconds
from referee.settings.hardware import CameraSettings
from referee.vision.image.frame import Image
from referee.vision.profile import LockedControls
from tests.conftest import PATIENCE_SECONDS

LIMIT = 0.25  # where silence is meant
BUSY = 2.0  # so long a busy machine may be without a picture


def settings(**more: Any) -> CameraSettings:
    return CameraSettings(
        **{
            "source": "usb:0",
            "width": 64,
            "height": 48,
            "looks_per_second": 30.0,
            "mains_hertz": 50,
            "limit_seconds": BUSY,
            "retry_seconds": 0.05,
            **more,
        }
    )


def noise(number: int) -> Image:
    return np.random.default_rng(number).integers(0, 255, (48, 64, 3), np.uint8)


class Sensor:
    """A driver told what to do at each read: give noise, repeat, hang or fail."""

    def __init__(self, *acts: str, opens: str = "") -> None:
        self.acts = list(acts)
        self.number = 0
        self.opened = 0
        self.closed = threading.Event()
        self.hang = threading.Event()
        self.opens = opens

    def open(self) -> "Sensor":
        self.opened += 1
        if self.opens == "fails" and self.opened == 1:
            raise CameraError("camera usb:0 is not there; plug it in")
        return self

    def read(self) -> Image:
        time.sleep(0.01)
        act = self.acts.pop(0) if self.acts else "noise"
        if act == "hang":
            self.hang.wait()
        if act == "fail":
            raise CameraError("camera usb:0 gives no picture")
        if act == "crash":
            raise ZeroDivisionError
        if act == "black":
            return np.random.default_rng(len(self.acts)).integers(0, 6, (48, 64, 3), np.uint8)
        if act == "freeze":
            self.acts.insert(0, "freeze")
        else:
            self.number += 1
        return noise(self.number)

    def settle(self, _keep: LockedControls | None = None) -> LockedControls:
        time.sleep(1.5 * BUSY)
        if self.opens == "cannot focus":
            raise CameraError("no focus is found; lay some tiles on the table")
        return LockedControls(focus=1.5)

    def close(self) -> None:
        self.closed.set()


def watch(sensor: Sensor, **more: Any) -> LiveCamera:
    return LiveCamera("usb:0", sensor.open, settings(**more), SystemClock())


def until(
    camera: LiveCamera,
    true: Callable[[], bool],
) -> list[str]:
    """Capture until something is so; the errors on the way."""
    errors, end = [], time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < end
        try:
            camera.capture()
        except CameraError as error:
            errors.append(str(error))
    return errors


def test_frames_are_fresh_named_and_in_order() -> None:
    sensor = Sensor()
    camera = watch(sensor)
    frames = [camera.capture() for _ in range(5)]
    camera.close()
    assert [frame.frame_id for frame in frames] == [f"usb:0-{number:07d}" for number in range(1, 6)]
    assert all(later.at > earlier.at for earlier, later in pairwise(frames))
    assert sensor.closed.wait(PATIENCE_SECONDS)


def test_where_power_is_short_looks_are_half_as_many() -> None:
    camera = watch(Sensor(), looks_per_second=40.0)
    camera.sparing = True
    begun = time.monotonic()
    for _ in range(5):
        camera.capture()
    assert time.monotonic() - begun >= 4 * 0.05 - 0.01
    camera.close()


def settle_while_it_captures(camera: LiveCamera) -> tuple[LockedControls | CameraError, list[str]]:
    """What finding focus and light gave, and the errors of who captures meanwhile."""
    found: list[LockedControls | CameraError] = []

    def settle() -> None:
        try:
            found.append(camera.settle())
        except CameraError as error:
            found.append(error)

    camera.capture()
    asking = threading.Thread(target=settle)
    asking.start()
    errors = until(camera, lambda: bool(found))
    asking.join(PATIENCE_SECONDS)
    return found[0], errors


def test_focus_and_light_are_found_by_the_driver_at_work() -> None:
    sensor = Sensor()
    camera = watch(sensor)
    with pytest.raises(CameraError, match="gives no picture now"):
        camera.settle()
    found, errors = settle_while_it_captures(camera)
    assert (found, errors, sensor.opened) == (LockedControls(focus=1.5), [], 1)
    assert camera.capture().image.shape == (48, 64, 3)
    camera.close()


def test_a_camera_that_cannot_focus_is_opened_anew_as_it_was_locked() -> None:
    sensor = Sensor(opens="cannot focus")
    camera = watch(sensor)
    found, _ = settle_while_it_captures(camera)
    assert str(found) == "no focus is found; lay some tiles on the table"
    until(camera, lambda: sensor.opened == 2)
    assert camera.capture().image.shape == (48, 64, 3)
    camera.close()


def test_looks_are_no_more_than_wanted() -> None:
    camera = watch(Sensor(), looks_per_second=20.0)
    begun = time.monotonic()
    for _ in range(5):
        camera.capture()
    assert time.monotonic() - begun >= 4 * 0.05 - 0.01
    camera.close()


def test_a_stalled_driver_is_noticed_in_time_and_replaced() -> None:
    sensor = Sensor("noise", "hang")
    camera = watch(sensor, limit_seconds=LIMIT)
    camera.capture()
    errors = until(camera, lambda: sensor.opened == 2 and sensor.number > 2)
    assert any("is silent for 0.25 s" in error for error in errors)
    sensor.hang.set()
    camera.close()


class Exclusive(Sensor):
    """A device that is open once at a time, and silent for a while with every read."""

    def __init__(self) -> None:
        super().__init__()
        self.silent = True
        self._held = threading.Lock()

    def open(self) -> "Sensor":
        if not self._held.acquire(blocking=False):
            raise CameraError("camera usb:0 cannot be opened; which program has it?")
        return super().open()

    def read(self) -> Image:
        if self.silent:
            self.hang.wait(4 * LIMIT)
            raise CameraError("camera usb:0 gives no picture")
        return super().read()

    def close(self) -> None:
        self._held.release()


def test_a_device_is_opened_again_only_once_its_silent_driver_has_let_it_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """As V4L2 under OpenCV, which cannot be interrupted while it waits for a frame."""
    monkeypatch.setattr("referee.settings.hardware._FIRST_PICTURE_SECONDS", LIMIT)
    sensor = Exclusive()
    camera = watch(sensor, limit_seconds=LIMIT)
    assert set(until(camera, lambda: sensor.opened == 3)) == {"camera usb:0 is silent for 0.25 s; restarting it"}
    sensor.silent = False
    until(camera, lambda: sensor.number > 2)
    camera.close()


def test_a_frozen_picture_is_noticed() -> None:
    sensor = Sensor("noise", "noise", "freeze")
    camera = watch(sensor)
    errors = until(camera, lambda: sensor.opened >= 4)
    assert errors == ["camera usb:0 shows the same picture again and again; restarting it"] * len(errors)
    frames = sensor.number
    with pytest.raises(CameraError, match="same picture"):  # and a new driver that shows it still stands
        camera.capture()
    sensor.acts.clear()
    assert until(camera, lambda: sensor.number > frames + 2)[1:] == []
    camera.close()


@pytest.mark.parametrize("act", ["fail", "crash"])
def test_an_unplugged_camera_comes_back(act: Any) -> None:
    sensor = Sensor("noise", "noise", act)
    camera = watch(sensor)
    errors = until(camera, lambda: sensor.opened == 2 and sensor.number > 4)
    assert len(errors) >= 1
    camera.close()


def test_a_camera_missing_at_the_start_is_told_and_found_later() -> None:
    sensor = Sensor(opens="fails")
    camera = watch(sensor)
    with pytest.raises(CameraError, match="is not there"):
        camera.capture()
    camera.capture()
    camera.close()


def test_closing_does_not_wait_for_a_driver_that_hangs() -> None:
    sensor = Sensor("noise", "hang")
    camera = watch(sensor)
    camera.capture()
    camera.close()
    sensor.hang.set()


class Held:
    """A picture in the memory of a driver."""

    def __init__(self, number: int) -> None:
        self.small = noise(number)
        self.fetched = 0
        self.dropped = False

    def full(self) -> Image:
        self.fetched += 1
        return np.repeat(np.repeat(self.small, 2, axis=0), 2, axis=1)

    def drop(self) -> None:
        self.dropped = True


class HoldingSensor(Sensor):
    """A driver that keeps its pictures until they are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[Held] = []

    def read(self) -> Image:
        time.sleep(0.01)
        self.given.append(Held(len(self.given)))
        return self.given[-1]


def test_a_picture_is_fetched_whole_only_where_it_is_asked_for_and_none_is_kept_for_long() -> None:
    sensor = HoldingSensor()
    camera = watch(sensor)
    first = camera.capture()
    assert first.small.shape == (48, 64, 3)
    assert not any(held.fetched for held in sensor.given)
    assert first.image.shape == (96, 128, 3)
    assert first.image is first.image
    camera.capture()
    assert sum(held.fetched for held in sensor.given) == 1
    camera.close()
    assert sensor.closed.wait(PATIENCE_SECONDS)
    assert [held.dropped for held in sensor.given] == [True] * len(sensor.given)


def test_a_black_picture_is_told_without_replacing_the_driver_and_light_brings_it_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sensor = Sensor(*["black"] * 5)
    camera = watch(sensor)
    with caplog.at_level("INFO", "referee"):
        errors = until(camera, lambda: sensor.number >= 1)
        camera.capture()
    assert set(errors) == {"camera usb:0 shows black; switch the lamp on, take the cap off the lens"}
    assert sensor.opened == 1
    assert caplog.messages == [errors[0], "camera usb:0 is back"]
    camera.close()


# Recordings -------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "frames").mkdir()
    for number in (1, 2):
        cv2.imwrite(str(tmp_path / f"frames/{number}.png"), noise(number))
    lines: list[dict[str, Any]] = [
        {"event": "match", "at": 0.0, "edition": "original", "players": ["Ann", "Ben"], "first": 1},
        {"event": "frame", "at": 0.2, "file": "frames/1.png"},
        {"event": "press", "at": 0.3, "seat": 1, "kind": "hold"},
        {"event": "hands", "at": 0.2, "until": 0.3},
        {"event": "frame", "at": 0.4, "file": "frames/2.png"},
        {"event": "end", "at": 0.5},
    ]
    (tmp_path / "timeline.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def frames_of(camera: RecordedCamera | VideoCamera) -> list[Any]:
    frames = []
    while True:
        try:
            frames.append(camera.capture())
        except EndOfFrames:
            camera.close()
            return frames


def test_a_recording_plays_frames_and_presses_at_their_times(folder: Path) -> None:
    recording = open_recording(folder)
    assert isinstance(recording, Recording)
    frames = frames_of(RecordedCamera(recording.looks))
    assert [frame.at for frame in frames] == [0.2, 0.4]
    assert np.array_equal(frames[1].image, noise(2))
    button = PlannedButton(recording.presses)
    assert button.presses(Seconds(0.29)) == ()
    (press,) = button.presses(Seconds(0.4))
    assert (press.at, press.kind, press.seat) == (0.3, PressKind.HOLD, 1)
    assert recording.match is not None
    assert recording.match["players"] == ["Ann", "Ben"]


def test_a_folder_of_pictures_shows_each_long_enough(folder: Path) -> None:
    recording = open_recording(folder / "frames")
    assert isinstance(recording, Recording)
    frames = frames_of(RecordedCamera(recording.looks))
    assert len(frames) == 2 * FRAMES_PER_PICTURE
    assert [frame.at for frame in frames[:3]] == [0.0, 0.2, 0.4]


def test_a_video_is_looked_at_five_times_a_second(tmp_path: Path) -> None:
    path = tmp_path / "table.avi"
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25.0, (64, 48))
    for number in range(50):
        video.write(noise(number))
    video.release()
    camera = open_recording(path)
    assert isinstance(camera, VideoCamera)
    assert [round(frame.at, 2) for frame in frames_of(camera)] == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8]


def _empty(path: Path) -> Path:
    path.mkdir()
    return path


def _text(path: Path) -> Path:
    path.write_text("no video")
    return path


def _broken(folder: Path) -> Path:
    lines = (folder / "timeline.jsonl").read_text().splitlines()
    (folder / "timeline.jsonl").write_text("\n".join([lines[0], '{"event": "frame", "at": ', *lines[2:]]))
    return folder


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        pytest.param(lambda folder: folder / "nowhere", "does not exist", id="missing"),
        pytest.param(lambda folder: _empty(folder / "none"), "holds neither", id="empty folder"),
        pytest.param(lambda folder: _text(folder / "notes.mp4"), "no video", id="no video"),
        pytest.param(
            _broken,
            r'timeline.jsonl line 2 is no event \(.+\): {"event": "frame", "at":; mend or take out that line, or',
            id="broken timeline",
        ),
    ],
)
def test_a_recording_that_cannot_be_played_is_told_in_one_line(folder: Path, spoil: Any, said: Any) -> None:
    with pytest.raises(CameraError, match=said) as told:
        open_recording(spoil(folder))
    assert "\n" not in str(told.value)
