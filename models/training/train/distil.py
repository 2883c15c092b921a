"""Earlier models as teachers: what they say of a picture is learnt beside its labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
import torch
from torch import Tensor

from models.training.nets.locate_net import Heads
from models.training.train.device import autocast

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from models.training.nets.read_net import ReadNet


class Teacher:
    """Published readers, whatever their layers: a net that learns their shades of doubt needs fewer crops.

    After Hinton, Vinyals and Dean, "Distilling the Knowledge in a Neural Network" (2015), at a temperature of one.
    Where several disagree, what is learnt is doubt.
    """

    def __init__(self, nets: Sequence[ReadNet]) -> None:
        self._nets = [net.eval() for net in nets]

    def chances(self, pictures: Tensor) -> list[Tensor]:
        """Chances of each symbol, ink and way up, [n, k] each, for pictures [n, 3, 64, 48] in 0..1."""
        with torch.no_grad(), autocast():
            summaries = [(net, net.summarise(pictures).float()) for net in self._nets]
        looks = [[head(said).softmax(1) for head in (net.symbol, net.ink, net.upright)] for net, said in summaries]
        return [torch.stack(column).mean(0).detach() for column in zip(*looks, strict=True)]


class LocateTeacher:
    """A published locate model, whatever its layers."""

    def __init__(self, path: Path) -> None:
        self._session = _session(path)

    def heads(self, pictures: Tensor) -> Heads:
        """Heat as a chance and geometry of pictures uint8 [n, 3, H, W]."""
        images = pictures.permute(0, 2, 3, 1).contiguous().numpy()
        said = [self._session.run(["heat", "geometry"], {"image": image[None]}) for image in images]
        return Heads(*(torch.from_numpy(np.concatenate(part)) for part in zip(*said, strict=True)))


def _session(path: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def apart(taught: Sequence[Tensor], said: Sequence[Tensor]) -> Tensor:
    """How far logits are from what the teacher holds likely [n]: Kullback and Leibler's divergence, heads added."""
    losses = [
        (chances * (chances.clamp_min(1e-6).log() - logits.log_softmax(1))).sum(1)
        for chances, logits in zip(taught, said, strict=True)
    ]
    return torch.stack(losses).sum(0)
