"""The region of the picture that shows the table; everything beside it, such as racks, is ignored."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from referee.reading.observation import Point, TableReading
from referee.reading.rows import lay_out_tiles
from referee.vision.image.frame import Frame, Image
from referee.vision.watch.change import Mask
from referee.vision.watch.tuning import TUNING

OnTable = Callable[[Sequence[Point]], Sequence[bool] | Mask]
"""Returns which of these pixels show the table."""


def inside_outline(outline: Sequence[Point]) -> OnTable:
    """Return a predicate for pixels inside an outline."""
    corners = np.array(outline, np.float32)
    return lambda points: [cv2.pointPolygonTest(corners, point, measureDist=False) >= 0 for point in points]


class TableView:
    """The table in the picture of a fixed camera; without calibration, the whole picture."""

    def __init__(self, on_table: OnTable | None = None) -> None:
        """Use this predicate for pixels on the table."""
        self._on_table = on_table
        self._mask: Mask | None = None

    def shows(self, points: Sequence[Point]) -> Sequence[bool] | Mask:
        """Return which of these pixels show the table."""
        return [True] * len(points) if self._on_table is None else self._on_table(points)

    def mask(self, image: Image) -> Mask | None:
        """Return a coarse mask [height, width] of the table in the picture; None if unknown."""
        if self._on_table is None:
            return None
        height, width = image.shape[:2]
        step = width / TUNING.mask_columns
        rows = round(height / step)
        if self._mask is None or len(self._mask) != rows:
            points = [((x + 0.5) * step, (y + 0.5) * step) for y in range(rows) for x in range(TUNING.mask_columns)]
            self._mask = np.array(self._on_table(points), np.bool_).reshape(rows, TUNING.mask_columns)
        return self._mask

    def mask_surroundings(self, frame: Frame) -> Frame:
        """Return the frame with everything beside the table blacked out: faces on racks would mislead the reader."""
        mask = self.mask(frame.image)
        if mask is None:
            return frame
        about = cv2.dilate(mask.view(np.uint8), np.ones((TUNING.margin_squares, TUNING.margin_squares), np.uint8))
        about = cv2.resize(about, frame.image.shape[1::-1], interpolation=cv2.INTER_NEAREST)
        return Frame(frame.frame_id, frame.at, np.asarray(cv2.copyTo(frame.image, about), np.uint8))

    def keep_on_table(self, reading: TableReading) -> TableReading:
        """Return the reading with only the tiles centred on the table."""
        if self._on_table is None or not reading.tiles:
            return reading
        here = self._on_table([tile.centre for tile in reading.tiles])
        tiles = tuple(tile for tile, on_table in zip(reading.tiles, here, strict=True) if on_table)
        return replace(reading, tiles=tiles, layouts=lay_out_tiles(tiles))
