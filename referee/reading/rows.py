"""Tiles into sets by where they lie, never by what they show: the geometry of rows, at any angle and from any seat.

How it works. Each tile carries its own measure: its half width and its half height as vectors, so a row is judged in
tile units and a camera that looks aslant changes nothing. Two tiles can be neighbours where a side edge of one lies
against a side edge of the other. Three numbers say how well they lie, all at the middles of those two edges:

    gap     along the row, in tile widths; below 0 they overlap (a fan)
    shift   across the row, in tile heights
    bend    the angle between them, modulo half a turn: in a row one may lie upside down

Each edge is joined to the one it lies best against: rows from end to end. Whether all of a row is one set `divisions`
tells, with a chance for each way to divide it. Layouts are the likely combinations over the rows. A layout that exists
because it would be legal would hide exactly what a referee is there to see.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from referee.reading.divisions import Joint, divisions
from referee.reading.observation import Layout, Point, Quad, TileReading

_REACH = 0.9  # widths: further apart, two tiles are no neighbours at all
_OVERLAP = -0.5  # widths: a fanned tile still shows half of the one below
_MOST_SHIFT = 0.5  # heights: beyond that the tile belongs to the next row
_MOST_BEND = math.radians(32)  # a tile in a fan turns 10-20 degrees from its neighbour; crosswise is 90
_SURELY_APART = 0.6  # widths beyond the table's habit: two sets, however carelessly laid
_MOST_LAYOUTS, _UNLIKELY = 8, 0.01  # layouts that are kept, and the share of the best's chance below which one is not


@dataclass(frozen=True, slots=True)
class _Tile:
    """A tile's middle, and its half width and half height as vectors (to its right and to its top)."""

    centre: Point
    right: Point
    up: Point

    @property
    def angle(self) -> float:
        return math.atan2(self.right[1], self.right[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Joint:
    """Two tiles side by side: for each the tile and which of its sides (+1 its right), and how they lie."""

    first: tuple[int, int]
    second: tuple[int, int]
    gap: float
    shift: float
    bend: float

    @property
    def turned(self) -> bool:
        """Whether the two are read from opposite seats."""
        return self.first[1] == self.second[1]


def lay_out(quads: Sequence[Quad]) -> tuple[Layout, ...]:
    """The ways the tiles may lie in sets, the likeliest first; scores are probabilities among them."""
    tiles = [_tile(quad) for quad in quads]
    chains = _chains(_joints(tiles), len(tiles))
    usual = median([joint.gap for _, joints in chains for joint in joints] or [0.0])
    certain, choices = _choices(chains, usual)
    scored = _combinations(choices)
    total = sum(score for _, score in scored)
    rows: dict[tuple[int, ...], tuple[int, ...]] = {}  # most are the same in every layout
    return tuple(_layout(tiles, chains, certain | cuts, score / total, rows) for cuts, score in scored)


def lay_out_tiles(tiles: Sequence[TileReading]) -> tuple[Layout, ...]:
    """The layouts of the tiles that show their face; those lying face down belong to no set."""
    shown = [index for index, tile in enumerate(tiles) if tile.tile is not None]
    return tuple(
        Layout(
            tuple(tuple(shown[place] for place in row) for row in layout.sets),
            tuple(shown[place] for place in layout.loose),
            layout.score,
        )
        for layout in lay_out([tiles[index].quad for index in shown])
    )


def _tile(quad: Quad) -> _Tile:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return _Tile(
        ((ax + bx + cx + dx) / 4, (ay + by + cy + dy) / 4),
        ((bx + cx - ax - dx) / 4, (by + cy - ay - dy) / 4),
        ((ax + bx - cx - dx) / 4, (ay + by - cy - dy) / 4),
    )


def _joints(tiles: Sequence[_Tile]) -> list[_Joint]:
    """All pairs of edges that could lie against each other; neighbours are sought in a sweep over x."""
    found = []
    order = sorted(range(len(tiles)), key=lambda index: tiles[index].centre[0])
    reach = [(2 + _REACH) * math.hypot(*tile.right) + math.hypot(*tile.up) for tile in tiles]
    longest = max(reach, default=0.0)
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            across = tiles[j].centre[0] - tiles[i].centre[0]
            if across > longest:
                break
            if math.hypot(across, tiles[j].centre[1] - tiles[i].centre[1]) > max(reach[i], reach[j]):
                continue
            joint = _joint(tiles, i, j)
            if joint is not None:
                found.append(joint)
    return found


def _joint(tiles: Sequence[_Tile], i: int, j: int) -> _Joint | None:
    """How the facing side edges of two tiles lie, or None where they cannot be neighbours in a row."""
    one, two = tiles[i], tiles[j]
    bend = abs(math.remainder(two.angle - one.angle, math.pi))
    if bend > _MOST_BEND:
        return None
    step = _minus(two.centre, one.centre)
    side_one = 1 if _dot(step, one.right) > 0 else -1
    side_two = 1 if _dot(step, two.right) < 0 else -1
    edge_one, edge_two = _times(one.right, side_one), _times(two.right, -side_two)
    ahead = _times(_plus(edge_one, edge_two), 0.5)
    up = _times(_plus(one.up, _times(two.up, -side_one * side_two)), 0.5)
    apart = _minus(_minus(two.centre, edge_two), _plus(one.centre, edge_one))
    area = _cross(ahead, up)
    if not area:
        return None
    across = abs(_cross(ahead, apart) / area) / 2
    # Turned against each other, tiles touch with a corner: the middles of their edges stand apart by that much.
    corner = math.tan(bend / 2) * math.hypot(*up) / math.hypot(*ahead)
    gap = _cross(apart, up) / area / 2 - corner / 2
    if not _OVERLAP < gap < _REACH or across > _MOST_SHIFT:
        return None
    return _Joint(first=(i, side_one), second=(j, side_two), gap=gap, shift=across, bend=bend)


def _chains(joints: Sequence[_Joint], count: int) -> list[tuple[list[int], list[_Joint]]]:
    """Each edge joined to the one it lies best against: rows of tiles from end to end, with the joints between them."""
    beside: dict[tuple[int, int], _Joint] = {}
    row = list(range(count))
    for joint in sorted(joints, key=lambda joint: abs(joint.gap) + joint.shift + joint.bend):
        one, two = row[joint.first[0]], row[joint.second[0]]
        if joint.first in beside or joint.second in beside or one == two:
            continue  # an edge has one neighbour; a row does not bite its tail
        beside[joint.first] = beside[joint.second] = joint
        row = [one if name == two else name for name in row]
    chains = []
    seen: set[int] = set()
    for index in range(count):
        open_side = next((side for side in (-1, 1) if (index, side) not in beside), None)
        if index not in seen and open_side is not None:
            chains.append(_walk(index, -open_side, beside))
            seen.update(chains[-1][0])
    return chains


def _walk(index: int, side: int, beside: dict[tuple[int, int], _Joint]) -> tuple[list[int], list[_Joint]]:
    tiles, joints = [index], []
    while (joint := beside.get((index, side))) is not None:
        index, entered = joint.second if joint.first == (index, side) else joint.first
        side = -entered
        tiles.append(index)
        joints.append(joint)
    return tiles, joints


_Place = tuple[int, int]  # a chain, and the joint in it


_Choice = tuple[frozenset[_Place], float]  # places where rows are divided, and how likely that is


def _choices(
    chains: Sequence[tuple[list[int], list[_Joint]]], usual: float
) -> tuple[frozenset[_Place], list[list[_Choice]]]:
    """The places where rows are surely divided, and for each part that is left the likely ways to divide it."""
    certain: set[_Place] = set()
    choices = []
    for name, (_, joints) in enumerate(chains):
        ends = [-1, *(place for place, joint in enumerate(joints) if joint.gap - usual > _SURELY_APART), len(joints)]
        certain.update((name, place) for place in ends[1:-1])
        for before, after in itertools.pairwise(ends):
            part = [Joint(joint.gap, joint.shift, joint.turned) for joint in joints[before + 1 : after]]
            ways = divisions(part, usual) if part else ()
            if len(ways) > 1 or any(cuts for cuts, _ in ways):
                choices.append(
                    [(frozenset((name, before + 1 + place) for place in cuts), chance) for cuts, chance in ways]
                )
    return frozenset(certain), choices


def _combinations(choices: Sequence[Sequence[_Choice]]) -> list[_Choice]:
    """The likeliest combinations of one choice each, the best first; those that are hardly possible left out."""
    best: list[_Choice] = [(frozenset(), 1.0)]
    for ways in choices:
        pairs = sorted(itertools.product(best, ways), key=lambda pair: -pair[0][1] * pair[1][1])[:_MOST_LAYOUTS]
        best = [(cuts | more, chance * other) for (cuts, chance), (more, other) in pairs]
    return [choice for choice in best if choice[1] >= _UNLIKELY * best[0][1]]


def _layout(
    tiles: Sequence[_Tile],
    chains: Sequence[tuple[list[int], list[_Joint]]],
    cuts: frozenset[_Place],
    score: float,
    rows: dict[tuple[int, ...], tuple[int, ...]],
) -> Layout:
    pieces: list[tuple[int, ...]] = []
    for name, (row, joints) in enumerate(chains):
        ends = [place + 1 for place in range(len(joints)) if (name, place) in cuts]
        for a, b in itertools.pairwise([0, *ends, len(row)]):
            part = tuple(row[a:b])
            if part not in rows:
                rows[part] = _in_reading_order(tiles, part)
            pieces.append(rows[part])
    sets = sorted(
        (piece for piece in pieces if len(piece) > 1), key=lambda piece: (tiles[piece[0]].centre[::-1], piece)
    )
    return Layout(tuple(sets), tuple(sorted(piece[0] for piece in pieces if len(piece) == 1)), score)


def _in_reading_order(tiles: Sequence[_Tile], row: Sequence[int]) -> tuple[int, ...]:
    """The row from left to right as most of its tiles see it; where they are divided, as the first of them sees it."""
    votes = 0
    for place, index in enumerate(row):
        before, after = row[max(place - 1, 0)], row[min(place + 1, len(row) - 1)]
        votes += 1 if _dot(_minus(tiles[after].centre, tiles[before].centre), tiles[index].right) >= 0 else -1
    forward = votes > 0 or (votes == 0 and _faces_along(tiles, row))
    return tuple(row) if forward else tuple(reversed(row))


def _faces_along(tiles: Sequence[_Tile], row: Sequence[int]) -> bool:
    first, last = row[0], row[-1]
    return _dot(_minus(tiles[last].centre, tiles[first].centre), tiles[min(first, last)].right) >= 0


def _plus(a: Point, b: Point) -> Point:
    return (a[0] + b[0], a[1] + b[1])


def _minus(a: Point, b: Point) -> Point:
    return (a[0] - b[0], a[1] - b[1])


def _times(a: Point, factor: float) -> Point:
    return (a[0] * factor, a[1] * factor)


def _dot(a: Point, b: Point) -> float:
    return a[0] * b[0] + a[1] * b[1]


def _cross(a: Point, b: Point) -> float:
    return a[0] * b[1] - a[1] * b[0]
