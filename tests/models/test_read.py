"""The readers' nets and the models published from them."""

import hashlib
import json
from argparse import Namespace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from referee.vision.geometry.crops import downscale_crops, transpose_crops

MODELS = Path(__file__).resolve().parents[2] / "models"


@pytest.fixture(scope="module", params=["tiles-read", "tiles-reread"])
def model(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def facts(model: str) -> dict[str, object]:
    return dict(json.loads((MODELS / f"{model}.json").read_text()))


@pytest.fixture(scope="module")
def session(model: str) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(str(MODELS / f"{model}.onnx"), providers=["CPUExecutionProvider"])


def size_of(session: onnxruntime.InferenceSession) -> tuple[int, int]:
    """Width and height of the crops that it takes, rows and columns exchanged."""
    _, columns, rows, _ = session.get_inputs()[0].shape
    return columns, rows


def test_the_facts_belong_to_the_model(model: str, facts: dict[str, object]) -> None:
    assert facts["model"] == model
    assert facts["sha256"] == hashlib.sha256((MODELS / f"{model}.onnx").read_bytes()).hexdigest()


def test_the_model_keeps_its_contract(session: onnxruntime.InferenceSession) -> None:
    crops = np.random.default_rng(0).integers(0, 256, (3, *size_of(session), 3), np.uint8)
    given = dict(zip([one.name for one in session.get_outputs()], session.run(None, {"crops": crops}), strict=True))
    assert {name: value.shape for name, value in given.items()} == {
        "symbol": (3, 19),
        "ink": (3, 4),
        "upright": (3, 2),
        "embedding": (3, 32),
    }
    np.testing.assert_allclose(np.linalg.norm(given["embedding"], axis=1), 1, atol=1e-4)


def test_the_model_meets_its_card(facts: dict[str, object]) -> None:
    scores = facts["scores"]
    assert isinstance(scores, dict)
    assert scores["valid photographs"]["exact"] >= 0.995
    assert scores["valid photographs"]["sure_but_wrong"] <= 0.001


@pytest.mark.parametrize("turned", [False, True], ids=["upright", "upside down"])
def test_clean_faces_of_unseen_boxes_are_read(session: onnxruntime.InferenceSession, *, turned: bool) -> None:
    pytest.importorskip("PIL", reason="Pillow comes with the extra `train`")
    from models.training.data import crops  # noqa: PLC0415  Pillow may be missing
    from models.training.data.render import faces  # noqa: PLC0415  Pillow may be missing

    rng = np.random.default_rng(2026)
    tiles = [f"{letter}{number}" for letter in "KRBO" for number in range(1, 14)]
    pictures = []
    for tile in tiles:
        canvas = np.full((150, 130, 3), 70, np.uint8)
        corners = np.asarray([[30.0, 25.0], [100, 25], [100, 121], [30, 121]])
        crops.paste_face(canvas, faces.face(rng, tile, faces.box_style(rng), 96), corners)
        pictures.append(crops.rectify(canvas, corners[[2, 3, 0, 1]] if turned else corners))
    symbol, ink, upright, _ = session.run(
        None, {"crops": transpose_crops(downscale_crops(np.stack(pictures), size_of(session)))}
    )
    read = [f"{'KRBO'[i]}{s + 1}" for s, i in zip(symbol.argmax(1), ink.argmax(1), strict=True)]
    assert sum(a == b for a, b in zip(read, tiles, strict=True)) >= 49, read
    assert (upright.argmax(1) == (0 if turned else 1)).mean() > 0.9


def test_export_gives_what_torch_gives(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")
    from models.training.nets.read_net import READER, REREADER, ReadNet, export  # noqa: PLC0415  PyTorch may be missing

    torch.manual_seed(0)
    for layers in (READER, REREADER):
        assert export(ReadNet(layers), tmp_path / "net.onnx", layers.crop) < 1e-3


@pytest.mark.parametrize(
    ("renders_only", "start", "alone"),
    [(True, None, 40), (True, "weights.pt", 40), (False, None, 14), (False, "weights.pt", 0)],
)
def test_photographs_come_in_late_or_never(*, renders_only: bool, start: str | None, alone: int) -> None:
    pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")
    from models.training.train.read import alone_for  # noqa: PLC0415  PyTorch may be missing

    assert alone_for(Namespace(renders_only=renders_only, start=start, epochs=40)) == alone
