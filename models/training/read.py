"""Trains the net that reads a tile, calibrates and measures it, and writes models/tiles-read.onnx with its facts.

    python -m models.training.read --data DIR --photos DIR --epochs N
    python -m models.training.read --data DIR --photos DIR --epochs N --wide --start models/tiles-read.onnx

Rendered crops come first, alone. The net they gave then says which way up each photographed tile lies (the labels do
not) and which labels to leave out; from there on photographs are mixed in. The rule for labels is in `trusted`. The
wide net, models/tiles-reread.onnx, looks again at what the other doubts; it goes on from what that one has learnt.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
import math
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models.training.ahead import made_ahead
from models.training.augment import moved, views
from models.training.crops import HIDDEN, SYMBOLS, UNKNOWN, build_bank
from models.training.distil import Teacher, apart
from models.training.faces import LETTERS
from models.training.photos import Photo, empty_crops, load_photos, real_crops
from models.training.precision import autocast
from models.training.published import IN_USE, MODELS, initial_values, load_graph, restore, stages_before
from models.training.read_net import OUTPUTS, READER, REREADER, ReadNet, export
from models.training.read_score import (
    Crops,
    calibrate,
    confusions,
    fit_threshold,
    join,
    look,
    look_both_ways,
    plain,
    report,
    score,
    sureness,
)
from models.training.table_crops import build_table_bank
from models.training.widen import widen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NONE, BACK = SYMBOLS.index("none"), SYMBOLS.index("back")
JOKERS = torch.arange(SYMBOLS.index("J"), SYMBOLS.index("back"))
BATCH = 256
OF_ONE_BOX, NEAR = 4, 200  # jokers taken together for the embedding; crops so near in a bank may show one face
QUICK = 1000  # crops of each check looked at after every epoch


def load_bank(folder: Path) -> Crops:
    labels = torch.from_numpy(np.load(folder / "labels.npy").astype(np.int64))
    return Crops(torch.from_numpy(np.load(folder / "crops.npy")), labels[:, 0], labels[:, 1])


def held_out(photo: Photo) -> bool:
    """Whether a photograph (with all its copies) is kept from training, for calibration and early checks."""
    return zlib.crc32(photo.photo.encode()) % 5 == 0


def photographed(photos: Sequence[Photo]) -> Crops:
    """Tiles of photographs, each some way up."""
    real = real_crops(photos)
    labels = torch.from_numpy(real.labels.astype(np.int64))
    return Crops(torch.from_numpy(real.crops), labels[:, 0], labels[:, 1])


def without_tiles(photos: Sequence[Photo], seed: int) -> Crops:
    pictures = torch.from_numpy(empty_crops(photos, seed))
    count = len(pictures)
    return Crops(pictures, torch.full((count,), NONE), torch.full((count,), UNKNOWN))


def trusted(net: ReadNet, real: Crops) -> tuple[Crops, int]:
    """Photographed tiles turned upright, less those whose label we do not believe; and how many were left out.

    Rule: a labelled crop is left out when, the better way round, the net gives its symbol or its ink less than 2 %.
    That meets wrong labels (the net is sure of another tile) and polygons displaced so far that nothing can be read.
    """
    as_is, turned = look(net, real.pictures), look(net, real.pictures, turned=True)
    flip = turned.upright.log_softmax(1)[:, 1] > as_is.upright.log_softmax(1)[:, 1]
    pictures = torch.where(flip[:, None, None, None], torch.flip(real.pictures, (1, 2)), real.pictures)
    rows = torch.arange(len(real))
    symbol = torch.maximum(as_is.symbol.softmax(1)[rows, real.symbol], turned.symbol.softmax(1)[rows, real.symbol])
    named = real.ink.clamp_min(0)
    ink = torch.maximum(as_is.ink.softmax(1)[rows, named], turned.ink.softmax(1)[rows, named])
    keep = (symbol > 0.02) & ((real.ink == UNKNOWN) | (ink > 0.02))
    return Crops(pictures[keep], real.symbol[keep], real.ink[keep]), int((~keep).sum())


def recentred(net: ReadNet, real: Crops) -> Crops:
    """Upright photographed tiles moved to the middle of where the net can read their label: shear displaced some."""
    likely, rows, columns = torch.zeros(len(real)), torch.zeros(len(real)), torch.zeros(len(real))
    for row in (-7.0, 0.0, 7.0):
        for column in (-5.0, 0.0, 5.0):
            there = torch.full((len(real),), row), torch.full((len(real),), column)
            said = look(net, moved(real.pictures, *there)).symbol.softmax(1)
            share = said[torch.arange(len(real)), real.symbol] + 1e-4
            likely, rows, columns = likely + share, rows + share * row, columns + share * column
    return Crops(moved(real.pictures, rows / likely, columns / likely), real.symbol, real.ink)


# ---- training ----


def losses_of(net: ReadNet, crops: Crops, seen: tuple[Tensor, Tensor], teacher: Teacher | None = None) -> Tensor:
    """How wrong the net is about each crop [n] as `views` shows it; about a covered face it should be undecided."""
    pictures, upright = seen
    with autocast():
        summary = net.summarise(pictures.contiguous(memory_format=torch.channels_last))
    summary = summary.float()
    symbol, ink, turn = net.symbol(summary), net.ink(summary), net.upright(summary)
    way = torch.where((crops.symbol < 0) | (crops.symbol == NONE) | (crops.symbol == BACK), UNKNOWN, upright.long())
    said = symbol.log_softmax(1)
    named = -said.gather(1, crops.symbol.clamp_min(0)[:, None])[:, 0]
    anything = -said.mean(1) - math.log(len(SYMBOLS))  # zero where all symbols are held equally likely
    told = (
        torch.where(crops.symbol == HIDDEN, 0.5 * anything, named)
        + 0.7 * functional.cross_entropy(ink, crops.ink, ignore_index=UNKNOWN, reduction="none")
        + 0.5 * functional.cross_entropy(turn, way, ignore_index=UNKNOWN, reduction="none")
    )
    return told if teacher is None else (told + apart(teacher.chances(pictures), (symbol, ink, turn))) / 2


def batches(count: int, rng: torch.Generator) -> Iterator[Tensor]:
    """The numbers 0 to `count` shuffled, a batch at a time."""
    order = torch.randperm(count, generator=rng)
    for start in range(0, count - BATCH + 1, BATCH):
        yield order[start : start + BATCH]


def lessons(crops: Crops, rng: torch.Generator) -> Iterator[tuple[Tensor, tuple[Tensor, Tensor]]]:
    """The batches, with `views` of each."""
    for rows in batches(len(crops), rng):
        yield rows, views(crops.pictures[rows], rng)


def worth(losses: Tensor) -> Tensor:
    """How often to come back to crops: most to those almost read, less to those known or beyond reading."""
    return 0.2 + losses * torch.exp(1 - losses)


@dataclass(slots=True)
class Run:
    """A training run: its data, and the curve it has drawn."""

    net: ReadNet
    rendered: Crops
    photos: Crops
    empty: Crops
    checks: dict[str, Crops]
    curve: list[dict[str, float]]
    teacher: Teacher | None = None
    left_out: int = 0


def train(run: Run, epochs: int, seed: int, *, size: int, rate: float, alone: int, save: Path) -> None:
    """Train with one cycle of the learning rate, keeping a running mean of the weights, which is what comes out.

    An epoch takes `size` rendered crops, hard ones more often, and after the first `alone` epochs photographs as a
    fifth as many.
    """
    rng = torch.Generator().manual_seed(seed)
    steps = sum(size * (1.24 if epoch >= alone else 1) // BATCH for epoch in range(epochs))
    optimiser = torch.optim.AdamW(run.net.parameters(), lr=rate, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=int(steps) + epochs, pct_start=0.15)
    mean = torch.optim.swa_utils.AveragedModel(run.net, avg_fn=_running_mean, use_buffers=True)
    averaged = cast("ReadNet", mean.module)
    real: Crops | None = None
    hardness = torch.ones(len(run.rendered))
    for epoch in range(epochs):
        if epoch >= alone and real is None:
            real, run.left_out = trusted(averaged if epoch else run.net, run.photos)
        begun, total, count = time.monotonic(), 0.0, 0
        index = torch.multinomial(hardness, size, generator=rng)
        crops = join([run.rendered.part(index), *(some_real(real, run.empty, size, rng) if real else [])])
        run.net.train()
        for rows, seen in made_ahead(lessons(crops, rng)):
            losses = losses_of(run.net, crops.part(rows), seen, run.teacher)
            optimiser.zero_grad()
            losses.mean().backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(run.net.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            mean.update_parameters(run.net)
            drawn = rows < size
            hardness[index[rows[drawn]]] = worth(losses.detach()[drawn])
            total, count = total + losses.mean().item(), count + 1
        row = {"epoch": epoch, "loss": round(total / count, 4), "seconds": round(time.monotonic() - begun, 1)}
        few = {name: check.part(torch.arange(min(len(check), QUICK))) for name, check in run.checks.items()}
        row |= {name: round(score(look_both_ways(averaged, check), check)["exact"], 5) for name, check in few.items()}
        run.curve.append(row)
        print(json.dumps(row), flush=True)
        torch.save(averaged.state_dict(), save)
    run.net.load_state_dict(averaged.state_dict())


def some_real(real: Crops, empty: Crops, size: int, rng: torch.Generator) -> list[Crops]:
    """Photographed tiles, a fifth as many as `size`, and photographed places without one, a twenty-fifth."""
    return [
        real.part(torch.randint(len(real), (size // 5,), generator=rng)),
        empty.part(torch.randint(len(empty), (size // 25,), generator=rng)),
    ]


def _running_mean(mean: Tensor, now: Tensor, count: Tensor | int) -> Tensor:
    """Forgets the first steps soon, later ones slowly."""
    seen = float(count)
    keep = min(0.995, (1 + seen) / (10 + seen))
    return mean + (now - mean) * (1 - keep) if mean.is_floating_point() else now


def train_embedding(net: ReadNet, crops: Crops, seed: int, steps: int) -> float:
    """Teach the embedding alone, on a finished net: two looks at a face lie together, other faces apart (NT-Xent).

    A face printed otherwise is another face: what tells two jokers apart may be no more. Half the faces are jokers, for
    it is them that are enrolled; and a few that lie one after the other in a bank are mostly of one box, whose jokers
    are the hardest to tell apart.
    """
    rng = torch.Generator().manual_seed(seed)
    net.eval()
    optimiser = torch.optim.Adam(net.embedding.parameters(), lr=3e-3)
    faces = torch.nonzero((crops.symbol >= 0) & (crops.symbol != NONE))[:, 0]
    jokers = torch.nonzero(torch.isin(crops.symbol, JOKERS))[:, 0]
    together = torch.arange(OF_ONE_BOX)
    loss = torch.zeros(())
    for _ in range(steps):
        chosen = faces[torch.randint(len(faces), (96,), generator=rng)]
        if len(jokers) > OF_ONE_BOX:
            first = torch.randint(len(jokers) - OF_ONE_BOX, (96 // OF_ONE_BOX,), generator=rng)
            chosen = torch.cat([chosen, jokers[(first[:, None] + together).flatten()]])
        some = crops.part(chosen)
        with torch.no_grad():
            looks = [net.summarise(views(some.pictures, rng, reprinted=False)[0]) for _ in range(2)]
        one, other = (functional.normalize(net.embedding(look_), dim=1) for look_ in looks)
        near = (chosen[:, None] - chosen).abs() < NEAR
        same = near & (some.symbol[:, None] == some.symbol)  # likely the very face: neither to be near nor apart
        likeness = (one @ other.T / 0.15).masked_fill(same & ~torch.eye(len(some), dtype=torch.bool), -math.inf)
        loss = functional.cross_entropy(likeness, torch.arange(len(some)))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return loss.item()


# ---- the whole ----


def publish(run: Run, runs: list[dict[str, Any]], arguments: argparse.Namespace) -> dict[str, object]:
    """Calibrate, export and describe a trained net, and the runs that led to it."""
    looks = {name: (look_both_ways(run.net, truth), truth) for name, truth in run.checks.items()}
    drawn = [looks["held-out fonts"], looks["held-out tables"]]
    real = [looks["held-out photographs"]] if len(run.photos) else []
    temperature = calibrate([*real, *drawn])
    readable = [*real, *(plain(*pair) for pair in drawn)]
    unsure = max(0.5, round(max(fit_threshold(*sureness(*pair, temperature)) for pair in readable), 4))
    path = arguments.out / f"{_name(arguments)}.onnx"
    difference = export(run.net, path, run.net.layers.crop)
    facts: dict[str, object] = {
        "model": path.stem,
        "version": 1,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "opset": 17,
        "inputs": {"crops": ["n", *run.net.layers.crop, 3]},
        "outputs": list(OUTPUTS),
        "classes": {"symbol": list(SYMBOLS), "ink": list(LETTERS), "upright": ["upside_down", "upright"]},
        "temperature": temperature,
        "thresholds": {"unsure": unsure},
        "trained": {
            "date": dt.datetime.now(dt.UTC).date().isoformat(),
            "seed": arguments.seed,
            "runs": len(runs),
            "crops_seen": sum(one["sizes"]["epoch"] * len(one["curve"]) for one in runs),
            "rendered": len(run.rendered),
            "photographed": len(run.photos) - run.left_out,
            "labels_left_out": run.left_out,
            "without_tiles": len(run.empty),
            "parameters": sum(weight.numel() for weight in run.net.parameters()),
        },
        "onnx_differs_by": difference,
        "scores": {name: report(*pair, temperature, unsure) for name, pair in looks.items()},
    }
    path.with_suffix(".json").write_text(json.dumps(facts, indent=2) + "\n")
    for name, pair in looks.items():
        print(name, confusions(*pair, arguments.data / f"errors-{name.replace(' ', '-')}.png")[:40])
    return facts


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, required=True, help="folder for banks of rendered crops, made when missing"
    )
    parser.add_argument("--photos", type=Path, required=True, help="folder with labels.jsonl and images/")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--banks", nargs="*", default=list("abcde"), help="names of banks; each has its seed")
    parser.add_argument("--tables", nargs="*", default=["t", "u"], help="names of banks cut out of rendered tables")
    parser.add_argument("--bank-size", type=int, default=24000)
    parser.add_argument("--epoch-size", type=int, default=40000)
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--embed", type=int, default=350, help="steps in which the embedding is taught at the end")
    parser.add_argument("--start", type=Path, help="weights or a published reader to go on from")
    parser.add_argument("--wide", action="store_true", help="train the wide net; a narrow one to start from is widened")
    parser.add_argument(
        "--renders-only", action="store_true", help="photographs only grade it: what a box never trained on would see"
    )
    parser.add_argument(
        "--teacher",
        type=Path,
        nargs="+",
        help="earlier tiles-read.onnx, of any layers, to learn from beside the labels",
    )
    parser.add_argument("--out", type=Path, default=MODELS)
    return parser.parse_args()


def _bank(data: Path, name: str, size: int, *, tables: bool = False, held: bool = False) -> Crops:
    folder = data / name
    if not (folder / "labels.npy").exists():
        build = build_table_bank if tables else build_bank
        build(folder, size, zlib.crc32(name.encode()), held_out=held)
    crops = load_bank(folder)
    return crops.part(torch.nonzero(crops.symbol != HIDDEN)[:, 0]) if held else crops  # what nobody can read is no test


def main() -> None:
    arguments = _arguments()
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(arguments.seed)
    photos = load_photos(arguments.photos)
    mine = [photo for photo in photos if photo.split == "train" and not held_out(photo)]
    kept = [photo for photo in photos if photo.split == "train" and held_out(photo)]
    valid = photographed([photo for photo in photos if photo.split == "valid"])
    net = ReadNet(REREADER if arguments.wide else READER)
    save = arguments.data / f"read-{arguments.seed}.pt"
    checks = {
        "held-out fonts": _bank(arguments.data, "held", 3000, held=True),
        "held-out tables": _bank(arguments.data, "held-tables", 2500, tables=True, held=True),
        "held-out photographs": photographed(kept),
    }
    rendered = join(
        [_bank(arguments.data, name, arguments.bank_size) for name in arguments.banks]
        + [_bank(arguments.data, name, arguments.bank_size, tables=True) for name in arguments.tables]
    )
    if arguments.start:
        start_from(net, arguments.start, rendered, arguments.seed)
    run = Run(net, rendered, photographed(mine), without_tiles(mine, arguments.seed), checks, [])
    if arguments.renders_only:
        run.photos, run.empty = (crops.part(torch.arange(0)) for crops in (run.photos, run.empty))
    run.teacher = Teacher(arguments.teacher) if arguments.teacher else None
    size = min(arguments.epoch_size, len(rendered))
    if arguments.epochs:
        train(
            run,
            arguments.epochs,
            arguments.seed,
            size=size,
            rate=arguments.rate,
            alone=alone_for(arguments),
            save=save,
        )
    elif len(run.photos):
        run.left_out = trusted(net, run.photos)[1]
    if arguments.embed:
        train_embedding(net, rendered, arguments.seed, arguments.embed)
    torch.save(net.state_dict(), save)
    settle_checks(run, valid)
    runs = all_runs(run, arguments, size)
    keep_curves(runs, arguments)
    facts = publish(run, runs, arguments)
    print(json.dumps(facts["scores"], indent=1), facts["temperature"], facts["thresholds"])


def alone_for(arguments: argparse.Namespace) -> int:
    """For how many epochs rendered crops are all there is."""
    if arguments.renders_only:
        return int(arguments.epochs)
    return 0 if arguments.start else max(1, round(arguments.epochs * 0.35))


def start_from(net: ReadNet, weights: Path, rendered: Crops, seed: int) -> None:
    """Give the net the weights of an earlier run, or of a published model; those of a narrower net are widened."""
    rng = torch.Generator().manual_seed(seed)
    if net.symbol.in_features > _numbers(weights) == READER.numbers:
        narrow = ReadNet()
        start_from(narrow, weights, rendered, seed)
        widen(narrow, net, rng)
        return
    if weights.suffix != ".onnx":
        net.load_state_dict(torch.load(weights))
        return
    some = rendered.part(torch.randint(len(rendered), (2048,), generator=rng))
    pictures, _ = views(some.pictures, rng)
    restore(net, weights, lambda: net.summarise(pictures), prefix=IN_USE)


def _numbers(weights: Path) -> int:
    """How many numbers the summary of a reader has; none where it is no reader."""
    kept = initial_values(load_graph(weights), IN_USE) if weights.suffix == ".onnx" else torch.load(weights)
    return int(kept["symbol.weight"].shape[1]) if "symbol.weight" in kept else 0


def _name(arguments: argparse.Namespace) -> str:
    return "tiles-reread" if arguments.wide else "tiles-read"


def _curves(model: str) -> Path:
    """Where the curves of a published model lie."""
    return Path(__file__).parent / f"curves-{model.removeprefix('tiles-')}.json"


def all_runs(run: Run, arguments: argparse.Namespace, size: int) -> list[dict[str, Any]]:
    """The runs that led to these weights: those of the weights it went on from, as kept beside them, and this one."""
    runs = stages_before(arguments.start, _curves(arguments.start.stem), "runs") if arguments.start else []
    sizes = {"rendered": len(run.rendered), "epoch": size, "photographed": len(run.photos), "empty": len(run.empty)}
    banks = [*arguments.banks, *arguments.tables]
    this = {"seed": arguments.seed, "rate": arguments.rate, "banks": banks, "sizes": sizes, "curve": run.curve}
    this["embedding"] = arguments.embed
    if arguments.teacher:
        this["teachers"] = [hashlib.sha256(path.read_bytes()).hexdigest() for path in arguments.teacher]
    return [*runs, this] if run.curve or arguments.embed else runs


def keep_curves(runs: list[dict[str, Any]], arguments: argparse.Namespace) -> None:
    """Write the curves of all runs beside the weights, and here if the model is published."""
    curves = json.dumps({"runs": runs}, indent=1) + "\n"
    (arguments.data / f"read-{arguments.seed}.json").write_text(curves)
    if arguments.out == MODELS:
        _curves(_name(arguments)).write_text(curves)


def settle_checks(run: Run, valid: Crops) -> None:
    """Turn photographed tiles upright before the last measurement, and leave doubtful published labels out of it.

    None is left out of `valid`, whose every label was checked by eye.
    """
    kept, _ = trusted(run.net, run.checks["held-out photographs"])
    run.checks["held-out photographs"] = recentred(run.net, kept)
    turned = look(run.net, valid.pictures).upright.argmax(1) == 0
    pictures = torch.where(turned[:, None, None, None], torch.flip(valid.pictures, (1, 2)), valid.pictures)
    run.checks["valid photographs"] = Crops(pictures, valid.symbol, valid.ink)


if __name__ == "__main__":
    main()
