"""The page calibrates from the table as it settled: what `referee calibrate` would find, or one line says why not."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.errors import CalibrationError, StorageError
from referee.reading.observation import TableReading
from referee.service.page_calibration import PageCalibration
from referee.sim.render import Painter, Setting
from referee.sim.setup_tiles import lay_for_setup
from referee.sim.view import View
from referee.storage.profile import load_profile
from referee.vision.image.frame import Frame
from referee.vision.networks.sidecar import find_models
from referee.vision.pipeline import TableReader
from referee.vision.profile import Profile

pytestmark = pytest.mark.skipif(not (find_models() / "tiles-read.onnx").exists(), reason="no reader model yet")


@dataclass
class Settled:
    """A watcher before which a table has settled, or none."""

    settled_frame: Frame | None = None
    last_reading: TableReading | None = None
    profile: Profile | None = None


@pytest.fixture(scope="module")
def settled() -> Settled:
    view = View(size=(1920, 1080), width_mm=1750, tilt=(4, -3))
    laid, _ = lay_for_setup(view, Random(3))
    frame = Frame("settled", 0.0, Painter(Setting(view=view, seats=())).paint(laid))
    return Settled(frame, TableReader().read_table(frame))


def calibration(watcher: Any, path: Path | None, camera: str | None = "usb:0") -> PageCalibration:
    return PageCalibration(watcher, path, camera)


def test_tiles_alone_tell_lens_table_and_inks(settled: Settled, tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    page = calibration(settled, path)
    told = page.take("setup", None, None)
    assert told["step"] == "setup"
    assert told["size_mm"] == [pytest.approx(1200, abs=12), pytest.approx(900, abs=12)]
    assert 0 < told["error_mm"] < 10
    assert told["inks_why"] is None
    kept = load_profile(path, "usb:0")
    assert set(kept.knows) == {"camera", "table", "colours"}
    assert page.profile == kept
    measured = page.take("setup", (1200.0, 900.0), None)
    assert measured["error_mm"] < told["error_mm"]
    assert page.take("colours", None, None) == {"step": "colours"}


def test_what_fails_is_said_and_nothing_is_written(settled: Settled, tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    for page, step, line in (
        (calibration(settled, path), "table", "not seen of the corner markers"),
        (calibration(Settled(), path), "setup", "no table has settled yet"),
        (calibration(settled, path, None), "setup", "no camera with a name"),
    ):
        with pytest.raises(CalibrationError, match=line):
            page.take(step, None, None)
    with pytest.raises(StorageError, match="nothing is kept of this camera"):
        calibration(settled, None).take("setup", None, None)
    assert not path.exists()
