"""Teaching a finished reader what is no tile: it learns that, and of tiles it says what it said."""

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")

import torch

from models.training.data.augment import centre
from models.training.data.crops import HIDDEN, UNKNOWN, WIDE_CROP
from models.training.nets.published import MODELS
from models.training.train.no_tile import NONE, Lessons, teach_none
from models.training.train.read import restored
from models.training.train.read_score import Crops


def printed(rng: np.random.Generator, count: int, *, twice: bool) -> np.ndarray:
    """Crops of pale tiles with a black number; things bear it `twice`, the other way up below."""
    crops = np.empty((count, *WIDE_CROP, 3), np.uint8)
    for crop in crops:
        crop[:] = rng.integers(20, 120, 3)
        cv2.rectangle(crop, (11, 13), (49, 67), rng.integers(200, 250, 3).tolist(), -1)
        for _ in range(2 if twice else 1):
            number, ink = str(rng.integers(1, 10)), (25, 25, 28)
            cv2.putText(crop, number, (22, 36), cv2.FONT_HERSHEY_SIMPLEX, 0.8, ink, 2, cv2.LINE_AA)
            if twice:
                crop[:] = crop[::-1, ::-1].copy()
    return crops


def test_a_reader_learns_what_is_no_tile_and_goes_on_saying_the_same_of_tiles() -> None:
    rng = np.random.default_rng(1)
    tiles, things = (torch.from_numpy(printed(rng, 60, twice=twice)) for twice in (False, True))
    unknown = torch.full((60,), UNKNOWN)
    of_tiles = Crops(tiles, torch.where(torch.arange(60) < 30, HIDDEN, UNKNOWN), unknown)  # no label tells anything
    net = restored(MODELS / "tiles-read.onnx", of_tiles, seed=1).eval()
    weights = {name: value.clone() for name, value in net.trunk[:4].state_dict().items()}
    with torch.no_grad():
        before, taken = net(centre(tiles)), 1 - net(centre(things))[0].softmax(1)[:, NONE]
    assert float(taken.mean()) > 0.5
    lessons = Lessons(steps=60, batch=32, rate=1e-3, minutes=9, tiles_count=2, seed=2)
    teach_none(net, of_tiles, Crops(things, torch.full((60,), NONE), unknown), lessons)
    with torch.no_grad():
        after, of_things = net(centre(tiles)), net(centre(things))[0].softmax(1)[:, NONE]
    assert float(of_things.mean()) > 0.9
    for one, other in zip(before[:3], after[:3], strict=True):
        assert float((one.softmax(1) - other.softmax(1)).abs().mean()) < 0.02
    assert float((before[3] * after[3]).sum(1).min()) > 0.9
    assert all(torch.equal(value, weights[name]) for name, value in net.trunk[:4].state_dict().items())
