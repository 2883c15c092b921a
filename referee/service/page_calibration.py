"""The steps of the calibration that the page takes: from the table as it last settled into the profile."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from referee.errors import CalibrationError, StorageError
from referee.reading.observation import TableReading
from referee.service.watcher import Watcher
from referee.storage.profile import save_profile
from referee.vision.calibrate.ink_colours import inks_apart
from referee.vision.calibrate.markers import find_corner_markers
from referee.vision.calibrate.table_plane import fit_markers, tile_size
from referee.vision.calibrate.tile_plane import TILE_MM, fit_tiles, known_lens
from referee.vision.image.frame import Image
from referee.vision.profile import Profile

Sides = tuple[float, float]
"""Width and depth, or height, in millimetres."""


@dataclass(slots=True)
class PageCalibration:
    """Takes steps; what they found counts from the next start of the referee."""

    watcher: Watcher
    path: Path | None
    """Where the profile goes; None where nothing is kept."""
    camera: str | None
    """What the profile's camera is called; None where it has no name, as a recording."""
    profile: Profile | None = None
    """What is known once a step was taken."""

    def take(self, step: str, table_mm: Sides | None, tile_mm: Sides | None) -> dict[str, Any]:
        """Take a step of `STEPS` and write the profile; raise CalibrationError or StorageError where it fails."""
        if self.camera is None:
            raise CalibrationError("the pictures come from no camera with a name, so there is nothing to calibrate")
        if self.path is None:
            raise StorageError("nothing is kept of this camera; start the referee with --state DIR")
        frame, reading = self.watcher.settled_frame, self.watcher.last_reading
        if frame is None or reading is None:
            raise CalibrationError("no table has settled yet; lay the tiles, take your hands away and try again")
        size = (frame.image.shape[1], frame.image.shape[0])
        known = self.profile or self.watcher.profile or Profile(camera=self.camera, size=size)
        found, told = STEPS[step](known.scaled(size), frame.image, reading, table_mm, tile_mm)
        save_profile(found, self.path)
        self.profile = found
        return {"step": step, **told}


def _by_tiles(
    profile: Profile, image: Image, reading: TableReading, table_mm: Sides | None, tile_mm: Sides | None
) -> tuple[Profile, dict[str, Any]]:
    """Find lens, table and inks from the tiles of the box, as `referee calibrate setup`."""
    quads = np.array([tile.quad for tile in reading.tiles], np.float64).reshape(-1, 4, 2)
    found = fit_tiles(quads, profile.size, known_lens(profile), tile_mm or TILE_MM, table_mm)
    fresh = replace(profile, intrinsics=found.intrinsics, table=found.table)
    try:
        fresh, why = replace(fresh, inks=inks_apart(image, reading.tiles)), None
    except CalibrationError as problem:
        why = str(problem)
    return fresh, {**_table_told(fresh), "inks_why": why}


def _by_markers(
    profile: Profile, image: Image, reading: TableReading, table_mm: Sides | None, _tile_mm: Sides | None
) -> tuple[Profile, dict[str, Any]]:
    """Find the table from the printed markers in its corners, as `referee calibrate table`."""
    markers = find_corner_markers(image)
    plane = fit_markers(markers, profile.intrinsics, table_mm)
    measured = tile_size(replace(profile, table=plane), reading.tiles, markers)
    fresh = replace(profile, table=replace(plane, tile_mm=measured))
    return fresh, _table_told(fresh)


def _inks(
    profile: Profile, image: Image, reading: TableReading, _table_mm: Sides | None, _tile_mm: Sides | None
) -> tuple[Profile, dict[str, Any]]:
    """Learn the inks of this box under this lamp, as `referee calibrate colours`."""
    return replace(profile, inks=inks_apart(image, reading.tiles)), {}


def _table_told(profile: Profile) -> dict[str, Any]:
    table = profile.table
    if table is None:
        return {}
    error = None if table.error_mm is None else round(table.error_mm, 1)
    return {"size_mm": [round(side) for side in table.size_mm], "error_mm": error}


_Step = Callable[[Profile, Image, TableReading, Sides | None, Sides | None], tuple[Profile, dict[str, Any]]]
STEPS: Final[dict[str, _Step]] = {"setup": _by_tiles, "table": _by_markers, "colours": _inks}
