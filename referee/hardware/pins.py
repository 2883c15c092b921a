"""GPIO pins, opened through gpiozero."""

import logging
import time
import warnings
from collections.abc import Callable
from typing import Any

import gpiozero

from referee.errors import SignalError
from referee.log_limit import LogLimit
from referee.rules.wording import Message, say

log = logging.getLogger("referee")


def open_pin(what: Message, pin: int, make: Callable[[], Any], refused: Callable[[Message, str], Message]) -> Any:
    """Return the gpiozero device from `make`; SignalError says by `refused` why this device and pin are not had."""
    try:
        with warnings.catch_warnings():  # on a machine without pins gpiozero warns of each library it tries
            warnings.simplefilter("ignore", gpiozero.PinFactoryFallback)
            return make()
    except Exception as error:  # noqa: BLE001 - each pin library has errors of its own; lgpio's share no base but this
        reason = f"{error!s:.80}"
    # Raised here, it does not keep that error, whose half-made device would hold the pin until the next try and beyond.
    raise SignalError(refused(pin_name(what, pin), reason))


class DrivenPin:
    """A pin that applies its newest value as soon as its driver accepts it; failures are logged and never raised."""

    def __init__(self, what: Message, pin: int, write: Callable[[float], None]) -> None:
        """Set values with `write`, which may raise any exception."""
        self._place = pin_name(what, pin)
        self._write = write
        self._value = 0.0
        self._log_limit = LogLimit()
        self.fault: str | None = None
        """Why it does not show its newest value; None if it does."""

    def set(self, value: float) -> None:
        """Set a value: brightness from 0 to 1, or frequency in hertz."""
        self._value = value
        self.retry()

    def retry(self) -> None:
        """Try again to set the newest value."""
        try:
            self._write(self._value)
        except Exception as error:  # noqa: BLE001 - as in `open_pin`
            self.fault = f"{self._place} cannot be driven ({error!s:.80}); it is tried again; look at its wires"
            if self._log_limit.may_log(self.fault, time.monotonic()):
                log.warning("%s", self.fault)
            return
        self.fault = None
        if self._log_limit.end():
            log.info("%s is driven again", self._place)


def pin_name(what: Message, pin: int) -> Message:
    """Return a device's name with its pin and chip."""
    chip = getattr(gpiozero.Device.pin_factory, "chip", None)
    if chip is None:
        return say("gpio.place", "{device} on pin {pin}", device=what, pin=pin)
    return say("gpio.place_on_chip", "{device} on pin {pin} of gpiochip{chip}", device=what, pin=pin, chip=chip)
