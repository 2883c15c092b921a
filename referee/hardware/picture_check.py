"""Tells whether a camera's picture is a new look of the known shape: not the last one again, turned, or squeezed."""

import zlib
from collections import deque
from collections.abc import Iterator
from enum import Enum, unique
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.image.frame import Image

Grey = npt.NDArray[np.float32]
Samples = npt.NDArray[np.uint8]

_FINGERPRINT_WIDTH: Final = 144  # pixels across, to detect a repeated picture
_MAX_BLACK_LEVEL: Final = 20  # grey levels: in a darker picture no tile can be read
_USUAL_CHANGES: Final = 50  # pictures whose noise is remembered
_FEW_CHANGES: Final = 10  # with fewer, only an equal picture is a repeated one
_REPEATED_SHARE: Final = 0.25  # of the least change by noise; a repeated picture of a video stream changes less
_STILL_SHARE: Final = 2.0  # of the same; in a picture that changes less nothing moved
_WIDTH: Final = 96  # pixels across, to compare the shapes of pictures
_DETAIL_SIGMA: Final = 3.0  # of those pixels; light changes more slowly across the picture
_PART: Final = 0.5  # of each side, about the middle, that is searched for in the next picture
_SEARCH: Final = 0.06  # of each side, by which it may have shifted
_SAME: Final = 0.93  # correlation of pictures of one table at rest
_ALIKE: Final = 0.8  # the same with a hand at its edge
_RESHAPED: Final = 0.85  # least correlation with a reshaped picture
_UNLIKE_SHARE: Final = 0.4  # of what the usual shape leaves unexplained, which a reshaped picture may leave
_UNLIKE_PICTURES: Final = 25  # after which a picture of nothing known becomes the known one
_FORMATS: Final = ((1.0, 4 / 3), (1.0, 3 / 4), (4 / 3, 1.0), (3 / 4, 1.0))


@unique
class Sight(Enum):
    """What a picture is."""

    NEW = "new"
    BLACK = "black"
    EQUAL = "the last one, bit by bit"
    REPEATED = "the last one, but for a video stream's rounding"
    RESHAPED = "turned, mirrored, squeezed, or of another size"


class PictureCheck:
    """Compares each picture with the one before."""

    def __init__(self) -> None:
        """Know no picture yet; the first one has the known shape."""
        self._size: tuple[int, ...] | None = None
        self._known: tuple[Grey, ...] = ()  # the last picture, and the last one that was like the one before
        self._samples: Samples | None = None
        self._print: int | None = None
        self._is_known = True
        self._unlike = 0
        self._changes: deque[float] = deque(maxlen=_USUAL_CHANGES)

    def accept_stillness(self) -> None:
        """Forget how much the noise of this camera changes from picture to picture."""
        self._changes.clear()

    def check(self, image: Image) -> Sight:
        """Return what the next picture is; the known shape is that of the last new one.

        A working sensor always has noise: bit-identical pictures come from a stalled driver or from darkness.
        """
        step = max(1, image.shape[1] // _FINGERPRINT_WIDTH)
        samples = np.ascontiguousarray(image[::step, ::step])
        seen, self._print = self._print, zlib.crc32(samples.tobytes())
        if seen == self._print:
            return Sight.EQUAL
        last, self._samples = self._samples, samples
        if np.percentile(samples, 99) < _MAX_BLACK_LEVEL:
            return Sight.BLACK
        if self._size is not None and image.shape != self._size:
            return Sight.RESHAPED
        return self._compared(image, self._change(last, samples))

    def _compared(self, image: Image, change: float) -> Sight:
        """Return what a picture of the known size is that differs so much from the last one."""
        usual = min(self._changes) if len(self._changes) >= _FEW_CHANGES else 0.0
        if change < _REPEATED_SHARE * usual:
            return Sight.REPEATED
        self._changes.append(change)
        if change < _STILL_SHARE * usual and self._is_known:
            return Sight.NEW
        grey = _detail(image)
        compared = [(known, _likeness(known, grey)) for known in self._known]
        is_alike = not compared or max(likeness for _, likeness in compared) >= _ALIKE
        self._unlike = 0 if is_alike else self._unlike + 1
        if any(_is_reshaped(known, grey, likeness) for known, likeness in compared):
            self._is_known, self._unlike = False, 0
        else:  # a turned camera stays so while hands hide what it shows
            self._is_known |= is_alike or self._unlike >= _UNLIKE_PICTURES
        if not self._is_known:
            return Sight.RESHAPED
        settles = is_alike or self._unlike >= _UNLIKE_PICTURES  # while a camera is turned its pictures are like nothing
        self._size, self._known = image.shape, (grey, grey if settles else self._known[1])
        self._unlike = 0 if settles else self._unlike
        return Sight.NEW

    @staticmethod
    def _change(last: Samples | None, samples: Samples) -> float:
        if last is None or last.shape != samples.shape:
            return np.inf
        return float(cv2.norm(last, samples, cv2.NORM_L1)) / samples.size


def _detail(image: Image) -> Grey:
    """Return a small grey picture without slow changes of light."""
    step = max(1, image.shape[1] // (3 * _WIDTH))
    size = (_WIDTH, max(8, round(_WIDTH * image.shape[0] / image.shape[1])))
    small = cv2.resize(np.ascontiguousarray(image[::step, ::step]), size, interpolation=cv2.INTER_AREA)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.float32)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.0) - cv2.GaussianBlur(grey, (0, 0), _DETAIL_SIGMA), np.float32)


def _is_reshaped(known: Grey, now: Grey, usual: float) -> bool:
    """Return whether a picture is the known one turned, mirrored or squeezed; `usual`: how like that one it is."""
    if usual >= _SAME:
        return False
    least = max(_RESHAPED, 1 - _UNLIKE_SHARE * (1 - usual))
    return any(_likeness(reshaped, now) >= least for reshaped in _reshaped(known))


def _likeness(known: Grey, now: Grey) -> float:
    """Return the correlation of the middle of one picture with the other, where they fit best."""
    rows, columns = known.shape
    height, width = round(rows * _PART), round(columns * _PART)
    top, left = (rows - height) // 2, (columns - width) // 2
    down, across = round(rows * _SEARCH), round(columns * _SEARCH)
    part = known[top : top + height, left : left + width]
    place = now[top - down : top + height + down, left - across : left + width + across]
    return float(cv2.matchTemplate(place, part, cv2.TM_CCOEFF_NORMED).max())


def _reshaped(known: Grey) -> Iterator[Grey]:
    """Yield the picture as it looks after a camera was turned, mirrored or took another format, in its own size."""
    size = known.shape[::-1]
    for matrix in _reshapings(size):
        yield np.asarray(cv2.warpAffine(known, matrix, size, borderMode=cv2.BORDER_REFLECT), np.float32)


@lru_cache(maxsize=4)
def _reshapings(size: tuple[int, ...]) -> tuple[npt.NDArray[np.float64], ...]:
    """Return the maps of a picture of this size: eight ways round, each in several formats, without the usual one."""
    width, height = size
    aspect = width / height
    middle = np.array([width - 1, height - 1]) / 2
    formats = ((1.0, 1.0), (aspect, 1 / aspect), (1 / aspect, aspect), *_FORMATS)
    squeezed_quarter = np.array([[0.0, -aspect], [1 / aspect, 0.0]])
    maps = []
    for quarters in range(4):
        for mirror in (1.0, -1.0):
            for across, down in formats:
                turned = np.linalg.matrix_power(squeezed_quarter, quarters)
                linear = np.diag((across, down)) @ turned @ np.diag((mirror, 1.0))
                if not np.allclose(linear, np.eye(2)):
                    maps.append(np.column_stack([linear, middle - linear @ middle]))
    return tuple(maps)
