"""Event lines where nobody can take them: a full disk does not end a match, a reader that has gone does."""

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest

from referee.game.inputs import MatchStarted
from referee.game.state import Match
from referee.reading.inputs import Seconds
from referee.service.publishers import EventLines
from referee.storage.match_step import MatchStep

FULL = Path("/dev/full")
BEGUN = MatchStarted(at=Seconds(0.0), names=("Ann", "Żaneta"), edition="original")
TAKEN = MatchStep.of(Match(), BEGUN)


def test_a_line_an_event_as_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        EventLines(stream, pytest.fail).publish(TAKEN)
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]  # before the file is closed
    assert [line["event"] for line in lines] == ["game_started", "turn_started"]
    assert lines[0]["names"] == ["Ann", "Żaneta"]


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_said_once_and_the_match_goes_on() -> None:
    warnings: list[str] = []
    stream = FULL.open("w", encoding="utf-8")
    lines = EventLines(stream, warnings.append)
    for _ in range(3):
        lines.publish(TAKEN)
    with suppress(OSError):
        stream.close()
    (warning,) = warnings
    assert warning.startswith("events file /dev/full cannot be written (No space left on device); ")
    assert "referee replay" in warning


def test_a_reader_that_has_gone_ends_it() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    stream = os.fdopen(write_end, "w", encoding="utf-8")
    with pytest.raises(BrokenPipeError):
        EventLines(stream, pytest.fail).publish(TAKEN)
    with suppress(BrokenPipeError):
        stream.close()
