"""A row of tiles into sets: the likely ways to divide it, by how its tiles lie and never by what they show.

How it works. The tiles of a set were laid by one hand: the gaps between them are alike, be they none or half a tile,
and the tiles stand in line, or climb like stairs. A gap between two sets may be anything but narrow, and the next set
lies in a line of its own. So each way to divide a row has a chance: that of every set to have such gaps and shifts,
times that of every place between two sets to look as it does. A set has a gap of its own, which lies near that of the
table or, in some sets, anywhere about it; its tiles keep to it well or, in some sets, badly; and so they do to a line.
How likely gaps and shifts are one set's, with all of this summed over, `habits` tells.

Two sets laid end to end without a gap look like one. That is seldom, but nothing tells: each place where a set is
long enough to be two is offered with the same small chance, whatever the tiles show.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from referee.reading.gap_model import GapModel, Kind

_CUT = 0.3  # how often tiles that lie end to end are of two sets
_LOOSE = 0.01  # how often fewer tiles than any set has lie in line with one
_SMALLEST_SET = 3  # tiles; fewer cannot be a set of their own, in any edition
_TOUCHING_SETS = 0.02  # how often two sets are laid end to end without a gap, per place where it could be
UPSIDE_DOWN: Final = 0.015  # how often a tile lies upside down in its set
_TWO_OF_THEM = 0.002  # and two neighbours
_OTHER_SEAT = 0.15  # how often the next set is read from the other seat
_GAPS: Final = GapModel(  # widths, beyond the gap of the table
    (Kind(0.0, 0.03, 0.014, 0.45), Kind(0.0, 0.04, 0.04, 0.4), Kind(0.1, 0.25, 0.014, 0.1), Kind(0.1, 0.25, 0.08, 0.05))
)
_SHIFTS: Final = GapModel(  # heights, from each tile to the next
    (Kind(0.0, 0.0, 0.012, 0.5), Kind(0.0, 0.0, 0.025, 0.36), Kind(0.0, 0.0, 0.1, 0.08), Kind(0.0, 0.1, 0.02, 0.06))
)
_OF_TWO_SETS = 0.15  # heights: from the end of one set to the beginning of the next, on average
_NARROWEST, _FULL, _DENSITY = 0.06, 0.17, 1.2  # gaps between sets: how seldom none, from which width on like any other
# A row is plainly one set where its gaps (widths) and shifts (heights) differ by less.
_SAME_GAP, _SAME_LINE = 0.06, 0.03
_MAX_WAYS, _MIN_CHANCE = 8, 0.01  # ways that are kept, and the chance below which one is not
_HOPELESS = math.log(_MIN_CHANCE / 2)
_LOG_UPSIDE_DOWN, _LOG_TWO_OF_THEM, _LOG_LOOSE = math.log(UPSIDE_DOWN), math.log(_TWO_OF_THEM), math.log(_LOOSE)


class Adjacency(NamedTuple):
    """Two neighbours in a row: their gap in widths, how far the second is shifted, whether one is upside down.

    It is shifted in heights, to the right of the way from the first to the second; below 0 to the left.
    """

    gap: float
    shift: float
    turned: bool


Way = tuple[tuple[int, ...], float]
"""After which joints (0 is the first) a row is divided, and how likely that is."""


def segmentations(joints: Sequence[Adjacency], usual: float) -> tuple[Way, ...]:
    """The likely ways to divide a row, the likeliest first; `usual` is the gap that is usual on this table."""
    if _is_plainly_one(joints):
        return _with_touching([((), 1.0)], len(joints))
    ways = _best_ways(joints, usual)
    top = ways[0][1]
    return _with_touching([(cuts, math.exp(score - top)) for cuts, score in ways], len(joints))


def _is_plainly_one(joints: Sequence[Adjacency]) -> bool:
    gaps = [joint.gap for joint in joints]
    return max(gaps) - min(gaps) < _SAME_GAP and not any(
        joint.turned or abs(joint.shift) > _SAME_LINE for joint in joints
    )


def _best_ways(joints: Sequence[Adjacency], usual: float) -> list[Way]:
    """The best ways with the logarithms of their chances, from those of the row's beginnings, tile by tile."""
    count = len(joints) + 1
    gaps, shifts = [joint.gap - usual for joint in joints], [joint.shift for joint in joints]
    apart = [*(_apart(joint, usual) for joint in joints), 0.0]
    at_most_gaps, at_most_shifts = ([habits.at_most(n) for n in range(1, count)] for habits in (_GAPS, _SHIFTS))
    turned = any(joint.turned for joint in joints)
    ways: list[list[Way]] = [[((), 0.0)]]
    for last in range(count):
        lone = apart[last] + _LOG_LOOSE
        ends = [(lone, ways[last])]  # for each set that may end here: its score, and what may lie before
        least = (
            lone + ways[last][0][1] + _HOPELESS
        )  # unlikely beside the best beginning stays so, however the row goes on
        gap = squared_gaps = shift = squared_shifts = 0.0  # of the set so far, added up
        all_lying = _upside_down_so_far(joints, last) if turned else itertools.repeat(0.0, last)
        for first, lying in zip(range(last - 1, -1, -1), all_lying, strict=True):
            one, other, places, top = gaps[first], shifts[first], last - first, ways[first][0][1]
            gap += one
            squared_gaps += one * one
            shift += other
            squared_shifts += other * other
            mean_gap, mean_shift = gap / places, shift / places
            about_gap, about_shift = squared_gaps - gap * mean_gap, squared_shifts - shift * mean_shift
            score = apart[last] + lying + (_LOG_LOOSE if places + 1 < _SMALLEST_SET else 0.0)
            at_best = at_most_shifts[places - 1] - _SHIFTS.loosest * about_shift
            if score + top + at_best + at_most_gaps[places - 1] - _GAPS.loosest * about_gap <= least:
                continue
            score += _GAPS.likelihood(places, mean_gap, about_gap)
            if score + top + at_best <= least:
                continue
            score += _SHIFTS.likelihood(places, mean_shift, about_shift)
            ends.append((score, ways[first]))
            least = max(least, score + top + _HOPELESS)
        ways.append(_best(ends, (last,) if last < len(joints) else (), least))
    return ways[count]


def _upside_down_so_far(joints: Sequence[Adjacency], last: int) -> Iterator[float]:
    """How likely tiles lie as they do in sets that end at `last` and begin one before it, two, and so on (logarithm).

    Either seat may be the one they are read from: the tiles read from the other lie upside down.
    """
    seat, tiles, stretches = 0, [1, 0], [1, 0]
    for joint in joints[last - 1 :: -1] if last else ():
        seat ^= joint.turned
        tiles[seat] += 1
        stretches[seat] += joint.turned
        yield max(map(_upside_down, tiles, stretches)) if all(tiles) else 0.0


def _best(ends: Sequence[tuple[float, list[Way]]], cut: tuple[int, ...], least: float) -> list[Way]:
    """The best first of those that are likelier than the `least`."""
    best = [
        ((*cuts, *cut), chance + score)
        for score, before in reversed(ends)
        if before[0][1] + score > least
        for cuts, chance in before
        if chance + score > least
    ]
    best.sort(key=lambda way: -way[1])
    return best[:_MAX_WAYS]


def _upside_down(tiles: int, stretches: int) -> float:
    """How likely so many tiles of a set lie upside down, in so many stretches (logarithm).

    Who lengthens a set from the far side of the table may well lay two so; three are rather a set of their own.
    """
    return _LOG_TWO_OF_THEM if (tiles, stretches) == (2, 1) else tiles * _LOG_UPSIDE_DOWN


def _apart(joint: Adjacency, usual: float) -> float:
    """How likely a place is between two sets, against within one but for the gap and the shift there (logarithm)."""
    gap = max(joint.gap, joint.gap - usual)
    wide = _DENSITY * min(max(gap / _FULL, _NARROWEST), 1.0)
    aside = math.exp(-abs(joint.shift) / _OF_TWO_SETS) / (2 * _OF_TWO_SETS)
    seat = _OTHER_SEAT if joint.turned else 1 - _OTHER_SEAT
    return math.log(_CUT / (1 - _CUT) * seat * wide * aside)


def _with_touching(ways: Sequence[Way], joints: int) -> tuple[Way, ...]:
    """The ways, and each with one of its sets taken for two that touch; chances add up to 1 before unlikely ones go."""
    chances = dict(ways)
    for cuts, chance in ways:
        for before, after in itertools.pairwise((-1, *cuts, joints)):
            for place in range(before + _SMALLEST_SET, after - _SMALLEST_SET + 1):
                touching = tuple(sorted((*cuts, place)))
                chances[touching] = max(chances.get(touching, 0.0), _TOUCHING_SETS * chance)
    whole = math.fsum(chances.values())
    likely = sorted(((cuts, chance / whole) for cuts, chance in chances.items()), key=lambda way: (-way[1], way[0]))
    return tuple(way for way in likely if way[1] >= _MIN_CHANCE)[:_MAX_WAYS]
