"""A frame into a reading of the table: look, look again where tiles are too small or too large, cut out, read, lay out.

The locate model works best on tiles whose long side is 28 to 60 pixels. Nobody knows beforehand how large the tiles
of a picture are, so it is first seen at a long side of 640 pixels, and again at a better scale where that was a bad
one. A camera that does not move finds the scale once (`scale_of`) and saves the first look from then on.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import cv2
import numpy as np
import numpy.typing as npt

from referee.reading.observation import TableReading
from referee.reading.rows import lay_out_tiles
from referee.rules.tiles import Tile
from referee.vision.detections import SYMBOLS, Detections, Faces, Floats
from referee.vision.detector import MULTIPLE, FaceReader, Locator, find_models
from referee.vision.enrolment import check_reader, joined, looks_again, recognise
from referee.vision.frame import Frame, Image
from referee.vision.geometry import areas, distinct, long_sides, rectify, turned
from referee.vision.naming import doubt_surplus, name_faces, read_names
from referee.vision.profile import Enrolment, Profile
from referee.vision.pyramid import Pyramid
from referee.vision.sizes import even_out
from referee.vision.table_inks import judge_together

_FIRST_LOOK = 640  # pixels of the long side; half of it shows tiles too large for this
_FINER_LOOKS = (1280, 2560)  # where those show nothing: tiles below 14 pixels are not seen
_GOOD = (28.0, 60.0)  # pixels of a tile's long side between which the locate model is at its best
_WORKS = (14.0, 80.0)  # and between which it works
_AIM = 32.0  # smaller is quicker; below this quads become inexact
_WINDOW, _OVERLAP = (1280, 736), 160  # pixels: a larger look is made in parts, for it takes 100 bytes a pixel
_HARDLY_A_TILE = (0.65, 0.1)  # a locate score below and a chance of "none" above which both models doubt it is a tile
_DOUBTFUL = 0.98  # below this confidence a crop is read a second time, upside down
_BESIDE_MM = 20.0  # a tile whose middle lies this far beside the table of the profile still counts
_SURE = 0.9  # where the model's sidecar names no threshold


class TableReader:
    """Reads tables with the two models."""

    def __init__(self, models_dir: Path | None = None, threads: int = 1, *, eager: bool = False) -> None:
        """Load both models; raises ModelError. An eager reader also locates what is hardly a tile."""
        folder = find_models() if models_dir is None else models_dir
        self._locator = Locator(folder, threads)
        if eager:
            self._locator.threshold /= 3
        self._reader = FaceReader(folder, threads)
        self._sure = self._reader.sidecar.thresholds.get("unsure", _SURE)

    def read_table(
        self,
        frame: Frame,
        box: Mapping[Tile, int] | None = None,
        scale: float | None = None,
        profile: Profile | None = None,
    ) -> TableReading:
        """The table in a frame; `milliseconds` tells what locate, read and total took.

        `box` names the jokers and how many there are of each tile; `scale`, from `scale_of`, saves the first look.
        `profile` says where the table is, how large tiles are and what faces were enrolled; raises CalibrationError
        where it is for pictures of another shape or for another reader.
        """
        start = perf_counter()
        fitted = profile.scaled((frame.image.shape[1], frame.image.shape[0])) if profile else None
        image = Pyramid(frame.image)
        found = self._locate(image, scale or _profile_scale(fitted))
        if fitted:
            found = found.pick(fitted.on_table(found.quads.mean(axis=1).astype(np.float64), _BESIDE_MM))
        located = perf_counter()
        quads, faces = self._faces(image, found, fitted.enrolment if fitted else None)
        tiles = read_names(name_faces(faces, box), quads, sure=self._sure)
        if box is not None:
            tiles = doubt_surplus(tiles, box)
        read = perf_counter()
        layouts = lay_out_tiles(tiles)
        times = {"locate": located - start, "read": read - located, "total": perf_counter() - start}
        milliseconds = {name: round(seconds * 1000, 1) for name, seconds in times.items()}
        return TableReading(
            frame_id=frame.frame_id, at=frame.at, tiles=tiles, layouts=layouts, milliseconds=milliseconds
        )

    @property
    def version(self) -> str:
        """The versions of both models, as their sidecars tell them."""
        return f"locate {self._locator.sidecar.version}, read {self._reader.sidecar.version}"

    @property
    def reader_id(self) -> str:
        """Names the read model; embeddings of one mean nothing to another."""
        return self._reader.sidecar.sha256[:16]

    def check_profile(self, profile: Profile) -> None:
        """Raise CalibrationError, before the first picture, where the profile's faces are for another reader."""
        if profile.enrolment:
            check_reader(profile.enrolment, self.reader_id)

    def see(self, image: Image, scale: float | None = None) -> tuple[Floats, Faces]:
        """The tiles in a picture as they are seen, not yet named: quads [n, 4, 2], digits upright, and faces."""
        pyramid = Pyramid(image)
        return self._faces(pyramid, self._locate(pyramid, scale))

    def locate(self, image: Image) -> Detections:
        """What may be tiles in a picture, whatever they show; best first, which end is up is open."""
        found = self._locate(Pyramid(image), None)
        return found.pick(np.argsort(-found.scores, kind="stable"))

    def embeddings(self, crops: Image) -> Floats:
        """Unit vectors [n, 32] of upright crops [n, 64, 48, 3]: alike for tiles that look alike."""
        return self._reader.read(crops).embedding

    def _locate(self, image: Pyramid, scale: float | None) -> Detections:
        if scale is not None:
            return self._look(image, scale)
        longest = max(image.size)
        first = min(1.0, _FIRST_LOOK / longest)
        looks = [(scale, self._look(image, scale)) for scale in (first, first / 2)]
        if not any(len(found) for _, found in looks):
            scales = [side / longest for side in _FINER_LOOKS if side <= longest]
            looks = [(scale, self._look(image, scale)) for scale in scales] or looks
        scale, found = max(looks, key=lambda look: _weight(look[1]))
        return self._look_better(image, found, scale) if len(found) else found

    def _look_better(self, image: Pyramid, found: Detections, scale: float) -> Detections:
        """The tiles seen at the scale that suits them; where sizes differ too much for one scale, at two."""
        sides = long_sides(found.quads)
        middle, small, large = (float(value) for value in np.percentile(sides, (50, 10, 90)))
        if not _GOOD[0] <= middle * scale <= _GOOD[1]:
            scale = _AIM / middle
            found = self._look(image, scale)
        if small * scale < _WORKS[0] or large * scale > _WORKS[1]:
            other = _AIM / (small if small * scale < _WORKS[0] else large)
            found = distinct(Detections.join(found, self._look(image, other)))
        return found

    def _look(self, image: Pyramid, scale: float) -> Detections:
        """Tiles found in the picture at a scale, in pixels of the picture itself."""
        width, height = image.size
        size = (max(round(width * scale), 1), max(round(height * scale), 1))
        shrunk = image.resized(*size)
        windows = [
            self._look_into(shrunk, across, down)
            for down in _windows(size[1], _WINDOW[1])
            for across in _windows(size[0], _WINDOW[0])
        ]
        found = distinct(Detections.join(*windows))
        stretch = np.array([width / size[0], height / size[1]], np.float32)
        return Detections(found.quads * stretch, found.scores)

    def _look_into(self, image: Image, across: slice, down: slice) -> Detections:
        """Tiles in a window of a picture; those near its inner edges are left to the window beyond."""
        window = image[down, across]
        below, beside = -window.shape[0] % MULTIPLE, -window.shape[1] % MULTIPLE
        padded = cv2.copyMakeBorder(window, 0, below, 0, beside, cv2.BORDER_CONSTANT, value=(0, 0, 0))
        found = self._locator.locate(np.asarray(padded, np.uint8))
        quads = found.quads + np.array([across.start, down.start], np.float32)
        x, y = quads.mean(axis=1).T
        whole = _inner(x, across, image.shape[1]) & _inner(y, down, image.shape[0])
        return Detections(quads[whole], found.scores[whole])

    def _faces(self, image: Pyramid, found: Detections, enrolled: Enrolment | None = None) -> tuple[Floats, Faces]:
        """What is a tile among the quads, turned digits upright; a doubtful face is read once more, upside down."""
        quads = even_out(found.quads)
        crops = rectify(image, quads)
        faces = self._reader.read(crops)
        doubtful = np.nonzero(_certainty(faces) < _DOUBTFUL)[0]
        if len(doubtful):
            again = self._reader.read(np.ascontiguousarray(crops[doubtful, ::-1, ::-1]))
            faces = faces.merge(doubtful, again, _geometric_mean)
        faces = replace(faces, ink=judge_together(crops, faces))
        if enrolled:
            faces = recognise(
                faces, enrolled, self.reader_id, lambda rows: joined(self.embeddings(looks_again(crops[rows])))
            )
        is_tile = np.nonzero(_are_tiles(found.scores, faces))[0]
        faces, quads = faces.pick(is_tile), quads[is_tile]
        return np.where((faces.upright < 0.5)[:, None, None], turned(quads), quads).astype(np.float32), faces


def scale_of(reading: TableReading) -> float | None:
    """The scale at which these tiles are seen best, for a camera that keeps still; None where there are none."""
    if not reading.tiles:
        return None
    quads = np.array([tile.quad for tile in reading.tiles], np.float32)
    return min(1.0, _AIM / float(np.median(long_sides(quads))))


def _windows(length: int, window: int) -> list[slice]:
    """Stretches no longer than a window that cover a length, each overlapping the next."""
    count = max(1, math.ceil((length - _OVERLAP) / (window - _OVERLAP)))
    step = (length - _OVERLAP) / count
    return [slice(round(number * step), round((number + 1) * step) + _OVERLAP) for number in range(count)]


def _inner(places: Floats, window: slice, length: int) -> npt.NDArray[np.bool_]:
    """Which places are not in the outer half of the window's overlap with the next."""
    low = window.start + _OVERLAP / 2 if window.start > 0 else -math.inf
    high = window.stop - _OVERLAP / 2 if window.stop < length else math.inf
    return np.asarray((places >= low) & (places < high))


def _weight(found: Detections) -> float:
    """How much a look found: pieces of tiles too large for it are small, and sets taken for one tile are few."""
    return float((found.scores * np.sqrt(np.abs(areas(found.quads)))).sum())


def _profile_scale(profile: Profile | None) -> float | None:
    length = profile.tile_pixels() if profile else None
    return min(1.0, _AIM / length) if length else None


def _are_tiles(scores: Floats, faces: Faces) -> npt.NDArray[np.bool_]:
    """Which are tiles: not those that look most like none, nor those both models doubt, such as the edges of racks."""
    none = faces.symbol[:, SYMBOLS.index("none")]
    doubted = (none > _HARDLY_A_TILE[1]) & (scores < _HARDLY_A_TILE[0])
    return np.asarray((faces.symbol.argmax(axis=1) != SYMBOLS.index("none")) & ~doubted)


def _certainty(faces: Faces) -> Floats:
    return np.asarray(faces.symbol.max(axis=1) * faces.ink.max(axis=1), np.float32)


def _geometric_mean(one: Floats, other: Floats) -> Floats:
    mean = np.sqrt(np.maximum(one, 1e-9) * np.maximum(other, 1e-9))
    return np.asarray(mean / mean.sum(axis=1, keepdims=True), np.float32)
