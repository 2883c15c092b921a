"""Printed and written things that might pass for tiles: cards, score sheets, grids, labels, dice, other games' tiles.

Each shows within a tile's outline what no tile shows. Tiles printed on a lid are not among them, nor a lone number on a
pale label: nobody could tell their crops from those of tiles.
"""

import math
from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

from models.training.data.render import faces
from models.training.data.render.canvas import Canvas
from models.training.data.render.clutter import Thing
from models.training.data.render.fonts import weighted_fonts
from models.training.data.render.layout import Spot, outline
from models.training.data.render.lens import Image, Rng
from models.training.data.render.strokes import stroke_digit, stroke_style
from models.training.data.render.surfaces import any_colour

Mask = npt.NDArray[np.float32]
Ink = tuple[float, float, float]

_PX_PER_MM = 3.0  # pixels a millimetre
_LETTERS = list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_CARDS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
_LEFT, _RIGHT = ((0, 0), (0, 1), (0, 2)), ((2, 0), (2, 1), (2, 2))
_PIPS = (  # column and row of each, of three
    ((1, 1),), ((0, 0), (2, 2)), ((0, 0), (1, 1), (2, 2)), (*_LEFT[::2], *_RIGHT[::2]),
    (*_LEFT[::2], (1, 1), *_RIGHT[::2]), (*_LEFT, *_RIGHT),
)  # fmt: skip
_PRINTED_TEXTS = [
    "PILS",
    "No 7",
    "1873",
    "BRAU",
    "WIN",
    "GO",
    "START",
    "TILES",
    "GAME",
    "Ann",
    "Ben",
    "Mia",
    "Tom",
    "Sum",
    "B11",
    "A4",
]


def _written(rng: Rng, text: str, high: float) -> Mask:
    """A text so many millimetres high, in a font, in a plotter's letters, or, where it is a number, in our strokes."""
    size = max(8, round(high * _PX_PER_MM))
    kind = rng.random()
    paths, weights = weighted_fonts(held_out=False)
    if kind < 0.2 and text.isdigit():
        style = stroke_style(rng)
        return _side_by_side([stroke_digit(digit, style, size) for digit in text], size)
    if kind < 0.6 and paths:
        path = paths[int(rng.choice(len(paths), p=weights))]
        space = np.zeros((size, size // 3), np.float32)
        return _side_by_side([space if one == " " else faces.character_mask(path, one, size, 0) for one in text], size)
    font, thick, scale = int(rng.integers(0, 8)), max(1, round(size * rng.uniform(0.06, 0.2))), size / 22
    (wide, tall), below = cv2.getTextSize(text, font, scale, thick)
    mask = np.zeros((tall + below + 2 * thick, wide + 2 * thick), np.uint8)
    cv2.putText(mask, text, (thick, tall + thick), font, scale, (255,), thick, cv2.LINE_AA)
    return np.asarray(mask, np.float32) / 255


def _side_by_side(parts: list[Mask], size: int) -> Mask:
    """Characters on one line, with a little room between them."""
    tall = max(len(part) for part in parts)
    room = max(1, size // 12)
    return np.concatenate([np.pad(part, ((tall - len(part), 0), (0, room))) for part in parts], axis=1)


def _stamp(picture: Image, mask: Mask, middle: tuple[float, float], ink: Ink) -> None:
    """Print a mask about a middle in millimetres."""
    rows, columns = mask.shape
    left, top = round(middle[0] * _PX_PER_MM - columns / 2), round(middle[1] * _PX_PER_MM - rows / 2)
    a, b = max(0, -top), max(0, -left)
    part = picture[max(0, top) : max(0, top + rows), max(0, left) : max(0, left + columns)]
    seen = mask[a : a + part.shape[0], b : b + part.shape[1], None]
    part[:] = (part + seen * (np.array(ink, np.float32) - part)).clip(0, 255).astype(np.uint8)


def _blank(width: float, height: float, colour: npt.ArrayLike) -> Image:
    picture = np.empty((round(height * _PX_PER_MM), round(width * _PX_PER_MM), 3), np.uint8)
    picture[:] = np.clip(np.asarray(colour, np.float64), 0, 255).astype(np.uint8)
    return picture


def _pale(rng: Rng) -> npt.NDArray[np.float64]:
    return np.array([rng.uniform(195, 255), rng.uniform(220, 255), rng.uniform(225, 255)])


def _ink(rng: Rng) -> Ink:
    """Black, red, blue, orange as tiles have them, or anything dark."""
    inks = ((25, 25, 28), (40, 36, 200), (150, 80, 30), (40, 130, 230))
    kind = int(rng.integers(0, 6))
    chosen = inks[kind] if kind < 4 else tuple(any_colour(rng) * 0.6)
    return tuple(float(np.clip(value * rng.uniform(0.7, 1.2), 0, 255)) for value in chosen)  # type: ignore[return-value]


def _card(rng: Rng) -> Image:
    """A playing card: its name in two corners, and in the middle its name, pips or a court; or a card with a colour."""
    width, height = 57 * rng.uniform(0.75, 1.1), 88 * rng.uniform(0.75, 1.1)
    coloured = rng.random() < 0.2
    picture = _blank(width, height, any_colour(rng) if coloured else _pale(rng))
    ink = ((25, 25, 28), (40, 36, 200))[int(rng.integers(0, 2))] if rng.random() < 0.7 else _ink(rng)
    name = str(rng.choice(_CARDS)) if rng.random() < 0.8 else str(rng.integers(1, 14))
    ink = (245, 245, 245) if coloured else ink
    if coloured:
        middle = (picture.shape[1] // 2, picture.shape[0] // 2)
        cv2.ellipse(picture, middle, (middle[0] - 12, middle[1] - 24), 20, 0, 360, _pale(rng).tolist(), -1, cv2.LINE_AA)
    small = _written(rng, name, rng.uniform(5, 11))
    corner = (small.shape[1] / 2 / _PX_PER_MM + rng.uniform(2, 5), small.shape[0] / 2 / _PX_PER_MM + rng.uniform(2, 5))
    pip = _disc_or_diamond(rng, rng.uniform(3, 6))
    for _ in range(2):
        _stamp(picture, small, corner, ink)
        if rng.random() < 0.8:
            _stamp(picture, pip, (corner[0], corner[1] + small.shape[0] / 2 / _PX_PER_MM + 4), ink)
        picture[:] = picture[::-1, ::-1].copy()
    kind = rng.random()
    if kind < 0.5:
        _stamp(
            picture, _written(rng, name, rng.uniform(10, 32)), (width / 2, height / 2), _ink(rng) if coloured else ink
        )
    elif kind < 0.85:
        big = _disc_or_diamond(rng, rng.uniform(6, 10))
        for row in np.linspace(0.22, 0.78, int(rng.integers(1, 5))):
            for column in np.linspace(0.32, 0.68, int(rng.integers(1, 4))):
                _stamp(picture, big, (column * width, row * height), ink)
    else:
        cv2.rectangle(picture, (36, 36), (picture.shape[1] - 36, picture.shape[0] - 36), ink, 2, cv2.LINE_AA)
        _stamp(picture, _written(rng, name, 20), (width / 2, height / 2), _ink(rng))
    return picture


def _disc_or_diamond(rng: Rng, high: float) -> Mask:
    size = max(6, round(high * _PX_PER_MM))
    mask = np.zeros((size, size), np.uint8)
    half = size // 2
    if rng.random() < 0.5:
        cv2.ellipse(
            mask, (half, half), (half - 1, round(half * rng.uniform(0.6, 0.95))), 45, 0, 360, (255,), -1, cv2.LINE_AA
        )
    else:
        points = np.array([[half, 0], [size - 1, half], [half, size - 1], [0, half]], np.int32)
        cv2.fillConvexPoly(mask, points, (255,), cv2.LINE_AA)
    return np.asarray(mask, np.float32) / 255


def _sheet(rng: Rng) -> Image:
    """A ruled sheet with names and figures, written or printed."""
    width, height = rng.uniform(60, 160), rng.uniform(80, 210)
    picture = _blank(width, height, _pale(rng))
    ink, high = _ink(rng), float(rng.uniform(4, 11))
    step, columns = high * rng.uniform(1.1, 2.2), int(rng.integers(1, 6))
    ruled, pitch = rng.random() < 0.7, width / columns
    line = (np.array(picture[0, 0], np.float64) * rng.uniform(0.6, 0.95)).tolist()
    for row, y in enumerate(np.arange(step, height - step / 2, step)):
        if ruled:
            cv2.line(
                picture,
                (8, round((y + step / 2) * _PX_PER_MM)),
                (picture.shape[1] - 8, round((y + step / 2) * _PX_PER_MM)),
                line,
                1,
            )
        for column in range(columns):
            if rng.random() < 0.25:
                continue
            low, most = ((-90, 130), (0, 14), (0, 1000))[int(rng.integers(0, 3))]
            text = str(rng.choice(_PRINTED_TEXTS)) if row == 0 or rng.random() < 0.06 else str(rng.integers(low, most))
            _stamp(
                picture,
                _written(rng, text, high),
                ((column + 0.5) * pitch + rng.normal(0, 1), y + rng.normal(0, 0.4)),
                ink,
            )
    for column in range(1, columns) if ruled else ():
        cv2.line(
            picture,
            (round(column * pitch * _PX_PER_MM), 8),
            (round(column * pitch * _PX_PER_MM), picture.shape[0] - 8),
            line,
            1,
        )
    return picture


def _grid(rng: Rng) -> Image:
    """Cells that share their lines, with digits or letters: a puzzle, a calendar, a keyboard's print, a bingo card."""
    rows, columns, cell = int(rng.integers(2, 10)), int(rng.integers(2, 10)), float(rng.uniform(9, 34))
    tall = cell * float(rng.choice([1.0, rng.uniform(0.8, 1.45)]))
    picture = _blank(columns * cell + 4, rows * tall + 4, _pale(rng))
    ink, line = (
        _ink(rng) if rng.random() < 0.4 else (25, 25, 28),
        (30, 30, 30) if rng.random() < 0.7 else (170, 160, 150),
    )
    lettered = rng.random() < 0.2
    for row in range(rows):
        for column in range(columns):
            corner = (round((2 + column * cell) * _PX_PER_MM), round((2 + row * tall) * _PX_PER_MM))
            end = (round((2 + (column + 1) * cell) * _PX_PER_MM), round((2 + (row + 1) * tall) * _PX_PER_MM))
            cv2.rectangle(picture, corner, end, line, int(rng.integers(1, 3)), cv2.LINE_AA)
            if rng.random() < 0.65:
                text = str(rng.choice(_LETTERS)) if lettered else str(rng.integers(1, 10 if rng.random() < 0.6 else 32))
                middle = (2 + (column + 0.5) * cell, 2 + (row + rng.uniform(0.45, 0.55)) * tall)
                _stamp(picture, _written(rng, text, min(cell, tall) * rng.uniform(0.35, 0.65)), middle, ink)
    return picture


def _paired(rng: Rng) -> Image:
    """A tile of another game: one number above and, the other way up, below, or pips as on dominoes; a line between."""
    width, height = 27 * rng.uniform(0.7, 1.2), 38 * rng.uniform(0.8, 1.3)
    picture, ink = _blank(width, height, _pale(rng)), _ink(rng)
    domino = rng.random() < 0.4
    number = _written(rng, str(rng.integers(1, 14)), height * rng.uniform(0.24, 0.36))
    for _ in range(2):
        if domino:
            _pips(rng, picture, (0.0, 0.0, width, height / 2), ink)
        else:
            _stamp(picture, number, (width / 2, height * 0.26), ink)
        picture[:] = picture[::-1, ::-1].copy()
    if rng.random() < 0.7:
        left = round(rng.uniform(0.05, 0.25) * picture.shape[1])
        right = picture.shape[1] - left
        cv2.line(picture, (left, picture.shape[0] // 2), (right, picture.shape[0] // 2), ink, 2, cv2.LINE_AA)
    return picture


def _die(rng: Rng) -> Image:
    side = rng.uniform(12, 24)
    picture = _blank(side, side, _pale(rng) if rng.random() < 0.7 else any_colour(rng))
    _pips(rng, picture, (0.0, 0.0, side, side), _ink(rng))
    return picture


def _pips(rng: Rng, picture: Image, box: tuple[float, float, float, float], ink: Ink) -> None:
    """One to six dots within left, top, right and bottom in millimetres."""
    left, top, right, bottom = box
    radius = max(2, round(min(right - left, bottom - top) * rng.uniform(0.07, 0.11) * _PX_PER_MM))
    for column, row in _PIPS[int(rng.integers(len(_PIPS)))]:
        x, y = left + (0.24 + 0.26 * column) * (right - left), top + (0.24 + 0.26 * row) * (bottom - top)
        cv2.circle(picture, (round(x * _PX_PER_MM), round(y * _PX_PER_MM)), radius, ink, -1, cv2.LINE_AA)


def _label(rng: Rng) -> Image:
    """A badge, a sticker, a coaster or a screen: a word or a figure on a plain ground, pale or dark."""
    width = rng.uniform(20, 95)
    height = width * rng.uniform(0.5, 1.6)
    dark = rng.random() < 0.3
    picture = _blank(width, height, any_colour(rng) * 0.4 if dark else _pale(rng))
    if rng.random() < 0.5:
        middle = (picture.shape[1] // 2, picture.shape[0] // 2)
        cv2.circle(
            picture, middle, min(middle) - 6, _ink(rng), max(2, round(rng.uniform(0.5, 3) * _PX_PER_MM)), cv2.LINE_AA
        )
    texts = (
        str(rng.choice(_PRINTED_TEXTS)),
        str(rng.integers(14, 2030)),
        f"{rng.integers(0, 24)}:{rng.integers(10, 60)}",
    )
    ink: Ink = (245, 245, 245) if dark else _ink(rng)
    mask = _written(rng, texts[int(rng.integers(0, 3))], rng.uniform(6, 24))
    share = min(1.0, 0.85 * picture.shape[1] / mask.shape[1], 0.85 * picture.shape[0] / mask.shape[0])
    mask = cv2.resize(mask, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    _stamp(picture, np.asarray(mask, np.float32), (width / 2, height * rng.uniform(0.4, 0.6)), ink)
    return picture


def _flat(draw: Callable[[Rng], Image]) -> Thing:
    """A thing that lies on the table, or is as high as a lid."""

    def lay(rng: Rng, canvas: Canvas, at: Spot) -> None:
        texture = draw(rng)
        height, width = (side / _PX_PER_MM for side in texture.shape[:2])
        high = float(rng.uniform(0.2, 0.8) if rng.random() < 0.8 else rng.uniform(2, 20))
        edges = outline(at.x, at.y, at.angle, width, height)
        canvas.prism(edges, 0, high, texture.reshape(-1, 3).mean(axis=0) * 0.9)
        canvas.print(texture, np.column_stack([edges, np.full(4, high + 0.1)]))

    return lay


def letters(rng: Rng, canvas: Canvas, at: Spot) -> None:
    """Letter tiles in a row, with their values: square, as pale and as thick as tiles."""
    side, count = float(rng.uniform(17, 28)), int(rng.integers(1, 8))
    colour, ink = np.array([175, 215, 235]) * rng.uniform(0.75, 1.08), (30.0, 30.0, 32.0)
    for place in range(count):
        x, y = at.x + side * 1.03 * place * math.sin(at.angle), at.y - side * 1.03 * place * math.cos(at.angle)
        edges = outline(x, y, at.angle + rng.normal(0, 0.03), side, side)
        picture = _blank(side, side, colour)
        _stamp(
            picture,
            _written(rng, str(rng.choice(_LETTERS)), side * rng.uniform(0.4, 0.65)),
            (side * 0.47, side * 0.47),
            ink,
        )
        if rng.random() < 0.8:
            _stamp(picture, _written(rng, str(rng.integers(1, 11)), side * 0.2), (side * 0.83, side * 0.83), ink)
        canvas.prism(edges, 0, 5, colour)
        canvas.print(picture, np.column_stack([edges, np.full(4, 5.1)]))


PRINTS: tuple[tuple[Thing, float], ...] = (  # what, and about what radius in mm it takes
    (_flat(_card), 52), (_flat(_card), 52), (_flat(_sheet), 110), (_flat(_grid), 110), (_flat(_paired), 25),
    (_flat(_paired), 25), (_flat(_label), 55), (_flat(_die), 15), (letters, 70),
)  # fmt: skip
