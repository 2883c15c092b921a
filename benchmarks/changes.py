"""How surely one tile laid, taken, exchanged or turned over is noticed by the next frame, no hand in any frame.

    python -m benchmarks.changes [--trials 1000] [--frames 100]     writes benchmarks/results/changes.md

Tables, boxes, lamps and cameras are drawn as in a season, at four sizes; each picture has a sensor's noise of its own
and was a JPEG. In every trial one thing changes at a random place. Then nothing changes but the light, five frames a
second: noise alone, a lamp that dims by a third and reddens, one that flickers with the bands of a rolling shutter, and
a soft shadow as of somebody's head that crosses the table. Beside it stands what the gate for hands says of the same
frames. Last, what the comparison costs on one thread.
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
_CLEAR_MM = 40.0  # from the middle of a tile that is laid to any other: it may lie beside one, not on it
_JITTER_MM = 0.5  # so exactly is a tile put where another lay
_FLICKER, _BANDS = 0.08, 0.04
_DIMMED, _SHADOW, _SHADOW_MM, _SHADOW_MM_A_SECOND = 0.33, 0.3, 90.0, 100.0

Light = Callable[[int], np.ndarray | float]


class Scene:
    """A table with some tiles, and one change to it after the other."""

    def __init__(self, seed: int, size: tuple[int, int]) -> None:
        rng, rules = Random(seed), rule_set("original")
        self.rng, self.size = rng, size
        self.setting: TableSetting = random_setting(rules, seed, size, (0, 2))
        pieces = [PhysicalTile(tile, copy) for tile, count in rules.box.items() for copy in range(count)]
        rng.shuffle(pieces)
        table, self.rack = pieces[: rng.randint(12, 90)], pieces[90:]
        rows = [table[at : at + rng.randint(3, 6)] for at in range(0, len(table), 6)]
        laid = [tuple(piece.tile for piece in row) for row in rows]
        used = [piece for row in rows for piece in row]
        area = play_area(self.setting.view)
        self.laid = list(arrange(Arrangement(), laid, used, side=0, area=area, rng=rng).tiles)
        self.painter, self.shots = Painter(self.setting), 0

    @property
    def tile_px(self) -> float:
        """How wide its tiles are in the picture."""
        quad = self.setting.view.quad(self.laid[0], self.setting.style.thickness)
        return float(np.hypot(*(quad[1] - quad[0])))

    def shoot(self, laid: Sequence[LaidTile] | None = None) -> Image:
        """Take a picture."""
        self.shots += 1
        return compressed(self.painter.paint(self.laid if laid is None else laid, noise_index=self.shots))

    def changed(self, kind: str) -> list[LaidTile]:
        """The tiles once one of them has changed in this way."""
        rng, laid = self.rng, list(self.laid)
        at = rng.randrange(len(laid))
        old = laid[at]
        x, y = (middle + rng.gauss(0, _JITTER_MM) for middle in (old.x, old.y))
        if kind == "laid":
            return [*laid, self._elsewhere()]
        if kind == "taken":
            return laid[:at] + laid[at + 1 :]
        others = [piece.tile for piece in self.rack if piece.tile != old.tile]
        tile = rng.choice(others) if kind == "exchanged" else None
        return [*laid[:at], replace(old, tile=tile, x=x, y=y), *laid[at + 1 :]]

    def _elsewhere(self) -> LaidTile:
        area, rng = play_area(self.setting.view), self.rng
        while True:
            x, y = rng.uniform(area.left, area.right), rng.uniform(area.top, area.bottom)
            if all(np.hypot(x - one.x, y - one.y) > _CLEAR_MM for one in self.laid):
                return LaidTile(tile=rng.choice(self.rack).tile, copy=7, x=x, y=y, angle=rng.uniform(-3.1, 3.1))

    def light(self, kind: str, frames: int) -> Light:
        """How bright each pixel of a frame is."""
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
            far = _SHADOW_MM**2
            return lambda frame: (
                1 - _SHADOW / (1 + np.exp(np.minimum(((x - 50 - step * frame) ** 2 + (y - 330) ** 2) / far - 4, 30)))
            )[..., None]
        return lambda _: 1.0


def notice(scene: Scene, trials: int, seen: Counter[str], by_gate: Counter[str], missed: list[str]) -> None:
    """Change the table so often, each time from how it was at first."""
    detector, before = ChangeDetector(), scene.shoot()
    detector.remember(before, scene.tile_px)
    for trial in range(trials):
        kind = KINDS[trial % len(KINDS)]
        image = scene.shoot(scene.changed(kind))
        gate = MotionGate()
        gate.moved(before)
        noticed = detector.differs(image)
        seen[kind] += noticed
        by_gate[kind] += gate.moved(image)
        if not noticed:
            missed.append(f"{kind}, {scene.size[0]} px, seed {scene.setting.seed}")


def woken(scene: Scene, kind: str, frames: int) -> tuple[int, int]:
    """How often the light alone wakes the reader, and moves the gate for hands."""
    detector, gate, light = ChangeDetector(), MotionGate(), scene.light(kind, frames)
    detector.remember(scene.shoot(), scene.tile_px)
    wakes = moved = 0
    for frame in range(frames):
        lit = scene.painter.paint(scene.laid, noise_index=1000 + frame) * light(frame)
        image = compressed(np.clip(lit, 0, 255).astype(np.uint8))
        moved += gate.moved(image)
        if detector.differs(image):
            wakes += 1
            detector.remember(image)
    return wakes, moved


def cost(scene: Scene) -> tuple[float, float, float]:
    """Milliseconds of the gate for hands, and of the comparison where only noise and where light differs."""
    images = [scene.shoot() for _ in range(3)]
    dim = [np.asarray(image * np.float32(0.9), np.uint8) for image in images]
    gate, detector = MotionGate(), ChangeDetector()
    detector.remember(images[0], scene.tile_px)

    def taken(look: Callable[[Image], object], shown: Sequence[Image]) -> float:
        times = []
        for number in range(15):
            start = perf_counter()
            look(shown[number % len(shown)])
            times.append(perf_counter() - start)
        return 1000 * min(times)

    return taken(gate.moved, images), taken(detector.differs, images), taken(detector.differs, [images[0], dim[0]])


def report(trials: int, frames: int, words: str) -> Iterator[str]:
    """Run everything and say what came of it."""
    yield "# What changes unseen"
    yield ""
    yield f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} shared cores, load {os.getloadavg()[1]:.1f}; `{words}`."
    yield ""
    yield "| pixels | " + " | ".join(f"one tile {kind}" for kind in KINDS) + " |"
    yield "|---|" + "---|" * len(KINDS)
    missed: list[str] = []
    for index, size in enumerate(SIZES):
        left, seen, by_gate, tried = trials // len(SIZES), Counter[str](), Counter[str](), Counter[str]()
        seed = 500 + 100 * index
        while left:
            here = min(left, _TRIALS_A_TABLE)
            notice(Scene(seed, size), here, seen, by_gate, missed)
            tried.update(KINDS[trial % len(KINDS)] for trial in range(here))
            left, seed = left - here, seed + 1
        told = (f"{seen[kind]} of {tried[kind]} (gate for hands {by_gate[kind]})" for kind in KINDS)
        yield f"| {size[0]} × {size[1]} | " + " | ".join(told) + " |"
    yield ""
    yield f"Not noticed: {len(missed)} of {trials}" + "".join(f"; {one}" for one in missed) + "."
    yield ""
    yield f"| pixels | {' | '.join(LIGHTS)} | gate ms | comparison ms, by noise and by light |"
    yield "|---|" + "---|" * (len(LIGHTS) + 2)
    for index, size in enumerate(SIZES):
        scenes = [Scene(900 + 10 * index + number, size) for number in range(2)]
        woke = [[woken(scene, kind, frames) for scene in scenes] for kind in LIGHTS]
        told = (f"{sum(one for one, _ in those)} ({sum(one for _, one in those)})" for those in woke)
        times = [median(each) for each in zip(*(cost(scene) for scene in scenes), strict=True)]
        costs = f"{times[0]:.1f} | {times[1]:.1f}, {times[2]:.1f}"
        yield f"| {size[0]} × {size[1]} | " + " | ".join(told) + f" | {costs} |"
    yield ""
    yield f"Frames of {2 * frames} that woke the reader though nothing changed but light; in brackets, that moved the"
    yield "gate for hands, after which the table is read three times."


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--out", type=Path, default=RESULT)
    words = parser.parse_args(argv)
    cv2.setNumThreads(1)
    told = f"python -m benchmarks.changes --trials {words.trials} --frames {words.frames}"
    lines = []
    for line in report(words.trials, words.frames, told):
        print(line, flush=True)
        lines.append(line)
    words.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
