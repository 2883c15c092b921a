"""A 6 or a 9 that would look like the other tiles only if it lay the other way up is the other digit."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from models.training.evaluate.worlds import second_look
from referee.reading.observation import TableReading
from referee.rules.tiles import NumberTile
from referee.vision.context.orientation import weigh_by_appearance
from referee.vision.detect.detection_scale import zoom_of
from referee.vision.geometry.detections import EMBEDDING, SYMBOLS, Faces
from referee.vision.image.frame import Frame, Image
from referee.vision.networks.models import REREAD, FaceReader
from referee.vision.networks.sidecar import find_models
from referee.vision.pipeline import TableReader

SIX, NINE = SYMBOLS.index("6"), SYMBOLS.index("9")
OTHERS = ("2", "3", "4", "5", "7", "10", "12", "13", "2", "3", "4", "5")
needs_models = pytest.mark.skipif(not (find_models() / "tiles-read.onnx").exists(), reason="the models are not here")


def tiles(count: int, *, name_below: bool = True) -> Image:
    """Upright tiles with a print in the middle, each another one, most with the maker's name pressed in below."""
    rng = np.random.default_rng(count)
    crops = np.full((count, 48, 32, 3), 210, np.uint8)
    crops[:, 16:32, 12:24] = rng.integers(20, 210, (count, 16, 12, 1), np.uint8)
    if name_below:
        crops[:, 36:39, 8:28:2] = 180
    return np.asarray(crops + rng.integers(0, 5, crops.shape, np.uint8), np.uint8)


def faces(names: Sequence[str], chance: float = 0.99, *, upright: float = 0.99) -> Faces:
    """What is said of each tile, of the first with a chance, of the others for sure."""
    symbol = np.zeros((len(names), len(SYMBOLS)), np.float32)
    for row, name in enumerate(names):
        sure = chance if row == 0 else 1.0
        symbol[row, SYMBOLS.index({"6": "9", "9": "6"}.get(name, "1"))] = 1 - sure
        symbol[row, SYMBOLS.index(name)] = sure
    ink = np.tile(np.array([[1, 0, 0, 0]], np.float32), (len(names), 1))
    ways = np.full(len(names), upright, np.float32)
    return Faces(symbol=symbol, ink=ink, upright=ways, embedding=np.zeros((len(names), EMBEDDING), np.float32))


def weighed(crops: Image, said: Faces) -> Faces:
    return weigh_by_appearance(lambda rows: crops[rows], said)


def turned(crops: Image, row: int) -> Image:
    return np.concatenate([crops[:row], crops[row : row + 1, ::-1, ::-1], crops[row + 1 :]])


@pytest.mark.parametrize(("looks", "is_rather"), [("6", "9"), ("9", "6")])
@pytest.mark.parametrize("upright", [0.99, 0.01])
def test_one_that_looks_upright_the_other_way_up_is_the_other_digit(looks: str, is_rather: str, upright: float) -> None:
    crops, said = tiles(13), faces([looks, *OTHERS], upright=upright)
    crops = crops if upright > 0.5 else np.asarray(crops[:, ::-1, ::-1])
    after = weighed(turned(crops, 0), said)
    assert SYMBOLS[int(after.symbol[0].argmax())] == is_rather
    assert (after.upright[0] > 0.5) != (upright > 0.5), "and it lies the other way up"
    assert after.symbol[0].sum() == pytest.approx(said.symbol[0].sum(), abs=1e-6)


def test_what_the_model_is_surest_of_is_asked_about_and_not_turned_into_the_other() -> None:
    after = weighed(turned(tiles(13), 0), faces(["6", *OTHERS], 0.9999))
    assert 0.5 < after.symbol[0, SIX] < 0.93


def test_one_that_looks_as_upright_as_it_was_read_is_surer() -> None:
    after = weighed(tiles(13), faces(["6", *OTHERS], 0.8))
    assert after.symbol[0, SIX] > 0.99


@pytest.mark.parametrize(
    ("names", "name_below", "upright"),
    [
        pytest.param(["6", *OTHERS[:9]], True, 0.99, id="nine others are too few"),
        pytest.param(["6", *OTHERS], False, 0.99, id="nothing on the tiles tells"),
        pytest.param(["6", *OTHERS], True, 0.6, id="which way up it was read is open"),
        pytest.param(["6", *["9"] * 6, *["8", "11", "J"] * 3], True, 0.99, id="digits that are themselves when turned"),
        pytest.param(["8", *OTHERS], True, 0.99, id="another digit"),
    ],
)
def test_nothing_else_is_changed(names: list[str], name_below: bool, upright: float) -> None:  # noqa: FBT001
    said = faces(names, 0.97, upright=upright)
    after = weighed(turned(tiles(len(names), name_below=name_below), 0), said)
    np.testing.assert_allclose(after.symbol[0], said.symbol[0], atol=1e-6)
    np.testing.assert_allclose(after.upright[0], said.upright[0], atol=1e-6)


class Mistaken(FaceReader):
    """Takes every 6 for a 9 that lies the other way up, and every 9 for a 6."""

    def read(self, crops: Image) -> Faces:
        read = super().read(crops)
        pair = np.isin(read.symbol.argmax(axis=1), (SIX, NINE))
        symbol, upright = read.symbol.copy(), np.where(pair, 1 - read.upright, read.upright)
        symbol[np.ix_(pair, (SIX, NINE))] = read.symbol[np.ix_(pair, (NINE, SIX))]
        return replace(
            read, symbol=np.where(pair[:, None], 0.97 * symbol + 0.03 * read.symbol, symbol), upright=upright
        )


@needs_models
def test_the_other_tiles_of_a_table_set_a_reader_right_that_mistakes_every_6_and_9() -> None:
    (table,) = second_look("mistaken", 1, 5)
    reader = TableReader()
    frame = Frame("f", 0.0, table.image)
    truth = reader.read_table(frame, table.box)
    wanted = sixes_and_nines(truth)
    assert len(wanted) >= 5
    reader._reader, reader._rereader = Mistaken(find_models()), Mistaken(find_models(), name=REREAD)
    for zoom in (None, zoom_of(truth)):
        seen = reader.read_table(frame, table.box, zoom)
        assert [named_at(seen, x, y) for x, y, _ in wanted] == [name for _, _, name in wanted]
        assert len(sixes_and_nines(seen)) == len(wanted)


def sixes_and_nines(reading: TableReading) -> list[tuple[float, float, str]]:
    """Where they lie, and what they are, from left to right."""
    return sorted(
        (*tile.centre, str(tile.tile))
        for tile in reading.tiles
        if isinstance(tile.tile, NumberTile) and tile.tile.number in (6, 9)
    )


def named_at(reading: TableReading, x: float, y: float) -> str:
    """What the tile is that lies there."""
    nearest = min(reading.tiles, key=lambda tile: math.dist(tile.centre, (x, y)))
    return str(nearest.tile) if math.dist(nearest.centre, (x, y)) < 20 else "nothing"
