"""The background model: the bare table, assembled from everything seen of it since the camera was last moved.

A place that matches it is bare, whatever its grain or stains, and whatever the light (see `likeness`); places in the
shadow of tiles are left out. The model follows a sagging arm. On a plain table it says nothing: a face-down tile may
look the same.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt

from referee.reading.observation import TableReading, TileReading
from referee.vision.geometry.crops import CROP_SIZE
from referee.vision.geometry.detections import Doubles
from referee.vision.image.frame import Image
from referee.vision.watch.likeness import (
    NO_SHIFT,
    Likeness,
    Mask,
    Shift,
    compare,
    crop_grid,
    is_only_light,
    light_gain,
    lit,
    shift_between,
)
from referee.vision.watch.tuning import TUNING


@dataclass(frozen=True, slots=True, eq=False)
class BackgroundModel:
    """A picture of the bare table, and which of its pixels [height, width] were ever seen bare."""

    image: Image
    known: Mask
    reference: Image
    """A picture of the table where the model has it, but for `rest` pixels."""
    rest: Shift = NO_SHIFT
    gain: Doubles = field(default_factory=lambda: np.ones(3))
    """By how much brighter the light is now, for each channel."""

    def in_view(self, image: Image, tiles: Sequence[TileReading] = ()) -> "BackgroundModel":
        """Return the model where a picture has the table, and with that picture's light, seen beside the tiles."""
        if self.image.shape != image.shape:
            return self
        (x, y), sure = shift_between(self.reference, image)
        x, y = x + self.rest[0], y + self.rest[1]
        across, down = round(x), round(y)
        moved = self
        if across or down:
            moved = replace(
                self,
                image=_moved(self.image, across, down, cv2.BORDER_REPLICATE),
                known=_moved(self.known.view(np.uint8), across, down, cv2.BORDER_CONSTANT).view(np.bool_),
                reference=image,
                rest=(x - across, y - down),
            )
        elif not sure:
            moved = replace(self, reference=image)
        return replace(moved, gain=_gain(moved, image, tiles))


def _gain(bare: BackgroundModel, image: Image, tiles: Sequence[TileReading]) -> Doubles:
    """Return the gain of a picture's light, seen beside these tiles."""
    step = image.shape[1] / TUNING.light_columns
    rows, columns = np.mgrid[step / 2 : image.shape[0] : step, step / 2 : image.shape[1] : step]
    points = np.stack([columns.ravel(), rows.ravel()], axis=1)
    across, down = pixels(points[distances(points, tiles) >= TUNING.shadow_widths], image)
    known = bare.known[down, across]
    return light_gain(*(picture[down, across][known].astype(np.float64) for picture in (bare.image, image)))


def _moved(image: Image, across: int, down: int, border: int) -> Image:
    matrix = np.array([[1, 0, across], [0, 1, down]], np.float64)
    size = (image.shape[1], image.shape[0])
    return np.asarray(cv2.warpAffine(image, matrix, size, flags=cv2.INTER_NEAREST, borderMode=border), np.uint8)


def update_background(background: BackgroundModel | None, reading: TableReading, image: Image) -> BackgroundModel:
    """Return the model updated with what a picture shows beside its tiles."""
    free = np.ones(image.shape[:2], np.uint8)
    for tile in reading.tiles:
        quad, middle = np.array(tile.quad), np.array(tile.centre)
        cv2.fillConvexPoly(free, np.round(middle + (quad - middle) * TUNING.mask_scale).astype(np.int32), 0)
    known = free.view(np.bool_)
    if background is None or background.image.shape != image.shape:
        return BackgroundModel(image, known, image)
    was = background.in_view(image, reading.tiles)
    under = np.clip(lit(was.image[~known].astype(np.float64), was.gain), 0, 255)
    now = image.copy()
    now[~known] = under.round().astype(np.uint8)
    return replace(was, image=now, known=known | was.known, gain=np.ones(3))


def matches_background(
    bare: BackgroundModel | None,
    tile: TileReading,
    others: Sequence[TileReading],
    image: Image,
    *,
    shadows: bool = False,
) -> bool | None:
    """Return whether a tile's place matches the background, outside the shadows of other tiles.

    None if undecidable: the background is plain or unknown there, or, with `shadows`, a shadow explains the difference.
    """
    place = known_colours(bare, tile, others, image)
    if bare is None or place is None:
        return None
    was, now = place
    alike = _compared(bare, tile, others, image)
    if alike.shows_structure:
        if alike.fine >= TUNING.min_fine_correlation:
            return True
        return False if max(alike.fine, alike.whole) < TUNING.max_unlike_fine else None
    contrast = was.mean(axis=1).std()
    if contrast < TUNING.min_texture:
        return None
    expected, seen = lit(was, bare.gain).mean(axis=0), now.mean(axis=0)
    if alike.whole >= TUNING.min_correlation and np.abs(expected - seen).max() <= TUNING.max_light_change:
        return True
    strong = contrast >= TUNING.min_strong_contrast
    unlike = alike.whole < (TUNING.min_correlation if strong else TUNING.max_unlike_correlation)
    return None if not unlike or (shadows and is_only_light(expected, seen)) else False


def _compared(bare: BackgroundModel, tile: TileReading, others: Sequence[TileReading], image: Image) -> Likeness:
    quad = np.array(tile.quad, np.float32)
    points = crop_grid(np.array(tile.quad))
    columns, rows = pixels(points, image)
    seen = bare.known[rows, columns] & (distances(points, _near(tile, others, 1.0)) >= TUNING.shadow_widths)
    return compare(bare.image, quad, image, quad, seen.reshape(CROP_SIZE[::-1]))


def differs_from_background(
    bare: BackgroundModel | None,
    tile: TileReading,
    others: Sequence[TileReading],
    image: Image,
    *,
    shadows: bool = False,
) -> bool:
    """Return whether a tile's place differs from the background by much more than the table around it.

    With `shadows`, what a shadow explains is no difference.
    """
    place = known_colours(bare, tile, others, image)
    about = None if place is None else known_colours(bare, tile, [*others, tile], image, TUNING.about_scale)
    if bare is None or place is None or about is None:
        return False
    here, there = (np.median(now - lit(was, bare.gain), axis=0) for was, now in (place, about))
    if np.abs(here - there).max() <= 2 * TUNING.max_light_change:
        return False
    was, now = (np.median(colours, axis=0) for colours in place)
    return not (shadows and is_only_light(lit(was, bare.gain), now))


def known_colours(
    bare: BackgroundModel | None, tile: TileReading, others: Sequence[TileReading], image: Image, scale: float = 1.0
) -> tuple[Doubles, Doubles] | None:
    """Return the colours [n, 3] of the background and of the picture, within `scale` times a tile.

    Shadows of other tiles are left out; None if too few known pixels remain.
    """
    if bare is None or bare.image.shape != image.shape:
        return None
    quad = np.array(tile.quad)
    middle = quad.mean(axis=0)
    spots = grid(middle, (quad - middle) * scale)
    columns, rows = pixels(spots, image)
    seen = bare.known[rows, columns] & (distances(spots, _near(tile, others, scale)) >= TUNING.shadow_widths)
    if seen.mean() < TUNING.min_share_seen:
        return None
    was, now = (picture[rows, columns].astype(np.float64)[seen] for picture in (bare.image, image))
    return was, now


def _near(tile: TileReading, others: Sequence[TileReading], scale: float) -> list[TileReading]:
    """Return the tiles that may cast a shadow on this place, widened to `scale` times a tile."""
    reach = (scale + TUNING.near_tiles) * math.dist(tile.quad[0], tile.quad[2])
    return [other for other in others if math.dist(other.quad[0], tile.centre) < reach]


def grid(middle: Doubles, arms: Doubles) -> Doubles:
    """Return a grid of points [256, 2] over the quad with corners `middle + arms`."""
    steps = np.linspace(0.05, 0.95, TUNING.grid_points)
    right, down = arms[1] - arms[0], arms[3] - arms[0]
    across, along = steps[:, None, None] * right, steps[:, None] * down
    return np.asarray((middle + arms[0] + across + along).reshape(-1, 2))


def pixels(points: Doubles, image: Image) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the columns and rows of the pixels nearest to these points [n, 2]."""
    columns = points[:, 0].round().astype(np.intp).clip(0, image.shape[1] - 1)
    return columns, points[:, 1].round().astype(np.intp).clip(0, image.shape[0] - 1)


def distances(points: Doubles, tiles: Sequence[TileReading]) -> Doubles:
    """Return each point's distance [n] to the nearest tile, in tile widths; negative on a tile."""
    nearest = np.full(len(points), np.inf)
    for tile in tiles:
        a, b, _, d = np.array(tile.quad)
        right, down = b - a, d - a
        width, height = float(np.hypot(*right)), float(np.hypot(*down))
        steps = points - np.array(tile.centre)
        across = np.abs(steps @ right) / width - width / 2
        along = np.abs(steps @ down) / height - height / 2
        nearest = np.minimum(nearest, np.maximum(across, along) / width)
    return nearest
