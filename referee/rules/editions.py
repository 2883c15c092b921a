"""The eight editions as data: every value of a rule set with its booklet and clause."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from referee.errors import ConfigError
from referee.rules.choices import (
    BlockedScoring,
    ColourChangeEnds,
    MirrorOrder,
    NextStarter,
)
from referee.rules.rule_set import RuleSet
from referee.rules.tiles import COLOURED_JOKERS, NUMBER_TILES, PLAIN_JOKERS, Colour, Joker, JokerKind, Tile
from referee.rules.wording import say, way_out

__all__ = ["EDITIONS", "RuleSet", "rule_set"]


def rule_set(edition_id: str) -> RuleSet:
    """Return the rules of an edition; ConfigError, with the nearest id, if it is unknown."""
    rules = EDITIONS.get(edition_id)
    if rules is None:
        raise ConfigError(
            say(
                "edition.unknown",
                "edition {edition} is not known; {way_out}",
                edition=repr(edition_id[:40]),
                way_out=way_out(edition_id, EDITIONS),
            )
        )
    return rules


def _box(copies: int, jokers: Iterable[Joker], each: int) -> Mapping[Tile, int]:
    return MappingProxyType({**dict.fromkeys(NUMBER_TILES, copies), **dict.fromkeys(jokers, each)})


def _names(red: str, orange: str) -> Mapping[Colour, str]:
    return MappingProxyType({Colour.BLACK: "black", Colour.RED: red, Colour.BLUE: "blue", Colour.ORANGE: orange})


def _sources(booklet: str, clauses: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType({key: f"{booklet}, {clause}" for key, clause in clauses.items()})


_REGULAR: Final = PLAIN_JOKERS[:1]
_OUR_READING: Final = "our reading of a silent booklet"

_WESTERN_CLAUSES: Final = {
    "edition": "title",
    "name": "title",
    "booklet": "title",
    "box": "Contents",
    "colour_names": "Contents",
    "players": "title",
    "rack_tiles": "Set Up",
    "initial_meld": "Playing the Game",
    "turn_seconds": "Time Limit",
    "timed_in_friendly_games": "Time Limit",
    "pass_draw": "Playing the Game",
    "overrun_draw": "Time Limit",
    "incomplete_draw": "Incomplete Runs",
    "drawn_tile_waits": "Playing the Game",
    "strict_joker_release": "The Joker",
    "fixed_jokers": "The Joker",
    "joker_may_replace_joker": "The Joker (one kind of joker only)",
    "mirror_counts_middle": "The Joker (no mirror joker in the box)",
    "colour_change_ends": "The Joker (no colour-change joker in the box)",
    "mirror_order": "The Joker (no mirror joker in the box)",
    "ties_draw_again": f"Set Up ({_OUR_READING})",
    "next_starter": "Scoring, back to Set Up",
    "games_per_player": "Set Up",
    "joker_penalty": "Scoring, note",
    "unopened_penalty": "Scoring (rack value, opened or not)",
    "could_open_penalty": "Scoring (rack value, opened or not)",
    "blocked_scoring": "Scoring, pool used up",
}
_TWIST_CLAUSES: Final = _WESTERN_CLAUSES | {
    "colour_names": "Examples of manipulating tiles",
    "strict_joker_release": "Jokers: sets with a joker may be split",
    "fixed_jokers": "Special Jokers: cleared like regular ones",
    "joker_may_replace_joker": "Special Jokers",
    "mirror_counts_middle": "Mirror Joker",
    "colour_change_ends": f"Colour Change Joker ({_OUR_READING})",
    "mirror_order": f"Mirror Joker ({_OUR_READING})",
}
_POLISH_CLAUSES: Final = {
    "edition": "title",
    "name": "title",
    "booklet": "title",
    "box": "Przygotowanie gry 1",
    "colour_names": "Przygotowanie gry 1",
    "players": "title",
    "rack_tiles": "Przygotowanie gry 4",
    "initial_meld": "Zasady gry / Otwarcie",
    "turn_seconds": "Limit czasowy",
    "timed_in_friendly_games": "Limit czasowy",
    "pass_draw": "Manipulacje",
    "overrun_draw": "Limit czasowy",
    "incomplete_draw": "Limit czasowy",
    "drawn_tile_waits": "Manipulacje",
    "strict_joker_release": "Jokery: sets with a joker may be split",
    "fixed_jokers": "Jokery (no special jokers in play)",
    "joker_may_replace_joker": "Jokery (one kind of joker only)",
    "mirror_counts_middle": "Jokery (no mirror joker in play)",
    "colour_change_ends": "Jokery (no colour-change joker in play)",
    "mirror_order": "Jokery (no mirror joker in play)",
    "ties_draw_again": "Przygotowanie gry 2",
    "next_starter": "Przygotowanie gry 2, Wazne",
    "games_per_player": "Przygotowanie gry 6",
    "joker_penalty": "Zakonczenie pojedynczej gry 1a",
    "unopened_penalty": "Zakonczenie pojedynczej gry 1b",
    "could_open_penalty": "Zakonczenie pojedynczej gry 1c",
    "blocked_scoring": "Zakonczenie pojedynczej gry 2",
}

_ORIGINAL: Final = RuleSet(
    edition="original",
    name="The Original Rummikub",
    booklet="original-and-xp-2025",
    sources=_sources("original-and-xp-2025", _WESTERN_CLAUSES),
    box=_box(2, _REGULAR, 2),
    colour_names=_names("red", "orange"),
    players=(2, 4),
    rack_tiles=14,
    initial_meld=30,
    turn_seconds=60,
    timed_in_friendly_games=True,
    pass_draw=1,
    overrun_draw=1,
    incomplete_draw=3,
    drawn_tile_waits=True,
    strict_joker_release=False,
    fixed_jokers=frozenset(),
    joker_may_replace_joker=True,
    mirror_counts_middle=False,
    colour_change_ends=ColourChangeEnds.EITHER,
    mirror_order=MirrorOrder.ANY,
    ties_draw_again=True,
    next_starter=NextStarter.HIGHEST_TILE,
    games_per_player=1,
    joker_penalty=30,
    unopened_penalty=None,
    could_open_penalty=None,
    blocked_scoring=BlockedScoring.DIFFERENCE,
)
_XP: Final = replace(
    _ORIGINAL,
    edition="xp",
    name="Rummikub XP",
    sources=_sources(
        "original-and-xp-2025",
        _WESTERN_CLAUSES
        | {
            "box": "Contents for Rummikub XP",
            "players": "Contents for Rummikub XP",
        },
    ),
    box=_box(3, _REGULAR, 4),
    players=(5, 6),
)
_PRESSMAN: Final = replace(
    _ORIGINAL,
    edition="pressman",
    name="Rummikub (Pressman)",
    booklet="classic-pressman-2015",
    sources=_sources("classic-pressman-2015", _WESTERN_CLAUSES),
    strict_joker_release=True,
)
_TWIST: Final = replace(
    _ORIGINAL,
    edition="twist",
    name="Rummikub Twist",
    booklet="twist-lemada-2015",
    sources=_sources("twist-lemada-2015", _TWIST_CLAUSES),
    box=_box(2, PLAIN_JOKERS, 2),
    colour_names=_names("pink", "yellow"),
    joker_may_replace_joker=False,
)
_TWIST_PRESSMAN: Final = replace(
    _TWIST,
    edition="twist-pressman",
    name="Rummikub With a Twist (Pressman)",
    booklet="twist-pressman-2017",
    sources=_sources("twist-pressman-2017", _TWIST_CLAUSES),
    colour_names=_names("red", "yellow"),
)
_POLISH_STANDARD: Final = replace(
    _ORIGINAL,
    edition="3in1-standard",
    name="Rummikub 3w1, Standard",
    booklet="three-in-one-polish",
    sources=_sources("three-in-one-polish", _POLISH_CLAUSES),
    colour_names=_names("red", "yellow"),
    timed_in_friendly_games=False,
    incomplete_draw=1,
    next_starter=NextStarter.LEFT_OF_LAST_STARTER,
    joker_penalty=50,
    unopened_penalty=100,
    could_open_penalty=200,
    blocked_scoring=BlockedScoring.OWN_RACK,
)
_POLISH_TWIST: Final = replace(
    _POLISH_STANDARD,
    edition="3in1-twist",
    name="Rummikub 3w1, Twist",
    sources=_sources(
        "three-in-one-polish",
        _POLISH_CLAUSES
        | {
            "box": "Wersja Twist",
            "fixed_jokers": "Joker Zmiany koloru and Lustrzany Joker, last bullets",
            "joker_may_replace_joker": "Jokery Specjalne",
            "mirror_counts_middle": "Lustrzany Joker, second bullet",
            "colour_change_ends": f"Joker Zmiany koloru, second bullet ({_OUR_READING})",
            "mirror_order": f"Lustrzany Joker ({_OUR_READING})",
        },
    ),
    box=_box(2, PLAIN_JOKERS, 2),
    fixed_jokers=frozenset({JokerKind.COLOUR_CHANGE, JokerKind.MIRROR}),
    joker_may_replace_joker=False,
    mirror_counts_middle=True,
)
_POLISH_EXPERT: Final = replace(
    _POLISH_STANDARD,
    edition="3in1-expert",
    name="Rummikub 3w1, Expert",
    sources=_sources(
        "three-in-one-polish",
        _POLISH_CLAUSES
        | {
            "box": "Wersja Expert",
            "joker_penalty": "Wersja Expert, exception on counting points",
        },
    ),
    box=_box(2, COLOURED_JOKERS, 2),
    joker_penalty=20,
)

EDITIONS: Final[Mapping[str, RuleSet]] = MappingProxyType(
    {
        rules.edition: rules
        for rules in (
            _ORIGINAL,
            _XP,
            _PRESSMAN,
            _TWIST,
            _TWIST_PRESSMAN,
            _POLISH_STANDARD,
            _POLISH_TWIST,
            _POLISH_EXPERT,
        )
    }
)
