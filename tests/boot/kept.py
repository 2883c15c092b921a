"""What a match promised and what is left of it: verdicts heard, verdicts kept, and the truth of the evening."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from machine import Machine

NEWEST = "$(ls /var/lib/referee/match-*.jsonl | tail -1)"
VERDICTS = f'grep -ho \'"event":"judged",.*\' {NEWEST} | grep -o \'"verdict":"[a-z]*"\' | cut -d\'"\' -f4'


@dataclass(frozen=True, slots=True)
class Truth:
    """What the evening's makers know of it."""

    verdicts: tuple[str, ...]
    """Of each press."""
    corners: str
    size: str
    """The table's corners in the picture and its size in mm, as `calibrate table` takes them."""


class BrokenPromiseError(AssertionError):
    """A turn was lost, counted twice or changed, or the referee did not go on."""


def truth_of(evening: Path) -> Truth:
    """Read it."""
    turns = [json.loads(line) for line in (evening / "truth.jsonl").read_text("utf-8").splitlines()]
    judged = [each for turn in turns for each in turn["judgements"] if each["cause"] == "press"]
    tiles = [tile for each in judged for tile in each["tiles"]]
    pixels = np.array([np.mean(tile["quad"], axis=0) for tile in tiles], np.float32)
    places = np.array([tile["mm"][:2] for tile in tiles], np.float32)
    plane, _ = cv2.findHomography(pixels, places)
    area = np.array(json.loads((evening / "timeline.jsonl").read_text("utf-8").split("\n", 1)[0])["area"], np.float32)
    left_far, right_far, right_near, _ = cv2.perspectiveTransform(area[None], plane)[0]
    size = f"{np.linalg.norm(right_far - left_far):.0f}x{np.linalg.norm(right_near - right_far):.0f}"
    corners = " ".join(f"{x:.0f},{y:.0f}" for x, y in area)
    return Truth(tuple(each["verdict"] for each in judged), corners, size)


class Promises:
    """Holds a machine to what it said earlier, across power cuts."""

    def __init__(self, machine: Machine, truth: Truth) -> None:
        self.machine, self.truth = machine, truth
        self.kept: tuple[str, ...] = ()

    def check(self) -> str:
        """Raise BrokenPromiseError where a verdict that was heard or seen is gone, changed, or there twice."""
        now = tuple(self.machine.guest.run(VERDICTS).split())
        world = self.machine.world()
        presses = len({told["event"] for told in world.whats if told["what"] == "press"})
        if len(now) < world.heard:
            raise BrokenPromiseError(
                f"{world.heard} verdicts were heard, and {len(now)} are kept: {world.heard - len(now)} lost"
            )
        if len(now) > presses:
            raise BrokenPromiseError(
                f"{presses} turns were pressed, and {len(now)} verdicts are kept: {len(now) - presses} twice"
            )
        heard = self.kept[: world.heard]
        if now[: len(heard)] != heard:
            raise BrokenPromiseError(f"verdicts have changed: {heard} became {now[: len(heard)]}")
        self.kept = now
        wrong = self.wrong()
        said = f"{presses} pressed, {world.heard} heard, {len(now)} kept, {len(wrong)} other than true"
        return f"{said}: {', '.join(wrong)}" if wrong else said

    def wrong(self) -> list[str]:
        """Which verdicts are other than true."""
        pairs = enumerate(zip(self.kept, self.truth.verdicts, strict=False), start=1)
        return [f"press {press} {is_}, not {due}" for press, (is_, due) in pairs if is_ != due]


def moments(seed: int, count: int, least: float, most: float) -> list[float]:
    """Random moments in seconds."""
    chance = random.Random(seed)
    return [chance.uniform(least, most) for _ in range(count)]
