"""Sizes: tiles of one box are of one size, whatever the camera's tilt; what is not of that size stays as it is."""

import math

import numpy as np
import pytest

from referee.vision.geometry.detections import Floats
from referee.vision.geometry.plane import fit_plane, scale_quads
from referee.vision.geometry.quads import half_vectors, quads_of

HEIGHT, WIDTH = 40.0, 28.0


def table(count: int = 40, seed: int = 1, tilt: float = 0.0) -> Floats:
    """Tiles at any angle, seen by a camera that leans by `tilt` degrees: far ones smaller, and foreshortened."""
    rng = np.random.default_rng(seed)
    centre = rng.uniform(-400, 400, (count, 2))
    angle = rng.uniform(-math.pi, math.pi, count)
    up = np.stack([np.sin(angle), -np.cos(angle)], axis=1) * HEIGHT / 2
    right = np.stack([np.cos(angle), np.sin(angle)], axis=1) * WIDTH / 2
    flat = quads_of(centre, up.astype(np.float32), right.astype(np.float32))
    lean = math.radians(tilt)
    away = 1 + flat[..., 1:] * math.sin(lean) / 1500
    return (flat * np.array([1, math.cos(lean)]) / away).astype(np.float32)


def with_sizes(quads: Floats, heights: np.ndarray, widths: np.ndarray) -> Floats:
    centre, up, right = half_vectors(quads)
    return quads_of(centre, (up * heights[:, None]).astype(np.float32), (right * widths[:, None]).astype(np.float32))


def size_errors(quads: Floats, truth: Floats) -> np.ndarray:
    """Logarithms of heights and widths over the true ones."""
    parts = zip(half_vectors(quads)[1:], half_vectors(truth)[1:], strict=True)
    return np.concatenate([np.log(np.hypot(*found.T) / np.hypot(*due.T)) for found, due in parts])


@pytest.mark.parametrize("tilt", [0, 20, 40])
def test_inexact_sizes_tell_the_plane_far_more_exactly(tilt: float) -> None:
    truth = table(tilt=tilt)
    noise = np.exp(np.random.default_rng(2).normal(0, 0.06, (2, len(truth))))
    rough = with_sizes(truth, *noise)
    assert fit_plane(rough).residuals(truth).std() < size_errors(rough, truth).std() * 0.55


@pytest.mark.parametrize("bulge", [-0.06, 0.06])
def test_so_do_sizes_seen_through_a_lens_that_bends(bulge: float) -> None:
    flat = table(80)
    truth = (flat * (1 + bulge * (flat**2).sum(axis=2, keepdims=True) / 400**2)).astype(np.float32)
    noise = np.exp(np.random.default_rng(2).normal(0, 0.04, (2, len(truth))))
    rough = with_sizes(truth, *noise)
    assert fit_plane(rough).residuals(truth).std() < size_errors(rough, truth).std() * 0.4


@pytest.mark.parametrize("tilt", [0, 20, 40])
def test_exact_sizes_tell_it_exactly(tilt: float) -> None:
    truth = table(tilt=tilt)
    assert np.abs(fit_plane(truth).residuals(truth)).max() < 0.03


def test_a_tile_of_quite_another_size_does_not_bend_the_plane() -> None:
    heights = np.ones(40)
    heights[7] = 0.6  # leaning on a rack
    leaning = with_sizes(table(), heights, np.ones(40))
    assert fit_plane(leaning).residuals(leaning)[7, 0] == pytest.approx(math.log(0.6), abs=0.01)


def test_many_tiles_in_one_direction_are_no_trouble() -> None:
    centre = np.array([[x, 0] for x in range(0, 400, 30)], np.float32)
    up, right = (np.tile(np.array([side], np.float32), (len(centre), 1)) for side in ([0, -20], [14, 0]))
    row = quads_of(centre, up, right)
    np.testing.assert_allclose(fit_plane(row).residuals(row), 0, atol=0.01)


def test_how_far_sizes_are_off_is_told_of_heights_and_of_widths() -> None:
    heights, widths = np.ones(40), np.ones(40)
    heights[7], widths[11] = 0.6, 1.3
    quads = with_sizes(table(tilt=20), heights, widths)
    off = fit_plane(quads).residuals(quads)
    assert off[7, 0] == pytest.approx(np.log(0.6), abs=0.03)
    assert off[11, 1] == pytest.approx(np.log(1.3), abs=0.03)
    assert np.abs(np.delete(off, [7, 11], axis=0)).max() < 0.03


def test_a_quad_is_held_against_others_it_is_none_of() -> None:
    quads = table(tilt=20)
    sizes = np.where(np.arange(len(quads)) == 7, 1.4, 1.0)
    others = np.delete(with_sizes(quads, sizes, np.ones(len(quads))), 7, axis=0)
    odd = with_sizes(quads, sizes, sizes)[7:8]
    np.testing.assert_allclose(fit_plane(others).residuals(odd), np.log([[1.4, 1.4]]), atol=0.03)


def test_resized_quads_keep_middles_and_directions() -> None:
    quads = table(tilt=20)
    by = np.stack([np.linspace(-0.5, 0.5, len(quads)), np.linspace(0.3, -0.3, len(quads))], axis=1)
    after = scale_quads(quads, by)
    np.testing.assert_allclose(half_vectors(after)[0], half_vectors(quads)[0], atol=1e-3)
    np.testing.assert_allclose(size_errors(after, quads), by.T.ravel(), atol=1e-4)
    for was, now in zip(half_vectors(quads)[1:], half_vectors(after)[1:], strict=True):
        np.testing.assert_allclose(was[:, 0] * now[:, 1] - was[:, 1] * now[:, 0], 0, atol=0.01)
