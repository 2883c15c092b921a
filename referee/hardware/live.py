"""A live camera kept alive: a thread takes its frames, a time limit notices silence, and a silent driver is replaced.

Camera drivers stall without an error, return the same picture for ever, or vanish with their cable. So no call into a
driver is trusted to return: it runs in a thread of its own that is left behind when it hangs, and a new driver is
opened after a pause.
"""

import threading
import zlib
from collections.abc import Callable
from typing import Final, Protocol

from referee.errors import CameraError
from referee.hardware.settings import CameraSettings
from referee.ports import Clock
from referee.vision.frame import Frame, Image

_SAMPLE: Final = 16  # every 16th pixel of every 16th row tells whether a frame is the one before


class Driver(Protocol):
    """An opened camera."""

    def read(self) -> Image:
        """Give the next picture; CameraError where there is none."""

    def close(self) -> None:
        """Let the device go."""


class _Taker(threading.Thread):
    """Reads one driver until told to stop; keeps only the newest picture."""

    def __init__(self, open_driver: Callable[[], Driver], clock: Clock) -> None:
        super().__init__(name="referee-camera", daemon=True)
        self._open = open_driver
        self._clock = clock
        self._fresh = threading.Condition()
        self._newest: tuple[float, Image] | None = None
        self._error: CameraError | None = None
        self._left = False

    def run(self) -> None:
        """Open, read and close the driver, all in this thread: any of them may hang."""
        try:
            driver = self._open()
            try:
                while not self._left:
                    self._keep(driver.read())
            finally:
                driver.close()
        except CameraError as error:
            self._fail(error)
        except Exception as error:  # noqa: BLE001 - drivers fail in many ways, and each means: no picture
            self._fail(CameraError(f"the camera's driver failed ({error!r:.80}); restarting it"))

    def _keep(self, image: Image) -> None:
        with self._fresh:
            self._newest = (self._clock.now(), image)
            self._fresh.notify_all()

    def _fail(self, error: CameraError) -> None:
        with self._fresh:
            self._error = error
            self._fresh.notify_all()

    def take(self, seconds: float) -> tuple[float, Image] | None:
        """Give a picture newer than the last one taken, or None if none comes in this time."""
        with self._fresh:
            self._fresh.wait_for(lambda: self._newest is not None or self._error is not None, seconds)
            if self._error is not None:
                raise self._error
            newest, self._newest = self._newest, None
            return newest

    def leave(self) -> None:
        """Let the thread end when its driver lets it."""
        self._left = True


class LiveCamera:
    """A camera that is there whenever its device is."""

    def __init__(self, name: str, open_driver: Callable[[], Driver], settings: CameraSettings, clock: Clock) -> None:
        """Use drivers opened by `open_driver`; the first frame is asked for by the first `capture`."""
        self._name = name
        self._open = open_driver
        self._settings = settings
        self._clock = clock
        self._taker: _Taker | None = None
        self._retry_at = float("-inf")
        self._last_look = float("-inf")
        self._pause = threading.Event()
        self._number = 0
        self._print: int | None = None
        self._changed_at = 0.0

    def capture(self) -> Frame:
        """Give a fresh frame, no sooner than the next look is due; CameraError where the camera is silent or frozen."""
        self._pause.wait(max(0.0, self._last_look + 1 / self._settings.looks_per_second - self._clock.now()))
        self._last_look = self._clock.now()
        if self._taker is None:
            self._pause.wait(max(0.0, self._retry_at - self._clock.now()))
            self._taker = _Taker(self._open, self._clock)
            self._taker.start()
            self._print = None
        try:
            taken = self._taker.take(self._settings.limit_seconds)
        except CameraError:
            self._give_up()
            raise
        if taken is None:
            self._give_up()
            raise CameraError(f"camera {self._name} is silent for {self._settings.limit_seconds:g} s; restarting it")
        at, image = taken
        self._notice_freeze(at, image)
        self._number += 1
        return Frame(f"{self._name}-{self._number:07d}", at, image)

    def _notice_freeze(self, at: float, image: Image) -> None:
        """A living sensor is never without noise: pictures equal to the bit come from a driver that stands."""
        seen = zlib.crc32(image[::_SAMPLE, ::_SAMPLE].tobytes())
        if seen != self._print:
            self._print, self._changed_at = seen, at
        elif at - self._changed_at >= self._settings.limit_seconds:
            self._give_up()
            raise CameraError(f"camera {self._name} shows the same picture again and again; restarting it")

    def _give_up(self) -> None:
        if self._taker is not None:
            self._taker.leave()
        self._taker = None
        self._retry_at = self._clock.now() + self._settings.retry_seconds

    def close(self) -> None:
        """Let the device go, without waiting for a driver that hangs."""
        self._pause.set()
        if self._taker is not None:
            self._taker.leave()
            self._taker.join(self._settings.limit_seconds)
            self._taker = None
