"""A Pi camera that the process cannot free: it ends, once in ten minutes, and the match goes on in a fresh one."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.game.inputs import MatchStarted, Paused
from referee.game.state import Match
from referee.reading.inputs import Seconds
from referee.service.starts import StartCounter
from referee.service.stop import START_AFRESH
from referee.storage.journal import FileJournal
from referee.storage.match_step import MatchStep
from referee.storage.recovery import find_unfinished
from referee.vision.networks.sidecar import find_models
from tests.conftest import PATIENCE_SECONDS

from ..conftest import comes_true  # isort: skip

ROOT = Path(__file__).parents[2]
NOW = Seconds(0.0)
SETTINGS = """
[camera]
source = "picamera"
width = 640
height = 360
looks_per_second = 10.0
limit_seconds = 1.0
retry_seconds = 0.1
[vision]
looks = 2
"""
LIBRARY = f"""
import os
import sys
for number in range(9):
    os.write(2, b"Corrupt JPEG data: %d extraneous bytes\\n" % number)
sys.path.insert(0, {str(ROOT / "tests" / "hardware")!r})
from libcamera_double import Libcamera
Picamera2 = Libcamera(size=(640, 360))
Picamera2.lives = Picamera2.at_exit = True
Picamera2.stalls_after = 20
Picamera2.hangs = {{"close"}}
"""
pytestmark = pytest.mark.skipif(not (find_models() / "tiles-read.onnx").exists(), reason="the models are not here")


@pytest.fixture
def service(tmp_path: Path) -> Callable[[], subprocess.Popen[str]]:
    """Starts the referee as systemd does, where an organiser has begun a match."""
    (tmp_path / "picamera2.py").write_text(LIBRARY)
    (tmp_path / "referee.toml").write_text(SETTINGS)
    (tmp_path / "state").mkdir()
    with FileJournal(tmp_path / "state" / "match-00001.jsonl") as journal:
        match = Match()
        for entered in (MatchStarted(at=NOW, names=("Ann", "Ben"), edition="original", by="organiser"), Paused(NOW)):
            taken = MatchStep.of(match, entered)
            match = taken.match
            journal.append(taken)
    environment = {
        **os.environ,
        "PYTHONPATH": f"{tmp_path}:{ROOT}",
        "INVOCATION_ID": "1",
        "STATE_DIRECTORY": str(tmp_path / "state"),
        "RUNTIME_DIRECTORY": str(tmp_path / "run"),
        "GPIOZERO_PIN_FACTORY": "mock",
        "GPIOZERO_MOCK_PIN_CLASS": "mockpwmpin",
    }
    environment.pop("NOTIFY_SOCKET", None)
    command = [sys.executable, "-m", "referee", "run", "--config", str(tmp_path / "referee.toml")]
    return lambda: subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
@pytest.mark.fault("the Pi camera cannot be freed")
def test_the_process_ends_for_it_once_in_ten_minutes_with_the_match_kept(
    service: Callable[[], subprocess.Popen[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    _, said = (first := service()).communicate(timeout=120)
    assert first.returncode == START_AFRESH, said
    assert said.count("camera picamera is silent for 1 s") == 1
    assert "this process holds the Pi camera and cannot close it" in said
    assert said.count("Corrupt JPEG data") == said.count("a library wrote (logged once): Corrupt JPEG data") == 1
    assert "this process restarts, and the match goes on in the next one" in said
    starts = StartCounter(tmp_path / "state")
    assert starts.tally().failed == 0
    assert not starts.may_exit_for_camera()
    unfinished = find_unfinished(tmp_path / "state")
    assert unfinished is not None
    assert unfinished.match.pauses.halted

    second = service()  # which finds no better camera
    lines: list[str] = []
    assert second.stderr is not None
    for line in second.stderr:
        lines.append(line)
        if "cannot close it" in line:
            break
    assert any("resuming the match of match-00001.jsonl" in line for line in lines)
    time.sleep(3.0)
    assert second.poll() is None  # not twice in ten minutes: it waits, and says so
    assert comes_true((tmp_path / "run" / "health.json").exists)
    second.send_signal(signal.SIGTERM)
    _, rest = second.communicate(timeout=PATIENCE_SECONDS)
    assert second.returncode == 0, rest
    assert "cannot close it" not in rest
