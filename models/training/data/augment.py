"""Training's own looks at a stored crop: turned round, moved as a detector errs, printed and lit differently."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional

from models.training.data.crops import CROP, WIDE_CROP

Change = Callable[[Tensor, torch.Generator], Tensor]
"""Pictures [n, 3, 64, 48] in 0..1 into others."""

AROUND = 2.0
"""How many times as wide and as high as its tile a crop for learning corners is."""
_FAR_OFF = (0.35, 2.2)  # how many quads err by more, and how many times more


def centre(wide: Tensor) -> Tensor:
    """The crop the net is meant to get, out of a wide one [n, 80, 60, 3]."""
    top, left = (WIDE_CROP[0] - CROP[0]) // 2, (WIDE_CROP[1] - CROP[1]) // 2
    return wide[:, top : top + CROP[0], left : left + CROP[1]]


def shrunk(pictures: Tensor, size: tuple[int, int]) -> Tensor:
    """Pictures [n, c, rows, columns] of another size, as the referee shrinks crops: each pixel of four around it."""
    if tuple(pictures.shape[2:]) == size:
        return pictures
    return functional.interpolate(pictures, size, mode="bilinear")


def moved(wide: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Wide crops with their windows moved by so many pixels each."""
    theta = torch.zeros(len(wide), 2, 3)
    theta[:, 0, 0] = theta[:, 1, 1] = 1
    theta[:, 0, 2], theta[:, 1, 2] = columns * 2 / WIDE_CROP[1], rows * 2 / WIDE_CROP[0]
    pictures = wide.permute(0, 3, 1, 2).to(torch.float32)
    grid = functional.affine_grid(theta, list(pictures.shape), align_corners=False)
    pictures = functional.grid_sample(pictures, grid, padding_mode="border", align_corners=False)
    return pictures.round().to(torch.uint8).permute(0, 2, 3, 1).contiguous()


def views(wide: Tensor, rng: torch.Generator, *, reprinted: bool = True) -> tuple[Tensor, Tensor]:
    """Pictures [n, 3, 64, 48] in 0..1 of upright wide crops, half of them turned round, and which are upright.

    Some are `reprinted` with thinner strokes or hollow: the same tile of another box.
    """
    count = len(wide)
    upright = torch.rand(count, generator=rng) < 0.5
    pictures = wide.permute(0, 3, 1, 2).to(torch.float32) / 255
    grid = functional.affine_grid(_errors(upright, rng), [count, 3, *CROP], align_corners=False)
    pictures = functional.grid_sample(pictures, grid, padding_mode="border", align_corners=False)
    if reprinted:
        pictures = _some(((0.05, thinned), (0.05, hollowed)), pictures, rng)
    return _light(pictures, rng), upright


def misplaced(wide: Tensor, span: float, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Pictures [n, 3, 64, 48] in 0..1 cut out of wide crops where a detector that errs might see the tile, and moves.

    A wide crop holds a tile in its middle, `AROUND` times as wide and as high; a picture is a quad widened to `span`,
    either way up. The moves [n, 6] lead from that quad to the tile; see `referee.vision.detect.corner_refinement`.
    """
    count = len(wide)

    def spread(scale: float) -> Tensor:
        return (torch.randn(count, generator=rng) * scale).clamp(-2.2 * scale, 2.2 * scale) * far

    far = torch.where(torch.rand(count, generator=rng) < _FAR_OFF[0], _FAR_OFF[1], 1.0)
    upright = torch.where(torch.rand(count, generator=rng) < 0.5, 1.0, -1.0)[:, None]
    middle = torch.stack([spread(0.09), spread(0.08)], 1)  # of a located quad, in half sides of the tile, right and up
    right = torch.stack([torch.exp(spread(0.06)), spread(0.053)], 1) * upright
    up = torch.stack([spread(0.095), torch.exp(spread(0.06))], 1) * upright
    across = torch.stack([right, up], 2)  # from half sides of the quad to those of the tile
    grid = functional.affine_grid(_flipped(across * span, middle) / AROUND, [count, 3, *CROP], align_corners=False)
    pictures = wide.permute(0, 3, 1, 2).to(torch.float32) / 255
    pictures = functional.grid_sample(pictures, grid, padding_mode="border", align_corners=False)
    back = torch.linalg.inv(across)
    centre = -(back @ middle[:, :, None])[:, :, 0]
    sides = (back * upright[:, :, None] - torch.eye(2)).transpose(1, 2)  # one row each for the tile's right and up
    return _light(pictures, rng), torch.cat([centre, sides.flatten(1)], 1)


def _flipped(across: Tensor, middle: Tensor) -> Tensor:
    """Affine maps [n, 2, 3] for pictures, whose rows go down, of ones for which up is up."""
    down = torch.tensor([[1.0, -1.0], [-1.0, 1.0]])
    return torch.cat([across * down, (middle * torch.tensor([1.0, -1.0]))[:, :, None]], 2)


def _errors(upright: Tensor, rng: torch.Generator) -> Tensor:
    """Where the locator puts the corners: middles off by 3 % of the tile's height, sides by 5 %, a few degrees."""
    count = len(upright)

    def spread(scale: float) -> Tensor:
        return (torch.randn(count, generator=rng) * scale).clamp(-2.2 * scale, 2.2 * scale)

    turn, shear = spread(0.035), spread(0.03)
    wide, high = 1 + spread(0.06), 1 + spread(0.055)
    ratio = CROP[0] / CROP[1]
    sign = torch.where(upright, 1.0, -1.0) * (CROP[0] / WIDE_CROP[0])
    row_x = torch.stack([wide * sign, (-turn + shear) * ratio * sign, spread(0.05)], 1)
    row_y = torch.stack([turn / ratio * sign, high * sign, spread(0.045)], 1)
    return torch.stack([row_x, row_y], 1)


def _light(pictures: Tensor, rng: torch.Generator) -> Tensor:
    """Other shadows, lamps, cameras and distances."""
    count = len(pictures)

    def spread(*shape: int, scale: float) -> Tensor:
        return torch.randn(count, *shape, generator=rng) * scale

    pictures = _some(((0.15, barred),), pictures, rng)
    pictures = pictures * torch.exp(spread(1, 1, 1, scale=0.15) + spread(3, 1, 1, scale=0.06))
    pictures = _some(((0.08, _overexposed),), pictures, rng)
    pictures = pictures.clamp(1e-4, 1) ** torch.exp(spread(1, 1, 1, scale=0.15))
    pictures = _some(
        ((0.22, glared), (0.4, _washed), (0.08, _coarser), (0.08, _smeared), (0.12, _softer)), pictures, rng
    )
    noise = torch.randn(pictures.shape, generator=rng) * torch.rand(count, 1, 1, 1, generator=rng) * 0.03
    return (pictures + noise).clamp(0, 1)


def _some(changes: Sequence[tuple[float, Change]], pictures: Tensor, rng: torch.Generator) -> Tensor:
    """Each change made to so large a share of the pictures, which are overwritten."""
    for share, change in changes:
        part = torch.rand(len(pictures), generator=rng) < share
        if bool(part.any()):
            pictures[part] = change(pictures[part], rng)
    return pictures


def _between(count: int, rng: torch.Generator, least: float, most: float) -> Tensor:
    """A value for each of so many pictures [n, 1, 1]."""
    return least + torch.rand(count, 1, 1, generator=rng) * (most - least)


def thinned(pictures: Tensor, rng: torch.Generator) -> Tensor:
    """Strokes thinner and paler than those of the print."""
    share = 0.4 + torch.rand(len(pictures), 1, 1, 1, generator=rng) * 0.5
    return pictures + share * (functional.max_pool2d(pictures, 3, 1, 1) - pictures)


def hollowed(pictures: Tensor, rng: torch.Generator) -> Tensor:
    """Digits of which the outline alone is printed: what lies deep in a stroke takes the colour of the body."""
    share = 0.6 + torch.rand(len(pictures), 1, 1, 1, generator=rng) * 0.4
    core = functional.max_pool2d(pictures, 3, 1, 1)
    body = functional.max_pool2d(pictures, 15, 1, 7)
    return torch.minimum(pictures + share * (body - core), torch.maximum(body, pictures))


def barred(pictures: Tensor, rng: torch.Generator) -> Tensor:
    """Bars of shadow with sharp or soft edges, as the slats of a blind, a chair's back or a window frame cast them."""
    between = partial(_between, len(pictures), rng)
    turn, pitch = between(0, math.pi), torch.exp(between(math.log(7), math.log(200)))
    rows = torch.arange(CROP[0])[None, :, None] - CROP[0] / 2
    columns = torch.arange(CROP[1])[None, None, :] - CROP[1] / 2
    place = (rows * turn.sin() + columns * turn.cos()) / pitch + between(0, 1)
    inside = between(0.25, 0.75) / 2 - (place - place.round()).abs()  # of a bar, in bars' distances
    shade = (inside * pitch / torch.exp(between(math.log(0.5), math.log(5))) + 0.5).clamp(0, 1)
    return pictures * (1 - shade * between(0.25, 0.75))[:, None]


def glared(pictures: Tensor, rng: torch.Generator) -> Tensor:
    """A lamp mirrored in the tile: a round or long spot with sharp or soft edges that all but washes out the print."""
    between = partial(_between, len(pictures), rng)
    turn, rows, columns = between(0, math.pi), between(0, CROP[0]), between(0, CROP[1])
    long, wide = (torch.exp(between(math.log(7), math.log(most))) for most in (50, 25))
    y, x = torch.arange(CROP[0])[None, :, None] - rows, torch.arange(CROP[1])[None, None, :] - columns
    distance = torch.hypot((y * turn.sin() + x * turn.cos()) / long, (y * turn.cos() - x * turn.sin()) / wide)
    spot = torch.sigmoid((1 - distance) * torch.exp(between(math.log(2), math.log(12)))) * between(0.3, 0.95)
    return pictures + spot[:, None] * (between(0.8, 1)[:, None] - pictures).clamp_min(0)


def _overexposed(pictures: Tensor, rng: torch.Generator) -> Tensor:
    return pictures * (1 + torch.rand(len(pictures), 1, 1, 1, generator=rng) * 0.9)


def _washed(pictures: Tensor, rng: torch.Generator) -> Tensor:
    """Paler colours as cheap cameras have them (or stronger ones as telephones like them), and haze."""
    share = torch.rand(len(pictures), 1, 1, 1, generator=rng) * 0.9 - 0.3
    haze = torch.rand(len(pictures), 1, 1, 1, generator=rng) * 0.12
    pictures = pictures + share * (pictures.mean(1, keepdim=True) - pictures)
    return pictures.clamp(0, 1) * (1 - haze) + haze


def _coarser(pictures: Tensor, rng: torch.Generator) -> Tensor:
    """As a tile of 22 to 48 pixels comes out."""
    rows = int(torch.randint(26, 56, (1,), generator=rng))
    few = functional.interpolate(pictures, (rows, rows * 3 // 4), mode="bilinear", antialias=True)
    return functional.interpolate(few, CROP, mode="bilinear")


def _softer(pictures: Tensor, rng: torch.Generator) -> Tensor:
    del rng
    return functional.avg_pool2d(pictures, 3, 1, 1, count_include_pad=False)


def _smeared(pictures: Tensor, rng: torch.Generator) -> Tensor:
    """Moved while the shutter was open, along one of four directions."""
    length = int(torch.randint(3, 10, (1,), generator=rng)) | 1
    direction = int(torch.randint(4, (1,), generator=rng))
    line = torch.eye(length)
    kernel = (line, line.flip(0), torch.zeros_like(line), torch.zeros_like(line))[direction].clone()
    if direction == 2:
        kernel[length // 2] = 1
    elif direction == 3:
        kernel[:, length // 2] = 1
    edge = length // 2
    padded = functional.pad(pictures, (edge, edge, edge, edge), mode="replicate")
    weights = (kernel / kernel.sum()).expand(3, 1, length, length)
    return functional.conv2d(padded, weights, groups=3)
