"""Tile edges around faces that lie alone: a digit printed on a card or a sheet has none."""

import numpy as np
import numpy.typing as npt

from referee.vision.detect.tuning import TUNING
from referee.vision.geometry.crops import crop_around
from referee.vision.geometry.detections import Floats
from referee.vision.image.pyramid import Pyramid


def has_edges(image: Pyramid, quads: Floats) -> npt.NDArray[np.bool_]:
    """Return whether each quad [n, 4, 2] has edges along its sides; glare may hide one, and neighbours two."""
    if not len(quads):
        return np.ones(0, bool)
    crops = crop_around(image, quads, TUNING.edge_span).astype(np.float32)
    lying = crops.swapaxes(1, 2)
    changes = [_top_edge_contrast(one) for one in (crops, crops[:, ::-1], lying, lying[:, ::-1])]
    light = np.maximum(np.percentile(crops, 90, axis=(1, 2, 3)), 1.0)
    faintest, second = np.sort(changes, axis=0)[:2]
    return np.asarray(second + TUNING.faintest_edge * np.maximum(faintest, 0) > TUNING.min_edges * light)


def _top_edge_contrast(crops: Floats) -> Floats:
    """Return the contrast [n] across the top edge of the tiles in crops [n, height, width, 3].

    A low percentile along the edge: contrast is continuous along an edge, but patchy along a line of writing.
    """
    height, width = crops.shape[1:3]
    rows = round(height * (0.5 - 0.5 / TUNING.edge_span + TUNING.edge_inside / TUNING.edge_span))
    along = slice(round(width * (0.5 - 0.3 / TUNING.edge_span)), round(width * (0.5 + 0.3 / TUNING.edge_span)))
    strips = crops[:, :rows, along]
    mean = strips.mean(axis=2)
    low, high = (np.take_along_axis(strips, rows[:, None, None], 1)[:, 0] for rows in (mean.argmin(1), mean.argmax(1)))
    return np.asarray(np.percentile(high - low, TUNING.edge_percentile, axis=1).max(axis=1), np.float32)
