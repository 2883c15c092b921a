"""The reading of one look at a table: tiles, their places and doubts, and the layouts they allow; no pixels."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NewType, Self

from referee.rules.table import Table
from referee.rules.tiles import Tile

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""Four corners in pixels (x right, y down), clockwise from the tile's own top left, its digits upright."""

LaidRow = tuple[int, ...]
"""The tiles of a row, by their indices in a reading, as the row is read."""

TrackId = NewType("TrackId", int)
"""Identifies one tile from look to look; below -1 a tile that only people have seen."""

UNTRACKED: Final = TrackId(-1)

MIN_NAMED_CHANCE: Final = 0.001  # probability below which an alternative name is left out
MAX_ALTERNATIVES: Final = 4  # names a tile may have beside its own
_MIN_FACE_CHANCE = 0.05  # a face-down tile is in doubt only if it is a face with at least this probability


@dataclass(frozen=True, slots=True, kw_only=True)
class TileReading:
    """One tile as seen; `tile` is None if it lies face down."""

    quad: Quad
    tile: Tile | None
    confidence: float
    alternatives: tuple[tuple[Tile, float], ...] = ()
    unsure: bool = False
    bare: float = 0.0
    """The probability that no face lies there: a mark of the table, or a back."""
    track: TrackId = field(default=UNTRACKED, compare=False)
    """Identifies the tile from look to look, wherever it lies; set by `tracks`."""
    placement: TrackId = field(default=UNTRACKED, compare=False)
    """Identifies this tile in this place; the same again once it is back there."""
    place: TrackId = field(default=UNTRACKED, compare=False)
    """The first placement in this place, kept when one tile is exchanged for another."""

    def __post_init__(self) -> None:
        if len(self.quad) != 4 or not math.isfinite(sum(map(sum, self.quad))):
            raise ValueError(f"a quad has four finite corners, not {self.quad}")
        for name, chance in (("confidence", self.confidence), ("chance of no face", self.bare)):
            if not 0.0 <= chance <= 1.0:
                raise ValueError(f"a {name} lies between 0 and 1, not {chance}")

    @property
    def names(self) -> frozenset[Tile | None]:
        """Every name the tile may have."""
        return frozenset((self.tile, *(name for name, _ in self.alternatives if self.unsure)))

    @property
    def doubtful(self) -> bool:
        """Whether to ask about the tile: it is unsure, and not merely a back that is hard to see."""
        return self.unsure and (
            self.tile is not None or any(chance >= _MIN_FACE_CHANCE for _, chance in self.alternatives)
        )

    @property
    def hidden(self) -> bool:
        """Whether the tile is covered: it is not seen now, and its place does not show that it has gone."""
        return self.unsure and self.confidence == self.bare == 0.0

    @property
    def centre(self) -> Point:
        """The tile's middle in pixels."""
        return (sum(x for x, _ in self.quad) / 4, sum(y for _, y in self.quad) / 4)


@dataclass(frozen=True, slots=True)
class Layout:
    """One way the tiles may lie in sets: indices in reading order, and its probability among the layouts."""

    sets: tuple[LaidRow, ...]
    loose: tuple[int, ...]
    score: float

    @classmethod
    def of(cls, rows: Iterable[LaidRow], score: float) -> Self:
        """Return the layout with these rows; rows of one tile are loose."""
        rows = tuple(rows)
        return cls(
            tuple(row for row in rows if len(row) > 1), tuple(sorted(row[0] for row in rows if len(row) == 1)), score
        )

    @property
    def rows(self) -> tuple[LaidRow, ...]:
        """The sets, then each loose tile as a row of one."""
        return (*self.sets, *((index,) for index in self.loose))

    def row_of(self, index: int) -> LaidRow:
        """Return the row of a tile, in reading order; empty if it lies face down."""
        return next((row for row in self.rows if index in row), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReading:
    """One look at a table: its tiles, and the layouts they allow, best first."""

    frame_id: str
    at: float
    tiles: tuple[TileReading, ...]
    layouts: tuple[Layout, ...]
    reached: bool | None = None
    """Whether something as large as a hand reaches in over the table from its edge; None if nobody knows."""
    milliseconds: Mapping[str, float] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if not self.layouts:
            raise ValueError("a reading has at least one layout, for an empty table the empty one")
        for layout in self.layouts:
            named = [index for tiles in (*layout.sets, layout.loose) for index in tiles]
            beyond = named and not 0 <= min(named) <= max(named) < len(self.tiles)
            if beyond or len(set(named)) != len(named):
                raise ValueError(f"a layout names each of {len(self.tiles)} tiles at most once, not {named}")

    @property
    def unsure(self) -> tuple[int, ...]:
        """The indices of doubtful tiles, on which no accusation may rest."""
        return tuple(index for index, tile in enumerate(self.tiles) if tile.doubtful)

    def table(self, k: int = 0) -> Table:
        """Return the table of layout `k`: sets, then loose tiles as sets of one, without face-down tiles."""
        groups = self.layouts[k].rows
        rows = (tuple(tile for index in group if (tile := self.tiles[index].tile) is not None) for group in groups)
        return Table(tuple(row for row in rows if row))


def rounded(reading: TableReading) -> TableReading:
    """Return the reading rounded to its precision: quads to 0.1 px, chances to four digits."""
    tiles = tuple(
        replace(
            tile,
            quad=(_rounded(a), _rounded(b), _rounded(c), _rounded(d)),
            confidence=round(tile.confidence, 4),
            bare=round(tile.bare, 4),
            alternatives=tuple((name, round(chance, 4)) for name, chance in tile.alternatives if chance >= 0.0005),
        )
        for tile in reading.tiles
        for a, b, c, d in [tile.quad]
    )
    layouts = tuple(replace(layout, score=round(layout.score, 4)) for layout in reading.layouts)
    return replace(reading, tiles=tiles, layouts=layouts)


def _rounded(point: Point) -> Point:
    return round(point[0], 1), round(point[1], 1)
