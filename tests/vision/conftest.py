"""Stand-in models that keep the contract of the real ones and answer in ways worked out by hand; pictures for them.

For the real models the simulator paints sets: `paint_sets`.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from referee.rules.editions import rule_set
from referee.rules.notation import parse_table
from referee.rules.tiles import Tile
from referee.sim.layout import Arrangement, PhysicalTile, arrange
from referee.sim.render import Painter
from referee.sim.scenarios import random_setting
from referee.sim.scene import play_area
from referee.vision.geometry.crops import CROP_SIZE, READ_CROP_SIZE
from referee.vision.geometry.detections import INKS, SYMBOLS, Floats
from referee.vision.image.frame import Image

WIDTH, HEIGHT, HEAD = 28, 40, 7  # pixels of a painted tile, which the stand-in takes every tile to be
RED_STEP, GREEN_STEP = 12, 60  # how a painted tile's colour tells its symbol and ink


def _paint(
    tiles: Sequence[tuple[str, str, int, int]], size: tuple[int, int] = (640, 480), *, flipped: bool = False
) -> Image:
    """Tiles (symbol, ink, column and row of their middle, multiples of 4) as the stand-ins see them."""
    image = np.full((size[1], size[0], 3), 90, np.uint8)
    for symbol, ink, x, y in tiles:
        body = (0, GREEN_STEP * INKS.index(ink), RED_STEP * SYMBOLS.index(symbol))
        image[y - HEIGHT // 2 : y + HEIGHT // 2, x - WIDTH // 2 : x + WIDTH // 2] = body
        head = y + HEIGHT // 2 - HEAD if flipped else y - HEIGHT // 2
        image[head : head + HEAD, x - WIDTH // 2 : x + WIDTH // 2] = 255  # the upper end is white
        image[y : y + 4, x : x + 4] = (255, 0, 0)  # the middle is blue
    return image


def _constant(name: str, value: npt.ArrayLike, kind: Any = np.float32) -> onnx.TensorProto:
    return numpy_helper.from_array(np.asarray(value, kind), name)


def _locate_model() -> onnx.ModelProto:
    """Heat is how much bluer than red a cell is; every tile is 28 by 40 pixels, its middle 2 pixels up and left."""
    nodes = [
        helper.make_node("Cast", ["image"], ["pixels"], to=TensorProto.FLOAT),
        helper.make_node("Transpose", ["pixels"], ["planes"], perm=[0, 3, 1, 2]),
        helper.make_node("AveragePool", ["planes"], ["cells"], kernel_shape=[4, 4], strides=[4, 4]),
        helper.make_node("Conv", ["cells", "bluer"], ["signed"]),
        helper.make_node("Clip", ["signed", "zero", "one"], ["heat"]),
        helper.make_node("Conv", ["cells", "nothing", "shape"], ["geometry"]),
    ]
    constants = [
        _constant("bluer", np.array([1, 0, -1]).reshape(1, 3, 1, 1) / 255),
        _constant("zero", 0.0),
        _constant("one", 1.0),
        _constant("nothing", np.zeros((6, 3, 1, 1))),
        _constant("shape", [-0.5, -0.5, -HEIGHT / 8, 0, WIDTH / 8, 0]),
    ]
    inputs = [helper.make_tensor_value_info("image", TensorProto.UINT8, [1, "H", "W", 3])]
    outputs = [
        helper.make_tensor_value_info("heat", TensorProto.FLOAT, [1, 1, "h", "w"]),
        helper.make_tensor_value_info("geometry", TensorProto.FLOAT, [1, 6, "h", "w"]),
    ]
    return _model(nodes, inputs, outputs, constants)


def _read_model(size: tuple[int, int] = READ_CROP_SIZE) -> onnx.ModelProto:
    """Symbol and ink by the colour at the middle's left, upright by which end is brighter, the embedding all alike."""
    nodes = [helper.make_node("Cast", ["crops"], ["pixels"], to=TensorProto.FLOAT)]
    constants = [_constant("spread", np.ones((1, 32)) / np.sqrt(32)), _constant("rows", [1, 2, 3], np.int64)]
    width, height = size
    regions = {"body": ([28, 6], [36, 14]), "head": ([6, 12], [10, 36]), "foot": ([54, 12], [58, 36])}  # of 64 by 48
    for name, corners in regions.items():
        start, end = ([row * height // 64, column * width // 48] for row, column in corners)
        constants += [_constant(f"{name}_start", start, np.int64), _constant(f"{name}_end", end, np.int64)]
        nodes.append(helper.make_node("Slice", ["pixels", f"{name}_start", f"{name}_end", "axes"], [f"{name}_pixels"]))
    constants.append(_constant("axes", [2, 1], np.int64))  # rows and columns exchanged
    for name, channel, step, classes in (("symbol", 2, RED_STEP, len(SYMBOLS)), ("ink", 1, GREEN_STEP, len(INKS))):
        constants += [
            _constant(f"{name}_channel", [channel], np.int64),
            _constant(f"{name}_levels", np.arange(classes)[None] * step),
            _constant(f"{name}_sharp", -0.5),
        ]
        nodes += [
            helper.make_node("ReduceMean", ["body_pixels"], [f"{name}_mean"], axes=[1, 2], keepdims=0),
            helper.make_node("Gather", [f"{name}_mean", f"{name}_channel"], [f"{name}_level"], axis=1),
            helper.make_node("Sub", [f"{name}_level", f"{name}_levels"], [f"{name}_off"]),
            helper.make_node("Mul", [f"{name}_off", f"{name}_off"], [f"{name}_square"]),
            helper.make_node("Mul", [f"{name}_square", f"{name}_sharp"], [name]),
        ]
    nodes += [
        helper.make_node("ReduceMean", ["foot_pixels"], ["foot"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("ReduceMean", ["head_pixels"], ["head"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Unsqueeze", ["foot", "last"], ["foot_column"]),
        helper.make_node("Unsqueeze", ["head", "last"], ["head_column"]),
        helper.make_node("Concat", ["foot_column", "head_column"], ["upright"], axis=1),
        helper.make_node("Mul", ["head_column", "none"], ["nought"]),
        helper.make_node("Add", ["nought", "spread"], ["embedding"]),
    ]
    constants += [_constant("last", [1], np.int64), _constant("none", 0.0)]
    inputs = [helper.make_tensor_value_info("crops", TensorProto.UINT8, ["N", width, height, 3])]
    sizes = {"symbol": len(SYMBOLS), "ink": len(INKS), "upright": 2, "embedding": 32}
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size]) for name, size in sizes.items()]
    return _model(nodes, inputs, outputs, constants)


def _corner_model() -> onnx.ModelProto:
    """Leaves every quad where it was located."""
    nodes = [
        helper.make_node("Cast", ["crops"], ["pixels"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["pixels"], ["mean"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Unsqueeze", ["mean", "last"], ["column"]),
        helper.make_node("Mul", ["column", "nothing"], ["moves"]),
    ]
    constants = [_constant("last", [1], np.int64), _constant("nothing", np.zeros((1, 6)))]
    inputs = [helper.make_tensor_value_info("crops", TensorProto.UINT8, ["N", 24, 32, 3])]
    outputs = [helper.make_tensor_value_info("moves", TensorProto.FLOAT, ["N", 6])]
    return _model(nodes, inputs, outputs, constants)


def _model(nodes: Any, inputs: Any, outputs: Any, constants: Any) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "stand-in", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def _write_model(folder: Path, name: str, model: onnx.ModelProto, **changes: Any) -> None:
    """A model with its sidecar; `changes` go into the sidecar."""
    content = model.SerializeToString()
    (folder / f"{name}.onnx").write_bytes(content)
    sidecar = {
        "model": name,
        "version": "stand-in",
        "sha256": hashlib.sha256(content).hexdigest(),
        "temperature": {"symbol": 1.0, "ink": 1.0, "upright": 1.0},
        "thresholds": {"peak": 0.5, "unsure": 0.9},
    }
    (folder / f"{name}.json").write_text(json.dumps(sidecar | changes))


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder with the stand-ins."""
    folder = tmp_path / "models"
    folder.mkdir()
    _write_model(folder, "tiles-locate", _locate_model())
    _write_model(folder, "tiles-corners", _corner_model())
    for name, size in (("tiles-read", READ_CROP_SIZE), ("tiles-reread", CROP_SIZE)):
        _write_model(folder, name, _read_model(size), classes={"symbol": SYMBOLS, "ink": INKS})
    return folder


@pytest.fixture(scope="session")
def paint() -> Callable[..., Image]:
    """Paints a picture that the stand-ins can read."""
    return _paint


@pytest.fixture
def write_model() -> Callable[..., None]:
    """Writes a model and its sidecar."""
    return _write_model


@pytest.fixture
def read_model() -> onnx.ModelProto:
    """A stand-in for the model that reads faces."""
    return _read_model()


@pytest.fixture
def reread_model() -> onnx.ModelProto:
    """A stand-in for the larger one."""
    return _read_model(CROP_SIZE)


class Painted(NamedTuple):
    """A picture the simulator painted, its tiles, and the quad of each [n, 4, 2]."""

    image: Image
    tiles: tuple[Tile, ...]
    quads: Floats


@lru_cache(4)
def _paint_sets(notation: str, size: tuple[int, int]) -> Painted:
    """Sets of one classic box on one table, seen in a picture of that size; nobody may change it, for it is kept."""
    setting = random_setting(rule_set("original"), 5, size, (0, 1))
    sets = tuple(tuple(row) for row in parse_table(notation).sets)
    pieces = [PhysicalTile(tile, 0) for row in sets for tile in row]
    laid = arrange(Arrangement(), sets, pieces, side=0, area=play_area(setting.view), rng=Random(1)).tiles
    quads = np.array([setting.view.quad(tile, setting.style.thickness) for tile in laid], np.float32)
    image = Painter(setting).paint(laid, noise_index=0)
    image.flags.writeable = quads.flags.writeable = False
    return Painted(image, tuple(tile.tile for tile in laid), quads)


@pytest.fixture(scope="session")
def paint_sets() -> Callable[[str, tuple[int, int]], Painted]:
    return _paint_sets
