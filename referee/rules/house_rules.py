"""House rules: validated changes to an edition; all mistakes are reported at once."""

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from types import MappingProxyType
from typing import Annotated, Any, Final, get_origin, get_type_hints

from msgspec import UNSET, defstruct

from referee.declared import but_none, declared, fits
from referee.errors import ConfigError
from referee.rules.declared_fields import wanted
from referee.rules.rule_set import RuleSet
from referee.rules.tiles import JokerKind
from referee.rules.wording import Message, say, way_out

HOUSE_RULE_SOURCE: Final = "house rule"

HouseValue = bool | int | str
"""What a house rule may be set to."""

_SHOWN_CHARACTERS: Final = 30


def _given(hint: Any) -> Any:
    """Return what may be given for a field: no None, for which 0 stands, and for kinds of jokers whether they are."""
    special = (meta.extra["given"] for meta in hint.__metadata__ if "given" in (meta.extra or {}))
    return Annotated[next(special, but_none(hint.__origin__)), *hint.__metadata__]


HouseRules: Final = defstruct(
    "HouseRules",
    [
        (key, _given(hint), UNSET)
        for key, hint in get_type_hints(RuleSet, include_extras=True).items()
        if get_origin(hint) is Annotated
    ],
    namespace={"__doc__": "The rules of an edition that house rules may change."},
)
HOUSE_RULES: Final = declared(HouseRules)


def house_rule_mistake(key: str, value: object) -> Message | None:
    """Return the mistake in one change, independent of edition and other changes; None if it is valid."""
    rule, shown = HOUSE_RULES.get(key), repr(key[:_SHOWN_CHARACTERS])
    if rule is None:
        way = way_out(key, HOUSE_RULES)
        return say("rule.unknown", "house rule {rule} is not known; {way_out}", rule=shown, way_out=way)
    if fits(value, rule.annotation):
        return None
    return say(
        "rule.wrong",
        "house rule {rule} is {value}; give {wanted}",
        rule=shown,
        value=repr(value)[:_SHOWN_CHARACTERS],
        wanted=wanted(rule),
    )


def _parsed_value(key: str, value: object) -> object:
    """Return a valid change as the value of a RuleSet's field."""
    read = HOUSE_RULES[key].read(value)
    if key == "fixed_jokers":
        return frozenset({JokerKind.COLOUR_CHANGE, JokerKind.MIRROR} if read else ())
    return None if HOUSE_RULES[key].extra.get("zero_is_none") and read == 0 else read


def with_house_rules(
    rules: RuleSet, changes: Mapping[str, object], sources: Mapping[str, str] | None = None
) -> RuleSet:
    """Return the edition with these changes; ConfigError, naming every mistake, if one is invalid.

    `sources` names the source of each change; without it they are house rules.
    """
    mistakes = [wrong for key, value in changes.items() if (wrong := house_rule_mistake(key, value)) is not None]
    values = {} if mistakes else {key: _parsed_value(key, value) for key, value in changes.items()}
    merged = {"unopened_penalty": rules.unopened_penalty, "could_open_penalty": rules.could_open_penalty} | values
    if not mistakes and (merged["unopened_penalty"] is None) != (merged["could_open_penalty"] is None):
        mistakes.append(
            say(
                "rule.pair",
                "house rules 'unopened_penalty' and 'could_open_penalty' go together; give both, or 0 for both",
            )
        )
    if mistakes:
        raise ConfigError(reduce(_and_also, mistakes))
    merged_sources = MappingProxyType({**rules.sources, **(sources or dict.fromkeys(values, HOUSE_RULE_SOURCE))})
    return replace(rules, sources=merged_sources, **values)  # type: ignore[arg-type]  # every value was parsed by its rule


def _and_also(first: Message, last: Message) -> Message:
    return say("list.semicolon", "{first}; {last}", first=first, last=last)
