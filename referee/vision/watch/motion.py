"""A cheap gate before the costly look: has anything moved since the last frame, whatever the lamps do."""

import cv2
import numpy as np

from referee.vision.image.frame import Image
from referee.vision.watch.change import NOISE_WINDOW, changed

_SAMPLES_ACROSS = 160  # samples across: a hand covers hundreds of them, a tile a few


class MotionGate:
    """Detects whether a frame differs from the last one by more than its lighting."""

    def __init__(self, share: float = 0.002) -> None:
        """`share` of the picture must change: 0.002 is about one tile of a full table."""
        self._share = share
        self._last: Image | None = None

    def moved(self, image: Image) -> bool:
        """Return whether something moved between the last image and this one; False for the first."""
        step = max(1, image.shape[1] // _SAMPLES_ACROSS)
        now = np.asarray(cv2.blur(np.ascontiguousarray(image[::step, ::step]), NOISE_WINDOW), np.uint8)
        last, self._last = self._last, now
        if last is None or last.shape != now.shape:
            return False
        return float(changed(last, now).mean()) > self._share
