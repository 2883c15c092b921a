"""What the models answer, as columns of equal length: where tiles lie, and what their faces look like."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from referee.rules.tiles import Colour

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_] | npt.NDArray[np.intp]

SYMBOLS: Final = (*(str(number) for number in range(1, 14)), "J", "JD", "JC", "JM", "back", "none")
NUMBERS: Final = slice(SYMBOLS.index("J"))
JOKERS: Final = slice(SYMBOLS.index("J"), SYMBOLS.index("back"))
INKS: Final = tuple(colour.letter for colour in Colour)
EMBEDDING: Final = 32
_INK, _WAY = len(SYMBOLS), len(SYMBOLS) + len(INKS)  # columns at which these begin, side by side
_MIN_CHANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """Tiles that were located: quads [n, 4, 2] in pixels, clockwise, which end is up left open; scores [n] in 0..1."""

    quads: Floats
    scores: Floats

    def __post_init__(self) -> None:
        if self.quads.shape != (len(self.scores), 4, 2) or self.scores.ndim != 1:
            raise ValueError(f"quads [n, 4, 2] and scores [n] do not fit: {self.quads.shape} and {self.scores.shape}")
        if not (np.isfinite(self.quads).all() and np.isfinite(self.scores).all()):
            raise ValueError("a detection has finite corners and a finite score")

    def __len__(self) -> int:
        return len(self.scores)

    def pick(self, rows: Mask) -> Self:
        """Return the detections of some rows."""
        return type(self)(self.quads[rows], self.scores[rows])

    @classmethod
    def join(cls, *parts: Self) -> Self:
        """Return all of several looks, one after the other."""
        return cls(np.concatenate([part.quads for part in parts]), np.concatenate([part.scores for part in parts]))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Faces:
    """What each crop shows: chances of symbol [n, 19], ink [n, 4], upright [n]; a vector [n, 32] to know it by."""

    symbol: Floats
    ink: Floats
    upright: Floats
    embedding: Floats

    def __post_init__(self) -> None:
        n = len(self.symbol)
        shapes = (self.symbol.shape, self.ink.shape, self.upright.shape, self.embedding.shape)
        if shapes != ((n, len(SYMBOLS)), (n, len(INKS)), (n,), (n, EMBEDDING)):
            raise ValueError(f"columns of faces do not fit: {shapes}")

    def __len__(self) -> int:
        return len(self.symbol)

    def pick(self, rows: Mask) -> Self:
        """Return the faces of some rows."""
        return type(self)(
            symbol=self.symbol[rows], ink=self.ink[rows], upright=self.upright[rows], embedding=self.embedding[rows]
        )

    def put(self, rows: npt.NDArray[np.intp], others: Self) -> Self:
        """Return these faces with others in some rows; embeddings stay, for they are of one look."""
        symbol, ink, upright = self.symbol.copy(), self.ink.copy(), self.upright.copy()
        symbol[rows], ink[rows], upright[rows] = others.symbol, others.ink, others.upright
        return replace(self, symbol=symbol, ink=ink, upright=upright)

    def turned(self) -> Self:
        """Return the same faces seen the other way up."""
        return replace(self, upright=1 - self.upright)

    @classmethod
    def mean(cls, looks: Sequence[Self]) -> Self:
        """Return the geometric means of several looks at the same tiles; embeddings are those of the first."""
        chances = np.stack([look.chances for look in looks])
        means = np.exp(np.log(np.maximum(chances, _MIN_CHANCE)).sum(axis=0) / len(looks))
        symbol, ink, ways = means[:, :_INK], means[:, _INK:_WAY], means[:, _WAY:]
        return cls(
            symbol=symbol / symbol.sum(axis=1, keepdims=True),
            ink=ink / ink.sum(axis=1, keepdims=True),
            upright=ways[:, 0] / ways.sum(axis=1),
            embedding=looks[0].embedding,
        )

    @property
    def chances(self) -> Floats:
        """All chances side by side [n, 25]: of each symbol and ink, of lying upright and of not."""
        upright = self.upright[:, None]
        return np.concatenate([self.symbol, self.ink, upright, 1 - upright], axis=1)
