"""Whether faces that lie alone have the edges of a tile: a digit printed on a card or a sheet has none about it."""

from typing import Final

import numpy as np
import numpy.typing as npt

from referee.vision.geometry.crops import surroundings
from referee.vision.geometry.detections import Floats
from referee.vision.image.pyramid import Pyramid

_SPAN: Final = 1.5  # widths and heights of a quad that are looked at
_INSIDE: Final = 0.1  # of its width and height: so far inside an edge is looked for, short of the digits
_MOSTLY: Final = 20  # per cent of an edge may be seen badly
_MIN_EDGES: Final = 0.3  # of the light there, so weighed; 4 of 535 photographed tiles have less, what is written 0.23
_FAINTEST: Final = 3  # times it counts, beside the next one: about what is written some side has no edge at all


def has_edges(image: Pyramid, quads: Floats) -> npt.NDArray[np.bool_]:
    """Return whether each quad [n, 4, 2] has edges along its sides; glare may hide one, neighbours two."""
    if not len(quads):
        return np.ones(0, bool)
    crops = surroundings(image, quads, _SPAN).astype(np.float32)
    lying = crops.swapaxes(1, 2)
    changes = [_change_at_the_top(one) for one in (crops, crops[:, ::-1], lying, lying[:, ::-1])]
    light = np.maximum(np.percentile(crops, 90, axis=(1, 2, 3)), 1.0)
    faintest, second = np.sort(changes, axis=0)[:2]
    return np.asarray(second + _FAINTEST * np.maximum(faintest, 0) > _MIN_EDGES * light)


def _change_at_the_top(crops: Floats) -> Floats:
    """By how much the light changes across the upper edge of what crops [n, height, width, 3] show, [n].

    It changes all along an edge, and along a line of writing here and there only.
    """
    height, width = crops.shape[1:3]
    rows = round(height * (0.5 - 0.5 / _SPAN + _INSIDE / _SPAN))
    along = slice(round(width * (0.5 - 0.3 / _SPAN)), round(width * (0.5 + 0.3 / _SPAN)))
    strips = crops[:, :rows, along]
    mean = strips.mean(axis=2)
    low, high = (np.take_along_axis(strips, rows[:, None, None], 1)[:, 0] for rows in (mean.argmin(1), mean.argmax(1)))
    return np.asarray(np.percentile(high - low, _MOSTLY, axis=1).max(axis=1), np.float32)
