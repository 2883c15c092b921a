"""What has changed on a table that had settled: any place, as small as a digit, though no hand was seen.

The frame is shrunk until a tile is a dozen samples wide, and compared with the frame in which the table settled. Light
that changes over more than a tile or two, as lamps, flicker and soft shadows do, is taken out; what is left is a tile
that was laid, taken, exchanged or turned over. Most frames differ by no more than noise, which is seen at once.
"""

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.image.frame import Image

TILE_SAMPLES: Final = 12  # samples across a tile: the stroke in which 6 and 8 differ is one wide
_TILES_ACROSS: Final = 40.0  # of a picture in which no tile has been seen yet
NOISE_WINDOW: Final = (3, 3)  # samples: noise and the trembling of a camera vanish in it, a stroke does not
_LIGHT_WINDOW: Final = (25, 25)  # samples, two tiles: what changes more slowly across the picture is light
_NOISE_LEVELS: Final = 11  # grey levels: twice what noise and JPEG leave, half of what the nearest two faces differ by
_MIN_RELATIVE_CHANGE: Final = 0.1  # of the brightness, likewise
_BRIGHTNESS_FLOOR: Final = 12.0  # grey levels below which nothing can be said

_Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


class ChangeDetector:
    """Detects whether a settled table still looks the same."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._was: Image | None = None
        self._tile_px = 0.0

    def remember(self, image: Image, tile_px: float | None = None) -> Image:
        """Compare with this picture from now on, and give it shrunk; tiles are so many pixels wide, None: as before."""
        self._tile_px = tile_px or self._tile_px or image.shape[1] / _TILES_ACROSS
        self._was = shrunk(image, self._tile_px)
        return self._was

    def forget(self) -> None:
        """Compare with nothing."""
        self._was = None

    def differs(self, image: Image, on_table: Mask | None = None) -> bool:
        """Return whether anything on the table looks different; `on_table` [height, width] masks it.

        What differs by light alone is remembered: a lamp that changes slowly never differs much from the frame before.
        """
        was, now = self._was, shrunk(image, self._tile_px)
        if was is None or was.shape != now.shape:
            return False
        if cv2.absdiff(was, now).max() <= _NOISE_LEVELS:
            return False
        where = changed(was, now)
        if on_table is not None:
            where &= resized(on_table, where.shape)
        if where.any():
            return True
        self._was = now
        return False


def resized(mask: Mask, shape: tuple[int, ...]) -> Mask:
    """Return the mask, as large as this [height, width]."""
    return cv2.resize(mask.view(np.uint8), shape[1::-1], interpolation=cv2.INTER_NEAREST).view(np.bool_)


def shrunk(image: Image, tile_px: float) -> Image:
    """Return the picture, so small that tiles which are so many pixels wide are a dozen samples wide."""
    times = max(1.0, tile_px / TILE_SAMPLES)
    width, height = (max(1, round(side / times)) for side in image.shape[1::-1])
    twice = image
    if times > 2:  # in two steps, of which the first sees a few pixels of many: the noise of so many does not count
        twice = np.asarray(cv2.resize(image, (2 * width, 2 * height), interpolation=cv2.INTER_LINEAR), np.uint8)
    return np.asarray(
        cv2.blur(cv2.resize(twice, (width, height), interpolation=cv2.INTER_AREA), NOISE_WINDOW), np.uint8
    )


def changed(was: Image, now: Image) -> Mask:
    """Return which samples [height, width] of shrunk pictures changed in any colour by more than light explains."""
    before, after = (
        cv2.blur(picture, _LIGHT_WINDOW, dst=None).astype(np.float32) + _BRIGHTNESS_FLOOR for picture in (was, now)
    )
    expected = (was.astype(np.float32) + _BRIGHTNESS_FLOOR) * (after / before)
    change = cv2.absdiff(now.astype(np.float32) + _BRIGHTNESS_FLOOR, expected)
    return np.asarray(((change > _NOISE_LEVELS) & (change > _MIN_RELATIVE_CHANGE * after)).any(axis=2))
