"""An earlier reader as a teacher of the next."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")

from models.training.distil import Teacher, apart  # noqa: E402  PyTorch may be missing
from models.training.read_net import ReadNet, export  # noqa: E402


def test_a_net_is_not_apart_from_itself_as_a_teacher_but_from_another_net(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net, other = ReadNet().eval(), ReadNet().eval()
    export(net, tmp_path / "teacher.onnx")
    crops = torch.randint(0, 256, (4, 64, 48, 3), dtype=torch.uint8)
    chances = Teacher(tmp_path / "teacher.onnx").chances(crops.permute(0, 3, 1, 2) / 255)
    assert [tuple(one.shape) for one in chances] == [(4, 19), (4, 4), (4, 2)]
    with torch.no_grad():
        own, others = apart(chances, net(crops)[:3]), apart(chances, other(crops)[:3])
    assert torch.allclose(own, torch.zeros(4), atol=1e-4)
    assert (others > 1e-3).all()


def test_what_is_learnt_lies_between_the_label_and_the_teacher(tmp_path: Path) -> None:
    from models.training.crops import WIDE_CROP  # noqa: PLC0415  Pillow may be missing
    from models.training.read import losses_of  # noqa: PLC0415
    from models.training.read_score import Crops  # noqa: PLC0415

    torch.manual_seed(0)
    net = ReadNet().eval()
    export(net, tmp_path / "teacher.onnx")
    pictures = torch.randint(0, 256, (3, *WIDE_CROP, 3), dtype=torch.uint8)
    crops = Crops(pictures, torch.tensor([2, 5, 7]), torch.tensor([0, 1, 2]))
    alone = losses_of(net, crops, torch.Generator().manual_seed(1))
    taught = losses_of(net, crops, torch.Generator().manual_seed(1), Teacher(tmp_path / "teacher.onnx"))
    assert torch.allclose(taught, alone / 2, atol=0.02), "it agrees with itself: half the label's loss is left"
