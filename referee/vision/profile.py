"""The calibration of one camera, table and box of tiles; `storage.profile` reads and writes the file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.reading.observation import Point
from referee.rules.tiles import Colour, Tile
from referee.rules.wording import say
from referee.vision.geometry.detections import Detections, Floats
from referee.vision.geometry.homography import GRID_CELLS, TablePlane, grid, project_points
from referee.vision.geometry.optics import Intrinsics, Points
from referee.vision.geometry.plane import Plane

_MAX_LOG_SHRINKAGE, _MAX_LOG_EXCESS = 0.6, 0.4  # logs of the size ratio: what is beyond is not even a piece of a tile
_TABLE_MARGIN_MM = 20.0  # a tile with its centre this far beside the table still counts

Lab = tuple[float, float, float]
"""A colour in CIE L*a*b*: equal distances look equally different."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inks:
    """The inks of this box under this lamp: mean colours, their spreads, and the separation of the closest two.

    `prints` holds the same inks as the reader compares them: log(blue, green, red) relative to the tile's body; empty
    in a profile of version 1.
    """

    colours: Mapping[Colour, Lab]
    spreads: Mapping[Colour, float]
    separation: float
    prints: Mapping[Colour, tuple[float, float, float]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedControls:
    """Camera controls locked at calibration, in the driver's units; None if the camera cannot set one.

    Picamera2: focus in dioptres, exposure in microseconds, analogue gain, white balance as red and blue gains. USB:
    focus and gain in the camera's own units, exposure in microseconds, white balance in kelvin.
    """

    focus: float | None = None
    exposure: float | None = None
    gain: float | None = None
    white: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class EnrolledFace:
    """A face of this box and the reader's embeddings of it, one for each look."""

    tile: Tile
    embeddings: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """Enrolled faces, the least cosine similarity `near` of a match, and the id of the reader that embedded them."""

    reader: str
    near: float
    faces: tuple[EnrolledFace, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """All calibration results; parts not calibrated yet are None. `size` is that of the camera's pictures.

    `delay_seconds` is how late they arrive.
    """

    camera: str
    size: tuple[int, int]
    locked: LockedControls | None = None
    intrinsics: Intrinsics | None = None
    table: TablePlane | None = None
    inks: Inks | None = None
    enrolment: Enrolment | None = None
    delay_seconds: float | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for optics of another picture size."""
        if min(self.size) <= 0 or (self.intrinsics and self.intrinsics.size != self.size):
            raise ValueError(f"a profile's pictures and its optics have one size: {self.size}")

    @property
    def calibrated_steps(self) -> tuple[str, ...]:
        """The calibration steps whose results it holds."""
        parts = {
            "camera": self.intrinsics,
            "table": self.table,
            "colours": self.inks,
            "tiles": self.enrolment,
            "locks": self.locked,
            "delay": self.delay_seconds,
        }
        return tuple(name for name, part in parts.items() if part is not None)

    @property
    def plane(self) -> Plane | None:
        """The plane of the tiles; None if the table or the tiles were not measured."""
        return Plane(self.to_table, self.table.tile_mm) if self.table and self.table.tile_mm else None

    def scaled(self, size: tuple[int, int]) -> "Profile":
        """Return the profile for pictures of another size; raises CalibrationError for another aspect ratio."""
        if size == self.size:
            return self
        across, down = size[0] / self.size[0], size[1] / self.size[1]
        if abs(across / down - 1) > 0.01:
            raise CalibrationError(
                say(
                    "profile.size",
                    "the profile is for pictures of {known}, these are {size}; "
                    "set the camera to that shape or calibrate again",
                    known=f"{self.size[0]}×{self.size[1]}",
                    size=f"{size[0]}×{size[1]}",
                )
            )
        intrinsics = self.intrinsics.scaled(size) if self.intrinsics else None
        table = self.table
        if table:
            rows = (table.matrix @ np.diag([1 / across, 1 / down, 1.0])).tolist()
            table = replace(table, homography=tuple((float(a), float(b), float(c)) for a, b, c in rows))
        return replace(self, size=size, intrinsics=intrinsics, table=table)

    def to_table(self, pixels: Points) -> Points:
        """Return the table coordinates [n, 2] in mm of pixels [n, 2]; raises CalibrationError without a table."""
        straight = self.intrinsics.undistort(pixels) if self.intrinsics else pixels
        return project_points(self._plane().matrix, straight)

    def to_picture(self, places: Points) -> Points:
        """Return the pixels [n, 2] of table coordinates [n, 2] in mm; raises CalibrationError without a table."""
        straight = project_points(np.asarray(np.linalg.inv(self._plane().matrix), np.float64), places)
        return self.intrinsics.distort(straight) if self.intrinsics else straight

    def on_table(self, pixels: Points, margin_mm: float = 0.0) -> npt.NDArray[np.bool_]:
        """Return which pixels [n, 2] lie on the table or within a margin; all if no table is known."""
        if self.table is None:
            return np.ones(len(pixels), bool)
        outline = np.array(self.table.outline, np.float32)
        away = [cv2.pointPolygonTest(outline, (float(x), float(y)), True) for x, y in self.to_table(pixels)]
        return np.array(away, np.float64) >= -margin_mm

    def is_near_table(self, pixels: Sequence[Point] | Floats) -> npt.NDArray[np.bool_]:
        """Return which pixels [n, 2] are on or so near the table that a tile centred there counts."""
        return self.on_table(np.array(pixels, np.float64).reshape(-1, 2), _TABLE_MARGIN_MM)

    def places_near_table(self, margin_mm: float) -> Points | None:
        """Return pixels [n, 2] all over the table and a margin, at most a 32nd of the picture beyond.

        None if no table is known, or none of it is in the picture.
        """
        if self.table is None:
            return None
        # Map pixels to the table, not back: beyond the picture the lens model extrapolates wildly.
        pixels = grid(self.size)
        places, outline = self.to_table(pixels), np.array(self.table.outline)
        low, high = outline.min(axis=0) - margin_mm, outline.max(axis=0) + margin_mm
        near = ((places >= low) & (places <= high)).all(axis=1).reshape(GRID_CELLS + 1, -1)
        around = cv2.dilate(near.astype(np.uint8), np.ones((3, 3), np.uint8))
        return pixels[around.ravel() > 0] if near.any() else None

    def filter_tile_sized(self, found: Detections) -> Detections:
        """Return the detections about as large as the box's tiles, or pieces of them; all if that size is unknown."""
        if self.plane is None:
            return found
        larger = np.log(np.sort(self.plane.sizes(found.quads), axis=1) / sorted(self.plane.tile_mm))
        return found.pick((larger.mean(axis=1) > -_MAX_LOG_SHRINKAGE) & (larger.max(axis=1) < _MAX_LOG_EXCESS))

    def _plane(self) -> TablePlane:
        if self.table is None:
            raise CalibrationError(
                say("profile.no_table", "the profile knows no table yet; run 'referee calibrate setup'")
            )
        return self.table
