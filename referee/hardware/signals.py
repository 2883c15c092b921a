"""Lamps and buzzer on GPIO pins, driven through gpiozero by one thread."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import gpiozero

from referee.game.cues import Cue, Lamp
from referee.hardware.pins import DrivenPin, open_pin
from referee.hardware.rhythm import lamp_changes, notes
from referee.hardware.system import wall_minutes
from referee.rules.wording import Message, say
from referee.settings.hardware import SignalSettings

_JOIN_TIMEOUT_SECONDS: Final = 1.0
_RETRY_SECONDS: Final = 2.0  # until a pin that failed is tried again
_PWM_HERTZ: Final = 1000  # gpiozero's default of 100 flickers, also in the camera's picture
# Shares of the red and the green leg; green is several times brighter than red at the same current.
_RGB_SHARES: Final = {Lamp.GREEN: (0.0, 1.0), Lamp.AMBER: (1.0, 0.25), Lamp.RED: (1.0, 0.0)}
_BUZZER: Final = say("device.buzzer", "the buzzer")
_LAMPS: Final = MappingProxyType(
    {
        "green": say("device.lamp_green", "the green lamp"),
        "amber": say("device.lamp_amber", "the amber lamp"),
        "red": say("device.lamp_red", "the red lamp"),
    }
)
_LEGS: Final = (
    say("device.leg_red", "the red leg of the lamp"),
    say("device.leg_green", "the green leg of the lamp"),
)
PinTrack = Iterator[tuple[float, int]]
"""Values for one lamp or the buzzer, each with its time since the cue began."""


class GpioSignals:
    """Three lamps, a buzzer and a lamp for each seat; unwired pins are skipped."""

    def __init__(self, settings: SignalSettings) -> None:
        """Open the pins; SignalError if one is busy or refused, or this machine has none."""
        self._settings = settings
        lamps = {"green": settings.green_pin, "amber": settings.amber_pin, "red": settings.red_pin}
        pins = {f"seat {seat}": pin for seat, pin in enumerate(settings.seat_pins)}
        pins |= {} if settings.rgb_pins else lamps
        with ExitStack() as opened:
            legs = _open_rgb(settings, opened) if settings.rgb_pins else ()
            self._leds = {name: self._open_led(name, pin, opened) for name, pin in pins.items() if pin >= 0}
            self._buzzer = _open_buzzer(settings, opened) if settings.buzzer_pin >= 0 else None
            self._devices = opened.pop_all()
        self._rgb = RgbLamps(*legs) if legs else None
        self._driven = (*legs, *self._leds.values(), *([self._buzzer] if self._buzzer else []))
        self._wake = threading.Condition()
        self._tracks: dict[str, tuple[float, tuple[float, int], PinTrack]] = {}
        self._closed = False
        self._thread = threading.Thread(target=self._run_tracks, name="referee-signals", daemon=True)
        self._thread.start()

    def _open_led(self, name: str, pin: int, opened: ExitStack) -> DrivenPin:
        """Open a lamp; full brightness needs no PWM, which on a Pi takes a thread."""
        if self._settings.brightness < 1:
            return _open_pin(_lamp(name), pin, partial(gpiozero.PWMLED, pin, frequency=_PWM_HERTZ), opened)
        return _open_pin(_lamp(name), pin, partial(gpiozero.LED, pin), opened)

    @property
    def faults(self) -> tuple[str, ...]:
        """The faults of pins that cannot be driven now; each pin is retried."""
        return tuple(pin.fault for pin in self._driven if pin.fault is not None)

    def play(self, cue: Cue) -> None:
        """Begin a cue and return at once; its lamps replace all lamp tracks, its notes all notes."""
        with self._wake:
            if cue.blinks:
                for lamp in Lamp:
                    self._tracks.pop(lamp, None)
                    if lamp not in {blink.lamp for blink in cue.blinks}:
                        self._set(lamp, 0)
                for blink in cue.blinks:
                    self._begin(blink.lamp, ((at, int(on)) for at, on in lamp_changes(blink)))
            if cue.tones and not self._is_quiet():
                self._begin("buzzer", notes(cue.tones))
            if cue.seat is not None:
                for seat in range(len(self._settings.seat_pins)):
                    self._set(f"seat {seat}", int(seat == cue.seat))
            self._apply_due_values()
            self._wake.notify()

    def close(self) -> None:
        """Switch lights and sound off, then release the pins."""
        with self._wake:
            self._closed = True
            self._tracks.clear()
            self._wake.notify()
        self._thread.join(_JOIN_TIMEOUT_SECONDS)
        for name in (*Lamp, *self._leds, "buzzer"):
            self._set(name, 0)
        self._leds, self._rgb, self._buzzer = {}, None, None
        with suppress(Exception):  # a failing driver must not keep other pins open or prevent the exit
            self._devices.close()

    def _begin(self, name: str, track: PinTrack) -> None:
        if (first := next(track, None)) is not None:
            self._tracks[name] = (time.monotonic(), first, track)

    def _run_tracks(self) -> None:
        """Set every value at its time and sleep until the next; retry failed pins every _RETRY_SECONDS."""
        retry_at = 0.0
        with self._wake:
            while not self._closed:
                self._apply_due_values()
                now = time.monotonic()
                waits = [start + at - now for start, (at, _), _ in self._tracks.values()]
                if self.faults:
                    if now >= retry_at:
                        retry_at = now + _RETRY_SECONDS
                        for pin in self._driven:
                            if pin.fault is not None:
                                pin.retry()
                    waits.append(retry_at - now)
                self._wake.wait(max(0.0, min(waits)) if waits else None)

    def _apply_due_values(self) -> None:
        now = time.monotonic()
        for name, (start, (at, value), track) in list(self._tracks.items()):
            if start + at > now:
                continue
            self._set(name, value)
            following = next(track, None)
            if following is None:
                del self._tracks[name]
            else:
                self._tracks[name] = (start, following, track)

    def _set(self, name: str, value: int) -> None:
        """Switch a lamp on (1) or off (0); play a note in hertz (0: silence)."""
        if name == "buzzer":
            if self._buzzer is not None:
                self._buzzer.set(value)
        elif self._rgb is not None and name in _RGB_SHARES:
            self._rgb.set(Lamp(name), value * self._settings.brightness)
        elif (led := self._leds.get(name)) is not None:
            led.set(value * self._settings.brightness)

    def _is_quiet(self) -> bool:
        begins, ends = self._settings.quiet_from, self._settings.quiet_until
        return bool(begins and ends) and is_quiet_hour(wall_minutes(), begins, ends)


class RgbLamps:
    """Green, amber and red lamps on the red and green legs of one LED; simultaneous colours mix."""

    def __init__(self, red: DrivenPin, green: DrivenPin) -> None:
        """Drive these two legs."""
        self._legs = (red, green)
        self._lit = dict.fromkeys(Lamp, 0.0)

    def set(self, lamp: Lamp, value: float) -> None:
        """Set a lamp's brightness, 0 to 1."""
        self._lit[lamp] = value
        for number, leg in enumerate(self._legs):
            leg.set(max(_RGB_SHARES[lamp][number] * shines for lamp, shines in self._lit.items()))


def is_quiet_hour(now: int, begins: str, ends: str) -> bool:
    """Return whether `now`, in minutes since midnight, is within hours such as "22:00" to "08:00"."""
    first, last = (int(time_of_day[:2]) * 60 + int(time_of_day[3:]) for time_of_day in (begins, ends))
    return first <= now < last if first <= last else now >= first or now < last


def _open_rgb(settings: SignalSettings, opened: ExitStack) -> tuple[DrivenPin, DrivenPin]:
    lights = settings.rgb_common == "cathode"
    red, green = (
        _open_pin(
            leg,
            pin,
            partial(gpiozero.PWMLED, pin, active_high=lights, frequency=_PWM_HERTZ),
            opened,
        )
        for leg, pin in zip(_LEGS, settings.rgb_pins, strict=True)
    )
    return red, green


def _open_buzzer(settings: SignalSettings, opened: ExitStack) -> DrivenPin:
    pin = settings.buzzer_pin
    if settings.buzzer == "active":
        return _open_pin(_BUZZER, pin, partial(gpiozero.Buzzer, pin), opened, _set_beep)
    return _open_pin(_BUZZER, pin, partial(gpiozero.PWMOutputDevice, pin), opened, partial(_set_tone, settings.volume))


def _lamp(name: str) -> Message:
    """Return what a lamp is called."""
    return _LAMPS.get(name) or say("device.lamp_seat", "the seat {seat} lamp", seat=name.removeprefix("seat "))


def _undriven(place: Message, why: str) -> Message:
    return say(
        "gpio.undriven",
        "{place} cannot be driven ({why}); free the pin, set another, or use --signals console",
        place=place,
        why=why,
    )


def _set_brightness(lamp: Any, brightness: float) -> None:
    lamp.value = brightness


def _set_beep(buzzer: Any, hertz: float) -> None:
    buzzer.value = bool(hertz)


def _set_tone(volume: float, buzzer: Any, hertz: float) -> None:
    if hertz and volume:  # gpiozero's TonalBuzzer begins each note at full volume
        buzzer.frequency = hertz
    buzzer.value = volume / 2 if hertz else 0  # a duty cycle of one half is loudest


def _open_pin(
    what: Message,
    pin: int,
    make: Callable[[], Any],
    opened: ExitStack,
    write: Callable[[Any, float], None] = _set_brightness,
) -> DrivenPin:
    device = opened.enter_context(open_pin(what, pin, make, _undriven))
    return DrivenPin(what, pin, partial(write, device))
