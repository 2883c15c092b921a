"""Cameras attached to this machine."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_VIDEO_DEVICES: Final = Path("/sys/class/video4linux")
_DEVICE_LINKS: Final = Path("/dev/v4l")
_NOT_CAMERA_NAMES: Final = ("bcm2835", "rpi-", "unicam", "rp1-", "pispbe", "codec", "isp", "hevc")


def attached_camera() -> str | None:
    """Return the name of the camera to use: the Pi's, else the first USB camera; None if there is none."""
    if pi_camera_index(picamera2()) is not None:
        return "picamera"
    numbers = _usb_numbers()
    return f"usb:{numbers[0]}" if numbers else None


@dataclass(frozen=True, slots=True)
class AttachedCamera:
    """An attached camera: its current name, its model, and a stable device path if there is one."""

    camera: str
    model: str
    path: Path | None = None


def attached_cameras() -> tuple[AttachedCamera, ...]:
    """Return the Pi's camera and every USB camera."""
    own = (AttachedCamera("picamera", "the Raspberry Pi's own"),) if pi_camera_index(picamera2()) is not None else ()
    usb = (AttachedCamera(f"usb:{number}", model_of(number) or "", _stable_path(number)) for number in _usb_numbers())
    return (*own, *usb)


def _stable_path(number: int) -> Path | None:
    """Return udev's link to /dev/videoN by the camera's maker and serial number, else by its port; None without one."""
    links = (link for folder in ("by-id", "by-path") for link in sorted((_DEVICE_LINKS / folder).glob("*")))
    return next((link for link in links if link.resolve().name == f"video{number}"), None)


def is_attached(camera: str) -> bool:
    """Return whether `picamera`, `usb:N` or a device path is attached now."""
    if camera == "picamera":
        return pi_camera_index(picamera2()) is not None
    if camera.startswith("/"):
        return Path(camera).exists()
    return (_VIDEO_DEVICES / f"video{camera.removeprefix('usb:')}").exists()


def model_of(number: int) -> str | None:
    """Return the model name of /dev/videoN; None if the system does not report it."""
    try:
        return (_VIDEO_DEVICES / f"video{number}" / "name").read_text().strip() or None
    except OSError:
        return None


def number_of(model: str) -> int | None:
    """Return the number of the only USB camera of this model; None if there is none or more than one."""
    numbers = [
        number
        for device in _VIDEO_DEVICES.glob("video[0-9]*")
        if _is_usb_camera(device) and model_of(number := int(device.name.removeprefix("video"))) == model
    ]
    return numbers[0] if len(numbers) == 1 else None


def why_not_opened(device: Path) -> str:
    """Return the reason why an existing device cannot be opened, and the way out."""
    if not os.access(device, os.R_OK | os.W_OK):
        return "you may not open it: sudo usermod -aG video $USER, and log in again"
    return f"which program has it? sudo fuser -v {device}"


def picamera2() -> Any:
    """Return the class Picamera2; None if it is not installed: only Raspberry Pi OS has it."""
    try:
        from picamera2 import Picamera2  # noqa: PLC0415
    except ImportError:
        return None
    return Picamera2


def pi_camera_index(library: Any) -> int | None:
    """Return the index of the Pi's own camera in Picamera2's list, which includes webcams; None if there is none.

    `Picamera2(index)` opens that entry's `Num`.
    """
    cameras = [] if library is None else library.global_camera_info()
    return next((index for index, camera in enumerate(cameras) if "/usb" not in str(camera.get("Id", ""))), None)


def _usb_numbers() -> list[int]:
    devices = (device for device in _VIDEO_DEVICES.glob("video[0-9]*") if _is_usb_camera(device))
    return sorted(int(device.name.removeprefix("video")) for device in devices)


def _is_usb_camera(device: Path) -> bool:
    """Return whether a video device is a USB camera: index 0 of its several devices, and no codec of the Pi."""
    try:
        name = (device / "name").read_text().lower()
        index = (device / "index").read_text().strip()
    except OSError:
        return False
    return index == "0" and not any(word in name for word in _NOT_CAMERA_NAMES)
