"""Faults of the simulated camera: lost, late, repeated and turned pictures, slow reading, a sagging arm, its lamps."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple

import cv2
import numpy as np

from referee.sim.faces import Bgr
from referee.sim.hardship_kinds import Hardship
from referee.sim.light_faults import LightFaults, tint_image
from referee.sim.render import Painter
from referee.sim.scene import FRAME_SECONDS, PictureShape, SceneMoment
from referee.sim.table_objects import objects_at
from referee.vision.image.frame import Image

SAG_PIXELS: Final = 25.0  # in SAG_SECONDS
SAG_SECONDS: Final = 840.0
LAMP_SECONDS: Final = 2.0  # a verdict's lamp is lit this long
TINTS: Final[dict[str, Bgr]] = {"legal": (96, 108, 96), "illegal": (92, 92, 112), "undecided": (92, 102, 108)}
"""The tint of the table by the referee's lamps, in percent of blue, green and red."""
_MAX_LOST_SECONDS: Final = 2.0
_READINGS_PER_VERDICT: Final = 4  # three after a change of the table, and one more before an illegal verdict
_SAG_STEP_PIXELS: Final = 0.25  # by which the arm sags at once
_REPEAT_SECONDS, _REPEATS_PER_SECOND = 3.0, 1 / 15
_LOST_SHARE: Final = 0.25
_KEPT_SECONDS: Final = 3.0  # of moments before the newest, which a late picture may show
_WIDE: Final = 9 / 16  # height by width of a picture that is squeezed into another shape
_NOISE_VARIANTS: Final = 5


class TakenPicture(NamedTuple):
    """A picture that arrives at a time and shows a moment, or is the last picture once more."""

    at: float
    moment: SceneMoment
    is_repeat: bool = False


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
    """How far it sags in `SAG_SECONDS`, in pixels."""
    has_lamps: bool = True
    """Whether the referee's lamps light the table."""
    loss_share: float = 0.0
    """The share of single frames that are lost."""
    late_seconds: float = 0.0
    """How much later than its moment each picture arrives."""
    repeats: bool = False
    """Whether a picture is repeated for three seconds now and then."""
    light: LightFaults = field(default_factory=lambda: LightFaults.random(0, ()))
    lost_frames: int = 0
    loss_runs: int = 0
    repeated_frames: int = 0
    _next_frame_at: float = 0.0
    _blind_until: float = field(default=0.0)
    _repeats_until: float = 0.0
    _last: SceneMoment | None = None
    _kept: list[SceneMoment] = field(default_factory=list)

    @classmethod
    def random(cls, seed: int, hardships: Collection[Hardship]) -> "CameraFaults":
        """Return random camera faults of the kinds among these hardships."""
        rng = Random(f"unsteady {seed}")
        least = rng.uniform(0.3, 0.9)
        reading = least, rng.uniform(least, 1.5)
        frame_rate, loss_rate, direction = rng.uniform(1.0, 5.0), rng.uniform(0.05, 0.25), rng.uniform(0, 6.28)
        late_seconds = Random(f"late {seed}").uniform(0.2, 0.8)
        return cls(
            rng,
            frame_rate=frame_rate if Hardship.FEW in hardships else 1 / FRAME_SECONDS,
            reading_seconds=reading if Hardship.SLOW in hardships else (0.0, 0.0),
            loss_rate=loss_rate if Hardship.DROPPED in hardships else 0.0,
            direction=direction,
            sag_pixels=SAG_PIXELS if Hardship.SAG in hardships else 0.0,
            has_lamps=Hardship.LAMPS in hardships,
            loss_share=_LOST_SHARE if Hardship.QUARTER in hardships else 0.0,
            late_seconds=late_seconds if Hardship.LATE in hardships else 0.0,
            repeats=Hardship.REPEATED in hardships,
            light=LightFaults.random(seed, hardships),
        )

    @property
    def verdict_seconds(self) -> float:
        """How many seconds players wait for a verdict: two frames, four readings, and a run of lost frames."""
        return (
            2 / (self.frame_rate * (1 - self.loss_share))
            + _READINGS_PER_VERDICT * self.reading_seconds[1]
            + (_MAX_LOST_SECONDS if self.loss_rate else 0.0)
            + (_REPEAT_SECONDS if self.repeats else 0.0)
            + self.late_seconds
        )

    def summary(self) -> str:
        """Return a summary as text."""
        least, most = self.reading_seconds
        pace = f"{least:.1f} to {most:.1f} s a reading" if most else "readings that take no time"
        lost = f"{self.loss_runs} runs of frames lost"
        more = [f"{self.lost_frames} frames lost"] if self.loss_share else []
        more += [f"{self.repeated_frames} repeated"] if self.repeats else []
        more += [f"{self.late_seconds:.1f} s late"] if self.late_seconds else []
        return ", ".join((f"{self.frame_rate:.1f} frames a second", pace, lost, f"{self.sag_pixels:.0f} pixels", *more))

    def frames(self, moments: Sequence[SceneMoment], until: float) -> Iterator[TakenPicture]:
        """Yield the pictures that arrive up to a time, each with the moment of the scene that it shows."""
        moments = [*self._kept, *moments]
        self._kept = [moment for moment in moments if moment.at > until - _KEPT_SECONDS]
        index = 0
        while self._next_frame_at <= until and moments:
            at, self._next_frame_at = (
                self._next_frame_at,
                self._next_frame_at + self.rng.uniform(0.9, 1.1) / self.frame_rate,
            )
            if self._is_lost(at):
                self.lost_frames += 1
                continue
            while index + 1 < len(moments) and moments[index + 1].at <= at - self.late_seconds:
                index += 1
            yield self._taken(at, moments[index])

    def _is_lost(self, at: float) -> bool:
        if at < self._blind_until:
            return True
        if self.rng.random() < self.loss_rate / self.frame_rate:
            self._blind_until, self.loss_runs = at + self.rng.uniform(0.3, _MAX_LOST_SECONDS), self.loss_runs + 1
            return True
        return bool(self.loss_share) and self.rng.random() < self.loss_share

    def _taken(self, at: float, moment: SceneMoment) -> TakenPicture:
        """Return the picture of a moment, or the last one repeated."""
        if self.repeats and at >= self._repeats_until and self.rng.random() < _REPEATS_PER_SECOND / self.frame_rate:
            self._repeats_until = at + _REPEAT_SECONDS
        if at < self._repeats_until and self._last is not None:
            self.repeated_frames += 1
            return TakenPicture(round(at, 3), self._last, is_repeat=True)
        self._last = moment
        return TakenPicture(round(at, 3), moment)

    def read(self, at: float) -> float:
        """Return the duration of a reading at this time, in seconds; frames during it are lost."""
        seconds = self.rng.uniform(*self.reading_seconds)
        self._blind_until = max(self._blind_until, at) + seconds
        return seconds

    def shift(self, at: float) -> tuple[float, float]:
        """Return by how many pixels (x, y) the picture has sagged at a time."""
        sagged = self.sag_pixels * min(1.0, at / SAG_SECONDS)
        pixels = round(sagged / _SAG_STEP_PIXELS) * _SAG_STEP_PIXELS
        return float(pixels * np.cos(self.direction)), float(pixels * np.sin(self.direction))

    def picture(self, painter: Painter, taken: TakenPicture, number: int, lamp: str | None = None) -> Image:
        """Return what the camera hands on of a moment; `number` varies the noise, `lamp` is the lit verdict's name."""
        at, moment = taken.at - self.late_seconds, taken.moment
        painted = painter.paint(
            moment.laid,
            moment.hands,
            noise_index=number % _NOISE_VARIANTS,
            objects=objects_at(moment.objects, max(0.0, at)),
        )
        lit = self.light.lit(painted, at)
        if lamp is not None and self.has_lamps:
            lit = tint_image(lit, TINTS[lamp])
        sagged = shift_image(lit, self.shift(taken.at))
        return reshape_image(self.light.banded(sagged, self.rng.uniform(0.0, 6.28)), moment.shape)


def shift_image(image: Image, shift: tuple[float, float]) -> Image:
    """Return the picture shifted by some pixels (x, y)."""
    if not any(shift):
        return image
    matrix = np.array([[1, 0, shift[0]], [0, 1, shift[1]]])
    size = (image.shape[1], image.shape[0])
    shifted = cv2.warpAffine(image, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(shifted, np.uint8)


def reshape_image(image: Image, shape: PictureShape) -> Image:
    """Return the picture in its own size after the camera was turned, mirrored, or took another format."""
    rows, columns = image.shape[:2]
    match shape:
        case PictureShape.QUARTER:
            image = np.asarray(cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE), np.uint8)
        case PictureShape.UPSIDE_DOWN:
            image = np.asarray(cv2.rotate(image, cv2.ROTATE_180), np.uint8)
        case PictureShape.MIRRORED:
            image = np.asarray(cv2.flip(image, 1), np.uint8)
        case PictureShape.PORTRAIT:  # as wide as it was high, and as high as it was wide
            side = (columns - rows) // 2
            cut = image[:, side : columns - side]
            image = np.asarray(cv2.copyMakeBorder(cut, side, side, 0, 0, cv2.BORDER_REFLECT), np.uint8)
        case PictureShape.SQUEEZED:
            cut = max(rows // 10, (rows - round(columns * _WIDE)) // 2)
            image = image[cut : rows - cut]
        case PictureShape.KNOWN:
            return image
    return np.asarray(cv2.resize(image, (columns, rows), interpolation=cv2.INTER_AREA), np.uint8)
