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
from time import CLOCK_BOOTTIME, clock_gettime, monotonic
from typing import Any, Final
from weakref import WeakSet

import cv2
import numpy as np

from referee.errors import CameraError, CameraHeldError
from referee.hardware.attached import pi_camera_index, picamera2
from referee.hardware.driver import AgedPicture, dated
from referee.hardware.health import contiguous_megabytes
from referee.hardware.light import anti_flicker_exposure, is_steady
from referee.rules.wording import say
from referee.settings.hardware import CameraSettings
from referee.vision.image.frame import Image
from referee.vision.profile import LockedControls

_SMALL_WIDTH: Final = 640
_BUFFER_COUNT: Final = 4  # one being filled, one newest, one held by the frame in use, one to spare
_MAX_FRAME_MICROSECONDS: Final = 100_000
_AF_MANUAL, _AF_AUTO, _AF_START = 0, 1, 0  # AfModeEnum, AfTriggerEnum
_AF_FOCUSED, _AF_FAILED = 2, 3  # AfStateEnum
_SETTLE_TIMEOUT_SECONDS: Final = 6.0
_RELEASE_TIMEOUT_SECONDS: Final = 5.0
_STOP_TIMEOUT_SECONDS: Final = 2.0
_SYSTEM_LIBRARY: Final = Path("/usr/lib/python3/dist-packages/picamera2")
_HELD_MESSAGE: Final = say(
    "camera.held",
    "this process holds the Pi camera and cannot close it; start the referee anew, and if that is not enough the Pi",
)


class _OpenCameras:
    """The drivers with an open Pi camera; libcamera allows one at a time, also within a process."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open: WeakSet[PicameraDriver] = WeakSet()
        self._stuck: list[PicameraDriver] = []

    def is_free(self) -> bool:
        return not self._open and not self._stuck

    def take(self, driver: "PicameraDriver") -> None:
        with self._changed:
            if not self._changed.wait_for(self.is_free, _RELEASE_TIMEOUT_SECONDS):
                raise CameraHeldError(_HELD_MESSAGE)
            self._open.add(driver)

    def give_back(self, driver: "PicameraDriver", *, closed: bool) -> None:
        with self._changed:
            if not closed:
                self._stuck.append(driver)
            self._open.discard(driver)
            self._changed.notify_all()


_OPEN_CAMERAS: Final = _OpenCameras()


class PicameraDriver:
    """A started Pi camera; a process can have only one."""

    def __init__(
        self, settings: CameraSettings, locked: LockedControls | None = None, make: Callable[[], Any] | None = None
    ) -> None:
        """Start the camera with the configured size and locked controls; CameraError if it fails.

        CameraHeldError if this process holds a camera that it could not close. `make` replaces Picamera2 in tests.
        """
        self._size = (settings.width, settings.height)
        self._small = _small_size(self._size)
        self._settings = settings
        self._fresh = True
        self._camera: Any = None
        _OPEN_CAMERAS.take(self)
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
            f"the Pi camera cannot start ({why}); {memory_warning(settings) or 'check its cable with rpicam-hello'}"
        )

    def _start(self, locked: LockedControls | None) -> None:
        between = min(_MAX_FRAME_MICROSECONDS, round(1e6 / (2 * self._settings.looks_per_second)))
        configuration = self._camera.create_video_configuration(
            main={"size": self._size, "format": "RGB888"},  # in memory its bytes lie as OpenCV's BGR
            lores={"size": self._small, "format": "YUV420"},  # the one format that every Pi has for it
            controls={"FrameDurationLimits": (between, between)},
            buffer_count=_BUFFER_COUNT,
        )
        self._camera.configure(configuration)
        if locked:
            self._camera.set_controls(_controls_of(locked, self._camera.camera_controls))
        self._camera.start()

    def read(self) -> "PicameraPicture | AgedPicture":
        """Return the next picture; the first one is fetched in full, so that an unsupported size fails at once."""
        request = self._await(self._camera.capture_request)
        if self._fresh:
            try:
                _colour_picture(_array(request, "main"), self._size)
            except CameraError:
                request.release()
                raise
        self._fresh = False
        exposed = request.get_metadata().get("SensorTimestamp")  # nanoseconds since the machine started
        picture = PicameraPicture(request, self._size, self._small)
        return dated(picture, None if exposed is None else exposed / 1e9, clock_gettime(CLOCK_BOOTTIME))

    def _await(self, ask: Callable[..., Any]) -> Any:
        """Return the camera's answer in time; cancel a stalled request, for Picamera2 would wait forever."""
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
        """Let the camera find focus, exposure and white balance, lock and return them.

        A focus in `keep` is kept. Raises CameraError if the camera cannot focus.
        """
        try:
            focus = keep.focus if keep else None
            if "LensPosition" in self._camera.camera_controls and focus is None:
                focus = self._find_focus()
            light = self._find_light()
            exposure, gain = anti_flicker_exposure(
                light["ExposureTime"], light["AnalogueGain"], self._settings.mains_hertz
            )
            locked = LockedControls(
                focus=focus, exposure=exposure, gain=gain, white=tuple(map(float, light["ColourGains"]))
            )
            self._camera.set_controls(_controls_of(locked, self._camera.camera_controls))
        except (RuntimeError, OSError, ValueError, KeyError) as error:
            message = say("light.unset", "the Pi camera's light cannot be set ({why}); try again", why=f"{error!r:.80}")
            raise CameraError(message) from None
        return locked

    def _find_focus(self) -> float:
        self._camera.set_controls({"AfMode": _AF_AUTO, "AfTrigger": _AF_START})
        found = self._watch(lambda seen: seen.get("AfState") in {_AF_FOCUSED, _AF_FAILED})
        if found is None or found["AfState"] != _AF_FOCUSED:
            raise CameraError(
                say("light.no_focus", "the Pi camera finds no focus; lay some tiles on the table, add light, try again")
            )
        return float(found["LensPosition"])

    def _find_light(self) -> Mapping[str, Any]:
        self._camera.set_controls({"AeEnable": True, "AwbEnable": True})
        looks: list[tuple[float, ...]] = []

        def steady(seen: Mapping[str, Any]) -> bool:
            looks.append((seen["ExposureTime"] * seen["AnalogueGain"], *seen["ColourGains"]))
            return is_steady(looks)

        found = self._watch(steady)
        if found is None:
            raise CameraError(
                say(
                    "light.flickers", "the light does not come to rest; switch off lamps that flicker or dim, try again"
                )
            )
        return found

    def _watch(self, done: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any] | None:
        """Return the camera's metadata once `done` accepts it; None after the time limit."""
        until = monotonic() + _SETTLE_TIMEOUT_SECONDS
        while monotonic() < until:
            seen: Mapping[str, Any] = self._await(self._camera.capture_metadata)
            if done(seen):
                return seen
        return None

    def close(self) -> None:
        """Stop and close the camera; CameraHeldError if it cannot be closed.

        Pending requests are cancelled first, or `stop` would wait for them. A second call does nothing.
        """
        camera, self._camera = self._camera, None
        if camera is not None:
            with suppress(Exception):  # it is closed all the same
                camera.cancel_all_and_flush()
            _stop(camera)
            try:
                camera.close()
            except Exception as error:  # noqa: BLE001 - as above
                _OPEN_CAMERAS.give_back(self, closed=False)
                raise CameraHeldError(
                    say("camera.held_because", "{held} ({why})", held=_HELD_MESSAGE, why=f"{error!s:.80}")
                ) from None
        _OPEN_CAMERAS.give_back(self, closed=True)


def _stop(camera: Any) -> None:
    """Stop a camera, if its library can: its listening thread dies of an error, and `stop` then waits for it for ever.

    `close` does without that thread.
    """

    def stop() -> None:
        with suppress(Exception):
            camera.stop()

    stopping = threading.Thread(target=stop, name="referee-camera-stop", daemon=True)
    stopping.start()
    stopping.join(_STOP_TIMEOUT_SECONDS)
    if stopping.is_alive():
        with suppress(Exception):
            camera.cancel_all_and_flush()  # which ends its wait


class PicameraPicture:
    """A picture in the driver's memory, which has few buffers."""

    def __init__(self, request: Any, size: tuple[int, int], small: tuple[int, int]) -> None:
        """Copy the small picture at once."""
        self._request = request
        self._size = size
        self._lock = threading.Lock()
        self._full: Image | None = None
        try:
            self.small = _luma_plane(_array(request, "lores"), small)
        except CameraError:
            self.drop()
            raise

    def full(self) -> Image:
        """Return the full picture without padding; after `drop` the small one, enlarged."""
        with self._lock:
            if self._full is None and self._request is not None:
                self._full = _colour_picture(_array(self._request, "main"), self._size)
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
    """Return the size of the small stream: same aspect ratio, even sides, never larger than the main one."""
    width = min(_SMALL_WIDTH, size[0]) // 2 * 2
    return (width, round(width * size[1] / size[0] / 2) * 2)


def _array(request: Any, stream: str) -> Any:
    try:
        return request.make_array(stream)
    except Exception as error:  # noqa: BLE001 - unexpected rows and strides
        raise CameraError(f"the Pi camera gives pictures that cannot be read ({error!s:.80}); restarting it") from None


def _luma_plane(array: Any, size: tuple[int, int]) -> Image:
    """Return the luma plane of a YUV420 picture, which has rows of any stride with the chroma planes below."""
    width, height = size
    if array is None or array.ndim != 2 or array.shape[0] < height or array.shape[1] < width:
        raise _format_error(array, f"{height} × {width}")
    grey = np.asarray(array[:height, :width], np.uint8)
    return np.repeat(grey[:, :, None], 3, axis=2)


def _colour_picture(array: Any, size: tuple[int, int]) -> Image:
    width, height = size
    if array is None or array.ndim != 3 or array.shape[0] < height or array.shape[1] < width or array.shape[2] < 3:
        raise _format_error(array, f"{height} × {width} × 3")
    return np.ascontiguousarray(array[:height, :width, :3], np.uint8)


def _format_error(array: Any, wanted: str) -> CameraError:
    shape = None if array is None else array.shape
    return CameraError(f"the Pi camera gives pictures of {shape}, not {wanted}; set a size that it has under [camera]")


def _controls_of(locked: LockedControls, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the locked controls that this camera supports."""
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
        if _SYSTEM_LIBRARY.exists():
            raise CameraError("this environment cannot see the system's Picamera2; rebuild it: make clean demo")
        raise CameraError(
            "Picamera2 is not installed; on Raspberry Pi OS: sudo apt install python3-picamera2, then make clean demo"
        )
    index = pi_camera_index(library)
    if index is None:
        raise CameraError("no Pi camera is attached; check its cable with rpicam-hello --list-cameras")
    return library(index)


def required_megabytes(width: int, height: int) -> float:
    """Return the contiguous memory in MB for pictures of this size: main, small and raw streams."""
    small = _small_size((width, height))
    return _BUFFER_COUNT * (width * height * (3 + 2) + small[0] * small[1] * 1.5) / 1e6


def memory_warning(settings: CameraSettings) -> str | None:
    """Return a warning if pictures of this size exceed this Pi's contiguous memory, else None."""
    needed, there = required_megabytes(settings.width, settings.height), contiguous_megabytes()
    if there is None or needed <= there:
        return None
    return (
        f"pictures of {settings.width}×{settings.height} need {needed:.0f} MB in one piece and this Pi keeps "
        f"{there:.0f} (CmaTotal); set a smaller camera.width and height, or more CMA in /boot/firmware/config.txt"
    )


def has_open_camera() -> bool:
    """Return whether this process has a Pi camera open; one that cannot be closed also blocks Python's exit."""
    return not _OPEN_CAMERAS.is_free()
