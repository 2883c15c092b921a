"""The pipeline on stand-in models: painted tiles come out with their names, places, ways up, sets and doubts."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from referee.reading.observation import TableReading
from referee.rules.editions import rule_set
from referee.rules.notation import format_table, parse_tile
from referee.vision import pipeline
from referee.vision.classify.augmented_reading import AUGMENTATIONS, CropJitter, augmented_reading
from referee.vision.classify.naming import name_faces, read_names
from referee.vision.detect.detection_scale import SHIFTS, Zoom, fit_zoom
from referee.vision.detect.scale_search import ScaleSearch, _weight
from referee.vision.detect.tiling import TiledLocator
from referee.vision.geometry.detections import SYMBOLS, Detections, Faces, Floats
from referee.vision.geometry.homography import project_points
from referee.vision.geometry.quads import areas
from referee.vision.image.frame import Frame, Image
from referee.vision.image.pyramid import Pyramid
from referee.vision.networks.models import FaceReader, Locator
from referee.vision.pipeline import TableReader, _are_tiles

Paint = Callable[..., Image]
WIDTH, HEIGHT = 28, 40
RUN = [("3", "R", 200, 200), ("4", "R", 228, 200), ("5", "R", 256, 200)]


def read(models: Path, image: Image, edition: str | None = None, zoom: Zoom | None = None) -> TableReading:
    box = rule_set(edition).box if edition else None
    return TableReader(models).read_table(Frame("painted", 1.5, image), box, zoom)


def test_painted_tiles_are_read_in_their_places(models: Path, paint: Paint) -> None:
    reading = read(models, paint([*RUN, ("13", "K", 400, 300)]))
    assert format_table(reading.table()) == "R3 R4 R5 / K13"
    assert (reading.frame_id, reading.at) == ("painted", 1.5)
    (three,) = (tile for tile in reading.tiles if str(tile.tile) == "R3")
    x, y = 200 - WIDTH / 2, 200 - HEIGHT / 2
    expected = [(x, y), (x + WIDTH, y), (x + WIDTH, y + HEIGHT), (x, y + HEIGHT)]
    np.testing.assert_allclose(three.quad, expected, atol=0.01)
    assert three.confidence == pytest.approx(1, abs=0.01)
    assert reading.unsure == ()
    assert set(reading.milliseconds) == {"locate", "read", "total"}


def test_tiles_that_face_the_far_side_are_turned_and_so_is_their_row(models: Path, paint: Paint) -> None:
    reading = read(models, paint(RUN, flipped=True))
    assert format_table(reading.table()) == "R5 R4 R3"
    assert all(tile.quad[0][1] > tile.quad[3][1] for tile in reading.tiles)


@pytest.mark.parametrize(
    ("doubtful", "threshold", "unsure"),
    [
        pytest.param(("tiles-read",), 0.9, 0, id="what the first doubts the second knows"),
        pytest.param(("tiles-read", "tiles-reread"), 0.9, 3, id="what both doubt is asked about"),
        pytest.param(("tiles-read",), 1.0, 3, id="how sure is sure enough, the second says"),
    ],
)
def test_a_larger_model_looks_again_at_what_the_first_doubts(
    models: Path,
    paint: Paint,
    write_model: Any,
    read_model: Any,
    reread_model: Any,
    *,
    doubtful: Any,
    threshold: float,
    unsure: int,
) -> None:
    for name, model in (("tiles-read", read_model), ("tiles-reread", reread_model)):
        temperature = {"symbol": 60.0 if name in doubtful else 1.0}
        sure = {"unsure": threshold if name == "tiles-reread" else 0.5}
        write_model(models, name, model, temperature=temperature, thresholds=sure)
    reading = read(models, paint(RUN))
    assert format_table(reading.table()) == "R3 R4 R5"
    assert len(reading.unsure) == unsure


def test_an_empty_table_is_read_as_empty(models: Path, paint: Paint) -> None:
    reading = read(models, paint([]))
    assert reading.tiles == ()
    assert format_table(reading.table()) == ""


def test_what_is_no_tile_is_dropped_and_a_back_is_kept_without_a_name(models: Path, paint: Paint) -> None:
    reading = read(models, paint([*RUN, ("none", "K", 400, 300), ("back", "K", 300, 400)]))
    assert Counter(str(tile.tile) for tile in reading.tiles) == Counter({"R3": 1, "R4": 1, "R5": 1, "None": 1})
    assert format_table(reading.table()) == "R3 R4 R5"


@pytest.mark.parametrize("drawn", ["6", "none", "back"])
def test_what_is_hardly_located_is_a_tile_where_it_shows_a_face(models: Path, paint: Paint, drawn: str) -> None:
    image = paint([*RUN, (drawn, "R", 500, 400)])
    image[400:404, 500:504] = (140, 0, 60)  # its middle is hardly bluer than red
    found = [str(tile.tile) for tile in read(models, image).tiles]
    assert sorted(found) == sorted(["R3", "R4", "R5"] + (["R6"] if drawn == "6" else []))


@pytest.mark.parametrize(
    ("drawn", "edition", "name"),
    [
        pytest.param(("J", "K"), None, "J", id="no edition: a joker"),
        pytest.param(("JD", "K"), None, "JD", id="no edition: surely a double joker"),
        pytest.param(("JC", "K"), "twist", "JC", id="twist has the colour-change joker"),
        pytest.param(("J", "O"), "3in1-expert", "JO", id="expert jokers go by colour"),
        pytest.param(("JD", "B"), "3in1-expert", "JB", id="whatever is drawn on them"),
    ],
)
def test_the_box_names_the_jokers(
    models: Path, paint: Paint, drawn: tuple[str, str], edition: str | None, name: str
) -> None:
    (tile,) = read(models, paint([(*drawn, 200, 200)]), edition).tiles
    assert str(tile.tile) == name
    assert not tile.unsure


def test_a_joker_that_the_box_lacks_is_never_a_sure_tile(models: Path, paint: Paint) -> None:
    (tile,) = read(models, paint([("JM", "R", 200, 200)]), "original").tiles
    assert tile.tile is None or tile.unsure


def test_a_tile_more_than_the_box_holds_is_doubted_not_changed(models: Path, paint: Paint) -> None:
    thrice = paint([("7", "R", x, 200) for x in (200, 300, 400)])
    reading = read(models, thrice, "original")
    assert [str(tile.tile) for tile in reading.tiles] == ["R7", "R7", "R7"]
    assert len(reading.unsure) == 3, "read equally surely, each may be the wrong one"
    assert read(models, thrice, "xp").unsure == ()
    assert read(models, thrice).unsure == ()


def test_a_face_between_two_classes_is_unsure_and_names_both(models: Path, paint: Paint) -> None:
    image = paint([("6", "R", 200, 200)])
    body = (image == (0, 60, 60)).all(axis=2)
    image[body] = (0, 60, 66)  # half-way between a six and a seven
    (tile,) = read(models, image).tiles
    assert tile.unsure
    assert {str(tile.tile), str(tile.alternatives[0][0])} == {"R6", "R7"}


def test_a_known_zoom_gives_what_the_search_gives(models: Path, paint: Paint) -> None:
    image = paint(RUN)
    assert read(models, image, zoom=Zoom(1.0)).tiles == read(models, image).tiles


def test_the_looks_of_a_camera_that_keeps_still_take_the_cuts_in_turn_and_a_photograph_has_more(
    models: Path, paint: Paint, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[CropJitter | None] = []

    def note(*those: Any, jitter: CropJitter | None, **others: Any) -> Faces:
        made.append(jitter)
        return augmented_reading(*those, jitter=jitter, **others)

    monkeypatch.setattr(pipeline, "augmented_reading", note)
    image = paint(RUN)
    read(models, image)
    for shift in SHIFTS:
        read(models, image, zoom=Zoom(1.0, shift=shift))
    photograph, *looks = made
    assert photograph is None
    assert looks == list(AUGMENTATIONS)


def test_one_of_the_looks_of_a_camera_that_keeps_still_reads_every_tile_upside_down(
    models: Path, paint: Paint, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = paint(RUN)
    shown: list[Image] = []
    first_look = FaceReader.read

    def note(reader: FaceReader, crops: Image) -> Faces:
        shown.append(crops)
        return first_look(reader, crops)

    monkeypatch.setattr(FaceReader, "read", note)
    reader = TableReader(models)
    found, looks = reader.locate(image), []
    for once in AUGMENTATIONS:
        shown.clear()
        _, faces, _ = reader._read_faces(Pyramid(image), found, jitter=once)
        assert [SYMBOLS[one] for one in faces.symbol.argmax(axis=1)] == ["3", "4", "5"]
        looks.append(next(crops for crops in shown if len(crops) == len(RUN)).astype(np.float64))
    upright, upside_down, again = looks
    np.testing.assert_array_equal(again, upright)
    np.testing.assert_array_equal(upside_down[:, ::-1, ::-1], upright)
    assert np.abs(upside_down - upright).mean() > 1


def test_the_zoom_of_a_reading_brings_tiles_to_the_best_size(models: Path, paint: Paint) -> None:
    reading = read(models, paint(RUN))
    zoom = fit_zoom(reading)
    assert zoom is not None
    corners = np.array([tile.quad for tile in reading.tiles], np.float64)
    shown = project_points(zoom.matrix, corners.reshape(-1, 2)).reshape(-1, 4, 2)
    assert np.median(np.linalg.norm(shown[:, 0] - shown[:, 3], axis=1)) == pytest.approx(19.8, rel=0.01)
    assert np.median(np.linalg.norm(corners[:, 0] - corners[:, 3], axis=1)) == pytest.approx(HEIGHT, rel=0.05)
    assert zoom.shift == 0
    assert fit_zoom(read(models, paint([]))) is None


@pytest.mark.parametrize("size", [(1, 1), (3, 500), (640, 480), (333, 777), (2000, 40)])
def test_pictures_of_any_shape_are_read(models: Path, size: tuple[int, int]) -> None:
    assert read(models, np.full((size[1], size[0], 3), 90, np.uint8)).tiles == ()


def joker_faces(*drawn: float) -> Faces:
    """One joker, its drawing J, JD, JC or JM with these chances."""
    symbol = np.zeros((1, len(SYMBOLS)), np.float32)
    symbol[0, 13:17] = drawn
    one = np.ones(1, np.float32)
    return Faces(
        symbol=symbol, ink=np.full((1, 4), 0.25, np.float32), upright=one, embedding=np.zeros((1, 32), np.float32)
    )


@pytest.mark.parametrize(
    ("drawn", "name", "confidence"),
    [
        ((1.0, 0.0, 0.0, 0.0), "J", 1.0),
        ((0.7, 0.2, 0.1, 0.0), "J", 0.992),  # 0.7 to a fiftieth of 0.3
        ((0.0, 0.0, 1.0, 0.0), "JC", 1.0),
        ((0.1, 0.9, 0.0, 0.0), "J", 0.847),  # 0.1 to a fiftieth of 0.9: the plain one is likelier, but not surely
        ((0.01, 0.99, 0.0, 0.0), "JD", 0.664),
        ((0.001, 0.999, 0.0, 0.0), "JD", 0.952),
    ],
)
def test_without_an_edition_a_joker_is_plain_until_it_is_surely_special(
    drawn: tuple[float, ...], name: str, confidence: float
) -> None:
    quad = np.array([[[0, 0], [3, 0], [3, 4], [0, 4]]], np.float32)
    (tile,) = read_names(name_faces(joker_faces(*drawn), None), quad, sure=0.9)
    assert str(tile.tile) == name
    assert tile.confidence == pytest.approx(confidence, abs=0.002)


@pytest.mark.parametrize("x", range(1000, 1400, 40))
def test_tiles_are_found_once_wherever_the_parts_of_a_large_look_meet(models: Path, paint: Paint, x: int) -> None:
    image = paint([("3", "R", x, 700), ("4", "R", x + 28, 700), ("5", "R", x + 56, 700)], (2400, 1400))
    assert format_table(read(models, image, zoom=Zoom(1.0)).table()) == "R3 R4 R5"


@pytest.mark.parametrize(
    ("score", "none", "kept"),
    [
        pytest.param(0.95, 0.0, True, id="a tile"),
        pytest.param(0.95, 0.3, True, id="a tile that is hard to read"),
        pytest.param(0.5, 0.02, True, id="a tile that is hard to find"),
        pytest.param(0.5, 0.3, False, id="what two models doubt"),
        pytest.param(0.95, 0.9, False, id="what looks like no tile"),
    ],
)
def test_what_both_models_doubt_is_no_tile(score: float, none: float, kept: bool) -> None:  # noqa: FBT001
    symbol = np.zeros((1, len(SYMBOLS)), np.float32)
    symbol[0, 4], symbol[0, -1] = 1 - none, none
    one = np.ones(1, np.float32)
    faces = Faces(
        symbol=symbol, ink=np.eye(1, 4, dtype=np.float32), upright=one, embedding=np.zeros((1, 32), np.float32)
    )
    assert _are_tiles(np.array([score], np.float32), faces).tolist() == [kept]


def test_pieces_of_large_tiles_weigh_less_than_the_tiles_and_so_do_sets_taken_for_one() -> None:
    def look(count: int, side: float) -> Detections:
        quads = np.array([[[0, 0], [side * 0.7, 0], [side * 0.7, side], [0, side]]] * count, np.float32)
        return Detections(quads.reshape(-1, 4, 2), np.full(count, 0.8, np.float32))

    assert _weight(look(9, 110)) > _weight(look(20, 30))
    assert _weight(look(19, 49)) > _weight(look(6, 94))


@pytest.mark.parametrize("zoom", [None, Zoom(0.5)], ids=["a photograph", "a camera that keeps still"])
def test_tiles_are_outlined_at_their_corners(paint_sets: Callable[..., Any], zoom: Zoom | None) -> None:
    image, tiles, quads = paint_sets("R3 R4 R5 R6 / K7 B7 O7 / B9 B10 B11 / K1", (1536, 864))
    read = {one.tile: one.quad for one in TableReader().read_table(Frame("corners", 0.0, image), zoom=zoom).tiles}
    assert set(read) == set(tiles)
    off = [np.linalg.norm(np.array(read[tile]) - quad, axis=1).mean() for tile, quad in zip(tiles, quads, strict=True)]
    tall = np.linalg.norm(quads[:, 0] - quads[:, 3], axis=1)
    assert (np.array(off) / tall).mean() < 0.03


def test_tiles_to_be_enrolled_are_outlined_at_their_corners(paint_sets: Callable[..., Any]) -> None:
    image, _, quads = paint_sets("J R4 R5 / JD B7 O7", (800, 600))
    found = TableReader().outline(image)
    middles = np.linalg.norm(found.quads.mean(axis=1)[:, None] - quads.mean(axis=1), axis=2)
    assert sorted(middles.argmin(axis=1)) == list(range(len(quads)))
    sizes, true = (np.sqrt(areas(which)) for which in (found.quads, quads[middles.argmin(axis=1)]))
    assert np.abs(np.log(sizes / true)).max() < 0.05, "so that what is of another size can be told"


def test_a_tile_located_badly_is_outlined_where_it_is(
    paint_sets: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    image, tiles, quads = paint_sets("R3 R4 R5 R6 / K7 B7 O7 / B9 B10 B11", (1536, 864))
    middle, zoom = quads[tiles.index(parse_tile("B10"))].mean(axis=0), Zoom(0.5)
    locate = Locator.locate

    def beside(self: Locator, image: Image, threshold: float | None = None) -> Detections:
        found = locate(self, image, threshold)
        here = np.hypot(*(found.quads.mean(axis=1) - middle * zoom.scale).T) < 8
        up = found.quads[:, 0] - found.quads[:, 3]
        return Detections((found.quads + 0.3 * (here[:, None] * up)[:, None]).astype(np.float32), found.scores)

    monkeypatch.setattr(Locator, "locate", beside)
    read = TableReader().read_table(Frame("beside", 0.0, image), zoom=zoom).tiles
    named = {one.tile: one for one in read}
    assert set(named) == set(tiles)
    off = np.linalg.norm(np.mean(named[parse_tile("B10")].quad, axis=0) - middle)
    assert off < 0.1 * np.linalg.norm(quads[0, 0] - quads[0, 3])


@pytest.mark.parametrize("zoom", [None, Zoom(0.5)], ids=["a photograph", "a camera that keeps still"])
def test_a_tile_of_which_a_part_was_located_is_outlined_whole(
    paint_sets: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, zoom: Zoom | None
) -> None:
    image, tiles, quads = paint_sets("R3 R4 R5 R6 / K7 B7 O7 / B9 B10 B11", (1536, 864))
    truth, find = quads[tiles.index(parse_tile("B10"))], ScaleSearch.find

    def lower_part(self: ScaleSearch, picture: Pyramid, *looking: Any) -> Detections:
        found = find(self, picture, *looking)
        part = np.concatenate([truth[:2] * 0.6 + truth[[3, 2]] * 0.4, truth[2:]])
        return Detections(np.where(near(found, truth)[:, None, None], part, found.quads), found.scores)

    monkeypatch.setattr(ScaleSearch, "find", lower_part)
    read = TableReader().read_table(Frame("part", 0.0, image), zoom=zoom).tiles
    assert Counter(one.tile for one in read) == Counter(tiles)
    (ten,) = (one for one in read if one.tile == parse_tile("B10"))
    off = np.linalg.norm(np.array(ten.quad) - truth, axis=1).max()
    assert off < 0.1 * np.linalg.norm(truth[0] - truth[3]), "all of it lies within its outline"


def test_a_faint_tile_whose_face_shows_through_glare_is_not_overlooked(
    paint_sets: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    image, tiles, quads = paint_sets("R3 R4 R5 R6 / K7 B7 O7 / B9 B10 B11", (1536, 864))
    truth, find = quads[tiles.index(parse_tile("B10"))], ScaleSearch.find
    glare = np.zeros(image.shape[:2], np.float32)
    cv2.fillConvexPoly(glare, np.round(truth).astype(np.int32), 1.0)
    bright = np.clip(image + glare[..., None] * (255.0 - image) * 0.925, 0, 255).astype(np.uint8)
    bright = np.where(glare[..., None] > 0, cv2.GaussianBlur(bright, (0, 0), 0.1), bright)

    def faint(self: ScaleSearch, picture: Pyramid, *looking: Any) -> Detections:
        found = find(self, picture, *looking)
        scores = np.where(near(found, truth), np.float32(self.threshold * 0.6), found.scores)
        return Detections(found.quads, scores)

    monkeypatch.setattr(ScaleSearch, "find", faint)
    read = TableReader().read_table(Frame("faint", 0.0, bright)).tiles
    assert sorted(str(one.tile) for one in read) == sorted(map(str, tiles))
    assert not any(one.unsure for one in read)
    (there,) = (one for one in read if str(one.tile) == "B10")
    assert np.hypot(*(np.mean(there.quad, axis=0) - truth.mean(axis=0))) < 8


@pytest.mark.parametrize("zoom", [None, Zoom(0.5)], ids=["a search", "a camera that keeps still"])
def test_faces_seen_a_moment_ago_are_not_overlooked_while_they_show(
    paint_sets: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, zoom: Zoom | None
) -> None:
    """Three tiles that touch are taken for one now, as where a camera leans far."""
    image, tiles, quads = paint_sets("R3 R4 R5 R6 / K7 B7 O7 / B9 B10 B11", (1536, 864))
    group, look = quads[[tiles.index(parse_tile(name)) for name in ("K7", "B7", "O7")]], TiledLocator.__call__
    across = np.stack([group[0, 0], group[2, 1], group[2, 2], group[0, 3]])

    def as_one(self: TiledLocator, *looking: Any) -> Detections:
        found = look(self, *looking)
        others = ~np.any([near(found, quad) for quad in group], axis=0)
        one = Detections(across[None].astype(np.float32), np.array([0.9], np.float32))
        return Detections.join(found.pick(others), one)

    reader, frame = TableReader(), Frame("again", 0.0, image)
    known = np.array([one.quad for one in reader.read_table(frame).tiles], np.float32)
    monkeypatch.setattr(TiledLocator, "__call__", as_one)
    alone = reader.read_table(frame, zoom=zoom).tiles
    assert Counter(one.tile for one in alone) != Counter(tiles)
    again = reader.read_table(frame, zoom=zoom, known=known).tiles
    assert Counter(one.tile for one in again) == Counter(tiles)
    assert not any(one.unsure for one in again)
    bare = known - known.max(axis=(0, 1)) + (1520, 850)
    elsewhere = reader.read_table(frame, zoom=zoom, known=bare[-1:].astype(np.float32)).tiles
    assert [one.tile for one in elsewhere] == [one.tile for one in alone], "where no face shows there is none"


def near(found: Detections, quad: Floats) -> npt.NDArray[np.bool_]:
    """Which of what was found is the tile at that quad."""
    return np.asarray(np.hypot(*(found.quads.mean(axis=1) - quad.mean(axis=0)).T) < 16)
