"""The background model: the bare table, assembled from everything seen of it since the camera was last moved.

A place that matches it is bare, whatever its grain or stains. The light may have changed meanwhile; places in the
shadow of tiles are left out. On a plain table it says nothing: a face-down tile may look the same.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from referee.reading.observation import TableReading, TileReading
from referee.vision.geometry.detections import Doubles
from referee.vision.image.frame import Image
from referee.vision.watch.tuning import TUNING


@dataclass(frozen=True, slots=True, eq=False)
class BackgroundModel:
    """A picture of the bare table, and which of its pixels [height, width] were ever seen bare."""

    image: Image
    known: npt.NDArray[np.bool_]


def update_background(background: BackgroundModel | None, reading: TableReading, image: Image) -> BackgroundModel:
    """Return the model updated with what a picture shows beside its tiles."""
    free = np.ones(image.shape[:2], np.uint8)
    for tile in reading.tiles:
        quad, middle = np.array(tile.quad), np.array(tile.centre)
        cv2.fillConvexPoly(free, np.round(middle + (quad - middle) * TUNING.mask_scale).astype(np.int32), 0)
    known = free.view(np.bool_)
    if background is None or background.image.shape != image.shape:
        return BackgroundModel(image, known)
    return BackgroundModel(
        np.asarray(cv2.copyTo(image, free, background.image.copy()), np.uint8), known | background.known
    )


def matches_background(
    bare: BackgroundModel | None, tile: TileReading, others: Sequence[TileReading], image: Image
) -> bool | None:
    """Return whether a tile's place matches the background, outside the shadows of other tiles.

    None if undecidable: the background is plain or unknown there, or the light has changed.
    """
    place = _colours(bare, tile, others, image)
    if place is None:
        return None
    was, now = place
    a, b = was.mean(axis=1), now.mean(axis=1)
    if a.std() < TUNING.min_texture:
        return None
    alike = np.abs(was.mean(axis=0) - now.mean(axis=0)).max() <= TUNING.max_light_change
    a, b = a - a.mean(), b - b.mean()
    correlation = float(a @ b) / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-9)
    if correlation < TUNING.max_unlike_correlation:
        return False
    return True if alike and correlation >= TUNING.min_correlation else None


def differs_from_background(
    bare: BackgroundModel | None, tile: TileReading, others: Sequence[TileReading], image: Image
) -> bool:
    """Return whether a tile's place differs from the background by much more than the table around it."""
    place = _colours(bare, tile, others, image)
    about = None if place is None else _colours(bare, tile, [*others, tile], image, TUNING.about_scale)
    if place is None or about is None:
        return False
    here, there = (np.median(now - was, axis=0) for was, now in (place, about))
    return bool(np.abs(here - there).max() > 2 * TUNING.max_light_change)


def _colours(
    bare: BackgroundModel | None, tile: TileReading, others: Sequence[TileReading], image: Image, scale: float = 1.0
) -> tuple[Doubles, Doubles] | None:
    """Return the colours [n, 3] of the background and of the picture, within `scale` times a tile.

    Shadows of other tiles are left out; None if too few known pixels remain.
    """
    if bare is None or bare.image.shape != image.shape:
        return None
    quad = np.array(tile.quad)
    middle = quad.mean(axis=0)
    reach = (scale + TUNING.near_tiles) * math.dist(quad[0], quad[2])
    near = [other for other in others if math.dist(other.quad[0], middle) < reach]
    spots = grid(middle, (quad - middle) * scale)
    columns, rows = pixels(spots, image)
    seen = bare.known[rows, columns] & (distances(spots, near) >= TUNING.shadow_widths)
    if seen.mean() < TUNING.min_share_seen:
        return None
    was, now = (picture[rows, columns].astype(np.float64)[seen] for picture in (bare.image, image))
    return was, now


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
