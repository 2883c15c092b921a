"""Real photographs: labels, splits, quads out of loose polygons, and crops; which side is up is told elsewhere."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np
import numpy.typing as npt

from models.training.data.crops import SYMBOLS, UNKNOWN, Image, Labels, Points, wide_crop
from models.training.data.render.faces import LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from models.training.data.corruptions import Change
from typing import Any

ASPECTS = (1.08, 1.8)
"""Long to short side of a whole tile seen not too aslant; polygons outside are cut by the picture's edge or sheared."""


@dataclass(frozen=True, slots=True)
class Photo:
    """One picture with its tiles: notation, and four corners in no promised order of sides, first long axis first."""

    path: Path
    photo: str
    split: str
    tiles: tuple[tuple[str, Points], ...]


def load_photos(folder: Path) -> list[Photo]:
    """All pictures named in a folder's labels.jsonl."""
    lines = (folder / "labels.jsonl").read_text().splitlines()
    return [_photo(folder, json.loads(line)) for line in lines if line.strip()]


def _photo(folder: Path, row: dict[str, Any]) -> Photo:
    return Photo(
        folder / str(row["image"]),
        str(row["photo"]),
        str(row["split"]),
        tuple((tile["tile"], quad_of(tile["polygon"])) for tile in row["tiles"] if len(tile["polygon"]) >= 4),
    )


def quad_of(polygon: Sequence[Sequence[float]]) -> Points:
    """The four-sided figure round a polygon that adds least area, its first side a short one, clockwise.

    Edges of the convex hull are taken away one by one, the neighbours made longer until they meet.
    """
    hull = cv2.convexHull(np.asarray(polygon, np.float32), clockwise=True)[:, 0].astype(np.float64)
    corners = [hull[index] for index in range(len(hull))]
    while len(corners) > 4:
        best = min(range(len(corners)), key=lambda index: _added(corners, index)[0])
        area, meeting = _added(corners, best)
        if not math.isfinite(area):
            break
        following = (best + 1) % len(corners)
        corners[best] = meeting
        del corners[following]
    if len(corners) != 4:
        corners = list(cv2.boxPoints(cv2.minAreaRect(np.asarray(polygon, np.float32))).astype(np.float64))
    quad = np.asarray(corners)
    if _signed_area(quad) < 0:
        quad = quad[::-1]
    first, second = np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[1])
    third, fourth = np.linalg.norm(quad[3] - quad[2]), np.linalg.norm(quad[0] - quad[3])
    return quad if first + third < second + fourth else np.roll(quad, -1, axis=0)


def _signed_area(quad: Points) -> float:
    x, y = quad[:, 0], quad[:, 1]
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def _added(corners: list[Points], index: int) -> tuple[float, Points]:
    """What leaving out the edge from corner index to the next adds in area, and where its neighbours then meet."""
    count = len(corners)
    before, a, b, after = (corners[(index + step) % count] for step in (-1, 0, 1, 2))
    matrix = np.column_stack([a - before, -(b - after)])
    if abs(np.linalg.det(matrix)) < 1e-9:
        return math.inf, a
    along, back = np.linalg.solve(matrix, after - before)
    if along < 1 or back < 1:
        return math.inf, a
    meeting = before + along * (a - before)
    u, v = a - meeting, b - meeting
    return abs(float(u[0] * v[1] - u[1] * v[0])), meeting


def whole(quad: Points, size: tuple[int, int]) -> bool:
    """Whether a quad is a whole tile within a picture of size (columns, rows)."""
    short = np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[3] - quad[2])
    long = np.linalg.norm(quad[2] - quad[1]) + np.linalg.norm(quad[0] - quad[3])
    inside = (quad > -2).all() and (quad < np.asarray(size) + 2).all()
    return bool(inside and ASPECTS[0] < long / short < ASPECTS[1])


@dataclass(frozen=True, slots=True)
class RealCrops:
    """Crops of photographed tiles in the order met, one way round (which one is unknown)."""

    crops: Image  # [n, 80, 60, 3]
    labels: npt.NDArray[np.int8]  # [n, 2] symbol, ink
    photo: tuple[str, ...]
    image: tuple[str, ...]


def real_crops(photos: Sequence[Photo], changes: Sequence[Change] = ()) -> RealCrops:
    """Cut every whole tile out of some pictures, each made another by one of the changes, which take turns."""
    turns = zip(photos, itertools.cycle(changes or (None,)), strict=False)
    rows = [row for photo, change in turns for row in _crops_of(photo, change)]
    return RealCrops(
        np.stack([row[0] for row in rows]),
        np.asarray([(row[1].symbol, row[1].ink) for row in rows], np.int8),
        tuple(row[2] for row in rows),
        tuple(row[3] for row in rows),
    )


def _crops_of(photo: Photo, change: Change | None) -> Iterator[tuple[Image, Labels, str, str]]:
    image = np.asarray(cv2.imread(str(photo.path)), np.uint8)
    tiles = [(tile, quad) for tile, quad in photo.tiles if whole(quad, image.shape[1::-1])]
    if change and tiles:
        image, _ = change(image, [quad.astype(np.float32) for _, quad in tiles])
    for tile, quad in tiles:
        yield wide_crop(image, quad), labels_of(tile), photo.photo, photo.path.name


def labels_of(tile: str) -> Labels:
    """The symbol and ink of a tile in notation; a joker's ink is not written down."""
    if tile.startswith("J"):
        return Labels(SYMBOLS.index(tile), UNKNOWN)
    return Labels(SYMBOLS.index(tile[1:]), LETTERS.index(tile[0]))


def empty_crops(photos: Sequence[Photo], seed: int, per_photo: int = 6) -> Image:
    """Crops of where no tile lies: beside tiles, between them, across them."""
    rng = np.random.default_rng(seed)
    crops = []
    for photo in photos:
        image = np.asarray(cv2.imread(str(photo.path)), np.uint8)
        quads = [quad for _, quad in photo.tiles]
        for _ in range(per_photo):
            quad = _empty_quad(rng, quads, image.shape[1::-1])
            if quad is not None and image[_inside(quad, image.shape[1::-1])].mean() > 4:  # not the black border
                crops.append(wide_crop(image, quad))
    return np.stack(crops)


def _inside(quad: Points, size: tuple[int, ...]) -> tuple[slice, slice]:
    low = np.clip(quad.min(0).astype(int), 0, np.asarray(size) - 1)
    high = np.clip(quad.max(0).astype(int) + 1, low + 1, np.asarray(size))
    return slice(low[1], high[1]), slice(low[0], high[0])


def _empty_quad(rng: np.random.Generator, quads: Sequence[Points], size: tuple[int, ...]) -> Points | None:
    if quads and rng.random() < 0.5:
        quad = quads[int(rng.integers(len(quads)))]
        across, along = (quad[1] - quad[0]) / 2, (quad[3] - quad[0]) / 2
        step = float(rng.choice([-1, 1])) * rng.uniform(0.9, 1.2)
        centre = quad.mean(0) + (across if rng.random() < 0.5 else along) * step
    else:
        tall = rng.uniform(25, 140)
        angle = rng.uniform(0, 2 * math.pi)
        along = np.asarray([math.cos(angle), math.sin(angle)]) * tall / 2
        across = np.asarray([-along[1], along[0]]) / 1.38
        centre = rng.uniform((0, 0), size)
    for other in quads:
        basis = np.column_stack([(other[1] - other[0]) / 2, (other[3] - other[0]) / 2])
        if np.abs(np.linalg.solve(basis, centre - other.mean(0))).max() < 0.85:
            return None
    return np.asarray(
        [centre - across - along, centre + across - along, centre + across + along, centre - across + along]
    )
