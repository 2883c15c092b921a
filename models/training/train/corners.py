"""Trains the net that draws located quads to the tiles' corners, and writes models/tiles-corners.onnx with its facts.

    python -m models.training.train.corners --data DIR --steps N

Rendered tables alone teach it, for their corners are known exactly; the polygons of photographs are too loose. A bank
holds each tile with as much of the table around it; training moves, turns, stretches and relights what it cuts out, and
asks for where the tile then lies.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
import math
import sys
import zlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.training.data.augment import AROUND, misplaced, shrunk
from models.training.data.crops import CROP, rectify
from models.training.data.render.scene_generator import Box, Scene, scene
from models.training.data.table_crops import some_table
from models.training.nets.interleaved import in_rows
from models.training.nets.published import IN_USE, MODELS, crop_of, restore, stages_before
from models.training.nets.read_net import Conv, exchanged, export, halving, mixing, over_rows
from models.training.nets.widen import on_grid
from models.training.train.device import autocast, batch_size, device, generator, made_ahead, reckon_there
from models.training.train.lr_schedule import Pace
from models.training.train.parallel import done_by
from referee.cli.progress import print_line
from referee.vision.detect.corner_refinement import SPAN
from referee.vision.geometry.crops import CORNER_CROP_SIZE
from referee.vision.geometry.quads import half_vectors, long_sides, quads_of

if TYPE_CHECKING:
    from models.training.data.render.lens import Image, Rng

BATCH, CHECK_EVERY = 256, 250
_WIDE = (104, 78)  # rows and columns of a stored crop
_MIN_VISIBLE, _MIN_LONG_SIDE = 0.7, 16.0  # share and pixels of a tile from which it is learnt from
_MAX_CROPS_A_PICTURE = 40  # tiles of one picture
_SCALE = 0.2  # of what the net says: moves are small


class CornerNet(nn.Module):
    """Crops uint8 [n, 32, 24, 3] BGR of quads widened to SPAN, to moves [n, 6]: see `detect.corner_refinement`."""

    def __init__(self, crop: tuple[int, int] = CORNER_CROP_SIZE[::-1]) -> None:
        super().__init__()
        self.crop = crop
        self.grid = -(-crop[0] // 4), -(-crop[1] // 4)  # after two halvings
        self.trunk = nn.Sequential(Conv(3, 24, 3, 2), halving(24, 56), mixing(56), mixing(56), Conv(56, 24, 1))
        dense = nn.Linear(24 * math.prod(self.grid), 96)
        self.moves = nn.Sequential(nn.Flatten(), dense, nn.ReLU(inplace=True), nn.Linear(96, 6))

    def forward(self, crops: Tensor) -> Tensor:
        """The moves."""
        return self.say(crops.permute(0, 3, 1, 2).to(torch.float32) / 255)

    def of_rows(self, crops: Tensor) -> Tensor:
        """The same, for use: no planes are made of the crops."""
        rows = in_rows(crops, self.crop)
        relative = rows / (rows.mean((1, 2, 3), keepdim=True) + 0.02 * 255) - 1
        said: Tensor = self.moves(self.trunk[1:](over_rows(self.trunk[0], relative.clamp(-1, 2)))) * _SCALE
        return said

    def exchanged(self) -> CornerNet:
        """The same net for crops whose rows are columns."""
        net = CornerNet(self.crop[::-1])
        net.load_state_dict(exchanged(self.state_dict(), "moves.1.weight", self.grid))
        return net.train(self.training)

    def say(self, pictures: Tensor) -> Tensor:
        """The moves of pictures [n, 3, 32, 24] in 0..1."""
        relative = pictures / (pictures.mean((1, 2, 3), keepdim=True) + 0.02) - 1
        said: Tensor = self.moves(self.trunk(relative.clamp(-1, 2))) * _SCALE
        return said


# ---- the bank ----


def some_scene(rng: Rng, box: Box) -> Scene:
    """Mostly tables from any side, with tiles of every size."""
    if rng.random() < 0.3:
        return some_table(rng, box)
    pixels = float(np.exp(rng.uniform(np.log(22), np.log(110))))
    size = (640, 480) if pixels < 45 else (960, 720)
    return scene(rng, size, tile_pixels=pixels, harshness=float(rng.uniform(0.2, 0.9)), box=box)


def cut_out(one: Scene) -> list[Image]:
    """Every tile of a scene that shows, in the middle of a crop AROUND times as wide and as high."""
    quads = np.array([tile.quad for tile in one.tiles if tile.visible >= _MIN_VISIBLE], np.float32).reshape(-1, 4, 2)
    quads = quads_of(*half_vectors(quads))
    crops = []
    for quad in quads[long_sides(quads) >= _MIN_LONG_SIDE]:
        image, points = one.image, quad - 0.5
        if np.ptp(points, axis=0).max() > 2.2 * CROP[0]:
            image = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
            points = quad / 2 - 0.5
        crops.append(rectify(image, points, size=_WIDE, margin=(AROUND - 1) / 2))
    return crops


def build_bank(path: Path, count: int, seed: int, *, held_out: bool = False) -> None:
    """Write count crops [count, 104, 78, 3] of rendered tables."""
    path.parent.mkdir(parents=True, exist_ok=True)
    bank = np.lib.format.open_memmap(path.with_suffix(".part"), mode="w+", dtype=np.uint8, shape=(count, *_WIDE, 3))
    done = number = 0
    while done < count:
        rng = np.random.default_rng([seed, number])
        if number % 2 == 0:
            box = Box(np.random.default_rng([seed, number, 6]), 130, held_out=held_out)
        number += 1
        crops = cut_out(some_scene(rng, box))
        for place in rng.permutation(len(crops))[: min(_MAX_CROPS_A_PICTURE, count - done)]:
            bank[done] = crops[place]
            done += 1
    bank.flush()
    path.with_suffix(".part").rename(path)


def render_bank(data: Path, name: str, size: int, *, held_out: bool = False) -> Path:
    """The file of a bank of crops, rendered where it is missing; each has its seed by its name."""
    path = data / f"corners-{name}.npy"
    if not path.exists():
        build_bank(path, size, zlib.crc32(name.encode()), held_out=held_out)
    return path


def load_bank(data: Path, name: str, size: int, *, held_out: bool = False) -> Tensor:
    """A bank of crops, rendered first where it is missing."""
    return torch.from_numpy(np.load(render_bank(data, name, size, held_out=held_out))).to(device())


# ---- training ----


def seen(crops: Tensor, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Pictures [n, 3, 32, 24] in 0..1 as the net sees them, out of a bank's crops; and moves [n, 6] to the tiles."""
    pictures, moves = misplaced(crops, SPAN, rng)
    return shrunk(functional.avg_pool2d(pictures, 2), CORNER_CROP_SIZE[::-1]), moves


def outlines(moves: Tensor) -> Tensor:
    """How far each corner [n, 4, 2] is moved, in half widths and half heights of the quad."""
    corners = torch.tensor([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    return moves[:, None, :2] + corners @ moves[:, 2:].unflatten(1, (2, 2))


def errors(net: CornerNet, crops: Tensor, seed: int) -> tuple[float, float]:
    """How far corners are off on average, in half sides of the tile: as cut out, and after the net's moves."""
    pictures, moves = seen(crops, torch.Generator(crops.device).manual_seed(seed))
    net.eval()
    with torch.no_grad():
        said = torch.cat([net.say(part) for part in pictures.split(BATCH)])
    return tuple(round(outlines(off).norm(dim=2).mean().item(), 5) for off in (moves, said - moves))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long, how fast and with how much to train."""

    steps: int
    rate: float
    seed: int
    batch: int = BATCH
    minutes: float = math.inf


def train(net: CornerNet, bank: Tensor, check: Tensor, plan: Plan) -> list[dict[str, float]]:
    """Train with one cycle of the learning rate; the curve: what the check says every so many steps."""
    rng, pace = generator(plan.seed), Pace(plan.rate, plan.steps, plan.minutes)
    optimiser = torch.optim.AdamW(net.parameters(), plan.rate, weight_decay=0.01)
    curve: list[dict[str, float]] = []
    lessons = (seen(bank[torch.randint(len(bank), (plan.batch,), generator=rng)], rng) for _ in range(plan.steps))
    for step, (pictures, moves) in enumerate(pace.shown(made_ahead(lessons), "training"), 1):
        net.train()
        optimiser.param_groups[0]["lr"] = pace.next_rate()
        with autocast():
            said = net.say(pictures.contiguous(memory_format=torch.channels_last))
        loss = functional.smooth_l1_loss(outlines(said.float()), outlines(moves), beta=0.05)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        ended = pace.done >= 1
        if step % CHECK_EVERY == 0 or ended:
            before, after = errors(net, check, plan.seed)
            curve.append({"step": step, "off": after, "seconds": round(60 * pace.minutes, 1)})
            print_line(json.dumps(curve[-1] | {"as cut out": before}), sys.stdout)
        if ended:
            break
    return curve


# ---- the whole ----


def publish(net: CornerNet, check: Tensor, runs: list[dict[str, Any]], out: Path) -> dict[str, object]:
    """Export and describe a trained net, and the runs that led to it."""
    path = out / "tiles-corners.onnx"
    difference = export(net, path, CORNER_CROP_SIZE[::-1], ("moves",))
    before, after = errors(net, check, 0)
    facts: dict[str, object] = {
        "model": "tiles-corners",
        "version": 1,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "opset": 17,
        "inputs": {
            "crops": "uint8 [n, 24, 32, 3] BGR: quads widened to 1.4 times their sides, rows and columns exchanged"
        },
        "outputs": {
            "moves": "float32 [n, 6]: of the middle, the half vector to the right and the one upward, to the right and"
            " up each, in half widths and half heights"
        },
        "trained": {
            "date": dt.datetime.now(dt.UTC).date().isoformat(),
            "runs": len(runs),
            "crops_seen": sum(one.get("batch", BATCH) * one["curve"][-1]["step"] for one in runs if one["curve"]),
            "parameters": sum(weight.numel() for weight in net.parameters()),
        },
        "onnx_differs_by": difference,
        "scores": {"held-out fonts": {"tiles": len(check), "off_before": before, "off_after": after}},
    }
    path.with_suffix(".json").write_text(json.dumps(facts, indent=2) + "\n")
    return facts


def start_from(net: CornerNet, weights: Path, bank: Tensor) -> None:
    """Give the net the weights of an earlier run, or of a published model; what saw other crops is stretched."""
    if weights.suffix != ".onnx":
        net.load_state_dict(torch.load(weights, map_location=device()))
        return
    size = crop_of(weights)
    in_use = CornerNet(size[::-1])
    pictures, _ = misplaced(bank[: 4 * BATCH], SPAN, generator(0))
    pictures = functional.interpolate(pictures, size, mode="bilinear", antialias=True).transpose(2, 3)
    restore(in_use, weights, lambda: in_use.say(pictures), prefix=IN_USE)
    before = in_use.exchanged()
    kept = before.state_dict()
    kept["moves.1.weight"] = on_grid(kept["moves.1.weight"], before.grid, net.grid)
    net.load_state_dict(kept)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder for banks of crops, made when missing")
    parser.add_argument("--steps", type=int, default=9000, help="of a batch of crops each")
    parser.add_argument("--batch", type=int, default=batch_size(BATCH, 1024), help="crops of one step")
    parser.add_argument("--minutes", type=float, default=math.inf, help="end training after so long")
    parser.add_argument("--banks", nargs="*", default=list("abcd"), help="names of banks; each has its seed")
    parser.add_argument("--bank-size", type=int, default=25000)
    parser.add_argument("--workers", type=int, default=1, help="processes that render banks side by side")
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--start", type=Path, help="weights to go on from, or a tiles-corners.onnx, which may see other crops"
    )
    parser.add_argument("--out", type=Path, default=MODELS)
    return parser.parse_args()


def main() -> None:
    """Render what is missing, train, publish."""
    arguments = _arguments()
    arguments.out.mkdir(parents=True, exist_ok=True)
    reckon_there()
    cv2.setNumThreads(1)
    torch.manual_seed(arguments.seed)
    jobs = [partial(render_bank, arguments.data, name, arguments.bank_size) for name in arguments.banks]
    done_by(arguments.workers, [*jobs, partial(render_bank, arguments.data, "held", 2000, held_out=True)])
    check = load_bank(arguments.data, "held", 2000, held_out=True)
    bank = torch.cat([load_bank(arguments.data, name, arguments.bank_size) for name in arguments.banks])
    net = CornerNet()
    runs: list[dict[str, Any]] = []
    if arguments.start:
        start_from(net, arguments.start, bank)
        runs = stages_before(arguments.start, "runs")
    if arguments.steps:
        plan = Plan(
            steps=arguments.steps,
            rate=arguments.rate,
            seed=arguments.seed,
            batch=arguments.batch,
            minutes=arguments.minutes,
        )
        curve = train(net, bank, check, plan)
        names = {"banks": arguments.banks, "batch": arguments.batch}
        runs.append({"seed": arguments.seed, "rate": arguments.rate, **names, "curve": curve})
    torch.set_default_device("cpu")  # where it is used, and so graded
    net, check = net.cpu(), check.cpu()
    save = arguments.data / f"corners-{arguments.seed}.pt"
    torch.save(net.state_dict(), save)
    save.with_suffix(".json").write_text(json.dumps({"runs": runs}, indent=1) + "\n")
    print(json.dumps(publish(net, check, runs, arguments.out), indent=1))


if __name__ == "__main__":
    main()
