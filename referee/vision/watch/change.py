"""Changes on a settled table, as small as a digit, even if no hand was seen.

The frame is downscaled until a tile is a dozen samples wide, and compared with the frame in which the table settled.
Brightness changes on a scale of more than a tile or two, such as lamps and soft shadows, are removed, and those of
whole rows, the bands of a flickering lamp; what remains is a tile that was laid, taken, exchanged or turned over. Most
frames differ only by noise, a fast case.

The locate model may overlook a single tile, for example on a coaster; changes show where to search for it.
"""

import math

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.geometry.detections import Floats
from referee.vision.geometry.quads import quads_of
from referee.vision.image.frame import Image
from referee.vision.watch.tuning import TUNING

Mask = npt.NDArray[np.bool_]


class ChangeDetector:
    """Detects whether a settled table has changed."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._was: Image | None = None
        self._last: tuple[Image, float, Image] | None = None
        self._compared: tuple[Image, Image, Mask | None] | None = None
        self.tile_px = 0.0
        """The tile width in the remembered picture, in pixels."""

    def remember(self, image: Image, tile_px: float | None = None) -> Image:
        """Remember this picture for comparison and return it downscaled; `tile_px` None: tiles are as wide as before.

        The scale stays the same, for comparison with the previous picture, unless the tile width changes considerably.
        """
        usual = self.tile_px or tile_px or image.shape[1] / TUNING.tiles_across
        self.tile_px = tile_px if tile_px and abs(tile_px / usual - 1) > TUNING.same_width else usual
        self._was = self.shrunk(image)
        return self._was

    def shrunk(self, image: Image) -> Image:
        """Return the picture at the scale of comparison; the last result is cached, as several callers need it."""
        if self._last is None or self._last[0] is not image or self._last[1] != self.tile_px:
            self._last = image, self.tile_px, downscale(image, self.tile_px)
        return self._last[2]

    def forget(self) -> None:
        """Compare with nothing."""
        self._was = None

    def differs(self, image: Image, on_table: Mask | None = None) -> bool:
        """Return whether anything on the table has changed; `on_table` [height, width] masks the table.

        A picture that differs only in light is remembered, so that a slowly changing lamp never adds up.
        """
        changed = self._changed(image, on_table)
        if changed is not None and not changed.any():
            self._was = self.shrunk(image)
        return changed is not None and bool(changed.any())

    def changed_quads(self, image: Image, on_table: Mask | None = None) -> Floats:
        """Return quads [n, 4, 2] around isolated changes the size of a tile; which end is up is undetermined."""
        changed = self._changed(image, on_table)
        if self._was is None or changed is None:
            return np.zeros((0, 4, 2), np.float32)
        _, parts, bounds, _ = cv2.connectedComponentsWithStats(changed.view(np.uint8))
        spots = (
            np.add(
                cv2.findNonZero((parts[y : y + height, x : x + width] == part).view(np.uint8)), (x, y), dtype=np.int32
            )
            for part, (x, y, width, height, _) in enumerate(bounds[1:].tolist(), 1)
        )
        size = TUNING.tile_samples**2 * TUNING.tile_height
        low, high = TUNING.tile_areas
        boxes = [
            (middle, sides, angle)
            for middle, sides, angle in map(cv2.minAreaRect, spots)
            if low < math.prod(sides) / size < high
        ]
        middles = np.array([middle for middle, _, _ in boxes], np.float32).reshape(-1, 2) + 0.5
        turns = np.radians([angle + 90 * (width > height) for _, (width, height), angle in boxes])
        right = np.array([np.cos(turns), np.sin(turns)], np.float32).T * np.float32(self.tile_px / 2)
        up = np.array([right[:, 1], -right[:, 0]], np.float32).T * np.float32(TUNING.tile_height)
        return quads_of(middles * (image.shape[1] / changed.shape[1]), up, right)

    def _changed(self, image: Image, on_table: Mask | None) -> Mask | None:
        """Return the samples that differ by more than light; None if there is only noise."""
        was = self._was
        if was is None or was.shape != (now := self.shrunk(image)).shape:
            return None
        if self._compared is None or self._compared[0] is not was or self._compared[1] is not now:
            differs = cv2.absdiff(was, now).max() > TUNING.noise_levels
            self._compared = was, now, changed_samples(was, now) if differs else None  # several looks share one picture
        changed = self._compared[2]
        return changed if changed is None or on_table is None else changed & resize_mask(on_table, changed.shape)


def resize_mask(mask: Mask, shape: tuple[int, ...]) -> Mask:
    """Return the mask resized to this shape [height, width]."""
    return cv2.resize(mask.view(np.uint8), shape[1::-1], interpolation=cv2.INTER_NEAREST).view(np.bool_)


def downscale(image: Image, tile_px: float) -> Image:
    """Return the picture downscaled until tiles of this width are a dozen samples wide."""
    times = max(1.0, tile_px / TUNING.tile_samples)
    width, height = (max(1, round(side / times)) for side in image.shape[1::-1])
    twice = image
    if times > 2:  # in two steps: the first samples few pixels, as noise averages out anyway
        twice = np.asarray(cv2.resize(image, (2 * width, 2 * height), interpolation=cv2.INTER_LINEAR), np.uint8)
    return np.asarray(
        cv2.blur(cv2.resize(twice, (width, height), interpolation=cv2.INTER_AREA), (TUNING.noise_window,) * 2), np.uint8
    )


def changed_samples(was: Image, now: Image) -> Mask:
    """Return which samples [height, width] of downscaled pictures changed by more than light explains."""
    window, floor = (TUNING.light_window,) * 2, np.float32(TUNING.brightness_floor)
    seen = np.asarray(now, np.float32) + floor
    lit = np.asarray((was.astype(np.float32) + floor) * _row_gains(was, now), np.float32)
    expected = np.asarray(lit * (cv2.blur(seen, window) / cv2.blur(lit, window)), np.float32)
    change = cv2.absdiff(seen, expected)
    change = np.minimum(change, cv2.absdiff(seen, lit))  # the surroundings of a new bright tile only appear darker
    change = np.minimum(change, cv2.absdiff(now, was))
    least = TUNING.noise_levels * np.maximum(1.0, lit / (was + floor))  # brighter light amplifies noise
    after = cv2.blur(now, window) + floor
    return np.asarray(((change > least) & (change > TUNING.min_relative_change * after)).any(axis=2))


def _row_gains(was: Image, now: Image) -> Floats:
    """Return by how much brighter each row is [height, 1, 3]: a flickering lamp lights a rolling shutter's rows.

    It lights them from end to end, so the part of a row that changed least counts; an arm or a set covers only some.
    """
    floor, step = np.float32(TUNING.brightness_floor), max(1, was.shape[1] // TUNING.row_samples)
    before, after = (picture[:, ::step].astype(np.float32) + floor for picture in (was, now))
    parts = np.array_split(after / before, TUNING.row_parts, axis=1)
    gains = np.stack([np.median(part, axis=1) for part in parts])
    usual = np.median(gains, axis=(0, 1))
    least = np.abs(np.log(gains / usual)).max(axis=2).argmin(axis=0)
    chosen = gains[least, np.arange(len(least))].astype(np.float32)[:, None]
    return np.asarray(cv2.blur(chosen, (1, TUNING.noise_window), borderType=cv2.BORDER_REPLICATE), np.float32)
