"""Test-time augmentation: doubtful tiles are re-read by a larger model, upside down and with small crop shifts.

A model's output depends on where the crop's edges happen to lie; jittered crops agree on the content and disagree on
the rest. Few tiles need this. A fixed camera looks at a table several times, once upside down, and at each look the
larger model reads each doubtful tile once, with another jitter. All its outputs count equally; the quick model's output
does not count, since its doubt is why they were needed.
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
    """How a tile is cropped: centred (0) or shifted (1 right and up, -1 left and down), upright or upside down."""

    offset: int = 0
    upside_down: bool = False


_SHIFTED_CROP: Final = CropJitter(offset=-1)
_BOTH_ORIENTATIONS: Final = (CropJitter(), CropJitter(upside_down=True))
_RECROPS: Final = (CropJitter(offset=1, upside_down=True), _SHIFTED_CROP)
AUGMENTATIONS: Final = (*_BOTH_ORIENTATIONS, _SHIFTED_CROP)
"""One for each look of a fixed camera; at the upside-down one, the quick model reads upside down too."""


def confidence(faces: Faces) -> Floats:
    """Return the probability [n] of the likeliest symbol and ink."""
    return np.asarray(faces.symbol.max(axis=1) * faces.ink.max(axis=1), np.float32)


def augmented_reading(
    image: Pyramid, quads: Floats, faces: Faces, *, read: Read, jitter: CropJitter | None = None
) -> Faces:
    """Return the quick model's `faces` of quads [n, 4, 2], the doubtful ones re-read by the larger model `read`.

    They are read in both orientations, and with shifted crops if the symbol is still doubtful: for the ink, more crops
    add nothing, and the inks of the table are judged together. If more looks at the table follow, they are read only
    once, with this `jitter`.
    """
    (rows,) = np.nonzero(confidence(faces) < (TUNING.min_confidence if jitter else TUNING.min_first_confidence))
    looks = [*_read_crops(image, quads[rows], [jitter] if jitter else _BOTH_ORIENTATIONS, read)]
    faces = faces.put(rows, Faces.mean(looks))
    if jitter:
        return faces
    chances = faces.symbol[rows].max(axis=1)
    doubtful = np.argsort(chances, kind="stable")[: TUNING.max_recrops]
    doubtful = doubtful[chances[doubtful] < TUNING.min_confidence]
    looks = [*(look.pick(doubtful) for look in looks), *_read_crops(image, quads[rows[doubtful]], _RECROPS, read)]
    return faces.put(rows[doubtful], Faces.mean(looks))


def read_upside_down(crops: Image, read: Read) -> Faces:
    """Return the faces of crops, read upside down."""
    return read(rotate_crops_180(crops)).turned()


def _read_crops(image: Pyramid, quads: Floats, cuts: Sequence[CropJitter], read: Read) -> Iterator[Faces]:
    """Yield the faces of quads [n, 4, 2] for each jitter in turn."""
    centre, up, right = half_vectors(quads)
    shift = 2 * TUNING.recrop_shift * (right + up * (CROP_SIZE[0] / CROP_SIZE[1]))
    beside = [quads_of(centre + cut.offset * shift, up, right) for cut in cuts]
    crops = rectify(image, np.concatenate(beside))
    parts = np.split(np.arange(len(crops)), len(cuts))
    for cut, part in zip(cuts, parts, strict=True):
        if cut.upside_down:
            crops[part] = rotate_crops_180(crops[part])
    probabilities = read(crops)
    for cut, part in zip(cuts, parts, strict=True):
        faces = probabilities.pick(part)
        yield faces.turned() if cut.upside_down else faces
