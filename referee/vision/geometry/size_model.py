"""Tiles of one box are of one size: each located quad's height and width are drawn toward those of the tiles around it.

A camera that looks aslant sees far tiles smaller, and foreshortens what points away from it. So the logarithms of
heights and widths are fitted by a height and a width, a slope over the picture, a stretch along one direction that
may grow over it, and what a lens does far from its middle. What differs from the fit by a little was located inexactly;
what differs by a lot (a tile that leans on a rack) is left as it is.
"""

from typing import NamedTuple

import numpy as np

from referee.vision.geometry.detections import Doubles, Floats
from referee.vision.geometry.quads import half_vectors, quads_of

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
        """Return how much (logarithmic) heights and widths [n, 2] of the quads [n, 4, 2] exceed what is usual there."""
        terms, sizes = _terms(quads, self.middle, self.spread)
        return _by_quad(sizes - self.factors @ terms)


def even_out(quads: Floats) -> Floats:
    """Return the quads [n, 4, 2] with their places and directions, and sizes that agree with each other."""
    fit = usual_sizes(quads)
    if fit is None:
        return quads
    _, off = fit
    return resized(quads, (np.interp(np.abs(off), (_SMALL_ERROR, _LARGE_ERROR), (_SHARE_KEPT, 1.0)) - 1) * off)


def resized(quads: Floats, by: Doubles) -> Floats:
    """Return the quads [n, 4, 2] about their middles, heights and widths changed `by` so much (logarithmic) [n, 2]."""
    centre, up, right = half_vectors(quads)
    factors = np.exp(by).astype(np.float32)
    return quads_of(centre, up * factors[:, :1], right * factors[:, 1:])


def usual_sizes(quads: Floats) -> tuple[UsualSizes, Doubles] | None:
    """Return what is usual among the quads [n, 4, 2], and how much each exceeds it [n, 2]; None of too few to tell."""
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
    """Return one after the other [2 n], as [n, 2]."""
    return np.asarray(heights_and_widths.reshape(2, -1).T)


def _terms(quads: Floats, middle: Doubles, spread: float) -> tuple[Doubles, Doubles]:
    """Return terms [14, 2 n] for heights, then widths of quads, and the logarithms [2 n] of these sides.

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
