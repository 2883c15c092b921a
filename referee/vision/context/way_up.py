"""The way up of a 6 or 9, from its neighbours: upside down it is the other, and tiles of a row lie the same way up.

Tiles strewn at random must not vote each other wrong. So the vote of the nearest tiles counts by how alike their own
ways up are, and by how nearly the tile in doubt lies along them.
"""

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.reading.observation import TileReading
from referee.rules.tiles import NumberTile, Tile
from referee.vision.classify.naming import LogOdds
from referee.vision.context.tuning import TUNING
from referee.vision.geometry.detections import NUMBERS, SYMBOLS, Doubles, Faces, Floats
from referee.vision.geometry.quads import half_vectors

_SIX, _NINE = SYMBOLS.index("6"), SYMBOLS.index("9")
_EITHER_WAY: Final = [SYMBOLS.index(number) for number in ("1", "6", "8", "9", "11")]  # look alike upside down


def apply_ways_up(names: LogOdds, quads: Floats, faces: Faces) -> LogOdds:
    """Return the log-odds, with the evidence of the neighbours about each 6 and 9 added.

    `quads` [n, 4, 2] are upright as the faces were read.
    """
    agreement = _agreement(quads, faces) * TUNING.way_up_weight
    as_six = np.where(_reads_as_six(faces), 0.5, -0.5) * agreement
    signs = [{6: 1.0, 9: -1.0}.get(_number(tile), 0.0) for tile in (*names.tiles, None, None)]
    return names.add(as_six[:, None] * np.array(signs))


def turn_over(tiles: tuple[TileReading, ...], faces: Faces) -> tuple[TileReading, ...]:
    """Return the readings, those named 6 whose face was read as a 9, or the reverse, the other way up."""
    read = np.where(_reads_as_six(faces), 6, 9).tolist()
    return tuple(
        _turned(tile) if _number(tile.tile) == 15 - was else tile for tile, was in zip(tiles, read, strict=True)
    )


def _turned(tile: TileReading) -> TileReading:
    a, b, c, d = tile.quad
    return replace(tile, quad=(c, d, a, b))


def _number(tile: Tile | None) -> int:
    return tile.number if isinstance(tile, NumberTile) else 0


def _reads_as_six(faces: Faces) -> npt.NDArray[np.bool_]:
    return np.asarray(faces.symbol[:, _SIX] >= faces.symbol[:, _NINE])


def _agreement(quads: Floats, faces: Faces) -> Doubles:
    """Return from -1 (against) to 1 (for) how far the nearest decisive tiles say that each tile [n] lies as it reads.

    0 for tiles that are neither a 6 nor a 9.
    """
    votes = np.zeros(len(quads))
    number = faces.symbol[:, NUMBERS]
    decisive = (number.max(axis=1) >= TUNING.min_decisive) & ~np.isin(number.argmax(axis=1), _EITHER_WAY)
    (asked,) = np.nonzero(faces.symbol[:, [_SIX, _NINE]].sum(axis=1) > 1 - TUNING.min_decisive)
    if not decisive.any() or not len(asked):
        return votes
    centre, up, _ = (part.astype(np.float64) for part in half_vectors(quads))
    ways = up / np.maximum(np.linalg.norm(up, axis=1, keepdims=True), 1e-9)
    away = np.linalg.norm(centre[asked, None] - centre[decisive], axis=2)
    nearest = np.argsort(away, axis=1, kind="stable")[:, : TUNING.voters]
    mean = ways[decisive][nearest].sum(axis=1) / TUNING.voters
    votes[asked] = (ways[asked] * mean).sum(axis=1) * (mean**2).sum(axis=1)
    return votes
