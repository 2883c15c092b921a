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
_MAX_LOST_SECONDS: Final = 2.0
_READINGS_PER_VERDICT: Final = 4  # three after a change of the table, and one more before an illegal verdict
_SAG_STEP_PIXELS: Final = 0.25  # by which the arm sags at once


@dataclass(slots=True)
class CameraFaults:
    """The camera faults of one match; `lost_frames` counts lost frames, `loss_runs` their runs."""

    rng: Random
    frame_rate: float
    """Frames a second."""
    reading_seconds: tuple[float, float]
    """Least and greatest reading time, in seconds."""
    loss_rate: float
    """Runs of lost frames per second."""
    direction: float
    """The direction in which the picture sags, in radians."""
    sag_pixels: float = SAG_PIXELS
    """How far it sags during the match, in pixels."""
    has_lamps: bool = True
    """Whether the referee's lamps light the table."""
    lost_frames: int = 0
    loss_runs: int = 0
    _next_frame_at: float = 0.0
    _blind_until: float = field(default=0.0)

    @classmethod
    def random(cls, seed: int, hardships: Collection[Hardship]) -> "CameraFaults":
        """Return random camera faults of the kinds among these hardships."""
        rng = Random(f"unsteady {seed}")
        least = rng.uniform(0.3, 0.9)
        reading = least, rng.uniform(least, 1.5)
        frame_rate, loss_rate, direction = rng.uniform(1.0, 5.0), rng.uniform(0.05, 0.25), rng.uniform(0, 6.28)
        return cls(
            rng,
            frame_rate=frame_rate if Hardship.FEW in hardships else 1 / FRAME_SECONDS,
            reading_seconds=reading if Hardship.SLOW in hardships else (0.0, 0.0),
            loss_rate=loss_rate if Hardship.DROPPED in hardships else 0.0,
            direction=direction,
            sag_pixels=SAG_PIXELS if Hardship.SAG in hardships else 0.0,
            has_lamps=Hardship.LAMPS in hardships,
        )

    @property
    def verdict_seconds(self) -> float:
        """How many seconds players wait for a verdict: two frames, four readings, and a run of lost frames."""
        return (
            2 / self.frame_rate
            + _READINGS_PER_VERDICT * self.reading_seconds[1]
            + (_MAX_LOST_SECONDS if self.loss_rate else 0.0)
        )

    def summary(self) -> str:
        """Return a summary as text."""
        least, most = self.reading_seconds
        pace = f"{least:.1f} to {most:.1f} s a reading" if most else "readings that take no time"
        lost = f"{self.loss_runs} runs of frames lost"
        return f"{self.frame_rate:.1f} frames a second, {pace}, {lost}, {self.sag_pixels:.0f} pixels"

    def frames(self, moments: Sequence[SceneMoment], until: float) -> Iterator[tuple[float, SceneMoment]]:
        """Yield the frames up to a time, each with the moment of the scene that it shows."""
        index = 0
        while self._next_frame_at <= until and moments:
            at, self._next_frame_at = (
                self._next_frame_at,
                self._next_frame_at + self.rng.uniform(0.9, 1.1) / self.frame_rate,
            )
            if at < self._blind_until:
                self.lost_frames += 1
                continue
            if self.rng.random() < self.loss_rate / self.frame_rate:
                self._blind_until, self.loss_runs = at + self.rng.uniform(0.3, _MAX_LOST_SECONDS), self.loss_runs + 1
                self.lost_frames += 1
                continue
            while index + 1 < len(moments) and moments[index + 1].at <= at:
                index += 1
            yield round(at, 3), moments[index]

    def read(self, at: float) -> float:
        """Return the duration of a reading at this time, in seconds; frames during it are lost."""
        seconds = self.rng.uniform(*self.reading_seconds)
        self._blind_until = max(self._blind_until, at) + seconds
        return seconds


def shift_image(image: Image, direction: float, pixels: float) -> tuple[Image, tuple[float, float]]:
    """Return the picture shifted by some pixels in a direction (radians), and the shift (x, y)."""
    pixels = round(min(pixels, SAG_PIXELS) / _SAG_STEP_PIXELS) * _SAG_STEP_PIXELS
    if not pixels:
        return image, (0.0, 0.0)
    across, down = pixels * np.cos(direction), pixels * np.sin(direction)
    matrix = np.array([[1, 0, across], [0, 1, down]])
    size = (image.shape[1], image.shape[0])
    shifted = cv2.warpAffine(image, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(shifted, np.uint8), (float(across), float(down))


def tint_image(image: Image, tint: Bgr) -> Image:
    """Return the picture under a tinting lamp, in percent of blue, green and red."""
    levels = np.arange(256)[:, None] * np.array(tint) / 100
    return np.asarray(cv2.LUT(image, np.clip(levels, 0, 255).astype(np.uint8).reshape(256, 1, 3)), np.uint8)
