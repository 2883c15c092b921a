"""Whoever is accused did it: five kinds of mistakes are made at a table of legal sets, and the right tiles are named.

What is a set is asked of the independent judge of `test_oracle`. A few of each kind are in `make test`.
"""

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from referee.rules.editions import rule_set
from referee.rules.judge import judge_turn
from referee.rules.notation import parse_table
from referee.rules.verdict import Fault, Verdict

from .test_blame import KINDS, a_set
from .test_oracle import readings

MOST_JOKERS = 4  # trying every order of more takes the independent judge too long
Row = list[str]
AMOUNTS = [pytest.param(12, id="a few"), pytest.param(400, id="all", marks=pytest.mark.slow)]


@dataclass(frozen=True)
class Turn:
    """A turn, and for each row of the table after it the tiles that may be named, and those that must be."""

    before: list[Row]
    after: list[Row]
    accused: dict[int, tuple[Counter[str], Counter[str]]]


@cache
def is_known_set(row: tuple[str, ...]) -> bool:
    return bool(readings([*row], middle_counts=False))


def is_set(row: Row) -> bool:
    return is_known_set((*row,))


def without(row: Row, *places: int) -> Row:
    return [tile for place, tile in enumerate(row) if place not in places]


def tiles_of(kind: str) -> Row:
    jokers = ["JK", "JR", "JB", "JO"] if kind.startswith("coloured") else ["J", "JD", "JC", "JM"]
    return [f"{colour}{number}" for colour in "KRBO" for number in range(1, 14)] + 2 * jokers


def is_in_the_box(rows: list[Row]) -> bool:
    return max(Counter(itertools.chain(*rows)).values()) < 3


def with_intruders(row: Row, count: int, kind: str, rng: random.Random) -> tuple[Row, Counter[str]] | None:
    """A set with tiles more, and these, if taking them away is the only smallest mend."""
    laid = list(row)
    intruders = [rng.choice(tiles_of(kind)) for _ in range(count)]
    for tile in intruders:
        laid.insert(rng.randint(0, len(laid)), tile)
    if sum(tile.startswith("J") for tile in laid) > MOST_JOKERS:
        return None
    for size in range(count + 1):
        mends = [
            Counter(laid[place] for place in places)
            for places in itertools.combinations(range(len(laid)), size)
            if is_set(without(laid, *places))
        ]
        if mends:
            named = Counter(intruders)
            return (laid, named) if size == count and all(mend == named for mend in mends) else None
    return None


def intruders(count: int) -> Callable[[str, random.Random], Turn | None]:
    def turn(kind: str, rng: random.Random) -> Turn | None:
        rows = [a_set(kind, rng), a_set(kind, rng)]
        spoilt = with_intruders(rows[0], count, kind, rng)
        return spoilt and Turn(rows, [spoilt[0], rows[1]], {0: (spoilt[1], spoilt[1])})

    return turn


def two_mistakes(kind: str, rng: random.Random) -> Turn | None:
    rows = [a_set(kind, rng), a_set(kind, rng)]
    spoilt = [with_intruders(row, 1, kind, rng) for row in rows]
    if spoilt[0] is None or spoilt[1] is None:
        return None
    accused = {place: (named, named) for place, (_, named) in enumerate(filter(None, spoilt))}
    return Turn(rows, [spoilt[0][0], spoilt[1][0]], accused)


def departure(kind: str, rng: random.Random) -> Turn | None:
    """A tile leaves a set, which is none then, for one that the player lays with it."""
    row = a_set(kind, rng)
    place = rng.randrange(len(row))
    rest = without(row, place)
    own = [f"{colour}{row[place][1:]}" for colour in "KRBO" if row[place][0] != colour][:3]
    if len(rest) < 2 or is_set(rest) or row[place].startswith("J"):
        return None
    one_number = not {"JM", "JC"} & set(row) and len({tile[1:] for tile in row if not tile.startswith("J")}) == 1
    beside = rest if one_number else row[max(place - 1, 0) : place] + row[place + 1 : place + 2]
    return Turn([row], [rest, [row[place], *own]], {0: (Counter(beside), Counter())})


def pushed_together(kind: str, rng: random.Random) -> Turn | None:
    rows = [a_set(kind, rng), a_set(kind, rng), ["K1", "K2", "K3"]]
    laid = rows[0] + rows[1]
    starts = [at for at in range(3, len(laid) - 2) if is_set(laid[:at]) and is_set(laid[at:])]
    if is_set(laid) or len(starts) > 1:
        return None
    beside = Counter((rows[0][-1], rows[1][0]))
    return Turn(rows[:2], [laid, rows[2]], {0: (beside, Counter())})


MISTAKES = {
    "one intruder": (intruders(1), 0.995),
    "two intruders": (intruders(2), 0.95),
    "two mistakes": (two_mistakes, 0.995),
    "departure": (departure, 0.99),
    "pushed together": (pushed_together, 0.995),
}


def turns(mistake: str, kind: str) -> Iterator[Turn]:
    rng = random.Random(f"{mistake} in a {kind}")
    while True:
        turn = MISTAKES[mistake][0](kind, rng)
        if turn is not None and is_in_the_box(turn.after) and is_in_the_box(turn.before):
            yield turn


def named(verdict: Verdict, place: int) -> Counter[str]:
    return Counter(
        str(tile)
        for found in verdict.violations
        if (found.fault, found.set_index) == (Fault.NOT_A_SET, place)
        for tile in found.tiles
    )


def is_just(turn: Turn, kind: str) -> bool:
    edition = rule_set("3in1-expert" if kind.startswith("coloured") else "twist")
    before, after = (parse_table(" / ".join(map(" ".join, rows))) for rows in (turn.before, turn.after))
    verdict = judge_turn(before, after, opened=True, rules=edition)
    return all(
        +found <= may and must <= found and found
        for place, (may, must) in turn.accused.items()
        for found in [named(verdict, place)]
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("amount", AMOUNTS)
def test_the_right_tiles_are_named(amount: int, mistake: str, kind: str) -> None:
    just = [is_just(turn, kind) for turn in itertools.islice(turns(mistake, kind), amount)]
    assert sum(just) >= MISTAKES[mistake][1] * amount


@pytest.mark.parametrize("amount", AMOUNTS)
def test_a_joker_that_stays_with_its_neighbours_is_not_accused(amount: int) -> None:
    """Under the rule that a joker leaves only for its tile; one foreign tile lies in its set."""
    rng = random.Random("a joker that stays")
    strict = rule_set("pressman")
    for _ in range(amount):
        first, colour = rng.randint(1, 9), rng.choice("KRBO")
        row = [f"{colour}{number}" for number in range(first, first + rng.randint(3, 5))]
        row[rng.randrange(len(row))] = "J"
        laid = list(row)
        laid.insert(rng.randint(0, len(row)), f"{rng.choice('KRBO'.replace(colour, ''))}{rng.randint(1, 13)}")
        before, after = parse_table(" ".join(row)), parse_table(" ".join(laid))
        faults = [found.fault for found in judge_turn(before, after, opened=True, rules=strict).violations]
        assert faults == [Fault.NOT_A_SET], (row, laid)
