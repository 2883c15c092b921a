"""The organiser's page and the service: settings, calibration, signals, health, export."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import cv2
import numpy as np

from referee.errors import CalibrationError, StorageError
from referee.game.cues import CUES, Cue
from referee.game.events import TurnEvent
from referee.hardware.ports import Clock
from referee.hardware.system import is_service
from referee.history.export import export_match
from referee.history.record import format_events
from referee.page.dependencies import Sides
from referee.page.pictures import jpeg
from referee.plain_json import JsonObject
from referee.rules.wording import say
from referee.service.page_calibration import PageCalibration, settled_look
from referee.service.stop import Stop
from referee.service.support import ReportRequest, SupportReport
from referee.settings.page_settings import PageSettings
from referee.vision.calibrate.camera_guide import examine
from referee.vision.calibrate.image_quality import check_corners, check_picture, check_to_plain
from referee.vision.calibrate.markers import find_corner_markers
from referee.vision.image.frame import Image
from referee.vision.watch.watcher import Watcher

_GREEN = (80, 200, 60)


@dataclass(slots=True)
class AdminService:
    """The organiser's tasks for a running referee, beside the match."""

    page_settings: PageSettings
    watcher: Watcher
    clock: Clock
    profile_name: str | None
    play: Callable[[Cue], None]
    """Requests a cue from the thread that plays all cues."""
    latest_health: Callable[[], JsonObject]
    stop: Stop
    steps: PageCalibration
    _report: JsonObject | None = None

    def settings(self) -> JsonObject:
        """Return the settings."""
        return self.page_settings.show()

    def change_settings(self, changes: Mapping[str, Any]) -> Mapping[str, JsonObject]:
        """Keep changed settings."""
        return self.page_settings.change(changes)

    def calibration(self) -> JsonObject:
        """Return the profile and the last check."""
        return {"profile": self._known(), "report": self._report}

    def _known(self) -> JsonObject | None:
        profile = self.steps.profile or self.watcher.profile
        if profile is None:
            return None
        return {
            "file": self.profile_name,
            "camera": profile.camera,
            "size": list(profile.size),
            "light": profile.locked is not None,
            "lens": profile.intrinsics is not None,
            "table": profile.table is not None,
            "inks": profile.inks is not None,
            "tiles": 0 if profile.enrolment is None else len(profile.enrolment.faces),
            "in_force": self.steps.profile is None,
        }

    def calibrate(self, step: str, table_mm: Sides | None, tile_mm: Sides | None, order: str | None) -> JsonObject:
        """Take a step of the calibration."""
        return self.steps.take(step, table_mm, tile_mm, order)

    def check(self) -> JsonObject:
        """Check the last settled table: focus, brightness, glare, tile size, and whether the camera moved."""
        settled = settled_look(self.watcher)
        quads = np.array([tile.quad for tile in settled.reading.tiles], np.float32).reshape(-1, 4, 2)
        markers = find_corner_markers(settled.frame.image)
        corners = check_corners(markers, self.watcher.profile, astray=self.watcher.astray)
        checks = [*check_picture(settled.frame.image, quads), corners]
        self._report = {"checks": [check_to_plain(check) for check in checks], "at": round(self.clock.now(), 1)}
        return self._report

    def guide(self) -> JsonObject:
        """Return what is wrong with the live picture, or with the last settled one while hands are over the table."""
        watcher, settled = self.watcher, self.watcher.settled
        frame = settled.frame if watcher.moving and settled else watcher.frame
        if frame is None:
            return {"size": None, "findings": []}
        tiles = [] if settled is None else [tile.quad for tile in settled.reading.tiles]
        quads = np.array(tiles, np.float32).reshape(-1, 4, 2)
        found = examine(frame.image, quads, watcher.profile, astray=watcher.astray)
        size = [frame.image.shape[1], frame.image.shape[0]]
        return {"size": size, "findings": [asdict(finding) for finding in found]}

    def calibration_picture(self) -> bytes | None:
        """Return the newest frame as JPEG, with the table's outline and the visible markers drawn in."""
        frame = self.watcher.frame
        if frame is None:
            return None
        image = frame.small.copy()
        for quad in find_corner_markers(image).values():
            _outline(image, np.asarray(quad, np.float64))
        profile = self.steps.profile or self.watcher.profile
        if profile is not None and profile.table is not None:
            size = (image.shape[1], image.shape[0])
            fitted = profile if profile.size == size else profile.scaled(size)
            _outline(image, np.asarray(fitted.to_picture(np.array(profile.table.outline)), np.float64))
        return jpeg(image)

    def cues(self) -> Sequence[str]:
        """Return the names of the cues that shine or sound."""
        return [cue.name for cue in CUES.values() if cue.blinks or cue.tones]

    def play_cue(self, cue: str) -> None:
        """Play a cue."""
        self.play(CUES[cue])

    def health(self) -> JsonObject:
        """Return this process's last health report."""
        return {**self.latest_health(), "can_end": is_service()}

    def retry(self) -> bool:
        """Return False: a running referee is not in safe mode."""
        return False

    def end(self, *, power_off: bool) -> None:
        """End the service, to restart it or to shut the machine down."""
        self.stop.then(power_off=power_off)


@dataclass(frozen=True, slots=True)
class SafeAdminService:
    """The organiser's tasks in safe mode: mend settings and ask for another start."""

    page_settings: PageSettings
    ask_retry: Callable[[], None]
    """Requests another start."""
    latest_health: Callable[[], JsonObject]
    stop: Stop

    def settings(self) -> JsonObject:
        """Return the settings."""
        return self.page_settings.show()

    def change_settings(self, changes: Mapping[str, Any]) -> Mapping[str, JsonObject]:
        """Keep changed settings."""
        return self.page_settings.change(changes)

    def calibration(self) -> JsonObject:
        """Return an empty calibration: there is no camera."""
        return {"profile": None, "report": None}

    def check(self) -> NoReturn:
        """Raise CalibrationError: there is nothing to check."""
        raise CalibrationError(
            say("safe.no_camera", "in safe mode camera and models are off; fix what the page names and try again")
        )

    def calibrate(self, _step: str, _table_mm: Sides | None, _tile_mm: Sides | None, _order: str | None) -> JsonObject:
        """Raise CalibrationError: there is nothing to calibrate."""
        return self.check()

    def guide(self) -> JsonObject:
        """Return no finding: there is no picture."""
        return {"size": None, "findings": []}

    def calibration_picture(self) -> bytes | None:
        """Return None: there is no picture."""
        return None

    def cues(self) -> Sequence[str]:
        """Return no cue: the lamps show only that help is needed."""
        return ()

    def play_cue(self, _cue: str) -> None:
        """Leave the lamps as they are."""

    def health(self) -> JsonObject:
        """Return this process's last health report."""
        return {**self.latest_health(), "can_end": is_service()}

    def retry(self) -> bool:
        """Ask for another start."""
        self.ask_retry()
        return True

    def end(self, *, power_off: bool) -> None:
        """End the service, to restart it or to shut the machine down."""
        self.stop.then(power_off=power_off)


@dataclass(frozen=True, slots=True)
class ServiceExport:
    """Exports the match of a journal; without one, only what the page remembers."""

    head: Mapping[str, Any]
    journal: Path | None
    evidence: Path | None
    support: ReportRequest

    def record(self, events: Sequence[TurnEvent]) -> str:
        """Return the game record."""
        return format_events(self.head, events)

    def bundle(self, into: Path, scores: str) -> None:
        """Write everything."""
        if self.journal is None:
            raise StorageError(
                say("kept.no_match", "nothing is kept of this match; start the referee with --state DIR")
            )
        export_match(self.journal, self.evidence, into, scores)

    def report(self, into: Path, *, pictures: int) -> None:
        """Write a bug report."""
        SupportReport(replace(self.support, pictures=pictures)).write(into)


def _outline(image: Image, corners: np.ndarray[Any, np.dtype[np.float64]]) -> None:
    cv2.polylines(image, [np.round(corners).astype(np.int32)], True, _GREEN, 3, cv2.LINE_AA)
