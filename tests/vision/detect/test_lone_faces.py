"""A tile on its own has edges, whatever it lies on; a digit on a card has none."""

from functools import lru_cache

import cv2
import numpy as np
import pytest

from referee.rules.tiles import Colour, NumberTile
from referee.sim.faces import STYLES
from referee.sim.render import Painter, TableSetting
from referee.sim.surfaces import SURFACES
from referee.sim.table_objects import ObjectKind, TableObject
from referee.sim.view import LaidTile, View
from referee.vision.detect.lone_faces import has_edges
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid

VIEW = View(size=(640, 480), width_mm=700.0)
TILES = [
    LaidTile(tile=NumberTile(Colour.RED, 7), copy=0, x=150.0 + 200 * place, y=150.0 + 90 * place, angle=0.8 * place)
    for place in range(3)
]
CHANGES = {
    "as it is": lambda image: image,
    "a quarter of the light": lambda image: (image * 0.25).astype(np.uint8),
    "out of focus": lambda image: cv2.GaussianBlur(image, (0, 0), 2.0),
    "with noise": lambda image: np.clip(image + np.random.default_rng(1).normal(0, 12, image.shape), 0, 255),
}


@lru_cache(1)
def tiles_on(setting: TableSetting) -> Image:
    """Paint the tiles; nobody may change the picture, for every change is made of it."""
    image = Painter(setting).paint(TILES)
    image.flags.writeable = False
    return image


def edges(image: Image, laid: list[LaidTile], setting: TableSetting) -> list[bool]:
    quads = np.array([VIEW.quad(tile, setting.style.thickness) + 0.5 for tile in laid], np.float32)
    return has_edges(Pyramid(np.asarray(image, np.uint8)), quads).tolist()


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("surface", SURFACES)
def test_a_tile_on_the_table_has_edges(surface: str, style: str, change: str) -> None:
    setting = TableSetting(view=VIEW, surface=surface, style=STYLES[style], seats=(), seed=5)
    assert edges(CHANGES[change](tiles_on(setting)), TILES, setting) == [True] * 3


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("seed", [1, 2, 4, 7])
def test_a_digit_in_the_middle_of_a_card_has_none(seed: int, change: str) -> None:
    setting = TableSetting(view=VIEW, seats=(), seed=5)
    cards = tuple(TableObject(kind=ObjectKind.CARD, x=tile.x, y=tile.y, angle=tile.angle, seed=seed) for tile in TILES)
    image = CHANGES[change](Painter(setting).paint([], objects=cards))
    quads = np.array([VIEW.quad(tile, 0.0) + 0.5 for tile in TILES], np.float32)
    assert not has_edges(Pyramid(np.asarray(image, np.uint8)), quads).any()


def test_nothing_has_no_edges_to_ask_for() -> None:
    assert len(has_edges(Pyramid(np.zeros((48, 64, 3), np.uint8)), np.empty((0, 4, 2), np.float32))) == 0
