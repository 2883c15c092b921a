"""Every format is played at the simulated table, repeats from its journal, and a pulled plug keeps the banks."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee.game.inputs import Restarted, Resumed, Seconds
from referee.game.match import step
from referee.game.state import Match, Phase
from referee.rules.formats import FORMATS
from referee.storage.journal import load_journal, read_steps
from referee.storage.recovery import differences, find_unfinished

SHORT = "sim:2"  # turns
OFF = 1000.0  # seconds that the referee was off


def play(folder: Path, format_id: str, camera: str) -> tuple[Path, str]:
    """Let the command referee a simulated match; its journal and what it said."""
    words = ["run", "--camera", camera, "--format", format_id, "--signals", "console", "--until-end", "--state", folder]
    done = subprocess.run(
        [sys.executable, "-m", "referee", *map(str, words)], capture_output=True, text=True, check=True, timeout=120
    )
    (journal,) = folder.glob("match-*.jsonl")
    return journal, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
def test_a_match_in_every_format(format_id: str, tmp_path: Path) -> None:
    journal, said = play(tmp_path, format_id, SHORT)
    recorded = load_journal(journal)
    assert differences(recorded) == ()
    begun = next(event for entry in recorded.entries for event in entry.told if event["event"] == "game_started")
    assert begun["format"] == format_id
    assert ("Time in the banks" in said) == (format_id == "two-player")
    assert "Turn 2," in said


@pytest.mark.slow
def test_a_pulled_plug_keeps_the_banks(tmp_path: Path) -> None:
    journal, _ = play(tmp_path / "whole", "two-player", "sim:6")
    cut, banked = tmp_path / "cut", set()
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
