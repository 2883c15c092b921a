"""Buttons on GPIO pins; each press is queued with its time until the loop polls it."""

import importlib
import logging
import threading
from collections import deque
from contextlib import ExitStack
from typing import Any, Final

import gpiozero

from referee.game.inputs import Seat
from referee.hardware.pins import open_pin, pin_name
from referee.hardware.ports import Clock, Press, PressKind
from referee.log_limit import LogLimit
from referee.reading.inputs import Seconds
from referee.rules.wording import say
from referee.settings.hardware import ButtonSettings

_NAME: Final = say("device.button", "the button")
_SHORTEST_PRESS_SECONDS: Final = 0.02  # what is shorter is a spike, or a half wave of the mains
_SWALLOWED_SECONDS: Final = 0.1  # for which the level tells what no edge did
_FIRST_DEBOUNCING_VERSION: Final = 0x00020200  # lgpio 0.2.2
log = logging.getLogger("referee")


class _Contact:
    """One button: a press is what is down long enough, by its edges, and by its level where an edge was swallowed."""

    def __init__(self, seat: Seat | None, pin: int, settings: ButtonSettings, clock: Clock, device: Any) -> None:
        self._seat, self._settings, self._clock, self._device = seat, settings, clock, device
        self._place = pin_name(_NAME, pin)
        self._down: Seconds | None = None
        self._differs_since: Seconds | None = None
        self._lock = threading.Lock()
        self.presses: deque[Press] = deque()
        self.fault: str | None = None
        # Not `when_pressed`: after a swallowed edge gpiozero takes the next one for no change.
        self._on_edge = lambda _ticks, state: self._change(bool(state) != device.pull_up, clock.now())
        device.pin.when_changed = self._on_edge  # which is held weakly

    def _change(self, active: bool, at: Seconds) -> None:  # noqa: FBT001 - a level
        (self._push if active else self._release)(at)

    def _push(self, at: Seconds) -> None:
        with self._lock:
            self._down, self._differs_since = at, None

    def _release(self, at: Seconds) -> None:
        with self._lock:
            pushed, self._down, self._differs_since = self._down, None, None
            if pushed is not None and at - pushed >= _SHORTEST_PRESS_SECONDS:
                self.presses.append(Press(pushed, self._kind(at - pushed), self._seat))

    def look(self) -> None:
        """Look at the level: one that differs for long from what the edges told is right."""
        try:
            active = bool(self._device.is_active)
        except Exception as error:  # noqa: BLE001 - each pin library has errors of its own
            self._differs_since = None
            self.fault = f"{self._place} cannot be read ({error!s:.80}); look at its wires, then restart the referee"
            return
        self.fault, now = None, self._clock.now()
        if active == (self._down is not None):
            self._differs_since = None
        elif self._differs_since is None:
            self._differs_since = now
        elif now - self._differs_since >= max(_SWALLOWED_SECONDS, 2 * self._settings.bounce_seconds):
            self._change(active, self._differs_since)

    def _kind(self, held: float) -> PressKind:
        if held >= self._settings.long_hold_seconds:
            return PressKind.LONG_HOLD
        return PressKind.HOLD if held >= self._settings.hold_seconds else PressKind.PRESS


class GpioButton:
    """The common button and those at the seats; a press is dated at its start."""

    def __init__(self, settings: ButtonSettings, clock: Clock) -> None:
        """Open the pins; SignalError if one is busy or refused, or this machine has none."""
        if settings.bounce_seconds and (old := outdated_lgpio()) is not None:
            log.warning("%s", old)
        self._log_limit = LogLimit()
        self._contacts: list[_Contact] = []
        pins: list[tuple[Seat | None, int]] = [(None, settings.pin)]
        pins += [(Seat(seat), pin) for seat, pin in enumerate(settings.seat_pins)]
        with ExitStack() as opened:
            for seat, pin in pins:
                if pin >= 0:
                    device = opened.enter_context(_open_button(pin, settings.bounce_seconds))
                    self._contacts.append(_Contact(seat, pin, settings, clock, device))
            self._devices = opened.pop_all()
        self._clock = clock

    @property
    def faults(self) -> tuple[str, ...]:
        """A line for each button that cannot be read now."""
        return tuple(contact.fault for contact in self._contacts if contact.fault is not None)

    def presses(self, until: Seconds) -> tuple[Press, ...]:
        """Return the presses that began by `until`, oldest first; a held button's follows after its release."""
        due: list[Press] = []
        for contact in self._contacts:
            contact.look()
            while contact.presses and contact.presses[0].at <= until:
                due.append(contact.presses.popleft())
        self._tell_faults()
        return tuple(sorted(due, key=lambda press: press.at))

    def _tell_faults(self) -> None:
        told = "; ".join(self.faults)
        if told and self._log_limit.may_log(told, self._clock.now()):
            log.warning("%s", told)
        if not told and self._log_limit.end():
            log.info("every button is read again")

    def close(self) -> None:
        """Release the pins; a second call does nothing."""
        self._contacts = []
        self._devices.close()


def _open_button(pin: int, bounce_seconds: float) -> Any:
    return open_pin(
        _NAME,
        pin,
        lambda: gpiozero.Button(pin, bounce_time=bounce_seconds or None),
        lambda place, why: say(
            "gpio.unread", "{place} cannot be read ({why}); free the pin or set another", place=place, why=why
        ),
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
