"""Bars of shadow, as of a blind."""

import numpy as np
import pytest

from models.training.data.render.light import blinds


@pytest.mark.parametrize("pitch", [10.0, 60.0])
def test_bars_lie_as_far_apart_as_asked(pitch: float) -> None:
    counts = []
    for seed in range(40):
        mask = blinds(np.random.default_rng(seed), (320, 240), pitch)
        assert mask.shape == (240, 320)
        assert set(np.unique(mask).tolist()) <= {0, 255}
        assert 0.1 < (mask > 0).mean() < 0.9, "neither all dark nor all light"
        edges = [int((np.diff(line.astype(int)) > 0).sum()) for line in (mask[120], mask[:, 160])]
        counts.append(np.hypot(edges[0] / 320, edges[1] / 240) * pitch)  # bars met along the steepest way, by the pitch
    assert np.median(counts) == pytest.approx(1, abs=0.3)
