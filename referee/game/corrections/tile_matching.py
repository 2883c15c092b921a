"""Whether tiles lie in one place: what was said of a tile holds there, whichever way round it is read."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from referee.reading.observation import Quad, TableReading, TileReading
from referee.rules.tiles import Joker, Tile

_SAME_PLACE: Final = 0.25  # tile widths, as settling has it: located tiles jitter by less than 0.1
_SAME_TURN: Final = math.radians(15)
_UNTOUCHED: Final = 0.12  # tile widths that a tile which nobody touched may seem to have moved
_UNTURNED: Final = math.radians(4)

_Pose = tuple[float, float, float, float]  # the middle, the width, the angle


def same_place(one: Quad, other: Quad) -> bool:
    """Tell whether two tiles lie in one place, whichever way round each was read."""
    return _near(_pose(one), _pose(other))


def untouched(one: Quad, other: Quad) -> bool:
    """Tell whether two tiles lie as exactly in one place as a tile that nobody moved."""
    return _near(_pose(one), _pose(other), _UNTOUCHED, _UNTURNED)


@dataclass(frozen=True, slots=True)
class Lying:
    """A tile in its place."""

    quad: Quad
    tile: Tile | None

    def may_be(self, seen: TileReading) -> bool:
        """Tell whether what is seen in that place may still be it; a joker may have been exchanged where it lies."""
        return isinstance(self.tile, Joker) or self.tile in names_of(seen)


def names_of(tile: TileReading) -> set[Tile | None]:
    """Give every name that a tile may have."""
    return {tile.tile, *(name for name, _ in tile.alternatives if tile.unsure)}


def lying(tile: TileReading) -> Lying:
    """Give a tile as it lies there."""
    return Lying(tile.quad, tile.tile)


def find_lying(tiles: Sequence[TileReading], wanted: Sequence[Lying]) -> tuple[int | None, ...]:
    """Give the index of each of these tiles; None for one that lies there no more."""
    found = find_faces(tiles, [one.quad for one in wanted])
    return tuple(
        index if index is not None and one.may_be(tiles[index]) else None
        for one, index in zip(wanted, found, strict=True)
    )


def find_faces(tiles: Sequence[TileReading], quads: Sequence[Quad]) -> tuple[int | None, ...]:
    """Give for each place the index of the face that lies there; None where none does."""
    poses = [(index, _pose(tile.quad)) for index, tile in enumerate(tiles) if tile.tile is not None]
    wanted = [_pose(quad) for quad in quads]
    return tuple(next((index for index, pose in poses if _near(place, pose)), None) for place in wanted)


def same_faces(one: TableReading, other: TableReading) -> bool:
    """Tell whether two readings show faces in the same places, whatever they are taken for."""
    here, there = ([_pose(tile.quad) for tile in reading.tiles if tile.tile is not None] for reading in (one, other))
    if len(here) != len(there):
        return False
    pairs = zip(here, there, strict=True)  # mostly they stand in the same order
    return all(_near(pose, same) or any(_near(pose, seen) for seen in there) for pose, same in pairs)


def _pose(quad: Quad) -> _Pose:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return (ax + bx + cx + dx) / 4, (ay + by + cy + dy) / 4, math.hypot(bx - ax, by - ay), math.atan2(by - ay, bx - ax)


def _near(one: _Pose, other: _Pose, widths: float = _SAME_PLACE, turn: float = _SAME_TURN) -> bool:
    near = math.hypot(other[0] - one[0], other[1] - one[1]) <= widths * one[2]
    return near and abs(math.remainder(other[3] - one[3], math.pi)) <= turn
