"""Time the judge on full tables of every box size, cold and warm, and measure its memory."""

import argparse
import platform
import resource
import statistics
import sys
import time
import tracemalloc
from collections.abc import Iterator

from referee.rules.editions import EDITIONS, rule_set
from referee.rules.judge import judge_turn
from referee.rules.notation import parse_table
from referee.rules.set_reading import stand_in
from referee.rules.sets import clear_cache
from referee.rules.table import Table
from referee.rules.verdict import Legal

COLOURS = "KRBO"
HEADING = "| turn | tiles | sets | median ms | 99 % ms |\n|---|---|---|---|---|"


def run(colour: str, first: int, last: int) -> str:
    return " ".join(f"{colour}{number}" for number in range(first, last + 1))


def groups(copies: int) -> str:
    """Return every number tile of a box, in groups."""
    return " / ".join(
        " ".join(f"{colour}{number}" for colour in COLOURS) for number in range(1, 14) for _ in range(copies)
    )


def runs(colours: str, copies: int) -> list[str]:
    """Return every tile of some colours, in runs."""
    return [run(colour, *ends) for colour in colours for _ in range(copies) for ends in ((1, 4), (5, 8), (9, 13))]


def full_classic() -> str:
    """Return 106 tiles in 25 sets: all number tiles and both jokers."""
    with_jokers = [
        "K1 K2 K3 K4",
        "K5 K6 K7 J",
        "K8 K9 K10 K11 K12 K13",
        "K1 K2 K3 K4",
        "K5 K6 K7 J",
        "K8 K9 K10",
        "K11 K12 K13",
    ]
    return " / ".join([*with_jokers, *runs("RBO", 2)])


def full_twist() -> str:
    """Return 112 tiles in 24 sets: all number tiles and all eight jokers."""
    black = ["K1 K2 K3 K4", "K5 K6 K7 J", "K8 K9 K10 K11 K12 K13"] * 2
    red = ["R1 R2 R3 R4", "R5 R6 JD", "R7 R8 R9 R10 R11 R12 R13"] * 2
    blue = ["B1 B2 B3 B4 JC", "B5 B6 B7 B8", "B9 B10 B11 B12 B13"] * 2
    orange = [
        "O1 O2 JM O2 O1",
        "O3 O4 O5 O6 O7 O8",
        "O3 O4 O5 O6 O7 O8",
        "O12 O13 JM O13 O12",
        "O9 O10 O11",
        "O9 O10 O11",
    ]
    return " / ".join([*black, *red, *blue, *orange])


def other_twist() -> str:
    """Return the full twist table less one tile, with every joker in another set."""
    black_and_blue = ["K1 K2 K3 K4 K5", "B1 B2 B3 B4 JC K6 K7 J", "B5 B6 B7 B8", "B9 B10 B11 B12 B13"] * 2
    red = ["R1 R2 R3", "R4 R5 R6 JD", "R7 R8 R9 R10 R11 R12 R13"] * 2
    orange = ["O1 O2 O3 JM O3 O2 O1", *["O4 O5 O6 O7 O8 O9 O10"] * 2, "O11 O12 O13 JM O13 O12 O11"]
    return " / ".join([*black_and_blue, "K8 K9 K10 K11 K12 K13", "K8 K9 K10 K11 K12", *red, *orange])


def full_xp() -> str:
    """Return 160 tiles: three of each number tile and four jokers."""
    with_jokers = ["K1 K2 K3 K4", "K5 K6 K7 J", "K8 K9 K10 K11 K12 K13"] * 3 + [
        "R1 R2 R3 J",
        "R4 R5 R6 R7 R8",
        "R9 R10 R11 R12 R13",
    ]
    return " / ".join([*with_jokers, *runs("R", 2), *runs("BO", 3)])


def measure(before: str, after: str, edition: str, *, cold: bool, times: int) -> list[float]:
    """Return sorted milliseconds of processor time of each turn; `cold` empties all caches first."""
    tables, rules = (parse_table(before), parse_table(after)), rule_set(edition)
    found = []
    for _ in range(times):
        if cold:
            clear_cache()
            stand_in.cache_clear()
        start = time.process_time()
        verdict = judge_turn(*tables, opened=True, rules=rules)
        found.append((time.process_time() - start) * 1000)
        if not isinstance(verdict, Legal):
            sys.exit(f"a table of the benchmark is not legal: {verdict}")
    return sorted(found)


def row(name: str, table: Table, times: list[float]) -> str:
    median, worst = statistics.median(times), times[int(len(times) * 0.99)]
    return f"| {name} | {len(table.tiles)} | {len(table.sets)} | {median:.3f} | {worst:.3f} |"


def report(times: int) -> Iterator[str]:
    clear_cache()
    machine = f"Python {platform.python_version()}, {platform.machine()}"
    yield f"`python benchmarks/judge.py --times {times}` on {machine}.\n"
    yield "Processor time, so that other work on the machine does not count."
    yield "Cold: no reading kept from an earlier turn. `anew`: every set of the table before was broken up."
    yield "`one set`: one set was added to a table that stayed.\n"
    yield HEADING
    after = full_twist()
    for cold in (True, False):
        label = f"3in1-twist, anew, every joker moved, {'cold' if cold else 'warm'}"
        yield row(label, parse_table(after), measure(other_twist(), after, "3in1-twist", cold=cold, times=times))
    full = {"original": full_classic(), "3in1-twist": full_twist(), "xp": full_xp()}
    for edition, after in full.items():
        for name, before in (
            ("anew", groups(EDITIONS[edition].box[parse_table("K1").tiles[0]])),
            ("one set", after.rsplit(" / ", 1)[0]),
        ):
            for cold in (True, False):
                label = f"{edition}, {name}, {'cold' if cold else 'warm'}"
                yield row(label, parse_table(after), measure(before, after, edition, cold=cold, times=times))
    tracemalloc.start()
    measure(groups(2), full["3in1-twist"], "3in1-twist", cold=True, times=5)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield f"\nMemory: a full twist table judged cold takes {peak / 1024:.0f} KiB at its peak,"
    yield f"the whole process {resident / 1024:.0f} MiB."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=500, help="turns to judge for each line")
    print("\n".join(report(parser.parse_args().times)))


if __name__ == "__main__":
    main()
