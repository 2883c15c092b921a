"""Laws of the calibration: maps and their inverses, profiles kept and damaged, tables found under any view."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from referee.errors import CalibrationError
from referee.storage.profile import load_profile, save_profile
from referee.vision.calibrate.markers import CORNER_MM, CORNERS
from referee.vision.calibrate.table_plane import fit_markers, fit_points
from referee.vision.geometry.homography import project_points
from referee.vision.geometry.optics import Intrinsics, Points
from referee.vision.profile import Profile
from tests.conftest import examples
from tests.support.targets import PlanePose

lenses = st.builds(
    lambda focal, k1, k2, p1: Intrinsics(
        size=(1920, 1080), focal=(focal, focal * 1.01), centre=(955.0, 547.0), distortion=(k1, k2, p1, -p1)
    ),
    st.floats(1300, 3000),  # a shorter focal length with the most distortion below folds the picture's corners over
    st.floats(-0.15, 0.1),
    st.floats(0, 0.05),
    st.floats(-0.001, 0.001),
)
poses = st.builds(
    lambda lean, yaw, roll: PlanePose(point=(600, 450), distance=2400, lean=lean, yaw=yaw, roll=roll),
    st.floats(-35, 35),
    st.floats(-35, 35),
    st.floats(-40, 40),
)
sizes = st.tuples(st.floats(700, 1500), st.floats(500, 1100))
IN_ONE_FOLDER = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
CALM = settings(max_examples=examples(40), suppress_health_check=IN_ONE_FOLDER)


def rectangle(size: tuple[float, float]) -> Points:
    return np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * size


def markers_on(size: tuple[float, float], turns: list[float]) -> dict[int, Points]:
    """The markers' corners in millimetres: each turned about its own outer corner."""
    placed = {}
    square = rectangle((1, 1))
    for marker, outer, turn in zip(CORNERS, square, np.radians(turns), strict=True):
        turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        placed[marker] = outer * size + (square - outer) * CORNER_MM @ turned.T
    return placed


@given(lenses)
@CALM
def test_a_lens_is_undone(lens: Intrinsics) -> None:
    grid = np.stack(np.meshgrid(np.linspace(0, 1920, 7), np.linspace(0, 1080, 5)), axis=-1).reshape(-1, 2)
    assert lens.distort(lens.undistort(grid)) == pytest.approx(grid, abs=1e-3)


SIMPLE_LENS = Intrinsics(
    size=(1920, 1080), focal=(1300.0, 1313.0), centre=(955.0, 547.0), distortion=(0.0,) * 4, error_px=0.0, pictures=0
)
SLANTED = PlanePose(point=(600, 450), distance=2400, lean=30.0, yaw=35.0, roll=0.0)
PLUMB = PlanePose(point=(600, 450), distance=2400, lean=0.0, yaw=0.03125, roll=0.0)


@given(lenses, poses, sizes, st.lists(st.floats(-12, 12), min_size=4, max_size=4), st.booleans())
@example(SIMPLE_LENS, SLANTED, (907.0, 539.0), [12.0] * 4, True)  # a marker's outer corner is not outermost in pixels
@example(SIMPLE_LENS, PLUMB, (1004.0, 636.0), [0.0, 1.0, 0.0, 0.0], True)  # where it stands hardly matters to the rest
@CALM
def test_a_table_is_found_under_any_view(
    lens: Intrinsics,
    pose: PlanePose,
    size: tuple[float, float],
    turns: list[float],
    measured: bool,  # noqa: FBT001
) -> None:
    seen = {marker: pose.pixels(lens, places) for marker, places in markers_on(size, turns).items()}
    plane = fit_markers(seen, lens, size if measured else None)
    profile = Profile(camera="any", size=lens.size, intrinsics=lens, table=plane)
    places = rectangle(size) * 0.8 + 30
    assert profile.to_table(pose.pixels(lens, places)) == pytest.approx(places, abs=0.001)
    assert profile.to_picture(profile.to_table(pose.pixels(lens, places))) == pytest.approx(
        pose.pixels(lens, places), abs=1e-3
    )


@given(lenses, poses, sizes)
@CALM
def test_four_points_and_a_smaller_picture_tell_the_same_places(
    lens: Intrinsics, pose: PlanePose, size: tuple[float, float]
) -> None:
    plane = fit_points(pose.pixels(lens, rectangle(size)), rectangle(size), lens)
    profile = Profile(camera="any", size=lens.size, intrinsics=lens, table=plane)
    places = rectangle(size) * 0.5 + 100
    pixels = pose.pixels(lens, places)
    assert profile.to_table(pixels) == pytest.approx(places, abs=0.01)
    assert profile.scaled((960, 540)).to_table(pixels / 2) == pytest.approx(places, abs=0.01)


@given(lenses, poses, sizes)
@CALM
def test_a_profile_comes_back_as_it_was(
    tmp_path: Path, lens: Intrinsics, pose: PlanePose, size: tuple[float, float]
) -> None:
    plane = fit_points(pose.pixels(lens, rectangle(size)), rectangle(size), lens)
    profile = Profile(camera="any é", size=lens.size, intrinsics=lens, table=plane)
    save_profile(profile, tmp_path / "p.json")
    assert load_profile(tmp_path / "p.json") == profile


def _loaded(path: Path) -> Profile | None:
    try:
        return load_profile(path)
    except CalibrationError:
        return None


@given(st.data())
@settings(max_examples=examples(150), suppress_health_check=IN_ONE_FOLDER)
def test_a_damaged_profile_is_refused_or_the_same(tmp_path: Path, data: st.DataObject) -> None:
    lens = Intrinsics(size=(1920, 1080), focal=(1450.0, 1450.0), centre=(960.0, 540.0))
    profile = Profile(camera="any", size=lens.size, intrinsics=lens)
    save_profile(profile, tmp_path / "p.json")
    content = bytearray((tmp_path / "p.json").read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (tmp_path / "p.json").write_bytes(bytes(content))
    assert _loaded(tmp_path / "p.json") in (None, profile)


def test_homographies_go_both_ways() -> None:
    matrix = np.array([[1.1, 0.02, 5], [-0.03, 0.9, 8], [1e-4, 2e-4, 1]])
    points = np.random.default_rng(0).uniform(0, 1000, (20, 2))
    assert project_points(np.asarray(np.linalg.inv(matrix)), project_points(matrix, points)) == pytest.approx(points)
