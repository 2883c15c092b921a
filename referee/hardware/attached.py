"""Which camera is attached to this machine, and who has it."""

import os
from pathlib import Path
from typing import Any, Final

_VIDEO: Final = Path("/sys/class/video4linux")
_NOT_CAMERAS: Final = ("bcm2835", "rpi-", "unicam", "rp1-", "pispbe", "codec", "isp", "hevc")


def attached_camera() -> str | None:
    """Give the camera to use: the Pi's, else the first USB camera; None where there is none."""
    if pi_camera_index(picamera2()) is not None:
        return "picamera"
    numbers = sorted(
        int(device.name.removeprefix("video")) for device in _VIDEO.glob("video[0-9]*") if _is_usb_camera(device)
    )
    return f"usb:{numbers[0]}" if numbers else None


def is_attached(camera: str) -> bool:
    """Tell whether `picamera` or `usb:N` is there now."""
    if camera == "picamera":
        return pi_camera_index(picamera2()) is not None
    return (_VIDEO / f"video{camera.removeprefix('usb:')}").exists()


def model_of(number: int) -> str | None:
    """What the camera behind /dev/videoN calls itself; None where the system does not say."""
    try:
        return (_VIDEO / f"video{number}" / "name").read_text().strip() or None
    except OSError:
        return None


def number_of(model: str) -> int | None:
    """The number that the one USB camera of this model has now; None where there is none, or more than one."""
    numbers = [
        number
        for device in _VIDEO.glob("video[0-9]*")
        if _is_usb_camera(device) and model_of(number := int(device.name.removeprefix("video"))) == model
    ]
    return numbers[0] if len(numbers) == 1 else None


def why_not_opened(device: Path) -> str:
    """Say why a device that is there cannot be opened, and the way out."""
    if not os.access(device, os.R_OK | os.W_OK):
        return "you may not open it: sudo usermod -aG video $USER, and log in again"
    return f"which program has it? sudo fuser -v {device}"


def picamera2() -> Any:
    """The class Picamera2; None where it is not installed: only Raspberry Pi OS has it."""
    try:
        from picamera2 import Picamera2  # noqa: PLC0415
    except ImportError:
        return None
    return Picamera2


def pi_camera_index(library: Any) -> int | None:
    """Where the Pi's own camera lies among those that Picamera2 lists, webcams too; None where there is none.

    `Picamera2(index)` opens that entry's `Num`.
    """
    cameras = [] if library is None else library.global_camera_info()
    return next((index for index, camera in enumerate(cameras) if "/usb" not in str(camera.get("Id", ""))), None)


def _is_usb_camera(device: Path) -> bool:
    """The Pi's own codecs are video devices too; and of a USB camera's several devices only index 0 gives pictures."""
    try:
        name = (device / "name").read_text().lower()
        index = (device / "index").read_text().strip()
    except OSError:
        return False
    return index == "0" and not any(word in name for word in _NOT_CAMERAS)
