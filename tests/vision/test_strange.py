"""Strange worlds: what lies there, and what a calibrated camera knows of it."""

import numpy as np
import pytest

pytest.importorskip("PIL", reason="rendering needs the train extra")

from models.training.data.render.fonts import fonts
from models.training.data.render.pages import PAGES
from models.training.evaluate.strange import among_things, pages, strange_worlds, strewn, tile_worlds

pytestmark = pytest.mark.skipif(not fonts(), reason="pages are printed in fonts: apt install fonts-dejavu-core")


def test_a_calibrated_camera_sees_drawn_tiles_at_their_true_size() -> None:
    picture = next(among_things(1, 5, calibrated=True)).picture
    plane = picture.profile and picture.profile.plane
    assert plane
    quads = np.array([tile.outline for tile in picture.tiles], np.float32)
    assert len(quads) == 10
    np.testing.assert_allclose(plane.sizes(quads), np.tile([38.0, 27.0], (10, 1)), rtol=0.01)


def test_each_kind_of_page_is_drawn_and_shows_print_but_no_tile() -> None:
    drawn = list(pages(len(PAGES), 3))
    assert [picture.name.partition("-")[0] for picture in drawn] == [*PAGES]
    assert all(picture.tiles == () and picture.image.std() > 10 for picture in drawn)


def test_strewn_tiles_lie_every_way_up_and_nowhere_on_each_other() -> None:
    picture = next(strewn(1, 3))
    ups = [tile.outline[0] - tile.outline[3] for tile in picture.tiles]
    assert len(ups) >= 10
    assert np.ptp([np.arctan2(y, x) for x, y in ups]) > np.pi / 2


def test_worlds_are_drawn_anew_each_time_and_alike() -> None:
    for made in (*strange_worlds(None, 1, 3).values(), *tile_worlds(1, 3).values()):
        one, again = next(made()), next(made())
        assert np.array_equal(one.image, again.image)
