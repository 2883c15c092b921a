"""What the rulebook tests share: a judge in notation, and the moves that every booklet shows in pictures.

The scans have lost the pictures; the tiles are put together again from the captions and what can be read of them.
"""

from collections.abc import Callable

import pytest

from referee.rules.answer import answer
from referee.rules.editions import rule_set
from referee.rules.judge import judge_set, judge_turn
from referee.rules.notation import parse_table, parse_tiles
from referee.rules.verdict import JudgedSet

MANIPULATIONS = {
    "add tiles from the rack to a run and to a group": ("B4 B5 B6 / O8 R8 K8", "B3 B4 B5 B6 / O8 R8 K8 B8"),
    "take the fourth tile of a group for a new run": ("B4 R4 O4 K4", "R4 O4 K4 / B3 B4 B5 B6"),
    "add a fourth tile and take one for a new group": ("B8 B9 B10", "B9 B10 B11 / B8 R8 O8"),
    "split a run": ("R4 R5 R6 R7 R8", "R4 R5 R6 / R6 R7 R8"),
    "combined split": ("O1 O2 O3 O4 / R1 K1 B1 O1", "B1 O1 R1 / O2 O3 O4 / K1 B1 O1"),
    "multiple split": (
        "R5 R6 R7 / O5 O6 O7 / K5 K6 K7 K8 K9",
        "R5 O5 K5 B5 / R6 O6 K6 / R7 O7 K7 / K8 K9 K10",
    ),
}
"""The six manipulations: the table before and after."""

FOUR_WAYS = {
    "1, replaced by one tile of the rack": ("R3 B3 J", "R3 B3 K3 / J O10 O11"),
    "1, replaced by both tiles of the rack": ("R3 B3 J", "R3 B3 K3 O3 / J O10 O11"),
    "2, the run is split": ("B2 B3 J B5 B6", "B1 B2 B3 / B5 B6 B7 / J O10 O11"),
    "3, the blue 5 is added": ("J B6 B7", "B5 B6 B7 / J O10 O11"),
    "4, the run is dissolved into groups": (
        "K1 K2 J / R1 B1 O1 / R2 B2 O2",
        "R1 B1 O1 K1 / R2 B2 O2 K2 / J O10 O11",
    ),
}
"""The four ways to clear a joker: the table before and after."""

Judged = Callable[..., list[str]]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give every edition the shared moves, named after its own booklet and clause."""
    for name, clause, moves in (("manipulation", "MANIPULATION", MANIPULATIONS), ("clearing", "CLEARING", FOUR_WAYS)):
        if name in metafunc.fixturenames:
            where = f"{metafunc.module.BOOKLET}, {getattr(metafunc.module, clause)}"
            metafunc.parametrize(name, [pytest.param(move, id=f"{where}: {what}") for what, move in moves.items()])


@pytest.fixture
def faults(request: pytest.FixtureRequest) -> Judged:
    """Return a function that judges a turn in the module's edition and returns the names of its faults."""

    def judged(before: str, after: str, *, opened: bool = True) -> list[str]:
        rules = rule_set(request.module.EDITION)
        verdict = judge_turn(parse_table(before), parse_table(after), opened=opened, rules=rules)
        found = answer(verdict)
        names = [violation.fault.value for violation in verdict.violations]
        assert found["verdict"] == ("undecided" if "impossible_tiles" in names else "illegal" if names else "legal")
        return names

    return judged


@pytest.fixture
def read(request: pytest.FixtureRequest) -> Callable[[str], JudgedSet]:
    """Return a function that reads some tiles as a set of the module's edition."""
    return lambda tiles: judge_set(parse_tiles(tiles), rule_set(request.module.EDITION))
