"""How often each tile is in the box, weighed over the whole table: of a third `R7` one is something else.

Each crop was read alone. But no table shows more copies of a tile than its box holds, so what one crop shows says
something about the others: beside two clear `K6` a smudge between 6 and 8 is a `K8`. The chances of all crops are
weighed together under that one condition by messages between crops and tiles (sum-product, belief propagation): each
tile tells each crop how likely the others leave a copy over. Whether sets are legal is never asked.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from referee.reading.observation import MIN_NAMED_CHANCE, TileReading
from referee.rules.tiles import Tile
from referee.vision.classify.naming import MIN_CHANCE, LogOdds, read_names
from referee.vision.context.tuning import TUNING
from referee.vision.geometry.detections import Doubles, Floats

_Counts = npt.NDArray[np.intp]


def read_with_multiplicity(
    names: LogOdds, box: Mapping[Tile, int], quads: Floats, *, sure: float
) -> tuple[TileReading, ...]:
    """Return one reading for each crop, in order, as `read_names` gives them, but with the copies shared.

    What the others made another tile than it looked like by itself is asked about, however sure it is now. What looked
    like a copy too many and is likelier no face at all is none: a knot in the wood like a third joker.
    """
    tiles = read_names(apply_multiplicity(names, box), quads, sure=sure)
    likeliest = names.likeliest
    counts = Counter(tile for tile in likeliest if tile)
    too_many = {tile for tile, count in counts.items() if count > box.get(tile, 0)}
    readings = []
    for tile, alone in zip(tiles, likeliest, strict=True):
        reading = _without_face(tile) if alone in too_many and tile.bare > 0.5 else tile
        asked = reading.unsure or reading.tile != alone  # two boxes may have been mixed
        readings.append(replace(reading, unsure=asked))
    return tuple(readings)


def apply_multiplicity(names: LogOdds, box: Mapping[Tile, int]) -> LogOdds:
    """Return the log-odds, and what the other crops leave over of each tile: it is there no more often than in the box.

    Where no more of anything is expected than the box holds, nothing changes, nor where so many tiles lie that they
    are of several boxes. A tile that the box does not have at all keeps its chance: an impossible tile is still told.
    """
    copies, alone = np.array([box.get(tile, 0) for tile in names.tiles]), names.chances
    if len(alone) > TUNING.max_boxes * copies.sum():
        return names
    if not ((alone[:, :-2].sum(axis=0) > copies) & (copies > 0)).any():
        return names
    return names.plus(np.log(_messages(alone, copies)))


def _messages(alone: Doubles, copies: _Counts) -> Doubles:
    """Return how much likelier or less likely than `alone` [crops, tiles + 2] the other crops make each."""
    told = np.ones_like(alone)
    counted = np.count_nonzero(alone[:, : len(copies)] >= MIN_NAMED_CHANCE, axis=0)
    (tiles,) = np.nonzero((copies > 0) & (counted > copies))
    crops = np.argsort(-alone[:, tiles], axis=0)[: counted[tiles].max(initial=0)]
    for _ in range(TUNING.message_rounds):
        likely = alone * told
        others = likely.sum(axis=1, keepdims=True) - likely
        chances = (alone / (alone + others))[crops, tiles]
        told[crops, tiles] = _room(chances, copies[tiles])
    return told


def _without_face(reading: TileReading) -> TileReading:
    named = [] if reading.tile is None else [(reading.tile, reading.confidence)]
    others = tuple(other for other in (*named, *reading.alternatives) if other[1] >= MIN_NAMED_CHANCE)
    return replace(reading, tile=None, confidence=reading.bare, alternatives=others, unsure=True)


def _room(chances: Doubles, copies: _Counts) -> Doubles:
    """Return how much less likely crops show tiles [crops, tiles] because others may have taken the copies [tiles].

    That is the chance that the others show fewer than all copies over the chance that they show no more than all.
    """
    shown = np.zeros((*chances.shape, copies.max(initial=0) + 1))  # the chances that so many of the others show it
    shown[:, :, 0] = 1.0
    for crop, chance in enumerate(chances[:, :, None]):
        own = shown[crop].copy()
        shown[:, :, 1:] = shown[:, :, 1:] * (1 - chance) + shown[:, :, :-1] * chance
        shown[:, :, :1] *= 1 - chance
        shown[crop] = own
    at_most = shown.cumsum(axis=2)
    tiles = np.arange(len(copies))
    return np.asarray(at_most[:, tiles, copies - 1] / np.maximum(at_most[:, tiles, copies], MIN_CHANCE**3))
