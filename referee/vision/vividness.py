"""Gives colour back to pictures that have lost it: haze, a dirty lens or a camera's settings wash prints out.

Red and orange inks reflect all red light, so their prints are about as bright in red as the tile's body. In a picture
that was blended with grey they are not. How far short they fall, over the whole table, tells how much was lost: a
single tile may be printed in brick, never all warm prints of a box. Where it is much, navy passes for black and orange
for red, however sure the model is; so its colours are stretched away from each tile's body before the inks are read.
Where it is not that much the inks may be like that, and stretched they would be confused: then both ways count.
"""

import numpy as np
import numpy.typing as npt

from referee.vision.detections import Faces
from referee.vision.frame import Image
from referee.vision.table_inks import body_colours

_LUMA = np.array([0.114, 0.587, 0.299], np.float32)  # of blue, green and red
_SEEN = (slice(None), slice(6, 42, 3), slice(5, 28, 3))  # every third pixel of the face, its rim left out
_FEWEST = 6  # warm prints: fewer may all be of one odd ink
_WARMER, _PRINTED = 0.05, 0.25  # logarithms: redder than blue, and darker than the body, by this much
_FULL = 0.9  # the share of the body's brightness that a warm print has in red
_NO_COLOUR, _COLOURED = 6, 0.01  # grey levels between the channels; fewer pixels that have them are noise, no colour
_WORTH, _MOST = 1.7, 2.5  # factors: less is the inks' own doing (brick, ochre); more would be noise
_SURELY = 2.0  # and from here on it hardly is


def lost_colour(colours: npt.NDArray[np.float64], faces: Faces) -> float:
    """By what factor the `print_colours` [n, 3] must be stretched to be what they were; 1 for none."""
    if len(colours) < _FEWEST:
        return 1.0
    blue, green, red = colours.T
    numbers = faces.symbol[:, :13].sum(axis=1) > 0.5
    warm = numbers & (red > blue + _WARMER) & (red > green - _WARMER / 2) & (-colours.min(axis=1) > _PRINTED)
    if np.count_nonzero(warm) < _FEWEST:
        return 1.0
    bright = np.exp(colours[warm])
    grey = bright @ _LUMA
    factor = float(np.median((_FULL - grey) / np.maximum(bright.max(axis=1) - grey, 0.02)))
    return min(factor, _MOST) if factor >= _WORTH else 1.0


def surely_lost(factor: float) -> bool:
    """Whether so much was lost that no print's own colour can be the reason."""
    return factor >= _SURELY


def is_colourless(crops: Image) -> bool:
    """Whether crops [n, 48, 32, 3] are of a picture in black and white, where inks cannot be told."""
    blue, green, red = np.moveaxis(crops[_SEEN], 3, 0)
    most, least = np.maximum(np.maximum(blue, green), red), np.minimum(np.minimum(blue, green), red)
    return bool(len(crops)) and float(np.mean(most - least >= _NO_COLOUR)) < _COLOURED


def stretched(crops: Image, factor: float) -> Image:
    """The crops with every colour `factor` times as far from the colour of its tile's body, as bright as before."""
    pixels = crops.astype(np.float32)
    luma = (pixels @ _LUMA)[..., None]
    body = body_colours(crops)
    grey = (body @ _LUMA)[:, None]
    cast = 1 + (body - grey) / np.maximum(grey, 1)
    bodily = luma * cast[:, None, None]
    return np.asarray(np.clip(bodily + factor * (pixels - bodily), 0, 255), np.uint8)
