"""`referee calibrate setup`: lens, table and inks from tiles alone are as simulated, or one line says why not."""

import json
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest

from referee.cli.main import main
from referee.errors import CalibrationError
from referee.sim.faces import STYLES
from referee.sim.render import Painter, TableSetting
from referee.sim.view import LaidTile, View
from referee.storage.profile import load_profile
from referee.vision.calibrate.table_plane import table_frame
from referee.vision.calibrate.tile_plane import TilePlane, fit_tiles
from referee.vision.geometry.homography import project_points
from referee.vision.geometry.optics import Points
from referee.vision.image.frame import Frame
from referee.vision.networks.sidecar import find_models
from referee.vision.pipeline import TableReader
from tests.support.setup_tiles import setup_tiles, setup_view

THICKNESS = 8.0
needs_models = pytest.mark.skipif(not (find_models() / "tiles-read.onnx").exists(), reason="no reader model yet")


def seen(view: View, laid: tuple[LaidTile, ...], rng: Random, noise_px: float = 0.2) -> Points:
    """The tiles' corners in pixels, each tile's outline found as inexactly as in pictures."""
    quads = np.array([view.quad(one, THICKNESS) + 0.5 for one in laid])
    shifts = [[rng.gauss(0, noise_px), rng.gauss(0, noise_px)] for _ in laid]
    middles = quads.mean(axis=1, keepdims=True)
    grown = [1 + rng.gauss(0, 0.01) for _ in laid]
    return np.asarray(middles + (quads - middles) * np.reshape(grown, (-1, 1, 1)) + np.reshape(shifts, (-1, 1, 2)))


def outline_error_mm(found: TilePlane, outer: Points) -> float:
    off = np.array(found.table.outline) - project_points(table_frame(outer[0], outer[1]), outer)
    return float(np.linalg.norm(off, axis=1).max())


@pytest.mark.parametrize("tilt", [3.0, 20.0], ids=["straight above", "leaning"])
def test_the_outline_is_right_and_so_is_the_error_told(tilt: float) -> None:
    errors, told = [], []
    for number in range(3):
        rng = Random(f"{tilt} {number}")
        view = setup_view(rng, tilt_degrees=tilt)
        laid, outer = setup_tiles(view, rng)
        found = fit_tiles(seen(view, laid, rng), view.size)
        errors.append(outline_error_mm(found, outer))
        told.append(found.table.error_mm or 0.0)
    assert np.median(errors) < 5
    assert np.all(np.array(errors) < 3 * np.array(told))


def test_a_measured_table_leaves_no_doubt_of_its_size() -> None:
    rng = Random(5)
    view = setup_view(rng, tilt_degrees=3.0)
    laid, outer = setup_tiles(view, rng)
    quads = seen(view, laid, rng)
    width, depth = np.ptp(project_points(table_frame(outer[0], outer[1]), outer), axis=0)
    free, measured = fit_tiles(quads, view.size), fit_tiles(quads, view.size, sides_mm=(width, depth))
    assert (measured.table.error_mm or 0) < (free.table.error_mm or 0)
    assert measured.table.size_mm == pytest.approx((width, depth), abs=3)


def test_the_order_and_turn_of_tiles_do_not_matter() -> None:
    rng = Random(6)
    view = setup_view(rng, tilt_degrees=3.0)
    laid, _ = setup_tiles(view, rng)
    quads = seen(view, laid, rng)
    half_turned = np.roll(quads[::-1], 2, axis=1)
    one, other = fit_tiles(quads, view.size), fit_tiles(half_turned, view.size)
    assert np.array(one.table.outline) == pytest.approx(np.array(other.table.outline), abs=0.01)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param(lambda quads: quads[:9], "tiles seen: 9, and 10 are needed; push four tiles", id="few"),
        pytest.param(lambda quads: quads[::2], "tiles in rows: 0, and 10 are needed", id="no rows"),
        pytest.param(lambda quads: np.delete(quads, range(12, 16), axis=0), "no flat table fits", id="a corner bare"),
        pytest.param(
            lambda quads: np.concatenate([quads[:16], quads[16:] * 1.3 - 200]), "no flat table fits", id="two sizes"
        ),
    ],
)
def test_what_does_not_lie_as_it_should_is_said(change: object, reason: str) -> None:
    rng = Random(7)
    view = setup_view(rng, tilt_degrees=3.0)
    laid, _ = setup_tiles(view, rng)
    with pytest.raises(CalibrationError, match=reason):
        fit_tiles(change(seen(view, laid, rng)), view.size)  # type: ignore[operator]


@needs_models
def test_a_picture_of_tiles_makes_a_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    view = View(size=(1920, 1080), width_mm=1750, tilt=(4, -3))
    laid, outer = setup_tiles(view, Random(3))
    picture, profile = tmp_path / "setup.png", tmp_path / "profile.json"
    cv2.imwrite(str(picture), Painter(TableSetting(view=view, seats=())).paint(laid))
    assert main(["calibrate", "setup", str(picture), "--profile", str(profile), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["in_rows"] == 22
    assert told["inks"] is True
    kept = load_profile(profile)
    assert set(kept.calibrated_steps) == {"camera", "table", "colours"}
    assert kept.table is not None
    assert outline_error_mm(TilePlane(table=kept.table, intrinsics=kept.intrinsics, in_rows=22), outer) < 5  # type: ignore[arg-type]
    assert main(["calibrate", "setup", str(picture), "--profile", str(profile), "--tile", "3x4"]) == 2
    assert "--tile '3x4' is not a tile size" in capsys.readouterr().err


@needs_models
def test_what_does_not_fit_is_drawn_and_a_wrong_measure_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    view = View(size=(1920, 1080), width_mm=1750, tilt=(4, -3))
    laid, _ = setup_tiles(view, Random(3))
    painter = Painter(TableSetting(view=view, seats=()))
    whole, lacking, profile = tmp_path / "whole.png", tmp_path / "lacking.png", tmp_path / "profile.json"
    cv2.imwrite(str(whole), painter.paint(laid))
    cv2.imwrite(str(lacking), painter.paint(laid[4:]))  # without one corner's row
    words = ["calibrate", "setup", str(lacking), "--profile", str(profile)]
    assert main([*words, "--annotate", str(tmp_path / "seen")]) == 2
    assert (drawn := tmp_path / "seen" / "setup-lacking.png").exists()
    assert capsys.readouterr().err.endswith(f"; what was read is drawn in {drawn}\n")
    assert main(words) == 2
    assert capsys.readouterr().err.endswith("; to look at what was read, add --annotate seen\n")
    words = ["calibrate", "setup", str(whole), "--profile", str(profile)]
    assert main([*words, "--size", "900x1200"]) == 2
    assert "a table of 900 × 1200 mm does not fit: by the tiles it is 1205 × 903 mm" in capsys.readouterr().err
    assert not profile.exists()
    assert main(words) == 0
    assert f"{profile}: lens, table, inks. Next: " in capsys.readouterr().out, "a picture locks neither focus nor light"


@needs_models
def test_rows_that_look_like_one_tile_in_a_small_picture_come_apart() -> None:
    rng = Random("20.0 20")
    view = setup_view(rng, tilt_degrees=20.0)
    style = STYLES[rng.choice(sorted(STYLES))]
    light, blur = rng.uniform(-3, 3), rng.uniform(0.4, 0.9)
    laid, _ = setup_tiles(view, rng)
    setting = TableSetting(view=view, style=style, seed=20, light=light, blur=blur, seats=())
    picture = Painter(setting).paint(laid)
    assert len(TableReader().read_table(Frame("setup", 0.0, picture)).tiles) == len(laid)


@needs_models
def test_pictures_of_a_camera_are_averaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    view = View(size=(1280, 720), width_mm=1750)
    laid, _ = setup_tiles(view, Random(4))
    folder = tmp_path / "frames"
    folder.mkdir()
    painter = Painter(TableSetting(view=view, seats=()))
    for shot in range(2):
        cv2.imwrite(str(folder / f"{shot}.png"), painter.paint(laid, noise_index=shot))
    words = ["calibrate", "setup", "--camera", f"replay:{folder}", "--pictures", "3"]
    assert main([*words, "--profile", str(tmp_path / "p.json"), "--json"]) == 0
    told = capsys.readouterr()
    assert "Picture 3 of 3: 22 tiles" in told.err
    assert json.loads(told.out)["error_mm"] < 10
