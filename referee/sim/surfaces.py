"""Table tops: wood, cloth, painted wood and stone, made from seeded noise."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import cv2
import numpy as np

from referee.vision.geometry.detections import Floats
from referee.vision.image.frame import Image

Rng = np.random.Generator


def smooth_noise(rng: Rng, size: tuple[int, int], cells: tuple[float, float], octaves: int = 4) -> Floats:
    """Return smooth noise about 0, roughly within ±1; `cells` are the coarsest octave's, across and down."""
    width, height = size
    total = np.zeros((height, width), np.float32)
    for octave in range(octaves):
        grid = tuple(
            int(min(max(2, round(count * 2**octave)), limit)) for count, limit in zip(cells, size, strict=True)
        )
        coarse = rng.standard_normal((grid[1], grid[0])).astype(np.float32)
        total += cv2.resize(coarse, size, interpolation=cv2.INTER_CUBIC) * np.float32(0.55**octave)
    return np.asarray(total / np.float32(1.3), dtype=np.float32)


def _tinted(levels: Floats, dark: tuple[int, int, int], light: tuple[int, int, int]) -> Image:
    """Return colours between two, by levels from 0 to 1."""
    share = np.clip(levels, 0, 1)
    rest = 1 - share
    colours = zip(np.array(dark), np.array(light), strict=True)
    planes = [(dark_level * rest + other * share).astype(np.float32).astype(np.uint8) for dark_level, other in colours]
    return np.asarray(cv2.merge(planes), np.uint8)


def _wood(rng: Rng, size: tuple[int, int], scale: float) -> Image:
    width, height = size
    plank = max(40, round(rng.uniform(90, 140) * scale))
    levels = np.zeros((height, width), np.float32)
    for top in range(0, height, plank):
        rows = min(plank, height - top)
        warp = smooth_noise(rng, (width, rows), (2.5, 1.5), 3)
        rings = np.sin((np.arange(rows, dtype=np.float32)[:, None] / plank * 9 + warp * 2.2) * 3)
        fibre = smooth_noise(rng, (width, rows), (width / 70, rows / 2.2), 2)
        levels[top : top + rows] = 0.5 + 0.16 * rings + 0.15 * fibre + 0.1 * warp + rng.normal(0, 0.07)
        levels[top : top + 2] -= 0.35
    dark, light = _WOODS[int(rng.integers(len(_WOODS)))]
    return _tinted(levels, dark, light)


_WOODS = (
    ((22, 34, 62), (66, 96, 150)),  # walnut
    ((70, 112, 160), (138, 180, 218)),  # oak
    ((30, 44, 96), (74, 104, 168)),  # cherry
)


def _cloth(rng: Rng, size: tuple[int, int], scale: float) -> Image:
    width, height = size
    pitch = max(2.2, 1.3 * scale)
    x = np.sin(np.arange(width, dtype=np.float32) * np.float32(2 * np.pi / pitch))
    y = np.sin(np.arange(height, dtype=np.float32) * np.float32(2 * np.pi / pitch))
    weave = x[None, :] * y[:, None]
    folds = smooth_noise(rng, size, (3, 2), 3)
    fuzz = smooth_noise(rng, size, (width / 3, height / 3), 1)
    levels = np.asarray(0.5 + 0.1 * weave + 0.09 * folds + 0.1 * fuzz, dtype=np.float32)
    dark, light = _CLOTHS[int(rng.integers(len(_CLOTHS)))]
    return _tinted(levels, dark, light)


_CLOTHS = (
    ((38, 66, 22), (74, 116, 48)),  # green felt
    ((92, 54, 26), (140, 92, 56)),  # blue cloth
    ((40, 34, 104), (72, 62, 152)),  # wine red
    ((96, 104, 112), (150, 160, 168)),  # linen
)


def _painted(rng: Rng, size: tuple[int, int], scale: float) -> Image:
    del scale
    levels = np.asarray(
        0.5 + 0.12 * smooth_noise(rng, size, (2, 2), 4) + 0.05 * smooth_noise(rng, size, (300, 300), 1),
        dtype=np.float32,
    )
    dark, light = _PAINTS[int(rng.integers(len(_PAINTS)))]
    return _tinted(levels, dark, light)


_PAINTS = (
    ((126, 122, 118), (158, 156, 152)),  # grey
    ((58, 54, 52), (84, 80, 78)),  # anthracite
    ((140, 130, 96), (176, 168, 136)),  # sea green
)


def _stone(rng: Rng, size: tuple[int, int], scale: float) -> Image:
    del scale
    cloud = smooth_noise(rng, size, (4, 3), 5)
    vein = np.exp(-np.abs(smooth_noise(rng, size, (2, 2), 5)) * 26)
    levels = np.asarray(0.72 + 0.1 * cloud - 0.5 * vein * np.clip(0.6 + cloud, 0, 1), dtype=np.float32)
    return _tinted(levels, (92, 96, 100), (196, 198, 200))


SURFACES: Mapping[str, Callable[[Rng, tuple[int, int], float], Image]] = MappingProxyType(
    {
        "wood": _wood,
        "cloth": _cloth,
        "painted": _painted,
        "stone": _stone,
    }
)
