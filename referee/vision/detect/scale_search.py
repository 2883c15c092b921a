"""Scale search: locates the tiles of a picture whose tile size is unknown.

The locate model works best on tiles whose long side is 28 to 60 pixels. The picture is first shown to it at a long side
of 640 pixels and smaller, down to a scale at which a single tile may fill it, then at the scale that the tiles found
there suggest. If their plane looks oblique, the picture is flattened and searched once more. A clear face from an
earlier scale is kept where the later one finds nothing or only a piece of a tile. A fixed camera fits its zoom
(`fit_zoom`) once and skips the search from then on.

Faint detections are returned too, but count as tiles only once their faces are read confidently.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from referee.vision.detect.detection_scale import Zoom, flatten
from referee.vision.detect.tiling import TiledLocator
from referee.vision.detect.tuning import TUNING
from referee.vision.geometry.detections import Detections, Floats
from referee.vision.geometry.optics import Points
from referee.vision.geometry.plane import fit_plane
from referee.vision.geometry.quads import areas, contains_centres, long_sides, suppress_duplicates
from referee.vision.image.pyramid import Pyramid
from referee.vision.networks.models import Locator

FaceProbability = Callable[[Pyramid, Floats], Floats]
"""Returns the probability [n] of each quad's [n, 4, 2] likeliest face; part of a rack may look a little like any."""

RefineQuads = Callable[[Pyramid, Floats], Floats]
"""Returns quads [n, 4, 2] of a picture moved to the corners of their tiles."""


class ScaleSearch:
    """Locates tiles of any size."""

    def __init__(
        self, locator: Locator, threshold: float, face_probability: FaceProbability, refine_quads: RefineQuads
    ) -> None:
        """Use the locate model; peaks from `threshold` up are clear, and `face_probability` decides between scales."""
        self.threshold = threshold
        self._locate = TiledLocator(locator, threshold * TUNING.faint_share)
        self._face_probability, self._refine_quads = face_probability, refine_quads

    def find(
        self,
        image: Pyramid,
        zoom: Zoom | None = None,
        places: Points | None = None,
        known: Floats | None = None,
    ) -> Detections:
        """Return the likely tiles in a picture, in its pixels; with a `zoom`, from a single pass.

        That pass may skip what lies beyond `places` [n, 2]. Tiles that lay at quads `known` [n, 4, 2] a moment ago are
        added where faces still show there.
        """
        known = np.zeros((0, 4, 2), np.float32) if known is None else known
        if zoom is None:
            return self._search(image, known)
        return self._with_known(image, self._locate(image, zoom, places), known)

    def are_clear(self, found: Detections) -> npt.NDArray[np.bool_]:
        """Return which detections are tiles by their scores alone."""
        return np.asarray(found.scores >= self.threshold)

    def _with_known(self, image: Pyramid, found: Detections, known: Floats) -> Detections:
        """Add the missing `known` quads [n, 4, 2] that still show a face."""
        lay_there = Detections(known, np.full(len(known), self.threshold, np.float32))
        return self._with_faces(image, found, suppress_duplicates(lay_there))

    def _search(self, image: Pyramid, known: Floats) -> Detections:
        """Return the detections at the first scale that shows a face, or else the first face-down tiles.

        Scales with more detections come first; at finer scales one apparent tile, or none, may prove to be a small set.
        """
        longest = max(image.size)
        first = min(1.0, TUNING.first_scale_px / longest)
        looks = [(scale, self._locate(image, Zoom(scale))) for scale in (first / times for times in TUNING.downscales)]
        looks.sort(key=lambda look: -_weight(self._clear(look[1])))
        scales = [side / longest for side in TUNING.fine_scales_px if side <= longest]
        without = looks[0][1].pick(np.zeros(0, np.intp))
        for scale, seen in itertools.chain(looks, ((scale, self._locate(image, Zoom(scale))) for scale in scales)):
            found = self._with_known(image, self._rescale(image, seen, scale), known)
            upright = self._sample_upright(image, found)
            if len(upright):
                return self._locate_flattened(image, found, upright)
            without = without if len(self._clear(without)) else found
        return without

    def _rescale(self, image: Pyramid, found: Detections, scale: float) -> Detections:
        """Return the tiles at the scale that suits most of them.

        Rows mistaken for tiles come apart at the first better scale and call for another.
        """
        low, high = TUNING.good_tile_sides
        for _ in range(TUNING.max_rescales):
            sides = long_sides(self._clear(found).quads)
            if not len(sides) or low <= (middle := float(np.median(sides))) * scale <= high:
                break
            good = min(TUNING.target_search_side / middle, max(1.0, TUNING.fine_scales_px[-1] / max(image.size)))
            if good == scale:
                break
            found, scale = self._keep_faces_of(image, self._locate(image, Zoom(good)), found), good
        return found

    def _sample_upright(self, image: Pyramid, found: Detections) -> Floats:
        """Return a sample of the upright quads [n, 4, 2] among the detections."""
        some = self._clear(found).quads
        some = some[:: math.ceil(len(some) / TUNING.max_sample) or 1]
        return some[self._face_probability(image, some) > TUNING.min_face_probability]

    def _locate_flattened(self, image: Pyramid, found: Detections, upright: Floats) -> Detections:
        """Return detections in the flattened picture if the plane of `upright` tiles [n, 4, 2] looks oblique.

        The locate model regresses toward common proportions, so the quads are refined first; once is not enough.
        """
        if len(upright) < TUNING.min_tiles_for_flattening:
            return found
        upright = self._refine_quads(image, self._refine_quads(image, upright))
        plane = fit_plane(upright)
        oblique = TUNING.min_distortion < plane.distortion(upright.mean(axis=1)) <= TUNING.max_distortion
        flat = flatten(upright, plane, TUNING.target_search_side) if oblique else None
        return self._keep_faces_of(image, self._locate(image, flat), found) if flat else found

    def _keep_faces_of(self, image: Pyramid, found: Detections, before: Detections) -> Detections:
        """Add the faces that only the pass `before` found, unless this pass found nothing clear."""
        return self._with_faces(image, found, before) if self.are_clear(found).any() else found

    def _with_faces(self, image: Pyramid, found: Detections, other: Detections) -> Detections:
        """Return the detections, with clear ones of another pass added where they are missing and surely show a face.

        One is missing if no clear detection of about its size lies there. A detection in its place is dropped if it
        shows no face (touching tiles taken for one), if it covers several of the others (three ones taken for an 11),
        or if it lies alone inside a larger one (a piece of a tile).
        """
        other, clear = self._clear(other), self.are_clear(found)
        there = contains_centres(found.quads, other.quads) | contains_centres(other.quads, found.quads).T
        sizes = long_sides(other.quads)[:, None] / long_sides(found.quads)
        alike = (sizes < TUNING.max_size_ratio) & (sizes > 1 / TUNING.max_size_ratio)
        missing: npt.NDArray[np.bool_] = ~np.any(there & alike & clear, axis=1)
        missing[missing] = self._face_probability(image, other.quads[missing]) > TUNING.min_face_probability
        if not missing.any():
            return found
        other, there, sizes = other.pick(missing), there[missing], sizes[missing]
        alone = np.count_nonzero(there & clear, axis=1, keepdims=True) == 1
        yields = (np.count_nonzero(there, axis=0) > 1) | (there & alone & (sizes > TUNING.max_size_ratio)).any(axis=0)
        asked = there.any(axis=0) & ~yields
        yields[asked] = self._face_probability(image, found.quads[asked]) <= TUNING.min_face_probability
        kept = np.asarray(~there[:, ~yields].any(axis=1))
        yields &= there[kept].any(axis=0)
        return suppress_duplicates(Detections.join(found.pick(~yields), other.pick(kept)))

    def _clear(self, found: Detections) -> Detections:
        return found.pick(self.are_clear(found))


def _weight(found: Detections) -> float:
    """Return how much a pass found: large tiles in pieces add up to little, and so do sets taken for single tiles."""
    return float((found.scores * np.sqrt(np.abs(areas(found.quads)))).sum())
