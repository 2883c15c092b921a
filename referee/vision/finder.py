"""Finds the tiles of a picture: looks at it small, and again where tiles are too small or too large for that.

The locate model works best on tiles whose long side is 28 to 60 pixels. Nobody knows beforehand how large the tiles
of a picture are, so it is first seen at a long side of 640 pixels and smaller, down to one at which a single tile may
fill it, and again at a better scale where those were bad ones. At a wrong scale the squares of a tablecloth may pass
for tiles, but they show no faces. A face that the first look saw clearly is kept where the better one sees nothing or a
piece of a tile; where tiles are of very unequal size, as where a camera leans far, a finer look adds what surely shows
a face. A camera that does not move finds the scale once (`scale_of` in `pipeline`) and saves the first looks from then
on.

A tile that the model hardly sees is found too where it is as large as the tiles beside it: rows have no holes. What is
fainter still is found as well where it is as large as tiles are here, but is no tile until its face is read for sure.
"""

import math
from collections.abc import Callable, Sequence

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.detections import Detections, Floats
from referee.vision.detector import MULTIPLE, Locator
from referee.vision.frame import Image
from referee.vision.geometry import areas, distinct, lie_within, long_sides
from referee.vision.pyramid import Pyramid
from referee.vision.sizes import as_large, like_neighbours

_AIM = 32.0  # pixels of a tile's long side: smaller is quicker; below this quads become inexact
_FIRST_LOOK = 640  # pixels of the long side
_COARSER = (1, 1 / 2, 1 / 4, 1 / 7)  # of that; at the last a tile that fills the picture is not too large
_FINER_LOOKS = (1280, 2560)  # where those show nothing: tiles below 14 pixels are not seen
_GOOD = (28.0, 60.0)  # pixels of a tile's long side between which the locate model is at its best
_WORKS = (14.0, 80.0)  # and between which it works
_WINDOW, _OVERLAP = (1280, 736), 160  # pixels: a larger look is made in parts, for it takes 100 bytes a pixel
_CONTESTED, _SOME = 0.5, 24  # of the heaviest look's weight; how many of each look's finds then tell by their faces
_UNEVEN = 1.3  # times: where a tenth of the tiles is so much smaller than most, some may be too small to be seen
_PIECE = 1.3  # times: what is so much shorter than the tile it lies in is a piece of it
_BY_ITSELF = 3  # how much surer one tile must show a face than many to count: marbled stone may seem to show one
_SURELY_A_FACE = 0.9
_SEAM = 8  # pixels: two windows place a tile's middle a little differently, and neither may leave it to the other
_BESIDE_TILES = 2 / 3  # of the threshold: below this, peaks beside tiles are hardly ever tiles
_FAINT = 1 / 2  # of the threshold: the faintest of which some show a face

ShowsFace = Callable[[Pyramid, Floats], Floats]
"""How surely each of the quads [n, 4, 2] of a picture shows one face [n]: part of a rack may look a little like any."""


class Finder:
    """Finds tiles with the locate model, whatever their size."""

    def __init__(self, locator: Locator, threshold: float, shows_face: ShowsFace) -> None:
        """Peaks from `threshold` up are clear; `shows_face` settles at which scale they are tiles."""
        self.threshold = threshold
        self._locator, self._shows_face = locator, shows_face

    def find(self, image: Pyramid, scale: float | None = None) -> Detections:
        """What may be tiles in a picture, quads in its pixels; `scale` is that of a single look."""
        found = self._look(image, _filling(scale, image.size)) if scale is not None else self._search(image)
        clear = self.are_clear(found)
        return found.pick(clear | as_large(found.quads, clear))

    def are_clear(self, found: Detections) -> npt.NDArray[np.bool_]:
        """Which of the found are seen well enough to be tiles by that alone."""
        return np.asarray(found.scores >= self.threshold)

    def likely(self, found: Detections) -> npt.NDArray[np.bool_]:
        """Which of the found are tiles if their faces do not tell otherwise: clear ones, and faint ones beside them."""
        clear = self.are_clear(found)
        beside = like_neighbours(found.quads, clear)
        return np.asarray(clear | beside & (found.scores >= self.threshold * _BESIDE_TILES))

    def _search(self, image: Pyramid) -> Detections:
        longest = max(image.size)
        first = min(1.0, _FIRST_LOOK / longest)
        looks = [(scale, self._look(image, scale)) for scale in (first * coarser for coarser in _COARSER)]
        if not any(len(self._clear(found)) for _, found in looks):
            scales = [side / longest for side in _FINER_LOOKS if side <= longest]
            looks = [(scale, self._look(image, scale)) for scale in scales] or looks
        for scale, seen in self._best_first(image, looks):
            found = self._look_better(image, seen, scale) if len(self._clear(seen)) else seen
            if len(self._clear(found)):
                break
        return found

    def _best_first(self, image: Pyramid, looks: Sequence[tuple[float, Detections]]) -> list[tuple[float, Detections]]:
        """The looks, first the one that found most; where another found nearly as much, whose finds show faces tells.

        The next is there for where the finds of one vanish at the scale that would suit them: a rack taken for a tile.
        """
        weights = [_weight(self._clear(found)) for _, found in looks]
        if sum(weight > _CONTESTED * max(weights) for weight in weights) > 1:
            weights = [
                weight * self._faces_among(image, found) for weight, (_, found) in zip(weights, looks, strict=True)
            ]
        return [looks[place] for place in np.argsort(-np.array(weights), kind="stable")]

    def _faces_among(self, image: Pyramid, found: Detections) -> float:
        """How surely some of what was found clearly shows faces on average, less so the fewer there are."""
        quads = self._clear(found).quads
        some = quads[:: math.ceil(len(quads) / _SOME)] if len(quads) else quads
        return float(self._shows_face(image, some).mean()) ** (1 + _BY_ITSELF / len(some)) if len(some) else 0.0

    def _look_better(self, image: Pyramid, found: Detections, scale: float) -> Detections:
        """The tiles seen at the scale that suits them; where sizes differ too much for one scale, at two."""
        sides = long_sides(self._clear(found).quads)
        middle, small, large = (float(value) for value in np.percentile(sides, (50, 10, 90)))
        if not _GOOD[0] <= middle * scale <= _GOOD[1]:
            better = self._look(image, _AIM / middle)
            worked = _WORKS[0] <= middle * scale <= _WORKS[1]
            found, scale = self._with_overlooked(image, better, found) if worked else better, _AIM / middle
        if small * scale < _WORKS[0] or large * scale > _WORKS[1]:
            other = _AIM / (small if small * scale < _WORKS[0] else large)
            found = distinct(Detections.join(found, self._look(image, other)))
        elif small * _UNEVEN < middle:
            found = self._with_faces(image, found, self._look(image, _AIM / small))
        return found

    def _with_faces(self, image: Pyramid, found: Detections, finer: Detections) -> Detections:
        """What was found, and what a finer look sees clearly where nothing was clear, if it surely shows a face."""
        finer = self._clear(finer)
        known = lie_within(self._clear(found).quads, finer.quads).any(axis=1)
        finer = finer.pick(np.asarray(~known))
        finer = finer.pick(self._shows_face(image, finer.quads) > _SURELY_A_FACE)
        preferred = np.concatenate([self.are_clear(found), np.zeros(len(finer), bool)])
        return distinct(Detections.join(found, finer), preferred)

    def _with_overlooked(self, image: Pyramid, found: Detections, before: Detections) -> Detections:
        """What was found, and faces that a look before saw clearly where this one sees nothing, or a piece of a tile.

        Where this look sees nothing clearly, what the one before saw were no tiles.
        """
        clear = self.are_clear(found)
        if not clear.any():
            return found
        seen = self._clear(before)
        seen = seen.pick(self._shows_face(image, seen.quads) > _SURELY_A_FACE)
        inside = lie_within(found.quads, seen.quads)
        pieces = inside & (long_sides(found.quads) < long_sides(seen.quads)[:, None] / _PIECE)
        pieces &= np.count_nonzero(inside & clear, axis=1, keepdims=True) == 1
        kept = np.asarray(~pieces.any(axis=0))
        preferred = np.concatenate([clear[kept], np.zeros(len(seen), bool)])
        return distinct(Detections.join(found.pick(kept), seen), preferred)

    def _clear(self, found: Detections) -> Detections:
        return found.pick(self.are_clear(found))

    def _look(self, image: Pyramid, scale: float) -> Detections:
        """Tiles found in the picture at a scale, in pixels of the picture itself; faint ones too."""
        width, height = image.size
        size = (max(round(width * scale), 1), max(round(height * scale), 1))
        shrunk = image.resized(*size)
        windows = [
            self._look_into(shrunk, across, down)
            for down in _windows(size[1], _WINDOW[1])
            for across in _windows(size[0], _WINDOW[0])
        ]
        found = distinct(Detections.join(*windows))
        stretch = np.array([width / size[0], height / size[1]], np.float32)
        return Detections(found.quads * stretch, found.scores)

    def _look_into(self, image: Image, across: slice, down: slice) -> Detections:
        """Tiles in a window of a picture; those near its inner edges are left to the window beyond."""
        window = image[down, across]
        below, beside = -window.shape[0] % MULTIPLE, -window.shape[1] % MULTIPLE
        padded = cv2.copyMakeBorder(window, 0, below, 0, beside, cv2.BORDER_CONSTANT, value=(0, 0, 0))
        found = self._locator.locate(np.asarray(padded, np.uint8), self.threshold * _FAINT)
        quads = found.quads + np.array([across.start, down.start], np.float32)
        x, y = quads.mean(axis=1).T
        whole = _inner(x, across, image.shape[1]) & _inner(y, down, image.shape[0])
        return Detections(quads[whole], found.scores[whole])


def _filling(scale: float, size: tuple[int, int]) -> float:
    """The scale at which a look costs as much but shows more of the tiles, and no black beyond the picture's edge."""
    fits = min(-(-max(side * scale, 1) // MULTIPLE) * MULTIPLE / side for side in size)
    return max(scale, min(fits, 1.0))


def _windows(length: int, window: int) -> list[slice]:
    """Stretches no longer than a window that cover a length, each overlapping the next."""
    count = max(1, math.ceil((length - _OVERLAP) / (window - _OVERLAP)))
    step = (length - _OVERLAP) / count
    return [slice(round(number * step), round((number + 1) * step) + _OVERLAP) for number in range(count)]


def _inner(places: Floats, window: slice, length: int) -> npt.NDArray[np.bool_]:
    """Which places are not in the outer half of the window's overlap with the next."""
    low = window.start + _OVERLAP / 2 - _SEAM if window.start > 0 else -math.inf
    high = window.stop - _OVERLAP / 2 + _SEAM if window.stop < length else math.inf
    return np.asarray((places >= low) & (places < high))


def _weight(found: Detections) -> float:
    """How much a look found: pieces of tiles too large for it are small, and sets taken for one tile are few."""
    return float((found.scores * np.sqrt(np.abs(areas(found.quads)))).sum())
