"""Measure the running referee at a full table: press to verdict, the cost of an idle table, memory over hours.

    python -m benchmarks.live press [--presses 60]     writes benchmarks/results/press.md
    python -m benchmarks.live idle [--seconds 60]      writes benchmarks/results/idle.md
    python -m benchmarks.live soak [--hours 4] [--pace 1]   writes benchmarks/results/soak.md

Everything but the device is real: camera thread, motion gate, models, consensus, match, loop and journal. The driver
gives rendered pictures of 106 tiles at 2304 × 1296, each with its own sensor noise, ten a second; they are rendered
before the clock starts, and in the soak a hand comes and goes. The soak also keeps evidence, in a ring that wraps many
times, and writes its page every few minutes, so that an interrupted one still gives results. At a faster pace it does
the same work in less time.
"""

import argparse
import os
import platform
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TypeVar

import cv2

from referee.game.events import Judged
from referee.game.inputs import MatchStarted, Seat
from referee.game.limits import Limits
from referee.game.match import step
from referee.game.state import Match, ObservationState, TurnStart, TurnState
from referee.hardware.live import LiveCamera
from referee.hardware.ports import PlannedButton, Press
from referee.hardware.system import SystemClock
from referee.history.evidence import Evidence
from referee.reading.inputs import Seconds
from referee.rules.editions import rule_set
from referee.rules.notation import parse_tile, parse_tiles
from referee.rules.table import Table
from referee.rules.verdict import Illegal, Legal
from referee.service.loop import Live, Loop
from referee.service.publishers import EvidencePublisher
from referee.settings.hardware import CameraSettings
from referee.sim.hands import Hand
from referee.sim.layout import Arrangement, PhysicalTile, arrange
from referee.sim.render import Painter
from referee.sim.scenarios import random_setting
from referee.sim.scene import area_in_picture, play_area
from referee.storage.journal import FileJournal
from referee.storage.match_step import MatchStep
from referee.vision.image.frame import Image
from referee.vision.pipeline import TableReader
from referee.vision.profile import LockedControls
from referee.vision.watch.table_region import inside_outline
from referee.vision.watch.watcher import Watcher

HERE = Path(__file__).parent
SIZE = (2304, 1296)
SEED = 12
READINGS_PER_SECOND = 5.0  # a second
PICTURES = 12
SETTLE_SECONDS = 60.0
SAMPLE_SECONDS = 20.0
SAMPLES_A_PAGE = 15
EVIDENCE_MEGABYTES = 20  # some thirty turns


class Driver:
    """A camera that shows prepared pictures in random order, about ten a second, never one twice in a row."""

    def __init__(self, quiet: Sequence[Image], hands: Sequence[Image], arms: Sequence[Image] = ()) -> None:
        self._quiet, self._hands, self._arms = quiet, hands, arms
        self.hand = self.arm = False
        self.pause = 0.1
        self._rng = random.Random(3)
        self._last: Image | None = None

    def read(self) -> Image:
        """Return the next picture."""
        time.sleep(self.pause)
        pictures = self._arms if self.arm else self._hands if self.hand else self._quiet
        self._last = self._rng.choice([picture for picture in pictures if picture is not self._last])
        return self._last

    def settle(self, keep: LockedControls | None = None) -> LockedControls:
        """Nothing can be locked."""
        return keep or LockedControls()

    def close(self) -> None:
        """Nothing is held."""


class FakeButton(PlannedButton):
    """A button that the benchmark presses."""

    def press(self, at: Seconds) -> None:
        """Add a press at this time."""
        self._waiting = [*self._waiting, Press(at)]


class TooBusyError(SystemExit):
    """The referee did not answer in time because the machine is busy."""


class Rig:
    """A running referee at a full table; it times every verdict and then starts the turn again."""

    keeps_evidence = False

    def __init__(self, folder: Path, pace: float = 1.0) -> None:
        arrangement, pictures, hands, arms, outline = full_table()
        self.table = arrangement.table
        self.driver = Driver(pictures, hands, arms)
        self.driver.pause /= pace
        self.clock, self.button, self.stop = SystemClock(), FakeButton(()), threading.Event()
        settings = CameraSettings(
            source="usb:0",
            width=SIZE[0],
            height=SIZE[1],
            looks_per_second=READINGS_PER_SECOND * pace,
            mains_hertz=50,
            limit_seconds=2.0,
            retry_seconds=1.0,
        )
        camera = LiveCamera("usb:0", lambda: self.driver, settings, self.clock)
        rules = rule_set("original")
        self.watcher = Watcher(TableReader(), rules.box, on_table=inside_outline(outline))
        start = MatchStarted(
            at=Seconds(0.0), names=("Ann", "Ben"), edition="original", limits=Limits(double_press_seconds=0.1)
        )
        started = step(Match(), start)[0]
        opened = tuple(replace(player, opened=True) for player in started.players)
        self._first_match = replace(started, players=opened, play=TurnState(), table=ObservationState())
        self.before = self.table
        self.verdicts: list[tuple[Seconds, Judged]] = []
        journal = FileJournal(folder / "match-00001.jsonl")
        evidence = EvidencePublisher(Evidence(folder / "evidence", EVIDENCE_MEGABYTES), self.watcher, print)
        self.loop = Loop(self._start_turn(), journal, (self, *((evidence,) if self.keeps_evidence else ())), print)
        live = Live(camera=camera, button=self.button, watcher=self.watcher, clock=self.clock)
        self._thread = threading.Thread(target=self.loop.run_live, args=(live, self.stop))
        self._thread.start()

    def _start_turn(self) -> Match:
        return replace(self._first_match, turn_start=TurnStart(tables=(self.before,)), turn=2, seat=Seat(1))

    def publish(self, step: MatchStep) -> None:
        """Time a verdict and start the same turn again; runs in the loop's thread."""
        for event in step.events:
            if isinstance(event, Judged):
                self.verdicts.append((self.clock.now(), event))
                self.loop.match = replace(self._start_turn(), now=step.match.now, table=step.match.table)

    def wait_until_read(self) -> None:
        """Wait until the table has been read."""
        end = time.monotonic() + SETTLE_SECONDS
        while self.loop.match.table.current is None:
            if time.monotonic() > end:
                raise TooBusyError("the table did not settle; is the machine too busy?")
            time.sleep(0.1)

    def play_turn(self) -> None:
        """Let a hand come and go, as in every turn, and wait until the table has been read again."""
        self.driver.hand = True
        time.sleep(0.6)
        self.driver.hand = False
        time.sleep(0.4)
        self.wait_until_read()

    def play_illegal_turn(self) -> None:
        """Let a hand come and go, and wait until the table has been read again, twice if it is illegal."""
        self.play_turn()
        end = time.monotonic() + 5.0
        while time.monotonic() < end and (
            (observation := self.loop.match.table.current) is None or observation.earlier is None
        ):
            time.sleep(0.1)

    def rest_arm(self) -> None:
        """Rest an arm on the free end of the table."""
        self.driver.arm = True
        time.sleep(1.0)

    def lift_arm(self) -> None:
        """Take the arm away, and wait until the table has been read again."""
        self.driver.arm = False
        time.sleep(0.4)
        self.wait_until_read()

    def press(self, kind: type) -> float:
        """Press; return the seconds until the verdict, which must be of this kind."""
        count, at = len(self.verdicts), self.clock.now()
        self.button.press(at)
        end = time.monotonic() + SETTLE_SECONDS
        while len(self.verdicts) == count:
            if time.monotonic() > end:
                raise TooBusyError(f"no verdict within {SETTLE_SECONDS:.0f} s")
            time.sleep(0.005)
        judged_at, event = self.verdicts[count]
        if not isinstance(event.verdict, kind):
            raise SystemExit(f"the table was judged {event.verdict}")
        return judged_at - at

    def end(self) -> None:
        """Stop the referee."""
        self.stop.set()
        self._thread.join()


class EvidenceRig(Rig):
    """The rig with evidence on disk."""

    keeps_evidence = True


AnyRig = TypeVar("AnyRig", bound=Rig)


@contextmanager
def running_rig(kind: type[AnyRig], pace: float = 1.0) -> Iterator[AnyRig]:
    """Run a rig at a settled table; its files are removed afterwards."""
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        rig = kind(Path(folder), pace)
        try:
            rig.wait_until_read()
            yield rig
        finally:
            rig.end()


def full_table(
    *, omit: int = 0
) -> tuple[Arrangement, list[Image], list[Image], list[Image], tuple[tuple[float, float], ...]]:
    """Return 106 tiles in sets, pictures of them at rest, under a hand and beside an arm, and the play area's outline.

    `omit` tiles of the last set are left out.
    """
    sets = [f"{colour}{low} {' '.join(f'{colour}{n}' for n in range(low + 1, high + 1))}" for colour in "KRBO"
            for low, high in ((1, 4), (5, 8), (9, 13))]  # fmt: skip
    runs = [tuple(parse_tiles(text)) for text in sets]
    sets_of_tiles = [*runs, *runs]
    joker = parse_tile("J")
    sets_of_tiles[0], sets_of_tiles[3] = (*sets_of_tiles[0], joker), (*sets_of_tiles[3], joker)
    sets_of_tiles[-1] = sets_of_tiles[-1][: len(sets_of_tiles[-1]) - omit]
    count: dict[object, int] = {}
    pieces = []
    for tile in (tile for tiles in sets_of_tiles for tile in tiles):
        pieces.append(PhysicalTile(tile, count.get(tile, 0)))
        count[tile] = count.get(tile, 0) + 1
    setting = random_setting(rule_set("original"), SEED, SIZE, (0, 2))
    rng = random.Random(SEED)
    arrangement = arrange(Arrangement(), sets_of_tiles, pieces, side=0, area=play_area(setting.view), rng=rng)
    painter = Painter(setting)
    quiet_pictures = [painter.paint(arrangement.tiles, noise_index=number) for number in range(PICTURES)]
    hand_positions = [(500.0 + 25 * number, 300.0 + 10 * number) for number in range(4)]
    hands = [
        painter.paint(arrangement.tiles, (Hand(x=x, y=y, angle=0.1),), noise_index=number)
        for number, (x, y) in enumerate(hand_positions)
    ]
    arm = Hand(x=965.0, y=240.0, angle=-1.55)
    arms = [painter.paint(arrangement.tiles, (arm,), noise_index=number) for number in range(4)]
    return arrangement, quiet_pictures, hands, arms, area_in_picture(setting.view)


# Measures ---------------------------------------------------------------------------------------------------------


def measure_press(rig: Rig, arguments: argparse.Namespace) -> Iterator[str]:
    rng = random.Random(1)
    times: dict[str, list[float]] = {"legal": [], "legal, beside an arm that has just come to rest": [], "illegal": []}
    legal, beside_arm, illegal = times
    for _ in range(arguments.presses):
        time.sleep(rng.uniform(0.8, 2.5))
        times[legal].append(1000 * rig.press(Legal))
    for _ in range(max(3, arguments.presses // 5)):
        rig.rest_arm()
        times[beside_arm].append(1000 * rig.press(Legal))
        rig.lift_arm()
    # One tile more, which counts as taken.
    rig.before = Table((*rig.table.sets[1:], (*rig.table.sets[0], parse_tile("K6"))))
    rig.press(Legal)  # the last turn that began with the old table
    for _ in range(arguments.presses):
        rig.play_illegal_turn()
        time.sleep(rng.uniform(0.8, 2.5))
        times[illegal].append(1000 * rig.press(Illegal))
    yield "# From press to verdict"
    yield ""
    yield from about_machine(f"python -m benchmarks.live press {arguments.given}", arguments.models)
    yield ""
    yield "| verdict | presses | median ms | 99th percentile ms | most ms |"
    yield "|---|---|---|---|---|"
    for kind, all_times in times.items():
        sorted_times = sorted(all_times)
        p99 = sorted_times[min(len(sorted_times) - 1, int(0.99 * len(sorted_times)))]
        yield f"| {kind} | {len(sorted_times)} | {median(sorted_times):.0f} | {p99:.0f} | {sorted_times[-1]:.0f} |"
    yield ""
    yield "A legal table is judged by the next picture, up to 200 ms after the press. An illegal one is read twice. An"
    yield "arm is waited for up to 3 s."


def measure_idle(rig: Rig, arguments: argparse.Namespace) -> Iterator[str]:
    time.sleep(2.0)
    spent, began, frames = time.process_time(), time.monotonic(), rig.watcher.frames
    time.sleep(arguments.seconds)
    elapsed = time.monotonic() - began
    share = 100 * (time.process_time() - spent) / elapsed
    looks = (rig.watcher.frames - frames) / elapsed
    yield "# An idle table"
    yield ""
    yield from about_machine(f"python -m benchmarks.live idle {arguments.given}", arguments.models)
    yield ""
    yield f"Over {elapsed:.0f} s without a change, at {looks:.1f} looks a second: **{share:.1f} % of one core**."


@dataclass(frozen=True, slots=True)
class Sample:
    """Memory, files and threads of the process at one moment of a soak."""

    at: float
    looks: int
    turns: int
    late_answers: int
    megabytes: float
    descriptors: int
    threads: int


def measure_soak(rig: Rig, arguments: argparse.Namespace) -> Iterator[str]:
    samples: list[Sample] = []
    rng = random.Random(2)
    late, begun = 0, time.monotonic()
    while (now := time.monotonic() - begun) < arguments.hours * 3600 / arguments.pace:
        samples.append(sample(rig, now, late))
        if len(samples) % SAMPLES_A_PAGE == 0:
            arguments.out.write_text("\n".join(soak_report(samples, arguments)) + "\n", encoding="utf-8")
        try:
            rig.driver.hand = True
            time.sleep(rng.uniform(0.5, 2.0) / arguments.pace)
            rig.driver.hand = False
            time.sleep(4.0 / arguments.pace)
            rig.wait_until_read()
            rig.press(Legal)
        except TooBusyError:
            late += 1
        time.sleep(max(0.0, SAMPLE_SECONDS / arguments.pace - (time.monotonic() - begun - now)))
    yield from soak_report(samples, arguments)


def sample(rig: Rig, at: float, late: int) -> Sample:
    """Return a sample of the process now."""
    descriptors = sum(1 for _ in Path("/proc/self/fd").iterdir())
    megabytes = resident_megabytes()
    return Sample(at, rig.watcher.frames, len(rig.verdicts), late, megabytes, descriptors, threading.active_count())


def soak_report(samples: Sequence[Sample], arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the report on the samples so far."""
    last, tenth = samples[-1], max(1, len(samples) // 10)
    early = samples[tenth : 2 * tenth] or samples[:1]
    early_mb, late_mb = (median(sample.megabytes for sample in part) for part in (early, samples[-tenth:]))
    yield "# Memory over hours"
    yield ""
    yield from about_machine(f"python -m benchmarks.live soak {arguments.given}", arguments.models)
    if threshold := os.environ.get("MALLOC_MMAP_THRESHOLD_"):
        yield f"`MALLOC_MMAP_THRESHOLD_={threshold}`, as the service is set up."
    yield ""
    minutes = 60 * arguments.hours / arguments.pace
    yield f"{last.at / 60:.0f} of {minutes:.0f} minutes at {arguments.pace:g} times a table's pace:"
    yield f"{last.looks} looks and {last.turns} turns, {last.late_answers} of them not answered in time;"
    yield f"{early_mb:.1f} MB in the second tenth of the time and {late_mb:.1f} MB in the last,"
    yield f"**{late_mb - early_mb:+.1f} MB**."
    share = 100 * time.process_time() / max(last.at, 1.0)
    yield f"Processor time {share:.0f} % of one core, making the rig's own pictures included."
    yield ""
    yield "| minutes | turns | MB | open files | threads |"
    yield "|---|---|---|---|---|"
    for sample in samples[:: max(1, len(samples) // 24)]:
        cells = f"{sample.at / 60:.1f} | {sample.turns} | {sample.megabytes:.1f}"
        yield f"| {cells} | {sample.descriptors} | {sample.threads} |"


def resident_megabytes() -> float:
    """Return the resident memory of this process."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def about_machine(command: str, models: str) -> Iterator[str]:
    """Yield when, where and how this was measured."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    name = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    yield f"{datetime.now(UTC):%Y-%m-%d}, {name}, {os.cpu_count()} shared cores, load {os.getloadavg()[1]:.1f} at the"
    yield f"end; `{command}`. 106 tiles at {SIZE[0]} × {SIZE[1]},"
    yield f"{READINGS_PER_SECOND:.0f} looks a second, the real models ({models}), one thread."


MEASURES: dict[str, Callable[[Rig, argparse.Namespace], Iterator[str]]] = {
    "press": measure_press,
    "idle": measure_idle,
    "soak": measure_soak,
}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("measure", choices=sorted(MEASURES))
    parser.add_argument("--presses", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--hours", type=float, default=4.0)
    parser.add_argument("--pace", type=float, default=1.0, help="how much faster than a real table the soak runs")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args(argv)
    option = {"press": "presses", "idle": "seconds", "soak": "hours"}[arguments.measure]
    arguments.given = f"--{option} {getattr(arguments, option):g}" + (
        f" --pace {arguments.pace:g}" if arguments.pace != 1 else ""
    )
    arguments.models = TableReader().version
    arguments.out = arguments.out or HERE / "results" / f"{arguments.measure}.md"
    with running_rig(EvidenceRig if arguments.measure == "soak" else Rig, arguments.pace) as rig:
        lines = list(MEASURES[arguments.measure](rig, arguments))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
