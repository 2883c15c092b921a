"""Guards: a printed thing may show a tile's face, but not on a tile's body nor among tiles. Such faces are asked about.

A guard costs nothing on a table of tiles and earns nothing there: what it is worth, only pictures of other things tell.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from referee.reading.observation import TileReading
from referee.rules.tiles import Joker
from referee.vision.context.tuning import TUNING
from referee.vision.geometry.detections import Doubles
from referee.vision.geometry.plane import Plane

_Tiles = tuple[TileReading, ...]


def doubt_other_sizes(tiles: _Tiles, plane: Plane) -> _Tiles:
    """Return the readings, faces of another size or shape than a tile's on the calibrated plane unsure."""
    return _doubt(tiles, (index for index in _sure_faces(tiles) if not _is_tile_sized(tiles[index], plane)))


def doubt_strange_faces(tiles: _Tiles, log_odds: Doubles) -> _Tiles:
    """Return the readings of a photograph, faces unsure that by the `log_odds` [n] rather lie on no tile.

    Then all are unsure if few are sure: a page of print shows some clear digits among many that no tile has.
    """
    tiles = _doubt(tiles, np.nonzero(log_odds < 0)[0].tolist())
    sure, faces = _sure_faces(tiles), [tile for tile in tiles if tile.tile is not None]
    clear = len(sure) + sum(tile.unsure and _is_joker_of_some_kind(tile) for tile in faces)
    return _doubt(tiles, sure) if clear < TUNING.min_sure_share * len(faces) else tiles


def _is_joker_of_some_kind(tile: TileReading) -> bool:
    return bool(tile.alternatives) and all(isinstance(name, Joker) for name in (tile.tile, *dict(tile.alternatives)))


def _sure_faces(tiles: _Tiles) -> list[int]:
    return [index for index, tile in enumerate(tiles) if tile.tile is not None and not tile.unsure]


def _is_tile_sized(tile: TileReading, plane: Plane) -> bool:
    """Return whether a quad has a tile's size and proportions on the plane."""
    taller, wider = plane.residuals(np.array([tile.quad], np.float32))[0].tolist()
    size, shape = abs(taller + wider) / 2, abs(taller - wider)
    return bool(size <= TUNING.max_size_error and shape <= TUNING.max_shape_error)


def _doubt(tiles: _Tiles, indices: Iterable[int]) -> _Tiles:
    doubted = set(indices)
    return tuple(
        replace(tile, unsure=True) if index in doubted and tile.tile is not None else tile
        for index, tile in enumerate(tiles)
    )
