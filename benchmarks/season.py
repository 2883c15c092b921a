"""A season: simulated games of every edition, refereed through rendered frames by the real models.

    python -m benchmarks.season [--games 200] [--jobs 1] [--first 1000] [--out DIR] [--turns N]
        [--kind | --hardship NAME ...] [--size 1280x960] [--faces PHOTOS] [--no-outline] [--no-enrolment] [--journals]

Everything that can befall people, tiles, table and camera befalls them at random (`referee.sim.hardships`); with --kind
nothing does, and with --hardship only what is named.
Game k is of edition k modulo eight and has the seed first + k, so the same numbers play the same games again. Each game
that is finished is written into the folder at once; a season that was broken off goes on where it stopped. Pictures of
every judgement that went amiss lie beside, and with --journals the journal of every game (that of a game which was set
right cannot be repeated). Before a game with special jokers they are shown, as `referee calibrate tiles` asks for,
unless --no-enrolment is given. Where that step refuses the picture, they are laid elsewhere; after four the game
goes on without. The camera is calibrated, with the table's plane and the size of its tiles, but for --no-outline. With
--faces the tiles show those of a real box, cut out of labelled photographs. The report is
benchmarks/results/unkind-season.md, with --kind season.md, or --report FILE.
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

from benchmarks.photographed import cut_out, printed_as
from benchmarks.refereed import ACCUSED, KINDS, OTHERWISE, PASSED, UNDECIDED, How, referee_game
from referee.cli.progress import Progress, print_line
from referee.rules.editions import EDITIONS
from referee.sim.hardships import LASTING_HARDSHIPS, Hardship
from referee.sim.render import TableSetting
from referee.vision.networks.sidecar import find_models

HERE = Path(__file__).parent
CHEATS = 0.5  # wanted share of turns with a fault; where no trick can be played the turn is honest, so more are wanted
SIZE = "1280x960"  # as many pixels a tile as 1600x1200 from higher up, and fewer to paint and to read
FIRST_SIZE = "1600x1200"  # of the games that do not say
NICE = 5


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--games", type=int, default=200, metavar="N")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes; 0: write the report alone")
    parser.add_argument("--first", type=int, default=1000, metavar="SEED")
    parser.add_argument("--turns", type=int, metavar="N", help="of each game only so many turns")
    parser.add_argument("--out", type=Path, metavar="DIR", help="out/ and the name of the report")
    parser.add_argument("--size", default=SIZE, metavar="WxH")
    parser.add_argument("--faces", type=Path, metavar="PHOTOS", help="folder of labelled photographs of a box's tiles")
    parser.add_argument("--no-outline", dest="outline", action="store_false")
    parser.add_argument("--no-enrolment", dest="enrol", action="store_false")
    parser.add_argument("--journals", action="store_true", help="keep each match's journal beside its result")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--kind", action="store_true", help="let nothing befall the table")
    names = [one.value for one in Hardship]
    only.add_argument(
        "--hardship",
        action="append",
        dest="hardships",
        choices=names,
        metavar="NAME",
        help=f"let only this befall it; may be given several times: {', '.join(names)}",
    )
    parser.add_argument("--report", type=Path, metavar="FILE")
    words = parser.parse_args(argv)
    name = "season" if words.kind else "-".join(["unkind-season", *(words.hardships or ())])
    words.out = words.out or Path("out") / name
    if words.report is None:
        words.report = words.out / "report.md" if words.hardships else HERE / "results" / f"{name}.md"
    words.out.mkdir(parents=True, exist_ok=True)
    if words.faces:
        words.faces = cut_out(words.faces, words.out / "faces.npz")
    editions = list(EDITIONS)
    wanted = [(editions[game % len(editions)], words.first + game) for game in range(words.games)]
    open_games = [game for game in wanted if not _file(words.out, *game).exists()]
    if not words.jobs:
        open_games = []
    fresh = multiprocessing.get_context("spawn")  # a process a game: none inherits another's memory, or its growth
    with ProcessPoolExecutor(words.jobs or 1, fresh, _be_modest, max_tasks_per_child=1) as pool:
        running = [pool.submit(_play, edition, seed, words) for edition, seed in open_games]
        with Progress("playing", len(running)) as progress:
            for number, done in enumerate(as_completed(running), 1):
                print_line(done.result())
                write_report(words.report, wanted, words.out)
                progress.done = number
    played = write_report(words.report, wanted, words.out)
    wrong = sum(one["kind"] in {ACCUSED, PASSED} for game in played for one in game["amiss"])
    return 1 if wrong else 0


def _be_modest() -> None:
    os.nice(max(0, NICE - os.nice(0)))
    cv2.setNumThreads(1)


def _file(folder: Path, edition: str, seed: int) -> Path:
    return folder / f"{edition}-{seed}.json"


def _play(edition: str, seed: int, words: argparse.Namespace) -> str:
    width, height = map(int, words.size.split("x"))
    unkind = () if words.kind else tuple(map(Hardship, words.hardships or Hardship))
    how = How(
        size=(width, height),
        turns=words.turns,
        journal=words.journals,
        outline=words.outline,
        enrol=words.enrol,
        unkind=unkind,
    )
    if words.faces:
        how = replace(how, hung=partial(_with_faces, words.faces, seed))
    played_with = {"models": models(), "program": program()}
    game = asdict(referee_game(edition, seed, cheats=CHEATS, folder=words.out, how=how)) | played_with
    game |= {"edition": edition, "seed": seed, "size": words.size, "outline": words.outline}
    game |= {"photographed": bool(words.faces)}
    game |= {"on": f"{datetime.now(UTC):%Y-%m-%d}"}
    file = _file(words.out, edition, seed)
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps(game, indent=1, ensure_ascii=False), encoding="utf-8")
    fresh.replace(file)
    amiss = ", ".join(f"turn {one.get('turn')} {one['kind']}" for one in game["amiss"]) or "all as was true"
    return f"{edition} {seed}: {game['judgements']} judgements in {game['seconds']:.0f} s; {amiss}"


def _with_faces(faces: Path, seed: int, setting: TableSetting) -> TableSetting:
    return replace(setting, style=printed_as(setting.style, faces, seed))


def models() -> str:
    """The models by version and by the first digits of their checksums."""
    kinds = ("locate", "corners", "read")
    sidecars = [json.loads((find_models() / f"tiles-{name}.json").read_text("utf-8")) for name in kinds]
    names = zip(kinds, sidecars, strict=True)
    return ", ".join(f"{name} {said['version']} ({said['sha256'][:8]})" for name, said in names)


def program() -> str:
    """The commit that is played with, marked where files differ from it."""
    words = ["git", "-C", str(HERE), "describe", "--always", "--dirty"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def write_report(report: Path, wanted: Sequence[tuple[str, int]], folder: Path) -> list[dict[str, Any]]:
    """Write what the finished games came to; gives the games."""
    files = [_file(folder, *game) for game in wanted]
    games = [json.loads(file.read_text("utf-8")) for file in files if file.exists()]
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text("\n".join(_report(games, len(wanted))) + "\n", encoding="utf-8")
    return games


def _report(games: Sequence[dict[str, Any]], wanted: int) -> Iterator[str]:
    yield "# A season of simulated games"
    yield ""
    unkind = [game for game in games if game.get("camera")]
    kind = "" if unkind or not games else " --kind"
    made = f"python -m benchmarks.season{kind} --games {wanted}"
    yield f"`{made}`, {len(games)} of {wanted} games played."
    sizes = Counter(game.get("size", FIRST_SIZE) for game in games)
    told = ", ".join(f"{size.replace('x', ' × ')} in {count}" for size, count in sorted(sizes.items()))
    yield f"Frames of {told or 'no'} games, the real program, players who slip and cheat."
    shown = sum(game.get("enrolled", False) for game in games)
    if shown:
        yield f"In {shown} games the box's special jokers had been enrolled."
    refused = sum(bool(game.get("not_learnt")) and not game["enrolled"] for game in games)
    if refused:
        yield f"In {refused} games `referee calibrate tiles` refused them, and the game went on without."
    photographed = sum(game.get("photographed", False) for game in games)
    if photographed:
        yield f"In {photographed} games the tiles show a real box's, out of photographs that no model was trained on."
    blind = sum(not game.get("outline", True) for game in games)
    if blind:
        yield f"In {blind} of them the referee was not told which part of the picture is the table."
    yield ""
    yield from _by_edition(games)
    yield ""
    yield from _sums(games)
    yield ""
    yield from _hardships(unkind)
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
        struck = sum(one.get("switched", False) and one["kind"] in wrong for game in games for one in game["amiss"])
        yield f"In {moves} tile movements the identity of a tile became another one's {switches} times"
        yield f"({1000 * switches / moves:.1f} of 1,000)."
        yield f"{struck} wrong verdicts fell in a turn with such a switch or in the one after."
    spent = [game["processor"] for game in games if "processor" in game]
    if spent:
        yield f"A game took {median(spent):.0f} s of a processor (median)."


def _hardships(games: Sequence[dict[str, Any]]) -> Iterator[str]:
    """How often each hardship came, and what was amiss in turns in which it did."""
    if not games:
        return
    turns = sum(game["turns"] for game in games)
    whole = sum(game["whole"] for game in games)
    undecided = sum(one["kind"] == UNDECIDED and one.get("whole", False) for game in games for one in game["amiss"])
    befallen = sum(game["befallen"] for game in games)
    yield f"Where every tile lay whole, face up and uncovered, {undecided} of {whole} judgements were undecided"
    yield f"({100 * undecided / max(whole, 1):.2f} %; the bar is 2 %)."
    yield f"In {befallen} of {turns} turns something befell people or tiles; what lasts all evening comes in each."
    yield ""
    yield f"| hardship | turns | rate | {' | '.join(KINDS)} |"
    yield "|" + "---|" * (3 + len(KINDS))
    for hardship in Hardship:
        came = sum(game["hardships"].get(hardship.value, 0) for game in games)
        amiss = [one for game in games for one in game["amiss"] if hardship.value in one.get("hardships", ())]
        counts = [
            "" if hardship in LASTING_HARDSHIPS else str(sum(one["kind"] == kind for one in amiss)) for kind in KINDS
        ]
        if came:
            yield f"| {hardship.value} | {came} | {came / turns:.2f} | {' | '.join(counts)} |"
    yield ""


def _undecided(games: Sequence[dict[str, Any]]) -> tuple[int, int]:
    """How many judgements there were, and how many of them were left undecided."""
    undecided = sum(one["kind"] == UNDECIDED for game in games for one in game["amiss"])
    return sum(game["judgements"] for game in games), undecided


def _played_with(models: str, games: Sequence[dict[str, Any]]) -> Iterator[str]:
    """One line for the models, and one for each commit that games were played at with them."""
    judgements, undecided = _undecided(games)
    yield f"- {models}: {len(games)} games, {judgements} judgements, {undecided} undecided"
    for program, played in groupby(sorted(games, key=_program), _program):
        yield f"  - program {program}: {_ranges([int(game['seed']) for game in played])}"


def _ranges(seeds: Sequence[int]) -> str:
    """Tell numbers in order, those in a row as `1000 to 1125`."""
    rows = groupby(enumerate(sorted(seeds)), lambda numbered: numbered[1] - numbered[0])
    runs = [[seed for _, seed in row] for _, row in rows]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def _program(game: dict[str, Any]) -> str:
    return f"{game['program']} ({game['on']}, {game.get('size', FIRST_SIZE)})"


def _all_amiss(games: Sequence[dict[str, Any]]) -> Iterator[str]:
    amiss = [(game, one) for game in games for one in game["amiss"]]
    if not amiss:
        return
    yield ""
    yield "## What was not as was true"
    yield ""
    yield "| game | turn | was | trick | true | said | read otherwise |"
    yield "|---|---|---|---|---|---|---|"
    for game, one in amiss:
        yield _amiss_row(game, one)


def _row(name: str, games: Sequence[dict[str, Any]]) -> str:
    counts = [sum(one["kind"] == kind for game in games for one in game["amiss"]) for kind in KINDS]
    sums = [sum(game[field] for game in games) for field in ("turns", "faulty", "judgements")]
    return f"| {name} | " + " | ".join(str(figure) for figure in (len(games), *sums, *counts)) + " |"


def _amiss_row(game: dict[str, Any], one: dict[str, Any]) -> str:
    true = " ".join((*one["true"][0], one["true"][1])) if "true" in one else "-"
    said = " ".join((one["said"][0], *one["said"][1], one["said"][2])) if "said" in one else "-"
    read = "; ".join(one.get("misread", [])[:4]) or ("several layouts" if one.get("layouts", 1) > 1 else "-")
    name = f"{game['edition']} {game['seed']}"
    return f"| {name} | {one.get('turn', '-')} | {one['kind']} | {one.get('trick') or '-'} | {true} | {said} | {read} |"


if __name__ == "__main__":
    sys.exit(main())
