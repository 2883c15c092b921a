"""Run many tables without cameras: recorded matches at their own pace, published through the device's own link.

    python -m benchmarks.hall_tables --broker mqtt://127.0.0.1:1883 --tables 6 --state DIR

Each table writes its own journal, as a device does, and begins another match when one is over. `--times FILE` records
the monotonic time of each event.
"""

import argparse
import random
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path

from referee.game.inputs import MatchStarted
from referee.game.limits import Limits
from referee.game.state import Match
from referee.link.past import match_name
from referee.link.table_link import TableLink
from referee.link.table_report import TableFacts
from referee.protocol.state import CameraStatus
from referee.reading.inputs import Input, Seconds
from referee.settings.hall import HallSettings
from referee.storage.journal import FileJournal, load_journal, next_journal_path
from referee.storage.match_step import MatchStep

MATCHES = Path(__file__).parent.parent / "tests" / "matches"
NAMES = (
    "Ada",
    "Bo",
    "Cleo",
    "Dev",
    "Eva",
    "Finn",
    "Gita",
    "Hugo",
    "Ines",
    "Jan",
    "Kaya",
    "Lars",
    "Mia",
    "Nils",
    "Olga",
)
POLL_SECONDS = 0.05
REST_SECONDS = 1.0


class LinkedTable:
    """A table of a hall without a camera, with a journal and a link per match."""

    def __init__(self, settings: HallSettings, folder: Path) -> None:
        """Connect the table, ready for its first match; `rng` is seeded by its name."""
        self._settings, self._folder, self.rng = settings, folder, random.Random(settings.table)
        self.begin()

    def now(self) -> float:
        """Return the match's time."""
        return max(0.0, self.match.now)

    def begin(self) -> None:
        """Prepare the next match."""
        self.match = Match()
        path = next_journal_path(self._folder)
        self._journal = FileJournal(path, head={"referee": "simulated", "table": self._settings.table})
        self.id = match_name(path)
        facts = TableFacts(
            device=f"sim-{self._settings.table}",
            version="simulated",
            journal=path,
            journal_id=self.id,
            event_count=0,
            digest=0,
            limits=Limits(),
            now=self.now,
            camera_status=CameraStatus,
            health=lambda: {"state": "running"},
        )
        self.link = TableLink(self._settings, self.match, facts).start()

    def enter(self, entered: Input) -> None:
        """Enter an input and publish its events to the hall."""
        taken = MatchStep.of(self.match, entered)
        self.match = taken.match
        self._journal.append(taken)
        self.note(len(taken.events))
        self.link.publish(taken)

    def note(self, events: int) -> None:
        """Note that so many events are published now."""

    def close(self) -> None:
        """Disconnect and close the journal."""
        self.link.close()
        self._journal.close()


class ReplayedTable(LinkedTable):
    """A table that plays recorded matches."""

    def __init__(
        self, settings: HallSettings, folder: Path, matches: Sequence[Sequence[Input]], times: TextIOWrapper | None
    ) -> None:
        """Play these matches one after the other, in a random order."""
        self._matches, self._times = matches, times
        super().__init__(settings, folder)

    def now(self) -> float:
        """Return the time since the match began."""
        return time.monotonic() - self._began

    def begin(self) -> None:
        """Choose a match and begin it."""
        self._leaving: threading.Thread | None = None
        chosen = self.rng.choice(self._matches)
        self._inputs = [self._renamed(entered) for entered in chosen]
        self._next, self._event_count = 0, 0
        self._began = time.monotonic()
        super().begin()

    def _renamed(self, entered: Input) -> Input:
        if not isinstance(entered, MatchStarted):
            return entered
        return replace(entered, names=tuple(self.rng.sample(NAMES, len(entered.names))))

    def play_until(self, now: float) -> float:
        """Enter the inputs that are due; return when the next one is."""
        if self._leaving is not None:
            if self._leaving.is_alive():
                return now + REST_SECONDS
            self.begin()
        at = Seconds(now - self._began)
        for entered in self.link.poll(at):
            self.enter(entered)
        while self._next < len(self._inputs) and self._inputs[self._next].at <= at:
            self.enter(self._inputs[self._next])
            self._next += 1
        if self._next < len(self._inputs):
            return self._began + self._inputs[self._next].at
        if self.link.is_behind:
            return now + REST_SECONDS  # no new match before the last one has been sent
        self._leaving = threading.Thread(target=self.close)
        self._leaving.start()  # disconnecting takes a while
        return now + REST_SECONDS

    def note(self, events: int) -> None:
        """Record the time of these events."""
        if self._times is not None:
            at = time.monotonic()
            for number in range(self._event_count, self._event_count + events):
                self._times.write(f"{self._settings.table} {self.id} {number} {at:.4f}\n")
        self._event_count += events


def main() -> None:
    """Play until a signal to stop."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--broker", required=True)
    parser.add_argument("--hall", default="hall")
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--times", type=Path)
    arguments = parser.parse_args()
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    recorded = [load_journal(path) for path in sorted(MATCHES.glob("*.jsonl"))]
    matches = [[entry.entered for entry in recording.entries] for recording in recorded]
    times = arguments.times.open("w", buffering=1) if arguments.times else None
    tables = []
    for number in range(arguments.first, arguments.first + arguments.tables):
        folder = arguments.state / f"t{number}"
        folder.mkdir(parents=True, exist_ok=True)
        settings = HallSettings(
            broker=arguments.broker,
            hall=arguments.hall,
            table=f"t{number}",
        )
        tables.append(ReplayedTable(settings, folder, matches, times))
    while not stop.is_set():
        now = time.monotonic()
        due = min(table.play_until(now) for table in tables)
        stop.wait(min(POLL_SECONDS, max(0.001, due - time.monotonic())))
    leaving = [threading.Thread(target=table.close) for table in tables]
    for thread in leaving:
        thread.start()
    for thread in leaving:
        thread.join()


if __name__ == "__main__":
    main()
