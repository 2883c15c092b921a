"""Faces the reader has never seen, learnt from one picture of them: which tile is which, and which look alike."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.rules.notation import parse_tiles
from referee.rules.tiles import Tile
from referee.vision.classify.enrolment import confusable_pairs, enrol, probe_looks, training_looks
from referee.vision.geometry.crops import rectify
from referee.vision.geometry.detections import SYMBOLS, Floats
from referee.vision.geometry.quads import areas
from referee.vision.image.frame import Image
from referee.vision.pipeline import TableReader
from referee.vision.profile import Enrolment

_NUMBERS: Final = slice(0, SYMBOLS.index("J"))
_SURELY_A_NUMBER: Final = 0.95
_SURELY_TILES: Final = 5  # of the best detections, most are tiles
_STRAY: Final = 3.0  # tile sizes: what lies farther from every other tile belongs to no row
_SIZES_VARY: Final = 0.2  # logarithm of the size: a fifth larger or smaller
_MIN_SCORE_FALL: Final = 0.12  # of the score: no joker of 75 pictures was fainter than the next one by more than 0.115
_SLANTED: Final = 45  # degrees: a row that slants further may be meant for a column
_FLAT: Final = 0.5  # of its length: higher than that is no row
_MIN_FACE_CHANCE: Final = 0.9  # chance of any face: what is so much fainter and shows less than this is bare ground

Rows = Sequence[tuple[Tile, ...]]
"""What lies there, row by row from the left."""


@dataclass(frozen=True, slots=True, eq=False)
class LearntFaces:
    """The faces of a picture, where they lie, and pairs of them that would be confused in such a share of cases."""

    enrolment: Enrolment
    quads: npt.NDArray[np.float64]
    """Places [n, 4, 2], in the order in which the tiles were named."""
    alike: Sequence[tuple[Tile, Tile, float]]


def named_rows(order: str) -> Rows:
    """Return the rows of such an order as `J JD / JC JM`; CalibrationError where one is empty."""
    rows = [tuple(parse_tiles(row)) for row in order.split("/")]
    if not all(rows):
        raise CalibrationError(f"{order!r:.60} leaves a row empty; write what lies there: 'J JD JC JM'")
    return rows


def learn_faces(
    reader: TableReader,
    image: Image,
    name: str,
    rows: Rows,
    *,
    note: Callable[[str], None],
    others: Image | None = None,
) -> LearntFaces:
    """Learn the faces in a picture of this name; CalibrationError where it does not show those rows.

    From a picture of `others`, number tiles, is learnt what the faces are not. `note` is told what was left out.
    """
    quads, order = laid_out(reader, image, name, rows, note)
    crops = rectify(image, quads[order].astype(np.float32))
    looks = [reader.embeddings(training_looks(crop)).astype(np.float64) for crop in crops]
    numbers = None if others is None else numbers_in(reader, others)
    enrolment = enrol([tile for row in rows for tile in row], looks, reader.reader_id, numbers)
    probes = [reader.embeddings(probe_looks(crop)).astype(np.float64) for crop in crops]
    return LearntFaces(enrolment, quads[order], confusable_pairs(enrolment, probes))


def laid_out(
    reader: TableReader, image: Image, name: str, rows: Rows, note: Callable[[str], None]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """Return the quads of the picture's tiles, and their order by rows from the left; raises CalibrationError."""
    due = sum(len(row) for row in rows)
    quads, ground = _likely_tiles(reader, image)
    if len(quads) < due:
        quads = _likely_tiles(TableReader(eager=True), image)[0][:due]
    elif len(ground):
        places = ", ".join("{:.0f},{:.0f}".format(*quad.mean(axis=0)) for quad in ground)
        note(f"{name}: ignored faint areas without a face at {places}")
    quads = without_strays(quads, due)
    if len(quads) != due:
        raise CalibrationError(
            f"tiles seen in {name}: {len(quads)}, but {due} are named; "
            "lay only those tiles, face up, on a plain surface, at playing distance"
        )
    return quads.astype(np.float64), in_rows(quads.mean(axis=1).astype(np.float64), [len(row) for row in rows])


def in_rows(places: npt.NDArray[np.float64], counts: Sequence[int]) -> npt.NDArray[np.intp]:
    """Return the order of places [n, 2] in a picture, row by row from the left; raises CalibrationError.

    `counts` says how many lie in each row, from the top. Rows may slant, all alike: they lie in the direction in which
    they are flattest beside how far they are apart.
    """
    ways = [
        _rows_along(places, counts, np.radians(degrees)) for degrees in sorted(range(-_SLANTED, _SLANTED + 1), key=abs)
    ]
    order, apart, long = max(ways, key=lambda way: way.apart)
    if apart < (0.0 if len(counts) > 1 else -_FLAT * long):
        raise CalibrationError("the rows are too slanted to separate; line them up with the picture's edge")
    return order


class _Way(NamedTuple):
    """Places in rows in some direction, by how much rows are farther apart than high, and how long the longest is."""

    order: npt.NDArray[np.intp]
    apart: float
    long: float


def _rows_along(places: npt.NDArray[np.float64], counts: Sequence[int], direction: float) -> _Way:
    along, down = (
        places @ axis for axis in ((np.cos(direction), np.sin(direction)), (-np.sin(direction), np.cos(direction)))
    )
    by_height = np.split(np.argsort(down, kind="stable"), np.cumsum(counts)[:-1])
    rows = [row[np.argsort(along[row], kind="stable")] for row in by_height]
    high = max(float(np.ptp(down[row])) for row in rows)
    apart = min((float(down[lower].min() - down[upper].max()) for upper, lower in pairwise(rows)), default=0.0)
    return _Way(np.concatenate(rows), apart - high, max(float(np.ptp(along[row])) for row in rows))


def without_strays(quads: Floats, due: int) -> Floats:
    """Return the quads [n, 4, 2] without those beyond the first `due` that lie far from all of these."""
    if len(quads) <= due:
        return quads
    middles, size = quads.mean(axis=1), float(np.sqrt(np.median(np.abs(areas(quads[:due])))))
    away = np.linalg.norm(middles[due:, None] - middles[None, :due], axis=2).min(axis=1)
    return quads[:due] if (away > _STRAY * size).all() else quads


def _likely_tiles(reader: TableReader, image: Image) -> tuple[Floats, Floats]:
    """Return quads [n, 4, 2] of what may be tiles, the likeliest first, and of bare ground that was held for such.

    What is much larger or smaller than tiles are is neither. Which faces the reader makes of them is not asked: it may
    never have seen such.
    """
    found = reader.locate(image)
    if not len(found):
        return found.quads, found.quads
    sizes = np.sqrt(np.abs(areas(found.quads)))
    usual = float(np.median(sizes[:_SURELY_TILES]))
    found = found.pick(np.abs(np.log(sizes / usual)) < _SIZES_VARY)
    count = standing_out(found.scores, reader.shows_face(image, found.quads))
    return found.quads[:count], found.quads[count:]


def standing_out(scores: Floats, faces: Floats) -> int:
    """Return how many detections stand out: those before a fall of the scores [n] after which no face [n] shows."""
    falls = np.nonzero(scores[:-1] - scores[1:] > _MIN_SCORE_FALL)[0] + 1
    return next((int(fall) for fall in falls if (faces[fall:] < _MIN_FACE_CHANCE).all()), len(scores))


def numbers_in(reader: TableReader, image: Image) -> npt.NDArray[np.float64]:
    """Return the embeddings of the number tiles that are read for sure in a picture."""
    _, faces = reader.read_faces(image)
    sure: Floats = faces.symbol[:, _NUMBERS].max(axis=1)
    return faces.embedding[sure > _SURELY_A_NUMBER].astype(np.float64)
