"""Earlier models as teachers of the next."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")

from models.training.nets.locate_net import Heads, LocateNet, unlike  # noqa: E402
from models.training.nets.read_net import REREADER, ReadNet  # noqa: E402
from models.training.train import locate  # noqa: E402  PyTorch may be missing
from models.training.train.distil import LocateTeacher, Teacher, apart  # noqa: E402


def chances_of(net: ReadNet, crops: "torch.Tensor") -> "list[torch.Tensor]":
    with torch.no_grad():
        return [one.softmax(1) for one in net(crops)[:3]]


def test_a_teacher_is_the_mean_of_its_readers_whatever_crops_they_see() -> None:
    torch.manual_seed(0)
    nets = [ReadNet(), ReadNet(REREADER)]
    crops = torch.randint(0, 256, (4, 64, 48, 3), dtype=torch.uint8)
    chances = Teacher(nets).chances(crops.permute(0, 3, 1, 2) / 255)
    assert [tuple(one.shape) for one in chances] == [(4, 19), (4, 4), (4, 2)]
    means = [(one + other) / 2 for one, other in zip(*(chances_of(net, crops) for net in nets), strict=True)]
    for given, mean in zip(chances, means, strict=True):
        assert torch.allclose(given, mean, atol=1e-5)
        assert not given.requires_grad, "it teaches and does not learn"


def test_what_agrees_with_its_teacher_is_not_apart_from_it() -> None:
    torch.manual_seed(0)
    logits = [torch.randn(4, count) for count in (19, 4, 2)]
    chances = [one.softmax(1) for one in logits]
    assert torch.allclose(apart(chances, logits), torch.zeros(4), atol=1e-5)
    assert (apart(chances, [one.flip(1) for one in logits]) > 1e-3).all()


def test_what_is_learnt_lies_between_the_label_and_the_teacher() -> None:
    from models.training.data.augment import views  # noqa: PLC0415
    from models.training.data.crops import WIDE_CROP  # noqa: PLC0415  Pillow may be missing
    from models.training.train.read import losses_of  # noqa: PLC0415
    from models.training.train.read_score import Crops  # noqa: PLC0415

    torch.manual_seed(0)
    net = ReadNet().eval()
    pictures = torch.randint(0, 256, (3, *WIDE_CROP, 3), dtype=torch.uint8)
    crops = Crops(pictures, torch.tensor([2, 5, 7]), torch.tensor([0, 1, 2]))
    seen = views(crops.pictures, torch.Generator().manual_seed(1))
    alone, taught = (
        losses_of(net, (crops.symbol, crops.ink), seen),
        losses_of(net, (crops.symbol, crops.ink), seen, Teacher([net])),
    )
    assert torch.allclose(taught, alone / 2, atol=0.02), "it agrees with itself: half the label's loss is left"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the exporter, by PyTorch itself
def test_a_locate_teacher_says_what_its_net_says(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = LocateNet().eval()
    locate.export_model(net, tmp_path / "teacher.onnx")
    pictures = torch.randint(0, 256, (3, 3, 64, 96), dtype=torch.uint8)
    with torch.no_grad():
        said = net(pictures.float())
    taught = LocateTeacher(tmp_path / "teacher.onnx").heads(pictures)
    assert torch.allclose(taught.heat, torch.sigmoid(said.heat), atol=1e-4)
    assert torch.allclose(taught.geometry, said.geometry, atol=1e-4)


def test_nothing_draws_a_net_away_from_a_teacher_it_agrees_with() -> None:
    torch.manual_seed(0)
    logits, geometry = torch.randn(2, 1, 8, 6, requires_grad=True), torch.randn(2, 6, 8, 6) * 9
    taught = Heads(torch.sigmoid(logits.detach()), geometry)
    (pull,) = torch.autograd.grad(unlike(Heads(logits, geometry), taught), logits)
    assert pull.abs().max() < 1e-6
    as_far = [unlike(Heads(logits, geometry + off), taught) - unlike(Heads(logits, geometry), taught) for off in (1, 2)]
    assert 0 < as_far[0] < as_far[1]


def test_where_the_teacher_sees_no_tile_shapes_mean_nothing() -> None:
    nothing = Heads(torch.full((1, 1, 4, 4), 0.1), torch.ones(1, 6, 4, 4))
    one, other = (unlike(Heads(torch.zeros(1, 1, 4, 4), torch.full((1, 6, 4, 4), far)), nothing) for far in (1.0, 50.0))
    assert one == other
