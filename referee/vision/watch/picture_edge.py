"""The edge of the picture: what is pushed across it vanishes, though nobody took it.

Of a tile that lies half outside the picture no face is seen, only that something new as large as a part of a tile is
cut off by the edge. As long as it is there, a tile that vanished meanwhile may be the one. Of a row that runs across
the edge of the table, or of the picture, nobody knows where it ends.
"""

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np

from referee.reading.observation import Point, Quad, TableReading, TileReading
from referee.reading.tracks import TileIndex
from referee.vision.image.frame import Image
from referee.vision.watch.change import changed, resized, shrunk
from referee.vision.watch.table_region import TableView
from referee.vision.watch.tuning import TUNING


class EdgeWatch:
    """Detects whether the edge of the picture has changed since every tile was seen."""

    def __init__(self, table: TableView) -> None:
        """Know of pixels whether they show the table: where the picture ends beside it, people move."""
        self._table = table
        self._was: Image | None = None
        self._tile_px = 0.0
        self._lay = TileIndex(())

    def remember(self, small: Image, reading: TableReading, tile_px: float) -> None:
        """Compare with this shrunk picture, and with what was read in it; tiles were this many pixels wide."""
        self._tile_px, self._was, self._lay = tile_px, small, TileIndex(reading.tiles)

    def shows_more(self, image: Image) -> bool:
        """Return whether part of a tile may newly lie where the picture cuts off the table."""
        if self._was is None:
            return False
        now = shrunk(image, self._tile_px)
        if now.shape != self._was.shape:
            return False
        new = changed(self._was, now)
        strip = TUNING.tile_samples // 2
        new[strip:-strip, strip:-strip] = False
        if (on_table := self._table.mask(image)) is not None:
            new &= resized(on_table, new.shape)
        _, _, found, _ = cv2.connectedComponentsWithStats(new.view(np.uint8))
        return bool((found[1:, cv2.CC_STAT_AREA] >= TUNING.min_changed_samples).any())

    def with_rows_across(self, now: TableReading, image: Image) -> TableReading:
        """Return the reading with a tile face down beside each that lies elsewhere than before, where the table ends.

        So nobody takes a row for complete that may go on there.
        """
        beyond = tuple(
            TileReading(quad=quad, tile=None, confidence=TUNING.unseen_chance, unsure=True)
            for tile in now.tiles
            if tile.tile is not None and self._lay.find(tile.quad) is None
            for quad in self._off_the_table(tile, image)
        )
        return replace(now, tiles=(*now.tiles, *beyond)) if beyond else now

    def _off_the_table(self, tile: TileReading, image: Image) -> Iterator[Quad]:
        """Yield the places of a tile's neighbours in a row, as far as they are not on the table or in the picture."""
        (x, y), (ax, ay), (bx, by) = tile.centre, *tile.quad[:2]
        for way in (-TUNING.neighbour_widths, TUNING.neighbour_widths):
            right, down = (bx - ax) * way, (by - ay) * way
            if not self.shows((x + right, y + down), image):
                a, b, c, d = ((across + right, along + down) for across, along in tile.quad)
                yield (a, b, c, d)

    def shows(self, point: Point, image: Image) -> bool:
        """Return whether a pixel is in the picture, and shows the table."""
        height, width = image.shape[:2]
        return 0 <= point[0] < width and 0 <= point[1] < height and all(self._table.shows([point]))
