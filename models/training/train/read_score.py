"""Reads crops with the net that is being trained, holds the answers against the truth, and calibrates them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from models.training.data.augment import centre
from models.training.data.crops import SYMBOLS, UNKNOWN
from models.training.data.render.faces import LETTERS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from models.training.nets.read_net import ReadNet

SURE_BUT_WRONG = 0.002  # of crops read alone; tables, whose tiles are doubted together, err less


@dataclass(frozen=True, slots=True)
class Crops:
    """Wide crops [n, 80, 60, 3], all upright, with symbol and ink (or UNKNOWN)."""

    pictures: Tensor
    symbol: Tensor
    ink: Tensor

    def __len__(self) -> int:
        return len(self.symbol)

    def part(self, index: Tensor) -> Crops:
        """Some of them, by number."""
        return Crops(self.pictures[index], self.symbol[index], self.ink[index])

    def cpu(self) -> Crops:
        """The same, where the processor reckons."""
        return Crops(self.pictures.cpu(), self.symbol.cpu(), self.ink.cpu())


def join(parts: Sequence[Crops]) -> Crops:
    return Crops(
        torch.cat([part.pictures for part in parts]),
        torch.cat([part.symbol for part in parts]),
        torch.cat([part.ink for part in parts]),
    )


@dataclass(frozen=True, slots=True)
class Logits:
    """What the net says of some crops."""

    symbol: Tensor
    ink: Tensor
    upright: Tensor


Both = tuple[Logits, Logits]


def look(net: ReadNet, pictures: Tensor, *, turned: bool = False) -> Logits:
    """Read wide crops without jitter, as they lie or turned round."""
    net.eval()
    parts = []
    with torch.no_grad():
        for start in range(0, len(pictures), 512):
            seen = centre(pictures[start : start + 512])
            parts.append(net(torch.flip(seen, (1, 2)) if turned else seen)[:3])
    return Logits(*(torch.cat(column) for column in zip(*parts, strict=True)))


def look_both_ways(net: ReadNet, truth: Crops) -> Both:
    """Read crops as they lie, and turned round."""
    return look(net, truth.pictures), look(net, truth.pictures, turned=True)


def certainty(logits: Logits, temperature: dict[str, float]) -> Tensor:
    """How sure a reading is: the symbol's probability, times the ink's where the symbol is a number."""
    symbol, best = (logits.symbol / temperature["symbol"]).softmax(1).max(1)
    ink = (logits.ink / temperature["ink"]).softmax(1).max(1).values
    return torch.where(best < 13, symbol * ink, symbol)


def wrong(logits: Logits, truth: Crops) -> Tensor:
    """Readings that name another tile, ink included where it counts (a number)."""
    bad = logits.symbol.argmax(1) != truth.symbol
    return bad | ((truth.symbol < 13) & (logits.ink.argmax(1) != truth.ink))


def score(both: Both, truth: Crops) -> dict[str, float]:
    """Shares read rightly, both ways round; `exact` is symbol and ink together."""
    number = truth.symbol < 13
    return {
        "symbol": float(np.mean([float((one.symbol.argmax(1) == truth.symbol).float().mean()) for one in both])),
        "ink": float(np.mean([float((one.ink.argmax(1) == truth.ink)[number].float().mean()) for one in both])),
        "exact": float(np.mean([float((~wrong(one, truth)).float().mean()) for one in both])),
        "agree": float((both[0].upright.argmax(1) != both[1].upright.argmax(1))[number].float().mean()),
        "crops": 2 * len(truth),
    }


def fit_temperature(logits: Tensor, truth: Tensor) -> float:
    """The temperature that makes the truth likeliest."""
    known = truth != UNKNOWN
    grid = np.exp(np.linspace(math.log(0.4), math.log(5), 120))
    losses = [float(functional.cross_entropy(logits[known] / float(value), truth[known])) for value in grid]
    return round(float(grid[int(np.argmin(losses))]), 4)


def calibrate(looks: Sequence[tuple[Both, Crops]]) -> dict[str, float]:
    """One temperature a head, fitted on crops never trained on: the most cautious that any set of them asks for."""
    fitted: dict[str, list[float]] = {"symbol": [], "ink": [], "upright": []}
    for both, truth in looks:
        fitted["symbol"].append(fit_temperature(torch.cat([one.symbol for one in both]), truth.symbol.repeat(2)))
        unknown = torch.full_like(truth.symbol, UNKNOWN)
        ink = torch.where(truth.symbol < 13, truth.ink, unknown)
        fitted["ink"].append(fit_temperature(torch.cat([one.ink for one in both]), ink.repeat(2)))
        way = [torch.where(truth.symbol < 13, upright, unknown) for upright in (1, 0)]
        fitted["upright"].append(fit_temperature(torch.cat([one.upright for one in both]), torch.cat(way)))
    return {name: max(values) for name, values in fitted.items()}


def sureness(both: Both, truth: Crops, temperature: dict[str, float]) -> tuple[Tensor, Tensor]:
    """For crops both ways round: how sure each reading is, and whether it is wrong."""
    return torch.cat([certainty(one, temperature) for one in both]), torch.cat([wrong(one, truth) for one in both])


def fit_threshold(sure: Tensor, bad: Tensor) -> float:
    """The least certainty above which no more than SURE_BUT_WRONG of all crops are read wrongly."""
    worst = sure[bad].sort(descending=True).values
    allowed = int(SURE_BUT_WRONG * len(sure))
    return float(worst[allowed]) + 1e-4 if len(worst) > allowed else 0.5


def plain(both: Both, truth: Crops) -> tuple[Both, Crops]:
    """The number tiles among some crops: rendered special jokers are guesses at drawings nobody has shown us."""
    rows = torch.nonzero(truth.symbol < 13)[:, 0]
    first, second = (Logits(one.symbol[rows], one.ink[rows], one.upright[rows]) for one in both)
    return (first, second), truth.part(rows)


def report(both: Both, truth: Crops, temperature: dict[str, float], unsure: float) -> dict[str, float]:
    """The scores, with the share of sure readings and of sure but wrong ones among all crops."""
    sure, bad = sureness(both, truth, temperature)
    return {name: round(value, 5) for name, value in score(both, truth).items()} | {
        "sure": round(float((sure >= unsure).float().mean()), 5),
        "sure_but_wrong": round(float(((sure >= unsure) & bad).float().mean()), 5),
    }


def confusions(both: Both, truth: Crops, sheet: Path | None) -> list[str]:
    """What was taken for what, most frequent first; with a sheet of pictures where a path is given."""
    found: dict[str, int] = {}
    cells: list[npt.NDArray[np.uint8]] = []
    for logits, turned in zip(both, (False, True), strict=True):
        for row in torch.nonzero(wrong(logits, truth))[:, 0].tolist():
            read = _named(logits.symbol[row].argmax(), logits.ink[row].argmax())
            name = f"{_named(truth.symbol[row], truth.ink[row])}>{read}"
            found[name] = found.get(name, 0) + 1
            cell = np.zeros((128, 84, 3), np.uint8)
            picture = np.ascontiguousarray(
                truth.pictures[row].numpy()[::-1, ::-1] if turned else truth.pictures[row].numpy()
            )
            cell[:112] = cv2.resize(picture, (84, 112))
            cells.append(
                cv2.putText(cell, name, (1, 125), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (255, 255, 255)).astype(np.uint8)
            )
    if sheet is not None and cells:
        cells = cells[:200] + [np.zeros_like(cells[0])] * (-len(cells[:200]) % 20)
        cv2.imwrite(str(sheet), np.vstack([np.hstack(cells[at : at + 20]) for at in range(0, len(cells), 20)]))
    return [f"{name} {count}" for name, count in sorted(found.items(), key=lambda item: -item[1])]


def _named(symbol: Tensor, ink: Tensor) -> str:
    name = SYMBOLS[int(symbol)]
    return LETTERS[int(ink)] + name if int(symbol) < 13 else name
