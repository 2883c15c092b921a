"""The table's plane and the lens from tiles alone: rows of tiles in each corner of the table and in the middle.

All tiles of a box have one size. The outline of a single tile is found to about half a pixel, which says too little
about the scale; but the middles of tiles that touch in a row are a tile's width apart, and that is found five times as
well. So each row tells the scale where it lies and in its direction. Rows across each other tell how the camera leans,
rows near the middle and near the rim how the lens bends. What the rows leave open is taken as most cameras have it,
and the error that is told counts how far cameras differ.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import cv2
import numpy as np

from referee.errors import CalibrationError
from referee.reading.rows import lay_out
from referee.vision.calibrate.table_plane import (
    TILE_MM,
    least_squares,
    outermost,
    plane_of,
    seen_from,
    upright,
    worst_doubt,
)
from referee.vision.geometry.homography import TablePlane, project_points, sides_of
from referee.vision.geometry.optics import Intrinsics, Matrix, Points
from referee.vision.profile import Profile

FEWEST_IN_ROWS: Final = 10
_FROM_A_BOARD: Final = 2  # pictures
WORST_DOUBT_MM: Final = 10.0  # half of how far beside the table a tile still counts
_LAY: Final = (
    "push four tiles together in each corner of the table, lengthways in two and crosswise in two, "
    "and six in the middle"
)
# Standard deviations. In pixels: of how long a tile's side is found, and of where its middle is.
_SIDE_PX, _MIDDLE_PX = 0.6, 0.2
# In millimetres: of the gap between tiles that touch, which is as wide itself; of a tile that a hand laid in a corner,
# and of a table that was measured.
_GAP_MM, _CORNER_MM = 0.06, 2.0
# Of cameras: the focal length in widths of the picture, the logarithm's deviation, and the lens's first coefficient.
_FOCAL, _FOCAL_VARIES, _BEND_VARIES = 0.8, 0.2, 0.1
_TOUCHING = 0.12  # of a tile's width: gaps between tiles that touch are less
_WORST_NOISE: Final = 9.0  # times the squares that deviations like these leave over


@dataclass(frozen=True, slots=True, kw_only=True)
class TilePlane:
    """The table, the lens it was found with, and how many tiles lay in rows."""

    table: TablePlane
    intrinsics: Intrinsics
    in_rows: int


def known_lens(profile: Profile) -> Intrinsics | None:
    """Return the lens of a profile where it is known better than tiles tell it: from pictures of the board."""
    lens = profile.intrinsics
    return lens if lens and lens.pictures >= _FROM_A_BOARD else None


def fit_tiles(
    quads: Points,
    size: tuple[int, int],
    optics: Intrinsics | None = None,
    tile_mm: tuple[float, float] = TILE_MM,
    sides_mm: tuple[float, float] | None = None,
) -> TilePlane:
    """Return the plane and the lens, fitted to tiles' corners [n, 4, 2] in pixels of a picture of `size`.

    `optics` is the lens, if it is known; `sides_mm` the table's width and depth, if they were measured. Raises
    CalibrationError where tiles are missing or do not lie as they should, or a place would not be known to 5 mm.
    """
    corners = _corner_tiles(quads)
    rows = _rows(quads)
    in_rows = sum(map(len, rows))
    if in_rows < FEWEST_IN_ROWS:
        raise CalibrationError(f"tiles in rows: {in_rows}, and {FEWEST_IN_ROWS} are needed; {_LAY}")
    model = _Laid(
        quads=quads,
        usual=optics or _usual_lens(size),
        open_lens=optics is None,
        rows=rows,
        corners=corners,
        tile_mm=tile_mm,
        sides_mm=sides_mm,
    )
    found, ways = least_squares(model.left_over, model.start())
    rest = model.left_over(found)
    noise = float(rest @ rest) / (len(rest) - len(found))
    if noise > _WORST_NOISE:
        raise CalibrationError(
            f"no flat table fits these tiles of {tile_mm[0]:g} × {tile_mm[1]:g} mm; {_LAY}, all flat; "
            "if yours have another size, give it with --tile"
        )

    def outline(x: Points) -> Points:
        there = model.outline(x)
        return project_points(upright(there[0], there[1]), there)

    error = worst_doubt(outline, found, ways * max(1.0, noise))
    if error > WORST_DOUBT_MM:
        raise CalibrationError(
            f"the table's far end is known to {error:.0f} mm only, and {WORST_DOUBT_MM:g} are the most; "
            f"{_LAY}, or measure the table and give --size"
        )
    there = model.outline(found)
    matrix = upright(there[0], there[1]) @ model.homography(found)
    table = replace(plane_of(matrix, outline(found), error, "tiles"), tile_mm=tile_mm)
    return TilePlane(table=table, intrinsics=model.lens(found), in_rows=in_rows)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Laid:
    """What lies there, and what is left over for some numbers: pose (6), gap, of an open lens focal length and bend."""

    quads: Points
    usual: Intrinsics
    open_lens: bool
    rows: Sequence[Sequence[int]]
    corners: Sequence[int]
    tile_mm: tuple[float, float]
    sides_mm: tuple[float, float] | None

    @property
    def mm_per_px(self) -> Points:
        """How large a pixel is [n] where each tile lies."""
        return np.asarray(2 * sum(self.tile_mm) / sides_of(self.quads).sum(axis=1).clip(1e-6))

    def start(self) -> Points:
        """Return the numbers to start from: a camera straight above, as far away as the tiles' size says."""
        straight = self.usual.undistort(self.quads.reshape(-1, 2))
        distance = self.usual.focal[0] * float(np.mean(self.mm_per_px))
        middle = (straight.mean(axis=0) - self.usual.centre) / self.usual.focal
        pose = [0.0, 0.0, 0.0, *(middle * distance / 1000), distance / 1000]
        return np.array([*pose, _GAP_MM / 1000, *((0.0, 0.0) if self.open_lens else ())])

    def lens(self, x: Points) -> Intrinsics:
        """Return the lens of some numbers."""
        if not self.open_lens:
            return self.usual
        focal = self.usual.focal[0] * float(np.exp(x[7]))
        bend = (float(x[8]), 0.0, 0.0, 0.0)
        return replace(self.usual, focal=(focal, focal), distortion=bend, pictures=1)

    def homography(self, x: Points) -> Matrix:
        """Return the map from straight pixels to millimetres."""
        return seen_from(self.lens(x).matrix, x[:6])

    def places(self, x: Points) -> Points:
        """Return where the tiles' corners [n, 4, 2] lie on the table, in millimetres."""
        straight = self.lens(x).undistort(self.quads.reshape(-1, 2))
        return project_points(self.homography(x), straight).reshape(-1, 4, 2)

    def outline(self, x: Points) -> Points:
        """Return the outermost corner [4, 2] of each tile in a corner of the table, in millimetres."""
        return _outline(self.places(x)[list(self.corners)])

    def left_over(self, x: Points) -> Points:
        """Return how far all is from what it should be, in standard deviations."""
        places, gap = self.places(x), 1000 * x[6]
        middles = places.mean(axis=1)
        sides = sides_of(places)
        off = np.stack([sides[:, ::2].mean(axis=1), sides[:, 1::2].mean(axis=1)], axis=1) - self.tile_mm
        off /= _SIDE_PX * self.mm_per_px[:, None]
        in_rows = {index for row in self.rows for index in row}
        parts = [off[[index for index in range(len(off)) if index not in in_rows]].ravel()]
        for row in self.rows:
            parts.append(self._off_step(middles[list(row)], row, gap))
            parts.append(off[list(row), 1].mean(keepdims=True))  # outlines in a row err alike
        outline = _outline(places[list(self.corners)])
        parts.append(_askew(outline) / (_CORNER_MM, _CORNER_MM, 2 * _CORNER_MM))
        if self.sides_mm:
            parts.append((_width_and_depth(outline) - self.sides_mm) / _CORNER_MM)
        parts.append(np.array([gap / _GAP_MM - 1]))
        if self.open_lens:
            parts.append(np.array([x[7] / _FOCAL_VARIES, x[8] / _BEND_VARIES]))
        return np.concatenate(parts)

    def _off_step(self, middles: Points, row: Sequence[int], gap: float) -> Points:
        """Return how far the step from tile to tile of a row is from a tile's width and a gap."""
        count = np.arange(len(row)) - (len(row) - 1) / 2
        step = np.linalg.norm(count @ middles) / (count @ count)
        seen = _MIDDLE_PX * self.mm_per_px[list(row)].mean() / np.sqrt(count @ count)
        return np.asarray([(step - self.tile_mm[0] - gap) / np.hypot(seen, _GAP_MM / np.sqrt(len(row) - 1))])


def _usual_lens(size: tuple[int, int]) -> Intrinsics:
    width, height = size
    return Intrinsics(size=size, focal=(_FOCAL * width,) * 2, centre=(width / 2, height / 2))


def _askew(outline: Points) -> Points:
    """Return how far four corners are from a rectangle's, in mm: as a parallelogram, and in their diagonals."""
    far_left, far_right, near_right, near_left = outline
    apart = (far_left + near_right - far_right - near_left) / 2
    diagonals = np.linalg.norm(near_right - far_left) - np.linalg.norm(near_left - far_right)
    return np.array([*apart, diagonals])


def _width_and_depth(outline: Points) -> Points:
    sides = sides_of(outline)
    return np.asarray((sides[:2] + sides[2:]) / 2)


def _outline(tiles: Points) -> Points:
    """Return the outermost corner [4, 2] of each of four tiles [4, 4, 2], on the table."""
    return np.asarray(tiles[np.arange(4), outermost(tiles)])


def _corner_tiles(quads: Points) -> tuple[int, ...]:
    """Return the tiles in the table's corners, far left first, clockwise: four that lie around the largest area."""
    if len(quads) < FEWEST_IN_ROWS:
        raise CalibrationError(f"tiles seen: {len(quads)}, and {FEWEST_IN_ROWS} are needed; {_LAY}")
    middles = quads.mean(axis=1)
    hull = cv2.convexHull(middles.astype(np.float32), returnPoints=False).ravel().tolist()
    if len(hull) < 4:
        raise CalibrationError(f"the tiles lie around no table; {_LAY}")
    best = max(
        combinations(hull, 4),
        key=lambda four: cv2.contourArea(middles[list(four)].astype(np.float32)),
    )
    box = middles[list(best)]
    order = np.argsort(np.arctan2(*(box - box.mean(axis=0)).T[::-1]))  # y runs down, so growing angles run clockwise
    clockwise = [best[i] for i in order]
    first = int(np.argmin(middles[clockwise].sum(axis=1)))
    corners = tuple(int(i) for i in (*clockwise[first:], *clockwise[:first]))
    outline = middles[list(corners)].astype(np.float32)
    tile = float(np.linalg.norm(quads[:, 2] - quads[:, 0], axis=1).mean())
    if min(cv2.pointPolygonTest(outline, (float(x), float(y)), True) for x, y in middles) < -tile:
        raise CalibrationError(f"a tile lies outside the four corners; {_LAY}")
    return corners


def _rows(quads: Points) -> list[tuple[int, ...]]:
    """Return the rows of two or more tiles that touch side by side."""
    middles, widths = quads.mean(axis=1), sides_of(quads)[:, ::2].mean(axis=1)
    (laid, *_) = lay_out([(a, b, c, d) for a, b, c, d in quads.tolist()])
    return [
        row
        for row in laid.sets
        if np.linalg.norm(middles[row[-1]] - middles[row[0]])
        < (1 + _TOUCHING) * widths[list(row)].mean() * (len(row) - 1)
    ]
