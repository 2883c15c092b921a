"""The page calibrates from the table as it settled: what `referee calibrate` would find, or one line says why not."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.errors import CalibrationError, StorageError
from referee.page.calibration import PageCalibration
from referee.rules.notation import parse_tiles
from referee.sim.render import Painter, TableSetting
from referee.sim.view import LaidTile, View
from referee.storage.profile import load_profile
from referee.vision.image.frame import Frame
from referee.vision.networks.sidecar import find_models
from referee.vision.pipeline import TableReader
from referee.vision.profile import LockedControls, Profile
from referee.vision.watch.watcher import SettledLook
from tests.support.setup_tiles import setup_tiles

pytestmark = pytest.mark.skipif(not (find_models() / "tiles-read.onnx").exists(), reason="no reader model yet")


LOCKED = LockedControls(exposure=10_000.0, gain=2.0, white=(1.8, 1.4))  # of a camera whose focus is fixed


@dataclass
class Settled:
    """A watcher before which a table has settled, or none."""

    settled: SettledLook | None = None
    frame: Frame | None = None
    profile: Profile | None = None


@pytest.fixture(scope="module")
def settled() -> Settled:
    view = View(size=(1920, 1080), width_mm=1750, tilt=(4, -3))
    laid, _ = setup_tiles(view, Random(3))
    frame = Frame("settled", 0.0, Painter(TableSetting(view=view, seats=())).paint(laid))
    return Settled(SettledLook(frame, TableReader().read_table(frame)), frame)


def calibration(watcher: Any, path: Path | None, camera: str | None = "usb:0") -> PageCalibration:
    return PageCalibration(watcher, path, camera, lambda: LOCKED, TableReader())


def test_tiles_alone_tell_lens_table_and_inks(settled: Settled, tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    page = calibration(settled, path)
    told = page.take("setup", None, None)
    assert told["step"] == "setup"
    assert told["size_mm"] == [pytest.approx(1200, abs=12), pytest.approx(900, abs=12)]
    assert 0 < told["error_mm"] < 10
    assert told["inks_why"] is None
    kept = load_profile(path, "usb:0")
    assert set(kept.calibrated_steps) == {"camera", "table", "colours"}
    assert page.profile == kept
    measured = page.take("setup", (1200.0, 900.0), None)
    assert measured["error_mm"] < told["error_mm"]
    assert page.take("colours", None, None) == {"step": "colours"}


def test_focus_and_light_are_locked_before_a_table_is_read(settled: Settled, tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    told = calibration(Settled(frame=settled.frame), path).take("light", None, None)
    assert told == {"step": "light", "not_set": ["focus"]}
    assert load_profile(path, "usb:0").locked == LOCKED
    page = calibration(settled, path)
    page.take("setup", None, None)
    page.take("light", None, None)
    assert set(load_profile(path, "usb:0").calibrated_steps) == {"camera", "table", "colours", "locks"}


def test_jokers_are_learnt_from_a_row_on_the_bare_table(tmp_path: Path) -> None:
    view, path = View(size=(1920, 1080), width_mm=900), tmp_path / "profile.json"
    jokers = parse_tiles("J JD JC JM")
    laid = [LaidTile(tile=tile, copy=0, x=300 + 90 * place, y=250, angle=0.02) for place, tile in enumerate(jokers)]
    frame = Frame("jokers", 0.0, Painter(TableSetting(view=view, seats=())).paint(laid))
    page = calibration(Settled(SettledLook(frame, TableReader().read_table(frame)), frame), path)
    told = page.take("tiles", None, None, "J JD JC JM")
    assert told["tiles"] == ["J", "JD", "JC", "JM"]
    enrolment = load_profile(path, "usb:0").enrolment
    assert enrolment is not None
    assert [face.tile for face in enrolment.faces] == list(jokers)
    for order, line in (("J JD", "tiles seen in the picture: 4, but 2 are named"), ("", "leaves a row empty")):
        with pytest.raises(CalibrationError, match=line):
            page.take("tiles", None, None, order)


def test_what_fails_is_said_and_nothing_is_written(settled: Settled, tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    for page, step, line in (
        (calibration(settled, path), "table", "not seen of the corner markers"),
        (calibration(Settled(frame=settled.frame), path), "setup", "no table has settled yet"),
        (calibration(Settled(), path), "setup", "the camera gives no picture yet"),
        (calibration(Settled(), path), "light", "the camera gives no picture yet"),
        (calibration(settled, path, None), "setup", "no camera with a name"),
    ):
        with pytest.raises(CalibrationError, match=line):
            page.take(step, None, None)
    with pytest.raises(CalibrationError, match=r"900 × 1200 mm does not fit: by the tiles it is 12\d\d × 9\d\d mm"):
        calibration(settled, path).take("setup", (900.0, 1200.0), None)
    with pytest.raises(StorageError, match="nothing is kept of this camera"):
        calibration(settled, None).take("setup", None, None)
    assert not path.exists()
