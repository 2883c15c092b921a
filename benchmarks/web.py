"""Fifty pages beside the running referee: press to verdict and memory with and without them, how soon they know.

    python -m benchmarks.web [--pages 50] [--presses 20] [--rounds 3]     writes benchmarks/results/web.md

The referee is the one of `benchmarks.live`: camera thread, both models and 106 tiles at 2304 × 1296. The pages are a
process of their own, as phones are: each follows the events and fetches every new picture of the table. Rounds without
and with pages take turns, so that whatever else the machine does falls on both; a last one has a client that asks for
the State as fast as it is answered. `--presses 40 --with-pages 320 --rounds 1` has the pages open for ten minutes.
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

from benchmarks.live import LOOKS, SIZE, Rig, about_machine, at_work, resident_megabytes
from referee.game.events import TurnEvent
from referee.game.inputs import Input, Limits
from referee.game.state import Match
from referee.hardware.system import wall_label
from referee.rules.verdict import Legal
from referee.storage.plain import event_to_plain
from referee.vision.pipeline import TableReader
from referee.web.bridge import Bridge
from referee.web.dependencies import Dependencies
from referee.web.evidence_pictures import EvidencePictures
from referee.web.pictures import Pictures
from referee.web.server import Server
from referee.web.settings import WebSettings
from referee.web.state import Sighting

HERE = Path(__file__).parent
PICTURE = re.compile(rb'"picture":"(/api/picture/[^"]+)","live"')
SETTINGS = WebSettings(enabled=True, host="127.0.0.1", port=0, names=(), corrections="organiser", start_on_page=True)


class Watched(Rig):
    """The rig with a page before it, while one is open."""

    bridge: Bridge | None = None
    told_at: list[float]

    def publish(self, entered: Input, told: tuple[TurnEvent, ...], match: Match) -> None:
        """Time a verdict where the lamps would show it, which are told before the page, as in the real referee."""
        if self.bridge is not None:
            self.told_at += [time.monotonic()] * len(told)
        super().publish(entered, told, match)
        if self.bridge is not None:
            self.bridge.publish(entered, told, match)

    def press_after(self, phase: float) -> None:
        """Wait until that share of the time between two looks has passed since one of them."""
        seen = self.watcher.frames
        while self.watcher.frames == seen:
            time.sleep(0.001)
        time.sleep(max(0.0, (self.watcher.seen_at or 0.0) + phase / LOOKS - self.clock.now()))


class Idle:
    """An office and an export that nobody visits."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Do nothing."""
        return lambda *_: None


@dataclass
class Round:
    """What one kind of round came to."""

    milliseconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)


@contextmanager
def page_of(rig: Watched) -> Iterator[Server]:
    """Open a page before the rig."""
    bridge, watcher, idle = Bridge(rig.loop.match), rig.watcher, Idle()
    nothing: Any = idle
    server = Server(
        Dependencies(
            settings=SETTINGS,
            bridge=bridge,
            pictures=Pictures(lambda: watcher.frame, lambda: watcher.settled_frame),
            album=EvidencePictures(None),
            office=nothing,
            export=nothing,
            limits=Limits(),
            pin_hash=lambda: "",
            now=rig.clock.now,
            sighting=lambda: Sighting(
                frame_id=None if watcher.settled_frame is None else watcher.settled_frame.frame_id,
                size=SIZE,
                seen_at=watcher.seen_at,
                hands=watcher.moving,
            ),
            plain=event_to_plain,
            wall=wall_label,
        )
    )
    rig.told_at, rig.bridge = [], bridge
    try:
        yield server
    finally:
        rig.bridge = None
        server.close()


@contextmanager
def clients(port: int, pages: int, *, hammer: bool) -> Iterator[Callable[[], Mapping[str, Any]]]:
    """Open pages from another process; what is given ends them and tells what they saw."""
    command = [sys.executable, "-m", "benchmarks.web", "--be-pages", *map(str, (port, pages, int(hammer)))]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if child.stdout is None or not child.stdout.readline():  # a line once all of them are there
        raise SystemExit("the pages did not come up")

    def finish() -> Mapping[str, Any]:
        told, _ = child.communicate("end\n", timeout=60)
        seen: Mapping[str, Any] = json.loads(told)
        return seen

    try:
        yield finish
    finally:
        if child.poll() is None:
            child.kill()
            child.communicate()


def press_round(rig: Watched, presses: int, rng: random.Random, into: Round) -> None:
    """Press so often, at every moment between two looks alike; each turn is told to whoever follows.

    How long the next look is away makes most of the time to a verdict. Left to chance, it would drown what is measured.
    """
    phases = [(number + 0.5) / presses for number in range(presses)]
    for phase in rng.sample(phases, presses):
        time.sleep(rng.uniform(0.8, 2.5))
        rig.press_after(phase)
        into.milliseconds.append(1000 * rig.press(Legal))
    into.megabytes.append(resident_megabytes())


def measure(rig: Watched, words: argparse.Namespace) -> tuple[dict[str, Round], list[float], int]:
    """Take turns without and with pages; give the rounds, milliseconds from event to page, pictures fetched."""
    rng = random.Random(4)
    rounds = {
        name: Round() for name in ("no page", f"{words.pages} pages", f"{words.pages} pages and one that hammers")
    }
    plain, followed, hammered = rounds.values()
    late: list[float] = []
    pictures = 0
    for _ in range(words.rounds):
        press_round(rig, words.presses, rng, plain)
        with page_of(rig) as server, clients(server.port, words.pages, hammer=False) as finish:
            press_round(rig, words.with_pages or words.presses, rng, followed)
            time.sleep(1.0)
            seen = finish()
        pictures += seen["pictures"]
        for number, at in seen["told"]:
            late.append(1000 * (at - rig.told_at[number - 1]))
    with page_of(rig) as server, clients(server.port, words.pages, hammer=True) as finish:
        press_round(rig, words.presses, rng, hammered)
        words.hammered = finish()["answers"]
    return rounds, late, pictures


def report(
    rounds: Mapping[str, Round], late: Sequence[float], pictures: int, words: argparse.Namespace
) -> Iterator[str]:
    yield "# Pages beside the referee"
    yield ""
    yield from about_machine(f"python -m benchmarks.web {words.given}", words.models)
    if os.sched_getscheduler(0) != os.SCHED_OTHER:
        yield "Run with `chrt -r 5`, pages too: other work filled the cores, and waiting for that is not measured here."
    yield ""
    yield "| | presses | press to verdict, median ms | 99th percentile ms | ratio of medians | MB after each round |"
    yield "|---|---|---|---|---|---|"
    base = median(next(iter(rounds.values())).milliseconds)
    for name, taken in rounds.items():
        times = sorted(taken.milliseconds)
        last = times[min(len(times) - 1, int(0.99 * len(times)))]
        memory = ", ".join(f"{megabytes:.0f}" for megabytes in taken.megabytes)
        middle = median(times)
        yield f"| {name} | {len(times)} | {middle:.0f} | {last:.0f} | {middle / base:.2f} | {memory} |"
    yield ""
    arrived = sorted(late)
    far = arrived[min(len(arrived) - 1, int(0.99 * len(arrived)))]
    yield f"From event to page: median {median(arrived):.0f} ms, 99th percentile {far:.0f} ms, most"
    yield f"{arrived[-1]:.0f} ms, over {len(arrived)} arrivals at {words.pages} pages in a process of their own,"
    yield f"which fetched {pictures} pictures of the table meanwhile."
    yield f"The one that hammers got {words.hammered} answers on one connection beside them."


# The pages --------------------------------------------------------------------------------------------------------


@dataclass
class Seen:
    """What all pages saw."""

    told: list[tuple[int, float]] = field(default_factory=list)
    pictures: int = 0
    answers: int = 0


async def follow(port: int, seen: Seen, ready: asyncio.Semaphore) -> None:
    """Follow the events of one page, and fetch each new picture."""
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
            found = PICTURE.search(line)  # a phone has a processor of its own to understand the rest
            if found is not None and found[1] != shown:
                shown = found[1]
                await fetch(port, shown.decode())
                seen.pictures += 1


async def fetch(port: int, path: str) -> None:
    """Fetch one picture on a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    await reader.read()
    writer.close()


async def hammer(port: int, seen: Seen) -> None:
    """Ask for the State again and again, without a breath between."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    request = b"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    while True:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[16:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length: "))
        await reader.readexactly(length)
        seen.answers += 1


async def be_pages(port: int, pages: int, *, hammering: bool) -> None:
    """Be so many pages until standard input says otherwise."""
    seen, ready = Seen(), asyncio.Semaphore(0)
    tasks = [asyncio.create_task(follow(port, seen, ready)) for _ in range(pages)]
    for _ in range(pages):
        await ready.acquire()
    if hammering:
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
    parser.add_argument("--out", type=Path, default=HERE / "results" / "web.md")
    parser.add_argument("--be-pages", type=int, nargs=3, help=argparse.SUPPRESS)
    words = parser.parse_args(argv)
    if words.be_pages:
        port, pages, hammering = words.be_pages
        asyncio.run(be_pages(port, pages, hammering=bool(hammering)))
        return
    more = f" --with-pages {words.with_pages}" if words.with_pages else ""
    words.given = f"--pages {words.pages} --presses {words.presses}{more} --rounds {words.rounds}"
    words.models = TableReader().version
    with at_work(Watched) as rig:
        lines = list(report(*measure(rig, words), words))
    words.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
