"""A lamp, a shadow's edge, a flickering band or a sagging arm puts no tile where none lies; a back or a hand does."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import pytest

from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import parse_tile
from referee.sim.demo import demo_setting
from referee.sim.hands import Hand
from referee.sim.render import Painter
from referee.sim.view import LaidTile
from referee.vision.image.frame import Image
from referee.vision.watch.background_model import update_background
from referee.vision.watch.likeness import NO_SHIFT, is_only_light, shift_between
from referee.vision.watch.occlusion import add_occluded

SETTING = demo_setting()
Change = Callable[[Image], Image]


def tile(name: str, x: float, y: float) -> LaidTile:
    return LaidTile(tile=parse_tile(name), copy=0, x=x, y=y, angle=0.0)


ALONE = tile("K8", 330, 420)
ROWS = tuple(tile(f"R{number}", 400 + 27 * number, 300) for number in (7, 8, 9, 10))
HAND = Hand(x=ALONE.x, y=ALONE.y, angle=0.2, skin=(120, 150, 206), sleeve=(92, 62, 44))


@lru_cache(4)
def painter_of(surface: str) -> Painter:
    return Painter(replace(SETTING, surface="painted" if surface == "grain" else surface))


@lru_cache(32)
def paint(surface: str, what: str) -> Image:
    shown: dict[str, tuple[tuple[LaidTile, ...], tuple[Hand, ...]]] = {
        "bare": ((), ()),
        "laid": ((*ROWS, ALONE), ()),
        "taken": (ROWS, ()),
        "turned over": ((*ROWS, replace(ALONE, tile=None)), ()),
        "under a hand": ((*ROWS, ALONE), (HAND,)),
    }
    tiles, hands = shown[what]
    image = np.asarray(painter_of(surface).paint(tiles, hands, noise_index=len(what)))
    return with_grain(image, tiles) if surface == "grain" else image


def with_grain(image: Image, tiles: tuple[LaidTile, ...]) -> Image:
    """Return the picture of a table whose grain is a pixel wide: a pixel of shift makes it another."""
    grain = cv2.GaussianBlur(np.random.default_rng(1).normal(0, 1, image.shape[:2]), (0, 0), 0.8)
    grainy = np.clip(image * (1 + 0.1 * grain / grain.std())[..., None], 0, 255).astype(np.uint8)
    for one in tiles:
        place = np.zeros(image.shape[:2], np.uint8)
        cv2.fillConvexPoly(place, np.round(quad_of(one)).astype(np.int32), 1)
        grainy[place > 0] = image[place > 0]
    return grainy


def quad_of(one: LaidTile) -> Any:
    return np.round(SETTING.view.quad(one, SETTING.style.thickness), 1)


def read(tiles: tuple[LaidTile, ...], shift: tuple[float, float], *, reached: bool | None = False) -> TableReading:
    quads = [tuple(map(tuple, (quad_of(one) + shift).tolist())) for one in tiles]
    seen = tuple(
        TileReading(quad=quad, tile=one.tile, confidence=1.0)  # type: ignore[arg-type]
        for quad, one in zip(quads, tiles, strict=True)
    )
    return TableReading(frame_id="f", at=0.0, tiles=seen, layouts=lay_out_tiles(seen), reached=reached)


def as_it_is(image: Image) -> Image:
    return image


def lamp(*gain: float) -> Change:
    return lambda image: np.clip(image * np.array(gain), 0, 255).astype(np.uint8)


def shadow(across: float = 0.0, angle: float = 0.3) -> Change:
    """A shadow whose edge runs at this distance from the middle of the place."""

    def darkened(image: Image) -> Image:
        (middle_x, middle_y), (height, width) = quad_of(ALONE).mean(axis=0), image.shape[:2]
        x, y = np.arange(width) - middle_x, np.arange(height)[:, None] - middle_y
        beyond = x * np.cos(angle) + y * np.sin(angle) - across
        light = 1 - 0.45 / (1 + np.exp(np.clip(-beyond / 2, -30, 30)))
        return (image * light[..., None]).astype(np.uint8)

    return darkened


def band(phase: float) -> Change:
    def lit(image: Image) -> Image:
        light = 1 + 0.14 * np.sin(np.linspace(0, 9 * np.pi, len(image)) + phase)
        return np.clip(image * light[:, None, None], 0, 255).astype(np.uint8)

    return lit


def sag(across: float, down: float) -> Change:
    matrix = np.array([[1, 0, across], [0, 1, down]])
    return lambda image: np.asarray(
        cv2.warpAffine(image, matrix, image.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


WORLDS: dict[str, tuple[Change, Change, Change, tuple[float, float], tuple[float, float]]] = {
    "as it was": (as_it_is, as_it_is, as_it_is, NO_SHIFT, NO_SHIFT),
    "a lamp is switched off": (as_it_is, as_it_is, lamp(0.5, 0.5, 0.5), NO_SHIFT, NO_SHIFT),
    "a lamp is switched on": (lamp(0.5, 0.5, 0.5), lamp(0.5, 0.5, 0.5), as_it_is, NO_SHIFT, NO_SHIFT),
    "a lamp had flashed when it was laid": (as_it_is, lamp(0.5, 0.5, 0.5), as_it_is, NO_SHIFT, NO_SHIFT),
    "a lamp tints": (as_it_is, as_it_is, lamp(0.75, 0.9, 1.0), NO_SHIFT, NO_SHIFT),
    "a shadow's edge came": (as_it_is, as_it_is, shadow(), NO_SHIFT, NO_SHIFT),
    "a shadow's edge went": (shadow(), shadow(), as_it_is, NO_SHIFT, NO_SHIFT),
    "a shadow's edge lies along the place": (as_it_is, as_it_is, shadow(-22.0, 0.0), NO_SHIFT, NO_SHIFT),
    "a lamp flickers": (band(0.0), band(1.3), band(3.1), NO_SHIFT, NO_SHIFT),
    "the arm sags": (as_it_is, as_it_is, sag(1.0, -1.4), NO_SHIFT, (1.0, -1.4)),
    "the arm has sagged for minutes": (as_it_is, sag(2.5, 2.0), sag(3.6, 3.2), (2.5, 2.0), (3.6, 3.2)),
    "the arm sags and a lamp is off": (
        as_it_is,
        as_it_is,
        lambda image: sag(1.0, -1.4)(lamp(0.5, 0.5, 0.5)(image)),
        NO_SHIFT,
        (1.0, -1.4),
    ),
}
SURFACES = [
    "wood",
    "grain",
    "painted",
    *(pytest.param(surface, marks=pytest.mark.slow) for surface in ("cloth", "stone")),
]


def looked_at(surface: str, world: str, what: str, *, reached: bool | None = False) -> list[tuple[str, bool]]:
    """Return what is held to lie in the place of the lone tile, and whether it is in doubt."""
    first, laid, last, shift, then = WORLDS[world]
    before, before_image = read((*ROWS, ALONE), shift), laid(paint(surface, "laid"))
    bare = update_background(None, read((), NO_SHIFT), first(paint(surface, "bare")))
    bare = update_background(bare, before, before_image)
    seen = read(ROWS, then, reached=reached)
    now = add_occluded(before, before_image, seen, last(paint(surface, what)), bare)
    return [(str(one.tile), one.unsure) for one in now.tiles[len(ROWS) :]]


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("world", WORLDS)
def test_what_was_taken_is_gone(surface: str, world: str) -> None:
    assert looked_at(surface, world, "taken") == []


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("what", "reached"), [("turned over", False), ("under a hand", None), ("under a hand", False)])
def test_what_was_turned_over_or_lies_under_a_hand_is_in_doubt(
    surface: str, world: str, what: str, *, reached: bool | None
) -> None:
    """Even if nobody has seen the hand reach in."""
    assert looked_at(surface, world, what, reached=reached) == [("K8", True)]


@pytest.mark.parametrize(("bare", "there"), [(0.7, []), (0.2, [("K8", True)])])
def test_what_hardly_was_a_face_is_gone_once_it_is_not_found_again(bare: float, there: list[tuple[str, bool]]) -> None:
    """The screen of a phone was asked about until the evening's end, for its place looked as before."""
    seen, image = read((*ROWS, ALONE), NO_SHIFT), paint("wood", "laid")
    doubtful = replace(seen.tiles[-1], unsure=True, confidence=0.4, bare=bare)
    before = replace(seen, tiles=(*seen.tiles[:-1], doubtful))
    now = add_occluded(before, image, read(ROWS, NO_SHIFT), image)
    assert [(str(one.tile), one.unsure) for one in now.tiles[len(ROWS) :]] == there


CROWD = tuple(tile("K1", ALONE.x + 38 * across, ALONE.y + 38 * down) for across in (-1, 1) for down in (-1, 0, 1))


@pytest.mark.parametrize(("taken", "there"), [(True, []), (False, [("K8", True)])])
def test_what_was_taken_from_a_gap_between_rows_on_a_plain_table_is_gone(
    *, taken: bool, there: list[tuple[str, bool]]
) -> None:
    """No bare table is seen around it, so it is told by the table's colour; a face-down tile has another."""
    ends = tuple(tile("K1", ALONE.x, ALONE.y + 47 * down) for down in (-1, 1))
    around, plain = (*ROWS, *CROWD, *ends), painter_of("painted")
    last = around if taken else (*around, replace(ALONE, tile=None))
    bare, laid, now = (
        np.asarray(plain.paint(shown, noise_index=index)) for index, shown in enumerate([(), (*around, ALONE), last])
    )
    before, seen = read((*around, ALONE), NO_SHIFT), read(around, NO_SHIFT)
    background = update_background(update_background(None, read((), NO_SHIFT), bare), before, laid)
    kept = add_occluded(before, laid, seen, now, background)
    assert [(str(one.tile), one.unsure) for one in kept.tiles[len(around) :]] == there


def test_the_bare_table_follows_an_arm_that_sags_by_many_pixels() -> None:
    """Under a tile it is as old as the tile, 12 pixels of sag."""
    image = paint("grain", "bare")
    under = read((ALONE,), NO_SHIFT)
    bare = update_background(None, read((), NO_SHIFT), image)
    for steps in range(1, 13):
        bare = update_background(bare, under, sag(0.8 * steps, 0.6 * steps)(paint("grain", "laid")))
    x, y = np.round(quad_of(ALONE).mean(axis=0)).astype(int).tolist()
    place = np.s_[y - 12 : y + 12, x - 8 : x + 8]
    sagged = sag(9.6, 7.2)(image)
    now, then = (np.corrcoef(bare.image[place].ravel(), picture[place].ravel())[0, 1] for picture in (sagged, image))
    assert now > 0.6
    assert then < 0.2


def test_a_row_that_was_pushed_is_no_sagging_arm() -> None:
    image, pushed = (
        np.asarray(painter_of("painted").paint(tuple(replace(one, x=one.x + by) for one in ROWS), noise_index=1))
        for by in (0.0, 6.0)
    )
    assert max(map(abs, shift_between(image, pushed)[0])) < 1.0


def test_a_shadow_dims_all_colours_alike() -> None:
    table = np.array([[60.0, 110.0, 50.0]] * 3)
    seen = np.array([[30.0, 55.0, 25.0], [120.0, 150.0, 206.0], [10.0, 15.0, 10.0]])
    assert is_only_light(table, seen).tolist() == [True, False, False], "a shadow, skin, a black phone"
