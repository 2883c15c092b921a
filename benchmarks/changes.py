"""Measure how surely the next frame shows that a tile was laid, taken, exchanged or turned over, without hands.

    python -m benchmarks.changes [--trials 1000] [--frames 100]     writes benchmarks/results/changes.md

Tables, boxes, lamps and cameras are drawn as in a season, at four sizes; each picture is a JPEG with its own sensor
noise. In every trial one thing changes at a random place. Then only the light changes, at five frames a second: noise
alone, a lamp that dims by a third and reddens, one that flickers with the bands of a rolling shutter, and a soft
shadow, such as a head's, that crosses the table. The report also gives the hand gate's result on the same frames, and
the cost of the comparison on one thread.
"""

import argparse
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

import cv2
import numpy as np

from benchmarks.refereed import compressed
from referee.rules.editions import rule_set
from referee.sim.layout import Arrangement, PhysicalTile, arrange
from referee.sim.render import Painter, TableSetting
from referee.sim.scenarios import random_setting
from referee.sim.scene import play_area
from referee.sim.view import LaidTile
from referee.vision.image.frame import Image
from referee.vision.watch.change import ChangeDetector
from referee.vision.watch.motion import MotionGate

RESULT = Path(__file__).parent / "results" / "changes.md"
SIZES = ((1280, 720), (1920, 1080), (2304, 1296), (4608, 2592))
KINDS = ("laid", "taken", "exchanged", "turned over")
LIGHTS = ("noise", "a lamp that dims", "a lamp that flickers", "a shadow that moves")
FRAMES_A_SECOND = 5
_TRIALS_A_TABLE = 25
_CLEAR_MM = 40.0  # between the centres of a new tile and any other: it may lie beside one, not on it
_JITTER_MM = 0.5  # standard deviation of a replaced tile's position
_FLICKER, _BANDS = 0.08, 0.04
_DIMMED, _SHADOW, _SHADOW_MM, _SHADOW_MM_A_SECOND = 0.33, 0.3, 90.0, 100.0

Light = Callable[[int], np.ndarray | float]


class Scene:
    """A table with some tiles, changed one tile at a time."""

    def __init__(self, seed: int, size: tuple[int, int]) -> None:
        rng, rules = Random(seed), rule_set("original")
        self.rng, self.size = rng, size
        self.setting: TableSetting = random_setting(rules, seed, size, (0, 2))
        pieces = [PhysicalTile(tile, copy) for tile, count in rules.box.items() for copy in range(count)]
        rng.shuffle(pieces)
        table, self.rack = pieces[: rng.randint(12, 90)], pieces[90:]
        rows = [table[at : at + rng.randint(3, 6)] for at in range(0, len(table), 6)]
        sets = [tuple(piece.tile for piece in row) for row in rows]
        used = [piece for row in rows for piece in row]
        area = play_area(self.setting.view)
        self.laid = list(arrange(Arrangement(), sets, used, side=0, area=area, rng=rng).tiles)
        self.painter, self.picture_count = Painter(self.setting), 0

    @property
    def tile_px(self) -> float:
        """The width of a tile in the picture, in pixels."""
        quad = self.setting.view.quad(self.laid[0], self.setting.style.thickness)
        return float(np.hypot(*(quad[1] - quad[0])))

    def capture(self, laid: Sequence[LaidTile] | None = None) -> Image:
        """Take a picture."""
        self.picture_count += 1
        return compressed(self.painter.paint(self.laid if laid is None else laid, noise_index=self.picture_count))

    def with_change(self, kind: str) -> list[LaidTile]:
        """Return the tiles after one change of this kind."""
        rng, laid = self.rng, list(self.laid)
        at = rng.randrange(len(laid))
        old = laid[at]
        x, y = (middle + rng.gauss(0, _JITTER_MM) for middle in (old.x, old.y))
        if kind == "laid":
            return [*laid, self._new_tile()]
        if kind == "taken":
            return laid[:at] + laid[at + 1 :]
        others = [piece.tile for piece in self.rack if piece.tile != old.tile]
        tile = rng.choice(others) if kind == "exchanged" else None
        return [*laid[:at], replace(old, tile=tile, x=x, y=y), *laid[at + 1 :]]

    def _new_tile(self) -> LaidTile:
        area, rng = play_area(self.setting.view), self.rng
        while True:
            x, y = rng.uniform(area.left, area.right), rng.uniform(area.top, area.bottom)
            if all(np.hypot(x - tile.x, y - tile.y) > _CLEAR_MM for tile in self.laid):
                return LaidTile(tile=rng.choice(self.rack).tile, copy=7, x=x, y=y, angle=rng.uniform(-3.1, 3.1))

    def light_factor(self, kind: str, frames: int) -> Light:
        """Return a function from a frame's number to the brightness of its pixels."""
        height, width = self.size[1], self.size[0]
        if kind == "a lamp that dims":
            tint = np.array([1.0, 0.8, 0.5])
            return lambda frame: 1 - _DIMMED * tint * frame / frames
        if kind == "a lamp that flickers":
            rows = np.linspace(0, 9 * np.pi, height)[:, None, None]
            rng = np.random.default_rng(self.rng.randrange(1000))
            return lambda _: rng.uniform(1 - _FLICKER, 1) - _BANDS * (1 + np.sin(rows + rng.uniform(0, 6.3))) / 2
        if kind == "a shadow that moves":
            y, x = (values / self.setting.view.scale for values in np.mgrid[:height, :width].astype(np.float32))
            step = _SHADOW_MM_A_SECOND / FRAMES_A_SECOND
            radius_squared = _SHADOW_MM**2
            return lambda frame: (
                1
                - _SHADOW
                / (1 + np.exp(np.minimum(((x - 50 - step * frame) ** 2 + (y - 330) ** 2) / radius_squared - 4, 30)))
            )[..., None]
        return lambda _: 1.0


def count_noticed(
    scene: Scene, trials: int, noticed_counts: Counter[str], gate_counts: Counter[str], missed: list[str]
) -> None:
    """Change one tile `trials` times, each time from the original table; count what was noticed."""
    detector, before = ChangeDetector(), scene.capture()
    detector.remember(before, scene.tile_px)
    for trial in range(trials):
        kind = KINDS[trial % len(KINDS)]
        image = scene.capture(scene.with_change(kind))
        gate = MotionGate()
        gate.moved(before)
        noticed = detector.differs(image)
        noticed_counts[kind] += noticed
        gate_counts[kind] += gate.moved(image)
        if not noticed:
            missed.append(f"{kind}, {scene.size[0]} px, seed {scene.setting.seed}")


def count_false_alarms(scene: Scene, kind: str, frames: int) -> tuple[int, int]:
    """Return how often light alone wakes the reader, and how often it triggers the hand gate."""
    detector, gate, light = ChangeDetector(), MotionGate(), scene.light_factor(kind, frames)
    detector.remember(scene.capture(), scene.tile_px)
    wakes = moved = 0
    for frame in range(frames):
        lit = scene.painter.paint(scene.laid, noise_index=1000 + frame) * light(frame)
        image = compressed(np.clip(lit, 0, 255).astype(np.uint8))
        moved += gate.moved(image)
        if detector.differs(image):
            wakes += 1
            detector.remember(image)
    return wakes, moved


def measure_cost(scene: Scene) -> tuple[float, float, float]:
    """Return milliseconds of the hand gate, and of the comparison when only noise or the light differs."""
    images = [scene.capture() for _ in range(3)]
    dim = [np.asarray(image * np.float32(0.9), np.uint8) for image in images]
    gate, detector = MotionGate(), ChangeDetector()
    detector.remember(images[0], scene.tile_px)

    def milliseconds(call: Callable[[Image], object], shown_images: Sequence[Image]) -> float:
        times = []
        for number in range(15):
            start = perf_counter()
            call(shown_images[number % len(shown_images)])
            times.append(perf_counter() - start)
        return 1000 * min(times)

    return (
        milliseconds(gate.moved, images),
        milliseconds(detector.differs, images),
        milliseconds(detector.differs, [images[0], dim[0]]),
    )


def report(trials: int, frames: int, command: str) -> Iterator[str]:
    """Run all trials and yield the report's lines."""
    yield "# What changes unseen"
    yield ""
    yield f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} shared cores, load {os.getloadavg()[1]:.1f}; `{command}`."
    yield ""
    yield "| pixels | " + " | ".join(f"one tile {kind}" for kind in KINDS) + " |"
    yield "|---|" + "---|" * len(KINDS)
    missed: list[str] = []
    for index, size in enumerate(SIZES):
        remaining, noticed_counts, gate_counts, tried = (
            trials // len(SIZES),
            Counter[str](),
            Counter[str](),
            Counter[str](),
        )
        seed = 500 + 100 * index
        while remaining:
            count = min(remaining, _TRIALS_A_TABLE)
            count_noticed(Scene(seed, size), count, noticed_counts, gate_counts, missed)
            tried.update(KINDS[trial % len(KINDS)] for trial in range(count))
            remaining, seed = remaining - count, seed + 1
        cells = (f"{noticed_counts[kind]} of {tried[kind]} (gate for hands {gate_counts[kind]})" for kind in KINDS)
        yield f"| {size[0]} × {size[1]} | " + " | ".join(cells) + " |"
    yield ""
    yield f"Not noticed: {len(missed)} of {trials}" + "".join(f"; {entry}" for entry in missed) + "."
    yield ""
    yield f"| pixels | {' | '.join(LIGHTS)} | gate ms | comparison ms, by noise and by light |"
    yield "|---|" + "---|" * (len(LIGHTS) + 2)
    for index, size in enumerate(SIZES):
        scenes = [Scene(900 + 10 * index + number, size) for number in range(2)]
        false_alarms = [[count_false_alarms(scene, kind, frames) for scene in scenes] for kind in LIGHTS]
        cells = (f"{sum(one for one, _ in counts)} ({sum(one for _, one in counts)})" for counts in false_alarms)
        times = [median(each) for each in zip(*(measure_cost(scene) for scene in scenes), strict=True)]
        costs = f"{times[0]:.1f} | {times[1]:.1f}, {times[2]:.1f}"
        yield f"| {size[0]} × {size[1]} | " + " | ".join(cells) + f" | {costs} |"
    yield ""
    yield f"Frames of {2 * frames} that woke the reader though nothing changed but light; in brackets, that moved the"
    yield "gate for hands, after which the table is read three times."


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args(argv)
    cv2.setNumThreads(1)
    command = f"python -m benchmarks.changes --trials {arguments.trials} --frames {arguments.frames}"
    lines = []
    for line in report(arguments.trials, arguments.frames, command):
        print(line, flush=True)
        lines.append(line)
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
