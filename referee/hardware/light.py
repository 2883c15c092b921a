"""Locked focus and light: what camera drivers share of them."""

import math
from collections.abc import Sequence
from typing import Final

_BEATS: Final = 2  # a lamp on mains current is bright twice a wave
_STEADY_LOOKS: Final = 8
_STEADY: Final = 0.02


def in_step_with_lamps(exposure: float, gain: float, mains_hertz: int) -> tuple[float, float]:
    """Return exposure (microseconds) and gain as bright as these, the exposure whole beats of a lamp's light.

    A lamp on mains current flickers at twice its frequency; an exposure that is no multiple of a beat catches now more
    of it and now less. A table lit so brightly that less than one beat is enough is left as it is: it would burn out.
    """
    if not mains_hertz:
        return exposure, gain
    beat = 1e6 / (_BEATS * mains_hertz)
    beats = math.floor(exposure * gain / beat) if exposure < beat else round(exposure / beat)
    if beats < 1:
        return exposure, gain
    whole = min(beats, max(1, round(exposure / beat))) * beat
    return whole, max(1.0, exposure * gain / whole)


def is_steady(looks: Sequence[tuple[float, ...]]) -> bool:
    """Return whether measures that a camera chooses by itself have come to rest: the last looks hardly differ."""
    if len(looks) < _STEADY_LOOKS:
        return False
    return all(
        max(values) - min(values) <= _STEADY * max(abs(max(values)), 1e-9)
        for values in zip(*looks[-_STEADY_LOOKS:], strict=True)
    )
