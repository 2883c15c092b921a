"""`referee simulate`: play matches on a rendered table and write the camera's frames and the button's presses."""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from referee.cli.progress import Progress
from referee.errors import ConfigError

if TYPE_CHECKING:
    from referee.sim.camera_faults import CameraFaults
    from referee.sim.hardship_kinds import Hardship
    from referee.sim.render import TableSetting
    from referee.sim.simulated_match import SimulatedMatch

_DEFAULT_CHEAT_RATE = 0.35
_LONG_GAME_TURNS, _MAX_PROGRESS_SHARE = 100, 0.95  # turns; a game's length is unknown


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `referee simulate`."""
    parser.add_argument("--edition", default="original", metavar="ID", help="the edition to play (original)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed gives the same evening (0)")
    parser.add_argument("--games", type=int, default=1, metavar="N", help="how many games to play (1)")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new or empty folder to write")
    parser.add_argument(
        "--cheats",
        type=float,
        default=_DEFAULT_CHEAT_RATE,
        metavar="RATE",
        help=f"share of turns with a mistake or a cheat, 0 to 1 ({_DEFAULT_CHEAT_RATE})",
    )
    unkind = parser.add_mutually_exclusive_group()
    unkind.add_argument("--unkind", action="store_true", help="with random hardships of people, light and camera")
    unkind.add_argument(
        "--hardship",
        action="append",
        default=[],
        dest="hardships",
        metavar="NAME",
        help="with this hardship, as switched-lamp; may be given several times; docs/simulation.md lists them",
    )
    parser.add_argument("--size", default="1600x1200", metavar="WxH", help="the camera's pictures (1600x1200)")
    parser.epilog = "A game takes a minute or two and some 200 MB; a line says so when all are written."


def run(arguments: argparse.Namespace) -> int:
    """Play and write the recording; print a summary to standard error."""
    from referee.sim.recording import Recorder  # noqa: PLC0415 - a wrong call fails without loading this
    from referee.sim.scenarios import NAMES  # noqa: PLC0415
    from referee.sim.scene import area_in_picture  # noqa: PLC0415

    evening, setting, faults, hardships = _evening(arguments)
    match = {
        "edition": evening.rules.edition,
        "players": NAMES[: evening.players.count],
        "first": 0,
        "games": arguments.games,
        "seed": arguments.seed,
        "size": setting.view.size,
        "area": area_in_picture(setting.view),
    }
    if hardships:
        match["hardships"] = hardships
    turns = faulty = 0
    with Recorder(arguments.out, setting, faults) as recorder, Progress("simulating", arguments.games) as progress:
        recorder.begin(match)
        for turn in evening.play():
            progress.done = turn.game - 1 + min(turn.number / _LONG_GAME_TURNS, 1.0) * _MAX_PROGRESS_SHARE
            progress.note = f"game {turn.game}, turn {turn.number}"
            recorder.record(turn, evening.scene)
            turns += 1
            faulty += turn.kind is not None
        recorder.end(evening.scene.now)
    print(
        f"{arguments.out}: {arguments.games} games of {evening.rules.edition}, {turns} turns, {faulty} with a fault",
        file=sys.stderr,
    )
    return 0


def _evening(
    arguments: argparse.Namespace,
) -> tuple["SimulatedMatch", "TableSetting", "CameraFaults | None", tuple["Hardship", ...]]:
    """Return the match to play, its table, its camera's faults and its hardships; ConfigError for a wrong option."""
    from referee.rules.editions import rule_set  # noqa: PLC0415 - a wrong call fails without loading this
    from referee.sim.camera_faults import CameraFaults  # noqa: PLC0415
    from referee.sim.hardship_kinds import random_hardships  # noqa: PLC0415
    from referee.sim.scenarios import match_with_hardships, simulated_match  # noqa: PLC0415

    size = _parse_size(arguments.size)
    if not 0 <= arguments.cheats <= 1:
        raise ConfigError(f"--cheats {arguments.cheats:g} is out of range; use 0 to 1")
    if not 1 <= arguments.games <= 1000:
        raise ConfigError(f"--games {arguments.games} is out of range; use 1 to 1000")
    if arguments.seed < 0:
        raise ConfigError(f"--seed {arguments.seed} is out of range; use 0 or more")
    rules, seed, games, rate = rule_set(arguments.edition), arguments.seed, arguments.games, arguments.cheats
    hardships = random_hardships(seed) if arguments.unkind else _parse_hardships(arguments.hardships)
    if not hardships:
        return *simulated_match(rules, seed=seed, games=games, cheat_rate=rate, size=size), None, ()
    evening, setting = match_with_hardships(
        rules, seed=seed, games=games, cheat_rate=rate, size=size, hardships=hardships, is_outlined=True
    )
    faults = CameraFaults.random(seed, hardships)
    evening.verdict_seconds = faults.verdict_seconds
    return evening, setting, faults, hardships


def _parse_hardships(names: Sequence[str]) -> tuple["Hardship", ...]:
    from referee.sim.hardship_kinds import Hardship  # noqa: PLC0415

    known = {hardship.value: hardship for hardship in Hardship}
    for name in names:
        if name not in known:
            raise ConfigError(f"--hardship {name[:40]!r} is none; use {', '.join(known)}")
    return tuple(known[name] for name in names)


def _parse_size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if not found:
        raise ConfigError(f"--size {text[:40]!r} is not a size; use WIDTHxHEIGHT in pixels, such as 1600x1200")
    return int(found[1]), int(found[2])
