"""The printable targets are true to scale and can be found by the detector that will look for them."""

import json
import re
import runpy
from pathlib import Path

import cv2
import numpy as np
import pytest

FOLDER = Path(__file__).parent.parent.parent / "calibration"
MEASURES = json.loads((FOLDER / "measures.json").read_text(encoding="utf-8"))
POINTS_PER_MM = 72 / 25.4


@pytest.mark.parametrize(
    ("name", "width_mm", "height_mm"),
    [
        ("charuco-a4", 297.0, 210.0),
        ("corners-a4", 210.0, 297.0),
        ("charuco-letter", 279.4, 215.9),
        ("corners-letter", 215.9, 279.4),
    ],
)
def test_page_is_as_large_as_the_paper(name: str, width_mm: float, height_mm: float) -> None:
    box = re.search(rb"/MediaBox \[\s*0 0 ([\d.]+) ([\d.]+)", (FOLDER / f"{name}.pdf").read_bytes())
    assert box is not None
    assert float(box[1]) == pytest.approx(width_mm * POINTS_PER_MM, abs=0.2)
    assert float(box[2]) == pytest.approx(height_mm * POINTS_PER_MM, abs=0.2)


def test_drawn_markers_are_found_with_the_size_that_is_written_down() -> None:
    targets = runpy.run_path(str(FOLDER / "make_targets.py"))
    page = targets["corners_page"]("a4")
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, MEASURES["dictionary"]))
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(cv2.resize(page, None, fx=0.25, fy=0.25))
    sides_mm = [float(np.linalg.norm(quad[0][0] - quad[0][1])) * 4 / targets["MM"] for quad in corners]
    assert sorted(int(i) for i in np.ravel(ids)) == sorted(int(i) for i in MEASURES["corners"]["ids"])
    places = {int(marker): quad[0].mean(axis=0) for marker, quad in zip(np.ravel(ids), corners, strict=True)}
    assert places[40][0] < places[41][0], "far left, far right"
    assert places[43][0] < places[42][0], "near left, near right"
    assert max(places[40][1], places[41][1]) < min(places[42][1], places[43][1]), "the sheet lies as the table does"
    assert sides_mm == pytest.approx([MEASURES["corners"]["marker_mm"]] * 4, abs=0.5)
