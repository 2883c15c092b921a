"""Turns the net's maps into quads, and counts what was found, missed and made up."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np

from models.training.data.locate_bank import Labelled
from models.training.data.render.lens import Floats, Image
from referee.vision.geometry.quads import long_sides
from referee.vision.networks.models import STRIDE

Maps = Callable[[Image], tuple[Floats, Floats]]
BEST_SIZE = 40.0
GOOD_SIZES = (24.0, 60.0)


class Found(NamedTuple):
    """A tile that was found: corners in pixels and the height of its peak."""

    quad: Floats
    score: float


def decode(heat: Floats, geometry: Floats, peak: float) -> list[Found]:
    """Quads at the local maxima of heat [h, w], best first; of two that share most of their ground the better stays."""
    high = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > peak)
    rows, columns = np.nonzero(high)
    order = np.argsort(-heat[rows, columns])
    found: list[Found] = []
    centres: list[tuple[float, float, float]] = []
    for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        dx, dy, *vectors = geometry[:, row, column].tolist()
        x, y = (column + 0.5 + dx) * STRIDE, (row + 0.5 + dy) * STRIDE
        up, right = _halved(vectors[0], vectors[1]), _halved(vectors[2], vectors[3])
        if up[0] * right[1] - up[1] * right[0] < 0:
            right = -right
        quad = np.array([up - right, up + right, -up + right, -up - right], np.float32) + np.array([x, y], np.float32)
        apart = 0.5 * 2 * min(float(np.hypot(*up)), float(np.hypot(*right)))
        if all((x - a) ** 2 + (y - b) ** 2 > min(apart, c) ** 2 for a, b, c in centres):
            found.append(Found(quad, float(heat[row, column])))
            centres.append((x, y, apart))
    return found


def _halved(x: float, y: float) -> Floats:
    length, turn = float(np.hypot(x, y)) * STRIDE, float(np.arctan2(y, x)) / 2
    return np.array([length * np.cos(turn), length * np.sin(turn)], np.float32)


def find(maps: Maps, image: Image, peak: float, long_side: int | None = None) -> list[Found]:
    """Tiles of a picture; without a given long side two first looks (640, 224) choose the scale of a third."""
    longest = max(image.shape[:2])
    if long_side is not None:
        return _look(maps, image, long_side / longest, peak)
    looks = [(side / longest, _look(maps, image, side / longest, peak)) for side in (640, 224)]
    scale, found = max(looks, key=lambda look: sum(one.score * cv2.contourArea(one.quad) for one in look[1]))
    if not found:
        return []
    size = float(np.median([long_edge(one.quad) for one in found])) * scale
    if GOOD_SIZES[0] <= size <= GOOD_SIZES[1]:
        return found
    return _look(maps, image, min(BEST_SIZE / size * scale, 4.0), peak)


def _look(maps: Maps, image: Image, scale: float, peak: float) -> list[Found]:
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = image if abs(scale - 1) < 1e-3 else cv2.resize(image, None, fx=scale, fy=scale, interpolation=how)
    height, width = small.shape[:2]
    padded = cv2.copyMakeBorder(small, 0, -height % 32, 0, -width % 32, cv2.BORDER_CONSTANT)
    stretch = np.array([width / image.shape[1], height / image.shape[0]], np.float32)
    found = decode(*maps(np.asarray(padded, np.uint8)), peak)
    return [Found(np.asarray(one.quad / stretch, np.float32), one.score) for one in found]


def long_edge(quad: Floats) -> float:
    """The longer of a quad's two mean edges."""
    return float(long_sides(quad[None])[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Counts over some pictures, and errors of the tiles found, as shares of a tile's long side."""

    tiles: int
    found: int
    false: int
    centre_error: float
    corner_error: float

    @property
    def recall(self) -> float:
        """Share of the tiles that was found."""
        return self.found / max(1, self.tiles)

    @property
    def precision(self) -> float:
        """Share of what was found that is a tile."""
        return self.found / max(1, self.found + self.false)

    def as_json(self) -> dict[str, float]:
        """The figures for a model card."""
        return {
            "tiles": self.tiles,
            "recall": round(self.recall, 5),
            "precision": round(self.precision, 5),
            "centre_error": round(self.centre_error, 4),
            "corner_error": round(self.corner_error, 4),
        }


class Match(NamedTuple):
    """One picture's outcome: pairs (found, true), what is missing and what is not there."""

    pairs: list[tuple[Found, Labelled]]
    missed: list[Labelled]
    false: list[Found]


def overlap(a: Floats, b: Floats) -> float:
    """Intersection over union of two convex quads."""
    if np.abs(a.mean(axis=0) - b.mean(axis=0)).max() > np.ptp(np.concatenate([a, b]), axis=0).max():
        return 0.0
    shared = float(cv2.intersectConvexConvex(np.asarray(a, np.float32), np.asarray(b, np.float32))[0])
    return shared / max(1e-6, float(cv2.contourArea(a)) + float(cv2.contourArea(b)) - shared)


def match(found: list[Found], tiles: list[Labelled]) -> Match:
    """Pair tiles that overlap by half or more, the best first; what lies on a tile that does not count is no fault."""
    pairs = sorted(
        (
            (overlap(f.quad, t.quad), i, j)
            for i, f in enumerate(found)
            for j, t in enumerate(tiles)
            if _near(f.quad, t.quad)
        ),
        reverse=True,
    )
    mine: dict[int, int] = {}
    theirs: set[int] = set()
    for share, i, j in pairs:
        if share >= 0.5 and i not in mine and j not in theirs:
            mine[i] = j
            theirs.add(j)
    excused = {i for share, i, j in pairs if share > 0.2 and not tiles[j].counts}
    return Match(
        [(found[i], tiles[j]) for i, j in mine.items() if tiles[j].counts],
        [tile for j, tile in enumerate(tiles) if tile.counts and j not in theirs],
        [one for i, one in enumerate(found) if i not in mine and i not in excused],
    )


def _near(a: Floats, b: Floats) -> bool:
    return bool(np.hypot(*(a.mean(axis=0) - b.mean(axis=0))) < long_edge(b))


def score(matches: list[Match]) -> Score:
    """Add up pictures."""
    centre, corner = [], []
    for one in matches:
        for found, tile in one.pairs:
            size = long_edge(tile.quad)
            centre.append(float(np.hypot(*(found.quad.mean(axis=0) - tile.quad.mean(axis=0)))) / size)
            turned = [np.roll(found.quad, turn, axis=0) for turn in ((0, 2) if tile.directed else (0, 1, 2, 3))]
            corner.append(min(float(np.hypot(*(quad - tile.quad).T).mean()) for quad in turned) / size)
    pairs = sum(len(one.pairs) for one in matches)
    return Score(
        tiles=pairs + sum(len(one.missed) for one in matches),
        found=pairs,
        false=sum(len(one.false) for one in matches),
        centre_error=float(np.mean(centre)) if centre else 0.0,
        corner_error=float(np.mean(corner)) if corner else 0.0,
    )
