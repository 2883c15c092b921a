"""The Raspberry Pi camera through Picamera2, which Raspberry Pi OS brings (python3-picamera2); kept thin.

It runs two streams: a small one that costs nothing, enough to see whether something moves, and the whole picture, which
is copied out of the driver's memory only where somebody asks for it. Names of controls and what they mean:
libcamera's control_ids_core.yaml and "The Picamera2 Library", Raspberry Pi Ltd.
"""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, Final
from weakref import WeakSet

import cv2
import numpy as np

from referee.errors import CameraError, CameraHeldError
from referee.hardware.attached import pi_camera_index, picamera2
from referee.hardware.health import contiguous_megabytes
from referee.hardware.light import in_step_with_lamps, is_steady
from referee.hardware.settings import CameraSettings
from referee.vision.image.frame import Image
from referee.vision.profile import LockedControls

_SMALL_WIDTH: Final = 640
_BUFFERS: Final = 4  # one being filled, one newest, one held by the frame in use, one to spare
_LONGEST_MICROSECONDS: Final = 100_000
_AF_MANUAL, _AF_AUTO, _AF_START = 0, 1, 0  # AfModeEnum, AfTriggerEnum
_AF_FOCUSED, _AF_FAILED = 2, 3  # AfStateEnum
_SETTLE_SECONDS: Final = 6.0
_FREE_SECONDS: Final = 5.0
_SYSTEMS: Final = Path("/usr/lib/python3/dist-packages/picamera2")
_HOLDS: Final = (
    "this process holds the Pi camera and cannot close it; start the referee anew, and if that is not enough the Pi"
)


class _Hold:
    """The drivers that have a Pi camera open; libcamera lends it to one at a time, also within a process."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open: WeakSet[PicameraDriver] = WeakSet()
        self._stuck: list[PicameraDriver] = []

    def is_free(self) -> bool:
        return not self._open and not self._stuck

    def take(self, driver: "PicameraDriver") -> None:
        with self._changed:
            if not self._changed.wait_for(self.is_free, _FREE_SECONDS):
                raise CameraHeldError(_HOLDS)
            self._open.add(driver)

    def give_back(self, driver: "PicameraDriver", *, closed: bool) -> None:
        with self._changed:
            if not closed:
                self._stuck.append(driver)
            self._open.discard(driver)
            self._changed.notify_all()


_HOLD: Final = _Hold()


class PicameraDriver:
    """One started Pi camera; a process has one at a time, and opens none before that is closed."""

    def __init__(
        self, settings: CameraSettings, locked: LockedControls | None = None, make: Callable[[], Any] | None = None
    ) -> None:
        """Start it at the size that is set, focus and light as they were locked; CameraError where there is none.

        CameraHeldError where this process still holds one that it could not close. `make` stands in for Picamera2.
        """
        self._size = (settings.width, settings.height)
        self._small = _small_size(self._size)
        self._settings = settings
        self._fresh = True
        self._camera: Any = None
        _HOLD.take(self)
        try:
            self._camera = (make or _pi_camera)()
            self._start(locked)
        except CameraError:
            self.close()
            raise
        except Exception as error:  # noqa: BLE001 - whatever failed, it is closed, or nobody can open it again
            why = f"{error!s:.80}"
        else:
            return
        self.close()  # with nothing left that refers to the error: a camera half made is closed when it is forgotten
        raise CameraError(
            f"the Pi camera cannot be started ({why}); {too_large(settings) or 'check its cable with rpicam-hello'}"
        )

    def _start(self, locked: LockedControls | None) -> None:
        between = min(_LONGEST_MICROSECONDS, round(1e6 / (2 * self._settings.looks_per_second)))
        configuration = self._camera.create_video_configuration(
            main={"size": self._size, "format": "RGB888"},  # in memory its bytes lie as OpenCV's BGR
            lores={"size": self._small, "format": "YUV420"},  # the one format that every Pi has for it
            controls={"FrameDurationLimits": (between, between)},
            buffer_count=_BUFFERS,
        )
        self._camera.configure(configuration)
        if locked:
            self._camera.set_controls(_controls_of(locked, self._camera.camera_controls))
        self._camera.start()

    def read(self) -> "PicameraShot":
        """Return the next picture; the first is fetched whole, so that an impossible size fails at once."""
        request = self._await(self._camera.capture_request)
        if self._fresh:
            try:
                _colours(_array(request, "main"), self._size)
            except CameraError:
                request.release()
                raise
        self._fresh = False
        return PicameraShot(request, self._size, self._small)

    def _await(self, ask: Callable[..., Any]) -> Any:
        """Return what the camera gives in time; a stalled request is cancelled, or Picamera2 waits for ever."""
        seconds = self._settings.first_seconds if self._fresh else self._settings.limit_seconds
        try:
            given = ask(wait=seconds)
        except (TimeoutError, CancelledError):
            raise CameraError(f"camera picamera is silent for {seconds:g} s; restarting it") from None
        except Exception as error:  # noqa: BLE001 - the library fails in many ways
            raise CameraError(f"the Pi camera gives no picture ({error!s:.80}); restarting it") from None
        if given is None:
            raise CameraError("the Pi camera gives no picture; restarting it")
        return given

    def settle(self, keep: LockedControls | None = None) -> LockedControls:
        """Let the camera find focus, exposure and white balance, lock them, and give what they are.

        A focus that `keep` knows is kept. Raises CameraError where it cannot focus on what it sees.
        """
        try:
            focus = keep.focus if keep else None
            if "LensPosition" in self._camera.camera_controls and focus is None:
                focus = self._find_focus()
            light = self._find_light()
            exposure, gain = in_step_with_lamps(
                light["ExposureTime"], light["AnalogueGain"], self._settings.mains_hertz
            )
            locked = LockedControls(
                focus=focus, exposure=exposure, gain=gain, white=tuple(map(float, light["ColourGains"]))
            )
            self._camera.set_controls(_controls_of(locked, self._camera.camera_controls))
        except (RuntimeError, OSError, ValueError, KeyError) as error:
            raise CameraError(f"the Pi camera's light cannot be set ({error!r:.80}); try again") from None
        return locked

    def _find_focus(self) -> float:
        self._camera.set_controls({"AfMode": _AF_AUTO, "AfTrigger": _AF_START})
        found = self._watch(lambda seen: seen.get("AfState") in {_AF_FOCUSED, _AF_FAILED})
        if found is None or found["AfState"] != _AF_FOCUSED:
            raise CameraError("the Pi camera finds no focus; lay some tiles on the table, add light, try again")
        return float(found["LensPosition"])

    def _find_light(self) -> Mapping[str, Any]:
        self._camera.set_controls({"AeEnable": True, "AwbEnable": True})
        looks: list[tuple[float, ...]] = []

        def steady(seen: Mapping[str, Any]) -> bool:
            looks.append((seen["ExposureTime"] * seen["AnalogueGain"], *seen["ColourGains"]))
            return is_steady(looks)

        found = self._watch(steady)
        if found is None:
            raise CameraError("the light does not come to rest; switch off lamps that flicker or dim, try again")
        return found

    def _watch(self, done: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any] | None:
        """Return what the camera says of itself once it is so; None if that takes too long."""
        until = monotonic() + _SETTLE_SECONDS
        while monotonic() < until:
            seen: Mapping[str, Any] = self._await(self._camera.capture_metadata)
            if done(seen):
                return seen
        return None

    def close(self) -> None:
        """Stop it and let it go; CameraHeldError where it cannot be closed.

        What was asked for is cancelled first, or `stop` would wait behind it. A second call does nothing.
        """
        camera, self._camera = self._camera, None
        if camera is not None:
            for step in ("cancel_all_and_flush", "stop"):
                with suppress(Exception):  # it is closed all the same
                    getattr(camera, step)()
            try:
                camera.close()
            except Exception as error:  # noqa: BLE001 - as above
                _HOLD.give_back(self, closed=False)
                raise CameraHeldError(f"{_HOLDS} ({error!s:.80})") from None
        _HOLD.give_back(self, closed=True)


class PicameraShot:
    """A picture in the driver's memory, which holds only a few."""

    def __init__(self, request: Any, size: tuple[int, int], small: tuple[int, int]) -> None:
        """Take the small picture out at once."""
        self._request = request
        self._size = size
        self._lock = threading.Lock()
        self._full: Image | None = None
        try:
            self.small = _luma(_array(request, "lores"), small)
        except CameraError:
            self.drop()
            raise

    def full(self) -> Image:
        """Return the whole picture without padding; after `drop`, the small one enlarged."""
        with self._lock:
            if self._full is None and self._request is not None:
                self._full = _colours(_array(self._request, "main"), self._size)
            if self._full is None:
                return np.asarray(cv2.resize(self.small, self._size), np.uint8)
            return self._full

    def drop(self) -> None:
        """Release the memory."""
        with self._lock:
            request, self._request = self._request, None
            if request is not None:
                request.release()


def _small_size(size: tuple[int, int]) -> tuple[int, int]:
    """Return the small stream: of the same shape, even sides, never larger than the whole."""
    width = min(_SMALL_WIDTH, size[0]) // 2 * 2
    return (width, round(width * size[1] / size[0] / 2) * 2)


def _array(request: Any, stream: str) -> Any:
    try:
        return request.make_array(stream)
    except Exception as error:  # noqa: BLE001 - unexpected rows and strides
        raise CameraError(f"the Pi camera gives pictures that cannot be read ({error!s:.80}); restarting it") from None


def _luma(array: Any, size: tuple[int, int]) -> Image:
    """Return the brightness of a YUV420 picture, which comes as rows of any stride with the colours below them."""
    width, height = size
    if array is None or array.ndim != 2 or array.shape[0] < height or array.shape[1] < width:
        raise _odd(array, f"{height} × {width}")
    grey = np.asarray(array[:height, :width], np.uint8)
    return np.repeat(grey[:, :, None], 3, axis=2)


def _colours(array: Any, size: tuple[int, int]) -> Image:
    width, height = size
    if array is None or array.ndim != 3 or array.shape[0] < height or array.shape[1] < width or array.shape[2] < 3:
        raise _odd(array, f"{height} × {width} × 3")
    return np.ascontiguousarray(array[:height, :width, :3], np.uint8)


def _odd(array: Any, wanted: str) -> CameraError:
    shape = None if array is None else array.shape
    return CameraError(f"the Pi camera gives pictures of {shape}, not {wanted}; set a size that it has under [camera]")


def _controls_of(locked: LockedControls, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the controls that keep what was locked, as far as this camera knows them."""
    controls: dict[str, Any] = {}
    if locked.focus is not None:
        controls |= {"AfMode": _AF_MANUAL, "LensPosition": locked.focus}
    if locked.exposure is not None:
        controls |= {"AeEnable": False, "ExposureTime": round(locked.exposure), "AnalogueGain": locked.gain or 1.0}
    if locked.white:
        controls |= {"AwbEnable": False, "ColourGains": locked.white}
    return {name: value for name, value in controls.items() if name in known}


def _pi_camera() -> Any:
    library = picamera2()
    if library is None:
        if _SYSTEMS.exists():
            raise CameraError("this environment cannot see the system's Picamera2; rebuild it: make clean demo")
        raise CameraError(
            "Picamera2 is not installed; on Raspberry Pi OS: sudo apt install python3-picamera2, then make clean demo"
        )
    index = pi_camera_index(library)
    if index is None:
        raise CameraError("no Pi camera is attached; check its cable with rpicam-hello --list-cameras")
    return library(index)


def needed_megabytes(width: int, height: int) -> float:
    """Return the contiguous memory that pictures of this size take, in MB: in colour, small, and raw."""
    small = _small_size((width, height))
    return _BUFFERS * (width * height * (3 + 2) + small[0] * small[1] * 1.5) / 1e6


def too_large(settings: CameraSettings) -> str | None:
    """Return a warning where pictures of this size exceed this Pi's contiguous memory; None where they fit."""
    needed, there = needed_megabytes(settings.width, settings.height), contiguous_megabytes()
    if there is None or needed <= there:
        return None
    return (
        f"pictures of {settings.width}×{settings.height} need {needed:.0f} MB in one piece and this Pi keeps "
        f"{there:.0f} (CmaTotal); set a smaller camera.width and height, or more CMA in /boot/firmware/config.txt"
    )


def holds_a_camera() -> bool:
    """Return whether this process has a Pi camera open; one that cannot be closed also blocks Python's exit."""
    return not _HOLD.is_free()
