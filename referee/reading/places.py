"""Where tiles lie: finding the tile of one look in another."""

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence

from referee.reading.observation import TileReading

SAME_PLACE = 0.25  # tile widths: jitter of a located tile is below 0.1, a neighbour is 1 away
UNMOVED = 0.1  # tile widths: a tile laid in another's place by hand is rarely put closer
_SAME_TURN = math.radians(15)


class Places:
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
