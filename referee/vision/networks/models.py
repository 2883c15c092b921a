"""The four networks: pictures to detections, crops to faces and to corner moves."""

import itertools
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.geometry.crops import CORNER_CROP_SIZE, CROP_SIZE, READ_CROP_SIZE, downscale_crops, transpose_crops
from referee.vision.geometry.detections import EMBEDDING_SIZE, INKS, SYMBOLS, Detections, Faces, Floats
from referee.vision.geometry.quads import areas, quads_of
from referee.vision.image.frame import Image
from referee.vision.networks.sidecar import contract_error, open_model

LOCATE: Final = "tiles-locate"
CORNERS: Final = "tiles-corners"
READ: Final = "tiles-read"
REREAD: Final = "tiles-reread"
"""A larger model of the same kind, for tiles that the other doubts."""
STRIDE: Final = 4  # input pixels per output cell of the locate model
MULTIPLE: Final = 32  # the locate input's height and width are multiples of this
_MAX_BATCH = 18  # crops: they fit the processor's cache and need little memory


class Locator:
    """Finds tiles in a picture."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """Load the model; raises ModelError."""
        self.sidecar, self._session = open_model(
            folder,
            LOCATE,
            threads,
            inputs={"image": (1, None, None, 3)},
            outputs={"heat": (1, 1, None, None), "geometry": (1, 6, None, None)},
        )
        self.threshold = self.sidecar.thresholds.get("peak", 0.3)

    def locate(self, image: Image, threshold: float | None = None) -> Detections:
        """Return the tiles in a picture whose height and width are multiples of 32, best first, in its pixels."""
        heat, geometry = self._session.run(["heat", "geometry"], {"image": image[None]})
        expected = (1, 6, image.shape[0] // STRIDE, image.shape[1] // STRIDE)
        if geometry.shape != expected or heat.shape != (1, 1, *expected[2:]):
            raise contract_error(LOCATE, f"answers {heat.shape} and {geometry.shape} where {expected} was due")
        return decode(heat[0, 0], geometry[0], self.threshold if threshold is None else threshold)


class _CropModel:
    """A model with one output row per crop [n, height, width, 3].

    One batch is too little work to share between threads, so each thread runs batches of its own.
    """

    def __init__(
        self, folder: Path, name: str, columns: Mapping[str, int], threads: int, size: tuple[int, int]
    ) -> None:
        """Load the model, which takes crops of `size` (width, height); raises ModelError."""
        crops = (None, *size, 3)  # transposed
        outputs = {column: (None, size) for column, size in columns.items()}
        self.sidecar, self._session = open_model(folder, name, 1, inputs={"crops": crops}, outputs=outputs)
        self._columns = columns
        self._size = size
        self._threads = threads
        self._executor = ThreadPoolExecutor(threads - 1, name) if threads > 1 else None

    def _predict(self, crops: Image) -> list[Floats]:
        """Return the outputs [n, columns], in order; raises ModelError for other columns than promised."""
        if not len(crops):
            return [np.zeros((0, size), np.float32) for size in self._columns.values()]
        batches = _batches(crops, self._threads)
        first = -(-len(batches) // self._threads)  # run by this thread itself: others take a while to wake
        later = self._executor.map(self._run, batches[first:]) if self._executor else ()
        runs = [*map(self._run, batches[:first]), *later]
        answers = [np.concatenate(parts) for parts in zip(*runs, strict=True)]
        if [answer.shape[1] for answer in answers] != [*self._columns.values()]:
            found = [answer.shape[1] for answer in answers]
            raise contract_error(self.sidecar.model, f"answers with {found} columns")
        return answers

    def _run(self, crops: Image) -> list[Floats]:
        taken = np.ascontiguousarray(transpose_crops(downscale_crops(crops, self._size)))
        answers: list[Floats] = self._session.run([*self._columns], {"crops": taken})
        return answers


class CornerFinder(_CropModel):
    """Finds how located quads must move to match their tiles' corners."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """Load the model; raises ModelError."""
        super().__init__(folder, CORNERS, {"moves": 6}, threads, CORNER_CROP_SIZE)

    def moves(self, crops: Image) -> Floats:
        """Return moves [n, 6], see `corner_refinement`, for crops [n, 32, 24, 3] of quads widened to its SPAN."""
        (moves,) = self._predict(crops)
        return moves


class FaceReader(_CropModel):
    """Reads the faces of tiles in upright crops."""

    def __init__(self, folder: Path, threads: int = 1, name: str = READ) -> None:
        """Load the model of this name; raises ModelError."""
        columns = {"symbol": len(SYMBOLS), "ink": len(INKS), "upright": 2, "embedding": EMBEDDING_SIZE}
        super().__init__(folder, name, columns, threads, READ_CROP_SIZE if name == READ else CROP_SIZE)
        for kind, ours in (("symbol", SYMBOLS), ("ink", INKS)):
            theirs = self.sidecar.classes.get(kind)
            if theirs is not None and theirs != tuple(ours):
                raise contract_error(f"{name} {self.sidecar.version}", f"its {kind} classes are {theirs}, not ours")

    def read(self, crops: Image) -> Faces:
        """Return calibrated probabilities for crops [n, 64, 48, 3], or [n, 48, 32, 3] for the quick model."""
        symbol, ink, upright, embedding = self._predict(crops)
        temperature = self.sidecar.temperature
        return Faces(
            symbol=softmax(symbol / temperature.get("symbol", 1.0)),
            ink=softmax(ink / temperature.get("ink", 1.0)),
            upright=softmax(upright / temperature.get("upright", 1.0))[:, 1],
            embedding=embedding,
        )


def _batches(crops: Image, threads: int) -> list[Image]:
    """Return the crops in batches of nearly equal size, the same number for each thread."""
    parts = -(-len(crops) // (_MAX_BATCH * threads)) * threads
    ends = [len(crops) * part // parts for part in range(parts + 1)]
    return [crops[start:end] for start, end in itertools.pairwise(ends) if start < end]


def softmax(logits: npt.NDArray[np.floating]) -> Floats:
    """Return the probabilities [n, classes] of logits [n, classes]."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


def decode(heat: Floats, geometry: Floats, threshold: float) -> Detections:
    """Return the peaks of a heat map [h, w] as quads in input pixels; for `geometry` [6, h, w] see the model card."""
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero((heat >= top) & (heat > threshold))
    best = np.argsort(-heat[rows, columns], kind="stable")
    rows, columns = rows[best], columns[best]
    dx, dy, ux, uy, vx, vy = geometry[:, rows, columns]
    centre = np.stack([columns + 0.5 + dx, rows + 0.5 + dy], axis=1)
    quads = quads_of(centre * STRIDE, from_doubled_angle(ux, uy) * STRIDE, from_doubled_angle(vx, vy) * STRIDE)
    good = np.isfinite(quads).all(axis=(1, 2)) & (np.abs(areas(quads)) > 1)
    return Detections(quads[good], heat[rows, columns][good].astype(np.float32))


def from_doubled_angle(x: Floats, y: Floats) -> Floats:
    """Return vectors [n, 2] from their doubled-angle code, one of the two opposite ones."""
    angle, length = np.arctan2(y, x) / 2, np.hypot(x, y)
    return np.asarray(np.stack([length * np.cos(angle), length * np.sin(angle)], axis=1), np.float32)


def to_doubled_angle(vectors: Floats) -> Floats:
    """Return the doubled-angle code [n, 2] of vectors [n, 2]; opposite vectors share one."""
    angle, length = 2 * np.arctan2(vectors[:, 1], vectors[:, 0]), np.hypot(vectors[:, 0], vectors[:, 1])
    return np.asarray(np.stack([length * np.cos(angle), length * np.sin(angle)], axis=1), np.float32)
