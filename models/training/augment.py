"""Training's own looks at a stored crop: turned round, moved as a detector errs, and lit a little differently."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from models.training.crops import CROP, WIDE_CROP


def centre(wide: Tensor) -> Tensor:
    """The crop the net is meant to get, out of a wide one [n, 80, 60, 3]."""
    top, left = (WIDE_CROP[0] - CROP[0]) // 2, (WIDE_CROP[1] - CROP[1]) // 2
    return wide[:, top : top + CROP[0], left : left + CROP[1]]


def moved(wide: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Wide crops with their windows moved by so many pixels each."""
    theta = torch.zeros(len(wide), 2, 3)
    theta[:, 0, 0] = theta[:, 1, 1] = 1
    theta[:, 0, 2], theta[:, 1, 2] = columns * 2 / WIDE_CROP[1], rows * 2 / WIDE_CROP[0]
    pictures = wide.permute(0, 3, 1, 2).to(torch.float32)
    grid = functional.affine_grid(theta, list(pictures.shape), align_corners=False)
    pictures = functional.grid_sample(pictures, grid, padding_mode="border", align_corners=False)
    return pictures.round().to(torch.uint8).permute(0, 2, 3, 1).contiguous()


def views(wide: Tensor, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Pictures [n, 3, 64, 48] in 0..1 of upright wide crops, half of them turned round, and which are upright."""
    count = len(wide)
    upright = torch.rand(count, generator=rng) < 0.5
    pictures = wide.permute(0, 3, 1, 2).to(torch.float32) / 255
    grid = functional.affine_grid(_errors(upright, rng), [count, 3, *CROP], align_corners=False)
    pictures = functional.grid_sample(pictures, grid, padding_mode="border", align_corners=False)
    return _light(pictures, rng), upright


def _errors(upright: Tensor, rng: torch.Generator) -> Tensor:
    """Where a detector would have put the corners: off by up to about 8 % of the tile and a few degrees."""
    count = len(upright)

    def spread(scale: float) -> Tensor:
        return (torch.randn(count, generator=rng) * scale).clamp(-2.2 * scale, 2.2 * scale)

    turn, shear = spread(0.035), spread(0.03)
    wide, high = 1 + spread(0.045), 1 + spread(0.045)
    ratio = CROP[0] / CROP[1]
    sign = torch.where(upright, 1.0, -1.0) * (CROP[0] / WIDE_CROP[0])
    row_x = torch.stack([wide * sign, (-turn + shear) * ratio * sign, spread(0.03)], 1)
    row_y = torch.stack([turn / ratio * sign, high * sign, spread(0.03)], 1)
    return torch.stack([row_x, row_y], 1)


def _light(pictures: Tensor, rng: torch.Generator) -> Tensor:
    count = len(pictures)

    def spread(*shape: int, scale: float) -> Tensor:
        return torch.randn(count, *shape, generator=rng) * scale

    pictures = pictures * torch.exp(spread(1, 1, 1, scale=0.15) + spread(3, 1, 1, scale=0.05))
    pictures = pictures.clamp(1e-4, 1) ** torch.exp(spread(1, 1, 1, scale=0.12))
    some = torch.rand(count, generator=rng) < 0.12
    if bool(some.any()):
        pictures[some] = functional.avg_pool2d(pictures[some], 3, 1, 1, count_include_pad=False)
    noise = torch.randn(pictures.shape, generator=rng) * torch.rand(count, 1, 1, 1, generator=rng) * 0.03
    return (pictures + noise).clamp(0, 1)
