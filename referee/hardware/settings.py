"""What can be set of the camera, the lamps and the buttons."""

from dataclasses import dataclass
from typing import Final

_FIRST_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraSettings:
    """Which camera, how large its frames, how often it is looked at and how long it may be silent."""

    source: str
    width: int
    height: int
    looks_per_second: float
    mains_hertz: int
    limit_seconds: float
    retry_seconds: float

    @property
    def first_seconds(self) -> float:
        """How long a camera may take to be opened and to give its first picture: some need several seconds."""
        return max(_FIRST_SECONDS, self.limit_seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalSettings:
    """Where cues go, and the pins (BCM numbers, -1: none) of lamps and buzzer.

    With `rgb_pins`, the red and green legs of one LED of several colours, the pins of the three lamps are not used.
    """

    output: str
    green_pin: int
    amber_pin: int
    red_pin: int
    rgb_pins: tuple[int, ...]
    rgb_common: str
    buzzer_pin: int
    buzzer: str
    seat_pins: tuple[int, ...]
    volume: float
    brightness: float
    quiet_from: str
    quiet_until: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonSettings:
    """The pins (BCM numbers, -1: none) of the buttons, and what counts as holding one."""

    pin: int
    seat_pins: tuple[int, ...]
    hold_seconds: float
    long_hold_seconds: float
    bounce_seconds: float

    @property
    def wired(self) -> bool:
        """Whether there is any button."""
        return any(pin >= 0 for pin in (self.pin, *self.seat_pins))
