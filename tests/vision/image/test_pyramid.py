"""A picture at its own size and halved, of three channels or of four."""

import numpy as np

from referee.vision.geometry.crops import rectify
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid, drop_fourth_channel


def picture(height: int, width: int) -> Image:
    return np.random.default_rng(height).integers(0, 256, (height, width, 3), np.uint8)


def test_each_level_is_the_mean_of_four_pixels_an_odd_last_row_left_out() -> None:
    image = picture(33, 46)
    level = drop_fourth_channel(Pyramid(image).level(1))
    means = image[:32].reshape(16, 2, 23, 2, 3).mean(axis=(1, 3))
    assert level.shape == (16, 23, 3)
    assert np.abs(level - means).max() <= 1


def test_a_level_is_made_once() -> None:
    pyramid = Pyramid(picture(64, 64))
    assert pyramid.level(2) is pyramid.level(2)
    assert pyramid.level(2).shape == (16, 16, 4)
    assert pyramid.size == (64, 64)


def test_crops_of_one_picture_may_come_from_several_levels() -> None:
    flat = np.full((400, 600, 3), (30, 90, 200), np.uint8)
    small, large = (
        np.array([[x, y], [x + s, y], [x + s, y + s], [x, y + s]]) for x, y, s in ((10, 10, 30), (80, 40, 300))
    )
    crops = rectify(flat, np.stack([large, small, large]).astype(np.float32))
    assert crops.shape == (3, 64, 48, 3)
    assert (crops == (30, 90, 200)).all()
