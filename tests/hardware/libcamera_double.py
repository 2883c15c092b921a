"""A stand-in for Picamera2 and the libcamera below it, as they behave on a Raspberry Pi.

A camera is open once; it stays open where configuring or starting fails, until somebody closes it. A stalled sensor
cancels what was asked for, and Picamera2 hands on completed requests only: whoever waits for one waits for ever, and
`stop` waits behind it, unless all is cancelled first. Rows come with padding.
"""

import atexit
import threading
import time
from concurrent.futures import CancelledError
from typing import Any

import numpy as np

CONTROLS = (
    "AfMode",
    "AfTrigger",
    "LensPosition",
    "AeEnable",
    "ExposureTime",
    "AnalogueGain",
    "AwbEnable",
    "ColourGains",
)
FULL = (96, 64)
PI = {"Id": "/base/soc/i2c0mux/i2c@1/imx708@1a", "Model": "imx708_wide", "Num": 0}
WEBCAM = {"Id": "/base/scb/pcie@7d500000/pci@0,0/usb@0,0-1.2:1.0-046d:0825", "Model": "HD Webcam", "Num": 1}
EVER = 60.0


class Libcamera:
    """The library of a machine: called, it is the class Picamera2; told what goes wrong."""

    def __init__(self, *cameras: dict[str, Any], controls: tuple[str, ...] = CONTROLS, size: Any = FULL) -> None:
        self.cameras = list(cameras) or [PI]
        self.controls = controls
        self.fails: set[str] = set()  # configure, start, main, lores, release, close
        self.hangs: set[str] = set()  # main, lores, release, stop, close
        self.stalls = False
        self.listens = True  # the library's own thread, which does what it is asked
        self.first_seconds = 0.0  # until the first picture comes
        self.stalls_after: int | None = None  # pictures
        self.at_exit = False  # it closes what is open as the program ends, as the library does
        self.lives = False  # with the noise of a sensor
        self.restless, self.focuses = False, True
        self.freed = threading.Event()  # what hangs ends
        self.opened: Picamera2 | None = None
        self.openings: list[int] = []
        self.calls: list[str] = []
        self.set: dict[str, Any] = {}
        self.configuration: Any = None
        self.out = 0
        self.number = 0
        self.exposed_at: int | None = None  # nanoseconds, of every picture
        width, height = size
        grey = np.full((height * 3 // 2, width + 32), 16, np.uint8)  # brightness, colours below it, and a stride
        grey[:height, :width] = 120
        colours = np.zeros((height, width + 32, 3), np.uint8)
        colours[:, :width] = (10, 120, 240)
        self.arrays: dict[str, Any] = {"lores": grey, "main": colours}

    def global_camera_info(self) -> list[dict[str, Any]]:
        return self.cameras

    def __call__(self, camera_num: int = 0) -> "Picamera2":
        if self.opened is not None:
            raise RuntimeError("Failed to acquire camera: Device or resource busy")
        self.openings.append(self.cameras[camera_num]["Num"])
        self.opened = Picamera2(self)
        return self.opened

    def maybe(self, step: str) -> None:
        """Hang or fail in a step, where told to."""
        if step in self.hangs:
            self.freed.wait(EVER)
        if step in self.fails:
            raise RuntimeError(f"{step}: Invalid argument")


class Request:
    """A completed request: arrays with the padding that the library leaves, and a place among few."""

    def __init__(self, library: Libcamera) -> None:
        self._library = library
        self.released = False

    def make_array(self, name: str) -> Any:
        assert not self.released
        self._library.maybe(name)
        array = self._library.arrays[name]
        if isinstance(array, Exception):
            raise array
        if not self._library.lives:
            return array
        noisy = array.copy()
        noisy[0, 0] = self._library.number % 7
        return noisy

    def get_metadata(self) -> dict[str, Any]:
        return {"SensorTimestamp": self._library.exposed_at}

    def release(self) -> None:
        assert not self.released
        self._library.maybe("release")
        self.released = True
        self._library.out -= 1


class Picamera2:
    """As much of the class as the driver uses."""

    def __init__(self, library: Libcamera) -> None:
        self._library = library
        self.camera_controls = dict.fromkeys(library.controls)
        self._cancelled = threading.Event()
        self._waiting = 0
        self._looks = 0
        self._fresh = True
        if library.at_exit:
            atexit.register(self.close)

    def create_video_configuration(self, **configuration: Any) -> Any:
        return configuration

    def configure(self, configuration: Any) -> None:
        self._library.maybe("configure")
        self._library.configuration = configuration

    def set_controls(self, controls: Any) -> None:
        assert set(controls) <= set(self.camera_controls)
        self._library.set |= controls
        self._looks = 0

    def start(self) -> None:
        self._library.maybe("start")

    def _await(self, wait: float | None) -> None:
        time.sleep(self._library.first_seconds if self._fresh else 0.002)
        self._fresh = False
        last = self._library.stalls_after
        if not self._library.listens:
            self._waiting += 1
            if self._cancelled.wait(EVER if wait is None or wait is True else wait):
                raise CancelledError
            raise TimeoutError
        if not self._library.stalls and (last is None or self._library.number < last):
            return
        self._waiting += 1
        if self._cancelled.wait(EVER if wait is None or wait is True else wait):
            self._waiting -= 1
            raise CancelledError
        raise TimeoutError  # the job is still waited for

    def capture_request(self, wait: float | None = None) -> Any:
        self._await(wait)
        if self._library.out == self._library.configuration["buffer_count"]:
            raise RuntimeError("out of buffers: the library would wait for ever")
        self._library.out += 1
        self._library.number += 1
        return Request(self._library)

    def capture_metadata(self, wait: float | None = None) -> Any:
        self._await(wait)
        library = self._library
        self._looks += 1
        wobble = 1 + (self._looks % 2 if library.restless else max(0, 6 - self._looks)) / 5
        scanning = self._looks < 4
        return {
            "AfState": 1 if scanning else 2 if library.focuses else 3,
            "LensPosition": 0.5 if scanning else 0.82,
            "ExposureTime": round(12_000 * wobble),
            "AnalogueGain": 2.0,
            "ColourGains": (1.8, 1.4),
        }

    def cancel_all_and_flush(self) -> None:
        self._waiting = 0
        self._cancelled.set()

    def stop(self) -> None:
        self._library.calls.append("stop")
        if not self._library.listens:
            self._cancelled.clear()
            if self._cancelled.wait(EVER):
                raise CancelledError
        if self._waiting:
            self._library.freed.wait(EVER)
        self._library.maybe("stop")

    def close(self) -> None:
        self._library.calls.append("close")
        if "stop" in self._library.hangs:  # it joins the thread that hangs
            self._library.freed.wait(EVER)
        self._library.maybe("close")
        assert self._library.opened is self
        self._library.opened = None
