"""Earlier models as teachers: what they say of a picture is learnt beside its labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
import torch
from torch import Tensor

from models.training.augment import shrunk
from models.training.locate_net import Heads

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Teacher:
    """Published readers, whatever their layers: a net that learns their shades of doubt needs fewer crops.

    After Hinton, Vinyals and Dean, "Distilling the Knowledge in a Neural Network" (2015), at a temperature of one.
    Where several disagree, what is learnt is doubt.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._sessions = [_session(path) for path in paths]

    def chances(self, pictures: Tensor) -> list[Tensor]:
        """Chances of each symbol, ink and way up, [n, k] each, for pictures [n, 3, 64, 48] in 0..1."""
        looks = [self._look(session, pictures) for session in self._sessions]
        return [torch.stack(column).mean(0) for column in zip(*looks, strict=True)]

    @staticmethod
    def _look(session: Any, pictures: Tensor) -> list[Tensor]:
        rows, columns = session.get_inputs()[0].shape[1:3]
        crops = (shrunk(pictures, (rows, columns)) * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
        said: Sequence[np.ndarray[Any, Any]] = session.run(
            ["symbol", "ink", "upright"], {"crops": crops.contiguous().numpy()}
        )
        return [torch.from_numpy(logits).softmax(1) for logits in said]


class LocateTeacher:
    """A published locate model, whatever its layers."""

    def __init__(self, path: Path) -> None:
        self._session = _session(path)

    def heads(self, pictures: Tensor) -> Heads:
        """Heat as a chance and geometry of pictures [n, 3, H, W] of 0..255."""
        images = pictures.round().to(torch.uint8).permute(0, 2, 3, 1).contiguous().numpy()
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
