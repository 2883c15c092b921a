"""Fifty pages beside the running referee: press to verdict and memory with and without them, how soon they know.

    python -m benchmarks.web [--pages 50] [--presses 20] [--rounds 3]     writes benchmarks/results/web.md

The referee is the one of `benchmarks.live`: camera thread, the models and 106 tiles at 2304 × 1296; in every turn a
hand comes and goes, the table is read anew, and then somebody presses. The pages are a process of their own with a core
of its own, as phones have: each follows the events and fetches every new picture of the table. Rounds without and with
pages take turns, so that whatever else the machine does falls on both; a last one has a client that asks for the State
as fast as it is answered. `--presses 60 --with-pages 240 --rounds 1` has the pages open for more than ten minutes;
`--together` lets them run on the referee's cores, which shows what the machine loses to them.
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
from referee.game.events import Judged, TurnEvent
from referee.game.inputs import Input
from referee.game.limits import Limits
from referee.game.state import Match
from referee.hardware.system import wall_label
from referee.rules.verdict import Legal
from referee.storage.json_codec import event_to_json
from referee.vision.pipeline import TableReader
from referee.web.api.bridge import Bridge
from referee.web.api.dependencies import Dependencies
from referee.web.server import Server
from referee.web.settings import WebSettings
from referee.web.view.evidence_pictures import EvidencePictures
from referee.web.view.pictures import Pictures
from referee.web.view.state import CameraStatus

HERE = Path(__file__).parent
PICTURE = re.compile(rb'"picture":"(/api/picture/[^"]+)","live"')
PICTURES_A_SECOND = 30  # as a camera gives: then hardly a picture is older than the press it follows
WARM_UP = 5
SAMPLE_PRESSES = 20
SETTINGS = WebSettings(
    enabled=True, host="127.0.0.1", port=0, names=(), corrections="organiser", behind_proxy=False, start_on_page=True
)


class Watched(Rig):
    """The rig with a page before it, while one is open."""

    bridge: Bridge | None = None
    told_at: list[float]
    worked = 0.0
    """Seconds from the picture that decided the last verdict to the verdict."""

    def publish(self, entered: Input, told: tuple[TurnEvent, ...], match: Match) -> None:
        """Time a verdict where the lamps would show it, which are told before the page, as in the real referee."""
        if self.bridge is not None:
            self.told_at += [time.monotonic()] * len(told)
        super().publish(entered, told, match)
        if any(isinstance(event, Judged) for event in told):
            self.worked = self.verdicts[-1][0] - entered.at
        if self.bridge is not None:
            self.bridge.publish(entered, told, match)

    def press_after(self, phase: float) -> None:
        """Wait until that share of the time between two looks has passed since one of them."""
        seen = self.watcher.frames
        while self.watcher.frames == seen:
            time.sleep(0.001)
        time.sleep(max(0.0, (self.watcher.seen_at or 0.0) + phase / LOOKS - self.clock.now()))


class Idle:
    """An administration and an export that nobody uses."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Do nothing."""
        return lambda *_: None


@dataclass
class Round:
    """What one kind of round came to."""

    milliseconds: list[float] = field(default_factory=list)
    worked: list[float] = field(default_factory=list)
    """Milliseconds from the picture that decided to the verdict: the part that does not wait for the camera."""
    busy: list[float] = field(default_factory=list)
    """Share of a core that the referee used, its page with it."""
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
            admin=nothing,
            export=nothing,
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
            event_to_json=event_to_json,
            wall_label=wall_label,
        )
    )
    rig.told_at, rig.bridge = [], bridge
    try:
        yield server
    finally:
        rig.bridge = None
        server.close()


@contextmanager
def clients(port: int, words: argparse.Namespace, *, hammer: bool) -> Iterator[Callable[[], Mapping[str, Any]]]:
    """Open pages from another process; what is given ends them and tells what they saw."""
    command = [sys.executable, "-m", "benchmarks.web", "--be-pages", *map(str, (port, words.pages, int(hammer)))]
    if words.together:
        command.append("--together")
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
    begun, spent = time.monotonic(), time.process_time()
    for number, phase in enumerate(rng.sample(phases, presses), start=1):
        rig.lay()
        time.sleep(rng.uniform(0.3, 1.5))
        rig.press_after(phase)
        into.milliseconds.append(1000 * rig.press(Legal))
        into.worked.append(1000 * rig.worked)
        if number % SAMPLE_PRESSES == 0 or number == presses:
            into.megabytes.append(resident_megabytes())
    into.busy.append((time.process_time() - spent) / (time.monotonic() - begun))


def measure(rig: Watched, words: argparse.Namespace) -> tuple[dict[str, Round], list[float], int]:
    """Take turns without and with pages; give the rounds, milliseconds from event to page, pictures fetched."""
    rng = random.Random(4)
    rounds = {
        name: Round() for name in ("no page", f"{words.pages} pages", f"{words.pages} pages and one that hammers")
    }
    plain, followed, hammered = rounds.values()
    rig.driver.pause = 1 / PICTURES_A_SECOND
    with page_of(rig) as server, clients(server.port, words, hammer=False) as finish:
        press_round(rig, WARM_UP, rng, Round())
        finish()
    late: list[float] = []
    pictures = 0
    for _ in range(words.rounds):
        press_round(rig, words.presses, rng, plain)
        with page_of(rig) as server, clients(server.port, words, hammer=False) as finish:
            press_round(rig, words.with_pages or words.presses, rng, followed)
            time.sleep(1.0)
            seen = finish()
        pictures += seen["pictures"]
        for number, at in seen["told"]:
            late.append(1000 * (at - rig.told_at[number - 1]))
    press_round(rig, words.presses, rng, plain)
    with page_of(rig) as server, clients(server.port, words, hammer=True) as finish:
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
    if words.apart:
        yield "The pages have the last core, as phones have their own; the referee has the rest, in all rounds."
    yield ""
    base = next(iter(rounds.values()))
    yield "| | presses | press to verdict, median ms | 99th percentile ms | ratio of medians |"
    yield "|---|---|---|---|---|"
    for name, taken in rounds.items():
        middle, last = median(taken.milliseconds), last_percent(taken.milliseconds)
        ratio = middle / median(base.milliseconds)
        yield f"| {name} | {len(taken.milliseconds)} | {middle:.0f} | {last:.0f} | {ratio:.2f} |"
    yield ""
    yield "| | picture to verdict, median ms | 99th percentile ms | share of a core | MB, first and last |"
    yield "|---|---|---|---|---|"
    for name, taken in rounds.items():
        memory = f"{taken.megabytes[0]:.0f}, {taken.megabytes[-1]:.0f}"
        worked, last = median(taken.worked), last_percent(taken.worked)
        yield f"| {name} | {worked:.1f} | {last:.1f} | {100 * median(taken.busy):.0f} % | {memory} |"
    yield ""
    yield f"From event to page: median {median(late):.0f} ms, 99th percentile {last_percent(late):.0f} ms, most"
    yield f"{max(late):.0f} ms, over {len(late)} arrivals at {words.pages} pages in a process of their own,"
    yield f"which fetched {pictures} pictures of the table meanwhile."
    yield f"The one that hammers got {words.hammered} answers on one connection beside them."


def last_percent(values: Sequence[float]) -> float:
    """Give the 99th percentile."""
    return sorted(values)[min(len(values) - 1, int(0.99 * len(values)))]


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
            found = PICTURE.search(line)  # a phone has a processor of its own to read the rest
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
    parser.add_argument("--together", action="store_true", help="pages on the referee's cores")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "web.md")
    parser.add_argument("--be-pages", type=int, nargs=3, help=argparse.SUPPRESS)
    words = parser.parse_args(argv)
    if words.be_pages:
        port, pages, hammering = words.be_pages
        if not words.together:
            os.sched_setaffinity(0, {(os.cpu_count() or 1) - 1})
        asyncio.run(be_pages(port, pages, hammering=bool(hammering)))
        return
    more = f" --with-pages {words.with_pages}" if words.with_pages else ""
    more += " --together" if words.together else ""
    words.given = f"--pages {words.pages} --presses {words.presses} --rounds {words.rounds}{more}"
    words.models = TableReader().version
    cores = sorted(os.sched_getaffinity(0))
    words.apart = len(cores) > 1 and not words.together
    if words.apart:
        os.sched_setaffinity(0, cores[:-1])
    with at_work(Watched) as rig:
        lines = list(report(*measure(rig, words), words))
    words.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
