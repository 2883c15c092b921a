"""The settings in force: defaults, the user's file and those made on the page; all mistakes at once."""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import msgspec

from referee.errors import ConfigError
from referee.game.limits import Limits
from referee.rules.house_rules import HouseValue
from referee.rules.wording import Message, say, way_out
from referee.settings.hall import HallSettings
from referee.settings.hardware import ButtonSettings, CameraSettings, SignalSettings
from referee.settings.page import WebSettings
from referee.settings.sections import (
    PARTS,
    MatchSettings,
    Values,
    VisionSettings,
    Wrong,
    default_values,
    home_of,
    wrong_between,
    wrong_with,
)
from referee.settings.storage import StorageSettings
from referee.storage.folder import state_folder

SYSTEM_FILE: Final = Path("/etc/referee/referee.toml")
PAGE_FILE: Final = "settings.toml"
"""What was set on the page, in the folder of the referee's memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All settings."""

    match: MatchSettings
    house_rules: tuple[tuple[str, HouseValue], ...]
    limits: Limits
    camera: CameraSettings
    vision: VisionSettings
    signals: SignalSettings
    button: ButtonSettings
    storage: StorageSettings
    web: WebSettings
    hall: HallSettings
    origin: Mapping[str, str]
    """Where each setting, as `section.key`, was said: a file with its line, or "default"."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something wrong with a settings file; line 0 concerns the whole of it."""

    file: str
    line: int
    wrong: Wrong
    """What is wrong, and with which setting, which for a whole file is ""."""

    @property
    def message(self) -> str:
        """What is wrong, in English."""
        return str(self.wrong)

    @property
    def said(self) -> Message:
        """What is wrong, after its place."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return say(
            "settings.mistake",
            "{place}: {setting}{wrong}",
            place=place,
            setting=self.wrong.subject,
            wrong=self.wrong.message,
        )

    def __str__(self) -> str:
        return str(self.said)


def settings_in_force(
    path: Path | None, state: Path | None = None, warn: Callable[[str], None] = lambda _: None
) -> Config:
    """Return the user's settings, over them those made on the page; ConfigError where the user's are wrong.

    The page's lie in the folder `state`, by default the one that the user's settings name. Where they are wrong, `warn`
    is told and they are left out: what a phone did must not keep the referee from its work.
    """
    config = load_config(path)
    made = (state or state_folder(config.storage.folder)) / PAGE_FILE
    try:
        there = made.exists()
    except OSError as error:  # a folder of somebody else's
        warn(f"settings made on the page are left out: {made} cannot be read: {error.strerror}")
        return config
    if not there:
        return config
    over, mistakes = check_config(path, made)
    for mistake in mistakes:
        warn(f"settings made on the page are left out: {mistake}")
    return over or config


def folder_in_use(path: Path | None, state: Path | None) -> Path:
    """Return the folder `state`, else the one that the user's settings name; where they are wrong, the usual one."""
    if state is not None:
        return state
    config, _ = check_config(path)
    return state_folder(config.storage.folder if config else "")


def load_config(path: Path | None = None, over: Path | None = None) -> Config:
    """Return the settings in force; ConfigError lists every mistake, a line each."""
    config, mistakes = check_config(path, over)
    if config is None:
        raise ConfigError(reduce(_after, (mistake.said for mistake in mistakes)))
    return config


def _after(first: Message, last: Message) -> Message:
    return say("settings.mistakes", "{first}\n{last}", first=first, last=last)


def check_config(path: Path | None = None, over: Path | None = None) -> tuple[Config | None, tuple[Mistake, ...]]:
    """Read the user's file over the defaults, and `over` over both; the settings, or every mistake in the files."""
    values = default_values()
    origin = {f"{section}.{key}": "default" for section, keys in values.items() for key in keys}
    file = path or (SYSTEM_FILE if SYSTEM_FILE.exists() else None)
    mistakes = tuple(
        mistake
        for file_path in (file, over)
        if file_path is not None
        for mistake in _lay_over(values, origin, file_path, last=file_path is (over or file))
    )
    return (None, mistakes) if mistakes else (_build(values, origin), ())


def _lay_over(
    values: dict[str, dict[str, Any]], origin: dict[str, str], file: Path, *, last: bool
) -> tuple[Mistake, ...]:
    """Lay one file over the settings; after the last one say also what is wrong between them."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        file_values = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        reason = str(error.strerror) if isinstance(error, OSError) else "it is not UTF-8 text"
        message = say("settings.unread", "cannot be read: {reason}; check the path", reason=reason)
        return (Mistake(str(file), 0, Wrong("", message)),)
    except tomllib.TOMLDecodeError as error:
        return (_syntax_mistake(str(file), str(error)),)
    except RecursionError:
        return (_syntax_mistake(str(file), "brackets stand within brackets"),)
    lines = find_lines(text)
    mistakes = tuple(_overlay(values, origin, file_values, str(file), lines))
    if not last:
        return mistakes
    wrong_lines = {mistake.line for mistake in mistakes}
    doubtful = {place.partition(".")[0] for place, line in lines.items() if line in wrong_lines}
    return mistakes + tuple(
        Mistake(str(file), lines.get(wrong.place, 0), wrong)
        for wrong in wrong_between(values)
        if wrong.place.partition(".")[0] not in doubtful
    )


def _syntax_mistake(file: str, problem: str) -> Mistake:
    match = re.search(r"at line (\d+)", problem)
    message = say("settings.not_toml", "is not TOML: {problem}; quote texts, one key a line", problem=problem)
    return Mistake(file, int(match.group(1)) if match else 0, Wrong("", message))


def find_lines(text: str) -> Mapping[str, int]:
    """Return the line of every `[section]` and of every `section.key` in a TOML text."""
    lines: dict[str, int] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[\s*([\w.\-]+)\s*\]", line):
            section = header.group(1)
            lines.setdefault(section, number)
        elif key := re.match(r"""\s*["']?([\w\-]+(?:\.[\w\-]+)*)["']?\s*=""", line):
            name = key.group(1)
            lines.setdefault(f"{section}.{name}" if section else name, number)
            lines.setdefault(section or name.split(".")[0], number)
    return lines


def _overlay(
    values: dict[str, dict[str, Any]],
    origin: dict[str, str],
    file_values: Mapping[str, Any],
    file: str,
    lines: Mapping[str, int],
) -> Iterator[Mistake]:
    """Lay the user's settings over the defaults and yield what is wrong with them."""
    for section, keys in file_values.items():
        if section not in values:
            yield Mistake(file, lines.get(section, 0), Wrong(section, _unknown(section, values)))
        elif not isinstance(keys, dict):
            message = say("section.none", "{section} stands outside a section; write [{section}]", section=section)
            yield Mistake(file, lines.get(section, 0), Wrong(section, message))
        else:
            for key, value in keys.items():
                place = f"{section}.{key}"
                if (wrong := wrong_with(section, key, value)) is not None:
                    yield Mistake(file, lines.get(place, 0), wrong)
                else:
                    values[section][key] = value
                    origin[place] = f"{file}:{lines.get(place, 0)}"


def _unknown(word: str, sections: Iterable[str]) -> Message:
    if (home := home_of(word)) is not None:
        return say(
            "section.outside",
            "{setting} stands outside a section; write it under {section}",
            setting=word,
            section=home,
        )
    return say(
        "section.unknown", "section [{section}] is not known; {way_out}", section=word, way_out=way_out(word, sections)
    )


def _build(values: Values, origin: Mapping[str, str]) -> Config:
    parts: dict[str, Any] = {section: msgspec.convert(values[section], part) for section, part in PARTS.items()}
    return Config(**parts, house_rules=tuple(values["house_rules"].items()), origin=MappingProxyType(dict(origin)))


def plain_settings(config: Config) -> dict[str, dict[str, object]]:
    """Return the settings as sections of plain values."""
    shown: dict[str, dict[str, object]] = {section: asdict(getattr(config, section)) for section in PARTS}
    return shown | {"house_rules": dict(config.house_rules)}
