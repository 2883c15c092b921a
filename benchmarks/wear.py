"""Measure what a referee writes to its card while nobody plays, and while a clock runs.

    python -m benchmarks.wear [--seconds 120]     writes benchmarks/results/wear.md

The complete program runs in its own process at a bare table: camera thread, models, match, journal, evidence, health,
page. Only the camera driver and the pins are stand-ins. The kernel counts the bytes written to storage (`write_bytes`
in /proc/PID/io); the health file is in memory, like systemd's RuntimeDirectory.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np

from referee.cli.main import main as referee
from referee.hardware import usb
from referee.vision.image.frame import Image

HERE: Final = Path(__file__).parent
SETTLE_SECONDS: Final = 30.0
STATES: Final = {
    "a button, before the first press": ("--signals", "gpio"),
    "a page, before the organiser starts": ("--signals", "none", "--web", "127.0.0.1:8093"),
    "a turn in which nobody moves, its clock running": ("--signals", "none"),
}


class Driver:
    """A camera over a bare table, with a sensor's noise."""

    def __init__(self, *_: object) -> None:
        rng = np.random.default_rng(1)
        table = np.full((720, 1280, 3), (70, 110, 60), np.uint8)
        self._pictures = [table + rng.integers(0, 5, table.shape, np.uint8) for _ in range(12)]
        self._number = 0

    def __call__(self) -> "Driver":
        """Open the camera."""
        return self

    def read(self) -> Image:
        """Return the next picture, ten a second."""
        time.sleep(0.1)
        self._number += 1
        picture: Image = self._pictures[self._number % len(self._pictures)]
        return picture

    def close(self) -> None:
        """Nothing is held."""


def run_child(arguments: list[str]) -> int:
    """Run the referee with the stand-ins."""
    usb.UsbCamera = Driver  # type: ignore[assignment,misc]
    if "gpio" in arguments:
        import gpiozero  # noqa: PLC0415 - with pins only
        from gpiozero.pins.mock import MockFactory, MockPWMPin  # noqa: PLC0415

        os.environ["GPIOZERO_PIN_FACTORY"] = "mock"
        gpiozero.Device.pin_factory = MockFactory(pin_class=MockPWMPin)
    return referee(["run", "--camera", "usb:0", *arguments])


def measure(arguments: tuple[str, ...], seconds: float) -> tuple[float, float, float]:
    """Return kB per hour: written to storage, growth of the state folder, and log."""
    with (
        tempfile.TemporaryDirectory(dir=HERE.parent / "out") as disk,
        tempfile.TemporaryDirectory(dir="/dev/shm") as ram,
    ):
        state, log = Path(disk) / "state", Path(disk) / "log"
        environment = {**os.environ, "RUNTIME_DIRECTORY": ram}
        command = [sys.executable, "-m", "benchmarks.wear", "--child", *arguments, "--state", str(state)]
        with log.open("wb") as log_file:
            process = subprocess.Popen(command, stdout=log_file, stderr=log_file, env=environment)
            try:
                time.sleep(SETTLE_SECONDS)
                before = _written(process.pid), _size(state), log.stat().st_size
                began = time.monotonic()
                time.sleep(seconds)
                after = _written(process.pid), _size(state), log.stat().st_size
                hour = 3600 / (time.monotonic() - began) / 1000
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(30)
        if process.returncode:
            raise SystemExit(log.read_text("utf-8"))
    return tuple((now - then) * hour for now, then in zip(after, before, strict=True))  # type: ignore[return-value]


def _written(process: int) -> int:
    lines = dict(line.split(": ") for line in Path(f"/proc/{process}/io").read_text("ascii").splitlines())
    return int(lines["write_bytes"])


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Measure each state and write the page."""
    if "--child" in sys.argv:
        sys.exit(run_child(sys.argv[sys.argv.index("--child") + 1 :]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120.0, help="how long each state is watched (120)")
    seconds = parser.parse_args().seconds
    (HERE.parent / "out").mkdir(exist_ok=True)
    rows = [
        f"| {name} | {disk:.0f} | {grown:.0f} | {log:.1f} |"
        for name, arguments in STATES.items()
        for disk, grown, log in [measure(arguments, seconds)]
    ]
    page = f"""# What is written to the card

{datetime.now(UTC):%Y-%m-%d}; `python -m benchmarks.wear --seconds {seconds:.0f}`: the whole program before
a bare table, camera driver and pins stand-ins. kB an hour; written to storage is what the kernel counts, in whole
blocks. A turn's clock is kept on the card every five seconds, and a picture of each judged turn; where a whole round of
turns ran out before nobody, the referee takes a break and writes no more.

| state | written to storage | growth of journal and evidence | log |
|---|---|---|---|
"""
    page += "\n".join(rows) + "\n"
    (HERE / "results" / "wear.md").write_text(page, "utf-8")
    print(page)


if __name__ == "__main__":
    main()
