"""Lamps and windows over a table: fall-off, colour of light, shadows on tiles too, bars of shadow, and glare."""

import cv2
import numpy as np

from models.training.data.render.canvas import Canvas
from models.training.data.render.lens import Floats, Image, Rng


def shine(rng: Rng, canvas: Canvas, cover: Floats, *, gloss: Floats, per_mm: float, harshness: float) -> Floats:
    """The picture under lamps and windows; `gloss` of the table and of each tile, `cover`: where hands are (0..1)."""
    harsh = harshness
    height, width = canvas.image.shape[:2]
    small = (max(8, width // 8), max(8, height // 8))
    x, y = np.meshgrid(np.linspace(-1, 1, small[0], dtype=np.float32), np.linspace(-1, 1, small[1], dtype=np.float32))
    slope = rng.normal(0, 0.14, 2) * harsh
    field = 1 + slope[0] * x + slope[1] * y
    for _ in range(int(rng.integers(0, 3))):
        cx, cy = rng.uniform(-1.3, 1.3, 2)
        field += rng.uniform(0.1, 0.7) * harsh * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / rng.uniform(0.1, 1.5))
    field /= field.mean()
    warmth = rng.normal(0, 0.09) + x * rng.normal(0, 0.05) * harsh + y * rng.normal(0, 0.05) * harsh
    green = rng.normal(0, 0.03)
    light = np.stack([field * (1 - warmth), field * (1 + green), field * (1 + warmth)], axis=-1)
    lit = canvas.image * cv2.resize(light.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
    shadow = _cast_shadow(rng, cover, per_mm, harsh)
    if shadow is not None:
        lit *= shadow[..., None]
    return (
        _with_glare(rng, canvas, lit, gloss) if rng.random() < 0.45 * max(harsh, 0.5) else np.asarray(lit, np.float32)
    )


def _cast_shadow(rng: Rng, cover: Floats, per_mm: float, harsh: float) -> Floats | None:
    """Shadows that fall over tiles too: hands, people, window frames."""
    height, width = cover.shape
    size = (width, height)
    hard = rng.random() < 0.22 * harsh
    if not hard and not cover.any():
        return None
    dark = np.zeros((height, width), np.float32)
    if cover.any():
        shift = rng.normal(0, 30, 2) * per_mm
        dark = np.asarray(cv2.warpAffine(cover, np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), size), np.float32)
    if hard:
        mask = np.zeros((height, width), np.uint8)
        for _ in range(int(rng.integers(1, 5))):
            centre = rng.uniform(0, 1, 2) * size
            arm = np.array([np.cos(t := rng.uniform(0, np.pi)), np.sin(t)]) * rng.uniform(0.3, 1.5) * width
            across = np.array([-arm[1], arm[0]]) * rng.uniform(0.03, 0.5)
            ends = [
                centre - arm - across,
                centre + arm - across * rng.uniform(0.3, 1),
                centre + arm + across,
                centre - arm + across,
            ]
            cv2.fillConvexPoly(mask, np.round(ends).astype(np.int32), 255)
        if rng.random() < 0.4:
            mask = 255 - mask
        dark = np.maximum(dark, mask.astype(np.float32) / 255)
    soft = float(np.exp(rng.uniform(np.log(0.6), np.log(25)))) * per_mm
    small = cv2.resize(dark, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), max(0.4, soft / 2))
    return np.asarray(1 - cv2.resize(small, size) * np.float32(rng.uniform(0.2, 0.65)), np.float32)


def _with_glare(rng: Rng, canvas: Canvas, lit: Floats, gloss: Floats) -> Floats:
    """Lamps mirrored in the faces: each tile lies a little differently and so mirrors more or less of them."""
    height, width = canvas.image.shape[:2]
    small = (max(8, width // 4), max(8, height // 4))
    x, y = np.meshgrid(np.linspace(-1, 1, small[0], dtype=np.float32), np.linspace(-1, 1, small[1], dtype=np.float32))
    blob = np.zeros_like(x)
    for _ in range(int(rng.integers(1, 4))):
        cx, cy = rng.uniform(-1, 1, 2)
        wide, high = np.exp(rng.uniform(np.log(0.03), np.log(0.6), 2))
        power = float(rng.choice([1, 1, 3]))
        blob += np.exp(-((((x - cx) / wide) ** 2 + ((y - cy) / high) ** 2) ** power))
    shown = (
        cv2.resize(blob, (width, height), interpolation=cv2.INTER_LINEAR)
        * gloss[canvas.owner + 1]
        * np.float32(rng.uniform(30, 230))
    )
    tint = np.array([1.0, 1.0, 1.0], np.float32) + rng.normal(0, 0.06, 3).astype(np.float32)
    return np.asarray(lit + shown[..., None] * tint, np.float32)


def blinds(rng: Rng, size: tuple[int, int], pitch: float) -> Image:
    """Shadows as of the slats of a blind, a chair's back or a window frame.

    Where bars `pitch` pixels apart lie (0 or 255) in a picture (width, height), parallel or fanned.
    """
    width, height = size
    mask = np.zeros((height, width), np.uint8)
    share, turn, fan = rng.uniform(0.25, 0.75), rng.uniform(0, np.pi), rng.normal(0, 0.3)
    reach, middle = float(np.hypot(width, height)), np.array([width, height]) / 2
    across = np.array([-np.sin(turn), np.cos(turn)])
    for place in np.arange(-reach / 2, reach / 2, pitch) + rng.uniform(0, pitch):
        angle = turn + fan * place / reach
        along = np.array([np.cos(angle), np.sin(angle)]) * reach
        near = middle + across * place
        far = near + across * pitch * share
        cv2.fillConvexPoly(mask, np.round([near - along, near + along, far + along, far - along]).astype(np.int32), 255)
    return mask
