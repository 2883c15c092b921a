"""Editions, formats and house rules as JSON values for the form of a new match."""

from typing import Any, cast

from referee.protocol.answers import Edition, Format, RuleForm
from referee.rules.editions import EDITIONS, RuleSet
from referee.rules.formats import FORMATS
from referee.rules.house_rules import HOUSE_RULES
from referee.rules.tiles import Joker, JokerKind


def formats() -> list[Format]:
    """Return every format: number of players (null: as the edition says) and changed rules."""
    return [
        {
            "id": format_.id,
            "players": None if format_.players is None else list(format_.players),
            "changes": {key: value for key, (value, _) in format_.changes.items()},
        }
        for format_ in FORMATS.values()
    ]


def editions() -> list[Edition]:
    """Return every edition."""
    return [_edition(rules) for rules in EDITIONS.values()]


def _edition(rules: RuleSet) -> Edition:
    return {
        "id": rules.edition,
        "name": rules.name,
        "players": list(rules.players),
        "colours": {colour.letter: name for colour, name in rules.colour_names.items()},
        "tiles": [str(tile) for tile in rules.box],
        "jokers": [str(tile) for tile in rules.box if isinstance(tile, Joker)],
        "turn_seconds": rules.turn_seconds,
        "initial_meld": rules.initial_meld,
        "games_per_player": rules.games_per_player,
        "joker_penalty": rules.joker_penalty,
        "house_rules": [_house_rule(key, rules) for key in HOUSE_RULES],
    }


def _house_rule(key: str, rules: RuleSet) -> RuleForm:
    form = {"key": key, "value": house_rule_value(rules, key), **HOUSE_RULES[key].form}
    return cast("RuleForm", form)


def house_rule_value(rules: RuleSet, key: str) -> Any:
    """Return the edition's value of a house rule."""
    if key == "fixed_jokers":
        return JokerKind.MIRROR in rules.fixed_jokers
    value = getattr(rules, key)
    return 0 if value is None else getattr(value, "value", value)
