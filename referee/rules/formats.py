"""Formats of play as data: the rules that a club, tournament or league changes in an edition."""

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
DEFAULT_SOURCE: Final = "our default"
_OLYMPIAD_CLOCK: Final = "Mind Sports Olympiad, Rummikub (2019)"
_OLYMPIAD_RULES: Final = "Mind Sports Olympiad, Rummikub (2025)"
_LEAGUE_RULES: Final = "Rummiklub League, League Rules"
_SENIOR_GAMES_RULES: Final = "Gwinnett Senior Golden Games, Rummikub rules (no year)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format's rule changes for any edition, each with its published rule sheet or `DEFAULT_SOURCE`."""

    id: str
    changes: Mapping[str, tuple[HouseValue, str]]
    """House rules by their keys; a table's own house rules go over them."""
    players: tuple[int, int] | None = None
    """The fewest and the most players; None: as the edition says."""


FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        format_.id: format_
        for format_ in (
            Format(id=BOOKLET, changes=MappingProxyType({})),
            Format(id="club", changes=MappingProxyType({"standing": ("highest_total", DEFAULT_SOURCE)})),
            Format(
                id="two-player",
                players=(2, 2),
                changes=MappingProxyType(
                    {
                        "bank_seconds": (600, _OLYMPIAD_CLOCK),
                        "turn_seconds": (10, _OLYMPIAD_CLOCK),
                        "clock": ("bronstein", _OLYMPIAD_CLOCK),
                        "out_of_time": ("pass", DEFAULT_SOURCE),
                        "dealt_jokers": (1, _OLYMPIAD_RULES),
                        "joker_penalty": (50, _OLYMPIAD_CLOCK),
                        "unopened_penalty": (100, _OLYMPIAD_CLOCK),
                        "could_open_penalty": (200, _OLYMPIAD_CLOCK),
                        "strict_joker_release": (True, _OLYMPIAD_RULES),
                        "round_games": (1, DEFAULT_SOURCE),
                    }
                ),
            ),
            Format(
                id="league",
                changes=MappingProxyType(
                    {
                        "winner_points": (50, _LEAGUE_RULES),
                        "second_points": (5, _LEAGUE_RULES),
                        "loss_cap": (25, _LEAGUE_RULES),
                        "round_games": (20, _LEAGUE_RULES),
                        "standing": ("highest_total", _LEAGUE_RULES),
                    }
                ),
            ),
            Format(
                id="open-table",
                players=(3, 4),
                changes=MappingProxyType(
                    {
                        "turn_seconds": (120, _SENIOR_GAMES_RULES),
                        "strict_joker_release": (True, _SENIOR_GAMES_RULES),
                        "table_in_meld_turn": (True, _SENIOR_GAMES_RULES),
                        "round_games": (3, _SENIOR_GAMES_RULES),
                        "scoring": ("racks", DEFAULT_SOURCE),
                        "standing": ("lowest_total", _SENIOR_GAMES_RULES),
                    }
                ),
            ),
        )
    }
)


def agreed_rules(edition: str, format_id: str = BOOKLET, house_rules: Mapping[str, object] | None = None) -> RuleSet:
    """Return an edition's rules with a format's changes and then house rules applied.

    Raise ConfigError for an unknown edition or format, for a pair without a common number of players, and
    naming every invalid house rule.
    """
    rules, played = rule_set(edition), FORMATS.get(format_id)
    if played is None:
        raise ConfigError(
            say(
                "format.unknown",
                "format {format} is not known; {way_out}",
                format=repr(format_id[:40]),
                way_out=way_out(format_id, FORMATS),
            )
        )
    if played.players is not None:
        least, most = max(rules.players[0], played.players[0]), min(rules.players[1], played.players[1])
        if least > most:
            wanted, has = (players_text(players) for players in (played.players, rules.players))
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
    """Return why this number of players cannot play by these rules, and the way out; None if they can."""
    least, most = rules.players
    if not least <= players <= most:
        wanted = players_text(rules.players)
        return say(
            "format.players",
            "{rules} is for {wanted}, not {players}",
            rules=_player_limit_source(rules),
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


def _player_limit_source(rules: RuleSet) -> Value:
    source = rules.sources["players"].removeprefix("format ")
    if source == rules.sources["players"]:
        return rules.edition
    return say("format.with_edition", "format {format} with {edition}", format=source, edition=rules.edition)


def players_text(players: tuple[int, int]) -> Message:
    """Return the range of players as a message."""
    least, most = players
    if least == most:
        return say("format.exactly", "{least} players", least=least)
    return say("format.from_to", "{least} to {most} players", least=least, most=most)
