"""Trains *locate*, the model that finds tiles, and writes models/tiles-locate.onnx with its card of figures."""

import argparse
import copy
import hashlib
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from zlib import crc32

import cv2
import numpy as np
import onnx
import onnxruntime
import torch
import torch.utils.data
from torch import Tensor, nn

from models.training.data.locate_bank import (
    CROP,
    SIZES,
    Labelled,
    Picture,
    Sizes,
    crops,
    load_bank,
    load_photos,
    render_bank,
)
from models.training.data.render.lens import Floats, Image
from models.training.nets.interleaved import over_planes
from models.training.nets.locate_net import Heads, LocateNet, loss, targets, unlike
from models.training.nets.published import IN_USE, MODELS, fold, initial_values, load_graph, restore, stages_before
from models.training.train.device import autocast, batch_size, device, made_ahead
from models.training.train.distil import LocateTeacher
from models.training.train.locate_score import Found, Maps, Score, find, match, score
from models.training.train.lr_schedule import Pace
from models.training.train.parallel import done_by
from models.training.train.steps import follow
from referee.vision.networks.models import STRIDE

OPSET = 17
WORKING_RANGE = (18, 72)
BATCH = 6
PHOTO_SHARE = 0.5
SHAPE_WEIGHT = 1.0  # 0.5 in the first seven stages, until tiles were found and sizes were not yet exact


class Export(nn.Module):
    """The net as it is used: uint8 BGR rows in, heat as a chance out."""

    def __init__(self, net: LocateNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor]:
        """Heat and geometry."""
        said: Heads = self.net.of_rows(image.float().flatten(2))
        return torch.sigmoid(said.heat), said.geometry


def held_out(picture: Picture) -> bool:
    """Whether a picture is kept from training, to choose models by; all copies of one photograph go the same way."""
    return crc32(picture.source.encode()) % (8 if picture.real else 25) == 0


def batch(
    rng: np.random.Generator,
    photos: list[Picture],
    scenes: list[Picture],
    size: int,
    share: float,
    *,
    sizes: Sizes = SIZES,
) -> tuple[Tensor, list[Tensor]]:
    """Some crops, uint8 [size, 3, 320, 320], and what the net should say about them; `share` are photographs."""
    images, wanted = [], []
    draw = {True: crops(rng, photos, sizes), False: crops(rng, scenes, sizes)}
    for _ in range(size):
        image, tiles = next(draw[bool(photos) and (not scenes or rng.random() < share)])
        aim = targets(tiles, image.shape[1], image.shape[0])
        images.append(image)
        wanted.append((aim.heat, aim.heat_weight, aim.geometry, aim.offset_weight, aim.vector_weight))
    stacked = torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2)  # as they lie in memory: channels last
    return stacked, [torch.from_numpy(np.stack(part)) for part in zip(*wanted, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long, how fast and with how much to train; it ends with its epochs or its minutes, whichever come first."""

    epochs: int
    steps: int
    minutes: float
    rate: float
    seed: int
    sizes: Sizes
    batch: int
    workers: int
    teacher: Path | None


def train(
    net: LocateNet,
    photos: list[Picture],
    scenes: Callable[[], list[Picture]],
    plan: Plan,
    kept: Path,
) -> tuple[LocateNet, list[dict[str, float]]]:
    """Train, and give the average of the weights; `scenes` is asked anew each epoch, for the bank may still grow."""
    net.to(device(), memory_format=torch.channels_last).train()  # type: ignore[call-overload]
    average = copy.deepcopy(net).eval()
    optimiser = torch.optim.AdamW(net.parameters(), plan.rate, weight_decay=0.02)
    pace, step = Pace(plan.rate, plan.epochs * plan.steps, plan.minutes, rise=0.02), 0
    curve: list[dict[str, float]] = []
    while pace.done < 1:
        rendered, sums, begun = scenes(), torch.zeros(2), step
        for images, wanted, taught in pace.shown(Lessons(photos, rendered, plan, len(curve)).made(), "training"):
            if pace.done >= 1:
                break
            optimiser.param_groups[0]["lr"] = pace.next_rate()
            with autocast():
                said = net(images.to(device(), torch.float32))
            centre, shape = loss(said, [part.to(device()) for part in wanted])
            other = unlike(said, Heads(*(part.to(device()) for part in taught))) if taught else 0.0
            optimiser.zero_grad()
            torch.autograd.backward(centre + SHAPE_WEIGHT * shape + other)
            nn.utils.clip_grad_norm_(net.parameters(), 10)
            optimiser.step()
            step += 1
            sums = sums + torch.stack([centre, shape]).detach().cpu()
            follow(average, net, min(0.998, step / (step + 20)))
        off = (sums / max(1, step - begun)).tolist()
        line = {"step": step, "centre": off[0], "shape": off[1], "minutes": pace.minutes}
        curve.append({name: round(value, 4) for name, value in line.items()})
        print(curve[-1], len(rendered), flush=True)
        torch.save(average.state_dict(), kept)
    return average.cpu(), curve


Lesson = tuple[Tensor, list[Tensor], Heads | None]


class Lessons(torch.utils.data.IterableDataset[Lesson]):
    """The batches of an epoch, and what the teacher says of them: made while the net learns from those before."""

    def __init__(self, photos: list[Picture], scenes: list[Picture], plan: Plan, epoch: int) -> None:
        self._photos, self._scenes, self._plan, self._epoch = photos, scenes, plan, epoch

    def made(self) -> Iterator[Lesson]:
        """The batches, by another thread or by as many processes as the plan names."""
        workers = self._plan.workers
        if not workers:
            return made_ahead(iter(self))
        for picture in (*self._photos, *self._scenes):
            picture.image()  # so that no process reads it anew
        return iter(torch.utils.data.DataLoader(self, batch_size=None, num_workers=workers, prefetch_factor=4))

    def __iter__(self) -> Iterator[Lesson]:
        plan, worker = self._plan, torch.utils.data.get_worker_info()
        torch.set_num_threads(1)
        rng = np.random.default_rng([plan.seed, self._epoch, worker.id if worker else 0])
        teacher = LocateTeacher(plan.teacher) if plan.teacher else None
        for _ in range(-(-plan.steps // max(1, plan.workers))):  # with no batch an epoch would never end
            images, wanted = batch(rng, self._photos, self._scenes, plan.batch, PHOTO_SHARE, sizes=plan.sizes)
            yield images, wanted, teacher.heads(images) if teacher else None


def net_maps(net: LocateNet) -> Maps:
    """The net as a function from a picture to heat [h, w] and geometry [6, h, w]."""
    export = Export(net.eval())

    def maps(image: Image) -> tuple[Floats, Floats]:
        with torch.inference_mode():
            heat, geometry = export(torch.from_numpy(image[None]))
        return heat[0, 0].numpy(), geometry[0].numpy()

    return maps


def session_maps(path: Path) -> Maps:
    """An exported model as such a function."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def maps(image: Image) -> tuple[Floats, Floats]:
        heat, geometry = session.run(None, {"image": image[None]})
        return heat[0, 0], geometry[0]

    return maps


def outcomes(maps: Maps, pictures: list[Picture], peak: float) -> list[tuple[list[Found], list[Labelled]]]:
    """What is found in whole pictures, beside what is there: photographs with a second look, scenes as they are."""
    result = []
    for picture in pictures:
        image = picture.image()
        side = None if picture.real else max(image.shape[:2])
        result.append((find(maps, image, peak, side), list(picture.tiles)))
    return result


def tally(seen: list[tuple[list[Found], list[Labelled]]], peak: float) -> Score:
    """The score of what stands above a threshold."""
    return score([match([one for one in found if one.score > peak], tiles) for found, tiles in seen])


def best_peak(maps: Maps, groups: Sequence[list[Picture]]) -> float:
    """The threshold with the fewest missed and false tiles together, of as many tiles in each group of pictures."""
    seen = [outcomes(maps, pictures, 0.25) for pictures in groups]

    def faults(peak: float) -> float:
        said = [tally(one, peak) for one in seen]
        return sum((one.tiles - one.found + one.false) / max(one.tiles, 1) for one in said)

    return min((0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6), key=faults)


def export_model(net: LocateNet, path: Path) -> float:
    """Write the ONNX file; gives the largest difference from the net on a noisy picture, which must be small."""
    export = Export(copy.deepcopy(net).eval())
    export.to(memory_format=torch.contiguous_format)  # type: ignore[call-overload]
    axes = {
        "image": {1: "height", 2: "width"},
        "heat": {2: "rows", 3: "columns"},
        "geometry": {2: "rows", 3: "columns"},
    }
    example = torch.zeros(1, 64, 96, 3, dtype=torch.uint8)
    torch.onnx.export(
        export, (example,), str(path), opset_version=OPSET, dynamo=False,
        input_names=["image"], output_names=["heat", "geometry"], dynamic_axes=axes,
    )  # fmt: skip
    onnx.checker.check_model(onnx.load(str(path)))
    image = np.random.default_rng(0).integers(0, 255, (160, 224, 3)).astype(np.uint8)
    mine, theirs = net_maps(net)(image), session_maps(path)(image)
    apart = max(float(np.abs(a - b).max()) for a, b in zip(mine, theirs, strict=True))
    if apart > 2e-3:
        raise RuntimeError(f"exported model differs from the net by {apart}")
    return apart


def write_card(path: Path, peak: float, scores: dict[str, dict[str, float]], trained: dict[str, object]) -> None:
    """The JSON beside the model."""
    card = {
        "model": "tiles-locate",
        "version": 1,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "opset": OPSET,
        "inputs": {"image": "uint8 [1, H, W, 3] BGR; H and W multiples of 32"},
        "outputs": {
            "heat": "float32 [1, 1, H/4, W/4]: chance that a tile's centre lies in the cell",
            "geometry": "float32 [1, 6, H/4, W/4]: dx, dy, ux2, uy2, vx2, vy2 in cells; half-vectors at doubled angles",
        },
        "stride": STRIDE,
        "tile_long_side": {"least": WORKING_RANGE[0], "most": WORKING_RANGE[1], "best": 40},
        "thresholds": {"peak": peak},
        "trained": trained,
        "scores": scores,
    }
    path.with_suffix(".json").write_text(json.dumps(card, indent=2) + "\n")


def start_from(net: LocateNet, weights: Path, shown: list[Picture], seed: int) -> None:
    """Give the net the weights that an earlier run left, or those of a published model."""
    if weights.suffix != ".onnx":
        net.load_state_dict(torch.load(weights, map_location=device()))
        return
    graph = load_graph(weights)
    stem = next((value for value in initial_values(graph).values() if value.shape == (16, 1, 3, 9)), None)
    if stem is None or graph.input[0].name != "image":
        raise ValueError(f"{weights}: no locate model; --start takes weights or a tiles-locate.onnx")
    with torch.no_grad():
        net.stem.weight.copy_(over_planes(stem) * 255)
    pictures, _ = batch(np.random.default_rng(seed), shown, [], 12, 1.0)
    restore(net, weights, lambda: net(pictures.float()), prefix=IN_USE)


def main() -> int:
    """Render what is missing of the bank, train, choose the threshold on held-out pictures, export, write the card."""
    parser = argparse.ArgumentParser(description="train the model that finds tiles")
    parser.add_argument("--data", type=Path, required=True, help="folder for the rendered bank (many files)")
    parser.add_argument("--photos", type=Path, required=True, help="folder with labels.jsonl of real photographs")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--steps", type=int, default=300, help="batches an epoch")
    parser.add_argument("--batch", type=int, default=batch_size(BATCH, 48), help="crops of one step")
    parser.add_argument(
        "--workers", type=int, default=0, help="processes that render scenes and make crops; default: a thread does"
    )
    parser.add_argument("--minutes", type=float, default=math.inf, help="end training after so long")
    parser.add_argument(
        "--scenes", type=int, default=3000, help="pictures to render into the bank before training; 0: take it as it is"
    )
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument(
        "--sizes",
        type=float,
        nargs=2,
        default=SIZES,
        metavar=("LEAST", "MOST"),
        help="pixels of a tile's long side in most crops, default %(default)s",
    )
    parser.add_argument("--start", type=Path, help="weights or tiles-locate.onnx to go on from")
    parser.add_argument("--teacher", type=Path, help="a tiles-locate.onnx whose answers are learnt beside the labels")
    parser.add_argument("--mean", type=Path, help="end half way from these to the weights of --start, without training")
    parser.add_argument("--peak", type=float, help="the threshold to publish; default: that of the fewest faults")
    parser.add_argument("--out", type=Path, default=MODELS / "tiles-locate.onnx")
    parser.add_argument(
        "--renders-only", action="store_true", help="learn from and choose by renders alone; photographs only grade it"
    )
    args = parser.parse_args()
    if args.mean and args.epochs:
        parser.error("--mean ends a training: give --epochs 0")
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    if args.scenes:
        parts = max(1, args.workers)
        each = -(-args.scenes // parts)
        seeds = [args.seed + 1000 * part for part in range(parts)]
        done_by(parts, [partial(render_bank, args.data, args.photos, each, seed) for seed in seeds])
    photos = load_photos(args.photos, "train")
    shown = load_bank(args.data) if args.renders_only else photos
    net = LocateNet()
    if args.start:
        start_from(net, args.start, shown, args.seed)
    if args.mean:
        other = LocateNet()
        start_from(other, args.mean, shown, args.seed)
        fold(net)
        fold(other)
        follow(net, other, 0.5)
    kept = args.data / f"weights-{args.seed}.pt"
    taught = [] if args.renders_only else [p for p in photos if not held_out(p)]
    plan = Plan(
        epochs=args.epochs,
        steps=args.steps,
        minutes=args.minutes,
        rate=args.rate,
        seed=args.seed,
        sizes=tuple(args.sizes),
        batch=args.batch,
        workers=args.workers,
        teacher=args.teacher,
    )
    average, curve = net, []
    if args.epochs:
        average, curve = train(
            net,
            taught,
            lambda: [p for p in load_bank(args.data) if not held_out(p)],
            plan,
            kept,
        )
    else:
        torch.save(net.state_dict(), kept)
    scenes = load_bank(args.data)
    taught_by = {"photographs": len(taught), "scenes": sum(not held_out(p) for p in scenes)}
    stages = stages_before(args.start, "stages") if args.start else []
    if args.mean:
        stages.append({"seed": args.seed, "mean_with_stage": len(stages_before(args.mean, "stages"))})
    if curve:
        stage = {"seed": args.seed, "rate": args.rate, "crop": CROP, "batch": args.batch, "sizes": args.sizes}
        if args.teacher:
            stage["teacher"] = hashlib.sha256(args.teacher.read_bytes()).hexdigest()
        stages.append({**stage, **taught_by, "curve": curve})
    kept.with_suffix(".json").write_text(json.dumps({"stages": stages}, indent=1) + "\n")
    export_model(average, args.out)
    maps = session_maps(args.out)
    aside = [p for p in photos if held_out(p)], [p for p in scenes if held_out(p)]
    peak = args.peak or best_peak(maps, aside[1:] if args.renders_only else aside)
    sets = {
        "held_out_photographs": aside[0],
        "held_out_scenes": aside[1],
        "valid_photographs": load_photos(args.photos, "valid"),
    }
    scores = {name: tally(outcomes(maps, pictures, peak), peak).as_json() for name, pictures in sets.items()}
    learnt = [one for one in stages if "curve" in one]
    trained = {
        "date": datetime.now(UTC).date().isoformat(),
        "seed": stages[-1]["seed"] if stages else args.seed,
        "stages": len(stages),
        "crops": sum(int(one["curve"][-1]["step"]) * one["batch"] for one in learnt),
        **{name: (learnt[-1] if learnt else taught_by)[name] for name in taught_by},
    }
    write_card(args.out, peak, scores, trained)
    print(json.dumps(scores, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
