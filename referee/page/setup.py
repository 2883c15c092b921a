"""Camera, calibration and signals of a running referee, for the organiser's page; its methods may block."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import cv2
import numpy as np

from referee.game.cues import CUES, Cue
from referee.hardware.ports import Clock
from referee.page.calibration import PageCalibration, Sides, settled_look
from referee.page.pictures import jpeg
from referee.plain_json import JsonObject
from referee.protocol.setup_answers import Calibration, Check, ProfileSummary, Report
from referee.vision.calibrate.camera_guide import examine
from referee.vision.calibrate.image_quality import check_corners, check_picture, check_to_plain
from referee.vision.calibrate.markers import find_corner_markers
from referee.vision.image.frame import Image
from referee.vision.watch.watcher import Watcher

_GREEN = (80, 200, 60)


@dataclass(slots=True)
class Setup:
    """Looks at camera, table and lamps, and sets them up."""

    watcher: Watcher
    clock: Clock
    profile_name: str | None
    play: Callable[[Cue], None]
    """Requests a cue from the thread that plays all cues."""
    steps: PageCalibration
    _report: Report | None = None

    def calibration(self) -> Calibration:
        """Return the profile and the last check."""
        return {"profile": self._known(), "report": self._report}

    def _known(self) -> ProfileSummary | None:
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
        """Take a step of the calibration, with known sizes in mm; RefereeError if it fails.

        `order` names the jokers on the table, row by row from the left.
        """
        return self.steps.take(step, table_mm, tile_mm, order)

    def check(self) -> Report:
        """Check the last settled table: focus, brightness, glare, tile size, and whether the camera moved."""
        settled = settled_look(self.watcher)
        quads = np.array([tile.quad for tile in settled.reading.tiles], np.float32).reshape(-1, 4, 2)
        markers = find_corner_markers(settled.frame.image)
        corners = check_corners(markers, self.watcher.profile, astray=self.watcher.astray)
        checks = [*check_picture(settled.frame.image, quads), corners]
        told = [cast("Check", check_to_plain(check)) for check in checks]
        self._report = {"checks": told, "at": round(self.clock.now(), 1)}
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


def _outline(image: Image, corners: np.ndarray[Any, np.dtype[np.float64]]) -> None:
    cv2.polylines(image, [np.round(corners).astype(np.int32)], True, _GREEN, 3, cv2.LINE_AA)
