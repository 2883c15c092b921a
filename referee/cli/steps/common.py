"""Helpers of all calibration steps: pictures, profile, and report."""

import argparse
import json
import math
import os
import pwd
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import cv2

from referee.addresses import showable
from referee.cli.progress import Progress, print_line
from referee.errors import CalibrationError, CameraError, ConfigError, ImageError, StorageError
from referee.hardware.ports import Camera, EndOfFrames
from referee.hardware.system import SystemClock
from referee.service.health import camera_in_use
from referee.service.sources import is_recorded, open_source
from referee.settings.config import Config, settings_in_force
from referee.storage.files import make_folder, refusal, write_whole
from referee.storage.folder import state_folder
from referee.storage.profile import PROFILE_NAME, load_profile, save_profile
from referee.vision.image.frame import Image
from referee.vision.image.picture_file import load_image
from referee.vision.profile import LockedControls, Profile

_PICTURE_SUFFIXES: Final = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
_UNNAMED_CAMERA: Final = "pictures"


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture and its name."""

    name: str
    image: Image

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return (self.image.shape[1], self.image.shape[0])


def number_in_range(least: float, most: float, kind: type[int] | type[float] = float) -> Callable[[str], float]:
    """Return a parser of an option's number from `least` to `most`."""

    def number(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r:.40} is out of range; use {least:g} to {most:g}")
        return value

    return number


def add_profile_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the profile."""
    parser.add_argument(
        "--profile", type=Path, metavar="FILE", help="the profile (default: profile.json beside the journals)"
    )
    parser.add_argument("--name", metavar="NAME", help="name of the camera that took the picture files")
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="settings file (default: /etc/referee/referee.toml)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def add_picture_arguments(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add the options of pictures and drawings."""
    what = "pictures, or folders of them" if several else "a picture"
    parser.add_argument(
        "images", nargs="*" if several else "?", type=Path, metavar="IMAGE", help=f"{what} (JPEG, PNG, …)"
    )
    parser.add_argument(
        "--camera", metavar="CAMERA", help="take the pictures now: usb:N, picamera or url:http://…, or replay:PATH"
    )
    parser.add_argument(
        "--annotate",
        type=Path,
        metavar="DIR",
        help="write copies of the pictures there, with the findings drawn on them",
    )


def load_settings(arguments: argparse.Namespace) -> Config:
    """Return the settings in force, including those of the page; raises ConfigError."""
    return settings_in_force(arguments.config, warn=_print_note_once)


@contextmanager
def open_camera(arguments: argparse.Namespace, locked: LockedControls | None = None) -> Iterator[Camera]:
    """Yield the camera of `--camera`, with these locks or the profile's; raises CameraError or ConfigError."""
    check_free(arguments.camera)
    source = open_source(load_settings(arguments), arguments.camera, SystemClock(), locked or profile_locks(arguments))
    try:
        yield source.camera
    finally:
        source.camera.close()
        source.button.close()


def check_free(camera: str) -> None:
    """Raise CameraError if the running service uses this camera: no other program can open it then."""
    has, camera = camera_in_use(), showable(camera)
    if has is not None and has[0] in {camera, "auto"} and not is_recorded(camera):
        raise CameraError(
            f"camera {camera} is in use by the referee's service (process {has[1]}); stop it first, and start it again "
            "afterwards: sudo systemctl stop referee"
        )


def profile_locks(arguments: argparse.Namespace) -> LockedControls | None:
    """Return focus and light of the profile; None without a valid profile."""
    try:
        return load_profile(profile_path(arguments), arguments.name or arguments.camera).locked
    except CalibrationError:
        return None


def load_pictures(paths: Sequence[Path]) -> Iterator[Picture]:
    """Yield the named pictures and those in the named folders; raises ImageError."""
    for path in paths:
        if not path.is_dir():
            yield Picture(path.name, load_image(path))
            continue
        inside = sorted(file for file in path.iterdir() if file.suffix.lower() in _PICTURE_SUFFIXES)
        if not inside:
            raise ImageError(f"{path} holds no pictures; name a folder with JPEG or PNG files")
        for file in inside:
            yield Picture(file.name, load_image(file))


def load_picture(arguments: argparse.Namespace) -> Picture:
    """Return the named picture, or one that the camera takes now."""
    if arguments.images is not None:
        return next(load_pictures([arguments.images]))
    if arguments.camera is None:
        raise ConfigError("no picture given; name one, or a camera: --camera picamera, --camera usb:0")
    with Progress("taking a picture"), open_camera(arguments) as camera:
        try:
            frame = camera.capture()
        except EndOfFrames:
            raise CameraError(f"camera {showable(arguments.camera)} has no pictures left; name another") from None
        return Picture(frame.frame_id, frame.image)  # while the camera is open: its memory holds the full picture


def profile_path(arguments: argparse.Namespace) -> Path:
    """Return the profile's path: from `--profile`, from the settings, or beside the journals."""
    given: Path | None = arguments.profile
    if given is not None:
        return given
    config = load_settings(arguments)
    return Path(config.vision.profile) if config.vision.profile else state_folder(config.storage.folder) / PROFILE_NAME


def profile_for(arguments: argparse.Namespace, size: tuple[int, int]) -> Profile:
    """Return the profile to extend, empty if there is none; CalibrationError if it is another camera's."""
    path, said = profile_path(arguments), arguments.name or getattr(arguments, "camera", None)
    if not path.exists():
        return Profile(camera=showable(said or _UNNAMED_CAMERA), size=size)
    profile = load_profile(path, said)
    return profile.scaled(size)


def fresh_profile(arguments: argparse.Namespace, size: tuple[int, int]) -> tuple[Profile, bool]:
    """Return the profile without the parts that new optics invalidate, and whether there were any."""
    path, said = profile_path(arguments), arguments.name or getattr(arguments, "camera", None)
    if not path.exists():
        return Profile(camera=showable(said or _UNNAMED_CAMERA), size=size), False
    profile = load_profile(path, said)
    return replace(profile, size=size, intrinsics=None, table=None), profile.table is not None


def save(profile: Profile, arguments: argparse.Namespace) -> Path:
    """Write the profile; raises StorageError."""
    path = profile_path(arguments)
    save_profile(profile, path)
    return path


def print_note(text: str) -> None:
    """Print a note to standard error; standard output is for the result."""
    print_line(text)


def next_command(arguments: argparse.Namespace, step: str) -> str:
    """Return the command of the next step, by the user and with the options that this one was called with."""
    user = pwd.getpwuid(os.geteuid()).pw_name if "SUDO_USER" in os.environ and os.geteuid() else None
    words = [*(["sudo", "-u", user] if user else []), "referee", "calibrate", step]
    words += ["PICTURE"] if arguments.camera is None else ["--camera", showable(arguments.camera)]
    for option in ("profile", "config"):
        if (path := getattr(arguments, option)) is not None:
            words += [f"--{option}", str(path)]
    return shlex.join(words)


_print_note_once = cache(print_note)


def print_result(report: Mapping[str, Any], words: Sequence[str], *, as_json: bool) -> None:
    """Print the result as JSON or text."""
    print(json.dumps(report, ensure_ascii=False) if as_json else "\n".join(words), flush=True)


def check_drawing_folder(folder: Path | None, images: Sequence[Path]) -> None:
    """Raise StorageError if the folder for drawings contains the input pictures, which would be overwritten."""
    for image in images:
        if folder is not None and folder.resolve() == (image if image.is_dir() else image.parent).resolve():
            raise StorageError(f"{folder} holds the pictures themselves; name another folder with --annotate")


def save_drawing(folder: Path | None, name: str, image: Image) -> Path | None:
    """Write a drawing as `name`.png into the folder, if one is given, and return its path; raises StorageError."""
    if folder is None:
        return None
    path = folder / f"{Path(name).stem}.png"
    try:
        make_folder(folder)
        write_whole(path, cv2.imencode(".png", image)[1].tobytes())
    except OSError as error:
        raise StorageError(f"{path} cannot be written {refusal(error, path, 'name another folder')}") from None
    return path
