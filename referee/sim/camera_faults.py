"""Faults of the simulated camera: low frame rate, lost frames, slow reading, a sagging arm, tinting lamps."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

import cv2
import numpy as np

from referee.sim.faces import Bgr, Image
from referee.sim.scene import LOOK_SECONDS, SceneMoment
from referee.sim.unkind import Hardship

SAG_PIXELS: Final = 25.0  # over an evening
LAMP_SECONDS: Final = 2.0  # that a verdict's lamp is lit
TINTS: Final[dict[str, Bgr]] = {"legal": (96, 108, 96), "illegal": (92, 92, 112), "undecided": (92, 102, 108)}
"""The tint of the table by the referee's lamps, in percent of blue, green and red."""
_LONGEST_RUN: Final = 2.0  # seconds
_LOOKS: Final = 4  # three at a table that has just moved, and one more before anybody is accused
_STEP: Final = 0.25  # pixels that the arm sags at once


@dataclass(slots=True)
class CameraFaults:
    """The camera of one match; `lost` counts the lost frames, `runs` the runs of them."""

    rng: Random
    rate: float
    """Frames a second."""
    reading: tuple[float, float]
    """Least and greatest reading time, in seconds."""
    losing: float
    """Runs of lost frames per second."""
    direction: float
    """The direction in which the picture sags, in radians."""
    sags: float = SAG_PIXELS
    """How far it sags during the match, in pixels."""
    lamps: bool = True
    """Whether the referee's lamps light the table."""
    lost: int = 0
    runs: int = 0
    _next: float = 0.0
    _blind: float = field(default=0.0)

    @classmethod
    def of(cls, seed: int, hardships: Collection[Hardship]) -> "CameraFaults":
        """Return a random camera with those of its faults that are among the hardships."""
        chance = Random(f"unsteady {seed}")
        least = chance.uniform(0.3, 0.9)
        reading = least, chance.uniform(least, 1.5)
        rate, losing, direction = chance.uniform(1.0, 5.0), chance.uniform(0.05, 0.25), chance.uniform(0, 6.28)
        return cls(
            chance,
            rate=rate if Hardship.FEW in hardships else 1 / LOOK_SECONDS,
            reading=reading if Hardship.SLOW in hardships else (0.0, 0.0),
            losing=losing if Hardship.DROPPED in hardships else 0.0,
            direction=direction,
            sags=SAG_PIXELS if Hardship.SAG in hardships else 0.0,
            lamps=Hardship.LAMPS in hardships,
        )

    @property
    def patience(self) -> float:
        """Seconds that players wait for a verdict: two frames, four readings, and a run of lost frames."""
        return 2 / self.rate + _LOOKS * self.reading[1] + (_LONGEST_RUN if self.losing else 0.0)

    def summary(self) -> str:
        """Return a summary in words."""
        least, most = self.reading
        reading = f"{least:.1f} to {most:.1f} s a reading" if most else "readings that take no time"
        return f"{self.rate:.1f} frames a second, {reading}, {self.runs} runs of frames lost, {self.sags:.0f} pixels"

    def frames(self, shots: Sequence[SceneMoment], until: float) -> Iterator[tuple[float, SceneMoment]]:
        """Yield the frames taken up to a time: when, and the moment of the scene that they show."""
        place = 0
        while self._next <= until and shots:
            at, self._next = self._next, self._next + self.rng.uniform(0.9, 1.1) / self.rate
            if at < self._blind:
                self.lost += 1
                continue
            if self.rng.random() < self.losing / self.rate:
                self._blind, self.runs = at + self.rng.uniform(0.3, _LONGEST_RUN), self.runs + 1
                self.lost += 1
                continue
            while place + 1 < len(shots) and shots[place + 1].at <= at:
                place += 1
            yield round(at, 3), shots[place]

    def read(self, at: float) -> float:
        """Return how long a reading at this time takes, in seconds; frames meanwhile are lost."""
        takes = self.rng.uniform(*self.reading)
        self._blind = max(self._blind, at) + takes
        return takes


def shift_image(image: Image, direction: float, by: float) -> tuple[Image, tuple[float, float]]:
    """Return the picture shifted in a direction (radians) by so many pixels, and the shift (x, y)."""
    by = round(min(by, SAG_PIXELS) / _STEP) * _STEP
    if not by:
        return image, (0.0, 0.0)
    across, down = by * np.cos(direction), by * np.sin(direction)
    moved = np.array([[1, 0, across], [0, 1, down]])
    size = (image.shape[1], image.shape[0])
    shown = cv2.warpAffine(image, moved, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(shown, np.uint8), (float(across), float(down))


def tint_image(image: Image, tint: Bgr) -> Image:
    """Return the picture under a tinting lamp, in percent of blue, green and red."""
    levels = np.arange(256)[:, None] * np.array(tint) / 100
    return np.asarray(cv2.LUT(image, np.clip(levels, 0, 255).astype(np.uint8).reshape(256, 1, 3)), np.uint8)
