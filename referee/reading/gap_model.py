"""How well the tiles of a set keep to a habit, its gap or its line: a mixture of Gaussians in closed form.

A set has a habit of its own, drawn from a Gaussian, and its tiles differ from that by another. Which spreads those two
have depends on the kind of set: most hands are neat, some are not. What is summed over all habits that a set may have
needs no more than the number of its values, their mean, and the sum of their squares about it.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

_MIN_LIKELIHOOD: Final = 1e-300  # likelihood: its logarithm can be taken


class Kind(NamedTuple):
    """Of sets: what their habits are, mean and spread, what their tiles differ by, and how often there are such."""

    usual: float
    varies: float
    differs: float
    often: float


class _Terms(NamedTuple):
    """Of a kind of set with so many values: its share in the best case (logarithm), and what stands before two squares.

    Those are the squares about the values' mean, and that of how far the mean is from the `usual` one.
    """

    share: float
    about_mean: float
    usual: float
    of_mean: float


class GapModel:
    """The kinds of sets there are."""

    loosest: float
    """What each square about the mean takes off a likelihood at least."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        self._kinds = tuple(kinds)
        self.loosest = min(1 / (2 * kind.differs**2) for kind in kinds)
        self._terms: list[tuple[float, tuple[_Terms, ...]]] = []  # by the number of values, less one

    def likelihood(self, count: int, mean: float, squares: float) -> float:
        """How likely so many values are of one set, with this mean and these squares about it, added up (logarithm)."""
        at_best, kinds = self._terms_of(count)
        likely = _MIN_LIKELIHOOD
        for share, about_mean, usual, of_mean in kinds:
            off = mean - usual
            likely += math.exp(share - squares * about_mean - off * off * of_mean)
        return at_best + math.log(likely)

    def at_most(self, count: int) -> float:
        """What no likelihood of so many values exceeds; where values differ, by `loosest` times the squares less."""
        return self._terms_of(count)[0]

    def _terms_of(self, count: int) -> tuple[float, tuple[_Terms, ...]]:
        """The likelihood in the best case (logarithm), and what each kind of set adds to it."""
        while len(self._terms) < count:
            self._terms.append(_terms(self._kinds, len(self._terms) + 1))
        return self._terms[count - 1]


def _terms(kinds: Sequence[Kind], count: int) -> tuple[float, tuple[_Terms, ...]]:
    own = [kind.differs**2 for kind in kinds]
    both = [kind.differs**2 + count * kind.varies**2 for kind in kinds]
    weights = [
        math.log(kind.often) - count / 2 * math.log(math.tau * one) + math.log(one / two) / 2
        for kind, one, two in zip(kinds, own, both, strict=True)
    ]
    most = max(weights)
    at_best = most + math.log(math.fsum(math.exp(weight - most) for weight in weights))
    terms = (
        _Terms(weight - at_best, 1 / (2 * one), kind.usual, count / (2 * two))
        for kind, weight, one, two in zip(kinds, weights, own, both, strict=True)
    )
    return at_best, tuple(terms)
