"""House rules: the few values of an edition that players may agree to change."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from referee.errors import ConfigError
from referee.rules.editions import RuleSet, did_you_mean

HOUSE_RULES: Final[Mapping[str, tuple[int, int]]] = MappingProxyType({
    "turn_seconds": (10, 3600),
    "initial_meld": (0, 100),
    "pass_draw": (0, 10),
    "overrun_draw": (0, 10),
    "incomplete_draw": (0, 10),
    "joker_penalty": (0, 100),
    "games_per_player": (1, 10),
})
"""What may be changed, from the least to the most; `turn_seconds` 0 plays without a clock."""


def with_house_rules(rules: RuleSet, house_rules: Mapping[str, int]) -> RuleSet:
    """Give the rules with some values changed; raise ConfigError for an unknown rule or an absurd value."""
    changed: dict[str, Any] = {}
    for rule, value in house_rules.items():
        if rule not in HOUSE_RULES:
            raise ConfigError(f"house rule {rule[:40]!r} is not known; {did_you_mean(rule, HOUSE_RULES)}")
        least, most = HOUSE_RULES[rule]
        untimed = rule == "turn_seconds" and value == 0
        if not least <= value <= most and not untimed:
            raise ConfigError(f"house rule {rule} = {value} is out of range; use {least} to {most}")
        changed[rule] = None if untimed else value
    return replace(rules, **changed)
