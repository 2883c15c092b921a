"""Plays the inputs of a journal into a new one, and goes on where a killed run of it stopped; run by the kill test.

python killed_evening.py JOURNAL SECONDS_BETWEEN_STEPS

It reads folders from standard input, one a line, and plays in a process of its own in each: that process's id is told
at once and its exit status (as waitpid gives it) at its end; what the referee tells comes into FOLDER/told.
"""

import json
import os
import sys
import time
import traceback
from pathlib import Path

from referee.game.inputs import Restarted, Resumed
from referee.game.state import Match
from referee.reading.inputs import Input, Seconds, TableSettled
from referee.service.loop import Loop
from referee.storage.folder import FolderLock
from referee.storage.journal import FileJournal, load_journal, next_journal_path
from referee.storage.match_step import MatchStep
from referee.storage.recovery import find_unfinished

LOOKS = 2  # as many as an accusation needs


class Say:
    def publish(self, step: MatchStep) -> None:
        for event in step.told:
            print(json.dumps(event), flush=True)


def come_back(loop: Loop, at: Seconds, done: list[Input]) -> None:
    """Do what service and players do after a cut: look at the table, which lies as it lay, and go on."""
    loop.enter(Restarted(at))
    seen = [entered for entered in done if isinstance(entered, TableSettled)]
    if not seen:
        return
    looked = TableSettled(at, at, seen[-1].reading)
    if loop.match.pauses.reference:
        loop.enter(looked)
    if loop.match.pauses.halted:  # the table was being changed when the plug was pulled: told so, a player says go on
        loop.enter(Resumed(at))
    for _ in range(LOOKS):
        if loop.match.look_due is not None or loop.match.wants_fresh_look:
            loop.enter(looked)


def play(folder: Path, journal: Path, pause: float) -> None:
    inputs = [entry.entered for entry in load_journal(journal).entries]
    with FolderLock(folder):
        unfinished = find_unfinished(folder)
        if unfinished is None and any(folder.glob("match-*")):
            return  # the plug was pulled after the last line: the match is over
        if unfinished is None:
            loop = Loop(Match(), FileJournal(next_journal_path(folder)), (Say(),), print)
        else:
            file = FileJournal(unfinished.path, keep_bytes=unfinished.good_bytes)
            loop = Loop(unfinished.match, file, (Say(),), print)
            done = [entry.entered for entry in load_journal(unfinished.path).entries]
            come_back(loop, unfinished.at, done)
            kept = [entered for entered in done if not isinstance(entered, Restarted)]
            last = max(index for index, entered in enumerate(inputs) if entered in kept)
            inputs = inputs[last + 1 :]
        for entered in inputs:
            loop.enter(entered)
            time.sleep(pause)


def play_apart(folder: Path, journal: Path, pause: float) -> int:
    """Play in a process of its own, which need not load the program first."""
    process = os.fork()
    if process:
        return process
    failed = 1
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "told").open("w", encoding="utf-8") as told:
            os.dup2(told.fileno(), sys.stdout.fileno())
            play(folder, journal, pause)
        failed = 0
    except BaseException:  # noqa: BLE001 - whatever it is, the process that was forked must not go on as its parent
        traceback.print_exc()
    os._exit(failed)


if __name__ == "__main__":
    for line in sys.stdin:
        process = play_apart(Path(line.rstrip("\n")), Path(sys.argv[1]), float(sys.argv[2]))
        print(process, flush=True)
        print(os.waitpid(process, 0)[1], flush=True)
