"""The pictures *locate* learns from: rendered scenes, real photographs, and crops of both turned, scaled and relit."""

import argparse
import functools
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from models.training.data.render.lens import Floats, Image, Rng, grain_of, squeezed
from models.training.data.render.light import blinds
from models.training.data.render.scene_generator import Box, full_table, scene
from referee.vision.geometry.quads import areas, half_vectors, long_sides
from referee.vision.networks.models import STRIDE

CROP = 320
FRAME = np.array([[0, 0], [CROP, 0], [CROP, CROP], [0, CROP]], np.float32)
Sizes = tuple[float, float]
SIZES: Sizes = (16.0, 76.0)  # pixels of a tile's long side in most crops
TOO_LARGE = (76.0, 260.0)
_SHRUNK = 0.3  # times at most, for a render: cameras show tiles larger than they are looked at
_LEANING, _FLATTER = 0.3, (0.55, 0.9)  # how often a crop is flattened along one way, as by a camera that leans more
MIN_SEEN = 0.45  # of a tile, from which it is to be found
_NARROWEST = 2 * STRIDE  # pixels: the middles of narrower tiles that touch fall into cells side by side
_BARRED, _PITCH = 0.12, (5.0, 120.0)  # how often bars of shadow fall over a crop, and pixels from bar to bar


class Labelled(NamedTuple):
    """One tile of a training picture: its corners in pixels, whether it counts, and whether its long axis is known."""

    quad: Floats
    counts: bool
    directed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture, its tiles, where it comes from, and whether it is a real photograph."""

    path: Path
    tiles: tuple[Labelled, ...]
    source: str
    real: bool

    def image(self) -> Image:
        """The pixels, BGR; read once and kept, for training comes back to them."""
        return _read(self.path)


@functools.lru_cache(maxsize=6000)
def _read(path: Path) -> Image:
    return np.asarray(cv2.imread(str(path)), np.uint8)


def render_bank(folder: Path, photos: Path, count: int, seed: int) -> None:
    """Render scenes `0..count-1` of a seed into a folder, going on where an earlier call stopped."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = folder / f"labels-{seed}.jsonl"
    done = len(labels.read_text().splitlines()) if labels.exists() else 0
    bare = [one.image() for one in load_photos(photos, "train") if not one.tiles]
    with labels.open("a") as out:
        for number in range(done, count):
            rng = np.random.default_rng([seed, number])
            if number % 6 == 0 or number == done:
                box = Box(np.random.default_rng([seed, number // 6, 6]), 110)
            if number % 12 == 11:
                one = full_table(
                    rng,
                    str(rng.choice(["original", "twist", "3in1-expert"])),
                    (960, 544),
                    harshness=float(rng.uniform(0.2, 1)),
                    box=box,
                )
            else:
                one = scene(rng, ((640, 480), (512, 512), (640, 640))[number % 3], backgrounds=bare, box=box)
            name = f"{seed}-{number:05d}.jpg"
            cv2.imwrite(str(folder / name), one.image, [cv2.IMWRITE_JPEG_QUALITY, 96])
            tiles = [
                {"tile": t.tile, "quad": t.quad.round(2).tolist(), "visible": round(t.visible, 3)} for t in one.tiles
            ]
            out.write(json.dumps({"image": name, "tiles": tiles}) + "\n")
            out.flush()


def load_bank(folder: Path) -> list[Picture]:
    """All scenes rendered into a folder."""
    pictures = []
    for labels in sorted(folder.glob("labels-*.jsonl")):
        for line in labels.read_text().splitlines():
            row = json.loads(line)
            tiles = tuple(
                Labelled(np.array(t["quad"], np.float32), t["visible"] >= MIN_SEEN, True) for t in row["tiles"]
            )
            pictures.append(Picture(path=folder / row["image"], tiles=tiles, source=row["image"], real=False))
    return pictures


def load_photos(folder: Path, split: str) -> list[Picture]:
    """Real photographs of a split of labels.jsonl, their polygons as quads."""
    pictures = []
    for line in (folder / "labels.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["split"] == split:
            path = folder / row["image"]
            tiles = tuple(quad_of_polygon(np.array(t["polygon"], np.float32), 640, 640) for t in row["tiles"])
            pictures.append(Picture(path=path, tiles=tiles, source=row["photo"], real=True))
    return pictures


def quad_of_polygon(polygon: Floats, width: int, height: int) -> Labelled:
    """The quad round an outlined tile, longer edges as its sides; it does not count where the picture's rim cuts it."""
    hull = cv2.convexHull(polygon).reshape(-1, 2)
    quad = np.asarray(cv2.approxPolyN(hull, 4).reshape(4, 2), np.float32) if len(hull) > 4 else hull.astype(np.float32)
    if len(quad) != 4 or cv2.contourArea(quad) > 1.25 * cv2.contourArea(hull):
        quad = np.asarray(cv2.boxPoints(cv2.minAreaRect(hull)), np.float32)
    if cv2.contourArea(quad, oriented=True) < 0:
        quad = quad[::-1].copy()
    across, along = (
        float(np.hypot(*(quad[i] + quad[(i + 1) % 4] - quad[(i + 2) % 4] - quad[(i + 3) % 4]))) / 2 for i in (1, 0)
    )
    if across > along:
        quad, across, along = np.roll(quad, -1, axis=0), along, across
    low, high = hull.min(axis=0), hull.max(axis=0)
    whole = bool(low.min() > 2 and high[0] < width - 3 and high[1] < height - 3)
    return Labelled(quad, whole or 1.2 < along / across < 1.7, along / across > 1.12)


def crops(rng: Rng, pictures: list[Picture], sizes: Sizes = SIZES) -> Iterator[tuple[Image, list[Labelled]]]:
    """Training crops without end; where a picture leaves much of its crop empty another lies under it."""
    while True:
        image, tiles, rim = crop(rng, pictures[int(rng.integers(0, len(pictures)))], sizes)
        if cv2.contourArea(rim) and cv2.intersectConvexConvex(rim, FRAME)[0] < 0.6 * CROP * CROP and rng.random() < 0.8:
            under, below, _ = crop(rng, pictures[int(rng.integers(0, len(pictures)))], sizes)
            mask = np.zeros((CROP, CROP), np.uint8)
            cv2.fillConvexPoly(mask, np.round(rim - 0.5).astype(np.int32), 1)
            image = np.where(mask[..., None] > 0, image, under)
            below = [tile for tile in below if _covered(tile.quad, rim) < 0.97]
            tiles = [
                tile._replace(counts=tile.counts and _covered(tile.quad, rim) < 1 - MIN_SEEN) for tile in below
            ] + tiles
        yield image, tiles


def _covered(quad: Floats, by: Floats) -> float:
    return float(cv2.intersectConvexConvex(quad, by)[0]) / max(1.0, float(cv2.contourArea(quad)))


def crop(rng: Rng, picture: Picture, sizes: Sizes = SIZES) -> tuple[Image, list[Labelled], Floats]:
    """A square out of a picture, turned, mirrored and scaled into the working range; its tiles; the picture's rim."""
    image = picture.image()
    height, width = image.shape[:2]
    quads = np.array([tile.quad for tile in picture.tiles], np.float32).reshape(-1, 4, 2)
    size = float(np.median(long_sides(quads))) if len(quads) else 50.0
    wanted = float(np.exp(rng.uniform(*np.log(sizes if rng.random() < 0.85 else TOO_LARGE))))
    if not picture.real:
        wanted = float(np.clip(wanted, size * _SHRUNK, size * 1.5))
    scale = float(np.clip(wanted / size, 0.15, 2.2))
    if picture.tiles and rng.random() < 0.75:
        anchor = quads[int(rng.integers(0, len(quads)))].mean(axis=0)
    else:
        anchor = np.asarray(rng.uniform(0.2, 0.8, 2) * (width, height), np.float32)
    if scale < 0.7:
        image = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    matrix = _placement(rng, anchor, scale)
    shrink = image.shape[1] / width
    onto = _shift(-0.5) @ np.vstack([matrix, [0, 0, 1]]) @ np.diag([1 / shrink, 1 / shrink, 1.0]) @ _shift(0.5)
    fill = (0, 0, 0) if rng.random() < 0.6 else tuple(rng.uniform(0, 255, 3).tolist())
    out = cv2.warpAffine(
        image, onto[:2], (CROP, CROP), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=fill
    )
    tiles = _moved(picture.tiles, np.asarray(quads @ matrix[:, :2].T + matrix[:, 2], np.float32))
    rim = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) @ matrix[:, :2].T + matrix[:, 2]
    return relit(rng, np.asarray(out, np.uint8), 1.0 if picture.real else 0.4), tiles, np.asarray(rim, np.float32)


def _shift(by: float) -> npt.NDArray[np.float64]:
    """From lengths to OpenCV's whole numbers, which name the middles of pixels, or back."""
    return np.array([[1, 0, by], [0, 1, by], [0, 0, 1]])


def _placement(rng: Rng, anchor: Floats, scale: float) -> Floats:
    turn = (
        float(rng.uniform(-np.pi, np.pi))
        if rng.random() < 0.7
        else float(rng.choice([0, np.pi / 2, np.pi, -np.pi / 2]))
    )
    flip = -1.0 if rng.random() < 0.5 else 1.0
    stretch = np.diag([flip * scale * rng.uniform(0.92, 1.08), scale])
    linear = _turn(turn) @ stretch
    if rng.random() < _LEANING:
        linear = linear @ np.diag([1.0, rng.uniform(*_FLATTER)]) @ _turn(float(rng.uniform(-np.pi, np.pi)))
    target = rng.uniform(0.2, 0.8, 2) * CROP
    return np.asarray(np.column_stack([linear, target - linear @ anchor]), np.float32)


def _turn(angle: float) -> npt.NDArray[np.float64]:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _moved(tiles: Sequence[Labelled], quads: Floats) -> list[Labelled]:
    """Tiles where they lie in the crop; one stops to count that is hardly inside, or is too small or too large.

    Of a tile too large only the middle is left open: nothing smaller may be found elsewhere in it.
    """
    mirrored = areas(quads) < 0
    quads[mirrored] = quads[mirrored][:, [1, 0, 3, 2]]
    _, up, right = half_vectors(quads)
    sides = 2 * np.stack([np.hypot(*up.T), np.hypot(*right.T)])
    middles = quads.mean(axis=1, keepdims=True)
    large = sides.max(axis=0) > 110
    quads[large] = (middles + (quads - middles) * np.float32(0.3))[large]
    fit = ~large & (sides.max(axis=0) >= 12) & (sides.min(axis=0) >= _NARROWEST)
    fit &= ((quads.max(axis=1) > 0) & (quads.min(axis=1) < CROP)).all(axis=1)
    return [
        Labelled(quad, tile.counts and bool(fits) and _covered(quad, FRAME) >= MIN_SEEN, tile.directed)
        for tile, quad, fits in zip(tiles, quads, fit, strict=True)
    ]


def relit(rng: Rng, image: Image, strength: float) -> Image:
    """The same picture in another light: exposure, cast, gradient, bars of shadow, contrast, blur, noise, JPEG."""
    gain = np.exp(rng.normal(0, 0.25 * strength)) * np.exp(rng.normal(0, 0.09 * strength, 3))
    if rng.random() < 0.1 * strength:
        gain *= rng.uniform(0.1, 0.4)
    out = image.astype(np.float32) * gain.astype(np.float32)
    if rng.random() < 0.4 * strength:
        ramp = np.linspace(-1, 1, CROP, dtype=np.float32) * rng.uniform(0, 0.5)
        out *= 1 + (ramp[:, None, None] if rng.random() < 0.5 else ramp[None, :, None])
    if rng.random() < _BARRED:
        bars = blinds(rng, (CROP, CROP), float(np.exp(rng.uniform(*np.log(_PITCH))))).astype(np.float32)
        soft = cv2.GaussianBlur(bars, (0, 0), float(np.exp(rng.uniform(np.log(0.4), np.log(6)))))
        out *= 1 - soft[..., None] * np.float32(rng.uniform(0.25, 0.75) / 255)
    if rng.random() < 0.3 * strength:
        middle = float(out.mean())
        out = (out - middle) * rng.uniform(0.6, 1.4) + middle
    if rng.random() < 0.25 * strength:
        out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.4, 1.4))
    if rng.random() < 0.35 * strength:
        out = out + grain_of(rng, out.shape) * np.float32(rng.uniform(1, 9))
    shot: Image = np.clip(out, 0, 255).astype(np.uint8)
    if rng.random() < 0.12 * strength:
        shot = np.ascontiguousarray(shot[..., rng.permutation(3)])
    if rng.random() < 0.3 * strength:
        shot = squeezed(shot, int(rng.uniform(30, 90)))
    return shot


def main() -> int:
    """Render a bank."""
    parser = argparse.ArgumentParser(description="render scenes for locate")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--scenes", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    render_bank(args.data, args.photos, args.scenes, args.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
