"""The real models on real photographs they were not trained on: what the model card claims, as a floor."""

import json
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.cli.main import main
from referee.reading.observation import TileReading
from referee.rules.notation import format_table
from referee.vision.image.frame import Frame
from referee.vision.image.picture_file import load_image
from referee.vision.networks.sidecar import find_models
from referee.vision.pipeline import TableReader

PHOTOS = Path(__file__).parents[3] / "shared" / "photos"
pytestmark = [
    pytest.mark.skipif(not (find_models() / "tiles-read.onnx").exists(), reason="the models are not made yet"),
]
needs_photos = pytest.mark.skipif(not PHOTOS.is_dir(), reason="the photographs lie beside the checkout, not in it")

MIN_FOUND = 0.998
MIN_EXACT = 0.995
MAX_SURE_BUT_WRONG = 0.001
MAX_FALSE = 0.001


@cache
def labelled() -> Mapping[str, list[tuple[str, np.ndarray]]]:
    """For each picture of the valid split its tiles: names and outlines."""
    rows = map(json.loads, (PHOTOS / "labels.jsonl").read_text(encoding="utf-8").splitlines())
    return {
        row["image"]: [(tile["tile"], np.array(tile["polygon"], np.float32)) for tile in row["tiles"]]
        for row in rows
        if row["split"] == "valid"
    }


def _within(tile: TileReading, outline: np.ndarray) -> bool:
    return cv2.pointPolygonTest(outline, tile.centre, measureDist=False) >= 0


@needs_photos
@pytest.mark.slow
def test_photographs_are_read_as_well_as_the_model_card_says() -> None:
    reader = TableReader()
    counts: Counter[str] = Counter()
    for name, tiles in labelled().items():
        rest = list(reader.read_table(Frame(name, 0.0, load_image(PHOTOS / name))).tiles)
        for truth, outline in tiles:
            found = next((tile for tile in rest if _within(tile, outline)), None)
            counts["tiles"] += 1
            if found is None:
                continue
            rest.remove(found)
            counts["found"] += 1
            counts["exact"] += str(found.tile) == truth
            counts["sure but wrong"] += str(found.tile) != truth and not found.unsure
        counts["false"] += sum(not tile.unsure for tile in rest)
    assert counts["tiles"] == 476
    shares = {name: counts[name] / counts["tiles"] for name in ("found", "exact", "sure but wrong", "false")}
    assert shares["found"] >= MIN_FOUND, shares
    assert shares["exact"] >= MIN_EXACT, shares
    assert shares["sure but wrong"] <= MAX_SURE_BUT_WRONG, shares
    assert shares["false"] <= MAX_FALSE, shares


@needs_photos
def test_the_sets_of_a_photographed_table_are_told() -> None:
    image = load_image(PHOTOS / "images" / "valid-rummy-25-8273a9.jpg")
    table = TableReader().read_table(Frame("rummy-25", 0.0, image)).table()
    assert set(format_table(table).split(" / ")) == {
        "O13 R13 K13 B13",
        "B7 B8 B9",
        "O10 O11 O12",
        "B2 B3 B4",
    }


@needs_photos
@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_table_reads_the_same_from_every_seat(turns: int) -> None:
    image = load_image(PHOTOS / "images" / "valid-rummy-25-8273a9.jpg")
    reader = TableReader()
    straight = reader.read_table(Frame("straight", 0.0, image)).table()
    turned = reader.read_table(Frame("turned", 0.0, np.ascontiguousarray(np.rot90(image, turns)))).table()
    assert Counter(turned.sets) == Counter(straight.sets)


@needs_photos
def test_every_photograph_is_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = sorted(labelled())[:3]
    words = [str(PHOTOS / name) for name in names]
    assert main(["read", *words, "--edition", "original", "--annotate", str(tmp_path), "--json"]) == 0
    answers: list[dict[str, Any]] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["image"] for answer in answers] == words
    for answer in answers:
        assert answer["size"] == [640, 640]
        placed = [name for row in answer["sets"] for name in row] + answer["loose"]
        assert Counter(placed) == Counter(tile["tile"] for tile in answer["tiles"] if tile["tile"])
        for tile in answer["tiles"]:
            assert 0 <= tile["confidence"] <= 1
            assert cv2.contourArea(np.array(tile["quad"], np.float32), oriented=True) > 0  # clockwise
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".png"] * 3


def test_a_picture_without_tiles_is_an_empty_table() -> None:
    noise = np.random.default_rng(1).integers(90, 120, (480, 640, 3), np.uint8)
    assert TableReader().read_table(Frame("noise", 0.0, noise)).tiles == ()
