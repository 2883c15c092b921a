"""The camera, button and signals to use: requested, detected, or simulated."""

import logging
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from referee.addresses import showable
from referee.errors import CalibrationError, CameraError, ConfigError
from referee.game.inputs import MatchStarted, Seat
from referee.game.limits import Limits
from referee.hardware.console import ConsoleSignals, NoButton, NoSignals
from referee.hardware.driver import Driver
from referee.hardware.keyboard import KeyboardButton, has_terminal
from referee.hardware.live import LiveCamera
from referee.hardware.network import NetworkDriver, is_network, stream_address
from referee.hardware.ports import Button, Clock, PlannedButton, Signals
from referee.hardware.system import is_service
from referee.language.catalogue import ENGLISH
from referee.reading.inputs import Seconds
from referee.rules.wording import say
from referee.service.match_source import RECORDED_DOUBT_SECONDS, Source
from referee.settings.config import Config
from referee.settings.hardware import ASSUMED_NETWORK_DELAY_SECONDS, CameraSettings
from referee.storage.profile import PROFILE_NAME, load_profile
from referee.vision.pipeline import TableReader
from referee.vision.profile import LockedControls, Profile

_SIMULATED = re.compile(r"sim(?::(\d{1,3}))?", re.ASCII)
_LIVE = re.compile(r"picamera|usb:\d{1,2}|/dev/\S+")
_MAX_NAME = 255  # bytes that Linux allows
log = logging.getLogger("referee")
_PI_MODEL = Path("/proc/device-tree/model")


def is_recorded(camera: str) -> bool:
    """Return whether a camera plays a recording or a simulation."""
    return _SIMULATED.fullmatch(camera) is not None or camera.startswith("replay:")


def find_camera(asked: str, known: str | None = None) -> str:
    """Return the camera to use: the one asked for, or else the profile's (`known`), or else an attached one.

    Without any of them, a person gets the simulated table, and a service waits for a camera.
    """
    if asked != "auto":
        return asked
    if known is not None:
        return known
    from referee.hardware.attached import attached_camera  # noqa: PLC0415 - looks for drivers

    return attached_camera() or ("auto" if is_service() else "sim")


def profiled_camera(config: Config, folder: Path) -> str | None:
    """Return the camera of the profile in force; None without a profile, or if it was made from files."""
    path = Path(config.vision.profile) if config.vision.profile else folder / PROFILE_NAME
    try:
        camera = load_profile(path).camera
    except CalibrationError:
        return None  # reported when the profile is opened
    return camera if _LIVE.fullmatch(camera) or is_network(camera) else None


def profile_file(config: Config, folder: Path | None) -> Path | None:
    """Return the profile's file: from the settings, or else beside the journals."""
    if config.vision.profile:
        return Path(config.vision.profile)
    return None if folder is None else folder / PROFILE_NAME


def open_profile(config: Config, camera: str, folder: Path | None, reader: TableReader) -> Profile | None:
    """Return the profile of the settings, or for a live camera the one beside the journals; None without one.

    Raises CalibrationError if it belongs to another camera or reader. A recording does not name its camera.
    """
    recorded = is_recorded(camera)
    path = profile_file(config, folder)
    if path is None or (not config.vision.profile and (recorded or not path.exists())):
        return None
    profile = load_profile(path, None if recorded or camera == "auto" else camera)
    reader.check_profile(profile)
    log.info("camera %s, profile %s: %s", showable(camera), path, ", ".join(profile.calibrated_steps) or "nothing yet")
    if profile.locked is None and not recorded:
        log.warning("profile %s knows no focus and light; lock them with: referee calibrate camera --light", path)
    return profile


def waiting_notice(camera: str) -> str | None:
    """Return a notice that a local camera is not attached; None if it is, or is not local."""
    from referee.hardware.attached import is_attached  # noqa: PLC0415 - looks for drivers

    if not _LIVE.fullmatch(camera) or is_attached(camera):
        return None
    return f"Camera {camera} is not there: waiting for it. To see a simulated table instead: --camera sim."


def _attached() -> str:
    from referee.hardware.attached import attached_camera  # noqa: PLC0415 - looks for drivers

    found = attached_camera()
    if found is None:
        raise CameraError("no camera is attached; plug one in, or name it under [camera]")
    return found


def delay_of(camera: str, settings: CameraSettings, measured: float | None) -> float:
    """Return how late a camera's pictures arrive, in seconds: as set, or as measured, or as usual in a network."""
    assumed = ASSUMED_NETWORK_DELAY_SECONDS if is_network(camera) else 0.0
    return settings.delay_seconds or (assumed if measured is None else measured)


def open_source(
    config: Config,
    camera: str,
    clock: Clock,
    locked: LockedControls | None = None,
    delay_seconds: float | None = None,
) -> Source:
    """Open the camera, with its locked controls and measured delay, and its button; raises CameraError or ConfigError.

    A live camera that is not attached is no error: it is retried until it appears.
    """
    if simulated := _SIMULATED.fullmatch(camera):
        from referee.service.simulated import simulated_source  # noqa: PLC0415 - the renderer is loaded only to be used

        return simulated_source(config, None if simulated[1] is None else int(simulated[1]))
    if camera.startswith("replay:"):
        recording = camera.removeprefix("replay:")
        if "://" in recording:
            raise ConfigError(
                say(
                    "camera.replayed_address",
                    "camera {camera} names an address; save the recording here and name its folder",
                    camera=showable(camera)[:200],
                )
            )
        return _replayed(Path(recording))
    if camera == "picamera":
        from referee.hardware.picamera import memory_warning  # noqa: PLC0415

        if (problem := memory_warning(config.camera)) is not None:
            log.warning("%s", problem)
    if not is_service() and (notice := waiting_notice(camera)) is not None:
        log.info("%s", notice)
    live = LiveCamera(
        showable(camera),
        live_driver(config, camera, locked),
        config.camera,
        clock,
        delay_seconds=delay_of(camera, config.camera, delay_seconds),
    )
    if on_pi() and config.button.wired:
        return Source(camera=live, button=open_button(config, clock), recorded=False, pressable=True)
    if is_service() or not has_terminal():
        return Source(camera=live, button=NoButton(), recorded=False)
    keyboard = KeyboardButton(sys.stdin.fileno(), log.info)
    return Source(camera=live, button=keyboard, recorded=False, pressable=True, organiser=keyboard)


def _replayed(path: Path) -> Source:
    from referee.hardware.replay import RecordedCamera, Recording, open_recording  # noqa: PLC0415

    recording = open_recording(path)
    if not isinstance(recording, Recording):
        return Source(camera=recording, button=NoButton(), recorded=True)
    recorded = recording.match
    match = (
        None
        if recorded is None
        else MatchStarted(
            at=Seconds(0.0),
            names=tuple(recorded["players"]),
            edition=recorded["edition"],
            first=Seat(recorded.get("first", 0)),
            games=recorded.get("games"),
            limits=Limits(doubt_seconds=RECORDED_DOUBT_SECONDS),
        )
    )
    button = PlannedButton(recording.presses)
    area = tuple((float(x), float(y)) for x, y in (recorded or {}).get("area", ())) or None
    return Source(camera=RecordedCamera(recording.looks), button=button, recorded=True, match=match, area=area)


def live_driver(config: Config, camera: str, locked: LockedControls | None = None) -> Callable[[], Driver]:
    """Return a function that opens a live camera; raises ConfigError for an unknown name."""
    settings = config.camera
    if camera == "picamera":
        from referee.hardware.picamera import PicameraDriver  # noqa: PLC0415

        return lambda: PicameraDriver(settings, locked)
    if number := re.fullmatch(r"usb:(\d{1,2})", camera):
        from referee.hardware.usb import UsbCamera  # noqa: PLC0415

        return UsbCamera(int(number[1]), settings, locked)
    if camera.startswith("/dev/"):
        from referee.hardware.usb import UsbCamera  # noqa: PLC0415

        return UsbCamera(Path(camera), settings, locked)
    if is_network(camera):
        stream_address(camera)  # reports a mistyped address at once
        return lambda: NetworkDriver(camera, settings)
    if camera == "auto":

        def open_whichever_is_there() -> Driver:
            return live_driver(config, _attached(), locked)()

        return open_whichever_is_there
    if len(camera) < _MAX_NAME and Path(camera).exists():
        raise ConfigError(
            say(
                "camera.recording",
                "camera {camera} is a recording; write replay:{path}",
                camera=repr(camera[:60]),
                path=camera,
            )
        )
    raise ConfigError(
        say(
            "camera.unknown",
            "camera {camera} is not known; use sim, sim:N, replay:PATH, usb:N, /dev/…, "
            "picamera, url:http://… or rtsp://…",
            camera=repr(camera[:60]),
        )
    )


def open_button(config: Config, clock: Clock) -> Button:
    """Open the button on its pin, or none if this machine has no pins; raises SignalError."""
    if not on_pi():
        return NoButton()
    from referee.hardware.button import GpioButton  # noqa: PLC0415 - only where there are pins

    return GpioButton(config.button, clock)


def on_pi() -> bool:
    """Return whether this is a Raspberry Pi, or pins are simulated."""
    if "GPIOZERO_PIN_FACTORY" in os.environ:
        return True
    return _PI_MODEL.exists() and "Raspberry Pi" in _PI_MODEL.read_text("utf-8")


def open_signals(config: Config, asked: str, camera: str, words: TextIO | None, language: str = ENGLISH) -> Signals:
    """Open the requested signals: by default lamps and buzzer on a Pi, words in this language elsewhere.

    A service without lamps has none: its log tells the turns.
    """
    kind = asked
    if kind == "auto" and on_pi() and not is_recorded(camera):
        kind = "gpio"
    elif kind == "auto":
        kind = "none" if is_service() else "console"
    match kind:
        case "none":
            return NoSignals()
        case "gpio":
            from referee.hardware.signals import GpioSignals  # noqa: PLC0415 - only where there are pins

            return GpioSignals(config.signals)
        case _:
            return ConsoleSignals(words, language)
