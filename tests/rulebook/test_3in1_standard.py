from collections.abc import Callable

from referee.rules.editions import RuleSet
from referee.rules.verdict import JudgedSet

EDITION = "3in1-standard"

Read = Callable[[str], JudgedSet]


def test_opening_example(read: Read) -> None:
    """three-in-one-polish, Otwarcie, examples 1 and 2: 9 10 11, and 2 3 joker 5 6 whose joker is the 4."""
    assert read("R9 R10 R11").worth == 30
    assert read("B2 B3 J B5 B6").worth == 20


def test_box(rules: RuleSet) -> None:
    """three-in-one-polish, Przygotowanie gry 1: only the two red jokers are in play."""
    assert (rules.tile_count, len(rules.box)) == (106, 53)
