"""The first layer of a net over pictures as they lie in memory, channels side by side: no planes are made of them.

A filter over three planes does what one three times as wide does over rows [n, height, 3 width] of all three.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn import functional

if TYPE_CHECKING:
    from torch import Tensor


def in_rows(crops: Tensor, size: tuple[int, int]) -> Tensor:
    """Crops [n, height, width, 3] of a size (height, width) as rows of numbers [n, 1, height, 3 width]."""
    height, width = size
    return crops.reshape(-1, 1, height, 3 * width).to(torch.float32)  # sizes that are known cost an export nothing


def halved(rows: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Rows [n, 1, height, 3 width] to half of their height and width, by filters over planes [outputs, 3, size, size].

    What lies beyond their edges counts as zero.
    """
    size = weight.shape[2]
    wide = weight.permute(0, 2, 3, 1).flatten(2)[:, None]
    return functional.conv2d(rows, wide, bias, stride=(2, 6), padding=(size // 2, 3 * (size // 2)))


def over_planes(weight: Tensor) -> Tensor:
    """Filters over planes, from those that a model has over rows [outputs, 1, size, 3 size]; others as they are."""
    high, wide = weight.shape[2:]
    return weight.reshape(-1, high, high, 3).permute(0, 3, 1, 2) if wide == 3 * high else weight
