"""GPIO pins, taken through gpiozero."""

import warnings
from collections.abc import Callable
from typing import Any

import gpiozero

from referee.errors import SignalError


def take_pin(what: str, pin: int, make: Callable[[], Any], *, fails_to: str, way_out: str) -> Any:
    """Return the gpiozero device that `make` makes; SignalError names device, pin, chip and the way out."""
    try:
        with warnings.catch_warnings():  # on a machine without pins gpiozero warns of each library it tries
            warnings.simplefilter("ignore", gpiozero.PinFactoryFallback)
            return make()
    except Exception as error:  # noqa: BLE001 - each pin library has errors of its own; lgpio's share no base but this
        reason = f"{error!s:.80}"
    # Raised here, it does not keep that error, whose half-made device would hold the pin until the next try and beyond.
    chip = getattr(gpiozero.Device.pin_factory, "chip", None)
    place = f"pin {pin}" if chip is None else f"pin {pin} of gpiochip{chip}"
    raise SignalError(f"{what} on {place} cannot be {fails_to} ({reason}); {way_out}")
