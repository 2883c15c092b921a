"""The printed targets: their layout, and their detection in a picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.rules.wording import only_english
from referee.vision.geometry.homography import homography, project_points
from referee.vision.geometry.optics import Points
from referee.vision.image.frame import Image

# As in calibration/measures.json, which an installed package lacks; a test compares them.
SQUARES: Final = (7, 5)
SQUARE_MM: Final = 35.0
SQUARE_MARKER_MM: Final = 26.0
CORNER_MM: Final = 60.0
CORNERS: Final[Mapping[int, str]] = MappingProxyType(
    {40: "far left", 41: "far right", 42: "near right", 43: "near left"}
)

MIN_CORNER_SHARE: Final = 0.6  # of the board's corners: with fewer, its far end is a guess
MAX_EDGE_PX: Final = 5.0  # black-to-white transition; wider ones are out of focus or motion blur
_MAX_MISPLACEMENT_MM: Final = 3.0  # beyond which it is another board
_OTHER_DICTIONARIES: Final = ("DICT_5X5_1000", "DICT_6X6_1000", "DICT_7X7_1000", "DICT_APRILTAG_36H11")
_EDGE_SAMPLES: Final = np.linspace(0.1, 0.9, 25)  # along a side, away from the rounded corners
_EDGE_SEARCH_SHARE: Final = 0.11  # of the side, inward and outward: the black border is a sixth wide
_SAMPLES_PER_PIXEL: Final = 8
_PRINT_HINT: Final = "print calibration/charuco-a4.pdf at 100 % and show that board"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BoardView:
    """The board in one picture: inner corners [n, 2] in pixels and on the board in mm, and the width of its edges."""

    size: tuple[int, int]
    pixels: Points
    places: Points
    edge_px: float


@cache
def board() -> cv2.aruco.CharucoBoard:
    """Return the ChArUco board of `calibration/charuco-*.pdf`."""
    return cv2.aruco.CharucoBoard(SQUARES, SQUARE_MM, SQUARE_MARKER_MM, dictionary())


@cache
def dictionary() -> cv2.aruco.Dictionary:
    """Return the marker dictionary of all targets."""
    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)


def find_board(image: Image) -> BoardView:
    """Return the board in a picture; raises CalibrationError with the reason and the remedy."""
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    pixels, ids, marker_corners, marker_ids = cv2.aruco.CharucoDetector(board()).detectBoard(grey)
    if marker_ids is None or not len(marker_ids):
        raise CalibrationError(only_english(_diagnose(grey)))
    _check_same_board(marker_corners, np.ravel(marker_ids))
    found = 0 if ids is None else len(ids)
    if not found:
        raise CalibrationError(
            only_english(
                f"blurred, or hardly in view: markers seen {len(marker_ids)}, corners between them 0; "
                "focus, hold still, show the whole board"
            )
        )
    corners = np.asarray(board().getChessboardCorners(), np.float64)[:, :2]
    if found < MIN_CORNER_SHARE * len(corners):
        raise CalibrationError(
            only_english(
                f"{found} of the board's {len(corners)} corners are seen; "
                "show the whole board, without glare or fingers on it"
            )
        )
    places = corners[np.ravel(ids)]
    seen = np.asarray(pixels, np.float64).reshape(-1, 2)
    edge_px = _edge_width(grey, seen, places)
    if edge_px > MAX_EDGE_PX:
        raise CalibrationError(
            only_english(
                f"blurred: black turns to white over {edge_px:.1f} pixels, and {MAX_EDGE_PX:g} are the most; "
                "focus, hold still, add light"
            )
        )
    return BoardView(size=(grey.shape[1], grey.shape[0]), pixels=seen + 0.5, places=places, edge_px=edge_px)


def find_corner_markers(image: Image) -> dict[int, Points]:
    """Return the corners [4, 2] of the table's markers by id, in pixels, clockwise from each marker's top left."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_NONE
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary(), parameters).detectMarkers(grey)
    found = {
        int(i): np.asarray(quad, np.float64).reshape(4, 2)
        for i, quad in zip(np.ravel(ids if ids is not None else ()), corners, strict=True)
    }
    return {i: _refine_corners(grey, quad) + 0.5 for i, quad in sorted(found.items()) if i in CORNERS}


def _diagnose(grey: npt.NDArray[np.uint8]) -> str:
    for name in _OTHER_DICTIONARIES:
        other = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))
        _, ids, _ = cv2.aruco.ArucoDetector(other).detectMarkers(grey)
        if ids is not None and len(ids) > 2:
            return f"another board: its markers are {name}, ours DICT_4X4_50; {_PRINT_HINT}"
    contrast = float(np.subtract(*np.percentile(grey, [99, 1])))
    if contrast < 40:
        return f"nothing to see: dark and light differ by {contrast:.0f} of 255; light the board, uncover the lens"
    return f"no board is seen, or too blurred, too small or too dark to make out; {_PRINT_HINT}"


def _check_same_board(quads: Sequence[npt.NDArray[Any]], ids: npt.NDArray[np.integer]) -> None:
    """Raise CalibrationError for another board: other ids, number of squares or marker size."""
    ours = {
        int(i): np.asarray(places, np.float64)[:, :2]
        for i, places in zip(np.ravel(board().getIds()), board().getObjPoints(), strict=True)
    }
    strangers = sorted({int(i) for i in ids} - ours.keys() - CORNERS.keys())
    seen = [
        (np.asarray(quad, np.float64).reshape(4, 2), ours[int(i)])
        for quad, i in zip(quads, ids, strict=True)
        if int(i) in ours
    ]
    if len(strangers) > 2 or not seen:
        raise _other_board(f"its markers have the numbers {_format_ids(ids)}, ours 0 to {len(ours) - 1}")
    if len(seen) < 5:
        return
    pixels, places = np.concatenate([pair[0] for pair in seen]), np.concatenate([pair[1] for pair in seen])
    if _misplaced_mm(pixels, places) > _MAX_MISPLACEMENT_MM:
        raise _other_board(f"its markers do not lie where ours do (7 × 5 squares of {SQUARE_MM:g} mm)")


def _other_board(why: str) -> CalibrationError:
    return CalibrationError(only_english(f"another board: {why}; {_PRINT_HINT}"))


def _misplaced_mm(pixels: Points, places: Points) -> float:
    """Return how far (mm, 90th percentile) the markers' corners are from a plane seen through a distorting lens."""
    to_board = homography(pixels, places)
    if to_board is None:
        return np.inf
    x, y = ((pixels - pixels.mean(axis=0)) / pixels.std(axis=0)).T
    bends = np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])
    off = places - project_points(to_board, pixels)
    off = off - bends @ np.linalg.lstsq(bends, off, rcond=None)[0]
    return float(np.percentile(np.hypot(*off.T), 90))


def _format_ids(ids: npt.NDArray[np.integer]) -> str:
    numbers = sorted({int(i) for i in ids})
    return ", ".join(map(str, numbers[:6])) + (", …" if len(numbers) > 6 else "")


def _edge_width(grey: npt.NDArray[np.uint8], pixels: Points, places: Points) -> float:
    """Return the width in pixels of the board's edges: contrast over steepest slope, in the blurrier direction.

    The board is rectified at its own scale first, so that its edges run along rows and columns.
    """
    to_picture = homography(places, pixels)
    if to_picture is None:
        return np.inf
    area = cv2.contourArea(cv2.convexHull(pixels.astype(np.float32)))
    scale = float(np.sqrt(area / cv2.contourArea(cv2.convexHull(places.astype(np.float32)))))
    size = (max(8, round(SQUARES[0] * SQUARE_MM * scale)), max(8, round(SQUARES[1] * SQUARE_MM * scale)))
    flat = cv2.warpPerspective(
        grey, to_picture @ np.diag([1 / scale, 1 / scale, 1.0]), size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    )
    steep = flat.astype(np.float64)
    contrast = float(np.subtract(*np.percentile(steep, [90, 10])))
    slopes = (np.abs(np.diff(steep, axis=1)), np.abs(np.diff(steep, axis=0)))
    # About a tenth of all neighbours lie on an edge of this direction; the steepest hundredth are noise.
    return contrast / max(1e-6, min(float(np.percentile(slope, 98)) for slope in slopes))


def _refine_corners(grey: npt.NDArray[np.uint8], quad: Points) -> Points:
    """Return the refined corners [4, 2] of a dark square on white; whole numbers are pixel centres."""
    lines = [_fit_edge(grey, quad[side], quad[(side + 1) % 4]) for side in range(4)]
    return np.array([_intersection(lines[side - 1], lines[side]) for side in range(4)])


def _fit_edge(grey: npt.NDArray[np.uint8], start: Points, end: Points) -> tuple[Points, Points]:
    """Return a point on the side's edge and its direction, from dark-to-light transitions along profiles across it."""
    along = end - start
    length = float(np.hypot(*along))
    across = np.array([along[1], -along[0]]) / length
    reach = max(2.0, _EDGE_SEARCH_SHARE * length)
    rod = np.linspace(-reach, reach, 2 * round(reach * _SAMPLES_PER_PIXEL) + 1)
    feet = start + _EDGE_SAMPLES[:, None] * along
    places = (feet[:, None] + rod[None, :, None] * across).astype(np.float32)
    bright = cv2.remap(grey, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(
        np.float64
    )
    # The area under a dark-to-light step gives its position with less noise than any single sample.
    ends = len(rod) // 6
    dark, light = np.median(bright[:, :ends], axis=1), np.median(bright[:, -ends:], axis=1)
    clear = light - dark > 20
    if clear.sum() < len(_EDGE_SAMPLES) // 2:
        return start, along / length
    share = np.clip((light[:, None] - bright) / np.maximum(light - dark, 1)[:, None], 0, 1).mean(axis=1)
    edge = feet + ((2 * share - 1) * reach)[:, None] * across
    x, y, x0, y0 = cv2.fitLine(edge[clear].astype(np.float32), cv2.DIST_HUBER, 0, 1e-4, 1e-4).ravel().astype(np.float64)
    return np.array([x0, y0]), np.array([x, y])


def _intersection(one: tuple[Points, Points], other: tuple[Points, Points]) -> Points:
    """Return the intersection of two lines."""
    (a, u), (b, v) = one, other
    reach = np.linalg.solve(np.column_stack([u, -v]), b - a)
    return np.asarray(a + reach[0] * u)
