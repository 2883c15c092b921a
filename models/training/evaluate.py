"""Grades the whole reader on pictures whose tiles are known: photographs it was not trained on, rendered full tables.

    python -m models.training.evaluate --photos ../shared/photos [--renders 12] [--simulated DIR] [--sheets DIR]

writes models/scores.json and models/scores.md (the block of figures in the model card) and prints the latter.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.training import scene
from referee.reading.observation import TableReading, TileReading
from referee.rules.editions import rule_set
from referee.rules.tiles import Tile
from referee.vision.frame import Frame, Image, load_image
from referee.vision.geometry import rectify
from referee.vision.pipeline import TableReader

HERE = Path(__file__).parent.parent
OVERLAP = 0.4  # of two outlines' areas, intersection over union: the labels' polygons are loose
EDITIONS = ("original", "twist", "3in1-expert", "original")
Points = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture and what is on it: names and outlines of tiles, and, where known, which of them lie together."""

    group: str
    name: str
    image: Image
    tiles: tuple[tuple[str, Points], ...]
    sets: tuple[tuple[int, ...], ...] | None = None
    box: Mapping[Tile, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the reader said about one tile, or about a place where there is none (`truth` None) or that it missed."""

    picture: str
    truth: str | None
    read: TileReading | None
    crop: Image | None

    @property
    def right(self) -> bool:
        """Whether the tile was found and named."""
        return self.read is not None and self.truth is not None and str(self.read.tile) == self.truth


@dataclass(frozen=True, slots=True)
class Graded:
    """One picture's answers; of its sets how many there were and were told exactly, and whether all were."""

    group: str
    answers: tuple[Answer, ...]
    sets: tuple[int, int, bool] | None
    offered: bool


def photographs(folder: Path, split: str) -> Iterator[Picture]:
    """Labelled photographs of one split, grouped by the series they belong to."""
    for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["split"] != split:
            continue
        series = re.match(r"[A-Za-z]+\d*", row["photo"])
        tiles = tuple((tile["tile"], np.array(tile["polygon"], np.float32)) for tile in row["tiles"])
        path = folder / row["image"]
        yield Picture(group=series[0] if series else "?", name=path.name, image=load_image(path), tiles=tiles)


def renders(count: int, seed: int) -> Iterator[Picture]:
    """Rendered full tables, the editions taking turns."""
    for number in range(count):
        edition = EDITIONS[number % len(EDITIONS)]
        one = scene.full_table(np.random.default_rng([seed, number]), edition)
        tiles = tuple((tile.tile, np.asarray(tile.quad, np.float32)) for tile in one.tiles)
        name = f"{edition}-{number}"
        box = rule_set(edition).box
        yield Picture(group="rendered full tables", name=name, image=one.image, tiles=tiles, sets=one.sets, box=box)


def simulated(folder: Path, every: int) -> Iterator[Picture]:
    """Tables judged in a simulated match: a second renderer, with its own light, surfaces and digits."""
    first = json.loads((folder / "timeline.jsonl").read_text(encoding="utf-8").split("\n", maxsplit=1)[0])
    box = rule_set(first["edition"]).box
    turns = [json.loads(line) for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
    judged = [judgement for turn in turns for judgement in turn["judgements"]]
    for row in judged[::every]:
        tiles = tuple((tile["tile"], np.array(tile["quad"], np.float32)) for tile in row["tiles"])
        members: dict[int, list[int]] = {}
        for index, tile in enumerate(row["tiles"]):
            members.setdefault(tile["set"], []).append(index)
        sets = tuple(tuple(row) for row in members.values() if len(row) > 1)
        image = load_image(folder / row["file"])
        yield Picture(group="simulated", name=row["file"], image=image, tiles=tiles, sets=sets, box=box)


def grade(picture: Picture, reader: TableReader) -> Graded:
    """Read a picture and hold the reading against what is on it."""
    reading = reader.read_table(Frame(picture.name, 0.0, picture.image), picture.box)
    pairs = match([outline for _, outline in picture.tiles], [_outline(tile) for tile in reading.tiles])
    crops = rectify(picture.image, np.array([tile.quad for tile in reading.tiles], np.float32).reshape(-1, 4, 2))
    answers = [
        Answer(picture=picture.name, truth=name, read=reading.tiles[pairs[k]], crop=crops[pairs[k]])
        if k in pairs
        else Answer(picture=picture.name, truth=name, read=None, crop=_cut(picture.image, outline))
        for k, (name, outline) in enumerate(picture.tiles)
    ]
    matched = set(pairs.values())
    answers += [
        Answer(picture=picture.name, truth=None, read=tile, crop=crops[index])
        for index, tile in enumerate(reading.tiles)
        if index not in matched
    ]
    if picture.sets is None:
        return Graded(picture.group, tuple(answers), None, offered=False)
    found = {index: k for k, index in pairs.items()}
    layouts = [_sets(reading, k, found) for k in range(len(reading.layouts))]
    truth = {(tuple(row), tuple(picture.tiles[k][0] for k in row)) for row in picture.sets}
    exact = len(truth & layouts[0])
    counts = (len(truth), exact, layouts[0] == truth)
    return Graded(picture.group, tuple(answers), counts, offered=truth in layouts)


def _sets(reading: TableReading, k: int, found: Mapping[int, int]) -> set[tuple[tuple[int, ...], tuple[str, ...]]]:
    """The sets of a layout as the true tiles they hold (-1: none) and the names that were read."""
    return {
        (tuple(found.get(index, -1) for index in row), tuple(str(reading.tiles[index].tile) for index in row))
        for row in reading.layouts[k].sets
    }


def match(truth: Sequence[Points], found: Sequence[Points]) -> dict[int, int]:
    """Which of the true outlines was found as which, best overlap first."""
    hulls = [cv2.convexHull(outline) for outline in truth]
    centres = np.array([outline.mean(axis=0) for outline in found], np.float32).reshape(-1, 2)
    overlaps = []
    for k, hull in enumerate(hulls):
        middle, reach = hull.reshape(-1, 2).mean(axis=0), float(np.ptp(hull.reshape(-1, 2), axis=0).max())
        for index in np.nonzero(np.hypot(*(centres - middle).T) < reach)[0].tolist():
            shared, _ = cv2.intersectConvexConvex(hull, cv2.convexHull(found[index]))
            union = cv2.contourArea(hull) + cv2.contourArea(found[index]) - shared
            overlaps.append((shared / max(union, 1e-6), k, index))
    pairs: dict[int, int] = {}
    for overlap, k, index in sorted(overlaps, reverse=True):
        if overlap >= OVERLAP and k not in pairs and index not in pairs.values():
            pairs[k] = index
    return pairs


def _outline(tile: TileReading) -> Points:
    return np.array(tile.quad, np.float32)


def _cut(image: Image, outline: Points) -> Image:
    """A missed tile as it stands in the picture."""
    low = np.maximum(np.floor(outline.min(axis=0)).astype(int), 0)
    high = np.maximum(np.ceil(outline.max(axis=0)).astype(int), low + 1)
    part = image[low[1] : high[1], low[0] : high[0]]
    return np.asarray(cv2.resize(part, (48, 64)), np.uint8) if part.size else np.zeros((64, 48, 3), np.uint8)


def figures(graded: Sequence[Graded]) -> dict[str, Any]:
    """The scores of some pictures together."""
    answers = [answer for one in graded for answer in one.answers]
    on_tiles = [answer for answer in answers if answer.truth is not None]
    read = [answer for answer in on_tiles if answer.read is not None]
    sure = [answer for answer in read if answer.read is not None and not answer.read.unsure]
    # Backs are told but not graded: the pool may lie in the picture, and the truth names faces only.
    false = [answer for answer in answers if answer.truth is None and answer.read and answer.read.tile is not None]
    scores: dict[str, Any] = {
        "pictures": len(graded),
        "tiles": len(on_tiles),
        "found": len(read),
        "exact": sum(answer.right for answer in read),
        "sure_but_wrong": sum(not answer.right for answer in sure),
        "unsure": len(read) - len(sure),
        "false": len(false),
        "false_and_sure": sum(answer.read is not None and not answer.read.unsure for answer in false),
        "calibration_error": calibration_error(read),
    }
    counted = [one for one in graded if one.sets is not None]
    if counted:
        scores["sets"] = sum(one.sets[0] for one in counted if one.sets)
        scores["sets_exact"] = sum(one.sets[1] for one in counted if one.sets)
        scores["tables_exact"] = sum(one.sets[2] for one in counted if one.sets)
        scores["tables_offered"] = sum(one.offered for one in counted)
    return scores


def calibration_error(answers: Iterable[Answer], bins: int = 10) -> float | None:
    """How far confidence and success lie apart, on average over answers sorted into bins of equal count."""
    pairs = sorted((answer.read.confidence, answer.right) for answer in answers if answer.read is not None)
    if not pairs:
        return None
    parts = np.array_split(np.array(pairs, np.float64), min(bins, len(pairs)))
    return round(float(sum(abs(part[:, 0].mean() - part[:, 1].mean()) * len(part) for part in parts) / len(pairs)), 4)


def confusions(answers: Iterable[Answer]) -> list[tuple[str, int]]:
    """What was taken for what, the most frequent first; `-` stands for nothing."""
    wrong = (answer for answer in answers if not answer.right and (answer.truth or (answer.read and answer.read.tile)))
    pairs = Counter(f"{answer.truth or '-'} as {answer.read.tile if answer.read else '-'}" for answer in wrong)
    return pairs.most_common()


def as_markdown(scores: Mapping[str, Mapping[str, Any]], pairs: Sequence[tuple[str, int]], header: str) -> str:
    """The block for the model card."""
    columns = (
        *("pictures", "n", "tiles", "found", "exact", "sure but wrong", "unsure", "false (sure)", "calibration error"),
        *("sets exact", "tables exact (offered)"),
    )
    lines = [header, "", _table_row(columns), "|---" * len(columns) + "|"]
    for group, one in scores.items():
        tiles, error = one["tiles"], one["calibration_error"]
        cells = [group, one["pictures"], tiles, _share(one["found"], tiles), _share(one["exact"], tiles)]
        cells += [one["sure_but_wrong"], one["unsure"], f"{one['false']} ({one['false_and_sure']})"]
        cells.append("–" if error is None else f"{error:.3f}")
        if "sets" in one:
            cells.append(_share(one["sets_exact"], one["sets"]))
            cells.append(f"{one['tables_exact']} ({one['tables_offered']}) of {one['pictures']}")
        lines.append(_table_row([*cells, *["–"] * (len(columns) - len(cells))]))
    told = ", ".join(f"{pair} ({count})" if count > 1 else pair for pair, count in pairs[:24])
    return "\n".join([*lines, "", f"Taken for another (`-`: nothing): {told or 'none'}.", ""])


def _table_row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.2%})" if whole else "–"


def draw_sheet(answers: Sequence[Answer], columns: int = 8) -> Image:
    """Crops with what they are, what was read and how surely; wrong ones on red."""
    tiles = []
    for answer in answers:
        card = np.full((196, 150, 3), (255, 255, 255) if answer.right else (190, 190, 255), np.uint8)
        if answer.crop is not None:
            card[4:132, 27:123] = cv2.resize(answer.crop, (96, 128), interpolation=cv2.INTER_CUBIC)
        said = "missed" if answer.read is None else f"{answer.read.tile} {answer.read.confidence:.3f}"
        doubt = " ?" if answer.read is not None and answer.read.unsure else ""
        for line, text in enumerate((f"{answer.truth or 'no tile'} > {said}{doubt}", answer.picture[-26:])):
            cv2.putText(
                card, text, (3, 152 + 26 * line), cv2.FONT_HERSHEY_SIMPLEX, 0.42 - 0.1 * line, (0, 0, 0), 1, cv2.LINE_AA
            )
        tiles.append(card)
    while not tiles or len(tiles) % columns:
        tiles.append(np.full((196, 150, 3), 255, np.uint8))
    return np.asarray(
        np.vstack([np.hstack(tiles[row : row + columns]) for row in range(0, len(tiles), columns)]), np.uint8
    )


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--photos", type=Path, help="folder with labels.jsonl")
    parser.add_argument("--split", default="valid")
    parser.add_argument("--renders", type=int, default=12, metavar="N", help="rendered full tables")
    parser.add_argument("--seed", type=int, default=90_000, help="of the rendered tables; training takes smaller ones")
    parser.add_argument("--simulated", type=Path, metavar="DIR", help="what `referee simulate` wrote")
    parser.add_argument("--every", type=int, default=1, help="take every nth simulated turn")
    parser.add_argument("--models", type=Path, help="folder of the models, if not the package's")
    parser.add_argument("--sheets", type=Path, metavar="DIR", help="write the hardest crops there to look at")
    parser.add_argument("--out", type=Path, default=HERE, help="folder for scores.json and scores.md")
    words = parser.parse_args(argv)
    reader = TableReader(words.models, threads=1)
    sources: list[Iterable[Picture]] = [renders(words.renders, words.seed)]
    if words.photos:
        sources.insert(0, photographs(words.photos, words.split))
    if words.simulated:
        sources.append(simulated(words.simulated, words.every))
    graded = [grade(picture, reader) for source in sources for picture in source]
    report(graded, words.sheets, words.out, " ".join(sys.argv[1:] if argv is None else argv))


def report(graded: Sequence[Graded], sheets: Path | None, out: Path, command: str) -> None:
    """Write the figures, and the sheets if wanted."""
    groups = list(dict.fromkeys(one.group for one in graded))
    scores = {group: figures([one for one in graded if one.group == group]) for group in groups}
    series = [one for one in graded if one.sets is None]
    if series:
        scores = {"all photographs": figures(series), **scores}
    answers = [answer for one in graded for answer in one.answers]
    pairs = confusions(answers)
    header = f"Measured {datetime.now(UTC):%Y-%m-%d} with `python -m models.training.evaluate {command}`."
    text = as_markdown(scores, pairs, header)
    (out / "scores.json").write_text(
        json.dumps({"scores": scores, "confusions": pairs}, indent=1) + "\n", encoding="utf-8"
    )
    (out / "scores.md").write_text(text, encoding="utf-8")
    print(text)
    if sheets is not None:
        sheets.mkdir(parents=True, exist_ok=True)
        faces = [answer for answer in answers if answer.truth or (answer.read and answer.read.tile)]
        hard = sorted(faces, key=lambda answer: (answer.right, answer.read.confidence if answer.read else 0.0))
        cv2.imwrite(str(sheets / "hard.png"), draw_sheet(hard[:40]))
        cv2.imwrite(str(sheets / "wrong.png"), draw_sheet([answer for answer in hard if not answer.right][:120]))


if __name__ == "__main__":
    main()
