"""Lamps, buzzer and buttons on gpiozero's mock pins: what the pins do, not what the code says it does."""

import logging
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from types import SimpleNamespace
from typing import Any

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from referee.errors import SignalError
from referee.game.cues import CUES, Blink, Cue, Lamp, Tone
from referee.hardware.button import GpioButton
from referee.hardware.ports import PressKind
from referee.hardware.rhythm import lamp_changes, notes
from referee.hardware.signals import GpioSignals, is_quiet_hour
from referee.hardware.system import SystemClock
from referee.reading.inputs import Seconds
from referee.settings.hardware import ButtonSettings, SignalSettings

from ..conftest import comes_true, failing, refuse  # isort: skip

GREEN, AMBER, RED, BUZZER, SEAT_1, SEAT_2 = 17, 27, 22, 18, 5, 6


def settings(**more: Any) -> SignalSettings:
    return SignalSettings(
        **{
            "output": "gpio",
            "green_pin": GREEN,
            "amber_pin": AMBER,
            "red_pin": RED,
            "rgb_pins": (),
            "rgb_common": "cathode",
            "buzzer_pin": BUZZER,
            "buzzer": "passive",
            "seat_pins": (SEAT_1, SEAT_2),
            "volume": 1.0,
            "brightness": 1.0,
            "quiet_from": "",
            "quiet_until": "",
            **more,
        }
    )


def lit(pins: MockFactory, *numbers: int) -> list[bool]:
    return [bool(pins.pin(number).state) for number in numbers]


@pytest.mark.parametrize(
    ("rhythm", "forever", "first"),
    [
        pytest.param((1.0,), False, [(0.0, True)], id="steady"),
        pytest.param((0.5, 0.1), False, [(0.0, True), (0.5, False)], id="once, then off"),
        pytest.param((0.0, 2.0, 1.0), False, [(0.0, False), (2.0, True)], id="waits, then stays on"),
        pytest.param((0.2, 0.8), True, [(0.0, True), (0.2, False), (1.0, True), (1.2, False)], id="for ever"),
    ],
)
def test_a_rhythm_in_time(rhythm: Any, forever: Any, first: Any) -> None:
    told = islice(lamp_changes(Blink(Lamp.RED, rhythm, forever)), len(first))
    assert [(round(at, 9), on) for at, on in told] == first


def test_notes_end_in_silence() -> None:
    assert list(notes((Tone(440, 0.5), Tone(0, 0.25), Tone(330, 0.25)))) == [
        (0.0, 440),
        (0.5, 0),
        (0.75, 330),
        (1.0, 0),
    ]


def test_a_cue_replaces_the_lamps_of_the_last(pins: MockFactory) -> None:
    signals = GpioSignals(settings())
    signals.play(CUES["turn_started"])
    assert comes_true(lambda: lit(pins, GREEN, AMBER, RED) == [True, False, False])
    signals.play(CUES["table_not_legal"])
    assert comes_true(lambda: lit(pins, GREEN, AMBER, RED) == [False, True, False])
    signals.close()


def test_a_cue_without_lamps_leaves_them_alone(pins: MockFactory) -> None:
    signals = GpioSignals(settings())
    signals.play(CUES["turn_started"])
    assert comes_true(lambda: lit(pins, GREEN) == [True])
    signals.play(Cue("warned", tones=(Tone(784, 0.01),)))
    time.sleep(0.1)
    assert lit(pins, GREEN, AMBER, RED) == [True, False, False]
    signals.close()


def test_red_beats_three_times_and_rests(pins: MockFactory) -> None:
    fast = tuple(seconds / 10 for seconds in (0.15, 0.15, 0.15, 0.15, 0.15, 600.0))
    signals = GpioSignals(settings())
    signals.play(Cue("illegal", blinks=(Blink(Lamp.RED, fast, forever=True),)))
    assert comes_true(lambda: len(pins.pin(RED).states) >= 7)
    time.sleep(0.1)
    states = [state.state for state in pins.pin(RED).states]
    assert states == [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    signals.close()


def test_the_lamp_of_the_player_to_move(pins: MockFactory) -> None:
    signals = GpioSignals(settings())
    signals.play(Cue("turn_started", seat=1))  # type: ignore[arg-type]
    assert lit(pins, SEAT_1, SEAT_2) == [False, True]
    signals.close()


def test_the_buzzer_plays_the_notes(pins: MockFactory) -> None:
    signals = GpioSignals(settings())
    signals.play(Cue("gong", tones=(Tone(330, 0.2),)))
    assert comes_true(lambda: pins.pin(BUZZER).frequency == pytest.approx(330, rel=0.01))
    assert comes_true(lambda: not pins.pin(BUZZER).state)
    signals.close()


def test_every_cue_can_be_played(pins: MockFactory) -> None:
    signals = GpioSignals(settings())
    for cue in CUES.values():
        signals.play(cue)
        lamps = [any(blink.lamp is lamp and blink.rhythm[0] for blink in cue.blinks) for lamp in Lamp]
        if any(lamps):
            pin = {Lamp.GREEN: GREEN, Lamp.AMBER: AMBER, Lamp.RED: RED}
            assert comes_true(lambda pin=pin, lamps=lamps: lit(pins, *(pin[lamp] for lamp in Lamp)) == lamps)
    signals.close()


def test_no_sound_in_quiet_hours(pins: MockFactory) -> None:
    signals = GpioSignals(settings(quiet_from="00:00", quiet_until="23:59"))
    signals.play(CUES["illegal"])
    assert comes_true(lambda: lit(pins, RED) == [True])
    time.sleep(0.05)
    assert [state.state for state in pins.pin(BUZZER).states if state.state] == []
    signals.close()


@pytest.mark.parametrize(
    ("volume", "duty"),
    [pytest.param(1.0, 0.5, id="loud"), pytest.param(0.4, 0.2, id="soft"), pytest.param(0.0, 0.0, id="mute")],
)
def test_volume_is_how_long_the_buzzer_is_driven_in_each_wave(pins: MockFactory, volume: float, duty: float) -> None:
    signals = GpioSignals(settings(volume=volume))
    signals.play(Cue("gong", tones=(Tone(330, 0.1),)))
    time.sleep(0.3)
    assert max(state.state for state in pins.pin(BUZZER).states) == pytest.approx(duty)
    signals.close()


def test_an_active_buzzer_beeps_the_rhythm(pins: MockFactory) -> None:
    signals = GpioSignals(settings(buzzer="active"))
    signals.play(Cue("ask", tones=(Tone(523, 0.02), Tone(0, 0.02), Tone(523, 0.02))))
    assert comes_true(lambda: [state.state for state in pins.pin(BUZZER).states] == [0, 1, 0, 1, 0])
    signals.close()


@pytest.mark.parametrize(
    ("cue", "legs"),
    [
        pytest.param("turn_started", (0.0, 1.0), id="green"),
        pytest.param("table_not_legal", (1.0, 0.25), id="amber"),
        pytest.param("too_late", (1.0, 0.0), id="red"),
    ],
)
@pytest.mark.parametrize(("common", "brightness"), [("cathode", 1.0), ("cathode", 0.5), ("anode", 1.0)])
def test_one_rgb_led_stands_for_three_lamps(
    pins: MockFactory, cue: str, legs: tuple[float, float], common: str, brightness: float
) -> None:
    signals = GpioSignals(settings(rgb_pins=(RED, GREEN), rgb_common=common, brightness=brightness))
    signals.play(CUES[cue])

    def shines() -> list[float]:
        states = [float(pins.pin(pin).state) for pin in (RED, GREEN)]
        return [round(1 - state if common == "anode" else state, 3) for state in states]

    assert comes_true(lambda: shines() == [leg * brightness for leg in legs])
    assert f"GPIO{AMBER}" not in {taken.name for taken in pins.pins}
    signals.close()
    assert not any(pins.pin(pin).state for pin in (RED, GREEN)) or common == "anode"


def test_an_rgb_led_keeps_the_rhythms(pins: MockFactory) -> None:
    signals = GpioSignals(settings(rgb_pins=(RED, GREEN)))
    signals.play(Cue("two", blinks=(Blink(Lamp.RED, (0.05, 0.05)), Blink(Lamp.GREEN, (0.0, 0.05, 1.0)))))
    assert comes_true(lambda: [pins.pin(pin).state for pin in (RED, GREEN)] == [0.0, 1.0])
    assert [state.state for state in pins.pin(RED).states] == [0.0, 1.0, 0.0]
    signals.close()


def test_a_busy_leg_is_told(pins: MockFactory) -> None:
    taken = gpiozero.LED(GREEN)
    with pytest.raises(SignalError, match=r"the green leg of the lamp on pin 17 cannot be driven"):
        GpioSignals(settings(rgb_pins=(RED, GREEN)))
    gpiozero.LED(RED).close()
    taken.close()
    assert pins is gpiozero.Device.pin_factory


@pytest.mark.parametrize(("now", "quiet"), [("23:00", True), ("03:00", True), ("08:00", False), ("12:00", False)])
def test_quiet_hours_over_midnight(now: Any, quiet: Any) -> None:
    minutes = int(now[:2]) * 60 + int(now[3:])
    assert is_quiet_hour(minutes, "22:00", "08:00") is quiet


def test_lights_go_off_before_the_pins_are_given_back(pins: MockFactory) -> None:
    signals = GpioSignals(settings())
    signals.play(CUES["illegal"])
    assert comes_true(lambda: lit(pins, RED) == [True])
    pin = pins.pin(RED)
    signals.close()
    assert pin.states[-1].state in (0.0, None)
    assert [state.state for state in pin.states if state.state is not None][-1] == 0.0
    gpiozero.LED(RED).close()  # the pin is free again
    signals.close()


def test_a_busy_pin_is_told(pins: MockFactory) -> None:
    taken = gpiozero.LED(AMBER)
    with pytest.raises(SignalError, match=r"the amber lamp on pin 27 cannot be driven"):
        GpioSignals(settings())
    gpiozero.LED(GREEN).close()  # what was taken before is given back
    taken.close()
    assert pins is gpiozero.Device.pin_factory


def test_a_pin_that_the_driver_refuses_is_told_with_its_chip(pins: MockFactory) -> None:
    refuse(pins, AMBER)
    said = (
        "the amber lamp on pin 27 of gpiochip0 cannot be driven ('GPIO operation not permitted'); "
        "free the pin, set another, or use --signals console"
    )
    with pytest.raises(SignalError, match=f"^{re.escape(said)}$"):
        GpioSignals(settings())
    gpiozero.LED(GREEN).close()  # what was taken before is given back
    pins.pin_class = MockPWMPin
    GpioSignals(settings()).close()


def test_what_is_not_wired_is_left_out(pins: MockFactory) -> None:
    signals = GpioSignals(settings(amber_pin=-1, buzzer_pin=-1, seat_pins=()))
    signals.play(CUES["undecided"])
    signals.close()
    assert f"GPIO{AMBER}" not in {taken.name for taken in pins.pins}


# A pin that fails in play --------------------------------------------------------------------------------------------

FAILS = "the red lamp on pin 22 cannot be driven ('GPIO write failed'); it is tried again; look at its wires"
BEATS = Cue("illegal", blinks=(Blink(Lamp.RED, (0.02, 0.02), forever=True), Blink(Lamp.AMBER, (0.02, 0.02), True)))


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.hardware.signals._RETRY_SECONDS", 0.05)


@pytest.mark.usefixtures("soon")
def test_a_pin_that_fails_in_play_is_told_once_and_the_others_go_on(
    pins: MockFactory, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "referee")
    signals = GpioSignals(settings())
    signals.play(BEATS)
    for _ in range(2):  # a loose contact comes and goes, and is told once
        assert signals.faults == ()
        with failing(pins.pin(RED)):
            assert comes_true(lambda: signals.faults == (FAILS,))
            beats = len(pins.pin(AMBER).states)
            assert comes_true(lambda beats=beats: len(pins.pin(AMBER).states) > beats + 4)
        beats = len(pins.pin(RED).states)
        assert comes_true(lambda beats=beats: len(pins.pin(RED).states) > beats + 4)
        assert comes_true(lambda: not signals.faults)
    assert caplog.messages == [FAILS, "the red lamp on pin 22 is driven again"]
    signals.close()


@pytest.mark.usefixtures("soon")
def test_a_steady_lamp_that_failed_shines_when_its_pin_is_back(pins: MockFactory) -> None:
    signals = GpioSignals(settings())
    with failing(pins.pin(RED)):
        signals.play(CUES["too_late"])
        signals.play(Cue("gong", tones=(Tone(330, 0.01),)))
        assert comes_true(lambda: len(pins.pin(BUZZER).states) == 3)
        assert signals.faults == (FAILS,)
        assert lit(pins, RED) == [False]
    assert comes_true(lambda: lit(pins, RED) == [True])
    assert comes_true(lambda: signals.faults == ())
    signals.close()


@pytest.mark.usefixtures("soon")
def test_a_leg_of_an_rgb_led_and_a_buzzer_that_fail_are_named(pins: MockFactory) -> None:
    signals = GpioSignals(settings(rgb_pins=(RED, GREEN)))
    with failing(pins.pin(GREEN)), failing(pins.pin(BUZZER)):
        signals.play(CUES["illegal"])
        signals.play(CUES["turn_started"])
        assert [fault.partition(" cannot")[0] for fault in signals.faults] == [
            "the green leg of the lamp on pin 17",
            "the buzzer on pin 18",
        ]
    assert comes_true(lambda: [pins.pin(pin).state for pin in (RED, GREEN)] == [0.0, 1.0])
    signals.close()


def test_signals_with_a_pin_that_fails_are_closed(pins: MockFactory) -> None:
    signals = GpioSignals(settings())
    signals.play(CUES["illegal"])
    with failing(pins.pin(GREEN)):
        signals.close()
    assert not lit(pins, RED)[0]
    gpiozero.LED(RED).close()  # the pin is free again


def test_a_pin_that_cannot_be_closed_keeps_no_other_one(pins: MockFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise OSError("GPIO not allocated")

    signals = GpioSignals(settings())
    with monkeypatch.context() as driver:
        driver.setattr(pins.pin(GREEN), "close", fails)
        signals.close()
    gpiozero.LED(RED).close()


class Watch:
    """A clock set by hand."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> Seconds:
        return Seconds(self.time)


def button_settings(**more: Any) -> ButtonSettings:
    return ButtonSettings(
        **{
            "pin": 23,
            "seat_pins": (24, 25),
            "hold_seconds": 1.5,
            "long_hold_seconds": 4.0,
            "bounce_seconds": 0.0,
            **more,
        }
    )


@pytest.mark.parametrize(
    ("held", "kind"),
    [(0.1, PressKind.PRESS), (1.4, PressKind.PRESS), (1.5, PressKind.HOLD), (4.2, PressKind.LONG_HOLD)],
)
def test_a_push_counts_from_when_the_button_went_down(pins: MockFactory, held: Any, kind: Any) -> None:
    watch = Watch()
    button = GpioButton(button_settings(), watch)
    watch.time = 10.0
    pins.pin(23).drive_low()
    watch.time = 10.0 + held
    assert button.presses(Seconds(100.0)) == ()
    pins.pin(23).drive_high()
    (press,) = button.presses(Seconds(100.0))
    assert (press.at, press.kind, press.seat) == (10.0, kind, None)
    assert button.presses(Seconds(100.0)) == ()
    button.close()


def test_seats_have_buttons_of_their_own(pins: MockFactory) -> None:
    watch = Watch()
    button = GpioButton(button_settings(), watch)
    for at, pin in ((2.0, 25), (1.0, 24)):
        watch.time = at
        pins.pin(pin).drive_low()
        watch.time = at + 0.05
        pins.pin(pin).drive_high()
    assert [(press.seat, press.at) for press in button.presses(Seconds(9.0))] == [(0, 1.0), (1, 2.0)]
    button.close()


@contextmanager
def swallowed_edges(pin: Any) -> Iterator[None]:
    """Let a pin change without a word, as lgpio does where contacts bounce."""
    with pytest.MonkeyPatch.context() as driver:
        driver.setattr(pin, "_call_when_changed", lambda *_: None)
        yield


def polled(button: GpioButton, watch: Watch, until: float) -> list[tuple[float, PressKind]]:
    """Poll as the loop does, and give the presses."""
    found = []
    while watch.time < until:
        watch.time = round(watch.time + 0.02, 3)
        found += [(press.at, press.kind) for press in button.presses(Seconds(watch.time))]
    return found


def test_a_press_whose_release_was_swallowed_ends_the_turn_and_is_no_hold(pins: MockFactory) -> None:
    watch, pin = Watch(), pins.pin(23)
    button = GpioButton(button_settings(), watch)
    assert polled(button, watch, 1.0) == []
    pin.drive_low()
    assert polled(button, watch, 1.2) == []
    with swallowed_edges(pin):
        pin.drive_high()
    assert polled(button, watch, 2.0) == [(1.0, PressKind.PRESS)]
    watch.time = 40.0  # the next press is one of its own
    pin.drive_low()
    watch.time = 40.1
    pin.drive_high()
    assert polled(button, watch, 41.0) == [(40.0, PressKind.PRESS)]
    button.close()


def test_a_press_whose_beginning_was_swallowed_counts(pins: MockFactory) -> None:
    watch, pin = Watch(), pins.pin(23)
    button = GpioButton(button_settings(), watch)
    with swallowed_edges(pin):
        pin.drive_low()
    assert polled(button, watch, 1.8) == []
    pin.drive_high()
    ((at, kind),) = polled(button, watch, 2.0)
    assert (at, kind) == (0.02, PressKind.HOLD)
    button.close()


@pytest.mark.parametrize(
    ("active", "between"), [(0.0002, 0.05), (0.003, 0.05), (0.01, 0.01)], ids=["0.2 ms", "3 ms", "hum"]
)
def test_spikes_and_hum_are_no_presses(pins: MockFactory, active: float, between: float) -> None:
    watch, pin = Watch(), pins.pin(23)
    button = GpioButton(button_settings(), watch)
    for _ in range(60):
        pin.drive_low()
        watch.time += active
        pin.drive_high()
        watch.time += between
        assert button.presses(Seconds(watch.time)) == ()
    button.close()


@pytest.mark.fault("a button cannot be read in play")
def test_a_chip_that_goes_names_the_button(pins: MockFactory, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "referee")
    watch, pin = Watch(), pins.pin(23)
    button = GpioButton(button_settings(), watch)

    def gone(_: Any) -> None:
        raise OSError("No such device")

    with pytest.MonkeyPatch.context() as driver:
        driver.setattr(type(pin), "_get_state", gone)
        driver.setattr(type(pin), "state", property(gone))
        assert polled(button, watch, 0.2) == []
        assert button.faults[0] == (
            "the button on pin 23 cannot be read (No such device); look at its wires, then restart the referee"
        )
        assert len(button.faults) == 3
    assert polled(button, watch, 0.4) == []
    assert button.faults == ()
    assert caplog.messages[-1] == "every button is read again"
    button.close()


def test_a_busy_button_pin_is_told(pins: MockFactory) -> None:
    taken = gpiozero.LED(25)
    with pytest.raises(SignalError, match=r"button on pin 25"):
        GpioButton(button_settings(), Watch())
    taken.close()
    assert pins is gpiozero.Device.pin_factory


def test_a_button_pin_that_the_driver_refuses_is_told_with_its_chip(pins: MockFactory) -> None:
    refuse(pins, 25)
    said = (
        "the button on pin 25 of gpiochip0 cannot be read ('GPIO operation not permitted'); free the pin or set another"
    )
    with pytest.raises(SignalError, match=f"^{re.escape(said)}$"):
        GpioButton(button_settings(), Watch())
    pins.pin_class = MockPWMPin
    GpioButton(button_settings(), Watch()).close()


# PWM and lgpio ------------------------------------------------------------------------------------------------------


def test_lamps_at_full_brightness_are_not_switched_and_dimmed_ones_a_thousand_times_a_second(pins: MockFactory) -> None:
    for brightness, hertz in ((1.0, None), (0.5, 1000)):
        signals = GpioSignals(settings(brightness=brightness))
        signals.play(CUES["turn_started"])
        assert comes_true(lambda: lit(pins, GREEN) == [True])
        assert [pins.pin(number).frequency for number in (GREEN, AMBER, RED, SEAT_1, SEAT_2)] == [hertz] * 5
        signals.close()
    signals = GpioSignals(settings(rgb_pins=(RED, GREEN), seat_pins=()))
    assert [pins.pin(number).frequency for number in (GREEN, RED)] == [1000, 1000]
    signals.close()


@pytest.mark.fault("lgpio is too old")
@pytest.mark.parametrize(
    ("version", "said"),
    [
        pytest.param(0x00020000, "lgpio 0.2.0 does not debounce buttons, 0.2.2 does", id="0.2.0"),
        pytest.param(0x00020200, None, id="0.2.2"),
    ],
)
def test_an_lgpio_that_does_not_debounce_is_told(
    pins: MockFactory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, version: int, said: str | None
) -> None:
    del pins
    monkeypatch.setitem(sys.modules, "lgpio", SimpleNamespace(LGPIO_PY_VERSION=version))
    bounce = ButtonSettings(pin=23, seat_pins=(), hold_seconds=1.5, long_hold_seconds=4.0, bounce_seconds=0.03)
    GpioButton(bounce, SystemClock()).close()
    assert caplog.text.count(said or "lgpio") == (said is not None)
