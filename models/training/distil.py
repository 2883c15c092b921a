"""An earlier reader as a teacher: what it says of a crop is learnt beside the label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import onnxruntime
import torch
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np


class Teacher:
    """A published reader, whatever its layers: a smaller net that learns its shades of doubt needs fewer crops.

    After Hinton, Vinyals and Dean, "Distilling the Knowledge in a Neural Network" (2015), at a temperature of one.
    """

    def __init__(self, path: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        self._session: Any = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def chances(self, pictures: Tensor) -> list[Tensor]:
        """Chances of each symbol, ink and way up, [n, k] each, for pictures [n, 3, 64, 48] in 0..1."""
        crops = (pictures * 255).round().to(torch.uint8).permute(0, 2, 3, 1).contiguous().numpy()
        said: Sequence[np.ndarray[Any, Any]] = self._session.run(["symbol", "ink", "upright"], {"crops": crops})
        return [torch.from_numpy(logits).softmax(1) for logits in said]


def apart(taught: Sequence[Tensor], said: Sequence[Tensor]) -> Tensor:
    """How far logits are from what the teacher holds likely [n]: Kullback and Leibler's divergence, heads added."""
    losses = [
        (chances * (chances.clamp_min(1e-6).log() - logits.log_softmax(1))).sum(1)
        for chances, logits in zip(taught, said, strict=True)
    ]
    return torch.stack(losses).sum(0)
