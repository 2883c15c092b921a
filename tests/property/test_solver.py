"""Laws of the solver: it equals an exhaustive search on small positions, and no random legal play beats it."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, permutations

import pytest

from referee.rules.editions import EDITIONS, RuleSet
from referee.rules.judge import judge_turn
from referee.rules.notation import format_table, format_tiles
from referee.rules.sets import is_set, preferred_reading
from referee.rules.table import EMPTY_TABLE, Table, TileSet
from referee.rules.tiles import Colour, Joker, JokerKind, NumberTile, Tile
from referee.rules.verdict import Legal
from referee.solver import Play, best_play, can_play, has_initial_meld, nearest_legal_table

SPECIAL = ["twist", "twist-pressman", "3in1-twist"]
POSITIONS = 25
FEW, REST = slice(0, 4), slice(4, POSITIONS)


def before_and_after_opening(longest: str) -> pytest.MarkDecorator:
    """A law of every edition; its longest positions take seconds, and `make test-long` tries them."""
    return pytest.mark.parametrize(
        ("edition", "opened"),
        [
            pytest.param(edition, opened, marks=pytest.mark.slow if opened and edition == longest else ())
            for opened in (True, False)
            for edition in EDITIONS
        ],
    )


IN_TWO_PARTS = pytest.mark.parametrize(
    "part", [pytest.param(FEW, id="few"), pytest.param(REST, id="rest", marks=pytest.mark.slow)]
)
SETS, MAX_TRIED = 0.5, 8
BUSY = 30.0  # of the clock, for what takes one of the processor's
LONG = 600.0  # of the clock; a proof with five jokers takes six of the processor's, which has others to serve
Score = tuple[int, int]


# ---- an exhaustive search that shares nothing with the solver but the rules -----------------------------------------


@cache
def ways_to_lay(tiles: tuple[Tile, ...], edition: str) -> tuple[TileSet, ...]:
    """Every order of these tiles that is a set, but for orders in which the same tiles count the same."""
    ways: dict[object, TileSet] = {}
    for order in dict.fromkeys(permutations(tiles)):
        reading = preferred_reading(order, EDITIONS[edition])
        if reading is not None:
            stands = sorted(zip(map(str, order), reading.stands_for, strict=True), key=str)
            ways.setdefault(str(stands), order)
    return tuple(ways.values())


def tables(must: tuple[Tile, ...], may: tuple[Tile, ...], edition: str) -> Iterator[tuple[TileSet, ...]]:
    """Every way to lay all of the first tiles, and any of the second, in sets."""
    if not must and not may:
        yield ()
        return
    beside: tuple[Tile, ...]
    first, others = (must[0], must[1:]) if must else (may[0], may[1:])
    if not must:
        yield from tables((), others, edition)
        beside, rest = (), others
    else:
        beside, rest = others, may
    pool = [(tile, True) for tile in beside] + [(tile, False) for tile in rest]
    seen = set()
    for size in range(2, len(pool) + 1):
        for chosen in combinations(range(len(pool)), size):
            tiles = tuple(sorted([first, *(pool[place][0] for place in chosen)], key=str))
            left_must = tuple(tile for place, (tile, own) in enumerate(pool) if own and place not in chosen)
            left_may = tuple(tile for place, (tile, own) in enumerate(pool) if not own and place not in chosen)
            key = (tiles, tuple(sorted(map(str, left_must))), tuple(sorted(map(str, left_may))))
            if key in seen:
                continue
            seen.add(key)
            for laid in ways_to_lay(tiles, edition):
                for more in tables(left_must, left_may, edition):
                    yield (laid, *more)


def worth_of(before: Table, after: Table, rules: RuleSet) -> int:
    """What the tiles added are worth, jokers counting the most that they can."""
    added = after.counts() - before.counts()
    counted: dict[Tile, list[int]] = {tile: [] for tile in added}
    for tiles in after.sets:
        reading = preferred_reading(tiles, rules)
        assert reading is not None
        for tile, stand_in in zip(tiles, reading.stands_for, strict=True):
            if tile in counted:
                counted[tile].append(sum(stand_in.numbers))
    return sum(sum(sorted(values, reverse=True)[: added[tile]]) for tile, values in counted.items())


def exhaustive(table: Table, rack: tuple[Tile, ...], rules: RuleSet, *, opened: bool) -> Score:
    """The most tiles, and of those plays the most worth, over every legal play."""
    best = (0, 0)
    for sets in tables(table.tiles if opened else (), rack, rules.edition):
        after = Table(sets if opened else (*table.sets, *sets))
        played = len(after.tiles) - len(table.tiles)
        if played == 0 or played < best[0]:
            continue
        score = (played, worth_of(table if opened else EMPTY_TABLE, Table(sets), rules))
        if score > best and isinstance(judge_turn(table, after, opened=opened, rules=rules), Legal):
            best = score
    return best


# ---- small random positions ----------------------------------------------------------------------------------------


def close_tiles(rules: RuleSet, chance: random.Random) -> list[Tile]:
    """The tiles of a few neighbouring numbers and of two or three colours, and the jokers, shuffled."""
    first = chance.randint(1, 10)
    colours = chance.sample(list(Colour), chance.choice((2, 3)))
    near = [
        tile
        for tile, count in rules.box.items()
        for _ in range(count)
        if isinstance(tile, Joker) or (tile.colour in colours and first <= tile.number <= first + chance.choice((2, 3)))
    ]
    chance.shuffle(near)
    return near


def random_set(tiles: Sequence[Tile], rules: RuleSet, chance: random.Random) -> TileSet:
    while True:
        chosen = tuple(chance.sample(list(tiles), chance.choice((3, 3, 4))))
        ways = ways_to_lay(tuple(sorted(chosen, key=str)), rules.edition)
        if ways:
            return chance.choice(ways)


def small_position(rules: RuleSet, chance: random.Random, most: int) -> tuple[Table, tuple[Tile, ...]]:
    tiles = close_tiles(rules, chance)
    sets = []
    for _ in range(chance.choice((0, 1, 1))):
        laid = random_set(tiles, rules, chance)
        sets.append(laid)
        for tile in laid:
            tiles.remove(tile)
    jokers = [tile for tile in tiles if isinstance(tile, Joker)][: chance.choice((0, 1, 2, 3))]
    numbers = [tile for tile in tiles if isinstance(tile, NumberTile)]
    rack: list[Tile] = [*jokers, *numbers]
    return Table(tuple(sets)), tuple(rack[: most - sum(map(len, sets))])


def positions(edition: str, count: int, most: int) -> Iterator[tuple[Table, tuple[Tile, ...]]]:
    chance = random.Random(f"{edition} {most}")
    for _ in range(count):
        yield small_position(EDITIONS[edition], chance, most)


def of_special_jokers(edition: str, count: int) -> Iterator[tuple[Table, tuple[Tile, ...]]]:
    """Positions of up to seven tiles with a colour-change, a mirror and a double joker, on the table or the rack."""
    rules = EDITIONS[edition]
    chance = random.Random(f"special {edition}")
    special = [tile for tile in rules.box if isinstance(tile, Joker) and tile.kind is not JokerKind.REGULAR]
    while count:
        near = [tile for tile in close_tiles(rules, chance) if isinstance(tile, NumberTile)]
        more: list[Tile] = [*special, *chance.sample(special, chance.choice((0, 1))), *near]
        tiles = more[: chance.choice((6, 7))]
        laid = random_set([*special, *near], rules, chance) if chance.random() < SETS else ()
        rest = list((Counter(tiles) - Counter(laid)).elements())
        if len(laid) + len(rest) <= MAX_TRIED:
            count -= 1
            yield Table((laid,) if laid else ()), tuple(rest)


@IN_TWO_PARTS
@before_and_after_opening(longest="twist")
def test_a_small_position_is_solved_as_well_as_by_trying_everything(edition: str, part: slice, *, opened: bool) -> None:
    rules = EDITIONS[edition]
    for table, rack in [*positions(edition, POSITIONS, 7)][part]:
        play = best_play(table, rack, rules, opened=opened, seconds=LONG)
        position = f"{edition} {format_table(table)} + {format_tiles(rack)} -> {format_table(play.table)}"
        assert play.optimal, position
        assert (len(play.tiles), play.worth) == exhaustive(table, rack, rules, opened=opened), position


@IN_TWO_PARTS
@pytest.mark.parametrize("edition", SPECIAL)
def test_special_jokers_together_are_laid_as_well_as_by_trying_everything(edition: str, part: slice) -> None:
    rules = EDITIONS[edition]
    for table, rack in [*of_special_jokers(edition, POSITIONS)][part]:
        play = best_play(table, rack, rules, seconds=LONG)
        position = f"{edition} {format_table(table)} + {format_tiles(rack)} -> {format_table(play.table)}"
        assert play.optimal, position
        assert (len(play.tiles), play.worth) == exhaustive(table, rack, rules, opened=True), position


@cache
def best_of_many(table: Table, rack: tuple[Tile, ...], edition: str, *, opened: bool) -> Play:
    """Solve a large position once for all laws."""
    return best_play(table, rack, EDITIONS[edition], opened=opened, seconds=BUSY)


@IN_TWO_PARTS
@before_and_after_opening(longest="3in1-twist")
def test_every_play_is_legal_and_worth_what_is_said(edition: str, part: slice, *, opened: bool) -> None:
    rules = EDITIONS[edition]
    for table, rack in [*positions(edition, POSITIONS, 16)][part]:
        play = best_of_many(table, rack, edition, opened=opened)
        assert not Counter(play.tiles) - Counter(rack)
        assert play.table.counts() == table.counts() + Counter(play.tiles)
        if play.tiles:
            verdict = judge_turn(table, play.table, opened=opened, rules=rules)
            assert isinstance(verdict, Legal), (format_table(table), format_tiles(rack), verdict)
            new = play.table if opened else Table(play.table.sets[len(table.sets) :])
            assert play.worth == worth_of(table if opened else EMPTY_TABLE, new, rules), format_table(play.table)
        if not opened:
            assert can_play(table, rack, rules, opened=False) == has_initial_meld(rack, rules)


# ---- nobody who plays at random does better ------------------------------------------------------------------------


def random_play(table: Table, rack: Sequence[Tile], rules: RuleSet, chance: random.Random) -> Table:
    """Lay tiles as they come: sets from the rack, and tiles that lengthen a set on the table."""
    sets, held = list(table.sets), list(rack)
    for _ in range(60):
        if len(held) >= 3 and chance.random() < 0.5:
            tiles = tuple(chance.sample(held, 3))
            if is_set(tiles, rules):
                sets.append(tiles)
                for tile in tiles:
                    held.remove(tile)
        elif held and sets:
            tile, place = chance.choice(held), chance.randrange(len(sets))
            longer = chance.choice(((tile, *sets[place]), (*sets[place], tile)))
            if is_set(longer, rules):
                sets[place] = longer
                held.remove(tile)
    return Table(tuple(sets))


@IN_TWO_PARTS
@pytest.mark.parametrize(
    "edition", [pytest.param(one, marks=pytest.mark.slow if one == "3in1-twist" else ()) for one in EDITIONS]
)
def test_no_random_legal_play_lays_more(edition: str, part: slice) -> None:
    rules = EDITIONS[edition]
    chance = random.Random(f"{edition} {part}")
    for table, rack in [*positions(edition, POSITIONS, 16)][part]:
        best = best_of_many(table, rack, edition, opened=True)
        for _ in range(20):
            after = random_play(table, rack, rules, chance)
            if isinstance(judge_turn(table, after, opened=True, rules=rules), Legal):
                assert len(best.tiles) >= len(after.tiles) - len(table.tiles)


# ---- the nearest legal table ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_disturbed_table_is_mended_with_no_more_moves_than_disturbed_it(edition: str) -> None:
    rules = EDITIONS[edition]
    chance = random.Random(edition)
    for table, _ in positions(edition, POSITIONS, 16):
        if not table.sets:
            continue
        sets = [list(tiles) for tiles in (*table.sets, ())]
        strayed = chance.choice(sets[:-1])
        tile = strayed.pop(chance.randrange(len(strayed)))
        chance.choice([tiles for tiles in sets if tiles is not strayed]).append(tile)
        disturbed = Table(tuple(tuple(tiles) for tiles in sets if tiles))
        nearest = nearest_legal_table(disturbed, rules)
        assert nearest is not None
        assert nearest.optimal or {"JC", "JM"} & set(map(str, disturbed.tiles))
        assert len(nearest.moved) <= 1
        assert nearest.table.counts() == table.counts()
        assert [tiles for tiles in nearest.table.sets if not is_set(tiles, rules)] == []
