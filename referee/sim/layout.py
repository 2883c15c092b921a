"""The layout of sets on the table: rows in free places, slightly askew, upright for the player, with few moves."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from referee.rules.table import Table, TileSet
from referee.rules.tiles import Joker, Tile
from referee.sim.faces import TILE_HEIGHT_MM, TILE_WIDTH_MM
from referee.sim.furniture import seat_angle
from referee.sim.view import LaidTile, rectangle
from referee.vision.geometry.optics import Points

PITCH_MM = TILE_WIDTH_MM + 0.9
_END_GAP_MM = 25.0  # between the ends of two rows; closer ones read as one
_SIDE_GAP_MM = 9.0
_MAX_PLACING_TRIES = 160


@dataclass(frozen=True, slots=True)
class PhysicalTile:
    """One physical tile; `copy` distinguishes equal tiles of a box."""

    tile: Tile
    copy: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedRow:
    """A set on the table: centre (mm), reading direction `angle` (radians), and tiles in reading order."""

    x: float
    y: float
    angle: float
    tiles: tuple[LaidTile, ...]

    @property
    def pieces(self) -> tuple[PhysicalTile, ...]:
        """The tiles in reading order."""
        return tuple(PhysicalTile(laid.tile, laid.copy) for laid in self.tiles if laid.tile is not None)

    @property
    def tile_set(self) -> TileSet:
        """The set that lies here, in reading order."""
        return tuple(piece.tile for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Every row on the table."""

    rows: tuple[PlacedRow, ...] = ()

    @property
    def tiles(self) -> tuple[LaidTile, ...]:
        """Every tile on the table."""
        return tuple(laid for row in self.rows for laid in row.tiles)

    @property
    def pieces(self) -> tuple[PhysicalTile, ...]:
        """Every physical tile on the table."""
        return tuple(piece for row in self.rows for piece in row.pieces)

    @property
    def table(self) -> Table:
        """The table as a value of the rules."""
        return Table(tuple(row.tile_set for row in self.rows))

    def overlaps(self, footprint: Points) -> bool:
        """Return whether a footprint [4, 2] overlaps a tile."""
        return any(footprints_overlap(footprint, laid.corners()) for laid in self.tiles)


@dataclass(frozen=True, slots=True)
class PlayArea:
    """The part of the table where tiles may lie, in millimetres."""

    left: float
    top: float
    right: float
    bottom: float
    blocked: tuple[tuple[tuple[float, float], ...], ...] = ()
    """Corners of what lies there."""


def _footprint(x: float, y: float, angle: float, count: int) -> Points:
    """Return the footprint of a row: its tiles and half of the gap to others, as corners in mm."""
    return rectangle(x, y, angle, count * PITCH_MM + _END_GAP_MM, TILE_HEIGHT_MM + _SIDE_GAP_MM)


def footprints_overlap(a: Points, b: Points) -> bool:
    """Return whether two rectangles overlap (separating axes)."""
    for corners in (a, b):
        for edge in (corners[1] - corners[0], corners[2] - corners[1]):
            first, second = a @ edge, b @ edge
            if first.max() <= second.min() or second.max() <= first.min():
                return False
    return True


def _is_free(footprint: Points, rows: Iterable[PlacedRow], area: PlayArea) -> bool:
    low, high = footprint.min(axis=0), footprint.max(axis=0)
    margin = _SIDE_GAP_MM / 2
    if low[0] < area.left - margin or low[1] < area.top - margin:
        return False
    if high[0] > area.right + margin or high[1] > area.bottom + margin:
        return False
    if any(footprints_overlap(footprint, np.array(corners)) for corners in area.blocked):
        return False
    reach = float(np.hypot(*(high - low))) / 2
    middle = (low + high) / 2
    for row in rows:
        reach_of_both = reach + len(row.tiles) * PITCH_MM / 2 + 40
        if abs(row.x - middle[0]) < reach_of_both and abs(row.y - middle[1]) < reach_of_both:  # noqa: SIM102 - the cheap test first
            if footprints_overlap(footprint, _footprint(row.x, row.y, row.angle, len(row.tiles))):
                return False
    return True


def lay_row(pieces: Sequence[PhysicalTile], x: float, y: float, angle: float, rng: Random) -> PlacedRow:
    """Return tiles side by side about a centre, with human inaccuracy."""
    right, down = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    tiles = []
    for index, piece in enumerate(pieces):
        along = (index - (len(pieces) - 1) / 2) * PITCH_MM + rng.uniform(-0.25, 0.25)
        centre = np.array([x, y]) + right * along + down * rng.gauss(0, 0.35)
        turn = angle + rng.gauss(0, 0.006)
        tiles.append(LaidTile(tile=piece.tile, copy=piece.copy, x=float(centre[0]), y=float(centre[1]), angle=turn))
    return PlacedRow(x=x, y=y, angle=angle, tiles=tuple(tiles))


def _find_place(
    count: int, rows: Sequence[PlacedRow], side: int, area: PlayArea, rng: Random
) -> tuple[float, float, float] | None:
    """Return a free middle and angle for a row: first near the player and upright for them, then anywhere."""
    toward_centre = seat_angle(side)
    middle = np.array([area.left + area.right, area.top + area.bottom]) / 2
    span = np.array([area.right - area.left, area.bottom - area.top])
    toward = np.array([-np.sin(toward_centre), np.cos(toward_centre)])
    target = middle + toward * span * 0.18
    for attempt in range(_MAX_PLACING_TRIES):
        spread = 0.12 + 0.25 * attempt / _MAX_PLACING_TRIES
        x, y = rng.gauss(target[0], spread * span[0]), rng.gauss(target[1], spread * span[1])
        angle = toward_centre + rng.gauss(0, 0.05)
        if _is_free(_footprint(x, y, angle, count), rows, area):
            return x, y, angle
    for angle in (toward_centre, toward_centre + np.pi / 2):
        for y in np.arange(area.top + 20, area.bottom, 9.0):
            for x in np.arange(area.left + 20, area.right, 9.0):
                if _is_free(_footprint(float(x), float(y), angle, count), rows, area):
                    return float(x), float(y), float(angle)
    return None


def _tidy_rows(groups: Sequence[Sequence[PhysicalTile]], area: PlayArea, rng: Random) -> tuple[PlacedRow, ...]:
    """Return all sets in level lines, as people tidy a full table."""
    rows: list[PlacedRow] = []
    x, y = area.left, area.top + TILE_HEIGHT_MM / 2
    for pieces in groups:
        length = len(pieces) * PITCH_MM
        if x + length > area.right:
            x, y = area.left, y + TILE_HEIGHT_MM + _SIDE_GAP_MM
        rows.append(lay_row(pieces, x + length / 2, y, rng.gauss(0, 0.004), rng))
        x += length + _END_GAP_MM
    if y + TILE_HEIGHT_MM / 2 > area.bottom + 1:
        raise ValueError(f"{sum(map(len, groups))} tiles do not fit on {area}")
    return tuple(rows)


def _extended(row: PlacedRow, pieces: Sequence[PhysicalTile], rng: Random) -> PlacedRow | None:
    """Return the row with tiles added at its ends or taken from them; None for any other change."""
    old, new = row.pieces, tuple(pieces)
    for start in range(len(new) - len(old) + 1):
        if new[start : start + len(old)] == old:
            shift = (len(new) - 1) / 2 - start - (len(old) - 1) / 2
            return _row_with_changes(
                row, new, shift, {index + start: laid for index, laid in enumerate(row.tiles)}, rng
            )
    for start in range(len(old) - len(new) + 1):
        if old[start : start + len(new)] == new:
            shift = start + (len(new) - 1) / 2 - (len(old) - 1) / 2
            return _row_with_changes(row, new, shift, dict(enumerate(row.tiles[start : start + len(new)])), rng)
    return None


def _row_with_changes(
    row: PlacedRow, pieces: Sequence[PhysicalTile], shift: float, kept: dict[int, LaidTile], rng: Random
) -> PlacedRow:
    along = np.array([np.cos(row.angle), np.sin(row.angle)]) * shift * PITCH_MM
    laid_row = lay_row(pieces, row.x + float(along[0]), row.y + float(along[1]), row.angle, rng)
    return replace(laid_row, tiles=tuple(kept.get(index, laid) for index, laid in enumerate(laid_row.tiles)))


def _assigned_pieces(
    before: Arrangement, after: Sequence[TileSet], added: Sequence[PhysicalTile]
) -> list[tuple[PlacedRow | None, list[PhysicalTile]]]:
    """Return which physical tile goes where: each set keeps the row it shares most with, and that row's own tiles."""
    free = list(before.rows)
    rows_kept: list[PlacedRow | None] = [None] * len(after)
    tiles_on_table, wanted = (
        [_numbered_tiles(row.tile_set) for row in free],
        [_numbered_tiles(tiles) for tiles in after],
    )
    matches = sorted(
        (-len(now & then), index, at) for index, then in enumerate(wanted) for at, now in enumerate(tiles_on_table)
    )
    taken: set[int] = set()
    for negative, index, at in matches:
        if negative < -1 and rows_kept[index] is None and at not in taken:
            rows_kept[index] = free[at]
            taken.add(at)
    stock = Counter(before.pieces) + Counter(added)
    pieces_by_set: list[list[PhysicalTile | None]] = []
    for tiles, row in zip(after, rows_kept, strict=True):
        own = list(row.pieces) if row else []
        pieces_by_set.append([_pick_piece(tile, own, stock) for tile in tiles])
    assigned = []
    for tiles, row, pieces in zip(after, rows_kept, pieces_by_set, strict=True):
        rest = [
            piece or _pick_piece(tile, list(stock.elements()), stock) for tile, piece in zip(tiles, pieces, strict=True)
        ]
        assigned.append((row, [piece for piece in rest if piece is not None]))
    return assigned


def _numbered_tiles(tiles: TileSet) -> set[tuple[Tile, int]]:
    """Return the tiles, each with the number of equal ones before it; two such sets intersect in what they share."""
    return {(tile, tiles[:index].count(tile)) for index, tile in enumerate(tiles)}


def _pick_piece(tile: Tile, choices: list[PhysicalTile], stock: Counter[PhysicalTile]) -> PhysicalTile | None:
    for piece in choices:
        if piece.tile == tile and stock[piece] > 0:
            choices.remove(piece)
            stock[piece] -= 1
            return piece
    return None


def _matches_row(row: PlacedRow, pieces: Sequence[PhysicalTile]) -> bool:
    """Return whether a row is these tiles; with a joker among them their order may count."""
    if any(isinstance(piece.tile, Joker) for piece in pieces):
        return tuple(pieces) in {tuple(row.pieces), tuple(row.pieces[::-1])}
    return Counter(row.pieces) == Counter(pieces)


def arrange(
    before: Arrangement,
    after: Sequence[TileSet],
    added: Sequence[PhysicalTile],
    *,
    side: int,
    area: PlayArea,
    rng: Random,
) -> Arrangement:
    """Lay the table `after`, moving as little as possible; `added` are the tiles that come from the rack."""
    dealt = _assigned_pieces(before, after, added)
    rows: list[PlacedRow | None] = [None] * len(after)
    to_lay: list[int] = []
    for index, (row, pieces) in enumerate(dealt):
        if row is not None and _matches_row(row, pieces):
            rows[index] = row
        else:
            to_lay.append(index)
    for index in sorted(to_lay, key=lambda index: dealt[index][0] is None):
        row, pieces = dealt[index]
        placed = [other for other in rows if other is not None]
        unplaced = [old for at, (old, _) in enumerate(dealt) if old is not None and rows[at] is None and at != index]
        extended = row and (_extended(row, pieces, rng) or lay_row(pieces, row.x, row.y, row.angle, rng))
        if extended and _is_free(
            _footprint(extended.x, extended.y, extended.angle, len(extended.tiles)), [*placed, *unplaced], area
        ):
            rows[index] = extended
            continue
        position = _find_place(len(pieces), [*placed, *unplaced], side, area, rng)
        if position is None:
            return Arrangement(_tidy_rows([pieces for _, pieces in dealt], area, rng))
        rows[index] = lay_row(pieces, *position, rng)
    return Arrangement(tuple(row for row in rows if row is not None))
