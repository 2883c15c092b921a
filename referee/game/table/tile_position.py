"""Which tile is meant, in words that hold from every seat: by the set it lies in, never by left and right of the table.

People sit around a table, and the camera stands anywhere. What all of them see alike is a tile's neighbours, and the
order of a set when its digits stand upright.
"""

import math

from referee.reading.observation import TableReading, TileReading


def where(reading: TableReading, index: int) -> str:
    """Say where a tile lies: `tile 3 of R10 R11 ? R13`, `alone beside B5 K5 O5`; doubtful tiles are shown as `?`."""
    row = next((row for row in reading.layouts[0].sets if index in row), None)
    if row is None:
        near = _nearest_row(reading, (index,))
        return f"alone beside {near}" if near else "alone on the table"
    said = f"tile {row.index(index) + 1} of {_shown(reading, row)}"
    if any(not reading.tiles[other].unsure for other in row):
        return said
    near = _nearest_row(reading, row)
    return f"{said}, beside {near}" if near else said


def _nearest_row(reading: TableReading, row: tuple[int, ...]) -> str:
    """The nearest set of which something is sure; empty where there is none."""
    rows = [
        other
        for other in reading.layouts[0].sets
        if other != row and any(not reading.tiles[index].unsure for index in other)
    ]
    here = [reading.tiles[index].centre for index in row]

    def distance(other: tuple[int, ...]) -> float:
        return min(math.dist(middle, reading.tiles[index].centre) for middle in here for index in other)

    return _shown(reading, min(rows, key=distance)) if rows else ""


def _shown(reading: TableReading, row: tuple[int, ...]) -> str:
    return " ".join(_name(reading.tiles[index]) for index in row)


def _name(tile: TileReading) -> str:
    return "?" if tile.unsure or tile.tile is None else str(tile.tile)
