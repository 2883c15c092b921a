"""Photographed tiles printed anew, as other boxes print theirs: smaller, thinner, bolder, aslant, paler, another body.

Photographs of other boxes are hard to come by. But body and print of each photographed tile can be told apart, and the
print changed and laid on the body again: what was seen by the camera stays, and what the box decides is another. What
touches the edge of a face (shadows, rims, neighbours) stays as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import cv2
import numpy as np

from models.training.data.corruptions import Change, Points
from models.training.data.render.lens import Floats
from referee.vision.image.frame import Image

Print = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""The body [128, 96, 3] of a tile in 0..255 and its print, as what share of the body's light it leaves, into others."""

Mark = Callable[[Floats], Floats]
"""Where a digit is printed on an upright tile [128, 96], in 0..1, into where a mark below it is."""

_HIGH, _WIDE = 128, 96  # pixels of a tile while its print is changed
_RIM = 4  # of them: the edges of the tile itself stay
_BROADEST_STROKE = 31  # of them
_PRINTED = 0.3  # of the body's light, in some channel, that a print takes away at least
_MIN_PRINT_PX = 60  # pixels: less is no print
_MARK = (_WIDE // 2, 90)  # pixels: the middle of a mark below the digit
_LOWER = 0.17  # of a tile's height: so far above the middle do the digits stand


def _reprinted(change: Print) -> Change:
    """The change of a picture in which every tile's print is changed."""

    def printed(image: Image, outlines: Sequence[Points]) -> tuple[Image, list[Points]]:
        result = image.astype(np.float32)
        for outline in outlines:
            _print_anew(result, outline, change)
        return np.clip(result, 0, 255).astype(np.uint8), list(outlines)

    return printed


def _print_anew(image: Floats, outline: Points, change: Print) -> None:
    """Change a tile of a picture in place; one whose print cannot be told from its edges is left alone."""
    face = np.array([[0, 0], [_WIDE, 0], [_WIDE, _HIGH], [0, _HIGH]], np.float32)
    there = cv2.getPerspectiveTransform(_corners(outline), face)
    tile = cv2.warpPerspective(image, there, (_WIDE, _HIGH), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    body = _body(tile)
    share = np.clip((tile + 1) / (body + 1), 0.02, 1.2)
    mask = _printed(share)
    if mask.sum() < _MIN_PRINT_PX:
        return
    others = 1 + (share - 1) * (1 - mask[..., None])
    new_body, print_ = change(body, np.asarray(1 + (share - 1) * mask[..., None], np.float32))
    seen = np.zeros((_HIGH, _WIDE), np.float32)
    seen[_RIM:-_RIM, _RIM:-_RIM] = 1
    size, flags = (image.shape[1], image.shape[0]), cv2.WARP_INVERSE_MAP | cv2.INTER_LINEAR
    back = cv2.warpPerspective(np.asarray(new_body * others * print_, np.float32), there, size, flags=flags)
    part = cv2.warpPerspective(cv2.GaussianBlur(seen, (0, 0), 1.5), there, size, flags=flags)[..., None]
    image += (back - image) * part


def _corners(outline: Points) -> Points:
    """Of the rectangle about an outline, one of its short sides first."""
    corners = cv2.boxPoints(cv2.minAreaRect(outline))
    lying = np.hypot(*(corners[1] - corners[0])) > np.hypot(*(corners[2] - corners[1]))
    return np.asarray(np.roll(corners, 1, 0) if lying else corners, np.float32)


def _body(tile: Floats) -> Floats:
    """The tile without what is printed on it: darker strokes filled from beside them."""
    whole_levels = np.clip(tile, 0, 255).astype(np.uint8)
    filled = cv2.morphologyEx(whole_levels, cv2.MORPH_CLOSE, np.ones((_BROADEST_STROKE, _BROADEST_STROKE), np.uint8))
    return np.asarray(cv2.GaussianBlur(cv2.medianBlur(filled, 15).astype(np.float32), (0, 0), 6), np.float32)


def _printed(share: Floats) -> Floats:
    """Where something is printed, in 0..1: dark spots that touch no edge, and what is just beside them."""
    dark = (share.min(axis=2) < 1 - _PRINTED).astype(np.uint8)
    _, spots, boxes, _ = cv2.connectedComponentsWithStats(dark, connectivity=8)
    left, top, width, height = boxes[:, :4].T
    rim = _RIM + 2
    inside = (left > rim) & (top > rim) & (left + width < _WIDE - rim) & (top + height < _HIGH - rim)
    kept = cv2.dilate(inside[spots].astype(np.float32), np.ones((7, 7), np.uint8))
    return np.asarray(cv2.GaussianBlur(kept, (0, 0), 1), np.float32)


def _moved(*, larger: float = 1.0, aslant: float = 0.0, aside: float = 0.0) -> Print:
    """The print so many times as large about its middle, sheared, and moved by a part of the tile's height."""

    def moved(body: Floats, print_: Floats) -> tuple[Floats, Floats]:
        weight = 1 - print_.min(axis=2)
        y, x = (float((axis * weight).sum() / weight.sum()) for axis in np.mgrid[:_HIGH, :_WIDE])
        matrix = np.array([[larger, aslant, x - larger * x - aslant * y], [0, larger, y - larger * y + aside * _HIGH]])
        white = (1.0, 1.0, 1.0)
        return body, np.asarray(cv2.warpAffine(print_, matrix, (_WIDE, _HIGH), borderValue=white), np.float32)

    return moved


def _in_the_middle(body: Floats, print_: Floats) -> tuple[Floats, Floats]:
    """The digits moved down to the middle of the tile and underlined, or nothing would tell a 6 from a 9 there."""
    turned = _is_turned(print_)
    _, moved = _moved(aside=-_LOWER if turned else _LOWER)(body, print_)
    return body, _marked(moved, _line, turned=turned)


def _and(mark: Mark) -> Print:
    """A mark below the digit, in its ink."""
    return lambda body, print_: (body, _marked(print_, mark, turned=_is_turned(print_)))


def _marked(print_: Floats, mark: Mark, *, turned: bool) -> Floats:
    upright = print_[::-1, ::-1] if turned else print_
    cover = cv2.GaussianBlur(mark(1 - upright.min(axis=2)), (0, 0), 0.7)[..., None]
    marked = np.minimum(upright, 1 + (_ink_of(upright) - 1) * cover).astype(np.float32)
    return np.ascontiguousarray(marked[::-1, ::-1]) if turned else marked


def printed_with(mask: Floats) -> Change:
    """The change of a picture in which every tile has this print (0..1, of any size) in the ink of its own."""
    cover = cv2.GaussianBlur(cv2.resize(mask, (_WIDE, _HIGH), interpolation=cv2.INTER_AREA), (0, 0), 0.7)[..., None]

    def printed(body: Floats, print_: Floats) -> tuple[Floats, Floats]:
        upright = np.asarray(1 + (_ink_of(print_) - 1) * cover, np.float32)
        return body, np.ascontiguousarray(upright[::-1, ::-1]) if _is_turned(print_) else upright

    return _reprinted(printed)


def _ink_of(print_: Floats) -> Floats:
    """What share of blue, green and red the darkest of a print leaves."""
    return np.asarray(
        print_.reshape(-1, 3)[print_.min(axis=2).ravel().argsort()[:_MIN_PRINT_PX]].mean(axis=0), np.float32
    )


def _is_turned(print_: Floats) -> bool:
    """Whether the digits, which stand in the upper half, stand in the lower one."""
    weight = 1 - print_.min(axis=2)
    return float((weight.sum(axis=1) * np.arange(_HIGH)).sum() / weight.sum()) > _HIGH / 2


def _dot(_: Floats) -> Floats:
    return cv2.circle(np.zeros((_HIGH, _WIDE), np.float32), _MARK, 8, 1.0, -1, cv2.LINE_AA)


def _ring(_: Floats) -> Floats:
    return cv2.circle(np.zeros((_HIGH, _WIDE), np.float32), _MARK, 11, 1.0, 3, cv2.LINE_AA)


def _heart(_: Floats) -> Floats:
    heart = np.zeros((_HIGH, _WIDE), np.float32)
    for side in (-5, 5):
        cv2.circle(heart, (_MARK[0] + side, _MARK[1]), 5, 1.0, -1, cv2.LINE_AA)
    point = np.array([(-10, 2), (10, 2), (0, 14)]) + _MARK
    return cv2.fillConvexPoly(heart, point.astype(np.int32), 1.0, cv2.LINE_AA)


def _line(digit: Floats) -> Floats:
    foot = int(np.nonzero(digit.max(axis=1) > _PRINTED)[0].max(initial=_HIGH // 2)) + 6
    line = np.zeros((_HIGH, _WIDE), np.float32)
    return cv2.line(line, (_MARK[0] - 14, foot), (_MARK[0] + 14, foot), 1.0, 4, cv2.LINE_AA)


def _once_more(digit: Floats) -> Floats:
    """The same digit at four tenths of its size."""
    rows, columns = (np.nonzero(digit.max(axis=axis) > _PRINTED)[0] for axis in (1, 0))
    middle = (columns[0] + columns[-1]) / 2, (rows[0] + rows[-1]) / 2
    matrix = np.array([[0.4, 0, _MARK[0] - 0.4 * middle[0]], [0, 0.4, _MARK[1] - 0.4 * middle[1]]])
    return np.asarray(cv2.warpAffine(digit, matrix, (_WIDE, _HIGH), flags=cv2.INTER_AREA), np.float32)


def _thinner(pixels: int) -> Print:
    return lambda body, print_: (body, _of_strokes(cv2.MORPH_DILATE, print_, pixels))


def _bolder(pixels: int) -> Print:
    return lambda body, print_: (body, _of_strokes(cv2.MORPH_ERODE, print_, pixels))


def _of_strokes(operation: int, print_: Floats, pixels: int) -> Floats:
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (pixels, pixels))
    return np.asarray(cv2.morphologyEx(print_, operation, kernel), np.float32)


def _hollow(body: Floats, print_: Floats) -> tuple[Floats, Floats]:
    """The outline alone."""
    core = _of_strokes(cv2.MORPH_DILATE, print_, 5)
    return body, np.minimum(print_ + (1 - core), np.maximum(print_, 1)).astype(np.float32)


def _stronger(power: float) -> Print:
    """More ink, or less of it."""
    return lambda body, print_: (body, np.asarray(print_**power, np.float32))


def _on(*colour: float) -> Print:
    """Bodies that keep so much of the blue, green and red light."""
    return lambda body, print_: (body * np.array(colour, np.float32), print_)


REPRINTS: Final[Mapping[str, Change]] = MappingProxyType(
    {
        "digits smaller by a quarter": _reprinted(_moved(larger=0.75)),
        "digits larger by a quarter": _reprinted(_moved(larger=1.25)),
        "digits off their place": _reprinted(_moved(aside=0.1)),
        "digits aslant": _reprinted(_moved(aslant=0.2)),
        "thin digits": _reprinted(_thinner(5)),
        "bold digits": _reprinted(_bolder(7)),
        "hollow digits": _reprinted(_hollow),
        "pale prints": _reprinted(_stronger(0.45)),
        "dark prints": _reprinted(_stronger(2.2)),
        "yellowed tiles": _reprinted(_on(0.55, 0.85, 1.0)),
        "grey tiles": _reprinted(_on(0.6, 0.6, 0.6)),
        "tiles like wood": _reprinted(_on(0.4, 0.65, 0.85)),
        "a dot below the digit": _reprinted(_and(_dot)),
        "a ring below the digit": _reprinted(_and(_ring)),
        "a heart below the digit": _reprinted(_and(_heart)),
        "the digit once more below": _reprinted(_and(_once_more)),
        "digits in the middle, underlined": _reprinted(_in_the_middle),
    }
)
"""Ways in which another box may have printed the same tiles."""
