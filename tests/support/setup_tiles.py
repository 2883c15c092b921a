"""The tiles of `referee calibrate setup` as a hand lays them: four in each corner of the table, six in the middle."""

from random import Random
from typing import Final

import numpy as np

from referee.rules.notation import parse_tiles
from referee.sim.view import LaidTile, View
from referee.vision.geometry.optics import Points

TABLE_MM: Final = (1200.0, 900.0)
_TILES: Final = parse_tiles("R1 R5 R9 R13 R2 R7 K2 K6 K10 K12 K1 B3 B7 B11 B4 B9 O1 O4 O8 O12 O5 O2")
_GAP_MM, _HAND_MM, _TURN = 0.08, 1.5, 0.02  # standard deviations: of gaps and positions in mm, of angles in radians


def setup_tiles(view: View, rng: Random) -> tuple[tuple[LaidTile, ...], Points]:
    """Return tiles laid in the middle of the view, and their outermost corners [4, 2] in mm, far left first."""
    tiles = rng.sample(_TILES, len(_TILES))
    laid: list[LaidTile] = []
    left, top = (view.width_mm - TABLE_MM[0]) / 2, (view.height_mm - TABLE_MM[1]) / 2

    def lay(x: float, y: float, count: int, angle: float, step: int) -> None:
        x, y = left + x + rng.gauss(0, _HAND_MM), top + y + rng.gauss(0, _HAND_MM)
        angle += rng.gauss(0, _TURN)
        for _ in range(count):
            laid.append(LaidTile(tile=tiles[len(laid)], copy=0, x=x, y=y, angle=angle + rng.gauss(0, 0.004)))
            away = step * (27 + abs(rng.gauss(0, _GAP_MM)))
            x, y = x + away * np.cos(angle), y + away * np.sin(angle)

    width, depth = TABLE_MM
    across = np.pi / 2
    lay(13.5, 19, 4, 0, 1)
    lay(width - 19, 13.5, 4, across, 1)
    lay(width - 13.5, depth - 19, 4, 0, -1)
    lay(19, depth - 13.5, 4, across, -1)
    lay(width / 2 - 67.5 + rng.uniform(-60, 60), depth / 2 + rng.uniform(-60, 60), 6, 0, 1)
    middle = (view.width_mm / 2, view.height_mm / 2)
    outer = [
        max(laid[i].corners().tolist(), key=lambda at: abs(at[0] - middle[0]) + abs(at[1] - middle[1]))
        for i in (0, 4, 8, 12)
    ]
    return tuple(laid), np.array(outer)


def setup_view(rng: Random, *, tilt_degrees: float) -> View:
    """Return a camera of some lens and size that sees all of the table, tilted by at most `tilt_degrees` each way."""
    while True:
        size = rng.choice(((2304, 1296), (1920, 1080), (1280, 960)))
        width = max(TABLE_MM[0] * 1.06, TABLE_MM[1] * 1.08 * size[0] / size[1])
        room = rng.uniform(1.0, 1.0 + tilt_degrees / 60)
        view = View(
            size=size,
            width_mm=width,
            height_above=rng.uniform(0.65, 1.0) * width * room,
            tilt=(rng.uniform(-tilt_degrees, tilt_degrees), rng.uniform(-tilt_degrees, tilt_degrees)),
            turn=rng.uniform(-3, 3),
            distortion=rng.uniform(-0.04, 0.01),
            field_factor=room,
        )
        middle = np.array([view.width_mm, view.height_mm]) / 2
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * TABLE_MM / 2 + middle
        seen = view.project_flat(corners, 8.0)
        if (seen > 4).all() and (seen < np.array(size) - 5).all():
            return view
