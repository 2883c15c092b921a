"""The edge of the picture: a tile pushed across it vanishes, though nobody took it.

A tile half outside the picture shows no face, only something new, as large as part of a tile, at the edge. While it is
there, it may be a tile that vanished meanwhile. A row that crosses the edge of the table, or of the picture, may be
longer than it appears.
"""

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np

from referee.reading.observation import Point, Quad, TableReading, TileReading
from referee.reading.tracks import TileIndex
from referee.vision.image.frame import Image
from referee.vision.watch.change import changed_samples, downscale, resize_mask
from referee.vision.watch.table_region import TableView
from referee.vision.watch.tuning import TUNING


class EdgeWatch:
    """Detects whether the edge of the picture has changed since every tile was seen."""

    def __init__(self, table: TableView) -> None:
        """Ignore what lies beside the table, where people move."""
        self._table = table
        self._was: Image | None = None
        self._tile_px = 0.0
        self._lay = TileIndex(())

    def remember(self, small: Image, reading: TableReading, tile_px: float) -> None:
        """Remember this downscaled picture and its reading; `tile_px` is the tile width in pixels."""
        self._tile_px, self._was, self._lay = tile_px, small, TileIndex(reading.tiles)

    def has_new_at_edge(self, image: Image) -> bool:
        """Return whether part of a tile may newly lie where the picture cuts off the table."""
        if self._was is None:
            return False
        now = downscale(image, self._tile_px)
        if now.shape != self._was.shape:
            return False
        new = changed_samples(self._was, now)
        strip = TUNING.tile_samples // 2
        new[strip:-strip, strip:-strip] = False
        if (on_table := self._table.mask(image)) is not None:
            new &= resize_mask(on_table, new.shape)
        _, _, found, _ = cv2.connectedComponentsWithStats(new.view(np.uint8))
        return bool((found[1:, cv2.CC_STAT_AREA] >= TUNING.min_changed_samples).any())

    def add_backs_beyond(self, now: TableReading, image: Image) -> TableReading:
        """Return the reading with a face-down tile beyond the table's edge beside each tile that has moved there.

        So a row that may continue there does not count as complete.
        """
        beyond = tuple(
            TileReading(quad=quad, tile=None, confidence=TUNING.unseen_chance, unsure=True)
            for tile in now.tiles
            if tile.tile is not None and self._lay.find(tile.quad) is None
            for quad in self._off_the_table(tile, image)
        )
        return replace(now, tiles=(*now.tiles, *beyond)) if beyond else now

    def _off_the_table(self, tile: TileReading, image: Image) -> Iterator[Quad]:
        """Yield those neighbouring places of a tile that lie off the table or the picture."""
        (x, y), (ax, ay), (bx, by) = tile.centre, *tile.quad[:2]
        for way in (-TUNING.neighbour_widths, TUNING.neighbour_widths):
            right, down = (bx - ax) * way, (by - ay) * way
            if not self.shows((x + right, y + down), image):
                a, b, c, d = ((across + right, along + down) for across, along in tile.quad)
                yield (a, b, c, d)

    def shows(self, point: Point, image: Image) -> bool:
        """Return whether a pixel lies in the picture and on the table."""
        height, width = image.shape[:2]
        return 0 <= point[0] < width and 0 <= point[1] < height and all(self._table.shows([point]))
