"""Options of a match: edition, format, players, first player, games; each overrides its setting."""

import argparse
from collections.abc import Mapping
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any, Final

from referee.errors import ConfigError
from referee.game.player_names import tidy_name
from referee.rules.editions import EDITIONS
from referee.rules.formats import FORMATS, agreed_rules
from referee.settings.config import Config
from referee.settings.sections import SETTINGS, Values, wrong_between, wrong_value

_MATCH_KEYS: Final = ("edition", "format", "players", "first", "games")


def add_match_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for each setting of the match."""
    options = parser.add_argument_group("the match, where not as set")
    options.add_argument("--edition", metavar="ID", help=f"edition to play:  {', '.join(EDITIONS)}")
    options.add_argument("--format", metavar="ID", help=f"format to play:  {', '.join(FORMATS)}")
    options.add_argument("--players", metavar="NAMES", help="names clockwise, separated by commas: Ann,Ben,Cem")
    options.add_argument("--first", metavar="NAME", help="who begins the first game: a name, or a number from 1")
    options.add_argument("--games", type=int, metavar="N", help="games in the match; 0: as many as players")


def with_match_options(config: Config, arguments: argparse.Namespace) -> Config:
    """Return the settings with the options' match; ConfigError if it cannot be played.

    If no players are named, the format's maximum number of players is used.
    """
    options = {key: value for key in _MATCH_KEYS if (value := getattr(arguments, key)) is not None}
    if "players" in options:
        options["players"] = [tidy_name(name) for name in options["players"].split(",")]
    if "first" in options:
        options["first"] = _parse_seat(options["first"], options.get("players", config.match.players))
    for key, value in options.items():
        if (message := wrong_value(SETTINGS["match"][key], value)) is not None:
            apart = "; separate names by commas, as in Ann,Ben" if key == "players" and len(value) == 1 else ""
            raise ConfigError(f"--{key} {message.filled(value=f'{getattr(arguments, key)!r:.60}')}{apart}")
    if "format" in options and "players" not in options and config.origin["match.players"] == "default":
        _, most = agreed_rules(options.get("edition", config.match.edition), options["format"]).players
        options["players"] = list(config.match.players[:most])
    given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
    match = replace(config.match, **given)
    if options:
        for wrong in wrong_between(_values(config, asdict(match))):
            key = wrong.place.removeprefix("match.")
            raise ConfigError(f"--{key} {wrong.message}" if wrong.subject and key in options else str(wrong))
    origin = {**config.origin, **{f"match.{key}": f"--{key}" for key in options}}
    return replace(config, match=match, origin=MappingProxyType(origin))


def _parse_seat(text: str, players: tuple[str, ...]) -> int:
    """Return the seat of a player given by name or number."""
    if text.isdecimal():
        return int(text)
    numbers = {name.casefold(): number for number, name in enumerate(players, start=1)}
    if tidy_name(text).casefold() not in numbers:
        raise ConfigError(f"--first {text[:40]!r} is not a player; name one of {', '.join(players)}")
    return numbers[tidy_name(text).casefold()]


def _values(config: Config, match: Mapping[str, Any]) -> Values:
    """Return the settings that are validated together, in the form of a settings file."""
    sections = {name: asdict(getattr(config, name)) for name in ("signals", "button")}
    return {**sections, "match": match, "house_rules": dict(config.house_rules)}
