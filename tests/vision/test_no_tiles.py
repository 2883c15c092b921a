"""Counting faces in what is no tile: what is read there is told from the real tiles beside it."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

pytest.importorskip("PIL", reason="rendering needs the train extra")

from models.training.evaluate.no_tiles import as_markdown, count
from models.training.evaluate.strange import Strange, among_things
from models.training.evaluate.worlds import Known, Picture
from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import parse_tile


def square(x: float) -> np.ndarray:
    return np.array([[x, 0], [x + 10, 0], [x + 10, 10], [x, 10]], np.float32)


def said(name: str | None, x: float, *, unsure: bool = False) -> TileReading:
    a, b, c, d = (tuple(corner) for corner in square(x).tolist())
    return TileReading(quad=(a, b, c, d), tile=name and parse_tile(name), confidence=0.5, unsure=unsure)


def read(*tiles: TileReading) -> TableReading:
    return TableReading(frame_id="one", at=0.0, tiles=tiles, layouts=lay_out_tiles(tiles))


IMAGE = np.zeros((20, 100, 3), np.uint8)
PICTURE = Picture(group="things", name="one", image=IMAGE, tiles=(Known("R3", square(0)),), sets=())


def test_only_faces_that_lie_on_a_thing_and_on_no_tile_are_counted() -> None:
    strange = Strange(PICTURE, (("card", square(20)), ("card", square(40)), ("sheet", square(60))))
    counts = count(strange, read(said("R3", 0), said("R4", 20), said("K7", 40, unsure=True), said(None, 60)))
    assert [counts["card", name] for name in ("n", "sure", "sure one", "doubt")] == [2, 1, 1, 1]
    assert [counts["sheet", name] for name in ("n", "sure", "sure one", "doubt")] == [1, 0, 0, 0]
    assert "| card | 2 | 1 | 1 | 1 |" in as_markdown(counts)


def test_where_no_tile_lies_every_face_counts() -> None:
    bare = Strange(replace(PICTURE, group="photographs", tiles=()))
    counts = count(bare, read(said("R4", 20), said("R5", 40), said("K7", 60, unsure=True)))
    assert [counts["photographs", name] for name in ("n", "sure", "sure one", "doubt")] == [1, 2, 1, 1]


def test_things_lie_beside_the_sets() -> None:
    one = next(among_things(1, 5))
    assert len(one.things) >= 6
    middles = [tile.outline.mean(axis=0) for tile in one.picture.tiles]
    assert len(middles) == 10
    for _, outline in one.things:
        assert all(cv2.pointPolygonTest(outline, middle.tolist(), False) < 0 for middle in middles)
