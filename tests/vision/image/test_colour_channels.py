"""The mean colour of a part of many pixels by size: against one tile after the other."""

import numpy as np
import pytest

from referee.vision.image.colour_channels import channels_of, mean_of_ranks, sum_channels


def test_planes_are_the_pixels_channel_by_channel() -> None:
    pixels = np.arange(2 * 4 * 5 * 3).reshape(2, 4, 5, 3).astype(np.uint8)
    planes = channels_of(pixels)
    assert planes.shape == (2, 3, 20)
    assert planes[1, 2].tolist() == pixels[1, ..., 2].flatten().tolist()
    assert channels_of(pixels[:0]).shape == (0, 3, 20)


@pytest.mark.parametrize(("first", "end"), [(0, 4), (3, 9), (12, 20)])
def test_of_each_tile_those_that_come_between_two_places_are_averaged(first: int, end: int) -> None:
    rng = np.random.default_rng(first)
    planes = rng.integers(0, 256, (7, 3, 20)).astype(np.float32)
    sizes = sum_channels(planes)
    means = mean_of_ranks(planes, sizes, first, end)
    for tile, size, mean in zip(planes, sizes, means, strict=True):
        order = np.argsort(size, kind="stable")
        np.testing.assert_allclose(mean, tile[:, order[first:end]].mean(axis=1), rtol=1e-5)


def test_of_equal_ones_the_first_in_place_come_first() -> None:
    planes = np.arange(3 * 20).reshape(1, 3, 20).astype(np.float32)
    means = mean_of_ranks(planes, np.full((1, 20), 7.0), 5, 9)
    assert means.tolist() == planes[:, :, 5:9].mean(axis=2).tolist()
