"""One pass of the locate model over a picture: downscaled or stretched, and in overlapping windows if still large."""

import math

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.detect.detection_scale import NO_STRETCH, Stretch
from referee.vision.detect.tuning import TUNING
from referee.vision.geometry.detections import Detections, Doubles, Floats
from referee.vision.geometry.quads import suppress_duplicates
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid, drop_fourth_channel
from referee.vision.networks.models import MULTIPLE, Locator


class TiledLocator:
    """Runs the locate model on pictures of any size."""

    def __init__(self, locator: Locator, threshold: float) -> None:
        """Use peaks from the threshold up."""
        self._locator, self._threshold = locator, threshold

    def __call__(
        self,
        image: Pyramid,
        scale: float,
        stretch: Stretch = NO_STRETCH,
        within: Doubles | None = None,
        shift: int = 0,
    ) -> Detections:
        """Return the tiles found at a scale and stretch, in pixels of the picture itself."""
        shrunk, back = _downscale(image, scale) if stretch == NO_STRETCH else stretch_image(image, scale, stretch)
        if within is not None:
            shrunk, back = _crop(shrunk, back, within)
        if shift:
            shrunk, back = _shift(shrunk, back, shift)
        windows = [
            self._locate_in_window(shrunk, across, down)
            for down in _windows(shrunk.shape[0], TUNING.window[1])
            for across in _windows(shrunk.shape[1], TUNING.window[0])
        ]
        found = Detections.join(*windows)
        found = suppress_duplicates(found.pick(np.argsort(-found.scores, kind="stable")[: TUNING.max_detections]))
        return Detections((found.quads @ back[:, :2].T + back[:, 2]).astype(np.float32), found.scores)

    def _locate_in_window(self, image: Image, across: slice, down: slice) -> Detections:
        """Return the tiles in a window; those near its inner edges are left to the neighbouring window."""
        window = image[down, across]
        below, beside = -window.shape[0] % MULTIPLE, -window.shape[1] % MULTIPLE
        padded = cv2.copyMakeBorder(window, 0, below, 0, beside, cv2.BORDER_CONSTANT, value=(0, 0, 0))
        found = self._locator.locate(np.asarray(padded, np.uint8), self._threshold)
        quads = found.quads + np.array([across.start, down.start], np.float32)
        x, y = quads.mean(axis=1).T
        whole = _belongs_to_window(x, across, image.shape[1]) & _belongs_to_window(y, down, image.shape[0])
        return Detections(quads[whole], found.scores[whole])


def fill_multiple(scale: float, size: tuple[int, int]) -> float:
    """Return the largest scale that costs no more: it fills the padding to a multiple of 32."""
    fits = min(-(-max(side * scale, 1) // MULTIPLE) * MULTIPLE / side for side in size)
    return max(scale, min(fits, 1.0))


def stretch_image(image: Pyramid, scale: float, stretch: Stretch) -> tuple[Image, Doubles]:
    """Return the picture scaled and stretched, and the affine map [2, 3] back to the picture's pixels."""
    fineness = -math.log2(min(1.0, scale * math.sqrt(stretch.factor)))
    number = min(math.floor(fineness), min(image.size).bit_length() - 1)
    level = image.level(number)
    across = image.size[0] / level.shape[1], image.size[1] / level.shape[0]
    there = scale * stretch.matrix
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * image.size @ there.T
    low, size = corners.min(axis=0), np.ceil(np.ptp(corners, axis=0)).astype(int)
    back = np.linalg.inv(there)
    home = np.column_stack([back, back @ low])
    onto = home / np.array(across)[:, None]  # continuous coordinates; OpenCV's number pixel centres
    onto[:, 2] += onto[:, :2].sum(axis=1) / 2 - 0.5
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    picture = cv2.warpAffine(level, onto, (max(int(size[0]), 1), max(int(size[1]), 1)), flags=flags)
    return drop_fourth_channel(np.asarray(picture, np.uint8)), home


def _downscale(image: Pyramid, scale: float) -> tuple[Image, Doubles]:
    """Return the whole picture at a scale, and the affine map [2, 3] from it back to the picture's pixels."""
    width, height = image.size
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    return image.resized(*size), np.array([[width / size[0], 0, 0], [0, height / size[1], 0]])


def _crop(shrunk: Image, back: Doubles, within: Doubles) -> tuple[Image, Doubles]:
    """Return the part of a downscaled picture that shows all `within` two corners [2, 2], and the map back.

    Its sides are multiples of 32 where they fit; a smaller picture is padded anyway.
    """
    corners = np.array([[x, y] for x in within[:, 0] for y in within[:, 1]])
    there = (corners - back[:, 2]) @ np.linalg.inv(back[:, :2]).T
    (left, right), (top, bottom) = (
        _aligned_interval(low, high, length)
        for low, high, length in zip(there.min(axis=0), there.max(axis=0), shrunk.shape[1::-1], strict=True)
    )
    back = np.column_stack([back[:, :2], back[:, 2] + back[:, :2] @ (left, top)])
    return shrunk[top:bottom, left:right], back


def _shift(shrunk: Image, back: Doubles, shift: int) -> tuple[Image, Doubles]:
    """Return a downscaled picture moved right and down, with replicated edges, and the map back."""
    moved = cv2.copyMakeBorder(shrunk, shift, 0, shift, 0, cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8), np.column_stack([back[:, :2], back[:, 2] - back[:, :2] @ (shift, shift)])


def _aligned_interval(low: float, high: float, length: int) -> tuple[int, int]:
    """Return start and end of an interval, enlarged to a multiple of 32 where it fits."""
    start = max(math.floor(low), 0)
    wanted = max(math.ceil((min(high, length) - start) / MULTIPLE), 1) * MULTIPLE
    start = max(min(start, length - wanted), 0)
    return start, min(start + wanted, length)


def _windows(length: int, window: int) -> list[slice]:
    """Return overlapping intervals, no longer than a window, that cover a length."""
    count = max(1, math.ceil((length - TUNING.overlap) / (window - TUNING.overlap)))
    step = (length - TUNING.overlap) / count
    return [slice(round(number * step), round((number + 1) * step) + TUNING.overlap) for number in range(count)]


def _belongs_to_window(places: Floats, window: slice, length: int) -> npt.NDArray[np.bool_]:
    """Return which places are not in the outer half of the window's overlap with its neighbours."""
    low = window.start + TUNING.overlap / 2 - TUNING.seam_overlap if window.start > 0 else -math.inf
    high = window.stop - TUNING.overlap / 2 + TUNING.seam_overlap if window.stop < length else math.inf
    return np.asarray((places >= low) & (places < high))
