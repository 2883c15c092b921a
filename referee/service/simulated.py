"""The simulated table of `--camera sim`, and of `referee run` without a camera."""

from dataclasses import replace
from functools import partial
from typing import Final

from referee.errors import ConfigError
from referee.game.clock import time_control
from referee.game.inputs import MatchStarted
from referee.game.limits import Limits
from referee.rules.editions import RuleSet
from referee.rules.formats import BOOKLET, agreed_rules
from referee.rules.wording import Message, say
from referee.service.match_source import RECORDED_DOUBT_SECONDS, Source, match_of
from referee.settings.config import Config
from referee.sim.camera import demo_match, match_source
from referee.sim.demo import DEMO_PLAYERS, DEMO_TURN_COUNT, demo_setting
from referee.sim.joker_faces import enrol_jokers, has_special_jokers
from referee.sim.scenarios import simulated_match
from referee.sim.scene import area_in_picture

_SEED: Final = 8
_CHEATS: Final = 0.35
_SMALLEST_BANK: Final = 600  # seconds, enough for a game
_SHORTEST_TURN: Final = 25  # seconds; simulated players take up to 18, and draw and play on in 5 more


def simulated_source(config: Config, turns: int | None = None) -> Source:
    """Return a source that plays the settings' match, or its first turns; raises ConfigError if it cannot.

    If only names are set, it is the demo: one game that shows in ten turns what a referee does.
    """
    if turns == 0:
        raise ConfigError("camera sim:0 plays no turn; use sim:1 to sim:999, or sim")
    return _demo(config, turns) if plays_demo(config) else _evening(config, turns)


def _demo(config: Config, turns: int | None) -> Source:
    if turns is not None and turns > DEMO_TURN_COUNT:
        raise ConfigError(
            f"camera sim:{turns}: the demo has {DEMO_TURN_COUNT} turns; use sim:1 to sim:{DEMO_TURN_COUNT}, or sim"
        )
    camera, button, _ = demo_match(DEMO_TURN_COUNT if turns is None else turns)
    area = area_in_picture(demo_setting().view)
    return Source(camera=camera, button=button, recorded=True, match=_match(config, games=1), area=area)


def _evening(config: Config, turns: int | None) -> Source:
    settings, seats = config.match, len(config.match.players)
    rules = agreed_rules(settings.edition, settings.format, dict(config.house_rules))
    if (why := _why_not(rules, seats)) is not None:
        raise ConfigError(f"{why}, or simulate another match")
    games = settings.games or rules.games_per_round(seats)
    evening, setting = simulated_match(
        rules, seed=_SEED, games=games, cheat_rate=_CHEATS, seats=seats, first=settings.first - 1
    )
    camera, button = match_source(evening, setting, turns)
    return Source(
        camera=camera,
        button=button,
        recorded=True,
        match=_match(config, games),
        area=area_in_picture(setting.view),
        learn=partial(enrol_jokers, rules=rules, setting=setting) if has_special_jokers(rules) else None,
    )


def plays_demo(config: Config) -> bool:
    """Return whether the settings fit the demo: its edition, number of players and first player."""
    set_otherwise = any(config.origin[f"match.{key}"] != "default" for key in ("edition", "first", "games"))
    agreed = config.match.format != BOOKLET or config.house_rules
    return not set_otherwise and not agreed and len(config.match.players) == DEMO_PLAYERS


def simulation_notice(config: Config) -> Message:
    """Return the notice that no camera was found and the table is simulated."""
    if plays_demo(config):
        return say(
            "console.simulated_demo",
            "No camera was found: this table is SIMULATED, and its players play the demo, with your players."
            " To play, plug a camera in, or name it: --camera usb:0, --camera picamera.",
        )
    return say(
        "console.simulated",
        "No camera was found: this table is SIMULATED, and its players play the match of your settings."
        " To play, plug a camera in, or name it: --camera usb:0, --camera picamera.",
    )


def _match(config: Config, games: int) -> MatchStarted:
    """Return the match of the settings, with the default limits, which suit simulated players."""
    limits = Limits(warn_seconds=config.limits.warn_seconds, doubt_seconds=RECORDED_DOUBT_SECONDS)
    return replace(match_of(config), games=games, limits=limits)


def _why_not(rules: RuleSet, players: int) -> str | None:
    """Return which rule simulated players cannot play by, and the way out; None if they can."""
    limit = time_control(rules).limit(float(rules.bank_seconds))
    if rules.bank_seconds and (rules.turn_seconds or 0) < _SHORTEST_TURN and rules.bank_seconds < _SMALLEST_BANK:
        return (
            f"house rule bank_seconds = {rules.bank_seconds} is too short for simulated players; "
            f"give at least {_SMALLEST_BANK}"
        )
    if limit is not None and limit < _SHORTEST_TURN:
        return (
            f"house rule turn_seconds = {rules.turn_seconds} is too short for simulated players; "
            f"give at least {_SHORTEST_TURN}, 0 for none"
        )
    if rules.pass_draw == 0:
        return "house rule pass_draw = 0 leaves simulated players with nothing to draw and no end; give at least 1"
    if players * rules.rack_tiles > rules.tile_count:
        dealt = f"{players} racks of {rules.rack_tiles}"
        return f"house rule rack_tiles: {dealt} are more than the {rules.tile_count} tiles of the box; give fewer"
    return None
