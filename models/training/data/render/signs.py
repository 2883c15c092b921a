"""Jokers that are a word, a letter or a pictogram of a font in place of a drawing of our own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np

_JOKER_TEXTS = ("J", "J", "JOKER", "Joker", "JOKER")
PICTOGRAMS = "☀☁☂☃☄★☆☘☠☢☣☥☮☸☹☺☼♔♕♖♗♘♙♚♜♝♟♠♡♢♣♤♥♦♧♨♩♪♬♲⚐⚑⚒⚓⚔⚖⚘⚙⚚⚛⚜"
HELD_OUT_PICTOGRAMS = "☻♛♞☯♫"
"""Kept out of training, to see what is made of a joker never seen."""
_PICTORIAL = "DejaVuSans.ttf"
_LETTERED = 0.5


@dataclass(frozen=True, slots=True)
class Sign:
    """The joker of one box: a text in a font, as wide as so much of the tile and no higher than so much of it."""

    text: str
    font: Path
    width: float
    height: float

    @classmethod
    def some(cls, rng: np.random.Generator, fonts: Sequence[Path], own: Path | None) -> Sign | None:
        """One by chance, words in the box's `own` font; None where no font at hand has it."""
        if rng.random() < _LETTERED:
            text, font = str(rng.choice(_JOKER_TEXTS)), own
        else:
            text, font = str(rng.choice(list(PICTOGRAMS))), with_pictograms(fonts)
        wide = rng.uniform(0.6, 0.85) if len(text) > 1 else rng.uniform(0.3, 0.7)
        return Sign(text, font, float(wide), float(rng.uniform(0.25, 0.5))) if font else None


def with_pictograms(fonts: Sequence[Path]) -> Path | None:
    """The font among these that has pictograms; None where it is not installed."""
    return next((font for font in fonts if font.name == _PICTORIAL), None)
