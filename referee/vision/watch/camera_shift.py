"""A camera or table that was pushed: noticed by the markers or by tiles that all moved alike, and found anew.

Markers tell both that and where. Without them a push is believed only where at least three sets moved as one piece and
nearly nothing stayed: players move sets, but not all of them alike. What was calibrated no longer holds then.
"""

from collections import defaultdict
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.reading.observation import TableReading, TileReading
from referee.vision.calibrate.markers import find_corner_markers
from referee.vision.calibrate.table_plane import fit_markers
from referee.vision.image.frame import Image
from referee.vision.profile import Profile

_MIN_SHIFT_WIDTHS: Final = 0.3  # tile widths: less changes no reading
_MIN_SHIFT_PX: Final = 6.0  # of a corner of the table, where the markers tell
_INLIER_WIDTHS: Final = 0.25  # tile widths from where the common movement brings a tile
_MIN_SHARE_MOVED: Final = 0.8
_MIN_TILES, _MIN_SETS = 9, 3


def is_pushed(before: TableReading, now: TableReading) -> bool:
    """Whether nearly all tiles moved together, as they do when camera or table is pushed."""
    here, there, owners, width = _same_names(before, now)
    if len(set(owners)) < _MIN_TILES:
        return False
    found, alike = cv2.estimateAffinePartial2D(
        here, there, method=cv2.RANSAC, ransacReprojThreshold=_INLIER_WIDTHS * width
    )
    movement = np.asarray(found, np.float64)
    if movement.shape != (2, 3):
        return False
    moved_alike = {owner for owner, one in zip(owners, np.ravel(alike), strict=True) if one}
    shifts = np.hypot(*(here @ movement[:, :2].T + movement[:, 2] - here).T)
    sets = [tiles for tiles in before.layouts[0].sets if len(moved_alike.intersection(tiles)) > 1]
    return bool(
        np.median(shifts) > _MIN_SHIFT_WIDTHS * width
        and len(moved_alike) >= max(_MIN_TILES, _MIN_SHARE_MOVED * len(set(owners)))
        and len(sets) >= _MIN_SETS
    )


def _same_names(
    before: TableReading, now: TableReading
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], list[int], float]:
    """The middles of every tile before and each one now with its name; whose pair it is; how wide tiles are."""
    named: dict[object, list[TileReading]] = defaultdict(list)
    for tile in now.tiles:
        if tile.tile is not None:
            named[tile.tile].append(tile)
    pairs = [
        (index, tile, other)
        for index, tile in enumerate(before.tiles)
        if tile.tile is not None
        for other in named[tile.tile]
    ]
    widths = [float(np.hypot(*np.subtract(tile.quad[1], tile.quad[0]))) for _, tile, _ in pairs]
    here = np.array([tile.centre for _, tile, _ in pairs], np.float64).reshape(-1, 2)
    there = np.array([other.centre for _, _, other in pairs], np.float64).reshape(-1, 2)
    return here, there, [index for index, _, _ in pairs], float(np.median(widths)) if widths else 1.0


def recalibrated(profile: Profile, image: Image, *, lost: bool = False) -> Profile | None:
    """The profile with the table where the markers are now; None where they do not show, or lie as before.

    Where it was `lost` any place is new, the one before too.
    """
    table = profile.table
    if table is None or table.source != "markers":
        return None
    scaled = profile.scaled((image.shape[1], image.shape[0]))
    try:
        plane = fit_markers(find_corner_markers(image), scaled.intrinsics, table.sides_mm)
    except CalibrationError:
        return None
    anew = replace(scaled, table=replace(plane, tile_mm=table.tile_mm))
    corners = np.array(table.outline, np.float64)
    if not lost and np.hypot(*(anew.to_picture(corners) - scaled.to_picture(corners)).T).max() <= _MIN_SHIFT_PX:
        return None
    return anew
