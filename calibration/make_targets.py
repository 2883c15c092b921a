"""Draw the printable calibration targets as PDFs at true scale: a ChArUco board and four corner markers.

Run from the repository root with the `dev` extra installed: python calibration/make_targets.py
"""

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

DPI = 600
MM = DPI / 25.4
PAPERS_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
DICTIONARY = "DICT_4X4_50"
SQUARES = (7, 5)
SQUARE_MM, SQUARE_MARKER_MM = 35.0, 26.0
CORNER_MM = 60.0
CORNER_IDS = {40: "far left", 41: "far right", 42: "near right", 43: "near left"}

Page = NDArray[np.uint8]


def _sheet(paper: str, *, landscape: bool) -> Page:
    width, height = PAPERS_MM[paper]
    width, height = (height, width) if landscape else (width, height)
    return np.full((round(height * MM), round(width * MM)), 255, np.uint8)


def _place(page: Page, picture: Page, left_mm: float, top_mm: float) -> None:
    left, top = round(left_mm * MM), round(top_mm * MM)
    page[top : top + picture.shape[0], left : left + picture.shape[1]] = picture


def _write(page: Page, text: str, left_mm: float, baseline_mm: float, height_mm: float = 4.0) -> None:
    scale = height_mm * MM / 22  # Hershey capitals are 22 units high
    at = (round(left_mm * MM), round(baseline_mm * MM))
    cv2.putText(page, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, 0, max(1, round(0.35 * MM)), cv2.LINE_AA)


def _ruler(page: Page, left_mm: float, top_mm: float) -> None:
    """A 100 mm ruler: the check that the printer did not scale the page."""
    for millimetre in range(0, 101, 5):
        x = round((left_mm + millimetre) * MM)
        length = 6.0 if millimetre % 10 == 0 else 3.5
        cv2.line(page, (x, round(top_mm * MM)), (x, round((top_mm + length) * MM)), 0, round(0.25 * MM))
    _write(page, "100 mm - measure me before use", left_mm + 104, top_mm + 5, 3.0)


def charuco_page(paper: str) -> Page:
    """The ChArUco board for `calibrate camera`, as an 8-bit page at 600 dpi."""
    page = _sheet(paper, landscape=True)
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    board = cv2.aruco.CharucoBoard(SQUARES, SQUARE_MM, SQUARE_MARKER_MM, dictionary)
    size = (round(SQUARES[0] * SQUARE_MM * MM), round(SQUARES[1] * SQUARE_MM * MM))
    left = (page.shape[1] / MM - SQUARES[0] * SQUARE_MM) / 2
    _place(page, np.asarray(board.generateImage(size), np.uint8), left, 12)
    _ruler(page, left, 192)
    _write(
        page,
        f"referee camera board, {DICTIONARY}, squares {SQUARE_MM:g} mm, markers {SQUARE_MARKER_MM:g} mm",
        left,
        204,
        3.0,
    )
    return page


def corners_page(paper: str) -> Page:
    """Four markers to cut out, placed as they will lie around the table, as an 8-bit page at 600 dpi."""
    page = _sheet(paper, landscape=False)
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    for place, (marker, corner) in enumerate(CORNER_IDS.items()):
        left, top = 30 + (place in {1, 2}) * 90, 30 + (place // 2) * 95
        picture = cv2.aruco.generateImageMarker(dictionary, marker, round(CORNER_MM * MM))
        _place(page, np.asarray(picture, np.uint8), left, top)
        _write(page, f"{marker}: {corner}", left, top + CORNER_MM + 8)
    _ruler(page, 30, 225)
    _write(page, f"referee corner markers, {DICTIONARY}, {CORNER_MM:g} mm", 30, 240, 3.0)
    return page


def main() -> None:
    """Write every target and its measures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent, metavar="DIR", help="default: beside this script"
    )
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    for paper in PAPERS_MM:
        for name, page in (("charuco", charuco_page(paper)), ("corners", corners_page(paper))):
            path = folder / f"{name}-{paper}.pdf"
            Image.fromarray(page).convert("1", dither=Image.Dither.NONE).save(path, resolution=DPI)
            print(path.name, f"{page.shape[1] / MM:.1f} x {page.shape[0] / MM:.1f} mm")
    measures = {
        "dictionary": DICTIONARY,
        "charuco": {"squares": SQUARES, "square_mm": SQUARE_MM, "marker_mm": SQUARE_MARKER_MM},
        "corners": {"marker_mm": CORNER_MM, "ids": CORNER_IDS},
    }
    (folder / "measures.json").write_text(json.dumps(measures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
