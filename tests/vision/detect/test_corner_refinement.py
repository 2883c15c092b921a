"""Corners: a quad located inexactly is drawn to those of its tile, as far as the model says and not too far."""

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest

from referee.vision.detect.corner_refinement import refine_corners, refine_odd_sized, refine_outliers
from referee.vision.geometry.detections import Floats
from referee.vision.geometry.plane import fit_plane, scale_quads
from referee.vision.geometry.quads import half_vectors, long_sides, quads_of
from referee.vision.image.frame import Image
from referee.vision.networks.models import CornerFinder
from referee.vision.networks.sidecar import find_models

WIDTH, HEIGHT = 50, 70
SQUARE = np.array([[[40, 10], [80, 10], [80, 70], [40, 70]]], np.float32)  # middle (60, 40), half sides 20 and 30


def drawn(turn: float = 0.0, flat: float = 1.0) -> tuple[Image, Floats]:
    """Four rows of five pale tiles, two touching and the others apart, each with a dark digit; and where they lie.

    `flat`: as a camera sees them that leans.
    """
    image = np.full((700, 700, 3), (60, 90, 70), np.uint8)
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) @ np.diag([1.0, flat])
    up, right = np.array([0, -HEIGHT / 2]) @ spin, np.array([WIDTH / 2, 0]) @ spin
    places = [(x, y) for y in (-210, -70, 70, 210) for x in (-140, -140 + WIDTH, 20, 90, 160)]
    centre = np.array(places, np.float64) @ spin + 350
    quads = quads_of(centre, *(np.tile(side.astype(np.float32), (len(places), 1)) for side in (up, right)))
    for number, (quad, middle) in enumerate(zip(quads, centre, strict=True)):
        corners = np.round((quad - 0.5) * 16).astype(np.int32)
        cv2.fillConvexPoly(image, corners, (225, 230, 235), cv2.LINE_AA, shift=4)
        cv2.polylines(image, [corners], True, (120, 120, 120), 1, cv2.LINE_AA, shift=4)
        foot = (round(float(middle[0])) - 8, round(float(middle[1])) + 6)
        cv2.putText(image, str(number % 10), foot, cv2.FONT_HERSHEY_SIMPLEX, 0.8, (30, 30, 30), 2, cv2.LINE_AA)
    grain = np.random.default_rng(3).normal(0, 4, image.shape)
    return np.clip(image + grain, 0, 255).astype(np.uint8), quads


def inexact(quads: Floats, spread: float = 0.05, seed: int = 1) -> Floats:
    """The quads with middles and half vectors that err by chance, by `spread` of the quad's sides."""
    rng = np.random.default_rng(seed)
    centre, up, right = half_vectors(quads)
    axes = np.stack([right, up], axis=1)
    off = (rng.normal(0, spread, (len(quads), 3, 2)) * [[[2], [1], [1]]]).clip(-0.25, 0.25) @ axes
    return quads_of(centre + off[:, 0], (up + off[:, 2]).astype(np.float32), (right + off[:, 1]).astype(np.float32))


def apart(quads: Floats, truth: Floats) -> Floats:
    """How far the corners of each quad lie from where they should, on average, in long sides of the tile."""
    return np.asarray(np.linalg.norm(quads - truth, axis=2).mean(axis=1) / long_sides(truth), np.float32)


@pytest.fixture(scope="module")
def finder() -> CornerFinder:
    if not (find_models() / "tiles-corners.onnx").exists():
        pytest.skip("the models are not here")
    return CornerFinder(find_models())


@pytest.mark.parametrize(("turn", "flat"), [(0.0, 1.0), (0.3, 1.0), (1.4, 1.0), (-2.5, 1.0), (0.5, 0.65)])
def test_quads_located_inexactly_are_drawn_to_the_corners(finder: CornerFinder, turn: float, flat: float) -> None:
    image, truth = drawn(turn, flat)
    rough = inexact(truth)
    found = refine_corners(image, rough, finder.moves)
    assert apart(rough, truth).mean() > 0.05
    assert apart(found, truth).mean() < 0.02, "most corners are where the tiles' are"
    assert apart(found, truth).max() < 0.05, "no tile is lost"


def test_quads_at_the_corners_stay_there(finder: CornerFinder) -> None:
    image, truth = drawn()
    assert apart(refine_corners(image, truth, finder.moves), truth).max() < 0.025


def test_out_of_focus_tiles_are_found_as_well(finder: CornerFinder) -> None:
    image, truth = drawn()
    blurred = np.asarray(cv2.GaussianBlur(image, (0, 0), 1.5), np.uint8)
    assert apart(refine_corners(blurred, inexact(truth), finder.moves), truth).mean() < 0.025


def test_tiles_of_the_simulator_are_found_at_their_corners(
    finder: CornerFinder, paint_sets: Callable[..., Any]
) -> None:
    image, _, truth = paint_sets("K1 K2 K3 K4 / R7 B7 O7 / O9 O10 O11 O12 O13", (1280, 720))
    found = refine_corners(image, inexact(truth), finder.moves)
    assert apart(found, truth).mean() < 0.03


@pytest.mark.parametrize(
    ("moves", "wanted"),
    [
        pytest.param([0, 0, 0, 0, 0, 0], [[40, 10], [80, 10], [80, 70], [40, 70]], id="none"),
        pytest.param([0.5, 0, 0, 0, 0, 0], [[50, 10], [90, 10], [90, 70], [50, 70]], id="to the right"),
        pytest.param([0, 0.1, 0, 0, 0, 0], [[40, 7], [80, 7], [80, 67], [40, 67]], id="up"),
        pytest.param([0, 0, 0.5, 0, 0, 0], [[30, 10], [90, 10], [90, 70], [30, 70]], id="wider"),
        pytest.param([0, 0, 0, 0.1, 0, 0], [[40, 13], [80, 7], [80, 67], [40, 73]], id="right side up"),
        pytest.param([0, 0, 0, 0, 0.5, 0], [[50, 10], [90, 10], [70, 70], [30, 70]], id="top to the right"),
        pytest.param([0, 0, 0, 0, 0, -0.5], [[40, 25], [80, 25], [80, 55], [40, 55]], id="lower"),
        pytest.param([9, 0, 0, 0, 0, 0], [[52, 10], [92, 10], [92, 70], [52, 70]], id="no further than can be trusted"),
    ],
)
def test_moves_are_in_half_sides_of_the_quad(moves: list[float], wanted: list[list[float]]) -> None:
    found = refine_corners(np.zeros((100, 100, 3), np.uint8), SQUARE, lambda _: np.array([moves], np.float32))
    np.testing.assert_allclose(found[0], wanted, atol=1e-4)


def test_the_model_sees_the_quad_widened() -> None:
    image = np.zeros((100, 120, 3), np.uint8)
    cv2.rectangle(image, (40, 10), (79, 69), (255, 255, 255), -1)
    seen: list[Image] = []
    refine_corners(image, SQUARE, lambda crops: (seen.append(crops), np.zeros((1, 6), np.float32))[1])
    bright = seen[0][0, :, :, 0] > 127
    assert bright.shape == (32, 24)
    assert bright[16].sum() == pytest.approx(24 / 1.4, abs=1), "columns that show the tile"
    assert bright[:, 12].sum() == pytest.approx(32 / 1.4, abs=1), "rows that show the tile"


def test_no_quads_are_no_work(finder: CornerFinder) -> None:
    none = np.zeros((0, 4, 2), np.float32)
    assert refine_corners(np.zeros((64, 64, 3), np.uint8), none, finder.moves).shape == (0, 4, 2)


def cut_short(quads: Floats, which: int, height: float) -> Floats:
    """The quads, of one of them only the lower part."""
    part = quads.copy()
    part[which, :2] = part[which, :2] * height + part[which, [3, 2]] * (1 - height)
    return part


@pytest.mark.parametrize("height", [0.6, 0.7])
def test_a_quad_of_another_size_than_the_others_is_drawn_to_the_whole_tile(finder: CornerFinder, height: float) -> None:
    image, truth = drawn()
    part = cut_short(truth, 7, height)
    found = refine_outliers(image, part, finder.moves, fit_plane(part))
    assert apart(part, truth)[7] > 0.14
    assert apart(found, truth)[7] < 0.03
    np.testing.assert_array_equal(np.delete(found, 7, axis=0), np.delete(part, 7, axis=0))


@pytest.mark.parametrize(
    ("height", "count"),
    [
        pytest.param(0.9, 20, id="nearly of their size"),
        pytest.param(0.5, 20, id="another thing"),
    ],
)
def test_other_quads_stay_as_they_are(finder: CornerFinder, height: float, count: int) -> None:
    image, truth = drawn()
    part = cut_short(truth, 2, height)[:count]
    np.testing.assert_array_equal(refine_outliers(image, part, finder.moves, fit_plane(part)), part)


@pytest.mark.parametrize("count", [0, 1, 4])
def test_too_few_clear_quads_tell_no_size(finder: CornerFinder, count: int) -> None:
    image, truth = drawn()
    part, clear = cut_short(truth, 0, 0.7)[: 2 * count], np.arange(2 * count) < count
    np.testing.assert_array_equal(refine_odd_sized(image, part, finder.moves, clear), part)


@pytest.mark.parametrize("size", [0.7, 1.3], ids=["a part", "with what lies below it"])
def test_a_known_plane_tells_even_one_its_size(finder: CornerFinder, size: float) -> None:
    image, truth = drawn()
    rough = scale_quads(truth[9:10], np.full((1, 2), np.log(size)))
    found = refine_odd_sized(image, rough, finder.moves, np.ones(1, bool), fit_plane(truth))
    assert apart(found, truth[9:10])[0] < 0.03


def test_pale_squares_of_a_cloth_among_the_tiles_tell_no_size(finder: CornerFinder) -> None:
    image, truth = drawn()
    squares = np.array([[10, 10], [70, 10], [70, 70], [10, 70]], np.float32)
    quads = np.concatenate([cut_short(truth, 7, 0.9), squares + np.arange(40, dtype=np.float32)[:, None, None] * 15])
    np.testing.assert_array_equal(refine_odd_sized(image, quads, finder.moves, np.ones(60, bool)), quads)


def test_dots_of_a_cloth_taken_for_faint_tiles_do_not_change_what_the_clear_ones_tell(finder: CornerFinder) -> None:
    image, truth = drawn()
    dots = np.tile(SQUARE * 0.4, (60, 1, 1)) + np.arange(60, dtype=np.float32)[:, None, None] * 10
    part, clear = np.concatenate([cut_short(truth, 7, 0.7), dots]), np.arange(80) < 20
    assert apart(refine_odd_sized(image, part, finder.moves, clear)[:20], truth)[7] < 0.03


def test_what_is_no_more_like_the_others_then_stays_as_it_was() -> None:
    image, truth = drawn()
    part = cut_short(truth, 7, 0.65)

    def smaller_still(crops: Image) -> Floats:
        return np.tile(np.array([[0, 0, 0, 0, 0, -0.5]], np.float32), (len(crops), 1))

    np.testing.assert_array_equal(refine_outliers(image, part, smaller_still, fit_plane(part)), part)
