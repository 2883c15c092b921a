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
from referee.vision.watch.change import Mask, changed, resized
from referee.vision.watch.table_region import TableView
from referee.vision.watch.tuning import TUNING


class ReachWatch:
    """Detects whether anything reaches over the table that did not when the table was last seen."""

    def __init__(self, table: TableView) -> None:
        """Know of pixels whether they show the table: where nobody knows its edge, nothing reaches over it."""
        self._table = table
        self._clear = True
        self._free: Image | None = None
        self._seen: Image | None = None
        self._reaching: tuple[float, Image] | None = None

    def remember(self, small: Image) -> None:
        """Compare with this shrunk picture."""
        if self._seen is None or self._seen.shape != small.shape:
            self._clear, self._reaching = True, None
        self._seen = small
        if self._clear or self._free is None:
            self._free = small

    def reaches_since(self, image: Image, now: Image, at: float, now_or_before: Iterable[TileReading]) -> float | None:
        """Return since when something new reaches so from the edge of the table over it, in seconds; None: nothing.

        None of the tiles that lie there now, or lay there before, does. `now` is the image, shrunk as what is
        remembered, and `at` when it was taken.
        """
        on_table = self._table.mask(image)
        if on_table is None or self._seen is None or self._free is None:
            return None
        if now.shape != self._seen.shape:
            return None
        if cv2.absdiff(self._seen, now).max() <= TUNING.noise_levels:
            self._reaching = None
            return None
        table = resized(on_table, now.shape)
        beside = np.pad(table.view(np.uint8), 1)
        depth = np.asarray(cv2.distanceTransform(beside, cv2.DIST_L2, 3)[1:-1, 1:-1], np.float32)
        new = changed(self._free, now) & table
        _without_tiles(new, now_or_before, now.shape[1] / image.shape[1])
        self._clear = not _reaches(new, depth)
        if not self._clear and self._free is not self._seen:
            new &= changed(self._seen, now)
        if self._clear or not _reaches(new, depth):
            self._reaching = None
        elif self._reaching is None or _reaches(new & changed(self._reaching[1], now), depth):
            self._reaching = at, now
        return None if self._reaching is None else self._reaching[0]


def _without_tiles(new: Mask, tiles: Iterable[TileReading], scale: float) -> None:
    """Take the places of these tiles, and what they shade, out of what is new."""
    for tile in tiles:
        quad, middle = np.array(tile.quad), np.array(tile.centre)
        place = (middle + (quad - middle) * TUNING.mask_scale) * scale
        cv2.fillConvexPoly(new.view(np.uint8), np.round(place).astype(np.int32), 0)


def _reaches(new: Mask, depth: npt.NDArray[np.float32]) -> bool:
    """Return whether anything as broad as an arm begins at the edge of the table and ends far from it, in samples."""
    width = np.ones((TUNING.min_arm_samples, TUNING.min_arm_samples), np.uint8)
    count, parts = cv2.connectedComponents(cv2.morphologyEx(new.view(np.uint8), cv2.MORPH_OPEN, width))
    depths = [depth[parts == part] for part in range(1, count)]
    return any(one.min() < 2 and one.max() >= TUNING.min_reach_samples for one in depths)
