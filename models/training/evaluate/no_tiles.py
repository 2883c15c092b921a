"""Counts the faces that are read in what is no tile.

    python -m models.training.evaluate.no_tiles [--photos ../shared/photos] [--pictures 60] [--models DIR]

Three sets lie among things which the simulator draws, as in play: cards, coasters, score sheets, telephones, a lid with
tiles printed on it. Pages and boards fill other pictures. Both are read as photographs, and with the profile of a
camera that knows its table. Photographs without tiles are those of the folder's `field` and of the split that grades.
None of these pictures is trained on.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from models.training.evaluate.grades import match
from models.training.evaluate.report import SETTLED, readings
from models.training.evaluate.strange import CALIBRATED, Strange, among_things, pages
from models.training.evaluate.worlds import photographs
from referee.reading.observation import TableReading
from referee.rules.editions import rule_set
from referee.vision.pipeline import TableReader

PHOTOGRAPHS: Final = "photographs"


def without_tiles(photos: Path) -> Iterator[Strange]:
    """Photographs in which no tile lies, as if the original edition were played."""
    box = rule_set("original").box
    for picture in (*photographs(photos, "valid"), *photographs(photos / "field", "train")):
        if not picture.tiles:
            yield Strange(replace(picture, group=PHOTOGRAPHS, box=box))


def _drawn(count: int, seed: int, *, calibrated: bool) -> Iterator[Strange]:
    """Things beside tiles, and pages that fill a picture, by the kind of page."""
    yield from among_things(count, seed, calibrated=calibrated)
    for page in pages(count, seed, calibrated=calibrated):
        yield Strange(replace(page, group=page.name.partition("-")[0]))


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
    field = without_tiles(words.photos) if words.photos else ()
    drawn = [_drawn(words.pictures, words.seed, calibrated=calibrated) for calibrated in (False, True)]
    for strange in chain(field, *drawn):
        for view, reading in readings(reader, strange.picture):
            how = CALIBRATED if view.profile else ""
            how += SETTLED if view is not strange.picture else ""
            counts.update({(kind + how, name): n for (kind, name), n in count(strange, reading).items()})
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
