"""How late a camera's pictures arrive: a light is switched on and off, and is sought in the pictures."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.vision.image.frame import Image

MAX_MEASURED_SECONDS: Final = 8.0
_STEP_SECONDS: Final = 0.02
_PARTS: Final = 24  # of the picture's width and height: a lamp may be small in it
_LEAST_LIKENESS: Final = 0.7  # correlation of a part's brightness with the light
_LEAST_CHANGE: Final = 1.0  # grey levels by which the light brightens that part

Levels = npt.NDArray[np.float64]


def part_levels(image: Image) -> Levels:
    """Return the brightness of each part of a picture."""
    rows, columns = (side // _PARTS * _PARTS for side in image.shape[:2])
    grey = image[:rows, :columns].mean(axis=2)
    return np.asarray(grey.reshape(_PARTS, rows // _PARTS, _PARTS, columns // _PARTS).mean(axis=(1, 3)).ravel())


def fit_delay(
    switches: Sequence[tuple[float, bool]], arrivals: Sequence[float], levels: Sequence[Levels]
) -> float | None:
    """Return how many seconds after a light was switched pictures show it; None if none of their parts does.

    `switches` are the times at which it went on or off, and `levels` those of the pictures that arrived.
    """
    seen = np.array(levels) - np.mean(levels, axis=0)
    spread = seen.std(axis=0)
    seen = seen[:, spread > _LEAST_CHANGE / 2] / spread[spread > _LEAST_CHANGE / 2]
    delays = np.arange(0.0, MAX_MEASURED_SECONDS, _STEP_SECONDS)
    likeness = np.array([_likeness(switches, np.array(arrivals) - delay, seen) for delay in delays])
    best = likeness >= likeness.max(initial=_LEAST_LIKENESS) - 1e-9
    return round(float(delays[best].mean()), 2) if best.any() else None


def _likeness(switches: Sequence[tuple[float, bool]], exposed: Levels, seen: Levels) -> float:
    """Return how well the best part of pictures exposed then correlates with the light."""
    times, states = np.array([at for at, _ in switches]), np.array([False, *(on for _, on in switches)], float)
    light = states[np.searchsorted(times, exposed, side="right")]
    spread = light.std()
    return float(((light - light.mean()) / spread @ seen / len(seen)).max(initial=0.0)) if spread else 0.0
