"""The table is found from markers, points or a measured size: places on it agree with the simulated truth."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.errors import CalibrationError
from referee.vision.calibrate.lens import fit_camera
from referee.vision.calibrate.markers import CORNERS, BoardView, find_corner_markers
from referee.vision.calibrate.table_plane import fit_markers, fit_points
from referee.vision.geometry.detections import Detections
from referee.vision.geometry.homography import TablePlane, project_points
from referee.vision.geometry.optics import Intrinsics
from referee.vision.image.frame import Image
from referee.vision.profile import Profile
from tests.support.targets import PlanePose, render_sheet, table_sheet

SIZE = (1200.0, 900.0)
PLACES = np.stack(np.meshgrid(np.linspace(0, 1200, 13), np.linspace(0, 900, 10)), axis=-1).reshape(-1, 2)


def worst_mm(plane: TablePlane, optics: Intrinsics, truth: Intrinsics, pose: PlanePose) -> float:
    """How far places all over the table are off, the farthest, when the profile tells them from where they are seen."""
    profile = Profile(camera="test", size=optics.size, intrinsics=optics, table=plane)
    off = profile.to_table(pose.pixels(truth, PLACES)) - PLACES
    return float(np.hypot(*off.T).max())


def test_places_from_markers_alone(table_picture: Image, optics: Intrinsics, table_pose: PlanePose) -> None:
    plane = fit_markers(find_corner_markers(table_picture), optics)
    assert worst_mm(plane, optics, optics, table_pose) < 0.5
    assert plane.error_mm is not None
    assert plane.error_mm < 0.6
    assert plane.size_mm == pytest.approx(SIZE, abs=1)


def test_places_after_the_camera_was_calibrated_too(
    table_picture: Image, optics: Intrinsics, table_pose: PlanePose, board_views: list[BoardView]
) -> None:
    found = fit_camera(board_views).intrinsics
    plane = fit_markers(find_corner_markers(table_picture), found, SIZE)
    assert worst_mm(plane, found, optics, table_pose) < 0.5


@pytest.mark.parametrize(
    ("lean", "distance"),
    [(0.0, 1500.0), (-12.0, 1600.0), (30.0, 1900.0)],
    ids=["from above", "tilted", "from a corner"],
)
def test_places_with_the_size_measured(optics: Intrinsics, lean: float, distance: float) -> None:
    pose = PlanePose(point=(600, 450), distance=distance, lean=lean, yaw=3, roll=-4)
    plane = fit_markers(find_corner_markers(render_sheet(table_sheet(SIZE), pose, optics)), optics, SIZE)
    assert worst_mm(plane, optics, optics, pose) < 0.5


def test_error_told_is_the_error_made(table_picture: Image, optics: Intrinsics, table_pose: PlanePose) -> None:
    plane = fit_markers(find_corner_markers(table_picture), optics)
    assert plane.error_mm is not None
    assert worst_mm(plane, optics, optics, table_pose) < 3 * plane.error_mm


def test_a_missing_marker_is_named(table_picture: Image, optics: Intrinsics) -> None:
    markers = find_corner_markers(table_picture)
    del markers[42]
    with pytest.raises(CalibrationError, match=r"not seen of the corner markers: 42 \(near right\); uncover"):
        fit_markers(markers, optics)


def test_markers_laid_in_the_wrong_order(table_picture: Image, optics: Intrinsics) -> None:
    markers = find_corner_markers(table_picture)
    crossed = dict(zip(CORNERS, (markers[41], markers[40], markers[42], markers[43]), strict=True))
    with pytest.raises(CalibrationError, match="lay 40 far left, 41 far right, 42 near right, 43 near left"):
        fit_markers(crossed, optics)


def test_a_wrong_size_is_noticed(table_picture: Image, optics: Intrinsics) -> None:
    with pytest.raises(CalibrationError, match=r"fit no flat table: .*check.*the table is 1300 × 900 mm"):
        fit_markers(find_corner_markers(table_picture), optics, (1300.0, 900.0))


def test_markers_without_a_lens_need_a_size(table_picture: Image) -> None:
    with pytest.raises(CalibrationError, match="run 'referee calibrate camera' first, or give --size"):
        fit_markers(find_corner_markers(table_picture), None)


def test_a_lens_that_bends_too_much_is_noticed(table_picture: Image) -> None:
    with pytest.raises(CalibrationError, match="the lens bends the picture: run 'referee calibrate camera' first"):
        fit_markers(find_corner_markers(table_picture), None, SIZE)


def test_a_straight_lens_needs_no_calibration(table_pose: PlanePose) -> None:
    straight = Intrinsics(size=(1920, 1080), focal=(1450.0, 1450.0), centre=(960.0, 540.0))
    picture = render_sheet(table_sheet(SIZE), table_pose, straight)
    plane = fit_markers(find_corner_markers(picture), None, SIZE)
    assert worst_mm(plane, straight, straight, table_pose) < 1.5


def test_places_from_four_points(optics: Intrinsics, table_pose: PlanePose) -> None:
    corners = np.array([[0, 0], [1200, 0], [1200, 900], [0, 900]], np.float64)
    plane = fit_points(table_pose.pixels(optics, corners), corners, optics)
    assert worst_mm(plane, optics, optics, table_pose) < 0.01
    assert plane.error_mm is None


def test_more_points_tell_the_error(optics: Intrinsics, table_pose: PlanePose) -> None:
    pixels = table_pose.pixels(optics, PLACES)
    assert fit_points(pixels, PLACES, optics).error_mm == pytest.approx(0, abs=0.01)
    pixels[17] += (60, 0)
    with pytest.raises(CalibrationError, match=r"the points are \d+\.\d mm off a flat table"):
        fit_points(pixels, PLACES, optics)


@pytest.mark.parametrize(
    ("pixels", "reason"),
    [
        pytest.param([[100, 100], [900, 100], [900, 700]], "give four or more of each", id="three points"),
        pytest.param([[100, 100], [500, 100], [900, 100], [500, 700]], "on one line", id="three on a line"),
        pytest.param([[100, 100], [102, 100], [102, 102], [100, 102]], "close together", id="all in one place"),
        pytest.param([[100, 100], [900, 700], [900, 100], [100, 700]], "give them in order", id="crossed"),
        pytest.param([[900, 100], [100, 100], [100, 700], [900, 700]], "give them in order", id="mirrored"),
    ],
)
def test_points_that_are_no_table(pixels: list[list[float]], reason: str) -> None:
    places = np.array([[0, 0], [1200, 0], [1200, 900], [0, 900]], np.float64)
    with pytest.raises(CalibrationError, match=reason):
        fit_points(np.array(pixels, np.float64), places[: max(4, len(pixels))], None)


def test_the_table_and_what_lies_beside_it(optics: Intrinsics, table_pose: PlanePose) -> None:
    corners = np.array([[0, 0], [1200, 0], [1200, 900], [0, 900]], np.float64)
    plane = fit_points(table_pose.pixels(optics, corners), corners, optics)
    profile = Profile(camera="test", size=optics.size, intrinsics=optics, table=plane)
    places = np.array([[600, 450], [5, 5], [-10, 450], [600, 930]], np.float64)
    seen = profile.to_picture(places)
    assert profile.on_table(seen).tolist() == [True, True, False, False]
    assert profile.on_table(seen, 20).tolist() == [True, True, True, False]


def test_the_horizon_may_meet_the_pictures_first_pixel() -> None:
    pixels = np.array([[850, 380], [1450, 380], [1900, 950], [400, 950]], np.float64)  # sides meet at its top edge
    places = np.array([[0, 0], [1200, 0], [1200, 900], [0, 900]], np.float64)
    plane = fit_points(pixels, places, None)
    assert project_points(plane.matrix, pixels) == pytest.approx(places, abs=1e-6)


def test_what_is_as_large_as_a_tile_wherever_it_lies(optics: Intrinsics, table_pose: PlanePose) -> None:
    corners = np.array([[0, 0], [1200, 0], [1200, 900], [0, 900]], np.float64)
    plane = replace(fit_points(table_pose.pixels(optics, corners), corners, optics), tile_mm=(26.0, 38.0))
    profile = Profile(camera="test", size=optics.size, intrinsics=optics, table=plane)
    tile = np.array([[-13, -19], [13, -19], [13, 19], [-13, 19]], np.float64)
    places = [
        tile * size + middle for middle in ((60, 60), (600, 450), (1140, 840)) for size in (0.5, 0.8, 1.0, 1.3, 2)
    ]
    quads = np.array([profile.to_picture(place) for place in places], np.float32)
    found = Detections(quads, np.arange(15, dtype=np.float32))
    sized = profile.filter_tile_sized(found)
    assert sized.scores.tolist() == [1, 2, 3, 6, 7, 8, 11, 12, 13]  # neither half as large nor twice
    np.testing.assert_array_equal(sized.quads[::3], quads[1::5])
    for width, height, like_a_tile in [(63, 88, False), (28, 80, False), (26, 12, True), (38, 26, True)]:
        thing = profile.to_picture(tile / (26, 38) * (width, height) + (600, 450))[None].astype(np.float32)
        assert len(profile.filter_tile_sized(Detections(thing, np.ones(1, np.float32)))) == like_a_tile, (width, height)
    unmeasured = replace(profile, table=replace(plane, tile_mm=None))
    assert unmeasured.filter_tile_sized(found) is found


def test_same_profile_for_half_the_pixels(table_picture: Image, optics: Intrinsics, table_pose: PlanePose) -> None:
    plane = fit_markers(find_corner_markers(table_picture), optics, SIZE)
    half = Profile(camera="test", size=optics.size, intrinsics=optics, table=plane).scaled((960, 540))
    markers = find_corner_markers(
        np.asarray(cv2.resize(table_picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    )
    assert half.to_table(markers[40][:1])[0] == pytest.approx([0, 0], abs=0.6)
    with pytest.raises(CalibrationError, match="for pictures of 960×540, these are 640×480"):
        half.scaled((640, 480))
    assert half.to_picture(half.to_table(table_pose.pixels(optics, PLACES) / 2)) == pytest.approx(
        table_pose.pixels(optics, PLACES) / 2, abs=1e-3
    )


@pytest.mark.parametrize("lean", [0.0, 30.0], ids=["from above", "from a corner"])
def test_the_part_of_the_picture_that_shows_the_table(optics: Intrinsics, lean: float) -> None:
    pose = PlanePose(point=(600, 450), distance=2600, lean=lean, yaw=3, roll=-4)
    plane = fit_markers(find_corner_markers(render_sheet(table_sheet(SIZE), pose, optics)), optics, SIZE)
    places = Profile(camera="test", size=optics.size, intrinsics=optics, table=plane).places_near_table(0)
    assert places is not None
    part = places.min(axis=0), places.max(axis=0)
    seen = pose.pixels(optics, PLACES)
    low, high = seen.min(axis=0), seen.max(axis=0)
    cell = np.array(optics.size) / 32
    assert (part[0] <= low).all()
    assert (part[0] >= low - 2 * cell).all()
    assert (part[1] >= high).all()
    assert (part[1] <= high + 2 * cell).all()


def test_more_of_the_picture_shows_what_lies_beside_the_table() -> None:
    plane = plane_of(((40.0, 40.0), (60.0, 40.0), (60.0, 60.0), (40.0, 60.0)))
    profile = Profile(camera="test", size=(640, 320), table=plane)
    within = {margin: profile.places_near_table(margin) for margin in (0, 10, 1000)}
    assert {margin: [[*at.min(axis=0)], [*at.max(axis=0)]] for margin, at in within.items() if at is not None} == {
        0: [[60, 70], [140, 130]],
        10: [[40, 50], [160, 150]],
        1000: [[0, 0], [640, 320]],
    }


def test_no_part_shows_a_table_that_is_not_known_or_not_in_the_picture() -> None:
    beyond = plane_of(((400.0, 40.0), (460.0, 40.0), (460.0, 60.0)))
    assert Profile(camera="test", size=(640, 320)).places_near_table(50) is None
    assert Profile(camera="test", size=(640, 320), table=beyond).places_near_table(50) is None


def plane_of(outline: tuple[tuple[float, float], ...]) -> TablePlane:
    """Seen straight from above, two pixels to a millimetre, its far left corner in that of the picture."""
    half = ((0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 1.0))
    return TablePlane(homography=half, outline=outline, error_mm=1.0, source="points")
