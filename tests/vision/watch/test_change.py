"""A tile laid, taken, exchanged or turned over is noticed by the next frame; light and noise are not."""

import importlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from referee.sim.render import Painter, TableSetting
from referee.sim.table_objects import ObjectKind, TableObject
from referee.vision.detect.detection_scale import fit_zoom
from referee.vision.image.frame import Frame
from referee.vision.pipeline import TableReader
from referee.vision.watch.change import ChangeDetector, changed_samples


@pytest.fixture(scope="module")
def painter_of() -> Callable[[TableSetting], Painter]:
    """Gives who paints a table; making one takes far longer than a picture, so the last is kept."""
    return lru_cache(1)(Painter)


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch, painter_of: Callable[[TableSetting], Painter]) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3]))
    changes = importlib.import_module("benchmarks.changes")
    monkeypatch.setattr(changes, "Painter", painter_of)
    return changes


@pytest.mark.parametrize("kind", ["laid", "taken", "exchanged", "turned over"])
@pytest.mark.parametrize("size", [(1280, 720), (2304, 1296)], ids=["1280", "2304"])
def test_one_tile_that_changes_unseen_is_noticed(changes: Any, size: tuple[int, int], kind: str) -> None:
    scene = changes.Scene(71, size)
    detector = ChangeDetector()
    detector.remember(scene.capture(), scene.tile_px)
    assert not detector.differs(scene.capture())
    assert all(detector.differs(scene.capture(scene.with_change(kind))) for _ in range(4))


@pytest.mark.parametrize("kind", ["noise", "a lamp that dims", "a lamp that flickers", "a shadow that moves"])
def test_light_alone_wakes_nobody(changes: Any, kind: str) -> None:
    assert changes.count_false_alarms(changes.Scene(72, (1280, 720)), kind, 12)[0] == 0


@pytest.mark.parametrize("kind", ["laid", "taken", "exchanged", "turned over"])
@pytest.mark.parametrize("light", ["half", "bands"])
def test_one_tile_that_changes_in_other_light_is_noticed(changes: Any, kind: str, light: str) -> None:
    scene = changes.Scene(73, (1280, 720))
    rows = 1 + 0.14 * np.sin(np.linspace(0, 9 * np.pi, 720))[:, None, None]

    def seen(image: Any) -> Any:
        return np.clip(image * (0.5 if light == "half" else rows), 0, 255).astype(np.uint8)

    detector = ChangeDetector()
    detector.remember(scene.capture(), scene.tile_px)
    assert not detector.differs(seen(scene.capture()))
    detector.remember(scene.capture())
    assert all(detector.differs(seen(scene.capture(scene.with_change(kind)))) for _ in range(4))


def test_what_lies_off_the_table_is_left_out() -> None:
    plain = np.full((360, 640, 3), 90, np.uint8)
    changed = plain.copy()
    changed[100:120, 40:60] = 230
    right_half = np.zeros((9, 16), np.bool_)
    right_half[:, 8:] = True
    for on_table, differs in ((right_half, False), (~right_half, True)):
        detector = ChangeDetector()
        detector.remember(plain)
        assert detector.differs(changed, on_table) is differs


def test_the_dark_table_beside_a_new_bright_tile_has_not_changed() -> None:
    """Light is measured over two tiles: beside a bright one all else would be darker than expected."""
    table = np.full((60, 80, 3), 45, np.uint8)
    with_tile = table.copy()
    with_tile[20:37, 30:42] = 235
    where = changed_samples(table, with_tile)
    assert where[20:37, 30:42].all()
    assert where.sum() == 17 * 12


def test_a_picture_of_another_size_tells_nothing() -> None:
    detector = ChangeDetector()
    detector.remember(np.zeros((360, 640, 3), np.uint8))
    assert not detector.differs(np.full((180, 320, 3), 200, np.uint8))


@pytest.mark.parametrize("seed", range(71, 77))
def test_a_tile_laid_alone_is_looked_for_where_it_lies(changes: Any, seed: int) -> None:
    scene = changes.Scene(seed, (1280, 720))
    detector = ChangeDetector()
    detector.remember(scene.capture(), scene.tile_px)
    assert not len(detector.changed_quads(scene.capture()))
    laid = scene.with_change("laid")
    there = scene.setting.view.quad(laid[-1], scene.setting.style.thickness)
    (place,) = detector.changed_quads(scene.capture(laid))
    apart = [np.abs(np.roll(place, turn, axis=0) - there).max() for turn in (0, 2)]
    assert min(apart) < 0.35 * scene.tile_px


def test_what_is_larger_or_smaller_than_a_tile_is_no_place_for_one() -> None:
    plain = np.full((360, 640, 3), 90, np.uint8)
    detector = ChangeDetector()
    detector.remember(plain, 24)
    for width, height, places in ((24, 34, 1), (72, 34, 0), (10, 10, 0), (100, 140, 0)):
        changed = plain.copy()
        changed[100 : 100 + height, 40 : 40 + width] = 230
        assert len(detector.changed_quads(changed)) == places


def test_a_tile_on_a_coaster_is_read_where_the_table_changed(changes: Any) -> None:
    """The locate model takes the coaster and the tile for one thing, or for none."""
    scene, reader = changes.Scene(3, (1280, 960)), TableReader()
    scene.laid = scene.laid[:12]
    spot = scene.with_change("laid")[-1]
    coaster = TableObject(kind=ObjectKind.COASTER, x=spot.x + 12, y=spot.y - 9, angle=0.7, seed=4)
    bare, laid = (
        np.asarray(scene.painter.paint(tiles, objects=(coaster,), noise_index=shot))
        for shot, tiles in enumerate((scene.laid, [*scene.laid, spot]))
    )
    detector = ChangeDetector()
    detector.remember(bare, scene.tile_px)
    zoom = fit_zoom(reader.read_table(Frame("bare", 0.0, bare)))
    looks = [
        reader.read_table(Frame("laid", 1.0, laid), zoom=zoom, known=known)
        for known in (None, detector.changed_quads(laid))
    ]
    overlooked, seen = ([tile.tile for tile in look.tiles if not tile.unsure] for look in looks)
    assert len(overlooked) == len(scene.laid)
    assert sorted(map(str, seen)) == sorted(str(tile.tile) for tile in (*scene.laid, spot))


def test_pictures_are_shrunk_alike_while_tiles_seem_of_about_the_same_width() -> None:
    plain = np.full((360, 640, 3), 90, np.uint8)
    detector = ChangeDetector()
    one, other, closer = (detector.remember(plain, width).shape for width in (24.0, 24.6, 40.0))
    assert one == other != closer
