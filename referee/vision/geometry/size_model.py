"""Regularised tile sizes: tiles of one box have one size, so located quads are drawn toward a fit of all of them.

An oblique camera sees far tiles smaller and foreshortens what points away from it. The logarithms of heights and widths
are fitted by a height, a width, a slope over the picture, a stretch along one direction that may grow over the picture,
and a radial lens term. Small residuals are localisation errors and are reduced; large ones (a tile leaning on a rack)
are kept.
"""

from typing import NamedTuple

import numpy as np

from referee.vision.geometry.detections import Doubles, Floats
from referee.vision.geometry.quads import half_vectors, quads_of

_MIN_TILES_FOR_FIT = 5
# Log residuals: up to the first they are reduced, from the second on kept.
_SMALL_ERROR, _LARGE_ERROR = 0.1, 0.25
_RESIDUAL_KEPT = 0.1  # share of a small residual that is kept: tiles do lie slightly askew
_ITERATIONS = 4
_REGULARISATION = np.diag([1e-6] * 2 + [0.1] * 12)  # the finer terms need several tiles' evidence


class SizeModel(NamedTuple):
    """A fit of the logarithms of tile heights and widths over a picture; see `_terms`."""

    coefficients: Doubles
    origin: Doubles
    scale: float

    def residuals(self, quads: Floats) -> Doubles:
        """Return by how much log heights and widths [n, 2] of quads [n, 4, 2] exceed the fit."""
        terms, sizes = _terms(quads, self.origin, self.scale)
        return _by_quad(sizes - self.coefficients @ terms)


def regularise_sizes(quads: Floats) -> Floats:
    """Return the quads [n, 4, 2] with the same centres and directions, and more consistent sizes."""
    fit = fit_sizes(quads)
    if fit is None:
        return quads
    _, off = fit
    return scale_quads(quads, (np.interp(np.abs(off), (_SMALL_ERROR, _LARGE_ERROR), (_RESIDUAL_KEPT, 1.0)) - 1) * off)


def scale_quads(quads: Floats, log_factors: Doubles) -> Floats:
    """Return the quads [n, 4, 2] scaled about their centres; `log_factors` [n, 2] are of height and width."""
    centre, up, right = half_vectors(quads)
    factors = np.exp(log_factors).astype(np.float32)
    return quads_of(centre, up * factors[:, :1], right * factors[:, 1:])


def fit_sizes(quads: Floats) -> tuple[SizeModel, Doubles] | None:
    """Return the fit to quads [n, 4, 2] and its residuals [n, 2]; None if there are too few."""
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
    return SizeModel(factors, middle, spread), _by_quad(off)


def _by_quad(heights_and_widths: Doubles) -> Doubles:
    """Return all heights, then all widths [2 n] as [n, 2]."""
    return np.asarray(heights_and_widths.reshape(2, -1).T)


def _terms(quads: Floats, middle: Doubles, spread: float) -> tuple[Doubles, Doubles]:
    """Return the design matrix [14, 2 n] for the heights, then widths of quads, and the logarithms [2 n] of these.

    Positions are relative to `middle`, in units of `spread`, both in pixels.
    """
    centre, up, right = (part.astype(np.float64) for part in half_vectors(quads))
    sides = np.concatenate([up, right])
    terms = np.zeros((14, len(sides)))
    terms[0, : len(quads)] = terms[1, len(quads) :] = 1
    x, y = terms[2:4] = np.tile((centre - middle).T / spread, (1, 2))
    turn = 2 * np.arctan2(sides[:, 1], sides[:, 0])
    along, across = terms[4:6] = np.cos(turn), np.sin(turn)
    terms[6:10] = x * along, x * across, y * along, y * across  # the stretch grows toward the far side
    terms[10:12] = np.cos(2 * turn), np.sin(2 * turn)  # second harmonic: the stretch is not a pure cosine
    # Far from its centre a lens shrinks tiles, radially more than tangentially.
    terms[12:] = x**2 + y**2, (x**2 - y**2) * along + 2 * x * y * across
    return terms, np.log(np.maximum(np.hypot(sides[:, 0], sides[:, 1]), 1e-3))
