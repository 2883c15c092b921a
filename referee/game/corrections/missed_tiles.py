"""Single tiles that people see and the camera does not: where they lie, and how long they count.

A missed tile lies in its stated place while the tiles beside it stay. Once one of these has moved, the missed tile has
been found if more tiles of its name are seen than before; otherwise it is in doubt. When it was laid is unknown, so it
counts from the time the table came to rest as in the corrected look.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from referee.game.correction_types import TileMissed
from referee.game.corrections.links import Link
from referee.reading.inputs import Seconds
from referee.reading.observation import Layout, Point, Quad, TableReading, TileReading, TrackId
from referee.reading.tracks import TileIndex
from referee.rules.tiles import Tile

_TOUCHING_WIDTHS: Final = 1.05  # between the centres of two tiles in a row
_MAX_GAP_WIDTHS: Final = 1.6  # beyond the missed tile's place, within which its far neighbour lies
_MIN_ROOM_WIDTHS: Final = 1.5  # between centres: no tile fits into less
_MAX_OFF_LINE_HEIGHTS: Final = 0.4  # for a far neighbour
_EVEN_CHANCE: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenTile:
    """A tile that only people have seen, its place, and the places beside it.

    `others` counts the equal tiles seen besides, `since` is when it lay there, and `left` when it had left.
    """

    track: TrackId
    quad: Quad
    tile: Tile
    others: int
    since: Seconds
    beside: tuple[TrackId, ...] = ()
    left: Seconds | None = None

    @property
    def links(self) -> tuple[Link, ...]:
        """The links to the places beside it."""
        return tuple(Link(self.track, beside, together=True) for beside in self.beside)


def place_missed_tile(reading: TableReading, statement: TileMissed, since: Seconds, last: TrackId) -> UnseenTile | None:
    """Return a missed tile placed beside another; None if that lies in no row, or the place is taken."""
    row = reading.layouts[0].row_of(statement.beside)
    if not row:
        return None
    place = row.index(statement.beside) + (1 if statement.after else -1)
    step = _step(reading.tiles, row, after=statement.after)
    facing = row[place] if 0 <= place < len(row) else _across(reading.tiles, statement.beside, step)
    quad = reading.tiles[statement.beside].quad
    beside = (statement.beside,) if facing is None else (statement.beside, facing)
    if facing is not None:
        here, there = (reading.tiles[index].centre for index in beside)
        if math.dist(here, there) < _MIN_ROOM_WIDTHS * math.hypot(*step):
            return None
        step = ((there[0] - here[0]) / 2, (there[1] - here[1]) / 2)
    moved = _moved(quad, step)
    if _face_at(reading.tiles, moved) is not None:
        return None
    others, places = seen_of(reading.tiles, statement.tile), tuple(reading.tiles[index].place for index in beside)
    return UnseenTile(
        track=TrackId(last - 1), quad=moved, tile=statement.tile, others=others, since=since, beside=places
    )


def _face_at(tiles: Sequence[TileReading], quad: Quad) -> int | None:
    faces = [index for index, tile in enumerate(tiles) if tile.tile is not None]
    found = TileIndex([tiles[index] for index in faces]).find(quad)
    return None if found is None else faces[found]


def name_missed(
    missed: Sequence[UnseenTile], track: TrackId, tile: Tile | None, near: TrackId
) -> tuple[UnseenTile, ...]:
    """Return the missed tiles after a person renamed or removed one; a renamed one lies `near` another tile."""
    others = tuple(missed_tile for missed_tile in missed if missed_tile.track != track)
    named = (
        replace(missed_tile, tile=tile, beside=(near,))
        for missed_tile in missed
        if missed_tile.track == track and tile is not None
    )
    return (*others, *named)


def with_missed(
    tiles: tuple[TileReading, ...], layouts: tuple[Layout, ...], missed: Sequence[UnseenTile]
) -> tuple[tuple[TileReading, ...], tuple[Layout, ...]]:
    """Return tiles and layouts with the missed tiles appended, each loose for now."""
    for missed_tile in missed:
        found = _face_at(tiles, missed_tile.quad)
        is_in_place = {tile.place for tile in tiles if tile.tile is not None}.issuperset(missed_tile.beside)
        if is_in_place and found is not None:
            tiles = (*tiles[:found], _seen_there(tiles[found], missed_tile), *tiles[found + 1 :])
        elif is_in_place or seen_of(tiles, missed_tile.tile) <= missed_tile.others:
            tiles = (*tiles, put_in(missed_tile.track, missed_tile.quad, missed_tile.tile, sure=is_in_place))
            layouts = tuple(Layout.of((*layout.rows, (len(tiles) - 1,)), layout.score) for layout in layouts)
    return tiles, layouts


def _seen_there(tile: TileReading, missed: UnseenTile) -> TileReading:
    """Return the reading of a tile seen in a missed tile's place: that tile, or another one."""
    tile = replace(tile, track=missed.track, placement=missed.track, place=missed.track)
    if tile.names == {missed.tile}:
        return tile
    if missed.tile in tile.names:
        return replace(tile, tile=missed.tile, confidence=1.0, alternatives=(), unsure=False)
    return in_doubt(tile, missed.tile)


def in_doubt(tile: TileReading, other: Tile) -> TileReading:
    """Return the tile in doubt between its own name and another one."""
    rest = tuple(pair for pair in tile.alternatives if pair[0] != other)
    return replace(tile, unsure=True, confidence=_EVEN_CHANCE, alternatives=((other, _EVEN_CHANCE), *rest))


def put_in(track: TrackId, quad: Quad, tile: Tile, *, sure: bool) -> TileReading:
    """Return a reading for a tile that only people have seen."""
    confidence = 1.0 if sure else _EVEN_CHANCE
    return TileReading(
        quad=quad, tile=tile, confidence=confidence, unsure=not sure, track=track, placement=track, place=track
    )


def seen_of(tiles: Sequence[TileReading], tile: Tile) -> int:
    """Count the tiles surely read as this one."""
    return sum(seen.tile == tile and not seen.unsure for seen in tiles)


# Where it lies ----------------------------------------------------------------------------------------------------


def _step(tiles: Sequence[TileReading], row: Sequence[int], *, after: bool) -> Point:
    """Return the vector from the row's end tile to the next place, in pixels."""
    end = tiles[row[-1] if after else row[0]]
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = end.quad
    along = ((bx + cx - ax - dx) / 2, (by + cy - ay - dy) / 2)
    way = along if after else (-along[0], -along[1])
    if len(row) > 1:
        last = tiles[row[-2] if after else row[1]].centre
        way = (end.centre[0] - last[0], end.centre[1] - last[1])
    pitches = [math.dist(tiles[first].centre, tiles[other].centre) for first, other in pairwise(row)]
    pitch = min([_TOUCHING_WIDTHS * math.hypot(*along), *pitches])
    length = math.hypot(*way) or 1.0
    return (way[0] / length * pitch, way[1] / length * pitch)


def _across(tiles: Sequence[TileReading], index: int, step: Point) -> int | None:
    """Return the tile beyond a gap for one tile, since a row with a missed tile is read as two rows."""
    here, length = tiles[index].centre, math.hypot(*step)
    (ax, ay), _, _, (dx, dy) = tiles[index].quad
    height = math.hypot(dx - ax, dy - ay)
    found = []
    for other, tile in enumerate(tiles):
        x, y = tile.centre[0] - here[0], tile.centre[1] - here[1]
        along, across = (x * step[0] + y * step[1]) / length, abs(x * step[1] - y * step[0]) / length
        in_gap = _MIN_ROOM_WIDTHS * length < along < (1 + _MAX_GAP_WIDTHS) * length
        if other != index and tile.tile is not None and in_gap and across < _MAX_OFF_LINE_HEIGHTS * height:
            found.append((along, other))
    return min(found)[1] if found else None


def _moved(quad: Quad, step: Point) -> Quad:
    a, b, c, d = ((x + step[0], y + step[1]) for x, y in quad)
    return (a, b, c, d)


def nearest_face(tiles: Sequence[TileReading], index: int) -> TrackId:
    """Return the place of the face nearest to a tile, or its own where there is no other."""
    others = [tile for other, tile in enumerate(tiles) if other != index and tile.tile is not None]
    return min(others, key=lambda tile: math.dist(tile.centre, tiles[index].centre), default=tiles[index]).place
