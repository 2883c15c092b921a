"""Time the solver on random positions, beside rummikub-solver from PyPI if a Python with it is given.

    python benchmarks/solve.py [--peer PYTHON] [--editions ID ...] [--jokers 5-8] [--seconds 10] [--write]

The peer needs an environment of its own (its GLPK backend is GPL, and nothing here depends on it):

    python3 -m venv peer && peer/bin/pip install rummikub-solver==1.0.0 cvxopt
    python benchmarks/solve.py --peer peer/bin/python --write

A position is a legal table of 20 to 80 tiles, drawn set by set from the box, and a rack of 14 of the other tiles; with
`--jokers` the rack has each number of jokers in rotation. The report names the checksum of the positions. Both solvers
get the same positions alternately, one thread each, so that other load affects both alike. Measured is the processor
time of one answer: for ours with the table laid out and judged, for the peer `RuleSet.solve`.
"""

import argparse
import hashlib
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from referee.rules.editions import EDITIONS, RuleSet, rule_set
from referee.rules.notation import format_table, format_tiles
from referee.rules.sets import is_set
from referee.rules.table import Table, TileSet
from referee.rules.tiles import Colour, Joker, JokerKind, NumberTile, Tile
from referee.solver import best_play

RACK_TILES = 14
FEWEST, MOST = 20, 80
GROUPS, JOKERS = 0.4, 0.25  # the shares of drawn sets that are groups, and that get a joker
PEER = """
import json, sys, time
from cvxpy import installed_solvers
from rummikub_solver import MILPSolver, RuleSet, SolverMode
if sys.argv[1] not in installed_solvers():
    sys.exit(f"its backends here are {', '.join(installed_solvers())}")
told, sys.stdout = sys.stdout, sys.stderr
rules = RuleSet(solver_backend=MILPSolver[sys.argv[1]])
print(json.dumps("ready"), file=told, flush=True)
for line in sys.stdin:
    table, rack = json.loads(line)
    game = rules.new_game()
    game.initial = False
    game.add_table(*[rules.tiles[place] for place in table])
    game.add_rack(*[rules.tiles[place] for place in rack])
    begin = time.process_time()
    answer = rules.solve(game, SolverMode.TILE_COUNT)
    seconds = time.process_time() - begin
    print(json.dumps([len(answer.tiles) if answer else 0, seconds]), file=told, flush=True)
"""


@dataclass(frozen=True, slots=True)
class Position:
    """A table and a rack."""

    table: Table
    rack: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The tiles a solver lays, its seconds, and whether it proved that there is no better play."""

    tiles: int
    seconds: float
    proven: bool
    tiles_proven: bool = True


Solver = Callable[[Position], Answer]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--peer", metavar="PYTHON", help="a Python that has rummikub-solver and cvxopt")
    parser.add_argument("--backends", nargs="+", default=["GLPK_MI"], help="the peer's backends to time")
    parser.add_argument("--editions", nargs="+", default=list(EDITIONS))
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jokers", metavar="LEAST-MOST", help="how many jokers are on the rack, such as 5-8")
    parser.add_argument("--seconds", type=float, default=10, help="the most that ours may take for a position")
    parser.add_argument("--write", action="store_true", help="write benchmarks/results/solve.md")
    arguments = parser.parse_args()
    parts = [_edition(edition, arguments) for edition in arguments.editions]
    command = " ".join(["python", "benchmarks/solve.py", *_options_text(arguments)])
    report = _report(command, parts)
    print(report)
    if arguments.write:
        results = Path(__file__).parent / "results"
        results.mkdir(exist_ok=True)
        (results / "solve.md").write_text(report, encoding="utf-8")
    return 0


def _options_text(arguments: argparse.Namespace) -> Iterator[str]:
    if arguments.peer:
        yield "--peer peer/bin/python"
    yield f"--backends {' '.join(arguments.backends)}"
    yield f"--editions {' '.join(arguments.editions)} --positions {arguments.positions} --seed {arguments.seed}"
    if arguments.jokers:
        yield f"--jokers {arguments.jokers}"
    yield f"--seconds {arguments.seconds:g}"


def _edition(edition: str, arguments: argparse.Namespace) -> str:
    rules = rule_set(edition)
    rng = random.Random(arguments.seed)
    counts = _joker_counts(arguments.jokers)
    positions = [random_position(rules, rng, counts[at % len(counts)]) for at in range(arguments.positions)]
    solvers: dict[str, Solver] = {"referee": lambda position: _ours(position, rules, arguments.seconds)}
    has_same_rules = rules.tile_count == 106 and not rules.strict_joker_release
    if arguments.peer and has_same_rules:
        for backend in arguments.backends:
            solvers[f"rummikub-solver 1.0.0, {backend}"] = _peer(arguments.peer, backend)
    for solve in solvers.values():
        solve(positions[0])  # fill the caches before timing
    answers: dict[str, list[Answer]] = {name: [] for name in solvers}
    for position in positions:
        for name, solve in solvers.items():
            answers[name].append(solve(position))
    return _section(edition, answers, _checksum(positions))


def _joker_counts(text: str | None) -> Sequence[int | None]:
    if text is None:
        return [None]
    least, _, most = text.partition("-")
    return range(int(least), int(most or least) + 1)


def _checksum(positions: Sequence[Position]) -> str:
    text = "\n".join(f"{format_table(at.table)} + {format_tiles(at.rack)}" for at in positions)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# ---- positions -----------------------------------------------------------------------------------------------------


def random_position(rules: RuleSet, rng: random.Random, jokers: int | None = None) -> Position:
    """Draw sets from the box until the table is large enough, then a rack, with `jokers` jokers if given."""
    box = [tile for tile, count in rules.box.items() for _ in range(count)]
    rng.shuffle(box)
    reserved = [tile for tile in box if isinstance(tile, Joker)][: jokers or 0]
    for joker in reserved:
        box.remove(joker)
    wanted = rng.randint(FEWEST, MOST)
    sets: list[TileSet] = []
    tiles_on_table = 0
    while tiles_on_table < wanted:
        tiles = random_set(box, rules, rng)
        sets.append(tiles)
        tiles_on_table += len(tiles)
        for tile in tiles:
            box.remove(tile)
    if jokers is not None:
        box = [*reserved, *(tile for tile in box if isinstance(tile, NumberTile))]
    return Position(Table(tuple(sets)), tuple(box[:RACK_TILES]))


def random_set(box: Sequence[Tile], rules: RuleSet, rng: random.Random) -> TileSet:
    """Return a random set of these tiles; one in four has a joker in a tile's place."""
    jokers = [tile for tile in box if isinstance(tile, Joker)]
    while True:
        tiles: tuple[Tile, ...] = _random_group(rng) if rng.random() < GROUPS else _random_run(rng)
        if jokers and rng.random() < JOKERS:
            tiles = _with_joker(tiles, rng.choice(jokers), rng)
        if is_set(tiles, rules) and all(tiles.count(tile) <= box.count(tile) for tile in set(tiles)):
            return tiles


def _random_group(rng: random.Random) -> tuple[Tile, ...]:
    number = rng.randint(1, 13)
    return tuple(NumberTile(colour, number) for colour in rng.sample(list(Colour), rng.choice((3, 4))))


def _random_run(rng: random.Random) -> tuple[Tile, ...]:
    length = rng.choice((3, 3, 3, 4, 4, 5, 6))
    first = rng.randint(1, 14 - length)
    colour = rng.choice(list(Colour))
    return tuple(NumberTile(colour, number) for number in range(first, first + length))


def _with_joker(tiles: tuple[Tile, ...], joker: Joker, rng: random.Random) -> tuple[Tile, ...]:
    """Put a joker into a set as its kind does; the result need not be a set."""
    index = rng.randrange(len(tiles))
    match joker.kind:
        case JokerKind.DOUBLE:
            return (*tiles[:index], joker, *tiles[index + 2 :])
        case JokerKind.COLOUR_CHANGE:
            other = rng.choice(list(Colour))
            after = [NumberTile(other, tile.number) for tile in tiles[index + 1 :] if isinstance(tile, NumberTile)]
            return (*tiles[:index], joker, *after)
        case JokerKind.MIRROR:
            half = tiles[: rng.choice((1, 2, 2, 3))]
            return (*half, joker, *reversed(half))
        case _:
            return (*tiles[:index], joker, *tiles[index + 1 :])


# ---- solvers -------------------------------------------------------------------------------------------------------


def _ours(position: Position, rules: RuleSet, seconds: float) -> Answer:
    begin = time.process_time()
    play = best_play(position.table, position.rack, rules, seconds=seconds)
    return Answer(len(play.tiles), time.process_time() - begin, play.optimal, play.tiles_proven)


def _peer(python: str, backend: str) -> Solver:
    """Start the peer in its own process, which solves positions one at a time."""
    stderr = tempfile.TemporaryFile("w+")  # noqa: SIM115 - read when the peer fails, closed with this process
    try:
        process = subprocess.Popen(
            [python, "-c", PEER, backend], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True
        )
    except OSError as error:
        sys.exit(f"--peer {python} cannot be run: {error.strerror}; give a Python that has rummikub-solver and cvxopt")

    def answer(question: str | None = None) -> Any:
        try:
            if question is not None:
                print(question, file=process.stdin, flush=True)
            return json.loads(process.stdout.readline() if process.stdout else "")
        except (BrokenPipeError, json.JSONDecodeError):
            process.wait()
            stderr.seek(0)
            lines = [line for line in stderr.read().splitlines() if line.strip()] or ["it ended without a word"]
            way_out = "the head of this script says how to install it"
            sys.exit(f"rummikub-solver with --backends {backend} failed: {lines[-1].strip()}; {way_out}")

    answer()

    def solve(position: Position) -> Answer:
        # The peer numbers tiles as we do: four colours of thirteen, then the joker.
        codes = [[tile.code for tile in tiles] for tiles in (position.table.tiles, position.rack)]
        tiles, seconds = answer(json.dumps(codes))
        return Answer(tiles, seconds, proven=True)

    return solve


# ---- the report ----------------------------------------------------------------------------------------------------


def _section(edition: str, answers: dict[str, list[Answer]], checksum: str) -> str:
    lines = [
        f"## {edition}, {len(answers['referee'])} positions ({checksum})",
        "",
        "| solver | median ms | mean ms | 90th | 99th | longest | tiles proven | proven | tiles laid |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, given in answers.items():
        milliseconds = [1000 * answer.seconds for answer in given]
        figures = [
            statistics.median(milliseconds),
            statistics.mean(milliseconds),
            *np.percentile(milliseconds, [90, 99, 100]),
        ]
        proven = f"{sum(answer.tiles_proven for answer in given)} | {sum(answer.proven for answer in given)}"
        proven = proven if name == "referee" else "– | –"
        written = " | ".join(f"{figure:.1f}" for figure in figures)
        lines.append(f"| {name} | {written} | {proven} | {sum(answer.tiles for answer in given)} |")
    lines.append("")
    for name, given in answers.items():
        if name != "referee":
            lines += [*_compared(name, answers["referee"], given), ""]
    return "\n".join(lines)


def _compared(name: str, ours: list[Answer], theirs: list[Answer]) -> Iterator[str]:
    own, other = ([answer.seconds for answer in given] for given in (ours, theirs))
    ratios = [np.percentile(own, rank) / np.percentile(other, rank) for rank in (50, 99)]
    yield f"Ours takes {ratios[0]:.2f} of the time of {name} at the median and {ratios[1]:.2f} at the 99th percentile."
    fewer = sum(answer.tiles < best.tiles for answer, best in zip(theirs, ours, strict=True))
    more = sum(answer.tiles > best.tiles for answer, best in zip(theirs, ours, strict=True))
    yield f"It lays fewer tiles than ours in {fewer} positions and more in {more}."


def _report(command: str, parts: Sequence[str]) -> str:
    when = datetime.now(UTC).date()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, one thread"
    head = f"# Solving random positions\n\n{when}, {machine}\n\n`{command}`\n"
    return "\n".join([head, *parts])


if __name__ == "__main__":
    sys.exit(main())
