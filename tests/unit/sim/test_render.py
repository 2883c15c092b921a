"""What is drawn lies where it is said to lie, and the same call draws the same picture."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, product

import cv2
import numpy as np
import pytest

from referee.rules.tiles import ALL_TILES, Colour, Joker, NumberTile
from referee.sim.faces import STYLES, FacePhotographs, TileStyle, face
from referee.sim.glyphs import Lettering, number_outlines
from referee.sim.hands import Hand, paint_hand
from referee.sim.render import Painter, TableSetting
from referee.sim.surfaces import SURFACES
from referee.sim.view import LaidTile, View
from referee.vision.image.frame import Image

VIEW = View(size=(640, 480), width_mm=400.0)


def tile(text: str, x: float, y: float, angle: float = 0.0) -> LaidTile:
    colour = Colour(text[0])
    return LaidTile(tile=NumberTile(colour, int(text[1:])), copy=0, x=x, y=y, angle=angle)


def inside(quad: np.ndarray, share: float) -> np.ndarray:
    mask = np.zeros((480, 640), np.uint8)
    middle = quad.mean(axis=0)
    cv2.fillConvexPoly(mask, np.round(middle + (quad - middle) * share).astype(np.int32), 255)
    return mask > 0


@pytest.mark.parametrize("surface", ["wood", "cloth", "painted"])
@pytest.mark.parametrize("angle", [0.0, 0.4, 1.6, 3.1, -2.0])
def test_a_tile_is_bright_inside_its_quad_and_the_table_dark_outside(surface: str, angle: float) -> None:
    setting = TableSetting(view=VIEW, surface=surface, seats=(), seed=4)
    laid = tile("B1", 220, 130, angle)
    with_tile = Painter(setting).paint([laid]).astype(int).sum(axis=2)
    without = Painter(setting).paint([]).astype(int).sum(axis=2)
    quad = VIEW.quad(laid, setting.style.thickness)
    changed = with_tile - without
    assert np.median(changed[inside(quad, 0.9)]) > 60
    assert np.max(changed[~inside(quad, 1.25)]) < 60  # a shadow at most


def test_a_photographed_face_is_shown_where_there_is_one_and_its_copies_in_turn() -> None:
    first, second = (np.full((76, 54, 3), level, np.uint8) for level in (90, 140))
    blue, red = NumberTile(Colour.BLUE, 1), NumberTile(Colour.RED, 1)
    photographed = replace(STYLES["classic"], photographs=FacePhotographs({blue: (first, second)}))
    middles = [face(blue, copy, photographed, 2.0, 0)[0][30:46, 20:34].mean() for copy in (0, 1, 2)]
    assert middles[0] == pytest.approx(middles[2])
    assert middles[1] - middles[0] == pytest.approx(50, abs=5)
    drawn = [face(red, 0, style, 2.0, 0)[0] for style in (photographed, STYLES["classic"])]
    assert (drawn[0] == drawn[1]).all()


def test_the_digit_stands_in_the_upper_half_of_its_quad() -> None:
    laid = tile("K8", 200, 150, 0.3)
    image = Painter(TableSetting(view=VIEW, seats=())).paint([laid])
    quad = VIEW.quad(laid, 8.5).astype(np.float32)
    upright = cv2.getPerspectiveTransform(quad, np.float32([[0, 0], [54, 0], [54, 76], [0, 76]]))
    grey = cv2.cvtColor(cv2.warpPerspective(image, upright, (54, 76)), cv2.COLOR_BGR2GRAY)[6:-6, 6:-6]
    rows = np.nonzero(grey < 110)[0]
    assert rows.size > 40
    assert rows.mean() < 0.4 * grey.shape[0]


@pytest.mark.parametrize("tilt", [(44.0, 0.0), (-44.0, 0.0), (0.0, 44.0), (0.0, -44.0), (30.0, -30.0)])
@pytest.mark.parametrize("angle", [0.0, 0.7, 1.6])
def test_tiles_that_touch_leave_each_other_s_faces_free_from_wherever_they_are_seen(
    tilt: tuple[float, float], angle: float
) -> None:
    """They are of one height; the side of one had been drawn over the digit of the next."""
    view = View(size=(640, 480), width_mm=400.0, tilt=tilt, field_factor=1.3)
    step = 26.0 * np.array([np.cos(angle), np.sin(angle)])
    row = [tile(f"R{5 + place}", *((200, 150) + place * step), angle) for place in (-1, 0, 1)]
    setting = TableSetting(view=view, seats=(), seed=3)
    together = Painter(setting).paint(row)
    for one in row:
        alone = Painter(setting).paint([one])
        face_of_it = inside(view.quad(one, setting.style.thickness), 0.8)
        assert face_of_it.sum() > 200
        assert cv2.absdiff(alone, together)[face_of_it].max() <= 3


class Plainly(Painter):
    """Makes every picture from the whole canvas, keeping nothing of the last one but that."""

    def paint(self, laid: Iterable[LaidTile], hands: Sequence[Hand] = (), *, shot: int = 0) -> Image:
        self._update_tiles(tuple(laid))
        image = self._canvas.copy()
        for hand in hands:
            paint_hand(image, hand, self._view, self._setting.light, self._lamp)
        seen = cv2.GaussianBlur(image, (3, 3), self._setting.blur).astype(int)
        row, column = np.random.default_rng((self._setting.seed, shot)).integers(0, 64, 2)
        height, width = seen.shape[:2]
        window = slice(row, row + height), slice(column, column + width)
        return np.clip(seen + self._brighter[window] - self._darker[window], 0, 255).astype(np.uint8)


def test_what_is_kept_of_the_last_picture_changes_no_pixel_of_the_next() -> None:
    setting = TableSetting(view=VIEW, seed=5)
    kept, plain = Painter(setting), Plainly(setting)
    rows = [[tile("R5", 100, 100)], [tile("R5", 100, 100), tile("K6", 5, 8)], [tile("O9", 395, 290, 1.0)], []]
    hands = [[], [Hand(x=200, y=95, angle=0.0)], [Hand(x=5, y=290, angle=1.5), Hand(x=30, y=250, angle=3.0)], []]
    for shot, (laid, over) in enumerate(product(rows, hands)):
        assert np.array_equal(kept.paint(laid, over, noise_index=shot), plain.paint(laid, over, shot=shot))


def test_drawing_only_what_changed_gives_the_same_picture_as_drawing_all() -> None:
    first = [tile("R5", 100, 100), tile("R6", 128, 100.5), tile("R7", 156, 99.5)]
    then = [first[0], tile("R6", 128, 101, 0.2), tile("O9", 250, 180, 1.0)]
    setting = TableSetting(view=VIEW, seed=3)
    step_by_step = Painter(setting)
    step_by_step.paint(first)
    difference = cv2.absdiff(step_by_step.paint(then), Painter(setting).paint(then))
    assert difference.max() <= 3


def test_the_same_call_gives_the_same_pixels_and_another_shot_other_noise() -> None:
    setting = TableSetting(view=VIEW, seed=3)
    one, again = (Painter(setting).paint([tile("R5", 100, 100)], noise_index=7) for _ in range(2))
    other = Painter(setting).paint([tile("R5", 100, 100)], noise_index=8)
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert cv2.absdiff(one, other).mean() < 4


def test_a_hand_covers_what_lies_under_it() -> None:
    setting = TableSetting(view=VIEW, seed=3)
    laid = [tile("B1", 200, 130)]
    free, covered = Painter(setting).paint(laid), Painter(setting).paint(laid, [Hand(x=200, y=95, angle=0.0)])
    under = inside(VIEW.quad(laid[0], 8.5), 0.6)
    assert cv2.absdiff(free, covered)[under].mean() > 20


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES.keys())
def test_no_two_faces_of_a_box_look_alike(style: TileStyle) -> None:
    pictures = {str(one): face(one, 0, style, 1.5, 0)[0].astype(int) for one in ALL_TILES}
    coloured = {str(one) for one in ALL_TILES if isinstance(one, Joker) and one.colour is not None}
    for first, second in combinations(pictures, 2):
        if first in coloured or second in coloured:
            continue  # a coloured joker is a regular one in a colour that counts
        assert np.abs(pictures[first] - pictures[second]).mean() > 0.8, (first, second)


@pytest.mark.parametrize("surface", SURFACES)
def test_every_surface_is_textured(surface: str) -> None:
    image = SURFACES[surface](np.random.default_rng(1), (200, 150), 1.3)
    assert image.shape == (150, 200, 3)
    assert image.std() > 2


def test_every_number_is_one_digit_height_tall_and_two_digits_are_wider_than_one() -> None:
    widths = []
    for number in range(1, 14):
        points = np.concatenate(number_outlines(number, Lettering()))
        assert np.ptp(points[:, 1]) == pytest.approx(1.0, abs=0.03)
        widths.append(float(np.ptp(points[:, 0])))
    assert max(widths[:9]) < min(widths[9:])


def test_the_back_of_a_tile_is_blank() -> None:
    picture, _ = face(None, 0, STYLES["classic"], 1.5, 0)
    middle = picture[8:-8, 8:-8].astype(int)
    assert middle.std(axis=(0, 1)).max() < 4


def test_a_view_sees_further_points_further_out() -> None:
    spots = VIEW.project_flat(np.array([[x, 150.0] for x in range(0, 401, 50)]))
    assert all(a[0] < b[0] for a, b in pairwise(spots))
    raised = VIEW.project(np.array([[380.0, 150.0, 40.0]]))[0]
    assert raised[0] > VIEW.project(np.array([[380.0, 150.0, 0.0]]))[0][0]
