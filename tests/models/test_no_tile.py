"""Teaching a finished reader what is no tile: it learns that, and says all else as before."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")

import torch

from models.training.data.augment import centre
from models.training.data.crops import HIDDEN, WIDE_CROP
from models.training.nets.published import MODELS
from models.training.train.no_tile import NONE, fit_none
from models.training.train.read import restored
from models.training.train.read_score import Crops


def striped(rng: np.random.Generator, count: int, *, across: bool) -> np.ndarray:
    """Crops with stripes of any colour along or across: things, and tiles."""
    lines = np.arange(WIDE_CROP[0 if across else 1]) // 6 % 2
    stripes = lines[:, None] if across else lines[None, :]
    light, dark = rng.integers(150, 255, (count, 1, 1, 3)), rng.integers(0, 90, (count, 1, 1, 3))
    return np.where(np.broadcast_to(stripes, WIDE_CROP)[None, :, :, None], light, dark).astype(np.uint8)


def test_things_are_told_from_tiles_and_nothing_else_changes() -> None:
    rng = np.random.default_rng(1)
    pictures = torch.from_numpy(np.concatenate([striped(rng, 60, across=True), striped(rng, 60, across=False)]))
    symbols = torch.tensor([3] * 60 + [NONE] * 60)
    symbols[0] = HIDDEN  # of which nobody should be sure: it teaches nothing
    crops = Crops(pictures, symbols, torch.zeros_like(symbols))
    net = restored(MODELS / "tiles-read.onnx", crops, seed=1).eval()
    with torch.no_grad():
        before = [head.clone() for head in net(centre(pictures))]
    fit_none(net, crops, seed=2, tiles_count=3)
    with torch.no_grad():
        after = net(centre(pictures))
    others = [symbol for symbol in range(before[0].shape[1]) if symbol != NONE]
    assert torch.equal(after[0][:, others], before[0][:, others])
    assert all(torch.equal(one, other) for one, other in zip(after[1:], before[1:], strict=True))
    chance = after[0].softmax(1)[:, NONE]
    assert float(chance[60:].mean()) > 0.9
    assert float(chance[1:60].mean()) < 0.1
