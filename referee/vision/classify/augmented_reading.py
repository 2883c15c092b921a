"""Further looks at tiles in doubt, of a larger model too: upside down, and cut out a little aside.

What a model says of one picture depends on where its edges happen to lie: several cuts agree on what is there, and
disagree on the rest. Few tiles of a table need them. A camera that keeps still looks at the table several times, once
of them upside down, and each time the larger model looks once, at another cut. All its looks count alike; the first
look, of the quick one, does not count, for its doubt is why others follow.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from referee.vision.classify.tuning import TUNING
from referee.vision.geometry.crops import CROP_SIZE, rectify, rotate_crops_180
from referee.vision.geometry.detections import Faces, Floats
from referee.vision.geometry.quads import half_vectors, quads_of
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid

Read = Callable[[Image], Faces]


class CropJitter(NamedTuple):
    """How a tile is cut out: at its place (0) or beside it (1 right and up, -1 left and down), turned round or not."""

    aside: int = 0
    turned: bool = False


_SHIFTED: Final = CropJitter(aside=-1)
_BOTH_WAYS: Final = (CropJitter(), CropJitter(turned=True))
_RECROPS: Final = (CropJitter(aside=1, turned=True), _SHIFTED)
AUGMENTATIONS: Final = (*_BOTH_WAYS, _SHIFTED)
"""Before a camera that keeps still, one for each of its looks; where one is turned round, so is all that look reads."""


def certainty(faces: Faces) -> Floats:
    """Return how likely each is what it most likely is, symbol and ink [n]."""
    return np.asarray(faces.symbol.max(axis=1) * faces.ink.max(axis=1), np.float32)


def augmented_reading(
    image: Pyramid, quads: Floats, faces: Faces, *, read: Read, once: CropJitter | None = None
) -> Faces:
    """Return the faces of quads [n, 4, 2], as a quick look named them, after further looks of `read` at those in doubt.

    `read` knows better, sees larger crops and takes longer. What it sees is read either way up, and cut out anew where
    the symbol is in doubt still: of the ink more looks tell no more, and the inks of the table are judged together.
    Where other looks at the table follow, `read` sees what is in doubt `once`, at that cut, and that is all.
    """
    (rows,) = np.nonzero(certainty(faces) < (TUNING.doubtful if once else TUNING.sure_at_first))
    looks = [*_cut(image, quads[rows], [once] if once else _BOTH_WAYS, read)]
    faces = faces.put(rows, Faces.mean(looks))
    if once:
        return faces
    chances = faces.symbol[rows].max(axis=1)
    doubtful = np.argsort(chances, kind="stable")[: TUNING.max_recrops]
    doubtful = doubtful[chances[doubtful] < TUNING.doubtful]
    looks = [*(look.pick(doubtful) for look in looks), *_cut(image, quads[rows[doubtful]], _RECROPS, read)]
    return faces.put(rows[doubtful], Faces.mean(looks))


def upside_down(crops: Image, read: Read) -> Faces:
    """Return what the crops show when they are read turned round."""
    return read(rotate_crops_180(crops)).turned()


def _cut(image: Pyramid, quads: Floats, cuts: Sequence[CropJitter], read: Read) -> Iterator[Faces]:
    """Yield the faces of quads [n, 4, 2], of each cut in turn."""
    centre, up, right = half_vectors(quads)
    shift = 2 * TUNING.recrop_shift * (right + up * (CROP_SIZE[0] / CROP_SIZE[1]))
    beside = [quads_of(centre + cut.aside * shift, up, right) for cut in cuts]
    crops = rectify(image, np.concatenate(beside))
    parts = np.split(np.arange(len(crops)), len(cuts))
    for cut, part in zip(cuts, parts, strict=True):
        if cut.turned:
            crops[part] = rotate_crops_180(crops[part])
    said = read(crops)
    for cut, part in zip(cuts, parts, strict=True):
        faces = said.pick(part)
        yield faces.turned() if cut.turned else faces
