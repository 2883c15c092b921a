"""Build a network with YOLO11n's layers and random weights, on which speed does not depend, for `benchmarks.read`.

Layers, widths, strides and depths follow Ultralytics' description of YOLO11 at scale n (`yolo11.yaml`), with norms
folded into the convolutions as in its export. Only the few additions that place the boxes in the picture are left out.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

_CLASSES, _BINS = 80, 16  # classes; bins of the distance to each side of a box
_ATTENTION_HEADS = 2


def yolo11n() -> onnx.ModelProto:
    """Return the network: `images` [1, 3, H, W], multiples of 32, to boxes and classes of every cell [1, 84, cells]."""
    net = _Net()
    x = net.conv("images", 3, 16, 3, 2)
    x = net.conv(x, 16, 32, 3, 2)
    x = net.c3k2(x, 32, 64, width_ratio=0.25)
    x = net.conv(x, 64, 64, 3, 2)
    at8 = net.c3k2(x, 64, 128, width_ratio=0.25)
    x = net.conv(at8, 128, 128, 3, 2)
    at16 = net.c3k2(x, 128, 128, is_deep=True)
    x = net.conv(at16, 128, 256, 3, 2)
    x = net.c3k2(x, 256, 256, is_deep=True)
    at32 = net.c2psa(net.sppf(x, 256), 256)
    up16 = net.c3k2(net.concat(net.upsample(at32), at16), 384, 128)
    small = net.c3k2(net.concat(net.upsample(up16), at8), 256, 64)
    medium = net.c3k2(net.concat(net.conv(small, 64, 64, 3, 2), up16), 192, 128)
    large = net.c3k2(net.concat(net.conv(medium, 128, 128, 3, 2), at32), 384, 256, is_deep=True)
    return net.model(net.heads({small: 64, medium: 128, large: 256}))


class _Net:
    """A growing graph; each method adds layers to a tensor and returns the name of the result."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []
        self._rng = np.random.default_rng(0)

    def conv(
        self,
        flow: str,
        inputs: int,
        outputs: int,
        size: int = 1,
        stride: int = 1,
        *,
        groups: int = 1,
        is_linear: bool = False,
    ) -> str:
        """Add a convolution, and its SiLU unless it is linear."""
        fan_in = inputs // groups * size * size
        kernel = self._rng.normal(0, fan_in**-0.5, (outputs, inputs // groups, size, size)).astype(np.float32)
        weights = self._constant(kernel), self._constant(np.zeros(outputs, np.float32))
        out = self._add(
            "Conv", flow, *weights, strides=[stride] * 2, pads=[size // 2] * 4, group=groups, kernel_shape=[size] * 2
        )
        return out if is_linear else self._add("Mul", out, self._add("Sigmoid", out))

    def c3k2(self, flow: str, inputs: int, outputs: int, *, is_deep: bool = False, width_ratio: float = 0.5) -> str:
        """Add a C3k2: half of the channels bypass a block, half pass through it; a deep block splits once more."""
        width = int(outputs * width_ratio)
        first, other = self._halves(self.conv(flow, inputs, 2 * width), width)
        block = self._c3k(other, width) if is_deep else self._bottleneck(other, width, width // 2)
        return self.conv(self.concat(first, other, block), 3 * width, outputs)

    def _c3k(self, flow: str, width: int) -> str:
        half = width // 2
        inner = self.conv(flow, width, half)
        for _ in range(2):
            inner = self._bottleneck(inner, half, half)
        return self.conv(self.concat(inner, self.conv(flow, width, half)), width, width)

    def _bottleneck(self, flow: str, width: int, narrow: int) -> str:
        inner = self.conv(self.conv(flow, width, narrow, 3), narrow, width, 3)
        return self._add("Add", flow, inner)

    def sppf(self, flow: str, width: int) -> str:
        """Add an SPPF: max pooling three times in a row."""
        levels = [self.conv(flow, width, width // 2)]
        for _ in range(3):
            levels.append(self._add("MaxPool", levels[-1], kernel_shape=[5, 5], pads=[2] * 4, strides=[1, 1]))
        return self.conv(self.concat(*levels), 2 * width, width)

    def c2psa(self, flow: str, width: int) -> str:
        """Add a C2PSA: half of the channels attend to all positions."""
        half = width // 2
        first, other = self._halves(self.conv(flow, width, width), half)
        other = self._add("Add", other, self._attention(other, half))
        inner = self.conv(self.conv(other, half, width), width, half, is_linear=True)
        return self.conv(self.concat(first, self._add("Add", other, inner)), width, width)

    def _attention(self, flow: str, width: int) -> str:
        each = width // _ATTENTION_HEADS
        key = each // 2
        qkv = self.conv(flow, width, 2 * width, is_linear=True)
        qkv = self._add("Reshape", qkv, self._constant(np.array([1, _ATTENTION_HEADS, 2 * key + each, -1])))
        queries, keys, values = self._split(qkv, [key, key, each], axis=2)
        scores = self._add("MatMul", self._add("Transpose", queries, perm=[0, 1, 3, 2]), keys)
        scores = self._add("Mul", scores, self._constant(np.array(key**-0.5, np.float32)))
        shares = self._add("Transpose", self._add("Softmax", scores, axis=-1), perm=[0, 1, 3, 2])
        shape = self._add("Shape", flow)
        attended = self._add("Reshape", self._add("MatMul", values, shares), shape)
        position = self.conv(self._add("Reshape", values, shape), width, width, 3, groups=width, is_linear=True)
        return self.conv(self._add("Add", attended, position), width, width, is_linear=True)

    def heads(self, levels: dict[str, int]) -> str:
        """Add the heads for boxes and classes of every cell of each level; `levels` gives the channels."""
        outputs = []
        for flow, width in levels.items():
            box = self.conv(self.conv(flow, width, 4 * _BINS, 3), 4 * _BINS, 4 * _BINS, 3)
            box = self.conv(box, 4 * _BINS, 4 * _BINS, is_linear=True)
            kind = self.conv(self.conv(flow, width, width, 3, groups=width), width, _CLASSES)
            kind = self.conv(self.conv(kind, _CLASSES, _CLASSES, 3, groups=_CLASSES), _CLASSES, _CLASSES)
            kind = self.conv(kind, _CLASSES, _CLASSES, is_linear=True)
            cells = self._constant(np.array([1, 4 * _BINS + _CLASSES, -1]))
            outputs.append(self._add("Reshape", self.concat(box, kind), cells))
        box, kind = self._split(self._add("Concat", *outputs, axis=2), [4 * _BINS, _CLASSES], axis=1)
        bins = self._add("Reshape", box, self._constant(np.array([1, 4, _BINS, -1])))
        distribution = self._add("Softmax", self._add("Transpose", bins, perm=[0, 2, 1, 3]), axis=1)
        steps = self._constant(np.arange(_BINS, dtype=np.float32).reshape(1, _BINS, 1, 1))
        sides = self._add("Reshape", self._add("Conv", distribution, steps), self._constant(np.array([1, 4, -1])))
        return self.concat(sides, self._add("Sigmoid", kind))

    def concat(self, *flows: str) -> str:
        """Concatenate channels."""
        return self._add("Concat", *flows, axis=1)

    def upsample(self, flow: str) -> str:
        """Double the rows and columns."""
        scales = self._constant(np.array([1, 1, 2, 2], np.float32))
        return self._add("Resize", flow, "", scales, mode="nearest", coordinate_transformation_mode="asymmetric")

    def model(self, out: str) -> onnx.ModelProto:
        """Return the finished model."""
        image = helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, "H", "W"])
        answer = helper.make_tensor_value_info(out, TensorProto.FLOAT, [1, 4 + _CLASSES, "cells"])
        graph = helper.make_graph(self._nodes, "peer", [image], [answer], self._weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        return model

    def _halves(self, flow: str, width: int) -> list[str]:
        return self._split(flow, [width, width], axis=1)

    def _split(self, flow: str, widths: list[int], axis: int) -> list[str]:
        names = [f"part{len(self._nodes)}_{index}" for index in range(len(widths))]
        self._nodes.append(helper.make_node("Split", [flow, self._constant(np.array(widths))], names, axis=axis))
        return names

    def _add(self, kind: str, *inputs: str, **settings: Any) -> str:
        name = f"{kind.lower()}{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], **settings))
        return name

    def _constant(self, values: npt.NDArray[np.generic]) -> str:
        name = f"kept{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(values, name))
        return name
