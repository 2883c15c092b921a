"""Positions on the table in millimetres, and their projection by a slightly tilted camera above it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from referee.rules.tiles import Tile
from referee.sim.faces import TILE_HEIGHT_MM, TILE_WIDTH_MM
from referee.vision.geometry.optics import Points


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidTile:
    """A tile on the table: centre in millimetres (y toward the south seat), angle, and height of its base.

    `angle` is in radians, clockwise from upright as seen by the south seat. `tile` is None if it lies face down.
    `copy` distinguishes equal tiles of a box.
    """

    tile: Tile | None
    copy: int
    x: float
    y: float
    angle: float
    base: float = 0.0

    def corners(self) -> Points:
        """Return the four corners of the outline in millimetres, clockwise from the tile's own top left."""
        return rectangle(self.x, self.y, self.angle, TILE_WIDTH_MM, TILE_HEIGHT_MM)


def rectangle(x: float, y: float, angle: float, width: float, height: float) -> Points:
    """Return the corners of a turned rectangle about (x, y), clockwise from its own top left."""
    right = np.array([np.cos(angle), np.sin(angle)])
    down = np.array([-np.sin(angle), np.cos(angle)])
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    return np.asarray(np.array([x, y]) + signs[:, :1] * width * right + signs[:, 1:] * height * down)


@dataclass(frozen=True, kw_only=True)
class View:
    """A camera looking down on a part of the table that is `width_mm` wide; tilt in degrees, size in pixels.

    The picture shows `field_factor` times that part, which a very oblique camera needs to see all of it.
    """

    size: tuple[int, int]
    width_mm: float
    height_above: float = 1150.0
    tilt: tuple[float, float] = (1.5, -1.0)
    turn: float = 0.4
    distortion: float = -0.012
    field_factor: float = 1.0

    @property
    def height_mm(self) -> float:
        """The visible length of the table from north to south, in millimetres."""
        return self.width_mm * self.size[1] / self.size[0]

    @property
    def scale(self) -> float:
        """Pixels per millimetre in the picture's middle, at table height."""
        return self.size[0] / self.width_mm / self.field_factor

    @cached_property
    def _axes(self) -> Points:
        """The camera's right, down and forward directions in table coordinates (z up), as rows."""
        a, b, c = (np.radians(angle) for angle in (*self.tilt, self.turn))
        about_x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
        about_y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
        about_z = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
        straight_down = np.diag([1.0, 1.0, -1.0])
        return np.asarray(about_x @ about_y @ about_z @ straight_down)

    @cached_property
    def _eye(self) -> Points:
        middle = np.array([self.width_mm / 2, self.height_mm / 2, 0])
        return np.asarray(middle - self._axes[2] * self.height_above)

    def project(self, points: Points) -> Points:
        """Return pixels of points (n, 3) in millimetres, z being the height above the table."""
        seen = (points - self._eye) @ self._axes.T
        plane = seen[:, :2] / seen[:, 2:]
        plane = plane * (1 + self.distortion * np.sum(plane**2, axis=1, keepdims=True) * 4)
        focal = self.scale * self.height_above
        return np.asarray(plane * focal + np.array(self.size) / 2 - 0.5)

    def project_flat(self, points: Points, z: float = 0.0) -> Points:
        """Return pixels of points (n, 2) that all lie `z` millimetres above the table."""
        return self.project(np.column_stack([points, np.full(len(points), z)]))

    def quad(self, laid: LaidTile, thickness: float) -> Points:
        """Return pixels of the corners of a tile's face, clockwise from its own top left."""
        return self.project_flat(laid.corners(), laid.base + thickness)
