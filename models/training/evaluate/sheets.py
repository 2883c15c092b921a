"""Sheets to look at while grading: the hardest crops, every mistake, and full tables as they were read."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from models.training.evaluate.grades import Answer, Graded
from models.training.evaluate.worlds import Picture
from referee.reading.observation import TableReading
from referee.vision.image.annotate import draw
from referee.vision.image.frame import Image

_HARDEST, _MAX_WRONG, _TABLES = 40, 120, 12
_TABLE_SIZE = (960, 560)  # pixels of a table on its sheet


class Sheets:
    """Gathers what may be worth a look."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._answers: list[Answer] = []
        self._tables: dict[str, list[Image]] = {}

    def add(self, picture: Picture, reading: TableReading, result: Graded) -> None:
        """A picture that was graded."""
        faces = [answer for answer in result.answers if answer.truth or (answer.read and answer.read.tile)]
        self._answers += [answer for answer in faces if answer.counts or answer.mistaken]
        kept = self._tables.setdefault(picture.group, [])
        if picture.sets is not None and len(kept) < _TABLES:
            drawn = cv2.resize(draw(picture.image, reading), _TABLE_SIZE, interpolation=cv2.INTER_AREA)
            kept.append(np.asarray(drawn, np.uint8))

    def write(self) -> None:
        """`hard.png` holds the hardest crops, `wrong.png` mistakes, `tables-*.png` the first tables of each world."""
        self._folder.mkdir(parents=True, exist_ok=True)
        hard = sorted(self._answers, key=_hardness, reverse=True)
        cv2.imwrite(str(self._folder / "hard.png"), draw_crops(hard[:_HARDEST]))
        mistakes = [answer for answer in hard if answer.mistaken]
        cv2.imwrite(str(self._folder / "wrong.png"), draw_crops(mistakes[:_MAX_WRONG]))
        for group, tables in self._tables.items():
            if tables:
                name = f"tables-{group.replace(',', '').replace(' ', '-')}.png"
                cv2.imwrite(str(self._folder / name), _in_pairs(tables))


def _hardness(answer: Answer) -> tuple[bool, bool, float]:
    """Mistakes first, those that were sure before the others, then what is right by how unsure it was."""
    sure = bool(answer.read and not answer.read.unsure)
    return answer.mistaken and sure, answer.mistaken, -(answer.read.confidence if answer.read else 0.0)


def _in_pairs(pictures: Sequence[Image]) -> Image:
    padded = [*pictures, *[np.full_like(pictures[0], 255)] * (len(pictures) % 2)]
    rows = [np.hstack(padded[start : start + 2]) for start in range(0, len(padded), 2)]
    return np.asarray(np.vstack(rows), np.uint8)


def draw_crops(answers: Sequence[Answer], columns: int = 8) -> Image:
    """Crops with what they are, what was read and how surely; wrong ones on red."""
    cards = []
    for answer in answers:
        card = np.full((196, 150, 3), (255, 255, 255) if answer.right else (190, 190, 255), np.uint8)
        if answer.crop is not None:
            card[4:132, 27:123] = cv2.resize(answer.crop, (96, 128), interpolation=cv2.INTER_CUBIC)
        said = "missed" if answer.read is None else f"{answer.read.tile} {answer.read.confidence:.3f}"
        doubt = " ?" if answer.read is not None and answer.read.unsure else ""
        for line, text in enumerate((f"{answer.truth or 'no tile'} > {said}{doubt}", answer.picture[-26:])):
            place, size = (3, 152 + 26 * line), 0.42 - 0.1 * line
            cv2.putText(card, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), 1, cv2.LINE_AA)
        cards.append(card)
    while not cards or len(cards) % columns:
        cards.append(np.full((196, 150, 3), 255, np.uint8))
    rows = [np.hstack(cards[start : start + columns]) for start in range(0, len(cards), columns)]
    return np.asarray(np.vstack(rows), np.uint8)
