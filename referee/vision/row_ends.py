"""Where the next tile of a row would lie: places to look at again, for the locate model overlooks a tile now and then.

Beside a tile without a neighbour on that side lies the table, or a tile that was overlooked. The table seldom has the
colour of the tile, which is cheap to see; whether a face shows in such a place is for the read model to say.
"""

import math

import numpy as np
import numpy.typing as npt

from referee.vision.detections import Doubles, Floats
from referee.vision.geometry import half_vectors, quads_of, steps
from referee.vision.planes import mean_between, planes_of, summed
from referee.vision.pyramid import Pyramid

_GAP = 1.03  # widths to the next tile of a row where the row does not tell
_NEXT, _ACROSS = (0.8, 1.35), 0.25  # widths, and heights, to what is the next tile of a row
_TAKEN = 0.85  # widths and heights: a place is taken where a tile's middle lies nearer
_SPOTS = np.array([(x, y) for x in (-0.8, -0.4, 0.0, 0.4, 0.8) for y in (-0.8, -0.4, 0.0, 0.4, 0.8)])  # in half sizes
_BODY = (13, 23)  # of the spots by brightness: neither print nor glare
_ALIKE = 0.12  # logarithmic difference of colours that are alike: of neighbours in a row all but 2 or 3 in a thousand
_DARK = 8.0  # grey levels below which colours are noise
_COARSE = 10.0  # pixels of a tile's width at which its colour is taken


def row_ends(image: Pyramid, quads: Floats) -> Floats:
    """The places [m, 4, 2] beside the tiles [n, 4, 2] that no tile takes and that have the colour of the tile there."""
    if not len(quads):
        return quads
    centre, up, right = (part.astype(np.float64) for part in half_vectors(quads))
    tile, places = _free_places(quads)
    inside = ((places > 0) & (places < image.size)).all(axis=1)
    tile, places = tile[inside], places[inside]
    level = int(math.log2(max(1.0, 2 * float(np.median(np.hypot(*right.T))) / _COARSE)))
    spots = np.einsum("sk,knd->nsd", _SPOTS, np.stack([right[tile], up[tile]]))
    there = _body_colours(image, level, places[:, None] + spots)
    here = _body_colours(image, level, centre[tile][:, None] + spots)
    alike = np.abs(there - here).max(axis=1) < _ALIKE
    tile = tile[alike]
    return quads_of(places[alike], up[tile].astype(np.float32), right[tile].astype(np.float32))


def _free_places(quads: Floats) -> tuple[npt.NDArray[np.intp], Doubles]:
    """Tiles [m] and the middles [m, 2] of the free places beside them, where the row would go on."""
    centre, _, right = (part.astype(np.float64) for part in half_vectors(quads))
    along, across = steps(quads, centre)
    in_row = np.abs(across) < _ACROSS
    right_of, left_of = (in_row & (side * along > _NEXT[0]) & (side * along < _NEXT[1]) for side in (1, -1))
    tiles, places = [], []
    for side, next_ones, behind in ((1, right_of, left_of), (-1, left_of, right_of)):
        nearest = np.where(behind, np.abs(along), np.inf).argmin(axis=1)
        goes_on = behind.max(axis=1, keepdims=True)  # with the row's own gap and bend
        row = np.arange(len(quads)), nearest
        ahead = np.where(goes_on[:, 0], -along[row], _GAP * side)[:, None]
        aside = np.where(goes_on[:, 0], -across[row], 0)[:, None]
        step = np.where(goes_on, centre - centre[nearest], 2 * _GAP * side * right)
        near = (np.abs(along - ahead) < _TAKEN) & (np.abs(across - aside) < _TAKEN)
        np.fill_diagonal(near, val=False)
        (free,) = np.nonzero(~(near | next_ones).any(axis=1))
        tiles.append(free)
        places.append(centre[free] + step[free])
    return np.concatenate(tiles), np.concatenate(places)


def _body_colours(image: Pyramid, level: int, spots: Doubles) -> Doubles:
    """The colour [n, 3] (logarithmic) of what lies at spots [n, s, 2]; if that is a tile, of its bare body."""
    picture = image.level(level)[..., :3]
    column, row = np.moveaxis((spots / (1 << level)).astype(int), 2, 0)
    colours = picture[row.clip(0, picture.shape[0] - 1), column.clip(0, picture.shape[1] - 1)]
    planes = planes_of(colours).astype(np.float32)
    return np.log(mean_between(planes, summed(planes), *_BODY).astype(np.float64) + _DARK)
