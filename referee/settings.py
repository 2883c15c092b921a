"""What can be set, and what makes a value wrong: on its own, or beside the others."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, get_args, get_origin, get_type_hints

from referee.errors import ConfigError, did_you_mean
from referee.game.limits import Limits
from referee.game.player_names import tidy_name, wrong_with_names
from referee.hardware.settings import ButtonSettings, CameraSettings, SignalSettings
from referee.link.settings import BROKER, HallSettings
from referee.link.topics import NAME
from referee.rules.editions import EDITIONS
from referee.rules.formats import FORMATS, agreed_rules, wrong_with_players
from referee.rules.house_rules import HOUSE_RULES, mistake_in, with_house_rules
from referee.storage.settings import StorageSettings
from referee.web.settings import CORRECTIONS, WebSettings

Values = Mapping[str, Mapping[str, Any]]
"""Sections of keys and their values, as TOML gives them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSettings:
    """Who plays what."""

    edition: str
    format: str
    players: tuple[str, ...]
    first: int
    games: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionSettings:
    """How the table is looked at."""

    threads: int
    looks: int
    quiet_seconds: float
    idle_seconds: float
    profile: str


PARTS: Final[Mapping[str, type]] = MappingProxyType(
    {
        "match": MatchSettings,
        "limits": Limits,
        "camera": CameraSettings,
        "vision": VisionSettings,
        "signals": SignalSettings,
        "button": ButtonSettings,
        "storage": StorageSettings,
        "web": WebSettings,
        "hall": HallSettings,
    }
)
_CAMERA: Final = re.compile(
    r"auto|sim(:\d{1,3})?|picamera|usb:\d{1,2}|/dev/\S+|replay:.+|(url:)?https?://\S+|(url:)?rtsp://\S+", re.DOTALL
)
_HOST: Final = re.compile(r"[A-Za-z0-9.:_-]{1,253}")
_TIME: Final = re.compile(r"|([01]\d|2[0-3]):[0-5]\d")


def _between(least: float, most: float) -> Callable[[Any], str | None]:
    return lambda value: None if least <= value <= most else f"is out of range; use {least:.9g} to {most:.9g}"


def _one_of(*words: str) -> Callable[[Any], str | None]:
    return lambda value: None if value in words else f"is not known; {did_you_mean(value, words)}"


def _like(pattern: re.Pattern[str], way_out: str) -> Callable[[Any], str | None]:
    return lambda value: None if pattern.fullmatch(value) else way_out


def _each(check: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
    return lambda values: next((found for value in values if (found := check(value))), None)


def _names(names: tuple[str, ...]) -> str | None:
    return wrong_with_names(map(tidy_name, names))


def _rgb(pins: tuple[int, ...]) -> str | None:
    if pins and (len(pins) != 2 or not all(0 <= pin <= 27 for pin in pins)):
        return "must be two pins from 0 to 27, of the red and the green leg, or [] for none"
    return None


def _here(place: str) -> str | None:
    return "is an address; name a place on this machine" if "://" in place else None


_NO_BROKER: Final = 'is no broker; write "mqtt://HOST" or "mqtts://HOST:8883", or "" for none'
_NO_NAME: Final = "is no name; use letters, digits, - and _"
_PIN: Final = _between(-1, 27)
_SECONDS: Final = _between(0, 600)
CHECKS: Final[Mapping[str, Callable[[Any], str | None]]] = MappingProxyType(
    {
        "match.edition": _one_of(*EDITIONS),
        "match.format": _one_of(*FORMATS),
        "match.players": _names,
        "match.first": _between(1, 6),
        "match.games": _between(0, 100),
        "limits.warn_seconds": _each(_SECONDS),
        "limits.undo_seconds": _SECONDS,
        "limits.double_press_seconds": _SECONDS,
        "limits.settle_seconds": _between(1, 600),
        "limits.doubt_seconds": _SECONDS,
        "limits.grace_seconds": _SECONDS,
        "limits.agreement_seconds": _between(1, 600),
        "camera.source": _like(
            _CAMERA,
            "is no camera; use auto, sim, usb:0, /dev/v4l/by-id/…, picamera, url:http://…, rtsp://… or replay:DIR",
        ),
        "camera.width": _between(320, 9152),
        "camera.height": _between(240, 6944),
        "camera.looks_per_second": _between(0.5, 30),
        "camera.mains_hertz": lambda value: None if value in {0, 50, 60} else "is no mains; use 50, 60 or 0",
        "camera.limit_seconds": _between(0.5, 10),
        "camera.retry_seconds": _between(0.1, 10),
        "vision.threads": _between(1, 16),
        "vision.looks": _between(1, 8),
        "vision.quiet_seconds": _between(0, 10),
        "vision.idle_seconds": _between(1, 600),
        "signals.output": _one_of("auto", "console", "gpio", "none"),
        "signals.buzzer": _one_of("passive", "active"),
        "signals.green_pin": _PIN,
        "signals.amber_pin": _PIN,
        "signals.red_pin": _PIN,
        "signals.rgb_pins": _rgb,
        "signals.rgb_common": _one_of("cathode", "anode"),
        "signals.buzzer_pin": _PIN,
        "signals.seat_pins": _each(_PIN),
        "signals.volume": _between(0, 1),
        "signals.brightness": _between(0, 1),
        "signals.quiet_from": _like(_TIME, 'is no time of day; use "22:00"'),
        "signals.quiet_until": _like(_TIME, 'is no time of day; use "08:00"'),
        "button.pin": _PIN,
        "button.seat_pins": _each(_PIN),
        "button.hold_seconds": _between(0.3, 10),
        "button.long_hold_seconds": _between(0.5, 30),
        "button.bounce_seconds": _between(0, 0.5),
        "vision.profile": _here,
        "storage.folder": _here,
        "storage.evidence_megabytes": _between(0, 1_000_000),
        "web.host": _like(_HOST, 'is no address to listen on; use "0.0.0.0" or "127.0.0.1"'),
        "web.port": _between(1, 65535),
        "web.names": _each(_like(_HOST, 'is no name of a machine; write "referee.home"')),
        "web.corrections": _one_of(*CORRECTIONS),
        "hall.broker": lambda value: None if not value else _like(BROKER, _NO_BROKER)(value),
        "hall.hall": _like(NAME, _NO_NAME),
        "hall.public_delay_seconds": _between(0, 3600),
        "hall.table": lambda value: None if not value else _like(NAME, _NO_NAME)(value),
    }
)


def wrong_with(section: str, key: str, value: Any) -> str | None:
    """Say what is wrong with one setting; None where nothing is."""
    shown = f"{section}.{key} = {str(value).lower() if isinstance(value, bool) else repr(value):.60}"
    if section == "house_rules":
        return mistake_in(key, value)
    hints = get_type_hints(PARTS[section])
    if key not in hints:
        return _unknown(section, key, hints)
    if not _is(hints[key], value):
        return f"{shown} must be {_kind(hints[key])}"
    check = CHECKS.get(f"{section}.{key}")
    message = check(tuple(value) if isinstance(value, list) else value) if check else None
    return f"{shown} {message}" if message else None


def _unknown(section: str, key: str, known: Mapping[str, Any]) -> str:
    way_out = f"it belongs under {home}" if (home := home_of(key)) else did_you_mean(key, known)
    return f"{section}.{key[:40]} is not a setting; {way_out}"


def home_of(key: str) -> str | None:
    """The section that has a setting of this name, as it is written, or both of them; None where there is none."""
    homes = [section for section, part in PARTS.items() if key in get_type_hints(part)]
    homes += ["house_rules"] if key in HOUSE_RULES else []
    return " or ".join(f"[{section}]" for section in homes) or None


def _is(hint: Any, value: Any) -> bool:
    if get_origin(hint) is tuple:
        return isinstance(value, list) and all(_is(get_args(hint)[0], item) for item in value)
    if isinstance(value, bool) or hint is bool:
        return isinstance(value, bool) and hint is bool
    return isinstance(value, int | float if hint is float else hint)


def _kind(hint: Any) -> str:
    if get_origin(hint) is tuple:
        return f"a list, each item {_kind(get_args(hint)[0])}"
    return {str: "a text in quotes", int: "a whole number", float: "a number", bool: "true or false"}[hint]


def wrong_between(values: Values) -> Iterator[tuple[str, str]]:
    """Yield what is wrong between settings that are right each on its own: where to say it, and what."""
    match, signals, button = values["match"], values["signals"], values["button"]
    yield from _wrong_with_rules(match, values["house_rules"])
    if match["first"] > len(match["players"]):
        yield "match.first", f"match.first = {match['first']}: there are only {len(match['players'])} players"
    if button["long_hold_seconds"] <= button["hold_seconds"]:
        yield "button.long_hold_seconds", "button.long_hold_seconds must be more than button.hold_seconds"
    if (signals["quiet_from"] == "") != (signals["quiet_until"] == ""):
        yield "signals.quiet_from", "signals.quiet_from and signals.quiet_until go together; set both or none"
    lamps = () if signals["rgb_pins"] else ("green_pin", "amber_pin", "red_pin")
    pins = [
        *((f"signals.{lamp}", signals[lamp]) for lamp in (*lamps, "buzzer_pin")),
        *(("signals.rgb_pins", pin) for pin in signals["rgb_pins"]),
        ("button.pin", button["pin"]),
        *(("signals.seat_pins", pin) for pin in signals["seat_pins"]),
        *(("button.seat_pins", pin) for pin in button["seat_pins"]),
    ]
    taken: dict[int, str] = {}
    for place, pin in pins:
        if pin >= 0 and pin in taken:
            yield place, f"{place}: pin {pin} is already that of {taken[pin]}; wire and name another"
        taken.setdefault(pin, place)


def _wrong_with_rules(match: Mapping[str, Any], changes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong between edition, format, house rules and the number of players."""
    try:
        rules = agreed_rules(match["edition"], match["format"])
    except ConfigError as error:
        yield "match.format", str(error)
        return
    try:
        rules = with_house_rules(rules, changes)
    except ConfigError as error:  # each rule is right on its own: these two are not, together
        pair = ("unopened_penalty", "could_open_penalty")
        yield f"house_rules.{next(key for key in pair if key in changes)}", str(error)
    if wrong := wrong_with_players(rules, len(match["players"])):
        yield "match.players", wrong
