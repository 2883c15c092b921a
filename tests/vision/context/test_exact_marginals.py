"""Copies of a tile shared among the crops that may show it: every way to do so counts, as often as it is likely."""

import itertools

import numpy as np
import pytest

from referee.vision.context.exact_marginals import connected_groups, leave_one_out
from referee.vision.geometry.detections import Doubles


def counted(chances: Doubles, copies: list[int]) -> Doubles:
    """What each crop shows [crops, tiles + 1], the last column anything else, by going through all ways one by one."""
    every = np.column_stack([chances, 1 - chances.sum(axis=1)])
    likely = np.zeros_like(every)
    for way in itertools.product(range(every.shape[1]), repeat=len(every)):
        if all(way.count(tile) <= most for tile, most in enumerate(copies)):
            shown = np.arange(len(every)), list(way)
            likely[shown] += np.prod(every[shown])
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))


def weighed(chances: Doubles, copies: list[int]) -> Doubles:
    room, anything = leave_one_out(chances, np.array(copies))
    likely = np.column_stack([chances * room, (1 - chances.sum(axis=1)) * anything])
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("seed", range(12))
def test_all_ways_are_counted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    crops, tiles = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    copies = [int(count) for count in rng.integers(1, 4, tiles)]
    chances = rng.dirichlet(np.full(tiles + 1, 0.5), crops)[:, :tiles]
    np.testing.assert_allclose(weighed(chances, copies), counted(chances, copies), atol=1e-9)


def test_crops_that_waver_between_the_same_two_tiles_share_their_doubt() -> None:
    """Three that look like a 6 and may be a 9: one of them is. Messages would make too much of it, 0.94 and 0.87."""
    six_or_nine = np.array([[0.9, 0.09], [0.9, 0.09], [0.6, 0.39], [0.05, 0.94]])
    expected = counted(six_or_nine, [2, 2])
    np.testing.assert_allclose(weighed(six_or_nine, [2, 2]), expected, atol=1e-9)
    assert expected[0, 0] == pytest.approx(0.861, abs=0.001)
    assert expected[2, 1] == pytest.approx(0.733, abs=0.001)


def test_a_hundred_copies_of_one_tile_are_counted_without_running_out_of_numbers() -> None:
    chances = np.full((100, 1), 0.999999)
    likely = weighed(chances, [2])
    np.testing.assert_allclose(likely[:, 0], 0.02, rtol=1e-3)


def test_tiles_that_share_no_crop_are_counted_apart() -> None:
    may_take = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 1, 0, 0]], bool)
    found = [(crops.tolist(), tiles.tolist()) for crops, tiles in connected_groups(may_take)]
    assert found == [([0, 1, 4], [0, 1]), ([2, 3], [2])], "and what nobody may take is left out"
