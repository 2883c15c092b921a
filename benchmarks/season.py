"""Play a season: simulated games of every edition, refereed through rendered frames by the real models.

    python -m benchmarks.season [--games 200] [--jobs 1] [--first 1000] [--edition NAME ...] [--out DIR] [--turns N]
        [--kind | --hardship NAME ...] [--size 1280x960] [--faces PHOTOS] [--no-outline] [--no-enrolment] [--journals]
        [--evenings | --put-right]

All hardships of people, tiles and table occur at random (`referee.sim.hardship_kinds`), and in each game up to three of
light and camera; with --kind none do, with --hardship only those named. Game k has seed first + k and edition k modulo
eight, or with --edition the next of those named, so equal numbers give equal games.
Each finished game is written to the folder at once; an interrupted season resumes where it stopped. The folder also has
pictures of every failure, and with --journals the journal of every game (that of a corrected game cannot be repeated).
Special jokers are enrolled before the game, as with `referee calibrate tiles`, unless --no-enrolment is given. If that
step refuses the picture, they are laid elsewhere; after four refusals the game goes on without enrolment. The camera is
calibrated, with the table's plane and the tile size, except with --no-outline. With --faces the tiles are a real box's,
cut out of labelled photographs. The report is benchmarks/results/unkind-season.md, with --kind season.md, with
--hardship or --edition report.md in the folder, or --report FILE.

The organiser names tiles in doubt once, and puts nothing right, except with --put-right. With --evenings nobody helps
at all: a device without a page referees three games to their end, with racks shown and the table cleared. An evening is
lost from the first turn after which the referee's seat, game or table never is the true one again. Its report is
benchmarks/results/unkind-evenings.md or evenings.md, with --no-enrolment …-unenrolled.md.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

import cv2

from benchmarks.evening_report import evening_lines
from benchmarks.photographed import cut_out_faces, with_photographed_faces
from benchmarks.refereed import ACCUSED, KINDS, OTHERWISE, PASSED, UNDECIDED, GameOptions, referee_game
from referee.cli.progress import Progress, print_line
from referee.rules.editions import EDITIONS
from referee.sim.hardship_kinds import LASTING_HARDSHIPS, Hardship, random_hardships
from referee.sim.render import TableSetting
from referee.vision.networks.sidecar import find_models

HERE = Path(__file__).parent
CHEATS = 0.5  # the share of turns in which players try to cheat; not every position allows it
SIZE = "1280x960"  # as many pixels per tile as 1600x1200 from higher up, and faster
GAMES, EVENINGS = 200, 24  # of a season
EVENING_GAMES = 3
FIRST_SIZE = "1600x1200"  # of games without a recorded size
NICE = 5


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--games", type=int, metavar="N", help=f"or evenings ({GAMES}; {EVENINGS} evenings)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes; 0: write the report alone")
    parser.add_argument("--first", type=int, default=1000, metavar="SEED")
    parser.add_argument(
        "--edition",
        action="append",
        dest="editions",
        choices=list(EDITIONS),
        metavar="NAME",
        help="only this edition; may be given several times",
    )
    parser.add_argument("--turns", type=int, metavar="N", help="the number of turns of each game")
    parser.add_argument("--out", type=Path, metavar="DIR", help="out/ and the name of the report")
    parser.add_argument("--size", default=SIZE, metavar="WxH")
    parser.add_argument("--faces", type=Path, metavar="PHOTOS", help="folder of labelled photographs of a box's tiles")
    parser.add_argument("--no-outline", dest="outline", action="store_false")
    parser.add_argument("--no-enrolment", dest="enrol", action="store_false")
    parser.add_argument("--journals", action="store_true", help="keep each match's journal beside its result")
    helped = parser.add_mutually_exclusive_group()
    helped.add_argument("--evenings", action="store_true", help="three games without a page, and nobody helps")
    helped.add_argument("--put-right", action="store_true", help="correct a match that went astray")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--kind", action="store_true", help="without hardships")
    names = [hardship.value for hardship in Hardship]
    only.add_argument(
        "--hardship",
        action="append",
        dest="hardships",
        choices=names,
        metavar="NAME",
        help=f"only this hardship; may be given several times: {', '.join(names)}",
    )
    parser.add_argument("--report", type=Path, metavar="FILE")
    arguments = parser.parse_args(argv)
    arguments.games = arguments.games or (EVENINGS if arguments.evenings else GAMES)
    name = "-".join([_name(arguments), *(arguments.hardships or ())])
    arguments.out = arguments.out or Path("out") / name
    if arguments.report is None:
        is_part = arguments.hardships or arguments.editions
        arguments.report = arguments.out / "report.md" if is_part else HERE / "results" / f"{name}.md"
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.faces:
        arguments.faces = cut_out_faces(arguments.faces, arguments.out / "faces.npz")
    editions = arguments.editions or list(EDITIONS)
    requested = [(editions[game % len(editions)], arguments.first + game) for game in range(arguments.games)]
    missing_games = [game for game in requested if not _file(arguments.out, *game).exists()]
    if not arguments.jobs:
        missing_games = []
    context = multiprocessing.get_context("spawn")  # a process per game, so that none inherits another's memory
    with ProcessPoolExecutor(arguments.jobs or 1, context, _lower_priority, max_tasks_per_child=1) as pool:
        running = [pool.submit(_play, edition, seed, arguments) for edition, seed in missing_games]
        with Progress("playing", len(running)) as progress:
            for number, done in enumerate(as_completed(running), 1):
                print_line(done.result())
                write_report(arguments.report, requested, arguments.out)
                progress.done = number
    played = write_report(arguments.report, requested, arguments.out)
    wrong = sum(failure["kind"] in {ACCUSED, PASSED} for game in played for failure in game["amiss"])
    return 1 if wrong else 0


def _name(arguments: argparse.Namespace) -> str:
    """Return the name of the report and its folder."""
    played = "evenings" if arguments.evenings else "season"
    of_kind = played if arguments.kind else f"unkind-{played}"
    return of_kind if arguments.enrol or not arguments.evenings else f"{of_kind}-unenrolled"


def _lower_priority() -> None:
    os.nice(max(0, NICE - os.nice(0)))
    cv2.setNumThreads(1)


def _file(folder: Path, edition: str, seed: int) -> Path:
    return folder / f"{edition}-{seed}.json"


def _play(edition: str, seed: int, arguments: argparse.Namespace) -> str:
    width, height = map(int, arguments.size.split("x"))
    hardships = () if arguments.kind else tuple(map(Hardship, arguments.hardships or random_hardships(seed)))
    options = GameOptions(
        size=(width, height),
        turns=arguments.turns,
        keeps_journal=arguments.journals,
        has_outline=arguments.outline,
        enrols_jokers=arguments.enrol,
        hardships=hardships,
        games=EVENING_GAMES if arguments.evenings else 1,
        puts_right=arguments.put_right,
        answers=not arguments.evenings,
    )
    if arguments.faces:
        options = replace(options, adjust_setting=partial(_with_faces, arguments.faces, seed))
    played_with = {"models": models(), "program": program()}
    game = asdict(referee_game(edition, seed, cheats=CHEATS, folder=arguments.out, options=options)) | played_with
    game |= {"edition": edition, "seed": seed, "size": arguments.size, "outline": arguments.outline}
    game |= {"photographed": bool(arguments.faces), "evenings": arguments.evenings, "put_right": arguments.put_right}
    game |= {"on": f"{datetime.now(UTC):%Y-%m-%d}"}
    file = _file(arguments.out, edition, seed)
    temporary = file.with_suffix(".new")
    temporary.write_text(json.dumps(game, indent=1, ensure_ascii=False), encoding="utf-8")
    temporary.replace(file)
    amiss = ", ".join(f"turn {failure.get('turn')} {failure['kind']}" for failure in game["amiss"]) or "all as was true"
    return f"{edition} {seed}: {game['judgements']} judgements in {game['seconds']:.0f} s; {amiss}"


def _with_faces(faces: Path, seed: int, setting: TableSetting) -> TableSetting:
    return replace(setting, style=with_photographed_faces(setting.style, faces, seed))


def models() -> str:
    """Return the models with their versions and the first digits of their checksums."""
    kinds = ("locate", "corners", "read")
    sidecars = [json.loads((find_models() / f"tiles-{name}.json").read_text("utf-8")) for name in kinds]
    names = zip(kinds, sidecars, strict=True)
    return ", ".join(f"{name} {sidecar['version']} ({sidecar['sha256'][:8]})" for name, sidecar in names)


def program() -> str:
    """Return the commit, marked if files differ from it."""
    command = ["git", "-C", str(HERE), "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def write_report(report: Path, wanted: Sequence[tuple[str, int]], folder: Path) -> list[dict[str, Any]]:
    """Write the report on the finished games; return the games."""
    files = [_file(folder, *game) for game in wanted]
    games = [json.loads(file.read_text("utf-8")) for file in files if file.exists()]
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text("\n".join(_report(games, len(wanted))) + "\n", encoding="utf-8")
    return games


def _report(games: Sequence[dict[str, Any]], wanted: int) -> Iterator[str]:
    yield "# A season of simulated games"
    yield ""
    with_hardships = [game for game in games if game.get("camera")]
    evenings = any(game.get("evenings", False) for game in games)
    kind = ("" if with_hardships or not games else " --kind") + (" --evenings" if evenings else "")
    command = f"python -m benchmarks.season{kind} --games {wanted}"
    yield f"`{command}`, {len(games)} of {wanted} {'evenings' if evenings else 'games'} played."
    sizes = Counter(game.get("size", FIRST_SIZE) for game in games)
    sizes_text = ", ".join(f"{size.replace('x', ' × ')} in {count}" for size, count in sorted(sizes.items()))
    yield f"Frames of {sizes_text or 'no'} games, the real program, players who slip and cheat."
    enrolled = sum(game.get("enrolled", False) for game in games)
    if enrolled:
        yield f"In {enrolled} games the box's special jokers had been enrolled."
    refused = sum(bool(game.get("not_learnt")) and not game["enrolled"] for game in games)
    if refused:
        yield f"In {refused} games `referee calibrate tiles` refused them, and the game went on without."
    photographed = sum(game.get("photographed", False) for game in games)
    if photographed:
        yield f"In {photographed} games the tiles show a real box's, out of photographs that no model was trained on."
    without_outline = sum(not game.get("outline", True) for game in games)
    if without_outline:
        yield f"In {without_outline} of them the referee was not told which part of the picture is the table."
    yield ""
    yield from _by_edition(games)
    yield ""
    yield from _sums(games)
    yield ""
    yield from evening_lines([game for game in games if game.get("evening")])
    yield from _hardships(with_hardships)
    yield "## Played with"
    yield ""
    for models, of_models in groupby(sorted(games, key=lambda game: str(game["models"])), lambda game: game["models"]):
        yield from _played_with(models, list(of_models))
    yield from _all_amiss(games)
    yield ""


def _by_edition(games: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield f"| edition | games | turns | with a fault | judgements | {' | '.join(KINDS)} |"
    yield "|" + "---|" * (5 + len(KINDS))
    for edition in EDITIONS:
        of_edition = [game for game in games if game["edition"] == edition]
        if of_edition:
            yield _row(edition, of_edition)
    yield _row("**all**", games)


def _sums(games: Sequence[dict[str, Any]]) -> Iterator[str]:
    judgements, undecided = _undecided(games)
    yield f"Undecided: {undecided} of {judgements} ({100 * undecided / max(judgements, 1):.2f} %)."
    for kind in ("legal", "illegal"):
        waits = sorted(wait for game in games for wait in game["waits"][kind])
        if waits:
            late = waits[min(len(waits) - 1, int(0.99 * len(waits)))]
            yield f"From press to verdict of {kind} tables, in the match's time: median {median(waits):.2f} s,"
            yield f"99th percentile {late:.2f} s, with a look every 0.2 s."
    moves, switches = (sum(game.get(count, 0) for game in games) for count in ("moves", "switches"))
    if moves:
        wrong = {ACCUSED, PASSED, OTHERWISE}
        affected = sum(
            failure.get("switched", False) and failure["kind"] in wrong for game in games for failure in game["amiss"]
        )
        yield f"In {moves} tile movements the identity of a tile became another one's {switches} times"
        yield f"({1000 * switches / moves:.1f} of 1,000)."
        yield f"{affected} wrong verdicts fell in a turn with such a switch or in the one after."
    spent = [game["processor"] for game in games if "processor" in game]
    if spent:
        yield f"A game took {median(spent):.0f} s of a processor (median)."


def _hardships(games: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield how often each hardship occurred, and the failures in its turns."""
    if not games:
        return
    turns = sum(game["turns"] for game in games)
    whole = sum(game["whole"] for game in games)
    undecided = sum(
        failure["kind"] == UNDECIDED and failure.get("whole", False) for game in games for failure in game["amiss"]
    )
    befallen = sum(game["befallen"] for game in games)
    yield f"Where every tile lay whole, face up and uncovered, {undecided} of {whole} judgements were undecided"
    yield f"({100 * undecided / max(whole, 1):.2f} %; the bar is 2 %)."
    yield f"In {befallen} of {turns} turns something befell people or tiles; what lasts all evening comes in each."
    yield ""
    yield f"| hardship | turns | rate | {' | '.join(KINDS)} |"
    yield "|" + "---|" * (3 + len(KINDS))
    for hardship in Hardship:
        turns_with = sum(game["hardships"].get(hardship.value, 0) for game in games)
        amiss = [
            failure for game in games for failure in game["amiss"] if hardship.value in failure.get("hardships", ())
        ]
        counts = [
            "" if hardship in LASTING_HARDSHIPS else str(sum(failure["kind"] == kind for failure in amiss))
            for kind in KINDS
        ]
        if turns_with:
            yield f"| {hardship.value} | {turns_with} | {turns_with / turns:.2f} | {' | '.join(counts)} |"
    yield ""


def _undecided(games: Sequence[dict[str, Any]]) -> tuple[int, int]:
    """Return the number of judgements, and how many were undecided."""
    undecided = sum(failure["kind"] == UNDECIDED for game in games for failure in game["amiss"])
    return sum(game["judgements"] for game in games), undecided


def _played_with(models: str, games: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for the models, and one for each commit that played games with them."""
    judgements, undecided = _undecided(games)
    yield f"- {models}: {len(games)} games, {judgements} judgements, {undecided} undecided"
    for program, played in groupby(sorted(games, key=_program), _program):
        yield f"  - program {program}: {_ranges([int(game['seed']) for game in played])}"


def _ranges(seeds: Sequence[int]) -> str:
    """Format sorted numbers, consecutive ones as `1000 to 1125`."""
    rows = groupby(enumerate(sorted(seeds)), lambda numbered: numbered[1] - numbered[0])
    runs = [[seed for _, seed in row] for _, row in rows]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def _program(game: dict[str, Any]) -> str:
    return f"{game['program']} ({game['on']}, {game.get('size', FIRST_SIZE)})"


def _all_amiss(games: Sequence[dict[str, Any]]) -> Iterator[str]:
    amiss = [(game, failure) for game in games for failure in game["amiss"]]
    if not amiss:
        return
    yield ""
    yield "## What was not as was true"
    yield ""
    yield "| game | turn | was | trick | true | said | read otherwise |"
    yield "|---|---|---|---|---|---|---|"
    for game, failure in amiss:
        yield _amiss_row(game, failure)


def _row(name: str, games: Sequence[dict[str, Any]]) -> str:
    counts = [sum(failure["kind"] == kind for game in games for failure in game["amiss"]) for kind in KINDS]
    sums = [sum(game[field] for game in games) for field in ("turns", "faulty", "judgements")]
    return f"| {name} | " + " | ".join(str(figure) for figure in (len(games), *sums, *counts)) + " |"


def _amiss_row(game: dict[str, Any], failure: dict[str, Any]) -> str:
    true = " ".join((*failure["true"][0], failure["true"][1])) if "true" in failure else "-"
    said = " ".join((failure["said"][0], *failure["said"][1], failure["said"][2])) if "said" in failure else "-"
    read = "; ".join(failure.get("misread", [])[:4]) or ("several layouts" if failure.get("layouts", 1) > 1 else "-")
    name = f"{game['edition']} {game['seed']}"
    turn, trick = failure.get("turn", "-"), failure.get("trick") or "-"
    return f"| {name} | {turn} | {failure['kind']} | {trick} | {true} | {said} | {read} |"


if __name__ == "__main__":
    sys.exit(main())
