"""The table's plane and the lens from tiles alone: rows of tiles in each corner of the table and in the middle.

All tiles of a box have one size. A single tile's outline is accurate to about half a pixel, too little for the scale;
but the centres of touching tiles in a row are one tile width apart, which is five times as accurate. So each row gives
the scale at its position and in its direction. Rows in different directions determine the camera's tilt, rows near
the middle and near the rim the lens distortion. Priors of common cameras cover what the rows leave open, and the
reported error includes them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import cv2
import numpy as np

from referee.errors import CalibrationError
from referee.reading.rows import lay_out
from referee.rules.wording import say
from referee.vision.calibrate.table_plane import (
    least_squares,
    make_plane,
    max_uncertainty,
    outermost_corners,
    pose_homography,
    table_frame,
    uncertain_table,
)
from referee.vision.geometry.homography import TablePlane, project_points, sides_of
from referee.vision.geometry.optics import Intrinsics, Matrix, Points
from referee.vision.geometry.plane import TILE_MM
from referee.vision.profile import Profile

MIN_TILES_IN_ROWS: Final = 10
_MIN_BOARD_PICTURES: Final = 2  # a lens fitted to fewer came from tiles
MAX_UNCERTAINTY_MM: Final = 10.0  # half the margin within which a tile beside the table counts
_LAY_HINT: Final = say(
    "lay.how",
    "push four tiles together in each corner of the table, lengthways in two and crosswise in two, "
    "and six in the middle",
)
# Standard deviations in pixels: of a tile's side, and of its centre.
_SIDE_PX, _MIDDLE_PX = 0.6, 0.2
# Standard deviations in mm: of the gap between touching tiles, which is also its mean; of a tile laid in a corner and
# of a measured table.
_GAP_MM, _CORNER_MM = 0.06, 2.0
# Camera priors: the focal length in picture widths, the deviation of its logarithm, and that of distortion's k1.
_FOCAL_WIDTHS, _FOCAL_LOG_STD, _DISTORTION_STD = 0.8, 0.2, 0.1
_MAX_TOUCHING_GAP = 0.12  # of a tile's width
_MAX_NOISE: Final = 9.0  # residual variance, in units of the expected one


@dataclass(frozen=True, slots=True, kw_only=True)
class TilePlane:
    """The table, the lens, and the number of tiles in rows."""

    table: TablePlane
    intrinsics: Intrinsics
    in_rows: int


def calibrated_lens(profile: Profile) -> Intrinsics | None:
    """Return a profile's lens if it was calibrated with the board, which is better than with tiles."""
    lens = profile.intrinsics
    return lens if lens and lens.pictures >= _MIN_BOARD_PICTURES else None


def fit_tiles(
    quads: Points,
    size: tuple[int, int],
    optics: Intrinsics | None = None,
    tile_mm: tuple[float, float] = TILE_MM,
    sides_mm: tuple[float, float] | None = None,
) -> TilePlane:
    """Return the plane and the lens, fitted to tiles' corners [n, 4, 2] in pixels of a picture of `size`.

    `optics` is the lens, if known; `sides_mm` the table's width and depth, if measured. Raises CalibrationError if
    tiles are missing or misplaced, or if a corner of the table would be uncertain by more than 10 mm.
    """
    corners = _corner_tiles(quads)
    rows = _rows(quads)
    in_rows = sum(map(len, rows))
    if in_rows < MIN_TILES_IN_ROWS:
        raise CalibrationError(
            say(
                "lay.rows",
                "tiles in rows: {seen}, and {least} are needed; {how}",
                seen=in_rows,
                least=MIN_TILES_IN_ROWS,
                how=_LAY_HINT,
            )
        )
    model = _PlaneModel(
        quads=quads,
        prior_lens=optics or _prior_lens(size),
        fits_lens=optics is None,
        rows=rows,
        corners=corners,
        tile_mm=tile_mm,
        sides_mm=sides_mm,
    )
    found, covariance = least_squares(model.residuals, model.start())
    rest = model.residuals(found)
    noise = float(rest @ rest) / (len(rest) - len(found))
    if noise > _MAX_NOISE:
        raise CalibrationError(
            say(
                "lay.not_flat",
                "no flat table fits these tiles of {width} × {height} mm; {how}, all flat; "
                "if yours have another size, give it with --tile",
                width=f"{tile_mm[0]:g}",
                height=f"{tile_mm[1]:g}",
                how=_LAY_HINT,
            )
        )

    def outline(x: Points) -> Points:
        there = model.outline(x)
        return project_points(table_frame(there[0], there[1]), there)

    error = max_uncertainty(outline, found, covariance * max(1.0, noise))
    if error > MAX_UNCERTAINTY_MM:
        way_out = say("lay.or_measure", "{how}, or measure the table and give --size", how=_LAY_HINT)
        raise CalibrationError(uncertain_table(error, MAX_UNCERTAINTY_MM, way_out))
    there = model.outline(found)
    matrix = table_frame(there[0], there[1]) @ model.homography(found)
    table = replace(make_plane(matrix, outline(found), error, "tiles"), tile_mm=tile_mm)
    return TilePlane(table=table, intrinsics=model.lens(found), in_rows=in_rows)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _PlaneModel:
    """The residuals of a parameter vector: pose (6), gap, and for a fitted lens log focal length and k1."""

    quads: Points
    prior_lens: Intrinsics
    fits_lens: bool
    rows: Sequence[Sequence[int]]
    corners: Sequence[int]
    tile_mm: tuple[float, float]
    sides_mm: tuple[float, float] | None

    @property
    def mm_per_px(self) -> Points:
        """The size of a pixel in mm [n] at each tile."""
        return np.asarray(2 * sum(self.tile_mm) / sides_of(self.quads).sum(axis=1).clip(1e-6))

    def start(self) -> Points:
        """Return the initial parameters: a camera straight above, at the distance given by the tiles' size."""
        straight = self.prior_lens.undistort(self.quads.reshape(-1, 2))
        distance = self.prior_lens.focal[0] * float(np.mean(self.mm_per_px))
        middle = (straight.mean(axis=0) - self.prior_lens.centre) / self.prior_lens.focal
        pose = [0.0, 0.0, 0.0, *(middle * distance / 1000), distance / 1000]
        return np.array([*pose, _GAP_MM / 1000, *((0.0, 0.0) if self.fits_lens else ())])

    def lens(self, x: Points) -> Intrinsics:
        """Return the lens of a parameter vector."""
        if not self.fits_lens:
            return self.prior_lens
        focal = self.prior_lens.focal[0] * float(np.exp(x[7]))
        bend = (float(x[8]), 0.0, 0.0, 0.0)
        return replace(self.prior_lens, focal=(focal, focal), distortion=bend, pictures=1)

    def homography(self, x: Points) -> Matrix:
        """Return the homography from undistorted pixels to millimetres."""
        return pose_homography(self.lens(x).matrix, x[:6])

    def places(self, x: Points) -> Points:
        """Return the tiles' corners [n, 4, 2] on the table, in millimetres."""
        straight = self.lens(x).undistort(self.quads.reshape(-1, 2))
        return project_points(self.homography(x), straight).reshape(-1, 4, 2)

    def outline(self, x: Points) -> Points:
        """Return the table's outline [4, 2] in mm: the outermost corners of the corner tiles."""
        return _outline(self.places(x)[list(self.corners)])

    def residuals(self, x: Points) -> Points:
        """Return the residuals, in standard deviations."""
        places, gap = self.places(x), 1000 * x[6]
        middles = places.mean(axis=1)
        sides = sides_of(places)
        off = np.stack([sides[:, ::2].mean(axis=1), sides[:, 1::2].mean(axis=1)], axis=1) - self.tile_mm
        off /= _SIDE_PX * self.mm_per_px[:, None]
        in_rows = {index for row in self.rows for index in row}
        parts = [off[[index for index in range(len(off)) if index not in in_rows]].ravel()]
        for row in self.rows:
            parts.append(self._step_residual(middles[list(row)], row, gap))
            parts.append(off[list(row), 1].mean(keepdims=True))  # outlines in a row share their error
        outline = _outline(places[list(self.corners)])
        parts.append(_rectangle_residual(outline) / (_CORNER_MM, _CORNER_MM, 2 * _CORNER_MM))
        if self.sides_mm:
            parts.append((_width_and_depth(outline) - self.sides_mm) / _CORNER_MM)
        parts.append(np.array([gap / _GAP_MM - 1]))
        if self.fits_lens:
            parts.append(np.array([x[7] / _FOCAL_LOG_STD, x[8] / _DISTORTION_STD]))
        return np.concatenate(parts)

    def _step_residual(self, middles: Points, row: Sequence[int], gap: float) -> Points:
        """Return the residual [1] of a row's step from tile to tile against a tile's width and a gap."""
        count = np.arange(len(row)) - (len(row) - 1) / 2
        step = np.linalg.norm(count @ middles) / (count @ count)
        seen = _MIDDLE_PX * self.mm_per_px[list(row)].mean() / np.sqrt(count @ count)
        return np.asarray([(step - self.tile_mm[0] - gap) / np.hypot(seen, _GAP_MM / np.sqrt(len(row) - 1))])


def _prior_lens(size: tuple[int, int]) -> Intrinsics:
    width, height = size
    return Intrinsics(size=size, focal=(_FOCAL_WIDTHS * width,) * 2, centre=(width / 2, height / 2))


def _rectangle_residual(outline: Points) -> Points:
    """Return how far four corners are from a rectangle, in mm: from a parallelogram (x, y), and the diagonals apart."""
    far_left, far_right, near_right, near_left = outline
    apart = (far_left + near_right - far_right - near_left) / 2
    diagonals = np.linalg.norm(near_right - far_left) - np.linalg.norm(near_left - far_right)
    return np.array([*apart, diagonals])


def _width_and_depth(outline: Points) -> Points:
    sides = sides_of(outline)
    return np.asarray((sides[:2] + sides[2:]) / 2)


def _outline(tiles: Points) -> Points:
    """Return the outermost corner [4, 2] of each of four tiles [4, 4, 2] on the table."""
    return np.asarray(tiles[np.arange(4), outermost_corners(tiles)])


def _corner_tiles(quads: Points) -> tuple[int, ...]:
    """Return the tiles in the table's corners, far left first, clockwise: the four that enclose the largest area."""
    if len(quads) < MIN_TILES_IN_ROWS:
        raise CalibrationError(
            say(
                "lay.seen",
                "tiles seen: {seen}, and {least} are needed; {how}",
                seen=len(quads),
                least=MIN_TILES_IN_ROWS,
                how=_LAY_HINT,
            )
        )
    middles = quads.mean(axis=1)
    hull = cv2.convexHull(middles.astype(np.float32), returnPoints=False).ravel().tolist()
    if len(hull) < 4:
        raise CalibrationError(say("lay.no_table", "the tiles lie around no table; {how}", how=_LAY_HINT))
    best = max(
        combinations(hull, 4),
        key=lambda four: cv2.contourArea(middles[list(four)].astype(np.float32)),
    )
    box = middles[list(best)]
    order = np.argsort(np.arctan2(*(box - box.mean(axis=0)).T[::-1]))  # y points down, so angles grow clockwise
    clockwise = [best[i] for i in order]
    first = int(np.argmin(middles[clockwise].sum(axis=1)))
    corners = tuple(int(i) for i in (*clockwise[first:], *clockwise[:first]))
    outline = middles[list(corners)].astype(np.float32)
    tile = float(np.linalg.norm(quads[:, 2] - quads[:, 0], axis=1).mean())
    if min(cv2.pointPolygonTest(outline, (float(x), float(y)), True) for x, y in middles) < -tile:
        raise CalibrationError(say("lay.outside", "a tile lies outside the four corners; {how}", how=_LAY_HINT))
    return corners


def _rows(quads: Points) -> list[tuple[int, ...]]:
    """Return the rows of two or more tiles that touch side by side."""
    middles, widths = quads.mean(axis=1), sides_of(quads)[:, ::2].mean(axis=1)
    (laid, *_) = lay_out([(a, b, c, d) for a, b, c, d in quads.tolist()])
    return [
        row
        for row in laid.sets
        if np.linalg.norm(middles[row[-1]] - middles[row[0]])
        < (1 + _MAX_TOUCHING_GAP) * widths[list(row)].mean() * (len(row) - 1)
    ]
