"""Teaches a finished reader what is no tile; of tiles it goes on saying what it said."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from models.training.data.augment import views
from models.training.data.crops import SYMBOLS
from models.training.train.device import generator
from models.training.train.distil import apart
from models.training.train.lr_schedule import Pace
from models.training.train.read_score import join, look
from models.training.train.steps import follow

if TYPE_CHECKING:
    from models.training.nets.read_net import ReadNet
    from models.training.train.read_score import Crops

NONE = SYMBOLS.index("none")
_FROZEN = 8  # layers of the trunk: those of strokes and edges
_SEEN_THROUGH = 0.03  # how often to come back to a thing that was never taken for a tile
_LABELS = 0.2  # how much a tile's label counts beside what the reader said of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """How to teach: steps, crops of each, of which a quarter are things, and how often a tile counts as much as one."""

    steps: int
    batch: int
    rate: float
    minutes: float
    tiles_count: float
    seed: int


def teach_none(net: ReadNet, tiles: Crops, things: Crops, lessons: Lessons) -> None:
    """Teach the last layers of a net that `things` are none, above all those which it takes for tiles.

    What it says of `tiles`, which may be any crops with or without one, is to stay, as is their embedding: after Li and
    Hoiem, "Learning without Forgetting" (2016).
    """
    rng, pace = generator(lessons.seed), Pace(lessons.rate, lessons.steps, lessons.minutes)
    net.eval().requires_grad_(True)  # norms go on with the statistics they have
    net.trunk[:_FROZEN].requires_grad_(False)
    before, average = copy.deepcopy(net), copy.deepcopy(net)
    taught = [weight for weight in net.parameters() if weight.requires_grad]
    optimiser = torch.optim.Adam(taught, torch.tensor(lessons.rate))
    mistaken = 1 - look(net, things.pictures).symbol.softmax(1)[:, NONE] + _SEEN_THROUGH
    count = lessons.batch // 4
    for step in pace.shown(range(lessons.steps), "teaching what is no tile"):
        if pace.done >= 1:
            break
        shown = torch.multinomial(mistaken, count, replacement=True, generator=rng)
        kept = torch.randint(len(tiles), (lessons.batch - count,), generator=rng)
        some = join([things.part(shown), tiles.part(kept)])
        pictures, _ = views(some.pictures, rng)
        with torch.no_grad():
            known = before.summarise(pictures[count:])
            chances = [head(known).softmax(1) for head in (before.symbol, before.ink, before.upright)]
        summary = net.summarise(pictures)
        symbol, ink, upright = net.symbol(summary), net.ink(summary), net.upright(summary)
        symbols = some.symbol.clamp_min(-1)  # of a hidden face what was said alone
        of_things = functional.cross_entropy(symbol[:count], symbols[:count])
        of_tiles = (
            apart(chances, (symbol[count:], ink[count:], upright[count:])).mean()
            + _LABELS * functional.cross_entropy(symbol[count:], symbols[count:], ignore_index=-1)
            + _LABELS * functional.cross_entropy(ink[count:], some.ink[count:], ignore_index=-1)
            + 1
            - functional.cosine_similarity(net.embedding(summary[count:]), before.embedding(known)).mean()
        )
        optimiser.param_groups[0]["lr"].fill_(pace.next_rate())
        optimiser.zero_grad()
        (of_things + lessons.tiles_count * of_tiles).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(taught, 1.0)
        optimiser.step()
        follow(average, net, min(0.99, (1 + step) / (10 + step)))
    net.load_state_dict(average.state_dict())
