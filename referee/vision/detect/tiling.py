"""One pass of the locate model over a picture at a zoom, in overlapping windows if what is shown is large."""

import math

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.detect.detection_scale import Zoom
from referee.vision.detect.tuning import TUNING
from referee.vision.geometry.detections import Detections, Floats
from referee.vision.geometry.homography import project_points
from referee.vision.geometry.optics import Matrix, Points
from referee.vision.geometry.quads import suppress_duplicates
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid, drop_fourth_channel
from referee.vision.networks.models import MULTIPLE, Locator


class TiledLocator:
    """Runs the locate model on pictures of any size."""

    def __init__(self, locator: Locator, threshold: float) -> None:
        """Use peaks from the threshold up."""
        self._locator, self._threshold = locator, threshold

    def __call__(self, image: Pyramid, zoom: Zoom, places: Points | None = None) -> Detections:
        """Return the tiles found at a zoom, in pixels of the picture itself; beyond `places` [n, 2] it may skip any."""
        shown, back = show(image, zoom, places)
        windows = [
            self._locate_in_window(shown, across, down)
            for down in _windows(shown.shape[0], TUNING.window[1])
            for across in _windows(shown.shape[1], TUNING.window[0])
        ]
        found = Detections.join(*windows)
        found = suppress_duplicates(found.pick(np.argsort(-found.scores, kind="stable")[: TUNING.max_detections]))
        corners = project_points(back, found.quads.reshape(-1, 2).astype(np.float64))
        return Detections(corners.reshape(-1, 4, 2).astype(np.float32), found.scores)

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


def show(image: Pyramid, zoom: Zoom, places: Points | None = None) -> tuple[Image, Matrix]:
    """Return the picture as it is shown at a zoom, and the homography [3, 3] back to its own pixels.

    Its sides are multiples of 32, unless it is shifted; what lies beyond the picture is black.
    """
    low, high = zoom.shown(image.size, places)
    width, height = (max(math.ceil(round(side / MULTIPLE, 6)), 1) * MULTIPLE for side in high - low)
    there = _shifted(*-low) @ zoom.matrix
    fineness = -math.log2(min(1.0, math.sqrt(abs(float(np.linalg.det(zoom.matrix))))))
    level = image.level(min(math.floor(fineness), min(image.size).bit_length() - 1))
    across, down = image.size[0] / level.shape[1], image.size[1] / level.shape[0]
    # Continuous coordinates; OpenCV's number pixel centres.
    onto = _shifted(-0.5, -0.5) @ there @ np.diag([across, down, 1.0]) @ _shifted(0.5, 0.5)
    picture = cv2.warpPerspective(level, onto, (width, height), flags=cv2.INTER_LINEAR)
    moved = cv2.copyMakeBorder(picture, zoom.shift, 0, zoom.shift, 0, cv2.BORDER_REPLICATE) if zoom.shift else picture
    back = np.linalg.inv(_shifted(zoom.shift, zoom.shift) @ there)
    return drop_fourth_channel(np.asarray(moved, np.uint8)), np.asarray(back)


def _shifted(x: float, y: float) -> Matrix:
    return np.array([[1.0, 0.0, x], [0.0, 1.0, y], [0.0, 0.0, 1.0]])


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
