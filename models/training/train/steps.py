"""One step of training after another: what a GPU repeats once it was told, and the mean of the weights on the way."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from models.training.train.device import device

_AT_FIRST = 3  # steps told one by one, after which all that a step keeps has its place


class Repeated:
    """A step of training whose orders a GPU takes down once and then repeats: small nets wait for orders most.

    What it is given must have the same shapes each time, and it may ask nothing of what the GPU has reckoned. On the
    processor it is the step itself.
    """

    def __init__(self, step: Callable[..., Tensor], *given: Tensor) -> None:
        """Take the step down; on a GPU it is done a few times first, with what is `given`."""
        self._step = step
        self._graph: torch.cuda.CUDAGraph | None = None
        if device().type != "cuda":
            return
        self._given = [one.clone() for one in given]
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(_AT_FIRST):
                step(*self._given)
        torch.cuda.current_stream().wait_stream(aside)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._said = step(*self._given)

    def __call__(self, *given: Tensor) -> Tensor:
        """Do it once more; what it gives holds until the next time."""
        if self._graph is None:
            return self._step(*given)
        for kept, new in zip(self._given, given, strict=True):
            kept.copy_(new)
        self._graph.replay()
        return self._said


def follow(average: nn.Module, net: nn.Module, keep: float) -> None:
    """Move the average of the weights toward the weights as they are."""
    pairs = list(zip(average.state_dict().values(), net.state_dict().values(), strict=True))
    means, now = zip(*(pair for pair in pairs if pair[0].dtype.is_floating_point), strict=True)
    with torch.no_grad():
        torch._foreach_lerp_(means, now, 1 - keep)
        for mean, new in pairs:
            if not mean.dtype.is_floating_point:
                mean.copy_(new)
