"""The web page beside the referee: assembling its parts, the PIN, and its address on the terminal."""

import logging
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import CalibrationError, StorageError, check_installed
from referee.game.cues import Cue
from referee.game.state import Match
from referee.hardware.ports import Clock
from referee.hardware.system import SystemClock, is_service
from referee.history.archive import ServiceArchive
from referee.history.evidence_pictures import EvidencePictures
from referee.history.history import History
from referee.history.missed_plays import MissedPlays
from referee.page.dependencies import Arbiter, Dependencies
from referee.page.pictures import Pictures, VisibleArea
from referee.protocol.bridge import Bridge
from referee.protocol.state import CameraStatus
from referee.reading.observation import Point
from referee.rules.wording import say
from referee.server.pin import hash_pin, load_pin, make_pin, save_pin
from referee.server.sessions import SESSION_FILE
from referee.service.admin import AdminService, SafeAdminService, ServiceExport
from referee.service.page_calibration import PageCalibration
from referee.service.stop import Stop
from referee.service.support import ReportRequest
from referee.settings.config import Config
from referee.settings.page_settings import PageSettings
from referee.storage.dataclass_codec import JsonValue
from referee.vision.pipeline import TableReader
from referee.vision.profile import LockedControls, Profile
from referee.vision.watch.watcher import Watcher

if TYPE_CHECKING:
    from referee.page.server import Server

log = logging.getLogger("referee")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageParts:
    """The parts of the service that the page shows or calls."""

    config: Config
    settings_file: Path | None
    folder: Path | None
    """The state folder; None if nothing is kept."""
    journal: Path | None
    head: Mapping[str, Any]
    history: History
    watcher: Watcher
    profile: Profile | None
    outline: tuple[Point, ...] | None
    """The table's outline in pixels, if the source knows it."""
    clock: Clock
    recorded: bool
    camera: str | None
    """The camera's name in profiles; None if the first available camera is used."""
    profile_file: Path | None
    """The profile's file; None if nothing is kept."""
    lock: Callable[[], LockedControls]
    """Finds the camera's focus and exposure again and locks them."""
    reader: TableReader
    missed: MissedPlays
    health: Callable[[], JsonValue]
    """This process's health report."""
    arbiter: Arbiter | None
    """The arbiter that the table may call."""
    stop: Stop
    """Ends the service."""


def check_extra() -> None:
    """Raise ConfigError if packages of the extra `web` are missing."""
    check_installed("the page needs", "web", starlette="starlette", uvicorn="uvicorn", segno="segno")


def open_page(bridge: Bridge, parts: PageParts, play: Callable[[Cue], None]) -> "Server":
    """Serve the page of this bridge until closed; `play` requests a cue for a trial."""
    from referee.page.server import Server  # noqa: PLC0415 - needs the extra

    watcher, config = parts.watcher, parts.config
    evidence = None if parts.folder is None else parts.folder / "evidence"
    admin = AdminService(
        page_settings=PageSettings(config, parts.settings_file, parts.folder),
        watcher=watcher,
        clock=parts.clock,
        profile_name=config.vision.profile or None,
        play=play,
        latest_health=parts.health,
        stop=parts.stop,
        steps=PageCalibration(
            watcher, parts.profile_file, None if parts.recorded else parts.camera, parts.lock, parts.reader
        ),
    )
    pin_hash, pin = _pin(parts.folder)
    server = Server(
        Dependencies(
            settings=config.web,
            bridge=bridge,
            pictures=Pictures(lambda: watcher.frame, lambda: watcher.settled_frame, lambda: _area(parts)),
            album=EvidencePictures(evidence),
            admin=admin,
            export=ServiceExport(
                parts.head,
                parts.journal,
                evidence,
                ReportRequest(settings_file=parts.settings_file, state=parts.folder),
            ),
            archive=ServiceArchive(parts.folder, config.storage.statistics),
            limits=config.limits,
            pin_hash=pin_hash,
            set_pin=_pin_setter(parts.folder),
            now=_now(bridge, parts),
            camera_status=lambda: camera_status_of(watcher, private=_area(parts) is None),
            history=parts.history,
            missed_plays=parts.missed.progress,
            session_file=parts.folder and parts.folder / SESSION_FILE,
            arbiter=parts.arbiter,
        )
    )
    _tell(config.web.host, server.port, pin)
    return server


def open_safe_page(
    config: Config,
    settings_file: Path | None,
    folder: Path,
    health: Callable[[], JsonValue],
    *,
    ask_retry: Callable[[], None],
    stop: Stop,
) -> "Server":
    """Serve a page that says why the service is in safe mode, with settings and a retry for the organiser."""
    from referee.page.server import Server  # noqa: PLC0415 - needs the extra

    pin_hash, _ = _pin(folder)
    clock = SystemClock()
    return Server(
        Dependencies(
            settings=config.web,
            bridge=Bridge(Match()),
            pictures=Pictures(lambda: None, lambda: None),
            album=EvidencePictures(None),
            admin=SafeAdminService(PageSettings(config, settings_file, folder), ask_retry, health, stop),
            export=ServiceExport({}, None, None, ReportRequest(settings_file=settings_file, state=folder)),
            archive=ServiceArchive(folder, config.storage.statistics),
            limits=config.limits,
            pin_hash=pin_hash,
            set_pin=_pin_setter(folder),
            now=clock.now,
            camera_status=CameraStatus,
            history=History(),
            safe_mode=lambda: str(health()["reason"]),
            session_file=folder / SESSION_FILE,
        )
    )


def _pin(folder: Path | None) -> tuple[Callable[[], str | None], str | None]:
    """Return a function for the PIN's hash, and a new PIN if none was set and a person is at the terminal.

    A service makes no PIN: it would end up in a log.
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
    """Return a function that saves a new PIN."""

    def keep(pin: str) -> None:
        if folder is None:
            message = say(
                "kept.no_pin", "nothing is kept of this match; start the referee with --state DIR to set a PIN"
            )
            raise StorageError(message)
        save_pin(folder, pin)

    return keep


def _now(bridge: Bridge, parts: PageParts) -> Callable[[], float]:
    """Return a function for the match's time; a recording has its own."""
    if parts.recorded:
        return lambda: max(0.0, bridge.match.now)
    return parts.clock.now


def camera_status_of(watcher: Watcher, *, private: bool = False) -> CameraStatus:
    """Return what the camera sees now; `private` says that only the organiser may see its pictures."""
    frame = watcher.settled_frame
    return CameraStatus(
        frame_id=None if frame is None else frame.frame_id,
        size=None if frame is None else (frame.image.shape[1], frame.image.shape[0]),
        seen_at=watcher.seen_at,
        hands=watcher.moving,
        private=private,
    )


def _area(parts: PageParts) -> VisibleArea | None:
    """Return the part of a picture that guests may see, the table; None if it is not calibrated."""
    known = parts.profile is not None and parts.profile.table is not None
    if parts.watcher.astray and (known or parts.outline is not None):
        return VisibleArea((), None)
    if parts.outline is not None:
        return VisibleArea(parts.outline, None)
    profile = parts.watcher.profile
    if profile is None or profile.table is None:
        return None
    try:
        pixels = profile.to_picture(np.array(profile.table.outline))
    except CalibrationError:
        return None
    return VisibleArea(tuple((float(x), float(y)) for x, y in pixels), profile.size)


def _tell(host: str, port: int, pin: str | None) -> None:
    """Print the page's address and a new PIN; the PIN goes only to the terminal, never into a log."""
    from referee.server.address import is_local_only, page_addresses, qr_text  # noqa: PLC0415 - needs the extra

    best = page_addresses(host, port)[0]
    log.info("the page is at %s", best)
    if is_local_only(host):
        log.info("it is for this machine alone; for phones: --web 0.0.0.0:%d", port)
    else:
        sys.stderr.write(qr_text(best))
        sys.stderr.flush()
    if pin is not None:
        sys.stderr.write(f"the organiser's PIN is {pin} (set your own: referee config pin)\n")
        sys.stderr.flush()
