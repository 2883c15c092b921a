"""The light over a simulated table: lamps that are switched, flash or change colour, shadow edges, flicker bands."""

from collections.abc import Collection
from dataclasses import dataclass
from random import Random
from typing import Final

import cv2
import numpy as np

from referee.sim.faces import Bgr
from referee.sim.hardship_kinds import Hardship
from referee.vision.geometry.detections import Floats
from referee.vision.image.frame import Image

_FULL: Final[Bgr] = (100, 100, 100)
_SWITCHED_LIGHT: Final = 0.5
_SWITCH_SECONDS: Final = 13.0
_FLASH_LIGHT: Final = 1.5
_COLOURS: Final[tuple[Bgr, ...]] = ((78, 94, 104), (108, 98, 84), (92, 104, 94))
"""Percent of blue, green and red under a warmer, a colder and a greener lamp."""
_SHADOW_SECONDS: Final = 12.0
_SHADOW_LIGHT: Final = 0.62
_SHADOW_EDGE_PIXELS: Final = 9.0  # half the width of a shadow's soft edge, in a picture of 1,280 pixels
_BAND_SHARE: Final = 0.14


@dataclass(frozen=True, slots=True, kw_only=True)
class LightFaults:
    """How the light of one evening changes; equal values and times give equal light, flicker apart."""

    seed: int
    kinds: frozenset[Hardship]
    switched_at: float
    """When the lamp is first switched, in seconds."""
    for_good: bool
    """Whether it stays so; else it is switched again every 13 seconds."""
    colour: Bgr

    @classmethod
    def random(cls, seed: int, hardships: Collection[Hardship]) -> "LightFaults":
        """Return the random light of this seed with the kinds among these hardships."""
        rng = Random(f"light {seed}")
        at, for_good, colour = rng.uniform(20.0, 240.0), rng.random() < 0.5, rng.choice(_COLOURS)
        return cls(seed=seed, kinds=frozenset(hardships), switched_at=at, for_good=for_good, colour=colour)

    def lit(self, image: Image, at: float) -> Image:
        """Return the picture of a table under the light of this time."""
        percent = self._percent(at)
        image = image if percent == _FULL else tint_image(image, percent)
        shadow = self._shadow(at, image.shape[:2]) if Hardship.SHADOW in self.kinds else None
        return image if shadow is None else _multiplied(image, shadow)

    def key(self, at: float) -> tuple[object, ...] | None:
        """Return a value that is equal at times with equal light; None if no two pictures have it."""
        if Hardship.FLICKER in self.kinds:
            return None
        return (*self._percent(at), Hardship.SHADOW in self.kinds and int(at / _SHADOW_SECONDS))

    def _percent(self, at: float) -> tuple[float, float, float]:
        blue, green, red = self.colour if Hardship.TINTED in self.kinds and self._is_switched(at) else _FULL
        light = _SWITCHED_LIGHT if Hardship.SWITCHED in self.kinds and self._is_switched(at) else 1.0
        light *= _FLASH_LIGHT if Hardship.FLASHING in self.kinds and self._flashes(at) else 1.0
        return blue * light, green * light, red * light

    def banded(self, image: Image, phase: float) -> Image:
        """Return the picture with the mains' flicker in bands, whose phase (radians) is new in each picture."""
        if Hardship.FLICKER not in self.kinds:
            return image
        bands = Random(f"bands {self.seed}").uniform(1.2, 3.0)
        rows = np.linspace(0.0, 2 * np.pi * bands, image.shape[0], dtype=np.float32)
        light = 1 + _BAND_SHARE * np.sin(rows + phase)
        return _multiplied(image, np.repeat(light[:, None], image.shape[1], axis=1).astype(np.float32))

    def _is_switched(self, at: float) -> bool:
        since = at - self.switched_at
        return since >= 0 and (self.for_good or int(since / _SWITCH_SECONDS) % 2 == 0)

    def _flashes(self, at: float) -> bool:
        """Return whether a lamp flashes: for 0.3 to 0.7 s once in every 10 s."""
        rng = Random(f"flash {self.seed} {int(at / 10)}")
        start = rng.uniform(0.0, 9.0)
        return start <= at % 10 < start + rng.uniform(0.3, 0.7)

    def _shadow(self, at: float, shape: tuple[int, ...]) -> Floats | None:
        """Return the light under a shadow with a straight edge, which somebody throws half of the time."""
        rng = Random(f"shadow {self.seed} {int(at / _SHADOW_SECONDS)}")
        if rng.random() < 0.5:
            return None
        rows, columns = shape
        angle, offset = rng.uniform(0, 2 * np.pi), rng.uniform(-0.3, 0.3) * rows
        y, x = (part.astype(np.float32) for part in np.ogrid[0:rows, 0:columns])
        along = (x - columns / 2) * np.cos(angle) + (y - rows / 2) * np.sin(angle) - offset
        soft = _SHADOW_EDGE_PIXELS * columns / 1280
        return np.asarray(1 - (1 - _SHADOW_LIGHT) * np.clip(along / (2 * soft) + 0.5, 0, 1), np.float32)


def tint_image(image: Image, percent: tuple[float, float, float]) -> Image:
    """Return the picture under a tinting lamp, in percent of blue, green and red."""
    levels = np.arange(256)[:, None] * np.array(percent) / 100
    return np.asarray(cv2.LUT(image, np.clip(levels, 0, 255).astype(np.uint8).reshape(256, 1, 3)), np.uint8)


def _multiplied(image: Image, light: Floats) -> Image:
    return np.asarray(cv2.multiply(image, cv2.merge([light] * 3), dtype=cv2.CV_8U), np.uint8)
