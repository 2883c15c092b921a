"""How likely crops show tiles of which there are only so many copies: all ways to share them counted, none estimated.

Crops are gone through one by one; what is kept is how likely so many copies of each tile are taken by those before, and
how likely those after can be something with what is left. Tiles that share no crop with others are counted apart, so
most of the time there are few of them, and what one crop takes from several tiles at once is right all the same. Where
too many tiles hang together, `copies` passes messages instead.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from referee.vision.geometry.detections import Doubles

_MIN_LIKELIHOOD = 1e-300
_Counts = npt.NDArray[np.intp]
_Mask = npt.NDArray[np.bool_]


def connected_groups(may_take: _Mask) -> Iterator[tuple[_Counts, _Counts]]:
    """Crops and tiles that hang together, where `may_take` [crops, tiles] says which crop may show which tile."""
    left = np.asarray(may_take.any(axis=0))
    while left.any():
        tiles = np.zeros_like(left)
        tiles[np.argmax(left)] = True
        while True:
            crops = may_take[:, tiles].any(axis=1)
            more = np.asarray(may_take[crops].any(axis=0))
            if (more == tiles).all():
                break
            tiles = more
        yield np.nonzero(crops)[0], np.nonzero(tiles)[0]
        left &= ~tiles


def leave_one_out(chances: Doubles, copies: _Counts) -> tuple[Doubles, Doubles]:
    """How likely the other crops leave a copy over of each tile [crops, tiles], and anything to be else at all [crops].

    `chances` [crops, tiles] are those of each crop alone, what is left to 1 is something else; `copies` [tiles] is how
    many there are. Of one crop, both answers are relative to the same likelihood.
    """
    else_chances = np.maximum(1 - chances.sum(axis=1), 0.0)
    one_more = np.cumprod([1, *copies[:-1] + 1])  # places further on in the list of all ways to have taken some
    ways = np.arange(np.prod(copies + 1))
    left = [
        (ways[: len(ways) - step] // step) % (count + 1) < count for step, count in zip(one_more, copies, strict=True)
    ]
    before = [(ways == 0).astype(np.float64)]
    for chance, crop in zip(else_chances, chances, strict=True):
        taken = before[-1] * chance
        for step, spare, own in zip(one_more, left, crop, strict=True):
            taken[step:] += before[-1][: len(ways) - step] * spare * own
        before.append(taken / max(taken.sum(), _MIN_LIKELIHOOD))
    room, anything = np.zeros_like(chances), np.zeros(len(chances))
    after = np.ones(len(ways))
    for row in range(len(chances) - 1, -1, -1):
        anything[row] = before[row] @ after
        now = after * else_chances[row]
        for tile, (step, spare) in enumerate(zip(one_more, left, strict=True)):
            possible = after[step:] * spare
            room[row, tile] = before[row][: len(ways) - step] @ possible
            now[: len(ways) - step] += possible * chances[row, tile]
        after = now / max(now.max(), _MIN_LIKELIHOOD)
    return room, anything
