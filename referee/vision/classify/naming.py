"""Faces into tiles: what each crop shows, how surely, and what else it may be; the box is asked, never legality."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from referee.reading.observation import TileReading
from referee.rules.tiles import COLOURED_JOKERS, NUMBER_TILES, PLAIN_JOKERS, Colour, Joker, Tile
from referee.vision.geometry.detections import INKS, SYMBOLS, Faces, Floats

_JOKER_SYMBOLS: Final = slice(SYMBOLS.index("J"), SYMBOLS.index("back"))
_BACK = SYMBOLS.index("back")
_SURELY_SPECIAL = 0.9  # of its chances: where no box is known, a joker is plain until it is this surely another
_SPECIAL_SHARE = 1 / 6  # how often a box has special jokers
WORTH_NAMING: Final = 0.001
_MAX_ALTERNATIVES = 4

Box = Mapping[Tile, int]


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """For each crop how likely it shows each tile [n, tiles] or a tile's back [n]."""

    tiles: tuple[Tile, ...]
    chances: Floats
    back: Floats

    @property
    def likeliest(self) -> tuple[Tile | None, ...]:
        """For each crop the tile it most likely shows; None where that is a tile's back."""
        best = self.chances.argmax(axis=1)
        is_back = self.back > self.chances[np.arange(len(best)), best]
        return tuple(None if back else self.tiles[at] for at, back in zip(best, is_back, strict=True))


def name_faces(faces: Faces, box: Box | None) -> Names:
    """The tiles the faces may show, jokers named as the box has them."""
    numbers = np.einsum("ni,ns->nis", faces.ink, faces.symbol[:, : _JOKER_SYMBOLS.start]).reshape(
        len(faces), len(NUMBER_TILES_BY_INK)
    )
    jokers, columns = _jokers(faces, box)
    chances = np.concatenate([numbers, columns], axis=1).astype(np.float32)
    return Names((*NUMBER_TILES_BY_INK, *jokers), chances, faces.symbol[:, _BACK])


NUMBER_TILES_BY_INK: Final = tuple(
    next(tile for tile in NUMBER_TILES if tile.colour is Colour(ink) and tile.number == number)
    for ink in INKS
    for number in range(1, 14)
)


def _jokers(faces: Faces, box: Box | None) -> tuple[tuple[Joker, ...], Floats]:
    drawn = faces.symbol[:, _JOKER_SYMBOLS]
    if box is None:
        return PLAIN_JOKERS, _mostly_plain(drawn)
    if any(joker in box for joker in COLOURED_JOKERS):
        coloured = tuple(next(joker for joker in COLOURED_JOKERS if joker.colour is Colour(ink)) for ink in INKS)
        return coloured, drawn.sum(axis=1, keepdims=True) * faces.ink
    ours = [column for column, joker in enumerate(PLAIN_JOKERS) if joker in box]
    # What the box lacks is unknown and asked about: its chance goes to none of the others.
    return tuple(PLAIN_JOKERS[column] for column in ours), drawn[:, ours]


def _mostly_plain(drawn: Floats) -> Floats:
    """Chances of J, JD, JC, JM where the box is not known: most have plain ones, so a special one must be sure."""
    total = drawn.sum(axis=1, keepdims=True)
    weighed = drawn * np.array([1, _SPECIAL_SHARE, _SPECIAL_SHARE, _SPECIAL_SHARE], np.float32)
    weighed *= total / np.maximum(weighed.sum(axis=1, keepdims=True), 1e-9)
    plain, special = weighed[:, :1], weighed[:, 1:]
    # A doubtful special joker is called J, and half its chance is all a J may then claim.
    doubtful = (special.max(axis=1, keepdims=True) < _SURELY_SPECIAL * total) & (plain < total / 2)
    halved = np.concatenate(
        [total / 2, special / np.maximum(special.sum(axis=1, keepdims=True), 1e-9) * total / 2], axis=1
    )
    return np.where(doubtful, halved, weighed).astype(np.float32)


def read_names(names: Names, quads: Floats, *, sure: float) -> tuple[TileReading, ...]:
    """One reading for each crop, in order; a tile is unsure below the confidence `sure`."""
    readings = []
    columns = (
        quads.tolist(),
        names.likeliest,
        np.minimum(names.chances.max(axis=1), 1.0).tolist(),
        np.minimum(names.back, 1.0).tolist(),
        np.clip(1.0 - names.chances.sum(axis=1), 0.0, 1.0).tolist(),
        _worth_naming(names),
    )
    for quad, tile, likely, back, bare, others in zip(*columns, strict=True):
        (a, b, c, d) = (tuple(corner) for corner in quad)
        confidence = back if tile is None else likely
        readings.append(
            TileReading(
                quad=(a, b, c, d),
                tile=tile,
                confidence=confidence,
                alternatives=tuple(others if tile is None else others[1:])[:_MAX_ALTERNATIVES],
                unsure=confidence < sure,
                bare=bare,
            )
        )
    return tuple(readings)


def _worth_naming(names: Names) -> list[list[tuple[Tile, float]]]:
    """For each crop the tiles it may show and how likely each is, the likeliest first."""
    rows, columns = np.nonzero(names.chances >= WORTH_NAMING)
    chances = np.minimum(names.chances[rows, columns], 1.0)
    order = np.lexsort((-chances, rows))
    worth: list[list[tuple[Tile, float]]] = [[] for _ in names.chances]
    for row, column, chance in zip(*(values[order].tolist() for values in (rows, columns, chances)), strict=True):
        worth[row].append((names.tiles[column], chance))
    return worth
