"""Measure a month at a table, ten thousand matches in one folder, a full evidence ring, and an update.

    python -m benchmarks.long_life [--days 30] [--turns 180] [--from REVISION]   writes results/long-life.md

The month is compressed: match, journal, evidence (pictures of 2304 × 1296) and the service's log do all their work on a
real disk, fed with the inputs of recorded matches; only reading is left out, and the nights pass at a tick a second.
`--from` names the older version whose state folder is taken over after its match was killed.
"""

import argparse
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.memory import Referee, processor_seconds, resident
from referee.game.inputs import Ticked
from referee.game.state import Match
from referee.hardware.console import NoSignals
from referee.history.evidence import Evidence
from referee.reading.inputs import Input, Seconds, TableSettled
from referee.service.loop import Loop
from referee.service.publishers import CuePublisher, EvidencePublisher, TextLines
from referee.settings.config import load_config
from referee.storage.journal import FileJournal, load_journal, next_journal_path
from referee.storage.recovery import find_unfinished
from referee.vision.image.frame import Frame, Image
from referee.vision.watch.watcher import SettledLook

HERE: Final = Path(__file__).parent
MATCHES: Final = HERE.parent / "tests" / "matches"
SIZE: Final = (1296, 2304)
NIGHT_SECONDS: Final = 20 * 3600
MANY_MATCHES: Final = 10_000
STARTS: Final = 5
MEGABYTE: Final = 1_000_000


class RecordedWatcher:
    """A stand-in for the watcher: the picture in which the table settled, and its reading."""

    def __init__(self, noisy_pictures: list[Image]) -> None:
        self._pictures = noisy_pictures
        self.settled: SettledLook | None = None
        self._number = 0

    def take_input(self, entered: Input) -> None:
        """Take the reading of an input."""
        if isinstance(entered, TableSettled):
            self._number += 1
            image = self._pictures[self._number % len(self._pictures)]
            self.settled = SettledLook(Frame(entered.reading.frame_id, entered.at, image), entered.reading)


def pictures() -> list[Image]:
    """Return pictures with JPEGs as large as a table's: a coarse pattern with sensor noise."""
    rng = np.random.default_rng(1)
    coarse = rng.integers(60, 200, (81, 144, 3), np.uint8).repeat(16, axis=0).repeat(16, axis=1)
    return [np.clip(coarse + rng.integers(-6, 7, coarse.shape), 0, 255).astype(np.uint8) for _ in range(3)]


@dataclass(slots=True)
class Counts:
    """The counts so far."""

    turns: int = 0
    matches: int = 0
    syncs: int = 0
    lines: int = 0
    line_bytes: int = 0


class LogCounter(logging.Handler):
    """Counts the lines of the log."""

    def __init__(self, counted: Counts) -> None:
        super().__init__()
        self._counted = counted

    def emit(self, record: logging.LogRecord) -> None:
        """Count a line."""
        self._counted.lines += 1
        self._counted.line_bytes += len(record.getMessage().encode()) + 1


def bytes_written() -> int:
    """Return the bytes that this process has written to storage, as the kernel counts them."""
    lines = dict(line.split(": ") for line in Path("/proc/self/io").read_text("ascii").splitlines())
    return int(lines["write_bytes"])


def count_syncs(counted: Counts) -> None:
    """Count every fsync."""
    for name in ("fsync", "fdatasync"):
        real: Callable[[int], None] = getattr(os, name)

        def counting(file: int, real: Callable[[int], None] = real) -> None:
            counted.syncs += 1
            real(file)

        setattr(os, name, counting)


def play_evening(
    folder: Path, turns: int, watcher: RecordedWatcher, counted: Counts, log: logging.Logger, *, megabytes: int
) -> None:
    """Play matches until `turns` turns were judged."""
    evidence = Evidence(folder / "evidence", megabytes)
    recorded = [[entry.entered for entry in load_journal(path).entries] for path in sorted(MATCHES.glob("*.jsonl"))]
    judged = 0
    while judged < turns:
        inputs = recorded[counted.matches % len(recorded)]
        counted.matches += 1
        find_unfinished(folder)
        with FileJournal(next_journal_path(folder), head={"referee": "long life"}) as journal:
            evidence_publisher = EvidencePublisher(evidence, watcher, log.warning)  # type: ignore[arg-type]
            publishers = (CuePublisher(NoSignals()), TextLines(log.info), evidence_publisher)
            loop = Loop(Match(), journal, publishers, log.warning)
            at = 0.0
            for entered in inputs:
                while at + 1.0 < entered.at:  # a live table ticks
                    at += 1.0
                    loop.enter(Ticked(Seconds(at)))
                at = max(at, entered.at)
                watcher.take_input(entered)
                loop.enter(entered)
        judged += journal.path.read_bytes().count(b'"event":"judged"')
    counted.turns += judged


def pass_night(log: logging.Logger) -> None:
    """Tick until the next evening, without a match."""
    with tempfile.TemporaryDirectory() as folder, FileJournal(Path(folder) / "match-00001.jsonl") as journal:
        loop = Loop(Match(), journal, (TextLines(log.info),), log.warning)
        for second in range(NIGHT_SECONDS):
            loop.enter(Ticked(Seconds(float(second))))


def measure_month(folder: Path, arguments: argparse.Namespace) -> Iterator[str]:
    """Play a month; yield the report on what it wrote."""
    megabytes = load_config(None).storage.evidence_megabytes
    counted, watcher = Counts(), RecordedWatcher(pictures())
    log = logging.getLogger("long-life")
    log.propagate, log.level = False, logging.INFO
    log.addHandler(LogCounter(counted))
    count_syncs(counted)
    memory, wear, rings = [], [], []
    night_bytes = 0
    for day in range(arguments.days):
        before = bytes_written()
        play_evening(folder, arguments.turns, watcher, counted, log, megabytes=megabytes)
        wear.append(bytes_written() - before)
        lines, before = counted.lines, bytes_written()
        pass_night(log)
        night_bytes += bytes_written() - before
        if counted.lines != lines:
            raise SystemExit("a night was spoken of in the log")
        memory.append(resident(os.getpid()))
        rings.append(sum(path.stat().st_size for path in (folder / "evidence").iterdir()))
        print(
            f"day {day + 1}: {counted.turns} turns, {rings[-1] / MEGABYTE:.0f} MB evidence, {memory[-1]:.0f} MB",
            flush=True,
        )
    journals = sum(path.stat().st_size for path in folder.glob("match-*.jsonl"))
    if max(rings) > megabytes * MEGABYTE:
        raise SystemExit("the ring of evidence has outgrown its limit")
    days = arguments.days
    hours = NIGHT_SECONDS // 3600
    yield f"## {days} evenings of {arguments.turns} turns, {hours} hours switched on between two of them"
    yield ""
    yield "| | in all | an evening |"
    yield "|---|---|---|"
    matches, turns = counted.matches, counted.turns
    yield f"| matches, turns judged | {matches}, {turns} | {matches / days:.1f}, {turns / days:.0f} |"
    yield f"| written to the card, MB | {sum(wear) / MEGABYTE:.0f} | {sum(wear) / days / MEGABYTE:.1f} |"
    yield f"| disk forced | {counted.syncs} times | {counted.syncs / days:.0f} |"
    yield f"| written by night, kB | {night_bytes / 1000:.0f} | {night_bytes / days / 1000:.1f} |"
    lines, kilobytes = counted.lines, counted.line_bytes / 1000
    yield f"| log | {lines} lines, {kilobytes:.0f} kB | {lines / days:.0f} lines, {kilobytes / days:.1f} kB |"
    yield f"| journals kept, MB | {journals / MEGABYTE:.1f} | {journals / days / MEGABYTE:.2f} |"
    yield f"| evidence, MB of at most {megabytes} | {rings[-1] / MEGABYTE:.0f} | |"
    growth = (memory[-1] - memory[0]) / days
    yield f"| memory after the first and the last evening, MB | {memory[0]:.0f}, {memory[-1]:.0f} | {growth:+.2f} |"
    yield ""


def measure_many_matches(folder: Path, camera: str) -> Iterator[str]:
    """Start with a folder of ten thousand matches and with an empty one, alternately; yield the report."""
    small = (MATCHES / "3in1-twist-3006.jsonl").read_bytes()
    crowded = folder / "crowd"
    crowded.mkdir()
    for number in range(1, MANY_MATCHES + 1):
        (crowded / f"match-{number:05d}.jsonl").write_bytes(small)
    times: dict[str, list[float]] = {"empty": [], "crowd": []}
    cpu = dict.fromkeys(times, 0.0)
    for name in [*times] * STARTS:
        referee = Referee(folder, camera, state=folder / name, keep_state=name == "crowd")
        times[name].append(referee.ready())
        cpu[name] = min(cpu[name] or 1e9, processor_seconds(referee.process.pid))
        held = resident(referee.process.pid)
        referee.end()
    ratio = min(times["crowd"]) / min(times["empty"])
    yield f"## {MANY_MATCHES:,} matches in the folder"
    yield ""
    full, empty = min(times["crowd"]), min(times["empty"])
    used = cpu["crowd"], cpu["empty"]
    yield f"A start takes **{ratio:.2f} times** as long as over an empty folder ({full:.1f} s against {empty:.1f},"
    yield f"the best of {STARTS} turn by turn; processor time {used[0]:.2f} s against {used[1]:.2f}) and {held:.0f} MB."
    yield ""
    shutil.rmtree(crowded)


def measure_update(folder: Path, revision: str) -> Iterator[str]:
    """Kill a match of an older version, resume it with this one, and yield the report."""
    revision_name = subprocess.run(
        ["git", "-C", HERE, "log", "-1", "--format=%h of %cs", revision], capture_output=True, text=True, check=True
    ).stdout.strip()
    old, state = folder / "old", folder / "updated"
    subprocess.run(
        ["git", "-C", HERE, "worktree", "add", "--detach", "--force", old, revision], check=True, capture_output=True
    )
    try:
        command = [
            sys.executable,
            "-m",
            "referee",
            "run",
            "--camera",
            "sim",
            "--signals",
            "none",
            "--state",
            str(state),
        ]
        process = subprocess.Popen(
            command,
            cwd=old,
            env={**os.environ, "PYTHONPATH": str(old)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        journal = state / "match-00001.jsonl"
        until = time.monotonic() + 300
        while time.monotonic() < until and (
            not journal.exists() or journal.read_bytes().count(b'"event":"judged"') < 4
        ):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
    finally:
        subprocess.run(["git", "-C", HERE, "worktree", "remove", "--force", old], check=True, capture_output=True)
    before = journal.read_bytes().count(b'"event":"judged"')
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    resumed = subprocess.run(
        [*command, "--until-end"], cwd=HERE.parent, env=environment, capture_output=True, text=True, check=False
    )
    replayed = subprocess.run(
        [sys.executable, "-m", "referee", "replay", journal],
        cwd=HERE.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    after = journal.read_bytes().count(b'"event":"judged"')
    others = [path.name for path in state.glob("match-*") if path != journal]
    if resumed.returncode or replayed.returncode or others or after <= before:
        raise SystemExit(
            f"the match of {revision_name} was not resumed: {resumed.stderr[-400:]} {replayed.stdout[-400:]} {others}"
        )
    pictures_kept = len(list((state / "evidence").glob("*.jpg")))
    yield "## An update in the middle of a match"
    yield ""
    yield f"The program of {revision_name} was killed after {before} judged turns; this one went on to {after},"
    yield f"with {pictures_kept} pictures, and `referee replay` repeats the whole journal."
    yield ""


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument(
        "--turns", type=int, default=180, help="judged in an evening (180: one a minute for three hours)"
    )
    parser.add_argument("--from", dest="revision", default="HEAD~50", help="the version before this one (HEAD~50)")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "long-life.md")
    arguments = parser.parse_args()
    (HERE.parent / "out").mkdir(exist_ok=True)
    command = f"python -m benchmarks.long_life --days {arguments.days} --turns {arguments.turns}"
    lines = [
        "# Long life",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}; `{command}`:",
        "match, journal, evidence and log do all their work on a real disk, fed with the inputs of recorded matches.",
        "",
    ]
    with tempfile.TemporaryDirectory(dir=HERE.parent / "out") as temporary:
        folder = Path(temporary)
        for part in (
            measure_update(folder, arguments.revision),
            measure_many_matches(folder, "sim:1"),
            measure_month(folder / "month", arguments),
        ):
            for line in part:
                print(line, flush=True)
                lines.append(line)
    arguments.out.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
