"""The table fitted to the tiles of the box; a measure of it that does not fit is told apart from tiles that do not."""

from referee.errors import CalibrationError
from referee.rules.wording import say
from referee.vision.calibrate.tile_plane import TilePlane, fit_tiles
from referee.vision.geometry.optics import Intrinsics, Points


def fit_table(
    corners: Points,
    size: tuple[int, int],
    optics: Intrinsics | None,
    tile_mm: tuple[float, float],
    sides_mm: tuple[float, float] | None,
) -> TilePlane:
    """Return lens and table by `fit_tiles`; raises CalibrationError, of the measure where the tiles fit without it."""
    try:
        return fit_tiles(corners, size, optics, tile_mm, sides_mm)
    except CalibrationError:
        if sides_mm is None:
            raise
        width, depth = fit_tiles(corners, size, optics, tile_mm).table.size_mm
        raise CalibrationError(
            say(
                "lay.other_size",
                "a table of {given} mm does not fit: by the tiles it is {found} mm; "
                "measure again between the outer corners of the rows, first along the picture's width, or leave it out",
                given=f"{sides_mm[0]:g} × {sides_mm[1]:g}",
                found=f"{width:.0f} × {depth:.0f}",
            )
        ) from None
