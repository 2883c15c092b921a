"""Leaves out each step of the pipeline, alone and in groups, and measures what that costs in every world.

    python -m models.training.ablate --photos ../shared/photos [--tables 24] [--only STEP …] [--group NAME=STEP,STEP …]
    python -m models.training.ablate --photos ../shared/photos --only --set detect.target_search_side=36

Each picture is made once and read by every variant, so their figures differ by the step alone; what a model has
answered to the same pixels is not asked again, but its time is counted. The second tries another value of a tuned
number, of a room's `tuning`. A step that guards against what is no tile is judged by the strange worlds, for no table
of tiles tells its worth: `--only GUARD … --worlds strange --table "what each guard earns"` measures the guards.

The figures go to models/ablation.json after each world: a run that was broken off goes on where it stopped, unless the
program has changed. The table is printed and written into docs/reading.md.
"""

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import referee
from models.training.data.combined_corruptions import COMBINATIONS, COMBINED
from models.training.data.corruptions import CHANGES, Change, tilt
from models.training.data.reprinted import REPRINTS
from models.training.evaluate.ablation_steps import STEPS, in_place, patches_of
from models.training.evaluate.grades import Graded, figures, grade
from models.training.evaluate.report import HERE, STRANGE, readings
from models.training.evaluate.strange import strange_worlds, tile_worlds
from models.training.evaluate.worlds import (
    LEAN,
    Picture,
    changed,
    photographs,
    rendered,
    second_look,
    strange_jokers,
    unkind_evenings,
)
from referee.cli.progress import with_progress
from referee.vision.pipeline import TableReader

PAGE: Final = HERE.parent / "docs" / "reading.md"
STEPS_TABLE, GUARDS_TABLE = "what each step earns", "what each guard earns"
BEGINS, ENDS = "<!-- {}: written by models.training.ablate -->", "<!-- end of the table -->"
MISSION_CHANGES: Final = (
    *("leaning by 35° more", "dark, with noise", "warm lamp", "cold lamp", "pale", "hazy", "lamp on one side"),
    *("noise", "out of focus", "shaken", "JPEG of quality 20", "on pale squares"),
)
MISSION_PRINTS: Final = (
    *("digits smaller by a quarter", "thin digits", "bold digits", "pale prints", "tiles like wood"),
    *("a dot below the digit", "a heart below the digit"),
)
OTHER_CHANGES: Final = (
    *("leaning by 50° more", "squeezed from the sides", "squeezed from above", "480 pixels wide"),
    *("two tiles' lengths wide", "under a blind", "lamps mirrored in the tiles", "hollow digits"),
    "digits in the middle, underlined",
)
MISSION: Final = ""
OTHER: Final = "other: "  # before the name of a world that is not the mission's
_MODELS: Final = {"_locator": "locate", "_corners": "moves", "_reader": "read", "_rereader": "read"}
_KINDS: Final = ("wrong", "sure", "doubt")

Worlds = dict[str, Callable[[], Iterator[Picture]]]
Counts = dict[str, dict[str, Counter[str]]]


@dataclass(frozen=True, slots=True)
class Variant:
    """A pipeline without some steps."""

    name: str
    steps: tuple[str, ...]

    @contextmanager
    def left_out(self) -> Iterator[None]:
        """Within this the steps are not there."""
        with ExitStack() as stack:
            for patch in chain.from_iterable(map(patches_of, self.steps)):
                stack.enter_context(in_place(*patch))
            yield


@dataclass(slots=True)
class Remembered:
    """A model's method whose answers to the same pixels are kept; `saved` tells the seconds that this spared."""

    ask: Callable[..., Any]
    saved: float = 0.0
    _answers: dict[bytes, tuple[Any, float]] = field(default_factory=dict)

    def __call__(self, pixels: Any, *more: Any) -> Any:
        """The model's answer."""
        key = hashlib.blake2b(repr((pixels.shape, more)).encode() + pixels.tobytes(), digest_size=16).digest()
        if key in self._answers:
            answer, seconds = self._answers[key]
            self.saved += seconds
            return answer
        start = perf_counter()
        answer = self.ask(pixels, *more)
        self._answers[key] = answer, perf_counter() - start
        return answer

    def forget(self) -> None:
        """Forget all answers, for the next picture has other pixels."""
        self._answers.clear()
        self.saved = 0.0


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--photos", type=Path, help="folder with labels.jsonl")
    parser.add_argument("--tables", type=int, default=24, metavar="N", help="full tables of each rendered world")
    parser.add_argument("--seed", type=int, default=91_000, help="of those; not that of the published scores")
    parser.add_argument("--only", nargs="*", choices=STEPS, metavar="STEP", help="of the single steps these alone")
    parser.add_argument("--group", action="append", default=[], metavar="NAME=STEP,…", help="leave several out at once")
    parser.add_argument("--worlds", default="", help="only worlds whose name has this in it")
    parser.add_argument("--out", type=Path, default=HERE / "ablation.json", help="where the figures are kept")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the table is written, between its two marks")
    parser.add_argument(
        "--table", choices=(STEPS_TABLE, GUARDS_TABLE), default=STEPS_TABLE, help="which one of the page"
    )
    parser.add_argument("--set", action="append", default=[], metavar="ROOM.NUMBER=VALUE", help="try a tuned number so")
    words = parser.parse_args(argv)
    singles = STEPS if words.only is None else words.only
    variants = [Variant("nothing", ()), *(Variant(step, (step,)) for step in (*singles, *words.set))]
    for group in words.group:
        name, _, steps = group.partition("=")
        variants.append(Variant(name, tuple(step.strip() for step in steps.split(","))))
    worlds = worlds_of(words.photos, words.tables, words.seed)
    measured = measure({name: made for name, made in worlds.items() if words.worlds in name}, variants, words.out)
    text = as_markdown({variant.name: measured[variant.name] for variant in variants})
    print(text)
    if words.page.exists():
        before, begins, rest = words.page.read_text("utf-8").partition(BEGINS.format(words.table))
        after = rest.partition(ENDS)[2]
        if begins:
            words.page.write_text(f"{before}{begins}\n\n{text}\n{ENDS}{after}", "utf-8")


def measure(worlds: Worlds, variants: Sequence[Variant], kept: Path) -> Counts:
    """The counts of each variant in each world: those kept by this program, and those missing measured."""
    program = _program()
    known = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    before = known.get("counts", {}) if known.get("program") == program else {}
    counts: Counts = {
        variant.name: {world: Counter(one) for world, one in before.get(variant.name, {}).items()}
        for variant in variants
    }
    reader = TableReader(threads=1)
    models = _remembering(reader)
    for world, made in worlds.items():
        missing = [variant for variant in variants if world not in counts[variant.name]]
        for picture in with_progress(made() if missing else (), f"reading {world}"):
            for variant in missing:
                for group, one in _read(reader, models, replace(picture, group=world), variant).items():
                    counts[variant.name].setdefault(group, Counter()).update(one)
            for model in models:
                model.forget()
        if missing:
            print(f"{world}: {dict(counts['nothing'].get(world, {}))}", file=sys.stderr, flush=True)
            text = json.dumps({"program": program, "counts": before | counts}, indent=1, ensure_ascii=False)
            kept.write_text(text + "\n", "utf-8")
    return counts


def _read(
    reader: TableReader, models: Sequence[Remembered], picture: Picture, variant: Variant
) -> dict[str, Counter[str]]:
    """What a variant reads in a picture, counted; by group, for a full table is read as it settles, too."""
    saved, start = sum(model.saved for model in models), perf_counter()
    with variant.left_out():
        read = list(readings(reader, picture))
    seconds = perf_counter() - start + sum(model.saved for model in models) - saved
    return {view.group: _count(grade(view, reading), seconds / len(read)) for view, reading in read}


def _count(graded: Graded, seconds: float) -> Counter[str]:
    one = figures([graded])
    return Counter(
        pictures=one["pictures"],
        tiles=one["tiles"],
        wrong=one["tiles"] - one["exact"] + one["false"],
        sure=one["sure_but_wrong"] + one["false_and_sure"],
        doubt=one["unsure"],
        sets=one.get("sets", 0),
        sets_wrong=one.get("sets", 0) - one.get("sets_exact", 0),
        ms=round(seconds * 1000),
    )


def _remembering(reader: TableReader) -> list[Remembered]:
    """The reader's models, made to remember."""
    asked = []
    for name, method in _MODELS.items():
        model = getattr(reader, name)
        asked.append(Remembered(getattr(model, method)))
        setattr(model, method, asked[-1])
    return asked


def _program() -> str:
    """What tells this program and its models from others."""
    package = Path(referee.__file__).parent
    digest = hashlib.sha256()
    files = [*package.glob("vision/**/*.py"), *package.glob("reading/**/*.py"), *HERE.glob("*.onnx")]
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def worlds_of(photos: Path | None, tables: int, seed: int) -> Worlds:
    """The mission's worlds, as a camera sees a table from above, and others and strange ones, whose names say so."""
    leant = f"{OTHER}full tables, leaning by {LEAN}° more"
    drawn: Worlds = {
        "full tables": lambda: rendered("", tables, seed, still=True),
        "full tables, other fonts": lambda: rendered("", tables, seed + 1, still=True, held_out=True),
        "full tables, spoiled": lambda: rendered("", tables, seed + 2, still=False),
        "second look": lambda: second_look("", tables, seed + 3),
        "unkind evenings": lambda: unkind_evenings("", tables, seed),
        leant: lambda: (changed(one, "", tilt(LEAN)) for one in rendered("", tables, seed + 4, still=True)),
    }
    drawn |= {OTHER + name: made for name, made in tile_worlds(tables, seed + 5).items()}
    drawn |= {STRANGE + name: made for name, made in strange_worlds(photos, 2 * tables, seed + 8).items()}
    if photos is None:
        return drawn
    kept = list(photographs(photos, "valid"))
    changes = CHANGES | REPRINTS
    several = {f"{COMBINED}, {number}": change for number, change in enumerate(COMBINATIONS)}
    return (
        {"photographs": lambda: iter(kept), "photographs, jokers never seen": lambda: strange_jokers("", kept)}
        | {f"photographs, {name}": partial(_each, kept, changes[name]) for name in (*MISSION_CHANGES, *MISSION_PRINTS)}
        | drawn
        | {f"{OTHER}photographs, {name}": partial(_each, kept, changes[name]) for name in OTHER_CHANGES}
        | {f"{OTHER}photographs, {name}": partial(_each, kept, change) for name, change in several.items()}
    )


def _each(pictures: Sequence[Picture], change: Change) -> Iterator[Picture]:
    return (changed(one, "", change) for one in pictures)


def as_markdown(counts: Mapping[str, Mapping[str, Mapping[str, int]]]) -> str:
    """One row a variant: its share of the time; what is wrong, surely wrong and in doubt, and the mission's sets.

    Columns whose worlds were not read are left out.
    """
    sums = {name: _by_column(worlds) for name, worlds in counts.items()}
    usual = sums["nothing"]
    read = [kind for kind, pooled in usual.items() if pooled["pictures"]]
    heads = {
        MISSION: f"mission, {usual[MISSION]['tiles']:,} tiles: wrong/surely/in doubt | sets",
        OTHER: f"others, {usual[OTHER]['tiles']:,} tiles",
        STRANGE: f"strange, {usual[STRANGE]['pictures']:,} pictures, {usual[STRANGE]['tiles']:,} tiles",
    }
    lines = [f"| left out: time | {' | '.join(heads[kind] for kind in read)} |"]
    lines.append("|---" * (len(read) + 1 + (MISSION in read)) + "|")
    for name, columns in sums.items():
        share = _time(columns) / max(_time(usual), 1)
        lines.append(f"| {name}: {share:.2f} | {' | '.join(_cell(kind, columns[kind]) for kind in read)} |")
    return "\n".join([*lines, ""])


def _cell(kind: str, pooled: Mapping[str, int]) -> str:
    told = "/".join(f"{pooled[name]:,}" for name in _KINDS)
    return f"{told} | {pooled['sets_wrong']} of {pooled['sets']:,}" if kind == MISSION else told


def _time(columns: Mapping[str, Mapping[str, int]]) -> int:
    return sum(pooled["ms"] for pooled in columns.values())


def _by_column(worlds: Mapping[str, Mapping[str, int]]) -> dict[str, Counter[str]]:
    """The counts of the mission's worlds together, of the others, and of the strange ones."""
    sums: dict[str, Counter[str]] = {MISSION: Counter(), OTHER: Counter(), STRANGE: Counter()}
    for world, one in worlds.items():
        sums[next((kind for kind in (OTHER, STRANGE) if world.startswith(kind)), MISSION)].update(one)
    return sums


if __name__ == "__main__":
    main(sys.argv[1:])
