"""Compare a referee's tracks with the true tiles: how often one tile is mistaken for another."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from referee.reading.observation import Point, TableReading, TrackId
from referee.rules.tiles import Tile
from referee.sim.layout import PhysicalTile
from referee.sim.view import LaidTile

MOVED_MM = 5.0
MAX_DISTANCE_WIDTHS = 0.5  # tile widths between a tile's true and its detected position


@dataclass(slots=True)
class Identities:
    """Follows the tiles of a box through the settled readings of a match.

    A movement is a tile that came, went or moved since the last reading. A switch is a track that was one tile's and is
    now another's; equal tiles do not count, as nobody could tell them apart.
    """

    moves: int = 0
    switches: int = 0
    _positions: dict[PhysicalTile, Point] = field(default_factory=dict)
    _tile_of_track: dict[TrackId, Tile] = field(default_factory=dict)

    def add_reading(self, reading: TableReading, laid: Sequence[LaidTile], middles: Sequence[Point]) -> None:
        """Add a settled reading, with the true tiles and their centres in the picture."""
        positions = {PhysicalTile(one.tile, one.copy): (one.x, one.y) for one in laid if one.tile is not None}
        self.moves += sum(
            piece not in positions
            or piece not in self._positions
            or math.dist(positions[piece], self._positions[piece]) > MOVED_MM
            for piece in positions.keys() | self._positions.keys()
        )
        self._positions = positions
        for tile in reading.tiles:
            distance, index = min(
                ((math.dist(tile.centre, middle), index) for index, middle in enumerate(middles)), default=(math.inf, 0)
            )
            true_tile = laid[index].tile if distance <= MAX_DISTANCE_WIDTHS * math.dist(*tile.quad[:2]) else None
            if true_tile is not None:
                self.switches += self._tile_of_track.get(tile.track, true_tile) != true_tile
                self._tile_of_track[tile.track] = true_tile
