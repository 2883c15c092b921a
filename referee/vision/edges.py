"""A dark square's corners to a few hundredths of a pixel: straight lines through its edges, crossed."""

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.optics import Points

_ALONG: Final = np.linspace(0.1, 0.9, 25)  # where along a side its edge is looked for: away from the rounded corners
_REACH: Final = 0.11  # of the side, to both sides of it: a marker's black border is a sixth of it wide
_FINENESS: Final = 8  # samples a pixel


def sharpen_quad(grey: npt.NDArray[np.uint8], quad: Points) -> Points:
    """The corners [4, 2] of a dark square on white near a first guess; whole numbers are the middles of pixels."""
    lines = [_edge(grey, quad[side], quad[(side + 1) % 4]) for side in range(4)]
    return np.array([_crossing(lines[side - 1], lines[side]) for side in range(4)])


def _edge(grey: npt.NDArray[np.uint8], start: Points, end: Points) -> tuple[Points, Points]:
    """A point on the side's edge and its direction, from where short rods across it turn from dark to light."""
    along = end - start
    length = float(np.hypot(*along))
    across = np.array([along[1], -along[0]]) / length
    reach = max(2.0, _REACH * length)
    rod = np.linspace(-reach, reach, 2 * round(reach * _FINENESS) + 1)
    feet = start + _ALONG[:, None] * along
    places = (feet[:, None] + rod[None, :, None] * across).astype(np.float32)
    bright = cv2.remap(grey, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(
        np.float64
    )
    # The area under a step from dark to light says where it steps, to a fraction of the noise of any single sample.
    ends = len(rod) // 6
    dark, light = np.median(bright[:, :ends], axis=1), np.median(bright[:, -ends:], axis=1)
    clear = light - dark > 20
    if clear.sum() < len(_ALONG) // 2:
        return start, along / length
    share = np.clip((light[:, None] - bright) / np.maximum(light - dark, 1)[:, None], 0, 1).mean(axis=1)
    edge = feet + ((2 * share - 1) * reach)[:, None] * across
    x, y, x0, y0 = cv2.fitLine(edge[clear].astype(np.float32), cv2.DIST_HUBER, 0, 1e-4, 1e-4).ravel().astype(np.float64)
    return np.array([x0, y0]), np.array([x, y])


def _crossing(one: tuple[Points, Points], other: tuple[Points, Points]) -> Points:
    """Where two lines cross."""
    (a, u), (b, v) = one, other
    reach = np.linalg.solve(np.column_stack([u, -v]), b - a)
    return np.asarray(a + reach[0] * u)
