"""A picture with its reading drawn on it: sets outlined by verdict, tiles named, doubts in amber."""

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from referee.reading.observation import TableReading, TileReading
from referee.rules.tiles import Colour, NumberTile
from referee.vision.image.colour_channels import PRINTED
from referee.vision.image.frame import Image

_Bgr = tuple[int, int, int]  # blue, green, red
_LOOSE, _DOUBT, _BACK, _PAPER = (160,) * 3, (0, 170, 255), (170, 110, 110), (255,) * 3
_TEXT = PRINTED[Colour.BLACK]
_MAX_LINE_CHARACTERS = 34  # of a reason
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_MIN_LONG_SIDE = 1600  # pixels: smaller pictures are enlarged so that names can be read
_MAX_LONG_SIDE = 2400  # pixels: larger pictures are shrunk to be seen whole


@unique
class SetState(Enum):
    """The state of a set and its colour (blue, green, red)."""

    SEEN = PRINTED[Colour.BLUE]
    LEGAL = (70, 170, 40)
    ILLEGAL = PRINTED[Colour.RED]
    DOUBT = _DOUBT


@dataclass(frozen=True, slots=True)
class Mark:
    """How a set is drawn: its state, its reason, and its kind where known."""

    state: SetState
    reason: str = ""
    kind: str | None = None


def draw(image: Image, reading: TableReading, marks: Sequence[Mark] | None = None) -> Image:
    """Return a new picture, 1600 to 2400 pixels on its long side, with the reading's best layout drawn on it.

    `marks`, one per set, give its verdict; without them sets are drawn as not judged.
    """
    height, width = image.shape[:2]
    scale = min(max(1.0, _MIN_LONG_SIDE / max(height, width)), _MAX_LONG_SIDE / max(height, width))
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    canvas = np.asarray(cv2.resize(image, size, interpolation=way), np.uint8)
    quads = [np.array(tile.quad, np.float32) * scale for tile in reading.tiles]
    sizes = [float(np.linalg.norm(quad[1] - quad[0])) for quad in quads]
    unit = max(float(np.median(sizes)), 12.0) if sizes else 24.0
    layout = reading.layouts[0]
    marks = marks or [Mark(SetState.SEEN)] * len(layout.sets)
    frames = {index: mark.state.value for row, mark in zip(layout.sets, marks, strict=True) for index in row}
    outlines = [np.concatenate([_scaled(quads[index], 1.22) for index in row]) for row in layout.sets]
    for outline, mark in zip(outlines, marks, strict=True):
        _outline(canvas, outline, mark.state.value, _thickness(unit, 0.09))
    for index, (tile, quad) in enumerate(zip(reading.tiles, quads, strict=True)):
        colour = _DOUBT if tile.doubtful else frames.get(index, _BACK if tile.tile is None else _LOOSE)
        cv2.polylines(
            canvas, [_points(quad)], True, colour, _thickness(unit, 0.09 if tile.doubtful else 0.05), cv2.LINE_AA
        )
    doubts_on_top = sorted(zip(reading.tiles, quads, strict=True), key=lambda pair: pair[0].doubtful)
    for tile, quad in doubts_on_top:
        _label(canvas, quad, tile, unit)
    for row, outline, mark in zip(layout.sets, outlines, marks, strict=True):
        asked = any(reading.tiles[index].doubtful for index in row)  # its doubtful tile says so
        if mark.reason and not asked:
            _explain(canvas, outline, mark, unit)
    return _with_legend(canvas, reading, marks)


def _explain(canvas: Image, outline: npt.NDArray[np.float32], mark: Mark, unit: float) -> None:
    """Draw the reason on plates below the set, or above it at the picture's lower edge."""
    lines = textwrap.wrap(mark.reason, _MAX_LINE_CHARACTERS)
    height = min(max(unit * 0.3, 10.0), 26.0)
    step = height * 1.5
    top = float(outline[:, 1].max()) + step
    if top + step * len(lines) > canvas.shape[0]:
        top = float(outline[:, 1].min()) - step * len(lines)
    for place, line in enumerate(lines):
        centre = np.array([outline[:, 0].mean(), top + place * step], np.float32)
        _plate(
            canvas, line, centre, height, ink=_TEXT if mark.state is SetState.DOUBT else _PAPER, paper=mark.state.value
        )


def _thickness(unit: float, share: float) -> int:
    return max(1, round(unit * share))


def _points(quad: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    return np.round(quad).astype(np.int32)


def _scaled(quad: npt.NDArray[np.float32], factor: float) -> npt.NDArray[np.float32]:
    centre = quad.mean(axis=0)
    return np.asarray(centre + (quad - centre) * factor, np.float32)


def _outline(canvas: Image, points: npt.NDArray[np.float32], colour: _Bgr, thickness: int) -> None:
    """Draw the convex hull of a set's tiles, edged in dark to show on light cloth."""
    hull = _points(cv2.convexHull(points).reshape(-1, 2))
    cv2.polylines(canvas, [hull], True, (40, 40, 40), thickness + 2, cv2.LINE_AA)
    cv2.polylines(canvas, [hull], True, colour, thickness, cv2.LINE_AA)


def _label(canvas: Image, quad: npt.NDArray[np.float32], tile: TileReading, unit: float) -> None:
    """Draw the tile's name on a plate at its lower edge, and the alternatives below a doubtful one."""
    text = "back" if tile.tile is None else str(tile.tile)
    ink = PRINTED[tile.tile.colour] if isinstance(tile.tile, NumberTile) else _TEXT
    middle, down = quad.mean(axis=0), (quad[2] + quad[3] - quad[0] - quad[1]) / 4
    height = min(max(unit * 0.32, 10.0), 32.0)
    if not tile.doubtful:
        _plate(canvas, text, middle + down * 0.84, height, ink=ink, paper=_PAPER)
        return
    _plate(canvas, f"{text}?", middle + down * 0.84, height, ink=_TEXT, paper=_DOUBT)
    others = " ".join(str(other) for other, _ in tile.alternatives[:2])
    if others:
        _plate(canvas, others, middle + down * 1.5, height * 0.8, ink=_TEXT, paper=_DOUBT)


def _plate(canvas: Image, text: str, centre: npt.NDArray[np.float32], height: float, *, ink: _Bgr, paper: _Bgr) -> None:
    """Draw text on a filled plate, kept inside the picture."""
    scale = height / 22  # the font's capitals are 22 pixels high at scale 1
    thickness = max(1, round(height / 9))
    (width, _), _ = cv2.getTextSize(text, _FONT, scale, thickness)
    pad = max(2, round(height * 0.22))
    left = int(min(max(centre[0] - width / 2, pad), max(canvas.shape[1] - width - pad, pad)))
    base = int(min(max(centre[1] + height / 2, height + pad), canvas.shape[0] - pad))
    corner = (left - pad, round(base - height - pad))
    cv2.rectangle(canvas, corner, (left + width + pad, base + pad), paper, cv2.FILLED)
    cv2.rectangle(canvas, corner, (left + width + pad, base + pad), (90, 90, 90), 1, cv2.LINE_AA)
    cv2.putText(canvas, text, (left, base), _FONT, scale, ink, thickness, cv2.LINE_AA)


def _with_legend(canvas: Image, reading: TableReading, marks: Sequence[Mark]) -> Image:
    """Return the picture with a legend below it: the counts, and what the colours mean."""
    counts = _counts(reading, marks)
    strip = np.full((44, canvas.shape[1], 3), 250, np.uint8)
    left = 12
    for words, colour in counts:
        if left + 30 > canvas.shape[1]:
            break
        cv2.rectangle(strip, (left, 14), (left + 16, 30), colour, cv2.FILLED)
        cv2.putText(strip, words, (left + 24, 29), _FONT, 0.6, _TEXT, 1, cv2.LINE_AA)
        left += 24 + cv2.getTextSize(words, _FONT, 0.6, 1)[0][0] + 28
    return np.asarray(np.vstack([canvas, strip]), np.uint8)


def _counts(reading: TableReading, marks: Sequence[Mark]) -> Sequence[tuple[str, _Bgr]]:
    layout, unsure = reading.layouts[0], len(reading.unsure)
    backs = sum(tile.tile is None for tile in reading.tiles)
    sets = Counter(mark.state for mark in marks)
    all_counts = (
        (sets[SetState.SEEN], "set, not judged", "sets, not judged", SetState.SEEN.value),
        (sets[SetState.LEGAL], "set", "sets", SetState.LEGAL.value),
        (sets[SetState.ILLEGAL], "that is no set", "that are no sets", SetState.ILLEGAL.value),
        (sets[SetState.DOUBT], "set in doubt", "sets in doubt", SetState.DOUBT.value),
        (len(layout.loose), "loose tile", "loose tiles", _LOOSE),
        (unsure, "tile in doubt", "tiles in doubt", _DOUBT),
        (backs, "tile face down", "tiles face down", _BACK),
    )
    counts = [(f"{count} {one if count == 1 else many}", colour) for count, one, many, colour in all_counts if count]
    return counts or [("no tiles", _LOOSE)]
