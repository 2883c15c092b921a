"""Likely divisions of a row of tiles into sets, judged by how the tiles lie and never by what they show.

One hand lays the tiles of a set: their gaps are alike, whether zero or half a tile, and they lie in line or climb like
stairs. The gap between two sets is rarely narrow, and the next set has a line of its own. The probability of a division
is the product over its sets (of their gaps and shifts) and over its boundaries.

Within a set, gaps are Gaussian about the set's mean gap, which is Gaussian about the table's usual gap; shifts likewise
about a straight line. The two spreads form a mixture of classes: most sets are neat, some are not. The mean and the
class are marginalised in closed form. The tile at either end may have been knocked aside and still belongs to its set.

Two sets laid end to end without a gap look like one. That is rare but invisible, so every place where a row is long
enough to be two sets is offered as a boundary with the same small probability.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cache
from operator import add, itemgetter
from typing import Final, NamedTuple

from referee.rules.set_reading import MIN_SET_TILES


class SpreadClass(NamedTuple):
    """One class of sets: the spread of the mean between sets, the spread within a set, and the share of sets in it."""

    mean_spread: float
    spread: float
    share: float


_BOUNDARY_PROBABILITY = 0.3  # that two neighbours in a row belong to two sets
_LOG_KNOCKED = math.log(0.24)  # an end tile was knocked aside: probability per tile width and height
_LOG_LOOSE = math.log(0.01)  # fewer tiles than a set has lie in line with one
_TOUCHING_SETS_PROBABILITY = 0.02  # that two sets touch, per possible boundary
_LOG_UPSIDE_DOWN = math.log(0.015)  # a tile lies upside down in its set
_LOG_TWO_UPSIDE_DOWN = math.log(0.002)  # two neighbours do
_OTHER_SEAT_PROBABILITY = 0.15  # that the next set is read from the opposite seat
_GAPS: Final = (  # tile widths, beyond the table's usual gap
    SpreadClass(0.03, 0.014, 0.45),
    SpreadClass(0.04, 0.04, 0.4),
    SpreadClass(0.27, 0.03, 0.15),
)
_SHIFTS: Final = (  # tile heights, from each tile to the next
    SpreadClass(0.0, 0.012, 0.5),
    SpreadClass(0.0, 0.025, 0.36),
    SpreadClass(0.06, 0.08, 0.14),
)
_BOUNDARY_SHIFT = 0.15  # tile heights: the mean absolute shift between two sets
_GAP_DENSITY = 1.2  # of gaps between two sets, per tile width, from `_FULL_GAP` on
_FULL_GAP = 0.17  # tile widths: narrower gaps between two sets are rarer
_MIN_BOUNDARY_WEIGHT = 0.06  # of that density where the gap is zero
# A row whose gaps (tile widths) and shifts (tile heights) vary less than this is one set.
_MAX_GAP_RANGE, _MAX_LINE_SHIFT = 0.06, 0.03
MAX_DIVISIONS: Final = 8  # kept; if this many are, there may be others
MIN_SHARE: Final = 0.01  # of the total, or of the best: less probable divisions are dropped


class Adjacency(NamedTuple):
    """Two neighbours in a row: the gap in tile widths, the shift in tile heights, and whether one is upside down.

    The shift is that of the second tile, to the right of the direction from the first to the second; negative: left.
    """

    gap: float
    shift: float
    turned: bool


Division = tuple[tuple[int, ...], float]
"""The adjacencies (0 is the first) at which a row is divided, and the probability."""


def segmentations(adjacencies: Sequence[Adjacency], usual_gap: float) -> tuple[Division, ...]:
    """Return the likely divisions of a row, likeliest first; `usual_gap` is this table's, in tile widths."""
    if _is_plainly_one(adjacencies):
        return _with_touching_sets([((), 1.0)], len(adjacencies))
    divisions = _best_divisions(adjacencies, usual_gap)
    top = divisions[0][1]
    return _with_touching_sets([(cuts, math.exp(score - top)) for cuts, score in divisions], len(adjacencies))


def _is_plainly_one(adjacencies: Sequence[Adjacency]) -> bool:
    gaps = [adjacency.gap for adjacency in adjacencies]
    return max(gaps) - min(gaps) < _MAX_GAP_RANGE and not any(
        adjacency.turned or abs(adjacency.shift) > _MAX_LINE_SHIFT for adjacency in adjacencies
    )


def _best_divisions(adjacencies: Sequence[Adjacency], usual_gap: float) -> list[Division]:
    """Return the best divisions with their log-probabilities, by dynamic programming over the row."""
    apart = [*(_boundary_log_ratio(adjacency, usual_gap) for adjacency in adjacencies), 0.0]
    turned = any(adjacency.turned for adjacency in adjacencies)
    gaps = _span_log_likelihoods(_GAPS, [adjacency.gap - usual_gap for adjacency in adjacencies])
    shifts = _span_log_likelihoods(_SHIFTS, [adjacency.shift for adjacency in adjacencies])
    as_laid = [[*map(add, *of_last)] for of_last in zip(gaps, shifts, strict=True)]
    divisions: list[list[Division]] = [[((), 0.0)]]
    for last in range(len(adjacencies) + 1):
        ends = [(apart[last] + _LOG_LOOSE, divisions[last])]  # each set that may end here
        all_lying = _upside_down_log_likelihoods(adjacencies, last) if turned else itertools.repeat(0.0, last)
        for first, lying in zip(range(last - 1, -1, -1), all_lying, strict=True):
            score = apart[last] + lying + (_LOG_LOOSE if last - first + 1 < MIN_SET_TILES else 0.0)
            score += _one_set_log_likelihood(as_laid, first, last)
            ends.append((score, divisions[first]))
        cut = (last,) if last < len(adjacencies) else ()
        candidates = [(score + more, cuts) for score, before in reversed(ends) for cuts, more in before]
        candidates.sort(key=itemgetter(0), reverse=True)
        divisions.append([((*cuts, *cut), score) for score, cuts in candidates[:MAX_DIVISIONS]])
    return divisions[-1]


def _one_set_log_likelihood(as_laid: Sequence[Sequence[float]], first: int, last: int) -> float:
    """Return the log-likelihood of the gaps and shifts of one set; an end tile may have been knocked aside."""
    if last - first == 1:
        return as_laid[last][first]
    knocked = (as_laid[last][first + 1], as_laid[last - 1][first])
    return _log_sum_exp([as_laid[last][first], _LOG_KNOCKED + knocked[0], _LOG_KNOCKED + knocked[1]])


def _span_log_likelihoods(kinds: tuple[SpreadClass, ...], values: Sequence[float]) -> list[list[float]]:
    """Return the log-likelihood [last][first] of the values from `first` up to before `last`, as those of one set."""
    sums = [*itertools.accumulate(values, initial=0.0)]
    squares = [*itertools.accumulate((value * value for value in values), initial=0.0)]
    spans = []
    for last in range(len(sums)):
        row = []
        for first in range(last):
            mean = (sums[last] - sums[first]) / (last - first)
            about_mean = squares[last] - squares[first] - (last - first) * mean * mean
            row.append(log_likelihood(kinds, last - first, mean, about_mean))
        spans.append(row)
    return spans


def log_likelihood(kinds: tuple[SpreadClass, ...], count: int, mean: float, squares: float) -> float:
    """Return the log-likelihood of a set's values, from their mean and the sum of squared deviations from it."""
    mean_squared = mean * mean
    return _log_sum_exp(
        [share - squares * about_mean - mean_squared * of_mean for share, about_mean, of_mean in _terms(kinds, count)]
    )


def _log_sum_exp(logs: Sequence[float]) -> float:
    """Return log(sum(exp(logs)))."""
    most = max(logs)
    return most + math.log(sum([math.exp(log - most) for log in logs]))  # twice as fast as a generator


@cache
def _terms(kinds: tuple[SpreadClass, ...], count: int) -> tuple[tuple[float, float, float], ...]:
    """Return for each class the log-likelihood of `count` zeros, and the factors of two squares.

    Those are the sum of squared deviations from the mean, and the squared mean.
    """
    terms = []
    for varies, differs, often in kinds:
        own, both = differs**2, differs**2 + count * varies**2
        share = math.log(often) - count / 2 * math.log(math.tau * own) + math.log(own / both) / 2
        terms.append((share, 0.5 / own, count / 2 / both))
    return tuple(terms)


def _upside_down_log_likelihoods(adjacencies: Sequence[Adjacency], last: int) -> Iterator[float]:
    """Yield the log-likelihood of the upside-down tiles in sets that end at `last`, growing by one tile at a time.

    A set may be read from either seat; tiles that face the other one are upside down.
    """
    seat, tiles, stretches = 0, [1, 0], [1, 0]
    for adjacency in adjacencies[last - 1 :: -1] if last else ():
        seat ^= adjacency.turned
        tiles[seat] += 1
        stretches[seat] += adjacency.turned
        yield max(map(_log_upside_down, tiles, stretches)) if all(tiles) else 0.0


def _log_upside_down(tiles: int, stretches: int) -> float:
    """Return the log-likelihood of this many upside-down tiles in a set, in this many stretches.

    A player who extends a set from the far side may lay two that way; three are more likely another set.
    """
    return _LOG_TWO_UPSIDE_DOWN if (tiles, stretches) == (2, 1) else tiles * _LOG_UPSIDE_DOWN


def _boundary_log_ratio(adjacency: Adjacency, usual_gap: float) -> float:
    """Return the log-likelihood ratio of a gap and shift: between two sets against within one."""
    gap = max(adjacency.gap, adjacency.gap - usual_gap)
    wide = _GAP_DENSITY * min(max(gap / _FULL_GAP, _MIN_BOUNDARY_WEIGHT), 1.0)
    aside = math.exp(-abs(adjacency.shift) / _BOUNDARY_SHIFT) / (2 * _BOUNDARY_SHIFT)
    seat = _OTHER_SEAT_PROBABILITY if adjacency.turned else 1 - _OTHER_SEAT_PROBABILITY
    return math.log(_BOUNDARY_PROBABILITY / (1 - _BOUNDARY_PROBABILITY) * seat * wide * aside)


def _with_touching_sets(divisions: Sequence[Division], adjacencies: int) -> tuple[Division, ...]:
    """Return the divisions, and each with one set divided into two that touch; probabilities sum to 1."""
    chances = dict(divisions)
    for cuts, chance in divisions:
        for before, after in itertools.pairwise((-1, *cuts, adjacencies)):
            for place in range(before + MIN_SET_TILES, after - MIN_SET_TILES + 1):
                touching = tuple(sorted((*cuts, place)))
                chances[touching] = max(chances.get(touching, 0.0), _TOUCHING_SETS_PROBABILITY * chance)
    whole = math.fsum(chances.values())
    likely = sorted(((cuts, chance / whole) for cuts, chance in chances.items()), key=lambda way: (-way[1], way[0]))
    return tuple(way for way in likely if way[1] >= MIN_SHARE)[:MAX_DIVISIONS]
