"""Drawings: everything read is drawn where it lies, doubts in amber, at any size of picture."""

import cv2
import numpy as np
import pytest

from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import parse_tile
from referee.vision.image.annotate import Mark, SetState, draw

AMBER = (0, 170, 255)


def reading(scale: float, *, unsure: bool = False) -> TableReading:
    tiles = tuple(
        TileReading(
            quad=((x, 10 * scale), (x + 4 * scale, 10 * scale), (x + 4 * scale, 16 * scale), (x, 16 * scale)),
            tile=parse_tile(name) if name else None,
            confidence=0.6 if unsure else 0.99,
            alternatives=((parse_tile("B1"), 0.3),),
            unsure=unsure,
        )
        for name, x in (("K3", 10 * scale), ("K4", 14 * scale), ("K5", 18 * scale), ("", 30 * scale))
    )
    return TableReading(frame_id="drawn", at=0, tiles=tiles, layouts=lay_out_tiles(tiles))


def amber(image: np.ndarray) -> int:
    return painted(image, AMBER)


def painted(image: np.ndarray, colour: tuple[int, int, int]) -> int:
    near = np.array(colour)
    return cv2.countNonZero(cv2.inRange(image[:-44], near - 29, near + 29))


@pytest.mark.parametrize("scale", [1, 10, 40, 100])
def test_a_drawing_is_large_enough_to_read_and_small_enough_to_look_at(scale: float) -> None:
    image = np.full((round(36 * scale), round(48 * scale), 3), 120, np.uint8)
    before = image.copy()
    drawn = draw(image, reading(scale))
    assert 1600 <= drawn.shape[1] <= 2400
    np.testing.assert_array_equal(image, before)
    picture = drawn[:-44]
    plain = cv2.resize(image, picture.shape[1::-1])
    changed = np.argwhere(cv2.absdiff(picture, plain).max(axis=2) > 20) * 48 / drawn.shape[1]
    assert changed.min(axis=0) == pytest.approx([9.3, 9.3], abs=0.4)  # the set's outline, a little outside its tiles
    assert changed.max(axis=0) == pytest.approx([16.8, 34.1], abs=0.5)


def test_only_doubts_are_amber() -> None:
    image = np.full((480, 640, 3), 120, np.uint8)
    assert amber(draw(image, reading(12))) == 0
    assert amber(draw(image, reading(12, unsure=True))) > 1000


def test_an_empty_table_can_be_drawn() -> None:
    nothing = TableReading(frame_id="drawn", at=0, tiles=(), layouts=lay_out_tiles(()))
    assert draw(np.full((1, 1, 3), 120, np.uint8), nothing).shape == (1644, 1600, 3)


@pytest.mark.parametrize("state", SetState)
def test_a_set_has_the_colour_of_what_is_known_of_it_and_no_other(state: SetState) -> None:
    image = np.full((480, 640, 3), 120, np.uint8)
    drawn = draw(image, reading(12), [Mark(state, "why" if state is SetState.ILLEGAL else "")])
    assert painted(drawn, state.value) > 1000
    assert all(painted(drawn, other.value) < 50 for other in SetState if other is not state)


def test_nothing_is_green_or_red_that_was_not_judged() -> None:
    drawn = draw(np.full((480, 640, 3), 120, np.uint8), reading(12))
    assert painted(drawn, SetState.LEGAL.value) == painted(drawn, SetState.ILLEGAL.value) == 0
    assert painted(drawn, SetState.SEEN.value) > 1000


def test_the_reason_stands_in_the_picture() -> None:
    image = np.full((480, 640, 3), 120, np.uint8)
    short, long = (
        draw(image, reading(12), [Mark(SetState.ILLEGAL, reason)]) for reason in ("no", "R3 is there twice; " * 3)
    )
    assert painted(long, SetState.ILLEGAL.value) > painted(short, SetState.ILLEGAL.value) + 3000
