"""Oblique and squeezed pictures: their tiles tell the plane, and the picture is flattened to it to find them."""

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
from referee.vision.detect.detection_scale import Zoom, fit_zoom, flatten
from referee.vision.detect.scale_search import ScaleSearch
from referee.vision.detect.tiling import TiledLocator, show
from referee.vision.geometry.detections import Detections, Floats
from referee.vision.geometry.homography import TablePlane, project_points, square
from referee.vision.geometry.plane import fit_plane
from referee.vision.geometry.quads import heights_and_widths, quads_of, rotate_quads_180
from referee.vision.image.frame import Frame, Image
from referee.vision.image.pyramid import Pyramid
from referee.vision.networks.models import MULTIPLE
from referee.vision.pipeline import TableReader
from referee.vision.profile import Profile

SETS = "R3 R4 R5 R6 / K7 B7 O7 / B9 B10 B11 / K1 K2 K3"
ANGLES = st.floats(0, math.pi)


def shortened(quads: np.ndarray, times: float, direction: float) -> np.ndarray:
    """The quads as seen by a camera that shortens what points in a direction, in radians from the right."""
    along = np.array([math.cos(direction), math.sin(direction)])
    return np.asarray(quads @ (np.eye(2) + (1 / times - 1) * np.outer(along, along)), np.float32)


def tiles(ways: list[float]) -> np.ndarray:
    up = 20 * np.array([(math.cos(way), math.sin(way)) for way in ways], np.float32)
    right = 27 / 38 * np.stack([-up[:, 1], up[:, 0]], axis=1)
    return quads_of(np.arange(2 * len(ways), dtype=np.float32).reshape(-1, 2) * 50, up, right)


def shown(zoom: Zoom | None, quads: np.ndarray) -> Floats:
    """The height and the width of each quad as the locate model sees it."""
    assert zoom is not None
    corners = project_points(zoom.matrix, quads.reshape(-1, 2).astype(np.float64))
    return heights_and_widths(corners.reshape(-1, 4, 2).astype(np.float32))


def flattened(quads: np.ndarray, side: float = 19.8) -> Zoom | None:
    return flatten(quads, fit_plane(quads), side)


def lengthening(zoom: Zoom) -> float:
    """By how much the middle of a picture is made longer in one direction than in the other."""
    sizes = np.linalg.svd(np.array(zoom.flat)[:2, :2], compute_uv=False)
    return float(sizes[0] / sizes[1])


@given(ways=st.lists(ANGLES, min_size=1, max_size=9), times=st.floats(1.1, 3), direction=ANGLES)
def test_tiles_tell_how_much_shorter_they_look_and_where(ways: list[float], times: float, direction: float) -> None:
    quads = shortened(tiles(ways), times, direction)
    assert fit_plane(quads).distortion(quads.mean(axis=1)[:1]) == pytest.approx(times, rel=1e-3)
    np.testing.assert_allclose(shown(flattened(quads, 10), quads), [[10, 10 * 27 / 38]] * len(ways), rtol=1e-2)


def test_tiles_seen_from_above_look_as_long_as_they_are(paint_sets: Callable[..., Any]) -> None:
    _, _, quads = paint_sets(SETS, (1536, 864))
    assert fit_plane(quads).distortion(quads.mean(axis=1)) < 1.1


def test_a_few_tiles_on_their_sides_do_not_change_what_most_tell() -> None:
    quads = shortened(tiles([0.1 * n for n in range(9)]), 1.8, 0.5)
    whole = shown(flattened(quads), quads)
    quads[:3] = np.roll(quads[:3], 1, axis=1)
    quads[4:6] = rotate_quads_180(quads[4:6])
    assert fit_plane(quads).distortion(quads.mean(axis=(0, 1))[None]) == pytest.approx(1.8, rel=0.12)
    np.testing.assert_allclose(shown(flattened(quads), quads)[[3, 6, 7, 8]], whole[[3, 6, 7, 8]], rtol=0.12)


def test_what_is_no_tile_asks_for_no_endless_picture() -> None:
    slivers = shortened(tiles([0.3, 0.3, 0.3]), 40.0, 1.0)
    assert fit_zoom(read_as(slivers, 3)) is None


@given(ways=st.lists(ANGLES, min_size=3, max_size=9), tilt=st.floats(-0.3, 0.3), lean=st.floats(-0.3, 0.3))
def test_near_and_far_tiles_are_shown_alike(ways: list[float], tilt: float, lean: float) -> None:
    """A camera aslant sees far tiles smaller."""
    away = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [tilt / 900, lean / 900, 1.0]])
    flat = tiles(ways)
    quads = project_points(away, flat.reshape(-1, 2).astype(np.float64)).reshape(-1, 4, 2).astype(np.float32)
    np.testing.assert_allclose(shown(flattened(quads, 12), quads), [[12, 12 * 27 / 38]] * len(ways), rtol=0.06)


@pytest.mark.parametrize("direction", [0.0, 0.6, math.pi / 2, 2.5])
@pytest.mark.parametrize("scale", [1.0, 0.6, 0.21])
def test_places_in_a_flattened_picture_lead_back_to_those_of_the_picture(direction: float, scale: float) -> None:
    image = np.zeros((300, 500, 3), np.uint8)
    cv2.rectangle(image, (320, 100), (379, 159), (255, 255, 255), -1)  # its middle: 350, 130
    seen = tiles([0.2, 0.9, 1.4])
    zoom = flattened(shortened(seen, 1.7, direction), 40 * scale)
    assert zoom is not None
    flat, back = show(Pyramid(image), zoom)
    white = cv2.moments(flat[:, :, 0] / 255)
    there = np.array([[white["m10"] / white["m00"], white["m01"] / white["m00"]]], np.float64) + 0.5
    assert project_points(back, there)[0] == pytest.approx([350, 130], abs=0.3 / scale)
    assert white["m00"] == pytest.approx(3600 * abs(np.linalg.det(zoom.matrix)), rel=0.1)
    assert all(side % MULTIPLE == 0 for side in flat.shape[:2])
    corners = project_points(np.linalg.inv(back), np.array([[0.0, 0.0], [500, 0], [500, 300], [0, 300]]))
    assert corners.min(axis=0) == pytest.approx([0, 0], abs=1e-6), "all of the picture is there"
    assert (corners.max(axis=0) <= flat.shape[1::-1]).all()


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
    assert lengthening(zoom) == pytest.approx(2.0, rel=0.1)
    reading = TableReader().read_table(Frame("squeezed", 0.0, image), zoom=zoom)
    assert Counter(one.tile for one in reading.tiles) == names
    assert not reading.unsure


def test_tiles_are_found_in_a_longer_picture_though_most_that_was_found_are_dots_of_a_cloth(
    paint_sets: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    image, names, quads = paint_sets(SETS, (1536, 864))
    low = cv2.resize(image, None, fx=1.0, fy=0.5, interpolation=cv2.INTER_AREA)
    look, zooms = TiledLocator.__call__, []

    def with_dots(self: TiledLocator, seen: Pyramid, zoom: Zoom, *more: Any) -> Detections:
        zooms.append(zoom)
        found = look(self, seen, zoom, *more)
        return found if lengthening(zoom) > 1 else Detections.join(found, dots)

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
    assert lengthening(zooms[-1]) == pytest.approx(2.0, rel=0.15)
    assert Counter(one.tile for one in reading.tiles if one.tile) == Counter(names)


class Asked:
    """Which zooms pictures were looked at with, in place of looking at them; each shows nothing."""

    def __init__(self) -> None:
        self.zooms: list[Zoom | None] = []

    def find(self, _: Pyramid, zoom: Zoom | None, places: object, *__: object) -> Detections:
        assert places is not None
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


def tiles_on(profile: Profile, places: Sequence[tuple[float, float]]) -> Floats:
    """Quads in pixels of upright tiles of 26 × 36 mm at places in mm."""
    tile = square(1.0) * (26.0, 36.0)
    return np.array([profile.to_picture(np.array(place) + tile) for place in places], np.float32)


def test_a_calibrated_table_tells_how_short_tiles_look_before_any_is_seen(asked: Asked) -> None:
    profile = calibrated(
        ((1.0, 0.0, 0.0), (0.0, 1.8, 0.0), (0.0, 0.0, 1.0)),  # millimetres a pixel
        ((0.0, 0.0), (900.0, 0.0), (900.0, 900.0), (0.0, 900.0)),
    )
    TableReader().read_table(empty_frame(), profile=profile)
    (zoom,) = asked.zooms
    np.testing.assert_allclose(shown(zoom, tiles_on(profile, [(400, 500)])), [[19.8, 19.8 * 26 / 36]], rtol=1e-3)


def test_a_calibrated_table_tells_how_small_tiles_look_at_its_far_end(asked: Asked) -> None:
    """Wherever the tiles lie that were seen so far: the next may be laid there."""
    profile = calibrated(ASLANT, ((30.0, 30.0), (800.0, 30.0), (800.0, 800.0), (30.0, 800.0)))
    everywhere = tiles_on(profile, [(30, 30), (415, 415), (800, 800), (30, 800)])
    sides = heights_and_widths(everywhere).max(axis=1)
    assert sides.max() > 1.25 * sides.min(), "the far end is far"
    reader = TableReader()
    reader.read_table(empty_frame(), profile=profile)
    reader.read_table(empty_frame(), profile=profile, zoom=Zoom(19.8, shift=21))
    reader.read_table(empty_frame(), profile=profile, zoom=Zoom(24.0))
    alone, shifted, closer = asked.zooms
    for zoom, side in ((alone, 19.8), (shifted, 19.8), (closer, 24.0)):
        np.testing.assert_allclose(shown(zoom, everywhere)[:, 0], side, rtol=1e-3)
    assert shifted is not None
    assert shifted.shift == 21


def test_a_table_calibrated_anew_is_seen_at_its_own_zoom(asked: Asked) -> None:
    outline = ((30.0, 30.0), (800.0, 30.0), (800.0, 800.0), (30.0, 800.0))
    profiles = calibrated(ASLANT, outline), calibrated(((0.8, 0, 0), (0, 0.8, 0), (0, 0, 1)), outline)
    reader = TableReader()
    for profile in (*profiles, profiles[0]):
        reader.read_table(empty_frame(), profile=profile)
    for zoom, profile in zip(asked.zooms, (*profiles, profiles[0]), strict=True):
        np.testing.assert_allclose(shown(zoom, tiles_on(profile, [(400, 500)]))[:, 0], 19.8, rtol=1e-3)


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
        zoom and round(lengthening(zoom), 2)
        for zoom in (fit_zoom(read_as(quads[:faces], faces)) for quads in (usual, short) for faces in (3, 2, 1))
    ]
    assert longer == [1.0, 1.0, 1.0, 2.0, None, None]


def test_backs_alone_tell_no_zoom() -> None:
    """They do not show which way up they lie: at a pool's zoom a group had been overlooked by a camera far aslant."""
    assert fit_zoom(read_as(tiles([0.0, 0.4, 0.8]), 0)) is None
    assert fit_zoom(read_as(np.zeros((0, 4, 2), np.float32), 0)) is None


@pytest.mark.parametrize("far", [0.95, 0.5])
def test_small_tiles_at_the_far_end_are_seen_too(far: float) -> None:
    """A group was overlooked where the backs of the pool beside the camera were twice as large."""
    places = np.array([[100 * column - 350, 1000 if column > 7 else 100] for column in range(11)], np.float32)
    flat = quads_of(places, np.full((11, 2), (0, -32), np.float32), np.full((11, 2), (23, 0), np.float32))
    lean = (1 / far - 1) / 900
    away = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, lean, 1 - 100 * lean]])
    quads = project_points(away, flat.reshape(-1, 2).astype(np.float64)).reshape(-1, 4, 2).astype(np.float32)
    assert heights_and_widths(quads)[8:, 1] == pytest.approx(far * 46, rel=0.01)
    zoom = fit_zoom(read_as(quads, 11))
    assert shown(zoom, quads)[:, 0] == pytest.approx(19.8, rel=0.1)
