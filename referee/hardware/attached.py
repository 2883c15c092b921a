"""Cameras attached to this machine, and which process has one."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_VIDEO: Final = Path("/sys/class/video4linux")
_LINKS: Final = Path("/dev/v4l")
_NOT_CAMERAS: Final = ("bcm2835", "rpi-", "unicam", "rp1-", "pispbe", "codec", "isp", "hevc")


def attached_camera() -> str | None:
    """Return the camera to use: the Pi's, else the first USB camera; None where there is none."""
    if pi_camera_index(picamera2()) is not None:
        return "picamera"
    numbers = _usb_numbers()
    return f"usb:{numbers[0]}" if numbers else None


@dataclass(frozen=True, slots=True)
class Attached:
    """A camera of this machine: its name now, its model, and a stable path if it has one."""

    camera: str
    model: str
    path: Path | None = None


def attached_cameras() -> tuple[Attached, ...]:
    """Return the Pi's camera and every USB camera that is there."""
    own = (Attached("picamera", "the Raspberry Pi's own"),) if pi_camera_index(picamera2()) is not None else ()
    usb = (Attached(f"usb:{number}", model_of(number) or "", _staying_path(number)) for number in _usb_numbers())
    return (*own, *usb)


def _staying_path(number: int) -> Path | None:
    """Return the link to /dev/videoN that udev makes of the camera's maker and number, else of the port it is in."""
    links = (link for folder in ("by-id", "by-path") for link in sorted((_LINKS / folder).glob("*")))
    return next((link for link in links if link.resolve().name == f"video{number}"), None)


def is_attached(camera: str) -> bool:
    """Return whether `picamera`, `usb:N` or a device is there now."""
    if camera == "picamera":
        return pi_camera_index(picamera2()) is not None
    if camera.startswith("/"):
        return Path(camera).exists()
    return (_VIDEO / f"video{camera.removeprefix('usb:')}").exists()


def model_of(number: int) -> str | None:
    """Return what the camera behind /dev/videoN calls itself; None where the system does not say."""
    try:
        return (_VIDEO / f"video{number}" / "name").read_text().strip() or None
    except OSError:
        return None


def number_of(model: str) -> int | None:
    """Return the number of the one USB camera of this model; None where there is none, or more than one."""
    numbers = [
        number
        for device in _VIDEO.glob("video[0-9]*")
        if _is_usb_camera(device) and model_of(number := int(device.name.removeprefix("video"))) == model
    ]
    return numbers[0] if len(numbers) == 1 else None


def why_not_opened(device: Path) -> str:
    """Return why a device that exists cannot be opened, and the way out."""
    if not os.access(device, os.R_OK | os.W_OK):
        return "you may not open it: sudo usermod -aG video $USER, and log in again"
    return f"which program has it? sudo fuser -v {device}"


def picamera2() -> Any:
    """Return the class Picamera2; None where it is not installed: only Raspberry Pi OS has it."""
    try:
        from picamera2 import Picamera2  # noqa: PLC0415
    except ImportError:
        return None
    return Picamera2


def pi_camera_index(library: Any) -> int | None:
    """Return where the Pi's own camera lies among those that Picamera2 lists, webcams too; None where there is none.

    `Picamera2(index)` opens that entry's `Num`.
    """
    cameras = [] if library is None else library.global_camera_info()
    return next((index for index, camera in enumerate(cameras) if "/usb" not in str(camera.get("Id", ""))), None)


def _usb_numbers() -> list[int]:
    devices = (device for device in _VIDEO.glob("video[0-9]*") if _is_usb_camera(device))
    return sorted(int(device.name.removeprefix("video")) for device in devices)


def _is_usb_camera(device: Path) -> bool:
    """Return whether a video device is a USB camera: index 0 of its several devices, and no codec of the Pi."""
    try:
        name = (device / "name").read_text().lower()
        index = (device / "index").read_text().strip()
    except OSError:
        return False
    return index == "0" and not any(word in name for word in _NOT_CAMERAS)
