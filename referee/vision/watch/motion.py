"""A cheap motion gate before the costly look, independent of the lighting."""

import cv2
import numpy as np

from referee.vision.image.frame import Image
from referee.vision.watch.change import changed_samples
from referee.vision.watch.tuning import TUNING


class MotionGate:
    """Detects whether a frame differs from the last one by more than its lighting."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._last: Image | None = None

    def moved(self, image: Image) -> bool:
        """Return whether something moved since the last image, or its size is another; False for the first."""
        step = max(1, image.shape[1] // TUNING.motion_samples)
        now = np.asarray(cv2.blur(np.ascontiguousarray(image[::step, ::step]), (TUNING.noise_window,) * 2), np.uint8)
        last, self._last = self._last, now
        if last is None:
            return False
        return last.shape != now.shape or float(changed_samples(last, now).mean()) > TUNING.motion_share
