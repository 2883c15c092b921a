"""Signals in words: colours and a legend on a terminal, neither in a pipe, none where NO_COLOR asks for it."""

import io
import os
import pty
import re
from contextlib import suppress

import pytest

from referee.game.cues import Blink, Cue, Lamp
from referee.game.texts.turn_messages import ILLEGAL as ILLEGAL_WORD
from referee.game.texts.turn_messages import LEGAL as LEGAL_WORD
from referee.hardware.console import SIGNALS_LEGEND, TILES_LEGEND, ConsoleSignals
from referee.language.catalogue import catalogue, languages
from referee.rules.notation import parse_tiles
from referee.rules.wording import TileRow

LEGAL = Cue(
    "legal",
    text=("  Ann plays R1 R2 R3: ", LEGAL_WORD, ".\n  Table: R1 R2 R3"),
    blinks=(Blink(Lamp.GREEN, (0.6, 0.0)),),
)
WRONG = Cue("illegal", text=("  Ben: ", ILLEGAL_WORD, "."), blinks=(Blink(Lamp.RED, (0.1, 0.1), forever=True),))


def shown(*cues: Cue) -> str:
    """What a terminal gets."""
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as screen:
        signals = ConsoleSignals(screen)
        for cue in cues:
            signals.play(cue)
    said = b""
    with suppress(OSError):  # as a terminal ends that nobody writes to any more
        while more := os.read(master, 4096):
            said += more
    os.close(master)
    return said.decode().replace("\r\n", "\n")


def test_a_terminal_gets_the_legend_once_and_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert shown(LEGAL, WRONG) == (
        f"{TILES_LEGEND}\n{SIGNALS_LEGEND}\n"
        "  Ann plays R1 R2 R3: \x1b[32mLEGAL\x1b[0m.  [\x1b[32mgreen ▬\x1b[0m]\n"
        "  Table: R1 R2 R3\n"
        "  Ben: \x1b[31mILLEGAL\x1b[0m.  [\x1b[31mred ·…\x1b[0m]\n"
    )


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_colours_where_they_are_not_wanted(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    assert "\x1b" not in shown(LEGAL, WRONG)


def test_a_pipe_gets_the_words_alone() -> None:
    pipe = io.StringIO()
    ConsoleSignals(pipe).play(WRONG)
    assert pipe.getvalue() == "  Ben: ILLEGAL.  [red ·…]\n"


@pytest.mark.parametrize("code", languages())
def test_the_legend_has_the_letters_that_tiles_are_written_with(code: str) -> None:
    words = catalogue(code)
    written = [words.say((TileRow(parse_tiles(tile)),)).removesuffix("1") for tile in ("K1", "R1", "B1", "O1", "J")]
    said = re.findall(r"\b[A-Z]{1,2}\b", words.say(TILES_LEGEND))
    assert said == written
