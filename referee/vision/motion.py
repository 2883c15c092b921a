"""A cheap gate before the costly look: has anything moved since the last frame, whatever the lamps do."""

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.frame import Image

_WIDTH = 160  # samples across: a hand covers hundreds of them, a tile a few
_WINDOW = (15, 15)  # samples: what changes more slowly across the picture than this is light, not hands
_NOISE = 0.14  # of the brightness: twice what a good camera's noise reaches after smoothing
_DARK = 12.0  # grey levels below which nothing can be said


class MotionGate:
    """Remembers the last frame, small and without its lighting, and says whether the next one differs."""

    def __init__(self, share: float = 0.002) -> None:
        """`share` of the picture must change: 0.002 is about one tile of a full table."""
        self._share = share
        self._last: npt.NDArray[np.float32] | None = None

    def moved(self, image: Image) -> bool:
        """Whether something moved between the last image and this one; False for the first."""
        now = _without_light(image)
        last, self._last = self._last, now
        if last is None or last.shape != now.shape:
            return False
        return float(np.count_nonzero(np.abs(now - last) > _NOISE)) > self._share * now.size


def _without_light(image: Image) -> npt.NDArray[np.float32]:
    """Samples of the green channel divided by their surroundings: lamps that dim and soft shadows vanish, edges stay."""
    step = max(1, image.shape[1] // _WIDTH)
    samples = np.ascontiguousarray(image[::step, ::step, 1])
    smooth = cv2.blur(samples, (3, 3)).astype(np.float32)
    return np.asarray((smooth + _DARK) / (cv2.blur(smooth, _WINDOW) + _DARK), np.float32)
