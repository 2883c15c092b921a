"""Grading: figures worked out by hand for a reader whose mistakes are known."""

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

pytest.importorskip("PIL", reason="rendering needs the train extra")

from models.training.data.combined_corruptions import COMBINATIONS, COMBINED
from models.training.data.corruptions import CHANGES, TURNS
from models.training.data.render.fonts import fonts
from models.training.data.render.signs import with_pictograms
from models.training.data.reprinted import REPRINTS
from models.training.evaluate.grades import Answer, Graded, calibration_error, confusions, figures, grade, match
from models.training.evaluate.report import SETTLED, as_markdown, readings
from models.training.evaluate.worlds import (
    LEANT,
    RACKS,
    SPOILT,
    Known,
    Picture,
    second_look,
    spoilt,
    strange_jokers,
    worlds,
)
from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import parse_tile
from referee.vision.geometry.crops import rectify
from referee.vision.pipeline import TableReader

AT_ONCE = len(COMBINATIONS)


def square(x: float, y: float, side: float = 10.0) -> np.ndarray:
    return np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]], np.float32)


def said(name: str, x: float, confidence: float = 0.99) -> TileReading:
    a, b, c, d = (tuple(corner) for corner in square(x, 0).tolist())
    return TileReading(quad=(a, b, c, d), tile=parse_tile(name), confidence=confidence, unsure=confidence < 0.9)


def graded(*tiles: TileReading, uncovered: float = 1.0) -> Graded:
    """Against R3 R4 R5 in a row, the R4 covered to some extent, and a loose K7."""
    names = [("R3", 0, 1.0), ("R4", 10, uncovered), ("R5", 20, 1.0), ("K7", 60, 1.0)]
    known = tuple(Known(name, square(x, 0), share) for name, x, share in names)
    image = np.zeros((20, 80, 3), np.uint8)
    reading = TableReading(frame_id="one", at=0.0, tiles=tiles, layouts=lay_out_tiles(tiles))
    return grade(Picture(group="hand", name="one", image=image, tiles=known, sets=((0, 1, 2),)), reading)


RIGHT = (said("R3", 0), said("R4", 10), said("R5", 20), said("K7", 60))


@pytest.mark.parametrize("change", ["turned by 90°", "turned by 270°", "cropped by a tenth", "larger by a quarter"])
def test_outlines_follow_a_picture_that_is_turned_cut_or_resized(change: str) -> None:
    image = np.zeros((60, 80, 3), np.uint8)
    image[20:30, 50:65] = 255
    outline = np.array([[50, 20], [65, 20], [65, 30], [50, 30]], np.float32)
    other, (where,) = CHANGES[change](image, [outline])
    down, across = np.nonzero(other[..., 0] > 127)
    seen = [across.min(), down.min(), across.max() + 1, down.max() + 1]
    assert seen == pytest.approx([*where.min(axis=0), *where.max(axis=0)], abs=1.0)
    assert cv2.contourArea(where, oriented=True) > 0, "corners still go clockwise"


def test_a_reader_without_fault_gets_full_marks() -> None:
    scores = figures([graded(*RIGHT)])
    counted = ("tiles", "found", "exact", "sure_but_wrong", "unsure", "false", "sets", "sets_exact", "tables_exact")
    assert [scores[name] for name in counted] == [4, 4, 4, 0, 0, 0, 1, 1, 1]
    assert confusions(graded(*RIGHT).answers) == []


def test_sets_pushed_together_are_offered_though_not_told() -> None:
    names = ("R3", "R4", "R5", "K7", "B7", "O7")
    tiles = tuple(said(name, 10 * place) for place, name in enumerate(names))
    known = tuple(Known(name, square(10 * place, 0)) for place, name in enumerate(names))
    picture = Picture(
        group="hand", name="two", image=np.zeros((20, 80, 3), np.uint8), tiles=known, sets=((0, 1, 2), (3, 4, 5))
    )
    scores = figures([grade(picture, TableReading(frame_id="two", at=0.0, tiles=tiles, layouts=lay_out_tiles(tiles)))])
    assert [scores[name] for name in ("sets", "sets_exact", "sets_offered")] == [2, 0, 2]
    assert [scores[name] for name in ("tables_exact", "tables_offered")] == [0, 1]


def test_every_kind_of_mistake_is_counted_once() -> None:
    mistaken = graded(said("R3", 0), said("O4", 10), said("R6", 20, 0.5), said("B1", 40))
    scores = figures([mistaken])
    assert scores["found"] == 3
    assert scores["exact"] == 1
    assert scores["sure_but_wrong"] == 1
    assert scores["unsure"] == 1
    assert (scores["false"], scores["false_and_sure"]) == (1, 1)
    assert (scores["sets_exact"], scores["tables_exact"]) == (0, 0)
    assert dict(confusions(mistaken.answers)) == {"R4 as O4": 1, "R5 as R6": 1, "K7 as -": 1, "- as B1": 1}


def test_a_covered_tile_may_be_missed_or_doubted_but_not_misnamed() -> None:
    missed = graded(said("R3", 0), said("R5", 20), said("K7", 60), uncovered=0.8)
    doubted = graded(said("R3", 0), said("O4", 10, 0.5), said("R5", 20), said("K7", 60), uncovered=0.8)
    for scores in (figures([missed]), figures([doubted])):
        assert [scores[name] for name in ("tiles", "found", "exact", "sure_but_wrong", "set_aside")] == [3, 3, 3, 0, 1]
        assert [scores[name] for name in ("sets", "sets_exact", "tables_exact", "false")] == [0, 0, 1, 0]
    misnamed = figures([graded(said("R3", 0), said("O4", 10), said("R5", 20), said("K7", 60), uncovered=0.8)])
    assert (misnamed["exact"], misnamed["sure_but_wrong"]) == (3, 1)


def test_a_tile_shows_as_far_as_it_lies_in_the_picture_and_nothing_covers_it() -> None:
    image = np.zeros((20, 80, 3), np.uint8)
    assert Known("R3", square(10, 5)).shown(image) == pytest.approx(1)
    assert Known("R3", square(-4, 5)).shown(image) == pytest.approx(0.6)
    assert Known("R3", square(10, 15), 0.5).shown(image) == pytest.approx(0.25)
    assert Known("R3", square(90, 5)).shown(image) == 0


def test_the_second_look_is_a_legal_table_whose_tiles_lie_where_it_says() -> None:
    (picture,) = second_look("again", 1, 5)
    assert sum(len(row) for row in picture.sets) == len(picture.tiles) >= 55
    assert min(tile.shown(picture.image) for tile in picture.tiles) == pytest.approx(1, abs=1e-5)
    bodies = rectify(picture.image, np.array([tile.outline for tile in picture.tiles], np.float32))[:, 50:58, 20:28]
    assert np.median(bodies, axis=(1, 2, 3)).min() > 100, "every tile has a light body"


def test_a_full_table_is_graded_as_it_settles_too_and_a_photograph_is_not() -> None:
    (table,) = second_look("again", 1, 5)
    reader = TableReader()
    (first, searched), (second, settled) = readings(reader, table)
    assert (first.group, second.group) == ("again", "again" + SETTLED)
    assert [figures([grade(table, reading)])["exact"] for reading in (searched, settled)] == [len(table.tiles)] * 2
    assert searched.tiles != settled.tiles, "another look at the same tiles"
    assert [view.group for view, _ in readings(reader, replace(table, sets=None))] == ["again"]


@pytest.mark.slow
def test_full_tables_are_graded_from_a_camera_that_leans_too() -> None:
    drawn = {one.group: one for one in worlds(None, "valid", 1, 5)}
    assert list(drawn) == [
        "full tables",
        *(f"full tables, {way}" for way in ("other fonts", "spoiled")),
        "second look",
        LEANT,
        RACKS,
        *(f"{RACKS}, {turn}" for turn in TURNS),
    ]
    flat, leant = (
        np.array([tile.outline for tile in drawn[group].tiles], np.float32) for group in ("full tables", LEANT)
    )
    longest = [np.ptp(quads, axis=1).mean(axis=0) for quads in (flat, leant)]
    assert longest[1][1] / longest[1][0] < 0.8 * longest[0][1] / longest[0][0], "tiles look too short"
    bodies = rectify(drawn[LEANT].image, leant)[:, 50:58, 20:28]
    assert np.median(bodies, axis=(1, 2, 3)).min() > 100, "outlines lie on the tiles"


@cache
def one_tile_spoilt() -> tuple[np.ndarray, tuple[Picture, ...]]:
    """One tile on a table, and that picture made worse in every way."""
    image = np.full((600, 800, 3), (60, 80, 70), np.uint8)
    tile = np.array([[420, 180], [540, 180], [540, 360], [420, 360]], np.float32)
    image[180:360, 420:540] = (205, 215, 220)
    plain = Picture(group="hand", name="one", image=image, tiles=(Known("R3", tile),))
    return image, tuple(spoilt([plain]))


@pytest.mark.parametrize(
    ("change", "place", "of"),
    [
        *((change, 0, 1) for change in CHANGES),
        *((COMBINED, place, AT_ONCE) for place in range(AT_ONCE)),
    ],
)
def test_outlines_stay_on_their_tiles_however_a_picture_is_spoilt(change: str, place: int, of: int) -> None:
    image, all_spoilt = one_tile_spoilt()
    pictures = [one for one in all_spoilt if one.group == SPOILT + change]
    assert len(pictures) == of
    picture = pictures[place]
    assert not np.array_equal(picture.image, image), "nothing was changed"
    mask = np.zeros(picture.image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(picture.tiles[0].outline).astype(np.int32), 1)
    inside = cv2.erode(mask, np.ones((7, 7), np.uint8)) > 0
    around = (cv2.dilate(mask, np.ones((15, 15), np.uint8)) > 0) & (cv2.dilate(mask, np.ones((7, 7), np.uint8)) == 0)
    light = picture.image.mean(axis=2)
    assert light[inside].mean() > 1.5 * light[around].mean()


def test_photographs_are_graded_made_worse_and_printed_anew_in_every_way() -> None:
    plain = Picture(group="hand", name="one", image=np.full((60, 80, 3), 90, np.uint8), tiles=())
    ways = (*CHANGES, *REPRINTS, *[COMBINED] * AT_ONCE)
    assert [one.group for one in spoilt([plain])] == [SPOILT + way for way in ways]


@pytest.mark.skipif(
    not (fonts(held_out=True) or with_pictograms(fonts())),
    reason="no font to print jokers with is installed",
)
def test_every_third_tile_becomes_a_joker_of_a_print_never_seen() -> None:
    image = np.full((300, 700, 3), (60, 80, 70), np.uint8)
    tiles = []
    for number, left in enumerate(range(40, 640, 160)):
        image[60:220, left : left + 120] = (205, 215, 220)
        cv2.putText(image, "8", (left + 41, 125), cv2.FONT_HERSHEY_SIMPLEX, 1.9, (40, 50, 160), 8, cv2.LINE_AA)
        outline = np.array([[left, 60], [left + 120, 60], [left + 120, 220], [left, 220]], np.float32)
        tiles.append(Known(f"R{number + 1}", outline))
    plain = Picture(group="hand", name="one", image=image, tiles=tuple(tiles))
    first, second = strange_jokers("jokers", [plain, plain])
    assert [tile.name for tile in first.tiles] == ["J", "R2", "R3", "J"]
    assert [tile.name for tile in second.tiles] == ["R1", "J", "R3", "R4"]
    for left, joker in zip(range(40, 640, 160), (True, False, False, True), strict=True):
        part = np.s_[60:220, left : left + 120]
        assert np.array_equal(first.image[part], image[part]) != joker


def test_a_set_read_backwards_or_divided_is_not_exact() -> None:
    assert figures([graded(said("R3", 0), said("R4", 10), said("R5", 30), said("K7", 60))])["sets_exact"] == 0


def test_tiles_are_matched_to_the_outline_they_cover_most() -> None:
    truth = [square(0, 0), square(10, 0), square(50, 0)]
    found = [square(11, 1), square(1, 0), square(30, 0)]
    assert match(truth, found) == {0: 1, 1: 0}
    assert match([], found) == {}
    assert match(truth, []) == {}


@pytest.mark.parametrize(
    ("confidence", "right", "error"), [(1.0, 10, 0.0), (0.5, 5, 0.0), (0.9, 5, 0.4), (0.6, 10, 0.4)]
)
def test_calibration_error_is_the_distance_of_confidence_from_success(
    confidence: float, right: int, error: float
) -> None:
    answers = [
        Answer(picture="one", truth="R3" if k < right else "K3", read=said("R3", 0, confidence), crop=None)
        for k in range(10)
    ]
    assert calibration_error(answers, bins=1) == pytest.approx(error)
    assert calibration_error([]) is None


def test_scores_are_told_in_a_table_of_photographs_and_one_of_full_tables() -> None:
    table = figures([graded(*RIGHT)])
    photograph = {key: value for key, value in table.items() if not key.startswith(("sets", "tables"))}
    shaken = {**photograph, "exact": 3, "unsure": 1}
    groups = {"hand": table, "photographs, hazy": photograph, "photographs, shaken": shaken}
    blocks = as_markdown(groups, [], "Measured.").split("\n\n")
    assert blocks[:2] == ["Measured.", "Every tile right, none in doubt: hazy."]
    assert blocks[2].splitlines()[2:] == ["| shaken | 4 | 4 | 3 | 0 | 1 |"]
    assert blocks[3].splitlines()[2:] == ["| hand | 4 | 4 | 4 | 0 | 0 | 1 of 1 | 1 |"]
    for block in blocks[2:4]:
        assert len({row.count("|") for row in block.splitlines()}) == 1
