"""A Pi camera that stalls, fails to start, cannot be closed or is not there, on a stand-in for libcamera."""

import json
import re
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gpiozero.pins.mock import MockFactory

from referee.cli.main import main
from referee.cli.steps.common import load_picture
from referee.errors import CameraError, CameraHeldError
from referee.hardware import live, picamera
from referee.hardware.attached import attached_camera
from referee.hardware.live import LiveCamera
from referee.hardware.picamera import PicameraDriver, has_open_camera, memory_warning
from referee.hardware.system import SystemClock
from referee.service.sources import open_source
from referee.settings.config import load_config
from referee.settings.hardware import CameraSettings
from tests.conftest import PATIENCE_SECONDS

from .libcamera_double import FULL, PI, WEBCAM, Libcamera  # isort: skip

LIMIT = 0.5
FIRST_LIMIT = 1.5  # of the first picture


def settings(**more: Any) -> CameraSettings:
    values: dict[str, Any] = {
        "source": "picamera",
        "width": FULL[0],
        "height": FULL[1],
        "looks_per_second": 50.0,
        "mains_hertz": 50,
        "limit_seconds": LIMIT,
        "retry_seconds": 0.02,
    }
    return CameraSettings(**values | more)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[Libcamera]:
    monkeypatch.setattr(picamera, "_OPEN_CAMERAS", picamera._OpenCameras())
    monkeypatch.setattr(picamera, "_RELEASE_TIMEOUT_SECONDS", 1.0)
    monkeypatch.setattr(picamera, "_STOP_TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr(live, "_RELEASE_TIMEOUT_SECONDS", 1.0)
    monkeypatch.setattr("referee.settings.hardware._FIRST_PICTURE_SECONDS", FIRST_LIMIT)
    library = Libcamera()
    library.lives = True
    yield library
    library.freed.set()


@pytest.fixture
def installed(library: Libcamera, monkeypatch: pytest.MonkeyPatch) -> Libcamera:
    monkeypatch.setitem(sys.modules, "picamera2", SimpleNamespace(Picamera2=library))
    return library


@pytest.fixture
def camera(library: Libcamera) -> Iterator[LiveCamera]:
    camera = LiveCamera("picamera", lambda: PicameraDriver(settings(), None, library), settings(), SystemClock())
    yield camera
    library.freed.set()
    camera.close()


def errors_until(camera: LiveCamera, true: Callable[[], bool]) -> list[CameraError]:
    errors, end = [], time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < end
        try:
            camera.capture()
        except CameraError as error:
            errors.append(error)
    return errors


def test_a_stalled_camera_is_cancelled_stopped_closed_and_only_then_opened_again(
    camera: LiveCamera, library: Libcamera
) -> None:
    camera.capture()
    library.stalls = True
    errors = errors_until(camera, lambda: len(library.openings) >= 3)
    assert {str(error) for error in errors} == {
        "camera picamera is silent for 0.5 s; restarting it",
        "camera picamera is silent for 1.5 s; restarting it",
    }
    assert library.calls[:4] == ["stop", "close"] * 2
    library.stalls = False
    number = library.number
    errors_until(camera, lambda: library.number > number + 3)
    assert not any(isinstance(error, CameraHeldError) for error in errors)


def test_a_library_whose_listening_thread_died_is_closed_and_opened_again(
    camera: LiveCamera, library: Libcamera
) -> None:
    """As Picamera2 0.3.38 where a buffer cannot be mapped: whoever waits for that thread waits for ever, `stop` too."""
    camera.capture()
    library.listens = False
    errors = errors_until(camera, lambda: len(library.openings) >= 2)
    assert not any(isinstance(error, CameraHeldError) for error in errors)
    library.listens = True
    number = library.number
    errors_until(camera, lambda: library.number > number + 3)


def test_a_camera_whose_first_picture_takes_long_is_waited_for(camera: LiveCamera, library: Libcamera) -> None:
    library.first_seconds = 2 * LIMIT
    camera.capture()
    assert library.openings == [0]


@pytest.mark.fault("the Pi camera fails to start")
@pytest.mark.parametrize("step", ["configure", "start"])
def test_a_camera_that_fails_to_start_a_few_times_comes_back(camera: LiveCamera, library: Libcamera, step: str) -> None:
    library.fails = {step}
    errors = errors_until(camera, lambda: len(library.openings) >= 3)
    assert all(f"cannot start ({step}" in str(error) for error in errors)
    library.fails = set()
    errors_until(camera, lambda: library.number > 2)
    assert not has_open_camera() or library.opened is not None


@pytest.mark.parametrize(("kind", "step"), [("hangs", "stop"), ("hangs", "close"), ("fails", "close")])
def test_a_camera_that_this_process_cannot_free_is_told_as_that(
    camera: LiveCamera, library: Libcamera, kind: str, step: str
) -> None:
    camera.capture()
    getattr(library, kind).add(step)
    library.stalls = True
    held: list[CameraHeldError] = []

    def is_held() -> bool:
        try:
            camera.capture()
        except CameraHeldError as error:
            held.append(error)
        except CameraError:
            pass
        return bool(held)

    end = time.monotonic() + PATIENCE_SECONDS
    while not is_held():
        assert time.monotonic() < end
    assert "start the referee anew, and if that is not enough the Pi" in str(held[0])
    assert has_open_camera()
    assert library.openings == [0]


def test_a_missing_camera_is_never_one_that_is_held(camera: LiveCamera, library: Libcamera) -> None:
    library.cameras = []
    end = time.monotonic() + 0.5
    errors = errors_until(camera, lambda: time.monotonic() > end)
    assert errors
    assert not any(isinstance(error, CameraHeldError) for error in errors)
    assert not has_open_camera()


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(np.zeros((48, 96), np.uint8), id="fewer rows"),
        pytest.param(np.zeros((96, 64, 2), np.uint8), id="another shape"),
        pytest.param(
            ValueError("cannot reshape array of size 9216 into shape (64,3)"), id="a stride not reckoned with"
        ),
    ],
)
@pytest.mark.parametrize("stream", ["main", "lores"])
def test_odd_shapes_and_strides_are_told_before_anything_is_read(library: Libcamera, stream: str, odd: Any) -> None:
    library.lives = False
    library.arrays[stream] = odd
    driver = PicameraDriver(settings(), None, library)
    with pytest.raises(CameraError, match="the Pi camera gives pictures") as told:
        driver.read()
    assert "\n" not in str(told.value)
    assert library.out == 0
    driver.close()


# The full picture -------------------------------------------------------------------------------------------------


def look(camera: LiveCamera) -> None:
    """Fetch the full picture of the next frame, as reading the table does."""
    assert camera.capture().image.shape == (64, 96, 3)


def looks_until(camera: LiveCamera, true: Callable[[], bool]) -> list[str]:
    errors, end = [], time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < end
        try:
            look(camera)
        except CameraError as error:
            errors.append(str(error))
    return errors


@pytest.mark.fault("the camera is stalled")
@pytest.mark.parametrize(
    ("kind", "step", "said"),
    [
        ("fails", "main", "the Pi camera gives pictures that cannot be read (main: Invalid argument); restarting it"),
        ("hangs", "main", "camera picamera is silent for 0.5 s; restarting it"),
        (
            "fails",
            "release",
            "the camera's driver failed (RuntimeError('release: Invalid argument')); restarting it",
        ),
        ("hangs", "release", "camera picamera is silent for 0.5 s; restarting it"),
    ],
)
def test_a_camera_that_stops_handing_over_full_pictures_is_told_once_and_restarted(
    camera: LiveCamera,
    library: Libcamera,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    kind: str,
    step: str,
    said: str,
) -> None:
    monkeypatch.setattr(live, "_CALL_TIMEOUT_SECONDS", 0.5)
    caplog.set_level("INFO")
    look(camera)
    getattr(library, kind).add(step)
    looks_until(camera, lambda: said in caplog.messages)
    getattr(library, kind).clear()
    library.freed.set()
    looks_until(camera, lambda: caplog.messages[-1] == "camera picamera is back")
    assert caplog.messages.count(said) == 1
    assert len(library.openings) >= 2


def test_a_picture_taken_for_a_calibration_is_the_full_one(installed: Libcamera, tmp_path: Path) -> None:
    installed.arrays = Libcamera(size=(640, 360)).arrays
    (tmp_path / "referee.toml").write_text("[camera]\nwidth = 640\nheight = 360\n")
    arguments = Namespace(
        images=None, camera="picamera", name=None, config=tmp_path / "referee.toml", profile=tmp_path / "profile.json"
    )
    assert load_picture(arguments).image[1, 1].tolist() == [10, 120, 240]
    assert installed.out == 0


# Which camera -----------------------------------------------------------------------------------------------------


def test_the_pi_camera_is_opened_and_not_a_webcam_listed_beside_it(installed: Libcamera) -> None:
    """`Picamera2(n)` opens the n-th entry of the list, which is sorted otherwise than libcamera numbers cameras."""
    installed.cameras = [WEBCAM | {"Num": 0}, PI | {"Num": 1}]
    PicameraDriver(settings()).close()
    installed.cameras = [PI | {"Num": 1}, WEBCAM | {"Num": 0}]
    PicameraDriver(settings()).close()
    assert installed.openings == [1, 1]


@pytest.mark.fault("a webcam is plugged in beside or in place of the Pi's camera")
def test_a_webcam_alone_is_no_pi_camera(installed: Libcamera, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr("referee.hardware.attached._VIDEO_DEVICES", tmp_path)
    installed.cameras = [WEBCAM]
    (tmp_path / "video0").mkdir()
    (tmp_path / "video0" / "name").write_text("HD Webcam\n")
    (tmp_path / "video0" / "index").write_text("0\n")
    assert attached_camera() == "usb:0"
    with pytest.raises(CameraError, match="no Pi camera is attached; check its cable"):
        PicameraDriver(settings())
    assert not has_open_camera()
    installed.cameras = [WEBCAM, PI]
    assert attached_camera() == "picamera"


# Memory in one piece ----------------------------------------------------------------------------------------------


@pytest.mark.fault("pictures too large for the Pi's memory")
@pytest.mark.parametrize(
    ("size", "said"),
    [
        ((2304, 1296), None),  # 61 MB
        ((4608, 2592), "pictures of 4608×2592 need 240 MB in one piece and this Pi keeps 67"),
        ((9152, 6944), "pictures of 9152×6944 need 1273 MB in one piece"),
    ],
)
def test_sizes_that_do_not_fit_the_contiguous_memory_are_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, size: tuple[int, int], said: str | None
) -> None:
    (tmp_path / "meminfo").write_text("MemTotal:  437000 kB\nCmaTotal:     65536 kB\nCmaFree:   1000 kB\n")
    monkeypatch.setattr("referee.hardware.health._MEMORY", tmp_path / "meminfo")
    found = memory_warning(settings(width=size[0], height=size[1]))
    assert (found is None) if said is None else found is not None and found.startswith(said)
    (tmp_path / "meminfo").write_text("MemTotal:  437000 kB\n")
    assert memory_warning(settings(width=size[0], height=size[1])) is None


def test_they_are_told_at_the_start_and_where_the_camera_does_not_start(
    library: Libcamera, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    said = "pictures of 4608×2592 need 240 MB in one piece and this Pi keeps 67 (CmaTotal); set a smaller camera.width"
    (tmp_path / "meminfo").write_text("CmaTotal:     65536 kB\n")
    monkeypatch.setattr("referee.hardware.health._MEMORY", tmp_path / "meminfo")
    monkeypatch.setitem(sys.modules, "picamera2", SimpleNamespace(Picamera2=library))
    config = load_config(None)
    open_source(replace(config, camera=settings(width=4608, height=2592)), "picamera", SystemClock()).camera.close()
    assert said in caplog.text
    library.fails = {"configure"}
    with pytest.raises(CameraError, match=re.escape(f"cannot start (configure: Invalid argument); {said}")):
        PicameraDriver(settings(width=4608, height=2592))


def test_calibrate_check_tells_them_and_an_lgpio_that_does_not_debounce(
    installed: Libcamera,
    pins: MockFactory,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    del installed, pins
    (tmp_path / "meminfo").write_text("CmaTotal:     65536 kB\n")
    monkeypatch.setattr("referee.hardware.health._MEMORY", tmp_path / "meminfo")
    monkeypatch.setitem(sys.modules, "lgpio", SimpleNamespace(LGPIO_PY_VERSION=0x00020000))
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    checks = {}
    for width, height in ((4608, 2592), (2304, 1296)):
        (tmp_path / "referee.toml").write_text(f"[camera]\nwidth = {width}\nheight = {height}\n")
        words = ["--camera", "picamera", "--config", str(tmp_path / "referee.toml"), "--json"]
        assert main(["calibrate", "check", *words, "--profile", str(tmp_path / "profile.json")]) == 1
        checks[width] = {one["check"]: one for one in json.loads(capsys.readouterr().out)["checks"]}
    large, small = checks[4608]["cma"], checks[2304]["cma"]
    assert (large["passed"], large["value"], large["limit"]) == (False, 240, 67)
    assert "pictures of 4608×2592 need 240 MB in one piece" in large["message"]
    assert (small["passed"], small["value"], small["limit"]) == (True, 61, 67)
    assert not checks[2304]["pins"]["passed"]
    assert "lgpio 0.2.0 does not debounce buttons" in checks[2304]["pins"]["message"]
