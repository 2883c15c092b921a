"""Bars of shadow, as of a blind before a low sun: tiles are found and read under them, or asked about."""

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest

from referee.vision.geometry.quads import half_vectors
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader

SETS = "R3 R4 R5 R6 / K7 B7 O7 / B9 B10 B11 B12 / K1 O1 R1 / O11 O12 O13"


def barred(image: Image, pitch: float, degrees: float) -> Image:
    """Two fifths of the picture in half its light, in bars so many pixels apart."""
    across = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    place = np.add.outer(np.arange(image.shape[0]) * across[1], np.arange(image.shape[1]) * across[0]) / pitch
    light = cv2.GaussianBlur(np.where(place % 1 < 0.4, 0.5, 1.0), (0, 0), 2)
    return np.asarray(image * light[..., None], np.uint8)


@pytest.mark.parametrize("degrees", [0, 35, 90])
@pytest.mark.parametrize("pitch", [70, 220])
def test_tiles_are_read_under_bars_of_shadow(paint_sets: Callable[..., Any], pitch: int, degrees: int) -> None:
    image, tiles, quads = paint_sets(SETS, (1536, 864))
    read = TableReader().read_table(Frame("blind", 0.0, barred(image, pitch, degrees))).tiles
    middle, up, right = half_vectors(quads)
    off = np.array([np.mean(one.quad, axis=0) for one in read]) - middle[:, None]
    off = np.linalg.solve(2 * np.stack([right, up], axis=2)[:, None], off[..., None])[..., 0]  # in widths and heights
    near = np.linalg.norm(off, axis=2) < 0.4
    sure = [(tiles[row], read[column]) for row, column in np.argwhere(near) if not read[column].unsure]
    assert not [(str(tile), str(one.tile)) for tile, one in sure if one.tile != tile], "named wrongly without doubt"
    assert len({tile for tile, _ in sure}) >= len(tiles) - 2, "more than two are asked about or not seen"
