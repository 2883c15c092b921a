"""Formats of play as data: what a club, a tournament or a league changes in an edition."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from referee.errors import ConfigError
from referee.rules.choices import OutOfTime
from referee.rules.editions import RuleSet, rule_set
from referee.rules.house_rules import HouseValue, with_house_rules
from referee.rules.tiles import Joker
from referee.rules.wording import Message, Value, say, way_out

BOOKLET: Final = "booklet"
DEFAULT: Final = "our default"
_OLYMPIAD: Final = "Mind Sports Olympiad, Rummikub"
_LEAGUE: Final = "Rummiklub League, League Rules"
_GAMES: Final = "Gwinnett Senior Golden Games, Rummikub rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What a format changes in any edition, each value with the rule sheet it is published in, or `DEFAULT`."""

    id: str
    changes: Mapping[str, tuple[HouseValue, str]]
    """House rules by their keys; a table's own house rules go over them."""
    players: tuple[int, int] | None = None
    """The fewest and the most players; None: as the edition says."""


FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        one.id: one
        for one in (
            Format(id=BOOKLET, changes=MappingProxyType({})),
            Format(id="club", changes=MappingProxyType({"standing": ("highest_total", DEFAULT)})),
            Format(
                id="two-player",
                players=(2, 2),
                changes=MappingProxyType(
                    {
                        "bank_seconds": (600, _OLYMPIAD),
                        "turn_seconds": (10, _OLYMPIAD),
                        "clock": ("bronstein", _OLYMPIAD),
                        "out_of_time": ("pass", DEFAULT),
                        "dealt_jokers": (1, _OLYMPIAD),
                        "joker_penalty": (50, _OLYMPIAD),
                        "unopened_penalty": (100, _OLYMPIAD),
                        "could_open_penalty": (200, _OLYMPIAD),
                        "round_games": (1, DEFAULT),
                    }
                ),
            ),
            Format(
                id="league",
                changes=MappingProxyType(
                    {
                        "winner_points": (50, _LEAGUE),
                        "second_points": (5, _LEAGUE),
                        "loss_cap": (25, _LEAGUE),
                        "round_games": (20, _LEAGUE),
                        "standing": ("highest_total", _LEAGUE),
                    }
                ),
            ),
            Format(
                id="open-table",
                players=(3, 4),
                changes=MappingProxyType(
                    {
                        "turn_seconds": (120, _GAMES),
                        "round_games": (3, _GAMES),
                        "scoring": ("racks", DEFAULT),
                        "standing": ("lowest_total", _GAMES),
                    }
                ),
            ),
        )
    }
)


def agreed_rules(edition: str, format_id: str = BOOKLET, house_rules: Mapping[str, object] | None = None) -> RuleSet:
    """Return the rules of an edition as a format changes them, and house rules over both.

    Raise ConfigError for an edition or a format that is not known, for one that the other has no players for, and
    naming every house rule that is wrong.
    """
    rules, played = rule_set(edition), FORMATS.get(format_id)
    if played is None:
        raise ConfigError(f"format {format_id[:40]!r} is not known; {way_out(format_id, FORMATS)}")
    if played.players is not None:
        least, most = max(rules.players[0], played.players[0]), min(rules.players[1], played.players[1])
        if least > most:
            wanted, has = (players_in_words(players) for players in (played.players, rules.players))
            raise ConfigError(
                say(
                    "format.conflict",
                    "format {format} is for {wanted}, and edition {edition} for {has}; change one of them",
                    format=format_id,
                    wanted=wanted,
                    edition=edition,
                    has=has,
                )
            )
        source = f"format {format_id}"
        rules = replace(rules, players=(least, most), sources=MappingProxyType({**rules.sources, "players": source}))
    values = {key: value for key, (value, _) in played.changes.items()}
    rules = with_house_rules(rules, values, {key: source for key, (_, source) in played.changes.items()})
    return with_house_rules(rules, house_rules or {})


def wrong_with_players(rules: RuleSet, players: int) -> Message | None:
    """Say why so many players cannot play by these rules, and the way out; None where they can."""
    least, most = rules.players
    if not least <= players <= most:
        wanted = players_in_words(rules.players)
        return say(
            "format.players",
            "{rules} is for {wanted}, not {players}",
            rules=_whose(rules),
            wanted=wanted,
            players=players,
        )
    jokers = sum(count for tile, count in rules.box.items() if isinstance(tile, Joker))
    if rules.dealt_jokers * players > jokers:
        return say(
            "format.jokers",
            "dealt_jokers = {dealt} takes {taken} jokers for {players} players, and the box of {edition} has {jokers}; "
            "deal fewer",
            dealt=rules.dealt_jokers,
            taken=rules.dealt_jokers * players,
            players=players,
            edition=rules.edition,
            jokers=jokers,
        )
    if rules.dealt_jokers > rules.rack_tiles:
        return say(
            "format.rack",
            "dealt_jokers = {dealt} is more than rack_tiles = {tiles}; deal fewer",
            dealt=rules.dealt_jokers,
            tiles=rules.rack_tiles,
        )
    if rules.out_of_time is OutOfTime.LOSE and players > 2:
        return say("format.two", "out_of_time = 'lose' is for two players, not {players}; use 'pass'", players=players)
    return None


def _whose(rules: RuleSet) -> Value:
    source = rules.sources["players"].removeprefix("format ")
    if source == rules.sources["players"]:
        return rules.edition
    return say("format.with_edition", "format {format} with {edition}", format=source, edition=rules.edition)


def players_in_words(players: tuple[int, int]) -> Message:
    """Say the fewest and the most players."""
    least, most = players
    if least == most:
        return say("format.exactly", "{least} players", least=least)
    return say("format.from_to", "{least} to {most} players", least=least, most=most)
