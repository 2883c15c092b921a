"""Time press to verdict while the hall's broker is down, slow, full or hostile, compared with no hall.

    python -m benchmarks.link [--presses 6] [--rounds 5]

The referee is that of `benchmarks.live`, with the device's own link. Each round tries every kind of broker once, in a
random order, at the same moments between two readings. Brokers have the last core, the referee the rest; a flood to
which the table is not linked shows what a busy core beside it costs.
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
from benchmarks.live import resident_megabytes, running_rig
from benchmarks.web import PICTURES_A_SECOND, RigWithPage, Round, press_round
from referee.game.limits import Limits
from referee.link.table_link import TableLink
from referee.link.table_report import TableFacts
from referee.protocol.state import CameraStatus
from referee.settings.hall import HallSettings
from referee.storage.match_step import MatchStep

UNLINKED_FLOOD = "flood beside"
KINDS = ("no hall", "down", "slow", "full", "garbage", "flood", UNLINKED_FLOOD, "well")
SLOW_BYTES = 200  # a second
CONNACK = bytes.fromhex("2003000000")


class LinkedRig(RigWithPage):
    """The rig with an optional link to a hall."""

    link: TableLink | None = None

    def publish(self, step: MatchStep) -> None:
        """Publish to the hall as well."""
        super().publish(step)
        if self.link is not None:
            self.link.publish(step)


@contextmanager
def linked_rig(rig: LinkedRig, port: int) -> Iterator[None]:
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
        event_count=0,
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
def running_broker(kind: str) -> Iterator[int]:
    """Run a broker of this kind; yield its port."""
    port, real_port, last = free_port(), free_port(), (os.cpu_count() or 1) - 1
    with tempfile.TemporaryDirectory() as folder:
        running = []
        if kind in {"slow", "flood", UNLINKED_FLOOD, "well"}:
            running.append(start_broker(Path(folder), real_port if kind == "slow" else port))
        if kind in {"slow", "full", "garbage", "flood", UNLINKED_FLOOD}:
            command = [sys.executable, "-m", "benchmarks.link", "--be", kind, str(port), str(real_port)]
            running.append(subprocess.Popen(["chrt", "--other", "0", "taskset", "--cpu-list", str(last), *command]))
        for process in running:  # not in real time: kernel threads need that core, too
            os.sched_setaffinity(process.pid, {last})
            os.sched_setscheduler(process.pid, os.SCHED_OTHER, os.sched_param(0))
        time.sleep(2)
        try:
            yield port
        finally:
            for process in running:
                process.kill()
                process.wait()


async def run_bad_broker(kind: str, port: int, real_port: int) -> None:
    """Run a misbehaving broker until killed."""

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(SLOW_BYTES // 10):
            writer.write(data)
            await writer.drain()
            await asyncio.sleep(len(data) / SLOW_BYTES)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if kind == "slow":
            to_read, to_write = await asyncio.open_connection("127.0.0.1", real_port)
            await asyncio.gather(pipe(reader, to_write), pipe(to_read, writer))
        elif kind == "full":  # it accepts the table and then reads nothing
            await reader.read(10)
            writer.write(CONNACK)
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            await asyncio.sleep(3600)
        while kind == "garbage":
            writer.write(random.randbytes(4096))
            await writer.drain()

    async def serve_safely(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        except OSError:
            writer.close()

    server = await asyncio.start_server(serve_safely, "127.0.0.1", port, limit=1024)
    await server.serve_forever()


def flood(port: int) -> None:
    """Request every event again and again, and send 60 kB of nonsense, as fast as the broker accepts it."""
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
    arguments = parser.parse_args(argv)
    if arguments.be:
        kind, port, real_port = arguments.be[0], int(arguments.be[1]), int(arguments.be[2])
        if kind in {"flood", UNLINKED_FLOOD}:
            flood(port)
        asyncio.run(run_bad_broker(kind, port, real_port))
        return
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:-1] or cores)
    rounds, rng = {kind: Round() for kind in KINDS}, random.Random(5)
    with running_rig(LinkedRig) as rig:
        rig.driver.pause = 1 / PICTURES_A_SECOND
        press_round(rig, 5, rng, Round())
        for number in range(arguments.rounds):
            for kind in rng.sample(KINDS, len(KINDS)):
                if kind == "no hall":
                    press_round(rig, arguments.presses, rng, rounds[kind])
                    continue
                with running_broker(kind) as port, nullcontext() if kind == UNLINKED_FLOOD else linked_rig(rig, port):
                    press_round(rig, arguments.presses, rng, rounds[kind])
            rounds["no hall"].megabytes.append(resident_megabytes())
            print_results(rounds, number + 1)


def print_results(rounds: dict[str, Round], number: int) -> None:
    """Print the results so far."""
    base = rounds["no hall"]
    memory = f"{base.megabytes[0]:.0f} MB after the first round, {base.megabytes[-1]:.0f} after the last"
    print(f"{number} rounds, {len(base.milliseconds)} presses of each; {memory}")
    print("press to verdict and picture to verdict, median ms and ratio; share of a core")
    for kind, round_ in rounds.items():
        pressed, worked = median(round_.milliseconds), median(round_.worked)
        ratios = f"{pressed / median(base.milliseconds):.2f}", f"{worked / median(base.worked):.2f}"
        print(f"{kind:12} {pressed:4.0f} {ratios[0]}  {worked:5.1f} {ratios[1]}  {median(round_.busy):.0%}", flush=True)


if __name__ == "__main__":
    main()
