"""A wider net begins where a narrower one has come to."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'train': pip install -e '.[train]'")

from models.training.nets.read_net import READER, REREADER, ReadNet  # noqa: E402
from models.training.nets.widen import on_grid, widen  # noqa: E402
from models.training.train.read import Crops, start_from  # noqa: E402


@pytest.fixture(scope="module")
def narrow() -> ReadNet:
    """A net whose norms have seen something, and which says of each crop something else."""
    torch.manual_seed(1)
    net = ReadNet()
    for layer in net.modules():
        if isinstance(layer, torch.nn.BatchNorm2d):
            layer.momentum = 1.0
    net(crops(64, seed=2))
    return net.eval()


def crops(count: int, seed: int) -> torch.Tensor:
    """Patches of any colours."""
    patches = np.random.default_rng(seed).integers(0, 256, (count, 4, 3, 3), np.uint8)
    return torch.from_numpy(patches.repeat(16, axis=1).repeat(16, axis=2))


def widened(narrow: ReadNet, noise: float) -> ReadNet:
    wide = ReadNet(REREADER._replace(crop=READER.crop)).eval()
    widen(narrow, wide, torch.Generator().manual_seed(3), noise)
    return wide


def test_it_says_the_same(narrow: ReadNet) -> None:
    with torch.no_grad():
        wanted, given = narrow(crops(32, seed=4)), widened(narrow, noise=0.0)(crops(32, seed=4))
    assert wanted[0].std(dim=0).max() > 1e-2, "all crops are one to this net"
    for one, other in zip(wanted, given, strict=True):
        torch.testing.assert_close(other, one, atol=1e-4, rtol=1e-3)


def test_copies_are_not_quite_the_same_so_that_they_learn_apart(narrow: ReadNet) -> None:
    wide = widened(narrow, noise=0.03)
    filters = wide.trunk[0][0].weight.flatten(1)
    nearest = torch.cdist(filters, filters).fill_diagonal_(torch.inf).min(dim=1).values
    assert 0 < nearest.min() < 0.2 * filters.norm(dim=1).mean()


def test_training_goes_on_from_a_narrower_net_but_not_from_a_wider_one(narrow: ReadNet, tmp_path: Path) -> None:
    nothing = Crops(torch.zeros((0, 80, 64, 3), dtype=torch.uint8), torch.zeros(0), torch.zeros(0))
    torch.save(narrow.state_dict(), tmp_path / "narrow.pt")
    torch.save(ReadNet(REREADER).state_dict(), tmp_path / "wide.pt")
    wide = ReadNet(REREADER).eval()

    def alike() -> float:
        with torch.no_grad():
            said = [net(crops(32, seed=4))[0].flatten() for net in (narrow, wide)]
        return float(torch.corrcoef(torch.stack(said))[0, 1])

    assert alike() < 0.4
    start_from(wide, tmp_path / "narrow.pt", nothing, seed=5)
    assert alike() > 0.45, "it sees larger crops, and of these more"
    with pytest.raises(RuntimeError, match="size mismatch"):
        start_from(ReadNet(), tmp_path / "wide.pt", nothing, seed=5)


def test_weights_for_one_grid_show_the_same_on_another() -> None:
    """A slope from left to right and one downward are told from a grid of 3 by 3 as from one of 4 by 3."""
    rows, columns = torch.meshgrid(torch.arange(4.0), torch.arange(3.0), indexing="ij")
    weight = torch.stack([rows - 1.5, columns - 1]).flatten(1)
    there = on_grid(weight, (4, 3), (3, 3)).unflatten(1, (3, 3))
    assert there.shape == (2, 3, 3)
    torch.testing.assert_close(there[0], there[0][:, :1].expand(3, 3), msg="downward the columns are alike")
    assert there[0, 0, 0] < there[0, 1, 0] == pytest.approx(0, abs=1e-6)
    torch.testing.assert_close(there[1].sum(dim=0), weight[1].view(4, 3).sum(dim=0), msg="no weight is lost")
    torch.testing.assert_close(on_grid(weight, (4, 3), (4, 3)), weight)
