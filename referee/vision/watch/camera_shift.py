"""A pushed camera or table: detected by the markers or by a motion common to all tiles, and located again by either.

Without markers, a push is assumed only if at least three sets moved as one piece and almost nothing stayed: players
move sets, but not all alike. The tiles' positions on the table are known from before.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.reading.observation import TableReading, TileReading
from referee.reading.tracks import SAME_PLACE_WIDTHS
from referee.rules.set_reading import MIN_SET_TILES
from referee.vision.calibrate.markers import find_corner_markers
from referee.vision.calibrate.table_plane import fit_markers, refit_table
from referee.vision.geometry.homography import homography, project_points
from referee.vision.geometry.optics import Points
from referee.vision.image.frame import Image
from referee.vision.profile import Profile
from referee.vision.watch.tuning import TUNING

_MIN_TILES: Final = TUNING.min_moved_sets * MIN_SET_TILES


@dataclass(frozen=True, slots=True, eq=False)
class CameraShift:
    """Tiles that moved as one piece: their centres [n, 2] before and now, and their width, in pixels."""

    before: Points
    now: Points
    width: float


def find_shift(before: TableReading, now: TableReading) -> CameraShift | None:
    """Return the motion common to nearly all tiles, as after a push; None without one."""
    here, there, owners, width = _candidate_pairs(before, now)
    near = TUNING.inlier_widths * width
    tiles = len(set(owners.tolist()))
    if tiles < _MIN_TILES:
        return None
    found, alike = cv2.estimateAffinePartial2D(here, there, method=cv2.RANSAC, ransacReprojThreshold=near)
    if np.shape(found) != (2, 3) or len(set(owners[np.ravel(alike) > 0].tolist())) < _MIN_TILES:
        return None
    pairs = np.ravel(alike) > 0
    if (
        leaning := homography(here[pairs], there[pairs])
    ) is not None:  # a camera that leans makes a piece no similar one
        pairs = np.linalg.norm(project_points(leaning, here) - there, axis=1) < near
    moved_alike = set(owners[pairs].tolist())
    sets = [tile_set for tile_set in before.layouts[0].sets if len(moved_alike.intersection(tile_set)) > 1]
    if (
        np.median(np.linalg.norm(there[pairs] - here[pairs], axis=1)) <= SAME_PLACE_WIDTHS * width
        or len(moved_alike) < max(_MIN_TILES, TUNING.min_share_moved * tiles)
        or len(sets) < TUNING.min_moved_sets
    ):
        return None
    return CameraShift(here[pairs], there[pairs], width)


def _candidate_pairs(before: TableReading, now: TableReading) -> tuple[Points, Points, npt.NDArray[np.intp], float]:
    """Return the centres of all pairs of equal tiles before and now, each pair's earlier tile, and the tile width."""
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
    return here, there, np.array([index for index, _, _ in pairs], np.intp), float(np.median(widths)) if widths else 1.0


def relocate_by_markers(profile: Profile, image: Image, *, lost: bool = False) -> Profile | None:
    """Return the profile with the table located by the markers; None if they are not visible or have not moved.

    If the table was `lost`, an unchanged position counts too.
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
    if not lost and np.hypot(*(anew.to_picture(corners) - scaled.to_picture(corners)).T).max() <= TUNING.min_shift_px:
        return None
    return anew


def relocate_by_tiles(profile: Profile, push: CameraShift, before: Image, now: Image) -> Profile | None:
    """Return the profile with the table located by its tiles, which kept their positions on it.

    `before` and `now` are the pictures around the push. None if no table was known, if the tiles lie too close together
    to determine its far corners, or if they slid over a table that stayed.
    """
    scaled = profile.scaled((now.shape[1], now.shape[0]))
    if scaled.table is None or _tiles_slid(push, before, now):
        return None
    try:
        plane = refit_table(push.now, scaled.to_table(push.before), scaled.intrinsics, scaled.table)
    except CalibrationError:
        return None
    return replace(scaled, table=plane)


def _tiles_slid(push: CameraShift, before: Image, now: Image) -> bool:
    """Return whether the surroundings stayed while the tiles moved; False on a plain table."""
    scale = TUNING.shrunk_columns / now.shape[1]
    matrix = homography(scale * push.before, scale * push.now)
    if matrix is None:
        return False
    size = (TUNING.shrunk_columns, round(scale * now.shape[0]))
    was, is_ = (
        cv2.cvtColor(cv2.resize(image, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        for image in (before, now)
    )
    along = cv2.warpPerspective(was, matrix, size)
    beside = cv2.warpPerspective(np.full_like(was, 255), matrix, size)
    reach = round(TUNING.reach_widths * push.width * scale)
    for x, y in np.round(scale * np.concatenate([push.before, push.now])).astype(int).tolist():
        cv2.circle(beside, (x, y), reach, 0, cv2.FILLED)
    rest = beside == 255
    if not rest.any():
        return False
    stayed, went = (float(cv2.absdiff(one, is_)[rest].mean()) for one in (was, along))
    return stayed < TUNING.max_difference * went
