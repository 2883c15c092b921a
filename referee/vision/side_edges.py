"""Tiles located inexactly are moved along their rows to where the picture shows both their side edges.

A side edge is a line as long as the tile, so it shows in nearly every line of a crop; a digit shows in few. What the
edges of most tiles of a table look like is the measure: each half of a tile's profile is held against the same half of
the usual one, and places near the one located are likelier than others. Where both halves call for about the same step,
the one between theirs is made; beneath another tile, or where a shadow is taken for an edge, they do not, and the whole
profile tells. Where it is not like the usual one the tile stays.
"""

import cv2
import numpy as np
import numpy.typing as npt

from referee.vision.detections import Doubles, Floats
from referee.vision.frame import Image
from referee.vision.geometry import CROP_SIZE, MARGIN, half_vectors, quads_of, rectify
from referee.vision.pyramid import Pyramid

_LEAST = 8  # tiles that show what edges look like here
_WIDE, _TALL = 1.3, 0.9  # the part looked at, in widths and heights: beyond the side edges, within the other two
_FARTHEST = 6.0  # columns of a crop
_STEPS = np.arange(-_FARTHEST, _FARTHEST + 0.1, 0.25)
_AGREE = 2.0  # columns between what the two halves call for
_ROUNDS = 3
_ALIKE = 0.5  # correlation with the usual profile below which no edges are seen
_NEARER = 0.02  # of how well edges can fit: taken off for each column, squared, between a place and the one located


def between_edges(image: Image | Pyramid, quads: Floats) -> Floats:
    """The quads [n, 4, 2], digits upright, each moved along its width to lie between the edges that are seen."""
    if len(quads) < _LEAST:
        return quads
    centre, up, right = half_vectors(quads)
    wide, tall = _WIDE / (1 + 2 * MARGIN), _TALL / (1 + 2 * MARGIN)
    profiles = _profiles(rectify(image, quads_of(centre, up * np.float32(tall), right * np.float32(wide)), every=4))
    moves = _Moves(profiles.shape[1])
    chosen = np.full(len(quads), len(_STEPS) // 2)
    for _ in range(_ROUNDS):
        usual = np.median(moves.made(profiles, chosen), axis=0)
        usual = (usual + usual[::-1]) / 2  # else all could be off together
        chosen = moves.fits(profiles, usual).argmax(axis=1)
    step = _between(profiles, usual, moves) * 2 * _WIDE / CROP_SIZE[0]
    return quads_of((centre + right * step[:, None]).astype(np.float32), up, right)


class _Moves:
    """Profiles as they would be had the crop been taken a step further right, for each of the steps."""

    def __init__(self, columns: int) -> None:
        at = np.clip(np.arange(columns) + _STEPS[:, None], 0, columns - 1)
        self._low = np.minimum(at.astype(int), columns - 2)
        self._share = at - self._low
        cells = np.arange(len(_STEPS))[:, None] * columns + self._low  # where a step puts each column of the usual one
        self._cells = np.stack([cells, cells + 1]).ravel()

    def made(self, profiles: Doubles, chosen: npt.NDArray[np.intp]) -> Doubles:
        """Each profile [n, columns], moved by the step chosen for it."""
        low, share = self._low[chosen], self._share[chosen]
        here, next_one = (np.take_along_axis(profiles, at, axis=1) for at in (low, low + 1))
        return np.asarray(here * (1 - share) + next_one * share, np.float64)

    def fits(self, profiles: Doubles, usual: Doubles) -> Doubles:
        """How well each profile, moved by each step, fits the usual one: products [n, steps]."""
        # To move the usual one back comes to the same, and is done once.
        moved = np.stack([usual * (1 - self._share), usual * self._share])
        weights = np.bincount(self._cells, moved.ravel()).reshape(len(_STEPS), -1)
        return np.asarray(profiles @ weights.T, np.float64)


def _between(profiles: Doubles, usual: Doubles, moves: _Moves) -> Doubles:
    """The step [n] of each tile: between what its halves call for, or what both do together where they disagree."""
    half = len(usual) // 2
    middle = np.arange(len(usual))
    left, right = (moves.fits(profiles, usual * part) for part in (middle < half, middle >= len(usual) - half))
    far = _NEARER * float(usual @ usual) * _STEPS**2
    chosen = (left + right - far).argmax(axis=1)
    halves = [_STEPS[(side - far / 2).argmax(axis=1)] for side in (left, right)]
    best = moves.made(profiles, chosen)
    alike = best @ usual / np.maximum(np.linalg.norm(best, axis=1) * np.linalg.norm(usual), 1e-6)
    agreed = np.abs(halves[0] - halves[1]) <= _AGREE
    step = np.where(agreed, (halves[0] + halves[1]) / 2, _STEPS[chosen])
    return np.where((np.abs(_STEPS[chosen]) < _FARTHEST) & (alike > _ALIKE), step, 0.0)


def _profiles(crops: Image) -> Doubles:
    """How steep each column of crops [n, h, w, 3] is, in most of its lines; about 0 on average, and 1 in spread."""
    grey = crops[..., 0].astype(np.int16) + crops[..., 1] + crops[..., 2]
    steep = np.sort(np.abs(np.diff(grey, axis=2)), axis=1)
    middle, quarter = steep.shape[1] // 2, steep.shape[1] // 4
    found = (steep[:, middle - 1] + steep[:, middle]) / 2 + 0.5 * (steep[:, quarter - 1] + 3 * steep[:, quarter]) / 4
    smooth = cv2.GaussianBlur(found.astype(np.float64), (3, 1), 0)
    smooth -= smooth.mean(axis=1, keepdims=True)
    return np.asarray(smooth / (smooth.std(axis=1, keepdims=True) + 1e-6), np.float64)
