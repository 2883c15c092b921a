"""Draws the jokers of many plausible boxes: regular, double, colour-change and mirror, in one ink or several."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt

Rng = np.random.Generator
Mask = npt.NDArray[np.uint8]
Layer = npt.NDArray[np.float32]
Colour = tuple[int, int, int]
Inks = tuple[Colour, Colour, Colour, Colour]
Spot = tuple[float, float, float]
"""A head's middle and radius in pixels."""

_REGULAR = ("face",) * 12 + ("star", "letter", "crown")
_DOUBLE = ("overlap", "stacked", "side by side", "diagonal", "badge")
_CHANGE = ("quarters", "halves", "ring", "arrows", "dots", "stripes", "face arrows")
_ALWAYS_GAUDY = ("quarters", "halves", "ring", "stripes")
_MIRROR = ("split", "negative", "facing", "arrows", "upside down", "half drawn")


@dataclass(frozen=True, slots=True, kw_only=True)
class JokerStyle:
    """One box's drawings; lengths are fractions of the head's radius, or of the tile's height where it says so."""

    regular: str
    double: str
    change: str
    mirror: str
    size: float  # head's radius of the tile's height
    centre: float  # of the tile's height
    line: float
    head: Literal["ring", "filled", "egg", "none"]
    eyes: Literal["dots", "arcs", "ovals", "rings", "crosses"]
    eye_gap: float
    eye_height: float
    brows: bool
    nose: Literal["none", "dot", "line", "ring"]
    mouth: Literal["smile", "grin", "open", "teeth", "wavy"]
    mouth_width: float
    cheeks: bool
    hat: Literal["none", "three points", "two points", "top hat", "crown"]
    collar: bool
    gaudy: float  # how likely a special joker has several inks


def joker_style(rng: Rng) -> JokerStyle:
    """One box's drawings by chance; bare round faces, which most boxes have, come most."""

    def pick(*choices: str, p: list[float] | None = None) -> str:
        return str(rng.choice(choices, p=p))

    return JokerStyle(
        regular=pick(*_REGULAR),
        double=pick(*_DOUBLE),
        change=pick(*_CHANGE),
        mirror=pick(*_MIRROR),
        size=float(rng.uniform(0.15, 0.28)),
        centre=float(rng.uniform(0.3, 0.46)),
        line=float(rng.uniform(0.07, 0.2)),
        head=pick("ring", "filled", "egg", "none", p=[0.6, 0.15, 0.15, 0.1]),  # type: ignore[arg-type]
        eyes=pick("dots", "arcs", "ovals", "rings", "crosses"),  # type: ignore[arg-type]
        eye_gap=float(rng.uniform(0.28, 0.45)),
        eye_height=float(rng.uniform(0.12, 0.35)),
        brows=bool(rng.random() < 0.4),
        nose=pick("none", "dot", "line", "ring"),  # type: ignore[arg-type]
        mouth=pick("smile", "grin", "open", "teeth", "wavy", p=[0.4, 0.2, 0.15, 0.15, 0.1]),  # type: ignore[arg-type]
        mouth_width=float(rng.uniform(0.4, 0.68)),
        cheeks=bool(rng.random() < 0.25),
        hat=pick("none", "three points", "two points", "top hat", "crown", p=[0.55, 0.2, 0.1, 0.05, 0.1]),  # type: ignore[arg-type]
        collar=bool(rng.random() < 0.12),
        gaudy=float(rng.choice([0.0, 1.0, 0.5])),
    )


def draw_joker(rng: Rng, kind: str, style: JokerStyle, layer: Layer, *, inks: Inks, first: int) -> bool:
    """Lay a joker (BGR and cover) into a face, in the first-named of the inks; tells whether it has several."""
    height, width = layer.shape[:2]
    scale = 2
    pen = _Pen(rng, style, np.zeros((height * scale, width * scale), np.uint8))
    size = min(style.size * height, width * 0.42 / (1 + 0.3 * (style.hat != "none"))) * scale
    middle = (width * scale / 2, style.centre * height * scale, size)
    drawing = {"J": style.regular, "JD": style.double, "JC": style.change, "JM": style.mirror}[kind]
    pen.draw(kind, drawing, middle)
    cover = cv2.resize(pen.mask, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32) / np.float32(255)
    # in one ink a disc, ring or bars would be no other than somebody's regular joker
    gaudy = kind == "JC" and (drawing in _ALWAYS_GAUDY or rng.random() < style.gaudy)
    gaudy = gaudy or (kind in {"JD", "JM"} and rng.random() < style.gaudy * 0.5)
    layer[..., :3] = inks[first]
    if gaudy:
        _colour_in(rng, style, inks, layer, kind)
    layer[..., 3] = cover
    return gaudy


def _colour_in(rng: Rng, style: JokerStyle, inks: Inks, layer: Layer, kind: str) -> None:
    """Give parts of the drawing their own inks, as pies, halves or bands round its middle."""
    height, width = layer.shape[:2]
    order = rng.permutation(4)
    y = np.arange(height, dtype=np.float32)[:, None] - np.float32(style.centre * height)
    x = np.arange(width, dtype=np.float32)[None, :] - np.float32(width / 2)
    parts = 4 if kind == "JC" and rng.random() < 0.7 else 2
    if rng.random() < 0.6 or parts == 4:
        turn = rng.choice([0.0, math.pi / 4])
        index = ((np.arctan2(y, x) + np.float32(turn + math.pi)) / np.float32(2 * math.pi) * parts).astype(int) % parts
    else:
        index = np.broadcast_to((x > 0).astype(int), (height, width))
    for part in range(parts):
        layer[index == part, :3] = inks[int(order[part])]


@dataclass(slots=True)
class _Pen:
    """Draws one joker's parts on a mask twice the face's size."""

    rng: Rng
    style: JokerStyle
    mask: Mask

    def draw(self, kind: str, drawing: str, at: Spot) -> None:
        match kind:
            case "J":
                self._regular(drawing, at)
            case "JD":
                self._double(drawing, at)
            case "JC":
                self._change(drawing, at)
            case _:
                self._mirror(drawing, at)

    def _regular(self, drawing: str, at: Spot) -> None:
        if drawing == "star":
            self._star(at)
        elif drawing == "letter":
            self._text("J" if self.style.size < 0.2 else "JOKER", at)
        elif drawing == "crown":
            self._hat((at[0], at[1] + at[2], at[2] * 1.1), "crown")
        else:
            self.head(at)

    def _double(self, drawing: str, at: Spot) -> None:
        x, y, r = at
        half = 0.62 * r
        match drawing:
            case "overlap":
                self.head((x - 0.4 * r, y - 0.3 * r, 0.75 * r))
                self._clear((x + 0.4 * r, y + 0.35 * r, 0.85 * r))
                self.head((x + 0.4 * r, y + 0.35 * r, 0.75 * r))
            case "stacked":
                self.head((x, y - 0.55 * r, half))
                self.head((x, y + 0.95 * r, half))
            case "side by side":
                self.head((x - 0.7 * r, y, half))
                self.head((x + 0.7 * r, y, half))
            case "diagonal":
                self.head((x - 0.6 * r, y - 0.5 * r, half))
                self.head((x + 0.6 * r, y + 0.75 * r, half))
            case _:
                self.head((x, y, 0.9 * r))
                self._text("x2" if self.style.line > 0.12 else "2x", (x, y + 1.55 * r, 0.5 * r))

    def _change(self, drawing: str, at: Spot) -> None:
        x, y, r = at
        match drawing:
            case "quarters" | "halves":
                cv2.circle(self.mask, _at(x, y), round(r), 255, -1, cv2.LINE_AA)
                self._features((x, y, r), 0)
            case "ring":
                self._ring((x, y, 1.1 * r), 0.3)
                self._features((x, y, 0.85 * r), 255)
            case "arrows":
                self._round_arrows((x, y, r))
            case "dots":
                self.head((x, y - 0.2 * r, 0.85 * r))
                for place in (-1.2, -0.4, 0.4, 1.2):
                    cv2.circle(self.mask, _at(x + place * r * 0.75, y + 1.15 * r), round(0.2 * r), 255, -1, cv2.LINE_AA)
            case "stripes":
                for place in (-0.9, -0.3, 0.3, 0.9):
                    a, b = _at(x + place * r - 0.2 * r, y - r), _at(x + place * r + 0.2 * r, y + r)
                    cv2.rectangle(self.mask, a, b, 255, -1)
            case _:
                self._round_arrows((x, y, 1.15 * r))
                self._features((x, y, 0.75 * r), 255)

    def _mirror(self, drawing: str, at: Spot) -> None:
        x, y, r = at
        thick = self._thick(r)
        match drawing:
            case "split":
                self.head(at)
                cv2.line(self.mask, _at(x, y - 1.35 * r), _at(x, y + 1.35 * r), 255, thick, cv2.LINE_AA)
            case "negative" | "half drawn":
                left = np.zeros_like(self.mask)
                cv2.circle(left, _at(x, y), round(r), 255, -1, cv2.LINE_AA)
                pen = _Pen(self.rng, self.style, left)
                pen._features(at, 0)
                if drawing == "negative":
                    self._ring(at, self.style.line)
                    self._features(at, 255)
                middle = round(x)
                self.mask[:, :middle] = left[:, :middle]
                cv2.line(self.mask, _at(x, y - 1.2 * r), _at(x, y + 1.2 * r), 255, max(1, thick // 2), cv2.LINE_AA)
            case "facing":
                for side in (-1, 1):
                    self._profile(x + side * 0.25 * r, y, r, side)
                cv2.line(self.mask, _at(x, y - r), _at(x, y + r), 255, max(1, thick // 2), cv2.LINE_AA)
            case "arrows":
                cv2.line(self.mask, _at(x, y - r), _at(x, y + r), 255, thick, cv2.LINE_AA)
                for side in (-1, 1):
                    tip, foot = x + side * 1.15 * r, x + side * 0.3 * r
                    outline = [(tip, y), (foot, y - 0.65 * r), (foot, y + 0.65 * r)]
                    self._polygon(outline, filled=self.style.head != "none")
            case _:
                self.head((x, y - 0.55 * r, 0.6 * r))
                flipped = _Pen(self.rng, self.style, np.zeros_like(self.mask))
                flipped.head((x, y - 0.55 * r, 0.6 * r))
                matrix = np.asarray([[1, 0, 0], [0, -1, 2 * (y + 0.2 * r)]], np.float64)
                size = (self.mask.shape[1], self.mask.shape[0])
                np.maximum(self.mask, cv2.warpAffine(flipped.mask, matrix, size), out=self.mask)
                cv2.line(
                    self.mask, _at(x - r, y + 0.2 * r), _at(x + r, y + 0.2 * r), 255, max(1, thick // 2), cv2.LINE_AA
                )

    def head(self, at: Spot) -> None:
        x, y, r = at
        style = self.style
        match style.head:
            case "filled":
                cv2.circle(self.mask, _at(x, y), round(r), 255, -1, cv2.LINE_AA)
            case "egg":
                cv2.ellipse(
                    self.mask, _at(x, y), (round(0.82 * r), round(r)), 0, 0, 360, 255, self._thick(r), cv2.LINE_AA
                )
            case "ring":
                self._ring(at, style.line)
            case "none":
                pass
        self._features(at, 0 if style.head == "filled" else 255)
        if style.hat != "none":
            self._hat((x, y - 0.75 * r, r), style.hat)
        if style.collar:
            points = [(x + (i - 3) * 0.35 * r, y + (1.1 if i % 2 else 1.45) * r) for i in range(7)]
            self._polygon([*points, (x + 0.5 * r, y + 0.95 * r), (x - 0.5 * r, y + 0.95 * r)], filled=True)

    def _features(self, at: Spot, ink: int) -> None:
        x, y, r = at
        style = self.style
        thick = max(1, round(style.line * 0.8 * r))
        for side in (-1, 1):
            self._eye(x + side * style.eye_gap * r, y - style.eye_height * r, r, ink)
            if style.brows:
                centre = _at(x + side * style.eye_gap * r, y - (style.eye_height + 0.12) * r)
                cv2.ellipse(self.mask, centre, (round(0.2 * r), round(0.16 * r)), 0, 200, 340, ink, thick, cv2.LINE_AA)
            if style.cheeks:
                cv2.circle(
                    self.mask, _at(x + side * 0.62 * r, y + 0.2 * r), max(1, round(0.12 * r)), ink, 1, cv2.LINE_AA
                )
        match style.nose:
            case "dot":
                cv2.circle(self.mask, _at(x, y + 0.08 * r), max(1, round(0.12 * r)), ink, -1, cv2.LINE_AA)
            case "ring":
                cv2.circle(self.mask, _at(x, y + 0.08 * r), max(1, round(0.14 * r)), ink, thick, cv2.LINE_AA)
            case "line":
                cv2.line(self.mask, _at(x, y - 0.1 * r), _at(x, y + 0.15 * r), ink, thick, cv2.LINE_AA)
            case "none":
                pass
        self._mouth(x, y + 0.15 * r, r, ink, thick)

    def _eye(self, x: float, y: float, r: float, ink: int) -> None:
        small, thick = max(1, round(0.11 * r)), max(1, round(self.style.line * 0.7 * r))
        match self.style.eyes:
            case "dots":
                cv2.circle(self.mask, _at(x, y), small, ink, -1, cv2.LINE_AA)
            case "ovals":
                cv2.ellipse(self.mask, _at(x, y), (small, round(small * 1.8)), 0, 0, 360, ink, -1, cv2.LINE_AA)
            case "rings":
                cv2.circle(self.mask, _at(x, y), round(small * 1.4), ink, thick, cv2.LINE_AA)
            case "arcs":
                cv2.ellipse(
                    self.mask, _at(x, y), (round(small * 1.7), round(small * 1.5)), 0, 190, 350, ink, thick, cv2.LINE_AA
                )
            case "crosses":
                d = small * 1.3
                cv2.line(self.mask, _at(x - d, y - d), _at(x + d, y + d), ink, thick, cv2.LINE_AA)
                cv2.line(self.mask, _at(x - d, y + d), _at(x + d, y - d), ink, thick, cv2.LINE_AA)

    def _mouth(self, x: float, y: float, r: float, ink: int, thick: int) -> None:
        half = self.style.mouth_width * r
        axes = (round(half), round(half * 0.75))
        match self.style.mouth:
            case "smile":
                cv2.ellipse(self.mask, _at(x, y), axes, 0, 15, 165, ink, thick, cv2.LINE_AA)
            case "grin":
                cv2.ellipse(self.mask, _at(x, y), axes, 0, 0, 180, ink, thick, cv2.LINE_AA)
                cv2.line(self.mask, _at(x - half, y), _at(x + half, y), ink, thick, cv2.LINE_AA)
            case "open":
                cv2.ellipse(self.mask, _at(x, y), axes, 0, 0, 180, ink, -1, cv2.LINE_AA)
            case "teeth":
                cv2.ellipse(self.mask, _at(x, y), axes, 0, 0, 180, ink, -1, cv2.LINE_AA)
                cv2.line(
                    self.mask,
                    _at(x - half * 0.8, y + half * 0.25),
                    _at(x + half * 0.8, y + half * 0.25),
                    255 - ink,
                    thick,
                )
            case "wavy":
                xs = np.linspace(-half, half, 16)
                ys = y + 0.3 * r + np.sin(xs / half * math.pi) * 0.12 * r
                points = np.round(np.column_stack([x + xs, ys])).astype(np.int32)
                cv2.polylines(self.mask, [points], False, ink, thick, cv2.LINE_AA)

    def _hat(self, at: Spot, kind: str) -> None:
        x, y, r = at
        match kind:
            case "three points" | "two points":
                tips = (-1.15, 0.0, 1.15) if kind == "three points" else (-1.1, 1.1)
                foot = [(x + 0.7 * r, y + 0.1 * r), (x - 0.7 * r, y + 0.1 * r)]
                crest: list[tuple[float, float]] = []
                for index, tip in enumerate(tips):
                    crest.append((x + tip * r, y - (0.75 if tip == 0 else 0.35) * r))
                    if index < len(tips) - 1:
                        crest.append((x + (tip + tips[index + 1]) / 2 * r, y - 0.2 * r))
                self._polygon([*foot, *crest], filled=self.style.line > 0.1)
                for tip in tips:
                    ball = _at(x + tip * r, y - (0.85 if tip == 0 else 0.42) * r)
                    cv2.circle(self.mask, ball, max(1, round(0.15 * r)), 255, -1, cv2.LINE_AA)
            case "top hat":
                cv2.rectangle(self.mask, _at(x - 0.55 * r, y - 0.75 * r), _at(x + 0.55 * r, y), 255, -1)
                cv2.line(self.mask, _at(x - 0.95 * r, y), _at(x + 0.95 * r, y), 255, self._thick(r), cv2.LINE_AA)
            case _:
                crest = [(x + (i - 2) * 0.4 * r, y - (0.75 if i % 2 == 0 else 0.3) * r) for i in range(5)]
                self._polygon([(x + 0.75 * r, y), (x - 0.75 * r, y), *crest], filled=self.style.line > 0.1)

    def _profile(self, x: float, y: float, r: float, side: int) -> None:
        """A face from the side that looks at the mirror."""
        outline = [
            (0.9, -0.9),
            (0.3, -0.85),
            (0.15, -0.35),
            (-0.1, 0.05),
            (0.15, 0.15),
            (0.1, 0.4),
            (0.3, 0.8),
            (0.9, 0.9),
        ]
        self._polygon([(x + side * px * r, y + py * r) for px, py in outline], filled=self.style.head == "filled")
        eye = 0 if self.style.head == "filled" else 255
        self._eye(x + side * 0.45 * r, y - 0.3 * r, r, eye)

    def _round_arrows(self, at: Spot) -> None:
        x, y, r = at
        thick = self._thick(r) + 1
        for start in (20, 200):
            cv2.ellipse(self.mask, _at(x, y), (round(r), round(r)), 0, start, start + 125, 255, thick, cv2.LINE_AA)
            angle = math.radians(start + 130)
            tip = (x + r * math.cos(angle + 0.35), y + r * math.sin(angle + 0.35))
            inner = (x + 0.68 * r * math.cos(angle), y + 0.68 * r * math.sin(angle))
            outer = (x + 1.32 * r * math.cos(angle), y + 1.32 * r * math.sin(angle))
            self._polygon([tip, inner, outer], filled=True)

    def _star(self, at: Spot) -> None:
        x, y, r = at
        points = []
        for i in range(10):
            reach = r if i % 2 == 0 else 0.42 * r
            points.append((x + reach * math.sin(i * math.pi / 5), y - reach * math.cos(i * math.pi / 5)))
        self._polygon(points, filled=self.style.head == "filled" or self.style.line > 0.12)

    def _text(self, text: str, at: Spot) -> None:
        x, y, r = at
        thick = max(1, round(0.3 * r))
        (wide, tall), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, 1, thick)
        scale = min(2 * r / wide, 2 * r / tall)
        thick = max(1, round(thick * min(1.0, scale)))
        origin = _at(x - wide * scale / 2, y + tall * scale / 2)
        cv2.putText(self.mask, text, origin, cv2.FONT_HERSHEY_DUPLEX, scale, 255, thick, cv2.LINE_AA)

    def _ring(self, at: Spot, line: float) -> None:
        x, y, r = at
        cv2.circle(self.mask, _at(x, y), round(r), 255, max(1, round(line * r)), cv2.LINE_AA)

    def _clear(self, at: Spot) -> None:
        x, y, r = at
        cv2.circle(self.mask, _at(x, y), round(r), 0, -1, cv2.LINE_AA)

    def _polygon(self, points: list[tuple[float, float]], *, filled: bool) -> None:
        outline = np.round(np.asarray(points)).astype(np.int32)
        if filled:
            cv2.fillPoly(self.mask, [outline], 255, cv2.LINE_AA)
        else:
            cv2.polylines(self.mask, [outline], True, 255, max(1, self._thick(self.style.size * 100)), cv2.LINE_AA)

    def _thick(self, r: float) -> int:
        return max(1, round(self.style.line * r))


def _at(x: float, y: float) -> tuple[int, int]:
    return round(x), round(y)
