"""An arm over the table, which hides what lies or is laid under it.

An arm comes from beside the table: anything new that runs from its edge over places of tiles is one. If it rests there
for seconds, the table settles with it; if for longer, it is part of the table: a sheet or a cable.
"""

from collections.abc import Iterable

import cv2
import numpy as np
import numpy.typing as npt

from referee.reading.observation import TileReading
from referee.vision.geometry.detections import Doubles
from referee.vision.image.frame import Image
from referee.vision.watch.change import Mask, changed_samples, resize_mask
from referee.vision.watch.likeness import is_only_light, light_factors
from referee.vision.watch.table_region import TableView
from referee.vision.watch.tuning import TUNING

Depth = npt.NDArray[np.float32]


class ReachWatch:
    """Detects an arm that has come over the table since it was last seen."""

    def __init__(self, table: TableView) -> None:
        """Watch the edge of this table, or that of the picture if it is unknown."""
        self._table = table
        self._free: Image | None = None
        self._seen: Image | None = None
        self._reaching: tuple[float, Image] | None = None
        self._rests: tuple[float, Image] | None = None

    @property
    def reached(self) -> bool | None:
        """Whether something as large as a hand reached in at the last look; None before the first."""
        return None if self._free is None else self._rests is not None

    def remember(self, small: Image) -> None:
        """Remember this downscaled picture for comparison."""
        if self._seen is None or self._seen.shape != small.shape:
            self._free = self._reaching = self._rests = None
        self._seen = small
        if self._rests is None or self._free is None:
            self._free = small

    def reaches(self, image: Image, now: Image, now_or_before: Iterable[TileReading]) -> bool | None:
        """Return whether something as large as a hand reaches in from the edge; None if nothing is remembered.

        `now` is the image at the scale of the remembered one. The tiles `now_or_before` are not part of an arm.
        """
        new = self._new(image, now, now_or_before)
        return None if new is None else _reaches(new, self._depth(image, now))

    def arm_since(self, image: Image, now: Image, at: float, now_or_before: Iterable[TileReading]) -> float | None:
        """Return since when an arm has rested so over the table, in seconds; None without one, or without an edge.

        `at` is the time of the image; for the rest see `reaches`.
        """
        new = self._new(image, now, now_or_before)
        if new is None or self._seen is None or self._free is None:
            return None
        depth = self._depth(image, now)
        self._rests = _resting(self._rests, new, now, at, depth)
        if self._rests is not None and at - self._rests[0] >= TUNING.furniture_seconds:
            self._free, self._rests = now, None
        if self._table.mask(image) is None:
            return None
        if self._free is not self._seen:
            new = new & changed_samples(self._seen, now)
        self._reaching = _resting(self._reaching, new, now, at, depth) if self._rests is not None else None
        return None if self._reaching is None else self._reaching[0]

    def _new(self, image: Image, now: Image, now_or_before: Iterable[TileReading]) -> Mask | None:
        """Return what lies over the table and is no tile, since no arm was over it."""
        if self._free is None or now.shape != self._free.shape:
            return None
        new = changed_samples(self._free, now)
        if (on_table := self._table.mask(image)) is not None:
            new &= resize_mask(on_table, now.shape)
        _without_tiles(new, now_or_before, now.shape[1] / image.shape[1])
        _without_shadows(new, self._free, now)
        return new

    def _depth(self, image: Image, now: Image) -> Depth:
        """Return how far each sample lies from the edge, in samples."""
        on_table = self._table.mask(image)
        table = np.ones(now.shape[:2], np.uint8) if on_table is None else resize_mask(on_table, now.shape)
        beside = np.pad(table.view(np.uint8), 1)
        return np.asarray(cv2.distanceTransform(beside, cv2.DIST_L2, 3)[1:-1, 1:-1], np.float32)


def _resting(
    before: tuple[float, Image] | None, new: Mask, now: Image, at: float, depth: Depth
) -> tuple[float, Image] | None:
    """Return since when what is new reaches over the table as it does now, and the picture then; None if none does."""
    if not _reaches(new, depth):
        return None
    if before is None or _reaches(new & changed_samples(before[1], now), depth):
        return at, now
    return before


def _without_tiles(new: Mask, tiles: Iterable[TileReading], scale: float) -> None:
    """Clear the places and shadows of these tiles in `new`."""
    for tile in tiles:
        quad, middle = np.array(tile.quad), np.array(tile.centre)
        place = (middle + (quad - middle) * TUNING.mask_scale) * scale
        cv2.fillConvexPoly(new.view(np.uint8), np.round(place).astype(np.int32), 0)


def _without_shadows(new: Mask, was: Image, now: Image) -> None:
    """Clear the edges of shadows in `new`: on either side all colours changed by one factor, whatever lies there.

    The folds of a sleeve and what lies under it do not.
    """
    count, parts = cv2.connectedComponents(new.view(np.uint8))
    for part in range(1, count):
        here = parts == part
        before, after = was[here].astype(np.float64), now[here].astype(np.float64)
        if is_only_light(before, after).mean() >= TUNING.min_background_share and _has_two_lights(before, after):
            new[here] = False


def _has_two_lights(before: Doubles, after: Doubles) -> bool:
    """Return whether colours [n, 3] changed by one factor, or by two, as on both sides of a shadow's edge."""
    factors = np.log(light_factors(before, after).mean(axis=1))
    middle = factors.mean()
    return all(
        1.48 * float(np.median(np.abs(side - np.median(side)))) <= TUNING.max_light_spread
        for side in (factors[factors < middle], factors[factors >= middle])
        if len(side)
    )


def _reaches(new: Mask, depth: Depth) -> bool:
    """Return whether anything as broad as an arm runs from the table's edge far into it; `depth` is in samples."""
    width = np.ones((TUNING.min_arm_samples, TUNING.min_arm_samples), np.uint8)
    count, parts = cv2.connectedComponents(cv2.morphologyEx(new.view(np.uint8), cv2.MORPH_OPEN, width))
    depths = [depth[parts == part] for part in range(1, count)]
    return any(depth.min() < 2 and depth.max() >= TUNING.min_reach_samples for depth in depths)
