"""`referee calibrate signals`: play every cue and test every button."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import Final

from referee.cli.steps.common import load_settings, number_in_range, print_note, print_result
from referee.errors import ConfigError
from referee.game.cues import CUES, Cue
from referee.game.inputs import Seat
from referee.hardware.ports import Button, Clock
from referee.hardware.system import SystemClock
from referee.rules.wording import way_out
from referee.service.sources import on_pi, open_signals
from referee.settings.config import Config

_POLL_SECONDS: Final = 0.05
_LIVE_CAMERA: Final = "picamera"  # a live camera's name selects lamps and buzzer on pins


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the step's arguments."""
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="settings file (default: /etc/referee/referee.toml)"
    )
    parser.add_argument("--signals", choices=("console", "gpio", "none"), help="where lights and sounds go")
    parser.add_argument("--cue", metavar="NAME", action="append", help="play only this cue; can be repeated")
    parser.add_argument(
        "--seconds", type=number_in_range(0, 60), default=2.5, metavar="S", help="how long each cue is shown (2.5)"
    )
    parser.add_argument(
        "--wait", type=number_in_range(1, 600), default=15.0, metavar="S", help="how long to wait for each button (15)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def run(arguments: argparse.Namespace) -> int:
    """Play the cues one by one; at a terminal, ask after each whether it was shown."""
    config = load_settings(arguments)
    asks = sys.stdin.isatty() and not arguments.json
    cues = [_find_cue(name) for name in arguments.cue or ()] or (_distinct_cues() if asks else _shown_cues())
    played, missed = [], []
    signals = open_signals(config, arguments.signals or config.signals.output, _LIVE_CAMERA, sys.stderr)
    try:
        for cue in cues:
            signals.play(replace(cue, text=cue.text or (cue.name.replace("_", " "),)))
            sleep(max(arguments.seconds, sum(tone.seconds for tone in cue.tones)) if arguments.seconds > 0 else 0)
            played.append(cue.name)
            answer = _ask_if_shown(cue) if asks else "y"
            if answer.startswith("n"):
                missed.append(cue.name)
            if answer.startswith("q"):
                break
    finally:
        signals.close()
    for name in missed:
        print_note(
            f"{name} did not come: check the wires and pins of its lamps and the buzzer, and [signals] in the settings"
        )
    silent = [] if arguments.cue else _silent_buttons(config, arguments)
    report = {"played": played, "missed": missed, "silent_buttons": silent}
    words = [f"Cues played: {len(played)}, missed: {len(missed)}."]
    words += [f"Without a press: {', '.join(silent)}."] if silent else []
    print_result(report, words, as_json=arguments.json)
    return 1 if missed or silent else 0


def _silent_buttons(config: Config, arguments: argparse.Namespace) -> list[str]:
    """Return the wired buttons that were not pressed on request; empty without pins."""
    if (arguments.signals or config.signals.output) in {"console", "none"} or not on_pi():
        return []
    from referee.hardware.button import GpioButton  # noqa: PLC0415 - only where there are pins

    clock = SystemClock()
    seats: list[Seat | None] = [None] if config.button.pin >= 0 else []
    seats += [Seat(seat) for seat, pin in enumerate(config.button.seat_pins) if pin >= 0]
    button = GpioButton(config.button, clock)
    try:
        return [_button_name(seat) for seat in seats if not wait_for_press(button, clock, seat, arguments.wait)]
    finally:
        button.close()


def wait_for_press(button: Button, clock: Clock, seat: Seat | None, wait: float) -> bool:
    """Ask for a press and wait for it; return False after the time limit."""
    print_note(f"press {_button_name(seat)} now")
    begun = clock.now()
    while clock.now() - begun < wait:
        if any(press.seat == seat and press.at >= begun for press in button.presses(clock.now())):
            return True
        sleep(_POLL_SECONDS)
    print_note(f"{_button_name(seat)} was not pressed: check its wires and [button] in the settings")
    return False


def _button_name(seat: Seat | None) -> str:
    return "the common button" if seat is None else f"the button of seat {seat + 1}"


def _shown_cues() -> list[Cue]:
    return [cue for cue in CUES.values() if cue.blinks or cue.tones]


def _distinct_cues() -> list[Cue]:
    """Return one cue of each light and sound, the simplest first: they show soonest which wire is wrong."""
    kinds: dict[object, Cue] = {}
    for cue in _shown_cues():
        kinds.setdefault((cue.blinks, cue.tones), cue)
    return sorted(kinds.values(), key=lambda cue: len(cue.blinks) + len(cue.tones))


def _find_cue(name: str) -> Cue:
    cue = CUES.get(name)
    if cue is None:
        raise ConfigError(f"cue {name[:40]!r} is not known; {way_out(name, CUES)}")
    return cue


def _ask_if_shown(cue: Cue) -> str:
    """Return the answer in small letters: n for no, q to be asked no more, anything else for yes."""
    lamps = " and ".join(sorted({blink.lamp.value for blink in cue.blinks}))
    seen = ", ".join(filter(None, (lamps and f"{lamps} light", "sound" if cue.tones else "")))
    print(f"{cue.name}: {seen}. Did it come? [Y/n, q ends] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower()
