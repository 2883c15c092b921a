"""USB cameras through OpenCV and V4L2."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

import cv2
import numpy as np

from referee.errors import CameraError
from referee.hardware.attached import model_of, number_of, why_not_opened
from referee.hardware.driver import AgedPicture, dated
from referee.hardware.light import anti_flicker_exposure, is_steady
from referee.rules.wording import say
from referee.settings.hardware import CameraSettings
from referee.vision.image.frame import Image
from referee.vision.profile import LockedControls

_DEVICES = Path("/dev")
# V4L2_EXPOSURE_APERTURE_PRIORITY and V4L2_EXPOSURE_MANUAL, as OpenCV hands them on
_AUTO_EXPOSURE, _MANUAL_EXPOSURE = 3, 1
_EXPOSURE_UNIT_MICROSECONDS: Final = 100.0  # microseconds: V4L2_CID_EXPOSURE_ABSOLUTE counts so
_SETTLE_TIMEOUT_SECONDS: Final = 6.0
_RETRY_SECONDS: Final = 0.05
# OpenCV waits 10 s for a frame and cannot be interrupted, which blocks reopening the device; it reads this variable
# when it first waits.
os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "1")


class UsbCamera:
    """A factory that opens one USB camera repeatedly, also if it reappears under another number."""

    def __init__(self, place: int | Path, settings: CameraSettings, locked: LockedControls | None = None) -> None:
        """Use /dev/videoN, or the device that a path points to when it is opened."""
        self._place, self._settings, self._locked = place, settings, locked
        self._model: str | None = None

    def __call__(self) -> "UsbDriver":
        """Open the camera; CameraError if it is missing."""
        if isinstance(self._place, Path):
            return UsbDriver(_device_number(self._place), self._settings, self._locked)
        number = self._place
        if self._model is not None and model_of(number) != self._model:  # missing, or another device has its number
            elsewhere = number_of(self._model)
            number = number if elsewhere is None else elsewhere
        driver = UsbDriver(number, self._settings, self._locked)
        self._model = model_of(number)
        return driver


def _device_number(path: Path) -> int:
    """Return the N of the /dev/videoN that a path points to; CameraError if it points to none."""
    if not path.exists():
        raise CameraError(f"camera {path} is not there; plug it in, or list what is: referee calibrate camera --list")
    found = re.fullmatch(r"video(\d+)", path.resolve().name)
    if found is None:
        raise CameraError(f"camera {path} is no camera; list what is there: referee calibrate camera --list")
    return int(found[1])


class UsbDriver:
    """An open /dev/videoN."""

    def __init__(
        self,
        number: int,
        settings: CameraSettings,
        locked: LockedControls | None = None,
        open_video: Callable[..., Any] = cv2.VideoCapture,
    ) -> None:
        """Open the camera with the configured size and locked controls; CameraError if it fails."""
        self._name = f"usb:{number}"
        self._device = _DEVICES / f"video{number}"
        self._settings = settings
        self._fresh = True
        if not self._device.exists():
            raise CameraError(
                f"camera usb:{number} is not there; plug it in, or list what is: referee calibrate camera --list"
            )
        self._video = open_video(number, cv2.CAP_V4L2)
        if not self._video.isOpened():
            raise CameraError(f"camera usb:{number} cannot be opened; {why_not_opened(self._device)}")
        self._video.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # raw frames exceed USB 2's bandwidth
        self._video.set(cv2.CAP_PROP_FRAME_WIDTH, settings.width)
        self._video.set(cv2.CAP_PROP_FRAME_HEIGHT, settings.height)
        self._video.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        if locked:
            self._lock(locked)

    def read(self) -> Image | AgedPicture:
        """Return the next picture within the time limit, which is longer for the first one; CameraError otherwise."""
        image = self._read()
        milliseconds = self._video.get(cv2.CAP_PROP_POS_MSEC)  # V4L2 stamps frames by the monotonic clock
        return dated(image, milliseconds / 1000 if milliseconds > 0 else None, monotonic())

    def _read(self) -> Image:
        seconds = self._settings.first_seconds if self._fresh else self._settings.limit_seconds
        until = monotonic() + seconds
        while True:
            fine, image = self._video.read()
            if fine and image is not None:
                self._fresh = False
                return np.asarray(image, np.uint8)
            if not self._device.exists():
                raise CameraError(f"camera {self._name} gives no picture; is its cable plugged in?")
            if monotonic() >= until:
                raise CameraError(f"camera {self._name} is silent for {seconds:g} s; restarting it")
            sleep(_RETRY_SECONDS)

    def settle(self, keep: LockedControls | None = None) -> LockedControls:
        """Let the camera find focus, exposure and white balance; lock and return those that can be set.

        A focus in `keep` is kept. Raises CameraError if the light does not settle.
        """
        video, kept_focus = self._video, keep.focus if keep else None
        if kept_focus is None:
            video.set(cv2.CAP_PROP_AUTOFOCUS, 1)
        video.set(cv2.CAP_PROP_AUTO_EXPOSURE, _AUTO_EXPOSURE)
        video.set(cv2.CAP_PROP_AUTO_WB, 1)
        self._wait_until_steady()
        gain = self._control_value(cv2.CAP_PROP_GAIN)
        exposure = (
            self._control_value(cv2.CAP_PROP_EXPOSURE)
            if video.set(cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL_EXPOSURE)
            else None
        )
        if exposure and gain:  # without a gain to make up for it, other beats would be another brightness
            exposure, gain = anti_flicker_exposure(
                exposure * _EXPOSURE_UNIT_MICROSECONDS, gain, self._settings.mains_hertz
            )
        elif exposure:
            exposure *= _EXPOSURE_UNIT_MICROSECONDS
        focus = kept_focus
        if focus is None and video.set(cv2.CAP_PROP_AUTOFOCUS, 0):
            focus = self._control_value(cv2.CAP_PROP_FOCUS, least=0.0)  # 0 is far away
        white = self._control_value(cv2.CAP_PROP_WB_TEMPERATURE) if video.set(cv2.CAP_PROP_AUTO_WB, 0) else None
        locked = LockedControls(focus=focus, exposure=exposure, gain=gain, white=() if white is None else (white,))
        self._lock(locked)
        return locked

    def _wait_until_steady(self) -> None:
        looks: list[tuple[float, ...]] = []
        until = monotonic() + _SETTLE_TIMEOUT_SECONDS
        while monotonic() < until:
            image = self._read()
            edges = cv2.Laplacian(np.ascontiguousarray(image[::2, ::2, 1]), cv2.CV_32F).std()
            looks.append((*(float(value) + 1 for value in image[::8, ::8].reshape(-1, 3).mean(axis=0)), edges + 1))
            if is_steady(looks):
                return
        message = say(
            "light.usb_flickers",
            "camera {camera}: the light does not come to rest; switch off lamps that flicker",
            camera=self._name,
        )
        raise CameraError(message)

    def _control_value(self, control: int, least: float = 1.0) -> float | None:
        """Return the value of a control; None if the driver lacks it and returns -1 or 0."""
        value = float(self._video.get(control))
        return value if value >= least else None

    def _lock(self, locked: LockedControls) -> None:
        """Set the locked controls; those that cannot be set are None."""
        if locked.focus is not None:
            self._video.set(cv2.CAP_PROP_AUTOFOCUS, 0)
            self._video.set(cv2.CAP_PROP_FOCUS, locked.focus)
        if locked.exposure is not None:
            self._video.set(cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL_EXPOSURE)
            self._video.set(cv2.CAP_PROP_EXPOSURE, round(locked.exposure / _EXPOSURE_UNIT_MICROSECONDS))
        if locked.gain is not None:
            self._video.set(cv2.CAP_PROP_GAIN, locked.gain)
        if locked.white:
            self._video.set(cv2.CAP_PROP_AUTO_WB, 0)
            self._video.set(cv2.CAP_PROP_WB_TEMPERATURE, locked.white[0])

    def close(self) -> None:
        """Release the device."""
        self._video.release()
