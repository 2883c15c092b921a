"""A camera without markers is pushed by 5 to 30 mm and 1 to 3 degrees: the tiles that lie there put the table right."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

import cv2
import numpy as np
import pytest

from benchmarks.setup_tiles import SETS, count_right_sets, lay_sets, true_lens, true_plane
from referee.reading.inputs import CameraBumped, Input, TableSettled
from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.sim.faces import STYLES
from referee.sim.render import Painter, TableSetting
from referee.sim.view import LaidTile, View
from referee.vision.geometry.optics import Points
from referee.vision.image.frame import Frame, Image
from referee.vision.networks.sidecar import find_models
from referee.vision.pipeline import TableReader
from referee.vision.profile import Profile
from referee.vision.watch.camera_shift import find_shift, relocate_by_tiles
from referee.vision.watch.watcher import Watcher
from tests.support.setup_tiles import TABLE_MM, setup_view

THICKNESS = 8.0
MAX_BESIDE_MM = 20.0  # so far beside the table a tile still counts
needs_models = pytest.mark.skipif(not (find_models() / "tiles-read.onnx").exists(), reason="no reader model yet")


@dataclass(frozen=True, kw_only=True)
class Pushed(View):
    """A camera that stands beside where it looks straight down."""

    aside: tuple[float, float] = (0.0, 0.0)

    @cached_property
    def _eye(self) -> Points:
        middle = np.array([self.width_mm / 2, self.height_mm / 2, 0])
        return np.asarray(middle - self._axes[2] * self.height_above + (*self.aside, 0.0))


def pushed(view: View, rng: Random) -> Pushed:
    """The camera moved by 5 to 30 mm, leaning 1 to 3 degrees more; half of the time turned where it stands."""
    way, lean, far = rng.uniform(0, 6.28), rng.uniform(1, 3), rng.uniform(5, 30)
    far += view.height_above * np.tan(np.radians(lean)) * rng.choice((0, 1))
    parts = {name: getattr(view, name) for name in ("size", "width_mm", "height_above", "distortion", "field_factor")}
    return Pushed(
        **parts,
        tilt=(view.tilt[0] + lean * np.cos(way), view.tilt[1] + lean * np.sin(way)),
        turn=view.turn + rng.uniform(-3, 3),
        aside=(far * np.cos(way), far * np.sin(way)),
    )


def corners_of(view: View) -> Points:
    left, top = (view.width_mm - TABLE_MM[0]) / 2, (view.height_mm - TABLE_MM[1]) / 2
    return np.array([left, top]) + np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]) * TABLE_MM


def known(view: View) -> Profile:
    plane = true_plane(view, THICKNESS, corners_of(view))
    return Profile(camera="simulated", size=view.size, intrinsics=true_lens(view), table=plane)


def seen(view: View, tiles: Sequence[LaidTile], rng: Random, noise_px: float = 0.3) -> TableReading:
    """Each tile read truly, and found as inexactly as in pictures."""
    found = []
    for one in tiles:
        quad = view.quad(one, THICKNESS) + 0.5 + (rng.gauss(0, noise_px), rng.gauss(0, noise_px))
        found.append(TileReading(quad=tuple((x, y) for x, y in quad.tolist()), tile=one.tile, confidence=1.0))
    return TableReading(frame_id="f", at=0.0, tiles=tuple(found), layouts=lay_out_tiles(tuple(found)))


def plain(view: View) -> Image:
    return np.full((view.size[1], view.size[0], 3), 90, np.uint8)


def test_the_table_is_where_the_tiles_say() -> None:
    off, told = [], []
    for number in range(20):
        rng = Random(number)
        view = setup_view(rng, tilt_degrees=5.0)
        tiles = lay_sets(view, rng).tiles
        moved = pushed(view, rng)
        push = find_shift(seen(view, tiles, rng), seen(moved, tiles, rng))
        if push is None:
            continue  # so small in the picture that no reading changes
        profile = relocate_by_tiles(known(view), push, plain(view), plain(view))
        assert profile is not None
        assert profile.table is not None
        places = known(view).to_table(view.project_flat(corners_of(view), THICKNESS) + 0.5)
        now = profile.to_table(moved.project_flat(corners_of(view), THICKNESS) + 0.5)
        off.append(np.linalg.norm(now - places, axis=1).max())
        told.append(profile.table.error_mm)
    assert len(off) > 15
    assert np.median(off) < 3
    assert max(off) < MAX_BESIDE_MM / 2
    assert np.all(np.array(off) < 5 * np.array(told))


def test_tiles_close_together_do_not_tell_where_the_far_corners_are() -> None:
    rng = Random(3)
    view = setup_view(rng, tilt_degrees=3.0)
    tiles = lay_sets(view, rng).tiles[:3]
    close = [
        replace(tile, x=600 + 27.1 * column, y=450 + 60.0 * row, angle=0.0, copy=row)
        for row in range(3)
        for column, tile in enumerate(tiles)
    ]
    push = find_shift(seen(view, close, rng), seen(pushed(view, Random(1)), close, rng))
    assert push is not None
    assert relocate_by_tiles(known(view), push, plain(view), plain(view)) is None


def test_tiles_that_slid_over_the_table_tell_nothing_of_it() -> None:
    rng = Random(4)
    view = setup_view(rng, tilt_degrees=3.0)
    tiles = lay_sets(view, rng).tiles
    push = find_shift(
        seen(view, tiles, rng), seen(view, [replace(tile, x=tile.x + 25, y=tile.y + 9) for tile in tiles], rng)
    )
    assert push is not None
    veined = cv2.GaussianBlur(np.random.default_rng(1).integers(0, 255, plain(view).shape, np.uint8), (0, 0), 6)
    assert relocate_by_tiles(known(view), push, veined, veined) is None
    assert relocate_by_tiles(known(view), push, plain(view), plain(view)) is not None


@needs_models
def test_sets_are_read_right_after_a_push_and_it_is_said() -> None:
    rng = Random(7)
    view = replace(
        setup_view(rng, tilt_degrees=3.0), size=(1280, 960), width_mm=1300.0, distortion=0.0, field_factor=1.1
    )
    moved = replace(pushed(view, rng), aside=(25.0, -12.0))
    laid = lay_sets(view, rng).tiles
    before = Painter(TableSetting(view=view, style=STYLES["classic"], seed=7, seats=())).paint(laid)
    around = corners_of(view)
    there = cv2.getPerspectiveTransform(
        *(one.project_flat(around, THICKNESS).astype(np.float32) for one in (view, moved))
    )
    after = cv2.warpPerspective(before, there, view.size, borderMode=cv2.BORDER_REPLICATE)
    watcher = Watcher(TableReader(), {}, profile=known(view))

    def watch(picture: Image, first: int, frames: int = 12) -> list[Input]:
        return [
            entered
            for number in range(first, first + frames)
            for entered in watcher.watch(Frame(f"f{number}", 0.4 * number, picture))
        ]

    def right(said: list[Input]) -> int:
        reading = [entered.reading for entered in said if isinstance(entered, TableSettled)][-1]
        return count_right_sets(reading.layouts[0].sets, [str(tile.tile) for tile in reading.tiles])

    assert right(watch(before, 1)) == len(SETS)
    said = watch(after, 20)
    assert [entered.seen for entered in said if isinstance(entered, CameraBumped)] == [True]
    assert right(said) == len(SETS)
    assert watcher.profile is not None
    places = known(view).to_table(view.project_flat(around, THICKNESS) + 0.5)
    now = watcher.profile.to_table(moved.project_flat(around, THICKNESS) + 0.5)
    assert np.linalg.norm(now - places, axis=1).max() < MAX_BESIDE_MM / 2
