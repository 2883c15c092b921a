"""`referee calibrate check`: check what is ready for play, each with a value and a remedy."""

import argparse
from collections.abc import Iterator
from time import perf_counter, strftime
from typing import Final

import numpy as np

from referee.addresses import showable
from referee.cli.progress import Progress
from referee.cli.steps.common import (
    Picture,
    add_picture_arguments,
    add_profile_arguments,
    load_picture,
    load_settings,
    print_result,
    profile_path,
    save_drawing,
)
from referee.cli.steps.delay import why_too_late
from referee.cli.steps.lens import locks_text
from referee.cli.steps.table import draw_table
from referee.errors import CalibrationError, CameraError, ModelError, SignalError
from referee.hardware.health import (
    celsius,
    contiguous_megabytes,
    free_megabytes,
    is_clock_synchronised,
    throttling,
    wall_year,
)
from referee.hardware.network import is_network
from referee.hardware.picamera import memory_warning, required_megabytes
from referee.hardware.system import SystemClock
from referee.reading.observation import TableReading
from referee.service.sources import delay_of, is_recorded, on_pi, open_signals
from referee.settings.config import Config
from referee.settings.hardware import MAX_DELAY_SECONDS
from referee.storage.folder import state_folder
from referee.storage.profile import load_profile
from referee.vision.calibrate.image_quality import Check, check_corners, check_picture, check_to_plain
from referee.vision.calibrate.markers import find_corner_markers
from referee.vision.image.annotate import draw
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader
from referee.vision.profile import Profile

MAX_CELSIUS: Final = 80.0
MIN_FREE_MEGABYTES: Final = 500.0
MAX_READING_SECONDS: Final = 2.0
_RELEASE_YEAR: Final = 2025


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the step's arguments."""
    add_picture_arguments(parser)
    add_profile_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run all checks; return 0 if all passed, else 1."""
    with Progress("checking") as progress:
        checks = tuple(_with_progress(_all_checks(arguments), progress))
    report = {"checks": [check_to_plain(check) for check in checks]}
    failed = sum(not check.passed for check in checks)
    words = [_line(check) for check in checks]
    words.append("Ready to play." if not failed else f"{failed} of {len(checks)} checks failed.")
    print_result(report, words, as_json=arguments.json)
    return 1 if failed else 0


def _with_progress(checks: Iterator[Check], progress: Progress) -> Iterator[Check]:
    """Yield the checks and show a bar with the number and name of the last one."""
    for number, check in enumerate(checks, 1):
        progress.note = f"{number} done, the last {check.check}"
        yield check


def _line(check: Check) -> str:
    value = "" if check.value is None else f" ({check.value}"
    limit = "" if check.limit is None else f"; limit {check.limit}"
    measured = f"{value}{limit})" if value else ""
    return f"{'ok  ' if check.passed else 'FAIL'} {check.check:<12} {check.message}{measured}"


def _all_checks(arguments: argparse.Namespace) -> Iterator[Check]:
    picture, camera = _picture_check(arguments)
    yield camera
    reader, model = _reader_check(arguments)
    yield model
    profile, known = _profile_check(arguments, picture, reader)
    yield known
    yield _lock_check(arguments, profile)
    yield _delay_check(arguments, profile)
    if picture is not None and reader is not None:
        yield from _picture_checks(arguments, picture, reader, profile)
    yield from machine_checks(arguments)


def _picture_check(arguments: argparse.Namespace) -> tuple[Picture | None, Check]:
    try:
        picture = load_picture(arguments)
    except CameraError as error:
        return None, Check(check="camera", passed=False, value=None, limit=None, message=str(error))
    width, height = picture.size
    return picture, Check(
        check="camera", passed=True, value=f"{width}x{height}", limit=None, message=f"picture {picture.name}"
    )


def _reader_check(arguments: argparse.Namespace) -> tuple[TableReader | None, Check]:
    try:
        reader = TableReader(threads=load_settings(arguments).vision.threads)
    except ModelError as error:
        return None, Check(check="model", passed=False, value=None, limit=None, message=str(error))
    return reader, Check(
        check="model",
        passed=True,
        value=reader.version,
        limit=None,
        message="all models are whole and of this version",
    )


def _profile_check(
    arguments: argparse.Namespace, picture: Picture | None, reader: TableReader | None
) -> tuple[Profile | None, Check]:
    """Return the profile, if it fits this camera, picture size and reader, and its check."""

    def answer(profile: Profile | None, message: str) -> tuple[Profile | None, Check]:
        return profile, Check(check="profile", passed=profile is not None, value=None, limit=None, message=message)

    path = profile_path(arguments)
    try:
        profile = load_profile(path, arguments.name or arguments.camera)
        if picture is not None:
            profile = profile.scaled(picture.size)
        if reader is not None:
            reader.check_profile(profile)
    except CalibrationError as error:
        return answer(None, str(error))
    return answer(profile, f"{path} knows {', '.join(profile.calibrated_steps) or 'nothing yet'}")


def _lock_check(arguments: argparse.Namespace, profile: Profile | None) -> Check:
    """Check that focus and light are locked; a camera without such controls passes."""
    locked = profile.locked if profile else None
    if locked is not None:
        return Check(check="locks", passed=True, value=locks_text(locked), limit=None, message="are set at each start")
    live = arguments.camera is not None and not is_recorded(arguments.camera)
    message = (
        "focus and light are free to change: lock them with 'referee calibrate camera --light'"
        if live
        else "a picture from a file says nothing of focus and light"
    )
    return Check(check="locks", passed=not live, value=None, limit=None, message=message)


def _delay_check(arguments: argparse.Namespace, profile: Profile | None) -> Check:
    """Check that pictures come soon enough, and that a network camera's delay is known."""
    camera, settings = arguments.camera or "", load_settings(arguments).camera
    measured = profile.delay_seconds if profile else None
    delay = delay_of(camera, settings, measured)
    known = bool(settings.delay_seconds) or measured is not None or not is_network(camera)
    message = why_too_late(showable(camera), delay) or (
        "seconds from what happens to its picture"
        if known
        else "seconds are assumed; measure them with 'referee calibrate camera --delay'"
    )
    passed = known and delay <= MAX_DELAY_SECONDS
    return Check(check="delay", passed=passed, value=delay, limit=MAX_DELAY_SECONDS, message=message)


def _picture_checks(
    arguments: argparse.Namespace, picture: Picture, reader: TableReader, profile: Profile | None
) -> Iterator[Check]:
    """Yield checks of the picture: image quality, the table's place, and reading time."""
    frame = Frame(picture.name, 0.0, picture.image)
    reader.read_table(frame, profile=profile)  # the first reading loads the models
    start = perf_counter()
    reading = reader.read_table(frame, profile=profile)
    seconds = perf_counter() - start
    outside = _tiles_outside(reader.read_table(frame), profile)
    save_drawing(arguments.annotate, "check", draw(_with_outline(picture.image, profile), reading))
    quads = np.array([tile.quad for tile in reading.tiles], np.float32).reshape(-1, 4, 2)
    yield from check_picture(picture.image, quads)
    yield check_corners(find_corner_markers(picture.image), profile)
    yield _outline_check(outside)
    good = seconds <= MAX_READING_SECONDS
    message = f"seconds that one reading takes, tiles in it: {len(reading.tiles)}" + (
        "" if good else "; give the models more threads, or cool the machine"
    )
    yield Check(
        check="reading_time",
        passed=good,
        value=round(seconds, 3),
        limit=MAX_READING_SECONDS,
        message=message,
    )


def _tiles_outside(reading: TableReading, profile: Profile | None) -> int | None:
    """Return how many tiles lie face up outside the calibrated table, where they are not read; None without one."""
    if profile is None or profile.table is None:
        return None
    faces = [tile.centre for tile in reading.tiles if tile.tile is not None and not tile.doubtful]
    return len(faces) - int(np.sum(profile.is_near_table(faces))) if faces else 0


def _with_outline(image: Image, profile: Profile | None) -> Image:
    return image if profile is None else draw_table(image, profile)


def _outline_check(outside: int | None) -> Check:
    """Check that no tile lies outside the table's outline: a camera that was moved shows so without markers."""
    good = not outside
    message = (
        "the table is not calibrated"
        if outside is None
        else "all tiles lie inside the table's outline"
        if good
        else "tiles that are not read, outside the table's outline: lay them inside it; "
        "where it is wrong, the camera or the table was moved: calibrate the table again"
    )
    return Check(check="outline", passed=good, value=outside, limit=None if outside is None else 0, message=message)


def machine_checks(arguments: argparse.Namespace) -> Iterator[Check]:
    """Yield checks of pins, disk, temperature, throttling and clock."""
    yield _pin_check(load_settings(arguments))
    yield _memory_check(load_settings(arguments), arguments.camera)
    folder = state_folder(load_settings(arguments).storage.folder)
    yield _disk_check(free_megabytes(folder), str(folder))
    yield _heat_check(celsius())
    yield _throttling_check(throttling())
    yield _clock_check(wall_year(), synchronised=is_clock_synchronised())


def _pin_check(config: Config) -> Check:
    """Check that lamps, buzzer and buttons can be opened; they are released at once."""
    if not on_pi():
        return Check(check="pins", passed=True, value=None, limit=None, message="this machine has no pins")
    from referee.hardware.button import GpioButton, outdated_lgpio  # noqa: PLC0415 - only where there are pins

    try:
        open_signals(config, "gpio", "picamera", None).close()
        GpioButton(config.button, SystemClock()).close()
    except SignalError as error:
        return Check(check="pins", passed=False, value=False, limit=None, message=str(error))
    if (old := outdated_lgpio()) is not None:
        return Check(check="pins", passed=False, value=False, limit=None, message=old)
    return Check(check="pins", passed=True, value=True, limit=None, message="lamps, buzzer and buttons can be taken")


def _memory_check(config: Config, camera: str | None) -> Check:
    """Check that a Pi camera's pictures fit the kernel's contiguous memory."""
    warning, there = (memory_warning(config.camera), contiguous_megabytes()) if camera == "picamera" else (None, None)
    needed = required_megabytes(config.camera.width, config.camera.height)
    message = warning or ("no Pi camera's pictures" if there is None else "MB in one piece for a Pi camera's pictures")
    value = None if there is None else round(needed)
    return Check(check="cma", passed=warning is None, value=value, limit=there and round(there), message=message)


def _disk_check(free: float | None, folder: str) -> Check:
    good = free is not None and free >= MIN_FREE_MEGABYTES
    message = f"room in {folder}, in MB" if good else f"too little room in {folder}: delete old matches or pictures"
    return Check(
        check="disk",
        passed=good,
        value=None if free is None else round(free),
        limit=MIN_FREE_MEGABYTES,
        message=message,
    )


def _heat_check(value: float | None) -> Check:
    if value is None:
        message = "this machine does not tell its temperature"
    elif value <= MAX_CELSIUS:
        message = "cool enough"
    else:
        message = "too hot, it will slow down: give it a cooler and air"
    good = value is None or value <= MAX_CELSIUS
    return Check(check="temperature", passed=good, value=value, limit=MAX_CELSIUS, message=message)


def _throttling_check(found: tuple[str, ...] | None) -> Check:
    if found is None:
        return Check(check="throttling", passed=True, value=None, limit=None, message="not a Raspberry Pi")
    value = ", ".join(found) or "none"
    message = (
        "runs at full speed"
        if not found
        else "slowed down: use the official power supply and a cooler, restart, check again"
    )
    return Check(check="throttling", passed=not found, value=value, limit="none", message=message)


def _clock_check(year: int, *, synchronised: bool | None) -> Check:
    if year < _RELEASE_YEAR:
        message = f"the clock says {year}: set it, or connect to a network"
        return Check(check="clock", passed=False, value=False, limit=None, message=message)
    source = "set from the network" if synchronised else "not known to be set from the network"
    message = f"{source}; here it is {strftime('%H:%M (%Z)')}: quiet hours go by it, and the times of turns"
    return Check(check="clock", passed=True, value=synchronised, limit=None, message=message)
