"""House rules: validated changes to an edition; all mistakes are reported at once."""

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from types import MappingProxyType
from typing import Annotated, Final, TypedDict

from msgspec import Meta

from referee.declared import declared, fits
from referee.errors import ConfigError
from referee.rules.choices import (
    BlockedScoring,
    ClockKind,
    ColourChangeEnds,
    FreedJoker,
    GroupJoker,
    JokerFrom,
    JokerSwaps,
    MirrorOrder,
    NextStarter,
    OutOfTime,
    Scoring,
    Standing,
)
from referee.rules.declared_fields import wanted
from referee.rules.editions import RuleSet
from referee.rules.tiles import JokerKind
from referee.rules.wording import Message, say, way_out

HOUSE_RULE_SOURCE: Final = "house rule"

HouseValue = bool | int | str
"""What a house rule may be set to."""

_SHOWN_CHARACTERS: Final = 30
_IN_SECONDS: Final = {"unit": "s"}
_ZERO_IS_NONE: Final = {"zero_is_none": True}
_DrawCount = Annotated[int, Meta(ge=0, le=14)]
_Points = Annotated[int, Meta(ge=0, le=1000)]
_Penalty = Annotated[int, Meta(ge=0, le=1000, extra=_ZERO_IS_NONE)]


class HouseRules(TypedDict, total=False):
    """The rules of an edition that house rules may change."""

    turn_seconds: Annotated[
        int, Meta(ge=0, le=3600, description="time for a turn; 0: not timed", extra=_IN_SECONDS | _ZERO_IS_NONE)
    ]
    bank_seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=3600,
            description="a player's time for a game, used when the turn's seconds are over; 0: none",
            extra=_IN_SECONDS,
        ),
    ]
    clock: Annotated[ClockKind, Meta(description="unused seconds of a turn are lost, or go to the bank")]
    out_of_time: Annotated[
        OutOfTime, Meta(description="an empty bank ends the turn, or loses the game (two players only)")
    ]
    initial_meld: Annotated[int, Meta(ge=0, le=200, description="worth of the opening")]
    pass_draw: Annotated[_DrawCount, Meta(description="tiles drawn for no play")]
    overrun_draw: Annotated[_DrawCount, Meta(description="tiles drawn when the time is over and nothing was laid")]
    incomplete_draw: Annotated[
        _DrawCount, Meta(description="tiles drawn when the time is over and the table must be put back")
    ]
    drawn_tile_waits: Annotated[bool, Meta(description="a drawn tile may not be played in the same turn")]
    rack_tiles: Annotated[int, Meta(ge=1, le=20, description="tiles on a rack at the start")]
    dealt_jokers: Annotated[
        int, Meta(ge=0, le=8, description="jokers each player takes before drawing the rest of the rack")
    ]
    strict_joker_release: Annotated[bool, Meta(description="a joker leaves only for the tile it stands for")]
    fixed_jokers: Annotated[bool, Meta(description="no tile may replace a colour-change or mirror joker")]
    joker_may_replace_joker: Annotated[bool, Meta(description="a joker may replace another kind of joker")]
    freed_joker: Annotated[
        FreedJoker,
        Meta(description="a freed joker may go to any set that is new, or only to one without a whole old set"),
    ]
    joker_swaps: Annotated[
        JokerSwaps, Meta(description="another kind of joker in a joker's place is legal in a set laid anew, or never")
    ]
    joker_from: Annotated[JokerFrom, Meta(description="where the tile that replaces a joker comes from")]
    group_joker: Annotated[
        GroupJoker,
        Meta(description="a joker that leaves only for its tile leaves a group of three for one colour or both"),
    ]
    joker_sets_stay: Annotated[bool, Meta(description="no tile leaves a set with a joker until the joker is replaced")]
    rearranging: Annotated[bool, Meta(description="sets may be broken up; false: only whole sets and additions")]
    table_in_meld_turn: Annotated[bool, Meta(description="the table may be used in the turn of the opening")]
    mirror_counts_middle: Annotated[bool, Meta(description="the mirror joker counts the number in the middle, else 0")]
    colour_change_ends: Annotated[
        ColourChangeEnds, Meta(description="a colour-change joker may end a run at either end, or only at its high end")
    ]
    mirror_order: Annotated[MirrorOrder, Meta(description="order of the tiles on both sides of a mirror group")]
    ties_draw_again: Annotated[
        bool,
        Meta(description="players tied for the highest tile draw again; false: the first of them clockwise begins"),
    ]
    next_starter: Annotated[NextStarter, Meta(description="who starts later games")]
    games_per_player: Annotated[int, Meta(ge=1, le=20, description="games in a round for each player")]
    round_games: Annotated[
        int,
        Meta(
            ge=0, le=100, description="games in a round, however many play; 0: `games_per_player`", extra=_ZERO_IS_NONE
        ),
    ]
    joker_penalty: Annotated[int, Meta(ge=0, le=200, description="a joker left on a rack")]
    unopened_penalty: Annotated[
        _Penalty, Meta(description="what a loser who has not opened loses; 0: the rack's value")
    ]
    could_open_penalty: Annotated[
        _Penalty, Meta(description="the same, if the rack held an opening; 0 only together with the key above")
    ]
    blocked_scoring: Annotated[BlockedScoring, Meta(description="what the losers of a blocked game lose")]
    scoring: Annotated[Scoring, Meta(description="the winner gets what the others lose, or all count their own racks")]
    winner_points: Annotated[_Points, Meta(description="extra points for the winner of a game")]
    second_points: Annotated[_Points, Meta(description="extra points for the lowest rack after the winner's")]
    loss_cap: Annotated[
        _Penalty, Meta(description="the most a rack costs its owner; the winner still gets all of it; 0: no cap")
    ]
    standing: Annotated[
        Standing, Meta(description="ranks a match by games won, then highest total; or by the total alone")
    ]


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
