"""Plays the inputs of a journal into a new one, and goes on where a killed run of it stopped; run by the kill test.

python killed_evening.py FOLDER JOURNAL SECONDS_BETWEEN_STEPS
"""

import json
import sys
import time
from pathlib import Path

from referee.game.events import TurnEvent
from referee.game.inputs import Input, Restarted, Resumed, Seconds, TableSettled
from referee.game.state import Match
from referee.service.loop import Loop
from referee.storage.folder import FolderLock
from referee.storage.journal import FileJournal, load_journal, next_path
from referee.storage.plain import event_to_plain
from referee.storage.recall import find_unfinished


class Say:
    def publish(self, _entered: Input, told: tuple[TurnEvent, ...], _match: Match) -> None:
        for event in told:
            print(json.dumps(event_to_plain(event)), flush=True)


def come_back(loop: Loop, at: Seconds, done: list[Input]) -> None:
    """Do what service and players do after a cut: look at the table, which lies as it lay, and go on."""
    loop.enter(Restarted(at))
    seen = [entered for entered in done if isinstance(entered, TableSettled)]
    if not seen:
        return
    looked = TableSettled(at, at, seen[-1].reading)
    if loop.match.reference:
        loop.enter(looked)
    if loop.match.halted:  # the table was being changed when the plug was pulled: told so, a player says go on
        loop.enter(Resumed(at))
    if loop.match.wants_look:
        loop.enter(looked)


def main() -> None:
    folder, pause = Path(sys.argv[1]), float(sys.argv[3])
    inputs = [entry.entered for entry in load_journal(Path(sys.argv[2])).entries]
    with FolderLock(folder):
        unfinished = find_unfinished(folder)
        if unfinished is None and any(folder.glob("match-*")):
            return  # the plug was pulled after the last line: the match is over
        if unfinished is None:
            loop = Loop(Match(), FileJournal(next_path(folder)), (Say(),), print)
        else:
            journal = FileJournal(unfinished.path, keep_bytes=unfinished.good_bytes)
            loop = Loop(unfinished.match, journal, (Say(),), print)
            done = [entry.entered for entry in load_journal(unfinished.path).entries]
            come_back(loop, unfinished.at, done)
            kept = [entered for entered in done if not isinstance(entered, Restarted)]
            last = max(index for index, entered in enumerate(inputs) if entered in kept)
            inputs = inputs[last + 1 :]
        for entered in inputs:
            loop.enter(entered)
            time.sleep(pause)


if __name__ == "__main__":
    main()
