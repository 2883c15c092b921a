"""The kinds of hardships of a simulated evening, and which of them a random one has."""

from enum import StrEnum, unique
from random import Random
from typing import Final


@unique
class Hardship(StrEnum):
    """A hardship of people, tiles, table, light or camera; the values are option names."""

    QUICK = "quick-hands"
    HASTY = "hasty-press"
    SLID = "slid-tile"
    STRAIGHTENED = "straightened-sets"
    OVERLAP = "overlapping-tiles"
    ON_EDGE = "tile-on-edge"
    FALLEN = "fallen-tile"
    FACE_DOWN = "tile-face-down"
    OUTSIDE = "half-outside"
    THINGS = "things-on-table"
    FURNITURE = "racks-and-boxes"
    DROPPED = "dropped-frames"
    FEW = "few-frames"
    SLOW = "slow-reading"
    LAMPS = "own-lamps"
    SAG = "sagging-arm"
    SWITCHED = "switched-lamp"
    FLASHING = "flashing-lamp"
    TINTED = "tinted-lamp"
    SHADOW = "shadow-edge"
    SCREEN = "lit-screen"
    FLICKER = "flicker-bands"
    REPEATED = "repeated-pictures"
    LATE = "late-pictures"
    QUARTER = "quarter-dropped"
    PRINTED = "printed-sheet"
    LOST_PRESS = "lost-press"
    SQUEEZED = "squeezed-pictures"
    TURNED = "turned-pictures"


WORLDS: Final = tuple(Hardship)[tuple(Hardship).index(Hardship.SWITCHED) :]
"""Hardships of which a random evening has a few; each changes the whole evening."""
USUAL_HARDSHIPS: Final = tuple(hardship for hardship in Hardship if hardship not in WORLDS)
TEMPORARY_WORLDS: Final = frozenset({Hardship.LOST_PRESS, Hardship.SQUEEZED, Hardship.TURNED})
LASTING_HARDSHIPS: Final = frozenset(
    {Hardship.FURNITURE, Hardship.DROPPED, Hardship.FEW, Hardship.SLOW, Hardship.LAMPS, Hardship.SAG}
    | ({*WORLDS} - TEMPORARY_WORLDS)
)
"""These last the whole match: furniture, and faults of light and camera."""
HIDING_HARDSHIPS: Final = frozenset({Hardship.OVERLAP, Hardship.FACE_DOWN, Hardship.OUTSIDE})
"""After these, some tile lies covered, face down or partly outside the picture."""


def random_hardships(seed: int) -> tuple[Hardship, ...]:
    """Return what may befall the evening of this seed: everything but most `WORLDS`, of which it has one to three."""
    rng = Random(f"worlds {seed}")
    return (*USUAL_HARDSHIPS, *rng.sample(WORLDS, rng.choice((1, 1, 2, 3))))
