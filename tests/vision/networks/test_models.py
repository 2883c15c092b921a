"""Models that are missing, damaged or of another version are refused in one line that names them and the way out."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from referee.errors import ModelError
from referee.vision.networks.models import FaceReader, Locator
from referee.vision.pipeline import TableReader


def refused(models: Path) -> str:
    """The one line with which the folder is refused."""
    with pytest.raises(ModelError) as caught:
        TableReader(models)
    (line,) = str(caught.value).splitlines()
    assert "install the package again" in line
    return line


@pytest.mark.parametrize("name", ["tiles-locate", "tiles-corners", "tiles-read", "tiles-reread"])
@pytest.mark.parametrize("suffix", ["onnx", "json"])
def test_a_missing_file_is_named(models: Path, name: str, suffix: str) -> None:
    (models / f"{name}.{suffix}").unlink()
    assert f"{name}.{suffix}" in refused(models)


def test_a_model_with_one_byte_changed_is_refused(models: Path) -> None:
    path = models / "tiles-read.onnx"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert "damaged or not version stand-in" in refused(models)


def test_a_model_cut_short_is_refused(models: Path) -> None:
    path = models / "tiles-locate.onnx"
    path.write_bytes(path.read_bytes()[:100])
    assert "damaged" in refused(models)


def test_a_text_that_claims_to_be_a_model_is_refused(models: Path) -> None:
    """Its sidecar even gives the right sum, so that ONNX Runtime gets to see it."""
    content = b"this is no model"
    (models / "tiles-read.onnx").write_bytes(content)
    sidecar = json.loads((models / "tiles-read.json").read_text())
    (models / "tiles-read.json").write_text(json.dumps(sidecar | {"sha256": hashlib.sha256(content).hexdigest()}))
    assert "cannot be loaded" in refused(models)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"model": "tiles-read"}', "null", '"text"', "\x00\xff"])
def test_a_sidecar_that_is_none_is_refused(models: Path, text: str) -> None:
    (models / "tiles-read.json").write_text(text, encoding="utf-8")
    assert "tiles-read.json" in refused(models)


def test_the_models_exchanged_are_refused(models: Path) -> None:
    locate, read = models / "tiles-locate.json", models / "tiles-read.json"
    text = locate.read_text()
    locate.write_text(read.read_text())
    read.write_text(text)
    assert "describes 'tiles-read'" in refused(models)


def test_a_model_with_other_classes_is_refused(
    models: Path, write_model: Callable[..., None], read_model: onnx.ModelProto
) -> None:
    write_model(models, "tiles-read", read_model, classes={"ink": ["R", "G", "B", "Y"]})
    assert "ink classes" in refused(models)


def test_a_model_with_other_outputs_is_refused(
    models: Path, write_model: Callable[..., None], read_model: onnx.ModelProto
) -> None:
    write_model(models, "tiles-locate", read_model)
    assert "tiles-locate stand-in: takes" in refused(models)


def test_a_model_for_crops_of_another_size_is_refused(
    models: Path, write_model: Callable[..., None], read_model: onnx.ModelProto
) -> None:
    sizes = read_model.graph.input[0].type.tensor_type.shape.dim
    sizes[1].dim_value, sizes[2].dim_value = 48, 64
    write_model(models, "tiles-read", read_model)
    told = refused(models)
    assert "takes crops [?, 48, 64, 3], where crops [?, 32, 48, 3] is the contract" in told


def test_reading_no_crops_gives_no_faces(models: Path) -> None:
    assert len(FaceReader(models).read(np.zeros((0, 64, 48, 3), np.uint8))) == 0


def test_crops_are_read_the_same_alone_and_among_many(models: Path) -> None:
    rng = np.random.default_rng(1)
    crops = rng.integers(0, 255, (101, 64, 48, 3), np.uint8)
    reader = FaceReader(models)
    together = reader.read(crops)
    for index in (0, 35, 36, 100):
        np.testing.assert_allclose(reader.read(crops[index : index + 1]).symbol[0], together.symbol[index], atol=1e-5)


@pytest.mark.parametrize(("threads", "count"), [(2, 101), (3, 101), (3, 2), (3, 1)])
def test_crops_are_read_the_same_by_several_threads(models: Path, threads: int, count: int) -> None:
    crops = np.random.default_rng(1).integers(0, 255, (count, 64, 48, 3), np.uint8)
    one, several = FaceReader(models).read(crops), FaceReader(models, threads).read(crops)
    for name in ("symbol", "ink", "upright", "embedding"):
        np.testing.assert_allclose(getattr(several, name), getattr(one, name), atol=1e-5)


def test_nothing_is_found_on_an_empty_picture(models: Path) -> None:
    assert len(Locator(models).locate(np.zeros((64, 96, 3), np.uint8))) == 0
