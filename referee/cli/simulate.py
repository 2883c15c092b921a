"""`referee simulate`: play matches on a rendered table and write the camera's frames and the button's presses."""

import argparse
import re
import sys
from pathlib import Path

from referee.cli.progress import Progress
from referee.errors import ConfigError

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
    parser.add_argument("--size", default="1600x1200", metavar="WxH", help="the camera's pictures (1600x1200)")
    parser.epilog = "A game takes a minute or two and some 200 MB; a line says so when all are written."


def run(arguments: argparse.Namespace) -> int:
    """Play and write the recording; print a summary to standard error."""
    from referee.rules.editions import rule_set  # noqa: PLC0415 - a wrong call fails without loading this
    from referee.sim.recording import Recorder  # noqa: PLC0415
    from referee.sim.scenarios import NAMES, simulated_match  # noqa: PLC0415
    from referee.sim.scene import area_in_picture  # noqa: PLC0415

    size = _parse_size(arguments.size)
    if not 0 <= arguments.cheats <= 1:
        raise ConfigError(f"--cheats {arguments.cheats:g} is out of range; use 0 to 1")
    if not 1 <= arguments.games <= 1000:
        raise ConfigError(f"--games {arguments.games} is out of range; use 1 to 1000")
    if arguments.seed < 0:
        raise ConfigError(f"--seed {arguments.seed} is out of range; use 0 or more")
    rules = rule_set(arguments.edition)
    evening, setting = simulated_match(
        rules, seed=arguments.seed, games=arguments.games, cheat_rate=arguments.cheats, size=size
    )
    match = {
        "edition": rules.edition,
        "players": NAMES[: evening.players.count],
        "first": 0,
        "games": arguments.games,
        "seed": arguments.seed,
        "size": size,
        "area": area_in_picture(setting.view),
    }
    turns = faulty = 0
    with Recorder(arguments.out, setting) as recorder, Progress("simulating", arguments.games) as progress:
        recorder.begin(match)
        for turn in evening.play():
            progress.done = turn.game - 1 + min(turn.number / _LONG_GAME_TURNS, 1.0) * _MAX_PROGRESS_SHARE
            progress.note = f"game {turn.game}, turn {turn.number}"
            recorder.record(turn, evening.scene)
            turns += 1
            faulty += turn.kind is not None
        recorder.end(evening.scene.now)
    print(
        f"{arguments.out}: {arguments.games} games of {rules.edition}, {turns} turns, {faulty} with a fault",
        file=sys.stderr,
    )
    return 0


def _parse_size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if not found:
        raise ConfigError(f"--size {text[:40]!r} is not a size; use WIDTHxHEIGHT in pixels, such as 1600x1200")
    return int(found[1]), int(found[2])
