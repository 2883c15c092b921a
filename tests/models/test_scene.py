"""Rendered tables: every tile is said to be where it is drawn, and full tables hold legal sets."""

from __future__ import annotations

import pytest

cv2 = pytest.importorskip("cv2", reason="rendering needs OpenCV")
pytest.importorskip("PIL", reason="drawing faces needs Pillow")

import numpy as np  # noqa: E402

from models.training.data.render import layout  # noqa: E402
from models.training.data.render.lens import aim  # noqa: E402
from models.training.data.render.scene_generator import full_table, scene, stepped_rack  # noqa: E402
from referee.rules.editions import rule_set  # noqa: E402
from referee.rules.notation import parse_tiles  # noqa: E402
from referee.rules.sets import is_set  # noqa: E402


def test_a_scene_repeats_from_its_seed() -> None:
    first, second = (scene(np.random.default_rng(7), (320, 256)) for _ in range(2))
    assert (first.image == second.image).all()
    assert [t.tile for t in first.tiles] == [t.tile for t in second.tiles]


def test_a_full_table_shows_every_tile_whole_and_apart() -> None:
    table = full_table(np.random.default_rng(3), "original", (960, 544), tiles=80, clean=True)
    assert 60 <= len(table.tiles) <= 80
    assert sorted(i for one in table.sets for i in one) == list(range(len(table.tiles)))
    assert all(t.visible > 0.75 for t in table.tiles)
    for t in table.tiles:
        assert cv2.contourArea(t.quad, oriented=True) > 0, "corners go clockwise on the screen"


def test_faces_lie_where_the_quads_say() -> None:
    """Inside the quads the picture is the box's faces, so its middle grey differs from the bare table's."""
    bright = full_table(np.random.default_rng(5), "original", (960, 544), tiles=70, clean=True, harshness=0.0)
    inside = np.zeros(bright.image.shape[:2], np.uint8)
    for t in bright.tiles:
        cv2.fillConvexPoly(inside, np.round(t.quad).astype(np.int32), 1)
    grey = cv2.cvtColor(bright.image, cv2.COLOR_BGR2GRAY)
    spread = [float(np.median(grey[inside == 1])), float(np.median(grey[inside == 0]))]
    assert abs(spread[0] - spread[1]) > 8


def test_a_step_of_a_rack_covers_the_feet_of_the_tiles_behind_it() -> None:
    for seed in range(4):
        rack = stepped_rack(np.random.default_rng(seed), (800, 600))
        heights = [float(t.quad[:, 1].mean()) for t in rack.tiles]
        front = len(rack.tiles) * 2 // 3
        assert max(heights[:front]) < min(heights[front:]), "the highest step is farthest up in the picture"
        behind, lowest = (np.median([t.visible for t in some]) for some in (rack.tiles[:front], rack.tiles[front:]))
        assert 0.4 < behind < 0.8 < lowest, "nothing but a thing that lies about covers the lowest step"


@pytest.mark.parametrize("bend", [-0.12, 0.12])
def test_the_lens_moves_points_as_it_moves_the_picture(bend: float) -> None:
    camera = aim(np.random.default_rng(1), (400, 300), 2.0, 0.2, bend=bend)
    dot = np.zeros((300, 400, 3), np.uint8)
    cv2.circle(dot, (330, 60), 4, (255, 255, 255), -1)
    y, x = np.nonzero(camera.bend_image(dot)[..., 0] > 100)
    expected = camera.bent(np.array([[330, 60]], np.float32))[0]
    assert np.hypot(x.mean() - expected[0], y.mean() - expected[1]) < 0.7


@pytest.mark.parametrize("edition", ["original", "xp", "twist", "3in1-twist", "3in1-expert"])
def test_legal_tables_are_legal(edition: str) -> None:
    for seed in range(20):
        for one in layout.legal_table(np.random.default_rng(seed), edition, 106):
            assert is_set(parse_tiles(" ".join(one)), rule_set(edition)), one


@pytest.mark.parametrize("edition", ["original", "xp", "twist", "3in1-expert"])
def test_legal_tables_take_no_tile_that_the_box_does_not_hold(edition: str) -> None:
    copies = 3 if edition == "xp" else 2
    for seed in range(8):
        sets = layout.legal_table(np.random.default_rng(seed), edition, 90)
        tiles = [tile for one in sets for tile in one]
        assert 60 <= len(tiles) <= 90
        assert all(len(one) >= 3 for one in sets)
        held = {joker: layout.JOKERS[edition].count(joker) for joker in layout.JOKERS[edition]}
        for tile in set(tiles):
            assert tiles.count(tile) <= held.get(tile, copies)


@pytest.mark.parametrize("seed", range(4))
def test_a_full_table_lies_within_the_picture(seed: int) -> None:
    one = full_table(np.random.default_rng([5, seed]), size=(960, 540), clean=True)
    corners = np.concatenate([tile.quad for tile in one.tiles])
    assert (corners >= 0).all()
    assert (corners <= (960, 540)).all()
    assert min(tile.visible for tile in one.tiles) > 0.5
