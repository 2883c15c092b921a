"""Faults of the simulated camera: low frame rate, lost frames, slow reading, a sagging arm, tinting lamps."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

import cv2
import numpy as np

from referee.sim.faces import Bgr
from referee.sim.hardships import Hardship
from referee.sim.scene import FRAME_SECONDS, SceneMoment
from referee.vision.image.frame import Image

SAG_PIXELS: Final = 25.0  # over a whole match
LAMP_SECONDS: Final = 2.0  # a verdict's lamp is lit this long
TINTS: Final[dict[str, Bgr]] = {"legal": (96, 108, 96), "illegal": (92, 92, 112), "undecided": (92, 102, 108)}
"""The tint of the table by the referee's lamps, in percent of blue, green and red."""
_MAX_LOST_SECONDS: Final = 2.0  # seconds
_READINGS_PER_VERDICT: Final = 4  # three after a change of the table, and one more before an illegal verdict
_SAG_STEP_PIXELS: Final = 0.25  # pixels that the arm sags at once


@dataclass(slots=True)
class CameraFaults:
    """The camera faults of one match; `lost` counts lost frames, `runs` their runs."""

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
        """Return random camera faults of the kinds among these hardships."""
        chance = Random(f"unsteady {seed}")
        least = chance.uniform(0.3, 0.9)
        reading = least, chance.uniform(least, 1.5)
        rate, losing, direction = chance.uniform(1.0, 5.0), chance.uniform(0.05, 0.25), chance.uniform(0, 6.28)
        return cls(
            chance,
            rate=rate if Hardship.FEW in hardships else 1 / FRAME_SECONDS,
            reading=reading if Hardship.SLOW in hardships else (0.0, 0.0),
            losing=losing if Hardship.DROPPED in hardships else 0.0,
            direction=direction,
            sags=SAG_PIXELS if Hardship.SAG in hardships else 0.0,
            lamps=Hardship.LAMPS in hardships,
        )

    @property
    def patience(self) -> float:
        """How many seconds players wait for a verdict: two frames, four readings, and a run of lost frames."""
        return 2 / self.rate + _READINGS_PER_VERDICT * self.reading[1] + (_MAX_LOST_SECONDS if self.losing else 0.0)

    def summary(self) -> str:
        """Return a summary as text."""
        least, most = self.reading
        reading = f"{least:.1f} to {most:.1f} s a reading" if most else "readings that take no time"
        return f"{self.rate:.1f} frames a second, {reading}, {self.runs} runs of frames lost, {self.sags:.0f} pixels"

    def frames(self, shots: Sequence[SceneMoment], until: float) -> Iterator[tuple[float, SceneMoment]]:
        """Yield the frames up to a time, each with the moment of the scene that it shows."""
        place = 0
        while self._next <= until and shots:
            at, self._next = self._next, self._next + self.rng.uniform(0.9, 1.1) / self.rate
            if at < self._blind:
                self.lost += 1
                continue
            if self.rng.random() < self.losing / self.rate:
                self._blind, self.runs = at + self.rng.uniform(0.3, _MAX_LOST_SECONDS), self.runs + 1
                self.lost += 1
                continue
            while place + 1 < len(shots) and shots[place + 1].at <= at:
                place += 1
            yield round(at, 3), shots[place]

    def read(self, at: float) -> float:
        """Return the duration of a reading at this time, in seconds; frames during it are lost."""
        takes = self.rng.uniform(*self.reading)
        self._blind = max(self._blind, at) + takes
        return takes


def shift_image(image: Image, direction: float, by: float) -> tuple[Image, tuple[float, float]]:
    """Return the picture shifted by `by` pixels in a direction (radians), and the shift (x, y)."""
    by = round(min(by, SAG_PIXELS) / _SAG_STEP_PIXELS) * _SAG_STEP_PIXELS
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
