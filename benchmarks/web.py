"""Measure fifty pages beside the running referee: press to verdict and memory with and without them, and delay.

    python -m benchmarks.web [--pages 50] [--presses 20] [--rounds 3]     writes benchmarks/results/web.md

The referee is that of `benchmarks.live`: camera thread, models and 106 tiles at 2304 × 1296; in every turn a hand comes
and goes, the table is read again, and then somebody presses. The pages run in another process on their own core, as
phones do: each follows the events and fetches every new picture of the table. Rounds without and with pages alternate,
so that other load affects both; in a last one a client requests the State as fast as it is answered.
`--presses 60 --with-pages 240 --rounds 1` keeps the pages open for more than ten minutes; `--together` runs them on the
referee's cores, which shows their cost to the machine.
"""

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.live import READINGS_PER_SECOND, SIZE, Rig, about_machine, resident_megabytes, running_rig
from referee.game.events import Judged
from referee.game.limits import Limits
from referee.history.evidence_pictures import EvidencePictures
from referee.history.history import History
from referee.page.dependencies import Dependencies
from referee.page.pictures import Pictures
from referee.page.server import Server
from referee.protocol.bridge import Bridge
from referee.protocol.state import CameraStatus
from referee.rules.verdict import Legal
from referee.settings.page import WebSettings
from referee.storage.match_step import MatchStep
from referee.vision.pipeline import TableReader

HERE = Path(__file__).parent
PICTURE = re.compile(rb'"picture":"(/api/picture/[^"]+)","live"')
PICTURES_A_SECOND = 30  # a camera's rate, so that few pictures are older than the press
WARM_UP = 5
SAMPLE_PRESSES = 20
SETTINGS = WebSettings(
    enabled=True, host="127.0.0.1", port=0, names=(), corrections="organiser", behind_proxy=False, start_on_page=True
)


class RigWithPage(Rig):
    """The rig with an optional page."""

    bridge: Bridge | None = None
    history: History
    told_at: list[float]
    seconds_from_picture = 0.0
    """Seconds from the picture that decided the last verdict to the verdict."""

    def publish(self, step: MatchStep) -> None:
        """Time a verdict when the lamps would show it, before the page, as in the real referee."""
        if self.bridge is not None:
            self.told_at += [time.monotonic()] * len(step.events)
        super().publish(step)
        if any(isinstance(event, Judged) for event in step.events):
            self.seconds_from_picture = self.verdicts[-1][0] - step.entered.at
        if self.bridge is not None:
            self.history.publish(step)
            self.bridge.publish(step)

    def press_after(self, phase: float) -> None:
        """Wait until this share of the time between two readings has passed."""
        seen = self.watcher.frames
        while self.watcher.frames == seen:
            time.sleep(0.001)
        time.sleep(max(0.0, (self.watcher.seen_at or 0.0) + phase / READINGS_PER_SECOND - self.clock.now()))


class Nothing:
    """A stand-in for services that the benchmark does not use."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Do nothing."""
        return lambda *_: None


@dataclass
class Round:
    """The results of one kind of round."""

    milliseconds: list[float] = field(default_factory=list)
    worked: list[float] = field(default_factory=list)
    """Milliseconds from the deciding picture to the verdict, without waiting for the camera."""
    busy: list[float] = field(default_factory=list)
    """The share of a core that the referee and its page used."""
    megabytes: list[float] = field(default_factory=list)


@contextmanager
def page_of(rig: RigWithPage) -> Iterator[Server]:
    """Open the rig's page."""
    bridge, history, watcher, idle = Bridge(rig.loop.match), History(), rig.watcher, Nothing()
    nothing: Any = idle
    server = Server(
        Dependencies(
            settings=SETTINGS,
            bridge=bridge,
            pictures=Pictures(lambda: watcher.frame, lambda: watcher.settled_frame),
            album=EvidencePictures(None),
            page_settings=nothing,
            setup=nothing,
            health=nothing.health,
            end=nothing.end,
            export=nothing,
            report=nothing.report,
            archive=nothing,
            limits=Limits(),
            pin_hash=lambda: "",
            set_pin=lambda _pin: None,
            now=rig.clock.now,
            camera_status=lambda: CameraStatus(
                frame_id=None if watcher.settled_frame is None else watcher.settled_frame.frame_id,
                size=SIZE,
                seen_at=watcher.seen_at,
                hands=watcher.moving,
            ),
            history=history,
        )
    )
    rig.told_at, rig.history, rig.bridge = [], history, bridge
    try:
        yield server
    finally:
        rig.bridge = None
        server.close()


@contextmanager
def clients(port: int, arguments: argparse.Namespace, *, hammer: bool) -> Iterator[Callable[[], Mapping[str, Any]]]:
    """Open pages in another process; yield a function that ends them and returns what they saw."""
    command = [sys.executable, "-m", "benchmarks.web", "--be-pages", *map(str, (port, arguments.pages, int(hammer)))]
    if arguments.together:
        command.append("--together")
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if child.stdout is None or not child.stdout.readline():  # a line once all are open
        raise SystemExit("the pages did not come up")

    def finish() -> Mapping[str, Any]:
        output, _ = child.communicate("end\n", timeout=60)
        seen: Mapping[str, Any] = json.loads(output)
        return seen

    try:
        yield finish
    finally:
        if child.poll() is None:
            child.kill()
            child.communicate()


def press_round(rig: RigWithPage, presses: int, rng: random.Random, round_: Round) -> None:
    """Press at evenly spaced moments between two readings, in random order.

    The wait for the next reading is most of the time to a verdict. At random it would hide what is measured.
    """
    phases = [(number + 0.5) / presses for number in range(presses)]
    begun, spent = time.monotonic(), time.process_time()
    for number, phase in enumerate(rng.sample(phases, presses), start=1):
        rig.play_turn()
        time.sleep(rng.uniform(0.3, 1.5))
        rig.press_after(phase)
        round_.milliseconds.append(1000 * rig.press(Legal))
        round_.worked.append(1000 * rig.seconds_from_picture)
        if number % SAMPLE_PRESSES == 0 or number == presses:
            round_.megabytes.append(resident_megabytes())
    round_.busy.append((time.process_time() - spent) / (time.monotonic() - begun))


def measure(rig: RigWithPage, arguments: argparse.Namespace) -> tuple[dict[str, Round], list[float], int]:
    """Alternate rounds without and with pages; return the rounds, milliseconds from event to page, pictures fetched."""
    rng = random.Random(4)
    rounds = {
        name: Round()
        for name in ("no page", f"{arguments.pages} pages", f"{arguments.pages} pages and one that hammers")
    }
    plain, followed, hammered = rounds.values()
    rig.driver.pause = 1 / PICTURES_A_SECOND
    with page_of(rig) as server, clients(server.port, arguments, hammer=False) as finish:
        press_round(rig, WARM_UP, rng, Round())
        finish()
    late: list[float] = []
    pictures = 0
    for _ in range(arguments.rounds):
        press_round(rig, arguments.presses, rng, plain)
        with page_of(rig) as server, clients(server.port, arguments, hammer=False) as finish:
            press_round(rig, arguments.with_pages or arguments.presses, rng, followed)
            time.sleep(1.0)
            seen = finish()
        pictures += seen["pictures"]
        for number, at in seen["told"]:
            late.append(1000 * (at - rig.told_at[number - 1]))
    press_round(rig, arguments.presses, rng, plain)
    with page_of(rig) as server, clients(server.port, arguments, hammer=True) as finish:
        press_round(rig, arguments.presses, rng, hammered)
        arguments.hammered = finish()["answers"]
    return rounds, late, pictures


def report(
    rounds: Mapping[str, Round], late: Sequence[float], pictures: int, arguments: argparse.Namespace
) -> Iterator[str]:
    yield "# Pages beside the referee"
    yield ""
    yield from about_machine(f"python -m benchmarks.web {arguments.given}", arguments.models)
    if os.sched_getscheduler(0) != os.SCHED_OTHER:
        yield "Run with `chrt -r 5`, pages too: other work filled the cores, and waiting for that is not measured here."
    if arguments.apart:
        yield "The pages have the last core, as phones have their own; the referee has the rest, in all rounds."
    yield ""
    base = next(iter(rounds.values()))
    yield "| | presses | press to verdict, median ms | 99th percentile ms | ratio of medians |"
    yield "|---|---|---|---|---|"
    for name, round_ in rounds.items():
        middle, p99 = median(round_.milliseconds), percentile_99(round_.milliseconds)
        ratio = middle / median(base.milliseconds)
        yield f"| {name} | {len(round_.milliseconds)} | {middle:.0f} | {p99:.0f} | {ratio:.2f} |"
    yield ""
    yield "| | picture to verdict, median ms | 99th percentile ms | share of a core | MB, first and last |"
    yield "|---|---|---|---|---|"
    for name, round_ in rounds.items():
        memory = f"{round_.megabytes[0]:.0f}, {round_.megabytes[-1]:.0f}"
        worked, p99 = median(round_.worked), percentile_99(round_.worked)
        yield f"| {name} | {worked:.1f} | {p99:.1f} | {100 * median(round_.busy):.0f} % | {memory} |"
    yield ""
    yield f"From event to page: median {median(late):.0f} ms, 99th percentile {percentile_99(late):.0f} ms, most"
    yield f"{max(late):.0f} ms, over {len(late)} arrivals at {arguments.pages} pages in a process of their own,"
    yield f"which fetched {pictures} pictures of the table meanwhile."
    yield f"The one that hammers got {arguments.hammered} answers on one connection beside them."


def percentile_99(values: Sequence[float]) -> float:
    """Return the 99th percentile."""
    return sorted(values)[min(len(values) - 1, int(0.99 * len(values)))]


# The pages --------------------------------------------------------------------------------------------------------


@dataclass
class Seen:
    """What all pages received."""

    told: list[tuple[int, float]] = field(default_factory=list)
    pictures: int = 0
    answers: int = 0


async def follow(port: int, seen: Seen, ready: asyncio.Semaphore) -> None:
    """Follow the events as a page, and fetch each new picture."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    writer.write(b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    shown, kind, number = b"", b"", 0
    while line := await reader.readline():
        if line.startswith(b"event: "):
            kind = line[7:].strip()
        elif line.startswith(b"id: "):
            number = int(line[4:])
        elif line.startswith(b"data: ") and kind == b"told":
            seen.told.append((number, time.monotonic()))
        elif line.startswith(b"data: ") and kind == b"state":
            ready.release()
            found = PICTURE.search(line)  # a phone's own processor parses the rest
            if found is not None and found[1] != shown:
                shown = found[1]
                await fetch(port, shown.decode())
                seen.pictures += 1


async def fetch(port: int, path: str) -> None:
    """Fetch one picture on a new connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    await reader.read()
    writer.close()


async def hammer(port: int, seen: Seen) -> None:
    """Request the State again and again without pause."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    request = b"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    while True:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[16:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length: "))
        await reader.readexactly(length)
        seen.answers += 1


async def run_pages(port: int, pages: int, *, with_hammer: bool) -> None:
    """Run this many pages until a line on standard input."""
    seen, ready = Seen(), asyncio.Semaphore(0)
    tasks = [asyncio.create_task(follow(port, seen, ready)) for _ in range(pages)]
    for _ in range(pages):
        await ready.acquire()
    if with_hammer:
        tasks.append(asyncio.create_task(hammer(port, seen)))
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for task in tasks:
        task.cancel()
    print(json.dumps({"told": seen.told, "pictures": seen.pictures, "answers": seen.answers}), flush=True)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--presses", type=int, default=20, help="in each round")
    parser.add_argument(
        "--with-pages", type=int, default=0, metavar="PRESSES", help="in a round with pages, if not as many"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--together", action="store_true", help="pages on the referee's cores")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "web.md")
    parser.add_argument("--be-pages", type=int, nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.be_pages:
        port, pages, hammering = arguments.be_pages
        if not arguments.together:
            os.sched_setaffinity(0, {(os.cpu_count() or 1) - 1})
        asyncio.run(run_pages(port, pages, with_hammer=bool(hammering)))
        return
    more = f" --with-pages {arguments.with_pages}" if arguments.with_pages else ""
    more += " --together" if arguments.together else ""
    arguments.given = f"--pages {arguments.pages} --presses {arguments.presses} --rounds {arguments.rounds}{more}"
    arguments.models = TableReader().version
    cores = sorted(os.sched_getaffinity(0))
    arguments.apart = len(cores) > 1 and not arguments.together
    if arguments.apart:
        os.sched_setaffinity(0, cores[:-1])
    with running_rig(RigWithPage) as rig:
        lines = list(report(*measure(rig, arguments), arguments))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
