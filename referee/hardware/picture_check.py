"""Tells whether a camera's picture is a new look of the known shape: not the last one again, turned, or squeezed."""

import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, unique
from functools import lru_cache
from heapq import nlargest
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.image.frame import Image

Grey = npt.NDArray[np.float32]
Places = npt.NDArray[np.bool_]
Samples = npt.NDArray[np.uint8]

_FINGERPRINT_WIDTH: Final = 144  # pixels across, to detect a repeated picture
_MAX_BLACK_LEVEL: Final = 20  # grey levels: in a darker picture no tile can be read
_USUAL_CHANGES: Final = 50  # pictures whose noise is remembered
_FEW_CHANGES: Final = 10  # with fewer, only an equal picture is a repeated one
_REPEATED_SHARE: Final = 0.25  # of the least change by noise; a repeated picture of a video stream changes less
_STILL_SHARE: Final = 2.0  # of the same; in a picture that changes less nothing moved
_WIDTH: Final = 96  # pixels across, to compare the shapes of pictures
_DETAIL_SIGMA: Final = 3.0  # of those pixels; light changes more slowly across the picture
_SEARCH: Final = 0.06  # of each side, by which the next picture may be shifted
_WINDOW: Final = 11  # pixels; places of this size are compared
_STRUCTURE: Final = 1.5  # grey levels: a place with a smaller deviation is bare
_FAINT: Final = 0.5  # the same, of a place with structure when a lamp is out
_AGREES: Final = 0.6  # least correlation of a place that looks as before
_AS_EVER: Final = 0.8  # of the places with structure, which look as before in a picture that needs no closer look
_ALIKE: Final = 0.5  # the same beside a hand
_LEAST_TURNED: Final = 0.16  # of the picture, which looks as if turned and not as before
_MANY_TIMES: Final = 4.0  # as many places as look as before, and not as if turned
_CANDIDATES: Final = 3  # ways to turn a picture that are compared place by place
_UNLIKE_PICTURES: Final = 25  # after which a picture of nothing known becomes the known one
_DOUBTED_PICTURES: Final = 50  # the same, once a picture was turned
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
    """Compares each picture with the one before.

    A picture is turned, mirrored or squeezed if most of its structure looks as the known one would then, where it does
    not look as before. A hand hides both looks, and a plain or striped table shows both at once: they tell nothing.
    Afterwards a picture that looks as before ends it at once, and many that do not look turned end it too.
    """

    def __init__(self) -> None:
        """Know no picture yet; the first one has the known shape."""
        self._size: tuple[int, ...] | None = None
        self._known: tuple[Grey, ...] = ()  # the last picture, the last like one before it, the same of an earlier view
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
        return self._seen(image.shape, _detail(image))

    def _seen(self, size: tuple[int, ...], grey: Grey) -> Sight:
        """Return whether a picture has the known shape; a turned camera stays so while hands hide what it shows."""
        views = [(known, _agreement(known, grey)) for known in self._known]
        is_of_known = not views or any(_is_view_of(known, usual, grey) for known, usual in views[1:])
        is_turned = not is_of_known and any(_is_turned(known, usual, grey) for known, usual in views)
        is_alike = is_of_known or (not is_turned and views[0][1].share >= _ALIKE)
        self._unlike = 0 if is_alike or is_turned else self._unlike + 1
        self._is_known &= not is_turned
        settles = is_alike or self._unlike >= (_UNLIKE_PICTURES if self._is_known else _DOUBTED_PICTURES)
        self._is_known |= settles
        if not self._is_known:
            return Sight.RESHAPED
        _, last, earlier = self._known or (grey, grey, grey)
        self._size, self._unlike = size, 0 if settles else self._unlike
        self._known = (grey, grey if settles else last, last if settles and not is_of_known else earlier)
        return Sight.NEW

    @staticmethod
    def _change(last: Samples | None, samples: Samples) -> float:
        if last is None or last.shape != samples.shape:
            return np.inf
        return float(cv2.norm(last, samples, cv2.NORM_L1)) / samples.size


def _detail(image: Image) -> Grey:
    """Return a small grey picture without slow changes of light, flicker of whole rows, and stripes across it."""
    step = max(1, image.shape[1] // (3 * _WIDTH))
    size = (_WIDTH, max(8, round(_WIDTH * image.shape[0] / image.shape[1])))
    small = cv2.resize(np.ascontiguousarray(image[::step, ::step]), size, interpolation=cv2.INTER_AREA)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.float32)
    fine = np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.0) - cv2.GaussianBlur(grey, (0, 0), _DETAIL_SIGMA), np.float32)
    fine -= np.median(fine, axis=1, keepdims=True)
    return fine - np.median(fine, axis=0, keepdims=True)


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Which places [height, width] of a picture look as in another one, and which have a structure in either."""

    agrees: Places
    has_structure: Places

    @property
    def share(self) -> float:
        """The share of places with structure that look alike; 1 in bare pictures."""
        return float(self.agrees.sum() / max(1, self.has_structure.sum())) if self.has_structure.any() else 1.0


def _is_view_of(known: Grey, usual: Agreement, now: Grey) -> bool:
    """Return whether a picture shows the known one as ever, perhaps beside a hand."""
    return usual.share >= _ALIKE and (usual.share >= _AS_EVER or not _is_turned(known, usual, now))


def _is_turned(known: Grey, usual: Agreement, now: Grey) -> bool:
    """Return whether a picture is the known one turned, mirrored or squeezed; `usual`: how like that one it is."""
    turned = nlargest(_CANDIDATES, _reshaped(known), key=lambda picture: _correlation(picture, now).max())
    return any(_explains(_agreement(picture, now), usual) for picture in turned)


def _explains(turned: Agreement, usual: Agreement) -> bool:
    """Return whether a turned picture explains most of what is seen, and the usual one next to nothing more."""
    only_turned = int((turned.agrees & ~usual.agrees).sum())
    only_usual = int((usual.agrees & ~turned.agrees).sum())
    least = max(_LEAST_TURNED * turned.agrees.size, _MANY_TIMES * only_usual)
    return turned.share >= _ALIKE and only_turned >= least


def _correlation(known: Grey, now: Grey) -> Grey:
    """Return the correlation of one picture, but for its edge, with the other, shift by shift."""
    down, across = (round(side * _SEARCH) for side in known.shape)
    inner = known[down : known.shape[0] - down, across : known.shape[1] - across]
    return np.asarray(cv2.matchTemplate(now, inner, cv2.TM_CCOEFF_NORMED), np.float32)


def _agreement(known: Grey, now: Grey) -> Agreement:
    """Compare two pictures place by place, where they fit best."""
    rows, columns = known.shape
    down, across = round(rows * _SEARCH), round(columns * _SEARCH)
    fits = _correlation(known, now)
    top, left = np.unravel_index(int(fits.argmax()), fits.shape)
    shift = np.array([[1.0, 0.0, left - across], [0.0, 1.0, top - down]])
    shifted = np.asarray(cv2.warpAffine(known, shift, (columns, rows), borderMode=cv2.BORDER_REFLECT), np.float32)
    was, is_, both = (_local_mean(product) for product in (shifted * shifted, now * now, shifted * now))
    has_structure = np.maximum(was, is_) >= _STRUCTURE**2
    is_in_both = has_structure & (np.minimum(was, is_) >= _FAINT**2)
    return Agreement(is_in_both & (both >= _AGREES * np.sqrt(was * is_)), has_structure)


def _local_mean(levels: Grey) -> Grey:
    return np.asarray(cv2.blur(levels, (_WINDOW, _WINDOW)), np.float32)


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
