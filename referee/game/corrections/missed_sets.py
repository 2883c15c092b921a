"""Sets of which the camera sees no tile: drawn beyond the picture's edge, and counted while plausible.

A missed set counts until more of each of its tiles are seen than when it was stated: then it has been found. While more
of one tile are seen, that tile is in doubt until a person says whether it came from the set or from a rack. A tile
stated to have left is in doubt again once it is not seen elsewhere. Where a tile has left, another may have taken its
place, so the rest is in doubt until stated again.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from referee.game.corrections.missed_tiles import UnseenTile, put_in, seen_of
from referee.reading.inputs import Seconds
from referee.reading.observation import Layout, Quad, TableReading, TileReading, TrackId
from referee.rules.tiles import Tile

_PITCH_WIDTHS: Final = 1.05  # from tile to tile
_STEP_HEIGHTS: Final = 1.5  # between missed sets, and to the picture's edge
_DEFAULT_SIZE_PX: Final = (60.0, 80.0)  # of a tile, if none is seen


@dataclass(frozen=True, slots=True)
class MissedSet:
    """A set that was not detected, and the time since which it has been there."""

    tiles: tuple[UnseenTile, ...]
    since: Seconds

    def at(self, at: Seconds) -> "MissedSet":
        """Return the set for a look at that time."""
        there = (replace(one, left=None) if one.left is not None and one.left > at else one for one in self.tiles)
        return replace(self, tiles=tuple(there))


def place_missed_set(
    reading: TableReading, tiles: Sequence[Tile], since: Seconds, earlier: int, last: TrackId
) -> MissedSet | None:
    """Return the missed set of these tiles, placed beyond `earlier` ones; None without tiles."""
    places = zip(tiles, _places(reading, len(tiles), earlier), strict=True)
    unseen = tuple(
        UnseenTile(track=TrackId(last - place), quad=quad, tile=tile, others=seen_of(reading.tiles, tile), since=since)
        for place, (tile, quad) in enumerate(places, start=1)
    )
    return MissedSet(unseen, since) if unseen else None


def name_in_sets(
    missed: Sequence[MissedSet], reading: TableReading, index: int, tile: Tile | None, since: Seconds
) -> tuple[MissedSet, ...]:
    """Return the missed sets after a person named one of their tiles, or stated that it is not there.

    A doubtful tile then left the set by `since`; any other never lay there.
    """
    named = reading.tiles[index]

    def anew(unseen: UnseenTile, besides: Sequence[TileReading]) -> tuple[UnseenTile, ...]:
        if unseen.track != named.track:
            return (unseen,)
        if tile is None:
            return (replace(unseen, left=since),) if named.unsure else ()
        return (replace(unseen, tile=tile, others=seen_of(besides, tile), since=since, left=None),)

    return tuple(
        replace(
            missed_set,
            tiles=tuple(
                chain.from_iterable(anew(tile, _besides(reading.tiles, missed_set)) for tile in missed_set.tiles)
            ),
        )
        for missed_set in missed
    )


def _besides(tiles: Sequence[TileReading], missed: MissedSet) -> list[TileReading]:
    own = {tile.track for tile in missed.tiles}
    return [seen for seen in tiles if seen.track not in own]


def with_missed_sets(
    tiles: tuple[TileReading, ...], layouts: tuple[Layout, ...], missed: Sequence[MissedSet]
) -> tuple[tuple[TileReading, ...], tuple[Layout, ...]]:
    """Return tiles and layouts with the missed sets appended."""
    for missed_set in missed:
        besides = _turned_up(tiles, missed_set)
        lying = Counter(unseen.tile for unseen in missed_set.tiles)
        if all(besides[tile] >= count for tile, count in lying.items()):
            continue
        there = _there(missed_set, besides)
        row = tuple(range(len(tiles), len(tiles) + len(there)))
        tiles = (*tiles, *there)
        layouts = tuple(Layout.of((*layout.rows, row), layout.score) for layout in layouts)
    return tiles, layouts


def _there(missed: MissedSet, besides: Counter[Tile]) -> tuple[TileReading, ...]:
    """Return the tiles of a missed set that lie there, doubtful ones as unsure."""
    opened = max((one.left for one in missed.tiles if one.left is not None), default=missed.since)
    return tuple(
        put_in(one.track, one.quad, one.tile, sure=one.left is None and not besides[one.tile] and one.since >= opened)
        for one in missed.tiles
        if one.left is None or not besides[one.tile]
    )


def _turned_up(tiles: Sequence[TileReading], missed: MissedSet) -> Counter[Tile]:
    """Count how many more of each tile are seen than when the set was stated."""
    before = {one.tile: one.others for one in missed.tiles}
    return Counter({tile: max(0, seen_of(tiles, tile) - others) for tile, others in before.items()})


def _places(reading: TableReading, count: int, earlier: int) -> tuple[Quad, ...]:
    """Return places above the picture, where no visible tile can lie."""
    width, height = _tile_size(reading)
    y = -_STEP_HEIGHTS * height * (earlier + 1)
    return tuple(_upright(_PITCH_WIDTHS * width * place, y, width, height) for place in range(count))


def _tile_size(reading: TableReading) -> tuple[float, float]:
    """Return the width and height of a medium tile among those seen, in pixels."""
    sizes = [(math.dist(tile.quad[0], tile.quad[1]), math.dist(tile.quad[0], tile.quad[3])) for tile in reading.tiles]
    return sorted(sizes)[len(sizes) // 2] if sizes else _DEFAULT_SIZE_PX


def _upright(x: float, y: float, width: float, height: float) -> Quad:
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
