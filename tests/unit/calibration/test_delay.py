"""How late pictures arrive, measured by a light before the lens."""

import json
import threading
import time
from argparse import Namespace
from collections import deque
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from referee.cli.main import main
from referee.cli.steps import check
from referee.cli.steps.delay import watch_light, why_too_late
from referee.storage.profile import _checksum, load_profile, save_profile
from referee.vision.calibrate.delay import fit_delay, part_levels
from referee.vision.image.frame import Image
from referee.vision.profile import Profile

SWITCHES = tuple(zip((10.0, 11.1, 11.8, 13.4, 13.9, 15.2, 16.1, 16.7, 18.4), [True, False] * 4 + [True], strict=True))


def picture(on: bool, seed: int) -> Image:  # noqa: FBT001 - what the light does
    """A table with sensor noise and a small lamp at its edge."""
    image = np.random.default_rng(seed).normal(90, 3, (240, 320, 3)).clip(0, 255).astype(np.uint8)
    if on:
        image[200:210, 300:310] = 230
    return image


def shown_at(exposed: float) -> bool:
    return [False, *(on for at, on in SWITCHES if at <= exposed)][-1]


@pytest.mark.parametrize("delay", [0.1, 0.8, 2.0, 5.0, 7.4])
def test_the_delay_of_pictures_is_found_within_a_frame(delay: float) -> None:
    arrivals = [9.0 + number / 5 for number in range(95)]
    levels = [part_levels(picture(shown_at(at - delay), number)) for number, at in enumerate(arrivals)]
    assert fit_delay(SWITCHES, arrivals, levels) == pytest.approx(delay, abs=0.2)


def test_no_delay_is_found_where_the_light_is_not_seen() -> None:
    arrivals = [9.0 + number / 5 for number in range(95)]
    chance = Random(2)
    flickering = [part_levels(picture(chance.random() < 0.5, number)) for number in range(95)]
    assert fit_delay(SWITCHES, arrivals, flickering) is None
    assert fit_delay(SWITCHES, arrivals, [part_levels(picture(False, number)) for number in range(95)]) is None
    assert fit_delay(SWITCHES, arrivals, [part_levels(picture(False, 1))] * 95) is None


class LateSensor:
    """A driver whose pictures show the light as it was a while ago."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self._states: deque[tuple[float, bool]] = deque([(0.0, False)])
        self._lock = threading.Lock()

    def light(self, on: bool) -> None:  # noqa: FBT001 - what the light does
        with self._lock:
            self._states.append((time.monotonic(), on))

    def read(self) -> Image:
        time.sleep(0.02)
        with self._lock:
            shown = [on for at, on in self._states if at <= time.monotonic() - self.delay][-1]
        return picture(shown, int(time.monotonic() * 1000))


def test_the_light_is_switched_and_sought_in_the_pictures() -> None:
    sensor = LateSensor(0.5)
    pattern = (0.3, 0.2, 0.5, 0.15, 0.4, 0.3, 0.2, 0.45)
    assert watch_light(sensor, sensor.light, pattern, wait=1.0) == pytest.approx(0.5, abs=0.15)  # type: ignore[arg-type]


def test_a_camera_is_refused_whose_pictures_come_later_than_a_referee_can_wait() -> None:
    assert why_too_late("http://10.0.0.7/video", 5.0) is None
    assert why_too_late("http://10.0.0.7/video", 6.3) == (
        "pictures of camera http://10.0.0.7/video come 6.3 s late, and 5 s is the most; "
        "set smaller pictures or no buffering in its app, move it nearer to the Wi-Fi, or use a cable"
    )


def checked(tmp_path: Path, camera: str, *, measured: float | None = None, configured: str = "") -> Any:
    profile, file = tmp_path / "profile.json", tmp_path / "referee.toml"
    save_profile(Profile(camera=camera, size=(640, 480), delay_seconds=measured), profile)
    file.write_text(configured)
    return check._delay_check(Namespace(camera=camera, config=file), load_profile(profile))


def test_the_check_says_how_late_pictures_come_and_refuses_a_camera_that_is_too_slow(tmp_path: Path) -> None:
    phone = "http://10.0.0.7/video"
    unmeasured = checked(tmp_path, phone)
    assert (unmeasured.passed, unmeasured.value) == (False, 1.0)
    assert unmeasured.message.endswith("measure them with 'referee calibrate camera --delay'")
    known = checked(tmp_path, phone, measured=0.4)
    assert (known.passed, known.value, known.limit) == (True, 0.4, 5.0)
    slow = checked(tmp_path, phone, measured=6.3)
    assert (slow.passed, slow.message) == (False, why_too_late(phone, 6.3))
    configured = checked(tmp_path, phone, measured=0.4, configured="[camera]\ndelay_seconds = 2.5\n")
    assert (configured.passed, configured.value) == (True, 2.5)
    assert checked(tmp_path, "usb:0").value == 0.0
    assert checked(tmp_path, "usb:0").passed


@pytest.mark.parametrize("words", [(), ("--camera", "sim")])
def test_only_the_delay_of_a_live_camera_is_measured(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", "camera", "--delay", *words]) == 2
    assert capsys.readouterr().err == "referee calibrate: --delay measures a live camera; name it with --camera\n"


def test_a_profile_of_before_knows_no_delay(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    save_profile(Profile(camera="usb:0", size=(640, 480)), path)
    content = json.loads(path.read_text())
    del content["delay_seconds"], content["checksum"]
    path.write_text(json.dumps({**content, "checksum": _checksum(content)}))
    assert load_profile(path).delay_seconds is None
