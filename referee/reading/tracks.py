"""Tiles followed from one look to the next: found where they lay, and rows in which none moved kept as they were.

Where a row could be one set or two pushed together, both are offered (see `rows`), and what is offered hangs on gaps
that are measured anew each time. A row in which no tile has moved keeps what was offered before; otherwise a table
that nobody touched could seem rearranged. A tile that shows the same face a finger's breadth beside where it lay has
not moved in this sense: it was slid, and nobody takes a set apart so.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from referee.reading.observation import Layout, TableReading, TileReading
from referee.reading.rows import MAX_LAYOUTS

SAME_PLACE = 0.25  # tile widths: jitter of a located tile is below 0.1, a neighbour is 1 away
UNMOVED = 0.1  # tile widths: a tile laid in another's place by hand is rarely put closer
_SAME_TURN = math.radians(15)
_SLID = 0.3  # tile widths, 8 mm

_Parts = frozenset[tuple[int, ...]]


class TileIndex:
    """Tiles by where they lie, in cells as large as a tile is wide."""

    def __init__(self, tiles: Sequence[TileReading]) -> None:
        self._poses = [_pose(tile) for tile in tiles]
        self._cell = max((width for _, _, width, _ in self._poses), default=1.0) or 1.0
        self._cells: dict[tuple[int, int], list[int]] = defaultdict(list)
        for index, (x, y, _, _) in enumerate(self._poses):
            self._cells[int(x // self._cell), int(y // self._cell)].append(index)

    def find(self, tile: TileReading, within: float = SAME_PLACE) -> int | None:
        """Which tile lies nearest to where this one lies (in tile widths), turned as it is (modulo half a turn)."""
        x, y, width, angle = _pose(tile)
        column, row = int(x // self._cell), int(y // self._cell)
        near = (self._cells.get((column + a, row + b), ()) for a in (-1, 0, 1) for b in (-1, 0, 1))
        nearest, closest = None, within * width
        for index in itertools.chain.from_iterable(near):
            there_x, there_y, _, there_angle = self._poses[index]
            apart = math.hypot(there_x - x, there_y - y)
            if apart <= closest and abs(math.remainder(there_angle - angle, math.pi)) <= _SAME_TURN:
                nearest, closest = index, apart
        return nearest


def _pose(tile: TileReading) -> tuple[float, float, float, float]:
    """Middle, width and angle."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = tile.quad
    return (ax + bx + cx + dx) / 4, (ay + by + cy + dy) / 4, math.hypot(bx - ax, by - ay), math.atan2(by - ay, bx - ax)


def keep_rows(before: TableReading, now: TableReading) -> TableReading:
    """Give the reading now, rows in which every tile lies as before divided into sets as before."""
    lies = {old: index for index, old in _unmoved(before, now).items() if old is not None}
    rows = _rows(now.layouts)
    kept: dict[int, int] = {}
    for old_row in _rows(before.layouts):
        row = {lies[old] for old in old_row if old in lies}
        if len(row) == len(old_row) and all(other <= row or row.isdisjoint(other) for other in rows):
            kept |= {old: lies[old] for old in old_row}
    if not kept:
        return now
    return replace(now, layouts=_mixed(before.layouts, now.layouts, kept, now.tiles))


def _unmoved(before: TableReading, now: TableReading) -> dict[int, int | None]:
    """Which tile of the look before lies in the place of each tile now, none where that is not certain."""
    places = TileIndex(before.tiles)
    found: dict[int, int | None] = {}
    for index, tile in enumerate(now.tiles):
        slid = places.find(tile, _SLID)
        same = slid is not None and not tile.unsure and tile.tile == before.tiles[slid].tile
        found[index] = slid if same else places.find(tile, UNMOVED)
    claims = Counter(found.values())
    return {index: old if claims[old] == 1 else None for index, old in found.items()}


def _rows(layouts: Sequence[Layout]) -> list[set[int]]:
    """Tiles that lie in one set in any of the layouts, taken together."""
    rows: list[set[int]] = []
    for pieces in {tiles for layout in layouts for tiles in _pieces(layout)}:
        meeting = [row for row in rows if not row.isdisjoint(pieces)]
        rows = [row for row in rows if row not in meeting]
        rows.append(set(pieces).union(*meeting))
    return rows


def _pieces(layout: Layout) -> Iterator[tuple[int, ...]]:
    yield from layout.sets
    yield from ((index,) for index in layout.loose)


def _mixed(
    before: Sequence[Layout], now: Sequence[Layout], kept: Mapping[int, int], tiles: Sequence[TileReading]
) -> tuple[Layout, ...]:
    """Every way to divide what moved, times every way in which what lies still was divided before."""
    still = set(kept.values())
    fresh = _shares(now, lambda piece: None if piece[0] in still else piece)
    old = _shares(before, lambda piece: tuple(kept[index] for index in piece) if piece[0] in kept else None)
    scores: dict[_Parts, float] = {}
    for moved, chance in fresh.items():
        for same, habit in old.items():
            scores[moved | same] = scores.get(moved | same, 0.0) + chance * habit
    best = sorted(scores, key=lambda parts: -scores[parts])[:MAX_LAYOUTS]
    whole = math.fsum(scores[parts] for parts in best)
    return tuple(_layout(parts, tiles, scores[parts] / whole) for parts in best)


def _shares(
    layouts: Sequence[Layout], part: Callable[[tuple[int, ...]], tuple[int, ...] | None]
) -> dict[_Parts, float]:
    """The ways in which some of the tiles are divided, and how likely each is."""
    shares: dict[_Parts, float] = {}
    for layout in layouts:
        parts = frozenset(piece for tiles in _pieces(layout) if (piece := part(tiles)) is not None)
        shares[parts] = shares.get(parts, 0.0) + layout.score
    return shares


def _layout(parts: _Parts, tiles: Sequence[TileReading], score: float) -> Layout:
    sets = sorted((piece for piece in parts if len(piece) > 1), key=lambda piece: (tiles[piece[0]].centre[::-1], piece))
    return Layout(tuple(sets), tuple(sorted(piece[0] for piece in parts if len(piece) == 1)), score)
