"""Camera calibration from pictures of the board, or the reason why it fails."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.rules.wording import only_english
from referee.vision.calibrate.markers import BoardView
from referee.vision.geometry.optics import Intrinsics, Points

MIN_PICTURES: Final = 8
MIN_CELLS: Final = 9
MAX_ERROR_PX: Final = 1.0
MAX_FOCAL_UNCERTAINTY: Final = 0.005  # of the focal length, one standard deviation
MIN_TILT_DEGREES: Final = 8.0
_COLUMNS: Final = ("left", "middle left", "middle right", "right")
_ROWS: Final = ("top", "centre", "bottom")
# From simple to rich, with the number of coefficients. A richer model is used only if it fits clearly better: it
# distorts the rim arbitrarily.
_LENS_MODELS: Final = {cv2.CALIB_FIX_K3: 4, 0: 5, cv2.CALIB_RATIONAL_MODEL: 8}
_MAX_ERROR_RATIO: Final = 0.93


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CameraFit:
    """The fitted optics, each picture's RMS error (NaN if left out), and the pictures left out as outliers.

    `focal_uncertainty` is one standard deviation, relative to the focal length.
    """

    intrinsics: Intrinsics
    errors_px: tuple[float, ...]
    left_out: tuple[int, ...]
    focal_uncertainty: float
    tilt_degrees: float


def covered_cells(views: Sequence[BoardView]) -> frozenset[tuple[int, int]]:
    """Return the cells (row, column) of a 3 × 4 grid over the picture in which any view has a board corner."""
    cells: set[tuple[int, int]] = set()
    for view in views:
        place = view.pixels / view.size * (len(_COLUMNS), len(_ROWS))
        cells |= {(int(row), int(column)) for column, row in np.clip(place, 0, (len(_COLUMNS) - 1, len(_ROWS) - 1))}
    return frozenset(cells)


def uncovered_parts(views: Sequence[BoardView]) -> tuple[str, ...]:
    """Return the names of the parts of the picture that no view covers yet."""
    seen = covered_cells(views)
    names = [
        f"{_ROWS[row]} {_COLUMNS[column]}"
        for row in range(len(_ROWS))
        for column in range(len(_COLUMNS))
        if (row, column) not in seen
    ]
    return tuple(names)


def fit_camera(views: Sequence[BoardView]) -> CameraFit:
    """Return the optics of the camera that took the views; raises CalibrationError with the reason and the remedy."""
    _check_enough(views)
    fit = _fit_without_outliers(views)
    error, tilt = fit.intrinsics.error_px, fit.tilt_degrees
    if error > MAX_ERROR_PX:
        raise CalibrationError(
            only_english(
                f"the pictures disagree by {error:.2f} px, and {MAX_ERROR_PX:g} is the most: "
                "glue the board to something flat, hold it still, lock the focus, take the pictures again"
            )
        )
    why = None
    if tilt < MIN_TILT_DEGREES:
        why = f"the board's tilts spread by {tilt:.0f} degrees, and {MIN_TILT_DEGREES:.0f} are the least"
    elif fit.focal_uncertainty > MAX_FOCAL_UNCERTAINTY:
        why = f"the focal length is known to {fit.focal_uncertainty:.1%}, and {MAX_FOCAL_UNCERTAINTY:.1%} is the most"
    if why:
        raise CalibrationError(
            only_english(f"too little variety of angle: {why}; tilt the board by 20 to 40 degrees, to all four sides")
        )
    return fit


def _check_enough(views: Sequence[BoardView]) -> None:
    if not views:
        raise CalibrationError(
            only_english(
                "no picture shows the board; hold it before the camera, or lay tiles and run 'referee calibrate setup'"
            )
        )
    if len(views) < MIN_PICTURES:
        raise CalibrationError(
            only_english(f"{len(views)} pictures can be used, and {MIN_PICTURES} are needed; take more, 15 are good")
        )
    sizes = sorted({view.size for view in views})
    if len(sizes) > 1:
        shown = " and ".join(f"{width}×{height}" for width, height in sizes)
        raise CalibrationError(
            only_english(f"the pictures are of {shown} pixels; take all with one camera at one size")
        )
    missing, cells = uncovered_parts(views), len(_ROWS) * len(_COLUMNS)
    if cells - len(missing) < MIN_CELLS:
        raise CalibrationError(
            only_english(
                f"the board covers {cells - len(missing)} of {cells} parts of the picture, and {MIN_CELLS} are needed; "
                f"show it also {', '.join(missing)}"
            )
        )


def _fit_without_outliers(views: Sequence[BoardView]) -> CameraFit:
    """Fit, drop pictures far worse than the rest (moved, bent, misdetected), and fit again."""
    fit = _best_lens(views)
    errors = np.array(fit.errors_px)
    good = errors <= max(0.5, 3 * float(np.median(errors)))
    if good.all() or good.sum() < MIN_PICTURES:
        return fit
    fit = _best_lens([view for view, used in zip(views, good, strict=True) if used])
    errors = np.full(len(views), np.nan)
    errors[good] = fit.errors_px
    return replace(fit, errors_px=tuple(errors.tolist()), left_out=tuple(np.nonzero(~good)[0].tolist()))


def _best_lens(views: Sequence[BoardView]) -> CameraFit:
    best, *others = (_fit_lens(views, lens) for lens in _LENS_MODELS)
    for richer in others:
        clearly = richer.intrinsics.error_px < _MAX_ERROR_RATIO * best.intrinsics.error_px
        if clearly and richer.focal_uncertainty < max(MAX_FOCAL_UNCERTAINTY, best.focal_uncertainty):
            best = richer
    return best


def _fit_lens(views: Sequence[BoardView], lens: int) -> CameraFit:
    places = [np.column_stack([view.places, np.zeros(len(view.places))]).astype(np.float32) for view in views]
    pixels = [view.pixels.astype(np.float32) for view in views]
    size = views[0].size
    try:
        error, matrix, distortion, turns, _, doubts, _, errors = cv2.calibrateCameraExtended(
            places, pixels, size, np.eye(3), np.zeros(8), flags=lens
        )
    except cv2.error as problem:
        raise CalibrationError(
            only_english(
                f"no optics fit these pictures ({problem.err}); tilt the board more, and differently in each picture"
            )
        ) from None
    # A degenerate fit reports a zero or missing deviation.
    doubt = float(np.abs(np.ravel(doubts)[:2] / np.diag(matrix)[:2]).max())
    intrinsics = Intrinsics(
        size=size,
        focal=(float(matrix[0, 0]), float(matrix[1, 1])),
        centre=(float(matrix[0, 2]), float(matrix[1, 2])),
        distortion=tuple(np.ravel(distortion)[: _LENS_MODELS[lens]].tolist()),
        error_px=float(error),
        pictures=len(views),
    )
    return CameraFit(
        intrinsics=intrinsics,
        errors_px=tuple(np.ravel(errors).tolist()),
        left_out=(),
        focal_uncertainty=doubt if doubt > 1e-6 else np.inf,
        tilt_degrees=_tilt_degrees(np.asarray(turns, np.float64).reshape(-1, 3)),
    )


def _tilt_degrees(turns: npt.NDArray[np.float64]) -> float:
    """Return the spread of the board's tilts, in degrees, in the direction in which they vary least."""
    facing: Points = np.array([cv2.Rodrigues(turn)[0][:2, 2] for turn in turns])
    spread = np.linalg.svd(facing - facing.mean(axis=0), compute_uv=False)[-1] / np.sqrt(len(facing))
    return float(np.degrees(np.arcsin(min(1.0, spread))))
