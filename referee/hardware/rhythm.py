"""The times of lamp changes and notes within a cue."""

from collections.abc import Iterator
from itertools import cycle

from referee.game.cues import Blink, Tone

LampChange = tuple[float, bool]
Note = tuple[float, int]


def lamp_changes(blink: Blink) -> Iterator[LampChange]:
    """Yield (seconds since the start, on or off) for every change of a lamp; endless if the blink is."""
    at, on = 0.0, True
    for seconds in cycle(blink.rhythm) if blink.forever else blink.rhythm:
        if seconds > 0:
            yield at, on
        at += seconds
        on = not on


def notes(tones: tuple[Tone, ...]) -> Iterator[Note]:
    """Yield (seconds since the start, hertz) for every note, 0 for silence; the last one ends it."""
    at = 0.0
    for tone in tones:
        yield at, tone.hertz
        at += tone.seconds
    if tones:
        yield at, 0
