"""Drawings of the jokers: a face in a ring, and how the double, colour-change and mirror joker differ from it."""

from collections.abc import Iterable

import numpy as np

from referee.rules.tiles import Colour, JokerKind
from referee.sim.glyphs import Outline, stroke

Ink = Colour | None  # None: the bare body of the tile shows through
Layer = tuple[list[Outline], Ink]


def _arc(x: float, y: float, radii: tuple[float, float], start: float = 0, end: float = 360) -> Outline:
    angles = np.radians(np.linspace(start, end, 40))
    return np.stack([x + radii[0] * np.cos(angles), y + radii[1] * np.sin(angles)], axis=1)


def _ring(x: float, y: float, radius: float, width: float) -> list[Outline]:
    return stroke(_arc(x, y, (radius - width / 2, radius - width / 2), 0, 368), width, width)


def _line(*points: tuple[float, float], width: float) -> list[Outline]:
    return stroke(np.array(points, dtype=np.float64), width, width, rounded=True)


def _lens(x: float, y: float, half: float, up: float, down: float) -> Outline:
    """Return an almond: an arc above and one below the line between its two corners."""
    t = np.linspace(-1, 1, 16)
    upper = np.stack([x + half * t, y - up * (1 - t**2)], axis=1)
    lower = np.stack([x - half * t, y + down * (1 - t**2)], axis=1)
    return np.concatenate([upper, lower])


def _features() -> tuple[list[Outline], list[Outline]]:
    """Return the inked parts of a face in a unit circle, and the blank parts inside them."""
    ink: list[Outline] = []
    for side in (-1, 1):
        brow = np.array([[side * x, y] for x, y in ((0.16, -0.26), (0.34, -0.4), (0.54, -0.38), (0.68, -0.22))])
        ink += stroke(brow, 0.085, 0.085, rounded=True)
        ink.append(_lens(side * 0.4, -0.14, 0.23, 0.11, 0.09))
        ink += _line((side * 0.2, -0.02), (side * 0.4, 0.04), (side * 0.58, -0.04), width=0.05)
        ink += _line((side * 0.56, 0.3), (side * 0.63, 0.42), width=0.06)
        ink += _line((side * 0.05, -0.3), (side * 0.06, -0.27), width=0.07)
        ink += _line((side * 0.04, 0.26), (side * 0.15, 0.22), (side * 0.16, 0.14), width=0.06)
    ink += _line((0.0, -0.08), (0.03, 0.2), width=0.07)
    ink.append(_lens(0, 0.44, 0.58, -0.1, 0.26))
    ink += _line((-0.58, 0.42), (-0.2, 0.47), (0.2, 0.47), (0.58, 0.42), width=0.07)
    ink += _line((-0.14, 0.76), (0.14, 0.76), width=0.05)
    blank = [_arc(side * 0.4, -0.145, (0.06, 0.05)) for side in (-1, 1)]
    blank.append(_lens(0, 0.5, 0.4, -0.03, 0.08))
    return ink, blank


def _face(x: float, y: float, radius: float, ink: Colour, *, ring: float = 0.13) -> list[Layer]:
    def placed(outlines: Iterable[Outline]) -> list[Outline]:
        return [outline * (radius * 0.92) + np.array([x, y]) for outline in outlines]

    features, blank = _features()
    return [(_ring(x, y, radius, radius * ring), ink), (placed(features), ink), (placed(blank), None)]


def _double(ink: Colour) -> list[Layer]:
    """Return two faces, one behind the other."""
    front = (0.36, 0.3)
    hidden = [_arc(*front, (0.72, 0.72))]
    return [*_face(-0.36, -0.3, 0.66, ink), (hidden, None), *_face(*front, 0.66, ink)]


def _colour_change(ink: Colour) -> list[Layer]:
    """Return a face in a ring of the four colours."""
    ring: list[Layer] = []
    for quarter, colour in enumerate(Colour):
        path = _arc(0, 0, (0.86, 0.86), 90 * quarter - 90, 90 * quarter + 2)
        ring.append((stroke(path, 0.28, 0.28), colour))
    features, blank = _features()
    return [
        *ring,
        ([outline * 0.72 for outline in features], ink),
        ([outline * 0.72 for outline in blank], None),
    ]


def _mirror(ink: Colour) -> list[Layer]:
    """Return a ring cut by an upright mirror, with an arrowhead pointing at it from either side."""
    layers: list[Layer] = [(_ring(0, 0, 1, 0.13), ink)]
    layers.append((_line((0, -1.12), (0, 1.12), width=0.12), ink))
    for side in (-1, 1):
        arrow = np.array([[side * 0.16, 0.0], [side * 0.66, -0.42], [side * 0.66, 0.42]])
        layers.append(([arrow], ink))
    return layers


def joker_layers(kind: JokerKind, ink: Colour) -> list[Layer]:
    """Return the drawing as layers from the bottom up, in a circle of radius 1 about the origin, y down."""
    match kind:
        case JokerKind.DOUBLE:
            return _double(ink)
        case JokerKind.COLOUR_CHANGE:
            return _colour_change(ink)
        case JokerKind.MIRROR:
            return _mirror(ink)
        case _:
            return _face(0, 0, 1, ink)
