"""Further looks at tiles in doubt, of a larger model too: upside down, and cut out a little aside.

What a model says of one picture depends on where its edges happen to lie: several cuts agree on what is there, and
disagree on the rest. Few tiles of a table need them. A camera that keeps still looks at the table several times, once
of them upside down, and each time the larger model looks once, at another cut. All its looks count alike; the first
look, of the quick one, counts half as much where it named another face or ink, and else not at all, for its doubt is
why others follow.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from referee.vision.geometry.crops import GLANCE_SIZE, rectify, turned_round
from referee.vision.geometry.detections import SYMBOLS, Faces, Floats
from referee.vision.geometry.quads import half_vectors, quads_of
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid

DOUBTFUL: Final = 0.98  # below this certainty a crop does not tell by itself what it shows
_SURE_AT_FIRST = 0.999  # from this chance of a symbol on a look of the quick reader tells by itself
_SURE_AMONG_OTHERS = 0.99  # from this certainty on a look of the quick reader tells where others follow
_SURE_OF_SYMBOL = 0.995  # and from this one a look of the better reader
_RECROP_BELOW = 0.96  # below this one after a look either way up it is cut out anew, for it would be asked about
_SURE_UNLESS_MOVED = 0.95  # from this certainty on a face stands unless quads drawn otherwise show another
_MAX_RECROPS = 48  # tiles cut out anew, the most doubtful first: a small machine has its limits

_BACK, _NONE = SYMBOLS.index("back"), SYMBOLS.index("none")

Read = Callable[[Image], Faces]


class CropJitter(NamedTuple):
    """How a tile is cut out: its size, widths to the right, heights upward, whether it is then turned round."""

    size: float = 1.0
    across: float = 0.0
    along: float = 0.0
    turned: bool = False


_SHIFTED: Final = CropJitter(across=-0.04, along=-0.03)
_RECROPS: Final = (CropJitter(size=0.94), CropJitter(across=0.04, along=0.03, turned=True), _SHIFTED)
AUGMENTATIONS: Final = (CropJitter(), CropJitter(turned=True), _SHIFTED)
"""Before a camera that keeps still, one for each of its looks; where one is turned round, so is all that look reads."""


def certainty(faces: Faces) -> Floats:
    """How likely each is what it most likely is, symbol and ink [n]."""
    return np.asarray(faces.symbol.max(axis=1) * faces.ink.max(axis=1), np.float32)


def show_faces(faces: Faces) -> npt.NDArray[np.bool_]:
    """Which are neither the back of a tile nor none at all, whatever they show."""
    guess = faces.symbol.argmax(axis=1)
    return np.asarray((guess != _BACK) & (guess != _NONE))


def augmented_reading(
    image: Pyramid,
    quads: Floats,
    crops: Image,
    faces: Faces,
    *,
    glance: Read,
    read: Read,
    once: CropJitter | None = None,
) -> Faces:
    """The faces of crops [n, 48, 32, 3] that were cut out of quads [n, 4, 2], after further looks at those in doubt.

    `glance` named the faces; `read` knows better, sees larger crops and takes longer. What is almost sure and looks the
    same to `glance` upside down is looked at no further, nor is what `read` is sure of at once. Where only the ink is
    in doubt one look of `read` is enough: more tell no more of it, and the inks of the table are judged together.
    What may be a doubt still is cut out anew. Where other looks at the table follow, `read` sees what is not almost
    sure `once`, at that cut, and that is all.
    """
    if once:
        (rows,) = np.nonzero(certainty(faces) < _SURE_AMONG_OTHERS)
        return faces.put(rows, _together(faces.pick(rows), [*_cut(image, quads[rows], [once], read)]))
    faces, settled = _seen_alike(crops, faces, glance)
    (rows,) = np.nonzero(~settled)
    first, crops = faces.pick(rows), rectify(image, quads[rows])
    looks = [read(crops)]
    faces = faces.put(rows, _together(first, looks))
    (unsettled,) = np.nonzero(looks[0].symbol.max(axis=1) < _SURE_OF_SYMBOL)
    rows, first = rows[unsettled], first.pick(unsettled)
    looks = [looks[0].pick(unsettled), upside_down(crops[unsettled], read)]
    faces = faces.put(rows, _together(first, looks))
    doubts = faces.symbol[rows].max(axis=1)
    most = np.argsort(doubts, kind="stable")[:_MAX_RECROPS]
    most = most[doubts[most] < _RECROP_BELOW]
    looks = [*(look.pick(most) for look in looks), *_cut(image, quads[rows[most]], _RECROPS, read)]
    return faces.put(rows[most], _together(first.pick(most), looks))


def read_otherwise(image: Pyramid, otherwise: Floats, faces: Faces, read: Read, reread: Read) -> Faces:
    """The faces; of those that are sure and are read as another in quads drawn `otherwise` [n, 4, 2], what both say.

    A look that happens to be sure of the wrong face is seldom so twice. `reread` knows better than `read`.
    """
    (sure,) = np.nonzero(certainty(faces) >= _SURE_UNLESS_MOVED)
    there = read(rectify(image, otherwise[sure], GLANCE_SIZE))
    differ = there.symbol.argmax(axis=1) != faces.symbol[sure].argmax(axis=1)
    crops = rectify(image, otherwise[sure[differ]])
    again = [reread(crops), upside_down(crops, reread)]
    there, rows = Faces.mean([there.pick(differ), *again]), sure[differ]
    half = np.float32(0.5)
    return faces.put(rows, replace(faces.pick(rows), symbol=half * (faces.symbol[rows] + there.symbol)))


def _seen_alike(crops: Image, faces: Faces, glance: Read) -> tuple[Faces, npt.NDArray[np.bool_]]:
    """The faces, and which of them need no better look: one look is sure, or one and another upside down almost are.

    Of the symbol, that is: of the ink almost sure will do.
    """
    almost = certainty(faces) >= DOUBTFUL
    settled = np.asarray(almost & (faces.symbol.max(axis=1) >= _SURE_AT_FIRST))
    (rows,) = np.nonzero(almost & ~settled)
    looks = [faces.pick(rows), upside_down(crops[rows], glance)]
    same = (_names(looks[0]) == _names(looks[1])).all(axis=0)
    (agree,) = np.nonzero(same & (certainty(looks[1]) >= DOUBTFUL))
    settled[rows[agree]] = True
    return faces.put(rows[agree], Faces.mean([look.pick(agree) for look in looks])), settled


def _together(first: Faces, looks: Sequence[Faces]) -> Faces:
    """What looks of the better reader say together, and half as loud the `first`, of the quick one, if it differs."""
    said = Faces.mean(looks)
    (differ,) = np.nonzero((_names(first) != _names(said)).any(axis=0))
    return said.put(differ, Faces.mean([look.pick(differ) for look in (first, *looks, *looks)]))


def _names(faces: Faces) -> npt.NDArray[np.intp]:
    """The likeliest symbol and ink of each [2, n]."""
    return np.stack([faces.symbol.argmax(axis=1), faces.ink.argmax(axis=1)])


def upside_down(crops: Image, read: Read) -> Faces:
    """What the crops show when they are read turned round."""
    return read(turned_round(crops)).turned()


def _cut(image: Pyramid, quads: Floats, cuts: Sequence[CropJitter], read: Read) -> Iterator[Faces]:
    """The faces of quads [n, 4, 2], of each cut in turn."""
    centre, up, right = half_vectors(quads)
    beside = [
        quads_of(centre + 2 * (cut.across * right + cut.along * up), up * cut.size, right * cut.size) for cut in cuts
    ]
    crops = rectify(image, np.concatenate(beside))
    parts = np.split(np.arange(len(crops)), len(cuts))
    for cut, part in zip(cuts, parts, strict=True):
        if cut.turned:
            crops[part] = turned_round(crops[part])
    said = read(crops)
    for cut, part in zip(cuts, parts, strict=True):
        faces = said.pick(part)
        yield faces.turned() if cut.turned else faces
