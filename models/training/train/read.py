"""Trains the net that reads a tile, calibrates and measures it, and writes models/tiles-read.onnx with its facts.

    python -m models.training.train.read --data DIR --photos DIR --epochs N
    python -m models.training.train.read --data DIR --photos DIR --epochs N --wide --start models/tiles-read.onnx
    python -m models.training.train.read --data DIR --photos DIR --prints p --start MODEL [--wide] --none 3

Rendered crops come first, alone. The net they gave then says which way up each photographed tile lies (the labels do
not) and which labels to leave out; from there on photographs are mixed in. The rule for labels is in `trusted`. The
wide net, models/tiles-reread.onnx, looks again at what the other doubts; it goes on from what that one has learnt. With
--none a finished net learns what is no tile; of tiles it goes on saying what it said, as surely.
"""

from __future__ import annotations

import argparse
import copy
import datetime as dt
import hashlib
import json
import math
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from models.training.data.augment import moved, views
from models.training.data.crops import HIDDEN, SYMBOLS, UNKNOWN, build_bank
from models.training.data.photos import Photo, empty_crops, load_photos, real_crops
from models.training.data.render.faces import LETTERS
from models.training.data.reprinted import REPRINTS
from models.training.data.table_crops import build_print_bank, build_table_bank
from models.training.nets.published import (
    IN_USE,
    MODELS,
    crop_of,
    folded_convolutions,
    initial_values,
    load_graph,
    restore,
    stages_before,
)
from models.training.nets.read_net import OUTPUTS, READER, REREADER, Layers, ReadNet, export
from models.training.nets.widen import on_grid, widen
from models.training.train.device import autocast, batch_size, device, generator, made_ahead, reckon_there
from models.training.train.distil import Teacher, apart
from models.training.train.lr_schedule import Pace
from models.training.train.no_tile import Lessons, teach_none
from models.training.train.parallel import done_by
from models.training.train.read_score import (
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
from models.training.train.steps import Repeated, follow
from referee.cli.progress import with_progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from models.training.data.corruptions import Change

Pair = tuple[Tensor, Tensor]
Build = Callable[..., None]

NONE, BACK = SYMBOLS.index("none"), SYMBOLS.index("back")
JOKERS = range(SYMBOLS.index("J"), SYMBOLS.index("back"))
BATCH = 256
OF_ONE_BOX, NEAR = 4, 200  # jokers taken together for the embedding; crops so near in a bank may show one face
QUICK = 1000  # crops of each check looked at after every epoch


def load_bank(folder: Path) -> Crops:
    return crops_of(np.load(folder / "crops.npy"), np.load(folder / "labels.npy"))


def crops_of(pictures: npt.NDArray[np.uint8], labels: npt.NDArray[np.int8]) -> Crops:
    """Pictures [n, 80, 60, 3] and labels [n, 2], symbol and ink, where training reckons."""
    said = torch.from_numpy(labels.astype(np.int64)).to(device())
    return Crops(torch.from_numpy(pictures).to(device()), said[:, 0], said[:, 1])


def held_out(photo: Photo) -> bool:
    """Whether a photograph (with all its copies) is kept from training, for calibration and early checks."""
    return zlib.crc32(photo.photo.encode()) % 5 == 0


def photographed(photos: Sequence[Photo], changes: Sequence[Change] = ()) -> Crops:
    """Tiles of photographs, each some way up; the photographs as they are, or changed in one of some ways."""
    real = real_crops(photos, changes)
    return crops_of(real.crops, real.labels)


def without_tiles(photos: Sequence[Photo], seed: int) -> Crops:
    pictures = torch.from_numpy(empty_crops(photos, seed)).to(device())
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


def losses_of(net: ReadNet, labels: Pair, seen: Pair, teacher: Teacher | None = None) -> Tensor:
    """How wrong the net is about each crop [n] as `views` shows it; about a covered face it should be undecided.

    The labels are those of symbols and of inks.
    """
    (symbols, inks), (pictures, upright) = labels, seen
    with autocast():
        summary = net.summarise(pictures.contiguous(memory_format=torch.channels_last))
    summary = summary.float()
    symbol, ink, turn = net.symbol(summary), net.ink(summary), net.upright(summary)
    way = upright.long().masked_fill((symbols < 0) | (symbols == NONE) | (symbols == BACK), UNKNOWN)
    said = symbol.log_softmax(1)
    named = -said.gather(1, symbols.clamp_min(0)[:, None])[:, 0]
    anything = -said.mean(1) - math.log(len(SYMBOLS))  # zero where all symbols are held equally likely
    told = (
        torch.where(symbols == HIDDEN, 0.5 * anything, named)
        + 0.7 * functional.cross_entropy(ink, inks, ignore_index=UNKNOWN, reduction="none")
        + 0.5 * functional.cross_entropy(turn, way, ignore_index=UNKNOWN, reduction="none")
    )
    return told if teacher is None else (told + apart(teacher.chances(pictures), (symbol, ink, turn))) / 2


def lessons(crops: Crops, rng: torch.Generator, size: int = BATCH, at_once: int = 1) -> Iterator[tuple[Tensor, Pair]]:
    """The numbers of all crops shuffled, a batch at a time, with `views` of each, made of so many batches at once."""
    order = torch.randperm(len(crops), generator=rng)
    for some in order[: len(crops) // size * size].split(size * at_once):
        pictures, upright = views(crops.pictures[some], rng)
        yield from zip(some.split(size), zip(pictures.split(size), upright.split(size), strict=True), strict=True)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long, how fast and with how much to train; `alone`: epochs in which rendered crops are all there is."""

    epochs: int
    size: int
    batch: int
    rate: float
    minutes: float
    alone: int
    seed: int

    def pace(self) -> Pace:
        """Of its steps."""
        steps = sum(self.size * (1.24 if epoch >= self.alone else 1) // self.batch for epoch in range(self.epochs))
        return Pace(self.rate, int(steps) + self.epochs, self.minutes)


def train(run: Run, plan: Plan, save: Path) -> None:
    """Train with one cycle of the learning rate, keeping a running mean of the weights, which is what comes out.

    An epoch takes `size` rendered crops, hard ones more often, and after the first ones photographs as a fifth as many.
    """
    size, rng, pace = plan.size, generator(plan.seed), plan.pace()
    rate = torch.tensor(plan.rate)
    optimiser = torch.optim.AdamW(
        run.net.parameters(), rate, weight_decay=0.02, fused=True, capturable=device().type == "cuda"
    )

    def step(symbols: Tensor, inks: Tensor, pictures: Tensor, upright: Tensor) -> Tensor:
        losses = losses_of(run.net, (symbols, inks), (pictures, upright), run.teacher)
        optimiser.zero_grad()
        losses.mean().backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(run.net.parameters(), 5.0)
        optimiser.step()
        return losses.detach()

    averaged, steps = copy.deepcopy(run.net), 0
    repeated: Repeated | None = None
    real: Crops | None = None
    hardness = torch.ones(len(run.rendered) + 1)  # the last for all crops that are not drawn by it
    for epoch in range(plan.epochs):
        if pace.done >= 1:
            break
        if epoch >= plan.alone and real is None:
            real, run.left_out = trusted(averaged, run.photos)
        begun, total, count = time.monotonic(), torch.zeros(()), 0
        index = torch.multinomial(hardness[:-1], size, generator=rng)
        crops = join([run.rendered.part(index), *(some_real(real, run.empty, size, rng) if real else [])])
        place = torch.cat([index, torch.full((len(crops) - size,), len(run.rendered))])
        run.net.train()
        for rows, seen in pace.shown(made_ahead(lessons(crops, rng, plan.batch, batch_size(1, 8))), "training"):
            rate.fill_(pace.next_rate())
            lesson = (crops.symbol[rows], crops.ink[rows], *seen)
            repeated = repeated or Repeated(step, *lesson)
            losses = repeated(*lesson)
            follow(averaged, run.net, min(0.995, (1 + steps) / (10 + steps)) if steps else 0)
            hardness[place[rows]] = worth(losses)
            total, count, steps = total + losses.mean(), count + 1, steps + 1
        row = {"epoch": epoch, "loss": round(total.item() / count, 4), "seconds": round(time.monotonic() - begun, 1)}
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


def train_embedding(net: ReadNet, crops: Crops, seed: int, steps: int) -> float:
    """Teach the embedding alone, on a finished net: two looks at a face lie together, other faces apart (NT-Xent).

    A face printed otherwise is another face: what tells two jokers apart may be no more. Half the faces are jokers, for
    it is them that are enrolled; and a few that lie one after the other in a bank are mostly of one box, whose jokers
    are the hardest to tell apart.
    """
    rng = generator(seed)
    net.eval()
    optimiser = torch.optim.Adam(net.embedding.parameters(), lr=3e-3)
    faces = torch.nonzero((crops.symbol >= 0) & (crops.symbol != NONE))[:, 0]
    jokers = torch.nonzero(torch.isin(crops.symbol, torch.tensor(JOKERS)))[:, 0]
    together = torch.arange(OF_ONE_BOX)
    loss = torch.zeros(())
    for _ in with_progress(range(steps), "training the embedding"):
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
    if arguments.none:  # it is to be as sure as before
        before = json.loads(arguments.start.with_suffix(".json").read_text())
        temperature, unsure = before["temperature"], before["thresholds"]["unsure"]
        taught = {"tiles_count": arguments.none, "rate": arguments.rate, "epochs": arguments.epochs}
    else:
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
        "inputs": {"crops": ["n", *run.net.layers.crop[::-1], 3]},  # rows and columns exchanged
        "outputs": list(OUTPUTS),
        "classes": {"symbol": list(SYMBOLS), "ink": list(LETTERS), "upright": ["upside_down", "upright"]},
        "temperature": temperature,
        "thresholds": {"unsure": unsure},
        "trained": {
            "date": dt.datetime.now(dt.UTC).date().isoformat(),
            "seed": runs[-1]["seed"] if runs else arguments.seed,
            "runs": len(runs),
            "crops_seen": sum(one["sizes"]["epoch"] * len(one["curve"]) for one in runs),
            "rendered": runs[-1]["sizes"]["rendered"] if runs else len(run.rendered),
            "photographed": len(run.photos) - run.left_out,
            "labels_left_out": run.left_out,
            "without_tiles": len(run.empty),
            "parameters": sum(weight.numel() for weight in run.net.parameters()),
        },
        "onnx_differs_by": difference,
        "scores": {name: report(*pair, temperature, unsure) for name, pair in looks.items()},
    }
    if arguments.none:
        facts["trained"] = before["trained"] | {"date": dt.datetime.now(dt.UTC).date().isoformat(), "none": taught}
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
    parser.add_argument("--minutes", type=float, default=math.inf, help="end training after so long")
    parser.add_argument("--batch", type=int, default=batch_size(BATCH, 1024), help="crops of one step")
    parser.add_argument("--banks", nargs="*", default=list("abcde"), help="names of banks; each has its seed")
    parser.add_argument("--tables", nargs="*", default=["t", "u"], help="names of banks cut out of rendered tables")
    parser.add_argument("--prints", nargs="*", default=[], help="names of banks of printed things that are no tiles")
    parser.add_argument(
        "--none",
        type=float,
        metavar="N",
        help="teach a finished net (--start) what is no tile; what it says of tiles counts N times as much",
    )
    parser.add_argument("--bank-size", type=int, default=24000)
    parser.add_argument("--workers", type=int, default=1, help="processes that render banks side by side")
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


def render_bank(data: Path, name: str, size: int, *, of: Build = build_bank, held: bool = False) -> None:
    """Render a bank where it is missing; each has its seed by its name."""
    if not (data / name / "labels.npy").exists():
        of(data / name, size, zlib.crc32(name.encode()), held_out=held)


def _render_banks(arguments: argparse.Namespace) -> None:
    data, size = arguments.data, arguments.bank_size
    jobs = [partial(render_bank, data, name, size, of=build_print_bank) for name in arguments.prints]
    jobs += [partial(render_bank, data, name, size, of=build_table_bank) for name in arguments.tables]
    jobs += [partial(render_bank, data, name, size) for name in arguments.banks]
    jobs += [partial(render_bank, data, "held-tables", 2500, of=build_table_bank, held=True)]
    jobs += [partial(render_bank, data, "held", 3000, held=True)]
    done_by(arguments.workers, jobs)


def _held_bank(folder: Path) -> Crops:
    """A bank that tests: what nobody can read is left out."""
    crops = load_bank(folder)
    return crops.part(torch.nonzero(crops.symbol != HIDDEN)[:, 0])


def main() -> None:
    arguments = _arguments()
    if arguments.none:
        arguments.embed = 0
    arguments.out.mkdir(parents=True, exist_ok=True)
    reckon_there()
    cv2.setNumThreads(1)
    torch.manual_seed(arguments.seed)
    _render_banks(arguments)
    photos = load_photos(arguments.photos)
    mine = [photo for photo in photos if photo.split == "train" and not held_out(photo)]
    kept = [photo for photo in photos if photo.split == "train" and held_out(photo)]
    valid = photographed([photo for photo in photos if photo.split == "valid"])
    net = ReadNet(REREADER if arguments.wide else READER)
    save = arguments.data / f"read-{arguments.seed}.pt"
    checks = {
        "held-out fonts": _held_bank(arguments.data / "held"),
        "held-out tables": _held_bank(arguments.data / "held-tables"),
        "held-out photographs": photographed(kept),
    }
    banks = (*arguments.banks, *arguments.tables, *arguments.prints)
    rendered = join([load_bank(arguments.data / name) for name in banks])
    if arguments.start:
        start_from(net, arguments.start, rendered, arguments.seed)
    run = Run(net, rendered, photographed(mine), without_tiles(mine, arguments.seed), checks, [])
    if arguments.renders_only:
        run.photos, run.empty = (crops.part(torch.arange(0)) for crops in (run.photos, run.empty))
    if arguments.teacher:
        run.teacher = Teacher([restored(path, rendered, arguments.seed) for path in arguments.teacher])
    size = min(arguments.epoch_size, len(rendered))
    if arguments.none:
        reprinted = photographed(mine, list(REPRINTS.values()))
        real, _ = trusted(net, join([run.photos, reprinted]))
        printed = join([load_bank(arguments.data / name) for name in arguments.prints])
        tiles = join([rendered.part(torch.arange(len(rendered) - len(printed))), real])
        things = join([printed.part(printed.symbol == NONE), run.empty])
        lessons = Lessons(
            steps=arguments.epochs * size // arguments.batch,
            batch=arguments.batch,
            rate=arguments.rate,
            minutes=arguments.minutes,
            tiles_count=arguments.none,
            seed=arguments.seed,
        )
        teach_none(net, tiles, things, lessons)
    elif arguments.epochs:
        plan = Plan(
            epochs=arguments.epochs,
            size=size,
            batch=arguments.batch,
            rate=arguments.rate,
            minutes=arguments.minutes,
            alone=alone_for(arguments),
            seed=arguments.seed,
        )
        train(run, plan, save)
    elif len(run.photos):
        run.left_out = trusted(net, run.photos)[1]
    if arguments.embed:
        train_embedding(net, rendered, arguments.seed, arguments.embed)
    torch.set_default_device("cpu")  # where it is used, and so graded
    net, checks, valid = net.cpu(), {name: check.cpu() for name, check in checks.items()}, valid.cpu()
    run.checks = checks
    torch.save(net.state_dict(), save)
    runs = all_runs(run, arguments, size)
    keep_curves(runs, arguments)
    settle_checks(run, valid)
    facts = publish(run, runs, arguments)
    print(json.dumps(facts["scores"], indent=1), facts["temperature"], facts["thresholds"])


def alone_for(arguments: argparse.Namespace) -> int:
    """For how many epochs rendered crops are all there is."""
    if arguments.renders_only:
        return int(arguments.epochs)
    return 0 if arguments.start else max(1, round(arguments.epochs * 0.35))


def start_from(net: ReadNet, weights: Path, rendered: Crops, seed: int) -> None:
    """Give the net the weights of an earlier run, or of a published model; those of a narrower net are widened."""
    if net.symbol.in_features > _numbers(weights) == READER.numbers:
        narrow = ReadNet()
        start_from(narrow, weights, rendered, seed)
        widen(narrow, net, generator(seed))
    elif weights.suffix != ".onnx":
        net.load_state_dict(torch.load(weights, map_location=device()))
    else:
        before = restored(weights, rendered, seed)
        kept = before.state_dict()
        kept["summary.2.weight"] = on_grid(kept["summary.2.weight"], before.layers.grid, net.layers.grid)
        net.load_state_dict(kept)


def restored(published: Path, rendered: Crops, seed: int) -> ReadNet:
    """The net of a published reader, whatever its layers."""
    layers = layers_of(published)
    in_use = ReadNet(layers._replace(crop=layers.crop[::-1]))
    rng = generator(seed)
    some = rendered.part(torch.randint(len(rendered), (min(2048, len(rendered)),), generator=rng))
    pictures, _ = views(some.pictures, rng)
    pictures = pictures.transpose(2, 3)
    restore(in_use, published, lambda: in_use.summarise(pictures), prefix=IN_USE)
    return in_use.exchanged()


def layers_of(published: Path) -> Layers:
    """The layers of a published reader, for upright crops."""
    widths = (len(weight) for weight, _ in folded_convolutions(load_graph(published)))
    stem, half, quarter, eighth, last = (width for width, _ in groupby(widths))
    return Layers((stem, half, quarter, eighth, last), _numbers(published), crop_of(published))


def _numbers(weights: Path) -> int:
    """How many numbers the summary of a reader has; none where it is no reader."""
    published = weights.suffix == ".onnx"
    kept = initial_values(load_graph(weights), IN_USE) if published else torch.load(weights, map_location=device())
    return int(kept["symbol.weight"].shape[1]) if "symbol.weight" in kept else 0


def _name(arguments: argparse.Namespace) -> str:
    return "tiles-reread" if arguments.wide else "tiles-read"


def all_runs(run: Run, arguments: argparse.Namespace, size: int) -> list[dict[str, Any]]:
    """The runs that led to these weights: those of the weights it went on from, as kept beside them, and this one."""
    runs = stages_before(arguments.start, "runs") if arguments.start else []
    sizes = {"rendered": len(run.rendered), "epoch": size, "photographed": len(run.photos), "empty": len(run.empty)}
    banks = [*arguments.banks, *arguments.tables, *arguments.prints]
    this = {"seed": arguments.seed, "rate": arguments.rate, "banks": banks, "sizes": sizes, "curve": run.curve}
    this["embedding"] = arguments.embed
    if arguments.teacher:
        this["teachers"] = [hashlib.sha256(path.read_bytes()).hexdigest() for path in arguments.teacher]
    return [*runs, this] if run.curve or arguments.embed else runs


def keep_curves(runs: list[dict[str, Any]], arguments: argparse.Namespace) -> None:
    """Write the curves of all runs beside the weights."""
    curves = json.dumps({"runs": runs}, indent=1) + "\n"
    (arguments.data / f"read-{arguments.seed}.json").write_text(curves)


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
