"""`referee simulate`: what it writes, and what it says to bad input."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.cli.main import main
from referee.rules.editions import rule_set
from referee.rules.judge import judge_turn
from referee.rules.notation import parse_table
from referee.rules.verdict import VERDICT_NAMES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("evening") / "out"
    call = ["simulate", "--edition", "original", "--seed", "44", "--out", str(out), "--size", "640x480"]
    assert main(call) == 0
    return out


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_timeline_is_in_order_and_names_pictures_that_exist(folder: Path) -> None:
    timeline = lines(folder / "timeline.jsonl")
    assert timeline[0]["event"] == "match"
    assert timeline[0]["edition"] == "original"
    assert timeline[-1]["event"] == "end"
    assert [event["at"] for event in timeline] == sorted(event["at"] for event in timeline)
    named = {event["file"] for event in timeline if event["event"] == "frame"}
    assert named == {f"frames/{path.name}" for path in (folder / "frames").iterdir()}
    assert {event["event"] for event in timeline} == {"match", "frame", "press", "hands", "end"}


def test_every_press_is_judged_in_the_truth_or_shows_a_rack(folder: Path) -> None:
    presses = [event for event in lines(folder / "timeline.jsonl") if event["event"] == "press"]
    judged = [
        (turn["seat"], judgement["at"])
        for turn in lines(folder / "truth.jsonl")
        for judgement in turn["judgements"]
        if judgement["cause"] == "press"
    ]
    shown = [seat for turn in lines(folder / "truth.jsonl") for seat, _ in turn["shown"]]
    assert [press["seat"] for press in presses] == [*(seat for seat, _ in judged), *shown]
    assert shown
    for press, (_, at) in zip(presses, judged, strict=False):
        assert 0 <= press["at"] - at < 0.2


def test_the_truth_written_is_what_the_judge_says(folder: Path) -> None:
    for turn in lines(folder / "truth.jsonl"):
        for judgement in turn["judgements"]:
            verdict = judge_turn(
                parse_table(turn["before"]),
                parse_table(judgement["table"]),
                opened=turn["opened"],
                rules=rule_set("original"),
            )
            assert VERDICT_NAMES[type(verdict)] == judgement["verdict"]
            assert sorted({violation.fault.value for violation in verdict.violations}) == judgement["faults"]


def test_tiles_lie_in_the_picture_where_the_truth_says(folder: Path) -> None:
    judgements = [judgement for turn in lines(folder / "truth.jsonl") for judgement in turn["judgements"]]
    fullest = max(judgements, key=lambda judgement: len(judgement["tiles"]))
    assert len(fullest["tiles"]) > 20
    picture = cv2.imread(str(folder / fullest["file"]))
    bare = cv2.imread(str(folder / "frames/000001.jpg"))
    changed = cv2.absdiff(picture, bare).max(axis=2)
    for tile in fullest["tiles"]:
        mask = np.zeros(changed.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(tile["quad"]).astype(np.int32), 255)
        assert np.mean(changed[mask > 0] > 20) > 0.7, tile
    assert [tile["tile"] for tile in fullest["tiles"]] == fullest["table"].replace(" / ", " ").split()


@pytest.mark.slow
def test_the_same_call_writes_the_same_files(folder: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    main(["simulate", "--edition", "original", "--seed", "44", "--out", str(again), "--size", "640x480"])
    for name in ("timeline.jsonl", "truth.jsonl", "frames/000020.jpg"):
        assert (folder / name).read_bytes() == (again / name).read_bytes()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param(["--edition", "orignal"], "did you mean 'original'", id="unknown edition"),
        pytest.param(["--size", "wide"], "use WIDTHxHEIGHT", id="no size"),
        pytest.param(["--size", "100x80"], "out of range", id="too small"),
        pytest.param(["--size", "99999x99999"], "out of range", id="too large"),
        pytest.param(["--cheats", "2"], "use 0 to 1", id="cheats no share"),
        pytest.param(["--games", "0"], "use 1 to 1000", id="no games"),
        pytest.param(["--cheats", "nan"], "use 0 to 1", id="cheats no number"),
    ],
)
def test_bad_input_is_one_line(
    options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", "--out", str(tmp_path / "out"), *options]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("keep", "utf-8")
    assert main(["simulate", "--out", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_file_in_place_of_the_folder_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    assert main(["simulate", "--out", str(tmp_path / "file" / "below")]) == 2
    assert "cannot be written" in capsys.readouterr().err
