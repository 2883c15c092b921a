"""House rules: changes a table makes to an edition, every key and value checked, all mistakes told at once."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from referee.errors import ConfigError, did_you_mean
from referee.rules.choices import (
    BlockedScoring,
    ClockKind,
    ColourChangeEnds,
    MirrorOrder,
    NextStarter,
    OutOfTime,
    Scoring,
    Standing,
)
from referee.rules.editions import RuleSet
from referee.rules.tiles import JokerKind

SOURCE: Final = "house rule"

HouseValue = bool | int | str
"""What a house rule may be set to."""

_SHOWN_CHARACTERS: Final = 30


@dataclass(frozen=True, slots=True)
class _Whole:
    """A whole number; `none_is_zero`: 0 stands for "no such rule"."""

    least: int
    most: int
    none_is_zero: bool = False

    @property
    def way_out(self) -> str:
        meaning = ", 0 for none" if self.none_is_zero else ""
        return f"give a whole number from {self.least} to {self.most}{meaning}"

    def read(self, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int) or not self.least <= value <= self.most:
            raise ValueError(value)
        return None if self.none_is_zero and value == 0 else value


@dataclass(frozen=True, slots=True)
class _Truth:
    """True or false."""

    way_out: str = "give true or false"

    def read(self, value: object) -> object:
        if not isinstance(value, bool):
            raise ValueError(value)  # noqa: TRY004 - every refusal is told in the same way
        return value


@dataclass(frozen=True, slots=True)
class _Choice:
    """One of a few words."""

    words: type[StrEnum]

    @property
    def way_out(self) -> str:
        return f"give {' or '.join(repr(word.value) for word in self.words)}"

    def read(self, value: object) -> object:
        if not isinstance(value, str):
            raise ValueError(value)  # noqa: TRY004 - every refusal is told in the same way
        return self.words(value)


@dataclass(frozen=True, slots=True)
class _FixedJokers(_Truth):
    """Whether the colour-change and mirror jokers stay until their set is broken up."""

    def read(self, value: object) -> object:
        fixed = {JokerKind.COLOUR_CHANGE, JokerKind.MIRROR} if _Truth.read(self, value) else set()
        return frozenset(fixed)


HOUSE_RULES: Final[Mapping[str, _Whole | _Truth | _Choice]] = MappingProxyType(
    {
        "turn_seconds": _Whole(0, 3600, none_is_zero=True),
        "bank_seconds": _Whole(0, 3600),
        "clock": _Choice(ClockKind),
        "out_of_time": _Choice(OutOfTime),
        "initial_meld": _Whole(0, 200),
        "pass_draw": _Whole(0, 14),
        "overrun_draw": _Whole(0, 14),
        "incomplete_draw": _Whole(0, 14),
        "drawn_tile_waits": _Truth(),
        "rack_tiles": _Whole(1, 20),
        "dealt_jokers": _Whole(0, 8),
        "strict_joker_release": _Truth(),
        "fixed_jokers": _FixedJokers(),
        "joker_may_replace_joker": _Truth(),
        "mirror_counts_middle": _Truth(),
        "colour_change_ends": _Choice(ColourChangeEnds),
        "mirror_order": _Choice(MirrorOrder),
        "ties_draw_again": _Truth(),
        "next_starter": _Choice(NextStarter),
        "games_per_player": _Whole(1, 20),
        "round_games": _Whole(0, 100, none_is_zero=True),
        "joker_penalty": _Whole(0, 200),
        "unopened_penalty": _Whole(0, 1000, none_is_zero=True),
        "could_open_penalty": _Whole(0, 1000, none_is_zero=True),
        "blocked_scoring": _Choice(BlockedScoring),
        "scoring": _Choice(Scoring),
        "winner_points": _Whole(0, 1000),
        "second_points": _Whole(0, 1000),
        "loss_cap": _Whole(0, 1000, none_is_zero=True),
        "standing": _Choice(Standing),
    }
)
"""The keys that may change; `docs/rules.md` says what each means."""


def mistake_in(key: str, value: object) -> str | None:
    """Say what is wrong with one change, whatever the edition and the other changes; None if nothing is."""
    rule = HOUSE_RULES.get(key)
    if rule is None:
        return f"house rule {key[:_SHOWN_CHARACTERS]!r} is not known; {did_you_mean(key, HOUSE_RULES)}"
    try:
        rule.read(value)
    except ValueError:
        return f"house rule {key!r} is {repr(value)[:_SHOWN_CHARACTERS]}; {rule.way_out}"
    return None


def with_house_rules(
    rules: RuleSet, changes: Mapping[str, object], sources: Mapping[str, str] | None = None
) -> RuleSet:
    """Return the edition with the changes made; raise ConfigError, naming every mistake, if any is wrong.

    `sources` says where each change comes from; without it they are house rules.
    """
    mistakes = [wrong for key, value in changes.items() if (wrong := mistake_in(key, value))]
    values = {} if mistakes else {key: HOUSE_RULES[key].read(value) for key, value in changes.items()}
    merged = {"unopened_penalty": rules.unopened_penalty, "could_open_penalty": rules.could_open_penalty} | values
    if not mistakes and (merged["unopened_penalty"] is None) != (merged["could_open_penalty"] is None):
        mistakes.append("house rules 'unopened_penalty' and 'could_open_penalty' go together; give both, or 0 for both")
    if mistakes:
        raise ConfigError("; ".join(mistakes))
    merged_sources = MappingProxyType({**rules.sources, **(sources or dict.fromkeys(values, SOURCE))})
    return replace(rules, sources=merged_sources, **values)  # type: ignore[arg-type]  # every value was read by its rule
