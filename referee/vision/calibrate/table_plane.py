"""The table's plane: the map from the picture to millimetres on the table, from markers or from points of known place.

Millimetres start at the table's far left corner, x to the far right one, y toward the players on the near side.
The markers may lie in any turn: each is known to be a square of 60 mm, and the map is the one under which they all are.
A measured width and depth, if given, count as well; over a large table a ruler is better than four small squares.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.reading.observation import TileReading
from referee.vision.calibrate.markers import CORNER_MM, CORNERS
from referee.vision.geometry.homography import TablePlane, homography, project_points, sides_of, square
from referee.vision.geometry.optics import Intrinsics, Matrix, Points
from referee.vision.profile import Profile

WORST_ERROR_MM: Final = 3.0
WORST_DOUBT_MM: Final = 5.0
_PLACE_MM: Final = 0.3  # no place of a tile is known better
_ORDER: Final = tuple(CORNERS)
TILE_MM: Final = (27.0, 38.0)  # width and height of most boxes' tiles
_TILE_SIDES: Final = ((18.0, 36.0), (26.0, 52.0))  # widths and heights in mm that tiles of any box have
_FEWEST_TILES: Final = 3


def fit_markers(
    markers: Mapping[int, Points], optics: Intrinsics | None, sides_mm: Sequence[float] | None = None
) -> TablePlane:
    """Return the plane of four corner markers [4, 2] in pixels; measured sides between their outer corners sharpen it.

    `sides_mm` are the far, right, near and left one; of a rectangle, its width and depth.
    """
    missing = [f"{marker} ({place})" for marker, place in CORNERS.items() if marker not in markers]
    if missing:
        raise CalibrationError(
            f"not seen of the corner markers: {', '.join(missing)}; uncover and light them, bring all four into view, "
            "or lay tiles and run 'referee calibrate setup'"
        )
    pixels = np.concatenate([markers[marker] for marker in _ORDER])
    straight = optics.undistort(pixels) if optics else pixels
    if not optics and not sides_mm:
        raise CalibrationError(
            "the lens is not known: run 'referee calibrate camera' first, "
            "or give --size WIDTHxDEPTH, the table's measure in mm"
        )
    guess = _first_guess(straight)
    outer = outermost(project_points(guess, straight).reshape(4, 4, 2)) + 4 * np.arange(4)
    family, start = _views(straight, guess, optics)
    sides = np.resize(sides_mm, 4) if sides_mm else None

    def left_over(x: Points) -> Points:
        return _left_over(project_points(family(x), straight), outer, sides)

    best, open_ways = least_squares(left_over, start)
    rest = left_over(best)
    misfit = float(np.sqrt(np.mean(rest**2) * 2))
    _check_flat(misfit, sides_mm)

    def corners(x: Points) -> Points:
        places = project_points(family(x), straight[outer])
        return project_points(upright(places[0], places[1]), places)

    # Each marker's own place and turn are three numbers that explain some of the rest.
    noise = float(rest @ rest) / (len(rest) - 12 - len(start))
    places = project_points(family(best), straight[outer])
    matrix = upright(places[0], places[1]) @ family(best)
    error = float(np.hypot(misfit, worst_doubt(corners, best, open_ways * noise)))
    _check_known(error, bent=not optics)
    return plane_of(matrix, corners(best), error, "markers")


def _check_flat(misfit: float, sides_mm: Sequence[float] | None) -> None:
    """Raise CalibrationError where markers lie too far (mm) from where those of a flat table would."""
    if misfit <= WORST_ERROR_MM:
        return
    sides = " × ".join(f"{side:g}" for side in sides_mm or ())
    table = f" and that the table is {sides} mm from outer to outer corner" if sides else ""
    raise CalibrationError(
        f"the markers fit no flat table: {misfit:.1f} mm off, and {WORST_ERROR_MM:g} are the most; "
        f"lay them flat, check that their sides measure {CORNER_MM:g} mm{table}"
    )


def _check_known(error: float, *, bent: bool) -> None:
    """Raise CalibrationError where a place of the table is not known well enough (mm)."""
    if error <= WORST_DOUBT_MM:
        return
    way_out = (
        "the lens bends the picture: run 'referee calibrate camera' first"
        if bent
        else "show the markers larger and sharper"
    )
    raise CalibrationError(
        f"the table's far end is known to {error:.0f} mm only, and {WORST_DOUBT_MM:g} are the most; {way_out}"
    )


def fit_points(pixels: Points, places: Points, optics: Intrinsics | None, source: str = "points") -> TablePlane:
    """Return the plane through points [n ≥ 4, 2] of known place in millimetres; their hull is the table."""
    if len(pixels) < 4 or len(pixels) != len(places):
        raise CalibrationError(
            f"{len(pixels)} points in the picture and {len(places)} on the table; give four or more of each"
        )
    straight = optics.undistort(pixels) if optics else pixels
    hull = cv2.convexHull(straight.astype(np.float32))
    if len(hull) < 4 or cv2.contourArea(hull) < 1000:
        raise CalibrationError(
            "three of the points lie on one line or all close together; give the table's corners, one after the other"
        )
    matrix = homography(straight, places)
    if matrix is None or _turns_over(matrix, straight):
        raise CalibrationError(
            "no view of a flat table fits these points; give them in order: far left, far right, near right, near left"
        )
    error = None
    if len(pixels) > 4:
        error = float(np.sqrt(np.mean(np.sum((project_points(matrix, straight) - places) ** 2, axis=1))))
        if error > WORST_ERROR_MM:
            raise CalibrationError(
                f"the points are {error:.1f} mm off a flat table, and {WORST_ERROR_MM:g} are the most; check each"
            )
    outline = cv2.convexHull(places.astype(np.float32)).reshape(-1, 2).astype(np.float64)
    return plane_of(matrix, outline, error, source)


def fit_again(pixels: Points, places: Points, optics: Intrinsics | None, table: TablePlane) -> TablePlane:
    """Return the table seen from a new place, from pixels [n ≥ 5, 2] of points [n, 2] in mm that stayed on it.

    Raises CalibrationError where these leave a corner of the table in doubt by more than 5 mm.
    """
    straight = optics.undistort(pixels) if optics else pixels
    guess = homography(straight, places)
    if guess is None or _turns_over(guess, straight):
        raise CalibrationError("no view of a flat table fits these points")
    family, start = _views(straight, guess, optics)
    found, open_ways = least_squares(lambda x: (project_points(family(x), straight) - places).ravel(), start)
    rest = (project_points(family(found), straight) - places).ravel()
    noise = max(_PLACE_MM**2, float(rest @ rest) / max(1, len(rest) - len(start)))
    corners = project_points(np.asarray(np.linalg.inv(family(found))), np.array(table.outline))
    doubt = worst_doubt(lambda x: project_points(family(x), corners), found, open_ways * noise)
    if not doubt <= WORST_DOUBT_MM:
        raise CalibrationError(
            f"a corner of the table is known to {doubt:.0f} mm only; {WORST_DOUBT_MM:g} are the most"
        )
    error = float(np.hypot(table.error_mm or 0.0, doubt))
    plane = plane_of(family(found), np.array(table.outline), error, table.source)
    return replace(plane, tile_mm=table.tile_mm)


def plane_of(matrix: Matrix, outline: Points, error_mm: float | None, source: str) -> TablePlane:
    """Return the table by a map [3, 3] and an outline [n, 2] in millimetres."""
    rows = (matrix / np.cbrt(np.linalg.det(matrix))).tolist()  # its last number may be 0: the horizon at a corner
    homography = tuple((float(a), float(b), float(c)) for a, b, c in rows)
    corners = tuple((float(x), float(y)) for x, y in outline)
    return TablePlane(homography=homography, outline=corners, error_mm=error_mm, source=source)


def _turns_over(matrix: Matrix, pixels: Points) -> bool:
    """Return whether some point lies behind the camera, or the table would be seen from below."""
    depth = np.column_stack([pixels, np.ones(len(pixels))]) @ matrix[2]
    return bool(np.ptp(np.sign(depth)) > 0 or np.linalg.det(matrix) * np.sign(depth[0]) < 0)


def _first_guess(straight: Points) -> Matrix:
    """Return a map that takes the markers' middles for corners of a rectangle.

    The rectangle's sides come from the markers' own size: the corners of a square vary by a quarter of its squared side
    along any axis, however it is turned.
    """
    quads = straight.reshape(4, 4, 2)
    unit = homography(quads.mean(axis=1), square(1.0) + 0.5)
    if unit is None or _turns_over(unit, straight):
        raise CalibrationError(
            "the markers do not lie around the table as they are numbered; "
            "lay 40 far left, 41 far right, 42 near right, 43 near left"
        )
    inside = project_points(unit, straight).reshape(4, 4, 2)
    spread = np.sqrt(np.mean((inside - inside.mean(axis=1, keepdims=True)) ** 2, axis=(0, 1)))
    return np.asarray(np.diag([*(CORNER_MM / 2 / spread), 1.0]) @ unit)


def outermost(quads: Points) -> npt.NDArray[np.intp]:
    """Return the index [4] of the outermost corner, on the table, of each of four quads [4, 4, 2]."""
    outward = np.sign(quads.mean(axis=1) - quads.mean(axis=(0, 1)))
    reach = np.einsum("mci,mi->mc", quads, outward)
    return np.asarray(np.argmax(reach, axis=1))


def _left_over(places: Points, outer: npt.NDArray[np.intp], measured: Points | None) -> Points:
    """Return how far the markers are from squares of 60 mm, and the table from its measured sides, in millimetres."""
    parts = [(quad - _as_square(quad)).ravel() for quad in places.reshape(4, 4, 2)]
    if measured is not None:
        parts.append((sides_of(places[outer]) - measured) / 2)
    return np.concatenate(parts)


def _as_square(quad: Points) -> Points:
    """Return the square of a marker's size that lies nearest to four points (Kabsch's rotation)."""
    middle, marker = quad.mean(axis=0), square(CORNER_MM)
    u, _, v = np.linalg.svd(marker.T @ (quad - middle))
    return np.asarray(marker @ u @ v + middle)


def _views(straight: Points, start: Matrix, optics: Intrinsics | None) -> tuple[Callable[[Points], Matrix], Points]:
    """Return the maps to choose from, told apart by some numbers, and the numbers to start from.

    For a camera of known optics only where it stands and looks is open, six numbers; else a homography has eight.
    """
    if optics:
        camera = optics.matrix
        good, turn, shift = cv2.solvePnP(
            np.column_stack([project_points(start, straight), np.zeros(len(straight))]), straight, camera, None
        )
        if good:
            return partial(seen_from, camera), np.concatenate([np.ravel(turn), np.ravel(shift) / 1000])
    unit = np.diag([1 / 1000, 1 / 1000, 1.0])  # numbers of one size keep the steps sound

    def of_any(x: Points) -> Matrix:
        return np.asarray(start @ np.linalg.inv(unit) @ (np.eye(3) + np.append(x, 0.0).reshape(3, 3)) @ unit)

    return of_any, np.zeros(8)


def seen_from(camera: Matrix, pose: Points) -> Matrix:
    """Return the homography [3, 3] from pixels to mm, by the table's rotation vector [3] and place [3] in metres."""
    axes, _ = cv2.Rodrigues(pose[:3])
    return np.asarray(np.linalg.inv(camera @ np.column_stack([axes[:, :2], 1000 * pose[3:]])))


def least_squares(left_over: Callable[[Points], Points], start: Points) -> tuple[Points, Matrix]:
    """Return the best numbers by Levenberg's method, and how they may vary (inverse of the squared slopes).

    The free turn and shift of the table harm neither: damping and pseudo-inverse leave them where they are. All numbers
    are damped alike: damped by its own slope, as Marquardt has it, a free one would run off and take the rest along.
    """
    x, damping = start, 1e-3
    here = left_over(x)
    for _ in range(60):
        slope = slopes(left_over, x)
        squares = slope.T @ slope
        damped = squares + damping * np.trace(squares) / len(x) * np.eye(len(x))
        move = np.linalg.solve(damped, -slope.T @ here)
        there = left_over(x + move)
        if there @ there >= here @ here:
            damping *= 5
            if damping > 1e9:
                break
            continue
        settled = here @ here - there @ there < 1e-12 * (here @ here)
        x, here, damping = x + move, there, max(damping / 5, 1e-12)
        if settled:
            break
    slope = slopes(left_over, x)
    return x, np.asarray(np.linalg.pinv(slope.T @ slope, rcond=1e-9))


def slopes(function: Callable[[Points], Points], x: Points) -> Matrix:
    """Return how the values [n] of a function vary with each of its numbers [m]: [n, m]."""
    here = function(x)
    return np.column_stack([(function(x + step) - here) / 1e-6 for step in 1e-6 * np.eye(len(x))])


def worst_doubt(places: Callable[[Points], Points], found: Points, ways: Matrix) -> float:
    """Return the standard deviation, in mm, of the least certain of points [n, 2] on the table."""
    slope = slopes(lambda x: places(x).ravel(), found)
    return float(np.sqrt(np.einsum("ij,jk,ik->i", slope, ways, slope).reshape(-1, 2).sum(axis=1).max()))


def upright(far_left: Points, far_right: Points) -> Matrix:
    """Return the turn and shift that bring the far left corner to the origin and the far right one onto the x axis."""
    x, y = (far_right - far_left) / np.linalg.norm(far_right - far_left)
    turn = np.array([[x, y], [-y, x]])
    return np.block([[turn, (-turn @ far_left)[:, None]], [np.zeros((1, 2)), np.ones((1, 1))]])


def tile_size(
    profile: Profile, tiles: Sequence[TileReading], markers: Mapping[int, Points]
) -> tuple[float, float] | None:
    """Return the usual width and height of tiles on the table in mm; None where hardly any is read surely."""
    printed = [quad.astype(np.float32) for quad in markers.values()]
    flat = []
    for tile in tiles:
        quad = np.array(tile.quad, np.float64)
        on_marker = any(cv2.pointPolygonTest(marker, tile.centre, False) >= 0 for marker in printed)
        if not tile.unsure and not on_marker and profile.on_table(quad.mean(axis=0, keepdims=True))[0]:
            flat.append(profile.to_table(quad))
    if len(flat) < _FEWEST_TILES:
        return None
    sides = sides_of(np.array(flat))
    width, height = float(np.median(sides[:, ::2])), float(np.median(sides[:, 1::2]))
    for name, side, (least, most) in zip(("wide", "high"), (width, height), _TILE_SIDES, strict=True):
        if not least <= side <= most:
            raise CalibrationError(
                f"the tiles would be {side:.0f} mm {name}, and no box has such tiles; "
                "check the size given and the printed markers with a ruler"
            )
    return (round(width, 2), round(height, 2))
