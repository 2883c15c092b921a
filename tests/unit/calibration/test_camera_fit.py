"""A simulated camera's optics are found again from its pictures of the board; poor pictures are refused."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.errors import CalibrationError
from referee.vision.calibrate.lens import fit_camera, uncovered_parts
from referee.vision.calibrate.markers import BoardView, find_board
from referee.vision.geometry.optics import Intrinsics
from referee.vision.image.frame import Image
from tests.support.targets import PlanePose, PrintedSheet, board_sheet, render_sheet

STRAIGHT_ON = PlanePose(point=(122.5, 87.5), distance=420)


def test_error_focal_length_and_distortion_are_those_of_the_camera(
    board_views: Sequence[BoardView], optics: Intrinsics
) -> None:
    fit = fit_camera(board_views)
    assert fit.intrinsics.error_px < 0.3
    assert fit.intrinsics.focal == pytest.approx(optics.focal, rel=0.01)
    assert fit.intrinsics.centre == pytest.approx(optics.centre, abs=5)
    grid = np.stack(np.meshgrid(np.linspace(100, 1820, 9), np.linspace(80, 1000, 7)), axis=-1).reshape(-1, 2)
    assert np.abs(fit.intrinsics.to_rays(grid) - optics.to_rays(grid)).max() * optics.focal[0] < 3
    assert fit.left_out == ()


def test_a_picture_that_fits_badly_is_left_out(board_views: Sequence[BoardView]) -> None:
    rng = np.random.default_rng(1)
    shaken = replace(board_views[3], pixels=board_views[3].pixels + rng.normal(0, 4, board_views[3].pixels.shape))
    fit = fit_camera([*board_views[:3], shaken, *board_views[4:]])
    assert fit.left_out == (3,)
    assert fit.intrinsics.error_px < 0.3


def test_corners_are_found_to_a_tenth_of_a_pixel(optics: Intrinsics) -> None:
    pose = replace(STRAIGHT_ON, lean=20, yaw=-15, roll=10)
    view = find_board(render_sheet(board_sheet(), pose, optics))
    assert len(view.pixels) == 24
    assert np.abs(view.pixels - pose.pixels(optics, view.places)).max() < 0.1


def test_too_few_pictures(board_views: Sequence[BoardView]) -> None:
    with pytest.raises(CalibrationError, match="7 pictures can be used, and 8 are needed"):
        fit_camera(board_views[:7])


def test_pictures_of_different_sizes(board_views: Sequence[BoardView]) -> None:
    with pytest.raises(CalibrationError, match="1280×720 and 1920×1080 pixels; take all with one camera"):
        fit_camera([*board_views, replace(board_views[0], size=(1280, 720))])


@pytest.fixture
def seen(board_views: Sequence[BoardView], optics: Intrinsics) -> Callable[[PlanePose], BoardView]:
    """Gives where the corners of the board are seen, exactly, when it is held so."""
    whole = max(board_views, key=lambda view: len(view.places))
    return lambda pose: replace(whole, pixels=pose.pixels(optics, whole.places))


def test_board_always_in_the_same_place(seen: Callable[[PlanePose], BoardView]) -> None:
    tilts = [(a, b) for a in (-25, 0, 25) for b in (-25, 0, 25)]
    views = [seen(replace(STRAIGHT_ON, distance=700, lean=a, yaw=b)) for a, b in tilts]
    assert "top left" in uncovered_parts(views)
    with pytest.raises(
        CalibrationError, match=r"covers \d of 12 parts of the picture, and 9 are needed; show it also top"
    ):
        fit_camera(views)


def test_board_never_tilted(seen: Callable[[PlanePose], BoardView]) -> None:
    places = [(0.5 + 0.28 * (i % 3 - 1), 0.5 + 0.28 * (i // 3 - 1)) for i in range(9)]
    views = [seen(replace(STRAIGHT_ON, at=at, distance=480)) for at in places]
    with pytest.raises(CalibrationError, match=r"too little variety of angle: .*tilt the board by 20 to 40 degrees"):
        fit_camera(views)


def blurred(picture: Image) -> Image:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 3), np.uint8)


def moved(picture: Image) -> Image:
    return np.asarray(cv2.blur(picture, (9, 1)), np.uint8)


def moved_far(picture: Image) -> Image:
    return np.asarray(cv2.blur(picture, (15, 1)), np.uint8)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        pytest.param(blurred, r"black turns to white over \d+\.\d pixels", id="out of focus"),
        pytest.param(moved, r"black turns to white over \d+\.\d pixels", id="moved by 9 pixels"),
        pytest.param(moved_far, "or hardly in view: markers seen .*corners between them 0", id="moved by 15 pixels"),
    ],
)
def test_blurred(optics: Intrinsics, spoil: Callable[[Image], Image], reason: str) -> None:
    with pytest.raises(CalibrationError, match=f"blurred.*{reason}.*focus, hold still"):
        find_board(spoil(render_sheet(board_sheet(), STRAIGHT_ON, optics)))


def test_board_half_out_of_view(optics: Intrinsics) -> None:
    with pytest.raises(CalibrationError, match=r"\d+ of the board's 24 corners are seen; show the whole board"):
        find_board(render_sheet(board_sheet(), replace(STRAIGHT_ON, at=(1.0, 0.6)), optics))


def _sheet_of(board: cv2.aruco.CharucoBoard, size: tuple[int, int]) -> PrintedSheet:
    picture = np.asarray(board.generateImage((size[0] * 140, size[1] * 140)), np.uint8)
    return PrintedSheet(np.pad(picture, 40, constant_values=255), 4.0, (-10.0, -10.0))


def test_board_with_other_markers(optics: Intrinsics) -> None:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
    sheet = _sheet_of(cv2.aruco.CharucoBoard((7, 5), 35, 26, dictionary), (7, 5))
    with pytest.raises(CalibrationError, match=r"another board: its markers are DICT_5X5_1000.*charuco-a4.pdf"):
        find_board(render_sheet(sheet, STRAIGHT_ON, optics))


@pytest.mark.parametrize("squares", [(5, 7), (6, 5), (9, 6)])
def test_board_with_other_squares(optics: Intrinsics, squares: tuple[int, int]) -> None:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    sheet = _sheet_of(cv2.aruco.CharucoBoard(squares, 35, 26, dictionary), squares)
    middle = (squares[0] * 17.5, squares[1] * 17.5)
    with pytest.raises(CalibrationError, match="another board: "):
        find_board(render_sheet(sheet, replace(STRAIGHT_ON, point=middle, distance=520), optics))


def test_no_board_at_all(optics: Intrinsics) -> None:
    bare = PrintedSheet(np.full((700, 980), 255, np.uint8), 4.0)
    with pytest.raises(CalibrationError, match="no board is seen"):
        find_board(render_sheet(bare, STRAIGHT_ON, optics))
    with pytest.raises(CalibrationError, match=r"nothing to see: .*uncover the lens"):
        find_board(np.full((480, 640, 3), 12, np.uint8))
