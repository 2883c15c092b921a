"""Learning of faces new to the reader from one picture: which tile is which, and which look alike."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.rules.notation import parse_tiles
from referee.rules.tiles import Tile
from referee.rules.wording import Message, say
from referee.vision.classify.enrolment import confusable_pairs, enrol, probe_looks, training_looks
from referee.vision.geometry.crops import rectify
from referee.vision.geometry.detections import SYMBOLS, Floats
from referee.vision.geometry.quads import areas
from referee.vision.image.frame import Image
from referee.vision.pipeline import TableReader
from referee.vision.profile import Enrolment

_NUMBERS: Final = slice(0, SYMBOLS.index("J"))
_SURELY_A_NUMBER: Final = 0.95
_SURE_DETECTIONS: Final = 5  # best detections, most of which are tiles
_MAX_ROW_GAP: Final = 3.0  # tile sizes from the nearest other tile, above which a tile belongs to no row
_MAX_LOG_SIZE_ERROR: Final = 0.2  # about a fifth larger or smaller
_MIN_SCORE_FALL: Final = 0.12  # of the locate score; in 75 pictures, successive jokers differed by up to 0.115
_MAX_SLANT_DEGREES: Final = 45  # beyond it a row may be meant as a column
_MAX_ROW_HEIGHT: Final = 0.5  # of its length
_MIN_FACE_CHANCE: Final = 0.9  # below it, a much fainter detection is background

Rows = Sequence[tuple[Tile, ...]]
"""The tiles row by row, each from the left."""


@dataclass(frozen=True, slots=True, eq=False)
class LearntFaces:
    """The faces of a picture, their places, and the pairs that may be confused, with the probability."""

    enrolment: Enrolment
    quads: npt.NDArray[np.float64]
    """Quads [n, 4, 2], in the order in which the tiles were named."""
    alike: Sequence[tuple[Tile, Tile, float]]


def named_rows(order: str) -> Rows:
    """Return the rows of an order such as `J JD / JC JM`; raises CalibrationError if one is empty."""
    rows = [tuple(parse_tiles(row)) for row in order.split("/")]
    if not all(rows):
        wrong = say(
            "faces.empty_row", "{order} leaves a row empty; write what lies there: 'J JD JC JM'", order=f"{order!r:.60}"
        )
        raise CalibrationError(wrong)
    return rows


def learn_faces(
    reader: TableReader,
    image: Image,
    name: str | Message,
    rows: Rows,
    *,
    note: Callable[[str], None],
    others: Image | None = None,
) -> LearntFaces:
    """Learn the faces in a picture; raises CalibrationError if it does not show those rows.

    `others`, a picture of number tiles, provides negatives. `name` is the picture's in messages; `note` receives what
    was ignored.
    """
    quads, order = ordered_tiles(reader, image, name, rows, note)
    crops = rectify(image, quads[order].astype(np.float32))
    looks = [reader.embeddings(training_looks(crop)).astype(np.float64) for crop in crops]
    numbers = None if others is None else numbers_in(reader, others)
    enrolment = enrol([tile for row in rows for tile in row], looks, reader.reader_id, numbers)
    probes = [reader.embeddings(probe_looks(crop)).astype(np.float64) for crop in crops]
    return LearntFaces(enrolment, quads[order], confusable_pairs(enrolment, probes))


def ordered_tiles(
    reader: TableReader, image: Image, name: str | Message, rows: Rows, note: Callable[[str], None]
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
            say(
                "faces.count",
                "tiles seen in {picture}: {seen}, but {named} are named; "
                "lay only those tiles, face up, on a plain surface, at playing distance",
                picture=name,
                seen=len(quads),
                named=due,
            )
        )
    return quads.astype(np.float64), in_rows(quads.mean(axis=1).astype(np.float64), [len(row) for row in rows])


def in_rows(places: npt.NDArray[np.float64], counts: Sequence[int]) -> npt.NDArray[np.intp]:
    """Return the order of places [n, 2] in a picture, row by row from the left; raises CalibrationError.

    `counts` are the tiles per row, from the top. Rows may slant, all alike: their direction is the one in which the
    gap between rows exceeds their height the most.
    """
    orders = [
        _rows_along(places, counts, np.radians(degrees))
        for degrees in sorted(range(-_MAX_SLANT_DEGREES, _MAX_SLANT_DEGREES + 1), key=abs)
    ]
    order, apart, long = max(orders, key=lambda way: way.apart)
    if apart < (0.0 if len(counts) > 1 else -_MAX_ROW_HEIGHT * long):
        raise CalibrationError(
            say("faces.slanted", "the rows are too slanted to separate; line them up with the picture's edge")
        )
    return order


class _RowOrder(NamedTuple):
    """Places in rows along some direction: by how much their gaps exceed their heights, and the longest row."""

    order: npt.NDArray[np.intp]
    apart: float
    long: float


def _rows_along(places: npt.NDArray[np.float64], counts: Sequence[int], direction: float) -> _RowOrder:
    along, down = (
        places @ axis for axis in ((np.cos(direction), np.sin(direction)), (-np.sin(direction), np.cos(direction)))
    )
    by_height = np.split(np.argsort(down, kind="stable"), np.cumsum(counts)[:-1])
    rows = [row[np.argsort(along[row], kind="stable")] for row in by_height]
    high = max(float(np.ptp(down[row])) for row in rows)
    apart = min((float(down[lower].min() - down[upper].max()) for upper, lower in pairwise(rows)), default=0.0)
    return _RowOrder(np.concatenate(rows), apart - high, max(float(np.ptp(along[row])) for row in rows))


def without_strays(quads: Floats, due: int) -> Floats:
    """Return the first `due` quads [n, 4, 2] if all others lie far from them; otherwise all quads."""
    if len(quads) <= due:
        return quads
    middles, size = quads.mean(axis=1), float(np.sqrt(np.median(np.abs(areas(quads[:due])))))
    away = np.linalg.norm(middles[due:, None] - middles[None, :due], axis=2).min(axis=1)
    return quads[:due] if (away > _MAX_ROW_GAP * size).all() else quads


def _likely_tiles(reader: TableReader, image: Image) -> tuple[Floats, Floats]:
    """Return quads [n, 4, 2] of likely tiles, best first, and of background mistaken for tiles.

    Detections of another size are in neither. Names are ignored: the reader may never have seen such faces.
    """
    found = reader.outline(image)  # located sizes differ by a fifth
    if not len(found):
        return found.quads, found.quads
    sizes = np.sqrt(np.abs(areas(found.quads)))
    usual = float(np.median(sizes[:_SURE_DETECTIONS]))
    found = found.pick(np.abs(np.log(sizes / usual)) < _MAX_LOG_SIZE_ERROR)
    count = count_distinct(found.scores, reader.shows_face(image, found.quads))
    return found.quads[:count], found.quads[count:]


def count_distinct(scores: Floats, faces: Floats) -> int:
    """Return how many detections are tiles: those before a drop of the scores [n] after which no face [n] shows."""
    falls = np.nonzero(scores[:-1] - scores[1:] > _MIN_SCORE_FALL)[0] + 1
    return next((int(fall) for fall in falls if (faces[fall:] < _MIN_FACE_CHANCE).all()), len(scores))


def numbers_in(reader: TableReader, image: Image) -> npt.NDArray[np.float64]:
    """Return the embeddings [n, 32] of the number tiles confidently read in a picture."""
    _, faces = reader.read_faces(image)
    sure: Floats = faces.symbol[:, _NUMBERS].max(axis=1)
    return faces.embedding[sure > _SURELY_A_NUMBER].astype(np.float64)
