"""Readings held against the truth: which tiles were found, named rightly, doubted; which sets told exactly.

What counts. A tile counts where at least nine tenths of its face show: not covered, not beyond the picture's edge.
Others are set aside, with the sets they belong to: to miss them or to be unsure of them is no mistake, but to name one
wrongly and be sure is, and is counted. A set is exact where all its tiles and no others were told as one set, in order
and rightly named; a table, where every set that counts is exact and no other set was told. Where two sets lie end to
end as closely as tiles of one set, no picture tells: the reading offers other layouts, and what they hold is *offered*.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import cv2
import numpy as np

from models.training.evaluate.worlds import Picture, Points
from referee.reading.observation import TableReading, TileReading
from referee.vision.geometry.crops import rectify
from referee.vision.image.frame import Image

WHOLE = 0.9  # the share of a face that must show for the tile to count
OVERLAP = 0.4  # of two outlines' areas, intersection over union: the labels' polygons are loose


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the reader said about one tile, or about a place where there is none (`truth` None) or that it missed."""

    picture: str
    truth: str | None
    read: TileReading | None
    crop: Image | None
    counts: bool = True

    @property
    def right(self) -> bool:
        """Whether the tile was found and named."""
        return self.read is not None and self.truth is not None and str(self.read.tile) == self.truth

    @property
    def sure(self) -> bool:
        """Whether a face was named without a doubt."""
        return self.read is not None and self.read.tile is not None and not self.read.unsure

    @property
    def mistaken(self) -> bool:
        """Whether a tile that counts was missed or misread, or a face was read where there is none."""
        if not self.counts:
            return self.sure and not self.right
        return not self.right and (self.truth is not None or (self.read is not None and self.read.tile is not None))


class SetCounts(NamedTuple):
    """How many sets a picture has; how many were told exactly, and in any layout; whether the whole table was."""

    sets: int
    exact: int
    offered: int
    table_exact: bool
    table_offered: bool


@dataclass(frozen=True, slots=True)
class Graded:
    """One picture's answers, and its sets where it is known which tiles lie together."""

    group: str
    answers: tuple[Answer, ...]
    sets: SetCounts | None


def grade(picture: Picture, reading: TableReading) -> Graded:
    """A reading held against what is on the picture."""
    pairs = match([tile.outline for tile in picture.tiles], [_outline(tile) for tile in reading.tiles])
    crops = rectify(picture.image, np.array([tile.quad for tile in reading.tiles], np.float32).reshape(-1, 4, 2))
    whole = [tile.shown(picture.image) >= WHOLE for tile in picture.tiles]
    answers = [
        Answer(
            picture=picture.name,
            truth=tile.name,
            read=reading.tiles[pairs[k]] if k in pairs else None,
            crop=crops[pairs[k]] if k in pairs else _cut(picture.image, tile.outline),
            counts=whole[k],
        )
        for k, tile in enumerate(picture.tiles)
    ]
    matched = set(pairs.values())
    answers += [
        Answer(picture=picture.name, truth=None, read=tile, crop=crops[index])
        for index, tile in enumerate(reading.tiles)
        if index not in matched
    ]
    if picture.sets is None:
        return Graded(picture.group, tuple(answers), None)
    found = {index: k for k, index in pairs.items()}
    aside = {k for row in picture.sets if not all(whole[k] for k in row) for k in row}
    layouts = [_sets(reading, k, found, aside) for k in range(len(reading.layouts))]
    truth = {(tuple(row), tuple(picture.tiles[k].name for k in row)) for row in picture.sets if not aside & set(row)}
    told, offered = layouts[0], set().union(*layouts)
    counts = SetCounts(len(truth), len(truth & told), len(truth & offered), told == truth, truth in layouts)
    return Graded(picture.group, tuple(answers), counts)


def _sets(
    reading: TableReading, k: int, found: Mapping[int, int], aside: set[int]
) -> set[tuple[tuple[int, ...], tuple[str, ...]]]:
    """The sets of a layout as the true tiles they hold (-1: none) and the names that were read; none set aside."""
    rows = [(tuple(found.get(index, -1) for index in row), row) for row in reading.layouts[k].sets]
    return {
        (members, tuple(str(reading.tiles[index].tile) for index in row))
        for members, row in rows
        if not aside & set(members)
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
    on_tiles = [answer for answer in answers if answer.truth is not None and answer.counts]
    read = [answer for answer in on_tiles if answer.read is not None]
    sure = [answer for answer in read if answer.read is not None and not answer.read.unsure]
    hidden = [answer for answer in answers if not answer.counts]
    # Backs are told but not graded: the pool may lie in the picture, and the truth names faces only.
    false = [answer for answer in answers if answer.truth is None and answer.read and answer.read.tile is not None]
    scores: dict[str, Any] = {
        "pictures": len(graded),
        "tiles": len(on_tiles),
        "found": len(read),
        "exact": sum(answer.right for answer in read),
        "sure_but_wrong": sum(not answer.right for answer in sure) + sum(answer.mistaken for answer in hidden),
        "unsure": len(read) - len(sure),
        "false": len(false),
        "false_and_sure": sum(answer.read is not None and not answer.read.unsure for answer in false),
        "set_aside": len(hidden),
        "calibration_error": calibration_error(read),
    }
    counted = [one.sets for one in graded if one.sets is not None]
    if counted:
        names = ("sets", "sets_exact", "sets_offered", "tables_exact", "tables_offered")
        scores |= {name: sum(column) for name, column in zip(names, zip(*counted, strict=True), strict=True)}
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
    wrong = (answer for answer in answers if answer.mistaken)
    pairs = Counter(f"{answer.truth or '-'} as {answer.read.tile if answer.read else '-'}" for answer in wrong)
    return pairs.most_common()
