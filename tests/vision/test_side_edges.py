"""Side edges: a tile located beside its place is moved to it along its width; where no edges show, it stays."""

import cv2
import numpy as np
import pytest

from referee.vision.detections import Floats
from referee.vision.frame import Image
from referee.vision.geometry import half_vectors, quads_of
from referee.vision.side_edges import between_edges

WIDTH, HEIGHT = 50, 70


def drawn(turn: float = 0.0) -> tuple[Image, Floats]:
    """Four rows of five pale tiles, two touching and the others apart, each with a dark digit; and where they lie."""
    image = np.full((700, 700, 3), (60, 90, 70), np.uint8)
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
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


def displaced(quads: Floats, spread: float, seed: int = 1) -> Floats:
    """The quads, each moved along its own width by chance; `spread` in widths."""
    centre, up, right = half_vectors(quads)
    off = np.random.default_rng(seed).normal(0, 2 * spread, (len(quads), 1))
    return quads_of(centre + right * off, up, right)


def beside(quads: Floats, truth: Floats) -> Floats:
    """How far each quad lies from its place along its width, in widths."""
    middle, _, right = half_vectors(truth)
    off = (half_vectors(quads)[0] - middle) * right
    return np.asarray(off.sum(axis=1) / (right**2).sum(axis=1) / 2, np.float32)


@pytest.mark.parametrize("turn", [0.0, 0.3, 1.4, -2.5])
def test_tiles_located_beside_their_places_are_moved_to_them(turn: float) -> None:
    image, truth = drawn(turn)
    rough = displaced(truth, 0.04)
    assert np.abs(beside(rough, truth)).max() > 0.05
    assert np.abs(beside(between_edges(image, rough), truth)).max() < 0.02


def test_out_of_focus_no_tile_stays_behind_or_goes_too_far() -> None:
    image, truth = drawn()
    blurred = np.asarray(cv2.GaussianBlur(image, (0, 0), 1.5), np.uint8)
    found = [between_edges(blurred, displaced(truth, 0.04, seed)) for seed in range(6)]
    assert max(np.abs(beside(quads, truth)).max() for quads in found) < 0.03


def test_tiles_located_exactly_stay() -> None:
    image, truth = drawn()
    assert np.abs(beside(between_edges(image, truth), truth)).max() < 0.015


def test_sizes_directions_and_places_along_the_height_stay() -> None:
    image, truth = drawn(0.3)
    rough = displaced(truth, 0.04)
    found = between_edges(image, rough)
    for before, after in zip(half_vectors(rough)[1:], half_vectors(found)[1:], strict=True):
        np.testing.assert_allclose(before, after, atol=1e-3)
    step, up = half_vectors(found)[0] - half_vectors(rough)[0], half_vectors(rough)[1]
    np.testing.assert_allclose((step * up).sum(axis=1) / HEIGHT, 0, atol=1e-3)


def test_a_tile_whose_edges_are_covered_stays() -> None:
    image, truth = drawn()
    rough = displaced(truth, 0.04)
    left, top = (half_vectors(rough)[0][7] - (WIDTH, HEIGHT)).astype(int)
    image[top : top + 2 * HEIGHT, left : left + 2 * WIDTH] = (60, 90, 70)
    np.testing.assert_array_equal(between_edges(image, rough)[7], rough[7])


def test_a_picture_without_edges_moves_nothing() -> None:
    _, truth = drawn()
    found = between_edges(np.full((700, 700, 3), 128, np.uint8), truth)
    np.testing.assert_allclose(found, truth, atol=1e-3)


@pytest.mark.parametrize("count", [0, 1, 7])
def test_few_tiles_are_left_alone(count: int) -> None:
    image, truth = drawn()
    np.testing.assert_array_equal(between_edges(image, truth[:count]), truth[:count])
