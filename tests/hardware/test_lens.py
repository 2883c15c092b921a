"""Focus and light on stand-ins for Picamera2 and V4L2: found once, locked, set again at the next start."""

import os
from typing import Any

import cv2
import numpy as np
import pytest

from referee.errors import CameraError
from referee.hardware import picamera, usb
from referee.hardware.light import anti_flicker_exposure, is_steady
from referee.hardware.picamera import PicameraDriver
from referee.hardware.usb import UsbDriver
from referee.settings.hardware import CameraSettings
from referee.vision.profile import LockedControls

from .libcamera_double import CONTROLS, FULL, Libcamera  # isort: skip


def settings(**more: Any) -> CameraSettings:
    return CameraSettings(
        **{
            "source": "picamera",
            "width": FULL[0],
            "height": FULL[1],
            "looks_per_second": 5.0,
            "mains_hertz": 50,
            "limit_seconds": 2.0,
            "retry_seconds": 2.0,
            **more,
        }
    )


@pytest.mark.parametrize(
    ("exposure", "gain", "hertz", "whole"),
    [
        pytest.param(9_000, 2.0, 50, (10_000, 1.8), id="nearly a beat"),
        pytest.param(24_000, 2.0, 50, (20_000, 2.4), id="two beats"),
        pytest.param(17_000, 1.0, 60, (16_666.7, 1.02), id="two beats in the Americas"),
        pytest.param(4_000, 1.0, 50, (4_000, 1.0), id="too bright for a beat"),
        pytest.param(4_000, 4.0, 50, (10_000, 1.6), id="a beat instead of gain"),
        pytest.param(9_000, 2.0, 0, (9_000, 2.0), id="daylight"),
    ],
)
def test_exposures_are_whole_beats_of_the_lamp(exposure: float, gain: float, hertz: int, whole: Any) -> None:
    assert anti_flicker_exposure(exposure, gain, hertz) == pytest.approx(whole, rel=1e-3)


def test_rest_is_eight_looks_alike() -> None:
    assert not is_steady([(100.0, 1.5)] * 7)
    assert is_steady([(50.0, 1.5)] + [(100.0, 1.5)] * 8)
    assert not is_steady([(100.0, 1.5)] * 7 + [(103.0, 1.5)])


# Picamera2 --------------------------------------------------------------------------------------------------------


def started(library: Libcamera, locked: LockedControls | None = None, **more: Any) -> PicameraDriver:
    return PicameraDriver(settings(**more), locked, library)


def fetch(driver: PicameraDriver) -> Any:
    """A whole picture, its memory given back."""
    shot = driver.read()
    try:
        return shot.full()
    finally:
        shot.drop()


def test_padding_is_cut_off_in_both_streams() -> None:
    library = Libcamera()
    driver = started(library)
    shot = driver.read()
    assert (shot.small.shape, int(shot.small.min()), int(shot.small.max())) == ((64, 96, 3), 120, 120)
    full = shot.full()
    assert full.shape == (64, 96, 3)
    assert full[-1, -1].tolist() == [10, 120, 240]
    driver.close()
    assert library.calls == ["stop", "close"]


def test_pictures_are_given_back_and_never_run_out() -> None:
    library = Libcamera()
    driver = started(library)
    for _ in range(20):
        shot = driver.read()
        shot.drop()
        shot.drop()
    assert library.out == 0
    assert driver.read().full().shape == (64, 96, 3)


def test_a_picture_given_back_unseen_is_still_one_to_look_at() -> None:
    shot = started(Libcamera()).read()
    shot.drop()
    assert shot.full().shape == (64, 96, 3)
    assert int(shot.full().max()) == 120


def test_the_sensor_is_no_faster_than_needed_and_the_small_stream_is_of_the_same_shape() -> None:
    library = Libcamera()
    started(library, width=2304, height=1296)
    assert library.configuration["main"] == {"size": (2304, 1296), "format": "RGB888"}
    assert library.configuration["lores"] == {"size": (640, 360), "format": "YUV420"}
    assert library.configuration["controls"] == {"FrameDurationLimits": (100_000, 100_000)}


@pytest.mark.parametrize("stream", ["main", "lores"])
@pytest.mark.parametrize(
    "odd", [None, np.zeros(48, np.uint8), np.zeros((24, 96), np.uint8), np.zeros((24, 64, 3), np.uint8)]
)
def test_odd_pictures_are_told_and_given_back(stream: str, odd: Any) -> None:
    library = Libcamera()
    library.arrays[stream] = odd
    driver = started(library)
    with pytest.raises(CameraError, match="gives pictures of"):
        fetch(driver)
    assert library.out == 0


@pytest.mark.parametrize("step", ["configure", "start"])
def test_a_pi_camera_that_does_not_start_is_closed_and_can_be_opened_again(step: str) -> None:
    library = Libcamera()
    library.fails = {step}
    with pytest.raises(CameraError, match=f"cannot start \\({step}.*rpicam-hello"):
        started(library)
    assert library.calls == ["stop", "close"]
    library.fails = set()
    driver = started(library)
    assert fetch(driver).shape == (64, 96, 3)
    driver.close()


def test_focus_and_light_are_found_locked_and_set_again_at_the_next_start() -> None:
    library = Libcamera()
    locked = started(library).settle()
    assert locked == LockedControls(focus=0.82, exposure=10_000, gain=2.4, white=(1.8, 1.4))
    kept = {
        "AfMode": 0,
        "LensPosition": 0.82,
        "AeEnable": False,
        "ExposureTime": 10_000,
        "AnalogueGain": 2.4,
        "AwbEnable": False,
        "ColourGains": (1.8, 1.4),
    }
    assert {name: library.set[name] for name in kept} == kept
    again = Libcamera()
    started(again, locked)
    assert again.set == kept


def test_a_lens_without_focus_is_left_alone() -> None:
    library = Libcamera(controls=CONTROLS[3:])
    locked = started(library).settle()
    assert locked.focus is None
    assert not {"AfMode", "LensPosition"} & set(library.set)
    started(Libcamera(controls=CONTROLS[3:]), LockedControls(focus=2.0, exposure=10_000, gain=1.0))


def test_light_alone_keeps_the_focus() -> None:
    library = Libcamera()
    assert started(library).settle(LockedControls(focus=1.25)).focus == 1.25
    assert library.set["LensPosition"] == 1.25
    assert "AfTrigger" not in library.set


@pytest.mark.parametrize(
    ("found", "said"),
    [
        pytest.param("light", "finds no focus; lay some tiles on the table", id="no focus"),
        pytest.param("focus", "the light does not come to rest", id="restless light"),
    ],
)
def test_what_cannot_be_found_is_told(found: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picamera, "_SETTLE_TIMEOUT_SECONDS", 0.2)
    library = Libcamera()
    library.restless, library.focuses = found != "light", found == "focus"
    with pytest.raises(CameraError, match=said):
        started(library).settle()


# V4L2 -------------------------------------------------------------------------------------------------------------


class Video:
    """As much of cv2.VideoCapture as the driver uses: a camera that knows some controls."""

    def __init__(self, known: dict[int, float]) -> None:
        self.controls = dict(known)

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def set(self, control: int, value: float) -> bool:
        if control not in self.controls:
            return False
        self.controls[control] = value
        return True

    def get(self, control: int) -> float:
        return self.controls.get(control, -1.0)

    def read(self) -> tuple[bool, Any]:
        return True, np.full((48, 64, 3), 90, np.uint8)

    def release(self) -> None:
        return None


ALL = {
    cv2.CAP_PROP_AUTOFOCUS: 1.0,
    cv2.CAP_PROP_FOCUS: 35.0,
    cv2.CAP_PROP_AUTO_EXPOSURE: 3.0,
    cv2.CAP_PROP_EXPOSURE: 157.0,
    cv2.CAP_PROP_GAIN: 40.0,
    cv2.CAP_PROP_AUTO_WB: 1.0,
    cv2.CAP_PROP_WB_TEMPERATURE: 4200.0,
}


@pytest.fixture
def plugged(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "video0").write_text("")
    monkeypatch.setattr(usb, "_DEVICES", tmp_path)


@pytest.mark.usefixtures("plugged")
def test_a_usb_camera_is_settled_and_locked() -> None:
    video = Video(ALL)
    locked = UsbDriver(0, settings(), open_video=lambda *_: video).settle()
    assert locked == LockedControls(focus=35.0, exposure=20_000, gain=pytest.approx(31.4), white=(4200.0,))
    assert video.controls[cv2.CAP_PROP_AUTO_EXPOSURE] == 1
    assert video.controls[cv2.CAP_PROP_EXPOSURE] == 200
    assert video.controls[cv2.CAP_PROP_AUTOFOCUS] == video.controls[cv2.CAP_PROP_AUTO_WB] == 0
    again = Video(ALL)
    UsbDriver(0, settings(), locked, lambda *_: again)
    assert again.controls == video.controls


@pytest.mark.usefixtures("plugged")
def test_a_usb_camera_that_cannot_be_set_is_used_as_it_is() -> None:
    assert UsbDriver(0, settings(), open_video=lambda *_: Video({})).settle() == LockedControls()


def test_a_usb_camera_that_is_not_there() -> None:
    with pytest.raises(CameraError, match=r"usb:97 is not there"):
        UsbDriver(97, settings())


class Slow(Video):
    """A camera that gives nothing for so many seconds, as OpenCV shows it: a failed read each second."""

    def __init__(self, until: float) -> None:
        super().__init__({})
        self.at, self.until = 0.0, until

    def read(self) -> tuple[bool, Any]:
        self.at += 1.0
        return super().read() if self.at > self.until else (False, None)


@pytest.mark.usefixtures("plugged")
@pytest.mark.parametrize(("seconds", "comes"), [(1.0, True), (8.0, True), (30.0, False)])
def test_the_first_picture_of_a_usb_camera_may_take_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, seconds: float, comes: Any
) -> None:
    video = Slow(seconds)
    monkeypatch.setattr(usb, "monotonic", lambda: video.at)
    monkeypatch.setattr(usb, "sleep", lambda _: None)
    driver = UsbDriver(0, settings(limit_seconds=1.5), open_video=lambda *_: video)
    if comes:
        assert driver.read().shape == (48, 64, 3)
        video.until = 1e9
        with pytest.raises(CameraError, match=r"usb:0 is silent for 1\.5 s; restarting it"):
            driver.read()
    else:
        with pytest.raises(CameraError, match="usb:0 is silent for 10 s; restarting it"):
            driver.read()


@pytest.mark.usefixtures("plugged")
def test_a_usb_camera_that_is_pulled_is_not_waited_for(tmp_path: Any) -> None:
    driver = UsbDriver(0, settings(), open_video=lambda *_: Slow(1e9))
    (tmp_path / "video0").unlink()
    with pytest.raises(CameraError, match="usb:0 gives no picture; is its cable plugged in"):
        driver.read()


def test_opencv_waits_a_second_for_a_stalled_camera_and_not_ten() -> None:
    """It holds the device so long; its own words are no line in the log."""
    assert os.environ["OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT"] == "1"
    assert cv2.utils.logging.getLogLevel() == cv2.utils.logging.LOG_LEVEL_ERROR
