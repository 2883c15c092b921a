"""The Raspberry Pi camera through Picamera2, which Raspberry Pi OS brings (python3-picamera2); kept thin."""

from typing import Any

import numpy as np

from referee.errors import CameraError
from referee.hardware.settings import CameraSettings
from referee.vision.frame import Image


class PicameraDriver:
    """One started Pi camera."""

    def __init__(self, settings: CameraSettings, make: Any = None) -> None:
        """Start it at the size that is set; CameraError where there is none. `make` stands in for Picamera2."""
        self._size = (settings.width, settings.height)
        try:
            self._camera = (make or _picamera2())()
            shape = {"size": self._size, "format": "RGB888"}  # in memory its bytes lie as OpenCV's BGR
            self._camera.configure(self._camera.create_video_configuration(main=shape, buffer_count=3))
            self._camera.start()
        except (RuntimeError, IndexError, OSError, ValueError) as error:
            raise CameraError(
                f"the Pi camera cannot be started ({error!s:.80}); check its cable with rpicam-hello"
            ) from None

    def read(self) -> Image:
        """Give the next picture, without the padding that some sizes bring."""
        try:
            picture = self._camera.capture_array("main")
        except (RuntimeError, OSError, ValueError) as error:
            raise CameraError(f"the Pi camera gives no picture ({error!s:.80}); restarting it") from None
        width, height = self._size
        if picture is None or picture.ndim != 3 or picture.shape[0] < height or picture.shape[1] < width:
            shape = None if picture is None else picture.shape
            raise CameraError(f"the Pi camera gives pictures of {shape}, not {height} × {width} × 3; restarting it")
        return np.ascontiguousarray(picture[:height, :width, :3], np.uint8)

    def close(self) -> None:
        """Stop it and let it go."""
        try:
            self._camera.stop()
            self._camera.close()
        except (RuntimeError, OSError) as error:
            raise CameraError(f"the Pi camera cannot be stopped ({error!s:.80})") from None


def _picamera2() -> Any:
    try:
        from picamera2 import Picamera2  # noqa: PLC0415 - only Raspberry Pi OS has it
    except ImportError:
        raise CameraError(
            "Picamera2 is not installed; on Raspberry Pi OS: sudo apt install python3-picamera2"
        ) from None
    return Picamera2
