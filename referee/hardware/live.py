"""A live camera kept alive: a thread takes its frames, a time limit notices silence, and a silent driver is replaced.

Camera drivers stall without an error, return the same picture for ever, or vanish with their cable. So no call into a
driver is trusted to return: it runs in a thread of its own. A driver that hangs is given a few seconds to let its
device go, for most devices are open once at a time; then it is left behind, and a new one is opened. A picture in which
nothing can be seen counts as none, but is no fault of the driver.
"""

import logging
import re
import threading
import zlib
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, Protocol

import numpy as np

from referee.errors import CameraError
from referee.hardware.settings import CameraSettings
from referee.ports import Clock
from referee.vision.image.frame import Frame, Image
from referee.vision.profile import LockedControls

log = logging.getLogger("referee")
_FINGERPRINT_WIDTH: Final = 144  # pixels across, to detect a repeated frame
_MAX_BLACK_LEVEL: Final = 20  # grey levels: in a darker picture no tile can be read
_MAX_BLACK_LIMITS: Final = 15  # time limits of the same black picture, after which the driver may be dead
_LEAVE_SECONDS: Final = 1.5  # for a hanging driver; less than systemd allows a stopping service
_FREE_SECONDS: Final = 5.0  # for a driver to release its device in play
_CALM_SECONDS: Final = 600.0  # within which a recurring fault is reported again only if it persists
_LASTS_SECONDS: Final = 60.0
_SPARING_INTERVAL_FACTOR: Final = 2.0  # longer interval between frames on a throttled machine
_SETTLE_SECONDS: Final = 20.0  # more than any driver takes to find focus and exposure


class HeldPicture(Protocol):
    """A picture still in the driver's memory: small at once, whole on request."""

    @property
    def small(self) -> Image:
        """Return the picture with few pixels."""

    def full(self) -> Image:
        """Return the whole picture; after `drop` the small one, enlarged."""

    def drop(self) -> None:
        """Release the driver's memory; a second call does nothing."""


class Driver(Protocol):
    """An opened camera, whose focus and light can be locked."""

    def read(self) -> Image | HeldPicture:
        """Return the next picture; CameraError where there is none."""

    def settle(self, keep: LockedControls | None = None) -> LockedControls:
        """Find focus and light, lock them and give what they are; a focus that `keep` knows is kept."""

    def close(self) -> None:
        """Release the device."""


class _Taker(threading.Thread):
    """Reads one driver until told to stop; keeps only the newest picture."""

    def __init__(self, open_driver: Callable[[], Driver], clock: Clock) -> None:
        super().__init__(name="referee-camera", daemon=True)
        self._open = open_driver
        self._clock = clock
        self._fresh = threading.Condition()  # may be taken twice by one thread
        self._newest: tuple[float, Image | HeldPicture] | None = None
        self._error: CameraError | None = None
        self._left = False
        self._wish: Future[LockedControls] | None = None
        self.begun = False
        """Whether it has given a picture."""

    def run(self) -> None:
        """Open, read and close the driver, all in this thread: any of them may hang."""
        try:
            driver = self._open()
        except Exception as error:  # noqa: BLE001 - drivers fail in many ways, and each means: no picture
            self._fail(error)
            return
        try:
            while not self._left:
                wish = self._wish
                if wish is not None:
                    self._settle(driver, wish)
                self._keep(driver.read())
                self._wish = None if wish is self._wish else self._wish
        except Exception as error:  # noqa: BLE001 - as above
            self._fail(error)
        try:
            self._drop_newest()
            driver.close()
        except Exception as error:  # noqa: BLE001 - as above
            self._fail(error)

    @property
    def settling(self) -> bool:
        """Whether it looks for focus and light, and gives no pictures meanwhile."""
        return self._wish is not None

    def settle(self) -> LockedControls:
        """Have focus and light found in the thread that has the driver; CameraError where they are not."""
        with self._fresh:
            wish = self._wish = self._wish or Future()
        try:
            return wish.result(_SETTLE_SECONDS)
        except TimeoutError:
            raise CameraError(f"focus and light are not found within {_SETTLE_SECONDS:g} s; try again") from None

    def _settle(self, driver: Driver, wish: "Future[LockedControls]") -> None:
        """Answer a wish; who fails is left, for a new driver locks again what was locked before."""
        self._drop_newest()
        try:
            wish.set_result(driver.settle())
        except Exception as error:
            wish.set_exception(error if isinstance(error, CameraError) else CameraError(f"{error!s:.80}; try again"))
            raise

    def _keep(self, picture: Image | HeldPicture) -> None:
        with self._fresh:
            self._drop_newest()
            self._newest = (self._clock.now(), picture)
            self.begun = True
            self._fresh.notify_all()

    def _drop_newest(self) -> None:
        with self._fresh:
            if self._newest is not None:
                _drop(self._newest[1])
            self._newest = None

    def _fail(self, error: Exception) -> None:
        if not isinstance(error, CameraError):
            error = CameraError(f"the camera's driver failed ({error!r:.80}); restarting it")
        with self._fresh:
            self._error = error
            self._fresh.notify_all()

    def take(self, seconds: float) -> tuple[float, Image | HeldPicture] | None:
        """Return a picture newer than the last one taken, or None if none comes in this time."""
        with self._fresh:
            self._fresh.wait_for(lambda: self._newest is not None or self._error is not None, seconds)
            if self._error is not None:
                raise self._error
            newest, self._newest = self._newest, None
            return newest

    def leave(self) -> None:
        """Let the thread end once its driver returns."""
        self._left = True


class LiveCamera:
    """A camera that restarts its driver and reconnects by itself."""

    def __init__(self, name: str, open_driver: Callable[[], Driver], settings: CameraSettings, clock: Clock) -> None:
        """Use drivers opened by `open_driver`; the first frame is asked for by the first `capture`."""
        self._name = name
        self._prefix = re.sub(r"[^\w:.]+", "-", name)  # of frames, whose names end up in files
        self._open = open_driver
        self._settings = settings
        self._clock = clock
        self.sparing = False
        """Whether to look half as often: the machine is short of power, or hot."""
        self._taker: _Taker | None = None
        self._leaving: _Taker | None = None
        self._gave_up_at = self._retry_at = float("-inf")
        self._last_look = float("-inf")
        self._pause = threading.Event()
        self._number = 0
        self._held: Image | HeldPicture | None = None
        self._lost_at: float | None = None
        self._said: set[str] = set()  # since it was lost
        self._said_at: dict[str, float] = {}
        self._print: int | None = None
        self._changed_at = 0.0

    def capture(self) -> Frame:
        """Return a fresh frame, no sooner than the next look is due; CameraError where there is none.

        The frame before releases its driver's memory: fetch it whole before.
        """
        seconds = (_SPARING_INTERVAL_FACTOR if self.sparing else 1.0) / self._settings.looks_per_second
        self._pause.wait(max(0.0, self._last_look + seconds - self._clock.now()))
        self._last_look = self._clock.now()
        try:
            frame = self._next_frame()
        except CameraError as error:
            self._say_once(str(error))
            raise
        if self._said:
            log.info("camera %s is back", self._name)
        self._lost_at, self._said = None, set()
        return frame

    def settle(self) -> LockedControls:
        """Find focus and light anew and lock them, beside the thread that captures and gets no frame meanwhile.

        CameraError where the camera is not there, or finds none: then what was locked before is locked again.
        """
        taker = self._taker
        if taker is None or not taker.begun:
            raise CameraError(f"camera {self._name} gives no picture now; look at its cable, then try again")
        return taker.settle()

    def _say_once(self, trouble: str) -> None:
        """Log a fault once while it lasts, and seldom where it comes and goes: the log is on a card that wears out."""
        now = self._clock.now()
        self._lost_at = now if self._lost_at is None else self._lost_at
        calm = now - self._said_at.get(trouble, float("-inf")) >= _CALM_SECONDS
        if trouble not in self._said and (calm or now - self._lost_at >= _LASTS_SECONDS):
            self._said.add(trouble)
            self._said_at[trouble] = now
            log.warning("%s", trouble)

    def _next_frame(self) -> Frame:
        _drop(self._held)
        self._held = None
        if self._taker is None:
            self._pause.wait(max(0.0, self._retry_at - self._clock.now()))
            if self._leaving is not None:
                self._leaving.join(max(0.0, self._gave_up_at + _FREE_SECONDS - self._clock.now()))
            self._taker = _Taker(self._open, self._clock)
            self._taker.start()
        limit = self._settings.limit_seconds if self._taker.begun else self._settings.first_seconds
        try:
            taken = self._taker.take(limit)
            if taken is None:
                taken = self._taker.take(_SETTLE_SECONDS if self._taker.settling else 0.0)
        except CameraError:
            self._give_up()
            raise
        if taken is None:
            self._give_up()
            raise CameraError(f"camera {self._name} is silent for {limit:g} s; restarting it")
        at, held = taken
        self._held = held
        small = held if isinstance(held, np.ndarray) else held.small
        self._judge(at, small)
        self._number += 1
        return Frame(
            f"{self._prefix}-{self._number:07d}", at, held if isinstance(held, np.ndarray) else held.full, small
        )

    def _judge(self, at: float, image: Image) -> None:
        """Raise CameraError where there is nothing to be seen, or nothing new.

        A living sensor is never without noise: pictures equal to the bit come from a driver that stands, or from the
        dark. A new driver that shows the old picture still stands. The dark passes without a new driver, unless it
        lasts.
        """
        step = max(1, image.shape[1] // _FINGERPRINT_WIDTH)
        samples = image[::step, ::step]
        seen = zlib.crc32(samples.tobytes())
        if seen != self._print:
            self._print, self._changed_at = seen, at
        same_for = at - self._changed_at
        if np.percentile(samples, 99) < _MAX_BLACK_LEVEL:
            if same_for >= _MAX_BLACK_LIMITS * self._settings.limit_seconds:
                self._give_up()
            raise CameraError(f"camera {self._name} shows black; switch the lamp on, take the cap off the lens")
        if same_for >= self._settings.limit_seconds:
            self._give_up()
            raise CameraError(f"camera {self._name} shows the same picture again and again; restarting it")

    def _give_up(self) -> None:
        if self._taker is not None:
            self._taker.leave()
        self._leaving, self._taker = self._taker, None
        self._gave_up_at = self._clock.now()
        self._retry_at = self._gave_up_at + self._settings.retry_seconds

    def close(self) -> None:
        """Release the device, without waiting for a driver that hangs."""
        self._pause.set()
        _drop(self._held)
        if self._taker is not None:
            self._taker.leave()
            self._taker.join(_LEAVE_SECONDS)
            self._taker = None


def _drop(picture: Image | HeldPicture | None) -> None:
    if picture is not None and not isinstance(picture, np.ndarray):
        picture.drop()
