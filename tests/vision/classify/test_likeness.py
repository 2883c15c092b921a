"""How like tiles faces look: three measures worked out by hand, and their weights of the face and of its picture."""

import numpy as np
import pytest

from referee.reading.observation import TileReading
from referee.rules.notation import parse_tile
from referee.vision.classify.likeness import MEASURES, WEIGHTS, log_odds_of_tiles, measures_of, print_heights
from referee.vision.geometry.detections import EMBEDDING_SIZE, INKS, SYMBOLS, Faces
from referee.vision.networks.sidecar import find_models, load_sidecar

FACE, HEIGHT, SHAPE = MEASURES


def body(*print_rows: tuple[int, int]) -> np.ndarray:
    """A pale crop with black bars from row to row."""
    crop = np.full((48, 32, 3), 220, np.uint8)
    for start, end in print_rows:
        crop[start:end, 10:22] = 20
    return crop


def test_print_lies_as_far_above_the_middle_as_its_rows_on_average() -> None:
    crops = np.stack([body((10, 20)), body((19, 29)), body((28, 38)), body(), body((10, 14), (34, 38))])
    np.testing.assert_allclose(print_heights(crops), [9 / 48, 0, -9 / 48, 0, 0], atol=1e-6)


def test_no_crops_have_no_print() -> None:
    assert print_heights(np.zeros((0, 48, 32, 3), np.uint8)).tolist() == []


def test_a_rim_or_a_shadow_at_it_is_no_print() -> None:
    assert print_heights(body((0, 4), (10, 20))[None])[0] == pytest.approx(9 / 48)


def test_measures_tell_a_tile_from_a_square_with_its_digit_in_the_middle() -> None:
    image = np.full((100, 200, 3), 90, np.uint8)
    image[20:60, 20:50] = image[20:50, 100:130] = 220
    image[26:36, 28:42] = image[30:40, 108:122] = 20
    quads = [((20, 20), (50, 20), (50, 60), (20, 60)), ((100, 20), (130, 20), (130, 50), (100, 50))]
    tiles = tuple(TileReading(quad=quad, tile=parse_tile("K7"), confidence=0.99) for quad in quads)
    symbol = np.full((2, len(SYMBOLS)), 1e-6, np.float32)
    symbol[:, SYMBOLS.index("7")] = 0.9
    symbol[:, SYMBOLS.index("none")] = [1e-4, 0.05]
    faces = Faces(
        symbol=symbol,
        ink=np.full((2, len(INKS)), 0.25, np.float32),
        upright=np.ones(2, np.float32),
        embedding=np.zeros((2, EMBEDDING_SIZE), np.float32),
    )
    measures = measures_of(image, tiles, faces)
    np.testing.assert_allclose(measures[:, 0], np.log([0.9 / 1e-4, 0.9 / 0.05]), rtol=1e-3)
    np.testing.assert_allclose(measures[:, 1], [9 / 40 / 1.16, 0], atol=0.02)
    np.testing.assert_allclose(measures[:, 2], [np.log(4 / 3), 0], atol=1e-5)


def test_a_face_counts_and_so_do_all_faces_of_its_picture_but_no_backs() -> None:
    measures = np.array([[10, 0.1, 0.3], [2, 0.0, 0.0], [-9, -9, -9]])
    weights = {FACE: 1.0, f"{FACE}, all faces": 0.5, "constant": -5.0}
    log_odds = log_odds_of_tiles(measures, np.array([True, True, False]), weights)
    np.testing.assert_allclose(log_odds, [10 + 3 - 5, 2 + 3 - 5, -9 + 3 - 5])


def test_without_weights_or_faces_nothing_is_told() -> None:
    measures = np.ones((2, 3))
    assert log_odds_of_tiles(measures, np.array([True, False]), {}).tolist() == [0, 0]
    assert log_odds_of_tiles(measures, np.array([False, False]), {"constant": -5.0}).tolist() == [0, 0]
    assert log_odds_of_tiles(np.zeros((0, 3)), np.zeros(0, bool), {"constant": -5.0}).tolist() == []


def test_the_published_model_has_all_weights() -> None:
    weights = load_sidecar(find_models(), "tiles-reread").likeness
    assert list(weights) == list(WEIGHTS)
    square_key, tile = np.array([[6.0, 0.0, 0.0]] * 5), np.array([[12.0, 0.13, 0.33]] * 5)
    assert log_odds_of_tiles(square_key, np.ones(5, bool), weights).max() < 0
    assert log_odds_of_tiles(tile, np.ones(5, bool), weights).min() > 3
