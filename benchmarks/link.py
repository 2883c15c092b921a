"""Press to verdict at a table whose hall's broker is down, slow, full or hostile, against that without a hall.

    python -m benchmarks.link [--presses 6] [--rounds 5]

The referee is the one of `benchmarks.live`, with the device's own link. Each round tries every kind of broker once, in
an order of its own, at the same moments between two looks. Brokers have the last core, the referee the rest; what a
busy core beside it costs is told by a flood that the table is not linked to.
"""

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import median

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from benchmarks.hall_demo import free_port, start_broker
from benchmarks.live import at_work, resident_megabytes
from benchmarks.web import PICTURES_A_SECOND, Round, Watched, press_round
from referee.game.events import TurnEvent
from referee.game.inputs import Input
from referee.game.limits import Limits
from referee.game.state import Match
from referee.link.settings import HallSettings
from referee.link.table_link import TableLink
from referee.link.table_report import TableFacts
from referee.web.view.state import CameraStatus

UNLINKED = "flood beside"
KINDS = ("no hall", "down", "slow", "full", "garbage", "flood", UNLINKED, "well")
SLOW_BYTES = 200  # a second
CONNACK = bytes.fromhex("2003000000")


class Linked(Watched):
    """The rig with a link to a hall, while one is open."""

    link: TableLink | None = None

    def publish(self, entered: Input, told: tuple[TurnEvent, ...], match: Match) -> None:
        """Tell the hall too."""
        super().publish(entered, told, match)
        if self.link is not None:
            self.link.publish(entered, told, match)


@contextmanager
def link_of(rig: Linked, port: int) -> Iterator[None]:
    """Link the rig to the broker on this port."""
    broker = f"mqtt://127.0.0.1:{port}"
    settings = HallSettings(
        broker=broker,
        hall="h",
        table="t1",
    )
    facts = TableFacts(
        device="bench",
        version="0",
        journal=None,
        journal_id="bench",
        told=0,
        digest=0,
        limits=Limits(),
        now=rig.clock.now,
        camera_status=CameraStatus,
        health=lambda: {"state": "running"},
    )
    rig.link = TableLink(settings, rig.loop.match, facts).start()
    try:
        time.sleep(2)
        yield
    finally:
        link, rig.link = rig.link, None
        link.close()


@contextmanager
def broker_of(kind: str) -> Iterator[int]:
    """Run a broker of this kind; its port."""
    port, behind, last = free_port(), free_port(), (os.cpu_count() or 1) - 1
    with tempfile.TemporaryDirectory() as folder:
        running = []
        if kind in {"slow", "flood", UNLINKED, "well"}:
            running.append(start_broker(Path(folder), behind if kind == "slow" else port))
        if kind in {"slow", "full", "garbage", "flood", UNLINKED}:
            words = [sys.executable, "-m", "benchmarks.link", "--be", kind, str(port), str(behind)]
            running.append(subprocess.Popen(["chrt", "--other", "0", "taskset", "--cpu-list", str(last), *words]))
        for one in running:  # not in real time: the kernel's own threads must get that core too
            os.sched_setaffinity(one.pid, {last})
            os.sched_setscheduler(one.pid, os.SCHED_OTHER, os.sched_param(0))
        time.sleep(2)
        try:
            yield port
        finally:
            for one in running:
                one.kill()
                one.wait()


async def be(kind: str, port: int, behind: int) -> None:
    """Be the bad part of a broker, until killed."""

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(SLOW_BYTES // 10):
            writer.write(data)
            await writer.drain()
            await asyncio.sleep(len(data) / SLOW_BYTES)

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if kind == "slow":
            to_read, to_write = await asyncio.open_connection("127.0.0.1", behind)
            await asyncio.gather(pipe(reader, to_write), pipe(to_read, writer))
        elif kind == "full":  # it welcomes the table and then takes nothing
            await reader.read(10)
            writer.write(CONNACK)
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            await asyncio.sleep(3600)
        while kind == "garbage":
            writer.write(random.randbytes(4096))
            await writer.drain()

    async def safely(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await served(reader, writer)
        except OSError:
            writer.close()

    server = await asyncio.start_server(safely, "127.0.0.1", port, limit=1024)
    await server.serve_forever()


def flood(port: int) -> None:
    """Ask the table for everything again and again, and for nonsense of 60 kB, as fast as the broker takes it."""
    client = Client(CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", port)
    client.loop_start()
    while True:
        client.publish("referee/v1/h/t1/cmd/resend", b'{"match":"bench","from":0}', qos=1).wait_for_publish(5)
        client.publish("referee/v1/h/t1/cmd/pause", b"x" * 60_000, qos=1).wait_for_publish(5)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--presses", type=int, default=6, help="of each kind in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--be", nargs=3, help=argparse.SUPPRESS)
    words = parser.parse_args(argv)
    if words.be:
        kind, port, behind = words.be[0], int(words.be[1]), int(words.be[2])
        if kind in {"flood", UNLINKED}:
            flood(port)
        asyncio.run(be(kind, port, behind))
        return
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:-1] or cores)
    rounds, rng = {kind: Round() for kind in KINDS}, random.Random(5)
    with at_work(Linked) as rig:
        rig.driver.pause = 1 / PICTURES_A_SECOND
        press_round(rig, 5, rng, Round())
        for number in range(words.rounds):
            for kind in rng.sample(KINDS, len(KINDS)):
                if kind == "no hall":
                    press_round(rig, words.presses, rng, rounds[kind])
                    continue
                with broker_of(kind) as port, nullcontext() if kind == UNLINKED else link_of(rig, port):
                    press_round(rig, words.presses, rng, rounds[kind])
            rounds["no hall"].megabytes.append(resident_megabytes())
            say(rounds, number + 1)


def say(rounds: dict[str, Round], number: int) -> None:
    """Print what was found until now."""
    base = rounds["no hall"]
    memory = f"{base.megabytes[0]:.0f} MB after the first round, {base.megabytes[-1]:.0f} after the last"
    print(f"{number} rounds, {len(base.milliseconds)} presses of each; {memory}")
    print("press to verdict and picture to verdict, median ms and ratio; share of a core")
    for kind, taken in rounds.items():
        pressed, worked = median(taken.milliseconds), median(taken.worked)
        ratios = f"{pressed / median(base.milliseconds):.2f}", f"{worked / median(base.worked):.2f}"
        print(f"{kind:12} {pressed:4.0f} {ratios[0]}  {worked:5.1f} {ratios[1]}  {median(taken.busy):.0%}", flush=True)


if __name__ == "__main__":
    main()
