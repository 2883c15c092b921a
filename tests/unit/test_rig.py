"""The rig's pages say what its numbers say, its shopping list lacks nothing, and its pieces can be printed."""

import math
import runpy
import shutil
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent.parent
RIG: dict[str, Any] = runpy.run_path(str(ROOT / "rig" / "build.py"))
NUMBERS = RIG["numbers"]()


def test_pages_and_drawings_are_those_of_the_numbers() -> None:
    stale = [path.name for path, text in RIG["pages"](NUMBERS).items() if path.read_text("utf-8") != text]
    assert stale == [], "run make rig"


def test_the_shopping_list_has_what_wiring_arm_and_steps_need_and_nothing_else() -> None:
    bought = Counter({part["id"]: part["count"] for part in NUMBERS["part"]})
    needed = RIG["needed"](NUMBERS)
    assert {part: many for part, many in needed.items() if bought[part] < many} == {}
    assert set(bought) == set(needed)


def test_leads_reach_from_the_pi_along_the_arm_to_a_corner_of_the_table() -> None:
    upright, boom = RIG["tubes"](NUMBERS)
    assert RIG["lead"](NUMBERS) >= upright + boom - 300 + NUMBERS["table"]["width"] / 2


@pytest.mark.parametrize("camera", NUMBERS["camera"], ids=lambda camera: camera["name"])
def test_the_camera_sees_the_table_and_its_margin_from_its_height(camera: dict[str, float]) -> None:
    table = NUMBERS["table"]
    across, down = RIG["seen_from"](camera, RIG["height_for"](camera, table))
    assert across >= table["width"] + 2 * table["margin"] - 1e-6
    assert down >= table["depth"] + 2 * table["margin"] - 1e-6


def test_camera_module_3_sees_less_than_900_mm_of_depth_from_1200_mm() -> None:
    _, down = RIG["seen_from"](NUMBERS["camera"][0], 1200)
    assert down == pytest.approx(2 * 1200 * math.tan(math.radians(20.5)))
    assert 890 < down < 900


def test_lamps_are_mirrored_beside_the_table() -> None:
    camera = RIG["height_for"](NUMBERS["camera"][0], NUMBERS["table"])
    half = NUMBERS["table"]["width"] / 2
    # Seen in a mirror lying on the table the lamp is as far below it: the line from the camera to there crosses it.
    assert RIG["mirrored_at"](100, 500, 500) == 50
    assert RIG["mirrored_at"](half + NUMBERS["lamps"]["beside"], NUMBERS["lamps"]["above"], camera) > half


def test_every_lead_has_a_pin_of_its_own() -> None:
    headers = [wire["header"] for wire in NUMBERS["wire"]]
    assert len(set(headers)) == len(headers) == 5
    assert not set(headers) & set(RIG["GROUNDS"])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openscad") is None, reason="openscad is not installed: sudo apt install openscad")
def test_every_piece_is_closed_and_fits_the_printer(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "rig" / "build.py", "--print", tmp_path], check=True, capture_output=True)
    for piece in NUMBERS["piece"]:
        triangles = _triangles((tmp_path / f"{piece['name']}.stl").read_text("ascii"))
        assert np.ptp(triangles.reshape(-1, 3), axis=0).max() <= NUMBERS["arm"]["bed"], piece["name"]
        assert _open_edges(triangles) == 0, piece["name"]


def _triangles(text: str) -> np.ndarray:
    rows = [line.split()[1:] for line in text.splitlines() if line.lstrip().startswith("vertex")]
    return np.array(rows, float).reshape(-1, 3, 3)


def _open_edges(triangles: np.ndarray) -> int:
    """How many edges do not belong to two triangles, once in each direction."""
    corners = [[struct.pack("3f", *point) for point in triangle] for triangle in triangles.round(4)]
    edges = Counter((one[k], one[(k + 1) % 3]) for one in corners for k in range(3))
    return sum(edges[edge] != edges[edge[::-1]] for edge in edges)
