"""Light and sound for every turn event: one table, told apart by rhythm and not by colour alone."""

from dataclasses import dataclass
from enum import StrEnum


class Lamp(StrEnum):
    """The lamps of the device."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Blink:
    """A lamp's rhythm: seconds on, off, on, …; `repeat` 0 repeats until the next cue, one endless "on" is a steady light."""

    lamp: Lamp
    rhythm: tuple[float, ...]
    repeat: int = 1


@dataclass(frozen=True, slots=True)
class Tone:
    """A note of the buzzer; 0 Hz is a rest."""

    hertz: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Cue:
    """What the players see, hear and can read: the lamps that change, the notes, and the words for a console or page."""

    name: str
    blinks: tuple[Blink, ...] = ()
    tones: tuple[Tone, ...] = ()
    words: str = ""
    dark: bool = True
    """Whether the lamps not named go dark."""
