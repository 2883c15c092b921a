"""The table's plane: the homography from the picture to the table, from markers or from known points.

The origin is the table's far left corner; x points to the far right corner, y toward the near side. Markers may be
rotated: the fit makes each of them a square of 60 mm. A measured width and depth, if given, are fitted as well: over a
large table a ruler is more accurate than four small squares.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.reading.observation import TileReading
from referee.rules.wording import Message, comma_list, only_english, say
from referee.vision.calibrate.markers import CORNER_MM, CORNERS
from referee.vision.geometry.homography import TablePlane, homography, project_points, sides_of, square
from referee.vision.geometry.optics import Intrinsics, Matrix, Points
from referee.vision.profile import Profile

MAX_ERROR_MM: Final = 3.0
MAX_UNCERTAINTY_MM: Final = 5.0
_MIN_POINT_ERROR_MM: Final = 0.3  # the least error assumed for a tile's position
_ORDER: Final = tuple(CORNERS)
_PLACES: Final = MappingProxyType(
    {
        40: say("corner.far_left", "far left"),
        41: say("corner.far_right", "far right"),
        42: say("corner.near_right", "near right"),
        43: say("corner.near_left", "near left"),
    }
)
_TILE_SIDES: Final = (say("side.wide", "wide"), say("side.high", "high"))
_TILE_SIDE_RANGES_MM: Final = ((18.0, 36.0), (26.0, 52.0))  # plausible widths and heights
_MIN_TILES: Final = 3


def fit_markers(
    markers: Mapping[int, Points], optics: Intrinsics | None, sides_mm: Sequence[float] | None = None
) -> TablePlane:
    """Return the plane from four corner markers [4, 2] in pixels, and the measured sides of the table, if given.

    `sides_mm` are the far, right, near and left side between outer corners, or width and depth. Raises
    CalibrationError with the reason and the remedy.
    """
    missing = [
        say("markers.one", "{marker} ({place})", marker=marker, place=place)
        for marker, place in _PLACES.items()
        if marker not in markers
    ]
    if missing:
        raise CalibrationError(
            say(
                "markers.missing",
                "not seen of the corner markers: {markers}; uncover and light them, bring all four into view, "
                "or lay tiles and run 'referee calibrate setup'",
                markers=comma_list(missing),
            )
        )
    pixels = np.concatenate([markers[marker] for marker in _ORDER])
    straight = optics.undistort(pixels) if optics else pixels
    if not optics and not sides_mm:
        raise CalibrationError(
            say(
                "markers.no_lens",
                "the lens is not known: run 'referee calibrate camera' first, "
                "or give --size WIDTHxDEPTH, the table's measure in mm",
            )
        )
    guess = _initial_homography(straight)
    outer = outermost_corners(project_points(guess, straight).reshape(4, 4, 2)) + 4 * np.arange(4)
    family, start = _homography_family(straight, guess, optics)
    sides = np.resize(sides_mm, 4) if sides_mm else None

    def left_over(x: Points) -> Points:
        return _residuals(project_points(family(x), straight), outer, sides)

    best, covariance = least_squares(left_over, start)
    rest = left_over(best)
    misfit = float(np.sqrt(np.mean(rest**2) * 2))
    _check_flat(misfit, sides_mm)

    def corners(x: Points) -> Points:
        places = project_points(family(x), straight[outer])
        return project_points(table_frame(places[0], places[1]), places)

    # Each marker's own position and rotation take up three degrees of freedom.
    noise = float(rest @ rest) / (len(rest) - 12 - len(start))
    places = project_points(family(best), straight[outer])
    matrix = table_frame(places[0], places[1]) @ family(best)
    error = float(np.hypot(misfit, max_uncertainty(corners, best, covariance * noise)))
    _check_known(error, bent=not optics)
    return make_plane(matrix, corners(best), error, "markers")


def _check_flat(misfit: float, sides_mm: Sequence[float] | None) -> None:
    """Raise CalibrationError if the markers' residual (mm) is too large for a flat table."""
    if misfit <= MAX_ERROR_MM:
        return
    sides = " × ".join(f"{side:g}" for side in sides_mm or ())
    table = say("markers.sides", " and that the table is {sides} mm from outer to outer corner", sides=sides)
    raise CalibrationError(
        say(
            "markers.not_flat",
            "the markers fit no flat table: {off} mm off, and {most} are the most; "
            "lay them flat, check that their sides measure {side} mm{table}",
            off=f"{misfit:.1f}",
            most=f"{MAX_ERROR_MM:g}",
            side=f"{CORNER_MM:g}",
            table=table if sides else "",
        )
    )


def _check_known(error: float, *, bent: bool) -> None:
    """Raise CalibrationError if the table's corners are too uncertain (mm)."""
    if error <= MAX_UNCERTAINTY_MM:
        return
    lens = say("markers.bent", "the lens bends the picture: run 'referee calibrate camera' first")
    way_out = lens if bent else say("markers.larger", "show the markers larger and sharper")
    raise CalibrationError(uncertain_table(error, MAX_UNCERTAINTY_MM, way_out))


def uncertain_table(error_mm: float, most_mm: float, way_out: Message) -> Message:
    """Return the message that the table's far end is not known well enough."""
    return say(
        "table.uncertain",
        "the table's far end is known to {error} mm only, and {most} are the most; {way_out}",
        error=f"{error_mm:.0f}",
        most=f"{most_mm:g}",
        way_out=way_out,
    )


def fit_points(pixels: Points, places: Points, optics: Intrinsics | None, source: str = "points") -> TablePlane:
    """Return the plane from pixels and table coordinates (mm) of points [n ≥ 4, 2]; their hull is the table."""
    if len(pixels) < 4 or len(pixels) != len(places):
        text = f"{len(pixels)} points in the picture and {len(places)} on the table; give four or more of each"
        raise CalibrationError(only_english(text))
    straight = optics.undistort(pixels) if optics else pixels
    hull = cv2.convexHull(straight.astype(np.float32))
    if len(hull) < 4 or cv2.contourArea(hull) < 1000:
        text = (
            "three of the points lie on one line or all close together; give the table's corners, one after the other"
        )
        raise CalibrationError(only_english(text))
    matrix = homography(straight, places)
    if matrix is None or _is_mirrored(matrix, straight):
        text = (
            "no view of a flat table fits these points; give them in order: far left, far right, near right, near left"
        )
        raise CalibrationError(only_english(text))
    error = None
    if len(pixels) > 4:
        error = float(np.sqrt(np.mean(np.sum((project_points(matrix, straight) - places) ** 2, axis=1))))
        if error > MAX_ERROR_MM:
            text = f"the points are {error:.1f} mm off a flat table, and {MAX_ERROR_MM:g} are the most; check each"
            raise CalibrationError(only_english(text))
    outline = cv2.convexHull(places.astype(np.float32)).reshape(-1, 2).astype(np.float64)
    return make_plane(matrix, outline, error, source)


def refit_table(pixels: Points, places: Points, optics: Intrinsics | None, table: TablePlane) -> TablePlane:
    """Return the table from a new viewpoint, from pixels [n ≥ 5, 2] of points [n, 2] in mm that stayed on it.

    Raises CalibrationError if a corner of the table would be uncertain by more than 5 mm.
    """
    straight = optics.undistort(pixels) if optics else pixels
    guess = homography(straight, places)
    if guess is None or _is_mirrored(guess, straight):
        raise CalibrationError(only_english("no view of a flat table fits these points"))
    family, start = _homography_family(straight, guess, optics)
    found, covariance = least_squares(lambda x: (project_points(family(x), straight) - places).ravel(), start)
    rest = (project_points(family(found), straight) - places).ravel()
    noise = max(_MIN_POINT_ERROR_MM**2, float(rest @ rest) / max(1, len(rest) - len(start)))
    corners = project_points(np.asarray(np.linalg.inv(family(found))), np.array(table.outline))
    doubt = max_uncertainty(lambda x: project_points(family(x), corners), found, covariance * noise)
    if not doubt <= MAX_UNCERTAINTY_MM:
        text = f"a corner of the table is known to {doubt:.0f} mm only; {MAX_UNCERTAINTY_MM:g} are the most"
        raise CalibrationError(only_english(text))
    error = float(np.hypot(table.error_mm or 0.0, doubt))
    plane = make_plane(family(found), np.array(table.outline), error, table.source)
    return replace(plane, tile_mm=table.tile_mm)


def make_plane(matrix: Matrix, outline: Points, error_mm: float | None, source: str) -> TablePlane:
    """Return the table from a homography [3, 3] and an outline [n, 2] in millimetres."""
    rows = (matrix / np.cbrt(np.linalg.det(matrix))).tolist()  # the last element may be 0, with the horizon at a corner
    homography = tuple((float(a), float(b), float(c)) for a, b, c in rows)
    corners = tuple((float(x), float(y)) for x, y in outline)
    return TablePlane(homography=homography, outline=corners, error_mm=error_mm, source=source)


def _is_mirrored(matrix: Matrix, pixels: Points) -> bool:
    """Return whether a point would lie behind the camera, or the table be seen from below."""
    depth = np.column_stack([pixels, np.ones(len(pixels))]) @ matrix[2]
    return bool(np.ptp(np.sign(depth)) > 0 or np.linalg.det(matrix) * np.sign(depth[0]) < 0)


def _initial_homography(straight: Points) -> Matrix:
    """Return a homography that maps the markers' centres to the corners of a rectangle.

    The rectangle's sides come from the markers' size: the corners of a square have a variance of a quarter of its
    squared side along any axis, whatever its rotation.
    """
    quads = straight.reshape(4, 4, 2)
    unit = homography(quads.mean(axis=1), square(1.0) + 0.5)
    if unit is None or _is_mirrored(unit, straight):
        raise CalibrationError(
            say(
                "markers.order",
                "the markers do not lie around the table as they are numbered; "
                "lay 40 far left, 41 far right, 42 near right, 43 near left",
            )
        )
    inside = project_points(unit, straight).reshape(4, 4, 2)
    spread = np.sqrt(np.mean((inside - inside.mean(axis=1, keepdims=True)) ** 2, axis=(0, 1)))
    return np.asarray(np.diag([*(CORNER_MM / 2 / spread), 1.0]) @ unit)


def outermost_corners(quads: Points) -> npt.NDArray[np.intp]:
    """Return the index [4] of the outermost corner of each of four quads [4, 4, 2] on the table."""
    outward = np.sign(quads.mean(axis=1) - quads.mean(axis=(0, 1)))
    reach = np.einsum("mci,mi->mc", quads, outward)
    return np.asarray(np.argmax(reach, axis=1))


def _residuals(places: Points, outer: npt.NDArray[np.intp], measured: Points | None) -> Points:
    """Return the residuals in mm: of the markers from 60 mm squares, and of the table from its measured sides."""
    parts = [(quad - _nearest_square(quad)).ravel() for quad in places.reshape(4, 4, 2)]
    if measured is not None:
        parts.append((sides_of(places[outer]) - measured) / 2)
    return np.concatenate(parts)


def _nearest_square(quad: Points) -> Points:
    """Return the marker-sized square nearest to four points [4, 2] (Kabsch's algorithm)."""
    middle, marker = quad.mean(axis=0), square(CORNER_MM)
    u, _, v = np.linalg.svd(marker.T @ (quad - middle))
    return np.asarray(marker @ u @ v + middle)


def _homography_family(
    straight: Points, start: Matrix, optics: Intrinsics | None
) -> tuple[Callable[[Points], Matrix], Points]:
    """Return a parametrised family of homographies, and the initial parameters.

    With known optics the parameters are the camera's pose (six); otherwise the homography itself (eight).
    """
    if optics:
        camera = optics.matrix
        good, turn, shift = cv2.solvePnP(
            np.column_stack([project_points(start, straight), np.zeros(len(straight))]), straight, camera, None
        )
        if good:
            return partial(pose_homography, camera), np.concatenate([np.ravel(turn), np.ravel(shift) / 1000])
    unit = np.diag([1 / 1000, 1 / 1000, 1.0])  # parameters of similar magnitude condition the steps

    def of_any(x: Points) -> Matrix:
        return np.asarray(start @ np.linalg.inv(unit) @ (np.eye(3) + np.append(x, 0.0).reshape(3, 3)) @ unit)

    return of_any, np.zeros(8)


def pose_homography(camera: Matrix, pose: Points) -> Matrix:
    """Return the homography [3, 3] from pixels to mm of a pose [6]: rotation vector, and translation in metres."""
    axes, _ = cv2.Rodrigues(pose[:3])
    return np.asarray(np.linalg.inv(camera @ np.column_stack([axes[:, :2], 1000 * pose[3:]])))


def least_squares(residuals: Callable[[Points], Points], start: Points) -> tuple[Points, Matrix]:
    """Return the parameters that minimise the squared residuals (Levenberg), and their unscaled covariance.

    The table's free rotation and translation are harmless: damping and pseudo-inverse leave them unchanged. All
    parameters are damped equally: with Marquardt's scaling, a free parameter would diverge.
    """
    x, damping = start, 1e-3
    here = residuals(x)
    for _ in range(60):
        slope = jacobian(residuals, x)
        squares = slope.T @ slope
        damped = squares + damping * np.trace(squares) / len(x) * np.eye(len(x))
        move = np.linalg.solve(damped, -slope.T @ here)
        there = residuals(x + move)
        if there @ there >= here @ here:
            damping *= 5
            if damping > 1e9:
                break
            continue
        settled = here @ here - there @ there < 1e-12 * (here @ here)
        x, here, damping = x + move, there, max(damping / 5, 1e-12)
        if settled:
            break
    slope = jacobian(residuals, x)
    return x, np.asarray(np.linalg.pinv(slope.T @ slope, rcond=1e-9))


def jacobian(function: Callable[[Points], Points], x: Points) -> Matrix:
    """Return the Jacobian [n, m] of a function from parameters [m] to values [n], by forward differences."""
    here = function(x)
    return np.column_stack([(function(x + step) - here) / 1e-6 for step in 1e-6 * np.eye(len(x))])


def max_uncertainty(places: Callable[[Points], Points], found: Points, covariance: Matrix) -> float:
    """Return the standard deviation in mm of the least certain of the points [n, 2] on the table."""
    slope = jacobian(lambda x: places(x).ravel(), found)
    return float(np.sqrt(np.einsum("ij,jk,ik->i", slope, covariance, slope).reshape(-1, 2).sum(axis=1).max()))


def table_frame(far_left: Points, far_right: Points) -> Matrix:
    """Return the transform [3, 3] that puts the far left corner at the origin and the far right one on the x axis."""
    x, y = (far_right - far_left) / np.linalg.norm(far_right - far_left)
    turn = np.array([[x, y], [-y, x]])
    return np.block([[turn, (-turn @ far_left)[:, None]], [np.zeros((1, 2)), np.ones((1, 1))]])


def measure_tiles(
    profile: Profile, tiles: Sequence[TileReading], markers: Mapping[int, Points]
) -> tuple[float, float] | None:
    """Return the median width and height of tiles on the table in mm; None if too few are sure.

    Raises CalibrationError for a size that no box has.
    """
    printed = [quad.astype(np.float32) for quad in markers.values()]
    flat = []
    for tile in tiles:
        quad = np.array(tile.quad, np.float64)
        on_marker = any(cv2.pointPolygonTest(marker, tile.centre, False) >= 0 for marker in printed)
        if not tile.unsure and not on_marker and profile.on_table(quad.mean(axis=0, keepdims=True))[0]:
            flat.append(profile.to_table(quad))
    if len(flat) < _MIN_TILES:
        return None
    sides = sides_of(np.array(flat))
    width, height = float(np.median(sides[:, ::2])), float(np.median(sides[:, 1::2]))
    for name, side, (least, most) in zip(_TILE_SIDES, (width, height), _TILE_SIDE_RANGES_MM, strict=True):
        if not least <= side <= most:
            raise CalibrationError(
                say(
                    "markers.tile_size",
                    "the tiles would be {side} mm {name}, and no box has such tiles; "
                    "check the size given and the printed markers with a ruler",
                    side=f"{side:.0f}",
                    name=name,
                )
            )
    return (round(width, 2), round(height, 2))
