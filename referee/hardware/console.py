"""Signals in words: for a laptop, a terminal over SSH, and the service's log."""

import os
import re
import sys
from types import MappingProxyType
from typing import Final, TextIO

from referee.game.inputs import Seconds
from referee.game.texts.cues import Blink, Cue, Tone
from referee.ports import Press

LEGEND: Final = (
    "In [ ] is what lamps and buzzer do: ▬ the lamp shines, · it blinks, … until something else is said, ♪ a tone."
)
_COLOURS: Final = MappingProxyType(
    {"LEGAL": 32, "ILLEGAL": 31, "TOO LATE": 31, "UNDECIDED": 33, "green": 32, "red": 31, "amber": 33}
)
_COLOURED: Final = re.compile(r"\b(?:LEGAL|ILLEGAL|TOO LATE|UNDECIDED)\b|(?<=[\[ ])(?:green|red|amber) [▬·]+…?")
_LONG = 0.5  # a light on for so long is drawn as a bar, a shorter one as a dot


class ConsoleSignals:
    """Prints what each cue says, and behind it how it would shine and sound."""

    def __init__(self, stream: TextIO | None = None) -> None:
        """Print to a stream, by default standard output."""
        self._stream = stream or sys.stdout
        self._watched = self._stream.isatty()
        self._coloured = self._watched and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._explained = False

    def play(self, cue: Cue) -> None:
        """Print the words; a cue without words, lights and sounds prints nothing."""
        shown = " ".join(filter(None, (*map(_blink, cue.blinks), _tones(cue.tones))))
        first, *rest = cue.words.split("\n")
        line = f"{first}  [{shown}]" if shown else first
        if not line:
            return
        if shown and self._watched and not self._explained:
            self._explained = True
            print(LEGEND, file=self._stream)
        text = "\n".join((line, *rest))
        print(_COLOURED.sub(_painted, text) if self._coloured else text, file=self._stream, flush=True)

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


def _painted(found: re.Match[str]) -> str:
    word = found[0] if found[0] in _COLOURS else found[0].partition(" ")[0]
    return f"\x1b[{_COLOURS[word]}m{found[0]}\x1b[0m"
