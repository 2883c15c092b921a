"""The net that finds tiles: its layers, what it is asked to say in each cell (targets), and how wrong it is (loss)."""

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.training.data.locate_bank import Labelled
from models.training.data.render.lens import Floats
from models.training.nets.interleaved import halved
from referee.vision.networks.models import STRIDE, to_doubled_angle

_CELL = 16  # pixels: the squares whose brightness is taken


class Heads(NamedTuple):
    """What the net says at stride 4: centre logits [n, 1, h, w] and geometry [n, 6, h, w] in cells."""

    heat: Tensor
    geometry: Tensor


def _conv(inner: int, outer: int, size: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    layer = nn.Conv2d(inner, outer, size, stride, size // 2, groups=groups, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(outer), nn.ReLU(inplace=True))


class _Block(nn.Module):
    """Depthwise, then pointwise, around a shortcut."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.spread = _conv(width, width, size, groups=width)
        self.mix = nn.Sequential(nn.Conv2d(width, width, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.mix(self.spread(x)))


def _blocks(width: int, size: int, count: int) -> nn.Sequential:
    return nn.Sequential(*(_Block(width, size) for _ in range(count)))


class LocateNet(nn.Module):
    """A small U down to stride 32 and back to stride 4, on float BGR [n, 3, H, W] of 0..255, multiples of 32."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, 2, 1, bias=False)
        self.stem4 = nn.Conv2d(16, 32, 3, 2, 1, bias=False)
        # A norm alone is reckoned in another order of memory than filters are; folded into one it costs nothing.
        self.down4 = nn.Sequential(_conv(32, 32, 1, groups=32), _blocks(32, 3, 1))
        self.down8 = nn.Sequential(_conv(32, 64, 3, 2), _blocks(64, 3, 2))
        self.down16 = nn.Sequential(_conv(64, 96, 3, 2), _blocks(96, 5, 3))
        self.down32 = nn.Sequential(_conv(96, 96, 5, 2, groups=96), _conv(96, 128, 1), _blocks(128, 5, 3))
        self.up16, self.at16 = _conv(128, 96, 1), _blocks(96, 3, 1)
        self.up8, self.at8 = _conv(96, 64, 1), _blocks(64, 3, 2)
        self.up4 = _conv(64, 32, 1)
        self.at4 = _blocks(32, 3, 2)
        self.heads = nn.Conv2d(32, 7, 1)
        if self.heads.bias is not None:
            with torch.no_grad():
                self.heads.bias[:] = 0.0
                self.heads.bias[0] = -4.0  # few cells hold a centre

    def forward(self, image: Tensor) -> Heads:
        """Heat logits and geometry."""
        x = image * (1 / 255)
        return self._heads(self.stem(x), functional.avg_pool2d(x, _CELL).mean(dim=1, keepdim=True))

    def of_rows(self, rows: Tensor) -> Heads:
        """The same of a picture as it lies in memory [n, H, 3 W]."""
        stem = halved(rows[:, None], self.stem.weight / 255)
        coarse = rows.unflatten(2, (-1, 3 * _CELL)).mean(dim=3)
        return self._heads(stem, functional.avg_pool2d(coarse[:, None], (_CELL, 1)) / 255)

    def _heads(self, stem: Tensor, brightness: Tensor) -> Heads:
        x4 = self.down4(self.stem4(functional.relu(stem)) * self._gain(brightness))
        x8 = self.down8(x4)
        x16 = self.down16(x8)
        x32 = self.down32(x16)
        x16 = self.at16(x16 + _double(self.up16(x32)))
        x8 = self.at8(x8 + _double(self.up8(x16)))
        out = self.heads(self.at4(x4 + _double(self.up4(x8))))
        return Heads(out[:, :1], torch.cat([out[:, 1:3], out[:, 3:] * 4], dim=1))

    @staticmethod
    def _gain(brightness: Tensor) -> Tensor:
        """One over the brightness around each place: the stems have no bias, so a dim table looks like a bright one."""
        around = functional.avg_pool2d(brightness, 7, 1, 3, count_include_pad=False)
        return functional.interpolate(0.5 / (around + 0.02), scale_factor=4.0, mode="bilinear", align_corners=False)


def _double(x: Tensor) -> Tensor:
    return functional.interpolate(x, scale_factor=2.0, mode="nearest")


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """Wanted heat and geometry at stride 4, and how much heat, centre offset and direction count in each cell."""

    heat: Floats
    heat_weight: Floats
    geometry: Floats
    offset_weight: Floats
    vector_weight: Floats


def targets(tiles: list[Labelled], width: int, height: int) -> Targets:
    """What the net should say about a picture of that many pixels."""
    columns, rows = width // STRIDE, height // STRIDE
    heat, weight = np.zeros((rows, columns), np.float32), np.ones((rows, columns), np.float32)
    geometry = np.zeros((6, rows, columns), np.float32)
    offset, vector = np.zeros((rows, columns), np.float32), np.zeros((rows, columns), np.float32)
    nearest = np.full((rows, columns), np.inf, np.float32)
    for tile in tiles:
        if not tile.counts:
            cv2.fillConvexPoly(weight, np.round(tile.quad / STRIDE - 0.5).astype(np.int32), 0.0)
    for tile in tiles:
        quad = tile.quad / STRIDE
        centre = quad.mean(axis=0)
        column, row = int(np.floor(centre[0])), int(np.floor(centre[1]))
        if not (tile.counts and 0 <= column < columns and 0 <= row < rows):
            continue
        up, right = (quad[0] + quad[1] - quad[2] - quad[3]) / 4, (quad[1] + quad[2] - quad[0] - quad[3]) / 4
        short = 2 * min(float(np.hypot(*up)), float(np.hypot(*right)))
        sigma = float(np.clip(0.15 * short, 0.6, 2.5))
        reach = int(np.ceil(3 * sigma))
        left, top = max(0, column - reach), max(0, row - reach)
        x = np.arange(left, min(columns, column + reach + 1), dtype=np.float32)
        y = np.arange(top, min(rows, row + reach + 1), dtype=np.float32)
        far = (x[None, :] + 0.5 - centre[0]) ** 2 + (y[:, None] + 0.5 - centre[1]) ** 2
        patch = heat[top : top + len(y), left : left + len(x)]
        np.maximum(patch, np.minimum(np.exp(-far / (2 * sigma**2)), 0.98), out=patch)
        heat[row, column] = 1.0
        weight[row, column] = 1.0
        says = np.concatenate([np.zeros(2, np.float32), to_doubled_angle(np.stack([up, right])).ravel()])
        size = max(float(np.hypot(*up)), float(np.hypot(*right)))
        for r in range(max(0, row - 1), min(rows, row + 2)):
            for c in range(max(0, column - 1), min(columns, column + 2)):
                away = float((c + 0.5 - centre[0]) ** 2 + (r + 0.5 - centre[1]) ** 2)
                if away < nearest[r, c]:
                    nearest[r, c] = away
                    geometry[:, r, c] = says
                    geometry[0, r, c], geometry[1, r, c] = centre[0] - c - 0.5, centre[1] - r - 0.5
                    offset[r, c] = (1.0 if (r, c) == (row, column) else 0.4) / max(2.0, size)
                    vector[r, c] = offset[r, c] if tile.directed else 0.0
    return Targets(heat=heat, heat_weight=weight, geometry=geometry, offset_weight=offset, vector_weight=vector)


def loss(said: Heads, wanted_maps: list[Tensor]) -> tuple[Tensor, Tensor]:
    """Centre loss (penalty-reduced focal loss, Zhou et al. 2019, eq. 1) and geometry loss (in tile sizes), per tile."""
    heat, heat_weight, geometry, offset, vector = wanted_maps
    logit = said.heat[:, 0].float()
    chance = torch.sigmoid(logit).clamp(1e-5, 1 - 1e-5)
    wanted = heat == 1
    hit = (1 - chance) ** 2 * functional.logsigmoid(logit)
    miss = (1 - heat) ** 4 * chance**2 * functional.logsigmoid(-logit)
    tiles = wanted.sum().clamp(min=4)
    centre = -(torch.where(wanted, hit, miss) * heat_weight).sum() / tiles
    off = (said.geometry.float() - geometry).abs()
    shape = (off[:, :2].sum(1) * offset).sum() + (off[:, 2:].sum(1) * vector).sum()
    return centre, shape / tiles


def unlike(said: Heads, taught: Heads) -> Tensor:
    """How far the net is from what another model says (its heat as a chance), in chance and in tile sizes, per tile."""
    chance, (x, y, p, q) = taught.heat[:, 0], taught.geometry[:, 2:].unbind(1)
    centre = functional.binary_cross_entropy_with_logits(said.heat[:, 0].float(), chance, reduction="sum")
    size = torch.maximum(torch.hypot(x, y), torch.hypot(p, q)).clamp(min=2)
    seen = torch.where(chance > 0.3, chance, 0.0)
    shape = ((said.geometry.float() - taught.geometry).abs().sum(1) * seen / size).sum()
    return (centre + shape) / chance.sum().clamp(min=4)
