"""Real photographs made worse in ways whose truth stays known: aslant, far, near, in poor light, on a chequered cloth.

A photograph that is read rightly as it is may fail under another lamp, lens or camera; how much it takes is told here.
The changes are made to whole pictures, and the labels' outlines are carried along.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.image.frame import Image

Points = npt.NDArray[np.float32]
Change = Callable[[Image, Sequence[Points]], tuple[Image, list[Points]]]
"""A picture and the outlines of its tiles [n, 2] into another picture and where the tiles are in it."""

TABLE: Final = (90, 110, 120)  # what lies beyond the edges of a picture that was tilted
_LENGTH = 1.35  # a tile's long side, by its short one
_SEED = 7
PALE: Final = ((205, 222, 228), (190, 210, 220))
"""Colours (BGR) of squares that pass for tiles without a face."""


def tall_sides(outlines: Sequence[Points]) -> npt.NDArray[np.floating]:
    """About how long each tile's long side is, told from its area."""
    return np.sqrt([cv2.contourArea(cv2.convexHull(one)) * _LENGTH for one in outlines])


def _light(change: Callable[[npt.NDArray[np.float32]], npt.NDArray[np.floating]]) -> Change:
    """A change of the pixels alone, given as they are in 0..255."""

    def changed(image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
        return np.clip(change(image.astype(np.float32)), 0, 255).astype(np.uint8), list(outlines)

    return changed


def tilt(degrees: float) -> Change:
    """Seen by a camera that leans by so much more than the one that took the picture."""

    def tilted(image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
        height, width = image.shape[:2]
        lean, far = np.radians(degrees), 1.3 * max(width, height)
        lens = np.array([[far, 0, width / 2], [0, far, height / 2], [0, 0, 1]])
        plane = np.array([[1, 0, 0], [0, np.cos(lean), 0], [0, np.sin(lean), far]])
        middle = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]])
        seen = lens @ plane @ middle
        corners = cv2.perspectiveTransform(np.array([[[0, 0], [width, 0], [width, height], [0, height]]], float), seen)
        low, high = corners[0].min(axis=0), corners[0].max(axis=0)
        seen = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]]) @ seen
        size = (int(high[0] - low[0]), int(high[1] - low[1]))
        image = np.asarray(cv2.warpPerspective(image, seen, size, borderValue=TABLE), np.uint8)
        return image, [cv2.perspectiveTransform(one[None], seen)[0].astype(np.float32) for one in outlines]

    return tilted


def _shrunk(side: int) -> Change:
    """No larger than so many pixels."""

    def shrunk(image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
        factor = min(1.0, side / max(image.shape))
        return _resized(factor, factor)(image, outlines)

    return shrunk


def _resized(across: float, down: float) -> Change:
    """Made smaller or larger; in one direction more, as wide pictures are that were made square."""
    how = cv2.INTER_AREA if max(across, down) <= 1 else cv2.INTER_CUBIC

    def resized(image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
        other = cv2.resize(image, None, fx=across, fy=down, interpolation=how)
        return np.asarray(other, np.uint8), [one * np.array([across, down], np.float32) for one in outlines]

    return resized


def _turned(quarters: int) -> Change:
    """Turned clockwise by so many quarters."""

    def turned(image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
        places = list(outlines)
        for _ in range(quarters):
            places = [np.stack([image.shape[0] - one[:, 1], one[:, 0]], axis=1) for one in places]
            image = cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE).astype(np.uint8)
        return image, places

    return turned


def _cropped(share: float) -> Change:
    """Without so much of its width and height, half of it on each side."""

    def cropped(image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
        down, across = (round(side * share / 2) for side in image.shape[:2])
        inner = image[down : image.shape[0] - down, across : image.shape[1] - across]
        return inner.copy(), [one - np.array([across, down], np.float32) for one in outlines]

    return cropped


def _shaken_slantwise(image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
    """Blurred along 45 degrees by a quarter of a tile's length; a picture without tiles stays as it is."""
    tall = float(np.median(tall_sides(outlines))) if outlines else 0.0
    steps = max(1, round(tall / 4 / np.sqrt(2)))
    return np.asarray(cv2.filter2D(image, -1, np.eye(steps) / steps), np.uint8), list(outlines)


def close_up(lengths: float, width: int = 1600) -> Change:
    """So near that about so many tiles' lengths fill the picture; the tile nearest to its middle is seen whole."""

    def near(image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
        middle = np.array([image.shape[1], image.shape[0]]) / 2
        centres = [one.mean(axis=0) for one in outlines] or [middle]
        centre = min(centres, key=lambda place: float(np.hypot(*(place - middle))))
        tall = np.median(tall_sides(outlines)) if outlines else np.sqrt(np.prod(middle) / 4 * _LENGTH)
        factor = width / (lengths * float(tall))
        size = (width, width * 3 // 4)
        seen = np.hstack([np.eye(2) * factor, (np.array(size) / 2 - factor * centre)[:, None]])
        image = cv2.warpAffine(image, seen, size, flags=cv2.INTER_CUBIC, borderValue=TABLE)
        return np.asarray(image, np.uint8), [cv2.transform(one[None], seen)[0].astype(np.float32) for one in outlines]

    return near


def on_cloth(square: int, colours: tuple[tuple[int, int, int], tuple[int, int, int]], times: float = 1.6) -> Change:
    """In the middle of a cloth so many times as wide, with squares of so many pixels and green between them."""

    def laid(image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
        height, width = image.shape[:2]
        cloth = np.full((int(times * height), int(times * width), 3), (90, 160, 90), np.uint8)
        for row, top in enumerate(range(0, cloth.shape[0], square)):
            for column, left in enumerate(range(0, cloth.shape[1], square)):
                cloth[top + 3 : top + square - 3, left + 3 : left + square - 3] = colours[(row + column) % 2]
        grain = np.random.default_rng(_SEED).normal(0, 4, cloth.shape)
        cloth = np.clip(cv2.GaussianBlur(cloth, (0, 0), 1) + grain, 0, 255).astype(np.uint8)
        top, left = (cloth.shape[0] - height) // 2, (cloth.shape[1] - width) // 2
        cloth[top : top + height, left : left + width] = image
        return cloth, [one + np.array([left, top], np.float32) for one in outlines]

    return laid


def compressed(quality: int) -> Change:
    """As a JPEG of that quality."""

    def packed(image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
        _, content = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        return np.asarray(cv2.imdecode(content, cv2.IMREAD_COLOR), np.uint8), list(outlines)

    return packed


def _noise(pixels: npt.NDArray[np.float32]) -> npt.NDArray[np.floating]:
    return np.random.default_rng(_SEED).normal(0, 16, pixels.shape)


def _blurred(pixels: npt.NDArray[np.float32], thousandths: float) -> npt.NDArray[np.float32]:
    """Out of focus by so many thousandths of the picture's long side."""
    return np.asarray(cv2.GaussianBlur(pixels, (0, 0), thousandths * max(pixels.shape) / 1000), np.float32)


def _across(pixels: npt.NDArray[np.float32]) -> npt.NDArray[np.floating]:
    """The light of a lamp at the right of the table."""
    return (0.35 + 0.9 * np.arange(pixels.shape[1]) / pixels.shape[1])[None, :, None]


def _under_blind(pixels: npt.NDArray[np.float32]) -> npt.NDArray[np.floating]:
    """The slats of a blind between a low sun and the table: bars of shadow with sharp edges."""
    height, width = pixels.shape[:2]
    light = np.ones((height, width), np.float32)
    for left in range(0, width, width // 7):
        cv2.line(light, (left, 0), (left + width // 5, height), 0.45, width // 18)
    return pixels * cv2.GaussianBlur(light, (0, 0), width / 320)[:, :, None]


def _mirroring(image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
    """A bright spot somewhere on each tile, as a lamp mirrored in it: three quarters of the print below it is lost."""
    rng = np.random.default_rng(_SEED)
    share = np.zeros(image.shape[:2], np.float32)
    for outline in outlines:
        spot = np.zeros_like(share)
        tall = float(tall_sides([outline])[0])
        place = outline.mean(axis=0) + rng.normal(0, 0.22, 2) * tall
        axes = (max(1, round(0.3 * tall)), max(1, round(0.15 * tall)))
        cv2.ellipse(spot, np.round(place).astype(int).tolist(), axes, float(rng.uniform(0, 180)), 0, 360, 0.75, -1)
        share = np.maximum(share, cv2.GaussianBlur(spot, (0, 0), 0.07 * tall))
    return (image + (255 - image.astype(np.float32)) * share[..., None]).astype(np.uint8), list(outlines)


def _smeared(pixels: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The camera shook by 8 thousandths of the picture's long side while it looked."""
    length = max(2, round(0.008 * max(pixels.shape)))
    return np.asarray(cv2.filter2D(pixels, -1, np.eye(length, dtype=np.float32) / length), np.float32)


TURNS: Final[Mapping[str, Change]] = MappingProxyType(
    {f"turned by {90 * quarters}°": _turned(quarters) for quarters in (1, 2, 3)}
)
CHANGES: Final[Mapping[str, Change]] = MappingProxyType(
    {
        "leaning by 35° more": tilt(35),
        "leaning by 50° more": tilt(50),
        "squeezed from the sides": _resized(9 / 16, 1),
        "squeezed from above": _resized(1, 9 / 16),
        **TURNS,
        "cropped by a tenth": _cropped(0.1),
        "smaller by a fifth": _resized(0.8, 0.8),
        "larger by a quarter": _resized(1.25, 1.25),
        "480 pixels wide": _shrunk(480),
        "two tiles' lengths wide": close_up(2),
        "dark, with noise": _light(lambda pixels: 127 * (pixels / 255) ** 2.2 + _noise(pixels) / 4),
        "overexposed": _light(lambda pixels: 1.5 * pixels),
        "hazy": _light(lambda pixels: 90 + 0.6 * pixels),
        "warm lamp": _light(lambda pixels: pixels * np.array([0.6, 0.85, 1.1])),
        "cold lamp": _light(lambda pixels: pixels * np.array([1.15, 1.0, 0.75])),
        "pale": _light(lambda pixels: 0.45 * pixels + 0.55 * pixels.mean(axis=2, keepdims=True)),
        "lamp on one side": _light(lambda pixels: pixels * _across(pixels)),
        "under a blind": _light(_under_blind),
        "noise": _light(lambda pixels: pixels + _noise(pixels)),
        "out of focus": _light(lambda pixels: _blurred(pixels, 2.5)),
        "shaken": _light(_smeared),
        "blurred slantwise by a quarter of a tile": _shaken_slantwise,
        "lamps mirrored in the tiles": _mirroring,
        "sharpened": _light(lambda pixels: 2.5 * pixels - 1.5 * cv2.GaussianBlur(pixels, (0, 0), 2)),
        "JPEG of quality 20": compressed(20),
        "on a chequered cloth": on_cloth(46, ((200, 225, 235), (60, 80, 160))),
        "on pale squares": on_cloth(60, PALE),
    }
)
