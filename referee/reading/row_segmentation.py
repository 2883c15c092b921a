"""A row of tiles into sets: the likely ways to divide it, by how its tiles lie and never by what they show.

How it works. The tiles of a set were laid by one hand: the gaps between them are alike, be they none or half a tile,
and the tiles stand in line, or climb like stairs. A gap between two sets may be anything but narrow, and the next set
lies in a line of its own. So each way to divide a row has a chance: that of every set to have such gaps and shifts,
times that of every place between two sets to look as it does. A set has a gap of its own, drawn from a Gaussian about
that of the table, and its tiles differ from it by another; so they do from a line. Which spreads those two have depends
on the kind of set: most hands are neat, some are not. All of this is summed over in closed form. The tile at either end
may also have been knocked out of its place: it still lies in its set.

Two sets laid end to end without a gap look like one. That is seldom, but nothing tells: each place where a set is
long enough to be two is offered with the same small chance, whatever the tiles show.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple


class Kind(NamedTuple):
    """Of sets: how far their habits spread about none, what their tiles differ by, and how often there are such."""

    varies: float
    differs: float
    often: float


_CUT = 0.3  # how often tiles that lie end to end are of two sets
_LOG_KNOCKED = math.log(0.24)  # how often one was knocked aside, over the widths and heights in which it may lie now
_LOG_LOOSE = math.log(0.01)  # how often fewer tiles than any set has lie in line with one
SMALLEST_SET: Final = 3  # tiles; fewer cannot be a set of their own, in any edition
_TOUCHING_SETS = 0.02  # how often two sets are laid end to end without a gap, per place where it could be
_LOG_UPSIDE_DOWN = math.log(0.015)  # how often a tile lies upside down in its set
_LOG_TWO_OF_THEM = math.log(0.002)  # and two neighbours
_OTHER_SEAT = 0.15  # how often the next set is read from the other seat
_GAPS: Final = (  # widths, beyond the gap of the table
    Kind(0.03, 0.014, 0.45),
    Kind(0.04, 0.04, 0.4),
    Kind(0.27, 0.03, 0.15),
)
_SHIFTS: Final = (  # heights, from each tile to the next
    Kind(0.0, 0.012, 0.5),
    Kind(0.0, 0.025, 0.36),
    Kind(0.06, 0.08, 0.14),
)
_OF_TWO_SETS = 0.15  # heights: from the end of one set to the beginning of the next, on average
_NARROWEST, _FULL, _DENSITY = 0.06, 0.17, 1.2  # gaps between sets: how seldom none, from which width on like any other
# A row is plainly one set where its gaps (widths) and shifts (heights) differ by less.
_SAME_GAP, _SAME_LINE = 0.06, 0.03
MAX_WAYS: Final = 8  # that are kept; where so many are, there may be others
MIN_SHARE: Final = 0.01  # the share of all chances, or of the best, below which a way is not kept


class Adjacency(NamedTuple):
    """Two neighbours in a row: their gap in widths, how far the second is shifted, whether one is upside down.

    It is shifted in heights, to the right of the way from the first to the second; below 0 to the left.
    """

    gap: float
    shift: float
    turned: bool


class _Sums(NamedTuple):
    """Of some neighbours: how many, their gaps beyond the table's and shifts, and the squares of both, added up."""

    places: int
    gap: float
    gaps_squared: float
    shift: float
    shifts_squared: float

    def plus(self, adjacency: Adjacency, usual: float, sign: int = 1) -> "_Sums":
        """Add a pair of neighbours, or with the sign -1 take it away again."""
        gap, shift = adjacency.gap - usual, adjacency.shift
        return _Sums(
            self.places + sign,
            self.gap + sign * gap,
            self.gaps_squared + sign * gap * gap,
            self.shift + sign * shift,
            self.shifts_squared + sign * shift * shift,
        )


Way = tuple[tuple[int, ...], float]
"""After which adjacencies (0 is the first) a row is divided, and how likely that is."""


def segmentations(adjacencies: Sequence[Adjacency], usual: float) -> tuple[Way, ...]:
    """Return the likely divisions of a row, likeliest first; `usual` is this table's usual gap in widths."""
    if _is_plainly_one(adjacencies):
        return _with_touching([((), 1.0)], len(adjacencies))
    ways = _best_ways(adjacencies, usual)
    top = ways[0][1]
    return _with_touching([(cuts, math.exp(score - top)) for cuts, score in ways], len(adjacencies))


def _is_plainly_one(adjacencies: Sequence[Adjacency]) -> bool:
    gaps = [adjacency.gap for adjacency in adjacencies]
    return max(gaps) - min(gaps) < _SAME_GAP and not any(
        adjacency.turned or abs(adjacency.shift) > _SAME_LINE for adjacency in adjacencies
    )


def _best_ways(adjacencies: Sequence[Adjacency], usual: float) -> list[Way]:
    """Return the best divisions with their log-probabilities, by dynamic programming over the row."""
    apart = [*(_apart(adjacency, usual) for adjacency in adjacencies), 0.0]
    turned = any(adjacency.turned for adjacency in adjacencies)
    ways: list[list[Way]] = [[((), 0.0)]]
    for last in range(len(adjacencies) + 1):
        ends = [(apart[last] + _LOG_LOOSE, ways[last])]  # of each set that may end here: its score, what may lie before
        sums = _Sums(0, 0.0, 0.0, 0.0, 0.0)  # of the set so far
        all_lying = _upside_down_so_far(adjacencies, last) if turned else itertools.repeat(0.0, last)
        for first, lying in zip(range(last - 1, -1, -1), all_lying, strict=True):
            sums = sums.plus(adjacencies[first], usual)
            score = apart[last] + lying + (_LOG_LOOSE if sums.places + 1 < SMALLEST_SET else 0.0)
            score += _lying_in_one_set(sums, adjacencies[first], adjacencies[last - 1], usual)
            ends.append((score, ways[first]))
        cut = (last,) if last < len(adjacencies) else ()
        best = [((*cuts, *cut), score + more) for score, before in reversed(ends) for cuts, more in before]
        ways.append(sorted(best, key=lambda way: -way[1])[:MAX_WAYS])
    return ways[-1]


def _lying_in_one_set(sums: _Sums, first: Adjacency, last: Adjacency, usual: float) -> float:
    """Return the log-likelihood of one set's gaps and shifts, with or without an end tile knocked aside."""
    as_laid = _as_laid(sums)
    if sums.places == 1:
        return as_laid
    knocked = [_LOG_KNOCKED + _as_laid(sums.plus(adjacency, usual, -1)) for adjacency in (first, last)]
    return _added([as_laid, *knocked])


def _as_laid(sums: _Sums) -> float:
    about_gaps = sums.gaps_squared - sums.gap * sums.gap / sums.places
    about_shifts = sums.shifts_squared - sums.shift * sums.shift / sums.places
    return likelihood(_GAPS, sums.places, sums.gap / sums.places, about_gaps) + likelihood(
        _SHIFTS, sums.places, sums.shift / sums.places, about_shifts
    )


def likelihood(kinds: tuple[Kind, ...], count: int, mean: float, squares: float) -> float:
    """Return the log-likelihood that values with this mean, and sum of squares about it, are of one set."""
    logs = [share - squares * about_mean - mean**2 * of_mean for share, about_mean, of_mean in _terms(kinds, count)]
    return _added(logs)


def _added(logs: Sequence[float]) -> float:
    """Return the logarithm of a sum of chances given as logarithms."""
    most = max(logs)
    return most + math.log(sum(math.exp(one - most) for one in logs))


@cache
def _terms(kinds: tuple[Kind, ...], count: int) -> tuple[tuple[float, float, float], ...]:
    """Of each kind with so many values: its share in the best case (logarithm), and what stands before two squares.

    Those are the squares about the values' mean, and that of the mean.
    """
    terms = []
    for varies, differs, often in kinds:
        own, both = differs**2, differs**2 + count * varies**2
        share = math.log(often) - count / 2 * math.log(math.tau * own) + math.log(own / both) / 2
        terms.append((share, 0.5 / own, count / 2 / both))
    return tuple(terms)


def _upside_down_so_far(adjacencies: Sequence[Adjacency], last: int) -> Iterator[float]:
    """Yield the log-likelihood of upside-down tiles in sets that end at `last`, of one tile, two, and so on.

    Either seat may be the one they are read from: the tiles read from the other lie upside down.
    """
    seat, tiles, stretches = 0, [1, 0], [1, 0]
    for adjacency in adjacencies[last - 1 :: -1] if last else ():
        seat ^= adjacency.turned
        tiles[seat] += 1
        stretches[seat] += adjacency.turned
        yield max(map(_upside_down, tiles, stretches)) if all(tiles) else 0.0


def _upside_down(tiles: int, stretches: int) -> float:
    """Return the log-likelihood of this many upside-down tiles of a set, in this many stretches.

    Who lengthens a set from the far side of the table may well lay two so; three are rather a set of their own.
    """
    return _LOG_TWO_OF_THEM if (tiles, stretches) == (2, 1) else tiles * _LOG_UPSIDE_DOWN


def _apart(adjacency: Adjacency, usual: float) -> float:
    """Return the log-likelihood ratio of a gap and shift between two sets against within one."""
    gap = max(adjacency.gap, adjacency.gap - usual)
    wide = _DENSITY * min(max(gap / _FULL, _NARROWEST), 1.0)
    aside = math.exp(-abs(adjacency.shift) / _OF_TWO_SETS) / (2 * _OF_TWO_SETS)
    seat = _OTHER_SEAT if adjacency.turned else 1 - _OTHER_SEAT
    return math.log(_CUT / (1 - _CUT) * seat * wide * aside)


def _with_touching(ways: Sequence[Way], adjacencies: int) -> tuple[Way, ...]:
    """Return the divisions, and each with one set divided in two that touch; chances add up to 1."""
    chances = dict(ways)
    for cuts, chance in ways:
        for before, after in itertools.pairwise((-1, *cuts, adjacencies)):
            for place in range(before + SMALLEST_SET, after - SMALLEST_SET + 1):
                touching = tuple(sorted((*cuts, place)))
                chances[touching] = max(chances.get(touching, 0.0), _TOUCHING_SETS * chance)
    whole = math.fsum(chances.values())
    likely = sorted(((cuts, chance / whole) for cuts, chance in chances.items()), key=lambda way: (-way[1], way[0]))
    return tuple(way for way in likely if way[1] >= MIN_SHARE)[:MAX_WAYS]
