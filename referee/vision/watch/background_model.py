"""The table as it looks where nothing lies on it, put together from all that was seen of it since the camera stood so.

What looks there as the bare table did is bare, whatever veins and rings it has. The light may have changed meanwhile;
what lies beside a place shades it, and is left out. Where the table is of one plain colour it tells nothing: a tile
that lies face down may be as plain.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from referee.reading.observation import TableReading, TileReading
from referee.vision.image.frame import Image
from referee.vision.watch.tuning import TUNING

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class BareTable:
    """A picture of the table, and which pixels [height, width] of it were seen with nothing on them."""

    image: Image
    known: npt.NDArray[np.bool_]


def look_under(bare: BareTable | None, reading: TableReading, image: Image) -> BareTable:
    """Add what a picture shows beside the tiles that were read in it."""
    free = np.ones(image.shape[:2], np.uint8)
    for tile in reading.tiles:
        quad, middle = np.array(tile.quad), np.array(tile.centre)
        cv2.fillConvexPoly(free, np.round(middle + (quad - middle) * TUNING.mask_scale).astype(np.int32), 0)
    known = free.view(np.bool_)
    if bare is None or bare.image.shape != image.shape:
        return BareTable(image, known)
    return BareTable(np.asarray(cv2.copyTo(image, free, bare.image.copy()), np.uint8), known | bare.known)


def looks_bare(bare: BareTable | None, tile: TileReading, others: Sequence[TileReading], image: Image) -> bool | None:
    """Return whether a tile's place looks like the bare table there, where no shadow of others falls.

    None where that tells nothing: the table is plain there, was never seen or is lit otherwise now.
    """
    place = _colours(bare, tile, others, image)
    if place is None:
        return None
    was, now = place
    a, b = was.mean(axis=1), now.mean(axis=1)
    if a.std() < TUNING.min_texture:
        return None
    alike = np.abs(was.mean(axis=0) - now.mean(axis=0)).max() <= TUNING.max_light_change
    a, b = a - a.mean(), b - b.mean()
    correlation = float(a @ b) / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-9)
    if correlation < TUNING.max_unlike_correlation:
        return False
    return True if alike and correlation >= TUNING.min_correlation else None


def looks_covered(bare: BareTable | None, tile: TileReading, others: Sequence[TileReading], image: Image) -> bool:
    """Return whether a tile's place differs from the bare table by much more than the table around it."""
    place = _colours(bare, tile, others, image)
    about = None if place is None else _colours(bare, tile, [*others, tile], image, TUNING.about_scale)
    if place is None or about is None:
        return False
    here, there = (np.median(now - was, axis=0) for was, now in (place, about))
    return bool(np.abs(here - there).max() > 2 * TUNING.max_light_change)


def _colours(
    bare: BareTable | None, tile: TileReading, others: Sequence[TileReading], image: Image, scale: float = 1.0
) -> tuple[_Floats, _Floats] | None:
    """Return the colours [n, 3] of the bare table and of the picture, where a tile lies or so far about it.

    Left out is what lies in the shadow of the others; None where too little is left that was ever seen bare.
    """
    if bare is None or bare.image.shape != image.shape:
        return None
    quad = np.array(tile.quad)
    middle = quad.mean(axis=0)
    reach = (scale + TUNING.near_tiles) * math.dist(quad[0], quad[2])
    near = [other for other in others if math.dist(other.quad[0], middle) < reach]
    spots = grid(middle, (quad - middle) * scale)
    columns, rows = pixels(spots, image)
    seen = bare.known[rows, columns] & (distances(spots, near) >= TUNING.shadow_widths)
    if seen.mean() < TUNING.min_share_seen:
        return None
    was, now = (picture[rows, columns].astype(np.float64)[seen] for picture in (bare.image, image))
    return was, now


def grid(middle: _Floats, arms: _Floats) -> _Floats:
    """Return points [256, 2] spread over the place whose corners are the middle and its arms."""
    steps = np.linspace(0.05, 0.95, TUNING.grid_points)
    right, down = arms[1] - arms[0], arms[3] - arms[0]
    across, along = steps[:, None, None] * right, steps[:, None] * down
    return np.asarray((middle + arms[0] + across + along).reshape(-1, 2))


def pixels(points: _Floats, image: Image) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the columns and rows of the pixels at these points, or nearest to them."""
    columns = points[:, 0].round().astype(np.intp).clip(0, image.shape[1] - 1)
    return columns, points[:, 1].round().astype(np.intp).clip(0, image.shape[0] - 1)


def distances(points: _Floats, tiles: Sequence[TileReading]) -> _Floats:
    """Return how far each point is from the nearest tile, in tile widths; negative on one."""
    nearest = np.full(len(points), np.inf)
    for tile in tiles:
        a, b, _, d = np.array(tile.quad)
        right, down = b - a, d - a
        width, height = float(np.hypot(*right)), float(np.hypot(*down))
        steps = points - np.array(tile.centre)
        across = np.abs(steps @ right) / width - width / 2
        along = np.abs(steps @ down) / height - height / 2
        nearest = np.minimum(nearest, np.maximum(across, along) / width)
    return nearest
