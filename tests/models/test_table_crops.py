"""Crops for the reader's training that the locate model itself cuts out of rendered tables."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL", reason="Pillow comes with the extra `train`")

from models.training.data import table_crops
from models.training.data.crops import HIDDEN, SYMBOLS, UNKNOWN, WIDE_CROP
from models.training.data.render.scene_generator import Scene, full_table
from referee.vision.networks.models import CornerFinder
from referee.vision.networks.sidecar import find_models
from referee.vision.pipeline import TableReader

NONE = SYMBOLS.index("none")


@pytest.fixture(scope="module")
def reader() -> TableReader:
    return TableReader(eager=True)


@pytest.fixture(scope="module")
def table() -> Scene:
    return full_table(np.random.default_rng(8), size=(1280, 720), tiles=30, harshness=0.1, clean=True)


@pytest.fixture(scope="module")
def corners() -> CornerFinder:
    return CornerFinder(find_models())


@pytest.mark.parametrize("drawn", [(), ("corners",)], ids=["as located", "at corners"])
def test_a_crop_bears_the_name_of_the_tile_it_shows(
    table: Scene, reader: TableReader, drawn: tuple[str, ...], request: pytest.FixtureRequest
) -> None:
    samples = table_crops.located_crops(table, reader, *map(request.getfixturevalue, drawn))
    named = [f"{'KRBO'[label.ink]}{SYMBOLS[label.symbol]}" for _, label in samples if label.symbol < 13]
    expected = [tile.tile for tile in table.tiles if not tile.tile.startswith("J")]
    assert len(named) >= 0.95 * len(expected)
    assert all(named.count(name) <= expected.count(name) for name in named)
    assert all(picture.shape == (*WIDE_CROP, 3) for picture, _ in samples)


def test_crops_are_cut_digits_upright(table: Scene, reader: TableReader) -> None:
    crops = np.stack([p[8:72, 6:54] for p, label in table_crops.located_crops(table, reader) if label.symbol < 13])
    faces = reader._reader.read(np.ascontiguousarray(crops))
    assert (faces.upright > 0.5).mean() > 0.9


def test_at_corners_all_crops_have_their_tile_in_the_same_place(
    table: Scene, reader: TableReader, corners: CornerFinder
) -> None:
    def sharpness_of_the_mean(drawn_to: CornerFinder | None) -> float:
        samples = [p for p, label in table_crops.located_crops(table, reader, drawn_to) if label.symbol < 13]
        steps = np.diff(np.mean(samples, axis=0)[:, 20:40].mean(axis=2), axis=0)
        return float(np.abs(steps).max(axis=0).mean())

    assert sharpness_of_the_mean(corners) > 1.2 * sharpness_of_the_mean(None)


def test_a_covered_tile_is_none_and_a_half_covered_one_is_left_out(table: Scene, reader: TableReader) -> None:
    covered = Scene(image=table.image, tiles=tuple(t._replace(visible=0.2) for t in table.tiles), sets=table.sets)
    assert {label.symbol for _, label in table_crops.located_crops(covered, reader)} == {NONE}
    half = Scene(image=table.image, tiles=tuple(t._replace(visible=0.6) for t in table.tiles), sets=table.sets)
    assert {label.symbol for _, label in table_crops.located_crops(half, reader)} <= {NONE}


def test_a_bank_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    for name in ("one", "other"):
        table_crops.build_table_bank(tmp_path / name, 40, seed=3)
    one, other = (np.load(tmp_path / name / "crops.npy") for name in ("one", "other"))
    labels = np.load(tmp_path / "one" / "labels.npy")
    assert (one == other).all()
    assert one.reshape(40, -1).any(axis=1).all()
    assert set(np.unique(labels[:, 0])) <= set(range(len(SYMBOLS))) - {HIDDEN, UNKNOWN}


def test_the_reader_is_taught_to_doubt_a_covered_face() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")
    from models.training.data.augment import views  # noqa: PLC0415  PyTorch may be missing
    from models.training.nets.read_net import ReadNet  # noqa: PLC0415
    from models.training.train.read import losses_of, worth  # noqa: PLC0415
    from models.training.train.read_score import Crops  # noqa: PLC0415

    torch.manual_seed(0)
    net = ReadNet().eval()
    with torch.no_grad():
        net.symbol.weight.zero_()
        net.symbol.bias.zero_()
    pictures = torch.randint(0, 256, (2, *WIDE_CROP, 3), dtype=torch.uint8)
    crops = Crops(pictures, torch.tensor([HIDDEN, HIDDEN]), torch.tensor([UNKNOWN, UNKNOWN]))
    undecided = losses_of(net, (crops.symbol, crops.ink), views(crops.pictures, torch.Generator().manual_seed(1)))
    net.symbol.bias.data[4] = 9.0
    sure = losses_of(net, (crops.symbol, crops.ink), views(crops.pictures, torch.Generator().manual_seed(1)))
    assert torch.allclose(undecided, torch.zeros(2), atol=1e-3)
    assert (sure > 1).all()
    easy, hard, hopeless = worth(torch.tensor([0.0, 1.0, 8.0]))
    assert hard > hopeless > 0
    assert hard > easy > 0


def test_crops_seen_ahead_are_those_seen_in_turn() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch comes with the extra `train`")
    from models.training.data.augment import views  # noqa: PLC0415
    from models.training.train.device import made_ahead  # noqa: PLC0415  PyTorch may be missing
    from models.training.train.read import BATCH, lessons  # noqa: PLC0415
    from models.training.train.read_score import Crops  # noqa: PLC0415

    count = 3 * BATCH + 7
    pictures = torch.randint(0, 256, (count, *WIDE_CROP, 3), dtype=torch.uint8)
    crops = Crops(pictures, torch.zeros(count), torch.zeros(count))
    rng = torch.Generator().manual_seed(4)
    order = torch.randperm(count, generator=rng)[: 3 * BATCH]
    in_turn = [(rows, views(pictures[rows], rng)) for rows in order.split(BATCH)]
    ahead = list(made_ahead(lessons(crops, torch.Generator().manual_seed(4))))
    assert len(ahead) == len(in_turn) == 3
    for (rows, seen), (wanted_rows, wanted) in zip(ahead, in_turn, strict=True):
        assert torch.equal(rows, wanted_rows)
        assert all(torch.equal(one, other) for one, other in zip(seen, wanted, strict=True))


def test_a_bank_of_printed_things_shows_what_is_no_tile_where_tiles_are_seen(tmp_path: Path) -> None:
    table_crops.build_print_bank(tmp_path / "prints", 60, seed=1)
    labels = np.load(tmp_path / "prints" / "labels.npy")
    assert np.load(tmp_path / "prints" / "crops.npy").reshape(60, -1).any(axis=1).all()
    assert (labels[:, 0] == NONE).mean() > 0.5
