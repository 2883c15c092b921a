"""Training goes on from a published model: its weights come back out of it."""

import copy
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import pytest

pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")
pytest.importorskip("onnx", reason="onnx comes with the extra `train`")
pytest.importorskip("PIL", reason="Pillow comes with the extra `train`")

import onnx
import torch
from torch import nn

from models.training.data import locate_bank
from models.training.nets import locate_net, read_net
from models.training.nets.published import IN_USE, crop_of, fold, restore
from models.training.train import locate
from models.training.train.steps import follow
from referee.vision.geometry.crops import READ_CROP_SIZE

MODELS = Path(__file__).resolve().parents[2] / "models"


@pytest.fixture(scope="module")
def crops() -> torch.Tensor:
    """Noise of many grains and tints, as flat and as rough as tiles may be."""
    rng = np.random.default_rng(5)
    pictures = [
        cv2.resize(
            rng.integers(0, 256, (int(rng.integers(2, 65)), int(rng.integers(2, 49)), 3), np.uint8), READ_CROP_SIZE
        )
        for _ in range(64)
    ]
    return torch.from_numpy(np.stack(pictures))


@pytest.fixture(scope="module")
def reader(crops: torch.Tensor) -> read_net.ReadNet:
    net = read_net.ReadNet()
    in_use = net.exchanged()
    restore(in_use, MODELS / "tiles-read.onnx", lambda: in_use(crops.transpose(1, 2)), prefix=IN_USE)
    return in_use.exchanged()


def test_the_reader_says_what_was_published(reader: read_net.ReadNet, tmp_path: Path, crops: torch.Tensor) -> None:
    read_net.export(reader, tmp_path / "again.onnx", reader.layers.crop)
    taken = crops.transpose(1, 2).contiguous().numpy()
    published, again = (
        onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, {"crops": taken})
        for path in (MODELS / "tiles-read.onnx", tmp_path / "again.onnx")
    )
    for one, other in zip(published, again, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-3)


def test_its_norms_say_the_same_in_training(reader: read_net.ReadNet, crops: torch.Tensor) -> None:
    learning = copy.deepcopy(reader)
    learning.trunk.train()
    with torch.no_grad():
        settled, training = reader(crops)[0], learning(crops)[0]
    torch.testing.assert_close(training, settled, atol=0.02, rtol=0)


def test_its_filters_are_as_large_as_in_a_new_net(reader: read_net.ReadNet) -> None:
    filters = [layer.weight for layer in reader.modules() if isinstance(layer, nn.Conv2d)]
    for weight in filters:
        size = weight.detach().square().mean((1, 2, 3)).sqrt() * weight[0].numel() ** 0.5
        torch.testing.assert_close(size, torch.full_like(size, 3**-0.5))


def test_folded_it_says_the_same_and_mixes_with_the_same_net_written_otherwise(
    reader: read_net.ReadNet, crops: torch.Tensor
) -> None:
    otherwise = copy.deepcopy(reader)
    with torch.no_grad():
        for layers in otherwise.modules():
            if isinstance(layers, read_net.Conv):
                larger = 4.0
                layers[0].weight.mul_(larger)
                layers[1].running_mean.mul_(larger)
                layers[1].running_var.mul_(larger**2)
                layers[1].eps *= larger**2
        wanted = reader(crops)[0]
        plain = copy.deepcopy(reader)
        for net in (plain, otherwise):
            fold(net)
        follow(otherwise, plain, 0.5)
        torch.testing.assert_close(otherwise(crops)[0], wanted, atol=0.01, rtol=0)


def test_a_model_of_other_layers_is_refused(crops: torch.Tensor) -> None:
    net = read_net.ReadNet()
    net.trunk[0] = nn.Sequential(nn.Conv2d(3, 16, 5, 2, 2, bias=False), nn.BatchNorm2d(16), nn.ReLU())
    with pytest.raises(ValueError, match="layers are not those of this net"):
        restore(net, MODELS / "tiles-read.onnx", lambda: net(crops), prefix=IN_USE)


def test_a_model_of_upright_crops_is_refused(tmp_path: Path) -> None:
    model = onnx.load(str(MODELS / "tiles-read.onnx"))
    sides = model.graph.input[0].type.tensor_type.shape.dim
    sides[1].dim_value, sides[2].dim_value = 48, 32
    onnx.save(model, str(tmp_path / "upright.onnx"))
    assert crop_of(MODELS / "tiles-read.onnx") == (48, 32)
    with pytest.raises(ValueError, match=r"upright\.onnx: takes upright crops of 48 by 32"):
        crop_of(tmp_path / "upright.onnx")


def test_a_reader_is_no_locate_model() -> None:
    with pytest.raises(ValueError, match=r"tiles-read\.onnx: no locate model"):
        locate.start_from(locate_net.LocateNet(), MODELS / "tiles-read.onnx", [], seed=1)


def test_locate_says_what_was_published(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    image = cv2.resize(rng.integers(0, 256, (20, 28, 3), np.uint8), (224, 160), interpolation=cv2.INTER_CUBIC)
    cv2.imwrite(str(tmp_path / "noise.png"), image)
    picture = locate_bank.Picture(path=tmp_path / "noise.png", tiles=(), source="noise", real=True)
    net = locate_net.LocateNet()
    locate.start_from(net, MODELS / "tiles-locate.onnx", [picture], seed=1)
    for one, other in zip(
        locate.net_maps(net)(image), locate.session_maps(MODELS / "tiles-locate.onnx")(image), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=2e-3)


def test_a_reader_that_saw_other_crops_teaches_and_is_gone_on_from(tmp_path: Path) -> None:
    from models.training.train.read import restored, start_from  # noqa: PLC0415
    from models.training.train.read_score import Crops  # noqa: PLC0415

    torch.manual_seed(0)
    before = read_net.ReadNet(read_net.READER._replace(crop=(48, 36)))
    rng = np.random.default_rng(7)
    pictures = [cv2.resize(rng.integers(0, 256, (6, 5, 3), np.uint8), (60, 80)) for _ in range(48)]
    some = Crops(torch.from_numpy(np.stack(pictures)), torch.zeros(48), torch.zeros(48))
    before.train().summarise(some.pictures[:, 8:72, 6:54].permute(0, 3, 1, 2) / 255)  # its norms have seen something
    read_net.export(before, tmp_path / "tiles-read.onnx", (48, 36))
    taught = restored(tmp_path / "tiles-read.onnx", some, 1)
    assert taught.layers.crop == (48, 36)
    crops = some.pictures[:, 8:72, 6:54]
    with torch.no_grad():
        torch.testing.assert_close(taught.eval()(crops)[0], before.eval()(crops)[0], atol=2e-3, rtol=0)
        after = read_net.ReadNet()
        start_from(after, tmp_path / "tiles-read.onnx", some, 1)
        said = torch.stack([net.eval()(crops)[0].flatten() for net in (before, after)])
    assert torch.corrcoef(said)[0, 1] > 0.8, "nearly what the other says"


def test_the_layers_of_a_published_reader_are_told_by_its_weights(tmp_path: Path) -> None:
    from models.training.train.read import layers_of  # noqa: PLC0415

    layers = read_net.Layers((8, 16, 24, 40, 12), 48, (64, 48))
    net = read_net.ReadNet(layers)
    net.train().summarise(torch.rand(8, 3, *layers.crop))  # its norms have seen something
    read_net.export(net, tmp_path / "tiles-read.onnx", layers.crop)
    assert layers_of(tmp_path / "tiles-read.onnx") == layers
    assert layers_of(MODELS / "tiles-reread.onnx") == read_net.REREADER
