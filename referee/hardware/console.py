"""Signals in words: for a laptop, a terminal over SSH, and the service's log."""

import sys
from typing import TextIO

from referee.game.cues import Blink, Cue, Tone
from referee.game.inputs import Seconds
from referee.ports import Press

_LONG = 0.5  # a light on for so long is drawn as a bar, a shorter one as a dot


class ConsoleSignals:
    """Prints what each cue says, and behind it how it would shine and sound."""

    def __init__(self, stream: TextIO | None = None) -> None:
        """Print to a stream, by default standard output."""
        self._stream = stream or sys.stdout

    def play(self, cue: Cue) -> None:
        """Print the words; a cue without words, lights and sounds prints nothing."""
        shown = " ".join(filter(None, (*map(_blink, cue.blinks), _tones(cue.tones))))
        first, *rest = cue.words.split("\n")
        line = f"{first}  [{shown}]" if shown else first
        if line:
            print("\n".join((line, *rest)), file=self._stream, flush=True)

    def close(self) -> None:
        """Leave the stream to whoever opened it."""


class NoSignals:
    """Shows and sounds nothing."""

    def play(self, cue: Cue) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class NoButton:
    """A button nobody has wired."""

    def presses(self, until: Seconds) -> tuple[Press, ...]:
        """Give nothing."""
        del until
        return ()

    def close(self) -> None:
        """Do nothing."""


def _blink(blink: Blink) -> str:
    beats = "".join("▬" if seconds >= _LONG else "·" for seconds in blink.rhythm[::2] if seconds)
    return f"{blink.lamp} {beats}{'…' if blink.forever else ''}"


def _tones(tones: tuple[Tone, ...]) -> str:
    return "♪" * sum(tone.hertz > 0 for tone in tones)
