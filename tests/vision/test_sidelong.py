"""Sidelong tiles: what lies on another side than was thought is turned, and what shows a face either way is doubted."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from referee.vision.detections import SYMBOLS, Faces, Floats
from referee.vision.frame import Image
from referee.vision.geometry import GLANCE_SIZE, quads_of, quarter_turned, rectify
from referee.vision.pyramid import Pyramid
from referee.vision.sidelong import Sidelong, sidelong

Says = tuple[str, float]
COUNT = 6


def tiles() -> tuple[Pyramid, Floats]:
    """Six tiles in a row, each with a dark bar at its head."""
    centre = np.array([[60 + 50 * number, 60] for number in range(COUNT)], np.float32)
    up, right = (np.tile(np.array([side], np.float32), (COUNT, 1)) for side in ([0, -30], [21, 0]))
    image = np.full((120, 370, 3), 230, np.uint8)
    for x, y in centre.astype(int):
        cv2.rectangle(image, (x - 20, y - 29), (x + 20, y - 16), (20, 20, 20), -1)
    return Pyramid(image), quads_of(centre, up, right)


def reader_that_says(aside: dict[int, Says], otherwise: Says = ("none", 0.99)) -> Callable[[Image], Faces]:
    """Reads a 5 where the bar is at the head; where it is at a side, what is given, by the order of the crops."""

    def read(crops: Image) -> Faces:
        symbol = np.full((len(crops), len(SYMBOLS)), 1e-4, np.float32)
        for number, crop in enumerate(crops):
            middle, edge = crop[len(crop) // 2], crop.shape[1] // 4
            lies = middle[:edge].mean() < 128 or middle[-edge:].mean() < 128
            name, chance = aside.get(number, otherwise) if lies else ("5", 0.999)
            symbol[number, SYMBOLS.index(name)] = chance
        ink = np.tile(np.eye(1, 4, dtype=np.float32), (len(crops), 1))
        return Faces(
            symbol=symbol,
            ink=ink,
            upright=np.ones(len(crops), np.float32),
            embedding=np.zeros((len(crops), 32), np.float32),
        )

    return read


def told(quads: Floats, image: Pyramid, read: Callable[[Image], Faces]) -> Sidelong:
    return sidelong(image, quads, read(rectify(image, quads, GLANCE_SIZE)), read)


def test_tiles_that_lie_as_was_thought_stay() -> None:
    image, quads = tiles()
    turned, either = told(quads, image, reader_that_says({}))
    assert not turned.any()
    assert not either.any()


@pytest.mark.parametrize(
    ("aside", "doubted"),
    [
        pytest.param(("none", 0.99), False, id="no face"),
        pytest.param(("8", 0.4), False, id="hardly a face"),
        pytest.param(("J", 0.9), False, id="a joker in doubt"),
        pytest.param(("10", 0.85), False, id="a face that lies across its neighbours"),
        pytest.param(("10", 0.97), True, id="a face for sure"),
    ],
)
def test_a_tile_on_its_side_is_turned(aside: Says, *, doubted: bool) -> None:
    image, quads = tiles()
    one = np.arange(COUNT) == 3
    turned, either = told(quarter_turned(quads, one), image, reader_that_says({3: aside}))
    np.testing.assert_array_equal(turned, one)
    assert either.tolist() == (one & doubted).tolist()


def test_where_all_lie_on_their_sides_those_that_show_another_face_are_turned_with_them() -> None:
    image, quads = tiles()
    every = np.ones(COUNT, bool)
    turned, _ = told(quarter_turned(quads, every), image, reader_that_says({1: ("12", 0.8), 3: ("10", 0.94)}))
    assert turned.all()


@pytest.mark.parametrize("now", [pytest.param(("8", 0.48), id="hardly a face"), pytest.param(("J", 0.9), id="a joker")])
def test_a_tile_that_lies_as_its_neighbours_do_is_not_turned_across_them(now: Says) -> None:
    """An 8 on its side passes for a 10; where too few lie about it to tell how tiles lie there, it is turned."""
    image, quads = tiles()
    faces = reader_that_says({})(rectify(image, quads, GLANCE_SIZE))
    faces.symbol[3] = 1e-4
    faces.symbol[3, SYMBOLS.index(now[0])] = now[1]
    sideways = reader_that_says({0: ("10", 0.995)})
    turned, either = sidelong(image, quads, faces, sideways)
    assert not turned.any()
    assert not either.any()
    few = np.arange(2, 5)
    assert sidelong(image, quads[few], faces.pick(few), sideways).turned.tolist() == [False, True, False]


def test_a_tile_that_does_lie_across_the_others_stays() -> None:
    image, quads = tiles()
    picture = np.ascontiguousarray(image.level(0)).copy()
    x, y = quads[3].mean(axis=0).astype(int)
    picture[y - 30 : y + 30, x - 24 : x + 24] = np.rot90(picture[y - 24 : y + 24, x - 30 : x + 30])
    across = quarter_turned(quads, np.arange(COUNT) == 3)
    turned, either = told(across, Pyramid(picture), reader_that_says({}))
    assert not turned.any()
    assert not either.any()


def test_no_tiles_are_no_trouble() -> None:
    image, quads = tiles()
    turned, either = told(quads[:0], image, reader_that_says({}))
    assert (len(turned), len(either)) == (0, 0)
