"""Rows that have not moved are read as they were: which tiles lie in one set does not change while nothing moves.

Where a row could be one set or two pushed together, both are offered (see `rows`), and what is offered hangs on gaps
that are measured anew each time. A row in which no tile has moved keeps what was offered before; otherwise a table
that nobody touched could seem rearranged. A tile that shows the same face a finger's breadth beside where it lay has
not moved in this sense: it was slid, and nobody takes a set apart so.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum

from referee.reading.observation import Layout, TableReading, TileReading
from referee.reading.places import UNMOVED, Places
from referee.reading.rows import MOST_LAYOUTS

_SLID = 0.3  # tile widths, 8 mm

_Parts = frozenset[tuple[int, ...]]


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
    places = Places(before.tiles)
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
    best = sorted(scores, key=lambda parts: -scores[parts])[:MOST_LAYOUTS]
    whole = fsum(scores[parts] for parts in best)
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
