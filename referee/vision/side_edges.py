"""Tiles located inexactly are moved along their rows to where the picture shows both their side edges.

A side edge is a line as long as the tile, so it shows in nearly every line of a crop; a digit shows in few. What the
edges of most tiles of a table look like is the measure: each half of a tile's profile is held against the same half of
the usual one. Only where both halves call for the same step is it made; beneath another tile, or where a shadow is
taken for an edge, they do not.
"""

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.detections import Floats
from referee.vision.frame import Image
from referee.vision.geometry import CROP_SIZE, MARGIN, half_vectors, quads_of, rectify
from referee.vision.pyramid import Pyramid

_LEAST = 8  # tiles that show what edges look like here
_WIDE, _TALL = 1.3, 0.9  # the part looked at, in widths and heights: beyond the side edges, within the other two
_FARTHEST, _STEP = 6.0, 0.25  # columns of a crop
_AGREE = 2.0  # columns between what the two halves call for
_ROUNDS = 3
_GREY = np.full((1, 3), 1 / 3, np.float32)
_ALIKE = 0.5  # correlation with the usual profile below which no edges are seen


def between_edges(image: Image | Pyramid, quads: Floats) -> Floats:
    """The quads [n, 4, 2], digits upright, each moved along its width to lie between the edges that are seen."""
    if len(quads) < _LEAST:
        return quads
    centre, up, right = half_vectors(quads)
    wide, tall = _WIDE / (1 + 2 * MARGIN), _TALL / (1 + 2 * MARGIN)
    profiles = _profiles(rectify(image, quads_of(centre, up * np.float32(tall), right * np.float32(wide))))
    columns = profiles.shape[1]
    steps = np.arange(-_FARTHEST, _FARTHEST + _STEP / 2, _STEP)
    shifted = np.stack([_moved(profiles, step) for step in steps], axis=1)  # [n, steps, columns]
    chosen = np.full(len(quads), len(steps) // 2)
    for _ in range(_ROUNDS):
        usual = np.median(shifted[np.arange(len(quads)), chosen], axis=0)
        usual = (usual + usual[::-1]) / 2  # else all could be off together
        chosen = (shifted @ usual).argmax(axis=1)
    half = columns // 2
    from_left, from_right = (
        (shifted[..., part] @ usual[part]).argmax(axis=1) for part in (slice(None, half), slice(-half, None))
    )
    best = shifted[np.arange(len(quads)), chosen]
    alike = best @ usual / np.maximum(np.linalg.norm(best, axis=1) * np.linalg.norm(usual), 1e-6)
    agreed = (
        (np.abs(steps[from_left] - steps[from_right]) <= _AGREE)
        & (np.abs(steps[chosen]) < _FARTHEST)
        & (alike > _ALIKE)
    )
    step = np.where(agreed, (steps[from_left] + steps[from_right]) / 2, 0.0) * 2 * _WIDE / CROP_SIZE[0]
    return quads_of((centre + right * step[:, None]).astype(np.float32), up, right)


def _profiles(crops: Image) -> npt.NDArray[np.float64]:
    """How steep each column of crops [n, h, w, 3] is, in most of its lines; about 0 on average, and 1 in spread."""
    lines = crops[:, ::2].astype(np.float32)
    grey = cv2.transform(lines.reshape(-1, lines.shape[2], 3), _GREY).reshape(lines.shape[:3])
    steep = np.sort(np.abs(np.diff(grey, axis=2)), axis=1)
    middle, quarter = steep.shape[1] // 2, steep.shape[1] // 4
    found = (steep[:, middle - 1] + steep[:, middle]) / 2 + 0.5 * (steep[:, quarter - 1] + 3 * steep[:, quarter]) / 4
    smooth = cv2.GaussianBlur(found.astype(np.float64), (3, 1), 0)
    smooth -= smooth.mean(axis=1, keepdims=True)
    return np.asarray(smooth / (smooth.std(axis=1, keepdims=True) + 1e-6), np.float64)


def _moved(profiles: npt.NDArray[np.float64], step: float) -> npt.NDArray[np.float64]:
    """Profiles as they would be had the crop been taken `step` columns further right."""
    at = np.clip(np.arange(profiles.shape[1]) + step, 0, profiles.shape[1] - 1)
    low = np.minimum(at.astype(int), profiles.shape[1] - 2)
    share = at - low
    return np.asarray(profiles[:, low] * (1 - share) + profiles[:, low + 1] * share, np.float64)
