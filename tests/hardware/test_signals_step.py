"""`referee calibrate signals` on mock pins: every cue is played, and every button is asked for by its own name."""

import json
import sys
import threading
from pathlib import Path
from time import sleep
from types import SimpleNamespace

import pytest
from gpiozero.pins.mock import MockFactory

from referee.cli.main import main
from referee.cli.steps import signals
from referee.game.cues import CUES

COMMON, SEAT_1, SEAT_2 = 23, 24, 25
GREEN, AMBER, RED, BUZZER = 17, 27, 22, 18


def obey(monkeypatch: pytest.MonkeyPatch, pins: MockFactory, wired: dict[str, int]) -> list[str]:
    """Press each button when it is asked for, if it is wired; the lines that were said."""
    said: list[str] = []

    def press(number: int) -> None:
        pins.pin(number).drive_low()
        sleep(0.1)
        pins.pin(number).drive_high()

    def note(text: str) -> None:
        said.append(text)
        if text in wired:
            threading.Timer(0.1, press, (wired[text],)).start()

    monkeypatch.setattr(signals, "print_note", note)
    return said


ASKED = {
    "press the common button now": COMMON,
    "press the button of seat 1 now": SEAT_1,
    "press the button of seat 2 now": SEAT_2,
}


def call(tmp_path: Path) -> int:
    settings = tmp_path / "referee.toml"
    settings.write_text(f"[button]\nseat_pins = [{SEAT_1}, {SEAT_2}]\nbounce_seconds = 0.0\n")
    words = ["--config", str(settings), "--signals", "gpio", "--seconds", "0", "--wait", "1.5", "--json"]
    return main(["calibrate", "signals", *words])


def test_every_cue_is_played_and_every_button_asked_for(
    tmp_path: Path, pins: MockFactory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = obey(monkeypatch, pins, ASKED)
    assert call(tmp_path) == 0
    assert json.loads(capsys.readouterr().out) == {
        "played": [name for name, cue in CUES.items() if cue.blinks or cue.tones],
        "missed": [],
        "silent_buttons": [],
    }
    assert said == list(ASKED)
    assert all(any(state.state for state in pins.pin(lamp).states) for lamp in (GREEN, AMBER, RED, BUZZER))


def test_a_button_that_is_not_pressed_is_named(
    tmp_path: Path, pins: MockFactory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = obey(monkeypatch, pins, dict(list(ASKED.items())[:2]))
    assert call(tmp_path) == 1
    assert json.loads(capsys.readouterr().out)["silent_buttons"] == ["the button of seat 2"]
    assert said[-1] == "the button of seat 2 was not pressed: check its wires and [button] in the settings"


def test_a_person_is_asked_once_for_each_light_and_sound_the_simplest_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["", "n", "y", "q"])
    terminal = SimpleNamespace(isatty=lambda: True, readline=lambda: next(answers) + "\n")
    monkeypatch.setattr(sys, "stdin", terminal)
    asked = signals._distinct_cues()
    shown = [(cue.blinks, cue.tones) for cue in asked]
    assert len(shown) == len(set(shown)) < len(signals._shown_cues())
    assert set(shown) == {(cue.blinks, cue.tones) for cue in signals._shown_cues()}
    first = asked[:8]
    assert {blink.lamp.value for cue in first for blink in cue.blinks} == {"green", "amber", "red"}
    assert any(cue.tones for cue in first)
    assert main(["calibrate", "signals", "--signals", "console", "--seconds", "0"]) == 1
    told = capsys.readouterr()
    assert "Cues played: 4, missed: 1." in told.out
    assert f"{asked[1].name} did not come: check the wires" in told.err
