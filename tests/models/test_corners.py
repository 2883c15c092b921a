"""The net that draws quads to corners: what it is taught, and the model published from it."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")
pytest.importorskip("PIL", reason="Pillow comes with the extra `train`")

from models.training.data import augment  # noqa: E402  PyTorch may be missing
from models.training.nets.read_net import export  # noqa: E402
from models.training.train import corners  # noqa: E402  PyTorch may be missing
from referee.vision.detect.corner_refinement import SPAN  # noqa: E402
from referee.vision.geometry.crops import CORNER_CROP_SIZE  # noqa: E402

MODELS = Path(__file__).resolve().parents[2] / "models"


def tiles(count: int) -> "torch.Tensor":
    """Wide crops with a white tile in the middle, darker at its head."""
    crops = np.full((count, 104, 78, 3), 40, np.uint8)
    crops[:, 26:78, 19:59] = 240
    crops[:, 26:39, 19:59] = 140
    return torch.from_numpy(crops)


def test_moves_lead_to_the_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(augment, "_light", lambda pictures, _: pictures)
    pictures, moves = augment.misplaced(tiles(40), SPAN, torch.Generator().manual_seed(2))
    at = corners.outlines(moves) + torch.tensor([[-1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    assert (at.abs() - 1).abs().max() > 0.15, "the quads err"
    for inset, bright in ((0.93, True), (1.12, False)):  # just within the corners lies the tile, just beyond the table
        places = at.mean(dim=1, keepdim=True) + inset * (at - at.mean(dim=1, keepdim=True))
        grid = torch.stack([places[..., 0], -places[..., 1]], 2)[:, None] / SPAN
        seen = torch.nn.functional.grid_sample(pictures, grid, padding_mode="border", align_corners=False).mean(dim=1)
        inside = grid.abs().amax(dim=3) < 0.97
        assert ((seen > 0.35) == bright)[inside].all()


def test_tiles_lie_either_way_up() -> None:
    pictures, _ = augment.misplaced(tiles(60), SPAN, torch.Generator().manual_seed(2))
    head, foot = pictures[:, :, 14:20, 20:28].mean((1, 2, 3)), pictures[:, :, 44:50, 20:28].mean((1, 2, 3))
    assert 15 < int((head < foot).sum()) < 45


@pytest.mark.slow
def test_a_net_learns_to_draw_quads_nearer() -> None:
    torch.manual_seed(0)
    net = corners.CornerNet()
    bank = tiles(64)
    curve = corners.train(net, bank, bank[:32], corners.Plan(steps=40, seed=1, rate=4e-3))
    before, after = corners.errors(net, bank[:32], 0)
    assert curve[-1]["step"] == 40
    assert after < 0.8 * before


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the exporter, by PyTorch itself
def test_training_goes_on_from_a_model_that_saw_other_crops(tmp_path: Path) -> None:
    torch.manual_seed(0)
    larger = (40, 30)
    large, small = corners.CornerNet(larger), corners.CornerNet()
    bank = tiles(64)
    pictures, _ = augment.misplaced(bank, SPAN, torch.Generator().manual_seed(1))
    large.say(torch.nn.functional.interpolate(pictures, larger))  # its norms have seen something
    export(large, tmp_path / "tiles-corners.onnx", larger, ("moves",))
    corners.start_from(small, tmp_path / "tiles-corners.onnx", bank)
    with torch.no_grad():
        said = [
            net.eval().say(torch.nn.functional.interpolate(pictures, size, mode="bilinear", antialias=True)).flatten()
            for net, size in ((large, larger), (small, CORNER_CROP_SIZE[::-1]))
        ]
    assert torch.corrcoef(torch.stack(said))[0, 1] > 0.9, "nearly what the other says"


def test_every_tile_that_shows_is_cut_out_of_a_scene() -> None:
    from models.training.data.render.scene_generator import Box, full_table  # noqa: PLC0415

    one = full_table(np.random.default_rng(3), "original", (960, 544), tiles=24, box=Box(np.random.default_rng(1), 100))
    crops = corners.cut_out(one)
    assert len(crops) == sum(tile.visible >= 0.7 for tile in one.tiles) > 15
    middle = np.mean([crop[30:74, 22:56].mean() for crop in crops])
    around = np.mean([np.concatenate([crop[:12].ravel(), crop[-12:].ravel()]).mean() for crop in crops])
    assert abs(middle - around) > 10, "a tile in the middle, the table around it"


def test_a_bank_is_the_same_each_time(tmp_path: Path) -> None:
    first, again = (corners.load_bank(tmp_path / name, "a", 12) for name in ("one", "two"))
    assert first.shape == (12, 104, 78, 3)
    assert torch.equal(first, again)
    assert torch.equal(first, corners.load_bank(tmp_path / "one", "a", 99)), "what is there is not rendered again"


def test_the_published_model_meets_its_card() -> None:
    facts = json.loads((MODELS / "tiles-corners.json").read_text())
    assert facts["sha256"] == hashlib.sha256((MODELS / "tiles-corners.onnx").read_bytes()).hexdigest()
    scores = facts["scores"]["held-out fonts"]
    assert scores["off_after"] < 0.4 * scores["off_before"]
    assert facts["onnx_differs_by"] < 1e-3
