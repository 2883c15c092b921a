"""Settings of camera, lamps and buttons."""

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from msgspec import Meta

from referee.declared import whole_text
from referee.rules.wording import Message, say

MAX_DELAY_SECONDS: Final = 5.0
"""A camera whose pictures come later than this is too slow to referee."""
ASSUMED_NETWORK_DELAY_SECONDS: Final = 1.0
_FIRST_PICTURE_SECONDS: Final = 10.0
_CAMERA_PATTERN: Final = (
    r"auto|sim(:\d{1,3})?|picamera|usb:\d{1,2}|/dev/\S+|replay:[\s\S]+|(url:)?https?://\S+|(url:)?rtsp://\S+"
)
_NO_CAMERA: Final = say(
    "setting.no_camera",
    "{value} is no camera; use auto, sim, usb:0, /dev/v4l/by-id/…, picamera, url:http://…, rtsp://… or replay:DIR",
)
_TIME_PATTERN: Final = whole_text(r"|([01]\d|2[0-3]):[0-5]\d")
_TIME_OF_DAY: Final = {"kind": "time", "way_out": say("setting.no_time", '{value} is no time of day; use "22:00"')}
_Pin = Annotated[int, Meta(ge=-1, le=27)]
_Seconds = Annotated[float, Meta(extra={"unit": "s"})]


def _wrong_with_rgb_pins(pins: tuple[int, ...]) -> Message | None:
    if pins and (len(pins) != 2 or not all(0 <= pin <= 27 for pin in pins)):
        return say(
            "setting.rgb_pins", "{value} must be two pins from 0 to 27, of the red and the green leg, or [] for none"
        )
    return None


def _wrong_with_mains(hertz: int) -> Message | None:
    return None if hertz in {0, 50, 60} else say("setting.no_mains", "{value} is no mains; use 50, 60 or 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraSettings:
    """The camera, its frame size and rate, and its time limits."""

    source: Annotated[
        str,
        Meta(
            title="Camera",
            pattern=whole_text(_CAMERA_PATTERN),
            description="auto, usb:N, /dev/v4l/by-id/…, picamera, url:http://…, rtsp://…, replay:PATH, sim, or sim:N "
            "for its first N turns (also as --camera)",
            extra={"way_out": _NO_CAMERA},
        ),
    ] = "auto"
    width: Annotated[
        int, Meta(title="Picture width", ge=320, le=9152, description="frame width in pixels", extra={"unit": "px"})
    ] = 2304
    height: Annotated[
        int, Meta(title="Picture height", ge=240, le=6944, description="frame height in pixels", extra={"unit": "px"})
    ] = 1296
    looks_per_second: Annotated[
        float, Meta(title="Looks per second", ge=0.5, le=30, description="frames examined each second")
    ] = 5.0
    mains_hertz: Annotated[
        int,
        Meta(
            title="Mains frequency",
            description="mains frequency, against lamp flicker: 50, or 60 in the Americas; 0: off",
            extra={"unit": "Hz", "check": _wrong_with_mains},
        ),
    ] = 50
    limit_seconds: Annotated[
        _Seconds,
        Meta(
            title="Restart a silent camera after",
            ge=0.5,
            le=10,
            description="a camera silent or frozen for longer is restarted; players are told within 2 s",
        ),
    ] = 1.5
    retry_seconds: Annotated[
        _Seconds,
        Meta(title="Pause before another try", ge=0.1, le=10, description="pause before a lost camera is tried again"),
    ] = 2.0
    delay_seconds: Annotated[
        _Seconds,
        Meta(
            title="Delay of the pictures",
            ge=0,
            le=MAX_DELAY_SECONDS,
            description="how late a network camera's pictures come; 0: as measured by referee calibrate camera --delay",
        ),
    ] = 0.0

    @property
    def first_seconds(self) -> float:
        """The time limit in seconds for opening the camera and its first picture."""
        return max(_FIRST_PICTURE_SECONDS, self.limit_seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalSettings:
    """The output of cues, and the pins (BCM numbers, -1: none) of lamps and buzzer.

    With `rgb_pins`, the red and green legs of one RGB LED, the pins of the three lamps are not used.
    """

    output: Annotated[
        Literal["auto", "console", "gpio", "none"],
        Meta(title="Where signals are shown", description="auto, console, gpio, none (also as --signals)"),
    ] = "auto"
    green_pin: Annotated[_Pin, Meta(title="Green lamp, pin", description="BCM number of the green LED; -1: none")] = 17
    amber_pin: Annotated[_Pin, Meta(title="Amber lamp, pin", description="BCM number of the amber LED; -1: none")] = 27
    red_pin: Annotated[_Pin, Meta(title="Red lamp, pin", description="BCM number of the red LED; -1: none")] = 22
    rgb_pins: Annotated[
        tuple[int, ...],
        Meta(
            title="RGB lamp, pins",
            description="BCM numbers of the red and the green leg of one RGB LED in place of those three, [22, 17]",
            extra={"check": _wrong_with_rgb_pins},
        ),
    ] = ()
    rgb_common: Annotated[
        Literal["cathode", "anode"],
        Meta(
            title="RGB lamp, common leg",
            description="common leg of the RGB LED: cathode (to ground) or anode (to 3.3 V)",
        ),
    ] = "cathode"
    buzzer_pin: Annotated[_Pin, Meta(title="Buzzer, pin", description="BCM number of the buzzer; -1: none")] = 18
    buzzer: Annotated[
        Literal["passive", "active"],
        Meta(title="Kind of buzzer", description="passive (plays notes) or active (only beeps)"),
    ] = "passive"
    seat_pins: Annotated[
        tuple[_Pin, ...],
        Meta(
            title="Lamps at the seats, pins",
            description="BCM numbers of the LEDs at the seats, in the order of the players",
        ),
    ] = ()
    volume: Annotated[float, Meta(title="Volume", ge=0, le=1, description="volume of a passive buzzer")] = 0.6
    brightness: Annotated[
        float, Meta(title="Brightness of the lamps", ge=0, le=1, description="brightness of the LEDs")
    ] = 1.0
    quiet_from: Annotated[
        str,
        Meta(
            title="Silent from",
            pattern=_TIME_PATTERN,
            description="silent from this time of day, 22:00; empty: never silent",
            extra=_TIME_OF_DAY,
        ),
    ] = ""
    quiet_until: Annotated[
        str,
        Meta(
            title="Silent until",
            pattern=_TIME_PATTERN,
            description="silent until this time of day, 08:00",
            extra=_TIME_OF_DAY,
        ),
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonSettings:
    """The pins (BCM numbers, -1: none) of the buttons, and their hold times."""

    pin: Annotated[
        _Pin, Meta(title="Button, pin", description="BCM number of the common button, wired to ground; -1: none")
    ] = 23
    seat_pins: Annotated[
        tuple[_Pin, ...],
        Meta(
            title="Buttons at the seats, pins",
            description="BCM numbers of the buttons at the seats, in the order of the players",
        ),
    ] = ()
    hold_seconds: Annotated[
        _Seconds,
        Meta(
            title="Hold for “Rummikub!”",
            ge=0.3,
            le=10,
            description='hold the button this long for "Rummikub!", or just after a turn to take it back',
        ),
    ] = 1.5
    long_hold_seconds: Annotated[
        _Seconds, Meta(title="Hold for a break", ge=0.5, le=30, description="hold the button this long for a break")
    ] = 4.0
    bounce_seconds: Annotated[
        _Seconds, Meta(title="Bounce of the contacts", ge=0, le=0.5, description="time the contacts may bounce")
    ] = 0.03

    @property
    def wired(self) -> bool:
        """Whether there is any button."""
        return any(pin >= 0 for pin in (self.pin, *self.seat_pins))
