"""Tiles of one box are of one size: each located quad's height and width are drawn toward those of the tiles around it.

A camera that looks aslant sees far tiles smaller, and foreshortens what points away from it. So the logarithms of
heights and widths are fitted by a height and a width, a slope over the picture, a stretch along one direction that
may grow over it, and what a lens does far from its middle. What differs from the fit by a little was located inexactly;
what differs by a lot (a tile that leans on a rack) is left as it is.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from referee.vision.geometry.detections import Doubles, Floats
from referee.vision.geometry.quads import half_vectors, quads_of, steps

_NEIGHBOURS, _NEIGHBOUR_TOLERANCE = 5, 0.22  # how many tiles to compare with, and how like (logarithmic)
_BESIDE = 2.0  # half long sides to a tile beside; twice that for faint ones
_TABLE_TOLERANCE = 0.4  # how far (logarithmic) from what is usual keys, dice and cards are
_NEXT_WIDTHS, _NEXT_HEIGHTS = (0.8, 1.35), 0.2  # widths and heights from a tile to the next of its row
_MIN_SURE_NEIGHBOURS = 2  # tiles that tell how large those beside them are
_MIN_TILES_FOR_FIT = 5  # tiles: fewer say too little about each other
# Differences (logarithmic) up to which a size is drawn in, and from which it stays.
_SMALL_ERROR, _LARGE_ERROR = 0.1, 0.25
_SHARE_KEPT = 0.1  # of a small difference: tiles do lie a little askew
_ITERATIONS = 4
_REGULARISATION = np.diag([1e-6] * 2 + [0.1] * 12)  # tiles' worth of doubt that the finer terms are needed


class UsualSizes(NamedTuple):
    """What the logarithms of tiles' heights and widths depend on in a picture; see `_terms`."""

    factors: Doubles
    middle: Doubles
    spread: float

    def exceeded_by(self, quads: Floats) -> Doubles:
        """How much (logarithmic) heights and widths [n, 2] of the quads [n, 4, 2] exceed what is usual there."""
        terms, sizes = _terms(quads, self.middle, self.spread)
        return _by_quad(sizes - self.factors @ terms)


def even_out(quads: Floats) -> Floats:
    """The quads [n, 4, 2] with their places and directions, and sizes that agree with each other."""
    fit = usual_sizes(quads)
    if fit is None:
        return quads
    _, off = fit
    return resized(quads, (np.interp(np.abs(off), (_SMALL_ERROR, _LARGE_ERROR), (_SHARE_KEPT, 1.0)) - 1) * off)


def resized(quads: Floats, by: Doubles) -> Floats:
    """The quads [n, 4, 2] about their middles, heights and widths changed `by` so much (logarithmic) [n, 2]."""
    centre, up, right = half_vectors(quads)
    factors = np.exp(by).astype(np.float32)
    return quads_of(centre, up * factors[:, :1], right * factors[:, 1:])


def usual_sizes(quads: Floats) -> tuple[UsualSizes, Doubles] | None:
    """What is usual among the quads [n, 4, 2], and how much each exceeds it [n, 2]; None of too few to tell."""
    if len(quads) < _MIN_TILES_FOR_FIT:
        return None
    places = quads.mean(axis=1, dtype=np.float64)
    middle, spread = places.mean(axis=0), max(float(np.ptp(places, axis=0).max()), 1.0)
    terms, sizes = _terms(quads, middle, spread)
    weights, off = np.ones(len(sizes)), sizes
    factors: Doubles = np.zeros(len(terms))
    for _ in range(_ITERATIONS):
        weighed = terms * weights
        factors = np.asarray(np.linalg.solve(weighed @ terms.T + _REGULARISATION, weighed @ sizes), np.float64)
        off = sizes - factors @ terms
        weights = 1 / (1 + (off / _SMALL_ERROR) ** 2)
    return UsualSizes(factors, middle, spread), _by_quad(off)


def _by_quad(heights_and_widths: Doubles) -> Doubles:
    """One after the other [2 n], as [n, 2]."""
    return np.asarray(heights_and_widths.reshape(2, -1).T)


def _terms(quads: Floats, middle: Doubles, spread: float) -> tuple[Doubles, Doubles]:
    """What may make heights and then widths of quads look larger [14, 2 n], and how large they are (logarithms) [2 n].

    Their places are told from a `middle` of the picture, in shares of a `spread` over it.
    """
    centre, up, right = (part.astype(np.float64) for part in half_vectors(quads))
    sides = np.concatenate([up, right])
    terms = np.zeros((14, len(sides)))
    terms[0, : len(quads)] = terms[1, len(quads) :] = 1
    x, y = terms[2:4] = np.tile((centre - middle).T / spread, (1, 2))
    turn = 2 * np.arctan2(sides[:, 1], sides[:, 0])
    along, aslant = terms[4:6] = np.cos(turn), np.sin(turn)
    terms[6:10] = x * along, x * aslant, y * along, y * aslant  # the stretch grows toward the far side
    terms[10:12] = np.cos(2 * turn), np.sin(2 * turn)  # and is no plain wave
    # Far from its middle a lens makes tiles smaller, along the way there more than across it.
    terms[12:] = x**2 + y**2, (x**2 - y**2) * along + 2 * x * y * aslant
    return terms, np.log(np.maximum(np.hypot(sides[:, 0], sides[:, 1]), 1e-3))


def like_neighbours(quads: Floats, sure: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which of the quads [n, 4, 2] lie beside sure ones and are as large as those nearest by."""
    return _fits(quads, sure, _NEIGHBOUR_TOLERANCE, 2 * _BESIDE)


def as_large(quads: Floats, sure: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which of the quads [n, 4, 2] are about as large as the sure ones nearest by, however far those are."""
    return _fits(quads, sure, _TABLE_TOLERANCE, np.inf)


def _fits(quads: Floats, sure: npt.NDArray[np.bool_], alike: float, reach: float) -> npt.NDArray[np.bool_]:
    fits = np.zeros(len(quads), bool)
    if np.count_nonzero(sure) < _MIN_SURE_NEIGHBOURS or sure.all():
        return fits
    centre, up, right = (part.astype(np.float64) for part in half_vectors(quads))
    sides = np.log(np.maximum(np.stack([np.hypot(*up.T), np.hypot(*right.T)], axis=1), 1e-3))
    sides.sort(axis=1)  # which way is up may be open by a quarter turn where a tile is hardly seen
    doubtful = np.nonzero(~sure)[0]
    far = np.hypot(*np.moveaxis(centre[sure][None] - centre[doubtful][:, None], 2, 0))  # [doubtful, sure]
    nearest = np.argsort(far, axis=1, kind="stable")[:, :_NEIGHBOURS]
    usual = np.sort(sides[sure][nearest], axis=1)
    usual = (usual[:, (usual.shape[1] - 1) // 2] + usual[:, usual.shape[1] // 2]) / 2  # medians
    beside = far.min(axis=1) < reach * np.exp(usual[:, 1])
    fits[doubtful] = beside & (np.abs(sides[doubtful] - usual).max(axis=1) < alike)
    return fits


def in_line(quads: Floats, sure: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """On how many sides (0 to 2) the quads [n, 4, 2] have a sure one beside which they lie as the next of a row."""
    sides = np.zeros(len(quads), np.int64)
    doubtful, centre = np.nonzero(~sure)[0], quads.mean(axis=1)
    along, across = (np.abs(part) for part in steps(quads[sure], centre[doubtful]))
    beside = (along > _NEXT_WIDTHS[0]) & (along < _NEXT_WIDTHS[1]) & (across < _NEXT_HEIGHTS)
    for index, near in zip(doubtful, beside.T, strict=True):
        ways = centre[index] - centre[sure][near]
        sides[index] = 2 if (ways @ ways.T < 0).any() else min(len(ways), 1)
    return sides
