"""`referee read` as scripts and people call it, on painted tables and on whatever else is handed to it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.cli.judged_sets import judge_sets
from referee.cli.main import main
from referee.cli.read import reading_text, reading_to_json
from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.editions import rule_set
from referee.rules.notation import parse_tile
from referee.vision.image.annotate import SetState
from referee.vision.image.frame import Image

TABLE = [("3", "R", 200, 200), ("4", "R", 228, 200), ("5", "R", 256, 200), ("13", "K", 400, 300)]


@pytest.fixture
def painted(tmp_path: Path, models: Path, paint: Callable[..., Image], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A picture of R3 R4 R5 and a loose K13, in a world where the stand-ins are the models."""
    monkeypatch.setattr("referee.vision.pipeline.find_models", lambda: models)
    path = tmp_path / "table.png"
    path.write_bytes(cv2.imencode(".png", paint(TABLE))[1].tobytes())
    return path


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_answer_is_the_promised_json(painted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", str(painted), "--json"]) == 0
    (answer,) = lines(capsys)
    assert answer["image"] == str(painted)
    assert answer["size"] == [640, 480]
    assert answer["sets"] == [["R3", "R4", "R5"]]
    assert answer["loose"] == ["K13"]
    assert answer["unsure"] == []
    assert set(answer["ms"]) == {"locate", "read", "total"}
    (three,) = (tile for tile in answer["tiles"] if tile["tile"] == "R3")
    assert three["quad"] == [[186, 180], [214, 180], [214, 220], [186, 220]]
    assert 0.99 < three["confidence"] <= 1
    assert all(isinstance(name, str) and 0 <= chance <= 1 for name, chance in three["alternatives"])


def test_people_get_words(painted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", str(painted)]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{painted}: 4 tiles in 1 set", "  R3 R4 R5", "  loose: K13"]


def lying(names: str, unsure: int | None = None) -> TableReading:
    """A row of tiles, read."""
    tiles = tuple(
        TileReading(
            quad=((x, 0.0), (x + 30, 0.0), (x + 30, 42.0), (x, 42.0)),
            tile=parse_tile(name),
            confidence=0.9,
            unsure=place == unsure,
        )
        for place, (name, x) in enumerate(zip(names.split(), range(0, 999, 31), strict=False))
    )
    return TableReading(frame_id="p", at=0.0, tiles=tiles, layouts=lay_out_tiles(tiles))


@pytest.mark.parametrize(
    ("names", "unsure", "verdict", "line"),
    [
        ("R3 R4 R5", None, "legal", "  R3 R4 R5  [run]"),
        ("B2 B3 K4", None, "illegal", "  B2 B3 K4  [NO SET, K4 does not fit: a run has one colour, here blue]"),
        ("B2 B3 K4", 2, "undecided", "  B2 B3 K4  [? K4 is not sure]"),
    ],
)
def test_sets_are_judged_where_the_edition_is_known(names: str, unsure: int | None, verdict: str, line: str) -> None:
    reading = lying(names, unsure)
    report = reading_to_json("a.jpg", (640, 480), reading, judge_sets(reading, rule_set("original")))
    assert [one["verdict"] for one in report["judged"]] == [verdict]
    assert reading_text(report).splitlines()[1] == line
    plain = reading_to_json("a.jpg", (640, 480), reading)
    assert "judged" not in plain
    assert reading_text(plain).splitlines()[1] == f"  {names}"


def test_a_row_that_may_be_two_sets_accuses_nobody() -> None:
    judged = judge_sets(lying("R3 R4 R5 K7 K8 K9"), rule_set("original"))
    assert SetState.ILLEGAL not in {mark.state for mark in judged}


def test_a_drawing_has_no_green_and_no_red_where_no_edition_was_named(painted: Path, tmp_path: Path) -> None:
    def seen(*edition: str) -> set[SetState]:
        assert main(["read", str(painted), "--annotate", str(tmp_path / "out"), *edition]) == 0
        drawn = cv2.imread(str(tmp_path / "out" / "table.png"))[:-44].astype(int)
        return {state for state in SetState if (np.abs(drawn - state.value).max(axis=2) < 8).sum() > 2000}

    assert seen() == {SetState.SEEN}
    assert SetState.SEEN not in seen("--edition", "original")


def test_a_doubt_is_told_in_words(
    painted: Path, paint: Callable[..., Image], capsys: pytest.CaptureFixture[str]
) -> None:
    image = paint([("6", "R", 200, 200)])
    image[(image == (0, 60, 60)).all(axis=2)] = (0, 60, 66)
    painted.write_bytes(cv2.imencode(".png", image)[1].tobytes())
    assert main(["read", str(painted)]) == 0
    (doubt,) = (line for line in capsys.readouterr().out.splitlines() if "not sure" in line)
    assert "R6" in doubt
    assert "R7" in doubt
    assert "at 200, 200" in doubt


def test_a_tile_face_down_is_a_doubt_only_where_it_may_be_a_face() -> None:
    tiles = tuple(
        TileReading(
            quad=((x, 0.0), (x + 30, 0.0), (x + 30, 42.0), (x, 42.0)),
            tile=None,
            confidence=0.7,
            alternatives=((parse_tile("K8"), chance),),
            unsure=True,
        )
        for x, chance in ((0.0, 0.02), (100.0, 0.25))
    )
    report = reading_to_json(
        "pool.jpg", (640, 480), TableReading(frame_id="p", at=0.0, tiles=tiles, layouts=lay_out_tiles(tiles))
    )
    assert report["unsure"] == [1]
    assert reading_text(report).splitlines() == [
        "pool.jpg: 0 tiles in 0 sets",
        "  face down: 2",
        "  not sure: a tile face down, perhaps K8, at 115, 21 (70%)",
    ]


@pytest.mark.parametrize("unsure", [3, 4], ids=["some of it", "all of it"])
def test_a_picture_that_is_doubtful_all_over_is_to_be_taken_again(unsure: int) -> None:
    tiles = tuple(
        TileReading(
            quad=((x, 0.0), (x + 30, 0.0), (x + 30, 42.0), (x, 42.0)),
            tile=parse_tile(name),
            confidence=0.997,
            unsure=place < unsure,
        )
        for place, (name, x) in enumerate({"K5": 0.0, "K6": 31.0, "K7": 62.0, "R1": 200.0}.items())
    )
    reading = TableReading(frame_id="p", at=0.0, tiles=tiles, layouts=lay_out_tiles(tiles))
    lines = reading_text(reading_to_json("blurred.jpg", (640, 480), reading)).splitlines()
    again = "  all of it is doubtful: take the picture again, in colour, sharper, from nearer or with more light"
    assert lines[:3] == ["blurred.jpg: 4 tiles in 1 set", "  K5 K6 K7", "  loose: R1"]
    assert (again in lines) == (unsure == len(tiles))
    assert lines[-unsure] == "  not sure: K5 at 15, 21 (100% by itself, doubtful beside the rest)"


def test_what_cannot_be_read_is_told_in_its_place_and_the_rest_is_read(
    painted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, empty = tmp_path / "text.jpg", tmp_path / "empty.jpg"
    text.write_text("dear diary")
    empty.touch()
    words = [str(painted), str(text), str(empty), str(tmp_path), str(tmp_path / "none.jpg"), str(painted)]
    assert main(["read", *words, "--json"]) == 2
    captured = capsys.readouterr()
    answers = [json.loads(line) for line in captured.out.splitlines()]
    assert [answer["image"] for answer in answers] == words
    assert ["error" in answer for answer in answers] == [False, True, True, True, True, False]
    assert len(captured.err.splitlines()) == 4


def test_an_empty_photograph_is_an_empty_table(painted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    painted.write_bytes(cv2.imencode(".png", np.full((480, 640, 3), 90, np.uint8))[1].tobytes())
    assert main(["read", str(painted), "--json"]) == 0
    (answer,) = lines(capsys)
    assert (answer["tiles"], answer["sets"], answer["loose"], answer["unsure"]) == ([], [], [], [])
    assert main(["read", str(painted)]) == 0
    assert capsys.readouterr().out == f"{painted}: 0 tiles in 0 sets\n"


def test_pictures_of_one_name_are_drawn_into_files_of_their_own(painted: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "table.png"
    other.parent.mkdir()
    other.write_bytes(painted.read_bytes())
    folder = tmp_path / "new" / "drawings"
    assert main(["read", str(painted), str(other), "--annotate", str(folder)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["table-2.png", "table.png"]
    assert cv2.imread(str(folder / "table.png")).shape[1] == 1600


def test_no_drawing_takes_the_place_of_a_photograph_or_of_another_drawing(painted: Path, tmp_path: Path) -> None:
    folder = tmp_path / "photographs"
    folder.mkdir()
    photographs = [folder / "table.png", folder / "table-2.png", tmp_path / "table.png"]
    for path in photographs:
        path.write_bytes(painted.read_bytes())
    assert main(["read", *map(str, photographs), "--annotate", str(folder)]) == 0
    assert all(path.read_bytes() == painted.read_bytes() for path in photographs if path != painted)
    assert sorted(path.stem for path in folder.iterdir()) == ["table", "table-2", "table-2-2", "table-3", "table-4"]


def test_a_drawing_that_cannot_be_written_loses_no_reading(
    painted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "drawings"
    (folder / "table.png").mkdir(parents=True)
    assert main(["read", str(painted), str(painted), "--annotate", str(folder), "--json"]) == 2
    captured = capsys.readouterr()
    assert [json.loads(line)["sets"] for line in captured.out.splitlines()] == [[["R3", "R4", "R5"]]] * 2
    (line,) = captured.err.splitlines()
    assert line.startswith(f"referee read: {folder / 'table.png'} cannot be written (Is a directory); ")
    assert (folder / "table-2.png").is_file()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        pytest.param(["--edition", "orignal"], "did you mean 'original'?", id="an edition misspelt"),
        pytest.param(["--profile", "nowhere.json"], "nowhere.json", id="no such profile"),
        pytest.param(["--annotate", "/dev/null/x"], "/dev/null/x", id="a folder that cannot be made"),
    ],
)
def test_a_wrong_call_is_one_line(
    painted: Path, words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["read", str(painted), *words, "--json"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert reason in line


def test_a_damaged_model_is_one_line(painted: Path, models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (models / "tiles-read.onnx").write_bytes(b"\0" * 100)
    assert main(["read", str(painted), "--json"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "tiles-read" in line


def test_a_name_that_is_no_text_is_printed_all_the_same(painted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = painted.rename(painted.with_name("table-\udcff-é.png"))
    assert main(["read", str(odd), "--json"]) == 0
    (answer,) = lines(capsys)
    assert answer["image"] == str(odd)
    assert main(["read", str(odd)]) == 0
    assert "table-\\udcff-é.png: 4 tiles" in capsys.readouterr().out


def test_reading_leaves_nothing_behind_and_reports_to_nobody(painted: Path, tmp_path: Path) -> None:
    """ONNX Runtime keeps a number for the machine and a store of reports in the home folder, where it may."""
    home = tmp_path / "home"
    home.mkdir()
    unasked = {"CI", "GITHUB_ACTIONS", "TF_BUILD", "ORT_DISABLE_TELEMETRY"}  # where any is set, it reports nothing
    own = {name: value for name, value in os.environ.items() if name not in unasked and not name.startswith("XDG_")}
    command = [sys.executable, "-m", "referee", "read", str(painted)]
    read = subprocess.run(command, env=own | {"HOME": str(home)}, capture_output=True, text=True, check=True)
    assert read.stderr == ""
    assert [path.relative_to(home).as_posix() for path in home.rglob("*")] == []
