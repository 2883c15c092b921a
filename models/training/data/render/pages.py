"""Pages and boards without a tile, drawn whole: puzzles, calendars, score sheets, keys, letters, numbers, cards.

`prints` scatters small printed things among tiles; these fill a picture, in cells of their true size.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import cv2
import numpy as np

from models.training.data.render.faces import character_mask
from models.training.data.render.fonts import weighted_fonts
from models.training.data.render.lens import Image, Rng

Ink = tuple[float, float, float]
_PX_PER_MM = 5.0  # pixels a millimetre
_GLYPH, _GAP = 96, 0.12  # pixels of a character before it is printed, and between two, of their height
_BLACK: Final[Ink] = (30, 30, 34)
_INKS: Final[tuple[Ink, ...]] = (_BLACK, (40, 36, 200), (150, 80, 30), (40, 130, 230))
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A picture being drawn, in millimetres."""

    image: Image
    font: Path

    @classmethod
    def blank(cls, rng: Rng, width: float, height: float, colour: Ink) -> "Page":
        """Return an empty page with a font by chance."""
        image = np.empty((round(height * _PX_PER_MM), round(width * _PX_PER_MM), 3), np.uint8)
        image[:] = np.asarray(colour, np.uint8)
        paths, weights = weighted_fonts(held_out=False)
        return cls(image, paths[int(rng.choice(len(paths), p=weights))])

    def box(self, x: float, y: float, width: float, height: float, ink: Ink, *, line: float = 0.0) -> None:
        """Fill a rectangle, or draw its outline with a line of so many millimetres."""
        corners = [(round(a * _PX_PER_MM), round(b * _PX_PER_MM)) for a, b in ((x, y), (x + width, y + height))]
        thickness = max(1, round(line * _PX_PER_MM)) if line else -1
        cv2.rectangle(self.image, corners[0], corners[1], ink, thickness, cv2.LINE_AA)

    def key(self, x: float, y: float, width: float, height: float, ink: Ink) -> None:
        """Draw a body with rounded corners, a light upper edge and a shadow below."""
        dark, light = ([min(255.0, part * times) for part in ink] for times in (0.45, 1.12))
        for shift, colour in ((0.9, dark), (-0.3, light), (0.0, ink)):
            corner = 0.1 * min(width, height)
            for dx, dy in ((corner, 0.0), (0.0, corner)):
                part = (x + dx, y + dy + shift, width - 2 * dx, height - 2 * dy)
                self.box(*part, (colour[0], colour[1], colour[2]))

    def text(self, x: float, y: float, text: str, height: float, ink: Ink) -> None:
        """Print a text about a middle."""
        masks = [character_mask(self.font, one, _GLYPH, 0) for one in text if one != " "]
        tall = max(len(mask) for mask in masks)
        padded = [np.pad(mask, ((tall - len(mask), 0), (0, round(_GAP * tall)))) for mask in masks]
        line = np.concatenate(padded, axis=1)[:, : -round(_GAP * tall) or None]
        rows = max(2, round(height * _PX_PER_MM))
        mask = cv2.resize(line, (max(2, round(rows * line.shape[1] / tall)), rows), interpolation=cv2.INTER_AREA)
        top, left = round(y * _PX_PER_MM - rows / 2), round(x * _PX_PER_MM - mask.shape[1] / 2)
        part = self.image[max(top, 0) : top + rows, max(left, 0) : left + mask.shape[1]]
        cover = mask[-part.shape[0] or len(mask) :, : part.shape[1]][: part.shape[0], :, None]
        part[:] = (part + cover * (np.asarray(ink, np.float32) - part)).astype(np.uint8)


def _paper(rng: Rng) -> Ink:
    return tuple((np.array([238, 246, 248]) * rng.uniform(0.85, 1.02) * rng.normal(1, 0.03, 3)).clip(0, 255).tolist())


def _sudoku(rng: Rng) -> Page:
    cell, share = rng.uniform(7, 22), rng.uniform(0.3, 1.0)
    page = Page.blank(rng, 9 * cell + 24, 9 * cell + 24, _paper(rng))
    for place in range(81):
        x, y = 12 + cell * (place % 9), 12 + cell * (place // 9)
        page.box(x, y, cell, cell, _BLACK, line=0.25)
        if rng.random() < share:
            page.text(x + cell / 2, y + cell / 2, str(rng.integers(1, 10)), rng.uniform(0.5, 0.53) * cell, _BLACK)
    for at in range(4):
        page.box(12 + 3 * at * cell - 0.4, 12, 0.8, 9 * cell, _BLACK)
        page.box(12, 12 + 3 * at * cell - 0.4, 9 * cell, 0.8, _BLACK)
    return page


def _calendar(rng: Rng) -> Page:
    wide, high, first = rng.uniform(16, 38), rng.uniform(14, 36), int(rng.integers(0, 7))
    page = Page.blank(rng, 7 * wide + 24, 6 * high + 50, _paper(rng))
    digit, lined, off = rng.uniform(0.3, 0.6) * high, rng.random() < 0.6, rng.uniform(0.3, 0.5)
    page.text(3.5 * wide + 12, 16, "".join(rng.choice(list(_LETTERS), 6)), 12, _BLACK)
    for day in range(31):
        x, y = 12 + wide * ((day + first) % 7), 36 + high * ((day + first) // 7)
        if lined:
            page.box(x, y, wide, high, _BLACK, line=0.3)
        page.text(x + wide / 2, y + off * high, str(day + 1), digit, _INKS[(day + first) % 7 == 6])
    return page


def _score_sheet(rng: Rng) -> Page:
    columns, rows = int(rng.integers(2, 7)), int(rng.integers(6, 16))
    wide, high = rng.uniform(16, 30), rng.uniform(8, 18)
    page = Page.blank(rng, columns * wide + 20, rows * high + 20, _paper(rng))
    ink = _INKS[int(rng.integers(0, 3))]
    for row in range(rows):
        for column in range(columns):
            x, y = 10 + column * wide, 10 + row * high
            page.box(x, y, wide, high, _BLACK, line=0.25)
            text = str(rng.integers(1, 120)) if row else "".join(rng.choice(list(_LETTERS), 3))
            page.text(x + wide / 2, y + high / 2, text, 0.55 * high, ink)
    return page


def _keys(rng: Rng, columns: int, rows: int, names: str) -> Page:
    side, gap = rng.uniform(12, 18), rng.uniform(2, 5)
    dark = rng.random() < 0.4
    page = Page.blank(rng, columns * (side + gap) + 20, rows * (side + gap) + 20, (60, 60, 64))
    ink, body = ((235.0, 235.0, 235.0), (45.0, 45.0, 48.0)) if dark else (_BLACK, _paper(rng))
    for place in range(columns * rows):
        x, y = 10 + (side + gap) * (place % columns), 10 + (side + gap) * (place // columns)
        page.key(x, y, side, side, body)
        page.text(x + side * rng.uniform(0.49, 0.51), y + 0.45 * side, names[place % len(names)], 0.45 * side, ink)
    return page


def _keyboard(rng: Rng) -> Page:
    return _keys(rng, 11, 4, "1234567890WQERTZUIOPGASDFGHJKLMYXCVBNM")


def _calculator(rng: Rng) -> Page:
    return _keys(rng, 4, 5, "7896456-1237088C")


def _squares(rng: Rng, name: Callable[[], tuple[str, str]]) -> Page:
    """A board of 9 × 9 square bodies, some places empty, each with a name and a small one below."""
    side, share = rng.uniform(18, 24), rng.uniform(0.3, 0.8)
    page = Page.blank(rng, 9 * side + 30, 9 * side + 30, tuple(rng.uniform(60, 190, 3).tolist()))
    ink, body, digit = _INKS[int(rng.choice([0, 0, 0, 1, 2]))], _paper(rng), rng.uniform(0.4, 0.6) * side
    for place in range(81):
        if rng.random() >= share:
            continue
        x, y = 15 + side * (place % 9), 15 + side * (place // 9)
        large, small = name()
        page.key(x, y, 0.94 * side, 0.94 * side, body)
        page.text(x + 0.47 * side, y + 0.44 * side, large, digit, ink)
        if small:
            page.text(x + 0.8 * side, y + 0.8 * side, small, 0.18 * side, ink)
    return page


def _letters(rng: Rng) -> Page:
    return _squares(rng, lambda: (str(rng.choice(list(_LETTERS))), str(rng.integers(1, 11))))


def _numbers(rng: Rng) -> Page:
    return _squares(rng, lambda: (str(rng.integers(0, 26) if rng.random() < 0.7 else rng.integers(0, 91)), ""))


def _cards(rng: Rng) -> Page:
    page = Page.blank(rng, 310, 200, tuple(rng.uniform(40, 160, 3).tolist()))
    suit = rng.random() < 0.7
    for place in range(10):
        x, y, ink = 6 + 61 * (place % 5), 6 + 96 * (place // 5), _INKS[int(rng.integers(0, 4))]
        page.key(x, y, 57, 88, (248, 250, 250))
        number = str(rng.integers(1, 13))
        page.text(x + 8, y + 10, number, 10, ink)
        left, top, right, bottom = (round(side * _PX_PER_MM) for side in (x, y, x + 57, y + 88))
        whole = page.image[top:bottom, left:right]
        whole[len(whole) // 2 :] = whole[::-1, ::-1][len(whole) // 2 :]
        if suit:
            page.box(x + 22, y + 34, 13, 20, ink)
        else:
            page.text(x + 28, y + 44, number, 30, ink)
    return page


PAGES: Final[Mapping[str, Callable[[Rng], Page]]] = MappingProxyType(
    {
        "puzzle": _sudoku,
        "calendar": _calendar,
        "score sheet": _score_sheet,
        "keyboard": _keyboard,
        "calculator": _calculator,
        "letter squares": _letters,
        "number squares": _numbers,
        "cards": _cards,
    }
)


def photographed(rng: Rng, kind: str, size: tuple[int, int], per_mm: float | None = None) -> Image:
    """Return a page in a picture of `size` (width, height), turned a little, under a lamp; it fills the picture.

    With `per_mm`, pixels a millimetre, it has its true size instead, as under a camera that does not move.
    """
    page = PAGES[kind](rng).image
    fill = rng.uniform(0.75, 1.3) * min(size[0] / page.shape[1], size[1] / page.shape[0])
    scale = fill if per_mm is None else per_mm / _PX_PER_MM
    picture = np.empty((size[1], size[0], 3), np.float32)
    picture[:] = rng.uniform(30, 190, 3)
    turn, middle = float(rng.normal(0, 0.2)), np.array(page.shape[1::-1]) / 2
    axes = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]) * scale
    onto = np.column_stack([axes, np.array(size) / 2 - axes @ middle])
    small = cv2.GaussianBlur(page, (0, 0), max(0.01, 0.4 / scale))
    cv2.warpAffine(small.astype(np.float32), onto, size, dst=picture, borderMode=cv2.BORDER_TRANSPARENT)
    across = np.linspace(*(1 + rng.normal(0, 0.12, 2)), size[0])[None, :, None]
    lamp = rng.uniform(0.65, 1.03) * (1 + rng.normal(0, 0.05, 3))
    lit = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, 0.9)) * across * lamp
    return np.asarray((lit + rng.normal(0, rng.uniform(1, 5), lit.shape)).clip(0, 255), np.uint8)
