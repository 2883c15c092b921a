"""Real photographs changed in several ways at once, by chance: another seat, camera, lamp and at times another box.

One change alone (`corruptions`, `reprinted`) shows what it costs. At a table they come together: a yellow lamp, a cheap
camera that leans, tiles half as large. Lamps and lenses here are milder than the worst that are tried alone.
"""

from collections.abc import Sequence
from typing import Final
from zlib import crc32

import cv2
import numpy as np

from models.training.data.corruptions import TABLE, Change, Points, compressed, tall_sides, tilt
from models.training.data.reprinted import REPRINTS
from referee.vision.geometry.detections import Floats
from referee.vision.image.frame import Image

COMBINED: Final = "several changes at once"
_PRINTED_ANEW = 0.5  # how often the tiles are printed anew as well
_PRINTS: Final = tuple(name for name in REPRINTS if name not in {"hollow digits", "digits in the middle, underlined"})
_TILE_HEIGHT_RANGE = (26.0, 160.0)  # pixels of a tile's long side, less where the camera leans
_MAX_UPSCALE = 1.6  # times at most: what is larger shows no more


def several(seed: int) -> Change:
    """Several changes at once, others for each picture and for each seed."""

    def changed(image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
        rng = np.random.default_rng([seed, crc32(image.tobytes())])
        if rng.random() < _PRINTED_ANEW:
            image, outlines = REPRINTS[str(rng.choice(_PRINTS))](image, outlines)
        image, outlines = _turned(rng, image, outlines)
        image, outlines = tilt(float(rng.uniform(5, 35)))(image, outlines)
        image = _photographed(rng, _lit(rng, image.astype(np.float32)))
        return compressed(int(rng.integers(30, 90)))(image, outlines) if rng.random() < 0.6 else (image, list(outlines))

    return changed


def _turned(rng: np.random.Generator, image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
    """Seen from any side of the table, and from nearer or farther."""
    tall = float(np.median(tall_sides(outlines))) if outlines else 60.0
    factor = min(float(np.exp(rng.uniform(*np.log(_TILE_HEIGHT_RANGE)))) / max(tall, 1.0), _MAX_UPSCALE)
    if factor < 1:
        image = np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)
        outlines, factor = [one * np.float32(factor) for one in outlines], 1.0
    height, width = image.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), float(rng.uniform(0, 360)), factor)
    across, along = abs(turn[0, 0]), abs(turn[0, 1])
    size = (int(width * across + height * along), int(width * along + height * across))
    turn[:, 2] += (size[0] - width) / 2, (size[1] - height) / 2
    image = np.asarray(cv2.warpAffine(image, turn, size, flags=cv2.INTER_CUBIC, borderValue=TABLE), np.uint8)
    return image, [cv2.transform(one[None], turn)[0].astype(np.float32) for one in outlines]


def _lit(rng: np.random.Generator, pixels: Floats) -> Floats:
    """By a lamp of another colour and strength, perhaps from one side, perhaps through haze."""
    warm = rng.normal(0, 0.15)
    pixels = pixels * np.array([1 - max(0, warm) * 1.2, 1 - abs(warm) * 0.3, 1 + min(0, warm) * 1.2], np.float32)
    if rng.random() < 0.4:
        across = np.linspace(0, 1, pixels.shape[1], dtype=np.float32)[None, :, None]
        pixels = pixels * (np.float32(rng.uniform(0.45, 1)) + across * np.float32(rng.uniform(0, 0.8)))
    bright = np.clip(pixels * rng.uniform(0.6, 1.3) / 255, 0, 1) ** rng.uniform(0.7, 1.5)
    haze = rng.uniform(10, 60) if rng.random() < 0.3 else 0.0
    return np.asarray(haze + (204 if haze else 255) * bright, np.float32)


def _photographed(rng: np.random.Generator, pixels: Floats) -> Image:
    """By a camera out of focus, noisy, or one that sharpens."""
    if rng.random() < 0.4:
        pixels = np.asarray(cv2.GaussianBlur(pixels, (0, 0), rng.uniform(0.4, 1.3)), np.float32)
    if rng.random() < 0.5:
        pixels = pixels + np.float32(rng.uniform(2, 10)) * rng.standard_normal(pixels.shape, np.float32)
    if rng.random() < 0.3:
        pixels = pixels + np.float32(rng.uniform(0.3, 1.2)) * (pixels - cv2.GaussianBlur(pixels, (0, 0), 1.2))
    return np.clip(pixels, 0, 255).astype(np.uint8)


COMBINATIONS: Final = tuple(several(seed) for seed in range(6))
"""So many times each photograph is changed."""
