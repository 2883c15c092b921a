"""Faces into tiles: each crop's tile, confidence and alternatives, from the box and never from legality.

The evidence is a sum of log-odds terms: what the crops show, which jokers the box has, enrolled faces (`enrolment`),
similar inks (`context.ink_clustering`) and the number of copies in the box (`context.multiplicity_prior`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np

from referee.reading.observation import MAX_ALTERNATIVES, MIN_NAMED_CHANCE, TileReading
from referee.rules.tiles import COLOURED_JOKERS, NUMBER_TILES, PLAIN_JOKERS, Joker, JokerKind, Tile
from referee.vision.classify.tuning import TUNING
from referee.vision.geometry.detections import JOKERS, NUMBERS, SYMBOLS, Doubles, Faces, Floats
from referee.vision.profile import Enrolment

MIN_PROBABILITY: Final = 1e-7  # of any tile: no crop is surer

Box = Mapping[Tile, int]


@dataclass(frozen=True, slots=True, eq=False)
class LogOdds:
    """For each crop, the log-odds [n, tiles + 2] of each tile, of a back, and of anything else.

    Only differences within a row count.
    """

    tiles: tuple[Tile, ...]
    odds: Doubles

    def add(self, term: Doubles) -> Self:
        """Return the log-odds with a term [n, tiles + 2] added."""
        return replace(self, odds=self.odds + term)

    @property
    def probabilities(self) -> Doubles:
        """The probabilities [n, tiles + 2]."""
        powers = np.exp(self.odds - self.odds.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    @property
    def likeliest(self) -> tuple[Tile | None, ...]:
        """The likeliest tile of each crop; None for a back."""
        names = (*self.tiles, None)
        return tuple(names[at] for at in self.odds[:, :-1].argmax(axis=1))


def name_faces(faces: Faces, box: Box | None) -> LogOdds:
    """Return the log-odds of the tiles that the faces may show, jokers named as in the box."""
    symbol, ink = (np.log(np.maximum(seen, MIN_PROBABILITY), dtype=np.float64) for seen in (faces.symbol, faces.ink))
    numbers = ink[:, :, None] + symbol[:, None, NUMBERS]
    drawn = symbol[:, JOKERS]
    jokers, lacking = PLAIN_JOKERS, drawn[:, :0]
    if box is None:  # most boxes have plain jokers only
        drawn = drawn + [
            0.0 if joker.kind is JokerKind.REGULAR else math.log(TUNING.special_joker_share) for joker in jokers
        ]
    elif any(joker in box for joker in COLOURED_JOKERS):
        jokers = COLOURED_JOKERS
        drawn = np.logaddexp.reduce(drawn, axis=1, keepdims=True) + ink
    else:  # a joker the box lacks counts as anything else, and is asked about
        ours = np.array([joker in box for joker in PLAIN_JOKERS])
        jokers = tuple(joker for joker in PLAIN_JOKERS if joker in box)
        drawn, lacking = drawn[:, ours], drawn[:, ~ours]
    back, none = symbol[:, SYMBOLS.index("back"), None], symbol[:, SYMBOLS.index("none"), None]
    rest = np.logaddexp.reduce(np.concatenate([none, lacking], axis=1), axis=1, keepdims=True)
    odds = np.concatenate([numbers.reshape(len(faces), len(NUMBER_TILES)), drawn, back, rest], axis=1)
    return LogOdds((*NUMBER_TILES, *jokers), odds)


def doubt_drawn_jokers(names: LogOdds, enrolment: Enrolment | None) -> LogOdds:
    """Return the log-odds, less sure which of the jokers never shown a crop shows: each box draws them in its own way.

    Nothing changes if the box has one such joker at most.
    """
    shown = {face.tile for face in enrolment.faces} if enrolment else set()
    (jokers,) = np.nonzero([isinstance(tile, Joker) and tile not in shown for tile in names.tiles])
    if len(jokers) < 2 or names.tiles[jokers[0]] in COLOURED_JOKERS:
        return names
    drawn = names.odds[:, jokers] * TUNING.drawn_joker_weight
    whole = np.logaddexp.reduce(names.odds[:, jokers], axis=1, keepdims=True)
    odds = names.odds.copy()
    odds[:, jokers] = drawn + whole - np.logaddexp.reduce(drawn, axis=1, keepdims=True)
    return replace(names, odds=odds)


def read_names(names: LogOdds, quads: Floats, *, sure: float) -> tuple[TileReading, ...]:
    """Return one reading per crop, in order; tiles with a confidence below `sure` are unsure."""
    chances = names.probabilities
    shown, back, bare = chances[:, :-2], chances[:, -2].tolist(), chances[:, -2:].sum(axis=1).clip(max=1.0).tolist()
    order = np.argsort(-shown, axis=1, kind="stable")[:, : 1 + MAX_ALTERNATIVES]
    best, ranked = np.take_along_axis(shown, order, axis=1).tolist(), order.tolist()
    readings = []
    for row, tile in enumerate(names.likeliest):
        (a, b, c, d) = (tuple(corner) for corner in quads[row].tolist())
        worth = [
            (names.tiles[at], probability)
            for at, probability in zip(ranked[row], best[row], strict=True)
            if probability >= MIN_NAMED_CHANCE
        ]
        confidence = back[row] if tile is None else best[row][0]
        readings.append(
            TileReading(
                quad=(a, b, c, d),
                tile=tile,
                confidence=confidence,
                alternatives=tuple(worth if tile is None else worth[1:])[:MAX_ALTERNATIVES],
                unsure=confidence < sure,
                bare=bare[row],
            )
        )
    return tuple(readings)
