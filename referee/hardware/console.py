"""Signals as text, for a terminal and the service's log; and signals and buttons that do nothing."""

import os
import sys
from types import MappingProxyType
from typing import Final, TextIO

from referee.game.cues import Blink, Cue, Lamp, Tone
from referee.hardware.ports import Press
from referee.language.catalogue import ENGLISH, catalogue
from referee.reading.inputs import Seconds
from referee.rules.wording import Message, say

SIGNALS_LEGEND: Final = say(
    "console.legend",
    "In [ ] is what lamps and buzzer do: ▬ the lamp shines, · it blinks, … until something else is said, ♪ a tone.",
)
TILES_LEGEND: Final = say(
    "console.tiles", "Tiles: K black, R red, B blue, O orange, each with its number; J is a joker."
)
_LAMP_NAMES: Final = MappingProxyType(
    {
        Lamp.GREEN: say("lamp.green", "green"),
        Lamp.AMBER: say("lamp.amber", "amber"),
        Lamp.RED: say("lamp.red", "red"),
    }
)
_ANSI_COLOURS: Final = MappingProxyType(
    {
        "verdict_word.legal": 32,
        "verdict_word.illegal": 31,
        "verdict_word.too_late": 31,
        "verdict_word.undecided": 33,
        "lamp.green": 32,
        "lamp.amber": 33,
        "lamp.red": 31,
    }
)
_MIN_BAR_SECONDS = 0.5  # a light on for so long is drawn as a bar, a shorter one as a dot


class ConsoleSignals:
    """Prints the text of each cue, followed by its lights and sounds."""

    faults: tuple[str, ...] = ()
    """Nothing: no pin is driven."""

    def __init__(self, stream: TextIO | None = None, language: str = ENGLISH) -> None:
        """Print in a language to a stream (default: standard output); ConfigError if it has no catalogue."""
        self._catalogue = catalogue(language)
        self._stream = stream or sys.stdout
        self._is_terminal = self._stream.isatty()
        self._has_colours = self._is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._explained = False

    def play(self, cue: Cue) -> None:
        """Print the cue's text, lights and sounds; an empty cue prints nothing."""
        shown = " ".join(filter(None, (*map(self._blink_text, cue.blinks), _tones_text(cue.tones))))
        first, *rest = self._catalogue.say(cue.text, self._in_colour).split("\n")
        line = f"{first}  [{shown}]" if shown else first
        if not line:
            return
        if shown and self._is_terminal and not self._explained:
            self._explained = True
            print(self._catalogue.say(TILES_LEGEND), self._catalogue.say(SIGNALS_LEGEND), sep="\n", file=self._stream)
        print("\n".join((line, *rest)), file=self._stream, flush=True)

    def _blink_text(self, blink: Blink) -> str:
        beats = "".join("▬" if seconds >= _MIN_BAR_SECONDS else "·" for seconds in blink.rhythm[::2] if seconds)
        shines = f"{self._catalogue.say(_LAMP_NAMES[blink.lamp])} {beats}{'…' if blink.forever else ''}"
        return self._in_colour(_LAMP_NAMES[blink.lamp], shines)

    def _in_colour(self, message: Message, text: str) -> str:
        colour = _ANSI_COLOURS.get(message.id)
        return text if colour is None or not self._has_colours else f"\x1b[{colour}m{text}\x1b[0m"

    def close(self) -> None:
        """Do nothing: the caller closes the stream."""


class NoSignals:
    """Signals without output."""

    faults: tuple[str, ...] = ()
    """Nothing: no pin is driven."""

    def play(self, cue: Cue) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class NoButton:
    """A button that is not wired."""

    faults: tuple[str, ...] = ()
    """Nothing: no pin is read."""

    def presses(self, until: Seconds) -> tuple[Press, ...]:
        """Return no presses."""
        del until
        return ()

    def close(self) -> None:
        """Do nothing."""


def _tones_text(tones: tuple[Tone, ...]) -> str:
    return "♪" * sum(tone.hertz > 0 for tone in tones)
