"""An arm resting over the table, which hides what lies or is laid under it.

An arm comes from beside the table: anything new that runs from its edge over places of tiles is one. If it stays
unchanged for longer, it is part of the table: a leaning arm, a sheet or a cable.
"""

from collections.abc import Iterable

import cv2
import numpy as np
import numpy.typing as npt

from referee.reading.observation import TileReading
from referee.vision.image.frame import Image
from referee.vision.watch.change import Mask, changed_samples, resize_mask
from referee.vision.watch.table_region import TableView
from referee.vision.watch.tuning import TUNING


class ReachWatch:
    """Detects an arm that has come over the table since it was last seen."""

    def __init__(self, table: TableView) -> None:
        """Watch the edge of this table; without a known edge, no arm is detected."""
        self._table = table
        self._clear = True
        self._free: Image | None = None
        self._seen: Image | None = None
        self._reaching: tuple[float, Image] | None = None

    def remember(self, small: Image) -> None:
        """Remember this downscaled picture for comparison."""
        if self._seen is None or self._seen.shape != small.shape:
            self._clear, self._reaching = True, None
        self._seen = small
        if self._clear or self._free is None:
            self._free = small

    def arm_since(self, image: Image, now: Image, at: float, now_or_before: Iterable[TileReading]) -> float | None:
        """Return since when an arm has rested so over the table, in seconds; None without one.

        `now` is the image at the scale of the remembered one, and `at` its time. The tiles `now_or_before` are not part
        of an arm.
        """
        on_table = self._table.mask(image)
        if on_table is None or self._seen is None or self._free is None:
            return None
        if now.shape != self._seen.shape:
            return None
        if cv2.absdiff(self._seen, now).max() <= TUNING.noise_levels:
            self._reaching = None
            return None
        table = resize_mask(on_table, now.shape)
        beside = np.pad(table.view(np.uint8), 1)
        depth = np.asarray(cv2.distanceTransform(beside, cv2.DIST_L2, 3)[1:-1, 1:-1], np.float32)
        new = changed_samples(self._free, now) & table
        _without_tiles(new, now_or_before, now.shape[1] / image.shape[1])
        self._clear = not _reaches(new, depth)
        if not self._clear and self._free is not self._seen:
            new &= changed_samples(self._seen, now)
        if self._clear or not _reaches(new, depth):
            self._reaching = None
        elif self._reaching is None or _reaches(new & changed_samples(self._reaching[1], now), depth):
            self._reaching = at, now
        return None if self._reaching is None else self._reaching[0]


def _without_tiles(new: Mask, tiles: Iterable[TileReading], scale: float) -> None:
    """Clear the places and shadows of these tiles in `new`."""
    for tile in tiles:
        quad, middle = np.array(tile.quad), np.array(tile.centre)
        place = (middle + (quad - middle) * TUNING.mask_scale) * scale
        cv2.fillConvexPoly(new.view(np.uint8), np.round(place).astype(np.int32), 0)


def _reaches(new: Mask, depth: npt.NDArray[np.float32]) -> bool:
    """Return whether anything as broad as an arm runs from the table's edge far into it; `depth` is in samples."""
    width = np.ones((TUNING.min_arm_samples, TUNING.min_arm_samples), np.uint8)
    count, parts = cv2.connectedComponents(cv2.morphologyEx(new.view(np.uint8), cv2.MORPH_OPEN, width))
    depths = [depth[parts == part] for part in range(1, count)]
    return any(depth.min() < 2 and depth.max() >= TUNING.min_reach_samples for depth in depths)
