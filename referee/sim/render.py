"""Pictures of the table from a fixed camera above it; only changes since the last picture are redrawn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from referee.sim.faces import CLASSIC, TILE_HEIGHT_MM, TILE_WIDTH_MM, Bgr, TileStyle, face
from referee.sim.furniture import paint_racks
from referee.sim.hands import Hand, paint_hand
from referee.sim.surfaces import SURFACES, smooth_noise
from referee.sim.table_objects import TableObject, paint_objects
from referee.sim.view import LaidTile, View, rectangle
from referee.vision.geometry.detections import Floats
from referee.vision.geometry.optics import Points
from referee.vision.image.frame import Image

_SHADOW_MM = 16.0
_NOISE_MARGIN = 64
Box = tuple[int, int, int, int]  # left, top, right, bottom


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSetting:
    """The table, box, lamp and camera of one match."""

    view: View
    style: TileStyle = CLASSIC
    surface: str = "wood"
    seed: int = 0
    light: float = -2.2  # where the lamp stands, radians clockwise from east
    warmth: Bgr = (236, 250, 256)  # the lamp's colour; 256 is full light
    grain: float = 2.2  # standard deviation of the sensor's noise
    blur: float = 0.55  # pixels
    seats: tuple[int, ...] = (0, 1, 2, 3)  # where somebody sits, clockwise from the south


def _rounded(width: float, height: float, corner: float) -> Points:
    """Return the outline of an upright rounded rectangle about the origin, twelve points."""
    cut = corner * 0.3
    steps = np.array([[0, corner], [cut, cut], [corner, 0]])
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return np.concatenate([np.array(sign) * (np.array([width, height]) / 2 - steps) for sign in signs])


def _outline(laid: LaidTile, corner: float) -> Points:
    """Return the tile's rounded outline in millimetres."""
    cosine, sine = np.cos(laid.angle), np.sin(laid.angle)
    upright = _rounded(TILE_WIDTH_MM, TILE_HEIGHT_MM, corner)
    return np.asarray(upright @ np.array([[cosine, sine], [-sine, cosine]]) + np.array([laid.x, laid.y]))


def _hull(points: Points) -> npt.NDArray[np.int32]:
    return np.asarray(cv2.convexHull(np.round(points * 16).astype(np.int32)), dtype=np.int32)


def _intersection(a: Box, b: Box) -> Box | None:
    left, top, right, bottom = max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])
    return (left, top, right, bottom) if left < right and top < bottom else None


def _expanded(box: Box, margin: int, width: int, height: int) -> Box:
    left, top, right, bottom = box
    return max(left - margin, 0), max(top - margin, 0), min(right + margin, width), min(bottom + margin, height)


def _stacking_key(laid: LaidTile) -> tuple[float, float, float, float]:
    """Return a sort key: upper tiles of a stack come last; the rest makes the order deterministic."""
    return laid.base, laid.y, laid.x, laid.angle


@lru_cache(maxsize=2)
def _empty_table(setting: TableSetting) -> tuple[Image, Floats, Image, Image]:
    """Return the bare table, the light on it, and by how much the sensor's noise brightens and darkens each pixel.

    Cached and read-only: it takes longer to make than many pictures.
    """
    rng = np.random.default_rng(setting.seed)
    bare = SURFACES[setting.surface](rng, setting.view.size, setting.view.scale)
    paint_racks(bare, setting.view, setting.seats, setting.light, rng)
    lamp = _light_field(setting, rng)
    width, height = setting.view.size
    grain = rng.normal(128, setting.grain * 1.5, (height + _NOISE_MARGIN, width + _NOISE_MARGIN, 3))
    noise = cv2.GaussianBlur(np.clip(grain, 0, 255).astype(np.uint8), (3, 3), 0.6)
    brighter, darker = (
        np.asarray(np.maximum(noise, 128) - 128, np.uint8),
        np.asarray(128 - np.minimum(noise, 128), np.uint8),
    )
    for array in (bare, lamp, brighter, darker):
        array.flags.writeable = False
    return bare, lamp, brighter, darker


def _light_field(setting: TableSetting, rng: np.random.Generator) -> Floats:
    """Return the lamp's brightness per pixel: a slope across the table, and vignetting."""
    width, height = setting.view.size
    y, x = (part.astype(np.float32) for part in np.ogrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j])
    light = setting.light
    field = 0.97 + 0.09 * (x * np.cos(light) + y * np.sin(light)) - 0.07 * (x * x + y * y)
    field += 0.025 * smooth_noise(rng, (width, height), (2, 2), 2)
    warmth = np.array(setting.warmth, np.float32) / 256
    return np.asarray(cv2.merge([(field * tint).astype(np.float32) for tint in warmth]), np.float32)


class Painter:
    """Draws the pictures of one match; equal settings and calls give equal pixels."""

    def __init__(self, setting: TableSetting) -> None:
        self._setting = setting
        self._view = setting.view
        self._clean, self._lamp, self._brighter, self._darker = _empty_table(setting)
        self._bare = self._clean
        self._things: tuple[TableObject, ...] = ()
        self._shown: tuple[LaidTile, ...] = ()
        self._laid: frozenset[LaidTile] = frozenset()
        self._boxes: dict[LaidTile, Box] = {}
        self._canvas = np.asarray(cv2.multiply(self._bare, self._lamp, dtype=cv2.CV_8U), np.uint8)
        self._sharp = self._blurred(self._canvas)

    def paint(
        self,
        laid: Iterable[LaidTile],
        hands: Sequence[Hand] = (),
        *,
        noise_index: int = 0,
        objects: tuple[TableObject, ...] = (),
    ) -> Image:
        """Return a picture, with objects below the tiles; `noise_index` selects the sensor noise."""
        self._update_objects(objects)
        self._update_tiles(tuple(laid))
        picture = self._with_hands(hands) if hands else self._sharp
        row, column = np.random.default_rng((self._setting.seed, noise_index)).integers(0, _NOISE_MARGIN, 2)
        height, width = picture.shape[:2]
        window = slice(row, row + height), slice(column, column + width)
        return np.asarray(cv2.subtract(cv2.add(picture, self._brighter[window]), self._darker[window]), np.uint8)

    def _with_hands(self, hands: Sequence[Hand]) -> Image:
        """Return the blurred picture of the table with hands over it."""
        image, blurred = self._canvas.copy(), self._sharp.copy()
        for hand in hands:
            self._blur_box(image, blurred, paint_hand(image, hand, self._view, self._setting.light, self._lamp))
        return blurred

    def _blur_box(self, image: Image, blurred: Image, box: Box) -> None:
        """Blur a box of the picture, and the pixels beside it, into `blurred`."""
        width, height = self._view.size
        left, top, right, bottom = _expanded(box, 2, width, height)
        soft = self._blurred(image[top:bottom, left:right])
        a, b, c, d = _expanded(box, 1, width, height)
        blurred[b:d, a:c] = soft[b - top : d - top, a - left : c - left]

    def _blurred(self, image: Image) -> Image:
        return np.asarray(cv2.GaussianBlur(image, (3, 3), self._setting.blur), np.uint8)

    def _update_objects(self, things: tuple[TableObject, ...]) -> None:
        if things == self._things:
            return
        self._things, self._bare = things, self._clean.copy()
        paint_objects(self._bare, things, self._view, self._setting.style)
        width, height = self._view.size
        self._repaint((0, 0, width, height), sorted(self._laid, key=_stacking_key))

    def _update_tiles(self, shown: tuple[LaidTile, ...]) -> None:
        if shown == self._shown:
            return
        self._shown, laid = shown, frozenset(shown)
        changed = laid ^ self._laid
        self._laid = laid
        ordered = sorted(laid, key=_stacking_key)
        boxes = {tile: self._boxes.get(tile) or self._box(tile) for tile in (*ordered, *changed)}
        self._boxes = boxes
        width, height = self._view.size
        if len(changed) > 40:
            self._repaint((0, 0, width, height), ordered)
            return
        for tile in sorted(changed, key=lambda tile: (tile.y, tile.x, tile.base)):
            box = _intersection(boxes[tile], (0, 0, width, height))
            if box:
                self._repaint(box, [other for other in ordered if _intersection(boxes[other], box)])

    def _box(self, laid: LaidTile) -> Box:
        top = laid.base + self._setting.style.thickness
        margin = 2 * _SHADOW_MM + top
        footprint = rectangle(laid.x, laid.y, laid.angle, 27 + margin, 38 + margin)
        points = np.concatenate([self._view.project_flat(footprint), self._view.project_flat(laid.corners(), top)])
        low, high = np.floor(points.min(axis=0)).astype(int), np.ceil(points.max(axis=0)).astype(int)
        return int(low[0]), int(low[1]), int(high[0]) + 1, int(high[1]) + 1

    def _repaint(self, box: Box, laid: Sequence[LaidTile]) -> None:
        """Redraw one box of the picture with the tiles that reach into it."""
        margin = int(8 * self._view.scale)
        left, top = max(0, box[0] - margin), max(0, box[1] - margin)
        right = min(self._view.size[0], box[2] + margin)
        bottom = min(self._view.size[1], box[3] + margin)
        patch = self._bare[top:bottom, left:right].copy()
        origin = np.array([left, top], dtype=np.float64)
        for base in sorted({tile.base for tile in laid}):
            layer = [tile for tile in laid if tile.base == base]
            self._shadow(patch, layer, origin)
            for tile in layer:
                self._side(patch, tile, origin)
            for tile in layer:  # from any viewpoint, no side covers a face of the same height
                self._face(patch, tile, origin)
        lit = cv2.multiply(patch, self._lamp[top:bottom, left:right], dtype=cv2.CV_8U)
        inner = lit[box[1] - top : box[3] - top, box[0] - left : box[2] - left]
        self._canvas[box[1] : box[3], box[0] : box[2]] = inner
        self._blur_box(self._canvas, self._sharp, box)

    def _shadow(self, patch: Image, layer: Sequence[LaidTile], origin: Points) -> None:
        """Draw the shadows of one layer: soft ones away from the lamp, and tight contact shadows."""
        light, thickness, scale = self._setting.light, self._setting.style.thickness, self._view.scale
        away = -0.75 * thickness * np.array([np.cos(light), np.sin(light)])
        cast, contact = np.zeros(patch.shape[:2], np.uint8), np.zeros(patch.shape[:2], np.uint8)
        for tile in layer:
            foot = _outline(tile, self._setting.style.corner)
            standing = self._view.project_flat(foot, tile.base)
            fallen = self._view.project_flat(foot + away, tile.base)
            cv2.fillConvexPoly(cast, _hull(np.concatenate([standing, fallen]) - origin), 255, cv2.LINE_AA, 4)
            cv2.fillConvexPoly(contact, _hull(standing - origin), 255, cv2.LINE_AA, 4)
        soft = cv2.blur(cv2.blur(cast, (int(3.6 * scale) | 1,) * 2), (int(2.4 * scale) | 1,) * 2)
        tight = cv2.blur(contact, (int(3.2 * scale) | 1,) * 2)
        dark = 1 - soft.astype(np.float32) * (0.42 / 255) - tight.astype(np.float32) * (0.22 / 255)
        patch[:] = cv2.multiply(patch, cv2.merge([dark] * 3), dtype=cv2.CV_8U)

    def _side(self, patch: Image, laid: LaidTile, origin: Points) -> None:
        style, light = self._setting.style, self._setting.light
        outline = _outline(laid, style.corner)
        foot = self._view.project_flat(outline, laid.base)
        rim = self._view.project_flat(outline, laid.base + style.thickness)
        lean = (rim - foot).mean(axis=0)
        toward = float(-lean @ np.array([np.cos(light), np.sin(light)])) / (np.hypot(*lean) + 1e-6)
        side = tuple(channel * (0.70 + 0.12 * toward) for channel in style.body)
        cv2.fillConvexPoly(patch, _hull(np.concatenate([foot, rim]) - origin), side, cv2.LINE_AA, 4)

    def _face(self, patch: Image, laid: LaidTile, origin: Points) -> None:
        style = self._setting.style
        light_step = round(np.degrees(self._setting.light - laid.angle) / 15) % 24
        picture, cover = face(laid.tile, laid.copy, style, round(self._view.scale * 1.1, 2), light_step)
        quad = self._view.quad(laid, style.thickness) - origin
        low = np.maximum(np.floor(quad.min(axis=0)).astype(int) - 1, 0)
        high = np.minimum(np.ceil(quad.max(axis=0)).astype(int) + 2, patch.shape[1::-1])
        if np.any(low >= high):
            return
        rows, columns = cover.shape
        source = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32) - 0.5
        matrix = cv2.getPerspectiveTransform(source, (quad - low).astype(np.float32))
        size = (int(high[0] - low[0]), int(high[1] - low[1]))
        warped = cv2.warpPerspective(picture, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        alpha = cv2.warpPerspective(cover, matrix, size, flags=cv2.INTER_LINEAR)
        opacity = (alpha.astype(np.float32) / 255)[..., None]
        box = patch[low[1] : high[1], low[0] : high[0]]
        box[:] = (box + (warped.astype(np.float32) - box) * opacity).astype(np.uint8)
