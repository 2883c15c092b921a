"""A live camera with a watchdog: a thread reads frames, and a driver that exceeds the time limit is replaced.

Camera drivers stall without an error, repeat the same picture forever, or vanish with their cable. So no call to a
driver is trusted to return: it runs in its own thread. A hanging driver gets a few seconds to release its
device, for most devices can be open only once; then it is abandoned and a new one is opened. A black picture
counts as none, but is no fault of the driver. Nor is one of another shape than before, which comes from another camera
or a turned one; it is told until the old shape is back, or the camera is settled anew.
"""

import logging
import re
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from referee.errors import CameraError
from referee.hardware.driver import AgedPicture, Driver, HeldPicture
from referee.hardware.picture_check import PictureCheck, Sight
from referee.hardware.ports import Clock
from referee.log_limit import LogLimit
from referee.rules.wording import say
from referee.settings.hardware import CameraSettings
from referee.vision.image.frame import Frame, Image
from referee.vision.profile import LockedControls

log = logging.getLogger("referee")
_MAX_BLACK_TIME_LIMITS: Final = 15  # time limits of the same black picture, after which the driver may be dead
_CALL_TIMEOUT_SECONDS: Final = 1.5  # for a driver to copy, release or close; less than systemd allows to stop
_RELEASE_TIMEOUT_SECONDS: Final = 5.0  # for a driver to release its device in play
_SPARING_INTERVAL_FACTOR: Final = 2.0  # longer interval between frames on a throttled machine
_SETTLE_TIMEOUT_SECONDS: Final = 20.0  # more than any driver takes to find focus and exposure
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, eq=False)
class _Arrival:
    """A picture as the driver gave it: when it arrived, and how old it was then."""

    at: float
    picture: Image | HeldPicture
    age: float = 0.0

    @property
    def small(self) -> Image:
        """Return the picture, or the small copy of one in the driver's memory."""
        return self.picture if isinstance(self.picture, np.ndarray) else self.picture.small

    def drop(self) -> None:
        """Release the driver's memory."""
        if not isinstance(self.picture, np.ndarray):
            self.picture.drop()


class _DriverThread(threading.Thread):
    """Reads one driver until stopped; keeps the newest picture and the last one taken."""

    def __init__(self, camera: str, open_driver: Callable[[], Driver], clock: Clock) -> None:
        super().__init__(name="referee-camera", daemon=True)
        self._camera = camera
        self._open = open_driver
        self._clock = clock
        self._new_picture = threading.Condition()
        self._newest: _Arrival | None = None
        self._taken: _Arrival | None = None
        self._error: CameraError | None = None
        self._left = False
        self._wish: Future[LockedControls] | None = None
        self.begun = False
        """Whether it has given a picture."""

    def run(self) -> None:
        """Open, read and close the driver on this thread, for each call may hang."""
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
        for release in (self._drop_newest, driver.close):
            try:
                release()
            except Exception as error:  # noqa: BLE001 - as above
                self._fail(error)

    @property
    def settling(self) -> bool:
        """Whether the driver is settling and gives no pictures."""
        return self._wish is not None

    def settle(self) -> LockedControls:
        """Settle on the driver's thread; CameraError if that fails."""
        with self._new_picture:
            wish = self._wish = self._wish or Future()
        try:
            return wish.result(_SETTLE_TIMEOUT_SECONDS)
        except TimeoutError:
            raise CameraError(
                f"focus and light are not found within {_SETTLE_TIMEOUT_SECONDS:g} s; try again"
            ) from None

    def _settle(self, driver: Driver, wish: "Future[LockedControls]") -> None:
        """Settle and resolve the future; after an error a new driver restores the old locks."""
        self._drop_newest()
        try:
            wish.set_result(driver.settle())
        except Exception as error:
            wish.set_exception(error if isinstance(error, CameraError) else CameraError(f"{error!s:.80}; try again"))
            raise

    def _keep(self, read: Image | HeldPicture | AgedPicture) -> None:
        picture, age = (read.picture, read.age) if isinstance(read, AgedPicture) else (read, 0.0)
        with self._new_picture:
            older, self._newest = self._newest, _Arrival(self._clock.now(), picture, age)
            self.begun = True
            self._new_picture.notify_all()
        if older is not None:
            older.drop()

    def _drop_newest(self) -> None:
        with self._new_picture:
            newest, self._newest = self._newest, None
        if newest is not None:
            newest.drop()

    def _fail(self, error: Exception) -> CameraError:
        """Hand the first error to `take`, and return it."""
        if not isinstance(error, CameraError):
            error = CameraError(f"the camera's driver failed ({error!r:.80}); restarting it")
        with self._new_picture:
            self._error = self._error or error
            self._new_picture.notify_all()
            return self._error

    def take(self, seconds: float) -> _Arrival | None:
        """Return a picture newer than the last one taken, which is released; None after `seconds`."""
        self._release_taken()
        with self._new_picture:
            self._new_picture.wait_for(lambda: self._newest is not None or self._error is not None, seconds)
            if self._error is not None:
                raise self._error
            if self._newest is None:
                return None
            self._taken, self._newest = self._newest, None
            return self._taken

    def fetch(self, picture: HeldPicture) -> Image:
        """Return the full picture; CameraError, also from the next `take`, if the driver cannot hand it over."""
        return self._ask(picture.full)

    def _release_taken(self) -> None:
        taken, self._taken = self._taken, None
        if taken is not None and not isinstance(taken.picture, np.ndarray):
            with suppress(CameraError):  # which `take` raises
                self._ask(taken.drop)

    def _ask(self, call: Callable[[], _T]) -> _T:
        """Return what a call to the driver gives; CameraError if it fails or hangs, also from the next `take`."""
        answer: Future[_T] = Future()

        def run() -> None:
            try:
                answer.set_result(call())
            except Exception as error:  # noqa: BLE001 - as in `run`
                answer.set_exception(error)

        threading.Thread(target=run, name="referee-picture", daemon=True).start()
        if not wait((answer,), _CALL_TIMEOUT_SECONDS).done:
            raise self._fail(CameraError(_silence(self._camera, _CALL_TIMEOUT_SECONDS)))
        try:
            return answer.result()
        except Exception as error:  # noqa: BLE001 - as in `run`
            raise self._fail(error) from None

    def leave(self) -> None:
        """Release the picture taken, and let the thread end once its driver returns."""
        self._release_taken()
        self._left = True


class LiveCamera:
    """A camera that replaces failed drivers and reconnects."""

    def __init__(
        self,
        name: str,
        open_driver: Callable[[], Driver],
        settings: CameraSettings,
        clock: Clock,
        *,
        delay_seconds: float = 0.0,
    ) -> None:
        """Use drivers from `open_driver`, whose pictures arrive so late; the first `capture` opens one."""
        self._name = name
        self._prefix = re.sub(r"[^\w:.]+", "-", name)  # of frames, whose names end up in files
        self._open = open_driver
        self._settings = settings
        self._clock = clock
        self.delay_seconds = delay_seconds
        """How late its pictures arrive."""
        self._exposed_at = float("-inf")
        self.sparing = False
        """Whether to look half as often: the machine is short of power, or hot."""
        self.watches_table = True
        """Whether it shows one table; a board that is held before it for the lens changes the whole picture."""
        self._taker: _DriverThread | None = None
        self._leaving: _DriverThread | None = None
        self._gave_up_at = self._retry_at = float("-inf")
        self._last_look = float("-inf")
        self._pause = threading.Event()
        self._number = 0
        self._log_limit = LogLimit()
        self._check = PictureCheck()
        self._sight = Sight.NEW
        self._changed_at = self._still_since = 0.0

    def capture(self) -> Frame:
        """Return a new frame, not before the next one is due; CameraError if there is none.

        This releases the previous frame's driver memory: fetch its full picture before. If a full picture cannot be
        fetched, that raises CameraError, as does the next `capture`, which replaces the driver.
        """
        try:
            frame = self._next_frame()
        except CameraError as error:
            if self._log_limit.may_log(str(error), self._clock.now()):
                log.warning("%s", error)
            raise
        if self._log_limit.end():
            log.info("camera %s is back", self._name)
        return frame

    def settle(self) -> LockedControls:
        """Measure and lock focus, exposure and white balance again, while the capturing thread gets no frames.

        CameraError if the camera is missing or does not settle; then the old locks are restored.
        """
        taker = self._taker
        if taker is None or not taker.begun:
            message = say(
                "light.no_picture",
                "camera {camera} gives no picture now; look at its cable, then try again",
                camera=self._name,
            )
            raise CameraError(message)
        locked = taker.settle()
        self._check = PictureCheck()
        return locked

    def _next_frame(self) -> Frame:
        """Return the next new picture of the known shape; CameraError if there is none."""
        seconds = (_SPARING_INTERVAL_FACTOR if self.sparing else 1.0) / self._settings.looks_per_second
        while True:
            self._pause.wait(max(0.0, self._last_look + seconds - self._clock.now()))
            self._last_look = self._clock.now()
            taker, arrival = self._next_picture()
            if self._is_look(arrival.at, arrival.small):
                break
        self._number += 1
        self._exposed_at = max(self._exposed_at, arrival.at - arrival.age - self.delay_seconds)
        picture = arrival.picture
        image = picture if isinstance(picture, np.ndarray) else lambda: taker.fetch(picture)
        name = f"{self._prefix}-{self._number:07d}"
        return Frame(name, self._exposed_at, image, arrival.small, arrived=arrival.at)

    def _next_picture(self) -> tuple[_DriverThread, _Arrival]:
        if self._taker is None:
            self._pause.wait(max(0.0, self._retry_at - self._clock.now()))
            if self._leaving is not None:
                self._leaving.join(max(0.0, self._gave_up_at + _RELEASE_TIMEOUT_SECONDS - self._clock.now()))
            self._taker = _DriverThread(self._name, self._open, self._clock)
            self._taker.start()
        taker = self._taker
        limit = self._settings.limit_seconds if taker.begun else self._settings.first_seconds
        try:
            taken = taker.take(limit)
            if taken is None:
                taken = taker.take(_SETTLE_TIMEOUT_SECONDS if taker.settling else 0.0)
        except CameraError:
            self._replace_driver()
            raise
        if taken is None:
            self._replace_driver()
            raise CameraError(_silence(self._name, limit))
        return taker, taken

    def _is_look(self, at: float, image: Image) -> bool:
        """Return whether a picture is a look; CameraError if it is black, repeated for long, or of another shape.

        A new driver with the old picture is stalled too. Darkness alone does not replace the driver, unless it lasts.
        The first picture of another shape may be a mistake, for hands move over the table.
        """
        sight = self._check.check(image)
        first = sight is not self._sight
        if sight is not Sight.EQUAL:
            self._changed_at, self._sight = at, sight
        same_for = at - self._changed_at
        if self._sight is Sight.BLACK:
            if same_for >= _MAX_BLACK_TIME_LIMITS * self._settings.limit_seconds:
                self._replace_driver()
            raise CameraError(f"camera {self._name} shows black; switch the lamp on, take the cap off the lens")
        if same_for >= self._settings.limit_seconds:
            self._replace_driver()
            raise CameraError(f"camera {self._name} shows the same picture again and again; restarting it")
        if sight is Sight.RESHAPED and not self.watches_table:
            return True
        if sight is Sight.RESHAPED and not first:
            raise CameraError(
                f"camera {self._name} was turned or mirrored, or has another format; set it as it was, or calibrate"
            )
        return sight is Sight.NEW or (sight is Sight.REPEATED and self._is_still(at, first=first))

    def _is_still(self, at: float, *, first: bool) -> bool:
        """Return whether pictures without noise have come for so long that this camera has none."""
        self._still_since = at if first else self._still_since
        if at - self._still_since < self._settings.limit_seconds:
            return False
        self._check.accept_stillness()
        return True

    def _replace_driver(self) -> None:
        if self._taker is not None:
            self._taker.leave()
        self._leaving, self._taker = self._taker, None
        self._gave_up_at = self._clock.now()
        self._retry_at = self._gave_up_at + self._settings.retry_seconds

    def close(self) -> None:
        """Release the device without waiting for a hanging driver."""
        self._pause.set()
        if self._taker is not None:
            self._taker.leave()
            self._taker.join(_CALL_TIMEOUT_SECONDS)
            self._taker = None


def _silence(camera: str, seconds: float) -> str:
    return f"camera {camera} is silent for {seconds:g} s; restarting it"
