"""Faces into tiles: what each crop shows, how surely, and what else it may be; the box is asked, never legality.

What is known of the tiles of a table are log-odds, one term after the other added: what the crops show, which kinds of
jokers there are, what was enrolled (`enrolment`), which inks look alike (`context.ink_clustering`) and how many copies
the box holds (`context.multiplicity_prior`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np

from referee.reading.observation import MAX_ALTERNATIVES, MIN_NAMED_CHANCE, TileReading
from referee.rules.tiles import COLOURED_JOKERS, NUMBER_TILES, PLAIN_JOKERS, JokerKind, Tile
from referee.vision.classify.tuning import TUNING
from referee.vision.geometry.detections import JOKERS, NUMBERS, SYMBOLS, Doubles, Faces, Floats

MIN_CHANCE: Final = 1e-7  # of anything: no crop tells more

Box = Mapping[Tile, int]


@dataclass(frozen=True, slots=True, eq=False)
class LogOdds:
    """For each crop how likely it shows each tile, a tile's back, or anything else: logarithms [n, tiles + 2].

    Only differences within a crop count.
    """

    tiles: tuple[Tile, ...]
    odds: Doubles

    def plus(self, term: Doubles) -> Self:
        """Return these and what else is known, a term [n, tiles + 2]."""
        return replace(self, odds=self.odds + term)

    @property
    def chances(self) -> Doubles:
        """The probabilities [n, tiles + 2]."""
        powers = np.exp(self.odds - self.odds.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    @property
    def likeliest(self) -> tuple[Tile | None, ...]:
        """For each crop the tile it most likely shows; None where that is a tile's back."""
        names = (*self.tiles, None)
        return tuple(names[at] for at in self.odds[:, :-1].argmax(axis=1))


def name_faces(faces: Faces, box: Box | None) -> LogOdds:
    """Return the tiles the faces may show, jokers named as the box has them."""
    symbol, ink = (np.log(np.maximum(seen, MIN_CHANCE), dtype=np.float64) for seen in (faces.symbol, faces.ink))
    numbers = ink[:, :, None] + symbol[:, None, NUMBERS]
    drawn = symbol[:, JOKERS]
    jokers, lacking = PLAIN_JOKERS, drawn[:, :0]
    if box is None:  # most have plain ones, so a special one must be sure
        drawn = drawn + [0.0 if joker.kind is JokerKind.REGULAR else math.log(TUNING.special_share) for joker in jokers]
    elif any(joker in box for joker in COLOURED_JOKERS):
        jokers = COLOURED_JOKERS
        drawn = np.logaddexp.reduce(drawn, axis=1, keepdims=True) + ink
    else:  # what the box lacks is unknown and asked about: its chance goes to none of the others
        ours = np.array([joker in box for joker in PLAIN_JOKERS])
        jokers = tuple(joker for joker in PLAIN_JOKERS if joker in box)
        drawn, lacking = drawn[:, ours], drawn[:, ~ours]
    back, none = symbol[:, SYMBOLS.index("back"), None], symbol[:, SYMBOLS.index("none"), None]
    rest = np.logaddexp.reduce(np.concatenate([none, lacking], axis=1), axis=1, keepdims=True)
    odds = np.concatenate([numbers.reshape(len(faces), len(NUMBER_TILES)), drawn, back, rest], axis=1)
    return LogOdds((*NUMBER_TILES, *jokers), odds)


def read_names(names: LogOdds, quads: Floats, *, sure: float) -> tuple[TileReading, ...]:
    """Return one reading for each crop, in order; a tile is unsure below the confidence `sure`."""
    chances = names.chances
    shown, back, bare = chances[:, :-2], chances[:, -2].tolist(), chances[:, -2:].sum(axis=1).clip(max=1.0).tolist()
    order = np.argsort(-shown, axis=1, kind="stable")[:, : 1 + MAX_ALTERNATIVES]
    best, ranked = np.take_along_axis(shown, order, axis=1).tolist(), order.tolist()
    readings = []
    for row, tile in enumerate(names.likeliest):
        (a, b, c, d) = (tuple(corner) for corner in quads[row].tolist())
        worth = [
            (names.tiles[at], one) for at, one in zip(ranked[row], best[row], strict=True) if one >= MIN_NAMED_CHANCE
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
