"""Tile tracking from look to look, and rows kept while none of their tiles moves.

A track is one tile. A tile found where one lay is the same tile if it may have the same name, or if nothing has moved
since: then it is only read differently. After motion, a different name means a different tile: the nearest tile surely
of that name that has left its place since the last look, or else a new track.

A place holds one tile after another. Rows consist of places, because exchanging a joker where it lies changes no row;
corrections belong to places, because a tile exchanged for one from a rack looks just like a misread tile. If the tile
that lay in a place is now seen elsewhere, or its new tile lay elsewhere, the row has moved and the place is new. A tile
that returns to its place gets its track and its place back. Tiles lie more than half a width apart and are searched for
within less, so the nearest match is the optimal assignment.

Where a row could be one set or two that touch, `rows` offers both, depending on gaps measured anew in each look. A row
in which no tile has moved keeps the layouts offered before; otherwise an untouched table could seem rearranged. A tile
that a finger slid has not moved in this sense: it still lies in its place.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from referee.reading.observation import UNTRACKED, Layout, Quad, TableReading, TileReading, TrackId
from referee.reading.row_segmentation import MAX_DIVISIONS
from referee.rules.tiles import Joker

SAME_PLACE_WIDTHS = 0.3  # 8 mm, as far as a finger slides a tile; jitter is below 0.1, a neighbour is 1 away
UNMOVED_WIDTHS = 0.1  # a hand rarely lays a tile closer than this to where another lay
_MAX_TURN = math.radians(15)
_MAX_UNTOUCHED_TURN = math.radians(4)
_MAX_DEPARTED = 300  # tracks that may return


class TileIndex:
    """A spatial index of tiles: a grid of cells one tile wide."""

    def __init__(self, tiles: Sequence[TileReading]) -> None:
        self._poses = [_pose(tile.quad) for tile in tiles]
        self._cell = max((width for _, _, width, _ in self._poses), default=1.0) or 1.0
        self._cells: dict[tuple[int, int], list[int]] = defaultdict(list)
        for index, (x, y, _, _) in enumerate(self._poses):
            self._cells[int(x // self._cell), int(y // self._cell)].append(index)

    def find(self, quad: Quad, max_widths: float = SAME_PLACE_WIDTHS, turn: float = _MAX_TURN) -> int | None:
        """Return the index of the tile nearest to a quad, within limits of distance (widths) and turn, or None."""
        x, y, width, angle = _pose(quad)
        column, row = int(x // self._cell), int(y // self._cell)
        near = (self._cells.get((column + a, row + b), ()) for a in (-1, 0, 1) for b in (-1, 0, 1))
        nearest, closest = None, max_widths * width
        for index in itertools.chain.from_iterable(near):
            there_x, there_y, _, there_angle = self._poses[index]
            apart = math.hypot(there_x - x, there_y - y)
            if apart <= closest and abs(math.remainder(there_angle - angle, math.pi)) <= turn:
                nearest, closest = index, apart
        return nearest


def _pose(quad: Quad) -> tuple[float, float, float, float]:
    """Return the centre (x, y), width and angle of a quad, in pixels and radians."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return (ax + bx + cx + dx) / 4, (ay + by + cy + dy) / 4, math.hypot(bx - ax, by - ay), math.atan2(by - ay, bx - ax)


def match_by_place(
    tiles: Sequence[TileReading], others: Sequence[TileReading], max_widths: float = SAME_PLACE_WIDTHS
) -> Iterator[tuple[TileReading, TileReading | None]]:
    """Yield each tile with the one of the others in its place, or None."""
    places = TileIndex(others)
    for tile in tiles:
        place = places.find(tile.quad, max_widths)
        yield tile, None if place is None else others[place]


def is_untouched(tile: TileReading, quad: Quad) -> bool:
    """Return whether a tile lies so exactly in a place that nobody can have touched it since."""
    return TileIndex((tile,)).find(quad, UNMOVED_WIDTHS, _MAX_UNTOUCHED_TURN) is not None


@dataclass(frozen=True, slots=True)
class Tracks:
    """The tiles as last seen, the tiles that have left their places (as they lay there), and the next id."""

    lying: tuple[TileReading, ...] = ()
    departed: tuple[TileReading, ...] = ()
    count: int = 0


NO_TRACKS: Final = Tracks()


def update_tracks(tracks: Tracks, reading: TableReading, *, moved: bool = True) -> tuple[Tracks, TableReading]:
    """Return the tracks after one more look, and the look with `track`, `placement` and `place` set for each tile.

    `moved` says that something has moved since the previous look.
    """
    here = _in_place(tracks.lying, reading.tiles)
    for index in _seen_elsewhere(tracks.lying, reading.tiles, here):
        del here[index]
    gone = {tile.placement: tile for tile in tracks.departed}
    newest = {tile.track: tile.placement for tile in (*tracks.departed, *tracks.lying)}
    count, tiles = tracks.count, []
    for index, tile in enumerate(reading.tiles):
        old = tracks.lying[here[index]] if index in here else _returned(gone, tile)
        if old is not None and (old.names & tile.names or not moved):
            track = old.track if newest[old.track] == old.placement else UNTRACKED
            tiles.append(replace(tile, track=track, placement=old.placement, place=old.place))
        else:
            fresh = TrackId(count)
            place = fresh if old is None else old.place
            tiles.append(replace(tile, track=UNTRACKED, placement=fresh, place=place))
            count += 1
    moved_from = _moved(tracks.lying, tiles)
    for index, tile in enumerate(tiles):
        if tile.track == UNTRACKED:
            tiles[index] = replace(tile, track=moved_from.get(index, TrackId(count)))
            count += index not in moved_from
    lying = {tile.placement for tile in tiles}
    gone |= {tile.placement: tile for tile in tracks.lying if tile.placement not in lying}
    return Tracks(tuple(tiles), (*gone.values(),)[-_MAX_DEPARTED:], count), replace(reading, tiles=tuple(tiles))


def _returned(gone: dict[TrackId, TileReading], tile: TileReading) -> TileReading | None:
    """Remove and return the departed tile that has returned to its place as `tile`, if any."""
    alike = [old for old in gone.values() if old.names & tile.names]
    place = TileIndex(alike).find(tile.quad)
    return None if place is None else gone.pop(alike[place].placement)


def _moved(known: Sequence[TileReading], tiles: Sequence[TileReading]) -> dict[int, TrackId]:
    """Return, by index, the tracks of tiles that now lie elsewhere: surely of the same name, nearest first."""
    stayed = {tile.track for tile in tiles}
    pairs = sorted(
        (math.dist(old.centre, tile.centre), index, old.track)
        for old in known
        for index, tile in enumerate(tiles)
        if old.tile == tile.tile is not None and not (old.unsure or tile.unsure)
        if tile.track == UNTRACKED and old.track not in stayed
    )
    found: dict[int, TrackId] = {}
    for _, index, track in pairs:
        if index not in found and track not in found.values():
            found[index] = track
    return found


def _in_place(known: Sequence[TileReading], tiles: Sequence[TileReading]) -> dict[int, int]:
    """Return, by index, the known tile in the place of each tile, none of them twice."""
    places = TileIndex(known)
    lying = {place: index for index, tile in enumerate(tiles) if (place := places.find(tile.quad)) is not None}
    return {index: place for place, index in lying.items()}


def _seen_elsewhere(known: Sequence[TileReading], tiles: Sequence[TileReading], here: Mapping[int, int]) -> list[int]:
    """Return the indices of tiles in a place whose tile is now elsewhere, or that themselves lay elsewhere."""
    same = {index for index, old in here.items() if known[old].names & tiles[index].names}
    new = Counter(tile.tile for index, tile in enumerate(tiles) if index not in same and not tile.unsure)
    new -= Counter(known[old].tile for old in {*range(len(known))}.difference(here.values()))
    left = {tile.tile for old, tile in enumerate(known) if old not in {here[index] for index in same}}
    moved = []
    for index in sorted({*here} - same):
        old = known[here[index]].tile
        came = tiles[index].tile in left and tiles[index].tile is not None and not tiles[index].unsure
        if (came or new[old] > 0) and not isinstance(old, Joker | None):
            new[old] -= 1
            moved.append(index)
    return moved


def same_faces(one: TableReading, other: TableReading) -> bool:
    """Return whether two looks show faces in the same places, whatever their names."""
    here, there = ({tile.placement for tile in reading.tiles if tile.tile is not None} for reading in (one, other))
    return here == there


def keep_rows(before: TableReading, now: TableReading) -> TableReading:
    """Return the reading with untouched rows divided into sets as before."""
    index_in_place = {old: index for index, old in _in_place(before.tiles, now.tiles).items()}
    rows = _rows(now.layouts)
    kept: dict[int, int] = {}
    for old_row in _rows(before.layouts):
        row = {index_in_place[old] for old in old_row if old in index_in_place}
        if len(row) == len(old_row) and all(other <= row or row.isdisjoint(other) for other in rows):
            kept |= {old: index_in_place[old] for old in old_row}
    if not kept:
        return now
    return replace(now, layouts=_combined_layouts(before.layouts, now.layouts, kept, now.tiles))


def _rows(layouts: Sequence[Layout]) -> list[set[int]]:
    """Return the rows of all layouts, merged where they share tiles."""
    rows: list[set[int]] = []
    for pieces in {tiles for layout in layouts for tiles in layout.rows}:
        meeting = [row for row in rows if not row.isdisjoint(pieces)]
        rows = [row for row in rows if row not in meeting]
        rows.append(set(pieces).union(*meeting))
    return rows


def _combined_layouts(
    before: Sequence[Layout], now: Sequence[Layout], kept: Mapping[int, int], tiles: Sequence[TileReading]
) -> tuple[Layout, ...]:
    """Return every layout of what moved combined with every earlier layout of what lies still."""
    still = set(kept.values())
    fresh = [(frozenset(row for row in layout.rows if row[0] not in still), layout.score) for layout in now]
    old = [
        (frozenset(tuple(kept[index] for index in row) for row in layout.rows if row[0] in kept), layout.score)
        for layout in before
    ]
    scores: dict[frozenset[tuple[int, ...]], float] = defaultdict(float)
    for (moved, chance), (same, habit) in itertools.product(fresh, old):
        scores[moved | same] += chance * habit
    best = sorted(scores, key=lambda parts: -scores[parts])[:MAX_DIVISIONS]
    whole = math.fsum(scores[parts] for parts in best)
    return tuple(
        Layout.of(sorted(parts, key=lambda piece: (tiles[piece[0]].centre[::-1], piece)), scores[parts] / whole)
        for parts in best
    )
