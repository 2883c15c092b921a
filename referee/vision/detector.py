"""The ONNX models: found, checked against their sidecars and run; what the answers mean is left to `pipeline`."""

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnxruntime

import referee
from referee.errors import ModelError
from referee.vision.detections import EMBEDDING, INKS, SYMBOLS, Detections, Faces, Floats
from referee.vision.frame import Image
from referee.vision.geometry import CROP_SIZE, GLANCE_SIZE, SMALL_CROP, STRIDE, decode, exchanged, shrunk

LOCATE: Final = "tiles-locate"
CORNERS: Final = "tiles-corners"
READ: Final = "tiles-read"
REREAD: Final = "tiles-reread"
"""A larger one of the same kind, for what the other doubts."""
MULTIPLE: Final = 32  # the locate input's height and width are multiples of this
_BATCH = 18  # crops at a time, at most: they stay in the processor's cache, and cost no memory to speak of
Shape = tuple[int | None, ...]
"""Sizes of an input or output; None where a picture or the number of crops gives it."""
_WAY_OUT = "install the package again, or fetch the models of this version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidecar:
    """What the file beside a model says about it."""

    model: str
    version: str
    sha256: str
    temperature: Mapping[str, float]
    thresholds: Mapping[str, float]
    classes: Mapping[str, tuple[str, ...]]


def find_models() -> Path:
    """The folder with the models: inside an installed package, or beside it in a checkout."""
    package = Path(referee.__file__).parent
    inside = package / "models"
    return inside if inside.is_dir() else package.parent / "models"


def load_sidecar(folder: Path, name: str) -> Sidecar:
    """The checked sidecar of a model; raises ModelError where it is missing or not one."""
    path = folder / f"{name}.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"model {name}: {path} is missing; {_WAY_OUT}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"model {name}: {path} cannot be read ({error}); {_WAY_OUT}") from None
    try:
        return _sidecar(content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(
            f"model {name}: {path} is no sidecar of a model ({type(error).__name__}: {error}); {_WAY_OUT}"
        ) from None


def _sidecar(content: Mapping[str, Any]) -> Sidecar:
    classes = content.get("classes", {})
    if not isinstance(classes, Mapping):
        classes = {"symbol": classes}
    return Sidecar(
        model=str(content["model"]),
        version=str(content["version"]),
        sha256=str(content["sha256"]),
        temperature={str(key): float(value) for key, value in content.get("temperature", {}).items()},
        thresholds={str(key): float(value) for key, value in content.get("thresholds", {}).items()},
        classes={str(key): tuple(str(value) for value in values) for key, values in classes.items()},
    )


class Locator:
    """Finds tiles in a picture."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """Load the model; raises ModelError."""
        self.sidecar, self._session = _open(
            folder,
            LOCATE,
            threads,
            inputs={"image": (1, None, None, 3)},
            outputs={"heat": (1, 1, None, None), "geometry": (1, 6, None, None)},
        )
        self.threshold = self.sidecar.thresholds.get("peak", 0.3)

    def locate(self, image: Image, threshold: float | None = None) -> Detections:
        """Tiles in a picture whose height and width are multiples of 32, quads in its pixels; best first."""
        heat, geometry = self._session.run(["heat", "geometry"], {"image": image[None]})
        expected = (1, 6, image.shape[0] // STRIDE, image.shape[1] // STRIDE)
        if geometry.shape != expected or heat.shape != (1, 1, *expected[2:]):
            raise ModelError(
                f"model {LOCATE}: answers {heat.shape} and {geometry.shape} where {expected} was due; {_WAY_OUT}"
            )
        return decode(heat[0, 0], geometry[0], self.threshold if threshold is None else threshold)


class _OfCrops:
    """A model that answers columns for crops [n, height, width, 3].

    A batch is too little work to be shared by threads, so each thread has batches of its own.
    """

    def __init__(
        self, folder: Path, name: str, columns: Mapping[str, int], threads: int, size: tuple[int, int]
    ) -> None:
        """Load the model, which takes crops of a width and height; raises ModelError."""
        crops = (None, *size, 3)  # exchanged
        outputs = {column: (None, size) for column, size in columns.items()}
        self.sidecar, self._session = _open(folder, name, 1, inputs={"crops": crops}, outputs=outputs)
        self._columns = columns
        self._size = size
        self._threads = threads
        self._helpers = ThreadPoolExecutor(threads - 1, name) if threads > 1 else None

    def _answers(self, crops: Image) -> list[Floats]:
        """The columns, in order."""
        if not len(crops):
            return [np.zeros((0, size), np.float32) for size in self._columns.values()]
        batches = _batches(crops, self._threads)
        first = -(-len(batches) // self._threads)  # this thread runs those itself, for another takes a while to wake
        later = self._helpers.map(self._run, batches[first:]) if self._helpers else ()
        runs = [*map(self._run, batches[:first]), *later]
        answers = [np.concatenate(parts) for parts in zip(*runs, strict=True)]
        if [answer.shape[1] for answer in answers] != [*self._columns.values()]:
            found = [answer.shape[1] for answer in answers]
            raise ModelError(f"model {self.sidecar.model}: answers with {found} columns; {_WAY_OUT}")
        return answers

    def _run(self, crops: Image) -> list[Floats]:
        taken = np.ascontiguousarray(exchanged(shrunk(crops, self._size)))
        answers: list[Floats] = self._session.run([*self._columns], {"crops": taken})
        return answers


class CornerFinder(_OfCrops):
    """Says how located quads are to be moved to the corners of their tiles."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """Load the model; raises ModelError."""
        super().__init__(folder, CORNERS, {"moves": 6}, threads, SMALL_CROP)

    def moves(self, crops: Image) -> Floats:
        """Moves [n, 6], as `corners` takes them, for crops [n, 32, 24, 3] of quads widened to its SPAN."""
        (moves,) = self._answers(crops)
        return moves


class FaceReader(_OfCrops):
    """Reads the faces of tiles in upright crops."""

    def __init__(self, folder: Path, threads: int = 1, name: str = READ) -> None:
        """Load the model of this name; raises ModelError."""
        columns = {"symbol": len(SYMBOLS), "ink": len(INKS), "upright": 2, "embedding": EMBEDDING}
        super().__init__(folder, name, columns, threads, GLANCE_SIZE if name == READ else CROP_SIZE)
        for kind, ours in (("symbol", SYMBOLS), ("ink", INKS)):
            theirs = self.sidecar.classes.get(kind)
            if theirs is not None and theirs != tuple(ours):
                raise ModelError(
                    f"model {name} {self.sidecar.version}: its {kind} classes are {theirs}, not ours; {_WAY_OUT}"
                )

    def read(self, crops: Image) -> Faces:
        """Calibrated probabilities for crops [n, 64, 48, 3], or smaller ones where the model sees such."""
        return _faces(self._answers(crops), self.sidecar.temperature)


def _batches(crops: Image, threads: int) -> list[Image]:
    """The crops in order, in parts of nearly one size, as many for each thread."""
    parts = -(-len(crops) // (_BATCH * threads)) * threads
    ends = [len(crops) * part // parts for part in range(parts + 1)]
    return [crops[start:end] for start, end in itertools.pairwise(ends) if start < end]


def _faces(columns: list[Floats], temperature: Mapping[str, float]) -> Faces:
    symbol, ink, upright, embedding = columns
    return Faces(
        symbol=softmax(symbol / temperature.get("symbol", 1.0)),
        ink=softmax(ink / temperature.get("ink", 1.0)),
        upright=softmax(upright / temperature.get("upright", 1.0))[:, 1],
        embedding=embedding,
    )


def softmax(logits: npt.NDArray[np.floating]) -> Floats:
    """Probabilities of logits [n, classes]."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


def _open(
    folder: Path, name: str, threads: int, *, inputs: Mapping[str, Shape], outputs: Mapping[str, Shape]
) -> tuple[Sidecar, onnxruntime.InferenceSession]:
    """A session of the model its sidecar describes, which keeps the contract (names and shapes)."""
    sidecar, path = load_sidecar(folder, name), folder / f"{name}.onnx"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"model {name}: {path} cannot be read ({error.strerror}); {_WAY_OUT}") from None
    if sidecar.model != name:
        raise ModelError(f"model {name}: {folder / name}.json describes {sidecar.model!r}; {_WAY_OUT}")
    if hashlib.sha256(content).hexdigest() != sidecar.sha256:
        raise ModelError(
            f"model {name}: {path} is damaged or not version {sidecar.version} (its SHA-256 differs); {_WAY_OUT}"
        )
    try:
        session = onnxruntime.InferenceSession(content, _options(threads), providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - ONNX Runtime raises its own exceptions, which share no base but this
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"model {name}: {path} cannot be loaded ({reason}); {_WAY_OUT}") from None
    for kind, found, due in (("takes", session.get_inputs(), inputs), ("answers", session.get_outputs(), outputs)):
        shapes = {value.name: tuple(value.shape) for value in found}
        if not all(key in shapes and _agree(shapes[key], shape) for key, shape in due.items()):
            differ = f"{kind} {_told(shapes)}, where {_told(due)} is the contract"
            raise ModelError(f"model {name} {sidecar.version}: {differ}; {_WAY_OUT}")
    return sidecar, session


def _agree(found: Sequence[object], due: Shape) -> bool:
    """Whether two shapes may be one; a size that is no number, as a model names its open ones, may be any."""
    pairs = zip(found, due, strict=False)
    return len(found) == len(due) and all(a == b for a, b in pairs if isinstance(a, int) and b is not None)


def _told(shapes: Mapping[str, Sequence[object]]) -> str:
    return ", ".join(
        f"{name} [{', '.join(str(size) if isinstance(size, int) else '?' for size in shape)}]"
        for name, shape in shapes.items()
    )


def _options(threads: int) -> onnxruntime.SessionOptions:
    """For a small machine: no memory arena that never shrinks, no thread that burns a core while it waits."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options
