"""The page beside the referee: its parts from the service's, the PIN, and its address on the terminal."""

import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.config import Config
from referee.errors import CalibrationError, StorageError, check_installed
from referee.game.state import Match
from referee.game.texts.cues import Cue
from referee.hardware.system import SystemClock, is_service, wall_label
from referee.ports import Clock
from referee.reading.observation import Point
from referee.service.admin import AdminService, SafeAdminService, ServiceExport
from referee.service.archive import ServiceArchive
from referee.service.missed_plays import MissedPlays
from referee.service.page_calibration import PageCalibration
from referee.service.page_settings import PageSettings
from referee.service.stop import Stop
from referee.service.support import Asked
from referee.service.watcher import Watcher
from referee.storage.json_codec import event_to_plain
from referee.storage.plain_values import Plain
from referee.vision.pipeline import TableReader
from referee.vision.profile import LockedControls, Profile
from referee.web.api.bridge import Bridge
from referee.web.api.dependencies import Arbiter, Dependencies
from referee.web.security.pin import hash_pin, load_pin, make_pin, save_pin
from referee.web.security.sessions import FILE as SESSION_FILE
from referee.web.view.evidence_pictures import EvidencePictures
from referee.web.view.pictures import Area, Pictures
from referee.web.view.state import Sighting

if TYPE_CHECKING:
    from referee.web.server import Server

log = logging.getLogger("referee")


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The parts of the service that the page shows and asks."""

    config: Config
    settings_file: Path | None
    folder: Path | None
    """Where the referee's memory lies; None where nothing is kept."""
    journal: Path | None
    head: Mapping[str, Any]
    past: Iterable[Plain]
    watcher: Watcher
    profile: Profile | None
    outline: tuple[Point, ...] | None
    """The table in the pictures, where the source of the pictures knows it."""
    clock: Clock
    recorded: bool
    camera: str | None
    """What the camera is called in profiles; None where the first one to come is taken."""
    profile_file: Path | None
    """Where its profile is kept; None where nothing is."""
    lock: Callable[[], LockedControls]
    """Finds its focus and light anew and locks them."""
    reader: TableReader
    missed: MissedPlays
    health: Callable[[], Plain]
    """How this process is."""
    arbiter: Arbiter | None
    """Whom the table may call."""
    stop: Stop
    """Ends the service."""


def check_extra() -> None:
    """Raise ConfigError where packages of the extra `web` are missing."""
    check_installed("the page needs", "web", starlette="starlette", uvicorn="uvicorn", segno="segno")


def open_page(bridge: Bridge, beside: Beside, play: Callable[[Cue], None]) -> "Server":
    """Serve the page of this bridge until it is closed; `play` asks for a cue to be tried out."""
    from referee.web.server import Server  # noqa: PLC0415 - needs the extra

    watcher, config = beside.watcher, beside.config
    evidence = None if beside.folder is None else beside.folder / "evidence"
    admin = AdminService(
        page_settings=PageSettings(config, beside.settings_file, beside.folder),
        watcher=watcher,
        clock=beside.clock,
        profile_name=config.vision.profile or None,
        play=play,
        own_health=beside.health,
        stop=beside.stop,
        steps=PageCalibration(
            watcher, beside.profile_file, None if beside.recorded else beside.camera, beside.lock, beside.reader
        ),
    )
    pin_hash, pin = _pin(beside.folder)
    server = Server(
        Dependencies(
            settings=config.web,
            bridge=bridge,
            pictures=Pictures(lambda: watcher.frame, lambda: watcher.settled_frame, lambda: _area(beside)),
            album=EvidencePictures(evidence),
            admin=admin,
            export=ServiceExport(
                beside.head,
                beside.journal,
                evidence,
                Asked(settings_file=beside.settings_file, state=beside.folder),
            ),
            archive=ServiceArchive(beside.folder, config.storage.statistics),
            limits=config.limits,
            pin_hash=pin_hash,
            set_pin=_pin_setter(beside.folder),
            now=_now(bridge, beside),
            sighting=lambda: sighting_of(watcher, private=_area(beside) is None),
            plain=event_to_plain,
            wall=wall_label,
            past=beside.past,
            missed=beside.missed.progress,
            session_file=beside.folder and beside.folder / SESSION_FILE,
            arbiter=beside.arbiter,
        )
    )
    _tell(config.web.host, server.port, pin)
    return server


def open_safe_page(
    config: Config,
    settings_file: Path | None,
    folder: Path,
    health: Callable[[], Plain],
    *,
    ask_retry: Callable[[], None],
    stop: Stop,
) -> "Server":
    """Serve a page that says why the service is in safe mode, and lets the organiser mend settings and try again."""
    from referee.web.server import Server  # noqa: PLC0415 - needs the extra

    pin_hash, _ = _pin(folder)
    clock = SystemClock()
    return Server(
        Dependencies(
            settings=config.web,
            bridge=Bridge(Match()),
            pictures=Pictures(lambda: None, lambda: None),
            album=EvidencePictures(None),
            admin=SafeAdminService(PageSettings(config, settings_file, folder), ask_retry, health, stop),
            export=ServiceExport({}, None, None, Asked(settings_file=settings_file, state=folder)),
            archive=ServiceArchive(folder, config.storage.statistics),
            limits=config.limits,
            pin_hash=pin_hash,
            set_pin=_pin_setter(folder),
            now=clock.now,
            sighting=Sighting,
            plain=event_to_plain,
            wall=wall_label,
            safe_mode=lambda: str(health()["reason"]),
            session_file=folder / SESSION_FILE,
        )
    )


def _pin(folder: Path | None) -> tuple[Callable[[], str | None], str | None]:
    """Return what knows the PIN's hash; where none was set and a person looks on, make one and give it too.

    A service makes none: what it says goes into a log, and a PIN in a log is none.
    """
    if folder is not None and (is_service() or load_pin(folder) is not None):
        if load_pin(folder) is None:
            log.warning("no PIN is set, so nobody can change anything on the page; set one: referee config pin")
        return lambda: load_pin(folder), None
    pin = make_pin()
    if folder is None:
        kept = hash_pin(pin)
        return lambda: kept, pin
    save_pin(folder, pin)
    return lambda: load_pin(folder), pin


def _pin_setter(folder: Path | None) -> Callable[[str], None]:
    """Return what keeps another PIN."""

    def keep(pin: str) -> None:
        if folder is None:
            raise StorageError("nothing is kept of this match; start the referee with --state DIR to set a PIN")
        save_pin(folder, pin)

    return keep


def _now(bridge: Bridge, beside: Beside) -> Callable[[], float]:
    """Tell the match's time: a recording keeps its own."""
    if beside.recorded:
        return lambda: max(0.0, bridge.match.now)
    return beside.clock.now


def sighting_of(watcher: Watcher, *, private: bool = False) -> Sighting:
    """Return what the camera shows now; `private`: only the organiser sees its pictures."""
    frame = watcher.settled_frame
    return Sighting(
        frame_id=None if frame is None else frame.frame_id,
        size=None if frame is None else (frame.image.shape[1], frame.image.shape[0]),
        seen_at=watcher.seen_at,
        hands=watcher.moving,
        private=private,
    )


def _area(beside: Beside) -> Area | None:
    """Return the part of a picture that guests may see, the table; None where it is not calibrated."""
    known = beside.profile is not None and beside.profile.table is not None
    if beside.watcher.astray and (known or beside.outline is not None):
        return Area((), None)
    if beside.outline is not None:
        return Area(beside.outline, None)
    profile = beside.watcher.profile
    if profile is None or profile.table is None:
        return None
    try:
        pixels = profile.to_picture(np.array(profile.table.outline))
    except CalibrationError:
        return None
    return Area(tuple((float(x), float(y)) for x, y in pixels), profile.size)


def _tell(host: str, port: int, pin: str | None) -> None:
    """Say where the page is and what the organiser needs; the PIN goes to the terminal alone, never into a log."""
    from referee.web.api.address import addresses, local_only, qr_text  # noqa: PLC0415 - needs the extra

    best = addresses(host, port)[0]
    log.info("the page is at %s", best)
    if local_only(host):
        log.info("it is for this machine alone; for phones: --web 0.0.0.0:%d", port)
    else:
        sys.stderr.write(qr_text(best))
        sys.stderr.flush()
    if pin is not None:
        sys.stderr.write(f"the organiser's PIN is {pin} (set your own: referee config pin)\n")
        sys.stderr.flush()
