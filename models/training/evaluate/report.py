"""Grades the whole reader, one command: photographs it was not trained on, rendered full tables, a second look at them.

    python -m models.training.evaluate --photos ../shared/photos [--tables 24] [--sheets DIR]

writes models/scores.json and models/scores.md and prints the latter; `make figures` then fills the pages in. What
the worlds are says `worlds`, what counts says `grades`, what there is to look at says `sheets`. Full tables are read
twice: as photographs, and as they settle before a camera that keeps still, in three looks at the scale that it found.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from models.training.data.render.fonts import KNOWN_FONTS, fonts
from models.training.evaluate.grades import Graded, confusions, figures, grade
from models.training.evaluate.sheets import Sheets
from models.training.evaluate.strange import COVERED_FEET, strange_worlds, tile_worlds
from models.training.evaluate.worlds import RACKS, SPOILT, Picture, worlds
from referee.cli.progress import with_progress
from referee.reading.consensus import fuse
from referee.reading.observation import TableReading
from referee.vision.detect.detection_scale import SHIFTS, fit_zoom
from referee.vision.image.frame import Frame
from referee.vision.pipeline import TableReader

HERE = Path(__file__).parents[2]
SETTLED = ", settled"  # after the name of a world of full tables
STRANGE = "strange: "  # before the name of one of things that are no tiles
_OF_TILES = ("tiles", "found", "exact", "sure but wrong", "unsure")
_KEYS = ("tiles", "found", "exact", "sure_but_wrong", "unsure")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--photos", type=Path, help="folder with labels.jsonl")
    parser.add_argument("--split", default="valid")
    parser.add_argument("--tables", type=int, default=24, metavar="N", help="full tables of each world that is drawn")
    parser.add_argument("--seed", type=int, default=90_000, help="of the drawn tables; training takes smaller ones")
    parser.add_argument("--models", type=Path, help="folder of the models, if not the package's")
    parser.add_argument("--sheets", type=Path, metavar="DIR", help="write crops and tables there to look at")
    parser.add_argument("--out", type=Path, default=HERE, help="folder for scores.json and scores.md")
    words = parser.parse_args(argv)
    words.out.mkdir(parents=True, exist_ok=True)  # not first after minutes of reading
    reader = TableReader(words.models, threads=1)
    sheets = Sheets(words.sheets) if words.sheets else None
    graded = []
    usual = worlds(words.photos, words.split, words.tables, words.seed)
    for picture in with_progress(chain(usual, _strange(words.photos, words.tables, words.seed + 6)), "reading"):
        for view, reading in readings(reader, picture):
            graded.append(grade(view, reading))
            if sheets and view is picture:
                sheets.add(picture, reading, graded[-1])
    if sheets:
        sheets.write()
    report(graded, words.out, " ".join(sys.argv[1:] if argv is None else argv))


def _strange(photos: Path | None, count: int, seed: int) -> Iterator[Picture]:
    """Yield things that are no tiles, and tiles as no set lies; racks are among the usual worlds."""
    for name, made in (strange_worlds(photos, count, seed) | tile_worlds(count, seed + 9)).items():
        if name != COVERED_FEET:
            yield from (replace(picture, group=STRANGE + name) for picture in made())


def readings(reader: TableReader, picture: Picture) -> Iterator[tuple[Picture, TableReading]]:
    """What the reader says of a picture; of a full table also what its looks at the scale found say together."""
    frame = Frame(picture.name, 0.0, picture.image)
    first = reader.read_table(frame, picture.box, profile=picture.profile)
    yield picture, first
    if picture.sets is not None:
        zoom = fit_zoom(first)
        zooms = [zoom and zoom._replace(shift=shift) for shift in SHIFTS]
        looks = [reader.read_table(frame, picture.box, one, picture.profile) for one in zooms]
        yield replace(picture, group=picture.group + SETTLED), fuse(looks)


def report(graded: Sequence[Graded], out: Path, command: str) -> None:
    """Write the figures and print them."""
    groups = list(dict.fromkeys(one.group for one in graded))
    scores = {group: figures([one for one in graded if one.group == group]) for group in groups}
    series = [one for one in graded if one.sets is None and not one.group.startswith((SPOILT, RACKS, STRANGE))]
    if series:
        scores = {"all photographs": figures(series), **scores}
    pairs = confusions(answer for one in graded for answer in one.answers)
    taken = {path.name for held_out in (False, True) for path in fonts(held_out=held_out)}
    drawn = f"drawn with {len(taken & KNOWN_FONTS)} of the {len(KNOWN_FONTS)} fonts of `training/fontfiles.txt`"
    header = f"Measured {datetime.now(UTC):%Y-%m-%d} with `python -m models.training.evaluate {command}`; {drawn}."
    text = as_markdown(scores, pairs, header)
    (out / "scores.json").write_text(
        json.dumps({"scores": scores, "confusions": pairs}, indent=1) + "\n", encoding="utf-8"
    )
    (out / "scores.md").write_text(text, encoding="utf-8")
    print(text)


def as_markdown(scores: Mapping[str, Mapping[str, Any]], pairs: Sequence[tuple[str, int]], header: str) -> str:
    """Return scores.md: photographs, then full tables; scores.json holds more of each."""
    strange = {group: one for group, one in scores.items() if group.startswith(STRANGE)}
    usual = {group: one for group, one in scores.items() if group not in strange}
    photographs = {group: one for group, one in usual.items() if "sets" not in one}
    tables = {group: one for group, one in usual.items() if "sets" in one}
    lines = [header]
    whole = [_label(group) for group, one in photographs.items() if _is_whole(one)]
    if whole:
        lines += ["", f"Every tile right, none in doubt: {'; '.join(whole)}."]
    some = {group: one for group, one in photographs.items() if not _is_whole(one)}
    for groups, more in ((some, ()), (tables, ("sets exact", "tables exact"))):
        columns = ("pictures", *_OF_TILES, *more)
        lines += ["", _table_row(columns), "|---" * len(columns) + "|"]
        lines += [_table_row(_cells(group, one)) for group, one in groups.items()]
    lines += ["", _table_row(("strange", "pictures", "faces where no tile lies", "of them sure", *_OF_TILES))]
    lines += ["|---" * (4 + len(_OF_TILES)) + "|"]
    keys = ("pictures", "false", "false_and_sure", *_KEYS)
    lines += [_table_row([group.removeprefix(STRANGE), *(one[key] for key in keys)]) for group, one in strange.items()]
    told = ", ".join(f"{pair} ({count})" if count > 1 else pair for pair, count in pairs[:10])
    return "\n".join([*lines, "", f"Taken for another (`-`: nothing): {told or 'none'}.", ""])


def _label(group: str) -> str:
    return group.removeprefix("photographs, ")


def _is_whole(one: Mapping[str, Any]) -> bool:
    return one["exact"] == one["tiles"] and not one["sure_but_wrong"] and not one["unsure"]


def _cells(group: str, one: Mapping[str, Any]) -> list[object]:
    cells = [_label(group), *(one[key] for key in _KEYS)]
    return [*cells, f"{one['sets_exact']} of {one['sets']}", one["tables_exact"]] if "sets" in one else cells


def _table_row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"
