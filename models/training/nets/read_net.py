"""The net that reads one tile: its layers, and its export to ONNX with proof that both give the same."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

import numpy as np
import onnx
import onnxruntime
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.training.data.augment import shrunk
from models.training.data.crops import CROP, SYMBOLS
from models.training.data.render.faces import LETTERS
from models.training.nets.interleaved import halved, in_rows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

EMBEDDING = 32
_BODY_CELL_RANKS = 10 / 48, 28 / 48  # of the cells, the brightest first


class Layers(NamedTuple):
    """Channels of the stem, after each halving and at the end; numbers in the summary; rows and columns of a crop."""

    channels: tuple[int, int, int, int, int]
    numbers: int
    crop: tuple[int, int]

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns after four halvings."""
        rows, columns = (-(-side // 16) for side in self.crop)
        return rows, columns

    @property
    def cell(self) -> tuple[int, int]:
        """Rows and columns of the cells by which the colour of a tile's body is told: eight by six, or by four."""
        high, wide = max(self.crop), min(self.crop)
        along, across = high // 8, wide // (4 if wide % 6 else 6)
        return (along, across) if self.crop == (high, wide) else (across, along)


READER = Layers((16, 32, 80, 128, 64), 128, (48, 32))
REREADER = Layers((24, 48, 136, 216, 96), 192, CROP)
"""Of either reader."""
OUTPUTS = ("symbol", "ink", "upright", "embedding")


class Conv(nn.Sequential):
    """A convolution, its norm, and what is below zero cut off."""

    def __init__(self, inputs: int, outputs: int, size: int = 3, stride: int = 1, groups: int = 1) -> None:
        super().__init__(
            nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
        )


class _Residual(nn.Module):
    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.layers(x)


def mixing(width: int) -> _Residual:
    """Depthwise, then pointwise, around a shortcut."""
    return _Residual(Conv(width, width, 3, groups=width), Conv(width, width, 1))


def halving(inputs: int, outputs: int) -> nn.Sequential:
    """To half of the rows and columns: depthwise, then pointwise."""
    return nn.Sequential(Conv(inputs, inputs, 3, 2, groups=inputs), Conv(inputs, outputs, 1))


class ReadNet(nn.Module):
    """Crops uint8 [n, 64, 48, 3] BGR to symbol, ink and upright logits and an embedding of length one.

    They are shrunk to those of its layers first, or may come so. Where the digit sits tells 6 from 9, so the last grid
    (3 by 3 or 4 by 3) is flattened, never averaged.
    """

    def __init__(self, layers: Layers = READER) -> None:
        super().__init__()
        self.layers = layers
        stem, half, quarter, eighth, last = layers.channels
        self.trunk = nn.Sequential(
            Conv(3, stem, 3, 2),
            halving(stem, half),
            mixing(half),
            halving(half, quarter),
            *(mixing(quarter) for _ in range(4)),
            halving(quarter, eighth),
            *(mixing(eighth) for _ in range(3)),
            Conv(eighth, last, 1),
        )
        numbers, (rows, columns) = layers.numbers, layers.grid
        dense = nn.Linear(last * rows * columns, numbers)
        self.summary = nn.Sequential(nn.Flatten(), nn.Dropout(0.1), dense, nn.ReLU(inplace=True))
        self.symbol = nn.Linear(numbers, len(SYMBOLS))
        self.ink = nn.Linear(numbers, len(LETTERS))
        self.upright = nn.Linear(numbers, 2)
        self.embedding = nn.Linear(numbers, EMBEDDING)

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The four outputs, in the order of OUTPUTS."""
        return self._answers(self.summarise(crops.permute(0, 3, 1, 2).to(torch.float32) / 255))

    def of_rows(self, crops: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The same of crops as small as this net sees them, for use: no planes are made of them."""
        rows = in_rows(crops, self.layers.crop)
        high, wide = self.layers.cell
        channels = torch.eye(3).repeat(1, wide)[:, None, None].expand(-1, -1, high, -1) / (high * wide)
        body = _body_colour(functional.conv2d(rows, channels.contiguous(), stride=(high, 3 * wide)), 255)
        everywhere = (1 / body) @ torch.eye(3).repeat(1, self.layers.crop[1])
        relative = rows * everywhere[:, None, None] - 0.8
        return self._answers(self.summary(self.trunk[1:](over_rows(self.trunk[0], relative.clamp(-0.8, 1.2)))))

    def summarise(self, pictures: Tensor) -> Tensor:
        """What the heads look at, from pictures [n, 3, 64, 48] in 0..1 or as small as this net sees them."""
        pictures = shrunk(pictures, self.layers.crop)
        body = _body_colour(functional.avg_pool2d(pictures, self.layers.cell))
        relative = pictures / body[..., None, None] - 0.8
        summary: Tensor = self.summary(self.trunk(relative.clamp(-0.8, 1.2)))
        return summary

    def exchanged(self) -> ReadNet:
        """The same net for crops whose rows are columns."""
        net = ReadNet(self.layers._replace(crop=self.layers.crop[::-1]))
        net.load_state_dict(exchanged(self.state_dict(), "summary.2.weight", self.layers.grid))
        return net.train(self.training)

    def _answers(self, summary: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        embedding = self.embedding(summary)
        length = embedding.norm(dim=1, keepdim=True).clamp_min(1e-12)
        return self.symbol(summary), self.ink(summary), self.upright(summary), embedding / length


def _body_colour(cells: Tensor, white: float = 1.0) -> Tensor:
    """The tile's own body by channel [n, 3], out of cells [n, 3, rows, columns]: brighter than most, but not glare."""
    count = int(cells.shape[2]) * int(cells.shape[3])  # an export would keep them open
    ranked = torch.topk(cells.reshape(-1, 3, count), round(_BODY_CELL_RANKS[1] * count), dim=2).values
    return ranked[:, :, round(_BODY_CELL_RANKS[0] * count) :].mean(2).clamp_min(0.02 * white)


def over_rows(first: nn.Module, rows: Tensor) -> Tensor:
    """What a `Conv` that halves says of pictures as they lie in memory [n, 1, height, 3 width]."""
    convolution, norm = cast("tuple[nn.Conv2d, nn.BatchNorm2d]", tuple(first.children())[:2])
    if norm.running_mean is None or norm.running_var is None:
        raise ValueError("a norm without statistics cannot be folded")
    scale = norm.weight / (norm.running_var + norm.eps).sqrt()
    weight, bias = convolution.weight * scale[:, None, None, None], norm.bias - norm.running_mean * scale
    return functional.relu(halved(rows, weight, bias))


def exchanged(weights: Mapping[str, Tensor], dense: str, grid: tuple[int, int]) -> dict[str, Tensor]:
    """Weights of a net for pictures whose rows are columns; `dense` names those on its last grid (rows, columns)."""

    def turned(name: str, weight: Tensor) -> Tensor:
        if name == dense:
            return weight.unflatten(1, (-1, *grid)).transpose(2, 3).flatten(1)
        return weight.transpose(2, 3) if weight.ndim == 4 else weight

    return {name: turned(name, weight) for name, weight in weights.items()}


class _CropNet(Protocol):
    """A net that says what it says of crops uint8 [n, rows, columns, 3] in training's way, and faster."""

    def exchanged(self) -> nn.Module: ...

    def of_rows(self, crops: Tensor) -> Tensor | tuple[Tensor, ...]: ...


class _InUse(nn.Module):
    """A net as it is exported, for crops whose rows are columns."""

    def __init__(self, net: _CropNet) -> None:
        super().__init__()
        self.net = cast("_CropNet", net.exchanged())

    def forward(self, crops: Tensor) -> Tensor | tuple[Tensor, ...]:
        return self.net.of_rows(crops)


def export(net: nn.Module, path: Path, size: tuple[int, int], outputs: tuple[str, ...] = OUTPUTS) -> float:
    """Write a net that looks at crops of a size (rows, columns) as ONNX, and check it against torch on noise.

    The model takes crops whose rows are columns. Gives the largest difference met.
    """
    net = net.eval()
    sample = torch.from_numpy(np.random.default_rng(0).integers(0, 256, (5, *size, 3), np.uint8))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _InUse(cast("_CropNet", net)).eval(),
            (sample.transpose(1, 2).contiguous(),),
            str(path),
            input_names=["crops"],
            output_names=list(outputs),
            dynamic_axes={"crops": {0: "n"}, **{name: {0: "n"} for name in outputs}},
            opset_version=17,
            dynamo=False,
        )
    onnx.checker.check_model(onnx.load(str(path)))
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    with torch.no_grad():
        wanted = net(sample)
    wanted = wanted if len(outputs) > 1 else (wanted,)
    given = session.run(None, {"crops": sample.transpose(1, 2).contiguous().numpy()})
    difference = max(float(np.abs(a.numpy() - np.asarray(b)).max()) for a, b in zip(wanted, given, strict=True))
    if difference > 1e-3:
        raise RuntimeError(f"{path}: ONNX differs from torch by {difference:g}; do not publish it")
    return difference
