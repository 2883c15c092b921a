"""Finds the tiles of a picture: looks at it small, and again where tiles are too small or too large for that.

The locate model works best on tiles whose long side is 28 to 60 pixels. Nobody knows beforehand how large the tiles
of a picture are, so it is first seen at a long side of 640 pixels and smaller, down to one at which a single tile may
fill it, and again at a better scale where those were bad ones. Where tiles look too short in one direction, the picture
is made longer in it and looked at once more. A face that the look before saw clearly is kept where the better one sees
nothing or a piece of a tile. A camera that does not move finds its zoom once (`zoom_of`) and saves the first looks from
then on.

What the model hardly sees is found as well, but is no tile until its face is read for sure.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from referee.vision.detect.detection_scale import Zoom
from referee.vision.detect.foreshortening import AS_IT_IS, lengthening
from referee.vision.detect.tiling import TiledLocator, filling
from referee.vision.detect.tuning import TUNING
from referee.vision.geometry.detections import Detections, Doubles, Floats
from referee.vision.geometry.quads import areas, contains_centres, long_sides, suppress_duplicates
from referee.vision.image.pyramid import Pyramid
from referee.vision.networks.models import Locator

ShowsFace = Callable[[Pyramid, Floats], Floats]
"""How surely each of the quads [n, 4, 2] of a picture shows one face [n]: part of a rack may look a little like any."""

Outline = Callable[[Pyramid, Floats], Floats]
"""Draws quads [n, 4, 2] of a picture to the tiles that they show."""


class ScaleSearch:
    """Finds tiles with the locate model, whatever their size."""

    def __init__(self, locator: Locator, threshold: float, shows_face: ShowsFace, outline: Outline) -> None:
        """Peaks from `threshold` up are clear; `shows_face` settles at which scale they are tiles."""
        self.threshold = threshold
        self._look = TiledLocator(locator, threshold * TUNING.faint)
        self._shows_face, self._outline = shows_face, outline

    def find(
        self,
        image: Pyramid,
        zoom: Zoom | None = None,
        within: Doubles | None = None,
        known: Floats | None = None,
    ) -> Detections:
        """Return what may be tiles in a picture, quads in its pixels; `zoom` is that of a single look.

        That look may leave out what is not `within` a low and a high corner [2, 2] in pixels. Where tiles lay a moment
        ago, quads `known` [n, 4, 2], they are not overlooked while they show their faces there.
        """
        known = np.zeros((0, 4, 2), np.float32) if known is None else known
        if zoom is None:
            return self._search(image, known)
        return self._with_known(image, self._look_once(image, zoom, within), known)

    def are_clear(self, found: Detections) -> npt.NDArray[np.bool_]:
        """Return which of the found are seen well enough to be tiles by that alone."""
        return np.asarray(found.scores >= self.threshold)

    def _look_once(self, image: Pyramid, zoom: Zoom, within: Doubles | None) -> Detections:
        scale = filling(zoom.scale, image.size) if zoom.longer == AS_IT_IS else zoom.scale
        return self._look(image, scale, zoom.longer, within, zoom.shift)

    def _with_known(self, image: Pyramid, found: Detections, known: Floats) -> Detections:
        """Return what was found, and `known` quads [n, 4, 2] that it lacks and that show a face still."""
        lay_there = Detections(known, np.full(len(known), self.threshold, np.float32))
        return self._with_faces(image, found, suppress_duplicates(lay_there))

    def _search(self, image: Pyramid, known: Floats) -> Detections:
        """Return the detections at the first scale that shows a face, or else face-down tiles at the first one.

        Those come first at which most is found; at finer ones what looked like one tile, or none, may be a small set.
        """
        longest = max(image.size)
        first = min(1.0, TUNING.first_look / longest)
        looks = [(scale, self._look(image, scale)) for scale in (first / times for times in TUNING.smaller)]
        looks.sort(key=lambda look: -_weight(self._clear(look[1])))
        scales = [side / longest for side in TUNING.finer_looks if side <= longest]
        without = looks[0][1].pick(np.zeros(0, np.intp))
        for scale, seen in itertools.chain(looks, ((scale, self._look(image, scale)) for scale in scales)):
            found = self._with_known(image, self._look_better(image, seen, scale), known)
            upright = self._upright(image, found)
            if len(upright):
                return self._look_lengthened(image, found, upright)
            without = without if len(self._clear(without)) else found
        return without

    def _look_better(self, image: Pyramid, found: Detections, scale: float) -> Detections:
        """Return the tiles seen at the scale that suits most of them.

        Rows that were taken for tiles come apart at the first better scale, and ask for another.
        """
        low, high = TUNING.good_sides
        for _ in range(TUNING.better_looks):
            sides = long_sides(self._clear(found).quads)
            if not len(sides) or low <= (middle := float(np.median(sides))) * scale <= high:
                break
            good = min(TUNING.aim / middle, max(1.0, TUNING.finer_looks[-1] / max(image.size)))
            if good == scale:
                break
            found, scale = self._with_overlooked(image, self._look(image, good), found), good
        return found

    def _upright(self, image: Pyramid, found: Detections) -> Floats:
        """Return some of the upright quads [n, 4, 2] among what was found, from all over."""
        some = self._clear(found).quads
        some = some[:: math.ceil(len(some) / TUNING.max_sample) or 1]
        return some[self._shows_face(image, some) > TUNING.surely_a_face]

    def _look_lengthened(self, image: Pyramid, found: Detections, upright: Floats) -> Detections:
        """Return detections in a picture stretched where `upright` tiles [n, 4, 2] look too short one way.

        The locate model takes them for common ones, so each is outlined anew, and that twice: once falls short.
        """
        if len(upright) < TUNING.min_tiles_for_stretch:
            return found
        longer = lengthening(self._outline(image, self._outline(image, upright)))
        if longer.times < TUNING.min_stretch:
            return found
        sides = long_sides(longer.applied(self._clear(found).quads))
        seen = self._look(image, min(1.0, TUNING.aim / float(np.median(sides))), longer)
        return self._with_overlooked(image, seen, found)

    def _with_overlooked(self, image: Pyramid, found: Detections, before: Detections) -> Detections:
        """Return the detections with faces that only the look `before` saw; none where this look finds nothing."""
        return self._with_faces(image, found, before) if self.are_clear(found).any() else found

    def _with_faces(self, image: Pyramid, found: Detections, other: Detections) -> Detections:
        """Return what was found, and what `other` looks saw clearly where that is missing, if it surely shows a face.

        It is missing where nothing as large was found clearly. What lies there yields where it shows no face, as tiles
        that touch and were taken for one; where it covers several of the others, as three ones taken for an 11; and
        where it lies alone in a larger one, for it is a piece of that.
        """
        other, clear = self._clear(other), self.are_clear(found)
        there = contains_centres(found.quads, other.quads) | contains_centres(other.quads, found.quads).T
        sizes = long_sides(other.quads)[:, None] / long_sides(found.quads)
        alike = (sizes < TUNING.of_one_size) & (sizes > 1 / TUNING.of_one_size)
        missing: npt.NDArray[np.bool_] = ~np.any(there & alike & clear, axis=1)
        missing[missing] = self._shows_face(image, other.quads[missing]) > TUNING.surely_a_face
        if not missing.any():
            return found
        other, there, sizes = other.pick(missing), there[missing], sizes[missing]
        alone = np.count_nonzero(there & clear, axis=1, keepdims=True) == 1
        yields = (np.count_nonzero(there, axis=0) > 1) | (there & alone & (sizes > TUNING.of_one_size)).any(axis=0)
        asked = there.any(axis=0) & ~yields
        yields[asked] = self._shows_face(image, found.quads[asked]) <= TUNING.surely_a_face
        kept = np.asarray(~there[:, ~yields].any(axis=1))
        yields &= there[kept].any(axis=0)
        return suppress_duplicates(Detections.join(found.pick(~yields), other.pick(kept)))

    def _clear(self, found: Detections) -> Detections:
        return found.pick(self.are_clear(found))


def _weight(found: Detections) -> float:
    """Return how much a look found: pieces of tiles too large for it are small, and sets taken for one tile are few."""
    return float((found.scores * np.sqrt(np.abs(areas(found.quads)))).sum())
