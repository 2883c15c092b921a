"""The pipeline from a frame to a reading: find tiles, cut them out, name them, doubt some, lay out rows."""

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
    upside_down,
)
from referee.vision.classify.enrolment import apply_enrolment, check_reader, joined, looks_again
from referee.vision.classify.naming import name_faces, read_names
from referee.vision.classify.tuning import TUNING
from referee.vision.context.ink_clustering import apply_inks
from referee.vision.context.multiplicity_prior import read_with_multiplicity
from referee.vision.detect.corner_refinement import at_corners, like_others
from referee.vision.detect.detection_scale import SHIFTS, Zoom, over_all_of_the_table
from referee.vision.detect.lone_faces import has_edges
from referee.vision.detect.scale_search import Outline, ScaleSearch
from referee.vision.geometry.crops import GLANCE_SIZE, rectify
from referee.vision.geometry.detections import SYMBOLS, Detections, Doubles, Faces, Floats
from referee.vision.geometry.quads import distinct, turned
from referee.vision.geometry.size_model import even_out
from referee.vision.image.colour_channels import is_colourless, print_colours
from referee.vision.image.frame import Frame, Image
from referee.vision.image.pyramid import Pyramid
from referee.vision.networks.models import REREAD, CornerFinder, FaceReader, Locator
from referee.vision.networks.sidecar import find_models
from referee.vision.profile import Profile

_BACK, _NONE = SYMBOLS.index("back"), SYMBOLS.index("none")
_AROUND_MM = 80.0  # and so far beside it the picture is looked at: such a tile whole, and what is about it
_SURE = 0.9  # where the model's sidecar names no threshold


class TableReader:
    """Reads tables with the four models."""

    def __init__(self, models_dir: Path | None = None, threads: int = 1, *, eager: bool = False) -> None:
        """Load the models; raises ModelError. An eager reader also locates what is hardly a tile."""
        folder = find_models() if models_dir is None else models_dir
        self._locator = Locator(folder, threads)
        self._corners = CornerFinder(folder, threads)
        self._reader = FaceReader(folder, threads)
        self._rereader = FaceReader(folder, threads, REREAD)
        threshold = self._locator.threshold / (3 if eager else 1)
        self._finder = ScaleSearch(self._locator, threshold, self._shows_one_face, self._outline)
        self._sure = self._rereader.sidecar.thresholds.get("unsure", _SURE)  # who has the last word

    def read_table(
        self,
        frame: Frame,
        box: Mapping[Tile, int] | None = None,
        zoom: Zoom | None = None,
        profile: Profile | None = None,
        known: Floats | None = None,
    ) -> TableReading:
        """Return the table in a frame; `milliseconds` tells what locate, read and total took.

        `box` names the jokers and how many there are of each tile; `zoom`, from `zoom_of`, saves the first looks. Where
        faces were seen a moment ago, quads `known` [n, 4, 2], they are looked for again. `profile` says where the table
        is, how large tiles are and what faces were enrolled; raises CalibrationError where it is for pictures of
        another shape or for another reader.
        """
        start = perf_counter()
        fitted = profile.scaled((frame.image.shape[1], frame.image.shape[0])) if profile else None
        if fitted:
            self.check_profile(fitted)
        image = Pyramid(frame.image)
        once = AUGMENTATIONS[SHIFTS.index(zoom.shift)] if zoom else None
        zoom = over_all_of_the_table(zoom, fitted)
        found = self._finder.find(image, zoom, fitted.table_in_picture(_AROUND_MM) if fitted else None, known)
        if fitted:
            found = fitted.tile_sized(found.pick(fitted.counts(found.quads.mean(axis=1))))
        located = perf_counter()
        quads, faces, prints = self._faces(image, found, once, shrunk=zoom is not None)
        names = apply_inks(name_faces(faces, box), prints, fitted.inks if fitted else None)
        if fitted and fitted.enrolment:
            again = partial(self._embedded_again, image, quads)
            names = apply_enrolment(names, faces.embedding, fitted.enrolment, again)
        tiles = (
            read_with_multiplicity(names, box, quads, sure=self._sure)
            if box
            else read_names(names, quads, sure=self._sure)
        )
        layouts = lay_out_tiles(tiles)
        tiles = _doubt_printed(image, tiles, layouts[0].loose)
        read = perf_counter()
        times = {"locate": located - start, "read": read - located, "total": perf_counter() - start}
        milliseconds = {name: round(seconds * 1000, 1) for name, seconds in times.items()}
        return TableReading(
            frame_id=frame.frame_id, at=frame.at, tiles=tiles, layouts=layouts, milliseconds=milliseconds
        )

    @property
    def version(self) -> str:
        """The versions of the models, as their sidecars tell them."""
        named = {
            "locate": self._locator.sidecar,
            "corners": self._corners.sidecar,
            "read": self._reader.sidecar,
            "reread": self._rereader.sidecar,
        }
        return ", ".join(f"{name} {sidecar.version}" for name, sidecar in named.items())

    @property
    def reader_id(self) -> str:
        """Names the read model; embeddings of one mean nothing to another."""
        return self._reader.sidecar.sha256[:16]

    def check_profile(self, profile: Profile) -> None:
        """Raise CalibrationError, before the first picture, where the profile's faces are for another reader."""
        if profile.enrolment:
            check_reader(profile.enrolment, self.reader_id)

    def see(self, image: Image) -> tuple[Floats, Faces]:
        """Return the tiles in a picture as they are seen, not yet named: quads [n, 4, 2], digits upright, and faces."""
        pyramid = Pyramid(image)
        quads, faces, _ = self._faces(pyramid, self._finder.find(pyramid))
        return quads, faces

    def locate(self, image: Image) -> Detections:
        """Return what may be tiles in a picture, whatever they show; best first, which end is up is open."""
        found = self._finder.find(Pyramid(image))
        found = found.pick(self._finder.are_clear(found))
        return found.pick(np.argsort(-found.scores, kind="stable"))

    def shows_face(self, image: Image | Pyramid, quads: Floats) -> Floats:
        """Return how likely each of the quads [n, 4, 2] in a picture shows any tile's face [n]."""
        return 1 - _no_face_probability(self._glance(image, quads))

    def embeddings(self, crops: Image) -> Floats:
        """Return unit vectors [n, 32] of upright crops [n, 64, 48, 3]: alike for tiles that look alike."""
        return self._reader.read(crops).embedding

    def _faces(
        self,
        image: Pyramid,
        found: Detections,
        once: CropJitter | None = None,
        *,
        shrunk: bool = False,
    ) -> tuple[Floats, Faces, Doubles | None]:
        """Return what is a tile: its quad drawn to the tile's corners, digits upright, its face and its print's colour.

        Of a picture without colour the prints are None.

        What was located in a frame `shrunk` as far as will do is drawn to its corners first, or it is cut out badly;
        of prints that the reader does not know it is too sure then, so elsewhere it reads what was located.
        What is doubtful is looked at again, and if need be several times; only `once`, at that cut, if other frames
        follow.
        """
        found = self._worth_reading(image, found, self._outline if shrunk else self._mend)
        quads = even_out(found.quads)
        crops = rectify(image, quads, GLANCE_SIZE)
        read = partial(upside_down, read=self._reader.read) if once and once.turned else self._reader.read
        faces = read(crops)
        faces = augmented_reading(image, quads, faces, read=self._rereader.read, once=once)
        is_tile = _are_tiles(found.scores, faces)
        faces, quads = faces.pick(is_tile), quads[is_tile]
        if not shrunk:
            quads = even_out(self._outline(image, quads))
        over = (faces.upright < 0.5)[:, None, None]
        prints = None if is_colourless(crops) else print_colours(crops)[is_tile]
        return np.where(over, turned(quads), quads).astype(np.float32), faces, prints

    def _embedded_again(self, image: Pyramid, quads: Floats, rows: npt.NDArray[np.intp]) -> Floats:
        """Return embeddings [rows, 32] of some of the quads [n, 4, 2], each of several looks."""
        return joined(self.embeddings(looks_again(rectify(image, quads[rows]))))

    def _glance(self, image: Image | Pyramid, quads: Floats) -> Faces:
        """Return what the quick reader says of quads [n, 4, 2]."""
        return self._reader.read(rectify(image, quads, GLANCE_SIZE))

    def _outline(self, image: Pyramid, quads: Floats) -> Floats:
        return at_corners(image, quads, self._corners.moves)

    def _mend(self, image: Pyramid, quads: Floats) -> Floats:
        return like_others(image, quads, self._corners.moves)

    def _worth_reading(self, image: Pyramid, found: Detections, outline: Outline) -> Detections:
        """Return what may be tiles among what was found, outlined; what is faint where it then surely shows a face."""
        found = Detections(outline(image, found.quads), found.scores)
        rows = self._finder.are_clear(found)
        rows[~rows] = self.shows_face(image, found.quads[~rows]) >= TUNING.doubtful
        return distinct(found.pick(rows))

    def _shows_one_face(self, image: Pyramid, quads: Floats) -> Floats:
        symbol = self._glance(image, quads).symbol
        return np.asarray(np.delete(symbol, (_BACK, _NONE), axis=1).max(axis=1), np.float32)


def _doubt_printed(image: Pyramid, tiles: tuple[TileReading, ...], loose: Sequence[int]) -> tuple[TileReading, ...]:
    """Return the tiles, in doubt those that lie alone and have no edges: they may be printed on something else."""
    edged = has_edges(image, np.array([tiles[index].quad for index in loose], np.float32))
    printed = {index for index, is_tile in zip(loose, edged, strict=True) if not is_tile}
    return tuple(replace(tile, unsure=True) if index in printed else tile for index, tile in enumerate(tiles))


def _are_tiles(scores: Floats, faces: Faces) -> npt.NDArray[np.bool_]:
    """Return which detections are tiles; drop likely non-tiles and those that both models doubt."""
    guess = faces.symbol.argmax(axis=1)
    faceless = np.where(guess == _BACK, faces.symbol[:, _NONE], _no_face_probability(faces))
    doubted = (faceless > TUNING.hardly_a_face) & (scores < TUNING.hardly_located)
    return np.asarray((guess != _NONE) & ~doubted)


def _no_face_probability(faces: Faces) -> Floats:
    """Return how likely each is the back of a tile or none at all."""
    return np.asarray(faces.symbol[:, _BACK] + faces.symbol[:, _NONE], np.float32)
