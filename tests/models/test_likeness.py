"""The weights of likeness: what is fitted keeps its share of the tiles sure, and goes beside the larger reader."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL", reason="rendering needs the train extra")

from models.training.train.likeness import KEPT, Example, fit, write
from referee.vision.classify.likeness import WEIGHTS, log_odds_of_tiles


def example(rng: np.random.Generator, middle: tuple[float, float, float], *, on_tile: bool) -> Example:
    """A picture of twenty sure faces about these measures, and a back that counts for nothing."""
    measures = np.array([*rng.normal(middle, (1.5, 0.03, 0.05), (20, 3)), (-2.0, 0.2, 0.4)])
    is_face = np.array([True] * 20 + [False])
    return Example(measures, is_face, is_face, np.full(21, on_tile))


def pictures() -> list[Example]:
    """Tiles upright, tiles with covered feet, and squares of another game."""
    rng = np.random.default_rng(4)
    upright = [example(rng, (12, 0.13, 0.33), on_tile=True) for _ in range(20)]
    covered = [example(rng, (10, 0.0, 0.05), on_tile=True) for _ in range(5)]
    squares = [example(rng, (5, 0.0, 0.0), on_tile=False) for _ in range(20)]
    return [*upright, *covered, *squares]


def test_tiles_stay_sure_and_squares_do_not() -> None:
    found = pictures()
    weights = fit(found)
    assert list(weights) == list(WEIGHTS)
    log_odds = np.concatenate([log_odds_of_tiles(one.measures, one.is_face, weights)[one.sure] for one in found])
    on_tile = np.concatenate([one.on_tile[one.sure] for one in found])
    assert np.mean(log_odds[on_tile] >= 0) == pytest.approx(KEPT, abs=0.01)
    assert np.mean(log_odds[~on_tile] >= 0) < 0.01


def test_the_sidecar_keeps_all_else(tmp_path: Path) -> None:
    path = tmp_path / "tiles-reread.json"
    path.write_text(json.dumps({"model": "tiles-reread", "thresholds": {"unsure": 0.9}, "likeness": {}, "trained": 1}))
    write({"constant": -4.0}, tmp_path)
    assert json.loads(path.read_text()) == {
        "model": "tiles-reread",
        "thresholds": {"unsure": 0.9},
        "likeness": {"constant": -4.0},
        "trained": 1,
    }
