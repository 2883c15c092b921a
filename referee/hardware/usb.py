"""USB cameras through OpenCV and V4L2."""

from pathlib import Path

import cv2
import numpy as np

from referee.errors import CameraError
from referee.hardware.settings import CameraSettings
from referee.vision.frame import Image

_DEVICES = Path("/dev")


class UsbDriver:
    """One opened /dev/videoN."""

    def __init__(self, number: int, settings: CameraSettings) -> None:
        """Open it at the size that is set; CameraError where there is no such camera."""
        self._name = f"usb:{number}"
        if not (_DEVICES / f"video{number}").exists():
            raise CameraError(f"camera usb:{number} is not there; plug it in, or list what is with: ls /dev/video*")
        self._video = cv2.VideoCapture(number, cv2.CAP_V4L2)
        if not self._video.isOpened():
            raise CameraError(f"camera usb:{number} cannot be opened; is it in use, or are you not in group video?")
        self._video.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # raw frames do not fit USB 2
        self._video.set(cv2.CAP_PROP_FRAME_WIDTH, settings.width)
        self._video.set(cv2.CAP_PROP_FRAME_HEIGHT, settings.height)
        self._video.set(cv2.CAP_PROP_BUFFERSIZE, 1)

    def read(self) -> Image:
        """Give the next picture."""
        fine, image = self._video.read()
        if not fine or image is None:
            raise CameraError(f"camera {self._name} gives no picture; is its cable plugged in?")
        return np.asarray(image, np.uint8)

    def close(self) -> None:
        """Let the device go."""
        self._video.release()
