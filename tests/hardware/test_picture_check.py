"""Pictures that are no looks: black, equal, repeated by a stream, turned; hands, lamps and flicker are no fault."""

from dataclasses import replace
from itertools import count

import cv2
import numpy as np
import pytest

from referee.hardware.picture_check import PictureCheck, Sight
from referee.rules.notation import parse_tiles
from referee.sim.camera_faults import reshape_image
from referee.sim.demo import demo_setting
from referee.sim.hands import Hand
from referee.sim.hardship_kinds import Hardship
from referee.sim.light_faults import LightFaults
from referee.sim.render import Painter
from referee.sim.scene import PictureShape
from referee.sim.view import LaidTile
from referee.vision.image.frame import Image

SETTING = demo_setting()
PAINTER = Painter(replace(SETTING, view=replace(SETTING.view, size=(640, 480))))
TILES = [
    LaidTile(tile=tile, copy=0, x=300.0 + 28 * place, y=200.0 + 90 * row, angle=0.0)
    for row, text in enumerate(("R1 R2 R3 R4", "K7 B7 O7", "B9 B10 B11"))
    for place, tile in enumerate(parse_tiles(text))
]
NUMBERS = count()


def picture(*hands: Hand) -> Image:
    """A picture of the table with its own noise."""
    return PAINTER.paint(TILES, hands, noise_index=next(NUMBERS))


def started() -> PictureCheck:
    check = PictureCheck()
    assert {check.check(picture()) for _ in range(15)} == {Sight.NEW}
    return check


def test_the_same_picture_is_no_look_nor_is_one_whose_rounding_differs() -> None:
    check, last = started(), picture()
    assert check.check(last) is Sight.NEW
    assert check.check(last.copy()) is Sight.EQUAL
    rounded = last.copy()
    rounded[::8, ::8] ^= 1
    assert check.check(rounded) is Sight.REPEATED
    assert check.check(picture()) is Sight.NEW


def test_a_camera_without_noise_repeats_nothing_once_its_stillness_is_accepted() -> None:
    check, last = started(), picture()
    check.check(last)
    still = [last.copy() for _ in range(3)]
    for number, one in enumerate(still):
        one[4 * number, ::4] ^= 1
    assert check.check(still[0]) is Sight.REPEATED
    check.accept_stillness()
    assert [check.check(one) for one in still[1:]] == [Sight.NEW, Sight.NEW]


def test_a_black_picture_is_told_and_changes_no_shape() -> None:
    check = started()
    black = np.random.default_rng(1).integers(0, 9, (480, 640, 3), np.uint8)
    assert check.check(black) is Sight.BLACK
    assert check.check(reshape_image(picture(), PictureShape.MIRRORED)) is Sight.RESHAPED


@pytest.mark.parametrize("shape", [shape for shape in PictureShape if shape])
def test_a_turned_picture_is_told_until_it_is_turned_back_also_beside_a_hand(shape: PictureShape) -> None:
    check, hand = started(), Hand(x=520.0, y=420.0, angle=0.2)
    for shown in ((), (), (hand,), ()):
        assert check.check(reshape_image(picture(*shown), shape)) is Sight.RESHAPED
    assert check.check(picture()) is Sight.NEW


def test_a_camera_is_told_though_it_was_turned_bit_by_bit() -> None:
    check = started()
    for degrees in (20, 45, 70):
        matrix = cv2.getRotationMatrix2D((320, 240), degrees, 1.0)
        turning = cv2.warpAffine(picture(), matrix, (640, 480), borderMode=cv2.BORDER_REFLECT)
        assert check.check(np.asarray(turning, np.uint8)) is Sight.NEW
    assert check.check(reshape_image(picture(), PictureShape.QUARTER)) is Sight.RESHAPED


def test_hands_lamps_and_flicker_turn_nothing() -> None:
    check = started()
    lights = [LightFaults.random(3, {kind}) for kind in (Hardship.SWITCHED, Hardship.SHADOW, Hardship.FLICKER)]
    for number in range(60):
        hands = (Hand(x=150.0 + 8 * number, y=200.0 + 3 * number, angle=0.02 * number),) if number % 3 else ()
        lit = lights[number // 20].banded(lights[number // 20].lit(picture(*hands), 250.0 + 5 * number), 1.7 * number)
        assert check.check(lit) is Sight.NEW


def striped(noise: int, hand: tuple[int, int] | None = None, tiles: tuple[tuple[int, int], ...] = ()) -> Image:
    """A table that looks like itself turned: horizontal boards; a hand and tiles lie at (x, y)."""
    image = np.empty((480, 640, 3), np.int16)
    image[:] = np.where(np.arange(480) // 20 % 2, 70, 110)[:, None, None]
    for x, y in tiles:
        image[y : y + 24, x : x + 50] = 200
    if hand is not None:
        x, y = hand
        image[y:, x : x + 130] = 150
        image[y : y + 90, x - 20 : x + 150 : 40] = 120
    noisy = image + np.random.default_rng(noise).normal(0, 2, image.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


@pytest.mark.parametrize("x", [60, 90, 120])
def test_a_table_that_looks_like_itself_turned_is_never_called_turned(x: int) -> None:
    """Hands come and go, the last one all at once."""
    check = PictureCheck()
    hands = [None] * 12 + [(x, 300), (x + 20, 240), (x + 40, 180), (x, 150)] + [None] * 8
    assert {check.check(striped(number, hand)) for number, hand in enumerate(hands)} == {Sight.NEW}


def test_a_row_moved_to_where_a_mirror_would_show_it_turns_nothing() -> None:
    check = PictureCheck()
    for number in range(24):
        row = ((90, 200),) if number < 12 else ((640 - 90 - 50, 200),)
        assert check.check(striped(number, tiles=row)) is Sight.NEW


def test_what_no_longer_looks_turned_is_the_known_table_in_the_end() -> None:
    check = started()
    assert check.check(reshape_image(picture(), PictureShape.MIRRORED)) is Sight.RESHAPED
    seen = [check.check(striped(number)) for number in range(60)]
    assert seen[0] is Sight.RESHAPED
    assert seen[-1] is Sight.NEW


def test_a_camera_is_told_though_it_was_turned_while_hands_hid_the_table_for_long() -> None:
    check = started()
    for number in range(30):
        blobs = np.random.default_rng(number).integers(40, 200, (6, 8, 3), np.uint8)
        check.check(np.asarray(cv2.resize(blobs, (640, 480), interpolation=cv2.INTER_CUBIC), np.uint8))
    assert check.check(reshape_image(picture(), PictureShape.MIRRORED)) is Sight.RESHAPED
    assert check.check(picture()) is Sight.NEW


def test_a_picture_of_another_size_is_another_cameras() -> None:
    check = started()
    assert check.check(np.asarray(cv2.resize(picture(), (480, 640)), np.uint8)) is Sight.RESHAPED
    assert check.check(picture()) is Sight.NEW
