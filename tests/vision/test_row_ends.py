"""The ends of rows: where a tile may have been overlooked, and that the real models then find it there."""

from collections.abc import Sequence
from random import Random

import cv2
import numpy as np
import pytest

from referee.rules.editions import rule_set
from referee.rules.notation import parse_table
from referee.sim.layout import Arrangement, Piece, arrange
from referee.sim.render import Painter
from referee.sim.season import setting_for
from referee.sim.stage import play_area
from referee.vision.detections import Detections, Floats
from referee.vision.detector import find_models
from referee.vision.finder import Finder
from referee.vision.frame import Frame, Image
from referee.vision.geometry import quads_of
from referee.vision.pipeline import TableReader
from referee.vision.pyramid import Pyramid
from referee.vision.row_ends import row_ends
from referee.vision.zoom import Zoom

WIDTH, HEIGHT = 40.0, 56.0
GREEN, IVORY = (60, 90, 70), (225, 230, 235)
STEP = 1.1 * WIDTH


def tile_quads(middles: Sequence[tuple[float, float]], turn: float = 0.0) -> Floats:
    up = np.array([np.sin(turn), -np.cos(turn)], np.float32) * HEIGHT / 2
    right = np.array([np.cos(turn), np.sin(turn)], np.float32) * WIDTH / 2
    return quads_of(np.array(middles), *(np.tile(side, (len(middles), 1)) for side in (up, right)))


def picture(quads: Floats, table: tuple[int, int, int] = GREEN) -> Pyramid:
    """Ivory tiles with bold digits on a table."""
    image = np.full((400, 600, 3), table, np.uint8)
    for quad in quads:
        x, y = quad.mean(axis=0).round().astype(int).tolist()
        cv2.fillConvexPoly(image, quad.round().astype(np.int32), IVORY, cv2.LINE_AA)
        cv2.putText(image, "12", (x - 14, y + 6), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (30, 30, 30), 4)
    return Pyramid(image)


ROW = [(200.0 + number * STEP, 200.0) for number in range(4)]


def test_the_overlooked_end_of_a_row_is_a_place_and_bare_table_is_none() -> None:
    quads = tile_quads(ROW)
    np.testing.assert_allclose(row_ends(picture(quads), quads[:3]).mean(axis=1), [ROW[3]], atol=0.01)
    np.testing.assert_allclose(row_ends(picture(quads), quads[1:]).mean(axis=1), [ROW[0]], atol=0.01)


def test_a_tile_overlooked_within_a_row_is_a_place_from_both_sides() -> None:
    quads = tile_quads(ROW)
    there = row_ends(picture(quads), quads[[0, 2, 3]]).mean(axis=1)
    np.testing.assert_allclose(there, [ROW[1], ROW[1]], atol=0.1 * WIDTH)


@pytest.mark.parametrize("turn", [0.0, 0.6, 1.5, 3.0, -2.0])
def test_whichever_way_a_row_lies(turn: float) -> None:
    along = np.array([np.cos(turn), np.sin(turn)]) * STEP
    quads = tile_quads([(300 + number * along[0], 200 + number * along[1]) for number in (-1, 0, 1)], turn)
    np.testing.assert_allclose(row_ends(picture(quads), quads[:2]).mean(axis=1), [quads[2].mean(axis=0)], atol=0.01)


def test_where_nothing_is_overlooked_no_place_is_worth_a_look() -> None:
    quads = tile_quads([*ROW, *((x, y + 1.05 * HEIGHT) for x, y in ROW), (500.0, 90.0)])
    assert len(row_ends(picture(quads), quads)) == 0
    assert len(row_ends(picture(quads), quads[:0])) == 0


def test_a_tablecloth_of_the_colour_of_tiles_leaves_it_to_the_read_model() -> None:
    quads = tile_quads(ROW)
    ends = row_ends(picture(quads, table=IVORY), quads).mean(axis=1)
    np.testing.assert_allclose(ends, [(ROW[3][0] + STEP, 200), (ROW[0][0] - STEP, 200)], atol=0.01)


def test_places_beyond_the_picture_are_left_out() -> None:
    quads = tile_quads([(20.0, 100.0), (20.0 + STEP, 100.0)])
    ends = row_ends(picture(quads, table=IVORY), quads).mean(axis=1)
    np.testing.assert_allclose(ends, [(20 + 2 * STEP, 100)], atol=0.01)


# With the real models -------------------------------------------------------------------------------------------------

SETS = "R3 R4 R5 / K7 B7 O7 / B9 B10 B11 B12"


@pytest.fixture(scope="module")
def table() -> Image:
    """Three sets, painted by the simulator."""
    setting = setting_for(rule_set("original"), 5, (1280, 720), (0, 1))
    sets = tuple(tuple(row) for row in parse_table(SETS).sets)
    laid = arrange(
        Arrangement(),
        sets,
        [Piece(tile, 0) for row in sets for tile in row],
        side=0,
        area=play_area(setting.view),
        rng=Random(1),
    )
    return Painter(setting).paint(laid.tiles, shot=0)


def overlook(monkeypatch: pytest.MonkeyPatch, places: Floats) -> None:
    """Let the locate model see nothing about these places [n, 2]."""
    find = Finder.find

    def overlooking(finder: Finder, image: Pyramid, *looking: Zoom | None) -> Detections:
        found = find(finder, image, *looking)
        apart = np.hypot(*np.moveaxis(found.quads.mean(axis=1)[:, None] - places[None], 2, 0))
        return found.pick(apart.min(axis=1) > 10)

    monkeypatch.setattr(Finder, "find", overlooking)


needs_models = pytest.mark.skipif(not (find_models() / "tiles-read.onnx").exists(), reason="the models are not here")


@needs_models
@pytest.mark.parametrize(
    "overlooked", [("B12",), ("B9",), ("B10",), ("B11", "B12"), ("R3", "O7"), ("B10", "B11", "B12")]
)
def test_tiles_that_locate_overlooked_are_read_all_the_same(
    table: Image, overlooked: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = Frame("table", 0.0, table)
    whole = TableReader().read_table(frame)
    lost = np.array([tile.centre for tile in whole.tiles if str(tile.tile) in overlooked], np.float32)
    assert len(lost) == len(overlooked)
    overlook(monkeypatch, lost)
    assert set(TableReader().read_table(frame).table().sets) == set(parse_table(SETS).sets)


@needs_models
@pytest.mark.parametrize(("other", "share"), [("R4", 0.65), ("R3", 0.65), ("K7", 0.6)])
def test_an_overlooked_tile_is_asked_about_where_its_face_is_doubtful(
    table: Image, other: str, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last tile of a row shows two digits at once: a face for sure, but whose?"""
    quads = {str(tile.tile): np.array(tile.quad) for tile in TableReader().read_table(Frame("table", 0.0, table)).tiles}
    (left, top), (right, bottom) = quads["B12"].min(axis=0).round().astype(int), quads["B12"].max(axis=0).astype(int)
    across, down = (quads[other].mean(axis=0) - quads["B12"].mean(axis=0)).round().astype(int)
    mixed = table.copy()
    digits = table[top + down : bottom + down, left + across : right + across]
    mixed[top:bottom, left:right] = cv2.addWeighted(mixed[top:bottom, left:right], 1 - share, digits, share, 0)
    overlook(monkeypatch, quads["B12"].mean(axis=0, keepdims=True).astype(np.float32))
    reading = TableReader().read_table(Frame("table", 0.0, mixed))
    (there,) = [tile for tile in reading.tiles if np.hypot(*(tile.centre - quads["B12"].mean(axis=0))) < 10]
    assert there.unsure
    assert there.tile is not None
