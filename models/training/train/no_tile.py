"""Teaches a finished reader what is no tile, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from models.training.data.augment import views
from models.training.data.crops import SYMBOLS
from models.training.train.device import generator

if TYPE_CHECKING:
    from models.training.nets.read_net import ReadNet
    from models.training.train.read_score import Crops

NONE = SYMBOLS.index("none")
_STRAYING = 1e-3  # what it costs the weights to leave where they were, squared
_AT_ONCE, _STEPS = 512, 150


def fit_none(net: ReadNet, crops: Crops, seed: int, tiles_count: float) -> None:
    """Fit the one row of weights that says *none* to crops; all else that the net says stays as it is.

    To lose a tile is worse than to take a thing for one: a tile counts as so many things. Given the other symbols, this
    is a logistic regression on the summary: it has one optimum, which few crops tell.
    """
    rng = generator(seed)
    net.eval()
    crops = crops.part(torch.nonzero(crops.symbol >= 0)[:, 0])
    with torch.no_grad():
        seen = [net.summarise(views(some, rng)[0]) for some in crops.pictures.split(_AT_ONCE)]
        summary = torch.cat(seen).double()
        weight, bias = net.symbol.weight.double(), net.symbol.bias.double()
        tile = [symbol for symbol in range(len(SYMBOLS)) if symbol != NONE]
        others = (summary @ weight[tile].T + bias[tile]).logsumexp(1)
    none = (crops.symbol == NONE).double()
    counts = torch.where(none > 0, 1.0, tiles_count)
    row = torch.cat([weight[NONE], bias[NONE, None]]).detach().requires_grad_()
    before = row.detach().clone()
    optimiser = torch.optim.LBFGS([row], max_iter=_STEPS, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        said = summary @ row[:-1] + row[-1] - others
        losses = functional.binary_cross_entropy_with_logits(said, none, reduction="none")
        loss = (counts * losses).mean() + _STRAYING * (row - before).square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimiser.step(closure)  # type: ignore[no-untyped-call]
    with torch.no_grad():
        net.symbol.weight[NONE], net.symbol.bias[NONE] = row[:-1].float(), row[-1].float()
