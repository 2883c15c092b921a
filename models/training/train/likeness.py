"""Fits the weights by which the pipeline tells how like tiles faces look, and writes them beside the larger reader.

    python -m models.training.train.likeness --photos ../shared/photos

Tiles are those of photographs to train on, as they are, reprinted and leaning, and of rendered tables and racks. What
is no tile are drawn pages, photographs in `field`, and things beside tiles. A picture counts by the root of its faces.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from models.training.data.corruptions import tilt
from models.training.data.render.scene_generator import scene
from models.training.data.reprinted import REPRINTS
from models.training.evaluate.grades import match
from models.training.evaluate.strange import among_things, pages
from models.training.evaluate.worlds import Known, Picture, changed, photographs, racks
from referee.cli.progress import with_progress
from referee.vision.classify.likeness import WEIGHTS, measures_of
from referee.vision.geometry.detections import Doubles, Faces
from referee.vision.image.frame import Frame
from referee.vision.networks.models import REREAD
from referee.vision.networks.sidecar import find_models
from referee.vision.pipeline import TableReader

KEPT: Final = 0.985  # the share of the sure tiles trained on that stays sure
_CAUTION, _STEPS = 1.0, 60  # weight of the squared weights, and Newton's steps
_RACKS: Final = 5.0  # times that their pictures count: few, but covered feet make squares of tiles
_SCALE: Final = np.array([5.0, 0.1, 0.2])  # of the measures, so that caution treats all alike


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A picture's faces: measures [n, 3], and which are faces, are sure, and lie on tiles [n]."""

    measures: Doubles
    is_face: npt.NDArray[np.bool_]
    sure: npt.NDArray[np.bool_]
    on_tile: npt.NDArray[np.bool_]
    weight: float = 1.0

    def rows(self) -> Doubles:
        """Return what the weights apply to [n, 7]."""
        scaled = self.measures / _SCALE
        together = np.broadcast_to(scaled[self.is_face].mean(axis=0), scaled.shape)
        return np.column_stack([scaled, together, np.ones(len(scaled))])


def pictures(photos: Path) -> Iterator[tuple[Picture, bool, float]]:
    """Yield pictures to fit to, whether what lies beside their tiles is known to be none, and their weight."""
    train = list(photographs(photos, "train"))
    reprints = list(REPRINTS.values())
    yield from ((one, False, 1.0) for one in train[::3])
    for number, one in enumerate(train[1::8]):
        yield changed(one, "", reprints[number % len(reprints)]), False, 1.0
    for number, one in enumerate(train[2::9]):
        yield changed(one, "", tilt(20 + (2 + 9 * number) % 36)), False, 1.0
    yield from ((one, True, 1.0) for one in _scenes(70))
    yield from ((one, False, _RACKS) for one in racks("", 8, 85_000))
    yield from ((one, True, 1.0) for one in pages(40, 81_000))
    yield from ((one, True, 1.0) for one in photographs(photos / "field", "train"))
    yield from ((one.picture, True, 1.0) for one in among_things(10, 82_000))


def _scenes(count: int) -> Iterator[Picture]:
    for number in range(count):
        pixels = float(np.random.default_rng([84_000, number]).uniform(28, 70))
        one = scene(np.random.default_rng([83_000, number]), (800, 600), tile_pixels=pixels)
        tiles = tuple(Known(tile.tile, np.asarray(tile.quad, np.float32), tile.visible) for tile in one.tiles)
        yield Picture(group="", name=f"scene-{number}", image=one.image, tiles=tiles)


def examples(photos: Path) -> Iterator[Example]:
    """Yield what the reader says of the pictures; what may be a tile with a wrong label is left out."""
    reader, kept = TableReader(threads=1), _KeptFaces()
    reader._doubt_strange = kept  # type: ignore[method-assign]  # noqa: SLF001 - it sees all, and doubts none
    threshold = reader._sure  # noqa: SLF001
    for picture, labelled, weight in with_progress(pictures(photos), "reading"):
        tiles = reader.read_table(Frame(picture.name, 0.0, picture.image), picture.box).tiles
        found = [np.array(tile.quad, np.float32) for tile in tiles]
        on_tile = np.isin(np.arange(len(tiles)), [*match([one.outline for one in picture.tiles], found).values()])
        is_face = np.array([tile.tile is not None for tile in tiles], bool)
        sure = is_face & np.array([tile.confidence >= threshold for tile in tiles], bool) & (on_tile | labelled)
        if sure.any():
            yield Example(kept.measures, is_face, sure, on_tile, weight)


class _KeptFaces:
    """Stands in for the guard, and keeps the measures of the last picture."""

    def __init__(self) -> None:
        self.measures = np.zeros((0, 3))

    def __call__(self, image: Any, tiles: Any, faces: Faces) -> Any:
        self.measures = measures_of(image, tiles, faces)
        return tiles


def fit(found: Sequence[Example]) -> dict[str, float]:
    """Return the weights by name; the constant is such that the due share of the sure tiles has log-odds above 0."""
    x = np.concatenate([one.rows()[one.sure] for one in found])
    y = np.concatenate([one.on_tile[one.sure] for one in found])
    weights = np.concatenate([np.full(one.sure.sum(), one.weight / np.sqrt(one.sure.sum())) for one in found])
    weights *= 1000 / np.where(y, weights[y].sum(), weights[~y].sum())
    fitted, caution = np.zeros(x.shape[1]), _CAUTION * np.diag([*[1.0] * (x.shape[1] - 1), 0.0])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(x @ fitted, -30, 30)))
        slope = x.T @ (weights * (y - chance)) - caution @ fitted
        fitted = fitted + np.linalg.solve((x * (weights * chance * (1 - chance))[:, None]).T @ x + caution, slope)
    fitted[-1] -= np.quantile(x[y] @ fitted, 1 - KEPT, method="lower")
    values = fitted / np.array([*_SCALE, *_SCALE, 1.0])
    return dict(zip(WEIGHTS, np.round(values, 4).tolist(), strict=True))


def main(argv: Sequence[str] | None = None) -> None:
    """Fit the weights, and write them into the sidecar of the model."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--photos", type=Path, required=True, help="folder with labels.jsonl, and with field/ in it")
    parser.add_argument("--models", type=Path, default=find_models(), help="folder of the models")
    words = parser.parse_args(argv)
    write(fit(list(examples(words.photos))), words.models)


def write(weights: dict[str, float], folder: Path) -> None:
    """Put the weights after the thresholds of the larger reader's sidecar."""
    path = folder / f"{REREAD}.json"
    sidecar: dict[str, Any] = json.loads(path.read_text("utf-8"))
    sidecar.pop("likeness", None)
    at = [*sidecar].index("thresholds") + 1
    parts = [*sidecar.items()]
    path.write_text(json.dumps(dict([*parts[:at], ("likeness", weights), *parts[at:]]), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
