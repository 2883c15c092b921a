"""Likeness: whether a place looks as remembered by its structure, whatever the light does and however the arm sags.

A lamp multiplies the colours of a place, a shadow's edge those of a part of it, and a sagging arm shifts the picture by
pixels. None of them changes the fine structure: the grain of the table, the strokes of a digit. So brightness is taken
as a logarithm, smooth differences are removed, the step of an edge is clipped, and the best of a few shifts counts. A
hand or a tile has another structure. Where there is none, as on a plain table, only colours are left: they are compared
after a fit of the light.
"""

from typing import Any, Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.geometry.crops import CROP_SIZE, FACE, MARGIN, rectify
from referee.vision.geometry.detections import Doubles, Floats
from referee.vision.image.frame import Image
from referee.vision.watch.tuning import TUNING

Mask = npt.NDArray[np.bool_]
Shift = tuple[float, float]
NO_SHIFT: Final = (0.0, 0.0)


class Likeness(NamedTuple):
    """How alike two pictures of a place are, whatever the light."""

    whole: float
    """The correlation of the brightness: 1 for equal, 0 for unrelated ones; an edge of a shadow disturbs it."""
    fine: float
    """The correlation of the fine structure."""
    texture: float
    """The standard deviation of the fine structure that was remembered, relative to the brightness."""

    @property
    def shows_structure(self) -> bool:
        """Whether there is enough fine structure to tell by it."""
        return self.texture >= TUNING.min_fine_texture


def compare(was: Image, there: Floats, now: Image, here: Floats, seen: Mask | None = None) -> Likeness:
    """Return how alike the places `there` in one picture and `here` in another are (quads [4, 2]), at the best shift.

    `seen` [height, width] masks the crop of the place.
    """
    step = float(np.hypot(*(here[1] - here[0]))) / TUNING.samples_across
    ways = [(x * step, y * step) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0)]
    before = _brightness(rectify(was, np.array([there + way for way in ways], np.float32)))
    (after,) = _brightness(rectify(now, np.asarray(here, np.float32)[None]))
    place = np.ones(after.shape, np.bool_) if seen is None else seen
    return max((_likeness(one, after, place) for one in before), key=lambda found: max(found.whole, found.fine))


def crop_grid(quad: Doubles) -> Doubles:
    """Return the points [height × width, 2] of a crop's pixels in the picture."""
    width, height = CROP_SIZE
    right, down = quad[1] - quad[0], quad[3] - quad[0]
    across, along = ((np.arange(count) + 0.5) / count * (1 + 2 * MARGIN) - MARGIN for count in (width, height))
    return np.asarray(quad[0] + along[:, None, None] * down + across[:, None] * right).reshape(-1, 2)


def face_mask() -> Mask:
    """Return the mask of a crop without the rim of a tile, which is the same face up and face down."""
    mask = np.zeros(CROP_SIZE[::-1], np.bool_)
    mask[FACE] = True
    return mask


def shift_between(was: Image, now: Image) -> tuple[Shift, bool]:
    """Return by how many pixels a picture has shifted since another, as by an arm that sags, and whether it is sure."""
    scale = TUNING.shrunk_columns / now.shape[1]
    size = (TUNING.shrunk_columns, max(1, round(now.shape[0] * scale)))
    window = cv2.createHanningWindow(size, cv2.CV_32F)
    step = max(1, now.shape[1] // (2 * TUNING.shrunk_columns))
    one, other = (
        _clipped(_fine(_brightness(cv2.resize(image[::step, ::step], size, interpolation=cv2.INTER_AREA))))
        for image in (was, now)
    )
    (x, y), response = cv2.phaseCorrelate(one, other, window)
    sure = response >= TUNING.min_shift_response and max(abs(x), abs(y)) <= TUNING.max_sag_share * size[0]
    return ((x / scale, y / scale) if sure else NO_SHIFT), sure


def light_gain(was: Doubles, now: Doubles) -> Doubles:
    """Return the gain [3] of the light between colours [n, 3] of points, most of which show the same."""
    if not len(was):
        return np.ones(3)
    return np.asarray(np.median((now + TUNING.brightness_floor) / (was + TUNING.brightness_floor), axis=0))


def lit(colours: Doubles, gain: Doubles) -> Doubles:
    """Return the colours [n, 3] in other light."""
    return np.asarray((colours + TUNING.brightness_floor) * gain - TUNING.brightness_floor)


def light_factors(was: Doubles, now: Doubles) -> Doubles:
    """Return by how much brighter colours [n, 3] are now, for each channel."""
    return np.asarray((now + TUNING.brightness_floor) / (np.maximum(was, 0.0) + TUNING.brightness_floor))


def is_only_light(was: Doubles, now: Doubles) -> npt.NDArray[np.bool_]:
    """Return which colours [n, 3] differ as in a shadow or out of it: all channels by one factor."""
    factors = light_factors(was, now)
    low, high = factors.min(axis=-1), factors.max(axis=-1)
    dark = TUNING.min_shadow_light
    return np.asarray((high <= TUNING.max_colour_ratio * low) & (low >= dark) & (high <= 1 / dark))


def _brightness(pictures: npt.NDArray[Any]) -> Floats:
    """Return the logarithm of the brightness of pictures [..., 3]."""
    summed = pictures[..., 0].astype(np.float32) + pictures[..., 1] + pictures[..., 2]
    return np.ascontiguousarray(np.log(summed / np.float32(3) + np.float32(TUNING.brightness_floor)))


def _fine(bright: Floats, seen: Mask | None = None) -> Floats:
    """Return what is left of a brightness without its smooth part."""
    window = (TUNING.fine_window,) * 2
    if seen is None:
        return np.asarray(bright - cv2.blur(bright, window), np.float32)
    weight = seen.astype(np.float32)
    smooth = cv2.blur(bright * weight, window) / np.maximum(cv2.blur(weight, window), 1e-6)
    return np.asarray(bright - smooth, np.float32)


def _spread(fine: Floats) -> float:
    return 1.48 * float(np.median(np.abs(fine)))


def _clipped(fine: Floats, spread: float | None = None) -> Floats:
    """Return a fine structure in which a step, as of a shadow's edge or a tile's, counts no more than the grain."""
    limit = TUNING.edge_spreads * max(_spread(fine) if spread is None else spread, 1e-6)
    return np.asarray(np.clip(fine, -limit, limit), np.float32)


def _likeness(was: Floats, now: Floats, seen: Mask) -> Likeness:
    fine_was, fine_now = (_fine(bright, seen)[seen] for bright in (was, now))
    texture = _spread(fine_was)
    least = min(texture, _spread(fine_now))
    fine = _correlation(_clipped(fine_was, least), _clipped(fine_now, least))
    return Likeness(_correlation(was[seen], now[seen]), fine, texture)


def _correlation(was: Floats, now: Floats) -> float:
    a, b = was - was.mean(), now - now.mean()
    return float(a @ b) / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-9)
