"""Guards: faces of another size than the table's tiles, and faces among much that no tile shows, are asked about."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from referee.reading.observation import TileReading
from referee.rules.notation import parse_tile
from referee.vision.context.guards import doubt_other_sizes, doubt_strange_faces
from referee.vision.geometry.plane import Plane

TILES_27_BY_38 = Plane(lambda pixels: pixels / 2, (27.0, 38.0))  # two pixels a millimetre


def read(name: str | None, width: float = 27, height: float = 38, *, unsure: bool = False) -> TileReading:
    """A reading whose quad is so many millimetres wide and high."""
    x, y = 2 * width, 2 * height
    quad = ((0.0, 0.0), (x, 0.0), (x, y), (0.0, y))
    return TileReading(quad=quad, tile=parse_tile(name) if name else None, confidence=0.99, unsure=unsure)


def doubted(*tiles: TileReading, plane: Plane | None = None, odds: Sequence[float] = ()) -> list[bool]:
    """Which are unsure, on a plane or else in a photograph, where they lie on tiles by these log-odds."""
    log_odds = np.array([*odds, *[9.0] * (len(tiles) - len(odds))])
    guarded = doubt_other_sizes(tiles, plane) if plane else doubt_strange_faces(tiles, log_odds)
    return [tile.unsure for tile in guarded]


@pytest.mark.parametrize(
    ("width", "height", "asked"),
    [
        pytest.param(27, 38, False, id="a tile"),
        pytest.param(27 * 1.08, 38 * 1.08, False, id="a tile nearer than the table"),
        pytest.param(27 / 1.04, 38 * 1.05, False, id="a tile whose outline errs"),
        pytest.param(27 * 1.1, 38 * 1.1, True, id="a print on a lid, larger by a tenth"),
        pytest.param(27 / 1.08, 38 * 1.08, True, id="a narrow card"),
        pytest.param(32, 32, True, id="a square of a tile's area"),
        pytest.param(21, 21, True, id="a number tile of another game"),
    ],
)
def test_on_a_calibrated_table_only_what_has_a_tiles_size_and_shape_is_sure(
    width: float, height: float, *, asked: bool
) -> None:
    assert doubted(read("R7"), read("K5", width, height), plane=TILES_27_BY_38) == [False, asked]


def test_on_a_calibrated_table_many_doubtful_faces_leave_a_tile_sure() -> None:
    others = [read("R7", unsure=True)] * 9
    assert doubted(read("K5"), *others, plane=TILES_27_BY_38) == [False, *[True] * 9]


@pytest.mark.parametrize(
    ("sure", "unsure", "asked"),
    [
        pytest.param(3, 2, False, id="three of five"),
        pytest.param(4, 3, True, id="four of seven"),
        pytest.param(1, 0, False, id="one alone"),
        pytest.param(1, 1, True, id="one of two"),
    ],
)
def test_elsewhere_a_picture_with_few_sure_faces_has_none(sure: int, unsure: int, *, asked: bool) -> None:
    tiles = [read("R7")] * sure + [read("K5", unsure=True)] * unsure
    assert doubted(*tiles) == [*[asked] * sure, *[True] * unsure]


def test_tiles_that_lie_face_down_do_not_count() -> None:
    backs = [read(None, unsure=True)] * 5
    assert doubted(read("R7"), *backs) == [False, *[True] * 5]


def test_what_is_hardly_a_tile_is_asked_about_and_counts_among_the_doubtful() -> None:
    tiles = [read("R7")] * 5
    assert doubted(*tiles, odds=[-0.1, -4, 0.1]) == [True, True, False, False, False]
    assert doubted(*tiles, odds=[-0.1, -4, -2]) == [True] * 5


def test_a_back_is_not_asked_about_whatever_it_looks_like() -> None:
    assert doubted(read(None), read("R7"), odds=[-9, 9]) == [False, False]


def test_a_picture_without_a_tile_stays_as_it_is() -> None:
    assert doubted() == []
    assert doubted(read(None)) == [False]


def test_jokers_of_whichever_kind_leave_the_tiles_beside_them_sure() -> None:
    joker = replace(read("J", unsure=True), alternatives=((parse_tile("JM"), 0.2),))
    smudge = replace(read("J", unsure=True), alternatives=((parse_tile("R7"), 0.2),))
    assert doubted(read("K5"), joker, joker) == [False, True, True]
    assert doubted(read("K5"), smudge, smudge) == [True, True, True]
