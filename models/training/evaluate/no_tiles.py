"""Counts the faces that are read in what is no tile.

    python -m models.training.evaluate.no_tiles [--photos ../shared/photos] [--pictures 60] [--models DIR]

Three sets lie among things which the simulator draws, as in play: cards, coasters, score sheets, telephones, a lid with
tiles printed on it. Photographs without tiles are those of the folder's `field` and of the split that grades. None of
these pictures is trained on.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final

import cv2
import numpy as np

from models.training.evaluate.grades import Points, match
from models.training.evaluate.report import readings
from models.training.evaluate.worlds import EDITIONS, Known, Picture, photographs
from referee.reading.observation import TableReading
from referee.rules.editions import rule_set
from referee.rules.notation import parse_table
from referee.sim.layout import Arrangement, PhysicalTile, arrange, footprints_overlap
from referee.sim.render import Painter
from referee.sim.scenarios import random_setting
from referee.sim.scene import play_area
from referee.sim.table_objects import ObjectKind, TableObject
from referee.vision.pipeline import TableReader

PHOTOGRAPHS: Final = "photographs"
_SIZE: Final = (1280, 960)
_TABLE: Final = "K9 K10 K11 K12 / B3 B4 B5 / K7 R7 O7"
_KINDS: Final = (
    ObjectKind.CARD,
    ObjectKind.CARD,
    ObjectKind.SHEET,
    ObjectKind.COASTER,
    ObjectKind.PHONE,
    ObjectKind.LID,
)
_THINGS, _TRIES = 10, 40


@dataclass(frozen=True, slots=True)
class Strange:
    """A picture, and the kinds and outlines of what lies there and is no tile; none where no tile lies there at all."""

    picture: Picture
    things: tuple[tuple[str, Points], ...] = ()


def among_things(count: int, seed: int) -> Iterator[Strange]:
    """Three sets, and about them as many things as there is room for, ten at most."""
    for number in range(count):
        edition = EDITIONS[number % len(EDITIONS)]
        rules, rng = rule_set(edition), Random(f"no tiles {seed} {number}")
        setting = random_setting(rules, rng.randrange(10**6), _SIZE, (0, 1, 2, 3))
        area, sets = play_area(setting.view), parse_table(_TABLE).sets
        pieces = [PhysicalTile(tile, 0) for one in sets for tile in one]
        laid = arrange(Arrangement(), sets, pieces, side=rng.randrange(4), area=area, rng=rng).tiles
        taken, things = [tile.corners() for tile in laid], []
        for place in range(_THINGS):
            kind = _KINDS[place % len(_KINDS)]
            for _ in range(_TRIES):
                x, y = rng.uniform(area.left, area.right), rng.uniform(area.top, area.bottom)
                thing = TableObject(kind=kind, x=x, y=y, angle=rng.uniform(0, 6.3), seed=rng.randrange(1 << 30))
                if not any(footprints_overlap(thing.corners(), other) for other in taken):
                    things.append(thing)
                    taken.append(thing.corners())
                    break
        image = Painter(setting).paint(laid, noise_index=number, objects=tuple(things))
        quads = [np.asarray(setting.view.quad(tile, setting.style.thickness) + 0.5, np.float32) for tile in laid]
        tiles = tuple(Known(str(tile.tile), quad) for tile, quad in zip(laid, quads, strict=True))
        name = f"{edition}-{number}"
        picture = Picture(group="things", name=name, image=image, tiles=tiles, sets=(), box=rules.box)
        outlines = [np.asarray(setting.view.project_flat(thing.corners()), np.float32) for thing in things]
        yield Strange(picture, tuple((thing.kind.value, one) for thing, one in zip(things, outlines, strict=True)))


def without_tiles(photos: Path) -> Iterator[Strange]:
    """Photographs in which no tile lies, as if the original edition were played."""
    box = rule_set("original").box
    for picture in (*photographs(photos, "valid"), *photographs(photos / "field", "train")):
        if not picture.tiles:
            yield Strange(replace(picture, group=PHOTOGRAPHS, box=box))


def count(strange: Strange, reading: TableReading) -> Counter[tuple[str, str]]:
    """What was read in each kind of thing: `n` of them, `sure` faces and those in `doubt`, things with a `sure one`."""
    known, found = strange.picture.tiles, [np.array(tile.quad, np.float32) for tile in reading.tiles]
    real = set(match([tile.outline for tile in known], found).values())
    false = [tile for index, tile in enumerate(reading.tiles) if index not in real and tile.tile is not None]
    counts: Counter[tuple[str, str]] = Counter()
    for kind, outline in strange.things or ((strange.picture.group, None),):
        on = [one for one in false if outline is None or cv2.pointPolygonTest(outline, one.centre, False) >= 0]
        sure = sum(not one.unsure for one in on)
        counts.update(
            {(kind, "n"): 1, (kind, "sure"): sure, (kind, "doubt"): len(on) - sure, (kind, "sure one"): sure > 0}
        )
    return counts


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--photos", type=Path, help="folder with labels.jsonl, and with field/ in it")
    parser.add_argument("--pictures", type=int, default=60, metavar="N", help="of things the simulator draws")
    parser.add_argument("--seed", type=int, default=61_000)
    parser.add_argument("--models", type=Path, help="folder of the models, if not the package's")
    words = parser.parse_args(argv)
    reader = TableReader(words.models, threads=1)
    counts: Counter[tuple[str, str]] = Counter()
    for strange in (*(without_tiles(words.photos) if words.photos else ()), *among_things(words.pictures, words.seed)):
        for view, reading in readings(reader, strange.picture):
            settled = ", settled" if view is not strange.picture else ""
            counts.update({(kind + settled, name): n for (kind, name), n in count(strange, reading).items()})
    print(as_markdown(counts))


def as_markdown(counts: Counter[tuple[str, str]]) -> str:
    """A row for each kind of thing."""
    lines = ["| what | n | with a sure face | sure faces | in doubt |", "|---" * 5 + "|"]
    for kind in dict.fromkeys(kind for kind, _ in counts):
        cells = (counts[kind, name] for name in ("n", "sure one", "sure", "doubt"))
        lines.append(f"| {kind} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main(sys.argv[1:])
