"""Other objects on a table: cards, coasters, a score sheet, a phone, and racks, a tile box and its lid."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from types import MappingProxyType
from typing import Final

import cv2
import numpy as np

from referee.rules.tiles import Colour, NumberTile, Tile
from referee.sim.faces import TILE_HEIGHT_MM, TILE_WIDTH_MM, Bgr, TileStyle, face
from referee.sim.view import View, rectangle
from referee.vision.geometry.optics import Points
from referee.vision.image.frame import Image

_PX_PER_MM: Final = 3.0  # at which an object is drawn before it is pasted into the picture
_PAPER: Final[Bgr] = (232, 240, 242)


@unique
class ObjectKind(StrEnum):
    """The kind of an object."""

    CARD = "playing card"
    COASTER = "coaster"
    SHEET = "score sheet"
    PHONE = "phone"
    LID = "box lid"
    BOX = "open tile box"
    RACK = "rack"
    ON_EDGE = "tile on edge"
    LEAFLET = "printed sheet with tiles"
    SCREEN = "changing screen"


SIZES_MM: Final[Mapping[ObjectKind, tuple[float, float]]] = MappingProxyType(
    {
        ObjectKind.CARD: (58.0, 89.0),
        ObjectKind.COASTER: (92.0, 92.0),
        ObjectKind.SHEET: (105.0, 148.0),
        ObjectKind.PHONE: (72.0, 150.0),
        ObjectKind.LID: (250.0, 190.0),
        ObjectKind.BOX: (250.0, 190.0),
        ObjectKind.RACK: (330.0, 46.0),
        ObjectKind.ON_EDGE: (TILE_WIDTH_MM, 8.5),
        ObjectKind.LEAFLET: (148.0, 210.0),
        ObjectKind.SCREEN: (72.0, 150.0),
    }
)
"""Width and height of each."""
LYING_OBJECTS: Final = frozenset({ObjectKind.LEAFLET, ObjectKind.SCREEN})
"""They lie on the table all evening."""
_SCREEN_SECONDS: Final = 7.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TableObject:
    """An object: centre in millimetres, clockwise angle in radians; `seed` varies objects of a kind."""

    kind: ObjectKind
    x: float
    y: float
    angle: float
    seed: int

    def corners(self) -> Points:
        """Return the corners of its outline on the table."""
        return rectangle(self.x, self.y, self.angle, *SIZES_MM[self.kind])


def objects_at(objects: tuple[TableObject, ...], at: float) -> tuple[TableObject, ...]:
    """Return the objects as they look at a time: screens show something else every seven seconds."""
    if all(one.kind is not ObjectKind.SCREEN for one in objects):
        return objects
    step = int(at / _SCREEN_SECONDS)
    return tuple(replace(one, seed=one.seed + step) if one.kind is ObjectKind.SCREEN else one for one in objects)


def paint_objects(image: Image, objects: Sequence[TableObject], view: View, style: TileStyle) -> None:
    """Draw objects on a bare table, the first one lowest."""
    for table_object in objects:
        _paint_shadow(image, table_object, view)
        if table_object.kind is ObjectKind.ON_EDGE:
            _paint_tile_on_edge(image, table_object, view, style)
        else:
            _paste_onto(
                image,
                _DRAWERS[table_object.kind](np.random.default_rng(table_object.seed), style),
                table_object.corners(),
                view,
            )
            if table_object.kind in (ObjectKind.RACK, ObjectKind.BOX):
                _paint_tiles_in(image, table_object, view, style)


def _paint_shadow(image: Image, table_object: TableObject, view: View) -> None:
    bare = np.full(image.shape[:2], 255, np.uint8)
    outline = rectangle(
        table_object.x + 1.5,
        table_object.y + 1.5,
        table_object.angle,
        *(side + 4 for side in SIZES_MM[table_object.kind]),
    )
    cv2.fillConvexPoly(bare, np.round(view.project_flat(outline) * 16).astype(np.int32), (176,), cv2.LINE_AA, 4)
    soft = cv2.blur(bare, (int(5 * view.scale) | 1,) * 2)
    image[:] = cv2.multiply(image, cv2.merge([soft] * 3), scale=1 / 255, dtype=cv2.CV_8U)


def _paste_onto(
    image: Image, picture: Image, corners: Points, view: View, lifts: tuple[float, float] = (0.5, 0.5)
) -> None:
    """Lay a picture on four corners; `lifts` are the heights of its upper and lower edge above the table."""
    top, bottom = lifts
    spots = np.column_stack([corners, [top, top, bottom, bottom]])
    quad = view.project(spots)
    low = np.maximum(np.floor(quad.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(quad.max(axis=0)).astype(int) + 2, image.shape[1::-1])
    if np.any(low >= high):
        return
    rows, columns = picture.shape[:2]
    source = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(source, (quad - low).astype(np.float32))
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    warped = cv2.warpPerspective(picture, matrix, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    cover = cv2.warpPerspective(np.full((rows, columns), 255, np.uint8), matrix, size, flags=cv2.INTER_LINEAR)
    share = cv2.merge([cover.astype(np.float32) / 255] * 3)
    box = image[low[1] : high[1], low[0] : high[0]]
    box[:] = (box + (warped.astype(np.float32) - box) * share).astype(np.uint8)


def _blank(kind: ObjectKind, colour: Bgr) -> Image:
    width, height = SIZES_MM[kind]
    picture = np.empty((round(height * _PX_PER_MM), round(width * _PX_PER_MM), 3), np.uint8)
    picture[:] = colour
    return picture


def _draw_text(  # noqa: PLR0917 - where, how large and in what ink
    picture: Image, text: str, x: float, y: float, size: float, colour: Bgr, weight: float = 0.6
) -> None:
    """Write with the lower left of the first letter at (x, y), letters `size` high, all in millimetres."""
    at = (round(x * _PX_PER_MM), round(y * _PX_PER_MM))
    scale = size * _PX_PER_MM / 21
    cv2.putText(
        picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, max(1, round(weight * _PX_PER_MM)), cv2.LINE_AA
    )


def _card(rng: np.random.Generator, _style: TileStyle) -> Image:
    """Return a French card: its number and pip in two corners and in the middle, or its back."""
    picture = _blank(ObjectKind.CARD, (246, 248, 248))
    if rng.random() < 0.2:
        cv2.rectangle(picture, (12, 12), (picture.shape[1] - 12, picture.shape[0] - 12), (150, 60, 40), -1)
        for offset in range(-300, 300, 14):
            cv2.line(picture, (offset, 12), (offset + 260, 255), (210, 150, 130), 2, cv2.LINE_AA)
        return picture
    ink: Bgr = (40, 36, 190) if rng.random() < 0.5 else (30, 30, 32)
    name = str(rng.choice(["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]))
    _draw_text(picture, name, 4, 14, 8, ink, 1.0)
    cv2.ellipse(picture, (21, 60), (9, 11), 45, 0, 360, ink, -1, cv2.LINE_AA)
    picture[-90:, -66:] = picture[90 - 1 :: -1, 66 - 1 :: -1][:90, :66]
    _draw_text(picture, name, 17, 54, 21, ink, 2.2)
    return picture


def _coaster(rng: np.random.Generator, _style: TileStyle) -> Image:
    """Return a beer mat, round corners painted on, with a ring and a word."""
    base = tuple(int(level) for level in rng.integers(90, 230, 3))
    picture = _blank(ObjectKind.COASTER, (base[0], base[1], base[2]))
    middle = (picture.shape[1] // 2, picture.shape[0] // 2)
    ink: Bgr = (40, 70, 160) if rng.random() < 0.5 else (60, 90, 40)
    cv2.circle(picture, middle, 118, (240, 244, 245), -1, cv2.LINE_AA)
    cv2.circle(picture, middle, 118, ink, 7, cv2.LINE_AA)
    _draw_text(picture, str(rng.choice(["PILS", "1873", "BRAU", "No 7"])), 24, 51, 13, ink, 2.4)
    return picture


def _sheet(rng: np.random.Generator, _style: TileStyle) -> Image:
    """Return a ruled score sheet with names and figures written by hand."""
    picture = _blank(ObjectKind.SHEET, _PAPER)
    for line in range(24, 146, 10):
        cv2.line(
            picture,
            (12, round(line * _PX_PER_MM)),
            (picture.shape[1] - 12, round(line * _PX_PER_MM)),
            (205, 190, 170),
            1,
        )
    for column in range(4):
        x = 6 + column * 25
        cv2.line(
            picture, (round(x * _PX_PER_MM), 36), (round(x * _PX_PER_MM), picture.shape[0] - 12), (205, 190, 170), 1
        )
        _draw_text(picture, ("Ann", "Ben", "Cem", "Dora")[column], x + 2, 22, 6, (90, 60, 40), 0.6)
        for line in range(int(rng.integers(2, 9))):
            _draw_text(picture, f"{int(rng.integers(-90, 120))}", x + 3, 33 + line * 10, 6.5, (120, 60, 30), 0.6)
    return picture


def _phone(rng: np.random.Generator, _style: TileStyle) -> Image:
    """Return a lit screen in a black frame: a clock and rows of icons, brighter than anything under the lamp."""
    picture = _blank(ObjectKind.PHONE, (22, 20, 20))
    low, high = (round(4 * _PX_PER_MM), round(5 * _PX_PER_MM)), (round(68 * _PX_PER_MM), round(145 * _PX_PER_MM))
    glow = np.linspace(150, 255, high[1] - low[1])[:, None, None] * np.array([1.0, 0.92, 0.86])
    picture[low[1] : high[1], low[0] : high[0]] = np.clip(glow, 0, 255)
    _draw_text(picture, f"{int(rng.integers(18, 24))}:{int(rng.integers(10, 60))}", 16, 38, 13, (255, 255, 255), 1.2)
    for row in range(4):
        for column in range(4):
            corner = (round((9 + column * 14.5) * _PX_PER_MM), round((62 + row * 19) * _PX_PER_MM))
            colour = tuple(int(level) for level in rng.integers(40, 255, 3))
            end = (corner[0] + 30, corner[1] + 30)
            cv2.rectangle(picture, corner, end, (colour[0], colour[1], colour[2]), -1, cv2.LINE_AA)
    return picture


def _lid(rng: np.random.Generator, style: TileStyle) -> Image:
    """Return a lid with large tiles printed on it, at random angles, and the maker's word."""
    picture = _blank(ObjectKind.LID, (150, 70, 30) if rng.random() < 0.5 else (40, 40, 170))
    _draw_text(picture, "TILES", 60, 60, 34, (240, 244, 245), 6)
    for column in range(5):
        size = float(rng.uniform(1.3, 1.7))
        _print_tile(picture, _random_tile(rng), (14 + column * 47, 85), size, float(rng.uniform(-25, 25)), style)
    return picture


def _print_tile(  # noqa: PLR0917 - what, where, how large and how askew
    picture: Image, tile: Tile, corner: tuple[float, float], size: float, degrees: float, style: TileStyle
) -> None:
    """Print a tile with its upper left at a corner in millimetres, `size` times as large as a real one."""
    drawn, cover = face(tile, 0, style, _PX_PER_MM * size, 0)
    turned = cv2.getRotationMatrix2D((drawn.shape[1] / 2, drawn.shape[0] / 2), degrees, 1.0)
    turned[:, 2] += (round(corner[0] * _PX_PER_MM), round(corner[1] * _PX_PER_MM))
    whole = (picture.shape[1], picture.shape[0])
    alpha = cv2.warpAffine(cover, turned, whole)[..., None].astype(np.float32) / 255
    printed = cv2.warpAffine(drawn, turned, whole).astype(np.float32)
    picture[:] = (picture + (printed - picture) * alpha).astype(np.uint8)


def _leaflet(rng: np.random.Generator, style: TileStyle) -> Image:
    """Return a quick-start sheet: lines of print, and a run and a group drawn about as large as real tiles."""
    picture = _blank(ObjectKind.LEAFLET, _PAPER)
    _draw_text(picture, "QUICK START", 12, 20, 10, (60, 40, 40), 1.2)
    size = float(rng.uniform(0.75, 1.05))
    number, colour = int(rng.integers(1, 10)), list(Colour)[int(rng.integers(4))]
    run = [NumberTile(colour, number + step) for step in range(4)]
    group = [NumberTile(other, number) for other in list(Colour)[:3]]
    for tiles, top in ((run, 52.0), (group, 135.0)):
        for column, tile in enumerate(tiles):
            _print_tile(picture, tile, (12 + column * (TILE_WIDTH_MM + 1.5) * size, top), size, 0.0, style)
    for line in (30, 36, 42, 102, 108, 114, 120, 186, 192):
        end = round(float(rng.uniform(90, 136)) * _PX_PER_MM)
        cv2.line(picture, (36, line * 3), (end, line * 3), (150, 140, 136), 3)
    return picture


def _screen(rng: np.random.Generator, style: TileStyle) -> Image:
    """Return a phone that shows its icons, a page of text, a film, or nothing."""
    shown = int(rng.integers(4))
    if shown == 0:
        return _phone(rng, style)
    picture = _blank(ObjectKind.SCREEN, (22, 20, 20))
    inner = picture[15:-15, 12:-12]
    if shown == 1:
        inner[:] = (250, 250, 250)
        for line in range(10, inner.shape[0] - 10, 14):
            cv2.line(inner, (12, line), (int(rng.integers(60, inner.shape[1] - 10)), line), (60, 50, 50), 4)
    elif shown == 2:
        blocks = rng.integers(20, 255, (9, 5, 3)).astype(np.uint8)
        inner[:] = cv2.resize(blocks, inner.shape[1::-1], interpolation=cv2.INTER_CUBIC)
    return picture


def _tray(_rng: np.random.Generator, _style: TileStyle) -> Image:
    picture = _blank(ObjectKind.BOX, (70, 96, 120))
    cv2.rectangle(picture, (9, 9), (picture.shape[1] - 9, picture.shape[0] - 9), (48, 66, 84), -1)
    return picture


def _wood(_rng: np.random.Generator, _style: TileStyle) -> Image:
    return _blank(ObjectKind.RACK, (46, 66, 92))


def _paint_tiles_in(image: Image, table_object: TableObject, view: View, style: TileStyle) -> None:
    """Put tiles into an open box, any side up, or onto a rack, leaning toward its player."""
    rng = np.random.default_rng(table_object.seed + 1)
    cosine, sine = np.cos(table_object.angle), np.sin(table_object.angle)
    turn = np.array([[cosine, sine], [-sine, cosine]])
    scale = round(view.scale * 1.1, 2)
    for index in range(14 if table_object.kind is ObjectKind.BOX else 10):
        if table_object.kind is ObjectKind.BOX:
            offset = np.array([rng.uniform(-95, 95), rng.uniform(-65, 65)])
            upright, lifts = rectangle(0, 0, float(rng.uniform(0, 6.3)), TILE_WIDTH_MM, TILE_HEIGHT_MM), (8.0, 8.0)
            tile = None if rng.random() < 0.6 else _random_tile(rng)
        else:  # leaning by 60 degrees, half of its height is seen; faces are turned to the player, from the table
            offset, tile = np.array([-142.0 + index * 29.5, 4.0]), _random_tile(rng)
            upright, lifts = rectangle(0, 0, 0.0, TILE_WIDTH_MM, TILE_HEIGHT_MM / 2), (36.0, 6.0)
        corners = (upright + offset) @ turn + np.array([table_object.x, table_object.y])
        _paste_onto(image, face(tile, index, style, scale, 0)[0], corners, view, lifts)


def _paint_tile_on_edge(image: Image, table_object: TableObject, view: View, style: TileStyle) -> None:
    """Draw a tile on its long side: its rim from above, its face only where the camera sees it obliquely."""
    foot = view.project_flat(table_object.corners())
    rim = view.project_flat(table_object.corners(), TILE_HEIGHT_MM)
    hull = cv2.convexHull(np.round(np.concatenate([foot, rim]) * 16).astype(np.int32))
    side = tuple(channel * 0.72 for channel in style.body)
    cv2.fillConvexPoly(image, hull, side, cv2.LINE_AA, 4)
    cv2.fillConvexPoly(image, np.round(rim * 16).astype(np.int32), style.body, cv2.LINE_AA, 4)


def _random_tile(rng: np.random.Generator) -> Tile:
    return NumberTile(list(Colour)[int(rng.integers(4))], int(rng.integers(1, 14)))


_DRAWERS: Final[Mapping[ObjectKind, Callable[[np.random.Generator, TileStyle], Image]]] = MappingProxyType(
    {
        ObjectKind.CARD: _card,
        ObjectKind.COASTER: _coaster,
        ObjectKind.SHEET: _sheet,
        ObjectKind.PHONE: _phone,
        ObjectKind.LID: _lid,
        ObjectKind.BOX: _tray,
        ObjectKind.RACK: _wood,
        ObjectKind.LEAFLET: _leaflet,
        ObjectKind.SCREEN: _screen,
    }
)
