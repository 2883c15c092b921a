"""Steps of training, and the mean of the weights on the way."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")

from models.training.data.crops import UNKNOWN, WIDE_CROP  # noqa: E402  PyTorch may be missing
from models.training.nets.read_net import ReadNet  # noqa: E402
from models.training.train.read import Plan, Run, train  # noqa: E402
from models.training.train.read_score import Crops  # noqa: E402
from models.training.train.steps import Repeated, follow  # noqa: E402


def test_on_the_processor_a_step_is_done_once_for_what_it_is_given() -> None:
    given = []

    def step(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        given.append((float(one), float(other)))
        return one + other

    repeated = Repeated(step, torch.tensor(1.0), torch.tensor(2.0))
    assert [float(repeated(torch.tensor(one), torch.tensor(4.0))) for one in (1.0, 3.0)] == [5.0, 7.0]
    assert given == [(1.0, 4.0), (3.0, 4.0)]


def test_the_mean_of_the_weights_goes_part_of_the_way_and_counts_whole() -> None:
    average, net = torch.nn.BatchNorm1d(2), torch.nn.BatchNorm1d(2)
    with torch.no_grad():
        net.weight.fill_(5.0)
    net.running_mean = torch.tensor([2.0, -2.0])
    net.num_batches_tracked.fill_(7)
    follow(average, net, 0.75)
    assert average.weight.tolist() == [2.0, 2.0]
    assert average.running_mean is not None
    assert average.running_mean.tolist() == [0.5, -0.5]
    assert int(average.num_batches_tracked) == 7


def test_training_learns_and_gives_the_mean_it_kept(tmp_path: Path) -> None:
    torch.manual_seed(0)
    symbols = torch.arange(32) % 2
    pictures = torch.full((32, *WIDE_CROP, 3), 230, dtype=torch.uint8)
    pictures[:, 30:50, 20:40] = torch.where(symbols == 0, 20, 120).to(torch.uint8)[:, None, None, None]
    crops = Crops(pictures, symbols, torch.full((32,), UNKNOWN))
    none = crops.part(torch.arange(0))
    run = Run(ReadNet(), crops, none, none, {"the same": crops}, [])
    plan = Plan(epochs=6, size=32, batch=8, rate=4e-3, minutes=5, alone=6, seed=3)
    train(run, plan, tmp_path / "kept.pt")
    losses = [row["loss"] for row in run.curve]
    assert len(losses) == 6
    assert losses[-1] < 0.7 * losses[0]
    kept = torch.load(tmp_path / "kept.pt")
    assert all(torch.equal(kept[name], weight) for name, weight in run.net.state_dict().items())
