"""A tile laid, taken, exchanged or turned over is noticed by the next frame; light and noise are not."""

import importlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from referee.sim.render import Painter, Setting
from referee.vision.watch.change import ChangeDetector


@pytest.fixture(scope="module")
def painter_of() -> Callable[[Setting], Painter]:
    """Gives who paints a table; making one takes far longer than a picture, so the last is kept."""
    return lru_cache(1)(Painter)


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch, painter_of: Callable[[Setting], Painter]) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3]))
    changes = importlib.import_module("benchmarks.changes")
    monkeypatch.setattr(changes, "Painter", painter_of)
    return changes


@pytest.mark.parametrize("kind", ["laid", "taken", "exchanged", "turned over"])
@pytest.mark.parametrize("size", [(1280, 720), (2304, 1296)], ids=["1280", "2304"])
def test_one_tile_that_changes_unseen_is_noticed(changes: Any, size: tuple[int, int], kind: str) -> None:
    scene = changes.Scene(71, size)
    detector = ChangeDetector()
    detector.remember(scene.shoot(), scene.tile_px)
    assert not detector.differs(scene.shoot())
    assert all(detector.differs(scene.shoot(scene.changed(kind))) for _ in range(4))


@pytest.mark.parametrize("kind", ["noise", "a lamp that dims", "a lamp that flickers", "a shadow that moves"])
def test_light_alone_wakes_nobody(changes: Any, kind: str) -> None:
    assert changes.woken(changes.Scene(72, (1280, 720)), kind, 12)[0] == 0


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


def test_a_picture_of_another_size_tells_nothing() -> None:
    detector = ChangeDetector()
    detector.remember(np.zeros((360, 640, 3), np.uint8))
    assert not detector.differs(np.full((180, 320, 3), 200, np.uint8))
