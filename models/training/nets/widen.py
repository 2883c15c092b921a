"""A wider net that says what a narrower one says: each further channel copies one, and the copies share its say.

After Chen, Goodfellow and Shlens, "Net2Net: Accelerating Learning via Knowledge Transfer" (2016). What the narrow net
has learnt need not be learnt again; training goes on from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.training.nets.read_net import Conv

if TYPE_CHECKING:
    from models.training.nets.read_net import ReadNet

NOISE = 0.03  # of the weights' spread: copies that are the same would learn the same
HEADS = ("symbol", "ink", "upright", "embedding")


def widen(narrow: ReadNet, wide: ReadNet, rng: torch.Generator, noise: float = NOISE) -> None:
    """Give the wide net the weights of the narrow one, whose layers it has with more channels."""

    def apart(weight: Tensor) -> Tensor:
        return weight + noise * weight.std() * torch.randn(weight.shape, generator=rng)

    def widen_linear(weight: Tensor, bias: Tensor, many: nn.Linear, inputs: Tensor, outputs: Tensor) -> None:
        many.weight.copy_(apart(_shared(weight, inputs)[outputs]))
        many.bias.copy_(bias[outputs])

    channels = torch.arange(3)
    copied: dict[int, Tensor] = {}  # by width: what a shortcut adds up must have been copied alike
    with torch.no_grad():
        for few, many in zip(_convolutions(narrow), _convolutions(wide), strict=True):
            weight = few[0].weight
            if few[0].groups == 1:
                shared, width = _shared(weight, channels), many[0].out_channels
                channels = copied.setdefault(width, _copies(few[0].out_channels, width, rng))
                weight = shared
            many[0].weight.copy_(apart(weight[channels]))
            for name in ("weight", "bias", "running_mean", "running_var"):
                getattr(many[1], name).copy_(getattr(few[1], name)[channels])
        before, after = (cast("nn.Linear", net.summary[2]) for net in (narrow, wide))
        cells = after.in_features // len(channels)
        numbers = _copies(before.out_features, after.out_features, rng)
        weight = on_grid(before.weight, narrow.layers.grid, wide.layers.grid)
        inputs = (channels[:, None] * cells + torch.arange(cells)).flatten()
        widen_linear(weight, before.bias, after, inputs, numbers)
        for head in HEADS:
            said: nn.Linear = getattr(narrow, head)
            widen_linear(said.weight, said.bias, getattr(wide, head), numbers, torch.arange(said.out_features))


def on_grid(weight: Tensor, before: tuple[int, int], after: tuple[int, int]) -> Tensor:
    """Weights [outputs, channels x cells] for a grid of cells, for another one that shows the same."""
    if before == after:
        return weight
    down, across = (_between(many, few) for many, few in zip(after, before, strict=True))
    return (down.T @ weight.unflatten(1, (-1, *before)) @ across).flatten(1)


def _between(many: int, few: int) -> Tensor:
    """How much each of `many` cells in a line counts in each of `few` in its place [few, many]."""
    return functional.interpolate(torch.eye(many)[None], few, mode="linear")[0].T


def _convolutions(net: ReadNet) -> list[tuple[nn.Conv2d, nn.BatchNorm2d]]:
    layers = [layer for layer in net.trunk.modules() if isinstance(layer, Conv)]
    return [(cast("nn.Conv2d", layer[0]), cast("nn.BatchNorm2d", layer[1])) for layer in layers]


def _copies(few: int, many: int, rng: torch.Generator) -> Tensor:
    """Which of a few channels each of many copies [many]: first each one, then some by chance."""
    return torch.cat([torch.arange(few), torch.randint(few, (many - few,), generator=rng)])


def _shared(weight: Tensor, channels: Tensor) -> Tensor:
    """Weights [outputs, inputs, …] for copied inputs: the copies of one share what it had."""
    count = torch.bincount(channels, minlength=weight.shape[1])[channels]
    return weight[:, channels] / count.reshape(1, -1, *[1] * (weight.dim() - 2))
