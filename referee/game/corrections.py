"""What people said of tiles: kept by place, so that no later look takes it back while the tile lies there.

A correction holds for whatever lies in its place as long as the reader says of it what it said before, or is unsure.
A reader that is sure of something else in that place has seen another tile or erred anew; nobody can tell, so the tile
is in doubt between the two. Once nothing lies in that place the tile has moved, and the reader may well misread it
again where it lies now: what has come to the table since under the name it was misread as is in doubt too. So a
correction never makes a player answer for the reader's mistake.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from referee.reading.observation import Quad, TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.tiles import Tile

_SAME_PLACE: Final = 0.25  # tile widths, as settling has it: located tiles jitter by less than 0.1
_SAME_TURN: Final = math.radians(15)
_PLAUSIBLE: Final = 0.02
_EVEN: Final = 0.5


@dataclass(frozen=True, slots=True)
class Correction:
    """What lies in a place as a person said it, and every name the reader has given it there."""

    quad: Quad
    tile: Tile | None
    read: tuple[Tile | None, ...]


def same_place(one: Quad, other: Quad) -> bool:
    """Tell whether two tiles lie in one place, whichever way round each was read."""
    return _near(_pose(one), _pose(other))


def _pose(quad: Quad) -> tuple[float, float, float, float]:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return (ax + bx + cx + dx) / 4, (ay + by + cy + dy) / 4, math.hypot(bx - ax, by - ay), math.atan2(by - ay, bx - ax)


def _near(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    near = math.hypot(other[0] - one[0], other[1] - one[1]) <= _SAME_PLACE * one[2]
    return near and abs(math.remainder(other[3] - one[3], math.pi)) <= _SAME_TURN


def same_faces(one: TableReading, other: TableReading) -> bool:
    """Tell whether two readings show faces in the same places, whatever they are taken for."""
    here, there = ([_pose(tile.quad) for tile in _faces(reading)] for reading in (one, other))
    if len(here) != len(there):
        return False
    pairs = zip(here, there, strict=True)  # mostly they stand in the same order
    return all(_near(pose, same) or any(_near(pose, seen) for seen in there) for pose, same in pairs)


def _faces(reading: TableReading) -> list[TileReading]:
    return [tile for tile in reading.tiles if tile.tile is not None]


def add_correction(
    corrections: Sequence[Correction], read: TableReading, index: int, tile: Tile | None
) -> tuple[Correction, ...]:
    """Give the corrections with one more of what was read; an earlier one there, or of this tile, is done with."""
    said = read.tiles[index]
    names = (said.tile, *(name for name, chance in said.alternatives if said.unsure and chance >= _PLAUSIBLE))
    done = [old for old in corrections if same_place(old.quad, said.quad)]
    done += [
        old for old in corrections if old.tile == tile and not _names(said).isdisjoint(old.read) and _lost(old, read)
    ]
    others = tuple(old for old in corrections if old not in done)
    ever = dict.fromkeys((*(name for old in done for name in old.read), *names))
    return (*others, Correction(said.quad, tile, tuple(ever)))


def _lost(correction: Correction, read: TableReading) -> bool:
    return not any(same_place(correction.quad, tile.quad) and _fits(tile, correction) for tile in read.tiles)


def correct(
    reading: TableReading, corrections: Sequence[Correction], known: TableReading | None = None
) -> TableReading:
    """Give what was read as people have said it is; what lay on the table `known` so is not doubted anew."""
    return _by(reading, corrections, _held(reading, corrections), known)


def correct_earlier(reading: TableReading, corrections: Sequence[Correction], now: TableReading | None) -> TableReading:
    """Give an earlier reading as it must have been, by what was said since and by what lies there `now`."""
    held = _held(reading, corrections)
    same = [c if c and _fits(tile, c) else None for tile, c in zip(reading.tiles, held, strict=True)]
    return _by(reading, corrections, same, now)


def _held(reading: TableReading, corrections: Sequence[Correction]) -> list[Correction | None]:
    """The correction for the place of each tile."""
    return [next((c for c in corrections if same_place(c.quad, tile.quad)), None) for tile in reading.tiles]


def _by(
    reading: TableReading,
    corrections: Sequence[Correction],
    held: Sequence[Correction | None],
    known: TableReading | None,
) -> TableReading:
    found = [c for tile, c in zip(reading.tiles, held, strict=True) if c is not None and _fits(tile, c)]
    astray = [correction for correction in corrections if correction not in found]
    tiles = tuple(
        _said(tile, correction) if correction is not None else _doubted(tile, astray, known)
        for tile, correction in zip(reading.tiles, held, strict=True)
    )
    if tiles == reading.tiles:
        return reading
    turned = any((old.tile is None) != (new.tile is None) for old, new in zip(reading.tiles, tiles, strict=True))
    return replace(reading, tiles=tiles, layouts=lay_out_tiles(tiles) if turned else reading.layouts)


def _fits(tile: TileReading, correction: Correction) -> bool:
    """Tell whether the reader may have meant the tile that was corrected."""
    return not _names(tile).isdisjoint({correction.tile, *correction.read})


def _names(tile: TileReading) -> set[Tile | None]:
    return {tile.tile, *(name for name, _ in tile.alternatives if tile.unsure)}


def _said(tile: TileReading, correction: Correction) -> TileReading:
    if _fits(tile, correction):
        return replace(tile, tile=correction.tile, confidence=1.0, alternatives=(), unsure=False)
    return tile if correction.tile is None else _in_doubt(tile, correction.tile)


def _doubted(tile: TileReading, astray: Sequence[Correction], known: TableReading | None) -> TileReading:
    other = next((c.tile for c in astray if tile.tile in c.read and c.tile != tile.tile), None)
    if tile.tile is None or other is None or (known is not None and _knew(known, tile)):
        return tile
    return _in_doubt(tile, other)


def _in_doubt(tile: TileReading, other: Tile) -> TileReading:
    rest = tuple(pair for pair in tile.alternatives if pair[0] != other)
    return replace(tile, unsure=True, confidence=_EVEN, alternatives=((other, _EVEN), *rest))


def _knew(known: TableReading, tile: TileReading) -> bool:
    return any(old.tile == tile.tile and not old.unsure and same_place(old.quad, tile.quad) for old in known.tiles)
