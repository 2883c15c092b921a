"""Inks are learnt and told apart; a picture's focus, light, glare and size are held against their limits."""

from collections.abc import Callable, Sequence

import cv2
import numpy as np
import pytest

from referee.errors import CalibrationError
from referee.reading.observation import TileReading
from referee.rules.tiles import Colour, NumberTile
from referee.vision.calibrate.image_quality import Check, check_picture
from referee.vision.calibrate.ink_colours import confusable_inks, fit_inks
from referee.vision.geometry.detections import Floats
from referee.vision.image.frame import Image

Scene = tuple[Image, tuple[TileReading, ...]]


def quads_of(tiles: Sequence[TileReading]) -> Floats:
    return np.array([tile.quad for tile in tiles], np.float32).reshape(-1, 4, 2)


def check(name: str, image: Image, quads: Floats) -> Check:
    return next(one for one in check_picture(image, quads) if one.check == name)


@pytest.mark.parametrize("style", ["classic", "ivory", "yellow", "bold"])
def test_inks_of_a_box(scene: Callable[..., Scene], style: str) -> None:
    image, tiles = scene(style)
    inks = fit_inks(image, tiles)
    light, red_green, yellow_blue = ({colour: lab[axis] for colour, lab in inks.colours.items()} for axis in (0, 1, 2))
    assert min(light, key=light.__getitem__) is Colour.BLACK
    assert max(red_green, key=red_green.__getitem__) is Colour.RED
    assert min(yellow_blue, key=yellow_blue.__getitem__) is Colour.BLUE
    assert max(yellow_blue, key=yellow_blue.__getitem__) is Colour.ORANGE
    assert inks.separation > 5
    assert confusable_inks(inks) == ()


def test_inks_that_a_red_lamp_makes_alike_are_named(scene: Callable[..., Scene]) -> None:
    image, tiles = scene()
    inks = fit_inks((image * np.array([0.02, 0.1, 1.0])).astype(np.uint8), tiles)
    assert set(confusable_inks(inks)) == {(Colour.BLACK, Colour.BLUE), (Colour.RED, Colour.ORANGE)}


def test_a_colour_that_is_not_shown(scene: Callable[..., Scene]) -> None:
    image, tiles = scene()
    rest = [one for one in tiles if isinstance(one.tile, NumberTile) and one.tile.colour is not Colour.BLUE]
    with pytest.raises(CalibrationError, match=r"too few tiles are read for sure in blue \(0\); lay at least 3"):
        fit_inks(image, rest)


def test_a_sound_picture_passes(scene: Callable[..., Scene]) -> None:
    image, tiles = scene()
    checks = check_picture(image, quads_of(tiles))
    assert [one.check for one in checks] == ["focus", "light", "clipped", "glare", "tile_pixels"]
    assert [one for one in checks if not one.passed] == []


def out_of_focus(image: Image, _: Floats) -> Image:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 3.5), np.uint8)


def dark(image: Image, _: Floats) -> Image:
    return np.asarray(image * 0.25, np.uint8)


def bright(image: Image, _: Floats) -> Image:
    return np.asarray(np.clip(image * 1.5, 0, 255), np.uint8)


def mirroring_table(image: Image, _: Floats) -> Image:
    return np.asarray(cv2.circle(image.copy(), (200, 150), 140, (255, 255, 255), -1), np.uint8)


def mirroring(image: Image, quads: Floats) -> Image:
    lit = image.copy()
    for quad in quads[:2]:
        x, y = quad.mean(axis=0)
        cv2.circle(lit, (round(float(x)), round(float(y))), 9, (255, 255, 255), -1)
    return lit


@pytest.mark.parametrize(
    ("name", "spoil", "message"),
    [
        ("focus", out_of_focus, "focus the lens"),
        ("light", dark, "too dark: add light"),
        ("light", bright, "too bright: dim the lamp"),
        ("clipped", mirroring_table, "overexposed"),
        ("glare", mirroring, "2 of the tiles reflect the lamp"),
    ],
)
def test_a_spoilt_picture_fails_with_the_way_out(
    scene: Callable[..., Scene], name: str, spoil: Callable[[Image, Floats], Image], message: str
) -> None:
    image, tiles = scene()
    found = check(name, spoil(image, quads_of(tiles)), quads_of(tiles))
    assert not found.passed
    assert message in str(found.message)


def test_tiles_too_small(scene: Callable[..., Scene]) -> None:
    image, tiles = scene(width_mm=1200, size=(800, 450))
    found = check("tile_pixels", image, quads_of(tiles))
    assert not found.passed
    assert found.value == pytest.approx(25, abs=2)


def test_a_bare_table_cannot_be_judged(scene: Callable[..., Scene]) -> None:
    image, _ = scene()
    failed = {one.check for one in check_picture(image, quads_of(())) if not one.passed}
    assert failed == {"focus", "glare", "tile_pixels"}
