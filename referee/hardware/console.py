"""Signals in words: for a laptop, a terminal over SSH, and the service's log."""

import os
import sys
from types import MappingProxyType
from typing import Final, TextIO

from referee.game.inputs import Seconds
from referee.game.texts.cues import Blink, Cue, Lamp, Tone
from referee.language.catalogue import ENGLISH, catalogue
from referee.ports import Press
from referee.rules.wording import Message, say

LEGEND: Final = say(
    "console.legend",
    "In [ ] is what lamps and buzzer do: ▬ the lamp shines, · it blinks, … until something else is said, ♪ a tone.",
)
TILES: Final = say("console.tiles", "Tiles: K black, R red, B blue, O orange, each with its number; J is a joker.")
_LAMPS: Final = MappingProxyType(
    {
        Lamp.GREEN: say("lamp.green", "green"),
        Lamp.AMBER: say("lamp.amber", "amber"),
        Lamp.RED: say("lamp.red", "red"),
    }
)
_COLOURS: Final = MappingProxyType(
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
_BAR_SECONDS = 0.5  # a light on for so long is drawn as a bar, a shorter one as a dot


class ConsoleSignals:
    """Prints the text of each cue, followed by its lights and sounds."""

    faults: tuple[str, ...] = ()
    """Nothing: no pin is driven."""

    def __init__(self, stream: TextIO | None = None, language: str = ENGLISH) -> None:
        """Print in a language to a stream, by default standard output; ConfigError where it has no catalogue."""
        self._catalogue = catalogue(language)
        self._stream = stream or sys.stdout
        self._watched = self._stream.isatty()
        self._coloured = self._watched and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._explained = False

    def play(self, cue: Cue) -> None:
        """Print the text; a cue without text, lights and sounds prints nothing."""
        shown = " ".join(filter(None, (*map(self._blink, cue.blinks), _tones(cue.tones))))
        first, *rest = self._catalogue.say(cue.text, self._painted).split("\n")
        line = f"{first}  [{shown}]" if shown else first
        if not line:
            return
        if shown and self._watched and not self._explained:
            self._explained = True
            print(self._catalogue.say(TILES), self._catalogue.say(LEGEND), sep="\n", file=self._stream)
        print("\n".join((line, *rest)), file=self._stream, flush=True)

    def _blink(self, blink: Blink) -> str:
        beats = "".join("▬" if seconds >= _BAR_SECONDS else "·" for seconds in blink.rhythm[::2] if seconds)
        shines = f"{self._catalogue.say(_LAMPS[blink.lamp])} {beats}{'…' if blink.forever else ''}"
        return self._painted(_LAMPS[blink.lamp], shines)

    def _painted(self, message: Message, said: str) -> str:
        colour = _COLOURS.get(message.id)
        return said if colour is None or not self._coloured else f"\x1b[{colour}m{said}\x1b[0m"

    def close(self) -> None:
        """Leave the stream to whoever opened it."""


class NoSignals:
    """Signals that show and sound nothing."""

    faults: tuple[str, ...] = ()
    """Nothing: no pin is driven."""

    def play(self, cue: Cue) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class NoButton:
    """A button that is not wired."""

    def presses(self, until: Seconds) -> tuple[Press, ...]:
        """Return no press: there is no button."""
        del until
        return ()

    def close(self) -> None:
        """Do nothing."""


def _tones(tones: tuple[Tone, ...]) -> str:
    return "♪" * sum(tone.hertz > 0 for tone in tones)
