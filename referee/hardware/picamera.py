"""The Raspberry Pi camera through Picamera2, which Raspberry Pi OS brings (python3-picamera2); kept thin.

It runs two streams: a small one that costs nothing, enough to see whether something moves, and the whole picture, which
is copied out of the driver's memory only where somebody asks for it. Names of controls and what they mean:
libcamera's control_ids_core.yaml and "The Picamera2 Library", Raspberry Pi Ltd.
"""

import threading
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Final

import cv2
import numpy as np

from referee.errors import CameraError
from referee.hardware.light import in_step_with_lamps, is_steady
from referee.hardware.settings import CameraSettings
from referee.vision.frame import Image
from referee.vision.profile import Locked

_SMALL_WIDTH: Final = 640
_BUFFERS: Final = 4  # one being filled, one newest, one held by the frame in use, one to spare
_LONGEST_MICROSECONDS: Final = 100_000
_AF_MANUAL, _AF_AUTO, _AF_START = 0, 1, 0  # AfModeEnum, AfTriggerEnum
_AF_FOCUSED, _AF_FAILED = 2, 3  # AfStateEnum
_SETTLE_SECONDS: Final = 6.0


class PicameraDriver:
    """One started Pi camera."""

    def __init__(self, settings: CameraSettings, locked: Locked | None = None, make: Any = None) -> None:
        """Start it at the size that is set, focus and light as they were locked; CameraError where there is none.

        `make` stands in for Picamera2.
        """
        self._size = (settings.width, settings.height)
        self._small = _small_size(self._size)
        self._mains_hertz = settings.mains_hertz
        library = make or _picamera2()
        try:
            self._camera = library()
            between = min(_LONGEST_MICROSECONDS, round(1e6 / (2 * settings.looks_per_second)))
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
        except (RuntimeError, IndexError, OSError, ValueError) as error:
            raise CameraError(
                f"the Pi camera cannot be started ({error!s:.80}); check its cable with rpicam-hello"
            ) from None

    def read(self) -> "PicameraShot":
        """Give the next picture."""
        try:
            request = self._camera.capture_request()
        except (RuntimeError, OSError, ValueError) as error:
            raise CameraError(f"the Pi camera gives no picture ({error!s:.80}); restarting it") from None
        if request is None:
            raise CameraError("the Pi camera gives no picture; restarting it")
        return PicameraShot(request, self._size, self._small)

    def settle(self, keep: Locked | None = None) -> Locked:
        """Let the camera find focus, exposure and white balance, lock them, and give what they are.

        A focus that `keep` knows is kept. Raises CameraError where it cannot focus on what it sees.
        """
        try:
            focus = keep.focus if keep else None
            if "LensPosition" in self._camera.camera_controls and focus is None:
                focus = self._find_focus()
            light = self._find_light()
            exposure, gain = in_step_with_lamps(light["ExposureTime"], light["AnalogueGain"], self._mains_hertz)
            locked = Locked(focus=focus, exposure=exposure, gain=gain, white=tuple(map(float, light["ColourGains"])))
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
        """What the camera says of itself once it is so; None if that takes too long."""
        until = monotonic() + _SETTLE_SECONDS
        while monotonic() < until:
            seen: Mapping[str, Any] = self._camera.capture_metadata()
            if done(seen):
                return seen
        return None

    def close(self) -> None:
        """Stop it and let it go."""
        try:
            self._camera.stop()
            self._camera.close()
        except (RuntimeError, OSError) as error:
            raise CameraError(f"the Pi camera cannot be stopped ({error!s:.80})") from None


class PicameraShot:
    """A picture in the driver's memory, of which there is room for few."""

    def __init__(self, request: Any, size: tuple[int, int], small: tuple[int, int]) -> None:
        """Take the small picture out at once."""
        self._request = request
        self._size = size
        self._lock = threading.Lock()
        self._full: Image | None = None
        try:
            self.small = _luma(request.make_array("lores"), small)
        except CameraError:
            self.drop()
            raise

    def full(self) -> Image:
        """The whole picture without the padding that some sizes bring; once it is dropped, the small one enlarged."""
        with self._lock:
            if self._full is None and self._request is not None:
                self._full = _colours(self._request.make_array("main"), self._size)
            if self._full is None:
                return np.asarray(cv2.resize(self.small, self._size), np.uint8)
            return self._full

    def drop(self) -> None:
        """Give the memory back."""
        with self._lock:
            request, self._request = self._request, None
            if request is not None:
                request.release()


def _small_size(size: tuple[int, int]) -> tuple[int, int]:
    """The small stream: of the same shape, even sides, never larger than the whole."""
    width = min(_SMALL_WIDTH, size[0]) // 2 * 2
    return (width, round(width * size[1] / size[0] / 2) * 2)


def _luma(array: Any, size: tuple[int, int]) -> Image:
    """The brightness of a YUV420 picture, which comes as rows of any stride with the colours below them."""
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
    return CameraError(f"the Pi camera gives pictures of {shape}, not {wanted}; restarting it")


def _controls_of(locked: Locked, known: Mapping[str, Any]) -> dict[str, Any]:
    """The controls that keep what was locked, as far as this camera knows them."""
    controls: dict[str, Any] = {}
    if locked.focus is not None:
        controls |= {"AfMode": _AF_MANUAL, "LensPosition": locked.focus}
    if locked.exposure is not None:
        controls |= {"AeEnable": False, "ExposureTime": round(locked.exposure), "AnalogueGain": locked.gain or 1.0}
    if locked.white:
        controls |= {"AwbEnable": False, "ColourGains": locked.white}
    return {name: value for name, value in controls.items() if name in known}


def _picamera2() -> Any:
    try:
        from picamera2 import Picamera2  # noqa: PLC0415 - only Raspberry Pi OS has it
    except ImportError:
        raise CameraError(
            "Picamera2 is not installed; on Raspberry Pi OS: sudo apt install python3-picamera2"
        ) from None
    return Picamera2
