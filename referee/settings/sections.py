"""The settings, and what makes a value wrong: on its own, or beside the others."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final

from msgspec import Meta, ValidationError, convert

from referee.addresses import showable
from referee.declared import Declared, declared
from referee.errors import ConfigError
from referee.game.limits import Limits
from referee.game.player_names import tidy_name, wrong_with_names
from referee.rules.declared_fields import VALUE_KINDS
from referee.rules.editions import EDITIONS
from referee.rules.formats import FORMATS, agreed_rules, wrong_with_players
from referee.rules.house_rules import HOUSE_RULES, house_rule_mistake, with_house_rules
from referee.rules.wording import Message, say, way_out
from referee.settings.hall import HallSettings
from referee.settings.hardware import ButtonSettings, CameraSettings, SignalSettings
from referee.settings.page import WebSettings
from referee.settings.storage import LocalPath, StorageSettings

Values = Mapping[str, Mapping[str, Any]]
"""Sections of keys and their values, as TOML gives them."""


_MAX_CHARACTERS, _MAX_KEY = 60, 40


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is wrong with a setting."""

    place: str
    """The setting, as `section.key`."""
    message: Message
    """What is wrong, as it is said beside the setting."""
    subject: str = ""
    """What stands before it on a line of its own, as `signals.volume = `."""

    def __str__(self) -> str:
        """Say it in English, on a line of its own."""
        return f"{self.subject}{self.message}"


def _wrong_with_players(names: tuple[str, ...]) -> Message | None:
    return wrong_with_names(map(tidy_name, names))


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSettings:
    """Who plays what."""

    edition: Annotated[
        str, Meta(title="Edition", description=", ".join(EDITIONS), extra_json_schema={"enum": list(EDITIONS)})
    ] = "original"
    format: Annotated[
        str,
        Meta(
            title="Format",
            description=f"{', '.join(FORMATS)} (also as --format)",
            extra_json_schema={"enum": list(FORMATS)},
        ),
    ] = "booklet"
    players: Annotated[
        tuple[str, ...],
        Meta(
            title="Players",
            description="names clockwise, beginning at the lower edge of the camera picture",
            extra={"check": _wrong_with_players},
        ),
    ] = ("Ann", "Ben", "Cem")
    first: Annotated[
        int, Meta(title="Who begins", ge=1, le=6, description="player who begins the first game, counted from 1")
    ] = 1
    games: Annotated[
        int,
        Meta(
            title="Games in the match",
            ge=0,
            le=100,
            description="games in the match; 0: as the format says, else as many as players",
        ),
    ] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionSettings:
    """How the table is looked at."""

    threads: Annotated[
        int,
        Meta(
            title="Processor threads for reading",
            ge=1,
            le=16,
            description="threads for the models; a Pi 5 has four cores, and the camera needs some",
        ),
    ] = 2
    looks: Annotated[
        int,
        Meta(
            title="Looks that must agree",
            ge=1,
            le=8,
            description="readings that must agree before the table counts as settled",
        ),
    ] = 3
    quiet_seconds: Annotated[
        float,
        Meta(
            title="Rest before a look counts",
            ge=0,
            le=10,
            description="time without movement before the table counts as settled",
            extra={"unit": "s"},
        ),
    ] = 0.3
    idle_seconds: Annotated[
        float,
        Meta(
            title="Read a table at rest every",
            ge=1,
            le=600,
            description="a table at rest is read again at this interval, in case a tile has slid",
            extra={"unit": "s"},
        ),
    ] = 5.0
    profile: Annotated[
        LocalPath,
        Meta(
            title="Calibration profile",
            description='calibration profile of this camera and table, made by `referee calibrate`; "": none',
        ),
    ] = ""


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
SETTINGS: Final[Mapping[str, Mapping[str, Declared]]] = MappingProxyType(
    {section: declared(part) for section, part in PARTS.items()}
)
"""Every setting but the house rules, by section and key."""


def default_values() -> dict[str, dict[str, Any]]:
    """Return sections of settings with their defaults, as TOML would hold them; a house rule has none."""
    sections = {section: (SETTINGS.get(section) or {}) for section in ("match", "house_rules", *PARTS)}
    return {
        section: {key: list(setting.default) if setting.is_list else setting.default for key, setting in part.items()}
        for section, part in sections.items()
    }


def wrong_with(section: str, key: str, value: Any) -> Wrong | None:
    """Return what is wrong with one setting; None if nothing is."""
    place = f"{section}.{key[:_MAX_KEY]}"
    if section == "house_rules":
        message = house_rule_mistake(key, value)
        return None if message is None else Wrong(place, message)
    if key not in SETTINGS[section]:
        return Wrong(place, _unknown_key(place, key, SETTINGS[section]))
    message = wrong_value(SETTINGS[section][key], value)
    return None if message is None else Wrong(place, message, f"{place} = ")


def wrong_value(setting: Declared, value: Any) -> Message | None:
    """Return what is wrong with the value of a setting, whatever the others are; None if nothing is."""
    shown = str(value).lower() if isinstance(value, bool) else f"{showable(repr(value)):.{_MAX_CHARACTERS}}"
    try:
        plain = convert(value, setting.plain_type)
    except ValidationError:
        kind = VALUE_KINDS[setting.type]
        if setting.is_list:
            return say("setting.must_be_list", "{value} must be a list, each item {kind}", value=shown, kind=kind)
        return say("setting.must_be", "{value} must be {kind}", value=shown, kind=kind)
    if setting.choices and plain not in setting.choices:
        return _unknown_choice(shown, str(plain), setting.choices)
    try:
        setting.read(value)
    except ValidationError:
        wrong: Message | None = setting.extra.get("way_out") or say(
            "setting.range",
            "{value} is out of range; use {least} to {most}",
            least=f"{setting.least:.9g}",
            most=f"{setting.most:.9g}",
        )
    else:
        wrong = setting.extra["check"](plain) if "check" in setting.extra else None
    return None if wrong is None else wrong.filled(value=shown)


def _unknown_choice(shown: str, word: str, known: Iterable[str]) -> Message:
    return say("setting.unknown", "{value} is not known; {way_out}", value=shown, way_out=way_out(word, known))


def _unknown_key(place: str, key: str, known: Iterable[str]) -> Message:
    if (home := home_of(key)) is not None:
        return say(
            "setting.elsewhere", "{setting} is not a setting; it belongs under {section}", setting=place, section=home
        )
    return say(
        "setting.unknown_key", "{setting} is not a setting; {way_out}", setting=place, way_out=way_out(key, known)
    )


def home_of(key: str) -> str | None:
    """Return the section, or both, that has a setting of this name; None if there is none."""
    homes = [section for section, part in (*SETTINGS.items(), ("house_rules", HOUSE_RULES)) if key in part]
    return " or ".join(f"[{section}]" for section in homes) or None


def wrong_between(values: Values) -> Iterator[Wrong]:
    """Yield what is wrong between settings that are right each on its own."""
    match, signals, button = values["match"], values["signals"], values["button"]
    yield from _wrong_with_rules(match, values["house_rules"])
    if match["first"] > (players := len(match["players"])):
        message = say(
            "setting.first", "{value}: there are only {players} players", value=match["first"], players=players
        )
        yield Wrong("match.first", message, "match.first = ")
    if button["long_hold_seconds"] <= button["hold_seconds"]:
        yield Wrong(
            "button.long_hold_seconds",
            say("setting.holds", "button.long_hold_seconds must be more than button.hold_seconds"),
        )
    if (signals["quiet_from"] == "") != (signals["quiet_until"] == ""):
        yield Wrong(
            "signals.quiet_from",
            say("setting.quiet", "signals.quiet_from and signals.quiet_until go together; set both or none"),
        )
    yield from _pins_used_twice(signals, button)


def _pins_used_twice(signals: Mapping[str, Any], button: Mapping[str, Any]) -> Iterator[Wrong]:
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
            message = say(
                "setting.pin_taken",
                "pin {pin} is already that of {other}; wire and name another",
                pin=pin,
                other=taken[pin],
            )
            yield Wrong(place, message, f"{place}: ")
        taken.setdefault(pin, place)


def _wrong_with_rules(match: Mapping[str, Any], changes: Mapping[str, Any]) -> Iterator[Wrong]:
    """Yield what is wrong between edition, format, house rules and the number of players."""
    try:
        rules = agreed_rules(match["edition"], match["format"])
    except ConfigError as error:
        yield Wrong("match.format", error.args[0])
        return
    try:
        rules = with_house_rules(rules, changes)
    except ConfigError as error:  # each rule is right on its own: these two are not, together
        pair = ("unopened_penalty", "could_open_penalty")
        yield Wrong(f"house_rules.{next(key for key in pair if key in changes)}", error.args[0])
    if (wrong := wrong_with_players(rules, len(match["players"]))) is not None:
        yield Wrong("match.players", wrong)
