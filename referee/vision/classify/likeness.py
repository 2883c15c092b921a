"""How like tiles faces look: a logistic of three measures, of the face alone and of all faces of its picture.

A key, a cell of a puzzle or a square of another game shows a tile's digit, but in its middle, on a square, and the
reader is less sure that anything is there. One face alone may do so on a tile, seen aslant or with covered feet; not
all faces of a picture together.
"""

import math
from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.reading.observation import TileReading
from referee.vision.geometry.crops import READ_CROP_SIZE, rectify, transpose_crops
from referee.vision.geometry.detections import JOKERS, SYMBOLS, Doubles, Faces
from referee.vision.geometry.quads import heights_and_widths
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid

MEASURES: Final = ("face over none", "print above middle", "height over width")
WEIGHTS: Final = (*MEASURES, *(f"{name}, all faces" for name in MEASURES), "constant")
"""The names of the weights in the sidecar of the model."""
_LOW, _HIGH = np.array([-2.0, -0.2, -0.2]), np.array([14.0, 0.2, 0.4])  # measures beyond say no more
_MIN_PROBABILITY = 1e-7
_BODY_RANK = math.prod(READ_CROP_SIZE) * 4 // 5  # of a crop's pixels by brightness: its body
_DARKER = 0.85  # of the body's brightness: print is darker
_INSIDE = (slice(None), slice(3, -3), slice(4, -4))  # of a transposed crop: without the rim and its shadow


def log_odds_of_tiles(measures: Doubles, is_face: npt.NDArray[np.bool_], weights: Mapping[str, float]) -> Doubles:
    """Return the log-odds [n] that faces with these `measures_of` [n, 3] lie on tiles; 0 where no weights are known."""
    own, together, constant = np.split(np.array([weights.get(name, 0.0) for name in WEIGHTS]), (3, 6))
    if not is_face.any():
        return np.zeros(len(measures))
    return np.asarray(measures @ own + measures[is_face].mean(axis=0) @ together + constant)


def measures_of(image: Pyramid | Image, tiles: tuple[TileReading, ...], faces: Faces) -> Doubles:
    """Return three measures [n, 3] of readings and their faces.

    They are the log-odds of the likeliest face over none, the height of the print above the middle in tile heights,
    and the log of the height over the width.
    """
    quads = np.array([tile.quad for tile in tiles], np.float32).reshape(-1, 4, 2)
    shown = np.log(np.maximum(faces.symbol, _MIN_PROBABILITY), dtype=np.float64)
    over_none = shown[:, : JOKERS.stop].max(axis=1, initial=-np.inf) - shown[:, SYMBOLS.index("none")]
    sides = np.log(np.maximum(heights_and_widths(quads), np.float32(1e-6)))
    measures = np.column_stack(
        [over_none, print_heights(rectify(image, quads, READ_CROP_SIZE)), sides[:, 0] - sides[:, 1]]
    )
    return np.asarray(measures.clip(_LOW, _HIGH))


def print_heights(crops: Image) -> Doubles:
    """Return how far above the middle the print of upright crops [n, 48, 32, 3] lies [n], in crop heights."""
    blue, green, red = np.moveaxis(transpose_crops(crops), -1, 0)
    grey = blue.astype(np.float32) + green + red
    ranked = np.partition(grey.reshape(len(crops), math.prod(READ_CROP_SIZE)), _BODY_RANK, axis=1)
    columns = np.maximum(_DARKER * ranked[:, _BODY_RANK, None, None] - grey, 0)[_INSIDE]
    rows, places = columns.sum(axis=1, dtype=np.float64), (np.arange(crops.shape[1])[_INSIDE[2]] + 0.5) / crops.shape[1]
    amount = rows.sum(axis=1)
    return np.where(amount > 0, 0.5 - rows @ places / np.maximum(amount, 1e-9), 0.0)
