"""The models' outputs as columns of equal length: where tiles lie, and what their faces show."""

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
EMBEDDING_SIZE: Final = 32
_INK, _ORIENTATION = len(SYMBOLS), len(SYMBOLS) + len(INKS)  # first column of each in `Faces.chances`
_MIN_CHANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """Located tiles: quads [n, 4, 2] in pixels, clockwise, either end up; scores [n] from 0 to 1."""

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
        """Return the detections in these rows."""
        return type(self)(self.quads[rows], self.scores[rows])

    @classmethod
    def join(cls, *parts: Self) -> Self:
        """Return the concatenated detections."""
        return cls(np.concatenate([part.quads for part in parts]), np.concatenate([part.scores for part in parts]))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Faces:
    """What each crop shows: probabilities of symbol [n, 19], ink [n, 4] and upright [n]; embeddings [n, 32]."""

    symbol: Floats
    ink: Floats
    upright: Floats
    embedding: Floats

    def __post_init__(self) -> None:
        n = len(self.symbol)
        shapes = (self.symbol.shape, self.ink.shape, self.upright.shape, self.embedding.shape)
        if shapes != ((n, len(SYMBOLS)), (n, len(INKS)), (n,), (n, EMBEDDING_SIZE)):
            raise ValueError(f"columns of faces do not fit: {shapes}")

    def __len__(self) -> int:
        return len(self.symbol)

    def pick(self, rows: Mask) -> Self:
        """Return the faces in these rows."""
        return type(self)(
            symbol=self.symbol[rows], ink=self.ink[rows], upright=self.upright[rows], embedding=self.embedding[rows]
        )

    def put(self, rows: npt.NDArray[np.intp], others: Self) -> Self:
        """Return the faces with `others` in these rows; embeddings are kept, as they belong to one look."""
        symbol, ink, upright = self.symbol.copy(), self.ink.copy(), self.upright.copy()
        symbol[rows], ink[rows], upright[rows] = others.symbol, others.ink, others.upright
        return replace(self, symbol=symbol, ink=ink, upright=upright)

    def turned(self) -> Self:
        """Return the faces of the same crops rotated by 180 degrees."""
        return replace(self, upright=1 - self.upright)

    @classmethod
    def mean(cls, looks: Sequence[Self]) -> Self:
        """Return the normalised geometric means of several looks at the same tiles, with the first embeddings."""
        chances = np.stack([look.chances for look in looks])
        means = np.exp(np.log(np.maximum(chances, _MIN_CHANCE)).sum(axis=0) / len(looks))
        symbol, ink, ways = means[:, :_INK], means[:, _INK:_ORIENTATION], means[:, _ORIENTATION:]
        return cls(
            symbol=symbol / symbol.sum(axis=1, keepdims=True),
            ink=ink / ink.sum(axis=1, keepdims=True),
            upright=ways[:, 0] / ways.sum(axis=1),
            embedding=looks[0].embedding,
        )

    @property
    def chances(self) -> Floats:
        """All probabilities side by side [n, 25]: symbols, inks, upright and upside down."""
        upright = self.upright[:, None]
        return np.concatenate([self.symbol, self.ink, upright, 1 - upright], axis=1)
