"""Crops cut out of rendered tables where the locate model itself sees tiles, with its own errors of place and size.

Those of most pictures are drawn to the tiles' corners first, as before a camera that keeps still.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from models.training.data.crops import SYMBOLS, UNKNOWN, WIDE_CROP, Labels, wide_crop
from models.training.data.render.faces import LETTERS
from models.training.data.render.lens import Image, Rng
from models.training.data.render.scene_generator import Box, Scene, among_prints, full_table, scene
from referee.vision.detect.corner_refinement import refine_corners, refine_odd_sized
from referee.vision.networks.models import CornerFinder
from referee.vision.networks.sidecar import find_models
from referee.vision.pipeline import TableReader

Quads = npt.NDArray[np.float32]

_TABLES_A_BOX = 2
_AS_LOCATED = 3  # one picture of so many is cut out where tiles were located
_MAX_EMPTY = 5  # crops of no tile taken from one picture
_SIZES = ((1152, 648), (1280, 960), (1536, 864), (2304, 1296))
_PRINT_SIZE, _PRINT_PIXELS = (960, 720), (34, 80)  # of a picture of printed things, and of its tiles' heights
_WHOLE, _HIDDEN = 0.9, 0.35  # share of a tile that shows, from which it is read and below which it is none
_SAME, _OTHER = 0.3, 0.75  # mean distance of the corners in tile heights, up to which and from which a quad is a tile


def located_crops(one: Scene, reader: TableReader, corners: CornerFinder | None = None) -> list[tuple[Image, Labels]]:
    """What the locate model finds in a scene, digits upright, and what each crop shows; doubtful cases are left out.

    Where there are `corners`, it is drawn to them first.
    """
    quads = reader.locate(one.image).quads
    if corners:
        quads = refine_corners(one.image, quads, corners.moves)
        quads = refine_odd_sized(one.image, quads, corners.moves, np.ones(len(quads), bool))
    if not one.tiles:
        return [(wide_crop(one.image, quad - 0.5), Labels(SYMBOLS.index("none"), UNKNOWN)) for quad in quads]
    truth = np.stack([tile.quad for tile in one.tiles])
    heights = np.hypot(*(truth[:, 0] - truth[:, 3]).T)
    samples = []
    for quad in quads:
        both = np.stack([quad, np.roll(quad, 2, axis=0)])
        apart = np.linalg.norm(both[:, None] - truth[None], axis=3).mean(axis=2) / heights
        turn, nearest = (int(index) for index in np.unravel_index(int(apart.argmin()), apart.shape))
        label = _label(one.tiles[nearest].tile, one.tiles[nearest].visible, float(apart[turn, nearest]))
        if label:
            samples.append((wide_crop(one.image, both[turn] - 0.5), label))
    return samples


def _label(tile: str, visible: float, apart: float) -> Labels | None:
    if apart > _OTHER or visible < _HIDDEN:
        return Labels(SYMBOLS.index("none"), UNKNOWN)
    if apart > _SAME or visible < _WHOLE:
        return None
    if tile[0] in LETTERS:
        return Labels(SYMBOLS.index(tile[1:]), LETTERS.index(tile[0]))
    if len(tile) == 2 and tile[1] in LETTERS:
        return Labels(SYMBOLS.index("J"), LETTERS.index(tile[1]))
    return Labels(SYMBOLS.index(tile), UNKNOWN)


def some_table(rng: Rng, box: Box) -> Scene:
    """A table from above with part of a box on it, or any other scene; of tiles of every size."""
    size = _SIZES[int(rng.integers(len(_SIZES)))]
    harshness = float(rng.uniform(0.2, 1.0))
    if rng.random() < 0.6:
        edition = str(rng.choice(["original", "twist", "3in1-expert"]))
        return full_table(rng, edition, size, tiles=int(rng.integers(24, 64)), harshness=harshness, box=box)
    pixels = float(np.exp(rng.uniform(np.log(22), np.log(130))))
    small = (640, 480) if pixels < 45 else (960, 720)
    return scene(rng, small, tile_pixels=pixels, harshness=harshness, box=box)


def _few_empty(rng: Rng, samples: list[tuple[Image, Labels]]) -> list[tuple[Image, Labels]]:
    """All tiles, and some of what is none."""
    none = SYMBOLS.index("none")
    empty = [index for index, (_, label) in enumerate(samples) if label.symbol == none]
    left_out = set(rng.permutation(empty)[_MAX_EMPTY:].tolist())
    return [sample for index, sample in enumerate(samples) if index not in left_out]


def build_table_bank(folder: Path, count: int, seed: int, *, held_out: bool = False) -> None:
    """Write count crops as `crops.build_bank` does, cut by the locate and corners models in models/."""
    _write(folder, count, _of_tables(seed, held_out=held_out))


def build_print_bank(folder: Path, count: int, seed: int, *, held_out: bool = False) -> None:
    """Write count crops so of printed things that are no tiles, and of a few tiles among them."""
    _write(folder, count, _of_prints(seed, held_out=held_out))


def _of_tables(seed: int, *, held_out: bool) -> Iterator[list[tuple[Image, Labels]]]:
    reader, corners = TableReader(eager=True), CornerFinder(find_models())
    for number in itertools.count():
        rng = np.random.default_rng([seed, number])
        if number % _TABLES_A_BOX == 0:
            box = Box(np.random.default_rng([seed, number, 6]), 130, held_out=held_out)
        located = (number + 1) % _AS_LOCATED == 0
        yield _few_empty(rng, located_crops(some_table(rng, box), reader, None if located else corners))


def _of_prints(seed: int, *, held_out: bool) -> Iterator[list[tuple[Image, Labels]]]:
    reader, corners = TableReader(eager=True), CornerFinder(find_models())
    for number in itertools.count():
        rng = np.random.default_rng([seed, number])
        pixels, harshness = float(np.exp(rng.uniform(*np.log(_PRINT_PIXELS)))), float(rng.uniform(0.2, 0.8))
        box = Box(rng, 100, held_out=held_out)
        one = among_prints(rng, _PRINT_SIZE, tile_pixels=pixels, harshness=harshness, box=box)
        yield located_crops(one, reader, corners if number % _AS_LOCATED else None)


def _write(folder: Path, count: int, samples: Iterator[list[tuple[Image, Labels]]]) -> None:
    """Write the crops of one picture after the other until there are so many."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = np.lib.format.open_memmap(folder / "crops.npy", mode="w+", dtype=np.uint8, shape=(count, *WIDE_CROP, 3))
    labels = np.full((count, 2), UNKNOWN, np.int8)
    for done, (picture, label) in enumerate(itertools.islice(itertools.chain.from_iterable(samples), count)):
        pictures[done], labels[done] = picture, (label.symbol, label.ink)
    pictures.flush()
    np.save(folder / "labels.npy", labels)
