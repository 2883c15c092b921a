"""How late the camera's pictures arrive: switch a light that it sees, and measure when the pictures show it."""

import argparse
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic, sleep
from typing import Final

import numpy as np

from referee.addresses import showable
from referee.cli.progress import Progress
from referee.cli.steps.common import check_free, load_settings, print_note, print_result, profile_for, save
from referee.errors import CameraError, ConfigError
from referee.game.cues import Blink, Cue, Lamp
from referee.hardware.driver import AgedPicture, Driver
from referee.service.sources import is_recorded, live_driver, on_pi, open_signals
from referee.settings.config import Config
from referee.settings.hardware import MAX_DELAY_SECONDS
from referee.vision.calibrate.delay import MAX_MEASURED_SECONDS, Levels, fit_delay, part_levels

# Irregular, so that no two delays fit.
_PATTERN_SECONDS: Final = (1.1, 0.7, 1.6, 0.5, 1.3, 0.9, 0.6, 1.7, 0.8, 1.2, 0.5, 1.0)
_ON: Final = Cue("delay", blinks=tuple(Blink(lamp, (1.0,)) for lamp in Lamp))
_OFF: Final = Cue("delay", blinks=tuple(Blink(lamp, (0.0, 0.1)) for lamp in Lamp))
_REVERSED, _USUAL = "\x1b[?5h", "\x1b[?5l"  # DECSCNM: the whole screen light on dark, or dark on light
Light = Callable[[bool], None]


def measure_delay(arguments: argparse.Namespace) -> int:
    """Measure the delay, write it into the profile, and say it; CameraError if it is longer than a referee can wait."""
    if arguments.camera is None or is_recorded(arguments.camera):
        raise ConfigError("--delay measures a live camera; name it with --camera")
    check_free(arguments.camera)
    config, camera = load_settings(arguments), showable(arguments.camera)
    driver = live_driver(config, arguments.camera)()
    try:
        with _light(config) as light, Progress("measuring the delay"):
            delay = watch_light(driver, light)
    finally:
        driver.close()
    if delay is None:
        raise CameraError(
            f"camera {camera} does not show the light within {MAX_MEASURED_SECONDS:g} s; "
            "point it at the light in a dimmer room, and try again"
        )
    profile = profile_for(arguments, (config.camera.width, config.camera.height))
    path = save(replace(profile, delay_seconds=delay), arguments)
    if (refusal := why_too_late(camera, delay)) is not None:
        raise CameraError(refusal)
    report = {"profile": str(path), "delay_seconds": delay}
    print_result(report, [f"Pictures arrive {delay:g} s late.", f"Written to {path}."], as_json=arguments.json)
    return 0


def why_too_late(camera: str, delay: float) -> str | None:
    """Return why a camera is too slow to referee, and the way out; None if it is not."""
    if delay <= MAX_DELAY_SECONDS:
        return None
    return (
        f"pictures of camera {camera} come {delay:g} s late, and {MAX_DELAY_SECONDS:g} s is the most; "
        "set smaller pictures or no buffering in its app, move it nearer to the Wi-Fi, or use a cable"
    )


def watch_light(
    driver: Driver, light: Light, pattern: Sequence[float] = _PATTERN_SECONDS, wait: float = MAX_MEASURED_SECONDS
) -> float | None:
    """Switch the light by a pattern, and return how late pictures show it; None if they do not. Raises CameraError."""
    arrivals: list[float] = []
    levels: list[Levels] = []
    errors: list[CameraError] = []
    done = threading.Event()

    def watch() -> None:
        try:
            while not done.is_set():
                read = driver.read()
                picture, age = (read.picture, read.age) if isinstance(read, AgedPicture) else (read, 0.0)
                arrivals.append(monotonic() - age)
                levels.append(part_levels(picture if isinstance(picture, np.ndarray) else picture.small))
                if not isinstance(picture, np.ndarray):
                    picture.drop()
        except CameraError as error:
            errors.append(error)

    watching = threading.Thread(target=watch, name="referee-delay", daemon=True)
    watching.start()
    switches = list(_switched(light, pattern))
    sleep(wait)
    done.set()
    watching.join(wait)
    if errors:
        raise errors[0]
    return fit_delay(switches, arrivals[: len(levels)], levels) if levels else None


def _switched(light: Light, pattern: Sequence[float]) -> Iterator[tuple[float, bool]]:
    """Switch the light on and off, and yield when it was switched to what."""
    for number, seconds in enumerate(pattern):
        on = number % 2 == 0
        light(on)
        yield monotonic(), on
        sleep(seconds)
    light(False)
    yield monotonic(), False


@contextmanager
def _light(config: Config) -> Iterator[Light]:
    """Yield what switches the lamps on and off, or else this terminal's screen; ConfigError without either."""
    if on_pi():
        signals = open_signals(config, "gpio", "picamera", None)
        try:
            print_note("The lamps blink for 20 s: the camera must see one of them.")
            yield lambda on: signals.play(_ON if on else _OFF)
        finally:
            signals.close()
        return
    if not sys.stderr.isatty():
        raise ConfigError("there is no lamp to switch; call it in a terminal, which then flashes instead")
    print_note("This screen flashes for 20 s: hold the camera so that it sees the screen.")
    try:
        yield _flash
    finally:
        _flash(False)


def _flash(on: bool) -> None:  # noqa: FBT001 - a callback
    sys.stderr.write(_REVERSED if on else _USUAL)
    sys.stderr.flush()
