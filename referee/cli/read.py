"""`referee read`: read tiles and sets in pictures, as text or JSON."""

import argparse
import itertools
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2

from referee.cli.judged_sets import judge_sets
from referee.cli.progress import Progress, print_line
from referee.errors import CalibrationError, ImageError, StorageError
from referee.reading.observation import TableReading
from referee.rules.editions import rule_set
from referee.rules.wording import count_text
from referee.storage.files import make_folder, refusal, write_whole
from referee.storage.profile import load_profile
from referee.vision.image.annotate import Mark, SetState, draw
from referee.vision.image.frame import Frame, Image
from referee.vision.image.picture_file import load_image
from referee.vision.pipeline import TableReader

_EXIT_FAILED = 2
_MIN_TILES_TO_BLAME_PICTURE = 4  # if at least this many tiles are read and all are doubtful, the picture is to blame


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("images", nargs="+", metavar="IMAGE", help="photographs of a table (JPEG, PNG, …)")
    parser.add_argument(
        "--edition", metavar="ID", help="the edition on the table: judges the sets, names jokers, knows the box"
    )
    parser.add_argument("--profile", metavar="FILE", type=Path, help="a calibration profile; reading works without one")
    parser.add_argument(
        "--annotate", metavar="DIR", type=Path, help="write a copy of each picture there, with the reading drawn on it"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object a line and nothing else")


def run(arguments: argparse.Namespace) -> int:
    """Read every picture; return 2 if one could not be read."""
    profile = load_profile(arguments.profile) if arguments.profile else None
    rules = rule_set(arguments.edition) if arguments.edition else None
    reader = TableReader()
    if arguments.annotate:
        _make_folder(arguments.annotate)
    code = 0
    box = None if rules is None else rules.box
    with Progress("reading", len(arguments.images)) as progress:
        for name, drawing in zip(arguments.images, _drawing_paths(arguments.images, arguments.annotate), strict=True):
            progress.note = name
            try:
                image = _load_image(name)
                reading = reader.read_table(Frame(Path(name).name, 0.0, image), box, profile=profile)
            except (ImageError, CalibrationError) as error:
                code = _EXIT_FAILED
                _print_report({"image": name, "error": str(error)}, as_json=arguments.json)
            else:
                judged = None if rules is None else judge_sets(reading, rules)
                _print_report(
                    reading_to_json(name, (image.shape[1], image.shape[0]), reading, judged), as_json=arguments.json
                )
                if drawing is not None:
                    code = max(code, _write_drawing(drawing, draw(image, reading, judged)))
            progress.done += 1
    return code


def _load_image(name: str) -> Image:
    if "://" in name:
        raise ImageError(f"{name} is an address; save the picture here and name the file")
    return load_image(Path(name))


def reading_to_json(
    name: str, size: tuple[int, int], reading: TableReading, judged: Sequence[Mark] | None = None
) -> dict[str, Any]:
    """Return a reading under the promised JSON keys; tiles lying face down are `null`."""
    layout = reading.layouts[0]
    names = [None if tile.tile is None else str(tile.tile) for tile in reading.tiles]
    return {
        "image": name,
        "size": list(size),
        "tiles": [
            {
                "tile": names[index],
                "confidence": round(tile.confidence, 4),
                "quad": [[round(x, 1), round(y, 1)] for x, y in tile.quad],
                "alternatives": [[str(other), round(chance, 4)] for other, chance in tile.alternatives],
            }
            for index, tile in enumerate(reading.tiles)
        ],
        "sets": [[names[index] for index in row] for row in layout.sets],
        "loose": [names[index] for index in layout.loose],
        **({} if judged is None else {"judged": [_mark_to_json(mark) for mark in judged]}),
        "unsure": list(reading.unsure),
        "ms": dict(reading.milliseconds),
    }


_VERDICTS = {SetState.LEGAL: "legal", SetState.ILLEGAL: "illegal", SetState.DOUBT: "undecided"}


def _mark_to_json(mark: Mark) -> dict[str, Any]:
    return {"verdict": _VERDICTS[mark.state], "kind": mark.kind, "message": mark.reason or None}


def _print_report(report: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_line(json.dumps(report), sys.stdout)
    if "error" in report:
        print_line(f"referee read: {report['error']}")
    elif not as_json:
        # A file name may contain bytes that are not text.
        print_line(reading_text(report).encode(errors="backslashreplace").decode(), sys.stdout)


def reading_text(report: Mapping[str, Any]) -> str:
    """Return a reading as text: a line with counts, then sets, loose tiles and doubts."""
    tiles = report["tiles"]
    faces = sum(tile["tile"] is not None for tile in tiles)
    lines = [f"{report['image']}: {count_text(faces, 'tile')} in {count_text(len(report['sets']), 'set')}"]
    judged = report.get("judged") or [None] * len(report["sets"])
    lines += [f"  {' '.join(row)}{_verdict_text(verdict)}" for row, verdict in zip(report["sets"], judged, strict=True)]
    if report["loose"]:
        lines.append(f"  loose: {' '.join(report['loose'])}")
    if len(tiles) > faces:
        lines.append(f"  face down: {len(tiles) - faces}")
    if len(report["unsure"]) == len(tiles) >= _MIN_TILES_TO_BLAME_PICTURE:
        lines.append(
            "  all of it is doubtful: take the picture again, in colour, sharper, from nearer or with more light"
        )
    lines += [f"  not sure: {_doubt_text(tiles[index])}" for index in report["unsure"]]
    return "\n".join(lines)


def _verdict_text(judged: Mapping[str, Any] | None) -> str:
    """Return the text behind a judged set."""
    if judged is None:
        return ""
    texts = {"legal": judged["kind"], "illegal": f"NO SET, {judged['message']}", "undecided": f"? {judged['message']}"}
    return f"  [{texts[judged['verdict']]}]"


def _doubt_text(tile: Mapping[str, Any]) -> str:
    others = " or ".join(name for name, _ in tile["alternatives"][:2])
    x, y = (round(sum(corner[axis] for corner in tile["quad"]) / 4) for axis in (0, 1))
    perhaps = f", perhaps {others}," if others else ""
    alone = "" if others else " by itself, doubtful beside the rest"
    return f"{tile['tile'] or 'a tile face down'}{perhaps} at {x}, {y} ({tile['confidence']:.0%}{alone})"


def _drawing_paths(names: Sequence[str], folder: Path | None) -> list[Path | None]:
    """Return the path of each picture's drawing; all differ, and none is an input picture."""
    if folder is None:
        return [None] * len(names)
    images = [Path(name) for name in names]
    taken = {image.resolve() for image in images}
    drawings: list[Path | None] = []
    for image in images:
        stems = itertools.chain([image.stem], (f"{image.stem}-{number}" for number in itertools.count(2)))
        drawing = next(path for stem in stems if (path := folder / f"{stem}.png").resolve() not in taken)
        taken.add(drawing.resolve())
        drawings.append(drawing)
    return drawings


def _make_folder(folder: Path) -> None:
    try:
        make_folder(folder)
    except OSError as error:
        why = refusal(error, folder, "name a folder that can be written")
        raise StorageError(f"{folder} cannot be created {why}") from None


def _write_drawing(path: Path, drawing: Image) -> int:
    """Write a drawing; print the error and return 2 if it cannot be written."""
    try:
        write_whole(path, cv2.imencode(".png", drawing)[1].tobytes())
    except OSError as error:
        why = refusal(error, path, "name another folder")
        print_line(f"referee read: {path} cannot be written {why}")
        return _EXIT_FAILED
    return 0
