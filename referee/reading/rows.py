"""Tiles into rows and sets by where they lie, never by what they show, at any angle and from any seat.

Each tile is its own ruler: its half width and half height as vectors. Distances in tile units make an oblique view
harmless. Two tiles can be neighbours if a side edge of one lies against a side edge of the other; three numbers
say how well, all at the midpoints of those two edges:

    gap     along the row, in tile widths; below 0 they overlap (a fan)
    shift   across the row, in tile heights, to the right of the direction to the other tile; below 0 to the left
    bend    the angle between them, modulo half a turn: one tile of a row may lie upside down

Each edge is joined to the edge it fits best, which gives rows from end to end. `row_segmentation` divides a row into
sets, with a probability for each division. Layouts are the likely combinations over all rows. Legality plays no part:
a layout chosen because it is legal would hide the very faults a referee looks for.
"""

import cmath
import itertools
import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from referee.reading.observation import Layout, Point, Quad, TileReading
from referee.reading.row_segmentation import MAX_DIVISIONS, MIN_SHARE, Adjacency, segmentations

_MAX_GAP = 0.9  # widths: tiles farther apart are not neighbours
_MIN_GAP = -0.5  # widths: in a fan, half of the lower tile still shows
_MAX_SHIFT = 0.5  # heights: a tile shifted farther belongs to the next row
_MAX_BEND = math.radians(32)  # a tile in a fan turns 10-20 degrees from its neighbour; crosswise is 90
_COVERING_WIDTHS = 0.9  # widths between centres: nearer, a third or more of the lower tile is hidden
_SET_BOUNDARY_GAP = 0.6  # widths beyond the table's usual gap: a wider gap always separates two sets


class _Tile(NamedTuple):
    """A tile's centre, its half width (rightward) and half height (upward) as vectors, and its angle in radians.

    Points and vectors are complex numbers: x + y i, y downward.
    """

    centre: complex
    right: complex
    up: complex
    angle: float


class _EdgePair(NamedTuple):
    """Two edges side by side, each as (tile, side; +1 is right), and how they lie."""

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
    """Return the ways the tiles may lie in sets, the likeliest first; scores are probabilities among them."""
    tiles = [_tile(quad) for quad in quads]
    chains = _chains(_edge_pairs(tiles), len(tiles))
    usual_gap = median([pair.gap for _, pairs in chains for pair in pairs] or [0.0])
    certain, choices = _choices(chains, usual_gap)
    scored = _combinations(choices)
    total = sum(score for _, score in scored)
    rows: dict[tuple[int, ...], tuple[int, ...]] = {}  # shared by the layouts, most of whose rows are the same
    return tuple(_layout(tiles, chains, certain | cuts, score / total, rows) for cuts, score in scored)


def lay_out_tiles(tiles: Sequence[TileReading]) -> tuple[Layout, ...]:
    """Return the layouts of the tiles that show their face; those lying face down belong to no set."""
    shown = [index for index, tile in enumerate(tiles) if tile.tile is not None]
    laid = lay_out([tiles[index].quad for index in shown])
    return tuple(
        Layout.of((tuple(shown[place] for place in row) for row in layout.rows), layout.score) for layout in laid
    )


def rows_with_backs(tiles: Sequence[TileReading], backs: frozenset[int]) -> tuple[tuple[int, ...], ...]:
    """Return the rows of the likeliest layout that hold both faces and some of these `backs`.

    A back across the place where a row would continue counts as part of it: it may cover a tile of the row.
    """
    if not backs:
        return ()
    lying = [index for index, tile in enumerate(tiles) if tile.tile is not None or index in backs]
    (best, *_) = lay_out([tiles[index].quad for index in lying])
    rows = [tuple(lying[place] for place in row) for row in best.sets]
    found = [row for row in rows if not backs.isdisjoint(row) and not backs.issuperset(row)]
    for row in (row for row in rows if backs.isdisjoint(row)):
        across = [
            index for index in backs if any(covers(tiles[index], place) for place in _extension_points(tiles, row))
        ]
        found += [(*row, *sorted(across))] if across else []
    return tuple(found)


def _extension_points(tiles: Sequence[TileReading], row: Sequence[int]) -> Iterator[Point]:
    """Yield the centres of the places where a row would continue."""
    for end, before in ((row[0], row[1]), (row[-1], row[-2])):
        (x, y), (was_x, was_y) = tiles[end].centre, tiles[before].centre
        yield 2 * x - was_x, 2 * y - was_y


def covers(tile: TileReading, place: Point) -> bool:
    """Return whether a tile covers so much of a place that another tile there may be invisible."""
    return math.dist(tile.centre, place) < _COVERING_WIDTHS * math.dist(*tile.quad[:2])


def _tile(quad: Quad) -> _Tile:
    a, b, c, d = itertools.starmap(complex, quad)
    right = (b + c - a - d) / 4
    return _Tile((a + b + c + d) / 4, right, (a + b - c - d) / 4, cmath.phase(right))


def _edge_pairs(tiles: Sequence[_Tile]) -> list[_EdgePair]:
    """Return all pairs of edges that could lie against each other, found by a sweep over x."""
    found = []
    order = sorted(range(len(tiles)), key=lambda index: tiles[index].centre.real)
    centres = [tiles[index].centre for index in order]
    across = [centre.real for centre in centres]
    reach = [(2 + _MAX_GAP) * abs(tiles[index].right) + abs(tiles[index].up) for index in order]
    longest = max(reach, default=0.0)
    for one, (i, centre, far) in enumerate(zip(order, centres, reach, strict=True)):
        for other in range(one + 1, bisect_right(across, centre.real + longest)):
            apart = abs(centres[other] - centre)
            if apart <= far or apart <= reach[other]:
                pair = _edge_pair(tiles, i, order[other])
                if pair is not None:
                    found.append(pair)
    return found


def _edge_pair(tiles: Sequence[_Tile], i: int, j: int) -> _EdgePair | None:
    """Return how the facing side edges of two tiles lie, or None if they cannot be neighbours in a row."""
    one, two = tiles[i], tiles[j]
    bend = abs(math.remainder(two.angle - one.angle, math.pi))
    if bend > _MAX_BEND:
        return None
    step = two.centre - one.centre
    side_one = 1 if _dot(step, one.right) > 0 else -1
    side_two = 1 if _dot(step, two.right) < 0 else -1
    edge_one, edge_two = one.right * side_one, two.right * -side_two
    ahead = (edge_one + edge_two) / 2
    up = (one.up + two.up * (-side_one * side_two)) / 2
    apart = step - edge_one - edge_two
    area = _cross(ahead, up)
    if not area:
        return None
    across = _cross(ahead, apart) / abs(area) / 2
    if abs(across) > _MAX_SHIFT:
        return None
    # Tiles at an angle touch at a corner, which keeps the midpoints of their edges apart.
    corner = math.tan(bend / 2) * abs(up) / abs(ahead)
    gap = _cross(apart, up) / area / 2 - corner / 2
    if not _MIN_GAP < gap < _MAX_GAP:
        return None
    return _EdgePair((i, side_one), (j, side_two), gap, across, bend)


def _chains(pairs: Sequence[_EdgePair], count: int) -> list[tuple[list[int], list[_EdgePair]]]:
    """Join each edge to the one it fits best; return rows of tiles from end to end, and the pairs between them."""
    beside: dict[tuple[int, int], _EdgePair] = {}
    row = list(range(count))
    members = [[index] for index in row]
    for pair in sorted(pairs, key=lambda pair: abs(pair.gap) + abs(pair.shift) + pair.bend):
        one, two = row[pair.first[0]], row[pair.second[0]]
        if pair.first in beside or pair.second in beside or one == two:
            continue  # an edge has one neighbour, and a row never closes into a ring
        beside[pair.first] = beside[pair.second] = pair
        for index in members[two]:
            row[index] = one
        members[one] += members[two]
    chains = []
    seen: set[int] = set()
    for index in range(count):
        open_side = next((side for side in (-1, 1) if (index, side) not in beside), None)
        if index not in seen and open_side is not None:
            chains.append(_walk(index, -open_side, beside))
            seen.update(chains[-1][0])
    return chains


def _walk(index: int, side: int, beside: dict[tuple[int, int], _EdgePair]) -> tuple[list[int], list[_EdgePair]]:
    tiles, pairs = [index], []
    while (pair := beside.get((index, side))) is not None:
        index, entered = pair.second if pair.first == (index, side) else pair.first
        side = -entered
        tiles.append(index)
        pairs.append(pair)
    return tiles, pairs


_PairIndex = tuple[int, int]  # a chain, and the pair in it


_Choice = tuple[frozenset[_PairIndex], float]  # where rows are divided, and the probability


def _choices(
    chains: Sequence[tuple[list[int], list[_EdgePair]]], usual_gap: float
) -> tuple[frozenset[_PairIndex], list[list[_Choice]]]:
    """Return where rows are certainly divided, and the likely divisions of each remaining part."""
    certain: set[_PairIndex] = set()
    choices = []
    for name, (_, pairs) in enumerate(chains):
        ends = [
            -1,
            *(place for place, pair in enumerate(pairs) if pair.gap - usual_gap > _SET_BOUNDARY_GAP),
            len(pairs),
        ]
        certain.update((name, place) for place in ends[1:-1])
        for before, after in itertools.pairwise(ends):
            part = [Adjacency(pair.gap, pair.shift, pair.turned) for pair in pairs[before + 1 : after]]
            segmentations_of_part = segmentations(part, usual_gap) if part else ()
            if len(segmentations_of_part) > 1 or any(cuts for cuts, _ in segmentations_of_part):
                choices.append(
                    [
                        (frozenset((name, before + 1 + place) for place in cuts), chance)
                        for cuts, chance in segmentations_of_part
                    ]
                )
    return frozenset(certain), choices


def _combinations(choices: Sequence[Sequence[_Choice]]) -> list[_Choice]:
    """Return the likeliest combinations of one choice each, best first; improbable ones are dropped."""
    best: list[_Choice] = [(frozenset(), 1.0)]
    for choice in choices:
        pairs = sorted(itertools.product(best, choice), key=lambda pair: -pair[0][1] * pair[1][1])[:MAX_DIVISIONS]
        best = [(cuts | more, chance * other) for (cuts, chance), (more, other) in pairs]
    return [choice for choice in best if choice[1] >= MIN_SHARE * best[0][1]]


def _layout(
    tiles: Sequence[_Tile],
    chains: Sequence[tuple[list[int], list[_EdgePair]]],
    cuts: frozenset[_PairIndex],
    score: float,
    rows: dict[tuple[int, ...], tuple[int, ...]],
) -> Layout:
    pieces: list[tuple[int, ...]] = []
    ends: dict[int, list[int]] = {}
    for name, place in sorted(cuts):
        ends.setdefault(name, []).append(place + 1)
    for name, (row, _) in enumerate(chains):
        for a, b in itertools.pairwise([0, *ends.get(name, ()), len(row)]):
            part = tuple(row[a:b])
            if part not in rows:
                rows[part] = _in_reading_order(tiles, part)
            pieces.append(rows[part])
    pieces.sort(key=lambda piece: (tiles[piece[0]].centre.imag, tiles[piece[0]].centre.real, piece))
    return Layout.of(pieces, score)


def _in_reading_order(tiles: Sequence[_Tile], row: Sequence[int]) -> tuple[int, ...]:
    """Return the row from left to right as most of its tiles are upright; at a tie, as its first tile is."""
    votes = 0
    last = len(row) - 1
    centres = [tiles[index].centre for index in row]
    for place, index in enumerate(row):
        along = centres[min(place + 1, last)] - centres[max(place - 1, 0)]
        votes += 1 if _dot(along, tiles[index].right) >= 0 else -1
    first = tiles[min(row[0], row[-1])]
    forward = votes > 0 or (votes == 0 and _dot(centres[last] - centres[0], first.right) >= 0)
    return tuple(row) if forward else tuple(reversed(row))


def _dot(a: complex, b: complex) -> float:
    return (a.conjugate() * b).real


def _cross(a: complex, b: complex) -> float:
    return (a.conjugate() * b).imag
