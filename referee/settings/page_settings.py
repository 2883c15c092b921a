"""Settings changed on the page: a file beside the journals that overrides the user's, checked before it is saved."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from referee.errors import StorageError
from referee.plain_json import JsonObject
from referee.rules.house_rules import HOUSE_RULES
from referee.rules.verdict_json import message_to_json
from referee.rules.wording import Message, say
from referee.settings.config import PAGE_FILE, Config, check_config, find_lines
from referee.settings.sections import SETTINGS, Wrong, default_values
from referee.storage.files import CHECK_DISK, refusal, write_whole

ELSEWHERE: Final = frozenset({"camera.source", "vision.profile", "storage.folder"})
"""Paths, which only the user's file may set, like the page's own settings."""
_USERS_SECTIONS: Final = frozenset({"web", "hall"})  # the page must not change its own access
_KEY: Final = re.compile(r"[a-z_]{1,40}\.[a-z0-9_]{1,60}", re.ASCII)


def settable(place: str) -> bool:
    """Return whether the page may change a setting."""
    return place not in ELSEWHERE and place.partition(".")[0] not in _USERS_SECTIONS


class PageSettings:
    """The settings in force, the page's file, and whether it has changed since the start."""

    def __init__(self, config: Config, user_file: Path | None, folder: Path | None) -> None:
        """Show these settings, including the page's file; without a folder nothing can be changed."""
        self._config, self._user_file = config, user_file
        self._file = None if folder is None else folder / PAGE_FILE
        self._without = check_config(user_file)[0] or config
        self._changed = False

    def show(self) -> JsonObject:
        """Return every setting."""
        values = self._values()
        return {
            "settings": [*self._of_parts(values), *self._house_rules(values)],
            "file": None if self._file is None else str(self._file),
            "restart_needed": self._changed,
        }

    def _of_parts(self, values: Mapping[str, Any]) -> Iterator[JsonObject]:
        defaults = default_values()
        for section, part in SETTINGS.items():
            for key, setting in part.items():
                place = f"{section}.{key}"
                config = self._unless_said(place)
                value = getattr(getattr(config, section), key)
                yield {
                    "section": section,
                    "key": key,
                    "value": values.get(place, list(value) if isinstance(value, tuple) else value),
                    "default": defaults[section][key],
                    "origin": "page" if place in values else config.origin[place],
                    "comment": setting.description,
                    **setting.form,
                    "page": settable(place) and self._file is not None,
                }

    def _house_rules(self, values: Mapping[str, Any]) -> Iterator[JsonObject]:
        for key, rule in HOUSE_RULES.items():
            place = f"house_rules.{key}"
            config = self._unless_said(place)
            yield {
                "section": "house_rules",
                "key": key,
                "value": values.get(place, dict(config.house_rules).get(key)),
                "default": None,
                "origin": "page" if place in values else config.origin.get(place, "default"),
                "comment": rule.description,
                "page": self._file is not None,
                **rule.form,
            }

    def _unless_said(self, place: str) -> Config:
        """Return the settings that apply to this one if the page's file does not (or no longer) set it."""
        said_there = self._config.origin.get(place, "").startswith(f"{self._file}:")
        return self._without if said_there else self._config

    def change(self, changes: Mapping[str, Any]) -> Mapping[str, JsonObject]:
        """Save all changes (None resets one), or none if any is wrong; return what is wrong by setting."""
        if self._file is None:
            no_folder = say(
                "settings.not_kept", "nothing is kept of this match; start the referee with --state DIR to change it"
            )
            return {place: message_to_json(no_folder) for place in changes}
        wrong = {
            str(place)[:60]: message_to_json(message) for place in changes if (message := _refused(place)) is not None
        }
        if wrong:
            return wrong
        values = {**self._values(), **changes}
        values = {place: value for place, value in values.items() if value is not None}
        return self._keep(self._file, format_toml(values), changes)

    def _values(self) -> dict[str, Any]:
        """Return the values in the page's file; empty if it is missing or damaged."""
        try:
            values = tomllib.loads(self._file.read_text(encoding="utf-8")) if self._file is not None else {}
        except (OSError, ValueError, RecursionError):
            return {}
        return {
            f"{section}.{key}": value
            for section, keys in values.items()
            if isinstance(keys, dict)
            for key, value in keys.items()
        }

    def _keep(self, file: Path, text: str, changes: Mapping[str, Any]) -> Mapping[str, JsonObject]:
        fresh = file.with_suffix(".new")
        try:
            write_whole(fresh, text)
            _, mistakes = check_config(self._user_file, fresh)
            if mistakes:
                fresh.unlink()
                places = {line: place for place, line in find_lines(text).items()}
                first = next(iter(changes))
                return {
                    places.get(mistake.line, first): _wrong_to_json(mistake.wrong) for mistake in reversed(mistakes)
                }
            fresh.replace(file)
        except OSError as error:
            raise StorageError(
                say(
                    "settings.unkept",
                    "settings {file} cannot be kept {why}",
                    file=str(file),
                    why=refusal(error, file, CHECK_DISK),
                )
            ) from None
        self._changed = True
        return {}


def _wrong_to_json(wrong: Wrong) -> JsonObject:
    return {**message_to_json(wrong.message), "message": str(wrong)}


def _refused(place: object) -> Message | None:
    if not isinstance(place, str) or not _KEY.fullmatch(place):
        return say("settings.no_key", "{setting} is no setting; write section.key", setting=repr(str(place)[:40]))
    if not settable(place):
        return say(
            "settings.users",
            "{setting} cannot be set on the page; set it in the referee's settings file",
            setting=place,
        )
    return None


def format_toml(values: Mapping[str, Any]) -> str:
    """Return settings, by `section.key`, as TOML."""
    lines = ["# Settings made on the page; they lie over those of the referee's settings file."]
    for section in dict.fromkeys(place.partition(".")[0] for place in values):
        lines += ["", f"[{section}]"]
        keys = ((place.partition(".")[2], value) for place, value in values.items() if place.startswith(f"{section}."))
        lines += [f"{key} = {_value(value)}" for key, value in keys]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
        case _:
            return '"' + "".join(_character(character) for character in str(value)[:2000]) + '"'


def _character(character: str) -> str:
    if character in {'"', "\\"}:
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08X}"
