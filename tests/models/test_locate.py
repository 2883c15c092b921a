"""Training *locate*: targets say where tiles are, decoding finds them there again, and counting is fair."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

cv2 = pytest.importorskip("cv2", reason="decoding needs OpenCV")
torch = pytest.importorskip("torch", reason="training needs PyTorch")
pytest.importorskip("PIL", reason="drawing faces needs Pillow")

from models.training.data.locate_bank import (  # noqa: E402
    Labelled,
    Picture,
    crop,
    quad_of_polygon,
)
from models.training.data.render.layout import outline  # noqa: E402
from models.training.data.render.lens import Floats, Image  # noqa: E402
from models.training.nets.locate_net import LocateNet, targets  # noqa: E402
from models.training.nets.published import MODELS  # noqa: E402
from models.training.train import locate  # noqa: E402
from models.training.train.locate_score import Found, decode, long_edge, match, overlap, score  # noqa: E402
from referee.vision.networks.models import STRIDE  # noqa: E402


def tile(x: float, y: float, angle: float, long_side: float) -> Labelled:
    """A tile half again as long as wide; on the screen y runs down, so the outline's right is the screen's left."""
    return Labelled(outline(x, y, angle, long_side / 1.45, long_side)[[1, 0, 3, 2]], counts=True, directed=True)


def brightness(picture: Image, quad: Floats, inner: float, outer: float) -> float:
    """The median in the quad grown so much, less the quad grown so little."""
    mask = np.zeros(picture.shape[:2], np.uint8)
    for grown, value in ((outer, 1), (inner, 0)):
        cv2.fillConvexPoly(mask, np.round(quad.mean(axis=0) + (quad - quad.mean(axis=0)) * grown).astype(int), value)
    return float(np.median(picture[mask > 0]))


def shown_and_found(tiles: list[Labelled]) -> list[Found]:
    wanted = targets(tiles, 256, 192)
    return decode(wanted.heat, wanted.geometry, 0.3)


@pytest.mark.parametrize("angle", [0.0, 0.4, np.pi / 2, 2.5])
@pytest.mark.parametrize("long_side", [18.0, 40.0, 72.0])
def test_a_tile_is_found_where_the_targets_say(angle: float, long_side: float) -> None:
    one = tile(101.3, 88.9, angle, long_side)
    (found,) = shown_and_found([one])
    assert overlap(found.quad, one.quad) > 0.999


@pytest.mark.parametrize("angle", np.linspace(0, np.pi, 9).tolist())
def test_touching_tiles_stay_apart_at_the_least_size(angle: float) -> None:
    """Eight tiles of 18 pixels side by side, as narrow as 12.4 pixels, in a row at any angle."""
    way = np.array([np.sin(angle), -np.cos(angle)]) * 18 / 1.45
    row = [tile(*(np.array([128.0, 96.0]) + way * (place - 3.5)).tolist(), angle, 18.0) for place in range(8)]
    counted = score([match(shown_and_found(row), row)])
    assert (counted.found, counted.false) == (8, 0)


def test_a_tile_that_does_not_count_is_no_fault_either_way() -> None:
    seen, hidden = tile(60, 60, 0.2, 40), tile(160, 100, 1.0, 40)._replace(counts=False)
    outcome = match([Found(seen.quad, 0.9), Found(hidden.quad, 0.8)], [seen, hidden])
    assert (len(outcome.pairs), outcome.missed, outcome.false) == (1, [], [])
    outcome = match([Found(hidden.quad, 0.8)], [seen, hidden])
    assert (len(outcome.pairs), len(outcome.missed), outcome.false) == (0, 1, [])


def test_an_outline_with_cut_corners_gives_the_whole_tile() -> None:
    polygon = np.array([[24, 20], [46, 20], [50, 24], [50, 66], [46, 70], [24, 70], [20, 66], [20, 24]], np.float32)
    found = quad_of_polygon(polygon, 640, 640)
    assert found.counts
    assert found.directed
    assert overlap(found.quad, np.array([[20, 20], [50, 20], [50, 70], [20, 70]], np.float32)) > 0.95
    along = found.quad[0] + found.quad[1] - found.quad[2] - found.quad[3]
    assert abs(along[0]) < 1e-3, "its first axis is the long one, here upright"


def test_some_crops_lean_and_their_quads_lie_on_the_tiles_all_the_same(tmp_path: Path) -> None:
    picture = np.full((400, 400, 3), 40, np.uint8)
    one = tile(200, 200, 0.5, 90)
    cv2.fillConvexPoly(picture, np.round((one.quad - 0.5) * 16).astype(np.int32), (230, 230, 230), cv2.LINE_AA, 4)
    cv2.imwrite(str(tmp_path / "one.png"), picture)
    source = Picture(path=tmp_path / "one.png", tiles=(one,), source="one", real=True)
    rng, lengths = np.random.default_rng(1), []
    for _ in range(120):
        shot, (there,), _ = crop(rng, source)
        up, right = there.quad[0] - there.quad[3], there.quad[1] - there.quad[0]
        lengths.append(max(np.hypot(*up), np.hypot(*right)) / min(np.hypot(*up), np.hypot(*right)))
        if there.counts:
            assert brightness(shot, there.quad, 0.0, 0.85) > 1.2 * brightness(shot, there.quad, 1.15, 1.4)
    lean = np.abs(np.log(np.array(lengths) / 1.45)) > 0.12
    assert 0.05 < lean.mean() < 0.3


def test_most_crops_show_tiles_of_the_sizes_that_are_asked_for(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "one.png"), np.full((400, 400, 3), 40, np.uint8))
    rng = np.random.default_rng(1)
    for real in (True, False):
        source = Picture(path=tmp_path / "one.png", tiles=(tile(200, 200, 0.5, 50),), source="one", real=real)
        for least, most in ((16, 20), (30, 36)):
            sides = [long_edge(crop(rng, source, (least, most))[1][0].quad) for _ in range(60)]
            asked_for = [least * 0.8 < side < most * 1.1 for side in sides]
            assert np.mean(asked_for) > 0.65, "some lean, and of some only a part is to be seen"


def test_the_net_answers_at_stride_four_and_alike_in_dim_light() -> None:
    torch.manual_seed(0)
    net = LocateNet().eval()
    image = torch.rand(1, 3, 64, 96) * 200 + 30
    with torch.inference_mode():
        bright, dim = net(image), net(image * 0.4)
    assert bright.heat.shape == (1, 1, 64 // STRIDE, 96 // STRIDE)
    assert bright.geometry.shape == (1, 6, 64 // STRIDE, 96 // STRIDE)
    assert torch.allclose(bright.heat, dim.heat, atol=0.15)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the exporter, by PyTorch itself
@pytest.mark.parametrize(
    ("options", "taught"),
    [([], True), (["--renders-only"], False), (["--teacher", str(MODELS / "tiles-locate.onnx")], True)],
    ids=["both", "renders only", "a teacher beside them"],
)
def test_photographs_teach_or_only_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], *, taught: bool
) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    corners = [[260, 220], [340, 220], [340, 340], [260, 340]]
    rows = []
    for number in range(6):
        image = np.full((640, 640, 3), 60 + 10 * number, np.uint8)
        image[220:340, 260:340] = 220
        cv2.imwrite(str(photos / f"{number}.jpg"), image)
        split = "valid" if number == 0 else "train"
        rows.append(
            {"image": f"{number}.jpg", "photo": f"table-{number}", "split": split, "tiles": [{"polygon": corners}]}
        )
    (photos / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "tiles-locate.onnx"
    short = ["--scenes", "2", "--epochs", "1", "--steps", "1"]
    folders = ["--data", str(tmp_path / "bank"), "--photos", str(photos), "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["locate", *folders, *short, *options])
    assert locate.main() == 0
    card = json.loads(out.with_suffix(".json").read_text())
    held_out = sum(locate.held_out(one) for one in locate.load_photos(photos, "train"))
    assert card["trained"]["photographs"] == (5 - held_out if taught else 0)
    assert card["trained"]["scenes"] > 0
    assert card["scores"]["valid_photographs"]["tiles"] == 1
