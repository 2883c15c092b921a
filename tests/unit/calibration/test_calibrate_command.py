"""`referee calibrate` as a maker calls it: pictures in, a profile out, one clear line where it cannot be."""

import json
import math
import os
import pwd
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.cli.main import main
from referee.cli.steps.common import next_command
from referee.cli.steps.signals import wait_for_press
from referee.errors import CalibrationError
from referee.game.cues import CUES
from referee.game.inputs import Seat
from referee.hardware.ports import PlannedButton, Press
from referee.hardware.system import SystemClock
from referee.reading.inputs import Seconds
from referee.reading.observation import TileReading
from referee.rules.notation import parse_tiles
from referee.sim.faces import STYLES, TILE_HEIGHT_MM, TILE_WIDTH_MM
from referee.sim.render import Painter, TableSetting
from referee.sim.view import LaidTile, View
from referee.storage.profile import load_profile
from referee.vision.calibrate.face_learning import count_distinct, in_rows, ordered_tiles, without_strays
from referee.vision.classify.enrolment import apply_enrolment, extra_looks, merge_looks
from referee.vision.classify.naming import name_faces
from referee.vision.geometry.crops import rectify
from referee.vision.geometry.detections import Detections, Floats
from referee.vision.image.frame import Frame, Image
from referee.vision.networks.models import FaceReader
from referee.vision.networks.sidecar import find_models
from referee.vision.pipeline import TableReader

JOKERS = parse_tiles("J JD JC JM")
Scene = tuple[Image, tuple[TileReading, ...]]

needs_models = pytest.mark.skipif(not (find_models() / "tiles-read.onnx").exists(), reason="no reader model yet")


@pytest.fixture
def board_folder(tmp_path: Path, board_pictures: Sequence[Image]) -> Path:
    folder = tmp_path / "board"
    folder.mkdir()
    for number, picture in enumerate(board_pictures):
        cv2.imwrite(str(folder / f"{number:02d}.jpg"), picture)
    return folder


@pytest.fixture
def table_file(tmp_path: Path, table_picture: Image) -> Path:
    path = tmp_path / "table.jpg"
    cv2.imwrite(str(path), table_picture)
    return path


def call(*words: object) -> int:
    return main(["calibrate", *map(str, words)])


def test_camera_then_table(
    tmp_path: Path, board_folder: Path, table_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = tmp_path / "profile.json"
    assert call("camera", board_folder, "--profile", profile, "--json", "--annotate", tmp_path / "seen") == 0
    camera = json.loads(capsys.readouterr().out)
    assert camera["error_px"] < 0.3
    assert len(camera["pictures"]) == 12
    assert (tmp_path / "seen" / "00.png").exists()
    assert call("table", table_file, "--profile", profile, "--size", "1200x900", "--json") == 0
    table = json.loads(capsys.readouterr().out)
    assert table["size_mm"] == pytest.approx([1200, 900], abs=0.5)
    assert table["error_mm"] < 0.5
    kept = load_profile(profile)
    assert kept.intrinsics is not None
    assert kept.table is not None
    assert kept.size == (1920, 1080)


def test_pictures_of_the_board_are_never_drawn_over(
    tmp_path: Path, board_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(board_folder.iterdir())
    assert call("camera", board_folder, "--profile", tmp_path / "profile.json", "--annotate", board_folder) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f"{board_folder} holds the pictures themselves; name another folder with --annotate")
    assert sorted(board_folder.iterdir()) == before


def test_another_lens_makes_the_table_unknown(
    tmp_path: Path, board_folder: Path, table_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = tmp_path / "profile.json"
    corners = "310,120 1600,118 1810,990 95,1003"
    assert call("table", table_file, "--profile", profile, "--points", corners, "--size", "1200x900") == 0
    assert call("camera", board_folder, "--profile", profile) == 0
    assert "run 'referee calibrate table' again" in capsys.readouterr().err
    assert load_profile(profile).table is None


def test_pictures_taken_by_a_camera(tmp_path: Path, board_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = tmp_path / "profile.json"
    words = ("camera", "--camera", f"replay:{board_folder}", "--pictures", 9, "--profile", profile)
    assert call(*words) == 0
    assert "9 of 9" in capsys.readouterr().err  # each picture is shown six times and counted once
    assert load_profile(profile).camera == f"replay:{board_folder}"


def test_nothing_is_written_until_it_is_good(
    tmp_path: Path, board_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = sorted(board_folder.iterdir())[:5]
    dark = tmp_path / "dark.png"
    cv2.imwrite(str(dark), np.zeros((1080, 1920, 3), np.uint8))
    assert call("camera", *few, dark, "--profile", tmp_path / "p.json") == 2
    told = capsys.readouterr().err.splitlines()
    assert told[-1] == "referee calibrate: 5 pictures can be used, and 8 are needed; take more, 15 are good"
    assert any(line.startswith("dark.png: not used, nothing to see") for line in told)
    assert not (tmp_path / "p.json").exists()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["camera"], "no pictures of the board given"),
        (["camera", "{tmp}"], "holds no pictures"),
        (["camera", "{tmp}/none.jpg"], "there is no such file"),
        (["table"], "no picture given"),
        (["table", "{table}", "--size", "big"], "--size 'big' is not a table size"),
        (["table", "{table}", "--size", "3x4"], "--size '3x4' is not a table size"),
        (["table", "{table}", "--points", "1,2 3"], "--points '1,2 3' are not points"),
        (["table", "{table}", "--points", "1,2 3,4 5,6 7,8"], "--points needs --size"),
        (["table", "{table}"], "the lens is not known"),
        (["table", "{text}", "--size", "1200x900"], "is no picture that can be read"),
        (["signals", "--cue", "disco", "--signals", "none"], "cue 'disco' is not known"),
        (["tiles", "{table}", "--order", "J5"], "'J5' is no tile"),
    ],
)
def test_wrong_calls_give_one_line(
    tmp_path: Path, table_file: Path, capsys: pytest.CaptureFixture[str], words: list[str], line: str
) -> None:
    text = tmp_path / "text.jpg"
    text.write_text("no picture", "utf-8")
    empty = tmp_path / "empty"
    empty.mkdir()
    filled = [word.format(tmp=empty, table=table_file, text=text) for word in words]
    profile = [] if words[0] == "signals" else ["--profile", tmp_path / "p.json"]
    assert call(*filled, *profile) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert line in last
    assert last.startswith("referee calibrate: ")
    assert not (tmp_path / "p.json").exists()


def test_a_profile_of_another_camera_is_not_touched(
    tmp_path: Path, table_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = tmp_path / "p.json"
    measured = ("--points", "310,120 1600,118 1810,990 95,1003", "--size", "1200x900", "--profile", profile)
    assert call("table", table_file, *measured, "--name", "kitchen") == 0
    before = profile.read_bytes()
    assert call("table", table_file, *measured, "--name", "attic") == 2
    assert "is of camera 'kitchen', not 'attic'" in capsys.readouterr().err
    assert profile.read_bytes() == before


def test_every_cue_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("signals", "--signals", "none", "--seconds", 0, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report["played"]) == {name for name, cue in CUES.items() if cue.blinks or cue.tones}
    assert report["missed"] == []


def test_a_button_is_waited_for_and_missed() -> None:
    clock = SystemClock()
    late = PlannedButton([Press(Seconds(0.05), seat=Seat(1))])
    assert wait_for_press(late, clock, Seat(1), 1.0)
    assert not wait_for_press(PlannedButton([Press(Seconds(0.0), seat=Seat(0))]), clock, Seat(1), 0.12)


@needs_models
def test_check_tells_what_failed(
    tmp_path: Path, table_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with monkeypatch.context() as abroad:
        abroad.setenv("TZ", "NZST-12NZDT,M9.5.0,M4.1.0/3")
        time.tzset()
        assert call("check", table_file, "--json") == 1
    time.tzset()
    checks = {one["check"]: one for one in json.loads(capsys.readouterr().out)["checks"]}
    assert {
        "camera",
        "model",
        "profile",
        "focus",
        "light",
        "clipped",
        "glare",
        "tile_pixels",
        "corners",
    } <= checks.keys()
    assert {"reading_time", "pins", "disk", "temperature", "throttling", "clock"} <= checks.keys()
    promised = {"check", "passed", "value", "limit", "message"}
    assert all(promised <= set(one) <= promised | {"message_id", "values"} for one in checks.values())
    assert not checks["profile"]["passed"]
    assert checks["model"]["passed"]
    assert "(NZDT)" in checks["clock"]["message"] or "(NZST)" in checks["clock"]["message"], "a wrong zone is seen"
    assert call("check", table_file) == 1
    assert "checks failed." in capsys.readouterr().out


@needs_models
def test_points_inks_and_check_on_a_sound_table(
    tmp_path: Path, scene: Callable[..., Scene], capsys: pytest.CaptureFixture[str]
) -> None:
    image, tiles = scene(width_mm=1000)
    picture, profile = tmp_path / "tiles.png", tmp_path / "profile.json"
    cv2.imwrite(str(picture), image)
    view = View(size=(1920, 1080), width_mm=1000)
    corners = view.project_flat(np.array([[60.0, 60], [940, 60], [940, 500], [60, 500]])) + 0.5
    points = " ".join(f"{x:.2f},{y:.2f}" for x, y in corners)
    words = ("--profile", profile, "--json")
    assert call("table", picture, "--points", points, "--size", "880x440", *words) == 0
    table = json.loads(capsys.readouterr().out)
    # Faces lie 8.5 mm above the table, nearer to the camera, and so look a little larger.
    assert table["tile_mm"] == pytest.approx([TILE_WIDTH_MM, TILE_HEIGHT_MM], rel=0.05)
    assert call("colours", picture, *words) == 0
    assert json.loads(capsys.readouterr().out)["too_close"] == []
    call("check", picture, *words)
    checks = {one["check"]: one["passed"] for one in json.loads(capsys.readouterr().out)["checks"]}
    seen = ("camera", "model", "profile", "focus", "light", "clipped", "glare", "tile_pixels", "corners", "pins")
    assert {name: checks[name] for name in seen} == dict.fromkeys(seen, True)
    assert checks["outline"]
    assert len(TableReader().read_table(Frame("x", 0.0, image), profile=load_profile(profile)).tiles) == len(tiles)


@needs_models
def test_tiles_outside_the_outline_fail_the_check_and_the_outline_is_drawn(
    tmp_path: Path, scene: Callable[..., Scene], capsys: pytest.CaptureFixture[str]
) -> None:
    image, tiles = scene(width_mm=1000)
    picture, profile = tmp_path / "tiles.png", tmp_path / "profile.json"
    cv2.imwrite(str(picture), image)
    middles = np.array([np.mean(tile.quad, axis=0) for tile in tiles])
    cut = float(np.median(middles[:, 0]))
    points = f"20,20 {cut:.0f},20 {cut:.0f},1060 20,1060"  # the left part of the picture
    assert call("table", picture, "--points", points, "--size", "500x560", "--profile", profile) == 0
    capsys.readouterr()
    call("check", picture, "--profile", profile, "--annotate", tmp_path / "seen", "--json")
    checks = {one["check"]: one for one in json.loads(capsys.readouterr().out)["checks"]}
    beside = load_profile(profile).is_near_table(middles)
    assert checks["outline"]["value"] == int((~beside).sum()) > 0
    assert not checks["outline"]["passed"]
    assert "the camera or the table was moved" in checks["outline"]["message"]
    drawn = cv2.imread(str(tmp_path / "seen" / "check.png"))
    assert drawn is not None
    x = round(cut * drawn.shape[1] / image.shape[1])
    assert (abs(drawn[60, x - 4 : x + 5].astype(int) - (60, 90, 230)).sum(axis=1) < 40).any(), "no red line"


@pytest.mark.parametrize(
    ("camera", "shown"),
    [(None, "PICTURE"), ("usb:0", "--camera usb:0"), ("url:http://me:secret@10.0.0.7/v", "url:http://10.0.0.7/v")],
)
def test_the_next_command_can_be_typed_as_it_is_said(camera: str | None, shown: str) -> None:
    said = next_command(Namespace(camera=camera, profile=Path("my table.json"), config=None), "check")
    assert said.startswith("referee calibrate check ")
    assert shown in said
    assert said.endswith("--profile 'my table.json'")
    assert "secret" not in said


def test_the_next_command_is_for_the_service_user_where_this_one_was(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Namespace(camera="picamera", profile=None, config=None)
    monkeypatch.setenv("SUDO_USER", "mia")
    monkeypatch.setattr(os, "geteuid", lambda: pwd.getpwnam("nobody").pw_uid)
    assert next_command(asked, "check") == "sudo -u nobody referee calibrate check --camera picamera"
    monkeypatch.delenv("SUDO_USER")
    assert next_command(asked, "check") == "referee calibrate check --camera picamera"


@needs_models
def test_inks_that_look_alike_are_not_written_unasked(
    tmp_path: Path, scene: Callable[..., Scene], capsys: pytest.CaptureFixture[str]
) -> None:
    picture, profile = tmp_path / "dark.png", tmp_path / "profile.json"
    cv2.imwrite(str(picture), (scene(width_mm=1000)[0] * 0.15).astype(np.uint8))
    assert call("colours", picture, "--profile", profile) == 1
    told = capsys.readouterr()
    assert "Not written: the profile is as it was." in told.out
    assert "red and orange are too close under this lamp; use a whiter lamp" in told.err
    assert not profile.exists()
    assert call("colours", picture, "--profile", profile, "--keep") == 1
    assert load_profile(profile).inks is not None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("camera", "--camera", "usb:9", "--pictures", "0"), "argument --pictures: '0' is out of range; use 8 to 100"),
        (("camera", "--camera", "usb:9", "--limit", "-3"), "argument --limit: '-3' is out of range; use 10 to 3600"),
        (("signals", "--seconds", "nan"), "argument --seconds: 'nan' is out of range; use 0 to 60"),
        (("signals", "--wait", "long"), "argument --wait: 'long' is out of range; use 1 to 600"),
        (("signals", "--cue", "ilegal"), "cue 'ilegal' is not known; did you mean 'illegal'?"),
        (("tiles", "none.png", "--order", "J / "), "'J / ' leaves a row empty; write what lies there"),
        (("camera", "--camera", "usb:9"), "camera usb:9 is not there; plug it in"),
    ],
)
def test_a_wrong_call_is_one_line(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = call(*words)
    except SystemExit as ended:
        code = int(ended.code or 0)
    err = capsys.readouterr().err
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def jokers(seed: int, copies: int) -> tuple[Image, Floats]:
    """Four kinds of joker, `copies` of each in turn, anyhow; and where they are."""
    rng, view = np.random.default_rng(seed), View(size=(1920, 1080), width_mm=900)
    turn = 0.1 if copies == 1 else 3.1
    laid = [
        LaidTile(tile=tile, copy=0, x=120 + 90 * (i % 8), y=150 + 100 * (i // 8), angle=rng.uniform(-turn, turn))
        for i, tile in enumerate(JOKERS * copies)
    ]
    setting = TableSetting(view=view, style=STYLES["yellow"], seed=seed, light=rng.uniform(-3, 3))
    quads = np.array([view.quad(one, setting.style.thickness) + 0.5 for one in laid], np.float32)
    return Painter(setting).paint(laid), quads


@needs_models
def test_jokers_never_seen_are_known_after_one_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, profile = tmp_path / "jokers.png", tmp_path / "profile.json"
    cv2.imwrite(str(picture), jokers(seed=1, copies=1)[0])
    assert call("tiles", picture, "--order", "J JD JC JM", "--profile", profile, "--keep", "--json") in (0, 1)
    assert json.loads(capsys.readouterr().out)["tiles"] == ["J", "JD", "JC", "JM"]
    enrolment = load_profile(profile).enrolment
    assert enrolment is not None
    reader = TableReader()
    image, quads = jokers(seed=2, copies=4)
    crops = rectify(image, quads)
    faces = FaceReader(find_models()).read(crops)
    known = apply_enrolment(
        name_faces(faces, dict.fromkeys(JOKERS, 4)),
        faces.embedding,
        enrolment,
        lambda rows: merge_looks(reader.embeddings(extra_looks(crops[rows]))),
    )
    right = [tile == JOKERS[i % 4] for i, tile in enumerate(known.likeliest)]
    assert sum(right) >= 0.99 * len(right)


def test_what_lies_apart_is_no_tile_of_the_row() -> None:
    row = [[[x, 100], [x + 30, 100], [x + 30, 140], [x, 140]] for x in (100, 160, 220, 280)]
    stray = [[[700, 600], [730, 600], [730, 640], [700, 640]]]
    quads = np.array([*row, *stray], np.float32)
    assert len(without_strays(quads, 4)) == 4
    assert len(without_strays(quads, 3)) == 5  # a fourth tile of the row was not named
    assert len(without_strays(quads, 5)) == 5


@pytest.mark.parametrize(
    ("scores", "faces", "tiles"),
    [
        pytest.param([0.8, 0.7, 0.5, 0.45], [1, 1, 0.2, 0.1], 2, id="bare ground is far fainter and shows nothing"),
        pytest.param([0.8, 0.7, 0.5, 0.45], [1, 1, 0.2, 0.97], 4, id="a tile in the shade shows a face"),
        pytest.param([0.8, 0.7, 0.6, 0.5], [1, 1, 0.2, 0.1], 4, id="a face never seen is as clear as the others"),
        pytest.param([0.9, 0.7, 0.5], [1, 1, 0.2], 2, id="of two falls the one behind the last face counts"),
        pytest.param([0.8], [0.0], 1, id="one tile"),
    ],
)
def test_bare_ground_does_not_stand_out(scores: list[float], faces: list[float], tiles: int) -> None:
    assert count_distinct(np.array(scores, np.float32), np.array(faces, np.float32)) == tiles


GRID = [(70.0 * column, 70.0 * row) for row, count in enumerate((4, 4)) for column in range(count)]


def seen_aslant(places: Sequence[tuple[float, float]], turn: float, far: float) -> np.ndarray:
    """Places on a table as a camera shows them that is turned by so many degrees: the far side so much smaller."""
    x, y = np.array(places, np.float64).T
    x, y = x - 105, y - 35
    near = 1 + (far - 1) * (x + 140) / 280
    cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return np.stack([cosine * x - sine * 0.7 * y, sine * x + cosine * 0.7 * y], axis=1) * near[:, None] + 500


@pytest.mark.parametrize("turn", [-40, -20, -5, 0, 5, 20, 40])
@pytest.mark.parametrize("far", [1.0, 0.6])
@pytest.mark.parametrize("counts", [(4, 4), (4, 2), (4, 1), (4,)])
def test_rows_are_known_however_they_slant(turn: float, far: float, counts: tuple[int, ...]) -> None:
    """At 48 degrees the pairs at both ends of two rows of jokers had been taken for the rows, and each was another."""
    laid = [GRID[4 * row + column] for row, count in enumerate(counts) for column in range(count)]
    shuffled = np.random.default_rng(3).permutation(len(laid))
    order = in_rows(seen_aslant(laid, turn, far)[shuffled], counts)
    assert shuffled[order].tolist() == list(range(len(laid)))


@pytest.mark.parametrize(
    ("laid", "counts"),
    [
        pytest.param([(0, 0), (70, 50), (140, 0), (210, 50), (0, 70), (70, 10)], (4, 2), id="no rows at all"),
        pytest.param([(0, 0), (4, 70), (0, 140)], (3,), id="a column where a row was told"),
    ],
)
def test_what_lies_in_no_rows_is_refused(laid: list[tuple[float, float]], counts: tuple[int, ...]) -> None:
    with pytest.raises(CalibrationError, match="the rows are too slanted to separate; line them up"):
        in_rows(np.array(laid, np.float64), counts)


class TakesGroundForATile(TableReader):
    """Sees one tile too many, where nothing lies."""

    def locate(self, image: Image) -> Detections:
        found = super().locate(image)
        ground = found.quads[:1] + np.array([0, 400], np.float32)
        return Detections.join(found, Detections(ground, np.array([0.4], np.float32)))


@needs_models
def test_ground_held_for_a_tile_is_left_out_and_told() -> None:
    image, quads = jokers(seed=1, copies=1)
    told: list[str] = []
    seen, order = ordered_tiles(TakesGroundForATile(), image, "jokers.png", [JOKERS], told.append)
    assert np.abs(seen[order].mean(axis=1) - quads.mean(axis=1)).max() < 10
    assert len(told) == 1
    assert told[0].startswith("jokers.png: ignored faint areas without a face at ")


@needs_models
def test_a_row_that_is_not_what_was_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "jokers.png"
    cv2.imwrite(str(picture), jokers(seed=1, copies=1)[0])
    assert call("tiles", picture, "--order", "J JD JC", "--profile", tmp_path / "p.json") == 2
    assert "tiles seen in jokers.png: 4, but 3 are named; lay only those tiles" in capsys.readouterr().err
    assert not (tmp_path / "p.json").exists()
