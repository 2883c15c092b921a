"""Finds the tiles of a picture: looks at it small, and again where tiles are too small or too large for that.

The locate model works best on tiles whose long side is 28 to 60 pixels. Nobody knows beforehand how large the tiles
of a picture are, so it is first seen at a long side of 640 pixels and smaller, down to one at which a single tile may
fill it, and again at a better scale where those were bad ones. At a wrong scale the squares of a tablecloth may pass
for tiles, but they show no faces. A face that the first look saw clearly is kept where the better one sees nothing or a
piece of a tile. Where tiles look too short in one direction, the picture is made longer in it and looked at once more.
A camera that does not move finds its zoom once (`zoom_of`) and saves the first looks from then on.

What the model hardly sees is found as well where it is as large as tiles are here, but is no tile until its face is
read for sure.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from referee.vision.detect.detection_scale import Zoom
from referee.vision.detect.foreshortening import AS_IT_IS, lengthening
from referee.vision.detect.tiling import TiledLocator, filling
from referee.vision.geometry.detections import Detections, Doubles, Floats
from referee.vision.geometry.quads import areas, distinct, lie_within, long_sides, quarter_turned
from referee.vision.geometry.size_model import as_large
from referee.vision.image.pyramid import Pyramid
from referee.vision.networks.models import Locator

_AIM = 32.0  # pixels of a tile's long side: smaller is quicker; below this quads become inexact
_FIRST_LOOK = 640  # pixels of the long side
_COARSER = (1, 1 / 2, 1 / 4, 1 / 7)  # of that; at the last a tile that fills the picture is not too large
_FINER_LOOKS = (1280, 2560)  # where those show nothing: tiles below 14 pixels are not seen
_GOOD = (28.0, 60.0)  # pixels of a tile's long side between which the locate model is at its best
_WORKS = (14.0, 80.0)  # and between which it works
_CONTESTED, _SAMPLE = 0.5, 24  # of the heaviest look's weight; how many of each look's finds then tell by their faces
_LARGER_SAMPLE = 96  # of one look's finds, where those do not tell
_OF_ONE_SIZE = 1.25  # times: what is longer or shorter in the same place is another tile, or several taken for one
_PIECE = 1.3  # times: what is so much shorter than the tile it lies in is a piece of it
_BY_ITSELF = 3  # how much surer one tile must show a face than many to count: marbled stone may seem to show one
_SURELY_A_FACE, _BEYOND_DOUBT = 0.9, 0.98
_SHORTENED = 1.15  # times: where tiles look so much too short, they are looked at in a picture made longer
_LENGTHENED, _UPRIGHT = 2, 3  # how often at most; how many tiles must show which way up they are
_FAINT = 1 / 2  # of the threshold: the faintest of which some show a face

ShowsFace = Callable[[Pyramid, Floats], Floats]
"""How surely each of the quads [n, 4, 2] of a picture shows one face [n]: part of a rack may look a little like any."""

Outline = Callable[[Pyramid, Floats], Floats]
"""Draws quads [n, 4, 2] of a picture to the tiles that they show."""


class ScaleSearch:
    """Finds tiles with the locate model, whatever their size."""

    def __init__(self, locator: Locator, threshold: float, shows_face: ShowsFace, outline: Outline) -> None:
        """Peaks from `threshold` up are clear; `shows_face` settles at which scale they are tiles."""
        self.threshold = threshold
        self._look = TiledLocator(locator, threshold * _FAINT)
        self._shows_face, self._outline = shows_face, outline

    def find(
        self,
        image: Pyramid,
        zoom: Zoom | None = None,
        within: Doubles | None = None,
        known: Floats | None = None,
    ) -> Detections:
        """What may be tiles in a picture, quads in its pixels; `zoom` is that of a single look.

        That look may leave out what is not `within` a low and a high corner [2, 2] in pixels. Where tiles lay a moment
        ago, quads `known` [n, 4, 2], they are not overlooked while they show their faces there.
        """
        known = np.zeros((0, 4, 2), np.float32) if known is None else known
        if zoom is None:
            found = self._search(image, known)
        else:
            found = self._with_known(image, self._look_once(image, zoom, within), known)
        clear = self.are_clear(found)
        return found.pick(clear | as_large(found.quads, clear))

    def are_clear(self, found: Detections) -> npt.NDArray[np.bool_]:
        """Which of the found are seen well enough to be tiles by that alone."""
        return np.asarray(found.scores >= self.threshold)

    def _look_once(self, image: Pyramid, zoom: Zoom, within: Doubles | None) -> Detections:
        scale = filling(zoom.scale, image.size) if zoom.longer == AS_IT_IS else zoom.scale
        return self._look(image, scale, zoom.longer, within, zoom.shift)

    def _with_known(self, image: Pyramid, found: Detections, known: Floats) -> Detections:
        """What was found, and `known` quads [n, 4, 2] that it lacks and that show a face still."""
        lay_there = Detections(known, np.full(len(known), self.threshold, np.float32))
        return self._with_faces(image, found, distinct(lay_there), whole=True)

    def _search(self, image: Pyramid, known: Floats) -> Detections:
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
        found = self._with_known(image, found, known)
        upright = self._some_upright(image, found)
        finer = _FINER_LOOKS[0] / longest
        if not len(upright) and len(self._clear(found)) and scale < finer <= 1:
            found, upright = self._look_finer(image, found, finer)
        return self._look_lengthened(image, found, upright)

    def _look_finer(self, image: Pyramid, found: Detections, scale: float) -> tuple[Detections, Floats]:
        """What a finer look finds, if that shows faces, and where; else what was found, which shows none.

        Small tiles that touch may have been taken for one, and the backs of a pool or a rack for all there is.
        """
        seen = self._look(image, scale)
        upright = self._upright(image, self._clear(seen).quads)
        return (self._look_better(image, seen, scale) if len(upright) else found), upright

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
        some = _some(self._clear(found).quads)
        return float(self._shows_face(image, some).mean()) ** (1 + _BY_ITSELF / len(some)) if len(some) else 0.0

    def _look_better(self, image: Pyramid, found: Detections, scale: float) -> Detections:
        """The tiles seen at the scale that suits most of them."""
        middle = float(np.median(long_sides(self._clear(found).quads)))
        if _GOOD[0] <= middle * scale <= _GOOD[1]:
            return found
        good = min(_AIM / middle, max(1.0, _FINER_LOOKS[-1] / max(image.size)))
        if good == scale:
            return found
        better, worked = self._look(image, good), _WORKS[0] <= middle * scale <= _WORKS[1]
        return self._with_overlooked(image, better, found) if worked else better

    def _look_lengthened(self, image: Pyramid, found: Detections, upright: Floats) -> Detections:
        """The tiles seen in proportion where they look too short in one direction; some are surely `upright` [n, 4, 2].

        The locate model takes them for common ones, so each is outlined anew, and that twice: once falls short. Of few
        faces one may be half hidden, and they may lie farther off than the backs beside them: such a look adds faces.
        """
        longer = AS_IT_IS
        for _ in range(_LENGTHENED):
            if not len(upright):
                break
            wanted = lengthening(self._outline(image, self._outline(image, upright)))
            if wanted.beyond(longer) < _SHORTENED:
                break
            longer, few = wanted, len(upright) < _UPRIGHT
            sides = long_sides(longer.applied(upright if few else self._clear(found).quads))
            seen = self._look(image, min(1.0, _AIM / float(np.median(sides))), longer)
            found = self._with_faces(image, found, seen) if few else self._with_overlooked(image, seen, found)
            upright = self._some_upright(image, found)
        return found

    def _some_upright(self, image: Pyramid, found: Detections) -> Floats:
        """Some of the upright quads [n, 4, 2] among what was found: a few from all over tell, or else more of them.

        On a dotted cloth most of what was found may be dots.
        """
        clear = self._clear(found).quads
        upright = self._upright(image, _some(clear))
        told = len(upright) >= _UPRIGHT or len(clear) <= _SAMPLE  # of so few all were asked
        return upright if told else self._upright(image, _some(clear, _LARGER_SAMPLE))

    def _upright(self, image: Pyramid, quads: Floats) -> Floats:
        """Those of the quads [n, 4, 2] that show a face beyond doubt, turned by a quarter where only then they do."""
        now = self._shows_face(image, quads) > _BEYOND_DOUBT
        others = quarter_turned(quads[~now], np.ones(np.count_nonzero(~now), bool))
        return np.concatenate([quads[now], others[self._shows_face(image, others) > _BEYOND_DOUBT]])

    def _with_faces(self, image: Pyramid, found: Detections, other: Detections, *, whole: bool = False) -> Detections:
        """What was found, and what `other` looks saw clearly where that is missing, if it surely shows a face.

        It is missing where nothing as large was found clearly. What lies there and shows no face yields: tiles that
        touch may have been taken for one. Where the others are `whole` tiles what covers several of them yields, too:
        three ones side by side may pass for an 11.
        """
        other = self._clear(other)
        if not len(other):
            return found
        clear = self._clear(found)
        sizes = long_sides(other.quads)[:, None] / long_sides(clear.quads)
        alike = (sizes < _OF_ONE_SIZE) & (sizes > 1 / _OF_ONE_SIZE)
        other = other.pick(np.asarray(~(alike & _in_one_place(other.quads, clear.quads)).any(axis=1)))
        other = other.pick(self._shows_face(image, other.quads) > _SURELY_A_FACE)
        if not len(other):
            return found
        there = _in_one_place(other.quads, found.quads)
        (rows,) = np.nonzero(there.any(axis=0))
        none = np.zeros(len(found), bool)
        none[rows] = self._shows_face(image, found.quads[rows]) <= _SURELY_A_FACE
        if whole:
            none |= np.count_nonzero(lie_within(other.quads, found.quads), axis=1) > 1
        kept = np.asarray(~there[:, ~none].any(axis=1))
        yields = none & there[kept].any(axis=0)
        return distinct(Detections.join(found.pick(~yields), other.pick(kept)))

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


def _in_one_place(quads: Floats, others: Floats) -> npt.NDArray[np.bool_]:
    """Which of the quads [n, 4, 2] lie where which of the others [m, 4, 2] do: [n, m]."""
    return np.asarray(lie_within(others, quads) | lie_within(quads, others).T)


def _some(quads: Floats, most: int = _SAMPLE) -> Floats:
    """A few of the quads, from all over."""
    return quads[:: math.ceil(len(quads) / most)] if len(quads) else quads


def _weight(found: Detections) -> float:
    """How much a look found: pieces of tiles too large for it are small, and sets taken for one tile are few."""
    return float((found.scores * np.sqrt(np.abs(areas(found.quads)))).sum())
