"""Tiles that look too short in one direction: how short they look is told from them, and undone to find them."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import parse_tile
from referee.vision.detect.detection_scale import NO_STRETCH, Stretch, Zoom, estimate_stretch, fit_zoom
from referee.vision.detect.scale_search import ScaleSearch
from referee.vision.detect.tiling import TiledLocator, stretch_image
from referee.vision.geometry.detections import Detections, Floats
from referee.vision.geometry.homography import TablePlane, square
from referee.vision.geometry.plane import scale_quads
from referee.vision.geometry.quads import half_vectors, quads_of, rotate_quads_180
from referee.vision.image.frame import Frame, Image
from referee.vision.image.pyramid import Pyramid
from referee.vision.pipeline import TableReader
from referee.vision.profile import Profile

SETS = "R3 R4 R5 R6 / K7 B7 O7 / B9 B10 B11 / K1 K2 K3"
ANGLES = st.floats(0, math.pi)


def shortened(quads: np.ndarray, times: float, direction: float) -> np.ndarray:
    return np.asarray(quads @ np.linalg.inv(Stretch(times, direction).matrix).T, np.float32)


def tiles(ways: list[float]) -> np.ndarray:
    up = 20 * np.array([(math.cos(way), math.sin(way)) for way in ways], np.float32)
    right = 27 / 38 * np.stack([-up[:, 1], up[:, 0]], axis=1)
    return quads_of(np.arange(2 * len(ways), dtype=np.float32).reshape(-1, 2) * 50, up, right)


@given(ways=st.lists(ANGLES, min_size=1, max_size=9), times=st.floats(1.1, 3), direction=ANGLES)
def test_tiles_tell_how_much_shorter_they_look_and_where(ways: list[float], times: float, direction: float) -> None:
    found = estimate_stretch(shortened(tiles(ways), times, direction))
    assert found.factor == pytest.approx(times, rel=1e-3)
    assert abs(math.sin(found.direction - direction)) < 1e-2


def test_tiles_seen_from_above_look_as_long_as_they_are(paint_sets: Callable[..., Any]) -> None:
    _, _, quads = paint_sets(SETS, (1536, 864))
    assert estimate_stretch(quads).factor < 1.1


def test_a_few_tiles_on_their_sides_do_not_change_what_most_tell() -> None:
    quads = shortened(tiles([0.1 * n for n in range(9)]), 1.8, 0.5)
    quads[:3] = np.roll(quads[:3], 1, axis=1)
    quads[4:6] = rotate_quads_180(quads[4:6])
    assert estimate_stretch(quads).factor == pytest.approx(1.8, rel=0.12)


def test_what_is_no_tile_asks_for_no_endless_picture() -> None:
    assert estimate_stretch(shortened(tiles([0.3]), 40.0, 1.0)).factor == 3.0


@pytest.mark.parametrize("direction", [0.0, 0.6, math.pi / 2, 2.5])
@pytest.mark.parametrize("scale", [1.0, 0.6, 0.21])
def test_places_in_a_longer_picture_lead_back_to_those_of_the_picture(direction: float, scale: float) -> None:
    image = np.zeros((300, 500, 3), np.uint8)
    cv2.rectangle(image, (320, 100), (379, 159), (255, 255, 255), -1)  # its middle: 350, 130
    longer, back = stretch_image(Pyramid(image), scale, Stretch(1.7, direction))
    rows, columns = np.nonzero(longer[:, :, 0] > 127)
    there = np.array([columns.mean() + 0.5, rows.mean() + 0.5])
    assert back[:, :2] @ there + back[:, 2] == pytest.approx([350, 130], abs=0.3 / scale)
    assert len(rows) == pytest.approx(3600 * 1.7 * scale**2, rel=0.1)
    corners = back[:, :2] @ np.array([longer.shape[1], longer.shape[0]]) / 2 + back[:, 2]
    assert corners == pytest.approx([250, 150], abs=1.5 / scale), "all of the picture is there"


@pytest.fixture(scope="module", params=[(1.0, 0.5), (0.5, 1.0), (0.45, 0.9)], ids=["low", "narrow", "small"])
def squeezed(paint_sets: Callable[..., Any], request: pytest.FixtureRequest) -> tuple[Image, Counter[Any]]:
    image, names, _ = paint_sets(SETS, (1536, 864))
    return cv2.resize(image, None, fx=request.param[0], fy=request.param[1], interpolation=cv2.INTER_AREA), Counter(
        names
    )


def test_tiles_of_a_squeezed_picture_are_found_and_read(squeezed: tuple[Image, Counter[Any]]) -> None:
    image, names = squeezed
    reading = TableReader().read_table(Frame("squeezed", 0.0, image))
    assert Counter(one.tile for one in reading.tiles) == names
    assert not reading.unsure


@pytest.mark.parametrize(("laid", "across", "down"), [("K1 B1", 1.0, 0.55), ("K1 B1", 0.55, 1.0)])
def test_so_are_two_alone_though_of_few_faces_one_may_be_half_hidden(
    paint_sets: Callable[..., Any], laid: str, across: float, down: float
) -> None:
    image, names, _ = paint_sets(laid, (1536, 864))
    image = np.asarray(cv2.resize(image, None, fx=across, fy=down, interpolation=cv2.INTER_AREA), np.uint8)
    reading = TableReader().read_table(Frame("two", 0.0, image))
    assert Counter(one.tile for one in reading.tiles) == Counter(names)
    assert not reading.unsure


def test_and_so_are_those_before_a_camera_that_keeps_still(squeezed: tuple[Image, Counter[Any]]) -> None:
    image, names = squeezed
    zoom = fit_zoom(TableReader().read_table(Frame("squeezed", 0.0, image)))
    assert zoom is not None
    assert zoom.stretch.factor == pytest.approx(2.0, rel=0.1)
    reading = TableReader().read_table(Frame("squeezed", 0.0, image), zoom=zoom)
    assert Counter(one.tile for one in reading.tiles) == names
    assert not reading.unsure


def test_tiles_are_found_in_a_longer_picture_though_most_that_was_found_are_dots_of_a_cloth(
    paint_sets: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    image, names, quads = paint_sets(SETS, (1536, 864))
    low = cv2.resize(image, None, fx=1.0, fy=0.5, interpolation=cv2.INTER_AREA)
    look, zooms = TiledLocator.__call__, []

    def with_dots(
        self: TiledLocator, seen: Pyramid, scale: float, longer: Stretch = NO_STRETCH, *more: Any
    ) -> Detections:
        zooms.append(longer)
        found = look(self, seen, scale, longer, *more)
        return Detections.join(found, dots) if longer == NO_STRETCH else found

    free = [
        (x, y)
        for y in range(30, 410, 40)
        for x in range(30, 1510, 40)
        if np.hypot(*(quads.mean(axis=1) * (1.0, 0.5) - (x, y)).T).min() > 60
    ]
    rows = np.array(free, np.float32)
    dots = Detections(
        quads_of(rows, np.tile(np.float32([0, -14]), (len(rows), 1)), np.tile(np.float32([12, 0]), (len(rows), 1))),
        np.full(len(rows), 0.99, np.float32),
    )
    assert len(dots) > 8 * len(names), "hardly one in a sample is a tile"
    monkeypatch.setattr(TiledLocator, "__call__", with_dots)
    reading = TableReader().read_table(Frame("dotted", 0.0, low))
    assert zooms[-1].factor == pytest.approx(2.0, rel=0.15)
    assert Counter(one.tile for one in reading.tiles if one.tile) == Counter(names)


class Asked:
    """Which zooms pictures were looked at with, in place of looking at them; each shows nothing."""

    def __init__(self) -> None:
        self.zooms: list[Zoom | None] = []

    def find(self, _: Pyramid, zoom: Zoom | None, within: object, *__: object) -> Detections:
        assert within is not None
        self.zooms.append(zoom)
        return Detections(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    asked = Asked()
    monkeypatch.setattr(ScaleSearch, "find", lambda _, *words: asked.find(*words))
    return asked


def calibrated(homography: tuple[tuple[float, float, float], ...], outline: Sequence[tuple[float, float]]) -> Profile:
    plane = TablePlane(
        homography=homography, outline=tuple(outline), error_mm=1.0, source="points", tile_mm=(26.0, 36.0)
    )
    return Profile(camera="stand-in", size=(900, 750), table=plane)


ASLANT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -0.0006, 1.0))


def empty_frame() -> Frame:
    return Frame("empty", 0.0, np.zeros((750, 900, 3), np.uint8))


def test_a_calibrated_table_tells_how_short_tiles_look_before_any_is_seen(asked: Asked) -> None:
    for across, down in ((1.0, 1.8), (1.0, 1.15)):  # millimetres a pixel
        profile = calibrated(
            ((across, 0.0, 0.0), (0.0, down, 0.0), (0.0, 0.0, 1.0)),
            ((0.0, 0.0), (900.0, 0.0), (900.0, 900.0), (0.0, 900.0)),
        )
        TableReader().read_table(empty_frame(), profile=profile)
    far, near = asked.zooms
    assert far is not None
    assert far.stretch.factor == pytest.approx(1.8)
    assert abs(math.cos(far.stretch.direction)) < 1e-3
    assert far.scale == pytest.approx(19.8 / 36)
    assert near == (pytest.approx(19.8 / (36 / math.sqrt(1.15))), NO_STRETCH, 0)


def test_a_corner_of_the_table_that_the_picture_does_not_show_counts_for_nothing() -> None:
    of_all, of_some = (
        calibrated(ASLANT, ((30.0, 30.0), (width, 30.0), (width, 800.0), (30.0, 800.0))).visible_corners()
        for width in (800.0, 2000.0)
    )
    assert (len(of_all), len(of_some)) == (5, 3)
    np.testing.assert_allclose(of_some[[1, 2]], of_all[[1, 4]], atol=1e-3)


def test_a_calibrated_table_tells_how_small_tiles_look_at_its_far_end(asked: Asked) -> None:
    """Wherever the tiles lie that were seen so far: the next may be laid there."""
    profile = calibrated(ASLANT, ((30.0, 30.0), (800.0, 30.0), (800.0, 800.0), (30.0, 800.0)))
    reader = TableReader()
    reader.read_table(empty_frame(), profile=profile)
    reader.read_table(empty_frame(), profile=profile, zoom=Zoom(0.3, NO_STRETCH, 21))
    reader.read_table(empty_frame(), profile=profile, zoom=Zoom(0.9))
    alone, too_coarse, fine = asked.zooms
    assert alone is not None
    squares = np.array(
        [profile.to_picture(place + square(36.0)) for place in profile.to_table(profile.visible_corners())]
    )
    _, up, right = half_vectors(alone.stretch.apply(squares))
    sides = np.hypot(*up.T) + np.hypot(*right.T)
    assert sides[0] > 1.25 * sides.min(), "the far end is far"
    assert 16.5 < alone.scale * sides.min() < 19.8
    assert too_coarse is not None
    assert too_coarse.scale > 0.5, "as in its own picture, which is not made longer"
    assert too_coarse.shift == 21
    assert fine == Zoom(0.9)


def read_as(quads: Floats, faces: int) -> TableReading:
    """A reading of R3s, of which only so many lie face up."""
    tiles = tuple(
        TileReading(
            quad=tuple(map(tuple, quad.tolist())), tile=parse_tile("R3") if place < faces else None, confidence=1.0
        )
        for place, quad in enumerate(quads)
    )
    return TableReading(frame_id="f", at=0.0, tiles=tiles, layouts=lay_out_tiles(tiles), milliseconds={})


def test_two_faces_that_look_short_tell_no_zoom() -> None:
    """One of them may be half under a hand."""
    usual, short = tiles([0.0, 0.4, 0.8]), shortened(tiles([0.0, 0.4, 0.8]), 2.0, 1.0)
    longer = [
        zoom and round(zoom.stretch.factor, 2)
        for zoom in (fit_zoom(read_as(quads[:faces], faces)) for quads in (usual, short) for faces in (3, 2, 1))
    ]
    assert longer == [1.0, 1.0, 1.0, 2.0, None, None]


def test_backs_alone_tell_no_zoom() -> None:
    """They do not show which way up they lie: at a pool's zoom a group had been overlooked by a camera far aslant."""
    assert fit_zoom(read_as(tiles([0.0, 0.4, 0.8]), 0)) is None
    assert fit_zoom(read_as(np.zeros((0, 4, 2), np.float32), 0)) is None


@pytest.mark.parametrize(("far", "scale"), [(0.95, 19.8 / 64), (0.5, 17.0 / 32)])
def test_small_tiles_at_the_far_end_are_seen_too(far: float, scale: float) -> None:
    """A group was overlooked where the backs of the pool beside the camera were twice as large."""
    near = quads_of(
        np.float32([[100 * column, 100] for column in range(8)]), np.float32([[0, -32]] * 8), np.float32([[24, 0]] * 8)
    )
    away = scale_quads(near[:3], np.full((3, 2), math.log(far))) + np.float32([0, 300])
    zoom = fit_zoom(read_as(np.concatenate([near, away]), 11))
    assert zoom is not None
    assert zoom.scale == pytest.approx(scale, rel=0.02)
