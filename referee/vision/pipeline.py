"""The pipeline from a frame to a reading: find tiles, crop and name them, mark doubts, lay out rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
import numpy.typing as npt

from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.tiles import Tile
from referee.vision.classify.augmented_reading import (
    AUGMENTATIONS,
    CropJitter,
    augmented_reading,
    read_upside_down,
)
from referee.vision.classify.enrolment import apply_enrolment, check_reader, extra_looks, merge_looks
from referee.vision.classify.likeness import log_odds_of_tiles, measures_of
from referee.vision.classify.naming import doubt_drawn_jokers, name_faces, read_names
from referee.vision.classify.tuning import TUNING
from referee.vision.context.guards import doubt_other_sizes, doubt_strange_faces
from referee.vision.context.ink_clustering import apply_inks
from referee.vision.context.multiplicity_prior import read_with_multiplicity
from referee.vision.context.way_up import apply_ways_up, turn_over
from referee.vision.detect.corner_refinement import refine_corners, refine_odd_sized
from referee.vision.detect.detection_scale import SHIFTS, Zoom, calibrated_zoom
from referee.vision.detect.lone_faces import has_edges
from referee.vision.detect.scale_search import ScaleSearch
from referee.vision.geometry.crops import READ_CROP_SIZE, rectify
from referee.vision.geometry.detections import SYMBOLS, Detections, Doubles, Faces, Floats
from referee.vision.geometry.optics import Points
from referee.vision.geometry.plane import Plane
from referee.vision.geometry.quads import rotate_quads_180, suppress_duplicates
from referee.vision.image.colour_channels import is_colourless, print_colours
from referee.vision.image.frame import Frame, Image
from referee.vision.image.pyramid import Pyramid
from referee.vision.networks.models import REREAD, CornerFinder, FaceReader, Locator
from referee.vision.networks.sidecar import find_models
from referee.vision.profile import Profile

_BACK, _NONE = SYMBOLS.index("back"), SYMBOLS.index("none")
_TABLE_MARGIN_MM = 80.0  # searched beside the table: the whole of a tile that overhangs it, and its surroundings
_DEFAULT_SURE = 0.9  # if the model's sidecar names no threshold


class TableReader:
    """Reads tables with the four models."""

    def __init__(self, models_dir: Path | None = None, threads: int = 1, *, eager: bool = False) -> None:
        """Load the models; raises ModelError. An eager reader also locates faint detections."""
        folder = find_models() if models_dir is None else models_dir
        self._locator = Locator(folder, threads)
        self._corners = CornerFinder(folder, threads)
        self._reader = FaceReader(folder, threads)
        self._rereader = FaceReader(folder, threads, REREAD)
        threshold = self._locator.threshold / (3 if eager else 1)
        self._search = ScaleSearch(self._locator, threshold, self._face_probability, self._refine_corners)
        self._view: tuple[Profile, Points | None, Zoom | None] | None = None
        self._sure = self._rereader.sidecar.thresholds.get("unsure", _DEFAULT_SURE)  # the rereader has the last word

    def read_table(
        self,
        frame: Frame,
        box: Mapping[Tile, int] | None = None,
        zoom: Zoom | None = None,
        profile: Profile | None = None,
        known: Floats | None = None,
    ) -> TableReading:
        """Return the reading of a frame; its `milliseconds` are those of locate, read and total.

        `box` counts the copies of each tile and names the jokers. `zoom`, from `fit_zoom`, saves the scale search.
        Faces seen a moment ago at quads `known` [n, 4, 2] are searched for again. `profile` gives the table's outline,
        the tile size and enrolled faces; raises CalibrationError if it is for another aspect ratio or another reader.
        """
        start = perf_counter()
        fitted = profile.scaled((frame.image.shape[1], frame.image.shape[0])) if profile else None
        if fitted:
            self.check_profile(fitted)
        image = Pyramid(frame.image)
        jitter = AUGMENTATIONS[SHIFTS.index(zoom.shift)] if zoom else None
        plane = fitted.plane if fitted else None
        places, flat = self._view_of(fitted) if fitted else (None, None)
        zoom = flat._replace(scale=zoom.scale, shift=zoom.shift) if flat and zoom else zoom or flat
        found = self._search.find(image, zoom, places, known)
        if fitted:
            found = fitted.filter_tile_sized(found.pick(fitted.is_near_table(found.quads.mean(axis=1))))
        located = perf_counter()
        quads, faces, prints = self._read_faces(image, found, jitter, shrunk=zoom is not None, plane=plane)
        names = apply_inks(name_faces(faces, box), prints, fitted.inks if fitted else None)
        names = apply_ways_up(names, quads, faces)
        if fitted and fitted.enrolment:
            again = partial(self._embed_again, image, quads)
            names = apply_enrolment(names, faces.embedding, fitted.enrolment, again)
        names = doubt_drawn_jokers(names, fitted.enrolment if fitted else None)
        tiles = (
            read_with_multiplicity(names, box, quads, sure=self._sure)
            if box
            else read_names(names, quads, sure=self._sure)
        )
        tiles = turn_over(tiles, faces)
        layouts = lay_out_tiles(tiles)
        tiles = _doubt_printed(image, tiles, layouts[0].loose)
        tiles = doubt_other_sizes(tiles, plane) if plane else self._doubt_strange(image, tiles, faces)
        read = perf_counter()
        times = {"locate": located - start, "read": read - located, "total": perf_counter() - start}
        milliseconds = {name: round(seconds * 1000, 1) for name, seconds in times.items()}
        return TableReading(
            frame_id=frame.frame_id, at=frame.at, tiles=tiles, layouts=layouts, milliseconds=milliseconds
        )

    @property
    def version(self) -> str:
        """The versions of the models, from their sidecars."""
        named = {
            "locate": self._locator.sidecar,
            "corners": self._corners.sidecar,
            "read": self._reader.sidecar,
            "reread": self._rereader.sidecar,
        }
        return ", ".join(f"{name} {sidecar.version}" for name, sidecar in named.items())

    @property
    def reader_id(self) -> str:
        """Identifies the read model; embeddings of different models cannot be compared."""
        return self._reader.sidecar.sha256[:16]

    def check_profile(self, profile: Profile) -> None:
        """Raise CalibrationError if the profile's faces were enrolled with another reader."""
        if profile.enrolment:
            check_reader(profile.enrolment, self.reader_id)

    def read_faces(self, image: Image) -> tuple[Floats, Faces]:
        """Return the tiles in a picture, not yet named: quads [n, 4, 2], digits upright, and faces."""
        pyramid = Pyramid(image)
        quads, faces, _ = self._read_faces(pyramid, self._search.find(pyramid))
        return quads, faces

    def locate(self, image: Image) -> Detections:
        """Return all likely tiles in a picture, best first; which end is up is undetermined."""
        found = self._search.find(Pyramid(image))
        found = found.pick(self._search.are_clear(found))
        return found.pick(np.argsort(-found.scores, kind="stable"))

    def outline(self, image: Image) -> Detections:
        """Return all likely tiles in a picture, best first, at their corners; which end is up is undetermined."""
        found = self.locate(image)
        return Detections(self._refine_corners(Pyramid(image), found.quads), found.scores)

    def shows_face(self, image: Image | Pyramid, quads: Floats) -> Floats:
        """Return the probability [n] that each quad [n, 4, 2] of a picture shows a face."""
        return 1 - _no_face_probability(self._read_quick(image, quads))

    def embeddings(self, crops: Image) -> Floats:
        """Return unit vectors [n, 32] of upright crops [n, 64, 48, 3], similar for tiles that look similar."""
        return self._reader.read(crops).embedding

    def _view_of(self, profile: Profile) -> tuple[Points | None, Zoom | None]:
        """Return the places to search and a profile's zoom; the last ones are cached: a camera keeps its own."""
        if self._view is None or self._view[0] is not profile:
            places = profile.places_near_table(_TABLE_MARGIN_MM)
            self._view = profile, places, None if places is None else calibrated_zoom(profile, places)
        return self._view[1:]

    def _read_faces(
        self,
        image: Pyramid,
        found: Detections,
        jitter: CropJitter | None = None,
        *,
        shrunk: bool = False,
        plane: Plane | None = None,
    ) -> tuple[Floats, Faces, Doubles | None]:
        """Return the tiles: their quads refined to the corners, digits upright, their faces and print colours.

        The print colours are None for a picture without colour.

        Detections from a downscaled frame (`shrunk`) are refined before cropping; otherwise crops are misaligned.
        Elsewhere the located quads are read: on refined crops the reader is overconfident about unknown prints.
        Doubtful tiles are re-read several times, or only once, with that `jitter`, if other frames follow.
        """
        found = self._worth_reading(image, self._outlined(image, found, plane, refine=shrunk))
        quads = found.quads
        crops = rectify(image, quads, READ_CROP_SIZE)
        read = partial(read_upside_down, read=self._reader.read) if jitter and jitter.upside_down else self._reader.read
        faces = read(crops)
        faces = augmented_reading(image, quads, faces, read=self._rereader.read, jitter=jitter)
        is_tile = _are_tiles(found.scores, faces)
        faces, quads = faces.pick(is_tile), quads[is_tile]
        if not shrunk:
            quads = self._outlined(image, Detections(quads, found.scores[is_tile]), plane, refine=True).quads
        over = (faces.upright < 0.5)[:, None, None]
        prints = None if is_colourless(crops) else print_colours(crops)[is_tile]
        return np.where(over, rotate_quads_180(quads), quads).astype(np.float32), faces, prints

    def _doubt_strange(self, image: Pyramid, tiles: tuple[TileReading, ...], faces: Faces) -> tuple[TileReading, ...]:
        is_face = np.array([tile.tile is not None for tile in tiles], bool)
        measures = measures_of(image, tiles, faces)
        return doubt_strange_faces(tiles, log_odds_of_tiles(measures, is_face, self._rereader.sidecar.likeness))

    def _embed_again(self, image: Pyramid, quads: Floats, rows: npt.NDArray[np.intp]) -> Floats:
        """Return embeddings [rows, 32] of some quads [n, 4, 2], each merged from several jittered crops."""
        return merge_looks(self.embeddings(extra_looks(rectify(image, quads[rows]))))

    def _read_quick(self, image: Image | Pyramid, quads: Floats) -> Faces:
        """Return the quick reader's faces of quads [n, 4, 2]."""
        return self._reader.read(rectify(image, quads, READ_CROP_SIZE))

    def _refine_corners(self, image: Pyramid, quads: Floats) -> Floats:
        return refine_corners(image, quads, self._corners.moves)

    def _outlined(self, image: Pyramid, found: Detections, plane: Plane | None, *, refine: bool) -> Detections:
        """Return the detections, all refined to the corners if `refine`, then those of an odd size on the plane."""
        quads = self._refine_corners(image, found.quads) if refine else found.quads
        quads = refine_odd_sized(image, quads, self._corners.moves, self._search.are_clear(found), plane)
        return Detections(quads, found.scores)

    def _worth_reading(self, image: Pyramid, found: Detections) -> Detections:
        """Return the likely tiles among the detections; faint ones only if they surely show a face."""
        rows = self._search.are_clear(found)
        rows[~rows] = self.shows_face(image, found.quads[~rows]) >= TUNING.min_confidence
        return suppress_duplicates(found.pick(rows))

    def _face_probability(self, image: Pyramid, quads: Floats) -> Floats:
        symbol = self._read_quick(image, quads).symbol
        return np.asarray(np.delete(symbol, (_BACK, _NONE), axis=1).max(axis=1), np.float32)


def _doubt_printed(image: Pyramid, tiles: tuple[TileReading, ...], loose: Sequence[int]) -> tuple[TileReading, ...]:
    """Mark loose tiles without edges as unsure: they may be printed on something else."""
    edged = has_edges(image, np.array([tiles[index].quad for index in loose], np.float32))
    printed = {index for index, is_tile in zip(loose, edged, strict=True) if not is_tile}
    return tuple(replace(tile, unsure=True) if index in printed else tile for index, tile in enumerate(tiles))


def _are_tiles(scores: Floats, faces: Faces) -> npt.NDArray[np.bool_]:
    """Return which detections are tiles: not those read as none, nor those that both models doubt."""
    guess = faces.symbol.argmax(axis=1)
    no_face = np.where(guess == _BACK, faces.symbol[:, _NONE], _no_face_probability(faces))
    doubted = (no_face > TUNING.max_no_face) & (scores < TUNING.min_locate_score)
    return np.asarray((guess != _NONE) & ~doubted)


def _no_face_probability(faces: Faces) -> Floats:
    """Return the probability [n] of a tile's back or of no tile."""
    return np.asarray(faces.symbol[:, _BACK] + faces.symbol[:, _NONE], np.float32)
