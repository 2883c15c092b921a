"""What tables are made of: wood, laminate, woven and printed cloth, marble, stone, glass and felt, as flat textures."""

from collections.abc import Callable

import cv2
import numpy as np

from models.training.data.render.lens import Floats, Image, Rng

Surface = Callable[[Rng, tuple[int, int], float], Floats]


def surface(rng: Rng, size: tuple[int, int], pixels_per_mm: float) -> Image:
    """A table top of `size` (width, height) pixels at a scale."""
    kinds: tuple[tuple[Surface, float], ...] = (
        (wood, 0.36), (laminate, 0.12), (weave, 0.14), (marble, 0.1),
        (felt, 0.07), (printed, 0.12), (lattice, 0.08), (stone, 0.05), (glass, 0.04),
    )  # fmt: skip
    weights = np.array([weight for _, weight in kinds])
    draw = kinds[int(rng.choice(len(kinds), p=weights / weights.sum()))][0]
    return np.clip(draw(rng, size, pixels_per_mm), 0, 255).astype(np.uint8)


def clouds(rng: Rng, size: tuple[int, int], cell: float, stretch: float = 1.0, octaves: int = 3) -> Floats:
    """Smooth noise about zero whose largest features are `cell` pixels wide and `stretch` times as long down."""
    width, height = size
    total = np.zeros((height, width), np.float32)
    for octave in range(octaves):
        across = int(np.clip(width / cell * 2**octave, 1, width)) + 2
        along = int(np.clip(height / (cell * stretch) * 2**octave, 1, height)) + 2
        small = rng.standard_normal((along, across), dtype=np.float32)
        how = cv2.INTER_CUBIC if octave == 0 else cv2.INTER_LINEAR
        total += cv2.resize(small, (width, height), interpolation=how) * np.float32(0.55**octave)
    return total


def _tint(rng: Rng, hue: tuple[float, float], saturation: tuple[float, float], value: tuple[float, float]) -> Floats:
    hsv = np.array([[[rng.uniform(*hue) % 180, rng.uniform(*saturation), rng.uniform(*value)]]]).astype(np.uint8)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0], np.float32)


def any_colour(rng: Rng) -> Floats:
    """Some colour a household thing may have: often pale, dark or brown, at times bright."""
    if rng.random() < 0.4:
        return _tint(rng, (0, 179), (0, 60), (20, 245))
    return _tint(rng, (0, 179), (40, 220), (40, 240))


def wood(rng: Rng, size: tuple[int, int], scale: float) -> Floats:
    """Grained wood, sometimes in planks, from pale birch to near black."""
    turned = bool(rng.random() < 0.5)
    width, height = size[::-1] if turned else size
    base = _tint(rng, (4, 17), (30, 170), (40, 235))
    warp = clouds(rng, (width, height), 60 * scale, 5, 2) * rng.uniform(0.2, 2.0)
    lines = np.linspace(0, width / scale / rng.uniform(4, 22), width, dtype=np.float32)[None, :]
    grain = np.sin(2 * np.pi * (lines + warp)) * rng.uniform(0, 0.07)
    fibre = clouds(rng, (width, height), max(1.5, rng.uniform(0.8, 2.5) * scale), rng.uniform(14, 40), 2) * rng.uniform(
        0.01, 0.06
    )
    broad = clouds(rng, (width, height), 80 * scale, 4, 2) * rng.uniform(0.02, 0.1)
    shade = 1 + grain + fibre + broad
    if rng.random() < 0.55:
        _cut_planks(rng, shade, scale)
    if rng.random() < 0.25:
        _add_knots(rng, shade, scale)
    board = shade[..., None] * base
    return np.ascontiguousarray(board.transpose(1, 0, 2)) if turned else np.asarray(board, np.float32)


def _cut_planks(rng: Rng, shade: Floats, scale: float) -> None:
    plank = max(8, int(rng.uniform(40, 160) * scale))
    seam = max(1, round(rng.uniform(0.4, 1.5) * scale))
    height, width = shade.shape
    for left in range(int(rng.uniform(0, plank)) - plank, width, plank):
        shade[:, max(0, left) : max(0, left + plank)] *= 1 + rng.normal(0, 0.06)
        shade[:, max(0, left) : max(0, left + seam)] *= rng.uniform(0.4, 0.85)
        if rng.random() < 0.5:
            top = int(rng.uniform(0, height))
            shade[top : top + seam, max(0, left) : max(0, left + plank)] *= 0.6


def _add_knots(rng: Rng, shade: Floats, scale: float) -> None:
    height, width = shade.shape
    for _ in range(int(rng.integers(1, 5))):
        blot = np.zeros_like(shade)
        centre = (int(rng.uniform(0, width)), int(rng.uniform(0, height)))
        axes = (max(2, int(rng.uniform(2, 7) * scale)), max(2, int(rng.uniform(4, 14) * scale)))
        cv2.ellipse(blot, centre, axes, 0, 0, 360, 1.0, -1)
        shade *= 1 - cv2.GaussianBlur(blot, (0, 0), max(0.6, 1.2 * scale)) * np.float32(rng.uniform(0.2, 0.6))


def laminate(rng: Rng, size: tuple[int, int], scale: float) -> Floats:
    """A painted or laminated top, nearly one colour; often white."""
    base = _tint(rng, (0, 179), (0, 25), (180, 252)) if rng.random() < 0.5 else any_colour(rng)
    shade = 1 + clouds(rng, size, 150 * scale, 1, 2) * 0.02 + clouds(rng, size, 2, 1, 1) * rng.uniform(0, 0.02)
    return np.asarray(shade[..., None] * base, np.float32)


def weave(rng: Rng, size: tuple[int, int], scale: float) -> Floats:
    """Woven cloth or a coarse carpet: two crossing threads with uneven colour."""
    width, height = size
    pitch = max(2.2, rng.choice([0.8, 1.5, 3.0, 6.0]) * rng.uniform(0.8, 1.4) * scale)
    wobble = clouds(rng, size, 12 * pitch, 1, 2)
    x = np.arange(width, dtype=np.float32)[None, :] * (2 * np.pi / pitch) + wobble * 0.4
    y = np.arange(height, dtype=np.float32)[:, None] * (2 * np.pi / (pitch * rng.uniform(0.8, 1.5))) + wobble * 0.4
    over = np.sin(x) * np.sin(y)
    shade = 1 + over * rng.uniform(0.03, 0.22) + clouds(rng, size, pitch, 1, 2) * rng.uniform(0.02, 0.1)
    first, second = any_colour(rng), any_colour(rng)
    if rng.random() < 0.6:
        second = first * np.float32(rng.uniform(0.6, 1.1))
    streak = clouds(rng, size, 3 * pitch, rng.uniform(1, 30), 2)
    mix = 1 / (1 + np.exp(-3 * (streak + rng.uniform(-1, 1.5))))
    colour = first * mix[..., None] + second * (1 - mix[..., None])
    return np.asarray(colour * shade[..., None], np.float32)


def marble(rng: Rng, size: tuple[int, int], scale: float) -> Floats:
    """Veined stone, pale or dark."""
    pale = rng.random() < 0.75
    base = _tint(rng, (0, 179), (0, 25), (200, 250) if pale else (20, 90))
    vein = _tint(rng, (5, 120), (0, 60), (90, 170) if pale else (130, 230))
    field = clouds(rng, size, rng.uniform(40, 160) * scale, rng.uniform(0.5, 2), 4)
    ridge = np.exp(-np.abs(field) * rng.uniform(8, 40)) * (clouds(rng, size, 80 * scale, 1, 2) * 0.4 + 0.5).clip(0, 1)
    cloud = clouds(rng, size, 100 * scale, 1, 3) * 0.03
    mix = np.clip(ridge * rng.uniform(0.4, 1.0), 0, 1)[..., None]
    return np.asarray((base * (1 - mix) + vein * mix) * (1 + cloud[..., None]), np.float32)


def felt(rng: Rng, size: tuple[int, int], scale: float) -> Floats:
    """A card table's cloth or a soft blanket."""
    base = _tint(rng, (40, 125), (60, 220), (30, 150)) if rng.random() < 0.6 else any_colour(rng)
    shade = (
        1
        + clouds(rng, size, max(1.5, 0.8 * scale), 1, 2) * rng.uniform(0.03, 0.1)
        + clouds(rng, size, 60 * scale, 1, 2) * 0.04
    )
    return np.asarray(shade[..., None] * base, np.float32)


def stone(rng: Rng, size: tuple[int, int], scale: float) -> Floats:
    """Speckled granite, terrazzo or cork."""
    base = any_colour(rng)
    speckle = clouds(rng, size, max(1.6, rng.uniform(1, 5) * scale), 1, 2)
    out = base * (1 + speckle[..., None] * np.float32(rng.uniform(0.04, 0.2)))
    for _ in range(2):
        chips = clouds(rng, size, max(2, rng.uniform(3, 9) * scale), 1, 1) > rng.uniform(1.0, 1.8)
        out[chips] = any_colour(rng) * np.float32(rng.uniform(0.7, 1.0))
    return np.asarray(out, np.float32)


def glass(rng: Rng, size: tuple[int, int], scale: float) -> Floats:
    """A glossy top that mirrors blurred things above it."""
    base = _tint(rng, (70, 130), (5, 80), (15, 170))
    mirrored = clouds(rng, size, rng.uniform(60, 200) * scale, rng.uniform(0.3, 3), 2)
    edge = np.tanh(mirrored * rng.uniform(2, 12)) * rng.uniform(5, 40)
    return np.asarray(base + edge[..., None], np.float32)


def printed(rng: Rng, size: tuple[int, int], scale: float) -> Floats:
    """A table cloth or oil cloth with checks, stripes, dots or scattered blots."""
    width, height = size
    out = np.empty((height, width, 3), np.float32)
    out[:] = any_colour(rng)
    pitch = max(5.0, rng.uniform(8, 60) * scale)
    x, y = np.arange(width)[None, :] % pitch / pitch, np.arange(height)[:, None] % pitch / pitch
    kind = int(rng.integers(0, 4))
    ink = any_colour(rng)
    if kind in (0, 1):
        share = rng.uniform(0.15, 0.6)
        bands = (x < share) * 0.5 + (y < share) * (0.5 if kind == 0 else 0.0)
        mix = np.broadcast_to(bands, (height, width))[..., None].astype(np.float32)
        out = out * (1 - mix) + ink * mix
    elif kind == 2:
        mix = ((x - 0.5) ** 2 + (y - 0.5) ** 2 < rng.uniform(0.02, 0.15))[..., None].astype(np.float32)
        out = out * (1 - mix) + ink * mix
    else:
        for _ in range(int(rng.integers(20, 120))):
            centre = (int(rng.uniform(0, width)), int(rng.uniform(0, height)))
            axes = (max(2, int(rng.uniform(0.1, 0.6) * pitch)), max(2, int(rng.uniform(0.1, 0.6) * pitch)))
            colour = ink if rng.random() < 0.6 else any_colour(rng)
            cv2.ellipse(out, centre, axes, rng.uniform(0, 180), 0, 360, colour.tolist(), -1, cv2.LINE_AA)
    return np.asarray(out * (1 + clouds(rng, size, 2, 1, 1) * 0.02)[..., None], np.float32)


def lattice(rng: Rng, size: tuple[int, int], scale: float) -> Floats:
    """Rectangles in rows, some as large as tiles: checked cloth, mosaics, bricks, woven mats, grid paper."""
    width, height = size
    base = np.array([190, 225, 240]) * rng.uniform(0.6, 1.05) if rng.random() < 0.5 else any_colour(rng)
    across = max(5.0, rng.uniform(12, 60) * scale)
    down = across * rng.choice([1.0, 1.4, 0.7, rng.uniform(0.5, 2.2)])
    gap = max(1.0, rng.uniform(0.03, 0.25) * across)
    row = np.floor(np.arange(height) / down)[:, None]
    shifted = np.arange(width)[None, :] + (row % 2) * (across / 2 if rng.random() < 0.4 else 0)
    seam = ((shifted % across < gap) | ((np.arange(height) % down)[:, None] < gap)).astype(np.float32)
    seam = cv2.GaussianBlur(seam, (0, 0), rng.uniform(0.5, 1.2))
    column = np.floor(shifted / across)
    shade = 1 + rng.normal(0, rng.choice([0.0, 0.04]), 997)[((row * 31 + column * 17) % 997).astype(np.intp)]
    line = base * rng.uniform(0.5, 1.2) if rng.random() < 0.6 else any_colour(rng)
    rough = 1 + clouds(rng, size, max(1.5, 0.8 * scale), 1, 2) * rng.uniform(0, 0.05)
    mix = seam[..., None] * np.float32(rng.uniform(0.3, 1))
    return np.asarray((base * (1 - mix) + line * mix) * (shade * rough)[..., None], np.float32)
