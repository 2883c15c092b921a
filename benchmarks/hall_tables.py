"""Many tables without eyes: recorded matches entered at their pace, told to a broker through the device's own link.

    python -m benchmarks.hall_tables --broker mqtt://127.0.0.1:1883 --tables 6 --state DIR

Each table writes its own journal, as a device does, and begins another match when one is over. `--times FILE` keeps
when each event was told, by the machine's monotonic clock.
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

from referee.game.inputs import Input, MatchStarted, Seconds
from referee.game.limits import Limits
from referee.game.match import step
from referee.game.state import Match
from referee.link.past import match_name
from referee.link.settings import HallSettings
from referee.link.table_link import TableLink
from referee.link.table_report import TableFacts
from referee.storage.journal import FileJournal, load_journal, next_journal_path
from referee.web.view.state import CameraStatus

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
LISTEN_SECONDS = 0.05
REST_SECONDS = 1.0


class LinkedTable:
    """A table of a hall, a journal and a link a match; it has inputs entered, and no eyes."""

    def __init__(self, settings: HallSettings, folder: Path) -> None:
        """Link it, ready for its first match; `rng` is its own chance."""
        self._settings, self._folder, self.rng = settings, folder, random.Random(settings.table)
        self.begin()

    def now(self) -> float:
        """The match's time."""
        return max(0.0, self.match.now)

    def begin(self) -> None:
        """Be ready for the next match."""
        self.match = Match()
        path = next_journal_path(self._folder)
        self._journal = FileJournal(path, head={"referee": "simulated", "table": self._settings.table})
        self.id = match_name(path)
        facts = TableFacts(
            device=f"sim-{self._settings.table}",
            version="simulated",
            journal=path,
            journal_id=self.id,
            told=0,
            digest=0,
            limits=Limits(),
            now=self.now,
            camera_status=CameraStatus,
            health=lambda: {"state": "running"},
        )
        self.link = TableLink(self._settings, self.match, facts).start()

    def enter(self, entered: Input) -> None:
        """Enter an input, and tell the hall its events."""
        self.match, told, _ = step(self.match, entered)
        self._journal.append(entered, told)
        self.note(len(told))
        self.link.publish(entered, told, self.match)

    def note(self, told: int) -> None:
        """Note that so many events are told now."""

    def close(self) -> None:
        """Take leave."""
        self.link.close()
        self._journal.close()


class ReplayedTable(LinkedTable):
    """A table that plays recorded matches."""

    def __init__(
        self, settings: HallSettings, folder: Path, matches: Sequence[Sequence[Input]], times: TextIOWrapper | None
    ) -> None:
        """Play these matches, one after the other, in an order of its own."""
        self._matches, self._times = matches, times
        super().__init__(settings, folder)

    def now(self) -> float:
        """The time since the match began."""
        return time.monotonic() - self._began

    def begin(self) -> None:
        """Choose a match, and begin it."""
        self._rest: threading.Thread | None = None
        chosen = self.rng.choice(self._matches)
        self._inputs = [self._renamed(entered) for entered in chosen]
        self._next, self._told = 0, 0
        self._began = time.monotonic()
        super().begin()

    def _renamed(self, entered: Input) -> Input:
        if not isinstance(entered, MatchStarted):
            return entered
        return replace(entered, names=tuple(self.rng.sample(NAMES, len(entered.names))))

    def go_on(self, now: float) -> float:
        """Enter what is due; when the next input is."""
        if self._rest is not None:
            if self._rest.is_alive():
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
            return now + REST_SECONDS  # nobody begins another match before the last one is told
        self._rest = threading.Thread(target=self.close)
        self._rest.start()  # taking leave of a broker takes a while
        return now + REST_SECONDS

    def note(self, told: int) -> None:
        """Keep when these events were told."""
        if self._times is not None:
            at = time.monotonic()
            for number in range(self._told, self._told + told):
                self._times.write(f"{self._settings.table} {self.id} {number} {at:.4f}\n")
        self._told += told


def main() -> None:
    """Play until told to stop."""
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
    matches = [[entry.entered for entry in one.entries] for one in recorded]
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
        due = min(table.go_on(now) for table in tables)
        stop.wait(min(LISTEN_SECONDS, max(0.001, due - time.monotonic())))
    leaving = [threading.Thread(target=table.close) for table in tables]
    for one in leaving:
        one.start()
    for one in leaving:
        one.join()


if __name__ == "__main__":
    main()
