"""What is written down about calibration agrees with the code: measures, example profile."""

import json
from pathlib import Path

import pytest

from referee.storage.profile import load_profile
from referee.vision.calibrate import markers

FOLDER = Path(__file__).parent.parent.parent.parent / "calibration"


def test_the_code_knows_the_printed_measures() -> None:
    measures = json.loads((FOLDER / "measures.json").read_text("utf-8"))
    assert measures["dictionary"] == "DICT_4X4_50"
    assert tuple(measures["charuco"]["squares"]) == markers.SQUARES
    assert measures["charuco"]["square_mm"] == markers.SQUARE_MM
    assert measures["charuco"]["marker_mm"] == markers.SQUARE_MARKER_MM
    assert measures["corners"]["marker_mm"] == markers.CORNER_MM
    assert {int(marker): place for marker, place in measures["corners"]["ids"].items()} == dict(markers.CORNERS)


def test_the_example_profile_can_be_loaded() -> None:
    profile = load_profile(FOLDER / "example-profile.json")
    assert profile.intrinsics is not None
    assert profile.intrinsics.error_px < 0.3
    assert profile.table is not None
    assert profile.table.size_mm == pytest.approx((1200, 900), abs=0.5)
    assert profile.inks is not None
