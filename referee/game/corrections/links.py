"""Links between neighbours: people stated that two places lie in one set, or in two.

A link holds while tiles lie in both places; exchanging a joker in its place changes no row. Once either tile has moved,
the rows are as read again.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from referee.reading.observation import LaidRow, Layout, Point, TableReading, TileReading, TrackId

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Link:
    """Two neighbouring places stated to lie in one set (`together`) or in two."""

    one: TrackId
    other: TrackId
    together: bool

    @property
    def places(self) -> frozenset[TrackId]:
        """Both places."""
        return frozenset((self.one, self.other))


def link_rows(reading: TableReading, one: int, other: int) -> tuple[Link, ...]:
    """Return the links that join two rows, or confirm one row; none if either tile lies in no row."""
    here, there = (reading.layouts[0].row_of(index) for index in (one, other))
    if not here or not there:
        return ()
    pairs = [*pairwise(here)]
    if here != there:
        pairs += [*pairwise(there), _nearest_ends(reading.tiles, here, there)]
    return tuple(_link(reading.tiles, pair, together=True) for pair in pairs)


def split_row(reading: TableReading, after: int) -> tuple[Link, ...]:
    """Return the links that split a row after a tile; none if the row ends there."""
    row = reading.layouts[0].row_of(after)
    if after not in row[:-1]:
        return ()
    return tuple(_link(reading.tiles, pair, together=pair[0] != after) for pair in pairwise(row))


def add_links(links: Sequence[Link], new: Sequence[Link]) -> tuple[Link, ...]:
    """Return the links with new ones; a new link replaces the old one between the same places."""
    anew = {link.places for link in new}
    return (*(old for old in links if old.places not in anew), *new)


def apply_links(layouts: Sequence[Layout], tiles: Sequence[TileReading], links: Sequence[Link]) -> tuple[Layout, ...]:
    """Return the layouts with their rows split and joined by links; merge equal ones and add their scores."""
    held = _held(tiles, links)
    if not held:
        return tuple(layouts)
    scores: dict[tuple[LaidRow, ...], float] = {}
    for layout in layouts:
        rows = layout.rows
        for pair, together in sorted(held, key=lambda link: link[1]):  # split first, or a cut would undo a join
            rows = _joined(rows, tiles, pair) if together else _parted(rows, pair)
        scores[rows] = scores.get(rows, 0.0) + layout.score
    ranked = sorted(scores.items(), key=lambda item: -item[1])
    return tuple(Layout.of(rows, score) for rows, score in ranked)


def linked_rows(reading: TableReading, links: Sequence[Link]) -> tuple[LaidRow, ...]:
    """Return the rows of the likeliest layout whose neighbours are all linked."""
    together = {frozenset(pair) for pair, together in _held(reading.tiles, links) if together}
    rows = reading.layouts[0].sets if together else ()
    return tuple(row for row in rows if all(frozenset(pair) in together for pair in pairwise(row)))


def _held(tiles: Sequence[TileReading], links: Sequence[Link]) -> list[tuple[Pair, bool]]:
    """Return the links that still hold, by the tiles that lie there now."""
    lying = {tile.place: index for index, tile in enumerate(tiles) if tile.tile is not None}
    return [((lying[link.one], lying[link.other]), link.together) for link in links if link.places <= lying.keys()]


def _link(tiles: Sequence[TileReading], pair: Pair, *, together: bool) -> Link:
    return Link(tiles[pair[0]].place, tiles[pair[1]].place, together)


def _nearest_ends(tiles: Sequence[TileReading], here: LaidRow, there: LaidRow) -> Pair:
    ends = product((here[0], here[-1]), (there[0], there[-1]))
    return min(ends, key=lambda pair: math.dist(tiles[pair[0]].centre, tiles[pair[1]].centre))


def _parted(rows: tuple[LaidRow, ...], pair: Pair) -> tuple[LaidRow, ...]:
    """Cut the row in which the two are neighbours."""
    made: list[LaidRow] = []
    for row in rows:
        cut = next((place for place, beside in enumerate(pairwise(row), start=1) if set(beside) == set(pair)), 0)
        made += [row[:cut], row[cut:]] if cut else [row]
    return tuple(made)


def _joined(rows: tuple[LaidRow, ...], tiles: Sequence[TileReading], pair: Pair) -> tuple[LaidRow, ...]:
    here, there = (next((row for row in rows if index in row), ()) for index in pair)
    if not here or not there or here == there:
        return rows
    (x, y), (to_x, to_y) = _way(tiles, here, there)

    def along(index: int) -> float:
        across, down = tiles[index].centre
        return across * (to_x - x) + down * (to_y - y)

    seam = tuple(sorted((*here, *there), key=along))
    return tuple(seam if row == here else row for row in rows if row != there)


def _way(tiles: Sequence[TileReading], here: LaidRow, there: LaidRow) -> tuple[Point, Point]:
    """Return start and end of a joined row's reading direction: that of its first part with two tiles or more."""
    row = next((row for row in (here, there) if len(row) > 1), (*there, *here))
    return tiles[row[0]].centre, tiles[row[-1]].centre
