"""Takes the weights of a published model back into its net, so that training can go on with nothing else at hand.

An export folds each batch norm into the convolution before it. Here they are taken apart again: as statistics a norm
gets those of pictures shown to the net, so that it says in training what it says afterwards.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from models.training.nets.interleaved import over_planes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MODELS = Path(__file__).resolve().parents[2]
IN_USE = "net."
"""What the names of weights begin with in a model, for a net is exported as a part of the one in use."""
Folded = tuple[Tensor, Tensor]
"""Weight and bias of a convolution with a norm folded in."""


def stages_before(weights: Path, key: str) -> list[dict[str, Any]]:
    """Return the training stages recorded in the JSON file beside some weights.

    Empty for a published model: its card counts the stages that led to it but does not list them.
    """
    path = weights.with_suffix(".json")
    kept: dict[str, list[dict[str, Any]]] = json.loads(path.read_text()) if path.exists() else {}
    return kept.get(key, [])


def load_graph(path: Path) -> onnx.GraphProto:
    return onnx.load(str(path)).graph


def crop_of(weights: Path) -> tuple[int, int]:
    """Rows and columns of the upright crops that a published model sees; it takes them exchanged.

    Raises ValueError where it takes them upright, as models did before.
    """
    _, columns, rows, _ = (side.dim_value for side in load_graph(weights).input[0].type.tensor_type.shape.dim)
    if columns > rows:
        raise ValueError(f"{weights}: takes upright crops of {columns} by {rows}; check out the code of its day")
    return rows, columns


def initial_values(graph: onnx.GraphProto, prefix: str = "") -> dict[str, Tensor]:
    """The numbers in a model, by name; of those with the prefix, the name less the prefix."""
    return {one.name.removeprefix(prefix): torch.tensor(numpy_helper.to_array(one)) for one in graph.initializer}


def folded_convolutions(graph: onnx.GraphProto) -> list[Folded]:
    """Every convolution whose norm was folded in, in the order in which they are computed."""
    held = initial_values(graph)
    return [
        (over_planes(held[node.input[1]]), held[node.input[2]])
        for node in graph.node
        if node.op_type == "Conv" and len(node.input) == 3 and not node.input[1].endswith(".weight")
    ]  # what keeps its name was not folded


def restore(net: nn.Module, path: Path, show: Callable[[], object], prefix: str = "") -> None:
    """Give the net the weights of a published model; `show` passes some pictures through the net.

    Raises ValueError where the model is of other layers.
    """
    own = net.state_dict()
    graph = load_graph(path)
    named = initial_values(graph, prefix)
    same = {name: value for name, value in named.items() if name in own and own[name].shape == value.shape}
    net.load_state_dict(same, strict=False)
    net.eval()
    normed = [pair for pair in _in_order(net, show) if f"{pair[2]}.running_mean" not in same]
    folded = folded_convolutions(graph)
    wanted = [tuple(pair[0].weight.shape) for pair in normed]
    if [tuple(weight.shape) for weight, _ in folded] != wanted or len(same) < len(named.keys() & own.keys()):
        raise ValueError(f"{path}: its layers are not those of this net; train from nothing or check out its code")
    with torch.no_grad():
        for (convolution, norm, _), (weight, bias) in zip(normed, folded, strict=True):
            convolution.weight.copy_(weight)
            _idle(norm, bias)
        seen = _statistics([convolution for convolution, _, _ in normed], show)
        for (convolution, norm, _), (mean, variance) in zip(normed, seen, strict=True):
            _unfold(convolution, norm, mean, variance)


def fold(net: nn.Module) -> None:
    """Fold each norm into the convolution before it, as an export does: nets can be averaged in that form alone.

    The same net may be written in many ways, a filter larger where its norm takes it back.
    """
    with torch.no_grad():
        for convolution, norm, _ in _pairs(net):
            mean, variance = norm.running_mean, norm.running_var
            if mean is None or variance is None:
                raise ValueError("a norm without statistics cannot be folded")
            scale = norm.weight / (variance + norm.eps).sqrt()
            bias = norm.bias - mean * scale
            convolution.weight.mul_(scale[:, None, None, None])
            _idle(norm, bias)


def _idle(norm: nn.BatchNorm2d, bias: Tensor) -> None:
    """Let a norm add a bias and do nothing else."""
    norm.reset_running_stats()
    norm.weight.fill_((1 + norm.eps) ** 0.5)
    norm.bias.copy_(bias)


def _in_order(net: nn.Module, show: Callable[[], object]) -> list[tuple[nn.Conv2d, nn.BatchNorm2d, str]]:
    """Convolutions followed by a norm, with it and its name, as they are computed."""
    pairs = {convolution: (norm, name) for convolution, norm, name in _pairs(net)}
    order: list[nn.Conv2d] = []
    hooks = [convolution.register_forward_hook(lambda layer, _, __: order.append(layer)) for convolution in pairs]
    with torch.no_grad():
        show()
    for hook in hooks:
        hook.remove()
    return [(convolution, *pairs[convolution]) for convolution in order]


def _pairs(net: nn.Module) -> Iterator[tuple[nn.Conv2d, nn.BatchNorm2d, str]]:
    for name, module in net.named_modules():
        if isinstance(module, nn.Sequential):
            for number, (one, other) in enumerate(itertools.pairwise(module)):
                if isinstance(one, nn.Conv2d) and isinstance(other, nn.BatchNorm2d):
                    yield one, other, f"{name}.{number + 1}"


def _statistics(convolutions: list[nn.Conv2d], show: Callable[[], object]) -> list[tuple[Tensor, Tensor]]:
    """Mean and variance of what each gives, by channel."""
    said: dict[nn.Module, tuple[Tensor, Tensor]] = {}

    def note(layer: nn.Module, _: object, out: Tensor) -> None:
        said[layer] = out.mean((0, 2, 3)), out.var((0, 2, 3), unbiased=False)

    hooks = [convolution.register_forward_hook(note) for convolution in convolutions]
    show()
    for hook in hooks:
        hook.remove()
    return [said[convolution] for convolution in convolutions]


def _unfold(convolution: nn.Conv2d, norm: nn.BatchNorm2d, mean: Tensor, variance: Tensor) -> None:
    """Part a convolution from its norm, which together go on saying the same; filters become as large as in a new net.

    An optimiser's step is as large for every weight: it should mean as much to each filter.
    """
    weight = convolution.weight
    size = weight.square().mean((1, 2, 3)).sqrt().clamp_min(1e-6)
    scale = (3 * weight[0].numel()) ** -0.5 / size
    norm.bias.add_(mean)
    norm.running_mean, norm.running_var = mean * scale, variance * scale.square()
    norm.weight.copy_((norm.running_var + norm.eps).sqrt() / scale)
    weight.mul_(scale[:, None, None, None])
