"""What has another colour than the tiles on the table is asked about: it may be the corner of a playing card."""

import numpy as np
import pytest

from referee.vision.detections import EMBEDDING, INKS, SYMBOLS, Faces
from referee.vision.frame import Image
from referee.vision.other_bodies import doubt_other_bodies

IVORY, WHITE, GREY, BLUISH = (170, 228, 250), (252, 254, 255), (85, 114, 125), (150, 135, 120)
NONE = SYMBOLS.index("none")


def crops(*bodies: tuple[int, int, int]) -> Image:
    """A black print on each of the bodies."""
    shown = np.array(bodies, np.uint8)[:, None, None] * np.ones((1, 48, 32, 1), np.uint8)
    shown[:, 12:26, 10:26] = 30
    return shown


def sure(count: int) -> Faces:
    symbol = np.full((count, len(SYMBOLS)), 0.001 / (len(SYMBOLS) - 1), np.float32)
    symbol[:, SYMBOLS.index("7")] = 0.999
    ink = np.tile(np.array([[1, *[0] * (len(INKS) - 1)]], np.float32), (count, 1))
    embedding = np.zeros((count, EMBEDDING), np.float32)
    return Faces(symbol=symbol, ink=ink, upright=np.ones(count, np.float32), embedding=embedding)


def doubted(*bodies: tuple[int, int, int]) -> list[int]:
    before = sure(len(bodies))
    after = doubt_other_bodies(crops(*bodies), before)
    np.testing.assert_allclose(after.symbol.sum(axis=1), 1, atol=1e-5)
    return [row for row in range(len(bodies)) if after.symbol[row, NONE] > 0.3]


def test_a_white_card_among_ivory_tiles_is_doubted() -> None:
    assert doubted(*[IVORY] * 24, WHITE, WHITE) == [24, 25]


@pytest.mark.parametrize("shade", [GREY, BLUISH], ids=["grey", "bluish, as beside a window"])
def test_a_tile_in_the_shadow_is_not(shade: tuple[int, int, int]) -> None:
    assert doubted(*[IVORY] * 24, shade) == []


def test_a_tile_across_which_a_shadow_ends_is_not_judged_by_its_print() -> None:
    """As under a blind, where a bold blue print in the light is as bright as the body in the shadow."""
    shown = crops(*[IVORY] * 11, *[GREY] * 13)
    shown[0, 28:] = np.array(GREY) * 0.7
    shown[0, 11:26, 10:26] = (126, 109, 84)
    after = doubt_other_bodies(shown, sure(24))
    assert after.symbol[0, NONE] < 0.01


def test_where_lamps_of_two_colours_shine_none_is() -> None:
    warm, cold = (130, 215, 255), (205, 230, 235)
    assert doubted(*[IVORY] * 6, *[warm] * 5, *[cold] * 5) == []


@pytest.mark.parametrize("count", [0, 1, 8])
def test_few_tiles_do_not_tell_what_colour_tiles_have(count: int) -> None:
    assert doubted(*[IVORY] * count, WHITE) == []
