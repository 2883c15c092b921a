"""Buttons on GPIO pins; each press is queued with its time until the loop polls it."""

import importlib
import logging
import threading
from collections import deque
from contextlib import ExitStack
from typing import Any, Final

import gpiozero

from referee.game.inputs import Seat
from referee.hardware.pins import open_pin
from referee.hardware.ports import Clock, Press, PressKind
from referee.reading.inputs import Seconds
from referee.settings.hardware import ButtonSettings

_FIRST_DEBOUNCING_VERSION: Final = 0x00020200  # lgpio 0.2.2
log = logging.getLogger("referee")


class GpioButton:
    """The common button and those at the seats; a press is dated at its start."""

    def __init__(self, settings: ButtonSettings, clock: Clock) -> None:
        """Open the pins; SignalError if one is busy or refused, or this machine has none."""
        if settings.bounce_seconds and (old := outdated_lgpio()) is not None:
            log.warning("%s", old)
        self._settings = settings
        self._clock = clock
        self._down: dict[Seat | None, Seconds] = {}
        self._waiting: deque[Press] = deque()
        self._lock = threading.Lock()
        pins: list[tuple[Seat | None, int]] = [(None, settings.pin)]
        pins += [(Seat(seat), pin) for seat, pin in enumerate(settings.seat_pins)]
        with ExitStack() as opened:
            for seat, pin in pins:
                if pin >= 0:
                    self._listen(opened.enter_context(_open_button(pin, settings.bounce_seconds)), seat)
            self._devices = opened.pop_all()

    def _listen(self, device: Any, seat: Seat | None) -> None:
        device.when_pressed = lambda: self._push(seat)
        device.when_released = lambda: self._release(seat)

    def _push(self, seat: Seat | None) -> None:
        with self._lock:
            self._down[seat] = self._clock.now()

    def _release(self, seat: Seat | None) -> None:
        with self._lock:
            pushed = self._down.pop(seat, None)
            if pushed is not None:
                self._waiting.append(Press(pushed, self._press_kind(self._clock.now() - pushed), seat))

    def _press_kind(self, held: float) -> PressKind:
        if held >= self._settings.long_hold_seconds:
            return PressKind.LONG_HOLD
        return PressKind.HOLD if held >= self._settings.hold_seconds else PressKind.PRESS

    def presses(self, until: Seconds) -> tuple[Press, ...]:
        """Return the presses that began by `until`, oldest first; a held button's follows after its release."""
        with self._lock:
            due = sorted((press for press in self._waiting if press.at <= until), key=lambda press: press.at)
            self._waiting = deque(press for press in self._waiting if press.at > until)
        return tuple(due)

    def close(self) -> None:
        """Release the pins; a second call does nothing."""
        self._devices.close()


def _open_button(pin: int, bounce_seconds: float) -> Any:
    return open_pin(
        "the button",
        pin,
        lambda: gpiozero.Button(pin, bounce_time=bounce_seconds or None),
        fails_to="read",
        way_out="free the pin or set another",
    )


def outdated_lgpio() -> str | None:
    """Return a warning if lgpio is older than 0.2.2, which does not debounce contacts; None otherwise."""
    try:
        lgpio = importlib.import_module("lgpio")
    except ImportError:
        return None
    version = getattr(lgpio, "LGPIO_PY_VERSION", 0)
    if version >= _FIRST_DEBOUNCING_VERSION:
        return None
    text = ".".join(str(version >> shift & 0xFF) for shift in (24, 16, 8))
    return (
        f"lgpio {text} does not debounce buttons, 0.2.2 does; renew it: sudo apt install --only-upgrade python3-lgpio"
    )
