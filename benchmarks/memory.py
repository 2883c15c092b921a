"""Measure the referee's own memory over an evening, and how long it takes to start.

    python -m benchmarks.memory [--hours 4]     writes benchmarks/results/memory.md

The referee runs as systemd runs it, in its own process: the unit's environment, page, journal and evidence on. Its
pictures come from a `replay:` camera: 106 tiles at 2304 × 1296, a hand in every turn, every tenth table illegal. After
each verdict the same turn starts again, because a game would run out of tiles. A phone follows the page and requests
pictures and the nearest legal table, which calls the solver. An hour holds the turns of an hour at a table (one each
20 s), played without pauses. The start is timed on one core, from the command to the READY that systemd waits for.
"""

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any, Final

from referee.game.events import Judged
from referee.game.inputs import Seat
from referee.game.state import Match, Phase, TurnStart, TurnState
from referee.reading.inputs import Input
from referee.service.loop import Loop
from referee.storage.match_step import MatchStep

HERE: Final = Path(__file__).parent
UNIT: Final = HERE.parent / "systemd" / "referee.service"
PORT: Final = 8094
TURN_SECONDS: Final = 20.0  # at a table
STARTS: Final = 5
SAMPLE_SECONDS: Final = 5.0
SAMPLES_A_PAGE: Final = 24  # so that an interrupted run still gives results
_QUIET, _HANDS = 6, 3


def unit_environment() -> dict[str, str]:
    """Return the environment that the systemd unit sets."""
    lines = re.findall(r"^Environment=(.*)$", UNIT.read_text("utf-8"), re.MULTILINE)
    named = dict(word.split("=", 1) for line in lines for word in line.split())
    return {name: value for name, value in named.items() if name not in ("HOME", "LG_WD")}


def write_recording(folder: Path, turns: int) -> None:
    """Write a recording of `turns` turns at a full table."""
    import cv2  # noqa: PLC0415 - the child needs none of it

    from benchmarks.live import SIZE, full_table  # noqa: PLC0415

    frames = folder / "frames"
    frames.mkdir(parents=True)
    _, quiet, hands, _, outline = full_table()
    for number, picture in enumerate(quiet[:_QUIET]):
        cv2.imwrite(str(frames / f"quiet{number}.jpg"), picture)
    for number, picture in enumerate(hands[:_HANDS]):
        cv2.imwrite(str(frames / f"hand{number}.jpg"), picture)
    illegal = full_table(omit=3)[1]
    for number, picture in enumerate(illegal[:_QUIET]):
        cv2.imwrite(str(frames / f"torn{number}.jpg"), picture)
    head = {
        "event": "match",
        "players": ["Ann", "Ben"],
        "edition": "original",
        "games": 1,
        "size": SIZE,
        "area": outline,
    }
    with (folder / "timeline.jsonl").open("w", encoding="utf-8") as file:
        for event in (head, *timeline(turns)):
            file.write(json.dumps(event) + "\n")


def timeline(turns: int) -> Iterator[dict[str, Any]]:
    """Yield events in which a hand comes and goes, the table settles, and somebody presses."""
    at = 0.2
    for turn in range(turns):
        name = "torn" if turn % 10 == 9 else "quiet"
        files = [f"hand{n}" for n in range(_HANDS)] + [f"{name}{n % _QUIET}" for n in range(9)]
        for number, file in enumerate(files):
            yield {"event": "frame", "at": round(at, 3), "file": f"frames/{file}.jpg"}
            if number == 8:
                yield {"event": "press", "at": round(at + 0.05, 3)}
            at += 0.2


def resident(process: int, field: str = "VmRSS") -> float:
    """Return the memory of a process in MB."""
    lines = Path(f"/proc/{process}/status").read_text("ascii").splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"{field}:")) / 1024


@dataclass(frozen=True, slots=True)
class Sample:
    """The memory of the process at one moment."""

    at: float
    megabytes: float
    turns: int


class SameTurn(Loop):
    """A loop that starts the same turn at a full table again after each verdict."""

    _judged = False
    _turn: Match | None = None

    def _write(self, step: MatchStep) -> None:
        super()._write(step)
        self._judged = self._judged or any(isinstance(event, Judged) for event in step.events)

    def enter(self, entered: Input) -> None:
        """Take one input."""
        before = self.match
        super().enter(entered)
        match = self.match
        if self._judged and match.table.current is not None:
            self._judged = False
            tables = (match.table.current.hypotheses.best,)
            players = tuple(replace(player, opened=True) for player in before.players)
            self._turn = self._turn or replace(
                before, players=players, turn_start=TurnStart(tables=tables), turn=2, seat=Seat(1), play=TurnState()
            )
            self.match = replace(self._turn, phase=Phase.TURN, now=match.now, play=TurnState(), table=match.table)


def run_child(arguments: list[str]) -> int:
    """Run the referee with a SameTurn loop."""
    from referee.cli.main import main as referee  # noqa: PLC0415 - the parent needs none of it
    from referee.service import wiring  # noqa: PLC0415

    vars(wiring)["Loop"] = SameTurn
    return referee(arguments)


class Referee:
    """The referee in its own process, as systemd runs it."""

    def __init__(
        self,
        folder: Path,
        camera: str,
        *,
        cores: set[int] | None = None,
        state: Path | None = None,
        keep_state: bool = False,
    ) -> None:
        self.state = state or folder / "state"
        if not keep_state:
            shutil.rmtree(self.state, ignore_errors=True)
        self._ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        path = folder / "notify"
        path.unlink(missing_ok=True)
        self._ready.bind(str(path))
        arguments = ["run", "--camera", camera, "--signals", "none", "--state", str(self.state)]
        arguments += ["--web", f"127.0.0.1:{PORT}"]
        environment = {**os.environ, **unit_environment(), "NOTIFY_SOCKET": str(path), "RUNTIME_DIRECTORY": str(folder)}
        self.began = time.monotonic()
        self._log = (folder / "log").open("wb")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.memory", "--child", *arguments],
            env=environment,
            stdout=self._log,
            stderr=self._log,
            preexec_fn=None if cores is None else lambda: os.sched_setaffinity(0, cores),  # noqa: PLW1509 - no threads yet
        )

    def ready(self) -> float:
        """Wait until the referee is ready; return the seconds since its start."""
        self._ready.settimeout(120.0)
        while b"READY=1" not in self._ready.recv(4096):
            pass
        seconds = time.monotonic() - self.began
        threading.Thread(target=self._drain, daemon=True).start()
        return seconds

    def _drain(self) -> None:
        """Drain later notifications, which would block the referee."""
        with suppress(OSError):
            while self._ready.recv(4096):
                pass

    def turns(self) -> int:
        """Return how many verdicts the journals hold."""
        return sum(path.read_bytes().count(b'"event":"judged"') for path in self.state.glob("match-*.jsonl"))

    def end(self) -> None:
        """Stop the referee."""
        self.process.terminate()
        self.process.wait(30)
        self._ready.close()
        self._log.close()


class Phone:
    """A phone that follows the page and requests pictures and the nearest legal table."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self.request_count = 0
        for work in (self._follow, self._look):
            threading.Thread(target=work, daemon=True).start()

    def _follow(self) -> None:
        while not self._stop.is_set():
            with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{PORT}/api/events", timeout=60) as events:
                while not self._stop.is_set() and events.read1(65536):
                    pass
            self._stop.wait(1.0)

    def _look(self) -> None:
        while not self._stop.wait(5.0):
            for path in ("state", "live.jpg", "nearest", "turns"):
                with (
                    suppress(OSError),
                    urllib.request.urlopen(f"http://127.0.0.1:{PORT}/api/{path}", timeout=60) as answer,
                ):
                    answer.read()
                    self.request_count += 1

    def end(self) -> None:
        """Stop the phone."""
        self._stop.set()


def times_to_ready(folder: Path, camera: str) -> list[tuple[float, float]]:
    """Return sorted pairs of seconds to READY on one core and processor time, for several starts."""
    times = []
    for _ in range(STARTS):
        referee = Referee(folder, camera, cores={min(os.sched_getaffinity(0))})
        seconds = referee.ready()
        times.append((seconds, processor_seconds(referee.process.pid)))
        referee.end()
    return sorted(times)


def processor_seconds(process: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def play(folder: Path, camera: str, turns: int) -> Iterator[Sample]:
    """Play all turns and yield samples of the memory."""
    referee = Referee(folder, camera)
    referee.ready()
    phone = Phone()
    last = time.monotonic()
    count = 0
    while count < turns and referee.process.poll() is None and time.monotonic() - last < 120.0:
        time.sleep(SAMPLE_SECONDS)
        now = referee.turns()
        last, count = (time.monotonic(), now) if now > count else (last, count)
        yield Sample(time.monotonic() - referee.began, resident(referee.process.pid), count)
    yield Sample(time.monotonic() - referee.began, resident(referee.process.pid, "VmHWM"), count)
    phone.end()
    referee.end()


def report(
    samples: list[Sample], starts: list[tuple[float, float]], arguments: argparse.Namespace, turns: int
) -> Iterator[str]:
    """Yield the lines of the report."""
    from benchmarks.live import about_machine  # noqa: PLC0415
    from referee.vision.pipeline import TableReader  # noqa: PLC0415

    megabytes = [sample.megabytes for sample in samples[:-1]] or [samples[-1].megabytes]
    tenth = max(1, len(megabytes) // 10)
    yield "# What the referee holds in memory"
    yield ""
    yield from about_machine(f"python -m benchmarks.memory --hours {arguments.hours:g}", TableReader().version)
    yield "The page is on; pictures come from a `replay:` camera; figures are of the referee's process alone."
    yield ""
    last = samples[-1]
    yield f"{last.turns} of {turns} turns, as many as {arguments.hours:g} hours hold, in {last.at / 60:.0f} minutes:"
    early = median(megabytes[tenth : 2 * tenth])
    yield f"**{max(megabytes):.0f} MB at most**, {early:.0f} in the second tenth of the time and"
    yield f"{median(megabytes[-tenth:]):.0f} in the last; {samples[-1].megabytes:.0f} for a moment (VmHWM)."
    yield ""
    middle = starts[len(starts) // 2][0]
    best = f"**{starts[0][0]:.1f} s** at best of {len(starts)}"
    yield f"From the command to READY on one core: {best}, {middle:.1f} in the middle;"
    yield f"processor time until then {min(spent for _, spent in starts):.2f} s."
    yield ""
    yield "| minutes | turns | MB |"
    yield "|---|---|---|"
    for sample in samples[: -1 : max(1, len(samples) // 8)]:
        yield f"| {sample.at / 60:.1f} | {sample.turns} | {sample.megabytes:.0f} |"


def main() -> None:
    """Measure and write the page."""
    if sys.argv[1:2] == ["--child"]:
        sys.exit(run_child(sys.argv[2:]))
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--hours", type=float, default=4.0, help="hours of play (4)")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "memory.md")
    arguments = parser.parse_args()
    turns = round(arguments.hours * 3600 / TURN_SECONDS)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_recording(folder / "evening", turns)
        camera = f"replay:{folder / 'evening'}"
        starts = times_to_ready(folder, camera)
        samples: list[Sample] = []

        def write() -> None:
            arguments.out.write_text("\n".join(report(samples, starts, arguments, turns)) + "\n", encoding="utf-8")

        for sample in play(folder, camera, turns):
            samples.append(sample)
            print(f"{sample.at:7.0f} s {sample.turns:5} turns {sample.megabytes:6.1f} MB", flush=True)
            if len(samples) % SAMPLES_A_PAGE == 0:
                write()
        write()
    print(arguments.out.read_text("utf-8"))


if __name__ == "__main__":
    main()
