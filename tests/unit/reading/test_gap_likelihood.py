"""How likely the gaps of one set are: the closed form against a sum over habits."""

import math

import pytest

from referee.reading import row_segmentation
from referee.reading.row_segmentation import SpreadClass

KINDS = (SpreadClass(0.03, 0.02, 0.7), SpreadClass(0.2, 0.05, 0.3))


def normal(value: float, mean: float, spread: float) -> float:
    return math.exp(-(((value - mean) / spread) ** 2) / 2) / (spread * math.sqrt(math.tau))


def summed(values: list[float]) -> float:
    """The same likelihood, every habit that a set may have gone through in small steps."""
    step, total = 0.0005, 0.0
    for kind in KINDS:
        for number in range(-2400, 2401):
            habit = number * step
            chance = kind.share * normal(habit, 0.0, kind.mean_spread) * step
            total += chance * math.prod(normal(value, habit, kind.spread) for value in values)
    return math.log(total)


def told(values: list[float]) -> tuple[int, float, float]:
    """How many values, their mean, and their squares about it added up."""
    mean = sum(values) / len(values)
    return len(values), mean, sum((value - mean) ** 2 for value in values)


def likelihood(values: list[float]) -> float:
    return row_segmentation.log_likelihood(KINDS, *told(values))


@pytest.mark.parametrize("values", [[0.01], [0.0, 0.01, -0.01], [0.2, 0.22, 0.21, 0.3], [0.0, 0.3]])
def test_the_closed_form_is_the_sum_over_all_habits(values: list[float]) -> None:
    assert likelihood(values) == pytest.approx(summed(values), abs=1e-6)


def test_a_row_of_hundreds_of_gaps_has_a_likelihood_too() -> None:
    assert math.isfinite(likelihood([0.0] * 500))
    assert math.isfinite(likelihood([0.0, 0.9] * 250))
