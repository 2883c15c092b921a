"""The tracks of a referee held against the tiles of the box: how often one tile is taken for another."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from referee.reading.observation import Point, TableReading, TrackId
from referee.rules.tiles import Tile
from referee.sim.layout import PhysicalTile
from referee.sim.view import LaidTile

MOVED_MM = 5.0
_WIDTHS = 0.5  # from where a tile truly lies to where it is seen


@dataclass(slots=True)
class Identities:
    """Follows the tiles of a box through the settled looks of a match.

    A movement is a tile that came, went or lies elsewhere than at the look before. A switch is a track that was one
    tile's and is now another's; between two equal tiles it is none, for nobody could tell.
    """

    moves: int = 0
    switches: int = 0
    _lay: dict[PhysicalTile, Point] = field(default_factory=dict)
    _owners: dict[TrackId, Tile] = field(default_factory=dict)

    def look(self, reading: TableReading, laid: Sequence[LaidTile], middles: Sequence[Point]) -> None:
        """Take a settled look, the tiles that truly lie there, and the middle of each in its picture."""
        now = {PhysicalTile(one.tile, one.copy): (one.x, one.y) for one in laid if one.tile is not None}
        self.moves += sum(
            piece not in now or piece not in self._lay or math.dist(now[piece], self._lay[piece]) > MOVED_MM
            for piece in now.keys() | self._lay.keys()
        )
        self._lay = now
        for seen in reading.tiles:
            apart, place = min(
                ((math.dist(seen.centre, middle), place) for place, middle in enumerate(middles)), default=(math.inf, 0)
            )
            true = laid[place].tile if apart <= _WIDTHS * math.dist(*seen.quad[:2]) else None
            if true is not None:
                self.switches += self._owners.get(seen.track, true) != true
                self._owners[seen.track] = true
