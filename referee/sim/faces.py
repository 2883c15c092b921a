"""Faces of tiles as small pictures: body, bevel, dimple, engraving and print, lit from one side, in a box's style."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType

import cv2
import numpy as np
import numpy.typing as npt

from referee.rules.tiles import Colour, Joker, JokerKind, NumberTile, Tile
from referee.sim.glyphs import Lettering, Outline, number_outlines, stroke
from referee.sim.jokers import Layer, joker_layers
from referee.vision.geometry.detections import Floats
from referee.vision.image.frame import Image

Bgr = tuple[int, int, int]

TILE_WIDTH_MM = 27.0
TILE_HEIGHT_MM = 38.0
_OVERSAMPLING = 3
_SHIFT_BITS = 4


@dataclass(frozen=True, slots=True, eq=False)
class FacePhotographs:
    """Photographs of a real box's faces, upright, cropped to the tile; equal tiles alternate."""

    of_tile: Mapping[Tile, Sequence[Image]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TileStyle:
    """The appearance of a box's tiles; lengths in millimetres, colours as (blue, green, red)."""

    body: Bgr = (214, 228, 232)
    inks: Mapping[Colour, Bgr] = field(hash=False)
    joker_inks: Mapping[JokerKind, tuple[Colour, ...]] = field(hash=False)
    lettering: Lettering = field(default_factory=Lettering)
    digit_height: float = 11.0
    digit_top: float = 7.2
    joker_radius: float = 8.2
    dimple_radius: float = 9.4
    engraving: str = "script"  # "script", "line" or "none"
    thickness: float = 8.5
    corner: float = 1.8
    bevel: float = 1.9
    photographs: FacePhotographs | None = None
    """Photographs that replace drawn faces."""


_TWO_COLOURS = (Colour.RED, Colour.BLACK)
_COLOURS_BY_COPY = MappingProxyType(dict.fromkeys(JokerKind, _TWO_COLOURS))
_COLOURS_BY_KIND = MappingProxyType(
    {
        JokerKind.REGULAR: (Colour.RED,),
        JokerKind.DOUBLE: (Colour.BLUE,),
        JokerKind.COLOUR_CHANGE: (Colour.BLACK,),
        JokerKind.MIRROR: (Colour.ORANGE,),
        JokerKind.COLOURED: tuple(Colour),
    }
)


def _inks(black: Bgr, red: Bgr, blue: Bgr, orange: Bgr) -> Mapping[Colour, Bgr]:
    return MappingProxyType(dict(zip(Colour, (black, red, blue, orange), strict=True)))


CLASSIC = TileStyle(
    inks=_inks((46, 40, 38), (48, 38, 196), (186, 104, 22), (52, 132, 240)), joker_inks=_COLOURS_BY_COPY
)
STYLES: Mapping[str, TileStyle] = MappingProxyType(
    {
        "classic": CLASSIC,
        "ivory": replace(
            CLASSIC,
            body=(186, 214, 226),
            lettering=Lettering(weight=0.185, width=0.66),
            dimple_radius=0.0,
            engraving="line",
            digit_height=12.0,
        ),
        "yellow": replace(
            CLASSIC,
            body=(222, 232, 236),
            inks=_inks((40, 36, 34), (60, 34, 204), (168, 96, 16), (28, 168, 234)),
            joker_inks=_COLOURS_BY_KIND,
            lettering=Lettering(weight=0.22, width=0.7),
            engraving="none",
        ),
        "bold": replace(
            CLASSIC,
            body=(204, 222, 228),
            lettering=Lettering(weight=0.23, width=0.72, rounded=True),
            digit_height=13.0,
            digit_top=6.4,
            dimple_radius=10.4,
            engraving="line",
        ),
    }
)


def _to_pixels(outline: Outline, scale: float) -> npt.NDArray[np.int32]:
    return np.round(outline * scale * (1 << _SHIFT_BITS)).astype(np.int32)


def _fill(canvas: npt.NDArray[np.uint8], outline: Outline, scale: float, value: Bgr | int) -> None:
    colour = (value,) if isinstance(value, int) else value
    cv2.fillPoly(canvas, [_to_pixels(outline, scale)], colour, cv2.LINE_AA, _SHIFT_BITS)


def joker_colour(joker: Joker, copy: int, style: TileStyle) -> Colour:
    """Return the colour a joker is drawn in: its own or its kind's in this box, alternating if the kind has several."""
    if joker.colour is not None:
        return joker.colour
    choices = style.joker_inks[joker.kind]
    return choices[copy % len(choices)]


def _print_layers(tile: Tile, copy: int, style: TileStyle) -> list[Layer]:
    """Return what is printed on the face, in millimetres from its top left corner."""
    middle = np.array([TILE_WIDTH_MM / 2, style.digit_top + style.digit_height / 2])
    if isinstance(tile, NumberTile):
        outlines = number_outlines(tile.number, style.lettering)
        width = max(np.ptp(np.concatenate(outlines)[:, 0]), 1e-6) * style.digit_height
        squeeze = np.array([min(1.0, 15.5 / width), 1.0]) * style.digit_height
        return [([outline * squeeze + middle for outline in outlines], tile.colour)]
    layers = joker_layers(tile.kind, joker_colour(tile, copy, style))
    return [([outline * style.joker_radius + middle for outline in outlines], ink) for outlines, ink in layers]


def _engraving_outlines(style: TileStyle) -> list[Outline]:
    """Return the outlines of the engraving below the print."""
    y = 31.2
    if style.engraving == "line":
        return stroke(np.array([[7.5, y], [TILE_WIDTH_MM - 7.5, y]]), 0.9, 0.9, rounded=True)
    if style.engraving == "script":
        x = np.linspace(4.2, TILE_WIDTH_MM - 4.2, 120)
        wave = 1.25 * np.sin((x - 4.2) * 2.45) + 0.5 * np.sin((x - 4.2) * 5.7 + 1) + 0.6 * (x < 6.5) * np.sin(x * 3)
        return stroke(np.stack([x, y + wave], axis=1), 0.55, 0.55)
    return []


@lru_cache(maxsize=16)
def _face_relief(style: TileStyle, scale: float) -> tuple[Floats, Floats, Floats]:
    """Return the slopes of the face across and down, and how much of each pixel the rounded face covers."""
    rows, columns = round(TILE_HEIGHT_MM * scale), round(TILE_WIDTH_MM * scale)
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32) / np.float32(scale)
    dx = np.abs(x - TILE_WIDTH_MM / 2) - (TILE_WIDTH_MM / 2 - style.corner)
    dy = np.abs(y - TILE_HEIGHT_MM / 2) - (TILE_HEIGHT_MM / 2 - style.corner)
    outside = np.hypot(np.maximum(dx, 0), np.maximum(dy, 0)) + np.minimum(np.maximum(dx, dy), 0) - style.corner
    cover = np.clip(0.5 - outside * scale, 0, 1).astype(np.float32)
    height = np.minimum(-outside / style.bevel, 1.0) * 0.75
    if style.dimple_radius:
        middle = style.digit_top + style.digit_height / 2
        distance = np.hypot(x - TILE_WIDTH_MM / 2, y - middle) / style.dimple_radius
        height = height - 0.55 * np.clip(1 - distance**2, 0, None) ** 0.5
    engraved = np.zeros((rows, columns), np.uint8)
    for outline in _engraving_outlines(style):
        _fill(engraved, outline, scale, 255)
    height = height - 0.16 * cv2.GaussianBlur(engraved, (0, 0), 0.12 * scale).astype(np.float32) / 255
    height = cv2.GaussianBlur(height.astype(np.float32), (0, 0), 0.14 * scale)
    down, across = np.gradient(height, 1 / scale)
    return across.astype(np.float32), down.astype(np.float32), cover


@lru_cache(maxsize=512)
def _printed_face(tile: Tile, copy: int, style: TileStyle, scale: float) -> Image:
    """Return the face with its print, flat and unlit."""
    fine_scale = scale * _OVERSAMPLING
    size = (round(TILE_WIDTH_MM * scale), round(TILE_HEIGHT_MM * scale))
    if style.photographs is not None and (pictures := style.photographs.of_tile.get(tile)):
        return np.asarray(cv2.resize(pictures[copy % len(pictures)], size, interpolation=cv2.INTER_AREA), np.uint8)
    canvas = np.empty((size[1] * _OVERSAMPLING, size[0] * _OVERSAMPLING, 3), np.uint8)
    canvas[:] = style.body
    for outlines, ink in _print_layers(tile, copy, style):
        colour = style.body if ink is None else style.inks[ink]
        for outline in outlines:
            _fill(canvas, outline, fine_scale, colour)
    return np.asarray(cv2.resize(canvas, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


@lru_cache(maxsize=1024)
def face(tile: Tile | None, copy: int, style: TileStyle, scale: float, light: int) -> tuple[Image, Image]:
    """Return a face (None: the back), `scale` px/mm, and its coverage 0 to 255; light from `light` * 15 degrees.

    The angle is that of the light's direction in the picture of the upright tile, clockwise from the right.
    """
    relief_style = replace(style, dimple_radius=0.0, engraving="none") if tile is None else style
    across, down, cover = _face_relief(relief_style, scale)
    angle = np.radians(light * 15)
    slope = across * np.float32(np.cos(angle)) + down * np.float32(np.sin(angle))
    shade = 1 - 0.30 * np.tanh(slope * 1.1) - 0.035 * np.hypot(across, down)
    if tile is None:
        unlit = np.empty((*cover.shape, 3), np.uint8)
        unlit[:] = style.body
    else:
        unlit = _printed_face(tile, copy, style, scale)
    lit = np.clip(unlit.astype(np.float32) * shade[..., None], 0, 255).astype(np.uint8)
    return lit, np.round(cover * 255).astype(np.uint8)
