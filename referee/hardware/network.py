"""Network cameras: a phone app or IP camera that streams MJPEG over HTTP, or RTSP."""

import os
import re
from collections.abc import Callable
from time import monotonic
from typing import Any, Final
from urllib.parse import urlsplit

import cv2
import numpy as np

from referee.addresses import showable
from referee.errors import CameraError, ConfigError
from referee.hardware.driver import AgedPicture, StreamAges
from referee.rules.wording import say
from referee.settings.hardware import CameraSettings
from referee.vision.image.frame import Image
from referee.vision.profile import LockedControls

SCHEMES: Final = ("http", "https", "rtsp")
_ADDRESS: Final = re.compile(rf"(?:url:)?((?:{'|'.join(SCHEMES)})://\S+)", re.IGNORECASE)
_OPEN_TIMEOUT_SECONDS: Final = 8.0  # a phone's app answers late when its screen was off
_JPEG: Final = cv2.VideoWriter.fourcc(*"MJPG")
# TCP, for packet loss over UDP smears pictures; no buffer, for buffered pictures are old.
_FFMPEG_OPTIONS: Final = "rtsp_transport;tcp|fflags;nobuffer|flags;low_delay"


def is_network(camera: str) -> bool:
    """Return whether a camera's name is a network address."""
    return camera.startswith("url:") or _ADDRESS.fullmatch(camera) is not None


def stream_address(camera: str) -> str:
    """Return the address of `url:http://…`, `http://…`, `https://…` or `rtsp://…`; ConfigError for anything else."""
    named = _ADDRESS.fullmatch(camera)
    try:
        parts = urlsplit(named[1]) if named else None
        good = parts is not None and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port beyond 65535, a bracket left open
        good = False
    if named is None or not good:
        raise ConfigError(
            say(
                "camera.no_address",
                "camera {camera} is not an address; write url:http://PHONE:8080/video or rtsp://CAMERA/stream",
                camera=repr(showable(camera)[:80]),
            )
        )
    return named[1]


class NetworkDriver:
    """An open network stream."""

    def __init__(
        self, camera: str, settings: CameraSettings, open_video: Callable[..., Any] = cv2.VideoCapture
    ) -> None:
        """Open this camera's stream; CameraError if nothing answers."""
        address = stream_address(camera)
        self._name = showable(camera)
        os.environ.setdefault("OPENCV_FFMPEG_CAPTURE_OPTIONS", _FFMPEG_OPTIONS)
        limits = [
            *(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, round(1000 * _OPEN_TIMEOUT_SECONDS)),
            *(cv2.CAP_PROP_READ_TIMEOUT_MSEC, round(1000 * settings.limit_seconds)),
        ]
        self._video = open_video(address, cv2.CAP_FFMPEG, limits)
        if not self._video.isOpened():
            raise CameraError(f"camera {self._name} {_why_closed(address)}")
        self._is_timed = urlsplit(address).scheme.lower() == "rtsp"
        self._ages = StreamAges()
        self._is_encoded = self._video.get(cv2.CAP_PROP_FOURCC) == _JPEG and self._video.set(cv2.CAP_PROP_FORMAT, -1)

    def read(self) -> Image | AgedPicture:
        """Return the next picture in the stream's size and orientation, with its age where RTP times it."""
        fine, image = self._video.read()
        if not fine or image is None:
            raise CameraError(f"camera {self._name} gives no picture; is its app still running, and in this network?")
        picture = _decoded(image, self._name) if self._is_encoded else np.asarray(image, np.uint8)
        if not self._is_timed:
            return picture
        return AgedPicture(picture, self._ages.age(self._video.get(cv2.CAP_PROP_POS_MSEC) / 1000, monotonic()))

    def settle(self, keep: LockedControls | None = None) -> LockedControls:
        """Return `keep`: focus and exposure can be locked only in the app."""
        return keep or LockedControls()

    def close(self) -> None:
        """Close the stream."""
        self._video.release()


def _decoded(data: Any, camera: str) -> Image:
    """Return a JPEG picture in the size of its own header; OpenCV would squeeze it into the size of the first one."""
    image = cv2.imdecode(np.ravel(data), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    if image is None:
        raise CameraError(f"camera {camera} gives a picture that cannot be read; restarting it")
    return np.asarray(image, np.uint8)


def _why_closed(address: str) -> str:
    """Return why no video comes from an address, and the way out; the address that an app shows lacks a path."""
    parts = urlsplit(address)
    if parts.scheme.lower() != "rtsp" and parts.path in {"", "/"}:
        return "gives no video there; add the video's path to the address, with IP Webcam /video, and start the app"
    return "does not answer; start its app, keep its screen on, try the address in a browser"
