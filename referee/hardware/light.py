"""Helpers for locking focus and exposure, shared by camera drivers."""

import math
from collections.abc import Sequence
from typing import Final

_FLICKERS_PER_CYCLE: Final = 2  # a lamp flickers twice per mains cycle
_STEADY_FRAMES: Final = 8
_MAX_STEADY_CHANGE: Final = 0.02


def anti_flicker_exposure(exposure: float, gain: float, mains_hertz: int) -> tuple[float, float]:
    """Return exposure (microseconds) and gain of equal brightness; the exposure is a multiple of the lamps' flicker.

    A lamp flickers at twice the mains frequency; other exposures catch varying parts of a period and so vary in
    brightness. An exposure below one period, at a bright table, is not changed: the picture would be overexposed.
    """
    if not mains_hertz:
        return exposure, gain
    beat = 1e6 / (_FLICKERS_PER_CYCLE * mains_hertz)
    beats = math.floor(exposure * gain / beat) if exposure < beat else round(exposure / beat)
    if beats < 1:
        return exposure, gain
    whole = min(beats, max(1, round(exposure / beat))) * beat
    return whole, max(1.0, exposure * gain / whole)


def is_steady(looks: Sequence[tuple[float, ...]]) -> bool:
    """Return whether the camera's automatic values have settled: the last measurements hardly differ."""
    if len(looks) < _STEADY_FRAMES:
        return False
    return all(
        max(values) - min(values) <= _MAX_STEADY_CHANGE * max(abs(max(values)), 1e-9)
        for values in zip(*looks[-_STEADY_FRAMES:], strict=True)
    )
