"""A recording that ends in the middle of a game: it says so, ranks nobody, and its sheet invents no points."""

import csv
import io
import json
import zipfile
from itertools import islice
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.history.export import export_match
from referee.rules.editions import rule_set
from referee.sim.recording import Recorder
from referee.sim.scenarios import NAMES, simulated_match
from referee.sim.scene import area_in_picture

ROOT = Path(__file__).parents[2]
WITH_MODELS = pytest.mark.skipif(not (ROOT / "models/tiles-read.onnx").exists(), reason="the models are not here")


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first two turns of an evening, as `referee simulate` writes them until somebody pulls the plug."""
    folder = tmp_path_factory.mktemp("cut") / "evening"
    rules = rule_set("original")
    evening, setting = simulated_match(rules, seed=9, games=1, cheat_rate=0.0, size=(1280, 960), seats=3)
    match = {"edition": "original", "players": NAMES[:3], "first": 0, "games": 1, "size": (1280, 960)}
    with Recorder(folder, setting) as recorder:
        recorder.begin(match | {"area": area_in_picture(setting.view)})
        for turn in islice(evening.play(), 2):
            recorder.record(turn, evening.scene)
    return folder


@WITH_MODELS
def test_a_cut_recording_is_refereed_to_its_end(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state, events = tmp_path / "state", tmp_path / "events.jsonl"
    words = ["run", "--camera", f"replay:{recording}", "--until-end", "--signals", "console", "--state", str(state)]
    assert main([*words, "--events", str(events)]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[-1].startswith("The recording is over, game unfinished: nobody is ranked.")
    told = [json.loads(line) for line in events.read_text("utf-8").splitlines()]
    assert {event["turn"] for event in told if event["event"] == "judged"} == {1, 2}
    (over,) = [event for event in told if event["event"] == "match_over"]
    assert (over["ranking"], over["ranks"], over["totals"]) == ([], {}, {})

    (journal,) = state.glob("match-*.jsonl")
    assert main(["replay", "--quiet", str(journal)]) == 0
    export_match(journal, None, tmp_path / "match.zip")
    with zipfile.ZipFile(tmp_path / "match.zip") as file:
        sheet = [*csv.reader(io.StringIO(file.read("scores.csv").decode(), newline=""))]
        record = file.read("record.txt").decode()
    assert sheet == [["game", "Ann", "Ben", "Cem", "sum"], ["total", "", "", "", ""]]
    assert "ranking" not in record.lower()
