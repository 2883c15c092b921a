"""Calibration steps on the page: from the settled table into the profile."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from referee.errors import CalibrationError, StorageError
from referee.reading.observation import TableReading
from referee.rules.verdict_json import message_to_json
from referee.rules.wording import message_of, say
from referee.storage.profile import save_profile
from referee.vision.calibrate.face_learning import Rows, learn_faces, named_rows
from referee.vision.calibrate.ink_colours import fit_distinct_inks
from referee.vision.calibrate.markers import find_corner_markers
from referee.vision.calibrate.table_plane import fit_markers, measure_tiles
from referee.vision.calibrate.tile_fit import fit_table
from referee.vision.calibrate.tile_plane import calibrated_lens
from referee.vision.geometry.plane import TILE_MM
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader
from referee.vision.profile import LockedControls, Profile
from referee.vision.watch.watcher import SettledLook, Watcher

Sides = tuple[float, float]
"""Width and depth, or height, in millimetres."""
log = logging.getLogger("referee")


@dataclass(slots=True)
class PageCalibration:
    """Takes calibration steps; their results apply from the next start."""

    watcher: Watcher
    path: Path | None
    """The profile's file; None if nothing is kept."""
    camera: str | None
    """The camera's name in the profile; None for a recording."""
    lock: Callable[[], LockedControls]
    """Finds the camera's focus and exposure again and locks them."""
    reader: TableReader
    """Learns faces it does not know."""
    profile: Profile | None = None
    """The new profile, once a step was taken."""

    def take(
        self, step: str, table_mm: Sides | None, tile_mm: Sides | None, order: str | None = None
    ) -> dict[str, Any]:
        """Take the step `light`, `tiles` or one of `STEPS` and save the profile; raises RefereeError.

        `order` gives the `tiles` on the table, row by row from the left.
        """
        if self.camera is None:
            message = say(
                "step.no_camera", "the pictures come from no camera with a name, so there is nothing to calibrate"
            )
            raise CalibrationError(message)
        if self.path is None:
            message = say("kept.no_profile", "nothing is kept of this camera; start the referee with --state DIR")
            raise StorageError(message)
        found, answer = self._light() if step == "light" else self._from_table(step, table_mm, tile_mm, order or "")
        save_profile(found, self.path)
        self.profile = found
        return {"step": step, **answer}

    def _light(self) -> tuple[Profile, dict[str, Any]]:
        """Lock focus and light as they are best now, as `referee calibrate camera`."""
        locked = self.lock()
        found = {"focus": locked.focus, "exposure": locked.exposure, "white": locked.white or None}
        fresh = replace(self._known(_newest_frame(self.watcher)), locked=locked)
        return fresh, {"not_set": [name for name, value in found.items() if value is None]}

    def _from_table(
        self, step: str, table_mm: Sides | None, tile_mm: Sides | None, order: str
    ) -> tuple[Profile, dict[str, Any]]:
        settled = settled_look(self.watcher)
        known = self._known(settled.frame)
        if step == "tiles":
            return self._tiles(known, settled.frame.image, named_rows(order))
        return STEPS[step](known, settled.frame.image, settled.reading, table_mm, tile_mm)

    def _tiles(self, known: Profile, image: Image, rows: Rows) -> tuple[Profile, dict[str, Any]]:
        """Learn faces the reader does not know, as `referee calibrate tiles --keep`."""
        learnt = learn_faces(self.reader, image, say("faces.picture", "the picture"), rows, note=log.info)
        answer = {
            "tiles": [str(tile) for row in rows for tile in row],
            "alike": [[str(first), str(other)] for first, other, _ in learnt.alike],
        }
        return replace(known, enrolment=learnt.enrolment), answer

    def _known(self, frame: Frame) -> Profile:
        """Return the profile so far, for frames of this size."""
        size = (frame.image.shape[1], frame.image.shape[0])
        known = self.profile or self.watcher.profile or Profile(camera=self.camera or "", size=size)
        return known.scaled(size)


def settled_look(watcher: Watcher) -> SettledLook:
    """Return the last settled look; CalibrationError if there is none, or not even a picture."""
    _newest_frame(watcher)
    if watcher.settled is None:
        message = say("step.unsettled", "no table has settled yet; lay the tiles, take your hands away and try again")
        raise CalibrationError(message)
    return watcher.settled


def _newest_frame(watcher: Watcher) -> Frame:
    if watcher.frame is None:
        message = say("step.no_picture", "the camera gives no picture yet; look at its cable and try again")
        raise CalibrationError(message)
    return watcher.frame


def _by_tiles(
    profile: Profile, image: Image, reading: TableReading, table_mm: Sides | None, tile_mm: Sides | None
) -> tuple[Profile, dict[str, Any]]:
    """Find lens, table and inks from the tiles of the box, as `referee calibrate setup`."""
    quads = np.array([tile.quad for tile in reading.tiles], np.float64).reshape(-1, 4, 2)
    found = fit_table(quads, profile.size, calibrated_lens(profile), tile_mm or TILE_MM, table_mm)
    fresh = replace(profile, intrinsics=found.intrinsics, table=found.table)
    try:
        fresh, why = replace(fresh, inks=fit_distinct_inks(image, reading.tiles)), None
    except CalibrationError as problem:
        why = message_to_json(message_of(problem))
    return fresh, {**_table_told(fresh), "inks_why": why}


def _by_markers(
    profile: Profile, image: Image, reading: TableReading, table_mm: Sides | None, _tile_mm: Sides | None
) -> tuple[Profile, dict[str, Any]]:
    """Find the table from the printed markers in its corners, as `referee calibrate table`."""
    markers = find_corner_markers(image)
    plane = fit_markers(markers, profile.intrinsics, table_mm)
    measured = measure_tiles(replace(profile, table=plane), reading.tiles, markers)
    fresh = replace(profile, table=replace(plane, tile_mm=measured))
    return fresh, _table_told(fresh)


def _inks(
    profile: Profile, image: Image, reading: TableReading, _table_mm: Sides | None, _tile_mm: Sides | None
) -> tuple[Profile, dict[str, Any]]:
    """Learn the inks of this box under this lamp, as `referee calibrate colours`."""
    return replace(profile, inks=fit_distinct_inks(image, reading.tiles)), {}


def _table_told(profile: Profile) -> dict[str, Any]:
    table = profile.table
    if table is None:
        return {}
    error = None if table.error_mm is None else round(table.error_mm, 1)
    return {"size_mm": [round(side) for side in table.size_mm], "error_mm": error}


_Step = Callable[[Profile, Image, TableReading, Sides | None, Sides | None], tuple[Profile, dict[str, Any]]]
STEPS: Final[dict[str, _Step]] = {"setup": _by_tiles, "table": _by_markers, "colours": _inks}
