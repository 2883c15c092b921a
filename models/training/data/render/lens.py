"""The camera of a rendered picture: where a point of the table falls, and what lens and sensor do to the light."""

import functools
import math
from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Rng = np.random.Generator
Value = TypeVar("Value", np.uint8, np.int16)
FAR = 20000.0  # pixels; OpenCV draws with 32 bits, some of them for fractions


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """A pinhole over the table (millimetres, x right, y away, z up) with one term of radial distortion."""

    matrix: npt.NDArray[np.float64]
    eye: npt.NDArray[np.float64]
    size: tuple[int, int]
    bend: float

    def project(self, points: npt.ArrayLike) -> Floats:
        """Pixels [n, 2] of points [n, 3] before the lens bends them."""
        world = np.asarray(points, np.float64)
        seen = world @ self.matrix[:, :3].T + self.matrix[:, 3]
        pixels = seen[:, :2] / np.maximum(seen[:, 2:], 1.0)
        return np.asarray(np.clip(pixels, -FAR, FAR), np.float32)

    def bent(self, pixels: Floats) -> Floats:
        """Where pixels of the straight picture lie in the bent one (fixed point of `straight`)."""
        centre, half = self._frame()
        wanted = (pixels - centre) / half
        point = wanted.copy()
        for _ in range(8):
            point = wanted / self._stretch(point)
        return np.asarray(point * half + centre, np.float32)

    def bend_image(self, image: npt.NDArray[Value], *, smooth: bool = True) -> npt.NDArray[Value]:
        """The picture as the lens draws it."""
        if abs(self.bend) < 1e-4:
            return image
        width, height = self.size
        centre, half = self._frame()
        x = (np.arange(width, dtype=np.float32) - centre[0]) / half
        y = (np.arange(height, dtype=np.float32) - centre[1]) / half
        stretch = 1 + self.bend * (x[None, :] ** 2 + y[:, None] ** 2)
        if self.bend > 0:
            stretch /= 1 + self.bend
        across = np.asarray(x[None, :] * stretch * half + centre[0], np.float32)
        down = np.asarray(y[:, None] * stretch * half + centre[1], np.float32)
        how = cv2.INTER_LINEAR if smooth else cv2.INTER_NEAREST
        return np.asarray(cv2.remap(image, across, down, how, borderMode=cv2.BORDER_REFLECT), image.dtype)

    def _frame(self) -> tuple[Floats, float]:
        width, height = self.size
        return np.array([width / 2 - 0.5, height / 2 - 0.5], np.float32), float(np.hypot(width, height) / 2)

    def _stretch(self, point: Floats) -> Floats:
        stretch = 1 + self.bend * (point**2).sum(axis=-1, keepdims=True)
        return np.asarray(stretch / (1 + self.bend) if self.bend > 0 else stretch, np.float32)


def aim(
    rng: Rng,
    size: tuple[int, int],
    pixels_per_mm: float,
    tilt: float,
    *,
    roll: float | None = None,
    bend: float | None = None,
) -> Camera:
    """A camera that looks at the table's origin, `tilt` radians from straight down, at a scale given at the origin."""
    width, height = size
    focal = max(size) / (2 * np.tan(rng.uniform(0.42, 0.72)))
    distance = focal / pixels_per_mm
    turn = rng.uniform(-np.pi, np.pi) if roll is None else roll
    eye = distance * np.array([0.0, -np.sin(tilt), np.cos(tilt)])
    forward = -eye / distance
    away = np.array([0.0, np.cos(tilt), np.sin(tilt)])
    right = np.cross(forward, away)
    down = np.cross(forward, right)
    inner = np.array([[focal, 0, width / 2 - 0.5], [0, focal, height / 2 - 0.5], [0, 0, 1]])
    lean = rng.normal(0, 0.03) if tilt > 0.05 else 0.0
    lean_by = np.array([[np.cos(lean), -np.sin(lean), 0], [np.sin(lean), np.cos(lean), 0], [0, 0, 1]])
    spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    view = lean_by @ np.stack([right, down, forward]) @ spin
    eye_world = spin.T @ eye
    matrix = inner @ np.column_stack([view, -view @ eye_world])
    k = float(rng.normal(0, 0.05)) if bend is None else bend
    return Camera(matrix=matrix, eye=eye_world, size=size, bend=float(np.clip(k, -0.16, 0.16)))


def expose(rng: Rng, light: Floats, harshness: float, *, still: bool = False) -> Image:
    """A photograph of light (0..255): focus, motion, exposure, noise, sharpening, JPEG.

    A `still` camera is fixed and sets its own exposure: it does not shake, and loses neither light nor colour.
    """
    height, width = light.shape[:2]
    unit = max(height, width) / 640
    image = light
    if rng.random() < 0.5 * harshness:
        image = _defocus(rng, image, unit * min(1.0, harshness))
    if not still and rng.random() < 0.22 * harshness:
        image = _shake(rng, image, unit * min(1.0, harshness))
    dark = not still and rng.random() < 0.13 * harshness
    gain = rng.uniform(0.13, 0.4) if dark else rng.uniform(0.72, 1.25)
    image = image * np.float32(gain)
    noise = (rng.uniform(2, 7) if dark else rng.exponential(2.2)) * harshness
    if noise > 0.4:
        grain = grain_of(rng, (height, width, 3))
        if rng.random() < 0.5:
            grain = cv2.GaussianBlur(grain, (0, 0), 0.7) * 2.0
        image = image + grain * np.float32(noise)
    if rng.random() < 0.45:
        soft = cv2.GaussianBlur(image, (0, 0), 1.1 * unit)
        image = image + (image - soft) * np.float32(rng.uniform(0.3, 1.3))
    contrast = rng.uniform(0.75, 1.2)
    lift = rng.uniform(-12, 18) * (0.4 if dark else 1)
    shot = np.clip((image - 128 * gain) * contrast + 128 * gain + lift, 0, 255).astype(np.uint8)
    if not still and rng.random() < 0.2:
        grey, share = cv2.cvtColor(cv2.cvtColor(shot, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR), rng.uniform(0.1, 0.5)
        shot[:] = np.asarray(cv2.addWeighted(shot, 1 - share, grey, share, 0), np.uint8)
    if rng.random() < 0.7:
        quality = int(rng.uniform(35, 96) if harshness > 0.5 else rng.uniform(80, 96))
        shot = squeezed(shot, quality)
    return shot


def squeezed(image: Image, quality: int) -> Image:
    """The picture after a JPEG of that quality."""
    packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    unpacked: Image = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    return unpacked


@functools.cache
def _grain_store() -> Floats:
    return np.random.default_rng(20).standard_normal(3_000_017, dtype=np.float32)


def grain_of(rng: Rng, shape: tuple[int, ...]) -> Floats:
    """Unit noise cut out of a store: drawing it fresh would cost more than the rest of a picture."""
    size = math.prod(shape)
    start = int(rng.integers(0, 3_000_000))
    store = _grain_store()
    if size <= store.size - start:
        return np.asarray(store[start : start + size].reshape(shape))
    return np.asarray(np.resize(np.concatenate([store[start:], store[:start]]), shape))


def _defocus(rng: Rng, image: Floats, unit: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), max(0.3, min(2.2, rng.exponential(0.7)) * unit)), np.float32)


def _shake(rng: Rng, image: Floats, unit: float) -> Floats:
    length = max(3, int(rng.uniform(2, 8) * unit)) | 1
    kernel = np.zeros((length, length), np.float32)
    angle = rng.uniform(0, np.pi)
    arm = np.array([np.cos(angle), np.sin(angle)]) * (length // 2)
    middle = length // 2
    start, end = (middle - arm).round().astype(int), (middle + arm).round().astype(int)
    cv2.line(kernel, tuple(start.tolist()), tuple(end.tolist()), 1.0, 1)
    return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.float32)
