"""Playing cards, notes and score sheets show digits too: what has another colour than the tiles is asked about.

The tiles of a box are of one colour, and so are they on a table under its lamps, but for shadows and a little for where
each lies between two lamps. A corner of a white card among ivory tiles is not; it may be a tile of another box. What is
darker than most lies in a shadow, where colours are others.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from referee.vision.detections import SYMBOLS, Faces, Floats
from referee.vision.frame import Image
from referee.vision.planes import mean_between, planes_of

_NONE: Final = SYMBOLS.index("none")
_FEW = 10  # tiles tell what colour tiles have here
_SAMPLES: Final = (slice(None), slice(9, 40, 3), slice(5, 28, 3))  # of a crop: prints cover less than half of it
_BODY = (60, 85)  # of the samples by brightness: neither print nor glare
_DARK = 8.0  # grey levels below which colours are noise
_OFF = 0.2  # logarithmic difference to the middle of the table in blue or red over green: of 1,000 tiles 1 is further
_DARKER = 0.15  # logarithmic difference to the middle in brightness
_AS_OTHERS, _MANY = 2.0, 90  # or so many times that of this percentile of them, where lamps differ
_NO_TILE = 0.4  # chance that what has another colour is none


def doubt_other_bodies(crops: Image, faces: Faces) -> Faces:
    """The faces of crops [n, 48, 32, 3], those on a body of another colour than most left in doubt."""
    if len(crops) < _FEW:
        return faces
    blue, green, red = np.log(_bodies(crops) + _DARK).T
    hues = np.stack([blue - green, red - green], axis=1)
    off = np.abs(hues - np.median(hues, axis=0)).max(axis=1)
    lit = green > np.median(green) - _DARKER
    (rows,) = np.nonzero(lit & (off > max(_OFF, _AS_OTHERS * float(np.percentile(off, _MANY)))))
    symbol = faces.symbol.copy()
    symbol[rows] *= np.float32(1 - _NO_TILE)
    symbol[rows, _NONE] += np.float32(_NO_TILE)
    return replace(faces, symbol=symbol)


def _bodies(crops: Image) -> Floats:
    """The colour of each tile's body [n, 3], of the same pixels in all channels: a shadow may end on the tile."""
    planes = planes_of(crops[_SAMPLES]).astype(np.float32)
    return mean_between(planes, planes[:, 1], *_BODY)
