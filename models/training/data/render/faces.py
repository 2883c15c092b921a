"""Draws the top faces of tiles of many plausible boxes: digits, jokers, backs, as a scanner would see them."""

from __future__ import annotations

import colorsys
import functools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image as PillowImage
from PIL import ImageDraw, ImageFont

from models.training.data.render.fonts import fonts, weighted_fonts
from models.training.data.render.jokers import JokerStyle, draw_joker, joker_style
from models.training.data.render.ornaments import Ornament, add_ornament
from models.training.data.render.signs import Sign
from models.training.data.render.strokes import StrokeStyle, stroke_digit, stroke_style

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Rng = np.random.Generator
Image = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.float32]
Colour = tuple[int, int, int]
Relief = Literal["none", "ring", "dimple", "name", "ring and name", "dimple and name"]

LETTERS = "KRBO"
NUMBERS = tuple(f"{letter}{number}" for letter in LETTERS for number in range(1, 14))
JOKERS = ("J", "JD", "JC", "JM", "JK", "JR", "JB", "JO")
_ORNAMENTED, _CENTRED, _SIGNED = 0.15, 0.08, 0.3  # shares of boxes


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxStyle:
    """One box of tiles: everything its tiles share. Lengths are fractions of the tile's height, colours BGR."""

    body: Colour
    inks: tuple[Colour, Colour, Colour, Colour]  # in the order of LETTERS
    aspect: float
    corner: float
    bevel: float
    bevel_strength: float
    font: Path | None  # None: strokes of our own
    strokes: StrokeStyle
    thicken: float
    digit_height: float
    digit_centre: float
    stretch: float
    squeeze: float  # how much narrower each digit of two is
    spacing: float
    most_width: float  # of the tile's width
    slant: float  # sideways for each unit of height
    hollow: float  # how much of a digit's inside is left blank, 0 to 1
    marked_six: Literal["none", "bar", "dot"]
    ornament: Ornament | None
    relief: Relief
    relief_size: float
    relief_strength: float
    name: str
    name_font: Path | None
    joker: JokerStyle
    joker_sign: Sign | None  # a plain joker that is not drawn
    joker_inks: tuple[str, ...]
    back: Literal["plain", "frame", "name", "lines", "dimple"]
    back_ink: Colour | None
    wear: float
    ink_relief: float


@dataclass(frozen=True, slots=True)
class Face:
    """A face drawn, and what it shows."""

    image: Image  # BGRA
    symbol: str  # "1".."13", "J", "JD", "JC", "JM", "back"
    ink: str | None  # letter; None where many or none


def box_style(rng: Rng, *, held_out: bool = False, fontless: bool = False) -> BoxStyle:
    """One box by chance; held_out takes the fonts that training never sees, fontless none: alike on every machine."""
    paths, weights = ((), np.zeros(0)) if fontless else weighted_fonts(held_out=held_out)
    font = paths[int(rng.choice(len(paths), p=weights))] if paths and (held_out or rng.random() < 0.8) else None
    large = rng.random() < 0.3
    digit_height = rng.uniform(0.42, 0.62) if large else rng.uniform(0.22, 0.42)
    relief = str(
        rng.choice(
            ["none", "ring", "dimple", "name", "ring and name", "dimple and name"], p=[0.25, 0.1, 0.2, 0.2, 0.15, 0.1]
        )
    )
    top = rng.uniform(0.08, 0.2 if not large else 0.16)
    body = _body_colour(rng)
    style = BoxStyle(
        body=body,
        inks=_inks(rng),
        aspect=float(rng.uniform(1.25, 1.5)),
        corner=float(rng.uniform(0.02, 0.11)),
        bevel=float(rng.uniform(0.01, 0.06)),
        bevel_strength=float(rng.uniform(0.05, 0.5)),
        font=font,
        strokes=stroke_style(rng),
        thicken=float(max(0.0, rng.normal(0.0, 0.03))),
        digit_height=float(digit_height),
        digit_centre=float(min(0.46, top + digit_height / 2)) if rng.random() < 0.9 else float(rng.uniform(0.36, 0.46)),
        stretch=float(np.clip(rng.normal(1.0, 0.12), 0.72, 1.3)),
        squeeze=float(rng.uniform(0.75, 1.0)),
        spacing=float(rng.uniform(0.02, 0.14)),
        most_width=float(rng.uniform(0.6, 0.86)),
        slant=float(rng.normal(0, 0.03) if rng.random() < 0.85 else rng.uniform(-0.05, 0.3)),
        hollow=float(rng.uniform(0.5, 1.0)) if rng.random() < 0.04 else 0.0,
        marked_six=str(rng.choice(["none", "bar", "dot"], p=[0.9, 0.07, 0.03])),  # type: ignore[arg-type]
        ornament=None,
        relief=relief,  # type: ignore[arg-type]
        relief_size=float(rng.uniform(0.5, 1.0)),
        relief_strength=float(rng.uniform(0.1, 1.0)),
        name=str(
            rng.choice(
                ["Rummikub", "RUMMIKUB", "Rummy", "Rummi", "Rummikub", "ALEXANDER", "rummi cub", "LEMADA", "Tile"]
            )
        ),
        name_font=paths[int(rng.integers(len(paths)))] if paths else None,
        joker=joker_style(rng),
        joker_sign=None,
        joker_inks=_joker_inks(rng),
        back=str(rng.choice(["plain", "frame", "name", "lines", "dimple"], p=[0.5, 0.15, 0.15, 0.1, 0.1])),  # type: ignore[arg-type]
        back_ink=_any_bgr(rng) if rng.random() < 0.1 else None,
        wear=float(rng.beta(1, 4)),
        ink_relief=float(max(0.0, rng.normal(0.0, 0.2))),
    )
    return _rarer(rng.spawn(1)[0], style, () if fontless else fonts())


def _rarer(rng: Rng, style: BoxStyle, paths: Sequence[Path]) -> BoxStyle:
    """What few boxes have: jokers of a font, an ornament below the digits, or digits in the middle of the tile."""
    kind = rng.random()
    if rng.random() < _SIGNED:
        style = replace(style, joker_sign=Sign.some(rng, paths, style.font))
    if kind < _ORNAMENTED:
        return replace(style, ornament=Ornament.some(rng))
    if kind < _ORNAMENTED + _CENTRED:
        marked: Literal["none", "bar", "dot"] = (
            "none" if rng.random() < 0.15 else "bar" if rng.random() < 0.7 else "dot"
        )
        return replace(style, digit_centre=float(rng.uniform(0.45, 0.5)), marked_six=marked)
    return style


def _bgr(hue: float, saturation: float, value: float) -> Colour:
    red, green, blue = colorsys.hsv_to_rgb(hue % 360 / 360, min(1.0, max(0.0, saturation)), min(1.0, max(0.0, value)))
    return round(blue * 255), round(green * 255), round(red * 255)


def _any_bgr(rng: Rng) -> Colour:
    return _bgr(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.1, 1))


def _body_colour(rng: Rng) -> Colour:
    """Ivory, cream or white; seldom grey or tan."""
    kind = rng.random()
    if kind < 0.55:
        return _bgr(rng.uniform(32, 58), rng.uniform(0.08, 0.3), rng.uniform(0.85, 1.0))
    if kind < 0.9:
        return _bgr(rng.uniform(30, 70), rng.uniform(0.0, 0.1), rng.uniform(0.87, 1.0))
    return _bgr(rng.uniform(25, 60), rng.uniform(0.05, 0.35), rng.uniform(0.65, 0.9))


def _inks(rng: Rng) -> tuple[Colour, Colour, Colour, Colour]:
    """Black to charcoal; magenta to brick; teal to navy; yellow to orange. Red and orange keep their distance."""
    black = _bgr(rng.uniform(0, 360), rng.uniform(0, 0.3), abs(rng.normal(0.05, 0.06)) + 0.02)
    red_hue = rng.uniform(318, 368) if rng.random() < 0.35 else rng.uniform(345, 366)
    red = _bgr(red_hue, rng.uniform(0.7, 1.0), rng.uniform(0.6, 0.98))
    hue = rng.uniform(165, 200) if rng.random() < 0.3 else rng.uniform(198, 238)
    blue = _bgr(hue, rng.uniform(0.6, 1.0), rng.uniform(0.35, 0.9) if hue > 200 else rng.uniform(0.45, 0.85))
    low = max(18.0, red_hue - 360 + 16)
    orange_hue = rng.uniform(low, 36) if rng.random() < 0.7 else rng.uniform(34, 54)
    orange = _bgr(orange_hue, rng.uniform(0.75, 1.0), rng.uniform(0.8, 1.0))
    return black, red, blue, orange


def _joker_inks(rng: Rng) -> tuple[str, ...]:
    kind = rng.random()
    if kind < 0.5:
        return ("K", "R")
    if kind < 0.75:
        return tuple(rng.choice(list(LETTERS), 2, replace=False))
    return (str(rng.choice(list(LETTERS))),)


def face(rng: Rng, tile: str, style: BoxStyle, height: int) -> Image:
    """A tile's top face upright as BGRA, its corners rounded in alpha; tile as in the notation, or "back"."""
    return draw_face(rng, tile, style, height).image


def draw_face(rng: Rng, tile: str, style: BoxStyle, height: int) -> Face:
    """As face, with what is shown: the caller may not know which ink a joker got."""
    width = max(8, round(height / style.aspect))
    light = rng.uniform(0, 2 * math.pi)
    relief = _bevel(height, width, style)
    ink_layer = np.zeros((height, width, 4), np.float32)
    symbol, ink = tile, None
    if tile == "back":
        relief += _back_relief(height, width, style)
        if style.back_ink is not None:
            ink_layer[..., :3] = style.back_ink
            ink_layer[..., 3] = 0.9
    elif tile in JOKERS:
        symbol, ink = _draw_joker(rng, tile, style, ink_layer)
        relief += _relief(height, width, style)
    else:
        symbol, ink = tile[1:], tile[0]
        ink_layer[..., :3] = style.inks[LETTERS.index(ink)]
        ink_layer[..., 3] = digits_mask(tile[1:], style, height, width)
        relief += _relief(height, width, style)
    relief -= ink_layer[..., 3] * np.float32(style.ink_relief)
    image = np.empty((height, width, 3), np.float32)
    image[:] = style.body
    image *= _mottle(rng, height, width, 0.015)
    cover = ink_layer[..., 3:] * _worn(rng, height, width, style.wear)
    image += cover * (ink_layer[..., :3] - image)
    image *= (1 + _shading(relief, light))[..., None]
    if rng.random() < style.wear:
        _scratch(rng, image)
    out = np.empty((height, width, 4), np.uint8)
    out[..., :3] = image.clip(0, 255)
    out[..., 3] = (_rounded(height, width, style.corner * height) * 255).astype(np.uint8)
    return Face(out, symbol, ink)


def _draw_joker(rng: Rng, tile: str, style: BoxStyle, layer: npt.NDArray[np.float32]) -> tuple[str, str | None]:
    coloured = len(tile) == 2 and tile[1] in "KRBO"
    letter = tile[1] if coloured else str(rng.choice(style.joker_inks))
    kind = "J" if coloured else tile
    if kind == "J" and style.joker_sign:
        layer[..., :3] = style.inks[LETTERS.index(letter)]
        layer[..., 3] = sign_mask(style.joker_sign, style.joker.centre, layer.shape[0], layer.shape[1])
        return kind, letter
    many = draw_joker(rng, kind, style.joker, layer, inks=style.inks, first=LETTERS.index(letter))
    return kind, None if many else letter


def sign_mask(sign: Sign, centre: float, height: int, width: int) -> Mask:
    """A joker that is a text, about its centre on the face."""
    out = np.zeros((height, width), np.float32)
    glyph = character_mask(sign.font, sign.text, 96, 0)
    scale = min(sign.width * width / glyph.shape[1], sign.height * height / glyph.shape[0])
    high, wide = (side * scale for side in glyph.shape)
    top = max(0.05 * height, centre * height - high / 2)
    _paste(out, glyph, (width - wide) / 2, top, size=(wide, high))
    return out


@functools.lru_cache(maxsize=512)
def _loaded(path: Path, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(path), size)


@functools.lru_cache(maxsize=4096)
def character_mask(path: Path, character: str, size: int, stroke: int) -> Mask:
    """One character cropped to its ink, as 0..1."""
    font = _loaded(path, size)
    left, top, right, bottom = font.getbbox(character, stroke_width=stroke)
    picture = PillowImage.new("L", (max(1, int(right - left)), max(1, int(bottom - top))))
    ImageDraw.Draw(picture).text((-left, -top), character, fill=255, font=font, stroke_width=stroke)
    mask = np.asarray(picture, np.float32) / np.float32(255)
    rows, columns = np.nonzero(mask.max(1) > 0.3)[0], np.nonzero(mask.max(0) > 0.3)[0]
    if not len(rows) or not len(columns):
        return np.ones((2, 2), np.float32)
    return mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def digits_mask(text: str, style: BoxStyle, height: int, width: int) -> Mask:
    """The number's ink on a face, 0..1."""
    tall = style.digit_height * height
    size = 96
    parts = []
    for character in text:
        if style.font is None:
            parts.append(stroke_digit(character, style.strokes, size))
        else:
            parts.append(character_mask(style.font, character, size, round(style.thicken * size)))
    gap = style.spacing * tall
    scale = [
        tall / max(part.shape[0] for part in parts) * style.stretch * (style.squeeze if len(parts) > 1 else 1)
    ] * len(parts)
    widths = [part.shape[1] * factor for part, factor in zip(parts, scale, strict=True)]
    total = sum(widths) + gap * (len(parts) - 1)
    shrink = min(1.0, style.most_width * width / total)
    out = np.zeros((height, width), np.float32)
    x = (width - total * shrink) / 2
    y = style.digit_centre * height - tall / 2
    for part, part_width in zip(parts, widths, strict=True):
        _paste(out, part, x, y, size=(part_width * shrink, tall))
        x += (part_width + gap) * shrink
    if style.hollow:
        out -= np.float32(style.hollow) * cv2.erode(out, np.ones((3, 3), np.uint8), iterations=max(1, round(tall / 28)))
    if style.slant:
        lean = np.asarray([[1, -style.slant, style.slant * (y + tall / 2)], [0, 1, 0]], np.float64)
        out = np.asarray(cv2.warpAffine(out, lean, (width, height), flags=cv2.INTER_LINEAR), np.float32)
    if style.marked_six != "none" and text in ("6", "9"):
        _mark(out, style, y + tall)
    return out if style.ornament is None else add_ornament(out, style.ornament)


def _paste(out: Mask, part: Mask, x: float, y: float, *, size: tuple[float, float]) -> None:
    """Scale a glyph into place with sub-pixel care."""
    sx, sy = size[0] / part.shape[1], size[1] / part.shape[0]
    smooth = cv2.GaussianBlur(part, (0, 0), max(0.01, 0.35 / max(0.05, min(sx, sy)))) if min(sx, sy) < 0.7 else part
    matrix = np.asarray([[sx, 0, x + sx / 2 - 0.5], [0, sy, y + sy / 2 - 0.5]], np.float64)
    placed = cv2.warpAffine(smooth, matrix, (out.shape[1], out.shape[0]), flags=cv2.INTER_LINEAR)
    np.maximum(out, placed, out=out)


def _mark(out: Mask, style: BoxStyle, foot: float) -> None:
    height, width = out.shape
    y = foot + 0.05 * height
    half = width * 0.14
    if style.marked_six == "bar":
        cv2.line(
            out,
            _point(width / 2 - half, y),
            _point(width / 2 + half, y),
            1.0,
            max(1, round(height * 0.02)),
            cv2.LINE_AA,
        )
    else:
        cv2.circle(
            out, _point(width / 2 + half * 1.6, y - 0.03 * height), max(1, round(height * 0.02)), 1.0, -1, cv2.LINE_AA
        )


def _point(x: float, y: float) -> tuple[int, int]:
    return round(x), round(y)


def _rounded(height: int, width: int, radius: float) -> Mask:
    """A rounded rectangle that fills the picture, edges smooth."""
    return (np.float32(0.5) - _edge_distance(height, width, radius)).clip(0, 1)


def _edge_distance(height: int, width: int, radius: float) -> Mask:
    """Signed distance in pixels to a rounded rectangle's edge, negative inside."""
    x = np.abs(np.arange(width, dtype=np.float32) + 0.5 - width / 2) - (width / 2 - radius)
    y = np.abs(np.arange(height, dtype=np.float32) + 0.5 - height / 2) - (height / 2 - radius)
    outside = np.hypot(x.clip(0)[None, :], y.clip(0)[:, None])
    inside = np.minimum(np.maximum(x[None, :], y[:, None]), 0)
    return (outside + inside - np.float32(radius)).astype(np.float32)


def _bevel(height: int, width: int, style: BoxStyle) -> Mask:
    depth = -_edge_distance(height, width, style.corner * height) / max(1.0, style.bevel * height)
    return (depth.clip(0, 1) * np.float32(style.bevel_strength * style.bevel * height * 0.6)).astype(np.float32)


def _relief(height: int, width: int, style: BoxStyle) -> Mask:
    """The height field of what is pressed into the face: a ring round the digit, a dimple or a name below it."""
    field = np.zeros((height, width), np.float32)
    deep = style.relief_strength * height / 100
    if style.relief.startswith("ring"):
        radius = width * (0.3 + 0.13 * style.relief_size)
        centre = (width / 2, min(height * 0.46, max(radius + 0.04 * height, style.digit_centre * height)))
        field -= _disc(height, width, centre, radius, 1.5) * np.float32(deep)
    if style.relief.startswith("dimple"):
        foot = style.digit_centre + style.digit_height / 2
        radius = max(0.05, min(0.2 * style.relief_size, (0.97 - foot) / 2)) * height
        centre = (width / 2, (foot + min(1.0, foot + 0.55)) / 2 * height)
        field -= _disc(height, width, centre, radius, radius * 0.6) * np.float32(deep * 2)
    if style.relief.endswith("name"):
        field -= _name_mask(style, height, width, 0.84 if style.relief_size > 0.6 else 0.9) * np.float32(deep)
    return field


def _disc(height: int, width: int, centre: tuple[float, float], radius: float, soft: float) -> Mask:
    x = np.arange(width, dtype=np.float32) + 0.5 - centre[0]
    y = np.arange(height, dtype=np.float32) + 0.5 - centre[1]
    distance = np.hypot(x[None, :], y[:, None])
    return ((radius - distance) / max(0.5, soft)).clip(0, 1).astype(np.float32)


def _name_mask(style: BoxStyle, height: int, width: int, centre: float) -> Mask:
    out = np.zeros((height, width), np.float32)
    if style.name_font is None:
        return out
    glyph = character_mask(style.name_font, style.name, 48, 0)
    wide = width * (0.55 + 0.35 * style.relief_size)
    tall = min(wide * glyph.shape[0] / glyph.shape[1], height * 0.13)
    _paste(out, glyph, (width - wide) / 2, centre * height - tall / 2, size=(wide, tall))
    return out


def _back_relief(height: int, width: int, style: BoxStyle) -> Mask:
    field = np.zeros((height, width), np.float32)
    deep = np.float32(style.relief_strength * height / 80)
    if style.back == "frame":
        field -= (-_edge_distance(height, width, style.corner * height) > height * 0.1).astype(np.float32) * deep
    elif style.back == "name":
        field -= _name_mask(style, height, width, 0.5) * deep
    elif style.back == "lines":
        rows = np.sin(
            np.arange(height, dtype=np.float32) * np.float32(2 * math.pi / (height * 0.06 * style.relief_size + 2))
        )
        field += rows[:, None] * deep * np.float32(0.4)
    elif style.back == "dimple":
        field -= _disc(height, width, (width / 2, height / 2), width * 0.35 * style.relief_size, 4) * deep
    return field


def _shading(relief: Mask, light: float) -> Mask:
    smooth = cv2.GaussianBlur(relief, (0, 0), 0.7)
    dx = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=0.125)
    dy = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=0.125)
    return (dx * np.float32(math.cos(light)) + dy * np.float32(math.sin(light))).clip(-0.4, 0.3)


def _mottle(rng: Rng, height: int, width: int, strength: float) -> npt.NDArray[np.float32]:
    coarse = rng.normal(1, strength, (6, 5, 3)).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def _worn(rng: Rng, height: int, width: int, wear: float) -> npt.NDArray[np.float32]:
    """How much of the ink is left: patchy where the box is worn."""
    if wear < 0.15:
        return np.ones((height, width, 1), np.float32)
    cells = int(rng.integers(5, 24))
    noise = np.asarray(cv2.resize(rng.random((cells, cells)).astype(np.float32), (width, height)), np.float32)
    return (1 - np.float32(wear) * (noise - np.float32(0.55)).clip(0, 1) * 2).clip(0.25, 1)[..., None]


def _scratch(rng: Rng, image: npt.NDArray[np.float32]) -> None:
    height, width = image.shape[:2]
    for _ in range(int(rng.integers(1, 4))):
        start = (int(rng.integers(width)), int(rng.integers(height)))
        angle, length = rng.uniform(0, math.pi), rng.uniform(0.05, 0.4) * height
        end = _point(start[0] + math.cos(angle) * length, start[1] + math.sin(angle) * length)
        tint = [float(value) for value in image[start[1], start[0]] * rng.uniform(0.75, 1.1)]
        cv2.line(image, start, end, tint, 1, cv2.LINE_AA)
