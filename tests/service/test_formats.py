"""Every format is played at the simulated table, repeats from its journal, and a pulled plug keeps the banks."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from referee.game.inputs import Restarted, Resumed
from referee.game.match import step
from referee.game.state import Match, Phase
from referee.reading.inputs import Input, Seconds, TableSettled
from referee.rules.formats import FORMATS
from referee.storage.journal import load_journal, read_steps
from referee.storage.recovery import find_unfinished, replay_differences

from .conftest import short_match, write_journal  # isort: skip

SHORT = "sim:2"  # turns
LATE, LATE_AFTER = 25.0, 7  # seconds, and the input of the second turn after which they pass
OFF = 1000.0  # seconds that the referee was off


def play(folder: Path, format_id: str, camera: str) -> tuple[Path, str]:
    """Let the command referee a simulated match; its journal and what it said."""
    words = ["run", "--camera", camera, "--format", format_id, "--signals", "console", "--until-end", "--state", folder]
    done = subprocess.run(
        [sys.executable, "-m", "referee", *map(str, words)], capture_output=True, text=True, check=True, timeout=120
    )
    (journal,) = folder.glob("match-*.jsonl")
    return journal, done.stdout


def recorded_match(folder: Path, format_id: str) -> Path:
    """The journal of a short match in a format, with a turn that used up its seconds."""
    (begun, *inputs), folder = short_match(), folder / format_id
    folder.mkdir(parents=True)
    least = (FORMATS[format_id].players or (2, 0))[0]
    begun = replace(begun, names=("Ann", "Ben", "Cem", "Dora")[:least], format=format_id)
    late = [moved(entered, LATE) if entered.at > inputs[LATE_AFTER].at else entered for entered in inputs]
    return write_journal(folder / "match-00001.jsonl", [begun, *late])


def moved(entered: Input, seconds: float) -> Input:
    """An input that comes later, and what was seen then."""
    at = Seconds(entered.at + seconds)
    if isinstance(entered, TableSettled):
        return replace(entered, at=at, since=Seconds(entered.since + seconds))
    return replace(entered, at=at)


@pytest.mark.parametrize("format_id", FORMATS)
def test_a_short_match_in_every_format(format_id: str, tmp_path: Path) -> None:
    recorded = load_journal(recorded_match(tmp_path, format_id))
    assert replay_differences(recorded) == ()
    told = [event for entry in recorded.entries for event in entry.events]
    begun = next(event for event in told if event["event"] == "game_started")
    assert begun["format"] == format_id
    assert sum(event["event"] == "judged" for event in told) >= 4


def test_a_pulled_plug_in_a_short_match_keeps_the_banks(tmp_path: Path) -> None:
    check_banks(recorded_match(tmp_path, "two-player"), tmp_path / "cut")


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
def test_a_match_in_every_format(format_id: str, tmp_path: Path) -> None:
    journal, said = play(tmp_path, format_id, SHORT)
    recorded = load_journal(journal)
    assert replay_differences(recorded) == ()
    begun = next(event for entry in recorded.entries for event in entry.events if event["event"] == "game_started")
    assert begun["format"] == format_id
    assert ("Time in the banks" in said) == (format_id == "two-player")
    assert "Turn 2," in said


@pytest.mark.slow
def test_a_pulled_plug_keeps_the_banks(tmp_path: Path) -> None:
    journal, _ = play(tmp_path / "whole", "two-player", "sim:6")
    check_banks(journal, tmp_path / "cut")


def check_banks(journal: Path, cut: Path) -> None:
    """Pull the plug after every line: what is in the banks is what was there."""
    banked = set()
    for kept in list(read_steps(journal))[2:]:
        cut.mkdir()
        copy = cut / journal.name
        copy.write_bytes(journal.read_bytes()[: kept.end] + b'{"crc":"half a li')
        unfinished = find_unfinished(cut)
        shutil.rmtree(cut)
        if unfinished is None or unfinished.match.phase is not Phase.TURN:
            continue
        before = unfinished.match
        banked.add(tuple(player.bank for player in before.players))
        after = _switched_on_again(before, unfinished.at)
        assert [player.bank for player in after.players] == [player.bank for player in before.players]
        assert after.play.clock.left_at(after.now) == pytest.approx(before.play.clock.left_at(unfinished.at))
    assert len(banked) >= 2, "some of it was taken"


def _switched_on_again(match: Match, at: Seconds) -> Match:
    match, _, _ = step(match, Restarted(at))
    match, _, _ = step(match, Resumed(Seconds(at + OFF)))
    return match
