"""Sets of which the camera sees no tile: what people say lies there, and for how long that is to be believed.

Nothing of such a set is seen, so nothing shows where it lies or that it has moved. It is drawn beyond the edge of the
picture, and it is believed as long as no more tiles of its names are seen than when it was spoken of. Once all of them
are seen besides, it has turned up. One that is seen besides may have come from it or from a rack: nobody can tell, so
that tile is in doubt in the set until a person says whether it still lies there. One that was said to have left it is
in doubt again when it is seen elsewhere no more: it may have gone back. And where one has left, nobody but the players
knows whether another one was laid in its place: so the rest is in doubt until it was spoken of since.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from referee.game.corrections.tile_matching import same_place
from referee.game.inputs import Seconds
from referee.reading.observation import Layout, Quad, TableReading, TileReading
from referee.rules.tiles import Tile

_PITCH: Final = 1.05  # tile widths
_STEP: Final = 1.5  # tile heights from one missed set to the next, and to the edge of the picture
_SIZE: Final = (60.0, 80.0)  # of a tile in pixels, where none is seen
_EVEN: Final = 0.5


@dataclass(frozen=True, slots=True)
class MissedSet:
    """A set that was not seen: its tiles (None: there never was one), their places, and since when it lies there.

    `others` says of each tile how many like it were seen besides, `said` in which look it was spoken of, and `left`
    since when it lies elsewhere.
    """

    tiles: tuple[Tile | None, ...]
    quads: tuple[Quad, ...]
    since: Seconds
    others: tuple[int, ...]
    said: tuple[Seconds, ...]
    left: tuple[Seconds | None, ...]

    def at(self, at: Seconds) -> "MissedSet":
        """Give the set for a look at that time."""
        return replace(self, left=tuple(None if left is None or left > at else left for left in self.left))

    @property
    def lying(self) -> tuple[tuple[Quad, Tile], ...]:
        """Its tiles in their places."""
        pairs = zip(self.quads, self.tiles, strict=True)
        return tuple((quad, tile) for quad, tile in pairs if tile is not None)


def miss_set(
    reading: TableReading, tiles: Sequence[Tile], since: Seconds, missed: Sequence[MissedSet]
) -> MissedSet | None:
    """Give the set that these tiles are, behind those missed before; None where there are no tiles."""
    if not tiles:
        return None
    quads = _places(reading, len(tiles), len(missed))
    others = tuple(_seen(reading.tiles, tile) for tile in tiles)
    return MissedSet(tuple(tiles), quads, since, others, tuple(since for _ in tiles), tuple(None for _ in tiles))


def name_in_sets(
    missed: Sequence[MissedSet], reading: TableReading, index: int, tile: Tile | None, since: Seconds
) -> tuple[MissedSet, ...]:
    """Say of one tile of a missed set that it is this one, and lies there whatever is seen besides; or is none there.

    One that was in doubt has left the set by `since`; of another one it was wrong that it lay there.
    """
    return tuple(_named(one, reading, index, tile, since) for one in missed)


def _named(missed: MissedSet, reading: TableReading, index: int, tile: Tile | None, since: Seconds) -> MissedSet:
    named = reading.tiles[index]
    place = next((place for place, quad in enumerate(missed.quads) if same_place(quad, named.quad)), None)
    if place is None:
        return missed
    left = list(missed.left)
    if tile is None and named.unsure:
        left[place] = since
        return replace(missed, left=tuple(left))
    besides = [seen for seen in reading.tiles if not any(same_place(seen.quad, quad) for quad in missed.quads)]
    tiles, others, said = list(missed.tiles), list(missed.others), list(missed.said)
    tiles[place], others[place], left[place] = tile, 0 if tile is None else _seen(besides, tile), None
    said[place] = since
    return replace(missed, tiles=tuple(tiles), others=tuple(others), said=tuple(said), left=tuple(left))


def with_missed_sets(
    tiles: tuple[TileReading, ...], layouts: tuple[Layout, ...], missed: Sequence[MissedSet]
) -> tuple[tuple[TileReading, ...], tuple[Layout, ...]]:
    """Give tiles and layouts with the missed sets put in, behind the tiles that were seen."""
    for one in missed:
        besides = _turned_up(tiles, one)
        if all(besides[tile] >= count for tile, count in Counter(tile for _, tile in one.lying).items()):
            continue
        there = _there(one, besides)
        row = tuple(range(len(tiles), len(tiles) + len(there)))
        tiles = (*tiles, *there)
        layouts = tuple(_with_row(layout, row) for layout in layouts)
    return tiles, layouts


def _there(missed: MissedSet, besides: Counter[Tile]) -> tuple[TileReading, ...]:
    """Give the tiles that lie there, in doubt where nobody can tell."""
    opened = max((left for left in missed.left if left is not None), default=missed.since)
    there = []
    for quad, tile, said, left in zip(missed.quads, missed.tiles, missed.said, missed.left, strict=True):
        if tile is not None and not (left is not None and besides[tile]):
            sure = left is None and not besides[tile] and said >= opened
            there.append(_put_in(quad, tile, sure=sure))
    return tuple(there)


def _turned_up(tiles: Sequence[TileReading], missed: MissedSet) -> Counter[Tile]:
    """Count of each tile how many more are seen than when the set was spoken of."""
    before = {tile: others for tile, others in zip(missed.tiles, missed.others, strict=True) if tile is not None}
    return Counter({tile: max(0, _seen(tiles, tile) - others) for tile, others in before.items()})


def _put_in(quad: Quad, tile: Tile, *, sure: bool) -> TileReading:
    return TileReading(quad=quad, tile=tile, confidence=1.0 if sure else _EVEN, unsure=not sure)


def _with_row(layout: Layout, row: tuple[int, ...]) -> Layout:
    if len(row) > 1:
        return replace(layout, sets=(*layout.sets, row))
    return replace(layout, loose=(*layout.loose, *row))


def _seen(tiles: Sequence[TileReading], tile: Tile) -> int:
    return sum(seen.tile == tile and not seen.unsure for seen in tiles)


def _places(reading: TableReading, count: int, earlier: int) -> tuple[Quad, ...]:
    """Give places above the picture, where no tile can lie that is seen."""
    width, height = _tile_size(reading)
    y = -_STEP * height * (earlier + 1)
    return tuple(_upright(_PITCH * width * place, y, width, height) for place in range(count))


def _tile_size(reading: TableReading) -> tuple[float, float]:
    """Give the size of a middling tile of those that are seen."""
    sizes = [(math.dist(tile.quad[0], tile.quad[1]), math.dist(tile.quad[0], tile.quad[3])) for tile in reading.tiles]
    return sorted(sizes)[len(sizes) // 2] if sizes else _SIZE


def _upright(x: float, y: float, width: float, height: float) -> Quad:
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
