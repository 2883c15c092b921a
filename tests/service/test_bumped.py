"""The camera or the table is pushed: noticed, found anew by the markers, else said; nobody is accused over it."""

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from referee.hardware.system import SystemClock
from referee.page.calibration import PageCalibration
from referee.page.pictures import mask_outside_table
from referee.page.setup import Setup
from referee.reading.inputs import CameraBumped, Input, TableSettled
from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import parse_table
from referee.service.page import _area
from referee.vision.calibrate.markers import find_corner_markers
from referee.vision.calibrate.table_plane import fit_markers
from referee.vision.geometry.optics import Intrinsics
from referee.vision.image.frame import Frame, Image
from referee.vision.profile import LockedControls, Profile
from referee.vision.watch.camera_shift import find_shift, relocate_by_markers
from referee.vision.watch.table_region import inside_outline
from referee.vision.watch.watcher import Watcher
from tests.support.targets import PlanePose, render_sheet, table_sheet

from .conftest import masked  # isort: skip

TABLE = "R1 R2 R3 / K5 B5 O5 / B7 B8 B9 B10 / R1 R2 R3 / O11 O12 J"
WIDTH, HEIGHT = 30.0, 42.0


def laid(text: str = TABLE) -> tuple[TileReading, ...]:
    tiles = []
    for number, row in enumerate(parse_table(text).sets):
        for place, tile in enumerate(row):
            x, y = 60.0 + 31 * place + 160 * (number % 2), 60.0 + 70 * number
            quad = ((x, y), (x + WIDTH, y), (x + WIDTH, y + HEIGHT), (x, y + HEIGHT))
            tiles.append(TileReading(quad=quad, tile=tile, confidence=1.0))
    return tuple(tiles)


def shifted(tiles: Any, across: float, down: float, degrees: float = 0.0) -> tuple[TileReading, ...]:
    turn = np.radians(degrees)
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return tuple(
        replace(tile, quad=tuple((float(x), float(y)) for x, y in np.array(tile.quad) @ matrix.T + (across, down)))
        for tile in tiles
    )


def read(tiles: tuple[TileReading, ...], at: float = 0.0) -> TableReading:
    return TableReading(frame_id=f"f{at}", at=at, tiles=tiles, layouts=lay_out_tiles(tiles))


def is_pushed(before: TableReading, now: TableReading) -> bool:
    return find_shift(before, now) is not None


@pytest.mark.parametrize(("across", "down", "degrees"), [(14, 0, 0), (-9, 22, 0), (5, 5, 3), (0, 0, -4), (40, 10, 8)])
def test_tiles_that_all_moved_alike_were_pushed(across: float, down: float, degrees: float) -> None:
    assert is_pushed(read(laid()), read(shifted(laid(), across, down, degrees)))


def test_some_tiles_may_be_lost_and_some_misread() -> None:
    seen = shifted(laid(), 20, 0)
    wrong = replace(seen[4], tile=seen[9].tile)
    assert is_pushed(read(laid()), read((*seen[:4], wrong, *seen[5:-2])))


@pytest.mark.parametrize("moved", [3, 6, 10])
def test_players_who_move_sets_do_not_push_the_table(moved: int) -> None:
    tiles = laid()
    assert not is_pushed(read(tiles), read((*shifted(tiles[:moved], 25, 0), *tiles[moved:])))


def test_tidying_up_is_no_push() -> None:
    tiles = laid()
    tidied = (*shifted(tiles[:3], 25, 0), *shifted(tiles[3:6], -10, 14), *shifted(tiles[6:10], 0, -18), *tiles[10:])
    assert not is_pushed(read(tiles), read(tidied))


def test_a_table_at_rest_was_not_pushed() -> None:
    assert not is_pushed(read(laid()), read(shifted(laid(), 3, 2)))


def test_two_sets_are_too_few_to_tell() -> None:
    tiles = laid("R1 R2 R3 R4 R5 / K5 K6 K7 K8 K9")
    assert not is_pushed(read(tiles), read(shifted(tiles, 25, 0)))


# The watcher ----------------------------------------------------------------------------------------------------------


class Table:
    """Tiles on grey that a test pushes about; reads itself truly."""

    def __init__(self, picture: Image | None = None) -> None:
        self.tiles = laid()
        self.picture = picture
        self.shots = 0

    def read_table(
        self,
        frame: Frame,
        box: Mapping[Any, int] | None = None,
        scale: float | None = None,
        profile: Profile | None = None,
        known: object = None,
    ) -> TableReading:
        del box, scale, known
        return masked(replace(read(self.tiles), frame_id=frame.frame_id, at=frame.at), profile)

    def shoot(self) -> Frame:
        self.shots += 1
        image = np.full((480, 640, 3), 90, np.uint8) if self.picture is None else self.picture.copy()
        if self.picture is None:
            for tile in self.tiles:
                x, y = (round(value) for value in tile.quad[0])
                image[max(y, 0) : y + 42, max(x, 0) : x + 30] = 230
        return Frame(f"f{self.shots}", 0.2 * self.shots, image)


def watch(watcher: Watcher, table: Table, frames: int) -> list[Input]:
    return [entered for _ in range(frames) for entered in watcher.watch(table.shoot())]


def settled(inputs: list[Input]) -> list[int]:
    return [len(entered.reading.tiles) for entered in inputs if isinstance(entered, TableSettled)]


def test_a_push_without_markers_is_said_and_hides_no_tile() -> None:
    table = Table()
    watcher = Watcher(table, {}, on_table=inside_outline(((40, 40), (400, 40), (400, 440), (40, 440))))
    assert settled(watch(watcher, table, 6)) == [16]
    table.tiles = shifted(table.tiles, -50, 0)  # some lie beyond the outline that was known
    said = watch(watcher, table, 12)
    assert [entered.seen for entered in said if isinstance(entered, CameraBumped)] == [False]
    assert settled(said) == [16]


OPTICS = Intrinsics(
    size=(1600, 1200), focal=(1700.0, 1700.0), centre=(800.0, 600.0), distortion=(0.0,) * 5, error_px=0.1
)
SIZE = (900.0, 620.0)
POSE = PlanePose(point=(450.0, 310.0), distance=1300.0)


def profile_of(image: Image) -> Profile:
    plane = fit_markers(find_corner_markers(image), OPTICS)
    return Profile(camera="usb:0", size=(1600, 1200), intrinsics=OPTICS, table=plane)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(0.0, id="markers in a rectangle", marks=pytest.mark.slow),
        pytest.param(15.0, id="one 15 mm further inward"),
    ],
)
def pictures(request: pytest.FixtureRequest) -> tuple[Image, Image, Image]:
    sheet = table_sheet(SIZE, inward=request.param)
    poses = (POSE, POSE, replace(POSE, at=(0.53, 0.48), roll=2.5))
    first, second, pushed = (render_sheet(sheet, pose, OPTICS, seed=seed) for seed, pose in enumerate(poses))
    return first, second, pushed


def with_a_marker_hidden(image: Image) -> Image:
    hidden = image.copy()
    hidden[:600, :800] = 96
    return hidden


def watched(picture: Image) -> tuple[Table, Watcher]:
    """A table in that picture, tiles on it, and who watches it with what its markers tell."""
    table = Table(picture)
    table.tiles = shifted(laid(), 500, 400)
    return table, Watcher(table, {}, profile=profile_of(picture))


def test_the_markers_tell_where_the_table_is_now(pictures: tuple[Image, Image, Image]) -> None:
    first, second, pushed = pictures
    known = profile_of(first)
    assert relocate_by_markers(known, second) is None
    anew = relocate_by_markers(known, pushed)
    assert anew is not None
    places = np.array([[0.0, 0.0], [450.0, 310.0], [900.0, 620.0]])
    assert np.allclose(anew.to_picture(places), profile_of(pushed).to_picture(places), atol=0.5)


def test_hidden_markers_tell_nothing(pictures: tuple[Image, Image, Image]) -> None:
    first, _, pushed = pictures
    assert relocate_by_markers(profile_of(first), with_a_marker_hidden(pushed)) is None


def test_a_push_before_markers_is_found_anew(pictures: tuple[Image, Image, Image]) -> None:
    first, second, pushed = pictures
    table, watcher = watched(first)
    watch(watcher, table, 3)
    table.picture = second
    assert not any(isinstance(entered, CameraBumped) for entered in watch(watcher, table, 6))
    table.picture = pushed
    said = watch(watcher, table, 14)
    assert [entered.seen for entered in said if isinstance(entered, CameraBumped)] == [True]
    assert settled(said) == [16]


def test_a_marker_hidden_at_a_push_puts_the_table_right_once_it_shows(pictures: tuple[Image, Image, Image]) -> None:
    first, _, pushed = pictures
    hidden = with_a_marker_hidden(pushed)
    table, watcher = watched(first)
    watch(watcher, table, 6)
    table.tiles, table.picture = shifted(table.tiles, 60, 0), hidden
    said = watch(watcher, table, 14)
    assert [entered.seen for entered in said if isinstance(entered, CameraBumped)] == [False]
    table.picture = pushed
    said = watch(watcher, table, 14)
    assert [entered.seen for entered in said if isinstance(entered, CameraBumped)] == [True]
    table.tiles, table.picture = shifted(table.tiles, -60, 0), first
    said = watch(watcher, table, 14)
    assert [entered.seen for entered in said if isinstance(entered, CameraBumped)] == [True], "as at any other push"


def test_the_page_shows_the_table_where_it_is_after_a_push_and_nothing_while_nobody_knows(
    pictures: tuple[Image, Image, Image],
) -> None:
    """What lies beside it are racks."""
    first, _, pushed = pictures
    hidden = with_a_marker_hidden(pushed)
    table, watcher = watched(first)
    beside: Any = SimpleNamespace(source=SimpleNamespace(area=None), profile=profile_of(first), watcher=watcher)
    watch(watcher, table, 6)
    assert np.allclose(_area(beside).outline, outline_in(first), atol=1)
    table.tiles, table.picture = shifted(table.tiles, 60, 0), hidden
    watch(watcher, table, 14)
    assert len(_area(beside).outline) == 0
    assert not mask_outside_table(hidden, _area(beside), (1600, 1200)).any()
    table.picture = pushed
    watch(watcher, table, 14)
    assert np.allclose(_area(beside).outline, outline_in(pushed), atol=1)
    assert not np.allclose(outline_in(first), outline_in(pushed), atol=20)


def test_the_organisers_check_asks_where_the_table_is_now_not_where_it_was_calibrated(
    pictures: tuple[Image, Image, Image],
) -> None:
    first, _, pushed = pictures
    table, watcher = watched(first)
    setup = Setup(
        watcher=watcher,
        clock=SystemClock(),
        profile_name="profile.json",
        play=lambda _: None,
        steps=PageCalibration(watcher, None, None, LockedControls, None),  # type: ignore[arg-type]
    )

    def checked() -> tuple[bool, str]:
        corners = setup.check()["checks"][-1]
        return corners["passed"], corners["message"]

    watch(watcher, table, 6)
    assert checked() == (True, "the table lies where it was calibrated")
    table.tiles, table.picture = shifted(table.tiles, 60, 0), with_a_marker_hidden(pushed)
    watch(watcher, table, 14)
    assert checked() == (
        False,
        "the camera or the table was pushed: lay the markers out, or calibrate the table again",
    )
    assert setup.calibration()["profile"]["table"] is False
    table.picture = pushed
    watch(watcher, table, 14)
    assert checked() == (True, "the table lies where it was calibrated")
    assert setup.calibration()["profile"]["table"] is True
    seen = setup.calibration_picture()
    assert drawn_along(seen, outline_in(pushed)) > 0.9 > drawn_along(seen, outline_in(first))


def drawn_along(picture: bytes | None, outline: Any) -> float:
    """How much of an outline is drawn green in a picture."""
    assert picture is not None
    drawn = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR).astype(int)
    green = (drawn[..., 1] - drawn[..., [0, 2]].max(axis=2) > 60).astype(np.uint8)
    points = np.concatenate([np.linspace(a, b, 50) for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True)])
    columns, rows = np.round(points * drawn.shape[1] / 1600).astype(int).T
    inside = (rows >= 0) & (rows < green.shape[0]) & (columns >= 0) & (columns < green.shape[1])
    return float(cv2.dilate(green, np.ones((5, 5)))[rows[inside], columns[inside]].mean())


def outline_in(image: Image) -> Any:
    profile = profile_of(image)
    assert profile.table is not None
    return profile.to_picture(np.array(profile.table.outline))
