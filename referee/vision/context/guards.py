"""Guards: a printed thing may show a tile's face, but not on a tile's body nor among tiles. Such faces are asked about.

A guard costs nothing on a table of tiles and earns nothing there: what it is worth, only pictures of other things tell.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from referee.reading.observation import TileReading
from referee.vision.context.tuning import TUNING
from referee.vision.geometry.plane import Plane

_Tiles = tuple[TileReading, ...]


def doubt_strange_faces(tiles: _Tiles, plane: Plane | None) -> _Tiles:
    """Return the readings, faces that may not lie on tiles unsure.

    On a calibrated plane these are the faces of another size than a tile's; elsewhere, all faces of a picture in which
    few are sure: a page of print shows some clear digits among many that no tile has.
    """
    faces = [index for index, tile in enumerate(tiles) if tile.tile is not None]
    sure = [index for index in faces if not tiles[index].unsure]
    if plane:
        return _doubt(tiles, (index for index in sure if not _is_tile_sized(tiles[index], plane)))
    return _doubt(tiles, sure) if len(sure) < TUNING.min_sure_share * len(faces) else tiles


def _is_tile_sized(tile: TileReading, plane: Plane) -> bool:
    """Return whether a quad has a tile's size and proportions on the plane."""
    taller, wider = plane.residuals(np.array([tile.quad], np.float32))[0].tolist()
    size, shape = abs(taller + wider) / 2, abs(taller - wider)
    return bool(size <= TUNING.max_size_error and shape <= TUNING.max_shape_error)


def _doubt(tiles: _Tiles, indices: Iterable[int]) -> _Tiles:
    doubted = set(indices)
    return tuple(replace(tile, unsure=True) if index in doubted else tile for index, tile in enumerate(tiles))
