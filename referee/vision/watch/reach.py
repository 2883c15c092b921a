"""An arm that rests over the table: what lies under it is not seen, nor is what was laid there.

An arm comes from beside the table, so what is new and runs from its edge over the places of tiles is one. What lies
there unchanged for longer is part of the table: a leaning arm, a sheet or a cable.
"""

from collections.abc import Iterable

import cv2
import numpy as np
import numpy.typing as npt

from referee.reading.observation import TileReading
from referee.vision.image.frame import Image
from referee.vision.watch.change import Mask, changed, resized, shrunk
from referee.vision.watch.table_region import TableView
from referee.vision.watch.tuning import TUNING


class ReachWatch:
    """Detects whether anything reaches over the table that did not when the table was last seen."""

    def __init__(self, table: TableView) -> None:
        """Know of pixels whether they show the table: where nobody knows its edge, nothing reaches over it."""
        self._table = table
        self._tile_px = 0.0
        self._free: Image | None = None
        self._seen: Image | None = None

    def remember(self, small: Image, tile_px: float, *, free: bool) -> None:
        """Compare with this shrunk picture, whose tiles were this many pixels wide; `free` if nothing reached then."""
        self._seen, self._tile_px = small, tile_px
        if free or self._free is None or self._free.shape != small.shape:
            self._free = small

    def reaches(self, image: Image, now_or_before: Iterable[TileReading]) -> bool:
        """Return whether something new reaches from the edge of the table over it: none of the tiles now or before."""
        on_table = self._table.mask(image)
        if on_table is None or self._seen is None or self._free is None:
            return False
        now = shrunk(image, self._tile_px)
        if now.shape != self._seen.shape:
            return False
        table = resized(on_table, now.shape).view(np.uint8)
        new = changed(self._seen, now) & changed(self._free, now) & table.view(np.bool_)
        _without_tiles(new, now_or_before, now.shape[1] / image.shape[1])
        depth = cv2.distanceTransform(np.pad(table, 1), cv2.DIST_L2, 3)[1:-1, 1:-1]
        width = np.ones((TUNING.min_arm_samples, TUNING.min_arm_samples), np.uint8)
        broad = cv2.morphologyEx(new.view(np.uint8), cv2.MORPH_OPEN, width)
        count, parts = cv2.connectedComponents(broad)
        return any(_runs_inward(depth[parts == part]) for part in range(1, count))


def _without_tiles(new: Mask, tiles: Iterable[TileReading], scale: float) -> None:
    """Take the places of these tiles, and what they shade, out of what is new."""
    for tile in tiles:
        quad, middle = np.array(tile.quad), np.array(tile.centre)
        place = (middle + (quad - middle) * TUNING.mask_scale) * scale
        cv2.fillConvexPoly(new.view(np.uint8), np.round(place).astype(np.int32), 0)


def _runs_inward(depths: npt.NDArray[np.float32]) -> bool:
    """Return whether a thing at these distances from the edge of the table begins there and ends far from it."""
    return bool(depths.min() < 2 and depths.max() >= TUNING.min_reach_samples)
