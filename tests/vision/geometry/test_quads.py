"""Geometry: what is coded is decoded, what is cut out is what was there, and one tile found twice is one."""

import math

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.vision.geometry.crops import CROP_SIZE, MARGIN, downscale_crops, rectify, rotate_crops_180, transpose_crops
from referee.vision.geometry.detections import Detections, Floats
from referee.vision.geometry.quads import (
    areas,
    contains_centres,
    half_vectors,
    long_sides,
    quads_of,
    rotate_quads_180,
    suppress_duplicates,
)
from referee.vision.networks.models import decode, from_doubled_angle, to_doubled_angle
from tests.conftest import examples


def quad(x: float, y: float, width: float, height: float, degrees: float = 0.0) -> Floats:
    """One tile [1, 4, 2] with its middle at x, y, turned clockwise."""
    angle = math.radians(degrees)
    up = np.array([[math.sin(angle), -math.cos(angle)]], np.float32) * np.float32(height / 2)
    right = np.array([[math.cos(angle), math.sin(angle)]], np.float32) * np.float32(width / 2)
    return quads_of(np.array([[x, y]], np.float32), up, right)


def test_an_upright_tile_begins_at_its_top_left_and_runs_clockwise() -> None:
    assert quad(50, 60, 20, 30).tolist() == [[[40, 45], [60, 45], [60, 75], [40, 75]]]
    assert areas(quad(50, 60, 20, 30)).tolist() == [600]


@given(st.floats(-math.pi, math.pi), st.floats(0.5, 50))
def test_a_half_vector_survives_its_code_but_for_its_sign(angle: float, length: float) -> None:
    vector = np.array([[math.cos(angle), math.sin(angle)]], np.float32) * np.float32(length)
    back = from_doubled_angle(*to_doubled_angle(vector).T)
    assert min(np.abs(back - vector).max(), np.abs(back + vector).max()) < 1e-3 * length


@given(st.floats(-180, 180))
def test_half_vectors_give_the_quad_back(degrees: float) -> None:
    one = quad(5, -3, 20, 30, degrees)
    np.testing.assert_allclose(quads_of(*half_vectors(one)), one, atol=1e-4)
    assert long_sides(one)[0] == pytest.approx(30, rel=1e-4)
    np.testing.assert_allclose(rotate_quads_180(rotate_quads_180(one)), one)


@settings(max_examples=examples(100))
@given(degrees=st.floats(-180, 180), x=st.floats(60, 200), y=st.floats(60, 100), height=st.floats(14, 80))
def test_what_the_model_is_taught_to_say_decodes_to_the_tile(degrees: float, x: float, y: float, height: float) -> None:
    tile = quad(x, y, height * 0.7, height, degrees)
    _, up, right = half_vectors(tile)
    heat, geometry = np.zeros((40, 64), np.float32), np.zeros((6, 40, 64), np.float32)
    column, row = int(x // 4), int(y // 4)
    heat[row, column] = 0.9
    geometry[:, row, column] = [
        *(x / 4 - column - 0.5, y / 4 - row - 0.5),
        *to_doubled_angle(up / 4)[0],
        *to_doubled_angle(right / 4)[0],
    ]
    (found,) = decode(heat, geometry, 0.5).quads
    assert min(np.abs(found - other).max() for other in (tile[0], rotate_quads_180(tile)[0])) < 0.02


def test_only_peaks_above_the_threshold_count_the_best_first() -> None:
    heat = np.zeros((20, 20), np.float32)
    heat[5, 5], heat[5, 6], heat[12, 12], heat[17, 3] = 0.9, 0.8, 0.95, 0.2
    geometry = np.ones((6, 20, 20), np.float32)
    geometry[2], geometry[3], geometry[4], geometry[5] = -3, 0, 2, 0
    assert decode(heat, geometry, 0.3).scores.tolist() == pytest.approx([0.95, 0.9])


@pytest.mark.parametrize("degrees", [0.0, 30.0, 90.0, 200.0])
@pytest.mark.parametrize(
    ("across", "down", "within"), [(10.5, 0, True), (11.5, 0, False), (0, 16, True), (0, 17, False), (-10, 15, True)]
)
def test_how_far_a_middle_lies_from_a_tiles_is_told_in_its_widths_and_heights(
    across: float, down: float, *, within: bool, degrees: float
) -> None:
    turn = math.radians(degrees)
    x = 50 + across * math.cos(turn) - down * math.sin(turn)
    y = 40 + across * math.sin(turn) + down * math.cos(turn)
    assert contains_centres(quad(x, y, 3, 5), quad(50, 40, 20, 30, degrees)) == [[within]]


def test_a_tile_found_twice_is_one_and_neighbours_are_two() -> None:
    tiles = np.concatenate([quad(50, 50, 20, 30), quad(53, 52, 21, 29, 5), quad(70, 50, 20, 30), quad(50, 79, 20, 30)])
    kept = suppress_duplicates(Detections(tiles, np.array([0.7, 0.9, 0.8, 0.6], np.float32)))
    assert kept.scores.tolist() == pytest.approx([0.9, 0.8, 0.6])
    assert len(suppress_duplicates(Detections(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32)))) == 0


def test_tiles_that_overlap_by_a_quarter_are_two() -> None:
    tiles = np.concatenate([quad(50, 50, 20, 30), quad(65, 50, 20, 30, 10)])
    assert len(suppress_duplicates(Detections(tiles, np.array([0.9, 0.9], np.float32)))) == 2


def painted(tile: Floats, size: tuple[int, int] = (400, 300)) -> np.ndarray:
    """A tile whose quarters are red, green, blue and white, from its top left, clockwise; drawn eight times as fine."""
    fine = np.full((size[1] * 8, size[0] * 8, 3), 90, np.uint8)
    centre, up, right = (part[0] for part in half_vectors(tile))
    colours = [(0, 0, 255), (0, 255, 0), (255, 0, 0), (255, 255, 255)]
    for (a, b), colour in zip([(-1, 1), (1, 1), (1, -1), (-1, -1)], colours, strict=True):
        part = np.array([centre, centre + a * right, centre + a * right + b * up, centre + b * up])
        cv2.fillPoly(fine, [np.round(part * 8 * 256 - 128).astype(np.int32)], colour, shift=8)
    return cv2.resize(fine, size, interpolation=cv2.INTER_AREA)


@pytest.mark.parametrize("degrees", [0, 37, 90, 145, 180, 270])
@pytest.mark.parametrize("height", [24, 60, 150])
def test_a_crop_holds_the_tile_upright_within_its_margin(degrees: float, height: float) -> None:
    tile = quad(200, 150, height * 0.7, height, degrees)
    (crop,) = rectify(painted(tile), tile)
    width, tall = CROP_SIZE
    assert crop.shape == (tall, width, 3)
    colours = [crop[16, 12], crop[16, 36], crop[48, 36], crop[48, 12]]
    expected = [(0, 0, 255), (0, 255, 0), (255, 0, 0), (255, 255, 255)]
    np.testing.assert_allclose(colours, expected, atol=2)
    edge = MARGIN / (1 + 2 * MARGIN)
    for place in ((int(tall * edge / 2), width // 4), (tall // 4, int(width * edge / 2))):
        np.testing.assert_allclose(crop[place], 90, atol=60 if height < 30 else 25)


@pytest.mark.parametrize("height", [30, 55, 100, 190])
def test_a_crop_is_not_shifted(height: float) -> None:
    """The seams between the quarters lie in the middle, to a tenth of a pixel of crop or picture."""
    tile = quad(200.3, 149.6, height * 0.7, height)
    (crop,) = rectify(painted(tile), tile)
    down = crop[:, 12].astype(float)  # red above, white below: blue rises at the seam
    seam = np.interp(127.5, down[16:48, 0], np.arange(16, 48) + 0.5)
    across = crop[16].astype(float)  # red at the left, green at the right
    seam_across = np.interp(127.5, across[12:36, 1], np.arange(12, 36) + 0.5)
    assert seam == pytest.approx(CROP_SIZE[1] / 2, abs=max(0.12, 9 / height))
    assert seam_across == pytest.approx(CROP_SIZE[0] / 2, abs=max(0.12, 9 / height))


def test_a_fine_pattern_on_a_large_tile_is_averaged_not_sampled() -> None:
    stripes = np.zeros((600, 600, 3), np.uint8)
    stripes[::2] = 255
    (crop,) = rectify(stripes, quad(300, 300, 350, 500))
    assert np.abs(crop.astype(int) - 127).max() < 12


def test_columns_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        Detections(np.zeros((2, 4, 2), np.float32), np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="finite"):
        Detections(np.full((1, 4, 2), np.nan, np.float32), np.zeros(1, np.float32))


@pytest.mark.parametrize("count", [pytest.param(0, id="no crops"), pytest.param(3, id="some crops")])
def test_crops_turned_round_show_all_pixels_in_reverse(count: int) -> None:
    crops = np.random.default_rng(4).integers(0, 255, (count, 48, 32, 3)).astype(np.uint8)
    np.testing.assert_array_equal(rotate_crops_180(crops), crops[:, ::-1, ::-1])
    np.testing.assert_array_equal(rotate_crops_180(transpose_crops(crops)), transpose_crops(crops)[:, ::-1, ::-1])


def test_crops_are_shrunk_each_by_itself() -> None:
    crops = np.random.default_rng(3).integers(0, 256, (3, 64, 48, 3), np.uint8)
    alone = [cv2.resize(crop, (36, 48), interpolation=cv2.INTER_LINEAR_EXACT) for crop in crops]
    np.testing.assert_array_equal(downscale_crops(crops, (36, 48)), np.stack(alone))
    np.testing.assert_array_equal(downscale_crops(crops, (48, 64)), crops)
    assert downscale_crops(crops[:0], (36, 48)).shape[0] == 0
