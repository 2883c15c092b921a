"""Tiles into sets by where they lie, never by what they show: the geometry of rows, at any angle and from any seat.

How it works. Each tile carries its own measure: its half width and its half height as vectors, so a row is judged in
tile units and a camera that looks aslant changes nothing. Two tiles can be neighbours where a side edge of one lies
against a side edge of the other. Three numbers say how well they lie, all at the middles of those two edges:

    gap     along the row, in tile widths; below 0 they overlap (a fan)
    shift   across the row, in tile heights
    bend    the angle between them, modulo half a turn: in a row one may lie upside down

Players push the tiles of a set together and leave more than half a tile between sets, mostly. In between nobody can
tell, so each joint gets a probability of being one *within* a set. What counts is how much looser it is than the
joints beside it: a row laid with even gaps is one set, one gap of a sixth of a tile in a tight row divides two, and so
does a place where tiles read from one seat meet tiles read from the other. A gap that would leave fewer than three
tiles on one side must be wider, for loose tiles are seldom lined up with a set. Layouts are the likely combinations of
cut and uncut joints. A row long enough to be two sets pushed together may be it: each such place is offered alike,
whatever the tiles show. A layout that exists because it would be legal would hide exactly what a referee is there to
see.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from referee.reading.observation import Layout, Point, Quad, TileReading

_REACH = 0.9  # widths: further apart, two tiles are no neighbours at all
_OVERLAP = -0.5  # widths: a fanned tile still shows half of the one below
_MOST_SHIFT = 0.5  # heights: beyond that the tile belongs to the next row
_MOST_BEND = math.radians(32)  # a tile in a fan turns 10-20 degrees from its neighbour; crosswise is 90
_FREE_SHIFT, _FREE_BEND = 0.05, math.radians(8)  # carelessness that says nothing about belonging together
_SURELY_APART = 0.6  # widths beyond the table's habit: two sets, however carelessly laid
# Widths beyond the row's own habit at which a gap is as likely within a set as between two: where a set could lie on
# both sides, and where one side would be left with loose tiles. And how soon that changes.
_HALF_WAY, _HALF_WAY_TO_LOOSE, _SLACK = 0.145, 0.32, 1 / 6  # the last in half-ways
_HALF_WAY_IF_EVEN = 0.1  # where the gaps beside it are all alike
_EVEN, _UNEVEN = 0.012, 0.05  # widths by which gaps differ in a row laid with care, and in one that is not
_BESIDE = 3  # joints on each side that tell how a row is laid
_TURNED = 0.05  # widths beyond half-way that it counts where both sides are read from opposite seats
_TOUCHING_SETS = 0.02  # how often two sets are laid end to end without a gap, per place where it could be
_SMALLEST_SET = 3  # tiles; fewer cannot be a set of their own, in any edition
_MOST_DOUBTS, _MOST_LAYOUTS = 6, 8


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
    def looseness(self) -> float:
        """The gap in widths, widened by what carelessness does not explain."""
        crooked = 0.6 * max(0.0, self.shift - _FREE_SHIFT) + 0.6 * max(0.0, self.bend - _FREE_BEND)
        return max(0.0, self.gap) + crooked


def lay_out(quads: Sequence[Quad]) -> tuple[Layout, ...]:
    """The ways the tiles may lie in sets, the likeliest first; scores are probabilities among them."""
    tiles = [_tile(quad) for quad in quads]
    chains = _chains(_joints(tiles), len(tiles))
    usual = median([joint.looseness for _, joints in chains for joint in joints] or [0.0])
    certain, doubts = _doubts(chains, usual)
    scored = sorted(_combinations(doubts), key=lambda cut: -cut[1])[:_MOST_LAYOUTS]
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


def _doubts(
    chains: Sequence[tuple[list[int], list[_Joint]]], usual: float
) -> tuple[frozenset[_Place], list[tuple[_Place, float]]]:
    """Joints surely cut, and joints that may be, with how likely they hold."""
    cut: set[_Place] = set()
    open_places, touching = [], []
    for name, (_, joints) in enumerate(chains):
        gaps = [joint.looseness - usual for joint in joints]
        turned = [joint.first[1] == joint.second[1] for joint in joints]
        ends = [-1, *(place for place, gap in enumerate(gaps) if gap > _SURELY_APART), len(gaps)]
        cut.update((name, place) for place in ends[1:-1])
        for before, after in itertools.pairwise(ends):
            for place in range(before + 1, after):
                could_be_two = min(place - before, after - place) >= _SMALLEST_SET
                part = slice(before + 1, after)
                holds = _holds(gaps[part], turned[part], place - before - 1, could_be_two=could_be_two)
                if holds < 0.98:
                    open_places.append(((name, place), holds))
                elif could_be_two:
                    touching.append(((name, place), 1 - _TOUCHING_SETS))
    open_places.sort(key=lambda doubt: abs(doubt[1] - 0.5))
    settled = [place for place in open_places if abs(place[1] - 0.5) > 0.48] + open_places[_MOST_DOUBTS:]
    cut.update(place for place, holds in settled if holds < 0.5)
    return frozenset(cut), [*(doubt for doubt in open_places if doubt not in settled), *touching]


def _holds(gaps: Sequence[float], turned: Sequence[bool], place: int, *, could_be_two: bool) -> float:
    """How likely two neighbours are of one set; gaps, less the table's habit, are compared with those beside them."""
    first = max((other + 1 for other in range(place) if _seats_meet(turned, other)), default=0)
    last = min((other for other in range(place + 1, len(gaps)) if _seats_meet(turned, other)), default=len(gaps))
    left, right = gaps[max(place - _BESIDE, first) : place], gaps[place + 1 : min(place + 1 + _BESIDE, last)]
    habit = median([*left[-2:], *right[:2], 0.0])
    excess, half_way = gaps[place] - max(habit, 0.0), _HALF_WAY_TO_LOOSE
    if could_be_two:
        half_way = _half_way(left, right)
        excess = max(excess, _out_of_line(gaps[place], left, right))
        if _seats_meet(turned, place):
            excess = max(excess, half_way + _TURNED)
    return 1 / (1 + math.exp(min(60.0, (excess / half_way - 1) / _SLACK)))


def _seats_meet(turned: Sequence[bool], place: int) -> bool:
    """Whether tiles on one side of a joint are read from the other seat than those on the other side."""
    return turned[place] and not any((*turned[max(place - 2, 0) : place], *turned[place + 1 : place + 3]))


def _half_way(left: Sequence[float], right: Sequence[float]) -> float:
    """The excess that as likely divides two sets as not: less in a row laid evenly than in one that is not."""
    uneven = max(_spread(left), _spread(right))
    share = min(max((uneven - _EVEN) / (_UNEVEN - _EVEN), 0.0), 1.0)
    return _HALF_WAY_IF_EVEN + share * (_HALF_WAY - _HALF_WAY_IF_EVEN)


def _out_of_line(gap: float, left: Sequence[float], right: Sequence[float]) -> float:
    """How far a gap is from those on either side, be it narrower, where each side is laid evenly."""
    if not left or not right or max(_spread(left), _spread(right)) > 2 * _EVEN:
        return 0.0
    return min(abs(gap - median(left)), abs(gap - median(right)))


def _spread(gaps: Sequence[float]) -> float:
    """The mean distance of gaps from their median."""
    if not gaps:
        return 0.0
    middle = median(gaps)
    return sum(abs(gap - middle) for gap in gaps) / len(gaps)


def _combinations(doubts: Sequence[tuple[_Place, float]]) -> list[tuple[frozenset[_Place], float]]:
    """Every choice among the open joints, and on top of each at most one pair of sets pushed together."""
    open_places = [doubt for doubt in doubts if doubt[1] < 1 - _TOUCHING_SETS]
    touching = [doubt for doubt in doubts if doubt[1] >= 1 - _TOUCHING_SETS]
    choices = []
    for cuts in itertools.product((False, True), repeat=len(open_places)):
        score = math.prod(1 - holds if is_cut else holds for (_, holds), is_cut in zip(open_places, cuts, strict=True))
        choices.append(
            (frozenset(place for (place, _), is_cut in zip(open_places, cuts, strict=True) if is_cut), score)
        )
    pushed = [(cuts | {place}, score * (1 - holds)) for cuts, score in choices for place, holds in touching]
    return [*choices, *pushed]


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
