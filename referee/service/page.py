"""The web page beside the referee: assembling its parts, the PIN, and its address on the terminal."""

import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from referee.addresses import showable
from referee.errors import CalibrationError, StorageError, check_installed
from referee.game.cues import Cue
from referee.game.state import Match
from referee.hardware.system import SystemClock, is_service
from referee.history.archive import ServiceArchive
from referee.history.evidence_pictures import EvidencePictures
from referee.history.export import MatchExport
from referee.history.history import History
from referee.history.missed_plays import MissedPlays
from referee.page.calibration import PageCalibration
from referee.page.dependencies import Arbiter, Dependencies
from referee.page.pictures import Pictures, VisibleArea
from referee.page.setup import Setup
from referee.protocol.bridge import Bridge
from referee.protocol.state import CameraStatus
from referee.reading.observation import TableReading
from referee.rules.editions import RuleSet
from referee.rules.wording import Message, say
from referee.server.pin import hash_pin, load_pin, make_pin, save_pin
from referee.server.sessions import SESSION_FILE
from referee.service.health import Health
from referee.service.sources import profile_file
from referee.service.stop import Stop
from referee.service.support import ReportRequest, SupportReport
from referee.service.table import Table
from referee.settings.config import Config
from referee.settings.page_settings import PageSettings
from referee.storage.dataclass_codec import JsonValue
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader
from referee.vision.watch.watcher import Watcher

if TYPE_CHECKING:
    from referee.page.server import Server

log = logging.getLogger("referee")


def check_extra() -> None:
    """Raise ConfigError if packages of the extra `web` are missing."""
    check_installed("the page needs", "web", starlette="starlette", uvicorn="uvicorn", segno="segno")


def open_page(
    table: Table,
    bridge: Bridge,
    *,
    history: History,
    missed: MissedPlays,
    health: Health,
    arbiter: Arbiter | None,
    play: Callable[[Cue], None],
    stop: Stop,
) -> "Server":
    """Serve the page of this bridge until closed; `play` requests a cue for a trial."""
    from referee.page.server import Server  # noqa: PLC0415 - needs the extra

    config, watcher, memory = table.config, table.watcher, table.memory
    evidence = None if memory.folder is None else memory.folder / "evidence"
    pin_hash, pin = _pin(memory.folder)
    server = Server(
        Dependencies(
            settings=config.web,
            page_settings=PageSettings(config, table.options.settings_file, memory.folder),
            bridge=bridge,
            history=history,
            pictures=Pictures(lambda: watcher.frame, lambda: watcher.settled_frame, lambda: _area(table)),
            album=EvidencePictures(evidence),
            setup=_setup(table, play),
            read_photo=partial(_read_photo, table.reader),
            export=MatchExport(memory.head(), memory.journal_path, evidence),
            report=_report_writer(table.options.settings_file, memory.folder),
            archive=ServiceArchive(memory.folder, config.storage.statistics),
            limits=config.limits,
            pin_hash=pin_hash,
            set_pin=_pin_setter(memory.folder),
            now=(lambda: max(0.0, bridge.match.now)) if table.source.recorded else table.clock.now,
            camera_status=lambda: camera_status_of(watcher, private=_area(table) is None),
            health=lambda: health.latest,
            end=stop.then,
            missed_plays=missed.progress,
            session_file=memory.folder and memory.folder / SESSION_FILE,
            arbiter=arbiter,
        )
    )
    _tell(config.web.host, server.port, pin)
    return server


def _setup(table: Table, play: Callable[[Cue], None]) -> Setup:
    """Return what sets up camera and lamps; a recording's camera and the first one found have no name in a profile."""
    camera, profile_name = table.options.camera, table.config.vision.profile or None
    name = None if camera == "auto" or table.source.recorded else showable(camera)
    path = profile_file(table.config, table.memory.folder)
    steps = PageCalibration(table.watcher, path, name, table.source.lock, table.reader)
    return Setup(table.watcher, table.clock, profile_name, play, steps)


def open_safe_page(
    config: Config,
    settings_file: Path | None,
    folder: Path,
    health: Callable[[], JsonValue],
    why: Callable[[], Message],
    *,
    ask_retry: Callable[[], None],
    stop: Stop,
) -> "Server":
    """Serve a page that says why the service is in safe mode, with settings and a retry for the organiser."""
    from referee.page.server import Server  # noqa: PLC0415 - needs the extra

    pin_hash, _ = _pin(folder)
    return Server(
        Dependencies(
            settings=config.web,
            page_settings=PageSettings(config, settings_file, folder),
            bridge=Bridge(Match()),
            history=History(),
            pictures=Pictures(lambda: None, lambda: None),
            album=EvidencePictures(None),
            export=MatchExport({}, None, None),
            report=_report_writer(settings_file, folder),
            archive=ServiceArchive(folder, config.storage.statistics),
            limits=config.limits,
            pin_hash=pin_hash,
            set_pin=_pin_setter(folder),
            now=SystemClock().now,
            camera_status=CameraStatus,
            health=health,
            end=stop.then,
            ask_retry=ask_retry,
            safe_mode=why,
            session_file=folder / SESSION_FILE,
        )
    )


def open_photo_page(config: Config) -> "Server":
    """Serve a page that reads photographs, without a table, an organiser or anything kept."""
    from referee.page.server import Server  # noqa: PLC0415 - needs the extra

    server = Server(
        Dependencies(
            settings=config.web,
            page_settings=PageSettings(config, None, None),
            bridge=Bridge(Match()),
            history=History(),
            pictures=Pictures(lambda: None, lambda: None),
            album=EvidencePictures(None),
            read_photo=partial(_read_photo, TableReader(threads=config.vision.threads)),
            has_table=False,
            export=MatchExport({}, None, None),
            report=_report_writer(None, None),
            archive=ServiceArchive(None, kept=False),
            limits=config.limits,
            pin_hash=lambda: None,
            set_pin=_pin_setter(None),
            now=SystemClock().now,
            camera_status=CameraStatus,
            health=dict,
            end=Stop().then,
        )
    )
    _tell(config.web.host, server.port, None)
    return server


def _report_writer(settings_file: Path | None, folder: Path | None) -> Callable[[Path, int], None]:
    """Return a function that writes a bug report."""
    request = ReportRequest(settings_file=settings_file, state=folder)
    return lambda into, pictures: SupportReport(replace(request, pictures=pictures)).write(into)


def _read_photo(reader: TableReader, image: Image, rules: RuleSet) -> TableReading:
    """Return what a photograph shows; the camera's profile tells nothing about it."""
    return reader.read_table(Frame("photograph", 0.0, image), rules.box)


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


def _area(table: Table) -> VisibleArea | None:
    """Return the part of a picture that guests may see, the table; None if it is not calibrated."""
    outline, watcher = table.source.area, table.watcher
    known = table.profile is not None and table.profile.table is not None
    if watcher.astray and (known or outline is not None):
        return VisibleArea((), None)
    if outline is not None:
        return VisibleArea(outline, None)
    profile = watcher.profile
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
