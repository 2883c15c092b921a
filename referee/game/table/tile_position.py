"""A tile's position in words that hold from every seat: by its set, never by left and right of the table.

People sit around the table, and the camera may be anywhere. They all see the same neighbours, and the same order of a
set when its digits are upright.
"""

import math

from referee.reading.observation import TableReading
from referee.rules.wording import Message, TileRow, say


def position_message(reading: TableReading, index: int) -> Message:
    """Return where a tile lies: `tile 3 of R10 R11 ? R13`, `alone beside B5 K5 O5`; doubtful tiles are shown as `?`."""
    row = next((row for row in reading.layouts[0].sets if index in row), None)
    if row is None:
        near = _nearest_row(reading, (index,))
        if near is None:
            return say("where.alone", "alone on the table")
        return say("where.alone_beside", "alone beside {near}", near=near)
    place, tiles = row.index(index) + 1, _shown(reading, row)
    near = None if any(not reading.tiles[other].unsure for other in row) else _nearest_row(reading, row)
    if near is None:
        return say("where.in_set", "tile {place} of {tiles}", place=place, tiles=tiles)
    return say("where.in_set_beside", "tile {place} of {tiles}, beside {near}", place=place, tiles=tiles, near=near)


def _nearest_row(reading: TableReading, row: tuple[int, ...]) -> TileRow | None:
    """Return the nearest set of which something is sure; None if there is none."""
    rows = [
        other
        for other in reading.layouts[0].sets
        if other != row and any(not reading.tiles[index].unsure for index in other)
    ]
    here = [reading.tiles[index].centre for index in row]

    def distance(other: tuple[int, ...]) -> float:
        return min(math.dist(middle, reading.tiles[index].centre) for middle in here for index in other)

    return _shown(reading, min(rows, key=distance)) if rows else None


def _shown(reading: TableReading, row: tuple[int, ...]) -> TileRow:
    return TileRow(tuple(None if reading.tiles[index].unsure else reading.tiles[index].tile for index in row))
