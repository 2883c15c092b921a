"""The calibration of one camera, table and box of tiles; files are left to `storage.profile`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.reading.observation import Point
from referee.rules.tiles import Colour, Tile
from referee.vision.geometry.detections import Detections, Doubles, Floats
from referee.vision.geometry.homography import TablePlane, project_points, square
from referee.vision.geometry.optics import Intrinsics, Points
from referee.vision.geometry.quads import heights_and_widths
from referee.vision.geometry.size_model import resized

_CELLS = 32  # stretches of the picture's width and height, to tell which part of it shows the table
_OF_ANOTHER_SIZE = 0.6  # (logarithmic) times the tile's sides: what is so much smaller is not even a piece of one
_BESIDE_MM = 20.0  # a tile whose middle lies this far beside the table still counts
_LARGER_THAN_A_TILE, _NO_TILE = 0.14, 0.4  # (logarithmic) a tile was located badly, and it is none

Lab = tuple[float, float, float]
"""A colour in CIE L*a*b*: equal distances look equally different."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inks:
    """The mean ink of each colour of this box under this lamp, how it varies, and how far apart the nearest two are.

    `prints` has the same inks as the reader compares them: logarithms of blue, green and red relative to the tile's
    body; empty in a profile of version 1.
    """

    colours: Mapping[Colour, Lab]
    spreads: Mapping[Colour, float]
    separation: float
    prints: Mapping[Colour, tuple[float, float, float]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """Focus and light found once and kept, in the units of the camera's driver; what it cannot set is None.

    Picamera2: focus in dioptres, exposure in microseconds, analogue gain, white as the gains of red and blue. USB:
    focus and gain as the camera counts them, exposure in microseconds, white in kelvin.
    """

    focus: float | None = None
    exposure: float | None = None
    gain: float | None = None
    white: tuple[float, ...] = ()


def camera_name(camera: str) -> str:
    """Return the name of a camera, fit for logs and profiles: an address without user and password."""
    return re.sub(r"//[^/\s]*@", "//", camera)


@dataclass(frozen=True, slots=True)
class EnrolledFace:
    """A face of this box and the reader's unit vectors for it, one for each look."""

    tile: Tile
    embeddings: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """Faces the reader was shown, how near (cosine) another look must come to one, and the reader they belong to."""

    reader: str
    near: float
    faces: tuple[EnrolledFace, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """All that is known; parts not calibrated yet are None. `camera` names the camera, `size` its pictures."""

    camera: str
    size: tuple[int, int]
    locked: Locked | None = None
    intrinsics: Intrinsics | None = None
    table: TablePlane | None = None
    inks: Inks | None = None
    enrolment: Enrolment | None = None

    def __post_init__(self) -> None:
        """Refuse optics of another picture size."""
        if min(self.size) <= 0 or (self.intrinsics and self.intrinsics.size != self.size):
            raise ValueError(f"a profile's pictures and its optics have one size: {self.size}")

    @property
    def knows(self) -> tuple[str, ...]:
        """The steps of the calibration that it holds the result of."""
        parts = {
            "camera": self.intrinsics,
            "table": self.table,
            "colours": self.inks,
            "tiles": self.enrolment,
            "locks": self.locked,
        }
        return tuple(name for name, part in parts.items() if part is not None)

    def scaled(self, size: tuple[int, int]) -> "Profile":
        """Return the same for pictures of another size; raises CalibrationError where they are of another shape."""
        if size == self.size:
            return self
        across, down = size[0] / self.size[0], size[1] / self.size[1]
        if abs(across / down - 1) > 0.01:
            raise CalibrationError(
                f"the profile is for pictures of {self.size[0]}×{self.size[1]}, these are {size[0]}×{size[1]}; "
                "set the camera to that shape or calibrate again"
            )
        intrinsics = self.intrinsics.scaled(size) if self.intrinsics else None
        table = self.table
        if table:
            rows = (table.matrix @ np.diag([1 / across, 1 / down, 1.0])).tolist()
            table = replace(table, homography=tuple((float(a), float(b), float(c)) for a, b, c in rows))
        return replace(self, size=size, intrinsics=intrinsics, table=table)

    def to_table(self, pixels: Points) -> Points:
        """Places on the table in millimetres of pixels [n, 2]; raises CalibrationError without a calibrated table."""
        straight = self.intrinsics.straight(pixels) if self.intrinsics else pixels
        return project_points(self._plane().matrix, straight)

    def to_picture(self, places: Points) -> Points:
        """Return pixels of points on the table [n, 2] in mm; raises CalibrationError without a table."""
        straight = project_points(np.asarray(np.linalg.inv(self._plane().matrix), np.float64), places)
        return self.intrinsics.bent(straight) if self.intrinsics else straight

    def on_table(self, pixels: Points, margin_mm: float = 0.0) -> npt.NDArray[np.bool_]:
        """Return which pixels [n, 2] show the table with a margin; all where no table is known."""
        if self.table is None:
            return np.ones(len(pixels), bool)
        outline = np.array(self.table.outline, np.float32)
        away = [cv2.pointPolygonTest(outline, (float(x), float(y)), True) for x, y in self.to_table(pixels)]
        return np.array(away, np.float64) >= -margin_mm

    def counts(self, pixels: Sequence[Point] | Floats) -> npt.NDArray[np.bool_]:
        """Return which pixels [n, 2] are of the table or so near it that a tile with its middle there counts."""
        return self.on_table(np.array(pixels, np.float64).reshape(-1, 2), _BESIDE_MM)

    def table_in_picture(self, margin_mm: float) -> Doubles | None:
        """Return the bounding box [2, 2], low then high corner in pixels, of the table with a margin.

        None where no table is known, or none of it is in the picture.
        """
        if self.table is None:
            return None
        # From pixels to places: where the lens bends what lies beyond the picture, nobody measured.
        x, y = (np.linspace(0, side, _CELLS + 1) for side in self.size)
        places = self.to_table(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)).reshape(len(y), len(x), 2)
        outline = np.array(self.table.outline)
        low, high = outline.min(axis=0) - margin_mm, outline.max(axis=0) + margin_mm
        rows, columns = np.nonzero(((places >= low) & (places <= high)).all(axis=2))
        if not len(rows):
            return None
        first, last = (max(columns.min() - 1, 0), max(rows.min() - 1, 0)), (columns.max() + 1, rows.max() + 1)
        return np.array([[x[first[0]], y[first[1]]], [x[min(last[0], _CELLS)], y[min(last[1], _CELLS)]]])

    def tile_sized(self, found: Detections) -> Detections:
        """Return which quads [n, 4, 2] in pixels are about as large as the box's tiles; all where unknown.

        A piece of a tile is smaller than a tile, but nothing of it is longer: one that lies on a card may be located
        with some of the card.
        """
        if self.table is None or self.table.tile_mm is None or not len(found):
            return found
        corners = self.to_table(found.quads.reshape(-1, 2).astype(np.float64)).reshape(-1, 4, 2)
        sides = heights_and_widths(corners.astype(np.float32))
        short, long = sorted(self.table.tile_mm)
        tile = np.where(sides[:, :1] < sides[:, 1:], (short, long), (long, short))
        larger = np.log(np.maximum(sides, 1e-6) / tile)
        (too_large,) = np.nonzero(larger.max(axis=1) > _LARGER_THAN_A_TILE)
        quads = found.quads.copy()
        quads[too_large] = resized(quads[too_large], -larger[too_large])
        kept = (larger.mean(axis=1) > -_OF_ANOTHER_SIZE) & (larger.max(axis=1) < _NO_TILE)
        return Detections(quads, found.scores).pick(kept)

    def tile_squares(self) -> Floats | None:
        """Squares as high as a tile, [n, 4, 2] in pixels: in the middle of the table, then at the corners in view.

        None where that was not measured.
        """
        if self.table is None or self.table.tile_mm is None:
            return None
        outline = np.array(self.table.outline)
        places = np.concatenate([outline.mean(axis=0, keepdims=True), outline])
        squares = self.to_picture((places[:, None] + square(self.table.tile_mm[1])).reshape(-1, 2)).reshape(-1, 4, 2)
        middles = squares.mean(axis=1)
        seen = ((middles >= 0) & (middles <= self.size)).all(axis=1)
        seen[0] = True
        return np.asarray(squares[seen], np.float32)

    def _plane(self) -> TablePlane:
        if self.table is None:
            raise CalibrationError("the profile knows no table yet; run 'referee calibrate setup'")
        return self.table
