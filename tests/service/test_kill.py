"""The plug is pulled at random moments of a match: nothing judged is lost, nothing is counted twice.

After some of the kills the journal is cut at a random byte as well; what was judged behind the cut is judged again.

REFEREE_KILLS=500 pulls it as often as issue reports ask for; a few times are enough for every run of the tests.
"""

import importlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from referee.game.state import Match
from referee.service.loop import Loop
from referee.storage.journal import NoJournal, load_journal
from referee.storage.match_step import MatchStep
from referee.storage.recovery import replay_differences
from tests.conftest import PATIENCE_SECONDS

SCRIPT = Path(__file__).with_name("killed_evening.py")
ROOT = SCRIPT.parents[2]
JOURNAL = ROOT / "tests/matches/demo.jsonl"
KILLS = int(os.environ.get("REFEREE_KILLS", "6"))
PAUSE = 0.004
LONGEST = 0.3  # seconds that it plays before a kill: most of a match
BEGINNING = 2  # lines: the journal's head, and that the match began


class Kept:
    """Keeps what is told."""

    def __init__(self, said: list[Any]) -> None:
        self.said = said

    def publish(self, step: MatchStep) -> None:
        self.said.extend(step.told)


class Plays:
    """Plays the journal's match in one process after the other, each of which may be killed."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, str(SCRIPT), str(JOURNAL), str(PAUSE)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def begin(self, folder: Path) -> int:
        """Start or go on in this folder; gives the process once it has told something or is over."""
        assert self._server.stdin is not None
        told = folder / "told"
        told.unlink(missing_ok=True)
        print(folder, file=self._server.stdin, flush=True)
        process = int(self._line())
        while not (told.exists() and told.stat().st_size) and _alive(process):
            time.sleep(0.002)
        return process

    def end(self, folder: Path) -> tuple[int, list[Any]]:
        """Wait for its end: the exit status, and what it told in whole lines."""
        status = int(self._line())
        lines = (folder / "told").read_text(encoding="utf-8").splitlines()
        return status, [json.loads(line) for line in lines if line.endswith("}")]

    def close(self) -> None:
        self._server.communicate(timeout=PATIENCE_SECONDS)

    def _line(self) -> str:
        assert self._server.stdout is not None
        return self._server.stdout.readline()


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _kill(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


@pytest.fixture
def plays() -> Iterator[Plays]:
    plays = Plays()
    yield plays
    plays.close()


def verdicts(events: list[Any]) -> list[tuple[Any, ...]]:
    return [
        (event["game"], event["turn"], event["seat"], event["verdict"], event["table"], event["stands"])
        for event in events
        if event["event"] == "judged"
    ]


def told_in(journal: Path) -> list[Any]:
    return [event for entry in load_journal(journal).entries for event in entry.events]


def test_killed_at_random_moments(tmp_path: Path, plays: Plays) -> None:
    chance = random.Random(500)
    whole = verdicts(told_in(JOURNAL))
    killed = rounds = 0
    while killed < KILLS:
        rounds += 1
        folder, said, finished = tmp_path / str(rounds), list[Any](), False
        while not finished:
            process = plays.begin(folder)
            if killed < KILLS:
                time.sleep(chance.uniform(0.0, LONGEST))
                _kill(process)
            status, told = plays.end(folder)
            said += told
            assert status in {0, signal.SIGKILL}
            finished = status == 0
            killed += not finished
            if not finished:
                _cut(folder, chance)
        journal = folder / "match-00001.jsonl"
        assert verdicts(told_in(journal)) == whole
        assert set(verdicts(said)) <= set(whole)
        assert replay_differences(load_journal(journal)) == ()
        assert [path.name for path in sorted(folder.glob("match-*"))] == ["match-00001.jsonl"]


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 40])
def test_a_cut_between_any_two_inputs_loses_no_verdict(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    come_back = importlib.import_module(SCRIPT.stem).come_back
    inputs = [entry.entered for entry in load_journal(JOURNAL).entries]
    whole = verdicts(told_in(JOURNAL))
    for cut in range(every, len(inputs), every):
        said = list[Any]()
        loop = Loop(Match(), NoJournal(), (Kept(said),), print)
        for entered in inputs[:cut]:
            loop.enter(entered)
        come_back(loop, inputs[cut - 1].at, inputs[:cut])
        for entered in inputs[cut:]:
            loop.enter(entered)
        assert verdicts(said) == whole, f"cut after input {cut}, {inputs[cut - 1]}"


def _cut(folder: Path, chance: random.Random) -> None:
    """A killed process leaves whole lines; a pulled plug half of the next one, a bad card a file cut at any byte."""
    journal = folder / "match-00001.jsonl"
    whole = journal.read_bytes() if journal.exists() else b""
    begun = len(b"".join(whole.splitlines(keepends=True)[:BEGINNING]))
    match chance.randrange(3):
        case 0 if begun < len(whole):
            journal.write_bytes(whole[: chance.randint(begun, len(whole))])
        case 1 if whole:
            journal.write_bytes(whole + b'{"crc":"00000000","step":{"input":{"input":"Tic'[: chance.randrange(1, 47)])


def test_what_was_told_before_the_cut_is_in_the_journal(tmp_path: Path, plays: Plays) -> None:
    process = plays.begin(tmp_path)
    while (tmp_path / "told").read_text().count('"event": "judged"') < 5:
        time.sleep(0.002)
    _kill(process)
    status, said = plays.end(tmp_path)
    assert status == signal.SIGKILL
    assert verdicts(said) == verdicts(told_in(tmp_path / "match-00001.jsonl"))[: len(verdicts(said))]
    assert len(verdicts(said)) >= 5
