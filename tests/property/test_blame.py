"""The guilty tile is named: a foreign tile is added to a legal set so that only its removal mends it.

What is a set, and what mends one, is asked of the independent judge of `test_oracle`.
"""

import itertools
import random
from collections.abc import Iterator

import pytest

from referee.rules.editions import RuleSet, rule_set
from referee.rules.judge import judge_turn
from referee.rules.notation import parse_table, parse_tiles
from referee.rules.reasons import why_no_set
from referee.rules.sets import is_set
from referee.rules.verdict_json import verdict_to_json

from .test_oracle import STRICT, a_legal_row, is_number, readings

EACH = 600
BAR = 0.995
REASONS_AN_EDITION = 4_000
KINDS_OF_SETS = ("original", "3in1-twist", "3in1-expert")  # the other editions have the sets of one of these
KINDS = ("run", "group", "colour-change run", "mirror run", "mirror group", "coloured run", "coloured group")


def a_set(kind: str, rng: random.Random) -> list[str]:
    """A legal set of three tiles or more, jokers among them in a third of the cases or as the kind has them."""
    while True:
        row = _a_row(kind, rng)
        if len(row) >= 3 and readings(row, middle_counts=False):
            return row


def _a_row(kind: str, rng: random.Random) -> list[str]:
    colours = rng.sample("KRBO", 4)
    first, length = rng.randint(1, 11), rng.randint(2, 6)
    numbers = range(first, min(13, first + length) + 1)
    coloured = kind.startswith("coloured")
    if kind.endswith("group"):
        row = [f"{colour}{first}" for colour in colours[: rng.randint(1, 4)]]
        if kind == "mirror group":
            row = [*row, "JM", *rng.sample(row, len(row))]
    else:
        change = rng.choice(numbers) if kind == "colour-change run" else 0
        row = [f"{colours[number > change > 0]}{number}" for number in numbers]
        if change:
            row[change - first] = "JC"
        if kind == "mirror run":
            row = rng.choice([row, row[::-1]])
            row = [*row, "JM", *row[::-1]]
        elif rng.random() < 0.3:
            row.reverse()
    jokers = rng.choice([0, 0, 1, 1, 2]) if not coloured else rng.choice([1, 1, 2])
    for place in rng.sample(range(len(row)), min(jokers, len(row))):
        if row[place] not in {"JC", "JM"}:
            row[place] = f"J{row[place][0]}" if coloured else rng.choice(["J", "J", "JD"])
    return row


def spoilt(kind: str, rng: random.Random) -> Iterator[tuple[list[str], str]]:
    """Sets with one tile more, and that tile, where nothing else mends them."""
    coloured = kind.startswith("coloured")
    jokers = ["JK", "JR", "JB", "JO"] if coloured else ["J", "JD", "JC", "JM"]
    tiles = [f"{colour}{number}" for colour in "KRBO" for number in range(1, 14)] + 2 * jokers
    while True:
        row = a_set(kind, rng)
        intruder = rng.choice(tiles)
        place = rng.randint(0, len(row))
        laid = [*row[:place], intruder, *row[place:]]
        if readings(laid, middle_counts=False):
            continue
        mends = {laid[at] for at in range(len(laid)) if readings([*laid[:at], *laid[at + 1 :]], middle_counts=False)}
        if mends == {intruder}:
            yield laid, intruder


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_where_one_tile_alone_is_to_blame_it_is_named(kind: str) -> None:
    """Whoever laid what: nothing lay on the table before."""
    edition = rule_set("3in1-expert" if kind.startswith("coloured") else "twist")
    named = []
    for laid, intruder in itertools.islice(spoilt(kind, random.Random(kind)), EACH):
        found = verdict_to_json(judge_turn(parse_table(""), parse_table(" ".join(laid)), opened=True, rules=edition))
        (fault,) = [fault for fault in found["faults"] if fault["fault"] == "not_a_set"]  # type: ignore[attr-defined]
        named.append(fault["tiles"] == [intruder])
    assert sum(named) >= BAR * EACH


@pytest.mark.slow
@pytest.mark.parametrize("rules", [*map(rule_set, KINDS_OF_SETS), STRICT], ids=[*KINDS_OF_SETS, "twist, strict"])
def test_every_reason_can_be_said_and_blames_tiles_of_the_set(rules: RuleSet) -> None:
    """A tile of a likely set is exchanged or added, some are moved, and one is suspected."""
    rng = random.Random(f"reasons of {rules.edition}")
    box = [str(tile) for tile in rules.box]
    jokers = [tile for tile in box if not is_number(tile)]
    for _ in range(REASONS_AN_EDITION):
        row = a_legal_row(rng, jokers)
        place, other = rng.randrange(len(row)), rng.randint(0, len(row))
        tile = rng.choice(rng.choice([box, jokers]))
        laid = rng.choice([[*row[:other], tile, *row[other:]], [*row[:place], tile, *row[place + 1 :]]])
        for _ in range(rng.choice([0, 0, 1, 2])):
            laid.insert(rng.randrange(len(laid)), laid.pop(rng.randrange(len(laid))))
        tiles = parse_tiles(" ".join(laid))
        reason = why_no_set(tiles, rules, ({rng.choice(tiles)},))
        assert (reason is None) == is_set(tiles, rules), laid
        assert reason is None or (str(reason.wording) and set(reason.guilty) <= set(tiles)), laid
