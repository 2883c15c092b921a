"""When a picture was exposed: as its source tells, else less the camera's delay."""

import time
from random import Random
from typing import Any

import cv2
import pytest

from referee.hardware import usb
from referee.hardware.driver import AgedPicture, StreamAges, dated
from referee.hardware.live import LiveCamera
from referee.hardware.picamera import PicameraDriver
from referee.hardware.system import SystemClock
from referee.hardware.usb import UsbDriver
from tests.hardware.libcamera_double import Libcamera
from tests.hardware.test_cameras import Sensor, noise, settings
from tests.hardware.test_lens import Video


class Aged(Sensor):
    """A driver whose pictures tell their ages, one after another."""

    def __init__(self, *ages: float) -> None:
        super().__init__()
        self.ages = list(ages)

    def open(self) -> Any:
        return self

    def read(self) -> Any:
        time.sleep(0.01)
        self.number += 1
        return AgedPicture(noise(self.number), self.ages.pop(0) if len(self.ages) > 1 else self.ages[0])


def first_frames(sensor: Sensor, count: int, delay: float) -> list[tuple[float, float]]:
    """By how many seconds each frame arrived after its exposure, and when it was exposed."""
    camera = LiveCamera("usb:0", sensor.open, settings(), SystemClock(), delay_seconds=delay)
    try:
        frames = [camera.capture() for _ in range(count)]
    finally:
        camera.close()
    return [(frame.arrived - frame.at, frame.at) for frame in frames]


def test_a_frame_is_dated_back_by_the_delay_of_its_camera() -> None:
    assert [late for late, _ in first_frames(Sensor(), 3, 2.0)] == pytest.approx([2.0] * 3)


def test_a_frame_that_waited_on_the_way_is_dated_back_by_that_too() -> None:
    assert [late for late, _ in first_frames(Aged(0.7), 3, 2.0)] == pytest.approx([2.7] * 3)


def test_no_frame_is_older_than_the_one_before() -> None:
    frames = first_frames(Aged(0.0, 0.0, 0.0, 4.0, 0.0, 4.0, 0.0), 6, 0.5)
    times = [at for _, at in frames]
    assert times == sorted(times)


@pytest.mark.parametrize("exposed", [None, 101.0, 94.0], ids=["unknown", "to come", "too old"])
def test_a_time_that_cannot_be_true_dates_nothing(exposed: float | None) -> None:
    picture = noise(1)
    assert dated(picture, exposed, 100.0) is picture


def test_pictures_of_a_stream_are_as_old_as_they_are_later_than_the_promptest() -> None:
    """RTP counts from any start; Wi-Fi holds pictures back, and lets them go in a burst."""
    ages = StreamAges()
    assert [ages.age(stamp, now) for stamp, now in ((5.0, 1000.0), (5.2, 1000.2))] == [0.0, 0.0]
    burst = [ages.age(5.4 + number / 5, 1002.0) for number in range(5)]
    assert burst == pytest.approx([1.6, 1.4, 1.2, 1.0, 0.8])


def test_a_stream_whose_clock_is_set_or_runs_slow_is_dated_anew() -> None:
    ages, chance = StreamAges(), Random(1)
    for number in range(3000):  # a clock that loses a second in a thousand
        age = ages.age(0.999 * number / 5, number / 5 + chance.uniform(0.0, 0.02))
    assert age < 0.1
    assert ages.age(9000.0, 600.2) == 0.0


def test_the_pi_camera_tells_when_its_sensor_was_exposed() -> None:
    library = Libcamera(size=(64, 48))
    driver = PicameraDriver(settings(), None, library)
    try:
        library.exposed_at = round((time.clock_gettime(time.CLOCK_BOOTTIME) - 0.25) * 1e9)
        picture = driver.read()
        assert isinstance(picture, AgedPicture)
        assert 0.25 <= picture.age < 5.0
        picture.picture.drop()  # type: ignore[union-attr]
    finally:
        driver.close()


def test_a_usb_camera_tells_when_its_picture_was_exposed(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "video0").write_text("")
    monkeypatch.setattr(usb, "_DEVICES", tmp_path)
    video = Video({cv2.CAP_PROP_POS_MSEC: 1000 * (time.monotonic() - 0.3)})
    picture = UsbDriver(0, settings(), open_video=lambda *_: video).read()
    assert isinstance(picture, AgedPicture)
    assert 0.3 <= picture.age < 5.0
