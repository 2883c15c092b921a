"""One look at a picture: it fills what the locate model takes."""

import math

import pytest

from referee.vision.detect.tiling import fill_multiple
from referee.vision.networks.models import MULTIPLE


@pytest.mark.parametrize("size", [(2304, 1296), (1280, 960), (640, 480), (4608, 2592), (333, 777)])
@pytest.mark.parametrize("scale", [0.1, 0.2766, 0.31, 0.5, 0.99, 1.0])
def test_a_look_at_a_known_scale_costs_the_same_and_is_filled(size: tuple[int, int], scale: float) -> None:
    filled = fill_multiple(scale, size)
    cells, before = ([side * factor / MULTIPLE for side in size] for factor in (filled, scale))
    assert scale <= filled <= 1.0
    assert [math.ceil(round(side, 6)) for side in cells] == [math.ceil(round(side, 6)) for side in before]
    assert filled == 1.0 or min(abs(side - round(side)) for side in cells) < 1e-6, "one side is full"
