"""Makes labelled crops of rendered tiles, and of things that are none, as a camera above a table would give them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np
import numpy.typing as npt

from models.training.data.render.faces import JOKERS, LETTERS, NUMBERS, BoxStyle, Face, box_style, draw_face
from models.training.data.render.surfaces import surface
from referee.vision.geometry.detections import SYMBOLS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Rng = np.random.Generator
Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Points = npt.NDArray[np.float64]

CROP = (64, 48)
"""Rows and columns of a crop, which a net may see shrunk; the tile is widened by MARGIN of its sides on each side."""
MARGIN = 0.08
WIDE_CROP = (80, 60)
"""What a bank stores, at the same scale: the spare edge lets training move the crop about."""
WIDE_MARGIN = ((1 + 2 * MARGIN) * WIDE_CROP[0] / CROP[0] - 1) / 2
UNKNOWN = -1
HIDDEN = -2
"""In the place of a symbol: so much of the face is covered that nobody should be sure of it."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What one crop shows: indices into SYMBOLS (or HIDDEN) and LETTERS, or UNKNOWN where it does not count."""

    symbol: int
    ink: int


@dataclass(frozen=True, slots=True)
class Laid:
    """One tile on a rendered table: its face, and its corners in pixels, clockwise from its own top left."""

    face: Face
    corners: Points


def rectify(image: Image, quad: npt.ArrayLike, *, size: tuple[int, int] = CROP, margin: float = MARGIN) -> Image:
    """A tile's crop: its quad (clockwise from its own top left) widened by a margin, warped to size (rows, columns)."""
    rows, columns = size
    left, top = columns * margin / (1 + 2 * margin), rows * margin / (1 + 2 * margin)
    target = np.asarray(
        [[left, top], [columns - left, top], [columns - left, rows - top], [left, rows - top]], np.float32
    )
    matrix = cv2.getPerspectiveTransform(np.asarray(quad, np.float32) + np.float32(0.5), target)
    shift = np.asarray([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])
    return np.asarray(
        cv2.warpPerspective(
            image, shift @ matrix @ np.linalg.inv(shift), (columns, rows), borderMode=cv2.BORDER_REPLICATE
        ),
        np.uint8,
    )


def some_tiles(rng: Rng, count: int) -> list[str]:
    """Tiles by chance: mostly numbers, and every kind of joker and backs often enough to learn."""
    tiles = []
    for _ in range(count):
        kind = rng.random()
        if kind < 0.76:
            tiles.append(str(rng.choice(NUMBERS)))
        elif kind < 0.95:
            tiles.append(str(rng.choice(JOKERS[:4] if rng.random() < 0.9 else JOKERS[4:])))
        else:
            tiles.append("back")
    return tiles


def render(rng: Rng, style: BoxStyle, surfaces: Sequence[Image]) -> list[tuple[Image, Labels]]:
    """A few tiles of one box on a table, photographed: their wide crops, and some crops of what is no tile."""
    tall = float(np.exp(rng.uniform(math.log(20), math.log(160))))
    layout = _layout(rng, style)
    layout, size = _project(rng, layout, tall)
    canvas = _background(rng, surfaces, size)
    if rng.random() < 0.35:
        _clutter(rng, canvas, tall)
    tiles = some_tiles(rng, len(layout))
    height = int(np.clip(tall * 1.2, 56, 150))
    laid = [Laid(draw_face(rng, tile, style, height), corners) for tile, corners in zip(tiles, layout, strict=True)]
    _cast_shadows(rng, canvas, laid, tall)
    lean = rng.uniform(0, 0.13) * tall * np.asarray([math.cos(angle := rng.uniform(0, 2 * math.pi)), math.sin(angle)])
    for one in laid:
        _lay(canvas, one, style, lean)
    cover = np.zeros(size[::-1], np.uint8)
    if rng.random() < 0.06:
        _rack_lip(rng, canvas, cover, laid)
    if rng.random() < 0.16:
        _cover(rng, canvas, cover, laid, style)
    picture = photograph(rng, canvas, tall)
    return _cut(rng, picture, laid, cover, tall)


def _layout(rng: Rng, style: BoxStyle) -> list[Points]:
    """Corners of tiles in units of a tile's height: one or two rows, or strewn."""
    wide = 1 / style.aspect
    tile = np.asarray([[-wide / 2, -0.5], [wide / 2, -0.5], [wide / 2, 0.5], [-wide / 2, 0.5]])
    placed = []
    rows = 1 if rng.random() < 0.6 else 2
    strewn = rng.random() < 0.3
    gap = float(rng.choice([0.0, rng.uniform(0, 0.08), rng.uniform(0, 0.5)]))
    between = float(rng.choice([rng.uniform(0.0, 0.05), rng.uniform(0.05, 0.6)]))
    for row in range(rows):
        offset = rng.uniform(-0.5, 0.5)
        for place in range(int(rng.integers(2, 5))):
            slip = rng.normal(0, 0.012, 2)
            turn = rng.normal(0, 0.03) if not strewn else rng.uniform(0, 2 * math.pi)
            pitch = wide + gap if not strewn else 1.25
            centre = np.asarray([place * pitch + offset, row * ((1 + between) if not strewn else 1.25)]) + slip
            placed.append(tile @ _turn(turn).T + centre)
    return placed


def _turn(angle: float) -> Points:
    return np.asarray([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def _project(rng: Rng, layout: list[Points], tall: float) -> tuple[list[Points], tuple[int, int]]:
    """Turn, tilt and scale the layout to pixels; gives also the size (columns, rows) of a picture that holds it."""
    points = np.concatenate(layout)
    points = (points - points.mean(0)) @ _turn(rng.uniform(0, 2 * math.pi)).T
    lean = rng.normal(0, 0.04, 2) if rng.random() < 0.7 else rng.normal(0, 0.15, 2)
    points = points / (1 + (points @ lean).clip(-0.6, 2))[:, None]
    points[:, 1] *= 1 - abs(rng.normal(0, 0.08 if rng.random() < 0.7 else 0.25)) * 0.8
    points *= tall
    border = 0.45 * tall + 2
    points += border - points.min(0)
    size = np.ceil(points.max(0) + border).astype(int)
    return list(points.reshape(-1, 4, 2)), (int(size[0]), int(size[1]))


def _background(rng: Rng, surfaces: Sequence[Image], size: tuple[int, int]) -> Image:
    texture = surfaces[int(rng.integers(len(surfaces)))]
    scale = max(size[0] / texture.shape[1], size[1] / texture.shape[0], rng.uniform(0.3, 1.0))
    wide, high = min(texture.shape[1], int(size[0] / scale)), min(texture.shape[0], int(size[1] / scale))
    x, y = int(rng.integers(texture.shape[1] - wide + 1)), int(rng.integers(texture.shape[0] - high + 1))
    patch = texture[y : y + max(1, high), x : x + max(1, wide)]
    return np.asarray(
        cv2.resize(patch, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR), np.uint8
    )


def _colour(rng: Rng) -> tuple[int, int, int]:
    if rng.random() < 0.4:
        grey = int(rng.integers(150, 256))
        return grey, grey, grey
    return int(rng.integers(256)), int(rng.integers(256)), int(rng.integers(256))


def _clutter(rng: Rng, canvas: Image, tall: float) -> None:
    """Cards, paper with print, dice and coins, partly under the tiles."""
    height, width = canvas.shape[:2]
    for _ in range(int(rng.integers(1, 4))):
        centre = rng.uniform((0, 0), (width, height))
        half = rng.uniform(0.3, 1.3, 2) * tall
        box = cv2.boxPoints((tuple(centre), tuple(half * 2), float(rng.uniform(0, 180)))).astype(np.int32)
        kind = rng.random()
        if kind < 0.25:
            cv2.circle(canvas, (int(centre[0]), int(centre[1])), int(half[0] * 0.5), _colour(rng), -1, cv2.LINE_AA)
            continue
        paper = _colour(rng)
        cv2.fillPoly(canvas, [box], paper, cv2.LINE_AA)
        if kind < 0.8:
            _print(rng, canvas, box, tall, paper)


def _print(rng: Rng, canvas: Image, box: npt.NDArray[np.int32], tall: float, paper: tuple[int, int, int]) -> None:
    ink = tuple(int(value * rng.uniform(0, 0.5)) for value in paper)
    if rng.random() < 0.3:  # pips of a die
        for a, b in ((0.25, 0.25), (0.75, 0.75), (0.5, 0.5), (0.25, 0.75), (0.75, 0.25)):
            spot = box[0] + a * (box[1] - box[0]) + b * (box[3] - box[0])
            cv2.circle(canvas, (int(spot[0]), int(spot[1])), max(1, int(0.07 * tall)), ink, -1, cv2.LINE_AA)
        return
    for line in range(int(rng.integers(1, 6))):
        text = "".join(rng.choice(list("ABCDEFGHabcdefghijk 0123456789"), int(rng.integers(2, 12))))
        place = box[0] + rng.uniform(0, 0.6, 2) * (box[2] - box[0]) + (0, line * 0.15 * tall)
        size = float(rng.uniform(0.12, 0.5) * tall / 22)
        cv2.putText(
            canvas,
            text,
            (int(place[0]), int(place[1])),
            int(rng.integers(0, 5)),
            size,
            ink,
            max(1, int(size * 2)),
            cv2.LINE_AA,
        )


def _cast_shadows(rng: Rng, canvas: Image, laid: Sequence[Laid], tall: float) -> None:
    mask = np.zeros(canvas.shape[:2], np.uint8)
    angle, reach = rng.uniform(0, 2 * math.pi), rng.uniform(0, 0.2) * tall
    shift = reach * np.asarray([math.cos(angle), math.sin(angle)])
    for one in laid:
        hull = cv2.convexHull(np.concatenate([one.corners, one.corners + shift]).astype(np.float32))
        cv2.fillConvexPoly(mask, hull.astype(np.int32), 255)
    soft = cv2.GaussianBlur(mask, (0, 0), max(0.4, rng.uniform(0.005, 0.08) * tall))
    np.copyto(canvas, (canvas * (1 - soft[..., None] * np.float32(rng.uniform(0.1, 0.7) / 255))).astype(np.uint8))


def _lay(canvas: Image, one: Laid, style: BoxStyle, lean: Points) -> None:
    """A tile's wall on the side we lean to, and its face."""
    wall = tuple(value * 0.72 for value in style.body)
    hull = cv2.convexHull(np.concatenate([one.corners, one.corners + lean]).astype(np.float32))
    cv2.fillConvexPoly(canvas, np.round(hull * 8).astype(np.int32), wall, cv2.LINE_AA, 3)
    paste_face(canvas, one.face.image, one.corners)


def paste_face(canvas: Image, face: Image, corners: Points) -> None:
    """Warp a BGRA face onto four corners, shrinking it first so that nothing jags."""
    span = max(math.dist(corners[0], corners[3]), math.dist(corners[1], corners[2]))
    ratio = span / face.shape[0]
    if ratio < 0.75:
        face = np.asarray(cv2.resize(face, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA), np.uint8)
    rows, columns = face.shape[:2]
    low = np.maximum(np.floor(corners.min(0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(corners.max(0)).astype(int) + 2, canvas.shape[1::-1])
    if (high <= low).any():
        return
    source = np.asarray(
        [[-0.5, -0.5], [columns - 0.5, -0.5], [columns - 0.5, rows - 0.5], [-0.5, rows - 0.5]], np.float32
    )
    matrix = cv2.getPerspectiveTransform(source, (corners - low).astype(np.float32))
    patch = cv2.warpPerspective(face, matrix, (int(high[0] - low[0]), int(high[1] - low[1])))
    cover = patch[..., 3:].astype(np.float32) / np.float32(255)
    part = canvas[low[1] : high[1], low[0] : high[0]]
    part[:] = (part + cover * (patch[..., :3].astype(np.float32) - part)).astype(np.uint8)


def _rack_lip(rng: Rng, canvas: Image, cover: Image, laid: Sequence[Laid]) -> None:
    """The front edge of a rack over the foot of the tiles."""
    colour, depth = _colour(rng), rng.uniform(0.02, 0.25)
    for one in laid:
        a, b, c, d = one.corners
        across = (b - a) * 0.6
        band = np.asarray(
            [
                d + (a - d) * depth - across,
                c + (b - c) * depth + across,
                c + (c - b) * 0.3 + across,
                d + (d - a) * 0.3 - across,
            ]
        )
        for picture, value in ((canvas, colour), (cover, 255)):
            cv2.fillConvexPoly(picture, np.round(band * 8).astype(np.int32), value, cv2.LINE_AA, 3)


def _cover(rng: Rng, canvas: Image, cover: Image, laid: Sequence[Laid], style: BoxStyle) -> None:
    """A finger, or another tile, over the edge of one of the tiles; cover notes where."""
    corners = laid[int(rng.integers(len(laid)))].corners
    tall = math.dist(corners[0], corners[3])
    edge = int(rng.integers(4))
    spot = corners[edge] + rng.uniform(0, 1) * (corners[(edge + 1) % 4] - corners[edge])
    away = spot - corners.mean(0)
    if rng.random() < 0.5:
        tip = spot - away * rng.uniform(-0.4, 0.9)
        end = spot + away * 5 + rng.normal(0, 0.5, 2) * tall
        skin = np.asarray([rng.uniform(60, 180), 0, 0])
        skin[1:] = skin[0] * rng.uniform(1.1, 1.35), skin[0] * rng.uniform(1.3, 1.8)
        thick = max(2, int(rng.uniform(0.3, 0.55) * tall))
        a, b = (int(tip[0]), int(tip[1])), (int(end[0]), int(end[1]))
        for share, tone in ((1.0, 0.8), (0.8, 0.93), (0.5, 1.0)):
            cv2.line(
                canvas, a, b, tuple(np.clip(skin * tone, 0, 255).tolist()), max(1, int(thick * share)), cv2.LINE_AA
            )
        cv2.line(cover, a, b, 255, thick)
        return
    wide = 1 / style.aspect
    tile = np.asarray([[-wide / 2, -0.5], [wide / 2, -0.5], [wide / 2, 0.5], [-wide / 2, 0.5]]) * tall
    placed = tile @ _turn(rng.uniform(0, 2 * math.pi)).T + spot + away * rng.uniform(0.1, 1.2)
    face = draw_face(rng, str(rng.choice(NUMBERS)), style, int(np.clip(tall, 40, 150))).image
    paste_face(canvas, face, placed)
    cv2.fillConvexPoly(cover, placed.astype(np.int32), 255)


def photograph(rng: Rng, canvas: Image, tall: float) -> Image:
    """What lamps, lens, sensor and file do to a picture of tiles so many pixels tall."""
    picture = _lit(rng, canvas.astype(np.float32) / np.float32(255), tall)
    blur = abs(rng.normal(0, 0.012)) * tall + rng.uniform(0.2, 0.7)
    picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.float32)
    if rng.random() < 0.15:
        picture = _shaken(rng, picture, rng.uniform(0.02, 0.09) * tall)
    noise = abs(rng.normal(0, 0.02)) if rng.random() < 0.8 else rng.uniform(0.02, 0.07)
    grain = rng.standard_normal(picture.shape, np.float32) * np.float32(noise)
    if rng.random() < 0.4:
        grain = np.asarray(cv2.GaussianBlur(grain, (0, 0), 0.7), np.float32) * np.float32(1.6)
    picture = picture + grain * (np.float32(0.4) + np.sqrt(picture.clip(0, 1)) * np.float32(0.6))
    if rng.random() < 0.4:
        soft = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.7, 1.6))
        picture = picture + np.float32(rng.uniform(0.2, 1.3)) * (picture - soft)
    out = (picture.clip(0, 1) * 255).astype(np.uint8)
    if rng.random() < 0.7:
        _, code = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 97))])
        out = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
    return out


def _lit(rng: Rng, picture: Floats, tall: float) -> Floats:
    """Lamps of one or two colours, a shadow's edge, glare, exposure and tone curve."""
    rows, columns = picture.shape[:2]
    x = np.linspace(-1, 1, columns, dtype=np.float32)[None, :, None]
    y = np.linspace(-1, 1, rows, dtype=np.float32)[:, None, None]
    angle = rng.uniform(0, 2 * math.pi)
    across = x * np.float32(math.cos(angle)) + y * np.float32(math.sin(angle))
    lamp, other = _lamp(rng), _lamp(rng)
    mix = (across * np.float32(rng.uniform(-0.5, 0.5)) + np.float32(0.5)).clip(0, 1)
    colour = lamp + mix * (other - lamp) if rng.random() < 0.3 else lamp + np.zeros_like(mix)
    gain = colour * (1 + across * np.float32(rng.normal(0, 0.12)))
    if rng.random() < 0.2:
        edge = ((across - np.float32(rng.uniform(-0.6, 0.6))) / np.float32(rng.choice([0.01, 0.1, 0.4]))).clip(0, 1)
        gain = gain * (1 - edge * np.float32(rng.uniform(0.2, 0.65)))
    kind = rng.random()
    exposure = (
        rng.uniform(0.7, 1.15) if kind < 0.78 else rng.uniform(0.3, 0.7) if kind < 0.95 else rng.uniform(0.1, 0.3)
    )
    lit = picture * gain * np.float32(exposure)
    if rng.random() < 0.2:
        centre = rng.uniform((0, 0), (columns, rows))
        reach = rng.uniform(0.15, 1.2, 2) * tall
        spot = np.zeros((rows, columns), np.float32)
        axes = (max(1, int(reach[0])), max(1, int(reach[1])))
        cv2.ellipse(spot, (int(centre[0]), int(centre[1])), axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
        spot = np.asarray(
            cv2.GaussianBlur(spot, (0, 0), max(0.5, float(reach.min() * rng.uniform(0.1, 0.8)))), np.float32
        )
        lit = lit + spot[..., None] * np.float32(rng.uniform(0.1, 0.65)) * (1 - lit)
    power = np.float32(math.exp(rng.normal(0, 0.18)))
    haze = np.float32(abs(rng.normal(0, 0.03)))
    return np.asarray(lit.clip(0, 1.2) ** power * (1 - haze) + haze, np.float32)


def _lamp(rng: Rng) -> Floats:
    """The colour of a lamp in BGR after the camera's white balance, from candle to shade, seldom greenish."""
    warm = rng.normal(0, 0.12) if rng.random() < 0.75 else rng.uniform(0, 0.55)
    green = rng.normal(0, 0.03)
    return np.asarray(
        [1 - max(0.0, warm) * 1.1, 1 - abs(warm) * 0.35 + green, 1 - max(0.0, -warm) * 1.1], np.float32
    ).clip(0.2, 1.2)


def _shaken(rng: Rng, picture: Floats, length: float) -> Floats:
    size = max(2, round(length)) | 1
    kernel = np.zeros((size, size), np.float32)
    angle = rng.uniform(0, math.pi)
    half = size / 2 * np.asarray([math.cos(angle), math.sin(angle)])
    middle = np.asarray([size // 2, size // 2])
    a, b = np.round(middle - half).astype(int), np.round(middle + half).astype(int)
    cv2.line(kernel, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), 1.0, 1, cv2.LINE_AA)
    return np.asarray(cv2.filter2D(picture, -1, kernel / max(1e-3, float(kernel.sum()))), np.float32)


def wide_crop(image: Image, quad: npt.ArrayLike) -> Image:
    """A crop as a bank keeps it; a much larger tile is shrunk first, as a careful reader of pictures would."""
    points = np.asarray(quad, np.float64)
    tall = math.dist(points[0], points[3])
    if tall > 1.8 * CROP[0]:
        image = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        points = (points + 0.5) * 0.5 - 0.5
    return rectify(image, points, size=WIDE_CROP, margin=WIDE_MARGIN)


def _cut(rng: Rng, picture: Image, laid: Sequence[Laid], cover: Image, tall: float) -> list[tuple[Image, Labels]]:
    samples = []
    for one in laid:
        shaky = one.corners + rng.normal(0, 0.012, (4, 2)) * tall
        seen = _ink_seen(one, cover)
        if seen < 0.4:
            samples.append((wide_crop(picture, shaky), Labels(SYMBOLS.index("none"), UNKNOWN)))
        elif seen < 0.8:
            samples.append((wide_crop(picture, shaky), Labels(HIDDEN, UNKNOWN)))
        elif seen > 0.93:
            ink = UNKNOWN if one.face.ink is None or one.face.symbol == "back" else LETTERS.index(one.face.ink)
            samples.append((wide_crop(picture, shaky), Labels(SYMBOLS.index(one.face.symbol), ink)))
    for _ in range(int(rng.integers(0, 3))):
        quad = _no_tile(rng, picture, laid)
        if quad is not None:
            samples.append((wide_crop(picture, quad), Labels(SYMBOLS.index("none"), UNKNOWN)))
    return samples


def _ink_seen(one: Laid, cover: Image) -> float:
    """The share of a face's ink (of the whole face where it is a back) that nothing covers."""
    if not cover.any():
        return 1.0
    rows, columns = 40, 30
    target = np.asarray([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32)
    hidden = (
        cv2.warpPerspective(cover, cv2.getPerspectiveTransform(one.corners.astype(np.float32), target), (columns, rows))
        > 127
    )
    face = cv2.resize(one.face.image, (columns, rows), interpolation=cv2.INTER_AREA)[..., :3].astype(np.int32)
    ink = np.abs(face - np.median(face, (0, 1))).sum(2) > 90
    if ink.sum() < 8 or one.face.symbol == "back":
        return float(1 - hidden.mean() * 1.5)
    return float(min(1 - (hidden & ink).sum() / ink.sum(), 1.25 - hidden.mean()))


def _no_tile(rng: Rng, picture: Image, laid: Sequence[Laid]) -> Points | None:
    """A quad that a mistaken detector might give: beside, between or across tiles, or of the wrong size or angle."""
    base = laid[int(rng.integers(len(laid)))].corners
    centre, across, along = base.mean(0), (base[1] - base[0]) / 2, (base[3] - base[0]) / 2
    kind = rng.random()
    if kind < 0.3:  # half of two tiles, or half a tile
        step = rng.choice([-1, 1]) * rng.uniform(0.85, 1.15)
        centre = centre + (across * step if rng.random() < 0.6 else along * step)
    elif kind < 0.45:  # across the tile
        turn = _turn(rng.choice([-1, 1]) * rng.uniform(0.9, math.pi / 2))
        across, along = turn @ across, turn @ along
    elif kind < 0.55:
        factor = rng.uniform(0.25, 0.5) if rng.random() < 0.6 else rng.uniform(1.8, 2.6)
        across, along = across * factor, along * factor
        centre = centre + rng.uniform(-0.7, 0.7) * across + rng.uniform(-0.7, 0.7) * along
    else:
        turn = _turn(rng.uniform(0, 2 * math.pi))
        centre = rng.uniform((0, 0), picture.shape[1::-1])
        across, along = turn @ across, turn @ along
        for other in laid:
            if np.abs(np.linalg.solve(_basis(other.corners), centre - other.corners.mean(0))).max() < 0.85:
                return None
    return np.asarray(
        [centre - across - along, centre + across - along, centre + across + along, centre - across + along]
    )


def _basis(corners: Points) -> Points:
    return np.column_stack([(corners[1] - corners[0]) / 2, (corners[3] - corners[0]) / 2])


def surfaces(rng: Rng, count: int = 60) -> list[Image]:
    """Table tops to cut backgrounds from."""
    return [surface(rng, (420, 420), float(np.exp(rng.uniform(-0.7, 1.4)))) for _ in range(count)]


def build_bank(folder: Path, count: int, seed: int, *, held_out: bool = False) -> None:
    """Write count crops as crops.npy [n, 80, 60, 3] BGR and labels.npy [n, 2] (symbol, ink), all upright."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    crops = np.lib.format.open_memmap(folder / "crops.npy", mode="w+", dtype=np.uint8, shape=(count, *WIDE_CROP, 3))
    labels = np.full((count, 2), UNKNOWN, np.int8)
    grounds = surfaces(rng)
    done = 0
    while done < count:
        style = box_style(rng, held_out=held_out)
        for image, label in (sample for _ in range(2) for sample in render(rng, style, grounds)):
            if done < count:
                crops[done], labels[done] = image, (label.symbol, label.ink)
                done += 1
    crops.flush()
    np.save(folder / "labels.npy", labels)
