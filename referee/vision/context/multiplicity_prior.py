"""Multiplicity prior: a table shows no more copies of a tile than the box holds, so one of three `R7` is misread.

Each crop was read alone, but beside two clear `K6` a smudge between 6 and 8 is a `K8`. Belief propagation (sum-product
messages between crops and tiles) combines all crops under that one constraint: each tile tells each crop how probable
it is that the others leave a copy. Legality is never considered.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.reading.observation import MIN_NAMED_CHANCE, TileReading
from referee.rules.tiles import Tile
from referee.vision.classify.naming import MIN_PROBABILITY, LogOdds, read_names
from referee.vision.context.tuning import TUNING
from referee.vision.geometry.detections import Doubles, Floats

_LIKELY: Final = 0.5
_Copies = npt.NDArray[np.intp]


def read_with_multiplicity(
    names: LogOdds, box: Mapping[Tile, int], quads: Floats, *, sure: float
) -> tuple[TileReading, ...]:
    """Return one reading per crop, in order, as `read_names` does, with the multiplicity prior applied.

    A crop whose name the prior changed is unsure, however high its confidence. A surplus copy that is more likely no
    face, such as a knot in the wood beside two jokers, becomes no face; one that shows a face is asked about.
    """
    alone, shared = read_names(names, quads, sure=sure), apply_multiplicity(names, box)
    if shared is names:
        return alone
    counts = Counter(tile for tile in names.likeliest if tile)
    too_many = {tile for tile, count in counts.items() if count > box.get(tile, 0)}
    pairs = zip(read_names(shared, quads, sure=sure), alone, strict=True)
    return tuple(_surplus(tile, one) if one.tile in too_many else _renamed(tile, one) for tile, one in pairs)


def apply_multiplicity(names: LogOdds, box: Mapping[Tile, int]) -> LogOdds:
    """Return the log-odds with the multiplicity prior added.

    Nothing changes if no tile is expected more often than the box holds it, or if the tiles come from several boxes.
    A tile that the box lacks keeps its probability: an impossible tile must still be reported.
    """
    copies, alone = np.array([box.get(tile, 0) for tile in names.tiles]), names.probabilities
    if len(alone) > TUNING.max_boxes * copies.sum():
        return names
    if not ((alone[:, :-2].sum(axis=0) > copies) & (copies > 0)).any():
        return names
    return names.add(np.log(_messages(alone, copies)))


def _messages(alone: Doubles, copies: _Copies) -> Doubles:
    """Return the factors by which the other crops change the probabilities `alone` [crops, tiles + 2]."""
    messages = np.ones_like(alone)
    counted = np.count_nonzero(alone[:, : len(copies)] >= MIN_NAMED_CHANCE, axis=0)
    (tiles,) = np.nonzero((copies > 0) & (counted > copies))
    crops = np.argsort(-alone[:, tiles], axis=0)[: counted[tiles].max(initial=0)]
    for _ in range(TUNING.message_rounds):
        likely = alone * messages
        others = likely.sum(axis=1, keepdims=True) - likely
        chances = (alone / (alone + others))[crops, tiles]
        messages[crops, tiles] = _copies_left(chances, copies[tiles])
    return messages


def _surplus(reading: TileReading, alone: TileReading) -> TileReading:
    if reading.bare <= _LIKELY:
        return _renamed(reading, alone)
    return _as_no_face(reading) if alone.bare > _LIKELY else replace(alone, unsure=True)


def _renamed(reading: TileReading, alone: TileReading) -> TileReading:
    """Return the reading, unsure if the others changed its name: boxes may have been mixed."""
    return replace(reading, unsure=reading.unsure or reading.tile != alone.tile)


def _as_no_face(reading: TileReading) -> TileReading:
    named = [] if reading.tile is None else [(reading.tile, reading.confidence)]
    others = tuple(other for other in (*named, *reading.alternatives) if other[1] >= MIN_NAMED_CHANCE)
    return replace(reading, tile=None, confidence=reading.bare, alternatives=others, unsure=True)


def _copies_left(chances: Doubles, copies: _Copies) -> Doubles:
    """Return the factors [crops, tiles] by which the copies taken by other crops lower each tile's probability.

    Each is P(the others show fewer than all copies) / P(the others show at most all copies).
    """
    shown = np.zeros((*chances.shape, copies.max(initial=0) + 1))  # probability that `k` of the others show it
    shown[:, :, 0] = 1.0
    for crop, chance in enumerate(chances[:, :, None]):
        own = shown[crop].copy()
        shown[:, :, 1:] = shown[:, :, 1:] * (1 - chance) + shown[:, :, :-1] * chance
        shown[:, :, :1] *= 1 - chance
        shown[crop] = own
    at_most = shown.cumsum(axis=2)
    tiles = np.arange(len(copies))
    return np.asarray(at_most[:, tiles, copies - 1] / np.maximum(at_most[:, tiles, copies], MIN_PROBABILITY**3))
