"""How many sets there are, counted by hand or published by others: the engine must find exactly as many.

A run of length n in one of 4 colours begins at one of 14 - n numbers: 4 x (11 + 10 + ... + 1) = 264 runs, 44 of
three tiles, 40 of four and 36 of five. A group leaves out at most one of four colours: 13 x 4 of three and 13 of four.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement

import pytest

from referee.rules.editions import rule_set
from referee.rules.sets import is_set, preferred_reading
from referee.rules.table import TileSet
from referee.rules.tiles import LOWEST, PLAIN_JOKERS, Colour, NumberTile, Tile

RULES = rule_set("original")
JOKER = PLAIN_JOKERS[0]


@cache
def natural_sets() -> tuple[TileSet, ...]:
    """Every set without a joker, found by asking the engine about every choice that could be one."""
    rows = [tuple(NumberTile(colour, number) for number in range(LOWEST, 14)) for colour in Colour]
    stacks = [tuple(NumberTile(colour, number) for colour in Colour) for number in range(LOWEST, 14)]
    candidates: set[TileSet] = set()
    for tiles in (*rows, *stacks):
        for size in range(1, len(tiles) + 1):
            candidates.update(combinations(tiles, size))
    return tuple(tiles for tiles in candidates if is_set(tiles, RULES))


def with_jokers(jokers: int) -> set[TileSet]:
    """Every set with exactly so many jokers: some tiles of a natural set replaced, if the engine agrees."""
    return {
        (*rest, *[JOKER] * jokers)
        for tiles in natural_sets()
        for rest in combinations(tiles, len(tiles) - jokers)
        if rest and is_set((*rest, *[JOKER] * jokers), RULES)
    }


@cache
def sets_up_to(jokers: int) -> tuple[TileSet, ...]:
    return tuple(tiles for count in range(jokers + 1) for tiles in with_jokers(count))


def kinds_by_size(tiles: tuple[TileSet, ...]) -> Counter[tuple[str, int]]:
    found: Counter[tuple[str, int]] = Counter()
    for one in tiles:
        reading = preferred_reading(one, RULES)
        assert reading is not None
        found[reading.kind.value, len(one)] += 1
    return found


def test_264_runs_and_65_groups_without_jokers() -> None:
    found = kinds_by_size(natural_sets())
    assert sum(count for (kind, _), count in found.items() if kind == "run") == 264
    assert sum(count for (kind, _), count in found.items() if kind == "group") == 65


@pytest.mark.parametrize(("size", "runs", "groups"), [(3, 44, 52), (4, 40, 13), (5, 36, 0)])
def test_runs_and_groups_by_size(size: int, runs: int, groups: int) -> None:
    found = kinds_by_size(natural_sets())
    assert (found["run", size], found["group", size]) == (runs, groups)


def test_1911_sets_with_at_most_one_joker() -> None:
    """The 329 natural sets and 1582 with one joker, as different collections of tiles."""
    assert len(sets_up_to(1)) == 1911


def test_6301_sets_with_at_most_two_jokers() -> None:
    assert len(sets_up_to(2)) == 6301


def test_1173_of_them_have_at_most_five_tiles() -> None:
    """A solver need not know longer runs: six tiles and more are two sets."""
    assert sum(len(tiles) <= 5 for tiles in sets_up_to(2)) == 1173


def box_choices(size: int) -> Iterator[TileSet]:
    """Every collection of so many tiles that the box of two each can hold, in one order."""
    tiles: tuple[Tile, ...] = tuple(RULES.box)
    for choice in combinations_with_replacement(tiles, size):
        if size < 3 or max(Counter(choice).values()) <= 2:
            yield choice


@pytest.mark.parametrize(
    ("size", "choices", "sets"),
    [
        pytest.param(3, 26_182, 318, id="three tiles"),
        pytest.param(4, 364_481, 439, id="four tiles", marks=pytest.mark.slow),
    ],
)
def test_order_free_check_of_the_whole_box(size: int, choices: int, sets: int) -> None:
    """Of all collections of the box exactly these are sets, whatever order they are laid in."""
    found = [is_set(tiles, RULES) for tiles in box_choices(size)]
    assert (len(found), sum(found)) == (choices, sets)
