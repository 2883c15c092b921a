"""A cheap gate before the costly look: has anything moved since the last frame, whatever the lamps do."""

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.image.frame import Image

_SAMPLES_ACROSS = 160  # samples across: a hand covers hundreds of them, a tile a few
_LIGHT_WINDOW = (25, 25)  # samples: what changes more slowly across the picture than this is light, not hands
_MIN_RELATIVE_CHANGE = 0.07  # of the brightness: skin on the dullest cloth differs by twice that
_NOISE_LEVELS = 8.0  # grey levels: three times the difference that a poor camera's noise makes after smoothing
_BRIGHTNESS_FLOOR = 12.0  # grey levels below which nothing can be said

_Floats = npt.NDArray[np.float32]


class MotionGate:
    """Remembers the last frame, small and without its lighting, and says whether the next one differs."""

    def __init__(self, share: float = 0.002) -> None:
        """`share` of the picture must change: 0.002 is about one tile of a full table."""
        self._share = share
        self._last: _Floats | None = None

    def moved(self, image: Image) -> bool:
        """Whether something moved between the last image and this one; False for the first."""
        now, brightness = _without_light(image)
        last, self._last = self._last, now
        if last is None or last.shape != now.shape:
            return False
        change = cv2.absdiff(now, last)
        return (
            float(np.count_nonzero((change > _MIN_RELATIVE_CHANGE) & (change * brightness > _NOISE_LEVELS)))
            > self._share * now.size
        )


def _without_light(image: Image) -> tuple[_Floats, _Floats]:
    """Samples of green over the brightness around them, from which lamps and soft shadows vanish; and that."""
    step = max(1, image.shape[1] // _SAMPLES_ACROSS)
    samples = np.ascontiguousarray(image[::step, ::step, 1])
    smooth = np.asarray(cv2.blur(samples, (3, 3)), np.float32)
    brightness = np.asarray(cv2.blur(smooth, _LIGHT_WINDOW), np.float32) + np.float32(_BRIGHTNESS_FLOOR)
    return (smooth + np.float32(_BRIGHTNESS_FLOOR)) / brightness, brightness
